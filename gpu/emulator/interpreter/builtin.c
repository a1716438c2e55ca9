/*
 * gpu/emulator/interpreter/builtin.c: functions that device code calls and that are not in PTX.
 *
 * printf goes to the launch's printer, malloc to the device's memory.  Formats and arguments are
 * as hostile as any other memory: every byte is looked up before it is read.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/emulator/interpreter/warp.h"

#define TEXT_LIMIT 1024u /* of a string that %s prints, and of a format */

uint64_t warp_argument(const struct warp *w, const struct ptx_call *call, unsigned number,
		       unsigned lane)
{
	const struct ptx_parameter *place = &w->module->arguments[call->first_argument + number];
	uint64_t value = 0;

	if (number < call->argument_count)
		memcpy(&value,
		       w->local + lane * w->local_stride + w->now.frame_base + place->offset,
		       place->size < 8 ? place->size : 8);
	return value;
}

static void give(struct warp *w, const struct ptx_call *call, unsigned lane, uint64_t value)
{
	const uint32_t size = call->result.size < 8 ? call->result.size : 8;

	memcpy(w->local + lane * w->local_stride + w->now.frame_base + call->result.offset, &value,
	       size);
}

/* Copies the string at `address`, cut at the limit. */
static const char *read_text(struct warp *w, unsigned lane, uint64_t address, char text[TEXT_LIMIT])
{
	uint64_t room = 0;
	const uint8_t *at = address ? warp_generic(w, lane, address, &room) : NULL;
	size_t size = 0;

	if (!at)
		return "(null)";
	while (size < room && size < TEXT_LIMIT - 1 && at[size])
		size++;
	memcpy(text, at, size);
	text[size] = '\0';
	return text;
}

/* The arguments of a printf: each aligned to its size. */
struct list {
	const uint8_t *at;
	uint64_t room, used;
	int taken;
};

static uint64_t take(struct list *list, unsigned size)
{
	uint64_t value = 0;

	list->used = (list->used + size - 1) & ~(uint64_t)(size - 1);
	if (list->used + size <= list->room)
		memcpy(&value, list->at + list->used, size);
	list->used += size;
	list->taken++;
	return value;
}

/* "%-08.3lld" taken apart; numbers are limited so that a field stays small. */
struct directive {
	char flags[8];
	int width, precision; /* -1: none */
	bool wide;            /* l, ll, z, j, t */
	char kind;
};

static int number_of(const char **at, struct list *list)
{
	int value = 0;

	if (**at == '*') {
		(*at)++;
		value = (int32_t)take(list, 4);
	} else {
		for (; **at >= '0' && **at <= '9'; (*at)++)
			if (value < (int)TEXT_LIMIT)
				value = value * 10 + (**at - '0');
	}
	return value > (int)TEXT_LIMIT    ? (int)TEXT_LIMIT
	       : value < -(int)TEXT_LIMIT ? -(int)TEXT_LIMIT
					  : value;
}

/* Reads a directive behind its '%'. */
static const char *read_directive(const char *at, struct list *list, struct directive *d)
{
	size_t flags = 0;

	*d = (struct directive){.precision = -1};
	for (; *at && strchr("-+ #0", *at); at++)
		if (flags < sizeof(d->flags) - 1 && !strchr(d->flags, *at))
			d->flags[flags++] = *at;
	d->width = number_of(&at, list);
	if (d->width < 0) {
		d->width = -d->width;
		if (!strchr(d->flags, '-'))
			d->flags[flags < sizeof(d->flags) - 1 ? flags : 0] = '-';
	}
	if (*at == '.') {
		at++;
		d->precision = number_of(&at, list);
	}
	for (; *at && strchr("hlqjztL", *at); at++)
		d->wide |= *at != 'h' && *at != 'L';
	d->kind = *at;
	return *at ? at + 1 : at;
}

static int put_directive(struct warp *w, unsigned lane, const struct directive *d,
			 struct list *list, char *out, size_t room)
{
	char format[32], text[TEXT_LIMIT];
	int width = d->width, precision = d->precision;

	switch (d->kind) {
	case '%':
		return snprintf(out, room, "%%");
	case 'd':
	case 'i':
		snprintf(format, sizeof(format), "%%%s*.*ll%c", d->flags, d->kind);
		return snprintf(out, room, format, width, precision,
				d->wide ? (long long)take(list, 8) : (int32_t)take(list, 4));
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		snprintf(format, sizeof(format), "%%%s*.*ll%c", d->flags, d->kind);
		return snprintf(out, room, format, width, precision,
				(unsigned long long)take(list, d->wide ? 8 : 4));
	case 'c':
		snprintf(format, sizeof(format), "%%%s*c", d->flags);
		return snprintf(out, room, format, width, (int)take(list, 4));
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A': {
		uint64_t bits = take(list, 8);
		double value;

		memcpy(&value, &bits, sizeof(value));
		snprintf(format, sizeof(format), "%%%s*.*%c", d->flags, d->kind);
		return snprintf(out, room, format, width, precision, value);
	}
	case 'p':
		snprintf(format, sizeof(format), "%%%s*p", d->flags);
		return snprintf(out, room, format, width, (void *)(uintptr_t)take(list, 8));
	case 's':
		snprintf(format, sizeof(format), "%%%s*.*s", d->flags);
		return snprintf(out, room, format, width, precision,
				read_text(w, lane, take(list, 8), text));
	default: /* %n and what nobody knows prints nothing */
		take(list, 8);
		return 0;
	}
}

static int print(struct warp *w, unsigned lane, uint64_t format_address, uint64_t list_address)
{
	const struct launch *launch = w->block->launch;
	char format[TEXT_LIMIT], out[2 * TEXT_LIMIT];
	struct list list = {0};
	const char *at;

	if (!format_address)
		return -1;
	if (list_address)
		list.at = warp_generic(w, lane, list_address, &list.room);
	if (!list.at)
		list.room = 0;
	at = read_text(w, lane, format_address, format);
	while (*at) {
		size_t plain = strcspn(at, "%");
		struct directive directive;
		int size;

		if (launch->print && plain)
			launch->print(at, plain);
		at += plain;
		if (!*at)
			break;
		at = read_directive(at + 1, &list, &directive);
		size = put_directive(w, lane, &directive, &list, out, sizeof(out));
		if (launch->print && size > 0)
			launch->print(out,
				      (size_t)size < sizeof(out) ? (size_t)size : sizeof(out) - 1);
	}
	return list.taken;
}

static void fail_assertion(struct warp *w, const struct ptx_call *call)
{
	unsigned lane = (unsigned)__builtin_ctz(w->mask);
	char text[3][TEXT_LIMIT];
	const char *message = read_text(w, lane, warp_argument(w, call, 0, lane), text[0]);
	const char *file = read_text(w, lane, warp_argument(w, call, 1, lane), text[1]);
	const char *function = read_text(w, lane, warp_argument(w, call, 3, lane), text[2]);

	warp_fault(w, w->mask, FAULT_ASSERTION,
		   "%.100s:%u: %.100s: assertion `%.100s' failed in block (%u, %u, %u), thread "
		   "(%u, %u, %u)",
		   file, (uint32_t)warp_argument(w, call, 2, lane), function, message,
		   w->block->index[0], w->block->index[1], w->block->index[2],
		   (uint32_t)w->special[PTX_TID_X][lane], (uint32_t)w->special[PTX_TID_Y][lane],
		   (uint32_t)w->special[PTX_TID_Z][lane]);
}

/* Objects of the device's heap are not followed: they are made and gone inside a kernel. */
struct allocation *warp_heap_allocate(const struct warp *w, uint64_t size, uint64_t alignment,
				      enum coverage_id why)
{
	struct allocation *allocation = memory_allocate(size, alignment);

	if (!allocation)
		return NULL;
	allocation->kind = MEMORY_KIND_HEAP;
	if (w->block->launch->note)
		w->block->launch->note(why, NULL, 1, size);
	return allocation;
}

static uint64_t allocate(const struct warp *w, uint64_t size)
{
	const struct allocation *allocation = warp_heap_allocate(w, size, 16, COVERAGE_HEAP_MALLOC);

	return allocation ? allocation->address : 0;
}

static bool give_back(struct warp *w, unsigned lane, uint64_t address)
{
	struct allocation *allocation = memory_find(address);

	if (!address)
		return true;
	if (!allocation || allocation->address != address || allocation->kind != MEMORY_KIND_HEAP) {
		warp_fault(w, 1u << lane, FAULT_ILLEGAL_ADDRESS,
			   "free of 0x%llx, which malloc did not give",
			   (unsigned long long)address);
		return false;
	}
	memory_release(allocation);
	/* nobody may remember what is gone */
	for (uint32_t n = 0; n < w->block->resident; n++)
		memset(w->block->all[n].cache, 0, sizeof(w->block->cache));
	return true;
}

void warp_call_builtin(struct warp *w, const struct ptx_call *call, enum ptx_builtin builtin)
{
	if (builtin == PTX_BUILTIN_ASSERTFAIL) {
		fail_assertion(w, call);
		return;
	}
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t first = warp_argument(w, call, 0, l);

		if (builtin == PTX_BUILTIN_VPRINTF)
			give(w, call, l,
			     (uint64_t)(int64_t)print(w, l, first, warp_argument(w, call, 1, l)));
		else if (builtin == PTX_BUILTIN_MALLOC)
			give(w, call, l, allocate(w, first));
		else if (builtin != PTX_BUILTIN_FREE && builtin != PTX_BUILTIN_NESTED_FREE)
			give(w, call, l, warp_call_device_runtime(w, call, builtin, l));
		else if (!give_back(w, l, first))
			return;
		else if (builtin == PTX_BUILTIN_NESTED_FREE)
			give(w, call, l, 0);
	}
}
