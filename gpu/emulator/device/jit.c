/* gpu/emulator/device/jit.c: see jit.h. */
#include "gpu/emulator/device/jit.h"

#include <string.h>

/* CU_JIT_INFO_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER; the size of each is the next option. */
enum { INFORMATION = 3, ERRORS = 5 };

static struct jit_buffer buffer_of(const struct emulator_jit *jit, int option)
{
	struct jit_buffer buffer = {NULL, 0, NULL};

	for (unsigned i = 0; jit->options && jit->values && i < jit->count; i++) {
		if (jit->options[i] == option)
			buffer.text = jit->values[i];
		if (jit->options[i] == option + 1)
			buffer.length = &jit->values[i];
	}
	buffer.room = buffer.length ? (unsigned)(uintptr_t)*buffer.length : 0;
	return buffer;
}

struct jit_log jit_log_of(const struct emulator_jit *jit)
{
	if (!jit)
		return (struct jit_log){0};
	return (struct jit_log){buffer_of(jit, INFORMATION), buffer_of(jit, ERRORS)};
}

/* As NVIDIA's driver: the length is without the NUL, but where the text is cut, all of the room. */
static void write_buffer(const struct jit_buffer *buffer, const char *text)
{
	size_t length = buffer->text ? strnlen(text, buffer->room) : 0;

	if (buffer->text && buffer->room) {
		const size_t kept = length < buffer->room ? length : buffer->room - 1;

		memcpy(buffer->text, text, kept);
		buffer->text[kept] = 0;
	}
	if (buffer->length)
		*buffer->length = (void *)(uintptr_t)length;
}

void jit_log_write(const struct jit_log *log, const char *errors)
{
	write_buffer(&log->information, "");
	write_buffer(&log->errors, errors);
}
