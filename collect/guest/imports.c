/* collect/guest/imports.c: see imports.h. */
#include "collect/guest/imports.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct table {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * rows[2]; /* of calls and of pointers */
	size_t bytes[2];
};

static const void *address(const struct dl_phdr_info *info, ElfW(Addr) pointer)
{
	return (const void *)(pointer < info->dlpi_addr ? info->dlpi_addr + pointer : pointer);
}

static bool find_table(const struct dl_phdr_info *info, struct table *table)
{
	const ElfW(Dyn) *dynamic = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			table->symbols = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_STRTAB:
			table->strings = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_JMPREL:
			table->rows[0] = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			table->bytes[0] = dynamic->d_un.d_val;
			break;
		case DT_RELA:
			table->rows[1] = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_RELASZ:
			table->bytes[1] = dynamic->d_un.d_val;
			break;
		}
	return table->symbols && table->strings;
}

/* Whether the loader has made the page read-only: it does so with whole pages. */
static bool is_read_only(const struct dl_phdr_info *info, uintptr_t page, size_t bytes)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_GNU_RELRO && page >= (start & ~(bytes - 1)) &&
		    page < ((start + part->p_memsz) & ~(bytes - 1)))
			return true;
	}
	return false;
}

static bool replace(const struct dl_phdr_info *info, struct import *import, void **at)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)at & ~(bytes - 1);

	if (*at == import->replacement)
		return true;
	if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n(&import->before, *at, __ATOMIC_RELEASE);
	__atomic_store_n(at, import->replacement, __ATOMIC_RELEASE);
	if (is_read_only(info, page, bytes))
		mprotect((void *)page, bytes, PROT_READ);
	return true;
}

int imports_replace(const struct dl_phdr_info *info, struct import *imports, size_t count)
{
	struct table table = {0};
	int found = 0;

	if (!find_table(info, &table))
		return 0;
	for (int which = 0; which < 2; which++) {
		const ElfW(Rela) *row = table.rows[which];
		const ElfW(Rela) *end = row + (row ? table.bytes[which] / sizeof(*row) : 0);

		for (; row < end; row++) {
			size_t symbol = ELF64_R_SYM(row->r_info);
			const char *name = table.strings + table.symbols[symbol].st_name;

			for (size_t i = 0; symbol && i < count; i++) {
				if (strcmp(name, imports[i].name) != 0)
					continue;
				if (!replace(info, &imports[i],
					     (void **)(info->dlpi_addr + row->r_offset)))
					return -1;
				found++;
			}
		}
	}
	return found;
}
