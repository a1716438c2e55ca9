/*
 * The rules of whole values and of unread bytes (gpu/analysis/values.h, unit.h): cases by hand, and
 * random masks against a model that goes byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "gpu/analysis/unit.h"
#include "gpu/analysis/values.h"

static uint64_t seed = 1;

static uint64_t random_bits(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return seed ^ seed >> 29;
}

/* Dense, thin, whole and empty ones; runs of bytes. */
static uint64_t random_mask(void)
{
	uint64_t bits = random_bits();

	switch (random_bits() % 6) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return bits & random_bits() & random_bits();
	case 3:
		return bits | random_bits() | random_bits();
	case 4:
		return UINT64_MAX >> bits % 64 << random_bits() % 64;
	default:
		return bits;
	}
}

static bool has(uint64_t mask, unsigned byte)
{
	return mask >> byte & 1;
}

/* -- whole values -- */

static void test_values_by_hand(void **state)
{
	(void)state;
	/* 7 over 0: three bytes keep their value, and no int does */
	assert_int_equal(values_redundant(0xf, 0xe, 4), 0);
	assert_int_equal(values_redundant(0xf, 0xf, 4), 0xf);
	/* one lane of a float4 */
	assert_int_equal(values_redundant(0xffff, 0xfeff, 4), 0xf0ff);
	assert_int_equal(values_redundant(0xffff, 0xfeff, 8), 0x00ff);
	assert_int_equal(values_redundant(0xffff, 0xfeff, 2), 0xfcff);
	assert_int_equal(values_redundant(0xffff, 0xfeff, 1), 0xfeff);
	/* half of a value was written: the half counts */
	assert_int_equal(values_redundant(0x30, 0x30, 8), 0x30);
	assert_int_equal(values_redundant(0xf0, 0x70, 8), 0);
	/* the last value of the word, and of an object of 61 bytes */
	assert_true(values_redundant(UINT64_C(0xff) << 56, UINT64_C(0x7f) << 56, 8) == 0);
	assert_true(values_redundant(UINT64_C(0x1f) << 56, UINT64_C(0x1f) << 56, 8) ==
		    UINT64_C(0x1f) << 56);
}

static void test_values_random(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 200000; round++) {
		unsigned width = 1u << random_bits() % 4;
		uint64_t written = random_mask(), redundant = written & random_mask(), got;

		got = values_redundant(written, redundant, width);
		for (unsigned i = 0; i < 64; i++) {
			bool changed = false, touched = false;

			for (unsigned k = 0; k < 64; k++)
				if (k / width == i / width) {
					changed |= has(written, k) && !has(redundant, k);
					touched |= has(written, k);
				}
			assert_int_equal(has(got, i), has(written, i) && !changed);
			assert_int_equal(has(values_whole(written, width), i), touched);
		}
	}
}

static void test_width_by_hand(void **state)
{
	const uint32_t ints = values_sizes(VALUES_STORE, 4);
	const uint32_t doubles = values_sizes(VALUES_STORE, 8);
	const uint32_t float4 = values_sizes(VALUES_STORE, 16);
	const uint32_t set = values_sizes(VALUES_BULK, VALUES_WIDE);
	const uint32_t halves = values_sizes(VALUES_LOAD, 2);

	(void)state;
	assert_int_equal(ints, 0x040000);
	assert_int_equal(halves, 0x0200);
	assert_int_equal(set, 0x10);
	assert_int_equal(values_width(ints, 0), 4);
	/* a struct {double, int} by two stores */
	assert_int_equal(values_width(ints | doubles, 0), 8);
	/* loads do not say how wide scalar stores are, nor do earlier stores of several sizes */
	assert_int_equal(values_width(ints | values_sizes(VALUES_LOAD, 8), ints), 4);
	assert_int_equal(values_width(ints, ints | doubles), 4);
	assert_int_equal(values_width(values_sizes(VALUES_STORE, 1), ints | doubles), 1);
	/* of one size: the first API that stores another stores both */
	assert_int_equal(values_width(ints, doubles), 8);
	assert_int_equal(values_width(doubles, ints), 8);
	assert_int_equal(values_width(values_sizes(VALUES_ATOMIC, 2), ints), 4);
	assert_int_equal(values_width(ints, values_sizes(VALUES_ATOMIC, 8)), 4);
	/* wide stores, copies and sets: nothing is known, what others did, what the API did itself
	 */
	assert_int_equal(values_width(float4, 0), 8);
	assert_int_equal(values_width(set, 0), 8);
	assert_int_equal(values_width(float4, float4 | set), 8);
	assert_int_equal(values_width(float4, halves), 2);
	assert_int_equal(values_width(set, ints), 4);
	assert_int_equal(values_width(set, halves | ints), 4);
	assert_int_equal(values_width(set | halves, 0), 2);
	assert_int_equal(values_width(float4 | ints, 0), 4);
	assert_int_equal(values_width(float4 | ints, doubles), 8);
	assert_int_equal(values_width(set, values_sizes(VALUES_LOAD, 16)), 8);
	/* atomics store, too; a vector of them is wide */
	assert_int_equal(values_width(values_sizes(VALUES_ATOMIC, 2), 0), 2);
	assert_int_equal(values_width(values_sizes(VALUES_ATOMIC, 16), ints), 4);
	assert_int_equal(values_width(set, values_sizes(VALUES_ATOMIC, 4)), 4);
	/* 32 bytes are no different from 16 */
	assert_int_equal(values_sizes(VALUES_STORE, 32), float4);
}

static void test_width_random(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 200000; round++) {
		/* loads 1 2 4 8 16, stores, atomics, bulk: what the API did, and others before */
		bool now[4][5], before[4][5];
		uint32_t sizes = 0, known = 0;
		unsigned expected = 0;
		bool wide, alike = true;

		for (unsigned kind = 0; kind < 4; kind++)
			for (unsigned n = 0; n < 5; n++) {
				bool can = kind != VALUES_BULK || n == 4;

				now[kind][n] = can && !(random_bits() % 5);
				before[kind][n] = can && !(random_bits() % 7);
				if (now[kind][n])
					sizes |= values_sizes(kind, 1u << n);
				if (before[kind][n])
					known |= values_sizes(kind, 1u << n);
			}
		/* whichever of the stores before it would give the same */
		for (unsigned n = 0, widest = 0, found = 0; n < 5; n++) {
			bool stored = before[VALUES_BULK][n] || before[VALUES_STORE][n] ||
				      before[VALUES_ATOMIC][n];
			unsigned width = n;

			for (unsigned kind = 1; n == 4 && kind < 4; kind++)
				for (unsigned m = 0; m < 4; m++)
					if (before[kind][m] && (width == 4 || m > width))
						width = m;
			if (stored && found && width != widest)
				alike = false;
			if (stored)
				widest = width, found = 1;
		}
		for (unsigned n = 0; alike && n < 5; n++)
			now[VALUES_STORE][n] |= before[VALUES_STORE][n];
		wide = now[VALUES_BULK][4] || now[VALUES_STORE][4] || now[VALUES_ATOMIC][4];
		for (unsigned n = 0; n < 4; n++) {
			if (now[VALUES_STORE][n] || now[VALUES_ATOMIC][n])
				expected = 1u << n;
			for (unsigned kind = 1; wide && kind < 4; kind++)
				if (now[kind][n] || before[kind][n])
					expected = 1u << n;
		}
		assert_int_equal(values_width(sizes, known), expected ? expected : 8);
	}
}

/* -- unread bytes -- */

static void test_unread_by_hand(void **state)
{
	struct unit_word word = {.written = 0xff};

	(void)state;
	/* written for the first time: dead is nothing, unread all */
	assert_int_equal(unit_dead_bytes(&word), 0);
	assert_int_equal(unit_unread(&word), 0xff);
	/* half of it read, all of it written over by another */
	word = (struct unit_word){.read = 0x0f, .unread = 0xff};
	assert_int_equal(unit_first_read_bytes(&word), 0x0f);
	assert_int_equal(unit_unread(&word), 0xf0);
	assert_int_equal(unit_taken_bytes(&word), 0);
	word = (struct unit_word){.written = 0xff, .unread = 0xf0};
	assert_int_equal(unit_dead_bytes(&word), 0xf0);
	assert_int_equal(unit_unread(&word), 0xff);
	/* in place: read before it is written, and read after */
	word = (struct unit_word){.read = 0xff, .written = 0xff, .unread = 0xff};
	assert_int_equal(unit_dead_bytes(&word), 0);
	assert_int_equal(unit_first_read_bytes(&word), 0xff);
	assert_int_equal(unit_unread(&word), 0);
	/* one byte of an unread unit of another: who reads the other three is not known */
	word = (struct unit_word){.written = 0x02, .unread = 0xff};
	assert_int_equal(unit_dead_bytes(&word), 0x02);
	assert_int_equal(unit_taken_bytes(&word), 0x0d);
	assert_int_equal(unit_unread(&word), 0xf2);
	/* ... but of one that it reads */
	word.read = 0x08;
	assert_int_equal(unit_first_read_bytes(&word), 0x08);
	assert_int_equal(unit_taken_bytes(&word), 0x05);
	assert_int_equal(unit_unread(&word), 0xf2);
	/* ... and if it has written those itself, too */
	word = (struct unit_word){.written = 0x22, .unread = 0xff, .own = 0x0f};
	assert_int_equal(unit_dead_bytes(&word), 0x22);
	assert_int_equal(unit_taken_bytes(&word), 0xd0);
	assert_int_equal(unit_unread(&word), 0x2f);
}

/* The bytes of a word, each with who wrote it last and whether it is known that nobody read it. */
struct model {
	unsigned writer[64]; /* 0: nobody */
	bool unread[64];
};

/* Whether an API writes another byte of the unit and not this one. */
static bool is_beside(uint64_t written, unsigned i)
{
	return !has(written, i) && (written >> i / 4 * 4 & 15);
}

/* The unread bytes of each writer by the model and by arithmetic on what the rules count. */
static void test_unread_random(void **state)
{
	enum { WRITERS = 6 };

	(void)state;
	for (unsigned sequence = 0; sequence < 3000; sequence++) {
		uint32_t writers[WORD_UNITS] = {0};
		int64_t unread[WRITERS] = {0};
		struct unit_word word = {0};
		struct model model = {{0}, {0}};

		for (unsigned step = 0; step < 30; step++) {
			unsigned api = 1 + (unsigned)(random_bits() % (WRITERS - 1));
			unsigned dead[WRITERS] = {0};
			bool after[64];

			word.read = random_mask() & random_mask();
			word.written = random_mask();
			word.own = unit_written_by(writers, api);
			/* the rules, by writer as a row has them */
			for (uint32_t i = 0; i < WRITERS; i++) {
				uint64_t bytes = unit_written_by(writers, i);
				unsigned taken = unit_count(unit_taken_bytes(&word) & bytes);

				dead[i] = unit_count(unit_dead_bytes(&word) & bytes);
				unread[i] -= unit_count(unit_first_read_bytes(&word) & bytes);
				unread[i] -= dead[i] + taken;
				unread[api] +=
					unit_count(word.written & unit_unread(&word) & bytes);
			}
			unit_set_writer(writers, word.written, api);
			word.unread = unit_unread(&word);
			/* the model */
			for (unsigned i = 0; i < 64; i++) {
				bool r = has(word.read, i), w = has(word.written, i);

				if (w && !r && model.unread[i]) {
					assert_true(dead[model.writer[i]] > 0);
					dead[model.writer[i]]--;
				}
				after[i] = w ? !r : model.unread[i] && !r;
				if (is_beside(word.written, i) && model.writer[i] != api)
					after[i] = false;
			}
			for (unsigned i = 0; i < 64; i++) {
				model.unread[i] = after[i];
				if (has(word.written, i))
					model.writer[i] = api;
				assert_int_equal(has(word.unread, i), after[i]);
			}
			for (unsigned k = 0; k < WRITERS; k++) {
				int64_t sum = 0;

				for (unsigned i = 0; i < 64; i++)
					sum += model.unread[i] && model.writer[i] == k;
				assert_int_equal(unread[k], sum);
				assert_int_equal(dead[k], 0);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_by_hand), cmocka_unit_test(test_values_random),
		cmocka_unit_test(test_width_by_hand),  cmocka_unit_test(test_width_random),
		cmocka_unit_test(test_unread_by_hand), cmocka_unit_test(test_unread_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
