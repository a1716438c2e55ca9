/*
 * tests/unit/stalls_stride.c: how far apart neighbouring threads access memory.
 *
 * The listings of tests/gpu/sass/ and made up ones; strides were worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/stalls/stride.h"
#include "tests/unit/sass_fixture.h"

static void assert_stride(const struct flow *flow, uint32_t offset, enum stride_kind kind,
			  int64_t bytes, unsigned size, unsigned ways)
{
	struct stride stride = stride_find(flow, offset / 16);

	assert_int_equal(stride.kind, kind);
	assert_int_equal(stride.bytes, bytes);
	assert_int_equal(stride.size, size);
	assert_int_equal(stride_conflicts(&stride), ways);
}

static void test_listing(void **state)
{
	struct sass_listing *listing = read_listing("flow.sm_90");
	struct error error;
	struct flow *flow = flow_build(sass_find(listing, "triad"), &error);

	(void)state;
	/* b[i], c[i] and a[i], of i = blockIdx.x * blockDim.x + threadIdx.x */
	assert_stride(flow, 0xb0, STRIDE_KNOWN, 4, 4, 1);
	assert_stride(flow, 0xd0, STRIDE_KNOWN, 4, 4, 1);
	assert_stride(flow, 0x100, STRIDE_KNOWN, 4, 4, 1);
	flow_free(flow);
	flow = flow_build(sass_find(listing, "choose"), &error);
	assert_stride(flow, 0xf0, STRIDE_KNOWN, 0, 4, 1);  /* a[k]: of all threads */
	assert_stride(flow, 0x130, STRIDE_DATA, 0, 4, 1);  /* a[a[k]] */
	assert_stride(flow, 0x1b0, STRIDE_KNOWN, 4, 4, 1); /* a[threadIdx.x] */
	flow_free(flow);
	sass_free(listing);
}

static void check(const char *lines, uint32_t instruction, enum stride_kind kind, int64_t bytes,
		  unsigned size, unsigned ways)
{
	struct sass_listing *listing;
	struct flow *flow = make_flow(lines, &listing);

	assert_stride(flow, 16 * instruction, kind, bytes, size, ways);
	flow_free(flow);
	sass_free(listing);
}

#define TID "S2R R0, SR_TID.X|0|\n"

static void test_made(void **state)
{
	(void)state;
	/* rows of 128 bytes: all want one bank; one element more, and none do */
	check(TID "IMAD R1, R0, 0x80, RZ|1|0\nLDS R2, [R1+0x8]|2|1\nEXIT||", 2, STRIDE_KNOWN, 128,
	      4, 32);
	check(TID "IMAD R1, R0, 0x84, RZ|1|0\nLDS R2, [R1]|2|1\nEXIT||", 2, STRIDE_KNOWN, 132, 4,
	      1);
	check(TID "SHF.L.U32 R1, R0, 0x3, RZ|1|0\nLDS R2, [R1]|2|1\nEXIT||", 2, STRIDE_KNOWN, 8, 4,
	      2);
	/* threadIdx.x % 32 */
	check(TID "LOP3.LUT R1, R0, 0x1f, RZ, 0xc0, !PT|1|0\nLEA R1, R1, UR4, 0x7|1|1\n"
		  "LDS R2, [R1]|2|1\nEXIT||",
	      3, STRIDE_KNOWN, 128, 4, 32);
	/* ... % 8: some go back */
	check(TID "LOP3.LUT R1, R0, 0x7, RZ, 0xc0, !PT|1|0\nLDS R2, [R1]|2|1\nEXIT||", 2,
	      STRIDE_UNKNOWN, 0, 4, 1);
	/* by what the launch says */
	check(TID "IMAD R1, R0, c[0x0][0x210], RZ|1|0\nLDG.E.64 R2, desc[UR4][R1.64]|23|1\nEXIT||",
	      2, STRIDE_RUNTIME, 0, 8, 1);
	/* backwards: threadIdx.x is taken away */
	check(TID "IADD3 R1, R3, -R0, RZ|1|03\nSHF.L.U32 R1, R1, 0x2, RZ|1|1\n"
		  "LDS.U8 R2, [R1]|2|1\nEXIT||",
	      3, STRIDE_UNKNOWN, 0, 1, 1); /* R3 is of nobody */
	check(TID "LDC R3, c[0x0][0x210]|3|\nIADD3 R1, R3, -R0, RZ|1|03\n"
		  "SHF.L.U32 R1, R1, 0x2, RZ|1|1\nLDS.U8 R2, [R1]|2|1\nEXIT||",
	      4, STRIDE_KNOWN, -4, 1, 1);
	/* a loop that goes on by the same for all */
	check(TID "IMAD R1, R0, 0x4, RZ|1|0\n.L_a:\nLDS R2, [R1]|2|1\nIADD3 R1, R1, 0x80, RZ|1|1\n"
		  "@P0 BRA `(.L_a)||\nEXIT||",
	      2, STRIDE_KNOWN, 4, 4, 1);
	/* ... by threadIdx.x */
	check(TID "IMAD R1, R0, 0x4, RZ|1|0\n.L_a:\nLDS R2, [R1]|2|1\nIADD3 R1, R1, R0, RZ|1|01\n"
		  "@P0 BRA `(.L_a)||\nEXIT||",
	      2, STRIDE_UNKNOWN, 0, 4, 1);
	/* ... that doubles it */
	check(TID
	      "IMAD R1, R0, 0x4, RZ|1|0\n.L_a:\nLDS R2, [R1]|2|1\nSHF.L.U32 R1, R1, 0x1, RZ|1|1\n"
	      "@P0 BRA `(.L_a)||\nEXIT||",
	      2, STRIDE_UNKNOWN, 0, 4, 1);
	/* what is made of what all have in common */
	check("LDC R0, c[0x0][0x210]|0|\nPOPC R1, R0|1|0\nLDS R2, [R1]|2|1\nEXIT||", 2,
	      STRIDE_KNOWN, 0, 4, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listing),
		cmocka_unit_test(test_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
