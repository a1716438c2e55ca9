/* tests/fuzz/fuzz_ptx.c: any bytes as PTX: parsed or refused, and freed. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/ptx/ptx.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error;
	struct ptx_module *module =
		ptx_parse(interpreter_machine(), (const char *)data, size, &error);

	/* a refusal says why */
	if (!module && !error.text[0])
		abort();
	ptx_free(module);
	return 0;
}
