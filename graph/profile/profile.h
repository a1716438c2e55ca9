/*
 * graph/profile/profile.h: what vflow.db holds (SQLite; profile.md is the description for people).
 */
#ifndef VFLOW_GRAPH_PROFILE_PROFILE_H
#define VFLOW_GRAPH_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/coverage/coverage.h"
#include "graph/graph.h"
#include "util/error.h"

/* SQLite's integers are signed: no number in a profile is larger, sums stop there. */
#define PROFILE_NUMBER_MAX ((uint64_t)INT64_MAX)
/* Stands for null where a number may be null. */
#define PROFILE_UNKNOWN UINT64_MAX

static inline void profile_add(uint64_t *sum, uint64_t more)
{
	*sum = more > PROFILE_NUMBER_MAX - *sum ? PROFILE_NUMBER_MAX : *sum + more;
}

struct profile_bytes {
	void *bytes; /* NULL: there are none */
	size_t size;
};

/* One frame of a call path as a person sees it; an inlined function is a frame of its own. */
struct profile_frame {
	char *function; /* demangled; NULL when unknown */
	char *file;     /* as the debug information says; NULL when unknown */
	uint32_t line;  /* 0: unknown */
	char *module;   /* path of the ELF file */
	char *build_id; /* hex, NULL: none */
	uint64_t offset;
	bool inlined; /* into the next frame outwards */
};

struct profile_module {
	char *path, *build_id;
};

struct profile_callpath { /* innermost frame first; indices into profile->frames */
	uint32_t *frames;
	uint32_t count;
};

/* Per vertex of the graph, same index. */
struct profile_vertex {
	uint32_t callpath; /* index into profile->callpaths: every vertex has one, maybe empty; <=
			      the vertex's own */
};

struct profile_object {
	uint32_t site;    /* vertex id of the allocation */
	uint32_t process; /* index into profile->processes */
	uint64_t size;
	uint64_t address;
	uint32_t memory;           /* enum trace_memory */
	uint32_t device;           /* while the profile is built; in no file */
	char *name;                /* of a module global, else NULL */
	uint64_t start_ns, end_ns; /* since the start of the run; end 0: never freed */
};

/* An NVTX range in which calls were made.  Numbers are with those of the ranges inside of it. */
struct profile_range {
	uint32_t outer; /* index into profile->ranges, before this one; PROFILE_NO_ROW: none */
	char *name;     /* after that of its domain and ':' if it has one */
	uint64_t calls, host_ns; /* of the run that makes the graph */
	uint64_t time_ns;        /* of the device; PROFILE_UNKNOWN: no pass `time` */
};

/*
 * One API invocation, from profile_read_events().  Times are the host's, from the start of the call
 * to its return, in ns since the start of the run: what the device does later is not in them.
 */
#define PROFILE_NO_VERTEX UINT32_MAX

struct profile_event {
	uint32_t vertex;                 /* id; PROFILE_NO_VERTEX: a release or a wait, see name */
	uint32_t process;                /* index into profile->processes */
	uint32_t thread, device, stream; /* thread: 0, 1, ... in order of first CUDA call */
	uint32_t range;                  /* index into profile->ranges, or PROFILE_NO_ROW */
	uint32_t first_access, access_count; /* in profile->accesses */
	uint64_t invocation;                 /* 0, 1, ... of the same operation in this process */
	uint64_t start_ns, end_ns;
	char *name; /* of the call, NULL when it has a vertex */
};

/*
 * The timeline: what the host and the device did when, in the run of the pass `time`, from
 * profile_read_events().  All times are in ns since the start of that run; the whole of it is
 * time_start_ns to time_end_ns of the processes.  Its first calls are kept: PROFILE_TIMELINE_MAX.
 */

/* A place in the program: the columns of type PLACE of a table (graph/profile/table.h). */
struct profile_place {
	char *callpath; /* as of a vertex, the innermost frames; NULL: not known */
	char *file;     /* of the innermost frame that has a line; NULL: none has */
	uint32_t line;
	/* While the profile is built, which finds the others by these; in no file. */
	uint32_t frame;       /* of build/callpaths.h; UINT32_MAX: none */
	const char *function; /* of CUDA, that was called there; NULL: none */
};

/* A function of CUDA that was called from one call path. */
struct profile_api {
	char *kind;      /* as of vertices, or "free", "sync": a call that only waits */
	char *name;      /* as of vertices */
	uint32_t vertex; /* id; PROFILE_NO_VERTEX: a release, a wait, or not in the graph */
	struct profile_place place; /* of no vertex */
	uint32_t context;           /* while the profile is built; in no file */
};

/* A call: in order of processes, then of their ends. */
struct profile_timed_call {
	uint32_t api, process;           /* indices into profile->apis, profile->processes */
	uint32_t thread, device, stream; /* thread: 0, 1, ... in order of first CUDA call */
	uint32_t range;                  /* index into profile->ranges, or PROFILE_NO_ROW */
	bool nonblocking;                /* the stream is not ordered with the default stream */
	uint64_t invocation;             /* 0, 1, ... of the same operation in this process */
	uint64_t start_ns, end_ns;
	/* Of the time between the thread's last call and this one: the profiler's own work;
	   PROFILE_UNKNOWN: not known. */
	uint64_t overhead_ns;
};

/* The device was at an operation of a call. */
struct profile_gpu_time {
	uint32_t call;            /* index into profile->timeline */
	uint32_t vertex, process; /* id, or PROFILE_NO_VERTEX; index into profile->processes */
	uint32_t thread, device, stream;
	uint64_t invocation;         /* of the operation in this process */
	uint64_t call_ns, return_ns; /* of the call, on the host */
	uint64_t start_ns, end_ns;   /* on the device */
};

/* A call that waits for the device, whether or not there was something to wait for: pass `waits`.
 */
struct profile_wait {
	uint32_t call;              /* index into profile->timeline */
	uint32_t scope;             /* enum gpu_wait_scope */
	bool own;                   /* and for its own operation */
	uint32_t device, stream;    /* of a stream, an event, a queue */
	uint64_t start_ns, wait_ns; /* wait_ns 0: it did not wait */
	uint64_t recorded_ns;       /* of an event; else PROFILE_UNKNOWN */
};

/*
 * The operations of a call, and what comes into its stream later, begin after what had been put
 * into another stream by recorded_ns.
 */
struct profile_stream_order {
	uint32_t call; /* index into profile->timeline */
	uint32_t device, stream;
	uint64_t recorded_ns;
};

/*
 * When and where the program first used what a function of CUDA had waited for: pass `use`.  One
 * row for each kind and place of the first use; of waits that were watched.
 */
struct profile_first_use {
	uint32_t api;   /* index into profile->apis: of the calls that waited */
	uint32_t kind;  /* enum gpu_use_kind */
	uint64_t waits; /* calls */
	/* From the call's end to the use; PROFILE_UNKNOWN: there was none, or it is not known. */
	uint64_t min_ns, median_ns;
	/* Of the host's memory that they protect, sums; pages of 4 KiB, those that were touched at
	 * most; bytes that could not be watched. */
	uint64_t bytes, pages, touched_pages, unwatched_bytes;
	struct profile_place place; /* of the use */
};

/*
 * The program wrote to the memory of the host that asynchronous copies to the device read, before a
 * wait covered them: pass `use`.  One row for each copy, kind and place of the first write.
 */
struct profile_overwrite {
	uint32_t vertex;            /* the copy */
	uint32_t kind;              /* enum gpu_use_kind */
	uint64_t copies;            /* invocations */
	uint64_t bytes;             /* that these copied */
	uint64_t min_ns;            /* from the copy's call to the write */
	struct profile_place place; /* of the write */
};

/* What an event did to one object; for copies from and to the host, the side of the device. */
struct profile_access {
	uint32_t object; /* index into profile->objects */
	uint32_t writer; /* vertex id: who wrote these bytes last, before the event */
	enum graph_access access;
	uint64_t bytes; /* distinct */
	/* PROFILE_UNKNOWN: the row does not have the metric, or the provider did not say. */
#define ROW_METRIC(member, FLAG, access, aggregate) uint64_t member;
#include "gpu/rows.def"
};

/* Why a call comes after another one: numbers on disk. */
enum profile_dependency_why {
	PROFILE_DEPENDENCY_STREAM = 1, /* its stream, or the default stream */
	PROFILE_DEPENDENCY_EVENT,      /* an event that its stream waits for */
	PROFILE_DEPENDENCY_WAIT,       /* the thread that makes it has waited for the other one */
	PROFILE_DEPENDENCY_RAW,        /* it reads what the other one has written */
	PROFILE_DEPENDENCY_WAR,        /* it writes what the other one has read */
	PROFILE_DEPENDENCY_WAW,        /* it writes what the other one has written */
};

/*
 * An edge of the dependency graph (DrGPUM, Definition 5.1) of one process: event `to` comes after
 * event `from`.  Those that allocate, free, copy, set or launch are vertices; to allocate and to
 * free is to write the whole object.
 */
struct profile_dependency {
	uint32_t to, from; /* indices into profile->events; from < to */
	uint32_t why;      /* enum profile_dependency_why */
	uint32_t object;   /* index into profile->objects; PROFILE_NO_ROW: of RAW, WAR, WAW only */
};

/*
 * How much of a long run is kept: its first events, whole, up to one of these numbers.  Coverage
 * says how many are left out.  The graph and the sums of vertices hold all of them.
 */
#define PROFILE_RANGES_MAX (UINT32_C(1) << 20)
#define PROFILE_EVENTS_MAX 50000
#define PROFILE_ACCESSES_MAX 150000
#define PROFILE_DEPENDENCIES_MAX 500000
#define PROFILE_TIMELINE_MAX 1000000 /* calls; operations, waits, orders of streams */
/* Stands for null where an index of a row may be null. */
#define PROFILE_NO_ROW UINT32_MAX

/*
 * Where in a process something was: the number of the GPU API call (DrGPUM, Definition 5.1), from
 * 0, in the order in which the host made them; its topological time; and how many kernels had been
 * launched before it.  PROFILE_UNKNOWN, all three: nowhere.
 */
struct profile_moment {
	uint64_t call, time, kernels;
};

#define PROFILE_NOWHERE ((struct profile_moment){PROFILE_UNKNOWN, PROFILE_UNKNOWN, PROFILE_UNKNOWN})

struct profile_process {
	uint32_t pid, parent;
	char *executable, *arguments; /* arguments joined by spaces */
	char *provider, *device;
	char *rank; /* as a launcher sets it: "RANK=1 LOCAL_RANK=1", "": none; NULL: not known */
	bool ended; /* in order */
	/* In the run of pass `time`, since the start of that run; PROFILE_UNKNOWN: none, or killed
	 */
	uint64_t time_start_ns, time_end_ns;
	struct profile_moment end; /* behind its last GPU API call; nowhere: in older profiles */
};

/* A pass that the profile is made from; none in files that do not say. */
struct profile_pass {
	char *name;              /* "flow" */
	char *provider, *device; /* as the first process of its run says; "": none could be read */
	uint32_t run;     /* of the program, 1, 2, ...: passes with equal numbers shared one */
	double seconds;   /* that the run took; 0: not known */
	bool makes_graph; /* the graph comes from its run; else what it recorded was joined to it */
};

/*
 * Objects that held equal content at the same time (ValueExpert Def. 3.2), grouped: one group
 * per set of (object site, vertex that gave the object that content).
 */
struct profile_duplicate_member {
	uint32_t site;    /* vertex id of the object's allocation */
	uint32_t cause;   /* vertex id of the API after which the object held the content */
	uint64_t objects; /* most distinct objects of this site in the role in one occurrence */
};

struct profile_duplicate {
	uint64_t bytes;                           /* size of the largest object in the group */
	uint64_t occurrences;                     /* how often the group came about */
	uint64_t events;                          /* API calls after which it was so, summed */
	bool zero;                                /* every byte was initialised and zero */
	struct profile_duplicate_member *members; /* ordered by site, cause */
	uint32_t member_count;
};

/*
 * A range of an object that a vertex wrote and of which nobody has read what it wrote there: in
 * none of its calls, and in no object of the site.  It may have written parts of the range only.
 */
struct profile_unread {
	uint32_t vertex, object; /* ids; `object`: the site */
	uint64_t first, last;    /* offsets of bytes in the object */
	/* That it wrote to objects of the site and nobody has read, in the range or not: written
	   over, freed, left at the end.  Exact. */
	uint64_t bytes;
};

/*
 * What a vertex wrote to the objects of one site, each invocation by itself.  A write is what one
 * invocation wrote to one object.
 */
struct profile_write {
	uint32_t vertex, site; /* ids */
	uint64_t writes, bytes;
	uint64_t unchanged_bytes;        /* of values that were there already */
	uint64_t unchanged_writes;       /* writes of such bytes only */
	uint64_t unchanged_writes_bytes; /* their bytes */
	uint64_t unchanged_first;        /* those that were the vertex's first to the object */
	uint64_t changed_later;          /* writes that changed something, and were not */
	uint64_t same_input;  /* unchanged writes before which the vertex had read the same again */
	uint64_t zero_writes; /* that left zeros in all of the object and wrote all of it */
};

/*
 * What became of the bytes that a vertex wrote to the objects of one site.  Several writers of an
 * object are told apart per 4 bytes.
 */
struct profile_fate {
	uint32_t vertex, site;         /* ids */
	uint64_t writes, bytes;        /* as in struct profile_write */
	uint64_t dead_bytes;           /* written over before anybody had read them */
	uint64_t unread_bytes;         /* read by nobody until their object, or the run, ended */
	uint64_t read_first, read_end; /* what was read of them lies there in the object, in KiB */
	uint64_t readers;              /* invocations of others that read some */
	uint32_t consumer;             /* their vertex; PROFILE_NO_VERTEX: none, or several */
	uint64_t consumed_bytes;       /* read by these, which wrote over as many at once */
	uint64_t read_own;             /* invocations that read what earlier ones had left */
	uint64_t atomics;              /* 1: it accessed the objects with atomics */
	/* invocations of which nobody has read a byte, for sure, and what they wrote */
	uint64_t unread_writes, unread_writes_bytes;
	uint64_t steady; /* 1: its kernel stores alike with any input; 0: it may not */
};

/* Copies of a vertex from the objects of one site to the host. */
struct profile_download {
	uint32_t vertex, site; /* ids */
	uint64_t copies, bytes;
	uint64_t same, same_bytes; /* copies of what the memory of the host held before */
	uint64_t same_first;       /* those that were the vertex's first from the object */
	uint64_t changed_later;    /* others that were not */
	/* of `same`: nobody had written there since a copy to the host had brought it */
	uint64_t same_unwritten;
	/*
	 * Of the others: an earlier copy had brought the bytes to other memory of the host, and
	 * nobody had written to the object since.  PROFILE_UNKNOWN: an older profile.
	 */
	uint64_t elsewhere, elsewhere_bytes;
};

/* Copies of a vertex from the host to the objects of one site. */
struct profile_upload {
	uint32_t vertex, site; /* ids */
	uint64_t copies, bytes;
	/*
	 * Those of bytes, 1 KiB or more and not all zero, that the vertex had sent before, to
	 * whatever object; and the different contents among these of which none was counted before.
	 */
	uint64_t repeated, repeated_bytes;
	uint64_t contents, content_bytes;
};

/* How the copies of a run lie; numbers on disk. */
enum profile_copy_run_shape {
	PROFILE_COPY_RUN_ADJOINING = 1, /* each begins where the one before ends, on both sides */
	PROFILE_COPY_RUN_ROWS,          /* of one size, with one stride on each side */
	PROFILE_COPY_RUN_SCATTERED,     /* to the device, anywhere */
};

/*
 * Small copies of a vertex between the host and the device, invocation after invocation in one
 * stream, while no other call touched what they had written, or wrote what they had read.  They
 * overlap nowhere on the device.
 */
#define PROFILE_COPY_RUNS_MAX (1u << 16)
struct profile_copy_run {
	uint32_t vertex, site; /* ids; site: of the object that the first one copied to or from */
	uint32_t process;      /* index into profile->processes */
	uint32_t shape;
	uint64_t first, copies; /* invocations of the vertex in the process: the first, how many */
	uint64_t bytes;         /* of all */
	/* Of rows: bytes from the start of one to that of the next; else 0. */
	uint64_t device_stride, host_stride;
	bool from_host;
};

/* Contents of whole objects that one operation put where another object held them already. */
struct profile_share {
	uint32_t vertex, site; /* ids: of the operation, and of the object that got the content */
	uint32_t holder;       /* site of an object that held it */
	uint64_t writes;       /* that gave an object content that another one held */
	uint64_t spared; /* those whose every reader could have read the other object instead */
	uint64_t bytes;  /* of these */
};

/* Uploads of what the device had given to the host before, and still held: of all that a copy
 * moved. */
struct profile_round_trip {
	uint32_t upload, site, download; /* ids of vertices and of the uploaded object's site */
	uint64_t uploads, upload_bytes;
	uint64_t downloads, download_bytes; /* different ones */
};

/* How the objects of a site were used. */
struct profile_site {
	uint32_t site; /* id */
	uint64_t objects, bytes;
	uint64_t untouched, untouched_bytes; /* objects that no operation accessed */
	uint64_t repeated, repeated_bytes; /* allocated when one of the same size had been freed */
};

/* When an object was made, accessed and freed. */
struct profile_lifetime {
	uint32_t object;                                /* index into profile->objects */
	struct profile_moment made, first, last, freed; /* first, last: calls that accessed it */
	/* The longest time without an access between two: from this one to that one. */
	struct profile_moment idle_from, idle_to;
	uint64_t accesses; /* calls */
	/* ids of the vertices of `first`, `last`, `idle_from`, `idle_to` */
	uint32_t first_vertex, last_vertex, idle_from_vertex, idle_to_vertex;
	bool unseen; /* something that was not seen may have accessed it, too */
	/*
	 * Copies and sets that wrote it and whose next access was another one that did, and did not
	 * read it (DrGPUM, Definition 3.7), whichever bytes that were; ids of the vertices of the
	 * first two.  PROFILE_UNKNOWN: an older profile.
	 */
	uint64_t dead_writes;
	uint32_t dead_vertex, dead_next_vertex;
};

/* What calls have accessed of an object (gpu/records.def, ACCESSED). */
struct profile_accessed {
	uint32_t object; /* index into profile->objects */
	uint64_t bytes;  /* the object has more by those of the chunks */
	uint64_t chunks, largest_bytes, largest_offset;
};

/*
 * What the launches of one kernel have accessed of an object of which no kernel has accessed
 * anything twice: slices, each from the first byte to the last one of a launch, that do not overlap
 * (DrGPUM, Definition 3.10).
 */
struct profile_slices {
	uint32_t object; /* index into profile->objects */
	uint32_t vertex; /* id of the kernel */
	uint64_t launches, largest_bytes;
};

/*
 * How often a launch has accessed the elements of an object that it did access, units of 4 bytes:
 * of all launches that have accessed some more often than others, the one with the highest
 * coefficient of variation (DrGPUM, Definition 3.9; gpu/records.def, FREQUENCY).
 */
struct profile_frequency {
	uint32_t object;   /* index into profile->objects */
	uint32_t vertex;   /* id of the kernel */
	uint64_t launches; /* that have accessed some more often, of any kernel */
	uint64_t elements, accesses, most;
	uint32_t granularity; /* bytes that were counted together */
	double variation;
};

enum { PROFILE_FREQUENCY_COUNTS = 16 };

/* Of such a launch; those without elements and accesses are left out. */
struct profile_frequency_count {
	uint32_t frequency; /* index into profile->frequencies */
	uint32_t number;    /* below PROFILE_FREQUENCY_COUNTS */
	uint64_t elements; /* that were accessed 2^number times or more, but less than twice that */
	uint64_t accesses; /* to the part of the object of this number, of as many of equal size */
};

/* A place in GPU code: pass `values`. */
struct profile_code_place {
	char *function; /* demangled */
	char *file;     /* NULL: not known */
	uint32_t line;  /* of the file; 0: not known */
	uint64_t code;  /* line of the PTX, or offset of the instruction in the function */
};

/*
 * The values with which the launches of a kernel have accessed the objects of a site, at one place
 * or at all places: those of one kind and type.  As gpu/records.def (VALUES) has them of a launch.
 */
struct profile_value_stats {
	uint32_t vertex;          /* id */
	uint32_t site;            /* id; PROFILE_NO_VERTEX: shared memory */
	uint32_t place;           /* index into profile->code_places; PROFILE_NO_ROW: all of them */
	uint32_t kind, type;      /* enum gpu_value_kind, enum gpu_value_type */
	uint64_t launches;        /* that were looked at and made such accesses */
	uint64_t single_launches; /* of these, each with one value only */
	uint64_t count, zeros, repeats;
	uint64_t all, any; /* bits that all have, that any has */
	bool ranged;       /* least and most are known; numbers beyond 2^53 are rounded */
	bool linear;       /* slope and intercept are */
	bool sampled;      /* of some blocks of a launch only (--value-blocks) */
	bool partly;       /* the launches have moved other values, too, that nobody looked at */
	double least, most, slope, intercept;
	double mean, deviation; /* of floats that are finite: standard deviation */
	uint32_t fits;          /* bits 1 << enum gpu_value_fit */
	/* Different values: of one launch the most, at least; of all at most (PROFILE_UNKNOWN). */
	uint64_t distinct, distinct_most;
	uint32_t near_bits; /* 0: none */
	uint64_t near, near_count;
};

/* The most frequent values of such a row, most frequent first. */
struct profile_top_value {
	uint32_t value; /* index into profile->values */
	uint64_t bits;
	char *text;            /* as people write it */
	uint64_t count, error; /* at least so often, and at most so much more often */
};

/* Invocations of a vertex that were not analysed: other tables know nothing of what they did. */
struct profile_unseen {
	uint32_t vertex; /* id */
	uint64_t invocations;
};

/* What launches of a vertex loaded of a site's objects before anybody had written it. */
struct profile_unwritten {
	uint32_t vertex, object; /* ids; `object`: the site */
	uint64_t invocations;    /* that did */
	uint64_t bytes;          /* of these, summed */
};

struct profile_finding {
	char *pattern;   /* "redundant_values" */
	char *action;    /* "copy_once": what to do, for programs; NULL: not known */
	uint32_t vertex; /* id of the operation; GRAPH_HOST: of none, see `api` */
	uint32_t object; /* vertex id of the object's site; GRAPH_HOST: about no object */
	uint32_t api; /* index into profile->apis: the calls it is about; PROFILE_NO_ROW: of vertex
		       */
	uint32_t code_place; /* index into profile->code_places: what it is about most; or
				PROFILE_NO_ROW */
	enum graph_access access;
	uint64_t bytes; /* that could be saved */
	double fraction;
	bool input; /* holds for this input, and maybe for no other */
	/* That the host or the device waited, or the calls took; PROFILE_UNKNOWN: not about time */
	uint64_t time_ns;
	/*
	 * How much less the run would take if the advice were followed, at least and at most.
	 * PROFILE_UNKNOWN: there is no such limit; both: no estimate.
	 */
	uint64_t saves_ns, saves_most_ns;
	/* not kept in files */
	/* How much lower the peak of memory would be for sure; PROFILE_UNKNOWN: not about memory
	 * that is allocated and not needed. */
	uint64_t saves_peak_bytes;
	uint64_t places;      /* call paths and objects that it stands for */
	uint64_t invocations; /* that the action is about */
	char *evidence;       /* the numbers, one sentence */
	char *advice;         /* names the fix, one or two sentences */
	char *limits;         /* what it cannot know */
	uint32_t mend;        /* index, while there is a list of mends */
	uint32_t *others;     /* vertex ids that belong to it: other members of a group */
	uint32_t other_count;
};

/* Findings whose advice is followed together. */
struct profile_group_member {
	uint32_t finding; /* index into profile->findings */
	uint64_t adds_ns; /* to what those before it save; PROFILE_UNKNOWN: not asked */
};

struct profile_finding_group {
	/*
	 * "all": the best first; "single_point": in one place; "function": in functions of one
	 * name; "sequence": one after the other in time, up to a wait that is needed; "none": no
	 * estimate, `label` says why.
	 */
	char *kind;
	char *label;     /* for people */
	uint64_t run_ns; /* of the whole run; PROFILE_UNKNOWN */
	/* Of that, from the first operation to the last, and before the first; PROFILE_UNKNOWN. */
	uint64_t span_ns, startup_ns;
	uint64_t saves_ns, saves_most_ns; /* as of findings */
	struct profile_group_member *members;
	uint32_t member_count;
};

/* A memory pool of a process, which hands out parts of what it took from CUDA: blocks. */
struct profile_pool {
	uint32_t process; /* index into profile->processes */
	char *name;
	uint64_t blocks, bytes;           /* that were handed out, sums */
	uint64_t live_blocks, live_bytes; /* not given back when the process ended */
	uint64_t peak_blocks, peak_bytes; /* at the first moment when most bytes were out */
	uint64_t reported_bytes; /* the most that the pool itself counted; PROFILE_UNKNOWN */
};

/* Blocks of a pool that were allocated at one call path in one NVTX range and have one name. */
struct profile_pool_site {
	uint32_t pool;  /* index into profile->pools */
	uint32_t range; /* index into profile->ranges; PROFILE_NO_ROW: none */
	char *name;     /* NULL: they have none */
	uint64_t blocks, bytes, live_blocks, live_bytes;
	uint64_t peak_blocks, peak_bytes; /* at the pool's peak */
	struct profile_place place;
};

/* An object that blocks of the pool lay in. */
struct profile_pool_segment {
	uint32_t pool, object; /* indices into profile->pools and objects */
};

/* Modules of GPU code that are alike and were loaded at one call path. */
struct profile_gpu_module {
	uint32_t process;
	uint64_t loads;
	/* Of one of them: its image, the machine code of its functions, and that of its kernels. */
	uint64_t bytes, code_bytes, kernel_bytes;
	uint64_t kernels, launched; /* that it has, and that were launched from any of them */
	uint64_t launched_bytes;    /* machine code of the launched ones */
	uint32_t loading;           /* enum gpu_code_loading */
	char *library;              /* the file with the innermost frame; NULL: not known */
	struct profile_place place; /* that loaded it */
};

/*
 * Memory of a device by the driver's own figures: when the process had allocated most there, of
 * what was told (gpu/records.def, DEVICE_MEMORY); first_unused: when it had allocated nothing.
 */
struct profile_device_memory {
	uint32_t process, device;
	uint64_t total, first_unused, unused, allocated, own;
};

/* A kernel of such modules: all that were launched, and the largest ones. */
struct profile_gpu_function {
	uint32_t module; /* index into profile->gpu_modules */
	char *name;      /* demangled */
	uint64_t bytes;  /* of machine code */
	bool launched;
};

/* A device whose multiprocessors were sampled, of a context: pass `stalls`. */
struct profile_stall_device {
	uint32_t process;                /* index into profile->processes */
	uint32_t device, period;         /* every 2^period cycles */
	uint64_t samples, other_samples; /* all; those in kernels that are not the program's */
	/* Of a multiprocessor; 0: not known. */
	uint32_t multiprocessors, warps, blocks, registers, shared_bytes;
	uint32_t kilohertz, memory_kilohertz, bus_bits; /* the clocks; 0: not known */
};

/* A module's image, the cubin. */
#define PROFILE_STALL_CODE_MAX (UINT64_C(512) << 20) /* bytes of all images */
struct profile_stall_code {
	uint64_t crc, bytes;
	struct profile_bytes image; /* packed with zstd; NULL: it was not kept */
};

/* A function that was sampled, with the launches of it, if it is a kernel. */
struct profile_stall_function {
	uint32_t code; /* index into profile->stall_codes */
	char *name;    /* mangled, as in the image */
	uint64_t launches, time_ns;
	/* the geometry that took most time, of so many; of each thread, and bytes of shared memory
	 */
	uint32_t grid_x, grid_y, grid_z, block_x, block_y, block_z;
	uint32_t registers, static_bytes, dynamic_bytes, local_bytes, geometries;
};

struct profile_stall_sample {
	uint32_t function; /* index into profile->stall_functions */
	uint32_t offset;   /* bytes, from its start */
	uint32_t reason;   /* of gpu/stall_reasons.def */
	uint64_t samples, latency;
};

/* Which operation launches a kernel that was sampled. */
struct profile_stall_vertex {
	uint32_t function; /* index into profile->stall_functions */
	uint32_t vertex;
	uint64_t launches, time_ns;
};

/* A function of CUDA that returned an error to the program, at one call path. */
#define PROFILE_FAILED_CALLS_MAX 1000
struct profile_failed_call {
	char *function; /* without _v2 */
	uint32_t error; /* a CUresult or cudaError_t: they share their numbers */
	char *error_name,
		*description; /* "cudaErrorInvalidValue", "invalid argument"; "": not known */
	uint64_t count;
	struct profile_place place;
};

struct profile_coverage {
	char *what, *reason; /* made of a row of coverage.def and a detail */
	uint64_t count, bytes;
	char *id;                  /* the row's name, maybe one of a newer vflow; NULL: not known */
	enum coverage_hides hides; /* not kept in files */
};

/* A limit that the findings were made with; names are those of struct advice_options. */
struct profile_threshold {
	char *name;
	double value;
};

struct profile_checksum {
	char *name; /* of a table */
	uint64_t rows;
	char *sha256; /* hex */
};

struct profile {
	struct graph *graph;
	struct profile_vertex *vertices; /* graph->vertex_count */
	uint32_t vertex_capacity;
	struct profile_module *modules; /* while the frames are read from a file */
	uint32_t module_count, module_capacity;
	struct profile_frame *frames;
	uint32_t frame_count, frame_capacity;
	struct profile_callpath *callpaths;
	uint32_t callpath_count, callpath_capacity;
	struct profile_object *objects;
	uint32_t object_count, object_capacity;
	struct profile_process *processes;
	uint32_t process_count, process_capacity;
	struct profile_pass *passes; /* ordered by run */
	uint32_t pass_count, pass_capacity;
	struct profile_duplicate *duplicates;
	uint32_t duplicate_count, duplicate_capacity;
	struct profile_unread *unread; /* the largest ranges first, not all */
	uint32_t unread_count, unread_capacity;
	struct profile_write *writes;
	uint32_t write_count, write_capacity;
	struct profile_fate *fates;
	uint32_t fate_count, fate_capacity;
	struct profile_download *downloads;
	uint32_t download_count, download_capacity;
	struct profile_upload *uploads;
	uint32_t upload_count, upload_capacity;
	struct profile_copy_run *copy_runs;
	uint32_t copy_run_count, copy_run_capacity;
	struct profile_share *shares;
	uint32_t share_count, share_capacity;
	struct profile_round_trip *round_trips;
	uint32_t round_trip_count, round_trip_capacity;
	struct profile_site *sites;
	uint32_t site_count, site_capacity;
	struct profile_lifetime *lifetimes; /* in order of objects; of device memory */
	uint32_t lifetime_count, lifetime_capacity;
	struct profile_accessed *accessed; /* in order of objects */
	uint32_t accessed_count, accessed_capacity;
	struct profile_slices *slices; /* in order of objects */
	uint32_t slice_count, slice_capacity;
	struct profile_frequency *frequencies; /* in order of objects */
	uint32_t frequency_count, frequency_capacity;
	struct profile_frequency_count *frequency_counts; /* in order of frequencies and numbers */
	uint32_t frequency_count_count, frequency_count_capacity;
	struct profile_code_place *code_places;
	uint32_t code_place_count, code_place_capacity;
	struct profile_value_stats
		*values; /* in order of vertices and sites; all places before each */
	uint32_t value_count, value_capacity;
	struct profile_top_value *top_values; /* in order of `value` */
	uint32_t top_value_count, top_value_capacity;
	struct profile_unseen *unseen;
	uint32_t unseen_count, unseen_capacity;
	struct profile_unwritten *unwritten; /* one row for each vertex and site */
	uint32_t unwritten_count, unwritten_capacity;
	struct profile_range *ranges;
	uint32_t range_count, range_capacity;
	struct profile_event *events; /* in order of processes, then of their ends */
	uint32_t event_rows, event_capacity;
	struct profile_api *apis;
	uint32_t api_count, api_capacity;
	struct profile_timed_call *timeline;
	uint32_t timeline_count, timeline_capacity;
	struct profile_gpu_time *gpu_times;
	uint32_t gpu_time_count, gpu_time_capacity;
	struct profile_wait *waits;
	uint32_t wait_count, wait_capacity;
	struct profile_stream_order *stream_orders;
	uint32_t stream_order_count, stream_order_capacity;
	struct profile_first_use *first_uses;
	uint32_t first_use_count, first_use_capacity;
	struct profile_overwrite *overwrites;
	uint32_t overwrite_count, overwrite_capacity;
	struct profile_access *accesses;
	uint32_t access_count, access_capacity;
	struct profile_dependency *dependencies; /* in the order of `to` */
	uint32_t dependency_count, dependency_capacity;
	struct profile_finding *findings;
	uint32_t finding_count, finding_capacity;
	struct profile_finding_group *finding_groups;
	uint32_t finding_group_count, finding_group_capacity;
	struct profile_pool *pools;
	uint32_t pool_count, pool_capacity;
	struct profile_pool_site *pool_sites;
	uint32_t pool_site_count, pool_site_capacity;
	struct profile_pool_segment *pool_segments;
	uint32_t pool_segment_count, pool_segment_capacity;
	struct profile_device_memory *device_memory;
	uint32_t device_memory_count, device_memory_capacity;
	struct profile_gpu_module *gpu_modules;
	uint32_t gpu_module_count, gpu_module_capacity;
	struct profile_gpu_function *gpu_functions;
	uint32_t gpu_function_count, gpu_function_capacity;
	struct profile_stall_device *stall_devices;
	uint32_t stall_device_count, stall_device_capacity;
	struct profile_stall_code *stall_codes; /* with the events */
	uint32_t stall_code_count, stall_code_capacity;
	struct profile_stall_function *stall_functions; /* with the events */
	uint32_t stall_function_count, stall_function_capacity;
	struct profile_stall_sample *stall_samples; /* with the events */
	uint32_t stall_sample_count, stall_sample_capacity;
	struct profile_stall_vertex *stall_vertices; /* with the events */
	uint32_t stall_vertex_count, stall_vertex_capacity;
	struct profile_failed_call *failed_calls;
	uint32_t failed_call_count, failed_call_capacity;
	struct profile_coverage *coverage;
	uint32_t coverage_count, coverage_capacity;
	struct profile_threshold *thresholds; /* in the order of their names */
	uint32_t threshold_count, threshold_capacity;
	char *command;        /* what `vflow collect` was asked to run */
	uint64_t date;        /* seconds since 1970 */
	uint64_t event_count; /* of the run; event_rows may be less */

	/* Of the file that it was read from, if it was. */
	uint32_t version; /* user_version */
	char *vflow;      /* version of the vflow that wrote it */
	struct profile_checksum *checksums;
	uint32_t checksum_count, checksum_capacity;
};

struct profile *profile_new(void); /* with an empty graph */
void profile_free(struct profile *profile);
struct profile_finding *profile_add_finding(struct profile *profile);
struct profile_finding_group *profile_add_finding_group(struct profile *profile);
/* Frees what it owns; the row stays, with its numbers. */
void profile_release_finding(struct profile_finding *finding);
/* And their groups. */
void profile_clear_findings(struct profile *profile);
/*
 * Add to the row with equal texts, or make one; `detail`, NULL or not, and texts are clean.  Rows
 * of unknown texts hide reads and writes.
 */
void profile_add_coverage(struct profile *profile, enum coverage_id id, const char *detail,
			  uint64_t count, uint64_t bytes);
void profile_add_coverage_text(struct profile *profile, const char *what, const char *reason,
			       uint64_t count, uint64_t bytes);

void profile_set_threshold(struct profile *profile, const char *name, double value);
double profile_threshold(const struct profile *profile, const char *name); /* NAN: not known */

/* Whether the file starts like a profile (so that commands can tell it from DOT). */
bool profile_is_profile(const char *path);

/*
 * Writes a new file at `path` (which must not exist), fully synced; nothing stays on failure.  When
 * the disk is too full for the events, they are left out, and the file's coverage says so.  The
 * error says why, not where: the file may be one that will be renamed.
 */
int profile_write(const struct profile *profile, const char *path, struct error *error);
/*
 * NULL on failure: no file, not a profile, newer than this vflow, damaged.  The vertices of the
 * graph carry `patterns` and `advice` of the findings.
 */
struct profile *profile_read(const char *path, struct error *error);
/*
 * Fills the events and accesses of a profile that was read from this file and still has its graph:
 * they are many and few commands need them.  -1: damaged.
 */
int profile_read_events(struct profile *profile, const char *path, struct error *error);

/* The most frequent values of a row of profile->values; NULL and 0: none is known. */
const struct profile_top_value *profile_top_values(const struct profile *profile, uint32_t value,
						   uint32_t *count);

/* "function file.c:12" (last path component), "function", or "libfoo.so+0x1234"; caller frees. */
char *profile_frame_text(const struct profile_frame *frame);

/* Of the frame that is no place: inside are those that made a node, outside the graph's launch. */
#define PROFILE_GRAPH_MODULE "[CUDA graph]"
/* Of frames of Python, with function, file and line. */
#define PROFILE_PYTHON_MODULE "[Python]"
bool profile_frame_is_replay(const struct profile_frame *frame);

/*
 * Whether the run that makes the graph recorded what operations access: on a GPU one of pass `time`
 * or `waits` alone does not, and what no operation seems to access may be needed.
 */
bool profile_sees_accesses(const struct profile *profile);
/* The first row of coverage of this kind; NULL: there is none. */
const struct profile_coverage *profile_find_coverage(const struct profile *profile,
						     enum coverage_id id);
/* Whether kernels were not looked into: what they access is taken from their arguments (pass
 * `calls`). */
bool profile_is_by_arguments(const struct profile *profile);
/*
 * Whether the file that it was read from has the table, with rows or without; files of older
 * versions lack some.  A profile that was read from no file has all.
 */
bool profile_has_table(const struct profile *profile, const char *name);
/* Why it has no lifetimes, as a part of a sentence: "no memory of a device was allocated". */
const char *profile_lacks_lifetimes(const struct profile *profile);
/*
 * Whether it is plain memory of a device: the host reads managed and mapped memory, and kernels
 * read constants, without being seen.
 */
bool profile_is_device_memory(const struct profile_object *object);
/* "device", "managed", "mapped host", "global", "array" */
const char *profile_memory_name(const struct profile_object *object);
/*
 * The frames of a call path that are the program's own, innermost first: without those in headers
 * of the compiler and of CUDA (Thrust, CUB and CUTLASS are a dozen deep), unless there are no
 * others.  The caller frees the array; NULL when *count is 0.
 */
const struct profile_frame **profile_own_frames(const struct profile *profile,
						const struct profile_callpath *path,
						uint32_t *count);
/*
 * Those of them that people are shown: without layers of libraries (graph/library_frames.h), unless
 * there are no others.  The caller frees the array; NULL when *count is 0.
 */
const struct profile_frame **profile_shown_frames(const struct profile *profile,
						  const struct profile_callpath *path,
						  uint32_t *count);
/* Whether the frame is one of those, wherever there are some. */
bool profile_frame_is_shown(const struct profile_frame *frame);
/* The same two of the vertex's call path. */
const struct profile_frame **profile_own_path(const struct profile *profile, uint32_t vertex_index,
					      uint32_t *count);
const struct profile_frame **profile_path(const struct profile *profile, uint32_t vertex_index,
					  uint32_t *count);
/* They, joined by " < "; NULL for none.  The caller frees. */
char *profile_frames_text(const struct profile_frame *const *frames, uint32_t count);

#endif
