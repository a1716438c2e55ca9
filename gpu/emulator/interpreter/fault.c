/*
 * gpu/emulator/interpreter/fault.c: faults, with the kernel and the place in the source.
 */
#include <stdarg.h>
#include <stdio.h>

#include "gpu/emulator/interpreter/warp.h"

size_t warp_place(const struct warp *w, uint32_t pc, char *text, size_t room)
{
	const struct ptx_module *module = w->module;
	const struct ptx_place *place = &module->places[pc];
	const char *file = place->file < module->file_count ? module->files[place->file] : NULL;
	int used;

	if (place->source_line && file)
		used = snprintf(text, room, "%.200s:%u", file, place->source_line);
	else
		used = snprintf(text, room, "PTX line %u", place->line);
	return (size_t)used < room ? (size_t)used : room - 1;
}

void warp_fault(struct warp *w, uint32_t lanes, enum fault_kind kind, const char *format, ...)
{
	struct fault *fault = w->block->fault;
	unsigned lane = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
	size_t used;
	va_list arguments;

	fault->kind = kind;
	for (unsigned n = 0; n < 3; n++) {
		fault->block[n] = w->block->index[n];
		fault->thread[n] = (uint32_t)w->special[PTX_TID_X + n][lane];
	}
	used = (size_t)snprintf(fault->text, sizeof(fault->text), "kernel %.200s, ",
				w->block->launch->kernel->name);
	/* the pc has moved past the instruction that faults */
	used += warp_place(w, w->pc ? w->pc - 1 : 0, fault->text + used,
			   sizeof(fault->text) - used);
	used += (size_t)snprintf(fault->text + used, sizeof(fault->text) - used, ": ");
	va_start(arguments, format);
	vsnprintf(fault->text + used, sizeof(fault->text) - used, format, arguments);
	va_end(arguments);
	warp_leave(w, WARP_FAULT);
}
