/* gpu/ptx/pool.c: the memory of a module; all of it goes with ptx_free(). */
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/parser.h"

#define CHUNK_SIZE 65536u

struct ptx_chunk {
	struct ptx_chunk *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

void *ptx_pool(struct ptx_module *module, size_t size)
{
	struct ptx_chunk *chunk = module->chunks;
	void *memory;

	size = (size + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_SIZE / 4 ? size : CHUNK_SIZE;

		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->size = room;
		chunk->next = module->chunks;
		module->chunks = chunk;
	}
	memory = chunk->bytes + chunk->used;
	chunk->used += size;
	return memory;
}

const char *ptx_pool_text(struct ptx_module *module, const char *text, size_t length)
{
	char *copy = ptx_pool(module, length + 1);

	if (copy)
		memcpy(copy, text, length);
	return copy;
}

int ptx_grow(void **array, size_t *capacity, size_t count, size_t element, struct error *error)
{
	size_t wanted = *capacity ? *capacity * 2 : 64;
	void *grown;

	if (count < *capacity)
		return 0;
	grown = realloc(*array, wanted * element);
	if (!grown)
		return error_set(error, "no memory for the PTX module");
	*array = grown;
	*capacity = wanted;
	return 0;
}

void ptx_free(struct ptx_module *module)
{
	struct ptx_chunk *chunk, *next;

	if (!module)
		return;
	for (chunk = module->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(module->code);
	free(module->places);
	free(module->constants);
	free(module->patches);
	free(module->extras);
	free(module->calls);
	free(module->shared);
	free(module->launched);
	free(module->arguments);
	free(module->texts);
	free(module->functions);
	free(module->kernels);
	free(module->variables);
	free(module->files);
	free(module->inlined);
	free(module);
}
