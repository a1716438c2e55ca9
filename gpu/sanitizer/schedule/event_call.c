/*
 * gpu/sanitizer/schedule/event_call.c: one event of the sink: its beginning, the objects it brings,
 * its rows.
 */
#include "gpu/sanitizer/schedule/events_internal.h"
#include "gpu/sanitizer/schedule/event_order.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/sizes.h"
#include "gpu/nvidia/apis.h"

static struct gpu_row *rows;
static size_t row_capacity;
static struct sizes_said said;

void event_content(void *data, uint32_t object, const uint8_t digest[DIGEST_BYTES], bool zero)
{
	struct gpu_content content = {.zero = zero};

	memcpy(content.digest, digest, sizeof(content.digest));
	events_sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_CONTENT,
						       .object = object,
						       .payload = &content,
						       .size = sizeof(content)});
}

static void seen(void *data, uint32_t object)
{
	static const struct gpu_read_unseen payload;

	events_sink->record(data, &(struct gpu_record){.kind = GPU_RECORD_READ_UNSEEN,
						       .object = object,
						       .payload = &payload,
						       .size = sizeof(payload)});
}

void event_seen(const struct gpu_call *call, struct space *space)
{
	space_seen(space, seen, (void *)call);
}

void event_read_unseen(const struct gpu_call *call)
{
	seen((void *)call, 0);
}

void event_all_seen(const struct gpu_call *call, struct space *space)
{
	struct space *spaces[EVENT_SPACES_MAX + 1] = {space};
	unsigned count = space ? 1 + events_peers(space, spaces + 1) : 0;
	bool unread = false;

	for (unsigned i = 0; i < count; i++)
		unread |= space_all_seen(spaces[i]);
	if (unread)
		event_read_unseen(call);
}

static void atomics(void *data, uint32_t object, uint32_t sizes)
{
	const struct gpu_call *call = data;
	const struct gpu_sizes payload = sizes_payload(sizes);

	if (sizes_are_new(&said, call->context, object, sizes))
		events_sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_SIZES,
							       .object = object,
							       .payload = &payload,
							       .size = sizeof(payload)});
}

/* After the event of a call: what else is known of the objects that it touched. */
static void add_records(const struct gpu_call *call, struct space *space)
{
	event_seen(call, space);
	event_slices(call, space);
	space_atomics(space, atomics, (void *)call);
	space_digests(space, event_content, (void *)call);
}

void event_contents(struct space *space)
{
	event_seen(NULL, space);
	space_digests(space, event_content, NULL);
}

uint32_t event_introduce(const struct gpu_call *call, const struct object *object)
{
	struct gpu_object described = {.address = object->address,
				       .size = object->size,
				       .device = (uint32_t)space_device(object->space),
				       .memory = object->memory,
				       .name = object->name};

	uint32_t id = events_sink->object(call, &described);

	events_known_object(id, object->address);
	return id;
}

void event_announce(struct object *object)
{
	struct gpu_call call = {.api = GPU_ALLOC, .name = object->name, .no_path = true};

	if (object->id || object->memory != GPU_MEMORY_GLOBAL)
		return;
	events_sink->begin(&call);
	object_identify(object, event_introduce(&call, object), call.context);
	events_sink->end(&call, NULL, 0);
}

static int by_order(const void *a, const void *b)
{
	const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;

	return (x->order > y->order) - (x->order < y->order);
}

void event_announce_touched(struct space *space)
{
	uint32_t count, found = 0;
	const struct touched *touched = space_touched(space, &count);
	struct object **new_objects;

	for (uint32_t i = 0; i < count; i++)
		found += !touched[i].object->id;
	new_objects = found ? calloc(found, sizeof(struct object *)) : NULL;
	if (!new_objects)
		return;
	found = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!touched[i].object->id)
			new_objects[found++] = touched[i].object;
	qsort(new_objects, found, sizeof(struct object *), by_order);
	for (uint32_t i = 0; i < found; i++)
		event_announce(new_objects[i]);
	free(new_objects);
}

void event_begin(struct gpu_call *call, enum gpu_api api, const char *name, CUstream stream,
		 const struct api_call *api_call, const struct gpu_node *node)
{
	struct stream_facts facts;

	*call = (struct gpu_call){.api = api, .name = name, .node = node};
	order_number(call, stream, api_call, &facts);
	events_sink->begin(call);
	call->node = NULL;
	if (call->start_ns)
		call->start_ns = api_call->start_ns;
	order_begun(call, stream, &facts, api_call);
}

const char *event_public_name(const char *name)
{
	static char plain[128]; /* the lock is held, and the sink copies names */
	size_t length = api_plain_length(name);

	if (length >= sizeof(plain))
		return name;
	memcpy(plain, name, length);
	plain[length] = '\0';
	return plain;
}

static bool reserve_rows(size_t count)
{
	struct gpu_row *more;

	if (count <= row_capacity)
		return true;
	more = reallocarray(rows, count, sizeof(*more));
	if (!more)
		return false;
	rows = more;
	row_capacity = count;
	return true;
}

/* Of what was read, or of what was written; MIN and MAX are the first and the last block. */
static struct gpu_row make_row(const struct row *from, enum gpu_access access)
{
	const bool reads = access == GPU_READ;
	const uint32_t *extents = from->extents + (reads ? ROW_READ_FROM : ROW_WRITTEN_FROM);
	struct gpu_row row = {.object = from->object->id,
			      .writer = from->writer,
			      .access = access,
			      .bytes = from->counts[reads ? ROW_READ : ROW_WRITTEN]};

#define TAKE_SUM(FLAG) from->counts[ROW_##FLAG]
#define TAKE_MIN(FLAG) ~extents[0]
#define TAKE_MAX(FLAG) extents[1] - 1
#define ROW_METRIC(member, FLAG, of, aggregate)                                                    \
	if (GPU_ROWS_##of >> access & 1)                                                           \
		row.member = TAKE_##aggregate(FLAG);
#include "gpu/rows.def"
	return row;
}

/* Adds the rows of one space to the `used` ones.  Returns how many there are then. */
static size_t add_rows(size_t used, const struct row *from, uint32_t count)
{
	if (!reserve_rows(used + 2 * (size_t)count))
		return used;
	for (uint32_t i = 0; i < count;) {
		uint32_t last = i;

		while (last < count && from[last].object == from[i].object)
			last++;
		for (uint32_t k = i; k < last; k++)
			if (from[k].counts[ROW_READ])
				rows[used++] = make_row(&from[k], GPU_READ);
		for (uint32_t k = i; k < last; k++)
			if (from[k].counts[ROW_WRITTEN])
				rows[used++] = make_row(&from[k], GPU_WRITE);
		i = last;
	}
	return used;
}

static size_t add_host_rows(size_t used, const struct host_row *hosts, size_t host_count)
{
	if (!reserve_rows(used + host_count))
		return used;
	for (size_t i = 0; i < host_count; i++)
		if (object_is_followed(hosts[i].object))
			rows[used++] = (struct gpu_row){.object = hosts[i].object->id,
							.writer = GPU_WRITER_HOST,
							.access = hosts[i].access,
							.bytes = hosts[i].bytes};
	return used;
}

void event_unknown_memory(struct space *space, const char *kernel)
{
	uint64_t bytes, count = space_missed(space, &bytes);

	if (count)
		events_sink->coverage(kernel ? COVERAGE_UNKNOWN_MEMORY
					     : COVERAGE_UNKNOWN_MEMORY_IN_GRAPH,
				      kernel, count, bytes);
}

/* Adds the rows of a pass whose results were taken.  Returns how many there are then. */
static size_t take_rows(size_t used, const struct gpu_call *call, struct space *space, int result)
{
	const struct row *found;
	uint32_t count;

	event_unknown_memory(space, call->name);

	if (result > 0)
		events_sink->coverage(COVERAGE_ROWS_TOO_MANY_WRITERS, NULL, 1, 0);
	event_announce_touched(space);
	found = space_rows(space, &count);
	return add_rows(used, found, count);
}

static void end(const struct gpu_call *call, size_t used, const struct host_row *hosts,
		size_t host_count)
{
	used = add_host_rows(used, hosts, host_count);
	events_known_rows(call, rows, used);
	events_sink->end(call, rows, used);
}

void event_settle(struct gpu_call *call, struct space *const *spaces, unsigned space_count,
		  const struct host_row *hosts, size_t host_count)
{
	size_t used = 0;
	bool fine = true;

	for (unsigned i = 0; i < space_count; i++) {
		struct entered_context entered;

		if (context_enter(&entered, space_context(spaces[i]))) {
			int result = space_settle(spaces[i], call->context);

			fine = fine && result >= 0 && !space_failed(spaces[i]);
			if (fine)
				used = take_rows(used, call, spaces[i], result);
		}
		context_leave(&entered);
	}
	if (!fine) {
		events_sink->abandon(call);
		events_lost_track(); /* the API's marks are still there, unless the device failed */
		return;
	}
	end(call, used, hosts, host_count);
	for (unsigned i = 0; i < space_count; i++)
		add_records(call, spaces[i]);
	for (size_t i = 0; i < host_count; i++)
		event_transfer_end(call, &hosts[i]);
}

void event_results(const struct gpu_call *call, struct space *space, int result,
		   const struct host_row *hosts, size_t host_count)
{
	if (result > 0)
		events_lost_track(); /* it is not known what the API touched */
	if (result < 0 || space_failed(space)) {
		events_sink->abandon(call);
		return;
	}
	end(call, take_rows(0, call, space, result), hosts, host_count);
	add_records(call, space);
	for (size_t i = 0; i < host_count; i++)
		event_transfer_end(call, &hosts[i]);
}
