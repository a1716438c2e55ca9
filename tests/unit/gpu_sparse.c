/*
 * tests/unit/gpu_sparse.c: mma.sp.  The test makes a matrix of which half is zeros, leaves them out
 * as the PTX ISA says, and multiplies the whole one itself.
 */
#include "tests/unit/gpu_run.h"

#define M 16u
#define N 8u
#define MOST_K 64u

struct shape {
	const char *opcode;
	unsigned k, bits;  /* of an element */
	unsigned selector; /* the lanes of a quad with metadata */
	unsigned lanes;    /* how many those are */
};

static int a[M][MOST_K], b[MOST_K][N];
static uint32_t registers_a[4][32], registers_b[4][32], words[32];

static uint32_t encoded(const struct shape *shape, int value)
{
	static const uint16_t halves[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};

	return shape->bits == 8 ? (uint8_t)value : halves[value + 3];
}

/* Two of four elements: which, by the number of the row and of the four. */
static void choose(unsigned row, unsigned block, unsigned index[2])
{
	static const unsigned char pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

	index[0] = pairs[(row * 5 + block) % 6][0];
	index[1] = pairs[(row * 5 + block) % 6][1];
}

static void make(const struct shape *shape)
{
	const unsigned parts = 32 / shape->bits, blocks = shape->k / 4;

	memset(a, 0, sizeof(a));
	memset(registers_a, 0, sizeof(registers_a));
	memset(registers_b, 0, sizeof(registers_b));
	/* words that nobody looks at are no metadata */
	memset(words, 0xff, sizeof(words));
	for (unsigned lane = 0; lane < 32; lane++)
		if (lane % 4 / shape->lanes == shape->selector)
			words[lane] = 0;
	for (unsigned row = 0; row < M; row++)
		for (unsigned block = 0; block < blocks; block++) {
			unsigned index[2], lane, shift;

			choose(row, block, index);
			if (shape->bits == 8) { /* eight of one row in each lane */
				lane = row % 8 * 4 + shape->selector * shape->lanes +
				       block / 8 * 2 + row / 8;
				shift = block % 8 * 4;
			} else { /* four of row g, four of row g + 8 */
				lane = row % 8 * 4 + shape->selector * shape->lanes + block / 4;
				shift = row / 8 * 16 + block % 4 * 4;
			}
			words[lane] |= (index[0] | index[1] << 2) << shift;
			for (unsigned n = 0; n < 2; n++) {
				const int value = (int)((row + 3 * block + n) % 5) - 2;
				const unsigned column = 2 * block + n; /* of those that are there */
				const unsigned part = column % parts, thread = column / parts % 4;
				const unsigned r = column / parts / 4 * 2 + row / 8;

				a[row][4 * block + index[n]] = value;
				registers_a[r][row % 8 * 4 + thread] |= encoded(shape, value)
									<< part * shape->bits;
			}
		}
	for (unsigned k = 0; k < shape->k; k++)
		for (unsigned n = 0; n < N; n++) {
			b[k][n] = (int)((2 * k + 3 * n) % 7) - 3;
			registers_b[k / parts / 4][n * 4 + k / parts % 4] |=
				encoded(shape, b[k][n]) << k % parts * shape->bits;
		}
}

/* Words of lanes are in memory behind the results: a, b, metadata, 32 words for each register. */
static void check(const struct shape *shape)
{
	static char text[65536];
	const bool half = shape->k * shape->bits == 256; /* two registers each, not four */
	uint32_t out[128 + 9 * 32];
	size_t used;

	make(shape);
	used = (size_t)snprintf(text, sizeof(text), "%s%s", GPU_HEADER, GPU_KERNEL);
	for (unsigned r = 0; r < 9; r++)
		for (unsigned lane = 0; lane < 32; lane++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "st.global.u32 [%%d1+%u], 0x%x;\n",
						 512 + (r * 32 + lane) * 4,
						 r < 4   ? registers_a[r][lane]
						 : r < 8 ? registers_b[r - 4][lane]
							 : words[lane]);
	for (unsigned r = 0; r < 9; r++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "ld.global.u32 %%r%u, [%%d3+%u];\n", 10 + r,
					 512 + r * 128);
	snprintf(text + used, sizeof(text) - used,
		 "mov.b32 %%r20, 0; %s {%%r21, %%r22, %%r23, %%r24}, {%s}, {%s}, "
		 "{%%r20, %%r20, %%r20, %%r20}, %%r18, %u;\n"
		 "mul.wide.u32 %%d6, %%r1, 16; add.u64 %%d6, %%d6, %%d1; "
		 "st.global.v4.b32 [%%d6], {%%r21, %%r22, %%r23, %%r24}; ret; }",
		 shape->opcode, half ? "%r10, %r11" : "%r10, %r11, %r12, %r13",
		 half ? "%r14, %r15" : "%r14, %r15, %r16, %r17", shape->selector);
	assert_string_equal(gpu_run(text, 1, 32, 1, out, sizeof(out) / 4), "");
	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned n = 0; n < 4; n++) {
			const unsigned row = lane / 4 + n / 2 * 8, column = lane % 4 * 2 + n % 2;
			int sum = 0, got = (int)out[4 * lane + n];
			float single;

			for (unsigned k = 0; k < shape->k; k++)
				sum += a[row][k] * b[k][column];
			memcpy(&single, &out[4 * lane + n], 4);
			if (shape->bits == 16)
				got = (int)single;
			if (got != sum)
				fail_msg("%s, selector %u: row %u column %u: %d, expected %d",
					 shape->opcode, shape->selector, row, column, got, sum);
		}
}

static void test_shapes(void **state)
{
	static const struct shape shapes[] = {
		{"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 16,
		 0, 1},
		{"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 16, 3, 1},
		{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 32, 16,
		 0, 2},
		{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 32, 16,
		 1, 2},
		{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32, 8, 1,
		 2},
		{"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32, 8, 0,
		 2},
		{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 64, 8, 0,
		 4},
	};

	(void)state;
	for (size_t n = 0; n < sizeof(shapes) / sizeof(*shapes); n++)
		check(&shapes[n]);
}

static void test_refused(void **state)
{
	static const char *const forms[] = {
		"mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, "
		"%r6}, "
		"{%r7, %r8}, {%r1, %r2, %r3, %r4}, %r9, 0;",
		"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, "
		"%r6}, "
		"{%r7, %r8}, {%r1, %r2, %r3, %r4}, %r9, 4;",
		"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, "
		"%r6}, "
		"{%r7, %r8}, {%r1, %r2, %r3, %r4};",
	};
	char text[2048];
	uint32_t out[4];

	(void)state;
	for (size_t n = 0; n < sizeof(forms) / sizeof(*forms); n++) {
		snprintf(text, sizeof(text), "%s%s%s ret; }", GPU_HEADER, GPU_KERNEL, forms[n]);
		assert_non_null(strstr(gpu_run(text, 1, 32, 1, out, 4),
				       "is not supported by the emulator"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
