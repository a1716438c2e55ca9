/*
 * gpu/ptx/opcode.c: the text of an opcode ("ld.global.nc.v2.f32") to its row in the table.
 *
 * A text is taken apart once; a module of a million instructions has a few hundred texts.
 */
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/ptx/parser.h"

#define KNOWN_LIMIT 4096u /* cached opcodes: a hostile module may have a million different ones */

struct ptx_known_opcode {
	struct ptx_decoded decoded;
	UT_hash_handle hh;
	size_t length;
	char text[];
};

static const struct {
	const char *name;
	uint8_t size;
} types[] = {
	[PTX_B8] = {"b8", 1},         [PTX_U8] = {"u8", 1},         [PTX_S8] = {"s8", 1},
	[PTX_B16] = {"b16", 2},       [PTX_U16] = {"u16", 2},       [PTX_S16] = {"s16", 2},
	[PTX_F16] = {"f16", 2},       [PTX_BF16] = {"bf16", 2},     [PTX_B32] = {"b32", 4},
	[PTX_U32] = {"u32", 4},       [PTX_S32] = {"s32", 4},       [PTX_F32] = {"f32", 4},
	[PTX_F16X2] = {"f16x2", 4},   [PTX_BF16X2] = {"bf16x2", 4}, [PTX_TF32] = {"tf32", 4},
	[PTX_B64] = {"b64", 8},       [PTX_U64] = {"u64", 8},       [PTX_S64] = {"s64", 8},
	[PTX_F64] = {"f64", 8},       [PTX_B128] = {"b128", 16},    [PTX_PRED] = {"pred", 0},
	[PTX_U16X2] = {"u16x2", 4},   [PTX_S16X2] = {"s16x2", 4},   [PTX_E4M3X2] = {"e4m3x2", 2},
	[PTX_E5M2X2] = {"e5m2x2", 2},
};

unsigned ptx_type_size(enum ptx_type type)
{
	return type < PTX_NO_TYPE ? types[type].size : 0;
}

static bool equals(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

enum ptx_type ptx_type_named(const char *text, size_t length)
{
	for (unsigned i = 0; i < PTX_NO_TYPE; i++)
		if (equals(text, length, types[i].name))
			return i;
	return PTX_NO_TYPE;
}

static enum ptx_modifier modifier_named(const char *text, size_t length)
{
	static const char *const words[] = {
#define PTX_MODIFIER(name, text) [PTX_MOD_##name] = text,
		PTX_MODIFIERS(PTX_MODIFIER)
#undef PTX_MODIFIER
	};

	for (unsigned i = 0; i < PTX_MODIFIER_COUNT; i++)
		if (equals(text, length, words[i]))
			return i;
	/* one block is its own cluster here */
	if (equals(text, length, "shared::cta") || equals(text, length, "shared::cluster"))
		return PTX_MOD_SHARED;
	if (equals(text, length, "param::entry") || equals(text, length, "param::func"))
		return PTX_MOD_PARAM;
	/* performance hints, which change no result */
	if (length > 4 && text[0] == 'L' && text[2] == ':')
		return PTX_MOD_HINT;
	return PTX_MODIFIER_COUNT;
}

static const struct ptx_opcode *row_of(const struct ptx_machine *machine, const char *name,
				       size_t length, ptx_modifiers modifiers, uint32_t first,
				       uint32_t second)
{
	for (const struct ptx_opcode *const *section = machine->opcodes; *section; section++)
		for (const struct ptx_opcode *row = *section; row->name; row++)
			if (equals(name, length, row->name) &&
			    (row->types ? (row->types & first) != 0 : !first) &&
			    (row->second ? (row->second & second) != 0 : !second) &&
			    (modifiers & row->required) == row->required &&
			    !(modifiers & ~(row->required | row->allowed)))
				return row;
	return NULL;
}

/* The row of an opcode whose words its own decoder reads. */
static const struct ptx_opcode *row_of_own_words(const struct ptx_machine *machine,
						 const char *name, size_t length)
{
	for (const struct ptx_opcode *const *section = machine->opcodes; *section; section++)
		for (const struct ptx_opcode *row = *section; row->name; row++)
			if ((*row->shape == 'W' || *row->shape == 'V' || *row->shape == 'K') &&
			    equals(name, length, row->name))
				return row;
	return NULL;
}

/* The fields that executors read, from the words. */
static void set_field(struct ptx_instruction *fields, enum ptx_modifier modifier)
{
	switch (modifier) {
	case PTX_MOD_FTZ:
		fields->flags |= PTX_FLAG_FTZ;
		break;
	case PTX_MOD_SAT:
		fields->flags |= PTX_FLAG_SAT;
		break;
	case PTX_MOD_SATFINITE:
		fields->flags |= PTX_FLAG_SATFINITE;
		break;
	case PTX_MOD_CACHE_HINT:
		fields->flags |= PTX_FLAG_CACHE_HINT;
		break;
	case PTX_MOD_RELU:
		fields->flags |= PTX_FLAG_RELU;
		break;
	case PTX_MOD_GLOBAL:
	case PTX_MOD_SHARED:
	case PTX_MOD_LOCAL:
	case PTX_MOD_PARAM:
	case PTX_MOD_CONST:
		fields->space = modifier;
		break;
	case PTX_MOD_V2:
		fields->vector = 2;
		break;
	case PTX_MOD_V4:
		fields->vector = 4;
		break;
	case PTX_MOD_V8:
		fields->vector = 8;
		break;
	case PTX_MOD_VOLATILE ... PTX_MOD_ACQ_REL: /* of memory operations, which do not round */
	case PTX_MOD_RN ... PTX_MOD_RPI:
		fields->rounding = modifier;
		break;
	case PTX_MOD_EQ ... PTX_MOD_ISNAN:
	case PTX_MOD_FINITE ... PTX_MOD_SUBNORMAL:
	case PTX_MOD_HI:
	case PTX_MOD_LO:
		fields->compare = modifier;
		break;
	case PTX_MOD_CLAMP:
	case PTX_MOD_TRAP:
	case PTX_MOD_ZERO:
	case PTX_MOD_AND ... PTX_MOD_CAS:
	case PTX_MOD_ALL ... PTX_MOD_IDX:
		fields->boolean = modifier;
		break;
	default:
		break;
	}
}

static bool starts_with(const char *text, size_t length, const char *word)
{
	return length >= strlen(word) && !memcmp(text, word, strlen(word));
}

/* Whether the instruction lets a block see what other blocks have done by now. */
static bool observes_order(const char *text, size_t length, ptx_modifiers words,
			   enum ptx_modifier space)
{
	const ptx_modifiers orders = PTX_M(VOLATILE) | PTX_M(MMIO) | PTX_M(RELAXED) |
				     PTX_M(ACQUIRE) | PTX_M(RELEASE) | PTX_M(ACQ_REL) | PTX_M(SC) |
				     PTX_M(CV);
	const bool within = space == PTX_MOD_SHARED || space == PTX_MOD_LOCAL ||
			    (words & (PTX_M(CTA) | PTX_M(CLUSTER))) != 0;

	if (starts_with(text, length, "atom") || starts_with(text, length, "red."))
		return space != PTX_MOD_SHARED;
	if (starts_with(text, length, "ld.") || starts_with(text, length, "st."))
		return (words & orders) && !within;
	if (starts_with(text, length, "membar") || starts_with(text, length, "fence"))
		return !within;
	return starts_with(text, length, "cp.reduce") || starts_with(text, length, "multimem") ||
	       starts_with(text, length, "sured");
}

/* The mnemonic of a text: up to the first dot, or the longest name with dots that it starts with.
 */
static size_t mnemonic_length(const struct ptx_machine *machine, const char *text, size_t length)
{
	const char *dot = memchr(text, '.', length);
	size_t longest = dot ? (size_t)(dot - text) : length;

	for (const struct ptx_opcode *const *section = machine->opcodes; *section; section++)
		for (const struct ptx_opcode *row = *section; row->name; row++) {
			size_t size = strlen(row->name);

			if (size > longest && size <= length && !memcmp(text, row->name, size) &&
			    (size == length || text[size] == '.'))
				longest = size;
		}
	return longest;
}

static void take_apart(const struct ptx_machine *machine, const char *text, size_t length,
		       struct ptx_decoded *decoded)
{
	const size_t base = mnemonic_length(machine, text, length);
	const char *end = text + length, *word, *stop = base < length ? text + base : NULL;
	ptx_modifiers modifiers = 0;
	enum ptx_type found[2] = {PTX_NO_TYPE, PTX_NO_TYPE};
	unsigned count = 0;

	*decoded = (struct ptx_decoded){.fields = {.space = PTX_MODIFIER_COUNT,
						   .vector = 1,
						   .compare = PTX_MODIFIER_COUNT,
						   .boolean = PTX_MODIFIER_COUNT,
						   .rounding = PTX_MODIFIER_COUNT}};
	decoded->row = row_of_own_words(machine, text, base);
	for (; stop && !decoded->row; stop = memchr(word, '.', end - word)) {
		const char *next;
		enum ptx_modifier modifier;
		enum ptx_type type;
		size_t size;

		word = stop + 1;
		next = memchr(word, '.', end - word);
		size = next ? (size_t)(next - word) : (size_t)(end - word);
		type = ptx_type_named(word, size);
		if (type != PTX_NO_TYPE) {
			if (count == 2)
				return;
			found[count++] = type;
			continue;
		}
		modifier = modifier_named(word, size);
		if (modifier == PTX_MODIFIER_COUNT)
			return;
		modifiers |= (ptx_modifiers)1 << modifier;
		set_field(&decoded->fields, modifier);
	}
	decoded->fields.type = found[0];
	decoded->fields.second = found[1];
	if (!decoded->row)
		decoded->row =
			row_of(machine, text, base, modifiers, count > 0 ? 1u << found[0] : 0,
			       count > 1 ? 1u << found[1] : 0);
	if (decoded->row)
		decoded->fields.execute = decoded->row->execute;
	decoded->observes_order = observes_order(text, length, modifiers, decoded->fields.space);
}

int ptx_opcode_find(struct ptx_parser *parser, const struct ptx_token *name,
		    struct ptx_decoded *decoded)
{
	struct ptx_known_opcode *known;

	HASH_FIND(hh, parser->known, name->text, name->length, known);
	if (known) {
		*decoded = known->decoded;
		return 0;
	}
	take_apart(parser->machine, name->text, name->length, decoded);
	if (parser->known_count == KNOWN_LIMIT || name->length > 256)
		return 0;
	known = malloc(sizeof(*known) + name->length);
	if (!known)
		return ptx_out_of_memory(parser);
	known->decoded = *decoded;
	known->length = name->length;
	memcpy(known->text, name->text, name->length);
	HASH_ADD_KEYPTR(hh, parser->known, known->text, known->length, known);
	if (!known->hh.tbl) {
		free(known);
		return ptx_out_of_memory(parser);
	}
	parser->known_count++;
	return 0;
}

void ptx_opcodes_free(struct ptx_parser *parser)
{
	struct ptx_known_opcode *known, *next;

	HASH_ITER(hh, parser->known, known, next)
	{
		HASH_DEL(parser->known, known);
		free(known);
	}
}
