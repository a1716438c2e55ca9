/*
 * gpu/emulator/device/observe.h: the one gate through which every API reaches the sink.
 *
 * Without a guest each function is one test of a flag and nothing has a shadow.  The device
 * lock is held.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_H
#define VFLOW_GPU_EMULATOR_DEVICE_OBSERVE_H

#include "collect/coverage/coverage.h"
#include "gpu/analysis/transfer.h"
#include "gpu/emulator/device/clock.h"
#include "gpu/emulator/state/memory.h"
#include "gpu/provider.h"

/*
 * Loads the guest that VFLOW_GUEST names.  Without the device lock: dlopen() waits for the
 * constructors of libraries that other threads load, and those may wait for the device.
 */
void observe_load(void);
/* Starts the guest that is loaded; once per process, at the first initialisation. */
void observe_start(void);
bool observe_active(void);

/* The calling thread's call path; that of the running node, if there is one.  0: there is none. */
uint32_t observe_path(void);
/*
 * What the calling thread does is done by this node of a graph, until it is called with NULL.
 * Needs no lock.
 */
void observe_node(const struct gpu_node *node);

/* `stream` as from stream_number(). */
void observe_begin(struct gpu_call *call, enum gpu_api api, const char *name, int64_t stream);
/* The same of a copy that writes these bytes of the host's memory. */
void observe_begin_download(struct gpu_call *call, const char *name, int64_t stream,
			    uint64_t address, uint64_t bytes);
/* The same of a copy to the device that may read these bytes later; address 0: they lie apart. */
void observe_begin_upload(struct gpu_call *call, const char *name, int64_t stream, uint64_t address,
			  uint64_t bytes);
/* See gpu_sink. */
void observe_reached(enum gpu_reach how);
/* The program goes on: the call has waited for the device. */
void observe_returned(const struct gpu_call *call);
/* What the running call gives the device to do. */
void observe_work(const struct clock_work *work);
/* Settles the shadows and delivers rows, digests and times. */
void observe_end(struct gpu_call *call);
/* After observe_end() of a copy to the host: its memory held all of the bytes before. */
void observe_received(const struct gpu_call *call, const struct allocation *allocation);
/*
 * After observe_end() of a copy from or to the host: of these bytes of the allocation, or of rows
 * that do not lie side by side.  host: where the first one lies there.
 */
void observe_transfer(const struct gpu_call *call, const struct allocation *allocation,
		      const struct transfer_box *box, bool from_host, uint64_t host);

/* The running call made or freed the allocation. */
void observe_allocated(const struct gpu_call *call, struct allocation *allocation);
void observe_released(const struct gpu_call *call, struct allocation *allocation);

/*
 * A module's variable was loaded: it gets a shadow, but its alloc vertex waits for the first
 * API that touches it.  observe_known() announces that one, before that API begins.
 */
void observe_variable(struct allocation *allocation, const char *name);
void observe_known(struct allocation *allocation);
/* A module goes: its variable is forgotten, announced or not. */
/* How many variables of a module are __constant__: what kernels read of them is not seen. */
void observe_constants(uint32_t count);
void observe_variable_gone(struct allocation *allocation);

/* A managed variable, which no kernel has touched yet: the host writes there unseen. */
void observe_variable_shared(struct allocation *allocation);

/* The running API touches these bytes of the allocation. */
void observe_touch(struct allocation *allocation, uint64_t address, uint64_t size,
		   enum gpu_access access);
void observe_copy(struct allocation *to, uint64_t to_address, struct allocation *from,
		  uint64_t from_address, uint64_t size);

/*
 * Somebody can read the allocation unseen from now on (a texture), or may have done so
 * (observe_seen, between calls, or after one ended): nothing that was written there is unread any
 * more.
 */
void observe_exposed(struct allocation *allocation);
void observe_seen(struct allocation *allocation);

/* Something that is not seen may have written there. */
void observe_forget(struct allocation *allocation);
/* A part of it has got other memory, or lost it. */
void observe_replaced(struct allocation *allocation, uint64_t offset, uint64_t size);

/* Whether the launch that is about to be made is to be analysed (see gpu_sink). */
bool observe_wanted(const char *kernel);
/*
 * The running launch was not analysed: forgets what it may have written, but for its module's
 * variables, and that anything was unread.
 */
void observe_unanalysed(const char *kernel, const void *parameters, size_t size);

/*
 * A kernel runs before its call begins: only then is it known which variables it touches, and
 * their alloc vertices come before it.  Announces them; `start_ns` is when the kernel began.
 */
void observe_begin_kernel(struct gpu_call *call, const char *name, int64_t stream,
			  uint64_t start_ns);
/* A kernel that failed leaves nothing. */
void observe_drop(void);

/* An entry returns an error.  Needs no lock. */
void observe_failed(const char *name, uint32_t error);

/* See gpu_sink. */
void observe_coverage(uint32_t id, const char *detail, uint64_t count, uint64_t bytes);

#endif
