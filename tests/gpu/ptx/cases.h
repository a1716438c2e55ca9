/*
 * tests/gpu/ptx/cases.h: instructions with edge values, for the recorder (GPU) and the unit test.
 *
 * A line of cases.txt:   template ; result ; operands [; tolerance]
 *
 *     add.f32 ; f32 ; f32 f32              short for  add.f32 %d, %a, %b;
 *     lop3.b32 %d, %a, %b, %c, 0xe8 ; b32 ; b32 b32 b32
 *
 * In a template %a %b %c are operands, %d is the result, %p a second result (a predicate, shown
 * as bit 32), [%m] and [%s] 64 bytes of the thread's own global and shared memory that hold a, b,
 * c, whose first 8 bytes are a second result; x0 .. x15 are words and z0 .. z7 doubles of small
 * numbers of the result's kind ("matrix-f16"), y0 .. y7 and w0 .. w3 results.  `|` separates
 * statements.  The tolerance is in units of the last place, or absolute with an 'a' before it.
 *
 * Each case has the results of 64 threads, two warps.
 */
#ifndef VFLOW_TESTS_GPU_PTX_CASES_H
#define VFLOW_TESTS_GPU_PTX_CASES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES_THREADS 64u
#define CASES_WORDS 40u  /* of 32 bits, a thread's input: a b c as 64 bits, words, doubles */
#define CASES_RESULTS 8u /* of 64 bits, a thread's output */

struct ptx_case {
	char line[640]; /* as in the file, without the newline */
	char text[512], result[24], operands[3][16];
	unsigned count;   /* operands */
	unsigned shown;   /* 64-bit results that count */
	double tolerance; /* 0: exact */
	bool absolute;
};

/* 32 values each */
static const uint64_t cases_f32[] = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0xc0200000, 0x40490fdb,
	0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000, 0x007fffff, 0x807fffff, 0x00000001,
	0x80000001, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x3effffff,
	0x3f000000, 0x4b000000, 0x4b7fffff, 0x4f000000, 0xcf000001, 0x5f000000, 0x3f7fffff,
	0x3f800001, 0x40400000, 0x33800000, 0xc2c80000};
static const uint64_t cases_f64[] = {
	0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
	0x3ff8000000000000, 0xc004000000000000, 0x400921fb54442d18, 0x7fefffffffffffff,
	0xffefffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x000fffffffffffff,
	0x800fffffffffffff, 0x0000000000000001, 0x8000000000000001, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0xfff8123456789abc,
	0x3fdfffffffffffff, 0x3fe0000000000000, 0x4330000000000000, 0x433fffffffffffff,
	0x41e0000000000000, 0xc1e0000000200000, 0x43e0000000000000, 0x3fefffffffffffff,
	0x3ff0000000000001, 0x4008000000000000, 0x3e70000000000000, 0x47f0000010000000};
static const uint64_t cases_f16[] = {
	0x0000, 0x8000, 0x3c00, 0xbc00, 0x3e00, 0xc100, 0x4248, 0x7bff, 0xfbff, 0x0400, 0x8400,
	0x03ff, 0x83ff, 0x0001, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x7d00, 0xfe12, 0x37ff, 0x3800,
	0x6400, 0x6bff, 0x3555, 0x3bff, 0x3c01, 0x4200, 0x1000, 0xd640, 0x5140, 0x2e66};
static const uint64_t cases_bf16[] = {
	0x0000, 0x8000, 0x3f80, 0xbf80, 0x3fc0, 0xc020, 0x4049, 0x7f7f, 0xff7f, 0x0080, 0x8080,
	0x007f, 0x807f, 0x0001, 0x8001, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffc1, 0x3eff, 0x3f00,
	0x4b00, 0x4b7f, 0x4f00, 0xcf01, 0x5f00, 0x3f7f, 0x3f81, 0x4040, 0x3380, 0xc2c8};
static const uint64_t cases_b64[] = {0,
				     1,
				     2,
				     3,
				     7,
				     8,
				     31,
				     32,
				     33,
				     63,
				     64,
				     0x7f,
				     0x80,
				     0xff,
				     0x7fff,
				     0x8000,
				     0xffff,
				     0x7fffffff,
				     0x80000000,
				     0xffffffff,
				     0x100000000,
				     0x7fffffffffffffff,
				     0x8000000000000000,
				     0x8000000000000001,
				     0xffffffffffffffff,
				     0xfffffffffffffffe,
				     0xffffffff80000000,
				     0xffffffffffff8000,
				     0x123456789abcdef0,
				     0xaaaaaaaaaaaaaaaa,
				     0x5555555555555555,
				     0xfedcba9876543210};
static const uint64_t cases_b32[] = {
	0,          1,          2,          3,          7,          8,          15,
	16,         31,         32,         33,         0x7f,       0x80,       0xff,
	0x100,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000,
	0x80000001, 0xffffffff, 0xfffffffe, 0xffffff80, 0xffff8000, 0x12345678, 0x9abcdef0,
	0xaaaaaaaa, 0x55555555, 1000003,    0xfedcba98};
static const uint64_t cases_b16[] = {
	0,      1,      2,      3,      7,      8,      15,     16,     17,     31,     32,
	0x7f,   0x80,   0xff,   0x100,  0x1234, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xffff, 0xfffe,
	0xff80, 0xff7f, 0xaaaa, 0x5555, 0x0ff0, 0xf00f, 100,    1000,   10000,  0xedcb};
static const uint64_t cases_shift[] = {
	0,   1,   2,   7,         8,          15,         16,         17,  23,  24,  31,
	32,  33,  47,  48,        63,         64,         65,         100, 127, 128, 200,
	255, 256, 257, 0x100001f, 0x7fffffff, 0x80000000, 0xffffffff, 5,   12,  20};
static const uint64_t cases_pred[] = {0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0,
				      0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0};

static uint64_t cases_hash(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* A number of moderate size, any sign, many digits. */
static uint64_t cases_ordinary(const char *type, uint64_t x)
{
	x = cases_hash(x);
	if (!strcmp(type, "f32"))
		return (x & 0x807fffff) | (118 + (x >> 40) % 20) << 23;
	if (!strcmp(type, "f64"))
		return (x & 0x800fffffffffffff) | (1010 + (x >> 54) % 30) << 52;
	if (!strcmp(type, "f16"))
		return (x & 0x83ff) | (8 + (x >> 40) % 14) << 10;
	if (!strcmp(type, "bf16"))
		return (x & 0x807f) | (118 + (x >> 40) % 20) << 7;
	return x;
}

static unsigned cases_width(const char *type)
{
	if (!strcmp(type, "pred"))
		return 1;
	if (!strcmp(type, "f16") || !strcmp(type, "bf16") || strstr(type, "16") == type + 1)
		return strstr(type, "x2") ? 32 : 16;
	return strstr(type, "64") ? 64 : 32;
}

static uint64_t cases_value(const char *type, unsigned index, uint64_t ordinary)
{
	const uint64_t *set = !strcmp(type, "f32")      ? cases_f32
			      : !strcmp(type, "f64")    ? cases_f64
			      : !strcmp(type, "f16")    ? cases_f16
			      : !strcmp(type, "bf16")   ? cases_bf16
			      : !strcmp(type, "shift")  ? cases_shift
			      : !strcmp(type, "pred")   ? cases_pred
			      : cases_width(type) == 64 ? cases_b64
			      : cases_width(type) == 16 ? cases_b16
							: cases_b32;
	char part[8];

	if (!strcmp(type, "f16x2") || !strcmp(type, "bf16x2")) {
		snprintf(part, sizeof(part), "%.*s", (int)strlen(type) - 2, type);
		return cases_value(part, index, ordinary) |
		       cases_value(part, index * 7 + 3, ordinary ? ordinary + 1000 : 0) << 16;
	}
	if (ordinary && strcmp(type, "shift") && strcmp(type, "pred"))
		return cases_ordinary(type, ordinary) &
		       (cases_width(type) == 64 ? ~0ull : (1ull << cases_width(type)) - 1);
	return set[index % 32];
}

/* Small numbers whose products and sums every format holds exactly. */
static uint32_t cases_small(const char *kind, uint64_t x)
{
	static const uint16_t f16[] = {0x0000, 0x3c00, 0xbc00, 0x4000,
				       0xc000, 0x4200, 0x3800, 0xc400};
	static const uint16_t bf16[] = {0x0000, 0x3f80, 0xbf80, 0x4000,
					0xc000, 0x4040, 0x3f00, 0xc080};

	x = cases_hash(x);
	if (!strcmp(kind, "matrix-f16"))
		return f16[x & 7] | (uint32_t)f16[x >> 3 & 7] << 16;
	if (!strcmp(kind, "matrix-bf16"))
		return bf16[x & 7] | (uint32_t)bf16[x >> 3 & 7] << 16;
	if (!strcmp(kind, "matrix-f32"))
		return (uint32_t)bf16[x & 7] << 16;
	return (uint32_t)x;
}

/* Fills the input of one thread. */
static void cases_input(const struct ptx_case *c, unsigned thread, uint32_t words[CASES_WORDS])
{
	const unsigned n = thread;
	const bool one = c->count == 1, second = n >= 32;
	const unsigned indices[] = {n % 32,
				    !second ? n * 5 + 1
				    : n & 1 ? n
					    : n * 13 + 7,
				    n * 11 + 3};

	memset(words, 0, CASES_WORDS * 4);
	for (unsigned k = 0; k < c->count; k++) {
		uint64_t value = cases_value(c->operands[k], indices[k], one && second ? n : 0);

		memcpy(&words[2 * k], &value, 8);
	}
	for (unsigned k = 0; k < 16; k++)
		words[8 + k] = cases_small(c->result,
					   (k < 8 && !strncmp(c->result, "matrix", 6) ? 0 : 64) +
						   thread * 100 + k);
	for (unsigned k = 0; k < 8; k++) {
		double value = (double)(int)(cases_hash(thread * 100 + 50 + k) % 15) - 7;

		memcpy(&words[24 + 2 * k], &value, 8);
	}
}

/* Replaces %a and the like in a statement. */
static void cases_expand(const struct ptx_case *c, char *out, size_t room)
{
	size_t used = 0;
	bool shortened = !strpbrk(c->text, "%{|");

	if (shortened) {
		used = (size_t)snprintf(out, room, "\t%s %%%sd", c->text,
					cases_width(c->result) == 1 ? "p" : "");
		for (unsigned k = 0; k < c->count; k++)
			used += (size_t)snprintf(out + used, room - used, ", %%%s%c",
						 cases_width(c->operands[k]) == 1 ? "p" : "",
						 "abc"[k]);
		snprintf(out + used, room - used, ";\n");
		return;
	}
	used = (size_t)snprintf(out, room, "\t");
	for (const char *at = c->text; *at && used + 4 < room; at++)
		used += (size_t)snprintf(out + used, room - used,
					 *at == '|' && at[1] == ' ' ? ";\n\t" : "%c", *at);
	snprintf(out + used, room - used, ";\n");
}

/* A kernel of that name for the case: name(input, output). */
static void cases_kernel(const struct ptx_case *c, const char *name, char *out, size_t room)
{
	const unsigned width = cases_width(c->result);
	char body[2048];
	size_t used;

	cases_expand(c, body, sizeof(body));
	used = (size_t)snprintf(
		out, room,
		".visible .entry %s(.param .u64 in, .param .u64 out) {\n"
		".reg .b%u %%a; .reg .b%u %%b; .reg .b%u %%c; .reg .b%u %%d; .reg .pred %%p, %%o, "
		"%%g, %%pa, %%pb, %%pc, %%pd;\n"
		".reg .b16 %%h<8>; .reg .b32 %%t, %%s, x<16>, y<8>, %%r<8>; .reg .b64 %%i, %%u, "
		"%%m, %%v, %%rd<8>; .reg .f64 z<8>, w<4>;\n"
		".shared .align 16 .b8 cells[%u];\n"
		"mov.u32 %%t, %%tid.x;\nld.param.u64 %%i, [in];\nld.param.u64 %%u, [out];\n"
		"mad.wide.u32 %%i, %%t, %u, %%i;\nmad.wide.u32 %%u, %%t, %u, %%u;\n"
		"setp.ne.u32 %%p, %%t, %%t; setp.ne.u32 %%pd, %%t, %%t;\n"
		"add.u64 %%m, %%u, 64;\nmov.u32 %%s, cells;\nmad.lo.u32 %%s, %%t, 64, %%s;\n",
		name,
		c->count > 0 && cases_width(c->operands[0]) > 1 ? cases_width(c->operands[0]) : 32,
		c->count > 1 && cases_width(c->operands[1]) > 1 ? cases_width(c->operands[1]) : 32,
		c->count > 2 && cases_width(c->operands[2]) > 1 ? cases_width(c->operands[2]) : 32,
		width > 1 ? width : 32, 64 * CASES_THREADS, CASES_WORDS * 4,
		CASES_RESULTS * 8 + 64);
	for (unsigned k = 0; k < c->count; k++) {
		unsigned bits = cases_width(c->operands[k]);

		used += (size_t)snprintf(out + used, room - used, "ld.global.b%u %%%c, [%%i+%u];\n",
					 bits == 1 ? 32 : bits, "abc"[k], 8 * k);
		if (bits == 1)
			used += (size_t)snprintf(out + used, room - used,
						 "setp.ne.u32 %%p%c, %%%c, 0;\n", "abc"[k],
						 "abc"[k]);
	}
	if (strstr(body, "x0") || strstr(body, "x8"))
		for (unsigned k = 0; k < 16; k++)
			used += (size_t)snprintf(out + used, room - used,
						 "ld.global.b32 x%u, [%%i+%u];\n", k, 32 + 4 * k);
	if (strstr(body, "z0"))
		for (unsigned k = 0; k < 8; k++)
			used += (size_t)snprintf(out + used, room - used,
						 "ld.global.f64 z%u, [%%i+%u];\n", k, 96 + 8 * k);
	for (unsigned k = 0; k < 8 && (strstr(body, "%m") || strstr(body, "%s")); k++)
		used += (size_t)snprintf(
			out + used, room - used,
			"ld.global.b64 %%v, [%%i+%u];\nst.global.b64 [%%m+%u], %%v;\n"
			"st.shared.b64 [%%s+%u], %%v;\n",
			8 * k, 8 * k, 8 * k);
	if (width > 1 && !strstr(c->result, "matrix"))
		used += (size_t)snprintf(out + used, room - used, "mov.b%u %%d, 0;\n", width);
	used += (size_t)snprintf(out + used, room - used, "%s", body);
	if (width == 1)
		used += (size_t)snprintf(out + used, room - used, "selp.b32 %%d, 1, 0, %%pd;\n");
	if (strstr(body, "y0"))
		for (unsigned k = 0; k < 8; k++)
			used += (size_t)snprintf(out + used, room - used,
						 "%sst.global.b32 [%%u+%u], y%u;\n", "", 4 * k, k);
	else if (strstr(body, "w0"))
		for (unsigned k = 0; k < 4; k++)
			used += (size_t)snprintf(out + used, room - used,
						 "st.global.f64 [%%u+%u], w%u;\n", 8 * k, k);
	else
		used += (size_t)snprintf(
			out + used, room - used,
			"st.global.b%u [%%u], %%d;\n@%%p st.global.u32 [%%u+4], 1;\n",
			width == 1 ? 32 : width);
	if (strstr(body, "%m"))
		used += (size_t)snprintf(
			out + used, room - used,
			"ld.global.b64 %%v, [%%m];\nst.global.b64 [%%u+8], %%v;\n");
	else if (strstr(body, "%s"))
		used += (size_t)snprintf(
			out + used, room - used,
			"ld.shared.b64 %%v, [%%s];\nst.global.b64 [%%u+8], %%v;\n");
	snprintf(out + used, room - used, "ret;\n}\n");
}

#define CASES_STRIDE ((CASES_RESULTS * 8 + 64) / 8) /* of a thread's output, in 64-bit words */
#define CASES_HEADER ".version 8.6\n.target sm_90\n.address_size 64\n"

static char *cases_trim(char *text)
{
	size_t size;

	text += strspn(text, " \t");
	for (size = strlen(text); size && strchr(" \t\n", text[size - 1]); size--)
		text[size - 1] = '\0';
	return text;
}

/* The next case of the file; false: there is none.  A line that is no case ends the program. */
static bool cases_next(FILE *file, struct ptx_case *c)
{
	char line[640], *part[4] = {0}, *at, *word;
	unsigned parts = 0;

	do {
		if (!fgets(line, sizeof(line), file))
			return false;
		at = cases_trim(line);
	} while (!*at || *at == '#');
	memset(c, 0, sizeof(*c));
	snprintf(c->line, sizeof(c->line), "%s", at);
	while (parts < 4 && (word = strsep(&at, ";")))
		part[parts++] = cases_trim(word);
	if (parts < 3) {
		fprintf(stderr, "bad case: %s\n", c->line);
		exit(1);
	}
	snprintf(c->text, sizeof(c->text), "%s", part[0]);
	snprintf(c->result, sizeof(c->result), "%s", part[1]);
	while ((word = strsep(&part[2], " ")) && c->count < 3)
		if (*word)
			snprintf(c->operands[c->count++], sizeof(c->operands[0]), "%s", word);
	if (part[3]) {
		c->absolute = *part[3] == 'a';
		c->tolerance = atof(part[3] + c->absolute);
	}
	c->shown = strstr(c->text, "y0") || strstr(c->text, "w0")   ? 4
		   : strstr(c->text, "%m") || strstr(c->text, "%s") ? 2
								    : 1;
	return true;
}

/* "line = r0 r1 ...": 64-bit results in hexadecimal, in the order of threads. */
static void cases_print(FILE *file, const struct ptx_case *c, const uint64_t *output)
{
	fprintf(file, "%s =", c->line);
	for (unsigned t = 0; t < CASES_THREADS; t++)
		for (unsigned k = 0; k < c->shown; k++)
			fprintf(file, "%c%llx", k ? ',' : ' ',
				(unsigned long long)output[t * CASES_STRIDE + k]);
	fprintf(file, "\n");
}

#endif
