/*
 * tests/unit/gpu_interpreter.c: what kernels compute.
 *
 * Expected values are worked out from the PTX manual by hand, bit for bit.
 */
#include <stdlib.h>

#include "tests/unit/gpu_run.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

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
	module = gpu_parse(text);
	if (gpu_launch(module, &memory->address, 1, 1, 0, false, &fault))
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
		{"cvt.pack.sat.u8.s32.b32", 32, 32, 32, 32, 256, 0xffffffff, 0x12345678,
		 0x5678ff00},
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
		{"cvt.rni.s32.f32", 32, 32, 0, 0, 0x40200000, 0, 0, 2},          /* 2.5: to even */
		{"cvt.rzi.s32.f32", 32, 32, 0, 0, 0x4f000000, 0, 0, 0x7fffffff}, /* 2^31 */
		{"cvt.rzi.s32.f32", 32, 32, 0, 0, 0xff800000, 0, 0, MIN32},
		{"cvt.rzi.u32.f32", 32, 32, 0, 0, 0xbf800000, 0, 0, 0},
		{"cvt.rzi.u32.f32", 32, 32, 0, 0, F_INF, 0, 0, 0xffffffff},
		{"cvt.rzi.s32.f32", 32, 32, 0, 0, 0x7fc00000, 0, 0, 0},
		{"cvt.rzi.s64.f64", 64, 64, 0, 0, 0x7ff8000000000000, 0, 0, MIN64},
		{"cvt.rzi.u64.f64", 64, 64, 0, 0, 0x43f0000000000000, 0, 0, ONES64}, /* 2^64 */
		{"cvt.rzi.u64.f64", 64, 64, 0, 0, 0x43e0000000000000, 0, 0, MIN64},  /* 2^63 */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),    cmocka_unit_test(test_halves),
		cmocka_unit_test(test_bits),        cmocka_unit_test(test_floats),
		cmocka_unit_test(test_conversions), cmocka_unit_test(test_comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
