/* gpu/analysis/object_rows.c: see object_rows.h. */
#include "gpu/analysis/object_rows.h"

#include <stdlib.h>
#include <string.h>

struct object_state object_rows_object(struct object_rows *rows, const struct gpu_object *object,
				       uint32_t id, uint32_t context)
{
	const bool shared =
		object->memory == GPU_MEMORY_MANAGED || object->memory == GPU_MEMORY_MAPPED_HOST;

	if (!rows->end || object->address < rows->lowest)
		rows->lowest = object->address;
	if (object->address + object->size > rows->end)
		rows->end = object->address + object->size;
	return (struct object_state){.id = id,
				     .writer = shared ? GPU_WRITER_HOST
					       : object->memory == GPU_MEMORY_GLOBAL
						       ? GPU_WRITER_UNKNOWN
						       : context,
				     .written = rows->call,
				     .size = object->size,
				     .holds_pointers = shared};
}

static bool reserve(struct object_rows *rows)
{
	uint32_t capacity = rows->capacity ? 2 * rows->capacity : 16;
	struct object_state **objects;
	struct gpu_row *more;

	if (rows->count < rows->capacity)
		return true;
	more = reallocarray(rows->rows, capacity, sizeof(*more));
	if (more)
		rows->rows = more;
	objects = reallocarray(rows->objects, capacity, sizeof(*objects));
	if (objects)
		rows->objects = objects;
	if (!more || !objects) {
		rows->incomplete = true;
		return false;
	}
	rows->capacity = capacity;
	return true;
}

static uint32_t writer_of(const struct object_rows *rows, const struct object_state *object)
{
	return object->writer != GPU_WRITER_HOST && object->written < rows->all_written
		       ? GPU_WRITER_UNKNOWN
		       : object->writer;
}

static void add(struct object_rows *rows, struct object_state *object, enum gpu_access access,
		uint64_t bytes)
{
	const bool host = access == GPU_FROM_HOST || access == GPU_TO_HOST;
	uint64_t *sum;

	if (object->call != rows->call + 1) {
		object->call = rows->call + 1;
		memset(object->rows, 0, sizeof(object->rows));
	}
	if (!object->rows[access]) {
		if (!reserve(rows))
			return;
		rows->objects[rows->count] = object;
		rows->rows[rows->count] =
			(struct gpu_row){.object = object->id,
					 .writer = host ? GPU_WRITER_HOST : writer_of(rows, object),
					 .access = access};
		object->rows[access] = ++rows->count;
	}
	sum = &rows->rows[object->rows[access] - 1].bytes;
	*sum = bytes > object->size - *sum ? object->size : *sum + bytes;
}

void object_rows_touch(struct object_rows *rows, struct object_state *object,
		       enum gpu_access access, uint64_t bytes)
{
	if (!bytes)
		return;
	if (access == GPU_FROM_HOST)
		add(rows, object, GPU_WRITE, bytes);
	if (access == GPU_TO_HOST)
		add(rows, object, GPU_READ, bytes);
	add(rows, object, access, bytes);
}

void object_rows_look(const struct object_rows *rows, struct object_state *object, uint64_t address,
		      const void *bytes, uint64_t size)
{
	uint64_t word;

	if (size > OBJECT_ROWS_LOOKED_AT)
		size = OBJECT_ROWS_LOOKED_AT;
	/* pointers are aligned on the device */
	for (uint64_t at = -address % sizeof(word);
	     !object->holds_pointers && at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, (const char *)bytes + at, sizeof(word));
		object->holds_pointers =
			word >= rows->lowest && word < rows->end && rows->find(word);
	}
}

void object_rows_copy(struct object_rows *rows, struct object_state *to, struct object_state *from,
		      uint64_t bytes)
{
	object_rows_touch(rows, from, GPU_READ, bytes);
	object_rows_touch(rows, to, GPU_WRITE, bytes);
	to->holds_pointers |= from->holds_pointers;
}

void object_rows_argument(struct object_rows *rows, const void *value, size_t offset, size_t size)
{
	uint64_t word;

	for (size_t at = -offset % sizeof(word); at + sizeof(word) <= size; at += sizeof(word)) {
		struct object_state *object;

		memcpy(&word, (const char *)value + at, sizeof(word));
		if (word < rows->lowest || word >= rows->end || !(object = rows->find(word)))
			continue;
		rows->reaches_all |= object->holds_pointers;
		add(rows, object, GPU_READ, object->size);
		add(rows, object, GPU_WRITE, object->size);
	}
}

static void start_next(struct object_rows *rows)
{
	rows->call++;
	rows->count = 0;
	rows->reaches_all = rows->writes_all = rows->incomplete = false;
}

const struct gpu_row *object_rows_settle(struct object_rows *rows, uint32_t context, size_t *count)
{
	*count = rows->count;
	for (uint32_t i = 0; i < rows->count; i++)
		if (rows->rows[i].access == GPU_WRITE) {
			rows->objects[i]->writer = context;
			rows->objects[i]->written = rows->call;
		}
	if (rows->writes_all)
		rows->all_written = rows->call + 1;
	start_next(rows);
	return rows->rows;
}

void object_rows_drop(struct object_rows *rows)
{
	start_next(rows);
}
