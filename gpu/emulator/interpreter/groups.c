/*
 * gpu/emulator/interpreter/groups.c: divergence and reconvergence.
 *
 * Lanes that part become groups.  The group that is due is the one deepest in calls and, among
 * those, with the lowest pc: groups that reach the same pc become one again, so that lanes that
 * part at an `if` meet at its end.  A group that keeps branching backwards while others wait (a
 * spin lock whose holder is another lane) gives the one that waits longest a turn of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/interpreter/warp.h"

/* Backward branches that a group may take while others are ready. */
#define TURN 1024u
/* Calls, returns and splits through which a group keeps a turn: then lanes meet again. */
#define KEPT 256u
#define LOCAL_LIMIT (512u << 10) /* bytes of a thread, as on the hardware */
#define DEPTH_LIMIT 65536u
#define REGISTER_ROWS_LIMIT (1u << 20)

static bool same_frame(const struct group *a, const struct group *b)
{
	return a->depth == b->depth && a->register_base == b->register_base &&
	       a->predicate_base == b->predicate_base && a->frame_base == b->frame_base;
}

void warp_set_limit(struct warp *w)
{
	uint32_t limit = UINT32_MAX;

	for (uint32_t n = 0; n < w->group_count; n++) {
		const struct group *group = &w->groups[n];

		if (group->state != GROUP_AT_BARRIER && group->pc >= w->pc && group->pc < limit &&
		    same_frame(group, &w->now))
			limit = group->pc;
	}
	w->limit = limit;
}

void warp_enter_frame(struct warp *w)
{
	w->bank[PTX_BANK_REGISTER] = w->registers + (size_t)w->now.register_base * PTX_LANES;
	w->predicates = w->predicate_file + w->now.predicate_base;
	w->predicates[PTX_PREDICATE_TRUE] = WARP_ALL;
	w->predicates[PTX_PREDICATE_FALSE] = 0;
}

void warp_insert(struct warp *w, struct group group)
{
	for (uint32_t n = 0; n < w->group_count; n++) {
		struct group *other = &w->groups[n];

		if (other->pc == group.pc && other->state != GROUP_AT_BARRIER &&
		    group.state != GROUP_AT_BARRIER && same_frame(other, &group)) {
			/* who waited for lanes looks again at who is there */
			group.mask |= other->mask;
			if (other->dynamic > group.dynamic)
				group.dynamic = other->dynamic;
			group.state = GROUP_READY;
			*other = w->groups[--w->group_count];
			n--;
		}
	}
	w->groups[w->group_count++] = group;
}

void warp_store(struct warp *w)
{
	struct group group = w->now;

	group.mask = w->active;
	group.pc = w->pc;
	if (!w->group_count && group.state != GROUP_AT_SYNC) {
		w->now.mask = group.mask;
		w->now.pc = group.pc;
		w->held = true;
		return;
	}
	group.last_run = w->turn;
	warp_insert(w, group);
}

/* Whether `a` is due before `b`. */
static bool due_before(const struct warp *w, const struct group *a, const struct group *b)
{
	if (w->rotate && a->last_run != b->last_run)
		return a->last_run < b->last_run;
	return a->depth != b->depth ? a->depth > b->depth : a->pc < b->pc;
}

static struct group *find_due(struct warp *w, enum group_state state, bool only_last)
{
	struct group *due = NULL;

	for (uint32_t n = 0; n < w->group_count; n++)
		if (w->groups[n].state == state &&
		    (!only_last || w->groups[n].last_run == w->turn) &&
		    (!due || due_before(w, &w->groups[n], due)))
			due = &w->groups[n];
	return due;
}

/* Who spins deep in calls would be due again at each return of the one that it waits for. */
static struct group *find_ready(struct warp *w)
{
	struct group *due = w->keeps && !w->rotate ? find_due(w, GROUP_READY, true) : NULL;

	w->keeps = due ? w->keeps - 1 : w->rotate ? KEPT : 0;
	return due ? due : find_due(w, GROUP_READY, false);
}

bool warp_pick(struct warp *w)
{
	struct group *due;

	if (w->held) {
		if (w->now.state != GROUP_READY)
			return false;
		w->held = false;
		w->event = WARP_RUNS;
		w->limit = UINT32_MAX;
		return true;
	}
	due = find_ready(w);
	w->force_sync = false;
	if (!due) {
		/* lanes wait for lanes that will not come: at barriers, or gone elsewhere */
		due = find_due(w, GROUP_AT_SYNC, false);
		for (uint32_t n = 0; due && n < w->group_count; n++)
			if (w->groups[n].state == GROUP_AT_BARRIER &&
			    w->groups[n].mask & due->required & w->live)
				return false;
		w->force_sync = due != NULL;
	}
	if (!due)
		return false;
	w->now = *due;
	w->now.state = GROUP_READY;
	w->active = due->mask;
	w->pc = due->pc;
	*due = w->groups[--w->group_count];
	w->turn++;
	if (!w->turns)
		w->turns = TURN; /* a turn of the warp may end before the group's */
	w->rotate = false;
	w->event = WARP_RUNS;
	warp_enter_frame(w);
	warp_set_limit(w);
	return true;
}

bool warp_gathered(struct warp *w, uint32_t required)
{
	if (!(required & w->live & ~w->mask) || w->force_sync) {
		w->force_sync = false;
		return true;
	}
	/* lanes of this group that the guard switched off do not come either */
	if (!(required & w->live & ~w->active))
		return true;
	w->pc--;
	w->now.state = GROUP_AT_SYNC;
	w->now.required = required;
	warp_leave(w, WARP_RESCHEDULE);
	return false;
}

static bool grow(void **memory, size_t old, size_t wanted)
{
	void *grown = realloc(*memory, wanted);

	if (!grown)
		return false;
	memset((char *)grown + old, 0, wanted - old);
	*memory = grown;
	return true;
}

/* Lanes lie one after the other: a longer stride moves them apart. */
static bool grow_local(struct warp *w, size_t stride)
{
	uint8_t *grown = calloc(PTX_LANES, stride);

	if (!grown)
		return false;
	for (unsigned l = 0; l < PTX_LANES && w->local_stride; l++)
		memcpy(grown + l * stride, w->local + l * w->local_stride, w->local_stride);
	free(w->local);
	w->local = grown;
	w->local_stride = stride;
	return true;
}

bool warp_make_local(struct warp *w, uint64_t bytes)
{
	if (bytes > LOCAL_LIMIT) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_ADDRESS,
			   "the stack of a thread overflows in %s", w->now.function->name);
		return false;
	}
	if (bytes <= w->local_stride ||
	    grow_local(w, bytes * 2 < LOCAL_LIMIT ? (bytes * 2 + 15) & ~(size_t)15 : LOCAL_LIMIT))
		return true;
	warp_fault(w, w->mask, FAULT_NO_MEMORY, "no memory for the stack of a warp");
	return false;
}

bool warp_make_room(struct warp *w, const struct ptx_function *callee)
{
	size_t rows = (size_t)w->now.register_base + callee->registers + 1;
	size_t predicates = (size_t)w->now.predicate_base + callee->predicates + 1;
	size_t local = (size_t)w->now.frame_base + callee->frame_bytes;

	if (local > LOCAL_LIMIT || w->now.depth > DEPTH_LIMIT || rows > REGISTER_ROWS_LIMIT) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_ADDRESS,
			   "the stack of a thread overflows in a call of %s (depth %u)",
			   callee->name, w->now.depth);
		return false;
	}
	if (rows > w->register_rows) {
		size_t wanted = rows > w->register_rows * 2 ? rows : w->register_rows * 2;

		if (!grow((void **)&w->registers, w->register_rows * PTX_LANES * 8,
			  wanted * PTX_LANES * 8))
			goto no_memory;
		w->register_rows = wanted;
	}
	if (predicates > w->predicate_rows) {
		size_t wanted = predicates * 2;

		if (!grow((void **)&w->predicate_file, w->predicate_rows * 4, wanted * 4))
			goto no_memory;
		w->predicate_rows = wanted;
	}
	if (!warp_make_local(w, local))
		return false;
	if (w->now.depth >= w->link_count) {
		size_t wanted = w->link_count ? w->link_count * 2 : 4;

		if (!grow((void **)&w->links, w->link_count * sizeof(*w->links),
			  wanted * sizeof(*w->links)))
			goto no_memory;
		w->link_count = (uint32_t)wanted;
	}
	return true;
no_memory:
	warp_fault(w, w->mask, FAULT_NO_MEMORY, "no memory for the stack of a warp");
	return false;
}
