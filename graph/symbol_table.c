/* graph/symbol_table.c: symbols sorted by address. */
#include "graph/symbol_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "util/memory.h"

struct symbol {
	GElf_Addr low, high; /* equal: it has no size */
	GElf_Addr reach;     /* the end of the longest one up to here */
	const char *name;
	GElf_Word section;
	int index, binding;
};

struct symbol_table {
	struct symbol *symbols;
	size_t count, capacity;
	Dwfl_Module *module;
};

static int rank(const struct symbol *symbol)
{
	switch (symbol->binding) {
	case STB_GLOBAL:
		return 3;
	case STB_WEAK:
		return 2;
	case STB_LOCAL:
		return 1;
	default:
		return 0;
	}
}

/* Of symbols that start together the last one is taken: global before weak before local. */
static int order(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int of_x = rank(x), of_y = rank(y);

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if ((x->high == x->low) != (y->high == y->low))
		return x->high == x->low ? -1 : 1;
	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	return x->index < y->index ? 1 : -1;
}

struct symbol_table *symbol_table_new(Dwfl_Module *module)
{
	struct symbol_table *table = xcalloc(1, sizeof(*table));
	int count = dwfl_module_getsymtab(module);
	GElf_Addr reach = 0;

	table->module = module;
	for (int i = 1; i < count; i++) {
		GElf_Word section = SHN_UNDEF;
		GElf_Addr address;
		GElf_Sym symbol;
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &address, &section, NULL, NULL);
		int type = name ? GELF_ST_TYPE(symbol.st_info) : STT_FILE;

		if (!name || !*name || section == SHN_UNDEF || type == STT_SECTION ||
		    type == STT_FILE || type == STT_TLS || symbol.st_size > UINT64_MAX - address)
			continue;
		ARRAY_RESERVE(table->symbols, table->count, table->capacity);
		table->symbols[table->count++] = (struct symbol){
			.low = address,
			.high = address + symbol.st_size,
			.name = name,
			.section = section,
			.index = i,
			.binding = GELF_ST_BIND(symbol.st_info),
		};
	}
	if (table->count)
		qsort(table->symbols, table->count, sizeof(*table->symbols), order);
	for (size_t i = 0; i < table->count; i++) {
		if (table->symbols[i].high > reach)
			reach = table->symbols[i].high;
		table->symbols[i].reach = reach;
	}
	return table;
}

void symbol_table_free(struct symbol_table *table)
{
	if (table)
		free(table->symbols);
	free(table);
}

static bool same_section(Dwfl_Module *module, const struct symbol *symbol, GElf_Addr address)
{
	GElf_Addr bias;
	Elf_Scn *section = dwfl_module_address_section(module, &address, &bias);

	return section && elf_ndxscn(section) == symbol->section;
}

const char *symbol_table_at(const struct symbol_table *table, GElf_Addr address)
{
	const struct symbol *symbols = table->symbols;
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i && symbols[i - 1].reach > address; i--)
		if (symbols[i - 1].high > address)
			return symbols[i - 1].name;
	/* a function in assembler, if nothing else ended since */
	for (size_t i = low; i && symbols[i - 1].reach == symbols[i - 1].low; i--)
		if (same_section(table->module, &symbols[i - 1], address))
			return symbols[i - 1].name;
	return NULL;
}
