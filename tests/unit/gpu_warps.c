/*
 * tests/unit/gpu_warps.c: what kernels do: lanes part and meet, call, wait, see each other, fault.
 */
#include <stdlib.h>

#include "gpu/analysis/shadow.h"
#include "tests/unit/gpu_run.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

/* As gpu_run_words(), without a fault. */
static void run(const char *text, unsigned blocks, unsigned threads, unsigned shared, uint32_t *out,
		unsigned count)
{
	const struct launch launch = {
		.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .dynamic_shared_bytes = shared};
	struct fault fault;

	if (gpu_run_words(text, launch, out, count, &fault))
		fail_msg("%s", fault.text);
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
	run(KERNEL
	    "mov.u32 %r2, -1; add.cc.u32 %r3, %r2, 1; addc.u32 %r4, %r2, 5; st.global.u32 [%d1], "
	    "%r4; sub.cc.u32 %r5, 0, 1; subc.u32 %r6, 7, 0; st.global.u32 [%d1+4], %r6; ret; }",
	    1, 1, 0, out, 2);
	assert_int_equal(out[0], 5);
	assert_int_equal(out[1], 6);
	/* addc after sub.cc adds 1 where nothing was borrowed */
	run(KERNEL
	    "sub.cc.u32 %r3, 5, 5; addc.u32 %r4, 10, 0; sub.cc.u32 %r3, 5, 6; addc.u32 %r5, 10, 0; "
	    "st.global.v2.u32 [%d1], {%r4, %r5}; ret; }",
	    1, 1, 0, out, 2);
	assert_int_equal(out[0], 11);
	assert_int_equal(out[1], 10);
	/* 0xffffffff^2 + 0xffffffff = 0xffffffff_00000000 by madc */
	run(KERNEL
	    "mov.u32 %r2, -1; mad.lo.cc.u32 %r3, %r2, %r2, %r2; madc.hi.u32 %r4, %r2, %r2, 0; "
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

		assert_int_equal(out[l], (two && p) | (!two && p) << 1 | !p << 2 | (p && two) << 3 |
						 (!(p && two) != p) << 4);
	}
}

static void test_moves(void **state)
{
	uint32_t out[8];

	(void)state;
	run(KERNEL
	    "mov.b64 %d4, {0x11112222, 0x33334444}; mov.b64 {%r2, %r3}, %d4; "
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
	assert_int_equal(out[6], 0x3f800000); /* 1.0 */
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
	run(HEADER
	    ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<9>; .reg .b64 %d<5>; .reg .pred "
	    "%p<3>; .shared .align 4 .b8 s[384];\n"
	    "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; "
	    "add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1; bar.sync 0;\n"
	    "sub.s32 %r5, 380, %r2; add.s32 %r5, %r5, %r3; ld.shared.u32 %r6, [%r5];\n"
	    "setp.lt.u32 %p1, %r1, 40; bar.red.popc.u32 %r7, 0, %p1; bar.red.or.pred %p2, 1, "
	    "!%p1;\n"
	    "@!%p2 trap; mad.lo.u32 %r6, %r7, 1000, %r6; mul.wide.u32 %d2, %r1, 4; "
	    "add.s64 %d3, %d1, %d2; st.global.u32 [%d3], %r6; ret; }",
	    1, 96, 0, out, 96);
	for (unsigned t = 0; t < 96; t++)
		assert_int_equal(out[t], 40000 + 95 - t);
	/* dynamic shared memory, and generic pointers to it */
	run(HEADER
	    ".extern .shared .align 16 .b8 s[];\n.visible .entry k(.param .u64 out) {\n.reg .b32 "
	    "%r<9>; .reg .b64 %d<9>; .shared .b32 x;\nld.param.u64 %d1, [out]; mov.u32 %r1, "
	    "%tid.x; "
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
	    ".func (.param .b32 r) twice(.param .b32 n) {\n.reg .b32 %r<9>;\nld.param.u32 %r1, "
	    "[n]; "
	    "add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n"
	    ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred "
	    "%p;\n"
	    ".local .align 4 .b8 depot[16];\n"
	    "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; rem.u32 %r2, %r1, 11;\n"
	    "mov.u64 %d5, depot; cvta.local.u64 %d6, %d5; st.u32 [%d6+8], %r1;\n"
	    "mov.u64 %d4, fib; setp.lt.u32 %p, %r1, 20; @%p mov.u64 %d4, twice;\n"
	    "{ .param .b32 a; .param .b32 v; st.param.b32 [a+0], %r2; P: .callprototype (.param "
	    ".b32 _) "
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
	run(KERNEL
	    "atom.global.add.u32 %r2, [%d1], 1; red.global.max.s32 [%d1+4], %r1; "
	    "atom.global.inc.u32 %r3, [%d1+8], 4; atom.global.cas.b32 %r4, [%d1+12], %r1, 77;\n"
	    "atom.global.add.f32 %r5, [%d1+16], 0f3F000000; red.global.or.b32 [%d1+20], %r1; "
	    "atom.global.min.s32 %r6, [%d1+24], -5; atom.global.exch.b32 %r7, [%d1+28], %r1;\n"
	    "atom.global.dec.u32 %r8, [%d1+36], 9; atom.global.add.u64 %d4, [%d1+40], 0x100000000; "
	    "red.global.xor.b32 [%d1+32], %r2; ret; }",
	    2, 32, 0, out, 12);
	assert_int_equal(out[0], 64);
	assert_int_equal(out[1], 31);
	assert_int_equal(out[2], 64 % 5);
	assert_int_equal(out[3], 77);         /* lane 0 found its 0; nobody found 77 */
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
	run(KERNEL
	    "shfl.sync.down.b32 %r2|%p1, %r1, 1, 31, -1; shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1; "
	    "shfl.sync.idx.b32 %r4, %r1, 3, 0x1c1f, -1; shfl.sync.up.b32 %r5|%p2, %r1, 2, 0, -1;\n"
	    "setp.gt.u32 %p3, %r1, 29; vote.sync.ballot.b32 %r6, %p3, -1; "
	    "vote.sync.any.pred %p4, %p3, -1; vote.sync.all.pred %p5, %p3, -1;\n"
	    "shr.u32 %r7, %r1, 3; match.any.sync.b32 %r8, %r7, -1; redux.sync.add.s32 %r9, %r1, "
	    "-1;\n"
	    "setp.ne.u32 %p6, %r6, 0xc0000000; @%p6 trap; @!%p4 trap; @%p5 trap; "
	    "setp.ne.u32 %p6, %r9, 496; @%p6 trap; popc.b32 %r8, %r8; setp.ne.u32 %p6, %r8, 8; "
	    "@%p6 trap;\n"
	    "shl.b32 %r3, %r3, 8; or.b32 %r2, %r2, %r3; shl.b32 %r4, %r4, 16; or.b32 %r2, %r2, "
	    "%r4; "
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
	run(KERNEL
	    "and.b32 %r2, %r1, 24; shl.b32 %r2, 255, %r2; and.b32 %r3, %r1, 1; "
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
	    "@%p1 or.b32 %r4, %r4, 0x8000000; add.u32 %r4, %r4, %r5; st.global.u32 [%d3], %r4; "
	    "ret; }",
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
	run(KERNEL
	    "AGAIN: atom.global.cas.b32 %r2, [%d1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra "
	    "AGAIN;\n"
	    "ld.volatile.global.u32 %r3, [%d1+4]; add.u32 %r3, %r3, 1; "
	    "st.volatile.global.u32 [%d1+4], %r3; membar.gl; atom.global.exch.b32 %r4, [%d1], 0; "
	    "ret; }",
	    2, 64, 0, out, 2);
	assert_int_equal(out[1], 128);
	/* the others spin deeper in calls than the holder, who returns from one after the other */
	run(HEADER
	    ".func (.param .b32 r) take(.param .b64 p) { .reg .b64 %d1; .reg .b32 %r<4>; .reg "
	    ".pred %p1; "
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
	struct ptx_module *module = gpu_parse(text);
	struct fault fault;

	assert_int_equal(gpu_launch(module, &argument, 1, threads, 0, false, &fault), -1);
	assert_int_equal(fault.kind, kind);
	if (!strstr(fault.text, part))
		fail_msg("'%s' is not in '%s'", part, fault.text);
	ptx_free(module);
}

static void test_faults(void **state)
{
	struct allocation *memory = memory_allocate(4096, 512);
	struct allocation *odd = memory_allocate(4095, 512);
	uint64_t host[2] = {0};

	(void)state;
	expect_fault(KERNEL "st.global.u32 [%d1+4092], %r1; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "its last 1 byte is past the end of a 4095-byte allocation", odd->address);
	memory_release(odd);
	expect_fault(KERNEL "st.global.u32 [%d1+4100], %r1; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "4 bytes past the end of a 4096-byte allocation", memory->address);
	expect_fault(KERNEL "st.global.u8 [%d1+4097], %r1; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "1 byte past the end of a 4096-byte allocation", memory->address);
	expect_fault(KERNEL "st.global.u64 [%d1+4096], %d1; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "kernel k, PTX line 7: 8-byte store", memory->address);
	expect_fault(KERNEL "st.global.u32 [%d1+4096], %r1; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     ": right past the end of a 4096-byte allocation", memory->address);
	expect_fault(
		".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out) {\n.reg "
		".b64 %d<3>;\n.loc 1 42 3\nld.param.u64 %d1, [out]; ld.global.u32 %d2, "
		"[%d1];\nret; "
		"}\n.file 1 \"dir/a.cu\"\n",
		1, FAULT_ILLEGAL_ADDRESS,
		"kernel k, dir/a.cu:42: 4-byte load at 0x0: a null pointer", 0);
	expect_fault(KERNEL "ld.global.u32 %r2, [%d1]; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "not an address of the device", (uintptr_t)host);
	expect_fault(KERNEL "ld.global.u32 %r2, [%d1+2]; ret; }", 1, FAULT_MISALIGNED,
		     "multiple of 4", memory->address);
	expect_fault(KERNEL "ld.shared.u32 %r2, [%r1+4]; ret; }", 1, FAULT_ILLEGAL_ADDRESS,
		     "shared", 0);
	expect_fault(KERNEL "trap; ret; }", 1, FAULT_TRAP, "trap", 0);
	expect_fault(KERNEL "frobnicate.f32 %r1, [%d1, {%r1}]; ret; }", 1,
		     FAULT_ILLEGAL_INSTRUCTION,
		     "'frobnicate.f32 %r1, [%d1, {%r1}]' is not supported", 0);
	expect_fault(KERNEL "{ .param .b32 v; call (v), nobody; } ret; }", 1,
		     FAULT_ILLEGAL_INSTRUCTION, "nobody", 0);
	expect_fault(
		KERNEL
		"setp.eq.u32 %p1, %r1, 0; @%p1 bra ONE; bar.sync 1; ret; ONE: bar.sync 2; ret; }",
		64, FAULT_TIMEOUT, "barrier", 0);
	setenv("VFLOW_EMULATOR_TIMEOUT", "0.05", 1);
	expect_fault(KERNEL "L: bra L; }", 1, FAULT_TIMEOUT, "VFLOW_EMULATOR_TIMEOUT", 0);
	unsetenv("VFLOW_EMULATOR_TIMEOUT");
	expect_fault(HEADER ".func f() { call f; ret; } .entry k(.param .u64 a) { call f; ret; }",
		     1, FAULT_ILLEGAL_ADDRESS, "stack", 0);
	/* the fault names the first thread that did it */
	{
		struct ptx_module *module = gpu_parse(
			KERNEL
			"setp.lt.u32 %p1, %r1, 40; @%p1 ret; ld.global.u32 %r2, [%d1]; ret; }");
		uint64_t null = 0;
		struct fault fault;

		assert_int_equal(gpu_launch(module, &null, 1, 64, 0, false, &fault), -1);
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
		gpu_parse(KERNEL "setp.ge.u32 %p1, %r1, 16; @%p1 ret; mul.wide.u32 %d4, %r1, 8; "
				 "add.s64 %d4, %d1, %d4; st.global.u32 [%d4], %r1; "
				 "prefetch.global.L2 [%d1+512]; "
				 "setp.eq.u32 %p2, %r1, 3; @%p2 ld.u8 %r3, [%d1+513]; "
				 "@%p2 atom.global.cas.b32 %r4, [%d1+1020], 1, 2; ret; }");
	const struct gpu_row *rows;
	struct fault fault;
	size_t count;

	(void)state;
	memset((void *)(uintptr_t)memory->address, 0, 1024);
	memory->shadow =
		shadow_object_create(shadow, 9, 5, (void *)(uintptr_t)memory->address, 1024);
	assert_int_equal(gpu_launch(module, &memory->address, 1, 32, 0, true, &fault), 0);
	rows = settle(shadow, 6, &count);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].access, GPU_READ);
	assert_int_equal(rows[0].bytes, 1 + 4);
	assert_int_equal(rows[0].writer, 5);
	assert_int_equal(rows[1].access, GPU_WRITE);
	assert_int_equal(rows[1].bytes, 16 * 4 + 4);
	/* not observed: no marks */
	assert_int_equal(gpu_launch(module, &memory->address, 1, 32, 0, false, &fault), 0);
	settle(shadow, 7, &count);
	assert_int_equal(count, 0);
	ptx_free(module);
	shadow_object_destroy(memory->shadow);
	shadow_destroy(shadow);
	memory_release(memory);
}

static void test_variables(void **state)
{
	struct ptx_module *module = gpu_parse(
		HEADER
		".global .align 4 .u32 g[2] = {7, 8};\n.const .align 4 .u32 c = 9;\n"
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
	if (gpu_launch(module, &parameters, 1, 1, 0, false, &fault))
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
		cmocka_unit_test(test_carry),     cmocka_unit_test(test_predicates),
		cmocka_unit_test(test_moves),     cmocka_unit_test(test_divergence),
		cmocka_unit_test(test_barriers),  cmocka_unit_test(test_calls),
		cmocka_unit_test(test_atomics),   cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_tiles),     cmocka_unit_test(test_spin_lock),
		cmocka_unit_test(test_faults),    cmocka_unit_test(test_observed),
		cmocka_unit_test(test_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
