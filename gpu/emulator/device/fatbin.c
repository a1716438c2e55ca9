/*
 * gpu/emulator/device/fatbin.c: the fat binary container.
 *
 *   container: u32 magic 0xba55ed50, u16 version 1, u16 header size, u64 bytes that follow
 *   entry:     u16 kind (1 PTX, 2 SASS), u16 version, u32 header size, u64 payload size,
 *              u32 compressed size (+16), u32 architecture (+28), u64 flags (+40),
 *              u64 unpacked size (+56); payload after the header
 *   wrapper:   u32 magic 0x466243b1, u32 version, pointer to the container; in version 2 also
 *              one to the containers of the translation units that it was linked from, then NULL
 */
#include "gpu/emulator/device/fatbin.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER_MAGIC UINT32_C(0xba55ed50)
#define WRAPPER_MAGIC UINT32_C(0x466243b1)
#define ENTRY_MIN 64 /* up to the end of the last field read */
#define KIND_PTX 1
#define FLAG_LZ4 UINT64_C(0x2000)
#define FLAG_ZSTD UINT64_C(0x8000)
#define UNPACKED_MAX (UINT64_C(1) << 30)

#define UNITS_MAX 65536

struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *units;
};

struct entry {
	const uint8_t *payload;
	uint64_t payload_size, compressed_size, unpacked_size, flags;
	uint32_t architecture;
};

static uint16_t read16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t read32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint64_t read64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Is `a` the better choice on a device of `architecture`? */
static int better(uint32_t a, uint32_t b, unsigned architecture)
{
	if ((a <= architecture) != (b <= architecture))
		return a <= architecture;
	return a <= architecture ? a > b : a < b;
}

static enum fatbin_result damaged(struct error *error, uint64_t offset, const char *expected)
{
	error_set(error, "damaged fat binary: offset %llu: expected %s", (unsigned long long)offset,
		  expected);
	return FATBIN_DAMAGED;
}

/* Walks the entries; *best is the one to run. */
static enum fatbin_result choose(const uint8_t *data, size_t size, unsigned architecture,
				 struct entry *best, struct error *error)
{
	uint64_t at, end;
	int found = 0, others = 0;

	if (size < 16)
		return damaged(error, 0, "a header of 16 bytes");
	if (read16(data + 4) != 1)
		return damaged(error, 4, "version 1");
	at = read16(data + 6);
	if (at < 16 || at > size || read64(data + 8) > size - at)
		return damaged(error, 6, "sizes inside the image");
	end = at + read64(data + 8);
	while (at < end) {
		const uint8_t *header = data + at;
		uint32_t header_size;
		uint64_t payload_size;

		if (end - at < 16)
			return damaged(error, at, "an entry or the end");
		header_size = read32(header + 4);
		payload_size = read64(header + 8);
		if (header_size < ENTRY_MIN || header_size > end - at)
			return damaged(error, at + 4, "a header size inside the image");
		if (payload_size > end - at - header_size)
			return damaged(error, at + 8, "a payload size inside the image");
		if (read16(header) == KIND_PTX) {
			struct entry entry = {
				.payload = header + header_size,
				.payload_size = payload_size,
				.compressed_size = read32(header + 16),
				.architecture = read32(header + 28),
				.flags = read64(header + 40),
				.unpacked_size = read64(header + 56),
			};

			if (!found || better(entry.architecture, best->architecture, architecture))
				*best = entry;
			found = 1;
		} else {
			others++;
		}
		at += header_size + payload_size;
	}
	if (found)
		return FATBIN_FOUND;
	error_set(error,
		  "the program has no PTX, only code for particular GPUs (%d): add "
		  "-gencode arch=compute_90,code=compute_90 to the nvcc command that builds it",
		  others);
	return FATBIN_NO_PTX;
}

/* The library's function, or NULL after an error that names the package. */
static void *function_of(const char *library, const char *package, const char *name,
			 struct error *error)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void *function = handle ? dlsym(handle, name) : NULL;

	if (!function)
		error_set(error,
			  "the program's PTX is compressed and %s is not there: install %s, or "
			  "build the program with nvcc --no-compress",
			  library, package);
	return function;
}

static enum fatbin_result unpack(const struct entry *entry, struct fatbin_ptx *ptx,
				 struct error *error)
{
	uint64_t from = entry->compressed_size, to = entry->unpacked_size, got;

	if (!from || from > entry->payload_size || !to || to > UNPACKED_MAX) {
		error_set(error,
			  "damaged fat binary: %llu compressed and %llu unpacked bytes in a "
			  "payload of %llu",
			  (unsigned long long)from, (unsigned long long)to,
			  (unsigned long long)entry->payload_size);
		return FATBIN_DAMAGED;
	}
	ptx->unpacked = malloc(to);
	if (!ptx->unpacked) {
		error_set(error, "no memory for %llu bytes of PTX", (unsigned long long)to);
		return FATBIN_NO_MEMORY;
	}
	if (entry->flags & FLAG_ZSTD) {
		size_t (*decompress)(void *, size_t, const void *, size_t);

		*(void **)&decompress =
			function_of("libzstd.so.1", "libzstd1", "ZSTD_decompress", error);
		if (!decompress)
			goto no_library;
		got = decompress(ptx->unpacked, to, entry->payload, from);
	} else {
		int (*decompress)(const char *, char *, int, int);
		int bytes;

		*(void **)&decompress =
			function_of("liblz4.so.1", "liblz4-1", "LZ4_decompress_safe", error);
		if (!decompress)
			goto no_library;
		if (from > UNPACKED_MAX)
			from = UNPACKED_MAX;
		bytes = decompress((const char *)entry->payload, ptx->unpacked, (int)from, (int)to);
		got = bytes < 0 ? UINT64_MAX : (uint64_t)bytes;
	}
	if (got > to) { /* both libraries: an error code is far above any size */
		free(ptx->unpacked);
		ptx->unpacked = NULL;
		error_set(error, "damaged fat binary: the compressed PTX cannot be unpacked");
		return FATBIN_DAMAGED;
	}
	ptx->text = ptx->unpacked;
	ptx->size = got;
	return FATBIN_FOUND;
no_library:
	free(ptx->unpacked);
	ptx->unpacked = NULL;
	return FATBIN_NO_LIBRARY;
}

static enum fatbin_result from_container(const uint8_t *data, size_t size, unsigned architecture,
					 struct fatbin_ptx *ptx, struct error *error)
{
	struct entry best = {0};
	enum fatbin_result result = choose(data, size, architecture, &best, error);

	if (result)
		return result;
	if (best.flags & (FLAG_ZSTD | FLAG_LZ4)) {
		result = unpack(&best, ptx, error);
		if (result)
			return result;
	} else {
		ptx->text = (const char *)best.payload;
		ptx->size = best.payload_size;
	}
	/* the payload is padded with NULs */
	ptx->size = strnlen(ptx->text, ptx->size);
	return FATBIN_FOUND;
}

enum fatbin_result fatbin_find_ptx(const void *image, size_t size, unsigned architecture,
				   struct fatbin_ptx *ptx, struct error *error)
{
	const uint8_t *data = image;
	uint32_t magic = 0;

	*ptx = (struct fatbin_ptx){0};
	/* text may be shorter than a magic number; none of those holds a NUL */
	if (size == SIZE_MAX ? strnlen(image, 4) == 4 : size >= 4)
		memcpy(&magic, data, sizeof(magic));
	if (magic == WRAPPER_MAGIC && size == SIZE_MAX) {
		data = ((const struct wrapper *)image)->data;
		if (!data) {
			error_set(error, "damaged fat binary: a wrapper without data");
			return FATBIN_DAMAGED;
		}
		memcpy(&magic, data, sizeof(magic));
		if (magic != CONTAINER_MAGIC)
			return damaged(error, 0, "the magic number of a fat binary");
	}
	if (magic == CONTAINER_MAGIC) {
		if (size == SIZE_MAX) { /* in memory: its own header is all there is to go by */
			uint64_t rest = read64(data + 8);

			size = rest > SIZE_MAX - 65536 ? SIZE_MAX : read16(data + 6) + (size_t)rest;
		}
		return from_container(data, size, architecture, ptx, error);
	}
	if (!memcmp(&magic, "\177ELF", 4)) {
		error_set(error,
			  "the program loads code for one particular GPU (a cubin): load PTX "
			  "instead");
		return FATBIN_NO_PTX;
	}
	ptx->text = image;
	ptx->size = strnlen(image, size);
	return FATBIN_FOUND;
}

void fatbin_free(struct fatbin_ptx *list, size_t count)
{
	for (size_t n = 0; n < count; n++)
		free(list[n].unpacked);
	free(list);
}

static enum fatbin_result find_units(const void *const *units, unsigned architecture,
				     struct fatbin_ptx **list, size_t *count, struct error *error)
{
	enum fatbin_result result = FATBIN_FOUND;
	size_t units_count = 0;

	while (units_count < UNITS_MAX && units[units_count])
		units_count++;
	*list = calloc(units_count + 1, sizeof(**list));
	if (!*list) {
		error_set(error, "no memory for %zu translation units", units_count);
		return FATBIN_NO_MEMORY;
	}
	*count = 0;
	while (*count < units_count && !result) {
		result = fatbin_find_ptx(units[*count], SIZE_MAX, architecture, &(*list)[*count],
					 error);
		*count += !result;
	}
	if (!result)
		return FATBIN_FOUND;
	fatbin_free(*list, *count);
	*list = NULL;
	return result;
}

enum fatbin_result fatbin_find_all(const void *image, size_t size, unsigned architecture,
				   struct fatbin_ptx **list, size_t *count, struct error *error)
{
	const struct wrapper *wrapper = image;
	enum fatbin_result result;
	uint32_t magic = 0;

	*list = NULL;
	*count = 0;
	if (size == SIZE_MAX && strnlen(image, 4) == 4)
		memcpy(&magic, image, sizeof(magic));
	if (magic == WRAPPER_MAGIC && wrapper->version == 2 && wrapper->units && *wrapper->units)
		return find_units(wrapper->units, architecture, list, count, error);
	*list = calloc(1, sizeof(**list));
	if (!*list) {
		error_set(error, "no memory for the program's PTX");
		return FATBIN_NO_MEMORY;
	}
	result = fatbin_find_ptx(image, size, architecture, *list, error);
	*count = !result;
	if (result) {
		free(*list);
		*list = NULL;
	}
	return result;
}
