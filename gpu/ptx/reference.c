/* gpu/ptx/reference.c: names and numbers of a statement as rows of the banks. */
#include "gpu/ptx/decode.h"

static bool is_sink(const struct ptx_token *token)
{
	return ptx_token_is(token, "_");
}

enum outcome ptx_name(struct statement *s, const struct ptx_token *name,
		      struct ptx_meaning *meaning)
{
	if (ptx_lookup(s->parser, name, meaning))
		return OK;
	if (memchr(name->text + 1, '.', name->length - 1))
		return UNKNOWN_FORM; /* an element of a vector register */
	error_set(s->parser->error, "line %u: '%.*s' is not declared", name->line,
		  (int)(name->length > 200 ? 200 : name->length), name->text);
	return FAILED;
}

/* Special registers that do not change while a warp runs, and %clock and the like. */
enum ptx_special ptx_special_named(const struct ptx_token *token)
{
	/* clang-format off */
	static const struct {
		const char *name;
		enum ptx_special special;
	} names[] = {
		{"%tid.x", PTX_TID_X}, {"%tid.y", PTX_TID_Y}, {"%tid.z", PTX_TID_Z},
		{"%ntid.x", PTX_NTID_X}, {"%ntid.y", PTX_NTID_Y}, {"%ntid.z", PTX_NTID_Z},
		{"%ctaid.x", PTX_CTAID_X}, {"%ctaid.y", PTX_CTAID_Y}, {"%ctaid.z", PTX_CTAID_Z},
		{"%nctaid.x", PTX_NCTAID_X}, {"%nctaid.y", PTX_NCTAID_Y},
		{"%nctaid.z", PTX_NCTAID_Z}, {"%laneid", PTX_LANEID}, {"%warpid", PTX_WARPID},
		{"%nwarpid", PTX_NWARPID}, {"%lanemask_eq", PTX_LANEMASK_EQ},
		{"%lanemask_le", PTX_LANEMASK_LE}, {"%lanemask_lt", PTX_LANEMASK_LT},
		{"%lanemask_ge", PTX_LANEMASK_GE}, {"%lanemask_gt", PTX_LANEMASK_GT},
		{"%dynamic_smem_size", PTX_DYNAMIC_SHARED}, {"%total_smem_size", PTX_TOTAL_SHARED},
		{"%smid", PTX_ZERO}, {"%nsmid", PTX_ONE}, {"%gridid", PTX_ONE}, {"WARP_SZ", PTX_SPECIAL_COUNT},
		{"%clusterid.x", PTX_CLUSTERID_X}, {"%clusterid.y", PTX_CLUSTERID_Y},
		{"%clusterid.z", PTX_CLUSTERID_Z}, {"%nclusterid.x", PTX_NCLUSTERID_X},
		{"%nclusterid.y", PTX_NCLUSTERID_Y}, {"%nclusterid.z", PTX_NCLUSTERID_Z},
		{"%cluster_ctaid.x", PTX_CLUSTER_CTAID_X}, {"%cluster_ctaid.y", PTX_CLUSTER_CTAID_Y},
		{"%cluster_ctaid.z", PTX_CLUSTER_CTAID_Z}, {"%cluster_nctaid.x", PTX_CLUSTER_NCTAID_X},
		{"%cluster_nctaid.y", PTX_CLUSTER_NCTAID_Y}, {"%cluster_nctaid.z", PTX_CLUSTER_NCTAID_Z},
		{"%cluster_ctarank", PTX_CLUSTER_RANK}, {"%cluster_nctarank", PTX_CLUSTER_SIZE},
		{"%aggr_smem_size", PTX_TOTAL_SHARED}, {"%current_graph_exec", PTX_ZERO},
		{"%reserved_smem_offset_0", PTX_RESERVED_SHARED_0},
		{"%reserved_smem_offset_1", PTX_RESERVED_SHARED_1},
		{"%reserved_smem_offset_begin", PTX_RESERVED_SHARED_0},
		/* where the grid's barrier is */
		{"%envreg1", PTX_WORKSPACE_HIGH}, {"%envreg2", PTX_WORKSPACE_LOW},
		{"%clock", PTX_CLOCK}, {"%clock64", PTX_CLOCK}, {"%clock_hi", PTX_ZERO},
		{"%globaltimer", PTX_CLOCK}, {"%globaltimer_lo", PTX_CLOCK},
		{"%globaltimer_hi", PTX_ZERO},
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (ptx_token_is(token, names[i].name))
			return names[i].special;
	if ((token->length > 7 && !memcmp(token->text, "%envreg", 7)) ||
	    (token->length > 3 && !memcmp(token->text, "%pm", 3)))
		return PTX_ZERO;
	return PTX_SPECIAL_COUNT;
}

/* The bits of a number as a value of that type. */
static enum outcome number_bits(const struct element *element, enum ptx_type type, uint64_t *bits)
{
	enum ptx_token_kind kind = element->token.kind;
	uint64_t value = element->token.value;
	unsigned size = ptx_type_size(type);

	if (kind == PTX_INTEGER && (type == PTX_F32 || type == PTX_F64)) {
		double number = element->negative ? -(double)value : (double)value;
		float single = (float)number;

		value = 0;
		if (type == PTX_F64)
			memcpy(&value, &number, 8);
		else
			memcpy(&value, &single, 4);
	} else if (kind == PTX_INTEGER) {
		value = element->negative ? -value : value;
	} else {
		float single;
		double number;

		if (kind == PTX_FLOAT_BITS) {
			memcpy(&single, &value, 4);
			number = single;
		} else {
			memcpy(&number, &value, 8);
			single = (float)number;
		}
		if (size == 8 && kind == PTX_FLOAT_BITS)
			memcpy(&value, &number, 8);
		else if (size == 4 && kind == PTX_DOUBLE_BITS)
			value = 0, memcpy(&value, &single, 4);
		else if (size < 4)
			return UNKNOWN_FORM;
		if (element->negative)
			value ^= size == 8 ? 1ull << 63 : 1ull << 31;
	}
	*bits = size && size < 8 ? value & ((1ull << size * 8) - 1) : value;
	return OK;
}

/* A value of that type: a register, an immediate, an address, a special register. */
enum outcome ptx_source(struct statement *s, const struct element *element, int64_t offset,
			enum ptx_type type, uint32_t *ref)
{
	struct ptx_parser *parser = s->parser;
	struct ptx_meaning meaning;
	enum ptx_special special;
	uint32_t number;
	uint64_t bits;

	if (element->token.kind != PTX_WORD) {
		TRY(number_bits(element, type, &bits));
		return ptx_constant(parser, bits, ref) ? FAILED : OK;
	}
	if (element->negative)
		return UNKNOWN_FORM;
	special = ptx_special_named(&element->token);
	if (special < PTX_CLOCK) {
		if (special == PTX_RESERVED_SHARED_0 || special == PTX_RESERVED_SHARED_1)
			parser->module->reserved_shared = true;
		*ref = PTX_OPERAND(PTX_BANK_SPECIAL, special);
		return OK;
	}
	if (ptx_token_is(&element->token, "WARP_SZ"))
		return ptx_constant(parser, PTX_LANES, ref) ? FAILED : OK;
	if (special == PTX_CLOCK || is_sink(&element->token))
		return UNKNOWN_FORM;
	TRY(ptx_name(s, &element->token, &meaning));
	switch (meaning.kind) {
	case PTX_SYMBOL_REGISTER:
		*ref = PTX_OPERAND(PTX_BANK_REGISTER, meaning.base);
		if (ptx_note_read(parser, meaning.base))
			return FAILED;
		return offset ? UNKNOWN_FORM : OK;
	case PTX_SYMBOL_VARIABLE:
		return ptx_constant_address(parser, meaning.base, offset, ref) ? FAILED : OK;
	case PTX_SYMBOL_DYNAMIC_SHARED:
		return ptx_constant_address(parser, PTX_PATCH_DYNAMIC_SHARED, offset, ref) ? FAILED
											   : OK;
	case PTX_SYMBOL_MODULE_SHARED:
		return ptx_shared_use(parser, meaning.base) ||
				       ptx_constant_address(parser, PTX_PATCH_SHARED + meaning.base,
							    offset, ref)
			       ? FAILED
			       : OK;
	case PTX_SYMBOL_SHARED:
		return ptx_constant(parser, meaning.base + offset, ref) ? FAILED : OK;
	case PTX_SYMBOL_PARAMETER:
		return ptx_constant(parser, PTX_WINDOW_PARAM + meaning.base + offset, ref) ? FAILED
											   : OK;
	case PTX_SYMBOL_KERNEL:
		if (ptx_kernel_number(parser, &element->token, &number))
			return FAILED;
		return ptx_constant(parser,
				    PTX_WINDOW_KERNEL + (uint64_t)number * PTX_FUNCTION_STRIDE, ref)
			       ? FAILED
			       : OK;
	case PTX_SYMBOL_FUNCTION:
		return ptx_constant(parser,
				    PTX_WINDOW_FUNCTION +
					    (uint64_t)(meaning.base + 1) * PTX_FUNCTION_STRIDE,
				    ref)
			       ? FAILED
			       : OK;
	default:
		return UNKNOWN_FORM;
	}
}

enum outcome ptx_destination(struct statement *s, const struct element *element, uint32_t *ref)
{
	struct ptx_meaning meaning;

	if (element->token.kind != PTX_WORD || element->negative)
		return UNKNOWN_FORM;
	if (is_sink(&element->token)) {
		*ref = PTX_OPERAND(PTX_BANK_SINK, 0);
		return OK;
	}
	TRY(ptx_name(s, &element->token, &meaning));
	*ref = PTX_OPERAND(PTX_BANK_REGISTER, meaning.base);
	if (meaning.kind != PTX_SYMBOL_REGISTER)
		return UNKNOWN_FORM;
	return ptx_note_write(s->parser, meaning.base) ? FAILED : OK;
}

/* A predicate; `_` is a predicate of the frame that is never read. */
enum outcome ptx_predicate(struct statement *s, const struct ptx_token *token, uint32_t *ref)
{
	struct ptx_meaning meaning;

	if (token->kind != PTX_WORD)
		return UNKNOWN_FORM;
	if (is_sink(token)) {
		*ref = PTX_PREDICATE_SINK;
		return OK;
	}
	TRY(ptx_name(s, token, &meaning));
	*ref = meaning.base;
	return meaning.kind == PTX_SYMBOL_PREDICATE ? OK : UNKNOWN_FORM;
}

enum outcome ptx_predicate_source(struct statement *s, const struct operand *operand, uint32_t *ref)
{
	if (operand->kind == OPERAND_NUMBER && operand->first.token.kind == PTX_INTEGER)
		*ref = operand->first.token.value ? PTX_PREDICATE_TRUE : PTX_PREDICATE_FALSE;
	else if (operand->first.negative)
		return UNKNOWN_FORM;
	else
		TRY(ptx_predicate(s, &operand->first.token, ref));
	if (operand->inverted)
		*ref |= PTX_NEGATED;
	return OK;
}
