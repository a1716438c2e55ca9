/*
 * gpu/ptx/decode_wide.c: registers of 128 bits, which are two rows, and the mov that splits them.
 *
 *     mov.b128 %q1, {%lo, %hi};   mov.b128 {%lo, %hi}, %q1;   mov.b128 %q1, %q2;
 */
#include "gpu/ptx/decode.h"

enum outcome ptx_wide_register(struct statement *s, const struct operand *operand, uint32_t rows[2])
{
	struct ptx_meaning meaning;

	if (operand->kind != OPERAND_NAME || operand->inverted || operand->has_second ||
	    operand->offset || operand->first.negative || ptx_token_is(&operand->first.token, "_"))
		return UNKNOWN_FORM;
	TRY(ptx_name(s, &operand->first.token, &meaning));
	if (meaning.kind != PTX_SYMBOL_REGISTER || meaning.type != PTX_B128)
		return UNKNOWN_FORM;
	for (unsigned n = 0; n < 2; n++)
		rows[n] = PTX_OPERAND(PTX_BANK_REGISTER, meaning.base + n);
	return OK;
}

static enum outcome halves(struct statement *s, const struct operand *operand, bool writes,
			   uint32_t rows[2])
{
	if (operand->kind != OPERAND_VECTOR)
		return ptx_wide_register(s, operand, rows);
	if (operand->count != 2)
		return UNKNOWN_FORM;
	for (unsigned n = 0; n < 2; n++)
		TRY(writes ? ptx_destination(s, &operand->elements[n], &rows[n])
			   : ptx_source(s, &operand->elements[n], 0, PTX_B64, &rows[n]));
	return OK;
}

enum outcome ptx_decode_mov_wide(struct statement *s)
{
	uint32_t rows[4]; /* of the destination, of the source */

	TRY(halves(s, &s->operands[0], true, rows));
	TRY(halves(s, &s->operands[1], false, rows + 2));
	s->i->execute = s->parser->machine->mov_wide;
	s->i->extra = s->parser->module->extra_count;
	for (unsigned n = 0; n < 4; n++)
		if (ptx_add_extra(s->parser, rows[n]))
			return FAILED;
	return OK;
}
