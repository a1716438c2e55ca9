/* gpu/sanitizer/code/images.c: see images.h. */
#include "gpu/sanitizer/code/images.h"

#include <pthread.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 * 1024, IMAGE_MOST = 64 << 20, NAME_MOST = 2000 };

struct function {
	struct function *next;
	uint32_t number;
	uint64_t start, size;
	char name[];
};

struct image {
	CUmodule module; /* first: the key */
	void *bytes;     /* NULL once the sink has it */
	size_t size;
	uint32_t number; /* 0: the sink does not know it */
	struct function *functions;
};

static const struct gpu_sink *sink;                      /* NULL: images are not kept */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held across calls of the sink */
static void *images;                                     /* a tree */
static uint32_t last_image, last_function;

void images_start(const struct gpu_sink *to)
{
	sink = to;
}

static int by_module(const void *a, const void *b)
{
	const uintptr_t x = (uintptr_t)((const struct image *)a)->module;
	const uintptr_t y = (uintptr_t)((const struct image *)b)->module;

	return (x > y) - (x < y);
}

static struct image *find(CUmodule module)
{
	const struct image key = {.module = module};
	struct image **found;

	pthread_mutex_lock(&lock);
	found = tfind(&key, &images, by_module);
	pthread_mutex_unlock(&lock);
	return found ? *found : NULL;
}

void images_unloading(CUmodule module)
{
	struct image *image = sink ? find(module) : NULL;

	if (!image)
		return;
	pthread_mutex_lock(&lock);
	tdelete(image, &images, by_module);
	pthread_mutex_unlock(&lock);
	for (struct function *function = image->functions, *next; function; function = next) {
		next = function->next;
		free(function);
	}
	free(image->bytes);
	free(image);
}

void images_loaded(const Sanitizer_ResourceModuleData *data)
{
	struct image *image;

	if (!sink || !data->pCubin || data->cubinSize > IMAGE_MOST)
		return;
	images_unloading(data->module); /* one at the same handle, whose end was not seen */
	image = calloc(1, sizeof(*image));
	if (image)
		image->bytes = malloc(data->cubinSize + 1);
	if (!image || !image->bytes) {
		free(image);
		return;
	}
	image->module = data->module;
	image->size = data->cubinSize;
	memcpy(image->bytes, data->pCubin, image->size);
	pthread_mutex_lock(&lock);
	if (!tsearch(image, &images, by_module)) {
		free(image->bytes);
		free(image);
	}
	pthread_mutex_unlock(&lock);
}

static void tell_image(struct image *image)
{
	const size_t start = offsetof(struct gpu_code_image, piece);
	struct gpu_code_image *record = malloc(start + PIECE + sizeof(record->piece));

	if (!record)
		return;
	image->number = ++last_image;
	for (size_t offset = 0; offset < image->size; offset += PIECE) {
		const size_t size = image->size - offset < PIECE ? image->size - offset : PIECE;

		*record = (struct gpu_code_image){.bytes = image->size,
						  .offset = offset,
						  .image = image->number,
						  .size = (uint32_t)size};
		memcpy(record->piece, (const char *)image->bytes + offset, size);
		sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_CODE_IMAGE,
							.payload = record,
							.size = start + size < sizeof(*record)
									? sizeof(*record)
									: start + size});
	}
	free(record);
	free(image->bytes);
	image->bytes = NULL;
}

static void tell_function(const struct image *image, const struct function *function)
{
	const size_t start = offsetof(struct gpu_code_function, name);
	union {
		struct gpu_code_function record;
		char bytes[sizeof(struct gpu_code_function) + NAME_MOST + 1];
	} payload = {.record = {.function = function->number, .image = image->number}};
	const size_t length = strnlen(function->name, NAME_MOST);

	memcpy(payload.bytes + start, function->name, length);
	sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_CODE_FUNCTION,
						.payload = &payload,
						.size = start + length + 1 < sizeof(payload.record)
								? sizeof(payload.record)
								: start + length + 1});
}

uint32_t images_function(CUmodule module, const char *name, uint64_t *start, uint64_t *size)
{
	struct image *image = sink ? find(module) : NULL;
	struct function *function;

	if (!image || strlen(name) > NAME_MOST)
		return 0;
	for (function = image->functions; function; function = function->next)
		if (!strcmp(function->name, name))
			break;
	if (!function) {
		function = calloc(1, sizeof(*function) + strlen(name) + 1);
		if (!function)
			return 0;
		strcpy(function->name, name);
		if (sanitizerGetFunctionPcAndSize(module, name, &function->start,
						  &function->size) != SANITIZER_SUCCESS) {
			free(function);
			return 0;
		}
		if (!image->number)
			tell_image(image);
		if (image->number) {
			function->number = ++last_function;
			tell_function(image, function);
		}
		function->next = image->functions;
		image->functions = function;
	}
	*start = function->start;
	*size = function->size;
	return function->number;
}
