/* gpu/emulator/state/texture.c: see texture.h. */
#include "gpu/emulator/state/texture.h"

#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct entry {
	uint64_t handle;
	struct emulator_texture facts;
	UT_hash_handle hh;
};

static struct entry *textures, *surfaces;
static uint64_t last_handle = 0x7e00000000; /* of both */

static uint64_t add(struct entry **entries, const struct emulator_texture *facts)
{
	struct entry *made = calloc(1, sizeof(*made));

	if (!made)
		return 0;
	made->handle = ++last_handle;
	made->facts = *facts;
	HASH_ADD(hh, *entries, handle, sizeof(made->handle), made);
	if (made->hh.tbl)
		return made->handle;
	free(made);
	return 0;
}

static struct entry *find(struct entry *entries, uint64_t handle)
{
	struct entry *found;

	HASH_FIND(hh, entries, &handle, sizeof(handle), found);
	return found;
}

static bool remove_entry(struct entry **entries, uint64_t handle)
{
	struct entry *found = find(*entries, handle);

	if (!found)
		return false;
	HASH_DEL(*entries, found);
	free(found);
	return true;
}

uint64_t texture_add(const struct emulator_texture *texture)
{
	return add(&textures, texture);
}

uint64_t surface_add(const struct emulator_texture *surface)
{
	return add(&surfaces, surface);
}

bool texture_remove(uint64_t handle)
{
	return remove_entry(&textures, handle);
}

bool surface_remove(uint64_t handle)
{
	return remove_entry(&surfaces, handle);
}

const struct emulator_texture *texture_find(uint64_t handle)
{
	struct entry *found = find(textures, handle);

	return found ? &found->facts : NULL;
}

const struct emulator_texture *surface_find(uint64_t handle)
{
	struct entry *found = find(surfaces, handle);

	return found ? &found->facts : NULL;
}
