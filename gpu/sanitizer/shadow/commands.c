/*
 * gpu/sanitizer/shadow/commands.c: the host's end of the ring of commands (device/commands.cuh).
 */
#include <string.h>

#include "gpu/nvidia/now.h"
#include "gpu/sanitizer/shadow/space_internal.h"

#define ASK_NS 100000 /* the driver for errors */

/* -- the kernel --------------------------------------------------------------------------- */

static bool make_ring(struct space *space)
{
	if (space->ring)
		return true;
	if (space->commands_failed)
		return false;
	space->commands_failed =
		!space_check(space, driver.cuStreamCreate(&space->command_stream,
							  CU_STREAM_NON_BLOCKING)) ||
		!space_map_host(space, (void **)&space->ring, &space->device_ring,
				sizeof(struct command_ring));
	return !space->commands_failed;
}

void commands_free(struct space *space)
{
	space_unmap_host((void *)space->ring, sizeof(struct command_ring));
	space_unmap_host((void *)space->held, HELD_RING * sizeof(struct command));
}

CUstream space_command_stream(const struct space *space)
{
	return space->command_stream;
}

/* Waits until a word of the ring has the value.  False: the device failed. */
static bool await_word(struct space *space, const volatile uint32_t *word, uint32_t value)
{
	uint64_t asked = now_ns();

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
		CUresult result;

		__builtin_ia32_pause();
		if (now_ns() - asked < ASK_NS)
			continue;
		result = driver.cuStreamQuery(space->command_stream);
		asked = now_ns();
		if (result == CUDA_ERROR_NOT_READY)
			continue;
		if (!space_check(space, result))
			return false;
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
			space->failed = true;
			return false;
		}
	}
	return true;
}

/* Sees to it that commands which were added are taken: see struct command_ring. */
static bool keep_running(struct space *space)
{
	volatile struct command_ring *ring = space->ring;
	uint32_t launch = space->command_launch, taken;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (launch && ring->closed != launch)
		return true;
	if (launch && !await_word(space, &ring->done, launch))
		return false;
	taken = ring->taken;
	if (taken == ring->added)
		return true;
	space->command_launch = launch = launch + 1 ? launch + 1 : 1;
	return space_check(space,
			   driver.cuLaunchKernel(space->kernels[PASS_COMMANDS], 1, 1, 1,
						 PASS_THREADS, 1, 1, 0, space->command_stream,
						 (void *[]){&space->state, &space->view,
							    &space->device_ring, &launch, &taken},
						 NULL));
}

bool commands_await(struct space *space, bool ended)
{
	volatile struct command_ring *ring = space->ring;

	if (!ring || !space->command_launch)
		return true;
	if (!await_word(space, &ring->taken, ring->added))
		return false;
	if (!ended)
		return true;
	space_stop_commands(space);
	return await_word(space, &ring->done, space->command_launch);
}

void space_stop_commands(struct space *space)
{
	if (space->ring)
		space->ring->stop = space->command_launch;
}

/* -- commands ----------------------------------------------------------------------------- */

bool space_takes_command(const struct object *object, uint64_t offset, uint64_t width)
{
	const struct space *space = object->space;

	return !space->commands_failed && !space->failed && !space->busy &&
	       object->slot != NO_SLOT && object->detail.device && !object->coarse &&
	       object_shared_by(object) == NOT_SHARED && width <= COMMAND_MOST &&
	       (width ? offset <= object->size && width <= object->size - offset
		      : object->size <= COMMAND_FORGETS * LEAF_BYTES);
}

/* The place of the next command; NULL: there is none. */
static struct command *next_command(struct space *space)
{
	if (!make_ring(space) || space->ring->added - space->ring->taken >= COMMANDS ||
	    (space->unfinished && !space_wait(space)))
		return NULL;
	return (struct command *)&space->ring->commands[space->ring->added % COMMANDS];
}

static bool add_command(struct space *space)
{
	__atomic_store_n(&space->ring->added, space->ring->added + 1, __ATOMIC_RELEASE);
	return keep_running(space);
}

enum { CHUNK = 16 };

/* Puts what is written where the device looks for it: see struct command. */
static void put_bytes(struct space *space, struct command *command, const uint8_t *bytes)
{
	const uint64_t skip = command->offset % CHUNK, width = command->width;

	command->repeats = width > CHUNK && !memcmp(bytes, bytes + CHUNK, width - CHUNK);
	if (command->repeats)
		for (unsigned i = 0; i < CHUNK; i++)
			command->bytes[(skip + i) % CHUNK] = bytes[i];
	else if (skip + width <= COMMAND_INLINE)
		memcpy(command->bytes + skip, bytes, width);
	else
		memcpy((uint8_t *)space->ring->bytes[space->ring->added % COMMANDS] + skip, bytes,
		       width);
}

/* A copy or set of the object's bytes, behind all that there is by now. */
static struct command command_of(const struct object *object, uint32_t marks, uint64_t offset,
				 uint64_t width, uint32_t writer, uint32_t ticket)
{
	const struct space *space = object->space;

	return (struct command){.offset = offset,
				.rows_taken = space->rows_taken,
				.kind = marks == MARK_READ ? COMMAND_READ : COMMAND_WRITE,
				.width = (uint32_t)width,
				.slot = object->slot,
				.writer = writer,
				.ticket = ticket,
				.epoch = space->view.epoch,
				.seen_epoch = space->view.seen_epoch};
}

uint32_t space_command(struct object *object, uint32_t marks, uint64_t offset, uint64_t width,
		       const void *bytes, uint32_t writer)
{
	struct space *space = object->space;
	struct command *command = next_command(space);
	uint32_t ticket = pass_next_ticket(space);

	if (!command)
		return 0;
	*command = command_of(object, marks, offset, width, writer, ticket);
	if (marks != MARK_READ)
		put_bytes(space, command, bytes);
	pass_started(space, ticket, PASS_SMALL);
	return add_command(space) ? ticket : 0;
}

/* -- copies that are held back ------------------------------------------------------------ */

static bool make_held(struct space *space)
{
	if (!space->held && !space->held_failed)
		space->held_failed =
			!space_map_host(space, (void **)&space->held, &space->device_held,
					HELD_RING * sizeof(struct command));
	return !space->held_failed;
}

bool space_holds_copy(const struct object *object, uint64_t offset, uint64_t width)
{
	const struct space *space = object->space;
	const uint64_t end = (offset + width + CHUNK - 1) / CHUNK * CHUNK;

	return width && space_takes_command(object, offset, width) && !space->held_failed &&
	       object->memory == GPU_MEMORY_DEVICE && object->address % CHUNK == 0 &&
	       end <= object->size && space->held_added - space->held_passed < HELD_MOST;
}

uint32_t space_hold_copy(struct object *object, uint32_t marks, uint64_t offset, uint64_t width,
			 uint32_t writer, uint32_t *transfer)
{
	struct space *space = object->space;
	uint32_t ticket = pass_next_ticket(space), number = 0;
	struct command command;

	if (!make_held(space) || (space->unfinished && !space_wait(space)))
		return 0;
	if (*transfer)
		number = space->transfer = space->transfer + 1 ? space->transfer + 1 : 1;
	command = command_of(object, marks, offset, width, writer, ticket);
	command.transfer = number;
	*(struct command *)&space->held[space->held_added++ % HELD_RING] = command;
	*transfer = number;
	pass_started(space, ticket, PASS_SMALL);
	return ticket;
}

void space_drop_held(struct space *space)
{
	space->held_passed = space->held_added;
}

bool space_pass_held(struct space *space, CUstream stream)
{
	uint32_t first = space->held_passed, count = space->held_added - first;

	space_drop_held(space);
	if (!count)
		return true;
	if ((space->unfinished && !space_wait(space)) || !commands_await(space, false) ||
	    space->failed)
		return false;
	return space_check(
		space, driver.cuLaunchKernel(
			       space->kernels[PASS_COPIES], 1, 1, 1, PASS_THREADS, 1, 1, 0, stream,
			       (void *[]){&space->state, &space->view, &space->device_held,
					  &space->device_transfers, &first, &count},
			       NULL));
}

/* -- forgetting --------------------------------------------------------------------------- */

static bool forget(struct object *object)
{
	struct space *space = object->space;
	struct command *command = next_command(space);

	if (!command)
		return false;
	object->unknown = object->still_unknown = true;
	space->forgotten += !object->forgotten;
	object->forgotten = true;
	*command = (struct command){.kind = COMMAND_FORGET,
				    .slot = object->slot,
				    .writer = GPU_WRITER_UNKNOWN,
				    .seen_epoch = object_seen_by_command(object)};
	return add_command(space);
}

int space_forget_by_commands(struct space *space)
{
	if (space->forget_all || space->commands_failed || space->failed || space->busy)
		return 1;
	for (uint32_t i = 0; i < space->forget_count; i++) {
		const struct object *object = space->forget_list[i];

		if (object->slot != NO_SLOT && object->detail.device &&
		    !space_takes_command(object, 0, 0))
			return 1;
	}
	space->touched_count = 0;
	for (uint32_t i = 0; i < space->forget_count; i++) {
		struct object *object = space->forget_list[i];

		object->forget_listed = false;
		if (object->slot == NO_SLOT || !object->detail.device || !forget(object))
			space_forget(object);
	}
	space->forget_count = 0;
	return space->failed ? -1 : 0;
}
