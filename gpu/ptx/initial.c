/*
 * gpu/ptx/initial.c: static initialisers of variables.
 *
 *     = {1, 2, {3, 4}}   = generic(table)+8   = {0xFF(f), 0xFF00(f), ...}
 *
 * Addresses become relocations: where things are is the loader's business.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/declare.h"

struct initial {
	struct ptx_parser *parser;
	const struct ptx_declarator *declarator;
	uint8_t *bytes;
	size_t used, capacity;
	struct ptx_relocation *relocations;
	size_t relocation_count, relocation_capacity;
};

/* Makes the initialiser at least `size` bytes long. */
static int reach(struct initial *initial, uint64_t size)
{
	const struct ptx_declarator *declarator = initial->declarator;
	struct ptx_parser *parser = initial->parser;
	uint64_t limit = declarator->unsized ? PTX_INITIAL_LIMIT : declarator->size;
	uint8_t *grown;
	size_t capacity;

	if (size > limit || size > PTX_INITIAL_LIMIT)
		return error_set(
			parser->error, "line %u: too many initial values for '%.*s'",
			parser->token.line,
			(int)(declarator->name.length > 200 ? 200 : declarator->name.length),
			declarator->name.text);
	if (size > initial->capacity) {
		capacity = size * 2 > 256 ? size * 2 : 256;
		grown = realloc(initial->bytes, capacity);
		if (!grown)
			return ptx_out_of_memory(parser);
		memset(grown + initial->capacity, 0, capacity - initial->capacity);
		initial->bytes = grown;
		initial->capacity = capacity;
	}
	if (size > initial->used)
		initial->used = size;
	return 0;
}

static int write_number(struct initial *initial, uint64_t at, bool negative)
{
	const struct ptx_token *token = &initial->parser->token;
	const struct ptx_declarator *declarator = initial->declarator;
	uint64_t value = token->value;
	uint64_t size = declarator->element_size;

	if (token->kind == PTX_DOUBLE_BITS && declarator->type == PTX_F32) {
		double number;
		float single;

		memcpy(&number, &value, 8);
		single = (float)number;
		value = 0;
		memcpy(&value, &single, 4);
	}
	if (token->kind != PTX_INTEGER && negative)
		value ^= 1ull << (size * 8 - 1);
	else if (negative)
		value = -value;
	if (reach(initial, at + size))
		return -1;
	memcpy(initial->bytes + at, &value, size < 8 ? size : 8);
	return ptx_advance(initial->parser);
}

/* name, name+4, generic(name)+4; `mask`: the byte of the address that stands here */
static int write_address(struct initial *initial, uint64_t at, uint64_t mask)
{
	struct ptx_parser *parser = initial->parser;
	struct ptx_relocation relocation = {.offset = at, .width = 8};
	bool generic = ptx_token_is(&parser->token, "generic");

	if (generic && (ptx_advance(parser) || ptx_expect(parser, "(")))
		return -1;
	if (parser->token.kind != PTX_WORD)
		return ptx_unexpected(parser, "a name");
	relocation.symbol = ptx_pool_text(parser->module, parser->token.text, parser->token.length);
	if (!relocation.symbol)
		return ptx_out_of_memory(parser);
	if (ptx_advance(parser) || (generic && ptx_expect(parser, ")")))
		return -1;
	while (ptx_is_mark(parser, '+') || ptx_is_mark(parser, '-')) {
		bool negative = ptx_is_mark(parser, '-');

		if (ptx_advance(parser))
			return -1;
		if (parser->token.kind != PTX_INTEGER)
			return ptx_unexpected(parser, "a number");
		relocation.addend =
			(int64_t)((uint64_t)relocation.addend +
				  (negative ? -parser->token.value : parser->token.value));
		if (ptx_advance(parser))
			return -1;
	}
	if (reach(initial, at + initial->declarator->element_size))
		return -1;
	if (mask == 0) {
		if (initial->declarator->element_size != 4 &&
		    initial->declarator->element_size != 8)
			return error_set(parser->error,
					 "line %u: an address needs a variable of 4 or 8 bytes",
					 parser->token.line);
		relocation.width = (uint32_t)initial->declarator->element_size;
	} else if (mask != 0xff) {
		return 0; /* a further byte of the address that 0xFF(name) began */
	} else if (reach(initial, at + 8)) {
		return -1;
	}
	if (ptx_grow((void **)&initial->relocations, &initial->relocation_capacity,
		     initial->relocation_count, sizeof(*initial->relocations), parser->error))
		return -1;
	initial->relocations[initial->relocation_count++] = relocation;
	return 0;
}

static int write_element(struct initial *initial, uint64_t at)
{
	struct ptx_parser *parser = initial->parser;
	bool negative = ptx_is_mark(parser, '-');
	struct ptx_lexer ahead;
	struct ptx_token token;

	if (negative && ptx_advance(parser))
		return -1;
	if (parser->token.kind == PTX_WORD && !negative)
		return write_address(initial, at, 0);
	if (parser->token.kind == PTX_INTEGER && !negative) {
		ahead = parser->lexer;
		if (ptx_lexer_next(&ahead, &token, parser->error))
			return -1;
		if (ptx_token_is(&token, "(")) {
			uint64_t mask = parser->token.value;

			if (!mask || ptx_advance(parser) || ptx_advance(parser) ||
			    write_address(initial, at, mask))
				return mask ? -1 : ptx_unexpected(parser, "a mask");
			return ptx_expect(parser, ")");
		}
	}
	if (parser->token.kind != PTX_INTEGER && parser->token.kind != PTX_FLOAT_BITS &&
	    parser->token.kind != PTX_DOUBLE_BITS)
		return ptx_unexpected(parser, "an initial value");
	return write_number(initial, at, negative);
}

/* { ... { ... } ... }: an inner brace fills a row of the dimensions inside it */
static int read_braces(struct initial *initial)
{
	struct ptx_parser *parser = initial->parser;
	const struct ptx_declarator *declarator = initial->declarator;
	uint64_t row[PTX_DIMENSIONS + 1], start[PTX_DIMENSIONS + 1], at = 0;
	unsigned depth = 0;

	row[declarator->dimension_count] = declarator->element_size;
	for (unsigned n = declarator->dimension_count; n-- > 0;)
		row[n] = row[n + 1] * (declarator->dimensions[n] ? declarator->dimensions[n] : 1);
	do {
		if (ptx_is_mark(parser, '{')) {
			if (depth >= declarator->dimension_count)
				return error_set(parser->error,
						 "line %u: more braces than dimensions",
						 parser->token.line);
			start[depth++] = at;
			if (ptx_advance(parser))
				return -1;
		} else if (ptx_is_mark(parser, '}')) {
			depth--;
			if (depth)
				at = start[depth] + row[depth];
			if (ptx_advance(parser))
				return -1;
			if (ptx_is_mark(parser, ',') && depth && ptx_advance(parser))
				return -1;
		} else {
			if (write_element(initial, at))
				return -1;
			at += declarator->element_size;
			if (ptx_is_mark(parser, ',')) {
				if (ptx_advance(parser))
					return -1;
			} else if (!ptx_is_mark(parser, '}')) {
				return ptx_unexpected(parser, "',' or '}'");
			}
		}
	} while (depth);
	return 0;
}

static int finish(struct initial *initial, struct ptx_variable *variable)
{
	struct ptx_module *module = initial->parser->module;
	size_t relocations = initial->relocation_count * sizeof(*initial->relocations);
	uint8_t *bytes;

	if (initial->declarator->unsized)
		variable->size = initial->used;
	if (variable->size > PTX_INITIAL_LIMIT)
		return error_set(initial->parser->error,
				 "line %u: the initialised variable '%s' is larger than %u MB",
				 initial->declarator->name.line, variable->name,
				 PTX_INITIAL_LIMIT >> 20);
	bytes = ptx_pool(module, variable->size);
	variable->relocations = ptx_pool(module, relocations);
	if (!bytes || !variable->relocations)
		return ptx_out_of_memory(initial->parser);
	if (initial->used)
		memcpy(bytes, initial->bytes, initial->used);
	if (relocations)
		memcpy(variable->relocations, initial->relocations, relocations);
	variable->initial = bytes;
	variable->relocation_count = (uint32_t)initial->relocation_count;
	return 0;
}

int ptx_read_initial(struct ptx_parser *parser, struct ptx_declarator *declarator,
		     struct ptx_variable *variable)
{
	struct initial initial = {.parser = parser, .declarator = declarator};
	int result;

	if (declarator->element_size > 8)
		return error_set(parser->error, "line %u: no initial values for this type",
				 parser->token.line);
	result = ptx_is_mark(parser, '{') ? read_braces(&initial) : write_element(&initial, 0);
	if (!result)
		result = finish(&initial, variable);
	free(initial.bytes);
	free(initial.relocations);
	return result;
}
