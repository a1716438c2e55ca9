/*
 * tests/unit/gpu_texture.c: the quick way to texels of one plane gives what the general one gives;
 * every geometry, type and form of tex, tld4, suld, sust, txq and suq.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/device/core.h"
#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/emulator/state/memory.h"

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
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, strlen(text), &error);
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

static const char *const fetches[] = {
	"tex.1d.v4.f32.f32",          "tex.1d.v4.f32.s32",          "tex.1d.v4.u32.f32",
	"tex.1d.v4.u32.s32",          "tex.1d.v4.s32.f32",          "tex.1d.v4.s32.s32",
	"tex.level.1d.v4.f32.f32",    "tex.level.1d.v4.u32.f32",    "tex.level.1d.v4.s32.f32",
	"tex.grad.1d.v4.f32.f32",     "tex.grad.1d.v4.u32.f32",     "tex.grad.1d.v4.s32.f32",
	"tex.2d.v4.f32.f32",          "tex.2d.v4.f32.s32",          "tex.2d.v4.u32.f32",
	"tex.2d.v4.u32.s32",          "tex.2d.v4.s32.f32",          "tex.2d.v4.s32.s32",
	"tex.level.2d.v4.f32.f32",    "tex.level.2d.v4.u32.f32",    "tex.level.2d.v4.s32.f32",
	"tex.grad.2d.v4.f32.f32",     "tex.grad.2d.v4.u32.f32",     "tex.grad.2d.v4.s32.f32",
	"tex.3d.v4.f32.f32",          "tex.3d.v4.f32.s32",          "tex.3d.v4.u32.f32",
	"tex.3d.v4.u32.s32",          "tex.3d.v4.s32.f32",          "tex.3d.v4.s32.s32",
	"tex.level.3d.v4.f32.f32",    "tex.level.3d.v4.u32.f32",    "tex.level.3d.v4.s32.f32",
	"tex.grad.3d.v4.f32.f32",     "tex.grad.3d.v4.u32.f32",     "tex.grad.3d.v4.s32.f32",
	"tex.a1d.v4.f32.f32",         "tex.a1d.v4.f32.s32",         "tex.a1d.v4.u32.f32",
	"tex.a1d.v4.u32.s32",         "tex.a1d.v4.s32.f32",         "tex.a1d.v4.s32.s32",
	"tex.level.a1d.v4.f32.f32",   "tex.level.a1d.v4.u32.f32",   "tex.level.a1d.v4.s32.f32",
	"tex.grad.a1d.v4.f32.f32",    "tex.grad.a1d.v4.u32.f32",    "tex.grad.a1d.v4.s32.f32",
	"tex.a2d.v4.f32.f32",         "tex.a2d.v4.f32.s32",         "tex.a2d.v4.u32.f32",
	"tex.a2d.v4.u32.s32",         "tex.a2d.v4.s32.f32",         "tex.a2d.v4.s32.s32",
	"tex.level.a2d.v4.f32.f32",   "tex.level.a2d.v4.u32.f32",   "tex.level.a2d.v4.s32.f32",
	"tex.grad.a2d.v4.f32.f32",    "tex.grad.a2d.v4.u32.f32",    "tex.grad.a2d.v4.s32.f32",
	"tex.cube.v4.f32.f32",        "tex.cube.v4.u32.f32",        "tex.cube.v4.s32.f32",
	"tex.level.cube.v4.f32.f32",  "tex.level.cube.v4.u32.f32",  "tex.level.cube.v4.s32.f32",
	"tex.grad.cube.v4.f32.f32",   "tex.grad.cube.v4.u32.f32",   "tex.grad.cube.v4.s32.f32",
	"tex.acube.v4.f32.f32",       "tex.acube.v4.u32.f32",       "tex.acube.v4.s32.f32",
	"tex.level.acube.v4.f32.f32", "tex.level.acube.v4.u32.f32", "tex.level.acube.v4.s32.f32",
	"tex.grad.acube.v4.f32.f32",  "tex.grad.acube.v4.u32.f32",  "tex.grad.acube.v4.s32.f32",
};

static const char *const gathers[] = {
	"tld4.r.2d.v4.f32.f32",  "tld4.r.2d.v4.u32.f32",  "tld4.r.2d.v4.s32.f32",
	"tld4.r.a2d.v4.f32.f32", "tld4.r.a2d.v4.u32.f32", "tld4.r.a2d.v4.s32.f32",
	"tld4.g.2d.v4.f32.f32",  "tld4.g.2d.v4.u32.f32",  "tld4.g.2d.v4.s32.f32",
	"tld4.g.a2d.v4.f32.f32", "tld4.g.a2d.v4.u32.f32", "tld4.g.a2d.v4.s32.f32",
	"tld4.b.2d.v4.f32.f32",  "tld4.b.2d.v4.u32.f32",  "tld4.b.2d.v4.s32.f32",
	"tld4.b.a2d.v4.f32.f32", "tld4.b.a2d.v4.u32.f32", "tld4.b.a2d.v4.s32.f32",
	"tld4.a.2d.v4.f32.f32",  "tld4.a.2d.v4.u32.f32",  "tld4.a.2d.v4.s32.f32",
	"tld4.a.a2d.v4.f32.f32", "tld4.a.a2d.v4.u32.f32", "tld4.a.a2d.v4.s32.f32",
};

static const char *const surfaces[][2] = {
	{"sust.b.1d.b8.trap", "suld.b.1d.b8.trap"},
	{"sust.b.1d.b16.clamp", "suld.b.1d.b16.clamp"},
	{"sust.b.1d.b32.zero", "suld.b.1d.b32.zero"},
	{"sust.b.1d.b64.trap", "suld.b.1d.b64.trap"},
	{"sust.b.1d.v2.b32.clamp", "suld.b.1d.v2.b32.clamp"},
	{"sust.b.1d.v4.b16.trap", "suld.b.1d.v4.b16.trap"},
	{"sust.b.2d.b8.trap", "suld.b.2d.b8.trap"},
	{"sust.b.2d.b16.clamp", "suld.b.2d.b16.clamp"},
	{"sust.b.2d.b32.zero", "suld.b.2d.b32.zero"},
	{"sust.b.2d.b64.trap", "suld.b.2d.b64.trap"},
	{"sust.b.2d.v2.b32.clamp", "suld.b.2d.v2.b32.clamp"},
	{"sust.b.2d.v4.b16.trap", "suld.b.2d.v4.b16.trap"},
	{"sust.b.3d.b8.trap", "suld.b.3d.b8.trap"},
	{"sust.b.3d.b16.clamp", "suld.b.3d.b16.clamp"},
	{"sust.b.3d.b32.zero", "suld.b.3d.b32.zero"},
	{"sust.b.3d.b64.trap", "suld.b.3d.b64.trap"},
	{"sust.b.3d.v2.b32.clamp", "suld.b.3d.v2.b32.clamp"},
	{"sust.b.3d.v4.b16.trap", "suld.b.3d.v4.b16.trap"},
	{"sust.b.a1d.b8.trap", "suld.b.a1d.b8.trap"},
	{"sust.b.a1d.b16.clamp", "suld.b.a1d.b16.clamp"},
	{"sust.b.a1d.b32.zero", "suld.b.a1d.b32.zero"},
	{"sust.b.a1d.b64.trap", "suld.b.a1d.b64.trap"},
	{"sust.b.a1d.v2.b32.clamp", "suld.b.a1d.v2.b32.clamp"},
	{"sust.b.a1d.v4.b16.trap", "suld.b.a1d.v4.b16.trap"},
	{"sust.b.a2d.b8.trap", "suld.b.a2d.b8.trap"},
	{"sust.b.a2d.b16.clamp", "suld.b.a2d.b16.clamp"},
	{"sust.b.a2d.b32.zero", "suld.b.a2d.b32.zero"},
	{"sust.b.a2d.b64.trap", "suld.b.a2d.b64.trap"},
	{"sust.b.a2d.v2.b32.clamp", "suld.b.a2d.v2.b32.clamp"},
	{"sust.b.a2d.v4.b16.trap", "suld.b.a2d.v4.b16.trap"},
};

static bool says(const char *opcode, const char *word)
{
	return strstr(opcode, word) != NULL;
}

#define BODY                                                                                       \
	".version 8.6\n.target sm_90\n.address_size 64\n"                                          \
	".visible .entry k(.param .u64 handle, .param .u64 in, .param .u64 out) {\n"               \
	".reg .b16 %%h<9>; .reg .b32 %%r<20>; .reg .b64 %%d<16>; .reg .f32 %%f<2>;\n"              \
	"ld.param.u64 %%d1, [handle]; ld.param.u64 %%d2, [in]; ld.param.u64 %%d3, [out];\n"        \
	"mov.u32 %%r1, %%tid.x; mov.f32 %%f1, 0f00000000;\n"                                       \
	"mad.wide.u32 %%d2, %%r1, 16, %%d2; mad.wide.u32 %%d3, %%r1, 32, %%d3;\n"                  \
	"ld.global.v4.b32 {%%r4, %%r5, %%r6, %%r7}, [%%d2];\n" /* x, y, z, layer */

/* Runs a kernel on coordinates: four words a thread in, eight out. */
static void run(const char *kernel, uint64_t handle, const uint32_t (*coordinates)[4],
		unsigned threads, uint32_t (*results)[8])
{
	struct allocation *from = memory_allocate(threads * 16, 512);
	struct allocation *to = memory_allocate(threads * 32, 512);
	struct error error;
	struct ptx_module *module =
		ptx_parse(interpreter_machine(), kernel, strlen(kernel), &error);
	uint64_t parameters[] = {handle, from->address, to->address};
	struct launch launch = {.module = module,
				.grid = {1, 1, 1},
				.block = {threads, 1, 1},
				.parameters = (const uint8_t *)parameters};
	struct fault fault;

	if (!module)
		fail_msg("%s in\n%s", error.text, kernel);
	launch.kernel = ptx_find_kernel(module, "k");
	memcpy((void *)(uintptr_t)from->address, coordinates, threads * 16);
	memset((void *)(uintptr_t)to->address, 0, threads * 32);
	if (interpreter_run(&launch, &fault))
		fail_msg("%s in\n%s", fault.text, kernel);
	memcpy(results, (void *)(uintptr_t)to->address, threads * 32);
	memory_release(from);
	memory_release(to);
	ptx_free(module);
}

static uint32_t float_bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* What channel c of a texel of the small array holds, as the type of the opcode. */
static uint32_t content(const char *opcode, unsigned x, unsigned y, unsigned z, unsigned c)
{
	const unsigned value = 1000 * z + 100 * y + 10 * x + c;

	return says(opcode, ".v4.f32")   ? float_bits_of((float)value)
	       : says(opcode, ".v4.s32") ? -value
					 : value;
}

/* 4 x 3 x 12 texels of four channels; a cube has faces of one texel. */
static struct emulator_texture fill_small(const char *opcode, const struct allocation *memory)
{
	const bool cube = says(opcode, "cube."), flat = says(opcode, "1d.");
	uint32_t *at = (uint32_t *)(uintptr_t)memory->address;

	for (unsigned n = 0; n < 4 * 3 * 12 * 4; n++)
		at[n] = content(opcode, n / 4 % 4, n / 16 % 3, n / 48, n % 4);
	return (struct emulator_texture){
		.shape = {.width = cube ? 1 : 4,
			  .height = cube || flat ? 1 : 3,
			  .depth = cube ? 12 : 2,
			  .channels = 4,
			  .channel_bytes = 4,
			  .kind = says(opcode, ".v4.f32")   ? CHANNEL_FLOAT
				  : says(opcode, ".v4.s32") ? CHANNEL_SIGNED
							    : CHANNEL_UNSIGNED,
			  .layered = says(opcode, ".a"),
			  .cube = cube,
			  .dimensions = 2,
			  .pitch = 64,
			  .slice = 192,
			  .address = memory->address},
		.addressing = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP}};
}

/* The operand that has the coordinates of a thread. */
static const char *place(const char *opcode)
{
	return says(opcode, ".acube.")                          ? "{%r7, %r4, %r5, %r6}"
	       : says(opcode, ".cube.") || says(opcode, ".3d.") ? "{%r4, %r5, %r6, %r6}"
	       : says(opcode, ".a2d.")                          ? "{%r7, %r4, %r5, %r5}"
	       : says(opcode, ".a1d.")                          ? "{%r7, %r4}"
	       : says(opcode, ".2d.")                           ? "{%r4, %r5}"
								: "{%r4}";
}

/* Thread t looks at x = t % 4, y = t / 4 % 3, and the third coordinate or layer t / 12. */
static void test_fetches(void **state)
{
	struct allocation *memory = memory_allocate(4 * 3 * 12 * 16, 512);

	(void)state;
	for (size_t n = 0; n < sizeof(fetches) / sizeof(*fetches); n++) {
		const char *opcode = fetches[n], *gradient;
		const bool cube = says(opcode, "cube."), flat = says(opcode, "1d.");
		const bool deep = says(opcode, ".3d.") || says(opcode, ".a");
		const struct emulator_texture texture = fill_small(opcode, memory);
		uint32_t coordinates[24][4], results[24][8];
		char kernel[2048];
		uint64_t handle;

		gradient = flat                  ? "{%f1}, {%f1}"
			   : says(opcode, "2d.") ? "{%f1, %f1}, {%f1, %f1}"
						 : "{%f1, %f1, %f1, %f1}, {%f1, %f1, %f1, %f1}";
		for (unsigned t = 0; t < 24; t++) {
			const unsigned at[] = {t % 4, t / 4 % 3, t / 12};
			const unsigned face = t % 6;

			for (unsigned k = 0; k < 3; k++)
				coordinates[t][k] = cube ? float_bits_of(k != face / 2 ? 0
									 : face % 2    ? -1
										       : 1)
						    : says(opcode + strlen(opcode) - 4, ".s32")
							    ? at[k]
							    : float_bits_of((float)at[k] + 0.5f);
			coordinates[t][3] = cube ? t / 6 % 2 : t / 12;
		}
		snprintf(kernel, sizeof(kernel),
			 BODY "%s {%%r8, %%r9, %%r10, %%r11}, [%%d1, %s]%s%s;\n"
			      "st.global.v4.b32 [%%d3], {%%r8, %%r9, %%r10, %%r11}; ret; }",
			 opcode, place(opcode),
			 says(opcode, ".level.")  ? ", %f1"
			 : says(opcode, ".grad.") ? ", "
						  : "",
			 says(opcode, ".grad.") ? gradient : "");
		assert_int_equal(vflow_emulator_texture_create(&texture, &handle), 0);
		run(kernel, handle, (const uint32_t(*)[4])coordinates, 24, results);
		vflow_emulator_texture_destroy(handle);
		for (unsigned t = 0; t < 24; t++)
			for (unsigned c = 0; c < 4; c++) {
				const uint32_t expected =
					cube ? content(opcode, 0, 0,
						       t % 6 + (says(opcode, ".acube.")
									? t / 6 % 2 * 6
									: 0),
						       c)
					     : content(opcode, t % 4, flat ? 0 : t / 4 % 3,
						       deep ? t / 12 : 0, c);

				if (results[t][c] != expected)
					fail_msg("%s, thread %u, channel %u: 0x%x, expected 0x%x",
						 opcode, t, c, results[t][c], expected);
			}
	}
	memory_release(memory);
}

/* Thread t looks at the corner between four texels. */
static void test_gathers(void **state)
{
	static const unsigned right[] = {0, 1, 1, 0}, below[] = {1, 1, 0, 0};
	struct allocation *memory = memory_allocate(4 * 3 * 12 * 16, 512);

	(void)state;
	for (size_t n = 0; n < sizeof(gathers) / sizeof(*gathers); n++) {
		const char *opcode = gathers[n];
		const struct emulator_texture texture = fill_small(opcode, memory);
		const unsigned channel = (unsigned)(strchr("rgba", opcode[5]) - "rgba");
		uint32_t coordinates[12][4], results[12][8];
		char kernel[2048];
		uint64_t handle;

		for (unsigned t = 0; t < 12; t++) {
			coordinates[t][0] = float_bits_of((float)(t % 3 + 1));
			coordinates[t][1] = float_bits_of((float)(t / 3 % 2 + 1));
			coordinates[t][2] = 0;
			coordinates[t][3] = t / 6;
		}
		snprintf(kernel, sizeof(kernel),
			 BODY "%s {%%r8, %%r9, %%r10, %%r11}, [%%d1, %s];\n"
			      "st.global.v4.b32 [%%d3], {%%r8, %%r9, %%r10, %%r11}; ret; }",
			 opcode, place(opcode));
		assert_int_equal(vflow_emulator_texture_create(&texture, &handle), 0);
		run(kernel, handle, (const uint32_t(*)[4])coordinates, 12, results);
		vflow_emulator_texture_destroy(handle);
		for (unsigned t = 0; t < 12; t++)
			for (unsigned k = 0; k < 4; k++)
				assert_int_equal(
					results[t][k],
					content(opcode, t % 3 + right[k], t / 3 % 2 + below[k],
						says(opcode, ".a2d.") ? t / 6 : 0, channel));
	}
	memory_release(memory);
}

/* What is stored is there, is loaded again, and nothing else has changed. */
static void test_surfaces(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(surfaces) / sizeof(*surfaces); n++) {
		const char *opcode = surfaces[n][0];
		const bool flat = says(opcode, "1d."),
			   deep = says(opcode, ".3d.") || says(opcode, ".a");
		const unsigned size = says(opcode, ".b8")    ? 1
				      : says(opcode, ".b16") ? 2
				      : says(opcode, ".b32") ? 4
							     : 8;
		const unsigned vector = says(opcode, ".v2") ? 2 : says(opcode, ".v4") ? 4 : 1;
		const char *data = vector == 2   ? "{%r8, %r9}"
				   : vector == 4 ? "{%h1, %h2, %h3, %h4}"
				   : size == 8   ? "%d8"
				   : size == 4   ? "%r8"
						 : "%h1";
		const struct emulator_array_shape shape = {.width = 4,
							   .height = flat ? 1 : 3,
							   .depth = deep ? 2 : 1,
							   .channels = size == 8 ? 2 : vector,
							   .channel_bytes = size == 8 ? 4 : size,
							   .kind = CHANNEL_UNSIGNED,
							   .layered = says(opcode, ".a"),
							   .dimensions = 2};
		const unsigned threads = 4 * (flat ? 1 : 3) * (deep ? 2 : 1);
		struct emulator_array_shape made;
		uint32_t coordinates[24][4], results[24][8];
		char kernel[2048];
		uint64_t handle;
		void *array;

		for (unsigned t = 0; t < threads; t++) {
			const unsigned z = deep ? t / (threads / 2) : 0;

			coordinates[t][0] = t % 4 * size * vector;
			coordinates[t][1] = flat ? 0 : t / 4 % 3;
			coordinates[t][2] = coordinates[t][3] = z;
		}
		/* bytes of a value: its thread, 0x50 or 0x60, twice */
		snprintf(kernel, sizeof(kernel),
			 BODY
			 "mad.lo.u32 %%r8, %%r1, 0x10001, 0x50005000;\n"
			 "xor.b32 %%r9, %%r8, 0x30003000; mov.b64 %%d8, {%%r8, %%r9};\n"
			 "mov.b64 {%%h1, %%h2, %%h3, %%h4}, %%d8;\n"
			 "%s [%%d1, %s], %s;\n"
			 "mov.b32 %%r8, 0; mov.b32 %%r9, 0; mov.b64 %%d8, 0; mov.b16 %%h1, 0;\n"
			 "mov.b16 %%h2, 0; mov.b16 %%h3, 0; mov.b16 %%h4, 0;\n"
			 "%s %s, [%%d1, %s];\n"
			 "st.global.b%u [%%d3], %s; ret; }",
			 opcode, place(opcode), data, surfaces[n][1], data, place(opcode),
			 size == 1     ? 16
			 : vector == 4 ? 16
			 : vector == 2 ? 32
				       : size * 8,
			 vector == 2   ? "%r8"
			 : vector == 4 ? "%h3"
				       : data);
		assert_int_equal(vflow_emulator_array_create("test", &shape, &array), 0);
		assert_int_equal(vflow_emulator_array_shape(array, &made), 0);
		assert_int_equal(vflow_emulator_surface_create(array, &handle), 0);
		run(kernel, handle, (const uint32_t(*)[4])coordinates, threads, results);
		for (unsigned t = 0; t < threads; t++) {
			const uint32_t low = t * 0x10001 + 0x50005000, high = low ^ 0x30003000;
			const uint64_t value = low | (uint64_t)high << 32;
			const uint8_t *at = (const uint8_t *)(uintptr_t)made.address +
					    coordinates[t][2] * made.slice +
					    coordinates[t][1] * made.pitch + coordinates[t][0];
			uint64_t stored = 0, loaded = results[t][0] | (uint64_t)results[t][1] << 32;
			uint64_t shown = vector == 4   ? value >> 32 & 0xffff
					 : vector == 2 ? low
					 : size == 8   ? value
						       : value & ((1ull << 8 * size) - 1);

			memcpy(&stored, at, size * vector);
			if (stored != (size * vector == 8 ? value
							  : value & ((1ull << 8 * size) - 1)) ||
			    loaded != shown)
				fail_msg("%s, thread %u: stored 0x%llx, loaded 0x%llx", opcode, t,
					 (unsigned long long)stored, (unsigned long long)loaded);
		}
		vflow_emulator_surface_destroy(handle);
		vflow_emulator_array_destroy("test", array);
	}
}

/* txq and suq */
static void test_queries(void **state)
{
	const struct emulator_array_shape shape = {.width = 5,
						   .height = 4,
						   .depth = 3,
						   .channels = 1,
						   .channel_bytes = 4,
						   .dimensions = 3};
	const struct emulator_texture texture = make(1, false, false, ADDRESS_CLAMP);
	const uint32_t none[1][4] = {{0}};
	uint32_t results[1][8];
	char kernel[2048];
	uint64_t handle;
	void *array;

	(void)state;
	snprintf(kernel, sizeof(kernel),
		 BODY "txq.width.b32 %%r8, [%%d1]; txq.height.b32 %%r9, [%%d1];\n"
		      "txq.depth.b32 %%r10, [%%d1];\n"
		      "st.global.v4.b32 [%%d3], {%%r8, %%r9, %%r10, %%r10}; ret; }");
	assert_int_equal(vflow_emulator_texture_create(&texture, &handle), 0);
	run(kernel, handle, none, 1, results);
	vflow_emulator_texture_destroy(handle);
	assert_int_equal(results[0][0], WIDTH);
	assert_int_equal(results[0][1], HEIGHT);
	assert_int_equal(results[0][2], 1);
	snprintf(kernel, sizeof(kernel),
		 BODY "suq.width.b32 %%r8, [%%d1]; suq.height.b32 %%r9, [%%d1];\n"
		      "suq.depth.b32 %%r10, [%%d1];\n"
		      "st.global.v4.b32 [%%d3], {%%r8, %%r9, %%r10, %%r10}; ret; }");
	assert_int_equal(vflow_emulator_array_create("test", &shape, &array), 0);
	assert_int_equal(vflow_emulator_surface_create(array, &handle), 0);
	run(kernel, handle, none, 1, results);
	vflow_emulator_surface_destroy(handle);
	vflow_emulator_array_destroy("test", array);
	assert_int_equal(results[0][0], 5);
	assert_int_equal(results[0][1], 4);
	assert_int_equal(results[0][2], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planes),   cmocka_unit_test(test_filter),
		cmocka_unit_test(test_fetches),  cmocka_unit_test(test_gathers),
		cmocka_unit_test(test_surfaces), cmocka_unit_test(test_queries),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, create, destroy);
}
