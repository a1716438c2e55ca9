/*
 * gpu/ptx/contract.c: sums of products that are rounded once.
 *
 * A mul and an add or sub that name no rounding may become one fma (PTX ISA, mul), and ptxas makes
 * one of them when all uses of the product are such sums in its basic block, with the same .ftz.
 * Of two products in a sum it takes the one that is used once, else the first.  (Seen in the code
 * that ptxas 13.0 makes for sm_90; it looks through mov and neg, too, which is not done here.)
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/ptx/decode.h"

#define IS_REGISTER(operand) ((operand) >> 30 == PTX_BANK_REGISTER) /* and its number then */

static int note(struct ptx_parser *parser, uint32_t **list, size_t *capacity, uint32_t *count,
		uint32_t value)
{
	if (ptx_grow((void **)list, capacity, *count, sizeof(**list), parser->error))
		return -1;
	(*list)[(*count)++] = value;
	return 0;
}

int ptx_note_read(struct ptx_parser *parser, uint32_t row)
{
	struct ptx_contract *contract = &parser->contract;

	return note(parser, &contract->reads, &contract->read_capacity, &contract->read_count, row);
}

int ptx_note_write(struct ptx_parser *parser, uint32_t row)
{
	struct ptx_contract *contract = &parser->contract;

	if (ptx_grow((void **)&contract->writes, &contract->write_capacity, contract->write_count,
		     sizeof(*contract->writes), parser->error))
		return -1;
	contract->writes[contract->write_count++] =
		(struct ptx_write){row, parser->module->code_count};
	return 0;
}

int ptx_note_label(struct ptx_parser *parser)
{
	struct ptx_contract *contract = &parser->contract;

	return note(parser, &contract->labels, &contract->label_capacity, &contract->label_count,
		    parser->module->code_count);
}

static bool is_named(const struct ptx_opcode *row, const char *name)
{
	return !strcmp(row->name, name);
}

int ptx_note_instruction(struct ptx_parser *parser, const struct ptx_opcode *row)
{
	struct ptx_contract *contract = &parser->contract;
	const uint32_t at = parser->module->code_count - 1;
	const struct ptx_instruction *i = &parser->module->code[at];
	const char kind = is_named(row, "mul") ? '*' : is_named(row, "add") ? '+' : '-';

	contract->tables |= is_named(row, "brx");
	if (is_named(row, "bra") && note(parser, &contract->branches, &contract->branch_capacity,
					 &contract->branch_count, at))
		return -1;
	if (is_named(row, "bra") || is_named(row, "brx") || is_named(row, "call") ||
	    is_named(row, "ret") || is_named(row, "exit"))
		return note(parser, &contract->starts, &contract->start_capacity,
			    &contract->start_count, at + 1);
	if ((i->type != PTX_F32 && i->type != PTX_F64) || i->rounding != PTX_MODIFIER_COUNT ||
	    (kind == '-' && !is_named(row, "sub")))
		return 0;
	if (ptx_grow((void **)&contract->sums, &contract->sum_capacity, contract->sum_count,
		     sizeof(*contract->sums), parser->error))
		return -1;
	contract->sums[contract->sum_count++] = (struct ptx_sum){.at = at, .kind = kind};
	return 0;
}

void ptx_contract_start(struct ptx_parser *parser)
{
	struct ptx_contract *contract = &parser->contract;

	contract->read_count = contract->write_count = contract->label_count = 0;
	contract->branch_count = contract->start_count = contract->sum_count = 0;
	contract->tables = false;
}

void ptx_contract_free(struct ptx_parser *parser)
{
	struct ptx_contract *contract = &parser->contract;

	free(contract->reads);
	free(contract->writes);
	free(contract->labels);
	free(contract->branches);
	free(contract->starts);
	free(contract->sums);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* What the pass knows of registers. */
struct rows {
	uint32_t *reads, *writes;
	uint32_t *product; /* index of the block's sum that made it + 1; 0: none */
	uint32_t *written; /* the last instruction of the block that did, until here; or 0 */
	uint32_t count;
	uint32_t next; /* index of the first write that is not seen yet */
};

static void see_writes(const struct ptx_contract *contract, struct rows *rows, uint32_t before)
{
	for (; rows->next < contract->write_count && contract->writes[rows->next].at < before;
	     rows->next++)
		if (contract->writes[rows->next].row < rows->count)
			rows->written[contract->writes[rows->next].row] =
				contract->writes[rows->next].at;
}

static bool is_written(const struct rows *rows, uint32_t operand, uint32_t after)
{
	return IS_REGISTER(operand) && (operand >= rows->count || rows->written[operand] > after);
}

/* The product that the sum can take from that operand; NULL: none. */
static struct ptx_sum *product_of(struct ptx_parser *parser, const struct rows *rows,
				  const struct ptx_sum *sum, uint32_t operand)
{
	struct ptx_contract *contract = &parser->contract;
	const struct ptx_instruction *code = parser->module->code, *to = &code[sum->at], *from;
	struct ptx_sum *product;

	if (!IS_REGISTER(operand) || to->a == to->b || operand >= rows->count ||
	    !rows->product[operand])
		return NULL;
	product = &contract->sums[rows->product[operand] - 1];
	from = &code[product->at];
	if (from->type != to->type || (from->flags ^ to->flags) & PTX_FLAG_FTZ ||
	    from->d == from->a || from->d == from->b || is_written(rows, from->a, product->at) ||
	    is_written(rows, from->b, product->at))
		return NULL;
	return product;
}

/* Forgets what was in the block, of which `first` is the first write. */
static void end_block(const struct ptx_contract *contract, struct rows *rows, uint32_t first)
{
	for (uint32_t n = first; n < rows->next; n++) {
		const uint32_t row = contract->writes[n].row;

		if (row < rows->count)
			rows->product[row] = rows->written[row] = 0;
	}
	rows->next = first;
}

static int contract_sum(struct ptx_parser *parser, struct ptx_instruction *i, char kind,
			const struct ptx_instruction *product, bool second)
{
	/* a * b + c, c - a * b, a * b - c */
	const char *text = kind == '+' ? "fma" : second ? "fma-product" : "fma-addend";
	char name[32];
	struct ptx_token token = {.kind = PTX_WORD, .text = name};
	struct ptx_decoded decoded;
	struct ptx_instruction made;

	token.length = (size_t)snprintf(
		name, sizeof(name), "%s.rn%s%s.%s", text, i->flags & PTX_FLAG_FTZ ? ".ftz" : "",
		i->flags & PTX_FLAG_SAT ? ".sat" : "", i->type == PTX_F32 ? "f32" : "f64");
	if (ptx_opcode_find(parser, &token, &decoded))
		return -1;
	if (!decoded.row)
		return 0;
	made = decoded.fields;
	made.guard = i->guard;
	made.d = i->d;
	made.q = i->q;
	made.a = product->a;
	made.b = product->b;
	made.c = second ? i->a : i->b;
	made.e = PTX_MISSING;
	*i = made;
	return 0;
}

/* Sums and products of one block, [first, end). */
static int contract_block(struct ptx_parser *parser, struct rows *rows, uint32_t first,
			  uint32_t end)
{
	struct ptx_contract *contract = &parser->contract;
	struct ptx_instruction *code = parser->module->code;
	uint32_t first_write;

	while (rows->next < contract->write_count &&
	       contract->writes[rows->next].at < contract->sums[first].at)
		rows->next++;
	first_write = rows->next;

	for (unsigned pass = 0; pass < 3; pass++) {
		for (uint32_t n = first; n < end; n++) {
			struct ptx_sum *sum = &contract->sums[n], *a, *b;
			struct ptx_instruction *i = &code[sum->at];

			see_writes(contract, rows, sum->at + (sum->kind == '*'));
			if (sum->kind == '*') {
				if (i->d >= rows->count || i->guard || i->flags & PTX_FLAG_SAT ||
				    rows->writes[i->d] != 1)
					continue;
				rows->product[i->d] = n + 1;
				sum->uses = rows->reads[i->d];
				continue;
			}
			a = product_of(parser, rows, sum, i->a);
			b = product_of(parser, rows, sum, i->b);
			if (pass == 0) { /* count them */
				if (a)
					a->sums++;
				if (b)
					b->sums++;
				continue;
			}
			a = a && a->uses == a->sums ? a : NULL;
			b = b && b->uses == b->sums ? b : NULL;
			if (pass == 1) { /* one of two stays a product, for all its sums */
				if (a && b)
					*(a->uses > 1 && b->uses == 1 ? &a->sums : &b->sums) = 0;
			} else if ((a || b) &&
				   contract_sum(parser, i, sum->kind, &code[(a ? a : b)->at], !a)) {
				return -1;
			}
		}
		end_block(contract, rows, first_write);
	}
	return 0;
}

/* Where blocks start: behind branches and at their targets; with tables of them, at all labels. */
static int find_blocks(struct ptx_parser *parser)
{
	struct ptx_contract *contract = &parser->contract;
	const struct ptx_instruction *code = parser->module->code;

	for (uint32_t n = 0; n < contract->branch_count; n++)
		if (note(parser, &contract->starts, &contract->start_capacity,
			 &contract->start_count, (uint32_t)code[contract->branches[n]].immediate))
			return -1;
	for (uint32_t n = 0; contract->tables && n < contract->label_count; n++)
		if (note(parser, &contract->starts, &contract->start_capacity,
			 &contract->start_count, contract->labels[n]))
			return -1;
	if (contract->start_count)
		qsort(contract->starts, contract->start_count, sizeof(*contract->starts),
		      by_number);
	return 0;
}

int ptx_contract(struct ptx_parser *parser, const struct ptx_function *function)
{
	struct ptx_contract *contract = &parser->contract;
	struct rows rows = {.count = function->registers + 1};
	uint32_t start = 0;
	int result = -1;

	if (!contract->sum_count)
		return 0;
	rows.reads = calloc(4 * (size_t)rows.count, sizeof(*rows.reads));
	if (!rows.reads)
		return ptx_out_of_memory(parser);
	rows.writes = rows.reads + rows.count;
	rows.product = rows.writes + rows.count;
	rows.written = rows.product + rows.count;
	for (uint32_t n = 0; n < contract->read_count; n++)
		if (contract->reads[n] < rows.count)
			rows.reads[contract->reads[n]]++;
	for (uint32_t n = 0; n < contract->write_count; n++)
		if (contract->writes[n].row < rows.count)
			rows.writes[contract->writes[n].row]++;
	if (find_blocks(parser))
		goto done;
	for (uint32_t first = 0, end; first < contract->sum_count; first = end) {
		uint32_t limit = UINT32_MAX;

		while (start < contract->start_count &&
		       contract->starts[start] <= contract->sums[first].at)
			start++;
		if (start < contract->start_count)
			limit = contract->starts[start];
		for (end = first; end < contract->sum_count && contract->sums[end].at < limit;)
			end++;
		if (contract_block(parser, &rows, first, end))
			goto done;
	}
	result = 0;
done:
	free(rows.reads);
	ptx_contract_start(parser);
	return result;
}
