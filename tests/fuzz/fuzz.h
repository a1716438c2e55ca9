/* tests/fuzz/fuzz.h: libFuzzer's entry; tests/fuzz/replay.c calls it too. */
#ifndef VFLOW_TESTS_FUZZ_FUZZ_H
#define VFLOW_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Aborts when something is wrong.  Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
