/*
 * tests/unit/sass_types.c: the element type of each access.
 *
 * What is expected was read off tests/gpu/sass/types.cu, in the order in which the machine code has
 * the accesses (the same for both architectures).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/sass/types.h"
#include "tests/unit/sass_fixture.h"

/* "load global 4: 1 f32": a "?" behind the type where it is by majority */
static char *described(const struct sass_function *function)
{
	static const char *const kinds[] = {"load", "store", "atomic"};
	static const char *const spaces[] = {"global", "shared", "local", "generic"};
	struct error error;
	struct flow *flow = flow_build(function, &error);
	size_t count, size;
	struct access_type *accesses = types_find(flow, &count);
	char *text;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < count; i++) {
		const struct access_type *at = &accesses[i];

		fprintf(out, "%s %s %u: %u %s%s\n", kinds[at->kind], spaces[at->space], at->bytes,
			at->count, type_name(at->type), at->confidence == TYPE_MAJORITY ? "?" : "");
		assert_true((at->type == TYPE_RAW) == (at->confidence == TYPE_AMBIGUOUS));
		assert_true(at->type == TYPE_RAW || at->count * type_size(at->type) == at->bytes);
	}
	fclose(out);
	free(accesses);
	flow_free(flow);
	return text;
}

/* RED is how sm_80 calls what later ones call REDG: the space is not in its name. */
static void assert_types(const char *function, const char *const *wanted)
{
	for (unsigned i = 0; i < 2; i++) {
		struct sass_listing *listing = read_listing(i ? "types.sm_90" : "types.sm_80");
		char *text = described(sass_find(listing, function));

		assert_string_equal(text, wanted[i]);
		free(text);
		sass_free(listing);
	}
}

/* Of sm_80, then of sm_90. */
#define BOTH(accesses) ((const char *const[]){accesses("generic"), accesses("global")})

static void test_floats(void **state)
{
#define FLOATS(reduction)                                                                          \
	"load global 4: 1 f32\n"  /* narrow[t] */                                                  \
	"store global 8: 1 f64\n" /* widened[t] */                                                 \
	"load global 4: 2 f16\n"  /* halves[t + 64], halves[t] */                                  \
	"load global 4: 2 f16\n"                                                                   \
	"store global 4: 2 f16\n"                                                                  \
	"load global 4: 2 bf16\n" /* brains */                                                     \
	"load global 4: 2 bf16\n"                                                                  \
	"store global 4: 2 bf16\n"                                                                 \
	"load global 4: 1 f32\n"  /* narrow[t + 9] */                                              \
	"store global 2: 1 f16\n" /* rounded[t] */                                                 \
	"load global 8: 2 f32\n"  /* vectors[t]: its z and w stay */                               \
	"store global 8: 2 f32\n"                                                                  \
	"load global 8: 1 f64\n" /* sums[t + 1] */                                                 \
	"atomic " reduction " 8: 1 f64\n"
	(void)state;
	assert_types("floats", BOTH(FLOATS));
}

static void test_integers(void **state)
{
#define INTEGERS(reduction)                                                                        \
	"load global 4: 1 s32\n"  /* ints[t + 1] */                                                \
	"load global 4: 1 s32\n"  /* ints[t + 100] */                                              \
	"store global 4: 1 s32\n" /* ints[t] */                                                    \
	"load global 8: 1 s64\n"  /* longs */                                                      \
	"store global 8: 1 s64\n"                                                                  \
	"load global 1: 1 u8\n" /* bytes */                                                        \
	"store global 1: 1 u8\n"                                                                   \
	"load global 2: 1 s16\n" /* shorts: the store does not tell */                             \
	"store global 2: 1 u16\n"                                                                  \
	"load global 4: 1 u32\n" /* words */                                                       \
	"store global 4: 1 u32\n"                                                                  \
	"load global 8: 1 u64\n" /* pairs[t + 8], which is compared */                             \
	"load global 8: 1 s64\n" /* pairs[t], which is added to only */                            \
	"store global 8: 1 s64\n"                                                                  \
	"load global 4: 1 raw\n" /* copies */                                                      \
	"store global 4: 1 raw\n"                                                                  \
	"load global 4: 1 u32\n" /* words[5] */                                                    \
	"atomic " reduction " 4: 1 u32\n"
	(void)state;
	assert_types("integers", BOTH(INTEGERS));
}

static void test_chosen(void **state)
{
#define CHOSEN(reduction)                                                                          \
	"load global 4: 1 s32\n"  /* index[t] */                                                   \
	"load global 4: 1 f32\n"  /* left[i] */                                                    \
	"load global 4: 1 f32\n"  /* right[i], through the loop, the selection and the shuffle */  \
	"store global 4: 1 f32\n" /* result[t] */                                                  \
	"store global 4: 1 s32\n" /* index[t + 32] */
	(void)state;
	assert_types("chosen", BOTH(CHOSEN));
}

static void test_others(void **state)
{
#define OTHERS(reduction)                                                                          \
	"load global 16: 4 f32?\n" /* vectors[t], of which y and z are copied */                   \
	"store global 16: 4 f32?\n"                                                                \
	"load global 2: 1 bf16\n"  /* brains[t] */                                                 \
	"store global 4: 1 f32\n"  /* single[t] */                                                 \
	"load global 1: 1 s8\n"    /* bytes[t] */                                                  \
	"atomic shared 4: 1 u32\n" /* counts[..] */                                                \
	"store global 4: 1 s32\n"  /* ints[t] */                                                   \
	"load global 4: 1 raw\n"   /* copied[t], to tile[t] */                                     \
	"store shared 4: 1 raw\n"                                                                  \
	"load shared 4: 1 f32\n"   /* tile[63 - t] */                                              \
	"load shared 4: 1 s32\n"   /* counts[1] */                                                 \
	"store global 4: 1 f32\n"  /* single[t + 64] */                                            \
	"atomic global 4: 1 s32\n" /* ints[99] */
	(void)state;
	assert_types("others", BOTH(OTHERS));
}

/* No accesses of a function with none, nor of one whose registers nobody told. */
static void test_nothing(void **state)
{
	static const char text[] =
		"\t.section\t.text.k,\"ax\",@progbits\n"
		"  /*0000*/  LDG.E.64 R4, [R2.64] ;  /* 0x0000000000000000 */\n"
		"  /* 0x000fea0003800000 */\n"
		"  /*0010*/  EXIT ;  /* 0x000000000000794d */\n  /* 0x000fea0003800000 */\n"
		"\t.section\t.text.e,\"ax\",@progbits\n"
		"  /*0000*/  EXIT ;  /* 0x000000000000794d */\n  /* 0x000fea0003800000 */\n";
	struct sass_listing *listing;
	struct error error;
	char *found;

	(void)state;
	listing = sass_parse(text, sizeof(text) - 1, &error);
	assert_non_null(listing);
	found = described(sass_find(listing, "k"));
	assert_string_equal(found, "load global 8: 1 raw\n");
	free(found);
	found = described(sass_find(listing, "e"));
	assert_string_equal(found, "");
	free(found);
	sass_free(listing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_floats),  cmocka_unit_test(test_integers),
		cmocka_unit_test(test_chosen),  cmocka_unit_test(test_others),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
