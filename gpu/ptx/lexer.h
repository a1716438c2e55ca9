/*
 * gpu/ptx/lexer.h: PTX text into tokens.
 *
 * A word keeps its dots ("ld.global.f32", "%tid.x"), for that is how opcodes are looked up; one
 * that begins with a dot ends before the next (".reg.b32" is two).  Tokens point into the text.
 */
#ifndef VFLOW_GPU_PTX_LEXER_H
#define VFLOW_GPU_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum ptx_token_kind {
	PTX_END,
	PTX_WORD,
	PTX_INTEGER,
	PTX_FLOAT_BITS,  /* 0f3F800000: value is the bits of an f32 */
	PTX_DOUBLE_BITS, /* 0d..., 1.5: value is the bits of an f64 */
	PTX_STRING,      /* without its quotes, escapes as they stand */
	PTX_MARK,        /* one character */
};

struct ptx_token {
	enum ptx_token_kind kind;
	const char *text;
	size_t length;
	uint32_t line;
	uint64_t value;
};

struct ptx_lexer {
	const char *at, *end;
	uint32_t line;
};

void ptx_lexer_start(struct ptx_lexer *lexer, const char *text, size_t size);

/* Reads the next token.  Returns 0, or -1: a malformed number or string. */
int ptx_lexer_next(struct ptx_lexer *lexer, struct ptx_token *token, struct error *error);

/* Skips the rest of the line. */
void ptx_lexer_skip_line(struct ptx_lexer *lexer);

bool ptx_token_is(const struct ptx_token *token, const char *word);

#endif
