/*
 * gpu/sanitizer/schedule/event_copy.c: copies and sets.
 */
#include "gpu/sanitizer/schedule/events_internal.h"
#include "gpu/sanitizer/schedule/host_writes.h"

#include <stdlib.h>
#include <string.h>

/*
 * One side of a copy or set: the address of its first byte.  No object: it is on the host, or not
 * known.
 */
struct side {
	struct object *object;
	uint64_t address, pitch, slice;
	bool device;
};

struct box {
	uint64_t width, height, depth;
};

/* A part of a copy or set with bytes of at most one object on each side. */
struct piece {
	struct side to, from;
	struct box box;
	bool pending; /* the call is pending: marks are made on its stream, else on our own */
	bool single;  /* ... and the pass itself makes them, since they are of one object */
	CUstream stream;
};

static struct host_row *hosts;
static size_t host_count, host_capacity;

static void add_host_row(const struct object *object, enum gpu_access access, uint64_t bytes,
			 uint64_t host)
{
	struct host_row *more;

	if (host_count == host_capacity) {
		more = reallocarray(hosts, 2 * host_capacity + 4, sizeof(*more));
		if (!more)
			return;
		hosts = more;
		host_capacity = 2 * host_capacity + 4;
	}
	hosts[host_count++] =
		(struct host_row){.object = object, .access = access, .bytes = bytes, .host = host};
}

/* Finds the object of a side; mapped memory of the host counts as the host. */
static void find_object(struct side *side, CUcontext context)
{
	side->object = events_find_object(context, side->address);
	if (side->object && side->object->memory == GPU_MEMORY_MAPPED_HOST) {
		side->object = NULL;
		side->device = false;
	}
}

static bool is_array(const struct side *side)
{
	return side->object && side->object->memory == GPU_MEMORY_ARRAY;
}

static void resolve(struct side *side, CUcontext context, const struct array_place *array)
{
	if (array->array)
		side->object = event_array_find(array, &side->address, &side->pitch, &side->slice);
	else
		find_object(side, context);
}

/* Whether all bytes of one side lie inside its object. */
static bool fits(const struct side *side, const struct box *box)
{
	uint64_t slices, end;

	if (!side->object)
		return true;
	if (__builtin_mul_overflow(side->slice, box->depth - 1, &slices) ||
	    __builtin_mul_overflow(side->pitch, box->height - 1, &end) ||
	    __builtin_add_overflow(end, slices, &end) ||
	    __builtin_add_overflow(end, box->width, &end))
		return false;
	return end <= side->object->size - (side->address - side->object->address);
}

/* How many of `bytes` in a row lie in the side's object. */
static uint64_t reach(const struct side *side, uint64_t bytes)
{
	uint64_t left;

	if (!side->object)
		return bytes;
	left = side->object->size - (side->address - side->object->address);
	return bytes < left ? bytes : left;
}

static uint64_t offset(const struct side *side, uint64_t slice)
{
	return side->address - side->object->address + slice * side->slice;
}

static CUstream stream_for_marks(const struct piece *piece, const struct side *side)
{
	return piece->pending ? piece->stream : space_stream(side->object->space);
}

static void mark_rows(const struct piece *piece, const struct side *side, uint64_t slice,
		      uint32_t marks)
{
	struct entered_context entered;

	if (piece->single) {
		space_mark_in_pass(side->object, offset(side, slice), side->pitch, piece->box.width,
				   piece->box.height, marks);
		return;
	}
	if (context_enter(&entered, space_context(side->object->space)))
		space_mark(side->object, stream_for_marks(piece, side), offset(side, slice),
			   side->pitch, piece->box.width, piece->box.height, marks);
	context_leave(&entered);
}

static void mark_copied(const struct piece *piece, uint64_t slice)
{
	const struct side *to = &piece->to, *from = &piece->from;
	struct entered_context entered;

	if (context_enter(&entered, space_context(to->object->space)))
		space_mark_copy(to->object, stream_for_marks(piece, to), offset(to, slice),
				to->pitch, from->object, offset(from, slice), from->pitch,
				piece->box.width, piece->box.height);
	context_leave(&entered);
}

/* Marks what a piece touches.  Bytes from another device count as initialised. */
static void mark(const struct piece *piece)
{
	const struct side *to = &piece->to, *from = &piece->from;
	const struct box *box = &piece->box;
	bool written = object_is_followed(to->object), read = object_is_followed(from->object);

	for (uint64_t i = 0; i < box->depth; i++) {
		if (read)
			mark_rows(piece, from, i, MARK_READ);
		if (written && read &&
		    space_device(to->object->space) == space_device(from->object->space))
			mark_copied(piece, i);
		else if (written)
			mark_rows(piece, to, i, MARK_WRITTEN);
	}
	if (to->object && !from->object && !from->device)
		add_host_row(to->object, GPU_FROM_HOST, box->width * box->height * box->depth,
			     from->address);
	else if (from->object && !to->object && !to->device)
		add_host_row(from->object, GPU_TO_HOST, box->width * box->height * box->depth,
			     to->address);
}

/* Reports a side that the driver calls device memory, and that is in no object. */
static void check_side(const struct side *side, uint64_t bytes)
{
	if (side->device && !side->object)
		events_sink->coverage(COVERAGE_COPY_UNKNOWN_MEMORY, NULL, 1, bytes);
}

static bool is_host_to_host(const struct piece *piece)
{
	return !piece->to.object && !piece->from.object && !piece->to.device && !piece->from.device;
}

static void announce(const struct side *side)
{
	if (side->object)
		event_announce(side->object);
}

/*
 * Goes on to the rest of a row that reaches over several objects (mappings side by side).  False:
 * there is none.
 */
static bool next_piece(struct piece *piece, uint64_t *left, const struct operation *operation)
{
	*left -= piece->box.width;
	if (!*left)
		return false;
	piece->to.address += piece->box.width;
	piece->from.address += piece->box.width;
	find_object(&piece->to, operation->context);
	find_object(&piece->from, operation->from_context);
	return true;
}

static void cut(struct piece *piece, uint64_t left)
{
	piece->box.width = reach(&piece->from, reach(&piece->to, left));
}

static struct piece describe(const struct operation *operation)
{
	struct piece piece = {.to = {.address = operation->address,
				     .pitch = operation->pitch,
				     .slice = operation->slice,
				     .device = operation->to_device},
			      .from = {.address = operation->from_address,
				       .pitch = operation->from_pitch,
				       .slice = operation->from_slice,
				       .device = operation->from_device},
			      .box = {operation->width, operation->height, operation->depth}};

	resolve(&piece.to, operation->context, &operation->array);
	resolve(&piece.from, operation->from_context, &operation->from_array);
	return piece;
}

/* Marks all pieces.  False: an object is too small for them. */
static bool mark_pieces(struct piece piece, const struct operation *operation)
{
	uint64_t left = piece.box.width;

	if (piece.box.height > 1 || piece.box.depth > 1 || is_array(&piece.to) ||
	    is_array(&piece.from)) {
		if (!fits(&piece.to, &piece.box) || !fits(&piece.from, &piece.box))
			return false;
		mark(&piece);
		return true;
	}
	do {
		cut(&piece, left);
		mark(&piece);
	} while (next_piece(&piece, &left, operation));
	return true;
}

/* The spaces whose objects a copy or set touches: two at most.  Returns how many. */
static unsigned spaces_of(const struct piece *piece, const struct operation *operation,
			  struct space *spaces[2])
{
	unsigned count = 0;

	if (piece->from.object)
		spaces[count++] = piece->from.object->space;
	if (piece->to.object && (!count || piece->to.object->space != spaces[0]))
		spaces[count++] = piece->to.object->space;
	if (!count && (spaces[0] = events_find_space(operation->context)))
		count++;
	return count;
}

/*
 * Whether a pending pass can settle this side: it is on the host, or bytes of one object of the
 * space.
 */
static bool is_simple(const struct side *side, const struct box *box, const struct space *space)
{
	const struct object *object = side->object;

	if (!object)
		return !side->device;
	/* an external writer may write once the copy has returned, before our pass runs */
	return object->space == space && object_is_followed(object) && object->id &&
	       !object->shared && fits(side, box);
}

static struct piece describe_set(const struct operation *operation)
{
	struct piece piece = {.to = {.address = operation->address, .pitch = operation->pitch},
			      .from = {.device = true},
			      .box = {operation->width, operation->height, 1}};

	piece.to.object = events_find_object(operation->context, operation->address);
	return piece;
}

static struct transfer_box box_of(const struct side *side, const struct box *box)
{
	return (struct transfer_box){.address = side->address,
				     .pitch = side->pitch,
				     .slice = side->slice,
				     .width = box->width,
				     .height = box->height,
				     .depth = box->depth};
}

/* Says of a copy to the host why it is not known what the host held before. */
static void say_unknown(enum coverage_id why)
{
	for (size_t i = 0; i < host_count; i++)
		if (why && hosts[i].access == GPU_TO_HOST && object_is_followed(hosts[i].object))
			events_sink->coverage(why, NULL, 1, hosts[i].bytes);
}

/*
 * Begins the digest of what the copy moved between the host and one object, before its pass.  Not
 * of what lies in several objects, or in an array.
 */
static void digest_transfer(const struct piece *piece, const struct operation *operation)
{
	const struct side *side = piece->to.object ? &piece->to : &piece->from;
	struct entered_context entered;

	if (host_count != 1 || is_array(side) ||
	    hosts[0].bytes != piece->box.width * piece->box.height * piece->box.depth) {
		say_unknown(COVERAGE_DOWNLOADS_UNREPORTED);
		return;
	}
	if (!operation->destination_known)
		say_unknown(operation->destination_coverage ? operation->destination_coverage
							    : COVERAGE_DOWNLOADS_UNREPORTED);
	if (context_enter(&entered, space_context(side->object->space)))
		event_transfer_begin(&hosts[0], operation, stream_for_marks(piece, side),
				     box_of(&piece->to, &piece->box),
				     box_of(&piece->from, &piece->box));
	context_leave(&entered);
}

bool event_copy_pending(const struct api_call *api_call, const struct operation *operation,
			struct space *space)
{
	bool copies = operation->kind == OPERATION_COPY;
	struct piece piece;
	struct gpu_call call;

	if (operation->array.array || operation->from_array.array || !operation->width)
		return false;
	piece = copies ? describe(operation) : describe_set(operation);
	if ((!piece.to.object && !piece.from.object) || !is_simple(&piece.to, &piece.box, space) ||
	    (copies && !is_simple(&piece.from, &piece.box, space)))
		return false;
	host_count = 0;
	event_begin(&call, copies ? GPU_COPY : GPU_SET, event_public_name(api_call->name),
		    operation->stream, api_call, operation_node(operation));
	call.name = api_call->name;
	piece.pending = true;
	piece.single = piece.box.depth == 1 && !(piece.to.object && piece.from.object);
	piece.stream = operation->stream;
	mark(&piece);
	digest_transfer(&piece, operation);
	if (!queue_push(&call, space, operation->stream, host_count ? hosts : NULL, false)) {
		events_sink->abandon(&call);
		events_lost_track();
	}
	return true;
}

/* The object at one end of a small copy or set; NULL: it is on the host, or not known. */
static struct object *end_of(CUcontext context, uint64_t address)
{
	struct side side = {.address = address};

	find_object(&side, context);
	return side.object;
}

/* The only object of a small copy or set, which has no other end on the device, and where. */
static struct object *only_object(const struct operation *operation, uint64_t *address)
{
	struct object *to, *from = NULL;

	if (operation->array.array || operation->from_array.array || operation->height != 1 ||
	    operation->depth != 1)
		return NULL;
	to = end_of(operation->context, operation->address);
	if (operation->kind == OPERATION_COPY)
		from = end_of(operation->from_context, operation->from_address);
	if (!to == !from || (!to && operation->to_device) ||
	    (operation->kind == OPERATION_COPY && !from && operation->from_device))
		return NULL;
	*address = to ? operation->address : operation->from_address;
	return to ? to : from;
}

bool event_is_command(const struct api_call *api_call, const struct operation *operation,
		      struct space *space)
{
	const struct object *object;
	uint64_t address;

	if (operation->width > COMMAND_MOST || !operation->width ||
	    (operation->kind == OPERATION_COPY ? !api_call->host_waited : !operation->value_size))
		return false;
	object = only_object(operation, &address);
	return object && object->space == space && object->id && !object->shared &&
	       object->memory != GPU_MEMORY_ARRAY &&
	       space_takes_command(object, address - object->address, operation->width);
}

/* What a set writes. */
static void fill(uint8_t *to, const struct operation *operation)
{
	if (operation->value_size == 1)
		memset(to, (int)(operation->value & 0xff), operation->width);
	else
		for (uint64_t i = 0; i < operation->width; i += operation->value_size)
			memcpy(to + i, &operation->value, operation->value_size);
}

bool event_by_command(const struct api_call *api_call, const struct operation *operation)
{
	static uint8_t bytes[COMMAND_MOST]; /* the lock is held */
	const bool copies = operation->kind == OPERATION_COPY;
	uint64_t address = 0;
	struct object *object = only_object(operation, &address);
	const bool reads = copies && address == operation->from_address;
	struct host_bytes what = {.width = operation->width,
				  .marks = reads ? MARK_READ : MARK_WRITTEN,
				  .bytes = bytes};
	struct gpu_call call;

	if (!object)
		return false;
	if (!copies)
		fill(bytes, operation);
	else if (!events_read_host(bytes, reads ? operation->address : operation->from_address,
				   operation->width))
		return false;
	what.offset = address - object->address;
	host_count = 0;
	event_begin(&call, copies ? GPU_COPY : GPU_SET, event_public_name(api_call->name),
		    operation->stream, api_call, operation_node(operation));
	call.name = api_call->name;
	if (copies) {
		add_host_row(object, reads ? GPU_TO_HOST : GPU_FROM_HOST, operation->width,
			     reads ? operation->address : operation->from_address);
		if (reads && !operation->destination_known)
			say_unknown(operation->destination_coverage
					    ? operation->destination_coverage
					    : COVERAGE_DOWNLOADS_UNREPORTED);
		if (host_count)
			event_transfer_of_host(&hosts[0], operation, what.offset, bytes);
	}
	if (!queue_push_command(&call, object, &what, host_count ? hosts : NULL)) {
		events_sink->abandon(&call);
		events_lost_track();
	}
	host_writes_none(api_call->number);
	return true;
}

static_assert(EVENTS_HELD_BYTES == COMMAND_MOST, "a held copy or set is a command");

bool event_copy_held(const struct api_call *api_call, const struct operation *operation,
		     struct space *space)
{
	uint64_t address = 0;
	struct object *object = operation->width && operation->width <= COMMAND_MOST
					? only_object(operation, &address)
					: NULL;
	const bool copies = operation->kind == OPERATION_COPY;
	const bool reads = copies && address == operation->from_address;
	const struct host_bytes what = {.offset = object ? address - object->address : 0,
					.width = operation->width,
					.marks = reads ? MARK_READ : MARK_WRITTEN};
	struct gpu_call call;

	if (!object || object->space != space || !object->id || object->shared ||
	    !space_holds_copy(object, what.offset, what.width) ||
	    !events_join_held(operation->context, operation->stream, operation->address,
			      operation->width))
		return false;
	host_count = 0;
	if (copies)
		add_host_row(object, reads ? GPU_TO_HOST : GPU_FROM_HOST, operation->width,
			     reads ? operation->address : operation->from_address);
	if (copies != host_count)
		return false;
	event_begin(&call, copies ? GPU_COPY : GPU_SET, event_public_name(api_call->name),
		    operation->stream, api_call, operation_node(operation));
	call.name = api_call->name;
	if (reads && !operation->destination_known)
		say_unknown(operation->destination_coverage ? operation->destination_coverage
							    : COVERAGE_DOWNLOADS_UNREPORTED);
	if (copies) {
		hosts[0].offset = what.offset;
		hosts[0].transfer = events_digests || operation->destination_known;
		hosts[0].destination_known = operation->destination_known;
		memcpy(hosts[0].destination, operation->destination, sizeof(hosts[0].destination));
	}
	if (!queue_hold(&call, object, operation->stream, &what, copies ? &hosts[0] : NULL)) {
		events_sink->abandon(&call);
		events_lost_track();
	}
	return true;
}

void event_copy(const struct api_call *api_call, const struct operation *operation)
{
	struct piece piece = describe(operation);
	struct space *spaces[2];
	uint64_t bytes = operation->width * operation->height * operation->depth;
	struct gpu_call call;

	host_count = 0;
	check_side(&piece.to, bytes);
	check_side(&piece.from, bytes);
	if (is_host_to_host(&piece))
		return;
	announce(&piece.to);
	announce(&piece.from);
	event_begin(&call, GPU_COPY, event_public_name(api_call->name), operation->stream, api_call,
		    operation_node(operation));
	if (!mark_pieces(piece, operation)) {
		events_sink->coverage(COVERAGE_COPY_ACROSS_BOUNDS, NULL, 1, bytes);
		events_lost_track();
		events_sink->end(&call, NULL, 0);
		return;
	}
	if (is_array(&piece.to) && !event_array_mirror(&operation->array, piece.box.width,
						       piece.box.height, piece.box.depth))
		events_lost_track();
	if (operation->unordered) {
		events_sink->end(&call, NULL, 0);
		return;
	}
	digest_transfer(&piece, operation);
	event_settle(&call, spaces, spaces_of(&piece, operation, spaces), hosts, host_count);
}

void event_set(const struct api_call *api_call, const struct operation *operation)
{
	struct piece piece = describe_set(operation);
	struct space *spaces[2];
	struct gpu_call call;

	announce(&piece.to);
	event_begin(&call, GPU_SET, event_public_name(api_call->name), operation->stream, api_call,
		    operation_node(operation));
	if (!piece.to.object)
		events_sink->coverage(COVERAGE_SET_UNKNOWN_MEMORY, NULL, 1, operation->width);
	if (!piece.to.object || !operation->width) {
		events_sink->end(&call, NULL, 0);
		return;
	}
	if (operation->height > 1 && !fits(&piece.to, &piece.box)) {
		events_sink->coverage(COVERAGE_SET_ACROSS_BOUNDS, NULL, 1, 0);
		events_lost_track();
		events_sink->end(&call, NULL, 0);
		return;
	}
	if (operation->height > 1) {
		mark(&piece);
	} else {
		for (uint64_t left = operation->width; left && piece.to.object;) {
			cut(&piece, left);
			mark(&piece);
			left -= piece.box.width;
			piece.to.address += piece.box.width;
			if (left)
				piece.to.object =
					events_find_object(operation->context, piece.to.address);
		}
	}
	if (operation->unordered)
		events_sink->end(&call, NULL, 0);
	else
		event_settle(&call, spaces, spaces_of(&piece, operation, spaces), NULL, 0);
}
