/*
 * collect/guest/guest.h: what the files of the guest library share.
 *
 * The guest lives in somebody else's process: it never ends it, prints nothing but one line on
 * stderr when it gives up, and changes no signal disposition, but for those of signals that nobody
 * uses in a run of the pass `use`.  Everything here is called with the guest's lock held unless it
 * says otherwise.
 */
#ifndef VFLOW_COLLECT_GUEST_GUEST_H
#define VFLOW_COLLECT_GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/coverage/coverage.h"
#include "collect/trace.h"
#include "gpu/provider.h"
#include "util/error.h"

/* -- guest.c: start, end, giving up ------------------------------------------------------- */

/* Appends to the trace.  When that fails the guest switches itself off and says why. */
int guest_append(struct trace_record *record, size_t size);

/*
 * Takes the lock, without which nobody else is called.  *frame: the innermost node of the caller's
 * call path, or 0; NULL: not asked for.  False: the guest does not run, and the lock is not held.
 */
bool guest_enter(uint32_t *frame);
void guest_leave(void);

/* Writes a fact; `call` as in gpu_sink. */
void guest_record(const struct gpu_call *call, const struct gpu_record *record);

/* The entry that a provider calls (or inject.c for it). */
gpu_guest_start vflow_guest_start;

/* Says why in one line on stderr and switches the guest off; the program runs on. */
void guest_give_up(const char *why);

/* -- memory.c ----------------------------------------------------------------------------- */

/*
 * Room for one more element in a growing array (doubling).  Returns the array, perhaps moved, or
 * NULL when there is no memory: then the old array is as it was.
 */
void *guest_reserve(void *array, uint32_t count, uint32_t *capacity, size_t size);

struct table_slot {
	uint32_t hash, id;
};

/* A hash table from hashes to ids > 0; what the ids mean is the caller's.  Zeroed = empty. */
struct table {
	struct table_slot *slots;
	uint32_t count, capacity; /* capacity: 0 or a power of two */
};

/*
 * The next id stored under `hash`, or 0.  *position starts at 0; the caller compares what the id
 * stands for and calls again when it is another.
 */
uint32_t table_find(const struct table *table, uint32_t hash, uint32_t *position);
int table_add(struct table *table, uint32_t hash, uint32_t id);
uint32_t table_hash(uint32_t hash, const void *bytes, size_t size);

/* -- modules.c: which ELF file an address belongs to -------------------------------------- */

struct module_range { /* the code of a loaded file */
	uintptr_t start, end;
	uintptr_t bias;
	uint32_t module; /* id in the trace; 0: not described yet */
	bool hidden;     /* libc, ld.so, the CUDA libraries, provider, guest: not in call paths */
	bool runtime;    /* libc or ld.so: what starts threads and calls main */
	char *path;      /* NULL: the program itself */
	unsigned char build_id[TRACE_BUILD_ID_MAX];
	uint32_t build_id_size;
};

/* Takes note of what is loaded, if that has changed.  Cheap if not.  Returns 0 or -1. */
int modules_refresh(const struct gpu_provider *provider);
/* How often the loaded files were seen to change: at least once. */
uint64_t modules_changes(void);
/* NULL: the address is in no loaded file. */
struct module_range *modules_find(uintptr_t address);
/* The id of its MODULE record, which is written when it is not yet; 0 on failure. */
uint32_t modules_id(struct module_range *range);
/* Whether the address lies in the code that the kernel jumps to at the start (`_start`). */
bool modules_is_entry(uintptr_t address);

/* -- unwinder.c ---------------------------------------------------------------------------- */

/* Whether the page of this address can be read now.  Keeps errno no better than a system call. */
bool unwinder_can_read(uintptr_t address);

/* -- python.c: the frames of Python ---------------------------------------------------------- */

/*
 * Looks for CPython among the symbols that the file exports; under the loader's lock, as it asks
 * the file's memory.  `dynamic`: its dynamic section.
 */
void python_find(uintptr_t bias, const void *dynamic);
/* The loaded files have changed: look again. */
void python_forget(void);
/* Whether an interpreter was found. */
bool python_runs(void);
/* Whether the address is in the interpreter's loop, each native frame of which runs a few frames of
 * Python. */
bool python_is_eval(uintptr_t address);
/* Whether the file is the interpreter's: its frames are left out where there are Python's. */
bool python_is_interpreter(const struct module_range *range);
#define PYTHON_CALL UINT32_MAX
/*
 * The places of the thread's Python frames, innermost first, and after those of each call of the
 * interpreter's loop PYTHON_CALL.  `calls`: of how many the stack has frames.  Returns how many
 * there are with those; 0: none, or they could not be read, which coverage says.
 */
uint32_t python_frames(uint32_t *into, uint32_t room, uint32_t calls);

/* -- paths.c: call paths and contexts ----------------------------------------------------- */

/* The innermost node of the caller's call path; UINT32_MAX on failure.  0: no frame. */
uint32_t paths_here(const struct gpu_provider *provider);
/*
 * The innermost node of the call path of a CUDA graph's node: where the graph was launched, and
 * inside of that where the node was added.  UINT32_MAX on failure.
 */
uint32_t paths_node(const struct gpu_node *node);
/*
 * The same of addresses of code, innermost first, that of an instruction and those of calls. *cuda:
 * whether that instruction is of CUDA or of a function that CUDA called.
 */
uint32_t paths_of(const struct gpu_provider *provider, const uintptr_t *code, uint32_t count,
		  bool *cuda);
/* The id of (kind, name, frame, ordinal); 0 on failure.  `ordinal`: of a graph's node, else 0. */
uint32_t paths_context(enum gpu_api kind, const char *name, uint32_t frame, uint32_t ordinal);
/* How often the context was seen before; counts this one. */
uint64_t paths_invocation(uint32_t context);
/* How many calls of the context have begun before and were not abandoned; counts this one. */
uint64_t paths_begin(uint32_t context);
void paths_abandon(uint32_t context);
/*
 * The same for a context that was asked about where a launch is decided, which may lie deeper in a
 * CUDA runtime that is part of the program than where it is recorded.
 */
uint64_t paths_launch(uint32_t context);

/* -- path_cache.c: call paths by return addresses ------------------------------------------ */

struct found_path {
	uint32_t node;    /* the innermost of the tree of frames; 0: no frame */
	uint32_t outside; /* frames that are in no loaded file */
	bool whole;       /* it reached what called main or started the thread */
};

/* The path of these return addresses, after modules_refresh(); NULL: it is not kept. */
const struct found_path *path_cache_find(void *const *addresses, uint32_t depth);
void path_cache_keep(void *const *addresses, uint32_t depth, const struct found_path *path);

/* -- choice.c: which launches are analysed ------------------------------------------------ */

/* Reads the environment.  Returns 0, or -1: it makes no sense. */
int choice_start(struct error *error);
/* Whether some launches may be left out. */
bool choice_is_made(void);
/* See gpu_sink. */
bool choice_wanted(const char *kernel, const struct gpu_node *node,
		   const struct gpu_provider *provider);

/* -- uses.c: pass `use`, the first use of what waits give to the host ---------------------- */

/* Reads the environment.  Returns whether there is something to watch for. */
bool uses_start(const struct gpu_provider *provider);
/* A call has begun, or was abandoned. */
void uses_begin(const struct gpu_call *call);
void uses_abandon(const struct gpu_call *call);
/* An object was made, or is gone. */
void uses_object(uint32_t id, const struct gpu_object *object);
void uses_released(uint32_t id);
/* See gpu_sink. */
void uses_returned(const struct gpu_call *call);
void uses_touched(uint64_t ns, uintptr_t instruction);
void uses_reached(enum gpu_reach how);
/* For sources.c: begins to watch at the first call; whether memory can be watched. */
bool uses_can_watch(void);
/* Whether this invocation of a context is one of those that are watched. */
bool uses_is_sampled(uint64_t invocation);
/* Whether it lies on the calling thread's stack, which the watcher has to read. */
bool uses_is_on_stack(uint64_t address);
/* 0 where each thread has its own time: what is used then is used at once, for all that is known.
 */
uint64_t uses_now_ns(void);
/* Says what is known, and watches nothing any more; `cut`: the program goes on. */
void uses_end(bool cut);

/* -- pools.c: blocks of memory pools --------------------------------------------------------- */

/* `frame`: innermost of the call path, or 0; the others as of GPU_RECORD_POOL_BLOCK. */
void pools_block(const char *pool, uint64_t address, uint64_t bytes, uint64_t total,
		 uint32_t frame);
/* The program calls the block so; empty: it has no name. */
void pools_name(const char *pool, uint64_t address, const char *name);
/* There is such a pool, before it has blocks. */
void pools_announce(const char *pool);
/* As pools_block() of the caller, without the lock. */
void guest_pool_block(const char *pool, uint64_t address, uint64_t bytes, uint64_t total);

/* -- torch.c: PyTorch's caching allocator ----------------------------------------------------- */

struct dl_phdr_info;
/* Follows the allocator if this is the file that has it; under the loader's lock. */
void torch_find(const struct dl_phdr_info *info);

/* -- coverage.c --------------------------------------------------------------------------- */

/* See gpu_sink. */
void coverage_add(uint32_t id, const char *detail, uint64_t count, uint64_t bytes);
/* Writes every sum that has changed since it was last written. */
void coverage_write(void);

/* -- failures.c --------------------------------------------------------------------------- */

/* Whether programs ask for this error, so that nobody wants to read of it.  Needs no lock. */
bool failures_is_expected(const char *name, uint32_t error);
/* See gpu_sink; `frame`: the innermost of the call's path, from paths_here(). */
void failures_add(const char *name, uint32_t error, uint32_t frame);
/* Writes every sum that has changed since it was last written. */
void failures_write(void);

#endif
