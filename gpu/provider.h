/*
 * gpu/provider.h: where GPU events come from.
 *
 * A provider (gpu/emulator, gpu/sanitizer) watches the GPU APIs of the process it lives in and
 * tells a sink (collect/guest) what happened.  Same program, same events on every provider.
 *
 * For one API invocation the provider calls, in this order:
 *     begin -> [object | released ...] -> end      when the call succeeded
 *     begin -> abandon                             when it returned an error
 * and after `end`, `record` for each fact about the call, before the next `end`.  A call may begin
 * before earlier ones end; those of one device end in the order in which they began, but for the
 * alloc of a module global, which may begin and end inside another call. Events of one process are
 * delivered one at a time (the provider holds its own lock), in the order in which each device sees
 * them.
 *
 * A leaf: includes nothing of vflow's but the lists of records and metrics.
 */
#ifndef VFLOW_GPU_PROVIDER_H
#define VFLOW_GPU_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/records.h"

#define GPU_PROVIDER_VERSION 17

enum gpu_api {
	GPU_ALLOC = 1,
	GPU_FREE,
	GPU_COPY,
	GPU_SET,
	GPU_KERNEL,
	GPU_SYNC, /* an explicit call that waits: cu/cudaStreamSynchronize() and the like */
};

/* What an access row says of the API j that the row belongs to, and the last writer i. */
enum gpu_access {
	GPU_READ = 1,  /* j read bytes last written by i */
	GPU_WRITE,     /* j wrote bytes last written by i */
	GPU_FROM_HOST, /* j took bytes from the host into the object (edge host -> j); no writer */
	GPU_TO_HOST,   /* j gave bytes of the object to the host (edge j -> host); no writer */
};

/* Writers are context ids that the sink gave out in begin(), or one of these. */
#define GPU_WRITER_HOST 0u
#define GPU_WRITER_UNKNOWN UINT32_MAX

/*
 * A node of a CUDA graph that a launch of the graph runs: an operation of its own, known by where
 * it was captured or added, and by where the graph was launched.
 */
struct gpu_node {
	uint32_t path;        /* from path(), when the node was captured or added; 0: not known */
	uint32_t launch_path; /* from path(), when the graph is launched */
	uint32_t ordinal;     /* among equal nodes of its graph: see gpu/analysis/node_ordinals.h */
};

#define GPU_HOST_ANYWHERE UINT64_MAX

/* One API invocation.  The provider owns it from begin() to end() or abandon(). */
struct gpu_call {
	/* set by the provider before begin() */
	enum gpu_api api;
	const char *name; /* outermost public entry ("cudaMemcpy"); for kernels the mangled name */
	uint32_t device;
	uint32_t stream; /* small number; 0 is the default stream */
	bool no_path;    /* not called by the program itself (a module global's alloc) */
	const struct gpu_node
		*node; /* of a graph that was launched, until begin() returns, or NULL */
	/* Of a copy from the device to memory of the host: from the first byte to the last that it
	 * writes there; 0 bytes: it writes none, or the provider has no returned();
	 * GPU_HOST_ANYWHERE: the provider does not say where. */
	uint64_t host_address, host_bytes;
	/* Of a copy to the device that may read pinned memory of the host when its call is over:
	 * all bytes side by side that it reads.  source_bytes 0: it does not, or the provider does
	 * not say; source_address 0: they do not lie side by side. */
	uint64_t source_address, source_bytes;
	/* set by the provider before end() */
	uint64_t end_ns; /* when the call was over, on the provider's clock; 0: now */
	/* set by begin() */
	uint32_t context; /* id of (kind, name, call path): never 0, never GPU_WRITER_UNKNOWN */
	uint32_t thread;
	uint64_t start_ns;
	uint64_t invocation; /* 0, 1, ... of the context, if those before it have succeeded */
	uint32_t range;      /* NVTX range that the thread is in; 0: none */
};

enum gpu_memory {
	GPU_MEMORY_DEVICE = 1,
	GPU_MEMORY_MANAGED,
	GPU_MEMORY_MAPPED_HOST,
	GPU_MEMORY_GLOBAL, /* a module's __device__ or __constant__ variable */
	GPU_MEMORY_ARRAY,
};

struct gpu_object {
	uint64_t address;
	uint64_t size;
	uint32_t device;
	enum gpu_memory memory;
	const char *name; /* of a global, else NULL */
	bool managed;     /* a global that is declared __managed__: the host uses it, too */
};

/*
 * One row of an access summary: bytes of `object` that the API touched, grouped by their last
 * writer before the API.  At most one row per (object, writer, access).  Byte counts are
 * distinct bytes of this invocation.
 */
struct gpu_row {
	uint32_t object; /* id from object() */
	uint32_t writer;
	enum gpu_access access;
	uint64_t bytes;
#define ROW_METRIC(member, FLAG, access, aggregate) uint64_t member;
#include "gpu/rows.def"
};

enum gpu_metric { /* in the order of a row */
#define ROW_METRIC(member, FLAG, access, aggregate) GPU_METRIC_##FLAG,
#include "gpu/rows.def"
		  GPU_METRICS
};

/* The rows that have a metric, by its access in gpu/rows.def: bits 1 << enum gpu_access. */
#define GPU_ROWS_READ (1u << GPU_READ)
#define GPU_ROWS_WRITE (1u << GPU_WRITE)
#define GPU_ROWS_BOTH (GPU_ROWS_READ | GPU_ROWS_WRITE)

/* By what means the program may know that operations are over; reached() of gpu_sink. */
enum gpu_reach {
	GPU_REACH_STREAMS, /* streams are in order: a wait for one may be for others, too */
	GPU_REACH_HOST,    /* it has asked, or a host function or a word of memory tells it */
};

/* A fact about a call, or about an object after it. */
struct gpu_record {
	uint32_t kind;       /* enum gpu_record_kind */
	uint32_t object;     /* id from object(); 0: the fact is of the call as a whole */
	const void *payload; /* the struct of the kind; the sink copies it */
	size_t size;         /* at most GPU_RECORD_MAX: larger ones are left out */
};

struct gpu_sink {
	/*
	 * Whether a launch of this kernel (mangled name), which the calling thread is about to make
	 * and for which it will call begin(), with this node or NULL, is to be analysed.  If not,
	 * the kernel should run at native speed; the launch is delivered without rows, and what it
	 * may have written (gpu/analysis/may_write.h) is unknown from then on.  The sink says so in
	 * coverage. NULL: all are.
	 */
	bool (*wanted)(const char *kernel, const struct gpu_node *node);
	/*
	 * The number of the calling thread's call path, for struct gpu_node and struct gpu_code; 0:
	 * there is none.  Once for a node, for a launch of a graph, and for a module.
	 */
	uint32_t (*path)(void);
	void (*begin)(struct gpu_call *call);
	void (*end)(const struct gpu_call *call, const struct gpu_row *rows, size_t count);
	void (*abandon)(const struct gpu_call *call);
	/* A new object made by the running call (its site).  Returns its id: never 0. */
	uint32_t (*object)(const struct gpu_call *call, const struct gpu_object *object);
	/*
	 * The call has waited for the device, and the program goes on next on this thread: said of
	 * GPU_SYNC and of copies to the host that are over, after begin() and after what the
	 * provider itself does in the program's memory.  NULL: nobody wants to know.
	 */
	void (*returned)(const struct gpu_call *call);
	/*
	 * The host touched managed memory that the device had: when, on the provider's clock, and
	 * the instruction (0: not known).  May come at any time, and in any order.
	 */
	void (*touched)(uint64_t ns, uintptr_t instruction);
	/* The calling thread's call has succeeded, after which this is so of all operations before.
	 * NULL: nobody wants to know. */
	void (*reached)(enum gpu_reach how);
	/* The running call freed the object. */
	void (*released)(const struct gpu_call *call, uint32_t object);
	/*
	 * A fact of `call`, the last one that ended; NULL: of no call, found out after that one,
	 * and of no object: such a fact may come at any time.
	 * The object lives, or this call has released it: what the call did to it, or how it
	 * was left, can still be said until the next `end`.
	 */
	void (*record)(const struct gpu_call *call, const struct gpu_record *record);
	/*
	 * Something was not seen, skipped or approximated.  `id` is a row of coverage.def
	 * (enum coverage_id), `detail` what its text has a place for, or NULL: it may be any text.
	 * Equal pairs add up.
	 */
	void (*coverage)(uint32_t id, const char *detail, uint64_t count, uint64_t bytes);
	/*
	 * A call of the program has returned this error (gpu/errors.def) and returns on this thread
	 * next: any function, whether or not it has events.  `name`: the outermost public entry, as
	 * the driver spells it (cuMemAlloc_v2).  May come at any time; the sink knows which errors
	 * nobody wants to read of.
	 */
	void (*failed)(const char *name, uint32_t error);
};

struct gpu_options {
	bool digests;  /* deliver GPU_RECORD_CONTENT and GPU_RECORD_TRANSFER */
	bool accesses; /* ... GPU_RECORD_ACCESSED, SLICE and FREQUENCY: pass `access` */
	/* ... GPU_RECORD_VALUES and what belongs to it, of every so manyth block of launches: pass
	   `values`; 0: not */
	uint64_t value_blocks;
	uint64_t memory_limit; /* bytes of all shadows on the device; 0: none */
};

/* Which touches of managed memory by the host a provider tells of (touched() of gpu_sink). */
enum gpu_touches {
	GPU_TOUCHES_NONE,
	GPU_TOUCHES_SOME, /* pages may have come back to the host before */
	GPU_TOUCHES_ALL,  /* the first of each page, after the device had it */
};

struct gpu_provider {
	uint32_t version;        /* GPU_PROVIDER_VERSION */
	const char *name;        /* "emulated", "gpu" */
	const char *device_name; /* of device 0, for the profile */
	/* Its rows have so many metrics, the first of gpu/rows.def; what is in the others is not
	   looked at.  GPU_METRICS: all. */
	uint32_t metrics;
	/* In ns; all times of a process are on it.  NULL: CLOCK_MONOTONIC. */
	uint64_t (*clock)(void);
	/*
	 * The time on that clock that holds for all threads, taken without a lock or memory of the
	 * calling thread, which need not be one of the program's; 0: each thread has its own.
	 * NULL: CLOCK_MONOTONIC.
	 */
	uint64_t (*common_clock)(void);
	/* So far; NULL: managed memory can be watched as other memory of the host. */
	enum gpu_touches (*touches)(void);
	/* The sink outlives the provider.  Returns 0, or -1: nothing will be delivered. */
	int (*start)(const struct gpu_sink *sink, const struct gpu_options *options);
	/* No event is delivered after stop() returns. */
	void (*stop)(void);
	const char *failure; /* after start() has failed: why, and what to do; may be NULL */
};

/*
 * A provider in a library of its own: where the guest gets it when the CUDA driver loads the guest
 * (CUDA_INJECTION64_PATH).  VFLOW_PROVIDER names the library.
 */
typedef const struct gpu_provider *gpu_provider_get(void);
#define GPU_PROVIDER_GET "vflow_gpu_provider"

/*
 * The guest library's entry: vflow_guest_start() takes the provider of the process it was
 * loaded into.  Returns 0, or -1 when the guest could not start (it has said why on stderr);
 * the program then runs unobserved.
 */
typedef int gpu_guest_start(const struct gpu_provider *provider);
#define GPU_GUEST_START "vflow_guest_start"

/*
 * The file in the folder with the traces in which a device that is preloaded names programs that
 * were started without it, a line "PID NAME" each; "PID " takes one back.
 */
#define GPU_UNREACHED_FILE "unreached"

#endif
