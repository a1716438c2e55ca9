/* collect/guest/managed.c: see managed.h. */
#include "collect/guest/managed.h"

#include <string.h>

#include "collect/guest/guest.h"

enum {
	HELD_MAX = 1 << 16,
	SLACK_NS = 2000, /* the clock of page faults agrees with the host's to that */
};

/* A wait, in the order of their ends. */
struct held {
	uint64_t end_ns;
	uint64_t touched_ns; /* 0: no page fault is known */
	uint32_t frame;      /* of that */
	bool asked;          /* for */
	bool gap;
	struct gpu_use use;
};

static struct held *held;
static uint32_t held_count, held_capacity;

bool managed_protect(const struct gpu_use *use, uint64_t end_ns)
{
	struct held *more;

	/* one that nobody asks about only ends the one before */
	if (!use && (!held_count || !held[held_count - 1].asked))
		return false;
	more = held_count < HELD_MAX
		       ? guest_reserve(held, held_count, &held_capacity, sizeof(*held))
		       : NULL;
	if (!more)
		return false;
	held = more;
	held[held_count] = (struct held){.end_ns = end_ns, .asked = use};
	if (use)
		held[held_count].use = *use;
	held_count++;
	return true;
}

bool managed_finish(const struct gpu_use *use, bool gap)
{
	for (uint32_t i = held_count; i--;) {
		if (!held[i].asked || held[i].use.context != use->context ||
		    held[i].use.invocation != use->invocation)
			continue;
		held[i].use = *use;
		held[i].gap = gap;
		return true;
	}
	return false;
}

/* The wait that protects managed memory at that time; NULL: there was none, or nobody asks. */
static struct held *held_at(uint64_t ns)
{
	uint32_t low = 0, high = held_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (held[middle].end_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && held[low - 1].asked ? &held[low - 1] : NULL;
}

void managed_touched(const struct gpu_provider *provider, uint64_t ns, uintptr_t instruction)
{
	struct held *wait = held_at(ns + SLACK_NS);
	uint32_t frame = 0;
	bool cuda = false;

	if (!wait || (wait->touched_ns && wait->touched_ns <= ns))
		return;
	if (instruction)
		frame = paths_of(provider, &instruction, 1, &cuda);
	if (cuda) /* it looks into memory that it manages */
		return;
	wait->touched_ns = ns;
	wait->frame = frame == UINT32_MAX ? 0 : frame;
}

/* Managed memory may have been used before the other memory that the wait protects. */
static void take_touch(struct held *wait)
{
	const uint64_t after_ns =
		wait->touched_ns > wait->end_ns ? wait->touched_ns - wait->end_ns : 0;
	struct gpu_use *use = &wait->use;

	if (use->kind != GPU_USE_NEVER && use->after_ns <= after_ns)
		return;
	use->kind = GPU_USE_INSTRUCTION;
	use->after_ns = after_ns;
	use->frame = wait->frame;
}

void managed_end(const struct gpu_provider *provider, void (*say)(struct gpu_use *use, bool gap))
{
	const bool all = provider->touches && provider->touches() == GPU_TOUCHES_ALL;

	for (uint32_t i = 0; i < held_count; i++) {
		if (!held[i].asked)
			continue;
		if (held[i].touched_ns)
			take_touch(&held[i]);
		/* without a fault it was not used, or the page was there before */
		say(&held[i].use, held[i].gap || (!held[i].touched_ns && !all));
	}
	held_count = 0;
}
