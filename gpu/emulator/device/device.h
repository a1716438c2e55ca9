/*
 * gpu/emulator/device/device.h: the state behind the APIs, for the files of libcuda.so.1.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_DEVICE_H
#define VFLOW_GPU_EMULATOR_DEVICE_DEVICE_H

#include "gpu/emulator/device/core.h"
#include "gpu/emulator/state/memory.h"

/* Numbers that both APIs use; see NVIDIA's documentation of CUresult and cudaError_t. */
enum {
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	INVALID_CONFIGURATION = 9,
	INVALID_PITCH = 12,
	INVALID_DEVICE = 101,
	INVALID_IMAGE = 200,
	INVALID_CONTEXT = 201,
	NO_BINARY = 209,
	UNSUPPORTED_LIMIT = 215,
	INVALID_PTX = 218,
	FILE_NOT_FOUND = 301,
	INVALID_HANDLE = 400,
	ILLEGAL_STATE = 401,
	NOT_FOUND = 500,
	ILLEGAL_ADDRESS = 700,
	LAUNCH_TIMEOUT = 702,
	ASSERTION = 710,
	ALREADY_REGISTERED = 712,
	NOT_REGISTERED = 713,
	ILLEGAL_INSTRUCTION = 715,
	MISALIGNED_ADDRESS = 716,
	LAUNCH_FAILED = 719,
	COOPERATIVE_TOO_LARGE = 720,
	NOT_SUPPORTED = 801,
	CAPTURE_UNSUPPORTED = 900,
	CAPTURE_INVALIDATED = 901,
	CAPTURE_MERGE = 902,
	CAPTURE_UNMATCHED = 903,
	CAPTURE_UNJOINED = 904,
	CAPTURE_ISOLATION = 905,
	CAPTURE_IMPLICIT = 906,
	CAPTURED_EVENT = 907,
	CAPTURE_WRONG_THREAD = 908,
	UPDATE_FAILED = 910,
};

/*
 * Takes the lock when the device may be used: initialised in this very process and, with
 * `context`, by a thread with a current context that has not failed.  Returns 0 with the lock
 * held, else the error without it.
 */
int device_enter(bool context);
void device_leave(void);
/* At exit: true with the lock held.  A program may exit while another thread has it for good. */
bool device_enter_at_exit(void);
/* A kernel failed: from now on every call returns `error`. */
void device_fail(int error);

/* One line on stderr, "vflow emulator: ...". */
void device_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The calling thread's current context (primary: the address of an object of its own). */
struct emulator_context *context_current(void);
struct emulator_context *context_primary(void);
void context_make_current(struct emulator_context *context);

/* copy.c, under the lock: a copy that no capture sees. */
int copy_now(const char *name, int64_t stream, const struct emulator_copy *what);

/* Under the lock: drop what belongs to a context; NULL: everything. */
void allocations_release(const char *name, const struct emulator_context *context);
void arrays_release(void);
void graphs_release(void);
void modules_release(const struct emulator_context *context);
void streams_release(void);

/* print.c: what device code prints waits for the program's next synchronization. */
void print_add(const char *text, size_t size);
void print_flush(void);

/* The observer's number of a stream, or -1: no such stream. */
int64_t stream_number(const void *stream);

#endif
