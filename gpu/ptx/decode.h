/*
 * gpu/ptx/decode.h: what the files that decode a statement share.
 *
 * operand.c reads the operands by one grammar; reference.c turns names and numbers into rows;
 * decode.c matches operands against the shape of the opcode's row; decode_*.c have the forms that
 * no shape describes.
 */
#ifndef VFLOW_GPU_PTX_DECODE_H
#define VFLOW_GPU_PTX_DECODE_H

#include <string.h>

#include "gpu/ptx/parser.h"

enum operand_kind {
	OPERAND_NUMBER, /* token.kind says which; negative */
	OPERAND_NAME,   /* register, variable, label; offset; perhaps |second */
	OPERAND_MEMORY, /* [name + offset] or [number]; with elements [name, {a, b}] */
	OPERAND_VECTOR, /* {a, b} */
};

struct element {
	struct ptx_token token;
	bool negative; /* of a number; a name with a sign is for vmad only */
};

struct operand {
	enum operand_kind kind;
	struct element first;
	struct ptx_token second;   /* of p|q */
	bool has_second, inverted; /* !p */
	int64_t offset;
	struct element elements[PTX_OPERANDS];
	unsigned count;
};

/* The statement that is read, its operands, and the instruction that becomes of it. */
struct statement {
	struct ptx_parser *parser;
	struct ptx_instruction *i;
	struct ptx_token opcode;
	struct operand operands[PTX_OPERANDS];
	unsigned count, sources;
	bool loads;
};

/* Result of a step: errors end the parse, operands that match no shape do not. */
enum outcome { OK, UNKNOWN_FORM, FAILED };

#define TRY(step)                                                                                  \
	do {                                                                                       \
		enum outcome outcome_ = (step);                                                    \
		if (outcome_ != OK)                                                                \
			return outcome_;                                                           \
	} while (0)

static inline enum outcome ptx_next(struct ptx_parser *parser)
{
	return ptx_advance(parser) ? FAILED : OK;
}

/* operand.c: the operands up to the semicolon. */
enum outcome ptx_read_operands(struct statement *s);

/* reference.c: what a name means; one that nobody declared is an error. */
enum outcome ptx_name(struct statement *s, const struct ptx_token *name,
		      struct ptx_meaning *meaning);
/* A value of that type: a register, an immediate, an address, a special register. */
enum outcome ptx_source(struct statement *s, const struct element *element, int64_t offset,
			enum ptx_type type, uint32_t *ref);
enum outcome ptx_destination(struct statement *s, const struct element *element, uint32_t *ref);
/* A predicate; `_` is a predicate of the frame that is never read. */
enum outcome ptx_predicate(struct statement *s, const struct ptx_token *token, uint32_t *ref);
enum outcome ptx_predicate_source(struct statement *s, const struct operand *operand,
				  uint32_t *ref);
enum ptx_special ptx_special_named(const struct ptx_token *token);

/* decode_wide.c: both rows of a register of 128 bits. */
enum outcome ptx_wide_register(struct statement *s, const struct operand *operand,
			       uint32_t rows[2]);
enum outcome ptx_decode_mov_wide(struct statement *s);

/* decode.c: [name + offset], to `a` and `immediate`. */
enum outcome ptx_memory(struct statement *s, const struct operand *operand);

/* decode_matrix.c, decode_video.c: opcodes whose words are a language of their own. */
enum outcome ptx_decode_matrix(struct statement *s);
/* The words of a matrix instruction: shape, layouts, types (up to four, in their order). */
bool ptx_matrix_words(const struct ptx_token *opcode, struct ptx_instruction *i,
		      struct ptx_matrix *matrix, enum ptx_element types[4], unsigned *count);
/* decode_group.c: wgmma, whose operands are too many for a statement; reads them itself. */
enum outcome ptx_decode_group(struct statement *s);
enum outcome ptx_decode_video(struct statement *s);

#endif
