/* gpu/analysis/loaded_code.c: see loaded_code.h. */
#include "gpu/analysis/loaded_code.h"

#include <string.h>

enum { NAME_MOST = 1000 }; /* characters; longer names are cut */

uint64_t loaded_code_hash(uint64_t before, const char *text)
{
	uint64_t hash = before ^ UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

void loaded_code_add(struct loaded_code *code, const char *name, uint64_t bytes)
{
	uint32_t at = code->count;

	code->record.kernels++;
	code->record.kernel_bytes += bytes;
	code->record.names = loaded_code_hash(code->record.names, name);
	while (at && code->largest[at - 1].bytes < bytes)
		at--;
	if (at == LOADED_CODE_NAMED)
		return;
	if (code->count < LOADED_CODE_NAMED)
		code->count++;
	memmove(&code->largest[at + 1], &code->largest[at],
		(code->count - 1 - at) * sizeof(code->largest[0]));
	code->largest[at].name = name;
	code->largest[at].bytes = bytes;
}

static void say_kernel(const struct gpu_sink *sink, uint32_t code, const char *name, uint64_t bytes,
		       bool launched)
{
	union {
		struct gpu_code_kernel kernel;
		char bytes[sizeof(struct gpu_code_kernel) + NAME_MOST + 1];
	} payload = {.kernel = {.bytes = bytes, .code = code, .launched = launched}};
	size_t length = strnlen(name, NAME_MOST), start = offsetof(struct gpu_code_kernel, name);
	size_t size = start + length + 1;

	memcpy(payload.bytes + start, name, length);
	sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_CODE_KERNEL,
						.payload = &payload,
						.size = size < sizeof(payload.kernel)
								? sizeof(payload.kernel)
								: size});
}

uint32_t loaded_code_say(const struct gpu_sink *sink, struct loaded_code *code)
{
	static uint32_t last;
	struct gpu_code *record = &code->record;

	record->code = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_CODE,
						.payload = record,
						.size = sizeof(*record)});
	for (uint32_t i = 0; i < code->count; i++)
		say_kernel(sink, record->code, code->largest[i].name, code->largest[i].bytes,
			   false);
	return record->code;
}

void loaded_code_launched(const struct gpu_sink *sink, uint32_t code, const char *name,
			  uint64_t bytes)
{
	say_kernel(sink, code, name, bytes, true);
}
