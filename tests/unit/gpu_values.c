/*
 * What kernels load and store (pass `values`): the statistics, the counts of values, their types in
 * PTX, and what the interpreter finds in kernels whose values were worked out by hand.
 */
#include "tests/unit/gpu_run.h"

#include <math.h>
#include <stdlib.h>

#include "gpu/analysis/value_record.h"
#include "gpu/emulator/interpreter/values.h"

static uint64_t bits_f32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* -- statistics ------------------------------------------------------------------------------ */

/* Elements of an object, in the order of `indices`. */
static struct value_stats stats_of(unsigned type, const uint64_t *bits, const unsigned *indices,
				   unsigned count)
{
	const unsigned size = value_size(type);
	struct value_stats stats = value_stats_none(type, bits[0], indices ? indices[0] * size : 0);

	for (unsigned n = 0; n < count; n++)
		value_stats_add(&stats, type, bits[n], (indices ? indices[n] : n) * size, false);
	return stats;
}

static struct gpu_values record_of(unsigned type, const uint64_t *bits, const unsigned *indices,
				   unsigned count)
{
	const struct value_stats stats = stats_of(type, bits, indices, count);
	struct value_counts counts = {0};
	struct gpu_values record;

	for (unsigned n = 0; n < count; n++)
		value_counts_add(&counts, bits[n], 1);
	record = value_record(&stats, &counts, 0, GPU_VALUE_LOAD, type);
	value_counts_release(&counts);
	return record;
}

static void test_integers(void **state)
{
	static const uint64_t bytes[] = {0xff, 0x01, 0x00, 0x80}; /* as s8: -1 1 0 -128 */
	struct gpu_values record = record_of(GPU_VALUE_S8, bytes, NULL, 4);

	(void)state;
	assert_int_equal(record.count, 4);
	assert_int_equal(record.zeros, 1);
	assert_int_equal((int64_t)record.least, -128);
	assert_int_equal((int64_t)record.most, 1);
	assert_int_equal(record.all, 0);
	assert_int_equal(record.any, 0xff);
	assert_int_equal(record.distinct, 4);
	assert_int_equal(record.flags, GPU_VALUES_RANGE);
	record = record_of(GPU_VALUE_U8, bytes, NULL, 4);
	assert_int_equal(record.least, 0);
	assert_int_equal(record.most, 255);
}

static void test_floats(void **state)
{
	uint64_t bits[] = {bits_f32(-1.5f), bits_f32(INFINITY), bits_f32(2.5f), bits_f32(NAN)};
	struct gpu_values record = record_of(GPU_VALUE_F32, bits, NULL, 4);

	(void)state;
	assert_true(value_double_of(record.least) == -1.5);
	assert_true(value_double_of(record.most) == 2.5);
	/* a NaN fits nothing */
	assert_int_equal(record.fits, 0);
	record = record_of(GPU_VALUE_F32, bits, NULL, 3);
	/* -1.5, infinity and 2.5 are halves and brain floats, but no integers */
	assert_int_equal(record.fits, 1 << GPU_VALUE_FITS_F16 | 1 << GPU_VALUE_FITS_BF16 |
					      1 << GPU_VALUE_FITS_F32);
	/* differences to the least: 0 and 4 */
	assert_true(value_double_of(record.sum) == 4);
	assert_true(value_double_of(record.squares) == 16);
}

static void test_fits(void **state)
{
	static const struct {
		double value;
		uint32_t fits;
	} cases[] = {
		{0, 15},
		{-0.0, 14}, /* an integer has no sign then */
		{1, 15},
		{65504,
		 1 << 0 | 1 << 1 | 1 << 3}, /* the largest half; 11 bits are too many for 8 */
		{65505, 1 << 0 | 1 << 3},
		{65536, 1 << 0 | 1 << 2 | 1 << 3}, /* beyond a half */
		{0x1p-24, 14},                     /* the smallest half */
		{0x1p-25, 1 << 2 | 1 << 3},
		{0.1, 0}, /* needs all 52 bits */
		{0.1f, 1 << 3},
		{0x1p-149, 1 << 3},          /* the smallest float */
		{0x1p-133, 1 << 2 | 1 << 3}, /* the smallest brain float */
		{0x1p128, 0},                /* too large for all, and not of 53 bits */
		{9007199254740992.0, 1 << 0 | 1 << 2 | 1 << 3},
		{3000000001.0, 1 << 0}, /* needs 32 bits */
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++)
		assert_int_equal(~value_misfits(cases[n].value) & 15, cases[n].fits);
}

static void test_halves(void **state)
{
	static const struct {
		uint32_t bits;
		double value;
	} cases[] = {{0x3c00, 1},       {0xc000, -2},      {0x7bff, 65504},
		     {0x0001, 0x1p-24}, {0x0400, 0x1p-14}, {0x3555, 0x1.554p-2}};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++)
		assert_true(value_half_of(cases[n].bits) == cases[n].value);
	assert_true(isinf(value_half_of(0xfc00)));
	assert_true(isnan(value_half_of(0x7e00)));
}

/* a * i + b in any order; one element off, and there is none. */
static void test_integer_lines(void **state)
{
	const unsigned indices[] = {5, 2, 9, 0, 2};
	uint64_t bits[5];
	struct gpu_values record;

	(void)state;
	for (unsigned n = 0; n < 5; n++)
		bits[n] = (uint32_t)(-3 * (int)indices[n] + 7);
	record = record_of(GPU_VALUE_S32, bits, indices, 5);
	assert_true(record.flags & GPU_VALUES_LINEAR);
	assert_int_equal((int64_t)record.slope, -3);
	assert_int_equal((int64_t)record.intercept, 7);
	bits[2]++;
	record = record_of(GPU_VALUE_S32, bits, indices, 5);
	assert_false(record.flags & GPU_VALUES_LINEAR);
	/* two values at one index */
	bits[2]--;
	bits[4]++;
	assert_false(record_of(GPU_VALUE_S32, bits, indices, 5).flags & GPU_VALUES_LINEAR);
	/* level: a single value is no line; and one index is none */
	for (unsigned n = 0; n < 5; n++)
		bits[n] = 4;
	assert_false(record_of(GPU_VALUE_S32, bits, indices, 5).flags & GPU_VALUES_LINEAR);
	assert_false(record_of(GPU_VALUE_S32, bits, indices, 1).flags & GPU_VALUES_LINEAR);
	/* the least number's difference, and a distance of -1 */
	bits[0] = 0;
	bits[1] = UINT64_C(1) << 63;
	record = record_of(GPU_VALUE_S64, bits, (const unsigned[]){1, 0}, 2);
	assert_true(record.flags & GPU_VALUES_LINEAR);
	assert_int_equal(record.slope, UINT64_C(1) << 63);
}

static void test_float_lines(void **state)
{
	enum { COUNT = 1000 };
	uint64_t *bits = calloc(COUNT, sizeof(*bits));
	struct gpu_values record;

	(void)state;
	for (unsigned n = 0; n < COUNT; n++)
		bits[n] = bits_f32(0.1f * (float)n + 2.5f);
	record = record_of(GPU_VALUE_F32, bits, NULL, COUNT);
	assert_true(record.flags & GPU_VALUES_LINEAR);
	assert_true(fabs(value_double_of(record.slope) - 0.1) < 1e-6);
	assert_true(fabs(value_double_of(record.intercept) - 2.5) < 1e-6);
	/* 5 units in the last place off: no line is within 2 of all */
	bits[700] += 5;
	assert_false(record_of(GPU_VALUE_F32, bits, NULL, COUNT).flags & GPU_VALUES_LINEAR);
	/* a slope of a hundredth of an ulp cannot be told from none */
	for (unsigned n = 0; n < COUNT; n++)
		bits[n] = bits_f32(1.0f);
	assert_false(record_of(GPU_VALUE_F32, bits, NULL, COUNT).flags & GPU_VALUES_LINEAR);
	free(bits);
}

/* Parts are joined to what the whole is. */
static void test_join(void **state)
{
	uint64_t bits[90];
	struct value_stats whole, parts[3];
	struct value_counts all = {0}, counts[3] = {{0}};
	struct gpu_values left, right;

	(void)state;
	for (unsigned type = 0; type < GPU_VALUE_TYPES; type++) {
		for (unsigned n = 0; n < 90; n++)
			bits[n] = type == GPU_VALUE_F32   ? bits_f32(0.25f * (float)n)
				  : value_size(type) == 8 ? value_bits_of(0.5 * n)
							  : n * 2;
		whole = value_stats_none(type, bits[0], 0);
		for (unsigned n = 0; n < 90; n++) {
			struct value_stats *part = &parts[n / 30];

			if (n % 30 == 0)
				*part = value_stats_none(type, bits[0], 0);
			value_stats_add(part, type, bits[n], n * value_size(type), n % 7 == 0);
			value_stats_add(&whole, type, bits[n], n * value_size(type), n % 7 == 0);
			value_counts_add(&all, bits[n], 1);
			value_counts_add(&counts[n / 30], bits[n], 1);
		}
		value_stats_join(&parts[0], &parts[2], type);
		value_stats_join(&parts[0], &parts[1], type);
		value_counts_join(&counts[0], &counts[2]);
		value_counts_join(&counts[0], &counts[1]);
		left = value_record(&whole, &all, 0, GPU_VALUE_STORE, type);
		right = value_record(&parts[0], &counts[0], 0, GPU_VALUE_STORE, type);
		assert_memory_equal(&left, &right, sizeof(left));
		assert_int_equal(left.repeats, 13);
		value_counts_release(&all);
		for (unsigned n = 0; n < 3; n++)
			value_counts_release(&counts[n]);
	}
}

/* -- counts ---------------------------------------------------------------------------------- */

static void test_counts(void **state)
{
	struct value_counts counts = {0};
	struct value_top top;

	(void)state;
	for (uint64_t n = 0; n < VALUE_COUNTS_MOST; n++)
		value_counts_add(&counts, n, n < 20 ? 100 - n : 1);
	assert_int_equal(value_record_top(&counts, &top),
			 sizeof(struct gpu_top_values) + GPU_TOP_VALUES * sizeof(*top.values));
	assert_int_equal(top.count, GPU_TOP_VALUES);
	for (uint64_t n = 0; n < GPU_TOP_VALUES; n++) {
		assert_int_equal(top.values[n].bits, n);
		assert_int_equal(top.values[n].count, 100 - n);
		assert_int_equal(top.values[n].error, 0);
	}
	assert_int_equal(counts.lowered, 0);
	value_counts_release(&counts);
}

/* A quarter of a stream of different values is one: its count is never too high, nor too low by
 * more than is said. */
static void test_counts_bound(void **state)
{
	struct value_counts counts = {0};
	struct value_top top;
	uint64_t frequent = 0;

	(void)state;
	for (uint64_t n = 0; n < 100000; n++) {
		const bool hit = n % 4 == 3;

		value_counts_add(&counts, hit ? 7 : 1000 + n, 1);
		frequent += hit;
	}
	value_record_top(&counts, &top);
	assert_true(counts.used <= VALUE_COUNTS_MOST);
	assert_true(counts.lowered > 0);
	assert_int_equal(top.values[0].bits, 7);
	assert_true(top.values[0].count <= frequent);
	assert_true(top.values[0].count + top.values[0].error >= frequent);
	value_counts_release(&counts);
}

/* Half of the values, exactly, are 1 with 11 bits of the mantissa, and not with 15. */
static void test_near(void **state)
{
	struct value_counts counts = {0};
	struct value_near near;

	(void)state;
	for (unsigned n = 0; n < 10; n++) {
		value_counts_add(&counts, bits_f32(1.0f) + (n << 8), 1);
		value_counts_add(&counts, bits_f32((float)(n + 2)), 1);
	}
	near = value_counts_near(&counts, GPU_VALUE_F32, 20);
	assert_int_equal(near.bits, 11);
	assert_int_equal(near.value, bits_f32(1.0f));
	assert_int_equal(near.count, 10);
	/* one element more, and it is less than half */
	value_counts_add(&counts, bits_f32(100.0f), 1);
	assert_int_equal(value_counts_near(&counts, GPU_VALUE_F32, 21).bits, 0);
	value_counts_release(&counts);
}

/* -- kernels --------------------------------------------------------------------------------- */

struct found {
	struct gpu_values record;
	uint32_t line; /* of the PTX; 0: of all */
	struct value_top top;
};

static struct found found[64];
static unsigned found_count;

static void keep(void *data, const struct values_row *row)
{
	struct found *one = &found[found_count++];

	(void)data;
	assert_true(found_count <= 64);
	one->record =
		value_record(row->stats, row->counts, row->place ? 1 : 0, row->kind, row->type);
	one->line = row->place ? row->place->line : 0;
	value_record_top(row->counts, &one->top);
}

/* Runs k with one object of `bytes`, all zero; the values are in `found`. */
static struct values_seen run_values(const char *text, unsigned blocks, unsigned threads,
				     unsigned nth, const void *content, size_t bytes)
{
	struct ptx_module *module = gpu_parse(text);
	struct values *values = values_create(nth);
	struct allocation *memory = memory_allocate(bytes, 512);
	struct fault fault;
	struct values_seen seen;
	struct launch launch = {.module = module,
				.kernel = ptx_find_kernel(module, "k"),
				.grid = {blocks, 1, 1},
				.block = {threads, 1, 1},
				.parameters = (const uint8_t *)&memory->address,
				.values = values};

	memory->object = 1;
	memcpy((void *)(uintptr_t)memory->address, content, bytes);
	found_count = 0;
	values_start(values);
	assert_int_equal(interpreter_run(&launch, &fault), 0);
	values_each(values, keep, NULL);
	seen = values_seen(values);
	values_free(values);
	memory_release(memory);
	ptx_free(module);
	return seen;
}

static const struct found *found_at(uint32_t line, unsigned kind)
{
	for (unsigned n = 0; n < found_count; n++)
		if (found[n].line == line && found[n].record.kind == kind)
			return &found[n];
	fail_msg("no values at line %u", line);
	return NULL;
}

/*
 * Line 7 loads 64 words, 0 to 63, and line 8 the first one, twice in each thread; line 10 stores
 * the thread's number minus 1 where it was.
 */
static void test_kernel(void **state)
{
	uint32_t content[64];
	struct values_seen seen;
	const struct found *row;

	(void)state;
	for (uint32_t n = 0; n < 64; n++)
		content[n] = n;
	seen = run_values(GPU_HEADER GPU_KERNEL
			  "ld.global.u32 %r2, [%d3];\n"
			  "mov.u32 %r3, 2; loop: ld.global.u32 %r4, [%d1];\n"
			  "sub.u32 %r3, %r3, 1; setp.gt.s32 %p1, %r3, 0; @%p1 bra loop;\n"
			  "bar.sync 0; sub.s32 %r2, %r2, 1; add.s32 %r4, %r4, 1; "
			  "st.global.u32 [%d3], %r2; ret; }",
			  1, 64, 1, content, sizeof(content));
	assert_int_equal(seen.blocks_left + seen.left + seen.unseen, 0);
	row = found_at(7, GPU_VALUE_LOAD);
	assert_int_equal(row->record.count, 64);
	assert_int_equal(row->record.zeros, 1);
	assert_int_equal(row->record.type, GPU_VALUE_S32);
	assert_int_equal(row->record.most, 63);
	assert_true(row->record.flags & GPU_VALUES_LINEAR);
	assert_int_equal(row->record.slope, 1);
	assert_int_equal(row->record.intercept, 0);
	/* each thread twice; thread 0 has loaded it before */
	row = found_at(8, GPU_VALUE_LOAD);
	assert_int_equal(row->record.count, 128);
	assert_int_equal(row->record.zeros, 128);
	assert_int_equal(row->record.repeats, 65);
	/* all loads: 64 different values, 0 comes 129 times */
	row = found_at(0, GPU_VALUE_LOAD);
	assert_int_equal(row->record.count, 192);
	assert_int_equal(row->record.distinct, 64);
	assert_int_equal(row->top.values[0].bits, 0);
	assert_int_equal(row->top.values[0].count, 129);
	assert_true(row->record.flags & GPU_VALUES_LINEAR);
	row = found_at(10, GPU_VALUE_STORE);
	assert_int_equal((int64_t)row->record.least, -1);
	assert_int_equal((int64_t)row->record.intercept, -1);
	assert_int_equal(row->record.repeats, 0);
	/* every third of four blocks: the first and the last, which write the same place */
	seen = run_values(GPU_HEADER GPU_KERNEL "st.global.u32 [%d3], %r1; ret; }", 4, 32, 3,
			  content, sizeof(content));
	assert_int_equal(seen.blocks_left, 2);
	assert_int_equal(found_at(0, GPU_VALUE_STORE)->record.count, 64);
}

/* What a load of bits is, by what is done with it. */
static void test_types(void **state)
{
	static const struct {
		const char *code;
		enum gpu_value_type type;
		unsigned count;
	} cases[] = {
		{"ld.global.b32 %r2, [%d1]; add.f32 %r3, %r2, %r2;", GPU_VALUE_F32, 1},
		{"ld.global.f32 %r2, [%d1];", GPU_VALUE_F32, 1},
		{"ld.global.b32 %r2, [%d1];", GPU_VALUE_RAW32, 1},
		{"ld.global.u32 %r2, [%d1]; add.s32 %r3, %r2, 1;", GPU_VALUE_S32, 1},
		{"ld.global.u32 %r2, [%d1]; setp.lt.u32 %p1, %r2, 1;", GPU_VALUE_U32, 1},
		{"ld.global.u16 %h1, [%d1]; add.f16 %h2, %h1, %h1;", GPU_VALUE_F16, 1},
		{"ld.global.b32 %r2, [%d1]; add.f16x2 %r3, %r2, %r2;", GPU_VALUE_F16, 2},
		{"ld.global.b32 %r2, [%d1]; mov.b32 {%h1, %h2}, %r2; cvt.f32.f16 %r3, %h2;",
		 GPU_VALUE_F16, 2},
		{"ld.global.b32 %r2, [%d1]; mov.b32 %r3, %r2; selp.b32 %r4, %r3, %r9, %p1; "
		 "mul.f32 %r5, %r4, %r4;",
		 GPU_VALUE_F32, 1},
		{"ld.global.u16 %h1, [%d1]; cvt.u32.u16 %r2, %h1;", GPU_VALUE_U16, 1},
		{"ld.global.s16 %h1, [%d1]; cvt.s32.s16 %r2, %h1;", GPU_VALUE_S16, 1},
		{"ld.global.u8 %h1, [%d1]; add.s16 %h2, %h1, 1;", GPU_VALUE_U8, 1},
		{"ld.global.u64 %d5, [%d1]; add.f64 %d6, %d5, %d5;", GPU_VALUE_F64, 1},
		{"ld.global.u64 %d5, [%d1]; add.s64 %d6, %d5, 1;", GPU_VALUE_S64, 1},
		/* an integer and a float: nobody knows */
		{"ld.global.b32 %r2, [%d1]; add.f32 %r3, %r2, %r2; setp.lt.s32 %p1, %r2, 1;",
		 GPU_VALUE_RAW32, 1},
		{"ld.global.v2.b32 {%r2, %r3}, [%d1]; add.f32 %r4, %r2, %r2; add.f32 %r4, %r3, "
		 "%r3;",
		 GPU_VALUE_F32, 2},
	};
	static const uint64_t content[2];
	char text[1024];

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		snprintf(text, sizeof(text), "%s%s ret; }", GPU_HEADER GPU_KERNEL, cases[n].code);
		run_values(text, 1, 1, 1, content, sizeof(content));
		if (found_at(0, GPU_VALUE_LOAD)->record.type != cases[n].type)
			fail_msg("%s: type %u", cases[n].code,
				 found_at(0, GPU_VALUE_LOAD)->record.type);
		assert_int_equal(found_at(0, GPU_VALUE_LOAD)->record.count, cases[n].count);
	}
}

/* Shared memory is one object; an atomic's value is its operand; what a matrix load moves is not
 * looked at. */
static void test_spaces(void **state)
{
	static const uint64_t content[16];
	struct values_seen seen;

	(void)state;
	run_values(GPU_HEADER GPU_KERNEL
		   ".shared .b32 cell[32]; mov.u32 %r4, cell; mad.lo.u32 %r4, %r1, 4, %r4;\n"
		   "st.shared.u32 [%r4], %r1; ld.shared.f32 %r5, [%r4];\n"
		   "mov.u32 %r6, 5; atom.global.add.u32 %r7, [%d1], %r6; ret; }",
		   1, 32, 1, content, sizeof(content));
	assert_int_equal(found_at(0, GPU_VALUE_STORE)->record.most, 31);
	assert_int_equal(found_at(0, GPU_VALUE_STORE)->record.count, 32);
	assert_int_equal(found_at(0, GPU_VALUE_LOAD)->record.type, GPU_VALUE_F32);
	assert_int_equal(found_at(0, GPU_VALUE_ATOMIC)->record.count, 32);
	assert_int_equal(found_at(0, GPU_VALUE_ATOMIC)->record.all, 5);
	assert_int_equal(found_at(0, GPU_VALUE_ATOMIC)->record.any, 5);
	seen = run_values(GPU_HEADER GPU_KERNEL
			  ".shared .align 16 .b8 tile[512]; mov.u32 %r4, tile;\n"
			  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4]; ret; }",
			  1, 32, 1, content, sizeof(content));
	assert_int_equal(seen.unseen, 1);
	assert_int_equal(found_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),      cmocka_unit_test(test_floats),
		cmocka_unit_test(test_fits),          cmocka_unit_test(test_halves),
		cmocka_unit_test(test_integer_lines), cmocka_unit_test(test_float_lines),
		cmocka_unit_test(test_join),          cmocka_unit_test(test_counts),
		cmocka_unit_test(test_counts_bound),  cmocka_unit_test(test_near),
		cmocka_unit_test(test_kernel),        cmocka_unit_test(test_types),
		cmocka_unit_test(test_spaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
