/*
 * gpu/emulator/interpreter/warp.h: a running warp, as its executors see it.
 *
 * Lanes that run together form a group: same function frame, same pc.  The group that runs is
 * spread over the warp's first fields; the others wait in `groups`.  An executor works on the
 * lanes in `mask`; it leaves the loop of the warp by warp_leave().
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_WARP_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_WARP_H

#ifdef INTERPRETER_AVX2
#include "gpu/emulator/interpreter/avx2.h"
#endif
#include "collect/coverage/coverage.h"
#include "gpu/analysis/shadow.h"
#include "gpu/analysis/values.h"
#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/emulator/state/memory.h"
#include "gpu/provider.h"
#include "gpu/ptx/instruction.h"

#define WARP_ALL 0xffffffffu
#define ALLOCATION_CACHE 64u
#define BARRIERS 16u
#define BARRIER_CLUSTER BARRIERS

enum group_state { GROUP_READY, GROUP_AT_SYNC, GROUP_AT_BARRIER };

struct group {
	uint32_t mask, pc, depth;
	uint32_t register_base, predicate_base, frame_base;
	uint32_t dynamic; /* bytes of alloca behind the frame: the most that a lane has */
	const struct ptx_function *function;
	enum group_state state;
	uint32_t barrier;  /* GROUP_AT_BARRIER: its number */
	uint32_t required; /* GROUP_AT_SYNC: the lanes it waits for */
	uint64_t last_run; /* turn in which it last ran */
};

/* Where lanes return to; one per depth. */
struct link {
	uint32_t pc[PTX_LANES], register_base[PTX_LANES], predicate_base[PTX_LANES],
		frame_base[PTX_LANES], dynamic[PTX_LANES];
	const struct ptx_function *function[PTX_LANES];
};

enum warp_event {
	WARP_RUNS,
	WARP_RESCHEDULE, /* another group may be due */
	WARP_GROUP_GONE, /* the running group has ended or waits: it is in no list */
	WARP_FAULT,
};

struct warp {
	uint64_t *bank[4];    /* by enum ptx_bank */
	uint32_t *predicates; /* of the running frame */
	uint32_t mask;        /* lanes that execute the instruction */
	uint32_t active;      /* lanes of the running group */
	uint32_t pc, limit;   /* the group runs while pc < limit */
	uint32_t carry;       /* lane mask: the flag of add.cc */
	uint32_t turns;       /* backward branches until others get a turn */
	uint64_t clock;

	struct block *block;
	const struct ptx_module *module;
	enum warp_event event;
	struct group now; /* the rest of the running group; mask and pc are stale */
	struct group groups[PTX_LANES];
	uint32_t group_count;
	uint32_t live; /* lanes that have not exited */
	uint64_t turn;
	bool held;   /* the only group is in `now`, not in `groups`: it is ready, or at a barrier */
	bool rotate; /* the next turn is for the group that waits longest */
	uint32_t
		keeps; /* and so many picks on, or until it waits or ends, with who parts from it */

	uint64_t *registers;
	uint32_t *predicate_file;
	uint8_t *local; /* 32 x local_stride */
	size_t register_rows, predicate_rows, local_stride;
	struct link *links;
	uint32_t link_count;
	uint64_t special[PTX_SPECIAL_COUNT][PTX_LANES];
	uint64_t sink[PTX_LANES];
	bool force_sync; /* lanes that are waited for will not come: go on without them */
};

struct barrier {
	uint32_t arrived[32]; /* lanes of each warp that arrived */
	uint32_t expected;    /* threads; 0: all that are alive */
	bool all, any;        /* bar.red */
	uint32_t count;
	bool used;
};

struct block {
	const struct launch *launch;
	struct worker *worker; /* the host thread that runs it, interpreter.c */
	bool helped;           /* others run blocks of the launch at the same time */
	struct fault *fault;
	uint8_t *shared;
	uint32_t shared_bytes;
	uint32_t index[3];
	struct warp *warps;
	uint32_t warp_count;
	struct barrier barriers[BARRIERS];
	uint64_t clock; /* instructions of the launch until this warp's turn */
	bool reads_textures, stores_surfaces;
	uint32_t turns;
	struct matrices *matrices; /* of interpreter/matrix.c; freed with the block */
	struct race_cell *races; /* of each byte of shared memory; NULL: races are not looked for */
	uint32_t time;           /* points at which threads may have waited for each other */
	bool raced;              /* and one was reported */
	/* the allocation that an instruction met last: most meet one only */
	struct allocation *cache[ALLOCATION_CACHE];
	bool wide; /* executors are those built for AVX2 */
	bool look; /* threads arrived at barriers or ended: see whether one is complete */
	struct block *cluster; /* its blocks, one after the other */
	uint32_t cluster_size, rank;
	/* barrier.cluster: lanes of each warp that arrived, and that may pass the next wait */
	uint32_t cluster_arrived[32], cluster_passed[32];
	bool alive; /* some of its threads have not ended */
	struct values
		*values;   /* looks at the values that are loaded and stored; NULL: nobody does */
	struct block *all; /* the blocks that are resident together */
	uint32_t resident;
};

static inline uint64_t *warp_row(const struct warp *warp, uint32_t operand)
{
	return warp->bank[operand >> 30] + (size_t)(operand & 0x3fffffff) * PTX_LANES;
}

/* The lane mask of a predicate operand, negation applied. */
static inline uint32_t warp_predicate(const struct warp *warp, uint32_t operand)
{
	uint32_t value = warp->predicates[operand & ~PTX_NEGATED];

	return operand & PTX_NEGATED ? ~value : value;
}

static inline void warp_set_predicate(struct warp *warp, uint32_t operand, uint32_t value)
{
	uint32_t *predicate = &warp->predicates[operand];

	*predicate = (*predicate & ~warp->mask) | (value & warp->mask);
}

/* Rows are the same row or do not overlap: loops over lanes may be turned into vectors. */
#ifdef __clang__
#define LANE_PRAGMA
#else
#define LANE_PRAGMA _Pragma("GCC ivdep")
#endif

/* Runs the statements for each lane `l` in `warp->mask`. */
#define FOR_LANES(warp, ...)                                                                       \
	do {                                                                                       \
		if ((warp)->mask == WARP_ALL) {                                                    \
			LANE_PRAGMA                                                                \
			for (unsigned l = 0; l < PTX_LANES; l++) {                                 \
				__VA_ARGS__                                                        \
			}                                                                          \
		} else {                                                                           \
			for (uint32_t m_ = (warp)->mask; m_; m_ &= m_ - 1) {                       \
				unsigned l = (unsigned)__builtin_ctz(m_);                          \
				__VA_ARGS__                                                        \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* Executors that struct ptx_machine names. */
extern ptx_executor execute_unsupported, execute_ret, execute_ld_parameter, execute_mov_predicate,
	execute_mov_explicit_cluster, execute_mov_pack, execute_mov_unpack, execute_mov_wide,
	execute_mov_frame, execute_mov_clock;

/* Ends the loop of the warp after this instruction. */
static inline void warp_leave(struct warp *warp, enum warp_event event)
{
	warp->event = event;
	warp->limit = 0;
}

/*
 * interpreter/fault.c: fills the launch's fault for the first lane of `lanes` at the running
 * instruction.  `format` says what happened; kernel and place are put before it.  warp_place():
 * where an instruction is, in the source or in the PTX.
 */
size_t warp_place(const struct warp *warp, uint32_t pc, char *text, size_t room); /* "file:12" */
void warp_fault(struct warp *warp, uint32_t lanes, enum fault_kind kind, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * interpreter/address.c: the host addresses of a memory operand of `size` bytes for the lanes in
 * warp->mask; marks global bytes in the shadow (read, write).  False: a fault is set.
 */
bool warp_resolve(struct warp *warp, const struct ptx_instruction *i, unsigned size, bool read,
		  bool write, uint8_t *pointers[PTX_LANES]);

/* The same for addresses that the executor worked out; the space is the instruction's. */
bool warp_resolve_at(struct warp *warp, const struct ptx_instruction *i,
		     const uint64_t addresses[PTX_LANES], unsigned size, bool read, bool write,
		     uint8_t *pointers[PTX_LANES]);
/* The addresses of a memory operand. */
void warp_addresses(const struct warp *warp, const struct ptx_instruction *i,
		    uint64_t addresses[PTX_LANES]);

/* Marks bytes of an allocation that has a shadow, and the size of an access (values.h). */
static inline void warp_touch(const struct warp *warp, const struct allocation *allocation,
			      uint64_t offset, uint64_t size, unsigned access, bool read,
			      bool write)
{
	const unsigned kind = (read ? VALUES_LOAD : 0) | (write ? VALUES_STORE : 0);
	void (*touch)(struct shadow_object *, uint64_t, uint64_t, enum gpu_access) =
		warp->block->helped ? shadow_touch_together : shadow_touch;

	shadow_sizes(allocation->shadow, values_sizes(kind, access));
	if (read) {
		shadow_load(allocation->shadow, offset, size, access);
		touch(allocation->shadow, offset, size, GPU_READ);
	}
	if (write)
		touch(allocation->shadow, offset, size, GPU_WRITE);
}

/* interpreter/address.c: marks the lanes' `size` bytes, in runs of those that lie side by side. */
void warp_touch_lanes(const struct warp *warp, const struct allocation *allocation,
		      const uint64_t offsets[PTX_LANES], unsigned size, bool read, bool write);

/* The same file: counts an access of so many bytes of each lane (shadow_count()). */
void warp_count_lanes(const struct warp *warp, const struct allocation *allocation,
		      const uint64_t offsets[PTX_LANES], unsigned size);

static inline struct allocation **warp_cached(const struct warp *warp,
					      const struct ptx_instruction *i)
{
	return &warp->block->cache[(size_t)(i - warp->module->code) % ALLOCATION_CACHE];
}

/*
 * interpreter/address.c: the host address of `size` bytes from an address of that space on
 * (PTX_MOD_GLOBAL, PTX_MOD_SHARED, PTX_MODIFIER_COUNT: generic), for one lane; marks global bytes.
 * NULL: a fault is set.
 */
uint8_t *warp_resolve_range(struct warp *warp, unsigned lane, enum ptx_modifier space,
			    uint64_t address, uint64_t size, bool read, bool write);

/*
 * interpreter/address.c: what a generic address of a lane points to, with *room bytes from there
 * on.  NULL: nothing of the device's.
 */
uint8_t *warp_generic(struct warp *warp, unsigned lane, uint64_t address, uint64_t *room);

/* interpreter/race.c: whether to look for races.  False: no memory.  An access, checked. */
bool races_wanted(const struct launch *launch);
bool race_start(struct block *block);
void race_access(struct warp *warp, uint64_t offset, unsigned size, bool read, bool write);

/* interpreter/builtin.c: printf, malloc, free and assert of device code. */
void warp_call_builtin(struct warp *warp, const struct ptx_call *call, enum ptx_builtin builtin);
/* What the lane passes; 0: nothing. */
uint64_t warp_argument(const struct warp *warp, const struct ptx_call *call, unsigned number,
		       unsigned lane);
/* Memory of the device's heap, which is not followed: `why` says so.  NULL: none is left. */
struct allocation *warp_heap_allocate(const struct warp *warp, uint64_t size, uint64_t alignment,
				      enum coverage_id why);
/* interpreter/nested.c: what one of PTX_BUILTIN_NESTED... gives the lane. */
uint64_t warp_call_device_runtime(struct warp *warp, const struct ptx_call *call,
				  enum ptx_builtin builtin, unsigned lane);

/* interpreter/groups.c */
void warp_set_limit(struct warp *warp);
void warp_enter_frame(struct warp *warp);
bool warp_pick(struct warp *warp); /* takes the group that is due; false: none is ready */
/* Adds a group to those that wait; groups that meet at a pc become one. */
void warp_insert(struct warp *warp, struct group group);
void warp_store(struct warp *warp); /* puts the running group among the others */
bool warp_make_room(struct warp *warp, const struct ptx_function *callee);
/* Room for so many bytes of local memory in all.  False: a fault is set. */
bool warp_make_local(struct warp *warp, uint64_t bytes);
/*
 * Whether the lanes that `required` names are all here; if not, the group waits at this
 * instruction and runs it again later.
 */
bool warp_gathered(struct warp *warp, uint32_t required);

/* interpreter/barrier.c: the running lanes wait there; those that the guard switched off go on. */
void warp_wait(struct warp *warp, uint32_t barrier);
/* Lets go the lanes that wait there; which they were. */
uint32_t warp_release(struct warp *warp, uint32_t barrier);
/* interpreter/cluster.c: as block_check_barriers(), for the barrier of the block's cluster */
bool block_check_cluster(struct block *block);
/* interpreter/barrier.c: lets go the lanes at barriers that are complete.  Whether there were any.
 */
bool block_check_barriers(struct block *block);

#endif
