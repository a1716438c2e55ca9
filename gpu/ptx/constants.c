/*
 * gpu/ptx/constants.c: immediates as rows.
 *
 * A constant is a row like a register, so that an executor has one way to read an operand.  Equal
 * constants share a row.  Addresses of variables are constants that each launch fills in.
 */
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/ptx/parser.h"

struct ptx_known_constant {
	struct {
		uint64_t value;
		uint64_t variable; /* + 1; 0: a plain value */
	} key;
	uint32_t row;
	UT_hash_handle hh;
};

static int find_or_add(struct ptx_parser *parser, uint64_t value, uint64_t variable,
		       uint32_t *operand, bool *added)
{
	struct ptx_module *module = parser->module;
	struct ptx_known_constant *known, wanted = {.key = {value, variable}};

	HASH_FIND(hh, parser->constants, &wanted.key, sizeof(wanted.key), known);
	*added = !known;
	if (!known) {
		if (module->constant_count == PTX_CONSTANT_LIMIT)
			return error_set(parser->error,
					 "line %u: more than %u different constants in one module",
					 parser->token.line, PTX_CONSTANT_LIMIT);
		if (ptx_grow((void **)&module->constants, &module->constant_capacity,
			     module->constant_count, sizeof(*module->constants), parser->error))
			return -1;
		known = calloc(1, sizeof(*known));
		if (!known)
			return ptx_out_of_memory(parser);
		known->key = wanted.key;
		known->row = module->constant_count;
		HASH_ADD(hh, parser->constants, key, sizeof(known->key), known);
		if (!known->hh.tbl) {
			free(known);
			return ptx_out_of_memory(parser);
		}
		for (unsigned lane = 0; lane < PTX_LANES; lane++)
			module->constants[known->row][lane] = value;
		module->constant_count++;
	}
	*operand = PTX_OPERAND(PTX_BANK_CONSTANT, known->row);
	return 0;
}

int ptx_constant(struct ptx_parser *parser, uint64_t value, uint32_t *operand)
{
	bool added;

	return find_or_add(parser, value, 0, operand, &added);
}

int ptx_constant_address(struct ptx_parser *parser, uint32_t variable, int64_t addend,
			 uint32_t *operand)
{
	struct ptx_module *module = parser->module;
	bool added;

	if (find_or_add(parser, (uint64_t)addend, (uint64_t)variable + 1, operand, &added))
		return -1;
	if (!added)
		return 0;
	if (ptx_grow((void **)&module->patches, &module->patch_capacity, module->patch_count,
		     sizeof(*module->patches), parser->error))
		return -1;
	module->patches[module->patch_count++] =
		(struct ptx_patch){module->constant_count - 1, variable, addend};
	return 0;
}

void ptx_constants_free(struct ptx_parser *parser)
{
	struct ptx_known_constant *known, *next;

	HASH_ITER(hh, parser->constants, known, next)
	{
		HASH_DEL(parser->constants, known);
		free(known);
	}
}
