/*
 * gpu/emulator/interpreter/control.c: branches, calls, returns, traps.
 */
#include <string.h>

#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* Moves the running group to `target`; others get a turn if it goes backwards for long. */
static void jump(struct warp *w, uint32_t target)
{
	bool backward = target < w->pc;

	w->pc = target;
	if (!w->group_count)
		return;
	if (backward && !--w->turns) {
		w->rotate = true;
		warp_leave(w, WARP_RESCHEDULE);
		return;
	}
	warp_set_limit(w);
}

/* Splits the lanes in `lanes` off the running group; they go on at `target`. */
static void split(struct warp *w, uint32_t lanes, uint32_t target)
{
	struct group part = w->now;

	part.mask = lanes;
	part.pc = target;
	part.last_run = w->turn;
	part.state = GROUP_READY;
	w->active &= ~lanes;
	warp_insert(w, part);
}

static void branch(struct warp *w, const struct ptx_instruction *i)
{
	uint32_t target = (uint32_t)i->immediate;

	if (w->mask == w->active) {
		jump(w, target);
		return;
	}
	/* the group with the lower pc goes on */
	if (target < w->pc) {
		split(w, w->active & ~w->mask, w->pc);
		jump(w, target);
	} else {
		split(w, w->mask, target);
		warp_set_limit(w);
	}
}

static void indexed_branch(struct warp *w, const struct ptx_instruction *i)
{
	const uint32_t *targets = w->module->extras + i->extra;
	const uint64_t *index = warp_row(w, i->a);
	uint32_t lanes = w->mask;

	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		if ((uint32_t)index[l] >= targets[0]) {
			warp_fault(w, 1u << l, FAULT_ILLEGAL_INSTRUCTION,
				   "brx.idx with index %u of %u targets", (uint32_t)index[l],
				   targets[0]);
			return;
		}
	}
	while (lanes) {
		uint32_t target = targets[1 + (uint32_t)index[__builtin_ctz(lanes)]], alike = 0;

		for (uint32_t m = lanes; m; m &= m - 1)
			if (targets[1 + (uint32_t)index[__builtin_ctz(m)]] == target)
				alike |= m & -m;
		lanes &= ~alike;
		if (alike == w->active) {
			jump(w, target);
			return;
		}
		split(w, alike, target);
	}
	warp_leave(w, w->active ? WARP_RESCHEDULE : WARP_GROUP_GONE);
}

static void copy_argument(struct warp *w, uint32_t lanes, uint32_t to, uint32_t from, uint32_t size)
{
	for (; lanes; lanes &= lanes - 1) {
		uint8_t *local = w->local + (unsigned)__builtin_ctz(lanes) * w->local_stride;

		memcpy(local + to, local + from, size);
	}
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The lanes in w->active, all of the group, enter `callee`. */
static void enter(struct warp *w, const struct ptx_call *call, const struct ptx_function *callee)
{
	const struct group caller = w->now;
	uint32_t count = smaller(call->argument_count, callee->parameter_count);
	struct link *link;

	w->now.depth++;
	w->now.register_base += caller.function->registers;
	w->now.predicate_base += caller.function->predicates;
	w->now.frame_base =
		(caller.frame_base + caller.function->frame_bytes + caller.dynamic + 15) & ~15u;
	w->now.dynamic = 0;
	w->now.function = callee;
	if (!warp_make_room(w, callee))
		return;
	link = &w->links[caller.depth];
	for (uint32_t m = w->active; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		link->pc[l] = w->pc;
		link->register_base[l] = caller.register_base;
		link->predicate_base[l] = caller.predicate_base;
		link->frame_base[l] = caller.frame_base;
		link->dynamic[l] = caller.dynamic;
		link->function[l] = caller.function;
	}
	for (uint32_t n = 0; n < count; n++) {
		const struct ptx_parameter *from = &w->module->arguments[call->first_argument + n];
		const struct ptx_parameter *to = &callee->parameters[n];

		copy_argument(w, w->active, w->now.frame_base + to->offset,
			      caller.frame_base + from->offset, smaller(from->size, to->size));
	}
	w->pc = callee->entry;
	warp_enter_frame(w);
	warp_set_limit(w);
}

/* The function whose address the lane has; NULL: none. */
static const struct ptx_function *function_at(const struct warp *w, uint64_t address)
{
	uint64_t index = (address - PTX_WINDOW_FUNCTION) / PTX_FUNCTION_STRIDE - 1;

	if (address < PTX_WINDOW_FUNCTION || address % PTX_FUNCTION_STRIDE ||
	    index >= w->module->function_count)
		return NULL;
	return w->module->functions[index];
}

static void call_function(struct warp *w, const struct ptx_call *call,
			  const struct ptx_function *callee)
{
	if (callee->builtin && !callee->defined)
		warp_call_builtin(w, call, callee->builtin);
	else if (!callee->defined || callee->by_register)
		warp_fault(w, w->mask, FAULT_ILLEGAL_INSTRUCTION,
			   "call of %s, which the emulator does not have", callee->name);
	else
		enter(w, call, callee);
}

/* Leaves only the lanes in `lanes` in the group; the others meet this instruction again. */
static void narrow(struct warp *w, uint32_t lanes, uint32_t others, uint32_t pc)
{
	if (others)
		split(w, others, pc);
	w->active &= lanes;
	w->mask = lanes;
}

static void call(struct warp *w, const struct ptx_instruction *i)
{
	const struct ptx_call *operands = &w->module->calls[i->extra];
	const uint64_t *addresses;
	const struct ptx_function *callee;
	uint32_t alike = 0;
	unsigned first = (unsigned)__builtin_ctz(w->mask);

	/* lanes that the guard switches off go on behind the call */
	narrow(w, w->mask, w->active & ~w->mask, w->pc);
	if (operands->function != PTX_CALL_INDIRECT) {
		call_function(w, operands, w->module->functions[operands->function]);
		return;
	}
	addresses = warp_row(w, i->a);
	callee = function_at(w, addresses[first]);
	if (!callee) {
		warp_fault(w, 1u << first, FAULT_ILLEGAL_ADDRESS,
			   "call of 0x%llx, which is no function",
			   (unsigned long long)addresses[first]);
		return;
	}
	for (uint32_t m = w->mask; m; m &= m - 1)
		if (addresses[__builtin_ctz(m)] == addresses[first])
			alike |= m & -m;
	narrow(w, alike, w->mask & ~alike, w->pc - 1);
	call_function(w, operands, callee);
}

static void end_lanes(struct warp *w)
{
	w->live &= ~w->mask;
	w->block->look = true;
	w->active &= ~w->mask;
	/* barriers and .sync instructions no longer wait for these lanes */
	warp_leave(w, w->active ? WARP_RESCHEDULE : WARP_GROUP_GONE);
}

/* Time does not pass here: who sleeps waits for others, and they get a turn. */
static void sleep_lanes(struct warp *w, const struct ptx_instruction *i)
{
	(void)i;
	if (!w->group_count)
		return;
	w->rotate = true;
	warp_leave(w, WARP_RESCHEDULE);
}

static void exit_lanes(struct warp *w, const struct ptx_instruction *i)
{
	(void)i;
	end_lanes(w);
}

/* Lanes with the same caller and place go back as one group. */
static void return_lanes(struct warp *w, uint32_t lanes, struct group *back)
{
	const struct link *link = &w->links[w->now.depth - 1];
	const struct ptx_function *callee = w->now.function;
	unsigned first = (unsigned)__builtin_ctz(lanes);
	const struct ptx_call *made;

	*back = (struct group){.pc = link->pc[first],
			       .depth = w->now.depth - 1,
			       .register_base = link->register_base[first],
			       .predicate_base = link->predicate_base[first],
			       .frame_base = link->frame_base[first],
			       .function = link->function[first],
			       .last_run = w->turn};
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		if (link->pc[l] == back->pc && link->register_base[l] == back->register_base &&
		    link->predicate_base[l] == back->predicate_base &&
		    link->frame_base[l] == back->frame_base) {
			back->mask |= 1u << l;
			if (link->dynamic[l] > back->dynamic)
				back->dynamic = link->dynamic[l];
		}
	}
	made = &w->module->calls[w->module->code[back->pc - 1].extra];
	if (made->result.size)
		copy_argument(w, back->mask, back->frame_base + made->result.offset,
			      w->now.frame_base + callee->result.offset,
			      smaller(made->result.size, callee->result.size));
}

void execute_ret(struct warp *w, const struct ptx_instruction *i)
{
	uint32_t lanes = w->mask;
	struct group back;

	(void)i;
	if (!w->now.depth) {
		end_lanes(w);
		return;
	}
	do {
		return_lanes(w, lanes, &back);
		lanes &= ~back.mask;
		if (back.mask == w->active && !w->group_count) {
			w->now = back;
			w->pc = back.pc;
			warp_enter_frame(w);
			return;
		}
		w->active &= ~back.mask;
		warp_insert(w, back);
	} while (lanes);
	warp_leave(w, w->active ? WARP_RESCHEDULE : WARP_GROUP_GONE);
}

static void trap(struct warp *w, const struct ptx_instruction *i)
{
	(void)i;
	warp_fault(w, w->mask, FAULT_TRAP, "trap");
}

void execute_unsupported(struct warp *w, const struct ptx_instruction *i)
{
	warp_fault(w, w->mask, FAULT_ILLEGAL_INSTRUCTION, "'%s' is not supported by the emulator",
		   w->module->texts[i->extra]);
}

const struct ptx_opcode interpreter_control[] = {
	{"bra", "l", 0, 0, 0, M(UNI), branch},
	{"brx", "B", 0, 0, M(IDX), M(UNI), indexed_branch},
	{"call", "C", 0, 0, 0, M(UNI), call},
	{"ret", "", 0, 0, 0, M(UNI), execute_ret},
	{"exit", "", 0, 0, 0, 0, exit_lanes},
	{"nanosleep", "u", T(U32), 0, 0, 0, sleep_lanes},
	{"trap", "", 0, 0, 0, 0, trap},
	{"brkpt", "", 0, 0, 0, 0, trap},
	{0},
};
