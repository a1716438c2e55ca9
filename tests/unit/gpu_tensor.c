/* tests/unit/gpu_tensor.c: boxes of tensors copied to and from shared memory. */
#include "gpu/emulator/state/tensor_map.h"
#include "tests/unit/gpu_run.h"

int cuTensorMapEncodeTiled(void *tensorMap, int tensorDataType, uint32_t tensorRank,
			   void *globalAddress, const uint64_t *globalDim,
			   const uint64_t *globalStrides, const uint32_t *boxDim,
			   const uint32_t *elementStrides, int interleave, int swizzle,
			   int l2Promotion, int oobFill);

enum { S32 = 3, F32 = 7 }; /* CUtensorMapDataType */

struct parameters {
	_Alignas(128) uint8_t map[TENSOR_MAP_BYTES];
	uint64_t out;
	int32_t x, y;
};

/* Runs the statements by `count` threads; their words come back in `out`. */
static const char *run(const char *statements, struct parameters *parameters, uint32_t *out,
		       unsigned count)
{
	static struct fault fault;
	char text[4096];
	struct error error;
	struct ptx_module *module;
	struct allocation *memory = memory_allocate(count * 4, 512);

	snprintf(text, sizeof(text), "%s%s%s ret; }", GPU_HEADER,
		 ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, "
		 ".param .u32 y) {\n.reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<4>;\n"
		 ".shared .align 1024 .b8 cells[4096]; .shared .align 8 .b64 bar;\n"
		 "ld.param.u64 %d1, [out]; ld.param.u32 %r2, [x]; ld.param.u32 %r3, [y]; "
		 "mov.b64 %d2, map; cvta.param.u64 %d2, %d2; mov.u32 %r4, cells; mov.u32 %r5, bar; "
		 "mov.u32 %r1, %tid.x; shl.b32 %r6, %r1, 2; add.u32 %r7, %r4, %r6; "
		 "mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d1, %d3; setp.ne.u32 %p1, %r1, 0;\n"
		 "@!%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n",
		 statements);
	module = ptx_parse(interpreter_machine(), text, strlen(text), &error);
	if (!module)
		fail_msg("%s in %s", error.text, text);
	memset((void *)(uintptr_t)memory->address, 0, count * 4);
	parameters->out = memory->address;
	struct launch launch = {.module = module,
				.kernel = ptx_find_kernel(module, "k"),
				.grid = {1, 1, 1},
				.block = {count, 1, 1},
				.parameters = (const uint8_t *)parameters};
	fault.text[0] = 0;
	interpreter_run(&launch, &fault);
	memcpy(out, (void *)(uintptr_t)memory->address, count * 4);
	memory_release(memory);
	ptx_free(module);
	return fault.text;
}

#define LOAD                                                                                       \
	"@!%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "  \
	"[%r4], [%d2, {%r2, %r3}], [%r5];\n"
#define TAKE                                                                                       \
	"WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT; "                \
	"ld.shared.u32 %r8, [%r7]; st.global.u32 [%d3], %r8;\n"

/* 8 x 8 words, 0 to 63 */
static uint32_t *make_tensor(struct allocation **memory)
{
	uint32_t *tensor;

	*memory = memory_allocate(64 * 4, 512);
	tensor = (uint32_t *)(uintptr_t)(*memory)->address;
	for (uint32_t n = 0; n < 64; n++)
		tensor[n] = n;
	return tensor;
}

static int encode(struct parameters *parameters, int type, uint32_t *tensor, uint32_t width,
		  uint32_t height, uint32_t step, int swizzle, int fill)
{
	return cuTensorMapEncodeTiled(parameters->map, type, 2, tensor, (const uint64_t[]){8, 8},
				      (const uint64_t[]){32}, (const uint32_t[]){width, height},
				      (const uint32_t[]){1, step}, 0, swizzle, 0, fill);
}

static void test_load(void **state)
{
	static const struct {
		int32_t x, y;
		uint32_t step;
		int swizzle, fill;
		uint32_t expected[16];
	} cases[] = {
		{2, 1, 1, 0, 0, {10, 11, 12, 13, 18, 19, 20, 21, 26, 27, 28, 29, 34, 35, 36, 37}},
		/* outside is 0, and the barrier hears of the whole box */
		{6, 6, 1, 0, 0, {54, 55, 0, 0, 62, 63}},
		{-2, -1, 1, 0, 0, {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 8, 9, 0, 0, 16, 17}},
		/* the NaN of an H200 */
		{100,
		 0,
		 1,
		 0,
		 1,
		 {0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7,
		  0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7,
		  0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7, 0x7ff77ff7}},
		/* every second row: two rows of the four */
		{0, 0, 2, 0, 0, {0, 1, 2, 3, 16, 17, 18, 19}},
	};
	struct allocation *memory;
	uint32_t *tensor = make_tensor(&memory), out[16];

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
		struct parameters parameters = {.x = cases[n].x, .y = cases[n].y};
		char text[2048];

		assert_int_equal(encode(&parameters, cases[n].fill ? F32 : S32, tensor, 4, 4,
					cases[n].step, cases[n].swizzle, cases[n].fill),
				 0);
		snprintf(text, sizeof(text),
			 "@!%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %u;\n%s%s",
			 64 / cases[n].step, LOAD, TAKE);
		assert_string_equal(run(text, &parameters, out, 16), "");
		assert_memory_equal(out, cases[n].expected, sizeof(out));
	}
	memory_release(memory);
}

/* Rows of 32 bytes: in rows 4 to 7 of 8 the two chunks of 16 bytes change places. */
static void test_swizzle(void **state)
{
	struct parameters parameters = {.x = 0};
	struct allocation *memory;
	uint32_t *tensor = make_tensor(&memory), out[64];

	(void)state;
	assert_int_equal(encode(&parameters, S32, tensor, 8, 8, 1, 1, 0), 0);
	assert_string_equal(
		run("@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n" LOAD TAKE,
		    &parameters, out, 64),
		"");
	for (uint32_t n = 0; n < 64; n++)
		assert_int_equal(out[n], n < 32 ? n : n ^ 4);
	memory_release(memory);
}

static void test_store(void **state)
{
	struct parameters parameters = {.x = 6, .y = -1};
	struct allocation *memory;
	uint32_t *tensor = make_tensor(&memory), out[16];

	(void)state;
	assert_int_equal(encode(&parameters, S32, tensor, 4, 4, 1, 0, 0), 0);
	assert_string_equal(
		run("add.u32 %r8, %r1, 100; st.shared.u32 [%r7], %r8; bar.sync 0; "
		    "@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
		    "[%d2, {%r2, %r3}], [%r4]; @!%p1 cp.async.bulk.commit_group;\n"
		    "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
		    "[%d2, {0, 4}], [%r4];",
		    &parameters, out, 16),
		"");
	/* columns 6 and 7 of rows 0 to 2 come from rows 1 to 3 of the box */
	for (uint32_t n = 0; n < 64; n++) {
		uint32_t row = n / 8, column = n % 8, expected = n;

		if (column >= 6 && row < 3)
			expected = 100 + (row + 1) * 4 + column - 6;
		if (column < 4 && row >= 4)
			expected += 100 + (row - 4) * 4 + column;
		assert_int_equal(tensor[n], expected);
	}
	memory_release(memory);
}

static void test_refused(void **state)
{
	struct parameters parameters = {.x = 0};
	struct allocation *memory;
	uint32_t *tensor = make_tensor(&memory), out[16];

	(void)state;
	assert_int_equal(encode(&parameters, S32, tensor, 3, 4, 1, 0, 0), 1); /* 12 bytes */
	assert_int_equal(encode(&parameters, S32, tensor, 8, 0, 1, 0, 0), 1);
	assert_int_equal(encode(&parameters, S32, tensor, 4, 257, 1, 0, 0), 1);
	assert_int_equal(encode(&parameters, S32, tensor, 4, 4, 9, 0, 0), 1);
	assert_int_equal(encode(&parameters, 99, tensor, 4, 4, 1, 0, 0), 1);
	assert_int_equal(encode(&parameters, S32, tensor + 1, 4, 4, 1, 0, 0), 1);
	assert_int_equal(encode(&parameters, S32, tensor, 16, 4, 1, 1, 0), 1); /* 64 > 32 bytes */
	assert_non_null(strstr(run(LOAD, &parameters, out, 16), "is no tensor map"));
	assert_int_equal(encode(&parameters, S32, tensor, 4, 4, 1, 0, 0), 0);
	assert_non_null(strstr(run("@!%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier"
				   "::complete_tx::bytes [%r4], [%d2, {%r2}], [%r5];",
				   &parameters, out, 16),
			       "a copy with 1 coordinates of a tensor with 2 dimensions"));
	assert_non_null(strstr(run("add.u32 %r4, %r4, 16;" LOAD, &parameters, out, 16),
			       "not a multiple of 128"));
	memory_release(memory);
	/* the tensor's memory is gone */
	assert_non_null(strstr(run(LOAD, &parameters, out, 16), "4-byte load at"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_swizzle),
		cmocka_unit_test(test_store),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
