/*
 * gpu/ptx/skim.h: the statements of a function's body, by their words alone: which names each makes
 * and uses.  It needs no table of opcodes, and takes what the decoder would refuse.
 */
#ifndef VFLOW_GPU_PTX_SKIM_H
#define VFLOW_GPU_PTX_SKIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_NO_NAME UINT32_MAX

enum ptx_role {
	PTX_MADE,    /* in the first operand, if that is no memory */
	PTX_USED,    /* elsewhere */
	PTX_GROUPED, /* the same, in braces */
	PTX_INSIDE,  /* in brackets: it is part of an address */
};

struct ptx_use {
	uint32_t name;
	enum ptx_role role;
};

struct ptx_statement {
	const char *opcode; /* with its modifiers */
	size_t length;
	uint32_t guard;  /* name of a predicate, or PTX_NO_NAME */
	uint32_t memory; /* what is in its first brackets, as a name, or PTX_NO_NAME */
	uint32_t first_use, use_count;
};

/* Registers, symbols and labels, numbered; of "%tid.x" that is "%tid". */
struct ptx_name {
	const char *text; /* in the body */
	size_t length;
	uint32_t label; /* the statement that it stands before, + 1; 0: it is no label */
};

struct ptx_skim {
	struct ptx_name *names;
	struct ptx_use *uses;
	struct ptx_statement *statements;
	uint32_t name_count, use_count, statement_count;
	bool has_twins; /* a label stands in it twice: in scopes of their own */
	size_t name_room, use_room, statement_room;
	uint32_t *slots, slot_count; /* names by their text */
};

/*
 * `body` begins with a brace; what comes after its end is not looked at.  Names point into it.
 * False: no memory, or it is malformed.  Either way it is to be released.
 */
bool ptx_skim(struct ptx_skim *skim, const char *body, size_t size);
void ptx_skim_release(struct ptx_skim *skim);

/* Whether the opcode is this word, or goes on with a dot. */
bool ptx_is_opcode(const struct ptx_statement *statement, const char *word);
/* Whether the opcode has the word, which begins with a dot, after its mnemonic. */
const char *ptx_opcode_word(const struct ptx_statement *statement, const char *word);

#endif
