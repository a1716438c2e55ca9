/* gpu/ptx/value_types.c: see value_types.h. */
#include "gpu/ptx/value_types.h"

#include <stdlib.h>
#include <string.h>

/* What instructions say of a register. */
enum evidence {
	IS_INTEGER = 1,
	IS_SIGNED = 2,
	IS_UNSIGNED = 4,
	IS_F16 = 8, /* or two of them */
	IS_BF16 = 16,
	IS_F32 = 32,
	IS_F64 = 64,
};
#define FLOATS (IS_F16 | IS_BF16 | IS_F32 | IS_F64)

/* Registers that hold the same value somewhere are one set; its root has the evidence. */
struct ptx_value_types {
	uint32_t count;
	uint32_t *parents; /* by register; a root's is itself */
	uint8_t *evidence;
};

static uint32_t root_of(const struct ptx_value_types *types, uint32_t at)
{
	while (types->parents[at] != at) {
		types->parents[at] = types->parents[types->parents[at]];
		at = types->parents[at];
	}
	return at;
}

/* Its number; UINT32_MAX: the operand is no register. */
static uint32_t number_of(const struct ptx_value_types *types, uint32_t operand)
{
	const uint32_t number = operand & 0x3fffffff;

	return operand >> 30 == PTX_BANK_REGISTER && number < types->count ? number : UINT32_MAX;
}

static void say(struct ptx_value_types *types, uint32_t operand, unsigned evidence)
{
	const uint32_t number = number_of(types, operand);

	if (number != UINT32_MAX)
		types->evidence[root_of(types, number)] |= (uint8_t)evidence;
}

static void unite(struct ptx_value_types *types, uint32_t left, uint32_t right)
{
	uint32_t a = number_of(types, left), b = number_of(types, right);

	if (a == UINT32_MAX || b == UINT32_MAX)
		return;
	a = root_of(types, a);
	b = root_of(types, b);
	types->parents[b] = a;
	types->evidence[a] |= types->evidence[b];
}

/* -- what an instruction says -------------------------------------------------------------- */

/* `sign`: the instruction does something else with signed values than with unsigned ones. */
static unsigned evidence_of(enum ptx_type type, bool sign)
{
	switch (type) {
	case PTX_F16:
	case PTX_F16X2:
		return IS_F16;
	case PTX_BF16:
	case PTX_BF16X2:
		return IS_BF16;
	case PTX_F32:
	case PTX_TF32:
		return IS_F32;
	case PTX_F64:
		return IS_F64;
	case PTX_S8:
	case PTX_S16:
	case PTX_S32:
	case PTX_S64:
		return IS_INTEGER | (sign ? IS_SIGNED : 0);
	case PTX_U8:
	case PTX_U16:
	case PTX_U32:
	case PTX_U64:
		return IS_INTEGER | (sign ? IS_UNSIGNED : 0);
	default:
		return 0;
	}
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static bool minds_sign(const struct ptx_opcode *row)
{
	static const char *const names[] = {"setp", "set", "slct", "min", "max", "div", "rem",
					    "shr",  "cvt", "abs",  "sad", "bfe", NULL};

	return is_one_of(row->name, names) || row->required & (PTX_M(WIDE) | PTX_M(HI));
}

/* Instructions that move values and say nothing of them, but for their type if that is a float. */
static bool moves(const struct ptx_opcode *row)
{
	static const char *const names[] = {"mov", "selp", "shfl", "ld", "ldu", "st", NULL};

	return is_one_of(row->name, names);
}

static const struct ptx_opcode *row_of(const struct ptx_machine *machine,
				       const struct ptx_instruction *i)
{
	for (const struct ptx_opcode *const *section = machine->opcodes; *section; section++)
		for (const struct ptx_opcode *row = *section; row->name; row++)
			if (row->execute == i->execute &&
			    (!row->types || row->types >> i->type & 1) &&
			    (!row->second || row->second >> i->second & 1))
				return row;
	return NULL;
}

static void say_parts(struct ptx_value_types *types, const struct ptx_module *module,
		      const struct ptx_instruction *i, uint32_t whole)
{
	for (unsigned n = 0; n < i->vector && i->extra + n < module->extra_count; n++)
		unite(types, whole, module->extras[i->extra + n]);
}

static void take(struct ptx_value_types *types, const struct ptx_machine *machine,
		 const struct ptx_module *module, const struct ptx_instruction *i)
{
	const uint32_t sources[] = {i->a, i->b, i->c, i->e};
	const struct ptx_opcode *row;
	unsigned n = 0;

	if (i->execute == machine->mov_pack) {
		say_parts(types, module, i, i->d);
		return;
	}
	if (i->execute == machine->mov_unpack) {
		say_parts(types, module, i, i->a);
		return;
	}
	row = row_of(machine, i);
	/* shapes of other letters, or several: matrices, textures, calls */
	if (!row || strpbrk(row->shape, "/CBWVKXhGnQoN"))
		return;
	if (*row->shape == 'M' || moves(row)) {
		const bool selects = !strcmp(row->name, "selp");

		if (*row->shape == 'M' || selects || !strcmp(row->name, "shfl")) {
			unite(types, i->d, i->a);
			if (selects)
				unite(types, i->d, i->b);
			say(types, i->d, evidence_of(i->type, false) & FLOATS);
		}
		if (strchr(row->shape, 'm'))
			say(types, i->a, IS_INTEGER | IS_UNSIGNED);
		return;
	}
	for (const char *letter = row->shape; *letter; letter++) {
		switch (*letter) {
		case '?':
			break;
		case 'd':
		case 'e':
			say(types, i->d, evidence_of(i->type, false));
			break;
		case 'p':
		case 'P':
		case 'D':
		case 'U':
		case 'Z':
			break;
		case 'm':
			say(types, sources[n++ & 3], IS_INTEGER | IS_UNSIGNED);
			break;
		case 's':
			say(types, sources[n++ & 3], evidence_of(i->type, minds_sign(row)));
			break;
		case 't':
			say(types, sources[n++ & 3], evidence_of(i->second, minds_sign(row)));
			break;
		default:
			n++;
		}
	}
}

/* -- types --------------------------------------------------------------------------------- */

struct ptx_value_types *ptx_value_types_of(const struct ptx_machine *machine,
					   const struct ptx_module *module,
					   const struct ptx_function *function)
{
	struct ptx_value_types *types = calloc(1, sizeof(*types));

	if (!types)
		return NULL;
	types->count = function->registers;
	types->parents = calloc(types->count + 1u, sizeof(*types->parents));
	types->evidence = calloc(types->count + 1u, sizeof(*types->evidence));
	if (!types->parents || !types->evidence) {
		ptx_value_types_free(types);
		return NULL;
	}
	for (uint32_t n = 0; n < types->count; n++)
		types->parents[n] = n;
	for (uint32_t at = function->entry; at < function->end && at < module->code_count; at++)
		take(types, machine, module, &module->code[at]);
	return types;
}

void ptx_value_types_free(struct ptx_value_types *types)
{
	if (!types)
		return;
	free(types->parents);
	free(types->evidence);
	free(types);
}

/* The float type that all say who say one, if it may be of that size; GPU_VALUE_TYPES: none. */
static enum gpu_value_type float_of(unsigned evidence, unsigned size)
{
	switch (evidence & FLOATS) {
	case IS_F16:
		return size == 2 || size == 4 ? GPU_VALUE_F16 : GPU_VALUE_TYPES;
	case IS_BF16:
		return size == 2 || size == 4 ? GPU_VALUE_BF16 : GPU_VALUE_TYPES;
	case IS_F32:
		return size == 4 ? GPU_VALUE_F32 : GPU_VALUE_TYPES;
	case IS_F64:
		return size == 8 ? GPU_VALUE_F64 : GPU_VALUE_TYPES;
	default:
		return GPU_VALUE_TYPES;
	}
}

static unsigned log_of(unsigned size)
{
	return size >= 8 ? 3 : size >= 4 ? 2 : size >= 2 ? 1 : 0;
}

enum gpu_value_type ptx_value_type(const struct ptx_value_types *types, enum ptx_type type,
				   uint32_t operand)
{
	const uint32_t number = number_of(types, operand);
	const unsigned declared = evidence_of(type, true), size = ptx_type_size(type);
	unsigned said = number == UINT32_MAX ? 0 : types->evidence[root_of(types, number)];
	enum gpu_value_type found = float_of(declared, size);
	bool sign;

	if (found == GPU_VALUE_TYPES)
		found = float_of(said, size);
	/* integers are used as bits of a float, too, and floats as those of an integer */
	if (found != GPU_VALUE_TYPES && (declared & FLOATS || !(said & (IS_SIGNED | IS_UNSIGNED))))
		return found;
	/* a constant is what the access says */
	if (number == UINT32_MAX && operand >> 30 == PTX_BANK_CONSTANT)
		said = declared & IS_INTEGER;
	if (!(said & IS_INTEGER) || said & FLOATS)
		return (enum gpu_value_type)(GPU_VALUE_RAW8 + log_of(size));
	/* whose sign nobody minds: signed from 32 bits on, as for machine code */
	sign = said & IS_SIGNED ? !(said & IS_UNSIGNED) || declared & IS_SIGNED
				: !(said & IS_UNSIGNED) && size >= 4;
	if (size < 4 && declared & IS_SIGNED)
		sign = true;
	return (enum gpu_value_type)((sign ? GPU_VALUE_S8 : GPU_VALUE_U8) + log_of(size));
}
