/* gpu/ptx/operand.c: the operands of a statement, by one grammar. */
#include "gpu/ptx/decode.h"

static enum outcome skip_mark(struct ptx_parser *parser, char mark)
{
	return ptx_is_mark(parser, mark) ? ptx_next(parser) : UNKNOWN_FORM;
}

/* [-] number, or a name */
static enum outcome read_element(struct ptx_parser *parser, struct element *element)
{
	element->negative = ptx_is_mark(parser, '-');
	if (element->negative)
		TRY(ptx_next(parser));
	if (parser->token.kind < PTX_WORD || parser->token.kind > PTX_DOUBLE_BITS)
		return UNKNOWN_FORM;
	element->token = parser->token;
	return ptx_next(parser);
}

/* { + number | - number | + - number } */
static enum outcome read_offset(struct ptx_parser *parser, int64_t *offset)
{
	uint64_t sum = 0;

	while (ptx_is_mark(parser, '+') || ptx_is_mark(parser, '-')) {
		bool negative = ptx_is_mark(parser, '-');

		TRY(ptx_next(parser));
		if (ptx_is_mark(parser, '-')) {
			negative = !negative;
			TRY(ptx_next(parser));
		}
		if (parser->token.kind != PTX_INTEGER)
			return UNKNOWN_FORM;
		sum += negative ? -parser->token.value : parser->token.value;
		TRY(ptx_next(parser));
	}
	*offset = (int64_t)sum;
	return OK;
}

/* {a, b} */
static enum outcome read_elements(struct ptx_parser *parser, struct operand *operand)
{
	do {
		TRY(ptx_next(parser));
		if (operand->count == PTX_OPERANDS)
			return UNKNOWN_FORM;
		TRY(read_element(parser, &operand->elements[operand->count++]));
	} while (ptx_is_mark(parser, ','));
	return skip_mark(parser, '}');
}

static enum outcome read_operand(struct ptx_parser *parser, struct operand *operand)
{
	*operand = (struct operand){.kind = OPERAND_NUMBER};
	if (ptx_is_mark(parser, '[')) {
		operand->kind = OPERAND_MEMORY;
		TRY(ptx_next(parser));
		TRY(read_element(parser, &operand->first));
		TRY(read_offset(parser, &operand->offset));
		if (ptx_is_mark(parser, ',')) {
			TRY(ptx_next(parser));
			if (!ptx_is_mark(parser, '{'))
				return UNKNOWN_FORM;
			TRY(read_elements(parser, operand));
		}
		return skip_mark(parser, ']');
	}
	if (ptx_is_mark(parser, '{')) {
		operand->kind = OPERAND_VECTOR;
		return read_elements(parser, operand);
	}
	operand->inverted = ptx_is_mark(parser, '!');
	if (operand->inverted)
		TRY(ptx_next(parser));
	TRY(read_element(parser, &operand->first));
	if (operand->first.token.kind != PTX_WORD)
		return OK;
	operand->kind = OPERAND_NAME;
	if (ptx_is_mark(parser, '|')) {
		TRY(ptx_next(parser));
		operand->has_second = true;
		operand->second = parser->token;
		return parser->token.kind == PTX_WORD ? ptx_next(parser) : UNKNOWN_FORM;
	}
	return read_offset(parser, &operand->offset);
}

enum outcome ptx_read_operands(struct statement *s)
{
	struct ptx_parser *parser = s->parser;

	if (ptx_is_mark(parser, ';'))
		return OK;
	for (;;) {
		if (s->count == PTX_OPERANDS)
			return UNKNOWN_FORM;
		TRY(read_operand(parser, &s->operands[s->count++]));
		if (!ptx_is_mark(parser, ','))
			return ptx_is_mark(parser, ';') ? OK : UNKNOWN_FORM;
		TRY(ptx_next(parser));
	}
}
