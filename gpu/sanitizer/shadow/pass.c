/*
 * gpu/sanitizer/shadow/pass.c: what the running API touched, and the pass after it.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/leaf.h"
#include "gpu/nvidia/now.h"
#include "gpu/sanitizer/shadow/space_internal.h"

/* -- what the running API touched --------------------------------------------------------- */

static uint64_t blocks_for_rows(uint64_t width, uint64_t height)
{
	return (height * (width / WORD_BYTES + 2) + PASS_THREADS - 1) / PASS_THREADS;
}

/* Notes that the next pass has something to do, for about so many threads. */
static void expect(struct space *space, uint64_t threads)
{
	space->marked = true;
	if (threads > space->expected)
		space->expected = threads;
}

static void expect_rows(const struct object *object, uint64_t width, uint64_t height)
{
	struct space *space = object->space;
	uint64_t blocks = object->size / LEAF_BYTES + 1;

	expect(space, height * (width / WORD_BYTES + 2));
	space->marked_blocks += height * (width / LEAF_BYTES + 2);
	if (blocks > space->scan_blocks)
		space->scan_blocks = blocks;
}

static bool launch_marks(struct space *space, CUstream stream, struct marks *marks)
{
	return space_launch(space, stream, PASS_MARK, blocks_for_rows(marks->width, marks->height),
			    (void *[]){&space->state, marks});
}

int space_mark(struct object *object, CUstream stream, uint64_t offset, uint64_t pitch,
	       uint64_t width, uint64_t height, uint32_t marks)
{
	struct marks rows = {.offset = offset,
			     .pitch = pitch,
			     .width = width,
			     .height = height,
			     .slot = object->slot,
			     .marks = marks};

	expect_rows(object, width, height);
	return launch_marks(object->space, stream, &rows) ? 0 : -1;
}

void space_mark_in_pass(struct object *object, uint64_t offset, uint64_t pitch, uint64_t width,
			uint64_t height, uint32_t marks)
{
	expect_rows(object, width, height);
	object->space->marks = (struct marks){.offset = offset,
					      .pitch = pitch,
					      .width = width,
					      .height = height,
					      .slot = object->slot,
					      .marks = marks};
}

int space_mark_copy(struct object *to, CUstream stream, uint64_t offset, uint64_t pitch,
		    struct object *from, uint64_t from_offset, uint64_t from_pitch, uint64_t width,
		    uint64_t height)
{
	struct space *space = to->space;
	CUdeviceptr record = object_record(from);

	if (!object_need_detail(to))
		return 0;
	expect_rows(to, width, height);
	return space_launch(space, stream, PASS_MARK_COPY, blocks_for_rows(width, height),
			    (void *[]){&space->state, &to->slot, &offset, &pitch, &record,
				       &from_offset, &from_pitch, &width, &height})
		       ? 0
		       : -1;
}

void space_launched(struct space *space, uint64_t threads, uint64_t kernel)
{
	uint64_t key = kernel ^ threads * 0x9e3779b97f4a7c15u;
	struct prediction *prediction =
		kernel ? &space->predictions[(key ^ key >> 32) % PREDICTIONS] : NULL;

	if (prediction && prediction->key != key)
		*prediction = (struct prediction){.key = key};
	space->prediction = prediction;
	space->launched = true;
	space->stalls += !!space->lacking_details;
	expect(space, threads);
}

/* -- the pass ----------------------------------------------------------------------------- */

/* Words of touched blocks that one block of threads may have to look through. */
#define SCAN_LIMIT 8192
#define SKIPS 15
#define MANY_OBJECTS 64 /* from so many on PASS_SETTLE_MANY is faster */
#define SPREAD_LEAST 64 /* at least so many blocks of threads share the work of PASS_SPREAD */

/* The strategy for a pass behind a launch with this prediction. */
static enum pass_strategy choose_strategy(struct prediction *prediction)
{
	enum pass_strategy strategy = prediction->blocks <= SMALL_BLOCKS    ? PASS_SMALL
				      : prediction->blocks <= SPREAD_BLOCKS ? PASS_SPREAD
									    : PASS_LARGE;

	if (!prediction->skips)
		return strategy;
	prediction->skips--;
	return strategy > prediction->skipped_strategy ? strategy
						       : prediction->skipped_strategy + 1;
}

/* How many blocks of threads a pass gets, and its strategy. */
static unsigned choose_blocks(struct space *space, enum pass_strategy *strategy)
{
	uint64_t blocks = space->expected / PASS_THREADS + 1;
	uint64_t scanning = space->detail_blocks / 32 / SCAN_LIMIT + 1;
	uint64_t last = space->prediction ? space->prediction->blocks : 0;

	*strategy = PASS_SMALL;
	if (!space->launched && space->marked_blocks <= SMALL_BLOCKS &&
	    space->scan_blocks <= SMALL_SCAN)
		return 1;
	*strategy = space->prediction ? choose_strategy(space->prediction) : PASS_LARGE;
	/* a block of threads for each block of objects; those of PASS_SPREAD do four at a time */
	if (*strategy == PASS_SPREAD)
		last = last / 2 > SPREAD_LEAST ? last / 2 : SPREAD_LEAST;
	if (*strategy != PASS_SMALL && blocks < last)
		blocks = last;
	blocks = blocks > scanning ? blocks : scanning;
	blocks = blocks < space->pass_blocks ? blocks : space->pass_blocks;
	/* an odd number: touched blocks often have even distances */
	return (unsigned)(*strategy == PASS_SPREAD ? (blocks - 1) | 1 : blocks);
}

/* Predicts, from what a pass behind a launch found, what the next will find. */
static void update_prediction(struct space *space, uint32_t ticket,
			      const volatile struct result_pass *pass)
{
	struct prediction *prediction = space->predicted[ticket % PASSES];
	enum pass_strategy strategy = space->strategies[ticket % PASSES];

	if (!prediction || pass->status != PASS_DONE)
		return;
	prediction->blocks = pass->blocks;
	prediction->use = (struct ring_use){pass->objects, pass->rows};
	if (pass->strategy <= strategy)
		return;
	prediction->skipped_strategy = strategy;
	prediction->skips = SKIPS;
}

/*
 * How much of the rings a pass behind a launch will take: as much as the last one, or what there
 * is. Copies and sets touch two objects at most.
 */
static struct ring_use foresee(const struct space *space)
{
	const struct prediction *prediction = space->prediction;
	uint32_t followed = space->slot_capacity - space->free_count;

	if (!space->launched)
		return (struct ring_use){2, 0};
	return prediction && prediction->blocks ? prediction->use
						: (struct ring_use){followed, 2 * followed};
}

/* Notes that the rings will be taken up by the pass; or, with `back`, that its results were taken.
 */
static void use_rings(struct space *space, uint32_t ticket, bool back)
{
	const struct ring_use *use = &space->uses[ticket % PASSES];

	space->used.objects += back ? -use->objects : use->objects;
	space->used.rows += back ? -use->rows : use->rows;
}

bool space_has_room(const struct space *space)
{
	return space->used.objects + (space->slot_capacity - space->free_count) <=
		       space->object_ring &&
	       space->used.rows + ROW_LIMIT <= ROW_RING;
}

/* What a pass of several blocks of threads does not do itself.  False: the device failed. */
static bool launch_before(struct space *space, CUstream stream)
{
	struct transfer_in_pass *transfer = &space->marks.transfer;

	if (transfer->number && !transfer_launch(space, stream, &transfer->box, transfer->number))
		return false;
	transfer->number = 0;
	if (space->marks.height && !launch_marks(space, stream, &space->marks))
		return false;
	space->marks.height = 0;
	return true;
}

uint32_t pass_next_ticket(const struct space *space)
{
	return space->ticket + 1 ? space->ticket + 1 : 1;
}

void pass_started(struct space *space, uint32_t ticket, enum pass_strategy strategy)
{
	space->ticket = ticket;
	space->uses[ticket % PASSES] = foresee(space);
	use_rings(space, ticket, false);
	space->predicted[ticket % PASSES] = space->prediction;
	space->strategies[ticket % PASSES] = strategy;
}

/*
 * Starts a pass.  Returns its ticket, or 0: the device fails, or lacks memory; no ticket is used
 * then.
 */
static uint32_t start_pass(struct space *space, CUstream stream, uint32_t writer)
{
	uint32_t ticket = pass_next_ticket(space);
	enum pass_kernel kernel = PASS_SETTLE;
	enum pass_strategy strategy;
	unsigned blocks = choose_blocks(space, &strategy);

	if (!commands_await(space, false) || (blocks > 1 && !launch_before(space, stream)))
		return 0;
	if (space->marks.transfer.number)
		kernel = PASS_SETTLE_COPY;
	else if (foresee(space).objects >= MANY_OBJECTS)
		kernel = PASS_SETTLE_MANY;
	if (space->failed ||
	    !space_check(space,
			 driver.cuLaunchKernel(space->kernels[kernel], blocks, 1, 1, PASS_THREADS,
					       1, 1, 0, stream,
					       (void *[]){&space->state, &space->view, &writer,
							  &ticket, &strategy, &space->rows_taken,
							  &space->objects_taken, &space->marks},
					       NULL)))
		return 0;
	pass_started(space, ticket, blocks == 1 ? PASS_SMALL : strategy);
	return ticket;
}

/* Nothing is expected of the next pass yet: the last was started, or its objects forgotten. */
static void reset_expected(struct space *space)
{
	space->expected = space->marked_blocks = space->scan_blocks = 0;
	space->launched = false;
	space->prediction = NULL;
	space->marks.height = 0;
	space->marks.transfer.number = 0;
}

bool space_can_enqueue_pass(const struct space *space)
{
	/* passes cannot allocate detail shadows */
	return !space->lacking_details && !space->busy &&
	       space->ticket - space->ticket_taken < PASSES - 1;
}

uint32_t space_enqueue_pass(struct space *space, CUstream stream, uint32_t writer)
{
	uint32_t ticket;

	if (space->unfinished && !space_wait(space))
		return 0;
	space->marked = false;
	ticket = start_pass(space, stream, writer);
	reset_expected(space);
	return ticket;
}

bool space_pass_is_done(const struct space *space, uint32_t ticket)
{
	return __atomic_load_n(&space->result_passes[ticket % PASSES].ticket, __ATOMIC_ACQUIRE) ==
	       ticket;
}

/* Waits for the results of a pass on our own stream.  False: the device failed. */
static bool await_pass(struct space *space, uint32_t ticket)
{
	uint64_t asked = now_ns();

	while (!space_pass_is_done(space, ticket)) {
		CUresult result;

		__builtin_ia32_pause();
		if (now_ns() - asked < 100000)
			continue;
		/* the pass may have failed */
		result = driver.cuStreamQuery(space->stream);
		asked = now_ns();
		if (result == CUDA_ERROR_NOT_READY)
			continue;
		if (!space_check(space, result))
			return false;
		if (!space_pass_is_done(space, ticket)) {
			space->failed = true;
			return false;
		}
	}
	space->unfinished = false;
	return true;
}

/* Takes the results of passes up to this ticket; rows and objects of earlier ones are dropped. */
static void take_objects(struct space *space, uint32_t ticket)
{
	const volatile struct result_pass *pass;
	const struct accessed_slice *slices;
	const struct gpu_frequency *frequencies;

	space->touched_count = 0;
	do {
		if (++space->ticket_taken == 0)
			space->ticket_taken = 1;
		pass = &space->result_passes[space->ticket_taken % PASSES];
		space->rows_taken += pass->rows;
		space->objects_taken += pass->objects;
		space->missed += pass->missed;
		space->missed_bytes += pass->missed_bytes;
		use_rings(space, space->ticket_taken, true);
		update_prediction(space, space->ticket_taken, pass);
	} while (space->ticket_taken != ticket);
	space->taken = pass;
	slices = space->accesses ? RESULT_SLICES(space->result_objects, space->object_ring - 1)
				 : NULL;
	frequencies = RESULT_FREQUENCIES(space->result_objects, space->object_ring - 1);
	for (uint32_t i = 0; i < pass->objects; i++) {
		uint32_t place = (pass->first_object + i) % space->object_ring;
		const struct result_object *result = &space->result_objects[place];
		struct object *object = space->owners[result->slot];

		if (!object)
			continue;
		object_was_touched(object);
		space->touched[space->touched_count++] =
			(struct touched){object, result, slices ? &slices[place] : NULL,
					 slices ? &frequencies[place] : NULL};
	}
}

int space_take_results(struct space *space, uint32_t ticket)
{
	take_objects(space, ticket);
	return space->taken->status == PASS_DONE ? 0 : 1;
}

/* Writes the device's list of touched objects anew: those that are still followed. */
static bool write_list(struct space *space)
{
	uint32_t words = space->slot_capacity / 32;
	uint32_t *listed = calloc(words + words / 32 + 1, sizeof(*listed)), *above = listed + words;
	bool written;

	if (!listed)
		return false;
	for (uint32_t i = 0; i < space->touched_count; i++) {
		uint32_t slot = space->touched[i].object->slot;

		if (slot == NO_SLOT)
			continue;
		listed[slot / 32] |= 1u << slot % 32;
		above[slot / 1024] |= 1u << slot / 32 % 32;
	}
	written = space_check(space, driver.cuMemcpyHtoDAsync(space->listed, listed, words * 4,
							      space->stream)) &&
		  space_check(space, driver.cuMemcpyHtoDAsync(space->listed_words, above,
							      words / 32 * 4, space->stream)) &&
		  space_wait(space);
	free(listed);
	return written;
}

/* Empties the device's list of touched objects. */
static bool clear_list(struct space *space)
{
	uint32_t bytes = space->slot_capacity / 8;

	return !bytes || (space_check(space, driver.cuMemsetD8Async(space->listed, 0, bytes,
								    space->stream)) &&
			  space_check(space, driver.cuMemsetD8Async(space->listed_words, 0,
								    bytes / 32, space->stream)));
}

int space_settle(struct space *space, uint32_t writer)
{
	static const struct result_pass nothing;

	space->touched_count = 0;
	space->taken = &nothing;
	if (!space->marked)
		return 0;
	space->marked = false;
	for (;;) {
		bool lost;

		if (!start_pass(space, space->stream, writer) || !await_pass(space, space->ticket))
			return -1;
		take_objects(space, space->ticket);
		if (space->taken->status != PASS_NEEDS_DETAILS)
			break;
		/* some may have been freed while the launch was timed out */
		lost = space->touched_count < space->taken->objects;
		for (uint32_t i = 0; i < space->touched_count; i++)
			lost |= !object_need_detail(space->touched[i].object);
		if (lost && !write_list(space))
			return -1;
	}
	reset_expected(space);
	if (space->taken->status == PASS_DONE)
		return 0;
	for (uint32_t i = 0; i < space->touched_count; i++) {
		space_forget(space->touched[i].object);
		space->touched[i].result = NULL;
		space->touched[i].slice = NULL;
		space->touched[i].frequency = NULL;
	}
	return space_failed(space) ? -1 : 1;
}

const struct touched *space_touched(const struct space *space, uint32_t *count)
{
	*count = space->touched_count;
	return space->touched;
}

uint64_t space_missed(struct space *space, uint64_t *bytes)
{
	uint64_t missed = space->missed;

	*bytes = space->missed_bytes;
	space->missed = space->missed_bytes = 0;
	return missed;
}

static int by_object(const void *a, const void *b)
{
	const struct row_place *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

const struct row *space_rows(struct space *space, uint32_t *count)
{
	struct row_place *places = space->row_places;
	const struct result_row *results = space->result_rows;
	uint32_t found = 0;
	bool sorted = true;

	for (uint32_t i = 0; i < space->taken->rows; i++) {
		uint32_t place = (space->taken->first_row + i) % ROW_RING;
		const struct object *object = space->owners[results[place].slot];
		uint32_t writer = results[place].writer;

		if (!object) /* it was freed while the launch was timed out */
			continue;
		writer = writer == SITE_OF_VARIABLE ? object->site : writer;
		places[found++] =
			(struct row_place){(uint64_t)object->id << 32 | writer, object, place};
		sorted &= found < 2 || places[found - 2].order <= places[found - 1].order;
	}
	/* there may be thousands: not the rows are moved */
	if (!sorted)
		qsort(places, found, sizeof(*places), by_object);
	for (uint32_t i = 0; i < found; i++) {
		const struct result_row *from = &results[places[i].place];
		struct row *to = &space->row_buffer[i];

		memcpy(to->counts, from->counts, sizeof(to->counts));
		memcpy(to->extents, from->extents, sizeof(to->extents));
		to->object = places[i].object;
		to->writer = (uint32_t)places[i].order;
	}
	*count = found;
	return space->row_buffer;
}

/* -- forgetting --------------------------------------------------------------------------- */

static uint64_t blocks_for_words(const struct object *object)
{
	return (object->size / WORD_BYTES + PASS_THREADS) / PASS_THREADS;
}

/* Whether the device has something to forget. */
static bool note_forgotten(struct object *object)
{
	struct space *space = object->space;

	if (object->slot == NO_SLOT)
		return false;
	object->unknown = object->still_unknown = true;
	object_seen(object);
	if (!object->detail.device)
		return false; /* object_need_detail() will do it */
	space->forgotten += !object->forgotten;
	object->forgotten = true;
	return true;
}

static void launch_forget(struct object *object, CUstream stream)
{
	struct space *space = object->space;
	const uint32_t unknown = GPU_WRITER_UNKNOWN;

	space_launch(space, stream, PASS_FORGET, blocks_for_words(object),
		     (void *[]){&space->state, &object->slot, (void *)&unknown});
}

void space_forget(struct object *object)
{
	if (note_forgotten(object))
		launch_forget(object, object->space->stream);
}

/* Forgets all followed objects, and clears their masks. */
static int forget_all(struct space *space)
{
	for (uint32_t slot = 0; slot < space->slot_capacity; slot++) {
		struct object *object = space->owners[slot];

		if (!object)
			continue;
		if (!space_launch(space, space->stream, PASS_CLEAR, blocks_for_words(object),
				  (void *[]){&space->state, &slot}))
			return -1;
		space_forget(object);
	}
	space->all_seen |= space_all_seen(space);
	space->touched_count = 0;
	space->marked = false;
	reset_expected(space);
	return clear_list(space) && space_wait(space) ? 0 : -1;
}

void space_forget_later(struct object *object)
{
	struct space *space = object->space;

	if (object->slot == NO_SLOT || object->forget_listed || object->still_unknown)
		return;
	if (space->forget_count == space->forget_capacity) {
		uint32_t capacity = space->forget_capacity ? 2 * space->forget_capacity : 64;
		struct object **more =
			reallocarray(space->forget_list, capacity, sizeof(struct object *));

		if (!more) {
			space->forget_all = true;
			return;
		}
		space->forget_list = more;
		space->forget_capacity = capacity;
	}
	object->forget_listed = true;
	space->forget_list[space->forget_count++] = object;
}

void space_forget_all_later(struct space *space)
{
	space->forget_all = true;
}

void space_forget_variables(struct space *space, CUmodule module)
{
	for (uint32_t i = 0; i < space->object_count; i++)
		if (space->objects[i]->module == module && !space->objects[i]->constant)
			space_forget_later(space->objects[i]);
}

bool space_has_forgotten(const struct space *space)
{
	return space->forget_count || space->forget_all;
}

int space_forget_listed(struct space *space)
{
	bool all = space->forget_all;

	if (!all && !space->forget_count)
		return 1;
	space->touched_count = 0;
	for (uint32_t i = 0; i < space->forget_count; i++) {
		space->forget_list[i]->forget_listed = false;
		if (!all)
			space_forget(space->forget_list[i]);
	}
	space->forget_count = 0;
	space->forget_all = false;
	if (all)
		return forget_all(space);
	return space_failed(space) ? -1 : 0;
}

int space_forget_listed_on(struct space *space, CUstream stream)
{
	uint32_t left = 0;

	if (space->forget_all || !space->forget_count || space->failed || space->busy)
		return 1;
	space->touched_count = 0;
	for (uint32_t i = 0; i < space->forget_count; i++) {
		struct object *object = space->forget_list[i];

		object->forget_listed = false;
		if (note_forgotten(object))
			space->forget_list[left++] = object;
	}
	for (uint32_t i = 0; i < left; i++)
		launch_forget(space->forget_list[i], stream);
	space->forget_count = 0;
	return space->failed ? -1 : 0;
}

/* -- variables ---------------------------------------------------------------------------- */

int space_initialised(struct space *space, struct object *const *variables, uint32_t count)
{
	const uint32_t epoch = space->view.epoch;
	int result;

	for (uint32_t i = 0; i < count; i++)
		if (object_need_detail(variables[i]) &&
		    space_mark(variables[i], space->stream, 0, variables[i]->size,
			       variables[i]->size, 1, MARK_WRITTEN) != 0)
			return -1;
	space->view.epoch = 0; /* what they were loaded with is never unread */
	result = space_settle(space, SITE_OF_VARIABLE);
	space->view.epoch = epoch;
	return result < 0 ? -1 : 0;
}
