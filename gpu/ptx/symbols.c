/*
 * gpu/ptx/symbols.c: names of PTX and their scopes.
 *
 * A name hides the same name of the scopes around it until its own scope ends; a label may be
 * used before it stands.
 */
#include <stdlib.h>
#include <string.h>

/* the default ends the process, which is not ours */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/ptx/parser.h"

struct ptx_symbol {
	const char *name; /* in the text */
	struct ptx_meaning meaning;
	uint32_t depth;
	bool own; /* of the text that it stands in */
	struct ptx_symbol *hidden, *next;
	UT_hash_handle hh;
};

static int add(struct ptx_parser *parser, struct ptx_symbol *symbol, size_t length)
{
	HASH_ADD_KEYPTR(hh, parser->symbols, symbol->name, length, symbol);
	return symbol->hh.tbl ? 0 : ptx_out_of_memory(parser);
}

int ptx_scope_open(struct ptx_parser *parser)
{
	struct ptx_scope *scope;

	if (parser->depth + 1 == PTX_NESTING_LIMIT)
		return error_set(parser->error, "line %u: blocks are nested deeper than %u",
				 parser->token.line, PTX_NESTING_LIMIT);
	scope = &parser->scopes[++parser->depth];
	*scope = parser->scopes[parser->depth - 1];
	scope->symbols = NULL;
	scope->first_fixup = parser->fixup_count;
	return 0;
}

static struct ptx_symbol *find(struct ptx_parser *parser, const char *name, size_t length)
{
	struct ptx_symbol *symbol;

	HASH_FIND(hh, parser->symbols, name, length, symbol);
	return symbol;
}

/* Sets the targets that this scope's labels name; the others wait for the scope around it. */
static void resolve(struct ptx_parser *parser, const struct ptx_scope *scope)
{
	size_t kept = scope->first_fixup;

	for (size_t i = scope->first_fixup; i < parser->fixup_count; i++) {
		const struct ptx_fixup *fixup = &parser->fixups[i];
		const struct ptx_symbol *symbol = find(parser, fixup->name, fixup->length);

		if (!symbol || symbol->depth != parser->depth ||
		    symbol->meaning.kind != PTX_SYMBOL_LABEL)
			parser->fixups[kept++] = *fixup;
		else if (fixup->instruction != UINT32_MAX)
			parser->module->code[fixup->instruction].immediate = symbol->meaning.base;
		else
			parser->module->extras[fixup->extra] = symbol->meaning.base;
	}
	parser->fixup_count = kept;
}

int ptx_scope_close(struct ptx_parser *parser)
{
	struct ptx_scope *scope = &parser->scopes[parser->depth];
	struct ptx_symbol *symbol, *next;
	int result = 0;

	resolve(parser, scope);
	if (parser->depth == 1 && parser->fixup_count > scope->first_fixup) {
		const struct ptx_fixup *fixup = &parser->fixups[scope->first_fixup];

		result = error_set(parser->error, "line %u: there is no label '%.*s'", fixup->line,
				   (int)(fixup->length > 200 ? 200 : fixup->length), fixup->name);
	}
	for (symbol = scope->symbols; symbol; symbol = next) {
		struct ptx_symbol *hidden = symbol->hidden;

		next = symbol->next;
		HASH_DEL(parser->symbols, symbol);
		if (hidden && add(parser, hidden, symbol->hh.keylen))
			result = -1;
		free(symbol);
	}
	scope->symbols = NULL;
	parser->depth--;
	return result;
}

void ptx_symbols_free(struct ptx_parser *parser)
{
	HASH_CLEAR(hh, parser->symbols);
	for (uint32_t depth = 0; depth <= parser->depth; depth++) {
		struct ptx_symbol *symbol, *next;

		for (symbol = parser->scopes[depth].symbols; symbol; symbol = next) {
			next = symbol->next;
			free(symbol);
		}
	}
	free(parser->fixups);
}

int ptx_symbols_end_text(struct ptx_parser *parser,
			 int (*each)(struct ptx_parser *, const struct ptx_meaning *))
{
	struct ptx_symbol **link = &parser->scopes[0].symbols;

	while (*link) {
		struct ptx_symbol *symbol = *link;

		if (!symbol->own) {
			link = &symbol->next;
			continue;
		}
		if (each(parser, &symbol->meaning))
			return -1;
		*link = symbol->next;
		HASH_DEL(parser->symbols, symbol);
		free(symbol);
	}
	return 0;
}

int ptx_define(struct ptx_parser *parser, const struct ptx_token *name,
	       const struct ptx_meaning *meaning)
{
	struct ptx_symbol *old = find(parser, name->text, name->length);
	struct ptx_scope *scope = &parser->scopes[parser->depth];
	struct ptx_symbol *symbol;

	if (old && old->depth >= parser->depth)
		return error_set(parser->error, "line %u: '%.*s' is declared twice", name->line,
				 (int)(name->length > 200 ? 200 : name->length), name->text);
	symbol = calloc(1, sizeof(*symbol));
	if (!symbol)
		return ptx_out_of_memory(parser);
	symbol->name = name->text;
	symbol->meaning = *meaning;
	symbol->depth = parser->depth;
	symbol->own = !parser->shared_name || meaning->kind == PTX_SYMBOL_DYNAMIC_SHARED;
	symbol->hidden = old;
	if (old)
		HASH_DEL(parser->symbols, old);
	if (add(parser, symbol, name->length)) {
		free(symbol);
		return -1;
	}
	symbol->next = scope->symbols;
	scope->symbols = symbol;
	return 0;
}

bool ptx_lookup(struct ptx_parser *parser, const struct ptx_token *name,
		struct ptx_meaning *meaning)
{
	const struct ptx_symbol *symbol = find(parser, name->text, name->length);
	size_t stem = name->length;
	uint64_t number = 0, place = 1;

	if (symbol && !symbol->meaning.count) {
		*meaning = symbol->meaning;
		return true;
	}
	for (; stem > 0 && name->length - stem < 9 && name->text[stem - 1] >= '0' &&
	       name->text[stem - 1] <= '9';
	     stem--, place *= 10)
		number += place * (unsigned)(name->text[stem - 1] - '0');
	if (stem == name->length)
		return false;
	symbol = find(parser, name->text, stem);
	if (!symbol || number >= symbol->meaning.count)
		return false;
	*meaning = symbol->meaning;
	meaning->base += (uint32_t)number * ptx_type_rows(meaning->type);
	meaning->count = 0;
	return true;
}

int ptx_refer(struct ptx_parser *parser, const struct ptx_token *label, uint32_t instruction,
	      uint32_t extra)
{
	if (ptx_grow((void **)&parser->fixups, &parser->fixup_capacity, parser->fixup_count,
		     sizeof(*parser->fixups), parser->error))
		return -1;
	parser->fixups[parser->fixup_count++] =
		(struct ptx_fixup){label->text, label->length, label->line, instruction, extra};
	return 0;
}
