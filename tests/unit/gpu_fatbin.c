/*
 * tests/unit/gpu_fatbin.c: fat binaries, well-formed and hostile.
 *
 * The containers are written here by hand, after the layout in fatbin.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/device/fatbin.h"

#define PTX 1
#define SASS 2

struct image {
	uint8_t bytes[4096];
	size_t size;
};

static void put(struct image *image, size_t at, uint64_t value, size_t width)
{
	memcpy(image->bytes + at, &value, width);
}

static void start(struct image *image)
{
	memset(image, 0, sizeof(*image));
	put(image, 0, 0xba55ed50, 4);
	put(image, 4, 1, 2);
	put(image, 6, 16, 2);
	image->size = 16;
}

/* Returns where the entry starts. */
static size_t add(struct image *image, unsigned kind, unsigned architecture, const void *payload,
		  size_t size)
{
	size_t at = image->size, padded = (size + 8) & ~(size_t)7;

	put(image, at, kind, 2);
	put(image, at + 2, 0x101, 2);
	put(image, at + 4, 64, 4);
	put(image, at + 8, padded, 8);
	put(image, at + 28, architecture, 4);
	put(image, at + 40, 0x11, 8);
	memcpy(image->bytes + at + 64, payload, size);
	image->size = at + 64 + padded;
	put(image, 8, image->size - 16, 8);
	return at;
}

static enum fatbin_result find(const void *data, size_t size, struct fatbin_ptx *ptx,
			       struct error *error)
{
	/* a copy of exactly that size: the sanitizer sees every byte too far */
	static void *copy;
	enum fatbin_result result;

	free(copy);
	copy = malloc(size ? size : 1);
	memcpy(copy, data, size);
	error->text[0] = 0;
	result = fatbin_find_ptx(copy, size, 90, ptx, error);
	if (result)
		assert_true(strlen(error->text) > 10);
	return result;
}

static void assert_text(const struct fatbin_ptx *ptx, const char *text)
{
	assert_int_equal(ptx->size, strlen(text));
	assert_memory_equal(ptx->text, text, ptx->size);
}

static void test_chooses(void **state)
{
	struct fatbin_ptx ptx;
	struct image image;
	struct error error;

	(void)state;
	start(&image);
	add(&image, SASS, 90, "\177ELF", 4);
	add(&image, PTX, 75, "seventy-five", 12);
	add(&image, PTX, 90, "ninety", 6);
	add(&image, PTX, 80, "eighty", 6);
	add(&image, PTX, 120, "hundred-twenty", 14);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_FOUND);
	assert_text(&ptx, "ninety");

	start(&image);
	add(&image, PTX, 120, "hundred-twenty", 14);
	add(&image, PTX, 100, "hundred", 7);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_FOUND);
	assert_text(&ptx, "hundred");
}

static void test_only_sass(void **state)
{
	struct fatbin_ptx ptx;
	struct image image;
	struct error error;

	(void)state;
	start(&image);
	add(&image, SASS, 90, "\177ELF", 4);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_NO_PTX);
	assert_non_null(strstr(error.text, "-gencode arch=compute_90,code=compute_90"));
	assert_int_equal(find("\177ELF....", 8, &ptx, &error), FATBIN_NO_PTX);
}

static void test_text(void **state)
{
	struct fatbin_ptx ptx;
	struct error error;

	(void)state;
	assert_int_equal(fatbin_find_ptx(".version 8.0", SIZE_MAX, 90, &ptx, &error), FATBIN_FOUND);
	assert_text(&ptx, ".version 8.0");
	assert_int_equal(fatbin_find_ptx("", SIZE_MAX, 90, &ptx, &error), FATBIN_FOUND);
	assert_text(&ptx, "");
	assert_int_equal(find("ab", 2, &ptx, &error), FATBIN_FOUND);
	assert_text(&ptx, "ab");
}

static void test_wrapper(void **state)
{
	struct {
		uint32_t magic, version;
		const void *data;
		void *more;
	} wrapper = {0x466243b1, 1, NULL, NULL};
	struct fatbin_ptx ptx;
	struct image image;
	struct error error;

	(void)state;
	start(&image);
	add(&image, PTX, 90, "inside", 6);
	wrapper.data = image.bytes;
	assert_int_equal(fatbin_find_ptx(&wrapper, SIZE_MAX, 90, &ptx, &error), FATBIN_FOUND);
	assert_text(&ptx, "inside");
	wrapper.data = NULL;
	assert_int_equal(fatbin_find_ptx(&wrapper, SIZE_MAX, 90, &ptx, &error), FATBIN_DAMAGED);
	wrapper.data = "no container";
	assert_int_equal(fatbin_find_ptx(&wrapper, SIZE_MAX, 90, &ptx, &error), FATBIN_DAMAGED);
}

/* An LZ4 block of literals only: token 0xf0, length 15 + 5, then the bytes. */
static void test_lz4(void **state)
{
	static const char block[] = "\xf0\x05twenty bytes of text";
	struct fatbin_ptx ptx;
	struct image image;
	struct error error;
	enum fatbin_result result;
	size_t at;

	(void)state;
	start(&image);
	at = add(&image, PTX, 90, block, 22);
	put(&image, at + 16, 22, 4);
	put(&image, at + 40, 0x2011, 8);
	put(&image, at + 56, 20, 8);
	result = find(image.bytes, image.size, &ptx, &error);
	if (result == FATBIN_NO_LIBRARY) {
		assert_non_null(strstr(error.text, "liblz4-1"));
		skip();
	}
	assert_int_equal(result, FATBIN_FOUND);
	assert_text(&ptx, "twenty bytes of text");
	free(ptx.unpacked);
	/* the sizes lie */
	put(&image, at + 56, 19, 8);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_DAMAGED);
	put(&image, at + 56, UINT64_C(1) << 40, 8);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_DAMAGED);
	put(&image, at + 56, 0, 8);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_DAMAGED);
	put(&image, at + 56, 20, 8);
	put(&image, at + 16, 1000, 4);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_DAMAGED);
	assert_null(ptx.unpacked);
}

/* A zstd frame with one raw block: magic, single segment of 5, last raw block of 5 bytes. */
static void test_zstd(void **state)
{
	static const char frame[] = "\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello";
	struct fatbin_ptx ptx;
	struct image image;
	struct error error;
	enum fatbin_result result;
	size_t at;

	(void)state;
	start(&image);
	at = add(&image, PTX, 90, frame, 14);
	put(&image, at + 16, 14, 4);
	put(&image, at + 40, 0x8011, 8);
	put(&image, at + 56, 5, 8);
	result = find(image.bytes, image.size, &ptx, &error);
	if (result == FATBIN_NO_LIBRARY) {
		assert_non_null(strstr(error.text, "libzstd1"));
		skip();
	}
	assert_int_equal(result, FATBIN_FOUND);
	assert_text(&ptx, "hello");
	free(ptx.unpacked);
	put(&image, at + 56, 4, 8);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_DAMAGED);
	put(&image, at + 56, 5, 8);
	put(&image, at + 64, 0, 4);
	assert_int_equal(find(image.bytes, image.size, &ptx, &error), FATBIN_DAMAGED);
}

static void test_cut(void **state)
{
	struct fatbin_ptx ptx;
	struct image image;
	struct error error;

	(void)state;
	start(&image);
	add(&image, SASS, 90, "\177ELF", 4);
	add(&image, PTX, 90, "text", 4);
	for (size_t size = 4; size < image.size; size++)
		assert_int_equal(find(image.bytes, size, &ptx, &error), FATBIN_DAMAGED);
}

/* Every byte of the headers takes every value: an answer, never a crash. */
static void test_flipped(void **state)
{
	struct fatbin_ptx ptx;
	struct image image;
	struct error error;
	unsigned found = 0;

	(void)state;
	start(&image);
	add(&image, PTX, 90, "text", 4);
	for (size_t at = 4; at < 80; at++)
		for (unsigned value = 0; value < 256; value++) {
			struct image flipped = image;

			flipped.bytes[at] = (uint8_t)value;
			if (find(flipped.bytes, flipped.size, &ptx, &error) == FATBIN_FOUND) {
				assert_true(ptx.size <= 8);
				free(ptx.unpacked);
				found++;
			}
		}
	assert_true(found >= 76); /* at least the byte that was there */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chooses), cmocka_unit_test(test_only_sass),
		cmocka_unit_test(test_text),    cmocka_unit_test(test_wrapper),
		cmocka_unit_test(test_lz4),     cmocka_unit_test(test_zstd),
		cmocka_unit_test(test_cut),     cmocka_unit_test(test_flipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
