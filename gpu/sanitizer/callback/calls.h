/*
 * gpu/sanitizer/callback/calls.h: from the Sanitizer's callbacks to the sink's events.
 *
 * A thread's API calls nest (cudaMalloc calls cuMemAlloc); the outermost one is what the program
 * called.  What happens inside it is noted and turned into events when it returns.  From its start
 * to its end a lock is held, and what it put on a stream is waited for, or followed there by its
 * pass (schedule.h), so that APIs are analysed one after the other, in the order in which they ran.
 * Others have the lock for moments while a call waits for those before it, if a kernel may wait for
 * another device's.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_CALLS_H
#define VFLOW_GPU_SANITIZER_CALLBACK_CALLS_H

#include <stdbool.h>

#include <sanitizer.h>

#include "gpu/provider.h"

void calls_start(const struct gpu_sink *sink, const struct gpu_options *options);
void calls_stop(void);

void calls_api(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
	       const Sanitizer_CallbackData *data);
void calls_resource(Sanitizer_CallbackId id, const void *data);
void calls_launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData *data);
void calls_copy(const Sanitizer_MemcpyData *data);
void calls_set(const Sanitizer_MemsetData *data);
void calls_word(const Sanitizer_BatchMemopData *data);
void calls_mapped(const Sanitizer_ExternalMemoryData *data);
void calls_graph(Sanitizer_CallbackId id, const void *data);

#endif
