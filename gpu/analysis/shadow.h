/*
 * gpu/analysis/shadow.h: shadow memory on the CPU; how the value-flow graph is computed.
 *
 * Per live object: `value` (its bytes after the last write), which bytes are initialised, `writer`
 * (context id per 4-byte unit, aligned to the object's start), and the read and written masks
 * (one bit per byte) of the running API.  Accesses set masks only; shadow_settle() walks the
 * touched units once after each API, so cost grows with the bytes touched, never with
 * calls x objects.  Definitions: doc/definitions.md and ValueExpert Def. 5.1.
 *
 * Not thread-safe, but for shadow_touch_together(): the provider holds its lock.
 */
#ifndef VFLOW_GPU_ANALYSIS_SHADOW_H
#define VFLOW_GPU_ANALYSIS_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/analysis/accessed.h"
#include "gpu/provider.h"

struct shadow;
struct shadow_object;

/* With `digests`, shadow_settle() keeps a digest per object (leaf.h).  NULL: no memory. */
struct shadow *shadow_create(bool digests);
void shadow_destroy(struct shadow *shadow);

/* From now on new objects keep what of them APIs accessed: shadow_slices(), shadow_frequencies(),
 * shadow_accessed(). */
void shadow_follow_accesses(struct shadow *shadow);

/*
 * From now on new objects keep which bytes a writer left unread in units that others have written
 * to since: shadow_leftovers().  At most 1.1 bytes per byte of a KiB more, 0.14 for each writer in
 * it.
 */
void shadow_keep_leftovers(struct shadow *shadow);

/*
 * Starts to follow an object of `size` bytes at `memory` (readable as long as the object is
 * followed).  `id` is the sink's object id, `site` the context id of the allocation: the first
 * writer of every unit.  All bytes start uninitialised.  With `id` 0 the object has not been
 * announced to the sink (a module global that no API has touched): it has no digest before
 * shadow_object_identify().  Costs 2.9 bytes per byte of the object, paid where it is touched.
 * NULL: no memory.
 */
struct shadow_object *shadow_object_create(struct shadow *shadow, uint32_t id, uint32_t site,
					   const void *memory, uint64_t size);
void shadow_object_destroy(struct shadow_object *object);

/* Gives the object its id and site, before anything else than its allocation wrote to it. */
void shadow_object_identify(struct shadow_object *object, uint32_t id, uint32_t site);

/*
 * The host writes to the object without an API (managed and mapped memory): units that an API read
 * and did not write, and that hold something else than the shadow, were written by
 * GPU_WRITER_HOST.  Call it before the object is touched; its memory is zero then.  It is exposed,
 * too.
 */
void shadow_object_shared(struct shadow_object *object);

/*
 * From now on somebody can read the object without an API that says so: nothing of it is ever
 * unread (unit.h).  True if some of it may have been.
 */
bool shadow_object_exposed(struct shadow_object *object);

/* The same for a moment: nothing that has been written so far is unread. */
bool shadow_object_seen(struct shadow_object *object);

/* The same for all objects, in no time. */
bool shadow_all_seen(struct shadow *shadow);

/* Whether the running API has touched the object. */
bool shadow_object_touched(const struct shadow_object *object);

/* The bytes hold what the allocation put there (a module global's initial content). */
void shadow_initialised(struct shadow_object *object, uint64_t offset, uint64_t size);

/*
 * The running API reads or writes these bytes (GPU_READ, GPU_WRITE; GPU_FROM_HOST implies
 * GPU_WRITE, GPU_TO_HOST implies GPU_READ).  The range must lie inside the object; one that does
 * not is passed over.
 */
void shadow_touch(struct shadow_object *object, uint64_t offset, uint64_t size,
		  enum gpu_access access);

/*
 * The same for GPU_READ and GPU_WRITE of a kernel that several threads run: they may call it at the
 * same time, for one object too, and nothing else of the shadow.
 */
void shadow_touch_together(struct shadow_object *object, uint64_t offset, uint64_t size,
			   enum gpu_access access);

/*
 * Threads of a kernel load these bytes, side by side, each `access` of them from a multiple of that
 * on: called before the shadow_touch() that says so.  Notes those of threads that load no byte that
 * anybody has written, the running API included; of padding within a wider load nothing.  Several
 * threads may call it at the same time.
 */
void shadow_load(struct shadow_object *object, uint64_t offset, uint64_t size, unsigned access);

/*
 * The running API touches the object by accesses of these sizes (values.h); for kernels: copies say
 * it themselves, a set says VALUES_BULK.  Several threads may call it at the same time.
 */
void shadow_sizes(struct shadow_object *object, uint32_t sizes);

/*
 * If accesses are followed: a thread of a kernel accesses these bytes once more.  Several threads
 * may call it at the same time.
 */
void shadow_count(struct shadow_object *object, uint64_t offset, uint64_t size);

/*
 * The running API copies bytes between or inside objects: touches both and carries
 * initialisedness to the destination.  Call it once per contiguous row of the copy, before the
 * copy is settled.
 */
void shadow_touch_copy(struct shadow_object *destination, uint64_t destination_offset,
		       struct shadow_object *source, uint64_t source_offset, uint64_t size);

/*
 * The running API is over and memory holds its results: computes the rows, makes `context` the
 * writer of every unit with a written byte, updates values, clears the masks.  The rows
 * (ordered by object id, access, writer) stay valid until the next call.  Returns 0, or -1 when
 * there is no memory for the rows: there are none then, the touched objects are forgotten (see
 * below), and all objects are seen.
 */
int shadow_settle(struct shadow *shadow, uint32_t context, const struct gpu_row **rows,
		  size_t *count);

/*
 * After shadow_settle(): calls `changed` for each object whose digest changed, in order of object
 * id.  The digest covers size, values (uninitialised bytes as 0) and the initialised mask, so equal
 * content has equal digests.  An object that never held anything has none; one whose every byte
 * was forgotten gets a digest that no other object has.  `zero`: all bytes are initialised and
 * zero.
 */
void shadow_digests(struct shadow *shadow,
		    void (*changed)(void *data, uint32_t object,
				    const uint8_t digest[GPU_DIGEST_SIZE], bool zero),
		    void *data);

/*
 * Something not analysed may have written here: the units get GPU_WRITER_UNKNOWN and count as
 * uninitialised.  As it may have read, too, nothing of the object is unread any more: true if some
 * of it may have been.
 */
bool shadow_forget(struct shadow_object *object, uint64_t offset, uint64_t size);

/*
 * The memory of some of it has been replaced: as long as not all bytes are initialised, its content
 * equals that of no other object.
 */
void shadow_object_replaced(struct shadow_object *object);

/*
 * After shadow_settle(): calls `touched` for each object that the API touched with atomics, with
 * the sizes of all its accesses there.
 */
void shadow_atomics(struct shadow *shadow,
		    void (*touched)(void *data, uint32_t object, uint32_t sizes), void *data);

/*
 * After shadow_settle(), if leftovers are kept: calls `used` for each object and writer of whose
 * leftovers the API read or wrote over some.
 */
void shadow_leftovers(struct shadow *shadow,
		      void (*used)(void *data, uint32_t object, const struct gpu_left_bytes *left),
		      void *data);

/*
 * After shadow_settle(): calls `loaded` for each object with the bytes that shadow_load() has noted
 * in units of which no byte had been written.
 */
void shadow_unwritten(struct shadow *shadow,
		      void (*loaded)(void *data, uint32_t object, uint64_t bytes), void *data);

/*
 * After shadow_settle(), if accesses are followed: calls `accessed` for each object that the API
 * accessed, in order of object id, with what it did.
 */
void shadow_slices(struct shadow *shadow,
		   void (*accessed)(void *data, uint32_t object, const struct gpu_slice *slice),
		   void *data);

/* The same for objects whose elements it has accessed more or less often (frequency.h). */
void shadow_frequencies(struct shadow *shadow,
			void (*accessed)(void *data, uint32_t object,
					 const struct gpu_frequency *frequency),
			void *data);

/*
 * What all settled APIs have accessed of the object.  False: it was not followed, or something may
 * have accessed it that was not analysed.
 */
bool shadow_accessed(const struct shadow_object *object, struct gpu_accessed *accessed);

/* The running API failed: its masks are cleared, nothing else changes. */
void shadow_abandon(struct shadow *shadow);

#endif
