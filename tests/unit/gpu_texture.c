/*
 * tests/unit/gpu_texture.c: the quick way to texels of one plane gives what the general one gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/core.h"
#include "gpu/emulator/interpreter.h"
#include "gpu/emulator/memory.h"

#define WIDTH 13u
#define HEIGHT 7u
#define THREADS 512u

/* Thread t: the coordinates in[t], the texel by tex.2d in out[2t] and by tex.a2d in out[2t + 1]. */
static const char text[] =
	".version 8.3\n.target sm_90\n.address_size 64\n"
	".visible .entry k(.param .u64 handle, .param .u64 in, .param .u64 out) {\n"
	".reg .b32 %r<9>; .reg .f32 %f<12>; .reg .b64 %d<9>;\n"
	"ld.param.u64 %d1, [handle]; ld.param.u64 %d2, [in]; ld.param.u64 %d3, [out];\n"
	"mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n"
	"mad.wide.u32 %d2, %r1, 8, %d2; mad.wide.u32 %d3, %r1, 32, %d3;\n"
	"ld.global.v2.f32 {%f1, %f2}, [%d2];\n"
	"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];\n"
	"st.global.v4.f32 [%d3], {%f3, %f4, %f5, %f6};\n"
	"tex.a2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%r2, %f1, %f2, %f2}];\n"
	"st.global.v4.f32 [%d3+16], {%f3, %f4, %f5, %f6}; ret; }";

static float in[THREADS][2];
static uint32_t out[THREADS][2][4];
static struct allocation *texels;

static void sample(const struct emulator_texture *texture)
{
	struct allocation *from = memory_allocate(sizeof(in), 512);
	struct allocation *to = memory_allocate(THREADS * 32, 512);
	struct error error;
	struct ptx_module *module = ptx_parse(text, strlen(text), &error);
	uint64_t parameters[] = {0, from->address, to->address};
	struct launch launch = {.module = module,
				.grid = {1, 1, 1},
				.block = {THREADS / 2, 1, 1},
				.parameters = (const uint8_t *)parameters};
	struct fault fault;

	if (!module)
		fail_msg("%s", error.text);
	launch.kernel = ptx_find_kernel(module, "k");
	assert_int_equal(vflow_emulator_texture_create(texture, &parameters[0]), 0);
	for (unsigned half = 0; half < 2; half++) {
		memcpy((void *)(uintptr_t)from->address, in[half * THREADS / 2], sizeof(in) / 2);
		if (interpreter_run(&launch, &fault))
			fail_msg("%s", fault.text);
		memcpy(out[half * THREADS / 2], (void *)(uintptr_t)to->address, sizeof(out) / 2);
	}
	vflow_emulator_texture_destroy(parameters[0]);
	memory_release(from);
	memory_release(to);
	ptx_free(module);
}

static struct emulator_texture make(unsigned channels, bool linear, bool normalized,
				    enum emulator_addressing addressing)
{
	return (struct emulator_texture){
		.shape = {.width = WIDTH,
			  .height = HEIGHT,
			  .depth = 1,
			  .channels = channels,
			  .channel_bytes = 4,
			  .kind = CHANNEL_FLOAT,
			  .dimensions = 2,
			  .pitch = WIDTH * channels * 4,
			  .slice = WIDTH * HEIGHT * channels * 4,
			  .address = texels->address},
		.addressing = {addressing, addressing, addressing},
		.linear_filter = linear,
		.normalized_coordinates = normalized,
		.border = {0.5f, 1.5f, 2.5f, 3.5f},
	};
}

static int create(void **state)
{
	uint32_t seed = 1;

	(void)state;
	if (vflow_emulator_attach())
		return -1;
	texels = memory_allocate(WIDTH * HEIGHT * 16, 512);
	for (unsigned n = 0; n < WIDTH * HEIGHT * 4; n++) {
		seed = seed * 1664525 + 1013904223;
		((float *)(uintptr_t)texels->address)[n] = (float)(int32_t)seed / 65536;
	}
	for (unsigned t = 0; t < THREADS; t++) {
		seed = seed * 1664525 + 1013904223;
		/* mostly inside, on texels' centres and edges too, some beyond */
		in[t][0] = (float)(seed >> 16 & 255) / 16 - 1;
		in[t][1] = (float)(seed >> 24 & 127) / 16 - 0.5f;
		if (t % 3 == 0)
			in[t][0] += (float)(seed & 0xfff) / 65536;
	}
	in[0][0] = __builtin_nanf("");
	in[1][1] = __builtin_inff();
	in[2][0] = -0.0f;
	return 0;
}

static int destroy(void **state)
{
	(void)state;
	memory_release(texels);
	return 0;
}

static void test_planes(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 48; n++) {
		const struct emulator_texture texture =
			make(1u << n % 3, n & 1, n / 2 & 1, (enum emulator_addressing)(n / 4 % 4));

		sample(&texture);
		for (unsigned t = 0; t < THREADS; t++)
			if (memcmp(out[t][0], out[t][1], 16))
				fail_msg("form %u at %g, %g: 0x%08x, expected 0x%08x", n,
					 (double)in[t][0], (double)in[t][1], out[t][0][0],
					 out[t][1][0]);
	}
}

/* The weights are the distances from the centres. */
static void test_filter(void **state)
{
	const float *row = (const float *)(uintptr_t)texels->address + 2 * WIDTH;
	const struct emulator_texture texture = make(1, true, false, ADDRESS_CLAMP);
	float result, kept = in[5][0], kept_y = in[5][1];

	(void)state;
	in[5][0] = 3.75f;
	in[5][1] = 2.5f;
	sample(&texture);
	in[5][0] = kept;
	in[5][1] = kept_y;
	memcpy(&result, &out[5][0][0], sizeof(result));
	/* the centres of columns 3 and 4 are at 3.5 and 4.5 */
	assert_true(result == (float)(0.75 * (double)row[3] + 0.25 * (double)row[4]));
	assert_int_equal(out[5][0][1] | out[5][0][2] | out[5][0][3], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planes),
		cmocka_unit_test(test_filter),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, create, destroy);
}
