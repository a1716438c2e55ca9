/*
 * gpu/sass/listing.h: machine code as `nvdisasm -c -hex -plr -lrm narrow` prints it (sm_70 and
 * later).
 *
 * Instructions come with their operands, with what the control bits of their encoding say, and with
 * the registers that they read and write: those are nvdisasm's own columns (-plr), so that opcodes
 * that nothing here knows have them, too.  The text is hostile: what cannot be read is counted.
 */
#ifndef VFLOW_GPU_SASS_LISTING_H
#define VFLOW_GPU_SASS_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define SASS_ZERO 255 /* number of RZ and URZ */
#define SASS_TRUE 7   /* number of PT and UPT */
#define SASS_NONE UINT32_MAX
#define SASS_NO_BARRIER 7
#define SASS_BARRIERS 6
#define SASS_MAX_OPERANDS 16

enum sass_kind {
	SASS_OTHER, /* special registers, barriers, shapes of textures, ...: only text */
	SASS_REGISTER,
	SASS_UNIFORM_REGISTER,
	SASS_PREDICATE,
	SASS_UNIFORM_PREDICATE,
	SASS_CONSTANT,  /* c[bank][register + value] */
	SASS_IMMEDIATE, /* an integer */
	SASS_FLOAT,     /* a number with a point, an exponent, INF or QNAN */
	SASS_ADDRESS,   /* desc[descriptor][register + uniform + value] */
	SASS_LABEL,     /* its name is the text */
};

struct sass_operand {
	const char *text; /* all of it; a label's without what is around it */
	int64_t value;    /* of immediates; displacement of addresses and constants */
	enum sass_kind kind;
	uint32_t bank;   /* of constants; SASS_NONE: a uniform register names it (cx[UR4][..]) */
	uint8_t number;  /* of the register or predicate; of addresses SASS_ZERO if there is none */
	uint8_t uniform; /* of addresses: the uniform register that is added, or SASS_ZERO */
	uint8_t descriptor; /* of addresses: the uniform register, or SASS_ZERO */
	bool wide;          /* .64, of the register */
	bool negative, absolute, inverted /* ! or ~ */, reuse;
};

/* Numbers of registers in lists: general ones, then uniform ones, then predicates. */
#define SASS_GENERAL(number) (number)
#define SASS_UNIFORM(number) (256 + (number))
#define SASS_PREDICATE_OF(number) (512 + (number))
#define SASS_UNIFORM_PREDICATE_OF(number) (520 + (number))
#define SASS_REGISTERS 528

struct sass_control {
	uint8_t stall;         /* cycles until the next instruction may issue */
	bool yield;            /* the bit as it is */
	uint8_t write_barrier; /* is free when the results are there; SASS_NO_BARRIER: none */
	uint8_t read_barrier;  /* is free when the operands have been read */
	uint8_t wait;          /* a bit for each barrier that must be free before it issues */
	uint8_t reuse;         /* a bit for each operand */
};

struct sass_instruction {
	uint64_t code[2];
	const char *opcode; /* with modifiers: "IMAD.WIDE.U32"; "?": the line could not be read */
	const struct sass_operand *operands;
	const uint16_t *written, *read; /* registers, see above */
	const uint32_t *targets;        /* where it may go: instructions of the function */
	uint32_t offset;                /* bytes, from the start of the section */
	uint16_t written_count, read_count;
	uint32_t target_count;
	uint8_t operand_count;
	struct sass_control control;
	uint8_t guard; /* the predicate; SASS_TRUE: always executed, if not negated */
	bool guard_negated, guard_uniform;
};

/* A place with a name: a branch's target, or (no "." in front) a function. */
struct sass_label {
	const char *name;
	uint32_t instruction; /* the one that follows; may be the number of all of them */
};

/* A section of code: a function, maybe with others after it that only this one calls. */
struct sass_function {
	const char *name; /* mangled */
	struct sass_instruction *instructions;
	struct sass_label *labels; /* by name */
	uint32_t instruction_count, label_count;
	bool has_registers; /* `written` and `read` are known */
};

struct sass_listing {
	struct sass_function *functions;
	size_t function_count;
	uint64_t unread; /* lines that are not as they should be */
	char first[120]; /* the first of them */
	struct sass_pools *pools;
};

/*
 * Reads a text, which need not end in NUL and is not kept.  NULL: it holds no instructions.  The
 * caller frees what it gets with sass_free().
 */
struct sass_listing *sass_parse(const char *text, size_t size, struct error *error);
void sass_free(struct sass_listing *listing);

const struct sass_function *sass_find(const struct sass_listing *listing, const char *name);
/* The instruction at an offset (bytes), or NULL. */
const struct sass_instruction *sass_at(const struct sass_function *function, uint64_t offset);
/* Whether the opcode is `name`, with any modifiers. */
bool sass_is(const struct sass_instruction *instruction, const char *name);
/* Whether it has the modifier: "U32" of IMAD.WIDE.U32. */
bool sass_has(const struct sass_instruction *instruction, const char *modifier);
struct sass_control sass_control_of(const uint64_t code[2]);

#endif
