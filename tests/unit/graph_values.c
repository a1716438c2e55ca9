/*
 * Which values kernels access (pass `values`): records of launches become rows of the kernel, which
 * are written to a profile and read again.
 */
#include "tests/unit/made_traces.h"

#include <math.h>

#include "gpu/value.h"

enum { ALLOC = 1, FIRST, SECOND };
enum { OBJECT = 1 };
enum { LINE = 1, NO_LINE }; /* places, by their numbers */

/* -- records -- */

static void place(uint32_t number, uint32_t line, uint64_t code, const char *text, size_t size)
{
	const size_t start = offsetof(struct gpu_code_place, text);
	union {
		struct gpu_code_place place;
		char bytes[200];
	} payload = {.place = {.place = number, .line = line, .code = code}};

	memcpy(payload.bytes + start, text, size);
	fact(GPU_RECORD_CODE_PLACE, 0, 0, &payload, (uint32_t)(start + (size < 8 ? 8 : size)));
}

static void values(uint32_t of, uint32_t by, struct gpu_values payload)
{
	fact(GPU_RECORD_VALUES, of, by, &payload, sizeof(payload));
}

struct tops {
	uint32_t count, unused;
	struct gpu_top_value values[GPU_TOP_VALUES + 1];
};

/* `given` of them are in the payload. */
static void tops(uint32_t of, uint32_t by, const struct tops *tops, uint32_t given)
{
	fact(GPU_RECORD_TOP_VALUES, of, by, tops,
	     (uint32_t)(sizeof(struct gpu_top_values) + given * sizeof(*tops->values)));
}

static uint64_t real(double number)
{
	return value_bits_of(number);
}

/* -- two launches of a kernel -- */

/* Loads: 1 2 3 4 in the first launch, all at one place; -2 0 6 in the second, at two. */
static struct gpu_values floats(bool second)
{
	struct gpu_values payload = {.kind = GPU_VALUE_LOAD, .type = GPU_VALUE_F32};

	if (second) {
		payload.count = payload.finite = payload.distinct = 3;
		payload.zeros = 1;
		payload.repeats = 2;
		payload.any = 0xc0c00000;
		payload.least = real(-2);
		payload.most = real(6);
		payload.sum = real(0 + 2 + 8);
		payload.squares = real(0 + 4 + 64);
		payload.slope = real(4);
		payload.intercept = real(-2);
		payload.fits = 1 << GPU_VALUE_FITS_INTEGER | 1 << GPU_VALUE_FITS_F32;
		payload.near_count = 2;
	} else {
		payload.count = payload.finite = payload.distinct = 4;
		payload.repeats = 1;
		payload.any = 0x7fc00000;
		payload.least = real(1);
		payload.most = real(4);
		payload.sum = real(0 + 1 + 2 + 3);
		payload.squares = real(0 + 1 + 4 + 9);
		payload.slope = real(1);
		payload.intercept = real(1);
		payload.fits = 1 << GPU_VALUE_FITS_F16 | 1 << GPU_VALUE_FITS_F32;
		payload.near_count = 3;
	}
	payload.flags = GPU_VALUES_RANGE | GPU_VALUES_LINEAR;
	payload.near_bits = 7;
	payload.near = 0x40000000;
	return payload;
}

/* Loads: two NaNs in the one, 5 and an infinity in the other. */
static struct gpu_values doubles(bool second)
{
	struct gpu_values payload = {.count = 2,
				     .any = UINT64_MAX,
				     .kind = GPU_VALUE_LOAD,
				     .type = GPU_VALUE_F64,
				     .distinct = 1};

	if (!second)
		return payload;
	payload.finite = 1;
	payload.least = payload.most = real(5);
	payload.flags = GPU_VALUES_RANGE;
	payload.near_bits = 12;
	payload.near_count = 1;
	payload.distinct = 2;
	return payload;
}

/* Stores: 3 * i - 5 in both, from -5 to 4 and from -5 to 22; the second has others, too. */
static struct gpu_values indices(bool second)
{
	return (struct gpu_values){
		.count = second ? 10 : 4,
		.any = UINT32_MAX,
		.least = (uint64_t)-5,
		.most = second ? 22 : 4,
		.slope = 3,
		.intercept = (uint64_t)-5,
		.distinct = second ? 10 : 4,
		.kind = GPU_VALUE_STORE,
		.type = GPU_VALUE_S32,
		.flags = GPU_VALUES_RANGE | GPU_VALUES_LINEAR |
			 (second ? GPU_VALUES_PARTLY : GPU_VALUES_BLOCKS),
	};
}

/* Operands of atomics on shared memory: all 7, all 9; of the second not all are known. */
static struct gpu_values shared(bool second)
{
	const uint64_t value = second ? 9 : 7;

	return (struct gpu_values){
		.count = second ? 500 : 10,
		.all = value,
		.any = value,
		.least = value,
		.most = value,
		.distinct = 1,
		.kind = GPU_VALUE_ATOMIC,
		.type = GPU_VALUE_U64,
		.flags = GPU_VALUES_RANGE | (second ? GPU_VALUES_MANY : 0),
	};
}

static struct gpu_values at(uint32_t number, struct gpu_values payload)
{
	payload.place = number;
	return payload;
}

static void launch(bool second)
{
	static const struct tops ones = {.count = 2,
					 .values = {{0x3f800000, 2, 1}, {0x40000000, 1, 0}}};
	static const struct tops others = {.count = 2, .values = {{0x40000000, 3, 2}, {0, 1, 0}}};
	struct tops many = {.count = GPU_TOP_VALUES};
	struct gpu_values part = floats(second);

	/* 100 .. 109 with counts 20 .. 11, 200 .. 209 with counts 30 .. 21 */
	for (uint32_t i = 0; i < GPU_TOP_VALUES; i++)
		many.values[i] =
			(struct gpu_top_value){(second ? 200 : 100) + i, (second ? 30 : 20) - i, 0};
	event(FIRST, 0, NULL);
	values(OBJECT, FIRST, floats(second));
	tops(OBJECT, FIRST, second ? &others : &ones, 2);
	if (second)
		part.count = part.finite = 1; /* no figure of these is asked for but the count */
	part.zeros = part.repeats = part.near_bits = 0;
	part.near = part.near_count = 0;
	values(OBJECT, FIRST, at(LINE, part));
	if (second) {
		part.count = part.finite = 2;
		values(OBJECT, FIRST, at(NO_LINE, part));
	}
	values(OBJECT, FIRST, doubles(second));
	values(OBJECT, FIRST, indices(second));
	values(0, FIRST, shared(second));
	tops(0, FIRST, &many, GPU_TOP_VALUES);
}

static void begin_trace(void)
{
	start(1);
	clock_ns = 1;
	context(ALLOC, TRACE_ALLOC, "cudaMalloc", 0);
	context(FIRST, TRACE_KERNEL, "first", 0);
	context(SECOND, TRACE_KERNEL, "second", 0);
	object(OBJECT, ALLOC, 1000);
	event(ALLOC, 0, NULL);
	place(LINE, 12, 40, "_Z1kPf\n/src/k.cu", sizeof("_Z1kPf\n/src/k.cu"));
	place(NO_LINE, 0, 7, "plain\n", sizeof("plain\n"));
}

/* `swapped`: the second launch comes first, which must make no difference. */
static void make_trace(bool swapped)
{
	begin_trace();
	launch(swapped);
	launch(!swapped);
	event(SECOND, 0, NULL);
	values(OBJECT, SECOND, indices(false)); /* another kernel's */
	end();
}

/* -- what is expected -- */

static const struct profile_value_stats *row_of(const struct profile *profile, uint32_t vertex,
						uint32_t kind, uint32_t type, uint32_t at_place)
{
	const struct profile_value_stats *found = NULL;

	for (uint32_t i = 0; i < profile->value_count; i++) {
		const struct profile_value_stats *value = &profile->values[i];

		if (value->vertex != vertex || value->kind != kind || value->type != type ||
		    value->place != at_place)
			continue;
		assert_null(found);
		found = value;
	}
	assert_non_null(found);
	return found;
}

static void check_floats(const struct profile *profile)
{
	const struct profile_value_stats *value =
		row_of(profile, FIRST, GPU_VALUE_LOAD, GPU_VALUE_F32, PROFILE_NO_ROW);

	assert_int_equal(value->site, ALLOC);
	assert_int_equal(value->launches, 2);
	assert_int_equal(value->single_launches, 0);
	assert_int_equal(value->count, 7);
	assert_int_equal(value->zeros, 1);
	assert_int_equal(value->repeats, 3);
	assert_int_equal(value->all, 0);
	assert_int_equal(value->any, 0xffc00000);
	assert_true(value->ranged);
	assert_true(value->least == -2);
	assert_true(value->most == 6);
	assert_false(value->partly);
	assert_false(value->sampled);
	assert_false(value->linear); /* two lines */
	/* 1 2 3 4 -2 0 6: the sum is 14, that of squares 70 */
	assert_true(fabs(value->mean - 2) < 1e-12);
	assert_true(fabs(value->deviation - sqrt(70. / 7 - 4)) < 1e-12);
	assert_int_equal(value->fits, 1 << GPU_VALUE_FITS_F32);
	assert_int_equal(value->distinct, 4);
	assert_int_equal(value->distinct_most, 7);
	assert_int_equal(value->near_bits, 7);
	assert_int_equal(value->near, 0x40000000);
	assert_int_equal(value->near_count, 5);
}

static void check_others(const struct profile *profile)
{
	const struct profile_value_stats *value =
		row_of(profile, FIRST, GPU_VALUE_LOAD, GPU_VALUE_F64, PROFILE_NO_ROW);

	assert_int_equal(value->count, 4);
	assert_true(value->ranged);
	assert_true(value->least == 5 && value->most == 5);
	assert_true(value->mean == 5); /* of the one that is finite */
	assert_true(value->deviation == 0);
	assert_int_equal(value->near_bits, 0); /* of one launch only */
	assert_int_equal(value->near_count, 0);

	value = row_of(profile, FIRST, GPU_VALUE_STORE, GPU_VALUE_S32, PROFILE_NO_ROW);
	assert_true(value->linear);
	assert_true(value->slope == 3 && value->intercept == -5);
	assert_true(value->least == -5 && value->most == 22);
	assert_true(value->partly);
	assert_true(value->sampled);
	assert_true(value->mean == 0); /* of floats only */
	assert_int_equal(value->count, 14);

	value = row_of(profile, FIRST, GPU_VALUE_ATOMIC, GPU_VALUE_U64, PROFILE_NO_ROW);
	assert_int_equal(value->site, PROFILE_NO_VERTEX);
	assert_int_equal(value->single_launches, 2);
	assert_int_equal(value->all, 7 & 9);
	assert_int_equal(value->any, 7 | 9);
	assert_int_equal(value->distinct, 1);
	assert_int_equal(value->distinct_most, PROFILE_UNKNOWN);

	value = row_of(profile, SECOND, GPU_VALUE_STORE, GPU_VALUE_S32, PROFILE_NO_ROW);
	assert_int_equal(value->count, 4);
	assert_false(value->partly);
}

static void check_places(const struct profile *profile)
{
	const struct profile_code_place *places = profile->code_places;
	const struct profile_value_stats *value;

	assert_int_equal(profile->code_place_count, 2);
	assert_string_equal(places[0].function, "k(float*)");
	assert_string_equal(places[0].file, "/src/k.cu");
	assert_int_equal(places[0].line, 12);
	assert_int_equal(places[0].code, 40);
	assert_string_equal(places[1].function, "plain");
	assert_null(places[1].file);
	assert_int_equal(places[1].line, 0);
	assert_int_equal(places[1].code, 7);
	value = row_of(profile, FIRST, GPU_VALUE_LOAD, GPU_VALUE_F32, PROFILE_NO_ROW);
	/* all places, then each */
	assert_int_equal(value[1].place, 0);
	assert_int_equal(value[1].count, 4 + 1);
	assert_int_equal(value[2].place, 1);
	assert_int_equal(value[2].count, 2);
	assert_int_equal(value[2].launches, 1);
	assert_true(value[2].linear);
}

static void top_is(const struct profile_top_value *top, const char *text, uint64_t count,
		   uint64_t error)
{
	assert_string_equal(top->text, text);
	assert_int_equal(top->count, count);
	assert_int_equal(top->error, error);
}

static void check_tops(const struct profile *profile)
{
	const struct profile_value_stats *value =
		row_of(profile, FIRST, GPU_VALUE_LOAD, GPU_VALUE_F32, PROFILE_NO_ROW);
	const struct profile_top_value *top = profile->top_values;
	char text[8];

	assert_int_equal(profile->top_value_count, 3 + GPU_TOP_VALUES);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(top[i].value, value - profile->values);
	top_is(&top[0], "2", 1 + 3, 0 + 2);
	top_is(&top[1], "1", 2, 1);
	top_is(&top[2], "0", 1, 0);
	value = row_of(profile, FIRST, GPU_VALUE_ATOMIC, GPU_VALUE_U64, PROFILE_NO_ROW);
	for (uint32_t i = 0; i < GPU_TOP_VALUES; i++) {
		assert_int_equal(top[3 + i].value, value - profile->values);
		snprintf(text, sizeof(text), "%u", 200 + i);
		top_is(&top[3 + i], text, 30 - i, 0);
	}
}

static void check(const struct profile *profile)
{
	assert_string_equal(coverage_of(profile, "trace"), "");
	assert_int_equal(profile->value_count, 7);
	check_floats(profile);
	check_others(profile);
	check_places(profile);
	check_tops(profile);
}

static void test_launches(void **state)
{
	struct profile *profile;

	(void)state;
	make_trace(false);
	profile = build_passes("flow,values");
	check(profile);
	profile = written(profile);
	check(profile);
	profile_free(profile);
}

static void test_other_order(void **state)
{
	struct profile *profile;

	(void)state;
	make_trace(true);
	profile = build_passes("flow,values");
	check(profile);
	profile_free(profile);
}

/* -- hostile records -- */

/* The last record of a trace makes no sense: it ends there, and what was before it counts. */
static void must_refuse(void (*bad)(unsigned n), unsigned n, const char *message)
{
	struct profile *profile;

	assert_int_equal(make_folder(NULL), 0);
	begin_trace();
	event(FIRST, 0, NULL);
	values(OBJECT, FIRST, floats(false));
	bad(n);
	values(OBJECT, FIRST, floats(false));
	end();
	profile = build_passes("flow,values");
	if (!strstr(coverage_of(profile, "trace"), message))
		print_message("case %u: '%s' lacks '%s'\n", n, coverage_of(profile, "trace"),
			      message);
	assert_non_null(strstr(coverage_of(profile, "trace"), message));
	assert_int_equal(profile->value_count, 1);
	assert_int_equal(profile->values[0].launches, 1);
	profile = written(profile);
	profile_free(profile);
	assert_int_equal(remove_folder(NULL), 0);
}

static void bad_values(unsigned n)
{
	struct gpu_values payload = floats(false);

	switch (n) {
	case 0:
		payload.count = 0;
		break;
	case 1:
		payload.zeros = payload.count + 1;
		break;
	case 2:
		payload.repeats = payload.count + 1;
		break;
	case 3:
		payload.near_count = payload.count + 1;
		break;
	case 4:
		payload.type = GPU_VALUE_TYPES;
		break;
	case 5:
		payload.type = 255;
		break;
	case 6:
		payload.kind = 0;
		break;
	case 7:
		payload.kind = GPU_VALUE_KINDS;
		break;
	case 8:
		payload.all = 1; /* and no value has it */
		break;
	case 9:
		payload.count = payload.finite = UINT64_MAX;
		break;
	case 10:
		payload.distinct = UINT64_C(1) << 63;
		break;
	default:
		payload.finite = payload.count + 1;
	}
	values(OBJECT, FIRST, payload);
}

static void absent_place(unsigned n)
{
	values(OBJECT, FIRST, at(n, floats(false)));
}

static void bad_place(unsigned n)
{
	static const struct {
		uint32_t number;
		uint64_t code;
		const char *text;
		size_t size;
	} cases[] = {
		{9, 1, "no end\n.", 8},             /* no 0 */
		{9, 1, "nofile", 7},                /* no line feed */
		{9, 1, "late\0\n", 7},              /* it comes after the end */
		{9, UINT64_C(1) << 63, "f\n\0", 3}, /* too large a number */
	};

	place(cases[n].number, 1, cases[n].code, cases[n].text, cases[n].size);
}

static void known_place(unsigned n)
{
	place(n, 1, 1, "f\n", 3);
}

static void bad_tops(unsigned n)
{
	struct tops payload = {.count = 1, .values = {{1, 1, 0}}};

	switch (n) {
	case 0:
		payload.count = GPU_TOP_VALUES + 1;
		tops(OBJECT, FIRST, &payload, GPU_TOP_VALUES + 1);
		break;
	case 1:
		payload.count = 3;
		tops(OBJECT, FIRST, &payload, 2);
		break;
	case 2:
		payload.count = UINT32_MAX;
		tops(OBJECT, FIRST, &payload, 1);
		break;
	case 3:
		payload.values[0].count = UINT64_C(1) << 63;
		tops(OBJECT, FIRST, &payload, 1);
		break;
	default:
		payload.values[0].error = UINT64_MAX;
		tops(OBJECT, FIRST, &payload, 1);
	}
}

static void test_hostile(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 12; n++)
		must_refuse(bad_values, n, "accessed values that make no sense");
	must_refuse(absent_place, 3, "values of place 3, which is not there");
	must_refuse(absent_place, UINT32_MAX, "values of place 4294967295, which is not there");
	must_refuse(bad_place, 0, "kind CODE_PLACE with a name that has no end");
	for (unsigned n = 1; n < 4; n++)
		must_refuse(bad_place, n, "a place in GPU code that makes no sense");
	must_refuse(known_place, LINE, "place 1 in GPU code comes twice");
	for (unsigned n = 0; n < 5; n++)
		must_refuse(bad_tops, n, "frequent values that make no sense");
}

/* Numbers that are none, and claims that cannot be checked: nothing of them is in the profile. */
static void test_harmless(void **state)
{
	static const struct tops stray = {.count = 1, .values = {{1, 1, 0}}};
	const double odd[] = {NAN, INFINITY, -INFINITY, -1e308, 1e308};
	const struct profile_value_stats *value;
	struct gpu_values payload = floats(false);
	struct profile *profile;

	(void)state;
	begin_trace();
	event(FIRST, 0, NULL);
	tops(OBJECT, FIRST, &stray, 1); /* of no values */
	payload.least = real(4);        /* above the largest */
	payload.most = real(1);
	payload.near_bits = 255;
	payload.fits = UINT32_MAX;
	values(OBJECT, FIRST, payload);
	for (size_t n = 0; n < sizeof(odd) / sizeof(*odd); n++) {
		payload = doubles(true);
		payload.flags |= GPU_VALUES_LINEAR;
		payload.least = payload.most = payload.sum = payload.squares = real(odd[n]);
		payload.slope = payload.intercept = real(odd[n]);
		values(OBJECT, FIRST, payload);
	}
	payload = indices(false);
	payload.count = payload.zeros = payload.repeats = (uint64_t)INT64_MAX;
	values(OBJECT, FIRST, payload);
	values(OBJECT, FIRST, payload); /* their sum has no room */
	end();
	profile = written(build_passes("flow,values"));
	assert_string_equal(coverage_of(profile, "trace"), "");
	assert_int_equal(profile->top_value_count, 0);
	value = row_of(profile, FIRST, GPU_VALUE_LOAD, GPU_VALUE_F32, PROFILE_NO_ROW);
	assert_false(value->ranged);
	value = row_of(profile, FIRST, GPU_VALUE_LOAD, GPU_VALUE_F64, PROFILE_NO_ROW);
	assert_int_equal(value->launches, 5);
	assert_true(isfinite(value->least) && isfinite(value->most));
	assert_true(isfinite(value->mean) && isfinite(value->deviation));
	assert_true(isfinite(value->slope) && isfinite(value->intercept));
	value = row_of(profile, FIRST, GPU_VALUE_STORE, GPU_VALUE_S32, PROFILE_NO_ROW);
	assert_int_equal(value->count, PROFILE_NUMBER_MAX);
	assert_int_equal(value->zeros, PROFILE_NUMBER_MAX);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_launches, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_other_order, make_folder, remove_folder),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test_setup_teardown(test_harmless, make_folder, remove_folder),
	};

	return cmocka_run_group_tests_name("graph_values", tests, NULL, NULL);
}
