/*
 * tests/unit/gpu_interpreter.c: what kernels compute.
 *
 * Expected values are worked out from the PTX manual by hand, bit for bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/analysis/shadow.h"
#include "gpu/emulator/interpreter.h"
#include "gpu/emulator/memory.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

static struct ptx_module *parse(const char *text)
{
	struct error error;
	struct ptx_module *module = ptx_parse(text, strlen(text), &error);

	if (!module)
		fail_msg("%s in:\n%s", error.text, text);
	return module;
}

static int run_with(struct ptx_module *module, const void *parameters, unsigned blocks,
		    unsigned threads, unsigned shared, bool observed, struct fault *fault)
{
	struct launch launch = {.module = module,
				.kernel = ptx_find_kernel(module, "k"),
				.grid = {blocks, 1, 1},
				.block = {threads, 1, 1},
				.dynamic_shared_bytes = shared,
				.parameters = parameters,
				.observed = observed};

	assert_non_null(launch.kernel);
	return interpreter_run(&launch, fault);
}

/* Runs kernel k(pointer) of `text`; its results are in `out`, `count` words that start as 0. */
static void run(const char *text, unsigned blocks, unsigned threads, unsigned shared, uint32_t *out,
		unsigned count)
{
	struct ptx_module *module = parse(text);
	struct allocation *memory = memory_allocate(count * 4, 512);
	struct fault fault;

	assert_non_null(memory);
	memset((void *)(uintptr_t)memory->address, 0, count * 4);
	if (run_with(module, &memory->address, blocks, threads, shared, false, &fault))
		fail_msg("%s", fault.text);
	memcpy(out, (void *)(uintptr_t)memory->address, count * 4);
	memory_release(memory);
	ptx_free(module);
}

/* One instruction on values from memory.  Widths in bits; 0: no operand; 1: a predicate. */
struct op_case {
	const char *op;
	unsigned d, a, b, c;
	uint64_t va, vb, vc, expected;
};

static const char *register_of(unsigned width, unsigned n, char *text)
{
	sprintf(text, "%%%s%u", width == 16 ? "h" : width == 32 ? "r" : width == 1 ? "p" : "d", n);
	return text;
}

static uint64_t evaluate(const struct op_case *c)
{
	const unsigned widths[] = {c->a, c->b, c->c};
	char text[2048], name[4][8], operands[128];
	struct allocation *memory = memory_allocate(32, 512);
	uint64_t *words = (uint64_t *)(uintptr_t)memory->address, result;
	struct ptx_module *module;
	struct fault fault;
	size_t used;

	words[0] = 0;
	words[1] = c->va;
	words[2] = c->vb;
	words[3] = c->vc;
	used = (size_t)sprintf(text, HEADER ".visible .entry k(.param .u64 out) {\n"
					    ".reg .b16 %%h<5>; .reg .b32 %%r<5>; .reg .b64 %%d<6>; "
					    ".reg .pred %%p<5>;\nld.param.u64 %%d5, [out];\n");
	sprintf(operands, "%s", register_of(c->d, 4, name[3]));
	for (unsigned n = 0; n < 3 && widths[n]; n++) {
		register_of(widths[n], n, name[n]);
		used += (size_t)sprintf(text + used, "ld.global.b%u %s, [%%d5+%u];\n", widths[n],
					name[n], 8 + 8 * n);
		sprintf(operands + strlen(operands), ", %s", name[n]);
	}
	used += (size_t)sprintf(text + used, "%s %s;\n", c->op, operands);
	if (c->d == 1)
		used += (size_t)sprintf(text + used, "selp.b32 %%r4, 1, 0, %%p4;\n");
	sprintf(text + used, "st.global.b%u [%%d5], %s;\nret;\n}\n", c->d == 1 ? 32 : c->d,
		register_of(c->d == 1 ? 32 : c->d, 4, name[0]));
	module = parse(text);
	if (run_with(module, &memory->address, 1, 1, 0, false, &fault))
		fail_msg("%s: %s", c->op, fault.text);
	result = words[0];
	ptx_free(module);
	memory_release(memory);
	return result;
}

static void evaluate_all(const struct op_case *cases, size_t count)
{
	for (size_t n = 0; n < count; n++) {
		uint64_t result = evaluate(&cases[n]);

		if (result != cases[n].expected)
			fail_msg("%s 0x%llx, 0x%llx, 0x%llx: 0x%llx, expected 0x%llx", cases[n].op,
				 (unsigned long long)cases[n].va, (unsigned long long)cases[n].vb,
				 (unsigned long long)cases[n].vc, (unsigned long long)result,
				 (unsigned long long)cases[n].expected);
	}
}
#define EVALUATE(cases) evaluate_all(cases, sizeof(cases) / sizeof(*(cases)))

#define MIN32 0x80000000u
#define MIN64 0x8000000000000000u
#define ONES64 0xffffffffffffffffu

static void test_integers(void **state)
{
	static const struct op_case cases[] = {
		{"add.s32", 32, 32, 32, 0, 0x7fffffff, 1, 0, MIN32},
		{"add.sat.s32", 32, 32, 32, 0, 0x7fffffff, 1, 0, 0x7fffffff},
		{"sub.sat.s32", 32, 32, 32, 0, MIN32, 1, 0, MIN32},
		{"add.u16", 16, 16, 16, 0, 0xffff, 2, 0, 1},
		{"add.s64", 64, 64, 64, 0, ONES64, 1, 0, 0},
		{"sub.u32", 32, 32, 32, 0, 0, 1, 0, 0xffffffff},
		{"mul.lo.s32", 32, 32, 32, 0, 0x10000, 0x10000, 0, 0},
		{"mul.hi.s32", 32, 32, 32, 0, 0xffffffff, 2, 0, 0xffffffff},
		{"mul.hi.u32", 32, 32, 32, 0, 0xffffffff, 2, 0, 1},
		{"mul.hi.u64", 64, 64, 64, 0, ONES64, ONES64, 0, 0xfffffffffffffffe},
		{"mul.hi.s64", 64, 64, 64, 0, ONES64, ONES64, 0, 0},
		{"mul.wide.s32", 64, 32, 32, 0, 0xffffffff, 2, 0, 0xfffffffffffffffe},
		{"mul.wide.u32", 64, 32, 32, 0, 0xffffffff, 2, 0, 0x1fffffffe},
		{"mul.wide.u16", 32, 16, 16, 0, 0xffff, 0xffff, 0, 0xfffe0001},
		{"mul.wide.s16", 32, 16, 16, 0, 0xffff, 0xffff, 0, 1},
		{"mad.lo.s32", 32, 32, 32, 32, 3, 0xffffffff, 10, 7},
		{"mad.wide.u32", 64, 32, 32, 64, 0xffffffff, 0xffffffff, 1, 0xfffffffe00000002},
		{"mad.hi.s32", 32, 32, 32, 32, MIN32, 2, 5, 4},
		{"mul24.lo.s32", 32, 32, 32, 0, 0xffffff, 5, 0, 0xfffffffb},
		{"mul24.lo.u32", 32, 32, 32, 0, 0xff000002, 3, 0, 6},
		{"div.s32", 32, 32, 32, 0, 0xfffffff9, 2, 0, 0xfffffffd}, /* -7 / 2 = -3 */
		{"rem.s32", 32, 32, 32, 0, 0xfffffff9, 2, 0, 0xffffffff}, /* sign of a */
		{"div.s32", 32, 32, 32, 0, MIN32, 0xffffffff, 0, MIN32},
		{"rem.s32", 32, 32, 32, 0, MIN32, 0xffffffff, 0, 0},
		{"div.s64", 64, 64, 64, 0, MIN64, ONES64, 0, MIN64},
		{"div.u32", 32, 32, 32, 0, 5, 0, 0, 0xffffffff},
		{"div.s32", 32, 32, 32, 0, 5, 0, 0, 0xffffffff},
		{"div.u64", 64, 64, 64, 0, 5, 0, 0, ONES64},
		{"rem.u64", 64, 64, 64, 0, 17, 5, 0, 2},
		{"neg.s32", 32, 32, 0, 0, MIN32, 0, 0, MIN32},
		{"abs.s32", 32, 32, 0, 0, MIN32, 0, 0, MIN32},
		{"abs.s64", 64, 64, 0, 0, ONES64, 0, 0, 1},
		{"min.s32", 32, 32, 32, 0, 0xffffffff, 1, 0, 0xffffffff},
		{"min.u32", 32, 32, 32, 0, 0xffffffff, 1, 0, 1},
		{"max.s16", 16, 16, 16, 0, 0x8000, 1, 0, 1},
		{"max.u64", 64, 64, 64, 0, ONES64, 1, 0, ONES64},
		{"sad.s32", 32, 32, 32, 32, 0xfffffffe, 3, 10, 15},
		{"sad.u32", 32, 32, 32, 32, 3, 0xfffffffe, 0, 0xfffffffb},
		{"dp4a.u32.u32", 32, 32, 32, 32, 0x01020304, 0x05060708, 1, 71},
		{"dp4a.s32.s32", 32, 32, 32, 32, 0xff000000, 0x02000000, 0, 0xfffffffe},
	};

	(void)state;
	EVALUATE(cases);
}

static void test_halves(void **state)
{
	static const struct op_case cases[] = {
		{"add.f16", 16, 16, 16, 0, 0x3c00, 0x3c00, 0, 0x4000},
		{"add.f16", 16, 16, 16, 0, 0x7bff, 0x7bff, 0, 0x7c00}, /* overflow */
		{"add.sat.f16", 16, 16, 16, 0, 0x3c00, 0x3c00, 0, 0x3c00},
		{"add.f16", 16, 16, 16, 0, 1, 1, 0, 2}, /* subnormal */
		{"add.ftz.f16", 16, 16, 16, 0, 1, 1, 0, 0},
		{"add.f16", 16, 16, 16, 0, 0x7c00, 0xfc00, 0, 0x7fff}, /* inf - inf */
		{"sub.f16", 16, 16, 16, 0, 0x3c00, 0x3c00, 0, 0},
		{"mul.f16x2", 32, 32, 32, 0, 0x42004000, 0xbc004400, 0, 0xc2004800},
		{"fma.rn.f16", 16, 16, 16, 16, 0x3c01, 0x3c01, 0xbc00, 0x1800}, /* a tie */
		{"fma.rn.f16", 16, 16, 16, 16, 0x6800, 0x3c00, 0x3c00, 0x6800}, /* 2049: a tie */
		{"fma.rn.f16", 16, 16, 16, 16, 0x6800, 0x3c00, 0x3c01, 0x6801},
		{"fma.rn.relu.f16", 16, 16, 16, 16, 0x3c00, 0xbc00, 0, 0},
		{"max.f16", 16, 16, 16, 0, 0x7e00, 0x3c00, 0, 0x3c00},
		{"max.NaN.f16", 16, 16, 16, 0, 0x7e00, 0x3c00, 0, 0x7fff},
		{"max.f16", 16, 16, 16, 0, 0x8000, 0, 0, 0},
		{"min.f16x2", 32, 32, 32, 0, 0x3c00c000, 0x40003c00, 0, 0x3c00c000},
		{"neg.f16", 16, 16, 0, 0, 0x3c00, 0, 0, 0xbc00},
		{"abs.f16x2", 32, 32, 0, 0, 0xbc00fc00, 0, 0, 0x3c007c00},
		{"ex2.approx.f16", 16, 16, 0, 0, 0x4200, 0, 0, 0x4800},
		{"set.le.u32.f16x2", 32, 32, 32, 0, 0x3c007e00, 0x3c003c00, 0, 0xffff0000},
		{"set.leu.s32.bf16x2", 32, 32, 32, 0, 0x3f807fc0, 0x00000000, 0, 0x0000ffff},
		{"add.rn.bf16", 16, 16, 16, 0, 0x3f80, 0x3f80, 0, 0x4000},
		{"fma.rn.bf16", 16, 16, 16, 16, 0x3f80, 0x3f80, 0x3b00, 0x3f80},
		{"mul.rn.bf16x2", 32, 32, 32, 0, 0x40004040, 0x40003f80, 0, 0x40804040},
		{"cvt.rn.bf16.f32", 16, 32, 0, 0, 0x3f808000, 0, 0, 0x3f80}, /* ties to even */
		{"cvt.rn.bf16.f32", 16, 32, 0, 0, 0x3f818000, 0, 0, 0x3f82},
		{"cvt.rn.bf16.f32", 16, 32, 0, 0, 0x7f7fffff, 0, 0, 0x7f80},
		{"cvt.rz.bf16.f32", 16, 32, 0, 0, 0x7f7fffff, 0, 0, 0x7f7f},
		{"cvt.rn.bf16.f32", 16, 32, 0, 0, 0x7f800001, 0, 0, 0x7fff},
		{"cvt.rn.bf16.f32", 16, 32, 0, 0, 0x00018000, 0, 0, 0x0002}, /* subnormal, a tie */
		{"cvt.rn.f16x2.f32", 32, 32, 32, 0, 0x3f800000, 0x40000000, 0, 0x3c004000},
		{"cvt.f32.bf16", 32, 16, 0, 0, 0x3f80, 0, 0, 0x3f800000},
		{"cvt.rna.tf32.f32", 32, 32, 0, 0, 0x3f801000, 0, 0, 0x3f802000}, /* ties away */
		{"cvt.rna.tf32.f32", 32, 32, 0, 0, 0x3f800fff, 0, 0, 0x3f800000},
	};

	(void)state;
	EVALUATE(cases);
}

static void test_bits(void **state)
{
	static const struct op_case cases[] = {
		{"shl.b32", 32, 32, 32, 0, 1, 31, 0, MIN32},
		{"shl.b32", 32, 32, 32, 0, 1, 32, 0, 0},
		{"shl.b64", 64, 64, 32, 0, 1, 64, 0, 0},
		{"shl.b16", 16, 16, 32, 0, 1, 16, 0, 0},
		{"shr.u32", 32, 32, 32, 0, MIN32, 33, 0, 0},
		{"shr.s32", 32, 32, 32, 0, MIN32, 0xffffffff, 0, 0xffffffff},
		{"shr.s32", 32, 32, 32, 0, MIN32, 31, 0, 0xffffffff},
		{"shr.s64", 64, 64, 32, 0, MIN64, 100, 0, ONES64},
		{"shr.u16", 16, 16, 32, 0, 0x8000, 15, 0, 1},
		{"shr.s16", 16, 16, 32, 0, 0x8000, 15, 0, 0xffff},
		{"and.b32", 32, 32, 32, 0, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
		{"or.b64", 64, 64, 64, 0, MIN64, 1, 0, MIN64 | 1},
		{"xor.b16", 16, 16, 16, 0, 0xffff, 0x0f0f, 0, 0xf0f0},
		{"not.b32", 32, 32, 0, 0, 0, 0, 0, 0xffffffff},
		{"cnot.b32", 32, 32, 0, 0, 0, 0, 0, 1},
		{"popc.b64", 32, 64, 0, 0, ONES64, 0, 0, 64},
		{"clz.b32", 32, 32, 0, 0, 0, 0, 0, 32},
		{"clz.b64", 32, 64, 0, 0, 1, 0, 0, 63},
		{"brev.b32", 32, 32, 0, 0, 1, 0, 0, MIN32},
		{"brev.b64", 64, 64, 0, 0, 2, 0, 0, MIN64 >> 1},
		{"bfind.u32", 32, 32, 0, 0, 0, 0, 0, 0xffffffff},
		{"bfind.s32", 32, 32, 0, 0, 0xffffffff, 0, 0, 0xffffffff},
		{"bfind.shiftamt.u32", 32, 32, 0, 0, 1, 0, 0, 31},
		{"bfe.u32", 32, 32, 32, 32, 0xabcd1234, 8, 8, 0x12},
		{"bfe.s32", 32, 32, 32, 32, 0xabcd1234, 16, 8, 0xffffffcd},
		{"bfe.s32", 32, 32, 32, 32, MIN32, 40, 8, 0xffffffff},
		{"bfe.u32", 32, 32, 32, 32, 0xffffffff, 28, 8, 0xf},
		{"bfe.u32", 32, 32, 32, 32, 0xffffffff, 0, 0, 0},
		{"shf.l.wrap.b32", 32, 32, 32, 32, MIN32, 1, 1, 3},
		{"shf.r.wrap.b32", 32, 32, 32, 32, 0, 1, 1, MIN32},
		{"shf.l.clamp.b32", 32, 32, 32, 32, 7, 9, 99, 7},
		{"shf.l.wrap.b32", 32, 32, 32, 32, 7, 9, 32, 9},
		{"prmt.b32", 32, 32, 32, 32, 0x33221100, 0x77665584, 0x7410, 0x77841100},
		{"prmt.b32", 32, 32, 32, 32, 0x33221100, 0x77665584, 0xc000, 0xff000000},
		{"bmsk.clamp.b32", 32, 32, 32, 0, 4, 8, 0, 0xff0},
		{"bmsk.clamp.b32", 32, 32, 32, 0, 0, 99, 0, 0xffffffff},
	};

	(void)state;
	EVALUATE(cases);
}

#define F_NAN 0x7fffffffu /* the one that arithmetic makes */
#define F_INF 0x7f800000u
#define F_ONE 0x3f800000u
#define F_ZERO_NEG 0x80000000u
#define D_ONE 0x3ff0000000000000u
#define D_INF 0x7ff0000000000000u

static void test_floats(void **state)
{
	static const struct op_case cases[] = {
		{"add.f32", 32, 32, 32, 0, F_ONE, F_ONE, 0, 0x40000000},
		{"add.f32", 32, 32, 32, 0, F_INF, 0xff800000, 0, F_NAN},
		{"add.f32", 32, 32, 32, 0, 0xffc12345, F_ONE, 0, F_NAN},
		{"add.f32", 32, 32, 32, 0, F_ZERO_NEG, F_ZERO_NEG, 0, F_ZERO_NEG},
		{"add.f32", 32, 32, 32, 0, F_ZERO_NEG, 0, 0, 0},
		{"add.rm.f32", 32, 32, 32, 0, F_ZERO_NEG, 0, 0, F_ZERO_NEG},
		{"add.f32", 32, 32, 32, 0, 1, 1, 0, 2}, /* subnormals */
		{"add.ftz.f32", 32, 32, 32, 0, 1, 1, 0, 0},
		{"add.ftz.f32", 32, 32, 32, 0, 0x80000001, 0x80000001, 0, F_ZERO_NEG},
		/* 1 + 2^-24: a tie to even, up, down, to zero */
		{"add.rn.f32", 32, 32, 32, 0, F_ONE, 0x33800000, 0, F_ONE},
		{"add.rp.f32", 32, 32, 32, 0, F_ONE, 0x33800000, 0, 0x3f800001},
		{"add.rm.f32", 32, 32, 32, 0, F_ONE, 0x33800000, 0, F_ONE},
		{"add.rz.f32", 32, 32, 32, 0, 0xbf800000, 0xb3800000, 0, 0xbf800000},
		{"add.rm.f32", 32, 32, 32, 0, 0xbf800000, 0xb3800000, 0, 0xbf800001},
		{"add.sat.f32", 32, 32, 32, 0, F_ONE, F_ONE, 0, F_ONE},
		{"mul.sat.f32", 32, 32, 32, 0, 0xbf800000, F_ONE, 0, 0},
		{"add.sat.f32", 32, 32, 32, 0, F_INF, 0xff800000, 0, 0},
		{"mul.f32", 32, 32, 32, 0, 0, F_INF, 0, F_NAN},
		{"mul.rz.f32", 32, 32, 32, 0, 0x7f7fffff, 0x40000000, 0, 0x7f7fffff},
		{"mul.rn.f32", 32, 32, 32, 0, 0x7f7fffff, 0x40000000, 0, F_INF},
		{"div.rn.f32", 32, 32, 32, 0, F_ONE, F_ZERO_NEG, 0, 0xff800000},
		{"div.rn.f32", 32, 32, 32, 0, F_ONE, 0x40400000, 0, 0x3eaaaaab},
		{"div.rz.f32", 32, 32, 32, 0, F_ONE, 0x40400000, 0, 0x3eaaaaaa},
		{"sub.f64", 64, 64, 64, 0, D_ONE, D_ONE, 0, 0},
		{"div.rn.f64", 64, 64, 64, 0, D_ONE, 0, 0, D_INF},
		{"mul.rn.f64", 64, 64, 64, 0, 1, 0x3fe0000000000000, 0, 0},
		{"mul.rp.f64", 64, 64, 64, 0, 1, 0x3fe0000000000000, 0, 1},
		/* (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, lost if the product were rounded */
		{"fma.rn.f32", 32, 32, 32, 32, 0x3f800800, 0x3f800800, 0xbf801000, 0x33800000},
		{"fma.rz.f32", 32, 32, 32, 32, F_ONE, F_ONE, 0x33800000, F_ONE},
		{"fma.rp.f32", 32, 32, 32, 32, F_ONE, F_ONE, 0x33800000, 0x3f800001},
		{"fma.rn.ftz.f32", 32, 32, 32, 32, 1, F_ONE, 1, 0},
		{"fma.rn.f64", 64, 64, 64, 64, D_ONE, D_ONE, D_ONE, 0x4000000000000000},
		{"max.f32", 32, 32, 32, 0, 0x7fc00000, F_ONE, 0, F_ONE},
		{"min.f32", 32, 32, 32, 0, F_ONE, 0x7fc00000, 0, F_ONE},
		{"max.f32", 32, 32, 32, 0, 0x7fc00000, 0xffc00000, 0, F_NAN},
		{"max.NaN.f32", 32, 32, 32, 0, 0x7fc00000, F_ONE, 0, F_NAN},
		{"max.f32", 32, 32, 32, 0, F_ZERO_NEG, 0, 0, 0},
		{"min.f32", 32, 32, 32, 0, 0, F_ZERO_NEG, 0, F_ZERO_NEG},
		{"neg.f32", 32, 32, 0, 0, 0, 0, 0, F_ZERO_NEG},
		{"abs.f32", 32, 32, 0, 0, 0xff800000, 0, 0, F_INF},
		{"abs.ftz.f32", 32, 32, 0, 0, 0x80000001, 0, 0, 0},
		{"neg.f64", 64, 64, 0, 0, D_ONE, 0, 0, 0xbff0000000000000},
		{"copysign.f32", 32, 32, 32, 0, F_ZERO_NEG, F_ONE, 0, 0xbf800000},
		{"sqrt.rn.f32", 32, 32, 0, 0, 0xbf800000, 0, 0, F_NAN},
		{"sqrt.rn.f32", 32, 32, 0, 0, F_ZERO_NEG, 0, 0, F_ZERO_NEG},
		{"sqrt.rn.f64", 64, 64, 0, 0, 0x4010000000000000, 0, 0, 0x4000000000000000},
		{"rcp.rn.f32", 32, 32, 0, 0, 0x40000000, 0, 0, 0x3f000000},
		{"rcp.approx.ftz.f32", 32, 32, 0, 0, 1, 0, 0, F_INF},
		{"rsqrt.approx.f32", 32, 32, 0, 0, 0x40800000, 0, 0, 0x3f000000},
		{"ex2.approx.f32", 32, 32, 0, 0, 0x40400000, 0, 0, 0x41000000},
		{"ex2.approx.f32", 32, 32, 0, 0, 0xff800000, 0, 0, 0},
		{"lg2.approx.f32", 32, 32, 0, 0, 0x41000000, 0, 0, 0x40400000},
		{"lg2.approx.f32", 32, 32, 0, 0, 0, 0, 0, 0xff800000},
		{"sin.approx.f32", 32, 32, 0, 0, 0, 0, 0, 0},
		{"cos.approx.f32", 32, 32, 0, 0, 0, 0, 0, F_ONE},
		{"cos.approx.f32", 32, 32, 0, 0, F_INF, 0, 0, F_NAN},
	};

	(void)state;
	EVALUATE(cases);
}

static void test_conversions(void **state)
{
	static const struct op_case cases[] = {
		{"cvt.rzi.u8.bf16", 16, 16, 0, 0, 0x4348, 0, 0, 200}, /* cuda_bf16.hpp */
		{"cvt.rzi.s8.bf16", 16, 16, 0, 0, 0xc348, 0, 0, 0xff80},
		{"cvt.pack.sat.u4.s32.b32", 32, 32, 32, 32, 16, 0xffffffff, 0x12345678, 0x345678f0},
		{"cvt.pack.sat.s4.s32.b32", 32, 32, 32, 32, 0xfffffff7, 8, 0xff, 0xff87},
		{"cvt.pack.sat.u2.s32.b32", 32, 32, 32, 32, 4, MIN32, 0xf, 0xfc},
		{"cvt.pack.sat.s2.s32.b32", 32, 32, 32, 32, MIN32, 2, 0, 0x9},
		{"cvt.pack.sat.u8.s32.b32", 32, 32, 32, 32, 256, 0xffffffff, 0x12345678, 0x5678ff00},
		{"cvt.s64.s32", 64, 32, 0, 0, MIN32, 0, 0, 0xffffffff80000000},
		{"cvt.u64.u32", 64, 32, 0, 0, MIN32, 0, 0, MIN32},
		{"cvt.u32.u64", 32, 64, 0, 0, 0x123456789, 0, 0, 0x23456789},
		{"cvt.s32.s8", 32, 32, 0, 0, 0x180, 0, 0, 0xffffff80},
		{"cvt.s32.s16", 32, 16, 0, 0, 0x8000, 0, 0, 0xffff8000},
		{"cvt.u32.u16", 32, 16, 0, 0, 0x8000, 0, 0, 0x8000},
		{"cvt.sat.s8.s32", 32, 32, 0, 0, 1000, 0, 0, 127},
		{"cvt.sat.u8.s32", 32, 32, 0, 0, 0xffffffff, 0, 0, 0},
		{"cvt.sat.s32.u64", 32, 64, 0, 0, ONES64, 0, 0, 0x7fffffff},
		{"cvt.rzi.s32.f32", 32, 32, 0, 0, 0xbfc00000, 0, 0, 0xffffffff}, /* -1.5 */
		{"cvt.rmi.s32.f32", 32, 32, 0, 0, 0xbfc00000, 0, 0, 0xfffffffe},
		{"cvt.rpi.s32.f32", 32, 32, 0, 0, 0xbfc00000, 0, 0, 0xffffffff},
		{"cvt.rni.s32.f32", 32, 32, 0, 0, 0x40200000, 0, 0, 2}, /* 2.5: to even */
		{"cvt.rzi.s32.f32", 32, 32, 0, 0, 0x4f000000, 0, 0, 0x7fffffff}, /* 2^31 */
		{"cvt.rzi.s32.f32", 32, 32, 0, 0, 0xff800000, 0, 0, MIN32},
		{"cvt.rzi.u32.f32", 32, 32, 0, 0, 0xbf800000, 0, 0, 0},
		{"cvt.rzi.u32.f32", 32, 32, 0, 0, F_INF, 0, 0, 0xffffffff},
		{"cvt.rzi.s32.f32", 32, 32, 0, 0, 0x7fc00000, 0, 0, 0},
		{"cvt.rzi.s64.f64", 64, 64, 0, 0, 0x7ff8000000000000, 0, 0, MIN64},
		{"cvt.rzi.u64.f64", 64, 64, 0, 0, 0x43f0000000000000, 0, 0, ONES64}, /* 2^64 */
		{"cvt.rzi.u64.f64", 64, 64, 0, 0, 0x43e0000000000000, 0, 0, MIN64}, /* 2^63 */
		{"cvt.rn.f32.s32", 32, 32, 0, 0, 0x01000001, 0, 0, 0x4b800000},
		{"cvt.rp.f32.s32", 32, 32, 0, 0, 0x01000001, 0, 0, 0x4b800001},
		{"cvt.rn.f32.u64", 32, 64, 0, 0, ONES64, 0, 0, 0x5f800000},
		{"cvt.rn.f64.s32", 64, 32, 0, 0, 0xffffffff, 0, 0, 0xbff0000000000000},
		{"cvt.rn.f64.u64", 64, 64, 0, 0, MIN64, 0, 0, 0x43e0000000000000},
		{"cvt.f64.f32", 64, 32, 0, 0, F_ONE, 0, 0, D_ONE},
		{"cvt.rn.f32.f64", 32, 64, 0, 0, 0x3ff0000010000000, 0, 0, F_ONE},
		{"cvt.rp.f32.f64", 32, 64, 0, 0, 0x3ff0000010000000, 0, 0, 0x3f800001},
		{"cvt.rmi.f32.f32", 32, 32, 0, 0, 0xbf000000, 0, 0, 0xbf800000},
		{"cvt.rzi.f32.f32", 32, 32, 0, 0, 0xbf000000, 0, 0, F_ZERO_NEG},
		{"cvt.sat.f32.f32", 32, 32, 0, 0, 0x40000000, 0, 0, F_ONE},
		{"cvt.sat.f32.f32", 32, 32, 0, 0, 0x7fc00000, 0, 0, 0},
		{"cvt.f32.f16", 32, 16, 0, 0, 0x0001, 0, 0, 0x33800000}, /* 2^-24 */
		{"cvt.f32.f16", 32, 16, 0, 0, 0xfc00, 0, 0, 0xff800000},
		{"cvt.rn.f16.f32", 16, 32, 0, 0, 0x477fe000, 0, 0, 0x7bff}, /* 65504 */
		{"cvt.rn.f16.f32", 16, 32, 0, 0, 0x477ff000, 0, 0, 0x7c00}, /* 65520 */
		{"cvt.rz.f16.f32", 16, 32, 0, 0, 0x477ff000, 0, 0, 0x7bff},
		{"cvt.rn.f16.f32", 16, 32, 0, 0, 0x3f801000, 0, 0, 0x3c00}, /* tie to even */
		{"cvt.rn.f16.f32", 16, 32, 0, 0, 0x387fffff, 0, 0, 0x0400}, /* to normal */
	};

	(void)state;
	EVALUATE(cases);
}

static void test_comparisons(void **state)
{
	static const struct op_case cases[] = {
		{"setp.lt.s32", 1, 32, 32, 0, 0xffffffff, 0, 0, 1},
		{"setp.lt.u32", 1, 32, 32, 0, 0xffffffff, 0, 0, 0},
		{"setp.hi.u32", 1, 32, 32, 0, 0xffffffff, 0, 0, 1},
		{"setp.eq.s16", 1, 16, 16, 0, 0xffff, 0xffff, 0, 1},
		{"setp.ge.s64", 1, 64, 64, 0, MIN64, 0, 0, 0},
		{"setp.ne.b64", 1, 64, 64, 0, MIN64, 0, 0, 1},
		{"setp.eq.f32", 1, 32, 32, 0, 0, F_ZERO_NEG, 0, 1},
		{"setp.eq.f32", 1, 32, 32, 0, 0x7fc00000, 0x7fc00000, 0, 0},
		{"setp.equ.f32", 1, 32, 32, 0, 0x7fc00000, 0, 0, 1},
		{"setp.ne.f32", 1, 32, 32, 0, 0x7fc00000, 0, 0, 0},
		{"setp.neu.f32", 1, 32, 32, 0, 0x7fc00000, 0, 0, 1},
		{"setp.lt.f32", 1, 32, 32, 0, 0x7fc00000, F_ONE, 0, 0},
		{"setp.ltu.f32", 1, 32, 32, 0, 0x7fc00000, F_ONE, 0, 1},
		{"setp.geu.f64", 1, 64, 64, 0, 0, D_ONE, 0, 0},
		{"setp.gt.f64", 1, 64, 64, 0, D_INF, D_ONE, 0, 1},
		{"setp.num.f32", 1, 32, 32, 0, F_INF, 0, 0, 1},
		{"setp.nan.f32", 1, 32, 32, 0, F_INF, 0x7fc00000, 0, 1},
		{"setp.gt.f32", 1, 32, 32, 0, 1, 0, 0, 1},
		{"setp.gt.ftz.f32", 1, 32, 32, 0, 1, 0, 0, 0},
	};

	(void)state;
	EVALUATE(cases);
}

#define KERNEL                                                                                     \
	HEADER ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<16>; .reg .b64 %d<8>; "         \
	       ".reg .pred %p<8>; .reg .b16 %h<8>;\n"                                              \
	       "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; "          \
	       "add.s64 %d3, %d1, %d2;\n"

static void test_carry(void **state)
{
	uint32_t out[2];

	(void)state;
	/* 0xffffffff_ffffffff + 1 in two halves; 0 - 1 with borrow */
	run(KERNEL "mov.u32 %r2, -1; add.cc.u32 %r3, %r2, 1; addc.u32 %r4, %r2, 5; st.global.u32 [%d1], "
		   "%r4; sub.cc.u32 %r5, 0, 1; subc.u32 %r6, 7, 0; st.global.u32 [%d1+4], %r6; ret; }",
	    1, 1, 0, out, 2);
	assert_int_equal(out[0], 5);
	assert_int_equal(out[1], 6);
	/* addc after sub.cc adds 1 where nothing was borrowed */
	run(KERNEL "sub.cc.u32 %r3, 5, 5; addc.u32 %r4, 10, 0; sub.cc.u32 %r3, 5, 6; addc.u32 %r5, 10, 0; "
		   "st.global.v2.u32 [%d1], {%r4, %r5}; ret; }",
	    1, 1, 0, out, 2);
	assert_int_equal(out[0], 11);
	assert_int_equal(out[1], 10);
	/* 0xffffffff^2 + 0xffffffff = 0xffffffff_00000000 by madc */
	run(KERNEL "mov.u32 %r2, -1; mad.lo.cc.u32 %r3, %r2, %r2, %r2; madc.hi.u32 %r4, %r2, %r2, 0; "
		   "st.global.v2.u32 [%d1], {%r3, %r4}; ret; }",
	    1, 1, 0, out, 2);
	assert_int_equal(out[0], 0);
	assert_int_equal(out[1], 0xffffffff);
}

static void test_predicates(void **state)
{
	uint32_t out[8];

	(void)state;
	/* p|q with a boolean; guards; predicate logic.  Lanes 0..7. */
	run(KERNEL "setp.lt.u32 %p1, %r1, 4; setp.eq.and.u32 %p2|%p3, %r1, 2, %p1;\n"
		   "mov.u32 %r2, 0; @%p2 or.b32 %r2, %r2, 1; @%p3 or.b32 %r2, %r2, 2;\n"
		   "@!%p1 or.b32 %r2, %r2, 4; and.pred %p4, %p1, %p2; @%p4 or.b32 %r2, %r2, 8;\n"
		   "not.pred %p5, %p4; xor.pred %p6, %p5, %p1; @%p6 or.b32 %r2, %r2, 16;\n"
		   "st.global.u32 [%d3], %r2; ret; }",
	    1, 8, 0, out, 8);
	for (unsigned l = 0; l < 8; l++) {
		bool p = l < 4, two = l == 2;

		assert_int_equal(out[l], (two && p) | (!two && p) << 1 | !p << 2 |
						 (p && two) << 3 | (!(p && two) != p) << 4);
	}
}

static void test_moves(void **state)
{
	uint32_t out[8];

	(void)state;
	run(KERNEL "mov.b64 %d4, {0x11112222, 0x33334444}; mov.b64 {%r2, %r3}, %d4; "
		   "mov.b32 {%h1, %h2}, %r2; mov.b32 %r4, {%h2, %h1}; cvt.s32.s16 %r5, -2;\n"
		   "st.global.v4.b32 [%d1], {%r2, %r3, %r4, %r5}; ld.global.v2.s16 {%h3, %h4}, [%d1+12]; "
		   "ld.global.s8 %r6, [%d1+12]; ld.global.u8 %r7, [%d1+12];\n"
		   "st.global.b32 [%d1+16], %r6; st.global.b32 [%d1+20], %r7; mov.f32 %r8, 0f3F800000; "
		   "st.global.f32 [%d1+24], %r8; mov.f64 %d5, 0d3FF8000000000000; cvt.rn.f32.f64 %r9, "
		   "%d5; st.global.f32 [%d1+28], %r9; ret; }",
	    1, 1, 0, out, 8);
	assert_int_equal(out[0], 0x11112222);
	assert_int_equal(out[1], 0x33334444);
	assert_int_equal(out[2], 0x22221111);
	assert_int_equal(out[3], 0xfffffffe);
	assert_int_equal(out[4], 0xfffffffe);
	assert_int_equal(out[5], 0xfe);
	assert_int_equal(out[6], F_ONE);
	assert_int_equal(out[7], 0x3fc00000);
}

static void test_divergence(void **state)
{
	uint32_t out[64];

	(void)state;
	/* nested ifs, a loop with a trip count per lane, early return of lanes 7, 15 ... */
	run(KERNEL "and.b32 %r2, %r1, 7; setp.eq.u32 %p1, %r2, 7; @%p1 ret;\n"
		   "mov.u32 %r3, 0; setp.lt.u32 %p2, %r2, 3; @%p2 bra SMALL;\n"
		   "setp.eq.u32 %p3, %r2, 5; @%p3 bra FIVE; add.u32 %r3, %r3, 100; bra.uni JOIN;\n"
		   "FIVE: add.u32 %r3, %r3, 500; bra JOIN;\n"
		   "SMALL: add.u32 %r3, %r3, 10;\n"
		   "JOIN: mov.u32 %r4, 0;\n"
		   "LOOP: setp.ge.u32 %p4, %r4, %r1; @%p4 bra DONE; add.u32 %r3, %r3, 1; "
		   "add.u32 %r4, %r4, 1; bra LOOP;\n"
		   /* all that are left are together again */
		   "DONE: activemask.b32 %r5; popc.b32 %r5, %r5; shl.b32 %r5, %r5, 16; "
		   "or.b32 %r3, %r3, %r5; st.global.u32 [%d3], %r3; ret; }",
	    1, 64, 0, out, 64);
	for (unsigned t = 0; t < 64; t++) {
		unsigned kind = t % 8 < 3 ? 10 : t % 8 == 5 ? 500 : 100;

		assert_int_equal(out[t], t % 8 == 7 ? 0 : kind + t + (28u << 16));
	}
}

static void test_barriers(void **state)
{
	uint32_t out[96];

	(void)state;
	/* every thread reads what the thread on the other side of the block wrote */
	run(HEADER ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<9>; .reg .b64 %d<5>; .reg .pred "
		   "%p<3>; .shared .align 4 .b8 s[384];\n"
		   "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; "
		   "add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1; bar.sync 0;\n"
		   "sub.s32 %r5, 380, %r2; add.s32 %r5, %r5, %r3; ld.shared.u32 %r6, [%r5];\n"
		   "setp.lt.u32 %p1, %r1, 40; bar.red.popc.u32 %r7, 0, %p1; bar.red.or.pred %p2, 1, !%p1;\n"
		   "@!%p2 trap; mad.lo.u32 %r6, %r7, 1000, %r6; mul.wide.u32 %d2, %r1, 4; "
		   "add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r6; ret; }",
	    1, 96, 0, out, 96);
	for (unsigned t = 0; t < 96; t++)
		assert_int_equal(out[t], 40000 + 95 - t);
	/* dynamic shared memory, and generic pointers to it */
	run(HEADER ".extern .shared .align 16 .b8 s[];\n.visible .entry k(.param .u64 out) {\n.reg .b32 "
		   "%r<9>; .reg .b64 %d<9>; .shared .b32 x;\nld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; "
		   "mul.wide.u32 %d2, %r1, 4; mov.u64 %d3, s; add.s64 %d4, %d3, %d2; cvta.shared.u64 %d5, "
		   "%d4; st.u32 [%d5], %r1; bar.sync 0; xor.b32 %r2, %r1, 33; mul.wide.u32 %d6, %r2, 4; "
		   "add.s64 %d7, %d3, %d6; ld.shared.u32 %r3, [%d7]; add.s64 %d8, %d1, %d2; st.global.u32 "
		   "[%d8], %r3; ret; }",
	    1, 64, 256, out, 64);
	for (unsigned t = 0; t < 64; t++)
		assert_int_equal(out[t], t ^ 33);
}

static void test_calls(void **state)
{
	uint32_t out[40];

	(void)state;
	/* fib by recursion, lanes at different depths; a local array; a call by address */
	run(HEADER
	    ".func (.param .b32 r) fib(.param .b32 n) {\n.reg .b32 %r<9>; .reg .pred %p;\n"
	    "ld.param.u32 %r1, [n]; mov.u32 %r7, %r1; setp.lt.u32 %p, %r1, 2; @%p bra END;\n"
	    "sub.u32 %r2, %r1, 1; { .param .b32 a; .param .b32 v; st.param.b32 [a+0], %r2; "
	    "call.uni (v), fib, (a); ld.param.b32 %r3, [v+0]; }\n"
	    "sub.u32 %r4, %r1, 2; { .param .b32 a; .param .b32 v; st.param.b32 [a+0], %r4; "
	    "call.uni (v), fib, (a); ld.param.b32 %r5, [v+0]; }\nadd.u32 %r7, %r3, %r5;\n"
	    "END: st.param.b32 [r+0], %r7; ret; }\n"
	    ".func (.param .b32 r) twice(.param .b32 n) {\n.reg .b32 %r<9>;\nld.param.u32 %r1, [n]; "
	    "add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n"
	    ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;\n"
	    ".local .align 4 .b8 depot[16];\n"
	    "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, 11;\n"
	    "mov.u64 %d5, depot; cvta.local.u64 %d6, %d5; st.u32 [%d6+8], %r1;\n"
	    "mov.u64 %d4, fib; setp.lt.u32 %p, %r1, 20; @%p mov.u64 %d4, twice;\n"
	    "{ .param .b32 a; .param .b32 v; st.param.b32 [a+0], %r2; P: .callprototype (.param .b32 _) "
	    "_ (.param .b32 _); call (v), %d4, (a), P; ld.param.b32 %r3, [v+0]; }\n"
	    "ld.local.u32 %r4, [%d5+8]; mad.lo.u32 %r3, %r4, 1000, %r3; mul.wide.u32 %d2, %r1, 4; "
	    "add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r3; ret; }",
	    1, 40, 0, out, 40);
	for (unsigned t = 0; t < 40; t++) {
		static const unsigned fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};

		assert_int_equal(out[t], t * 1000 + (t < 20 ? t % 11 * 2 : fib[t % 11]));
	}
}

static void test_atomics(void **state)
{
	uint32_t out[12];

	(void)state;
	run(KERNEL "atom.global.add.u32 %r2, [%d1], 1; red.global.max.s32 [%d1+4], %r1; "
		   "atom.global.inc.u32 %r3, [%d1+8], 4; atom.global.cas.b32 %r4, [%d1+12], %r1, 77;\n"
		   "atom.global.add.f32 %r5, [%d1+16], 0f3F000000; red.global.or.b32 [%d1+20], %r1; "
		   "atom.global.min.s32 %r6, [%d1+24], -5; atom.global.exch.b32 %r7, [%d1+28], %r1;\n"
		   "atom.global.dec.u32 %r8, [%d1+36], 9; atom.global.add.u64 %d4, [%d1+40], 0x100000000; "
		   "red.global.xor.b32 [%d1+32], %r2; ret; }",
	    2, 32, 0, out, 12);
	assert_int_equal(out[0], 64);
	assert_int_equal(out[1], 31);
	assert_int_equal(out[2], 64 % 5);
	assert_int_equal(out[3], 77); /* lane 0 found its 0; nobody found 77 */
	assert_int_equal(out[4], 0x42000000); /* 32.0 */
	assert_int_equal(out[5], 31);
	assert_int_equal(out[6], (uint32_t)-5);
	assert_int_equal(out[7], 31);
	assert_int_equal(out[8], 0); /* 0 ^ 1 ^ ... ^ 63 */
	assert_int_equal(out[9], 6); /* 0 wraps to 9: 64 steps of a cycle of 10 */
	assert_int_equal(out[11], 64);
}

static void test_lanes(void **state)
{
	uint32_t out[32];

	(void)state;
	run(KERNEL "shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1; "
		   "shfl.sync.idx.b32 %r4, %r1, 3, 0x1c1f, -1; shfl.sync.up.b32 %r5|%p2, %r1, 2, 0, -1;\n"
		   "setp.gt.u32 %p3, %r1, 29; vote.sync.ballot.b32 %r6, %p3, -1; "
		   "vote.sync.any.pred %p4, %p3, -1; vote.sync.all.pred %p5, %p3, -1;\n"
		   "shr.u32 %r7, %r1, 3; match.any.sync.b32 %r8, %r7, -1; redux.sync.add.s32 %r9, %r1, -1;\n"
		   "setp.ne.u32 %p6, %r6, 0xc0000000; @%p6 trap; @!%p4 trap; @%p5 trap; "
		   "setp.ne.u32 %p6, %r9, 496; @%p6 trap; popc.b32 %r8, %r8; setp.ne.u32 %p6, %r8, 8; "
		   "@%p6 trap;\n"
		   "shl.b32 %r3, %r3, 8; or.b32 %r2, %r2, %r3; shl.b32 %r4, %r4, 16; or.b32 %r2, %r2, %r4; "
		   "@%p1 or.b32 %r2, %r2, 0x80; @!%p2 add.u32 %r5, %r5, 0x40; shl.b32 %r5, %r5, 24; "
		   "or.b32 %r2, %r2, %r5; st.global.u32 [%d3], %r2; ret; }",
	    1, 32, 0, out, 32);
	for (uint32_t l = 0; l < 32; l++) {
		uint32_t down = l < 31 ? (l + 1) | 0x80 : l, up = l < 2 ? l + 0x40 : l - 2;

		/* segments of 4 (mask 0x1c): index 3 of each */
		assert_int_equal(out[l], down | (l ^ 16) << 8 | ((l & 28) + 3) << 16 | up << 24);
	}
	/* lanes that part before a .sync meet at it */
	run(KERNEL "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 0; @%p1 bra EVEN;\n"
		   "add.u32 %r3, %r1, 100; EVEN: shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1; "
		   "st.global.u32 [%d3], %r4; ret; }",
	    1, 32, 0, out, 32);
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], l & 1 ? 0 : l + 1 + 100);
	/* what lanes that left give: nothing, not what they had */
	run(KERNEL "setp.gt.u32 %p1, %r1, 7; @%p1 bra OUT; add.u32 %r3, %r1, 1; "
		   "shfl.sync.down.b32 %r4, %r1, 16, 31, 0xff; add.u32 %r3, %r3, %r4; "
		   "st.global.u32 [%d3], %r3; OUT: ret; }",
	    1, 32, 0, out, 32);
	for (uint32_t l = 0; l < 32; l++)
		assert_int_equal(out[l], l < 8 ? l + 1 : 0);
}

/* Four tiles of eight lanes run an instruction together, each with its own member mask. */
static void test_tiles(void **state)
{
	uint32_t out[32];

	(void)state;
	run(KERNEL "and.b32 %r2, %r1, 24; shl.b32 %r2, 255, %r2; and.b32 %r3, %r1, 1; "
		   "setp.eq.u32 %p1, %r3, 0; setp.lt.u32 %p2, %r1, 12;\n"
		   "redux.sync.add.s32 %r4, %r1, %r2; vote.sync.ballot.b32 %r5, %p1, %r2; "
		   "vote.sync.all.pred %p3, %p2, %r2; vote.sync.any.pred %p4, %p2, %r2; "
		   "match.any.sync.b32 %r6, %r3, %r2; match.all.sync.b32 %r7|%p5, %r3, %r2;\n"
		   "popc.b32 %r6, %r6; shl.b32 %r6, %r6, 8; or.b32 %r4, %r4, %r6; "
		   "and.b32 %r5, %r5, %r2; popc.b32 %r5, %r5; shl.b32 %r5, %r5, 16; or.b32 %r4, %r4, %r5; "
		   "selp.b32 %r5, 0x1000000, 0, %p3; or.b32 %r4, %r4, %r5; "
		   "selp.b32 %r5, 0x2000000, 0, %p4; or.b32 %r4, %r4, %r5; "
		   "selp.b32 %r5, 0x4000000, 0, %p5; or.b32 %r4, %r4, %r5; "
		   "elect.sync %r5|%p1, %r2; sub.u32 %r5, %r5, %r1; shl.b32 %r5, %r5, 28; "
		   "@%p1 or.b32 %r4, %r4, 0x8000000; add.u32 %r4, %r4, %r5; st.global.u32 [%d3], %r4; ret; }",
	    1, 32, 0, out, 32);
	for (uint32_t l = 0; l < 32; l++) {
		uint32_t first = l & 24, sum = 8 * first + 28, all = first == 0, any = first < 12;

		assert_int_equal(out[l], (sum | 4 << 8 | 4 << 16 | all << 24 | any << 25 |
					  (uint32_t)(l == first) << 27) +
						 ((first - l) << 28));
	}
}

static void test_spin_lock(void **state)
{
	uint32_t out[2];

	(void)state;
	/* the holder leaves the loop's path: it must get a turn */
	run(KERNEL "AGAIN: atom.global.cas.b32 %r2, [%d1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra AGAIN;\n"
		   "ld.volatile.global.u32 %r3, [%d1+4]; add.u32 %r3, %r3, 1; "
		   "st.volatile.global.u32 [%d1+4], %r3; membar.gl; atom.global.exch.b32 %r4, [%d1], 0; "
		   "ret; }",
	    2, 64, 0, out, 2);
	assert_int_equal(out[1], 128);
	/* the others spin deeper in calls than the holder, who returns from one after the other */
	run(HEADER
	    ".func (.param .b32 r) take(.param .b64 p) { .reg .b64 %d1; .reg .b32 %r<4>; .reg .pred %p1; "
	    "ld.param.b64 %d1, [p]; AGAIN: nanosleep.u32 10; atom.cas.b32 %r2, [%d1], 0, 1; "
	    "setp.ne.u32 %p1, %r2, 0; @%p1 bra AGAIN; st.param.b32 [r], %r2; ret; }\n"
	    ".func (.param .b32 r) lock(.param .b64 p) { .reg .b64 %d1; .reg .b32 %r<4>; "
	    "ld.param.b64 %d1, [p]; { .param .b32 s; .param .b64 q; st.param.b64 [q], %d1; "
	    "call (s), take, (q); ld.param.b32 %r1, [s]; } st.param.b32 [r], %r1; ret; }\n"
	    ".func free_(.param .b64 p) { .reg .b64 %d1; .reg .b32 %r1; ld.param.b64 %d1, [p]; "
	    "atom.exch.b32 %r1, [%d1], 0; ret; }\n"
	    ".visible .entry k(.param .u64 out) { .reg .b64 %d<4>; .reg .b32 %r<8>; "
	    "ld.param.u64 %d1, [out]; { .param .b32 s; .param .b64 q; st.param.b64 [q], %d1; "
	    "call (s), lock, (q); ld.param.b32 %r1, [s]; }\n"
	    "ld.volatile.u32 %r3, [%d1+4]; add.u32 %r3, %r3, 1; st.volatile.u32 [%d1+4], %r3; "
	    "{ .param .b64 q; st.param.b64 [q], %d1; call free_, (q); } ret; }",
	    2, 64, 0, out, 2);
	assert_int_equal(out[1], 128);
}

static void expect_fault(const char *text, unsigned threads, enum fault_kind kind, const char *part,
			 uint64_t argument)
{
	struct ptx_module *module = parse(text);
	struct fault fault;

	assert_int_equal(run_with(module, &argument, 1, threads, 0, false, &fault), -1);
	assert_int_equal(fault.kind, kind);
	if (!strstr(fault.text, part))
		fail_msg("'%s' is not in '%s'", part, fault.text);
	ptx_free(module);
}

static void test_faults(void **state)
{
	struct allocation *memory = memory_allocate(4096, 512);
	uint64_t host[2] = {0};

	(void)state;
	expect_fault(KERNEL "st.global.u32 [%d1+4100], %r1; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "4 bytes past the end of a 4096-byte allocation", memory->address);
	expect_fault(KERNEL "st.global.u64 [%d1+4096], %d1; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "kernel k, PTX line 7: 8-byte store", memory->address);
	expect_fault(".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out) {\n.reg "
		     ".b64 %d<3>;\n.loc 1 42 3\nld.param.u64 %d1, [out]; ld.global.u32 %d2, [%d1];\nret; "
		     "}\n.file 1 \"dir/a.cu\"\n",
		     1, FAULT_ILLEGAL_ADDRESS, "kernel k, dir/a.cu:42: 4-byte load at 0x0: a null pointer",
		     0);
	expect_fault(KERNEL "ld.global.u32 %r2, [%d1]; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "not an address of the device", (uintptr_t)host);
	expect_fault(KERNEL "ld.global.u32 %r2, [%d1+2]; ret; }", 1, FAULT_MISALIGNED, "multiple of 4",
		     memory->address);
	expect_fault(KERNEL "ld.shared.u32 %r2, [%r1+4]; ret; }", 1, FAULT_ILLEGAL_ADDRESS, "shared", 0);
	expect_fault(KERNEL "trap; ret; }", 1, FAULT_TRAP, "trap", 0);
	expect_fault(KERNEL "frobnicate.f32 %r1, [%d1, {%r1}]; ret; }", 1, FAULT_ILLEGAL_INSTRUCTION,
		     "'frobnicate.f32 %r1, [%d1, {%r1}]' is not supported", 0);
	expect_fault(KERNEL "{ .param .b32 v; call (v), nobody; } ret; }", 1, FAULT_ILLEGAL_INSTRUCTION,
		     "nobody", 0);
	expect_fault(KERNEL "setp.eq.u32 %p1, %r1, 0; @%p1 bra ONE; bar.sync 1; ret; ONE: bar.sync 2; ret; }",
		     64, FAULT_TIMEOUT, "barrier", 0);
	setenv("VFLOW_EMULATOR_TIMEOUT", "0.05", 1);
	expect_fault(KERNEL "L: bra L; }", 1, FAULT_TIMEOUT, "VFLOW_EMULATOR_TIMEOUT", 0);
	unsetenv("VFLOW_EMULATOR_TIMEOUT");
	expect_fault(HEADER ".func f() { call f; ret; } .entry k(.param .u64 a) { call f; ret; }", 1,
		     FAULT_ILLEGAL_ADDRESS, "stack", 0);
	/* the fault names the first thread that did it */
	{
		struct ptx_module *module = parse(
			KERNEL "setp.lt.u32 %p1, %r1, 40; @%p1 ret; ld.global.u32 %r2, [%d1]; ret; }");
		uint64_t null = 0;
		struct fault fault;

		assert_int_equal(run_with(module, &null, 1, 64, 0, false, &fault), -1);
		assert_int_equal(fault.thread[0], 40);
		ptx_free(module);
	}
	memory_release(memory);
}

static const struct gpu_row *settle(struct shadow *shadow, uint32_t context, size_t *count)
{
	const struct gpu_row *rows;

	assert_int_equal(shadow_settle(shadow, context, &rows, count), 0);
	return rows;
}

static void test_observed(void **state)
{
	struct allocation *memory = memory_allocate(1024, 512);
	struct shadow *shadow = shadow_create(false);
	struct ptx_module *module =
		/* lanes 0..15 store 4 bytes each, at 8-byte steps; lane 3 loads; a failed cas */
		parse(KERNEL "setp.ge.u32 %p1, %r1, 16; @%p1 ret; mul.wide.u32 %d4, %r1, 8; "
			     "add.s64 %d4, %d1, %d4; st.global.u32 [%d4], %r1; prefetch.global.L2 [%d1+512]; "
			     "setp.eq.u32 %p2, %r1, 3; @%p2 ld.u8 %r3, [%d1+513]; "
			     "@%p2 atom.global.cas.b32 %r4, [%d1+1020], 1, 2; ret; }");
	const struct gpu_row *rows;
	struct fault fault;
	size_t count;

	(void)state;
	memset((void *)(uintptr_t)memory->address, 0, 1024);
	memory->shadow = shadow_object_create(shadow, 9, 5, (void *)(uintptr_t)memory->address, 1024);
	assert_int_equal(run_with(module, &memory->address, 1, 32, 0, true, &fault), 0);
	rows = settle(shadow, 6, &count);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].access, GPU_READ);
	assert_int_equal(rows[0].bytes, 1 + 4);
	assert_int_equal(rows[0].writer, 5);
	assert_int_equal(rows[1].access, GPU_WRITE);
	assert_int_equal(rows[1].bytes, 16 * 4 + 4);
	/* not observed: no marks */
	assert_int_equal(run_with(module, &memory->address, 1, 32, 0, false, &fault), 0);
	settle(shadow, 7, &count);
	assert_int_equal(count, 0);
	ptx_free(module);
	shadow_object_destroy(memory->shadow);
	shadow_destroy(shadow);
	memory_release(memory);
}

static void test_variables(void **state)
{
	struct ptx_module *module =
		parse(HEADER ".global .align 4 .u32 g[2] = {7, 8};\n.const .align 4 .u32 c = 9;\n"
			     ".visible .entry k(.param .u64 out, .param .align 4 .b8 s[12]) {\n.reg .b32 %r<9>; "
			     ".reg .b64 %d<9>;\nld.param.u64 %d1, [out]; ld.global.u32 %r1, [g+4]; mov.u64 "
			     "%d2, g; ld.global.u32 %r2, [%d2]; ld.const.u32 %r3, [c]; mov.b64 %d3, s; "
			     "ld.param.u32 %r4, [%d3+8]; ld.param.u32 %r5, [s+4];\n"
			     "st.global.u32 [%d1], %r1; st.global.u32 [%d1+4], %r2; st.global.u32 [%d1+8], "
			     "%r3; st.global.u32 [%d1+12], %r4; st.global.u32 [%d1+16], %r5; ret; }");
	struct allocation *memory[3];
	struct {
		uint64_t out;
		uint32_t s[3];
	} parameters = {.s = {1, 2, 3}};
	struct fault fault;
	const uint32_t *out;

	(void)state;
	assert_int_equal(ptx_variable_count(module), 2);
	for (uint32_t n = 0; n < 2; n++) {
		struct ptx_variable *variable = ptx_variable(module, n);

		memory[n] = memory_allocate(variable->size, 512);
		memcpy((void *)(uintptr_t)memory[n]->address, variable->initial, variable->size);
		variable->address = memory[n]->address;
	}
	memory[2] = memory_allocate(20, 512);
	parameters.out = memory[2]->address;
	if (run_with(module, &parameters, 1, 1, 0, false, &fault))
		fail_msg("%s", fault.text);
	out = (const uint32_t *)(uintptr_t)memory[2]->address;
	assert_int_equal(out[0], 8);
	assert_int_equal(out[1], 7);
	assert_int_equal(out[2], 9);
	assert_int_equal(out[3], 3);
	assert_int_equal(out[4], 2);
	for (unsigned n = 0; n < 3; n++)
		memory_release(memory[n]);
	ptx_free(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers), cmocka_unit_test(test_halves),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_floats),	   cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_comparisons), cmocka_unit_test(test_carry),
		cmocka_unit_test(test_predicates), cmocka_unit_test(test_moves),
		cmocka_unit_test(test_divergence), cmocka_unit_test(test_barriers),
		cmocka_unit_test(test_calls),	   cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_lanes),	   cmocka_unit_test(test_tiles),
		cmocka_unit_test(test_spin_lock),
		cmocka_unit_test(test_faults),	   cmocka_unit_test(test_observed),
		cmocka_unit_test(test_variables),
	};

	return cmocka_run_group_tests_name("gpu_interpreter", tests, NULL, NULL);
}
