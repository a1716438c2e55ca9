/*
 * gpu/emulator/interpreter_fault.c: faults, with the kernel and the place in the source.
 */
#include <stdarg.h>
#include <stdio.h>

#include "gpu/emulator/interpreter_warp.h"

static size_t put_place(const struct warp *w, char *text, size_t room)
{
	const struct ptx_module *module = w->module;
	/* the pc has moved past the instruction that faults */
	const struct ptx_place *place = &module->places[w->pc ? w->pc - 1 : 0];
	const char *file = place->file < module->file_count ? module->files[place->file] : NULL;
	int used;

	if (place->source_line && file)
		used = snprintf(text, room,
				"kernel %.200s, %.200s:%u: ", w->block->launch->kernel->name, file,
				place->source_line);
	else
		used = snprintf(text, room,
				"kernel %.200s, PTX line %u: ", w->block->launch->kernel->name,
				place->line);
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
	used = put_place(w, fault->text, sizeof(fault->text));
	va_start(arguments, format);
	vsnprintf(fault->text + used, sizeof(fault->text) - used, format, arguments);
	va_end(arguments);
	warp_leave(w, WARP_FAULT);
}
