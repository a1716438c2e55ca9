/*
 * gpu/emulator/device/core.h: what the driver API (libcuda.so.1) and the runtime API
 * (libcudart.so.NN) are both written on.
 *
 * Exported from libcuda.so.1 for the runtime library only.  Every function returns a CUDA error
 * number (the two APIs share them) and takes the emulator's lock itself.  `name` is the public
 * entry that the program called, as the profile shall show it ("cudaMemcpy").
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_CORE_H
#define VFLOW_GPU_EMULATOR_DEVICE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/emulator/state/texture.h"
#include "gpu/provider.h"

#define EMULATOR_CUDA_VERSION 13000
#define EMULATOR_DEVICE_NAME "vflow emulated device"
/* The device claims to be of this architecture, and runs PTX up to it. */
#define EMULATOR_MAJOR 9
#define EMULATOR_MINOR 0
#define EMULATOR_SHARED_BYTES 49152 /* per block, without opt-in */
#define EMULATOR_SHARED_OPTIN_BYTES 232448
#define EMULATOR_CLUSTER 16 /* blocks */
#define EMULATOR_BLOCK_THREADS 1024
#define EMULATOR_MULTIPROCESSORS 1
#define EMULATOR_PITCH_ALIGNMENT 512
#define EMULATOR_MAX_PITCH 2147483647

struct emulator_module;
struct emulator_kernel;
struct emulator_stream;
struct emulator_event;
struct emulator_context;

#pragma GCC visibility push(default)

/* -- the device and its contexts: device.c ------------------------------------------------ */

/* cuInit(). */
int vflow_emulator_init(void);
/* Runtime API: initialises and makes the primary context current where none is. */
int vflow_emulator_attach(void);
/* Initialised, in this process; `context`: with a current context that has not failed. */
int vflow_emulator_check(bool context);
/* Releases all memory, modules, streams and events, and the fault. */
int vflow_emulator_reset(const char *name);
/* Counts the resets: handles of an older generation are gone. */
uint64_t vflow_emulator_generation(void);
/* A CUdevice_attribute. */
int vflow_emulator_attribute(int attribute, int *value);
/* Reads or sets a CUlimit, which is only remembered; 215 (unsupported limit) for others. */
int vflow_emulator_limit(int limit, uint64_t *value, bool set);
/* Says once per name that the emulator lacks it; returns 801 (not supported). */
int vflow_emulator_unsupported(const char *name);
/*
 * An entry returns an error to the program: tells the observer.  An entry that is another one with
 * fewer parameters calls that by DELEGATE(), so that the program's own is named.
 */
void vflow_emulator_failed(const char *name, int error);
/* From now on the thread's entry is `name`, unless one delegates already; returns which did. */
const char *vflow_emulator_delegate(const char *name);
void vflow_emulator_delegated(const char *before);
#define DELEGATE(call)                                                                             \
	({                                                                                         \
		const char *before_delegate = vflow_emulator_delegate(__func__);                   \
		__typeof__(call) delegated = (call);                                               \
		vflow_emulator_delegated(before_delegate);                                         \
		delegated;                                                                         \
	})
/* Name and description of an error number in one of the APIs; NULL: it has no such error. */
const char *vflow_emulator_error_name(int error, bool runtime, const char **description);

/* -- memory: allocate.c, copy.c ----------------------------------------------------------- */

int vflow_emulator_allocate(const char *name, void *stream, enum gpu_memory kind, uint64_t size,
			    uint64_t *address);
/* Rows of `width` bytes, the next row *pitch bytes on. */
int vflow_emulator_allocate_pitch(const char *name, uint64_t width, uint64_t height,
				  uint64_t *pitch, uint64_t *address);
/* What allocation and free nodes of graphs do when they run; 1 when it is there, or not, already.
 */
int vflow_emulator_graph_memory(const char *name, void *stream, uint64_t address, bool live);
/*
 * Bytes that the launches of graphs took, freed or not, until a trim gives back what is free; the
 * high marks of what is used and reserved, each until it is put back to what is taken now.
 */
int vflow_emulator_graph_bytes(uint64_t *now, uint64_t high[2]);
int vflow_emulator_graph_trim(void);
int vflow_emulator_graph_mark(bool reserved);
/* driver/pool.c: 0, or 1 (invalid value): no pool has that handle. */
int vflow_emulator_pool_check(const void *pool);
/* Memory of the host (GPU_MEMORY_MAPPED_HOST) or the device; 0 is nothing. */
int vflow_emulator_release(const char *name, void *stream, uint64_t address, bool host);
/* The host's own memory becomes visible to the device; errors 712 and 713: it was, it was not. */
int vflow_emulator_register(const char *name, uint64_t address, uint64_t size);
int vflow_emulator_unregister(const char *name, uint64_t address);
/* Needs no context. */
int vflow_emulator_memory_info(uint64_t *free, uint64_t *total);

struct emulator_pointer {
	uint64_t address, size; /* of the allocation */
	enum gpu_memory kind;
};
/* Returns 1 (invalid value) when the address is in no allocation. */
int vflow_emulator_pointer(uint64_t address, struct emulator_pointer *pointer);

enum emulator_side { SIDE_ANY, SIDE_HOST, SIDE_DEVICE };

struct emulator_copy {
	uint64_t to, from;
	enum emulator_side to_side, from_side;
	uint64_t width, height; /* height 1: the pitches do not matter */
	uint64_t to_pitch, from_pitch;
	uint64_t depth; /* slices; 0 is 1, and then their distances do not matter */
	uint64_t to_slice, from_slice;
};
int vflow_emulator_copy(const char *name, void *stream, const struct emulator_copy *copy);

/* `height` rows of `width` elements of `element` bytes (1, 2, 4) each become `value`. */
int vflow_emulator_fill(const char *name, void *stream, uint64_t to, uint64_t pitch, uint32_t value,
			uint32_t element, uint64_t width, uint64_t height);

/* -- arrays, textures, surfaces: array.c, texture.c ---------------------------------------- */

int vflow_emulator_array_create(const char *name, const struct emulator_array_shape *shape,
				void **array);
int vflow_emulator_array_destroy(const char *name, void *array);
int vflow_emulator_array_shape(void *array, struct emulator_array_shape *shape);

int vflow_emulator_texture_create(const struct emulator_texture *texture, uint64_t *handle);
int vflow_emulator_texture_destroy(uint64_t handle);
int vflow_emulator_surface_create(void *array, uint64_t *handle);
int vflow_emulator_surface_destroy(uint64_t handle);

/* -- code: module.c, launch.c ------------------------------------------------------------- */

/*
 * The compiler's options, as both APIs number them, and buffers among them for what it says: of
 * errors what the last load said, nothing for information.
 */
struct emulator_jit {
	const int *options;
	void **values;
	unsigned count;
};
/* PTX text, a fat binary or its wrapper; `size` SIZE_MAX: as the image says of itself.  `jit` may
 * be NULL. */
int vflow_emulator_module_load(const void *image, size_t size, const struct emulator_jit *jit,
			       struct emulator_module **module);
int vflow_emulator_module_unload(struct emulator_module *module);
int vflow_emulator_module_kernel(struct emulator_module *module, const char *name,
				 struct emulator_kernel **kernel);
/* Fills up to `room` handles; *count: how many kernels the module has. */
int vflow_emulator_module_kernels(struct emulator_module *module, struct emulator_kernel **kernels,
				  unsigned room, unsigned *count);
int vflow_emulator_module_variable(struct emulator_module *module, const char *name,
				   uint64_t *address, uint64_t *size);

/* The host reads and writes the variable at this address too, unseen. */
void vflow_emulator_variable_shared(uint64_t address);

struct emulator_kernel_facts {
	const char *name;
	uint64_t shared_bytes, local_bytes, max_dynamic_shared_bytes;
	int max_threads, registers;
	int ptx_version; /* 75: the architecture that its PTX was made for */
	uint32_t parameter_count;
};
int vflow_emulator_kernel_facts(struct emulator_kernel *kernel,
				struct emulator_kernel_facts *facts);
/* Place and size of a parameter in the parameter block; 1 (invalid value): it has fewer. */
int vflow_emulator_kernel_parameter(struct emulator_kernel *kernel, uint64_t index,
				    uint64_t *offset, uint64_t *size);
int vflow_emulator_kernel_set_shared(struct emulator_kernel *kernel, int bytes);
/* Blocks of that shape that fit one multiprocessor. */
int vflow_emulator_occupancy(struct emulator_kernel *kernel, int threads, uint64_t shared_bytes,
			     int *blocks);

struct emulator_launch {
	struct emulator_kernel *kernel;
	uint32_t grid[3], block[3];
	uint64_t shared_bytes;
	void **arguments;   /* one address per parameter, or NULL: */
	const void *packed; /* the parameter block itself */
	uint64_t packed_bytes;
	bool cooperative;    /* its blocks may wait for each other */
	uint32_t cluster[3]; /* blocks of a cluster; 0: what the kernel says */
};
/* The kernel has run when this returns. */
int vflow_emulator_launch(void *stream, const struct emulator_launch *launch);

/* -- graphs: graph.c, stream.c --------------------------------------------------------------- */

struct emulator_node {
	enum {
		NODE_EMPTY,
		NODE_KERNEL,
		NODE_COPY,
		NODE_FILL,
		NODE_HOST,
		NODE_GRAPH,
		NODE_ALLOC,
		NODE_FREE,
		NODE_RECORD,
		NODE_WAIT
	} kind;
	uint64_t address; /* of NODE_ALLOC, NODE_FREE */
	struct emulator_launch launch;
	struct emulator_copy copy;
	struct {
		uint64_t to, pitch, width, height;
		uint32_t value, element;
	} fill;
	void (*host)(void *data);
	void *host_data;
	void *graph; /* executable; the node has a share in it */
	void *event; /* of NODE_RECORD, NODE_WAIT */
};
int vflow_emulator_graph_create(void **graph);
int vflow_emulator_graph_destroy(void *graph, bool executable);
/* `before`: nodes of the graph that come first.  *made: the node; may be NULL. */
int vflow_emulator_graph_add(void *graph, void *const *before, size_t count,
			     const struct emulator_node *what, void **made);
/* A node that runs the child as it is now. */
int vflow_emulator_graph_add_child(void *graph, void *const *before, size_t count, void *child,
				   void **made);
/* A node that allocates: its address is the same at every launch and known from now on. */
int vflow_emulator_graph_add_memory(void *graph, void *const *before, size_t count, uint64_t size,
				    uint64_t *address, void **made);
int vflow_emulator_graph_depend(void *graph, void *const *from, void *const *to, size_t count);
/* *count: room in `nodes` (which may be NULL), then how many there are. */
int vflow_emulator_graph_nodes(void *graph, void **nodes, size_t *count);
/* A clone, or an executable. */
int vflow_emulator_graph_copy(void *graph, bool executable, void **made);
/* Gives an executable the operations that the graph has now; 910 when it has another shape. */
int vflow_emulator_graph_update(void *executable, void *graph);
/* Another operation of the same kind for a node of the graph that the executable was made from. */
int vflow_emulator_graph_set(void *graph, bool executable, const void *node,
			     const struct emulator_node *what);
/* graph_edit.c: what a node does; its kernel's arguments are packed. */
int vflow_emulator_graph_node(const void *node, struct emulator_node *what);
/* Like vflow_emulator_graph_set(), in the graph that has the node. */
int vflow_emulator_graph_node_set(const void *node, const struct emulator_node *what);
int vflow_emulator_graph_node_remove(const void *node);
/* The nodes that come directly before, or after, this one; *count as in graph_nodes. */
int vflow_emulator_graph_neighbours(const void *node, bool before, void **nodes, size_t *count);
/* Nodes that wait for no other. */
int vflow_emulator_graph_roots(void *graph, void **nodes, size_t *count);
int vflow_emulator_graph_edges(void *graph, void **from, void **to, size_t *count);
int vflow_emulator_graph_undepend(void *graph, void *const *from, void *const *to, size_t count);
/* Reads or sets whether a node of an executable does anything. */
int vflow_emulator_graph_enable(void *executable, const void *node, bool *enabled, bool set);
/* The node of a clone that was made from this one. */
int vflow_emulator_graph_in_clone(void *clone, const void *node, void **found);
int vflow_emulator_graph_launch(const char *name, void *executable, void *stream);
/*
 * Until the end the stream's operations go into a graph (NULL: a new one) and are not done.  mode:
 * which calls are forbidden meanwhile, by enum cudaStreamCaptureMode.
 */
int vflow_emulator_capture_begin(void *stream, void *graph, int mode);
/* *graph: NULL where that fails because of what was done meanwhile. */
int vflow_emulator_capture_end(void *stream, void **graph);
/* The calling thread's own mode; returns the one before. */
int vflow_emulator_capture_mode(int mode);
/* A host function goes into the graph of the stream, or, not captured, the caller calls it. */
int vflow_emulator_capture_host(void *stream, void (*host)(void *), void *data, bool *captured);
/* *graph NULL: the stream is not captured; not valid: a call has spoilt it. */
int vflow_emulator_capture_graph(void *stream, void **graph, bool *valid);
/* The same, and what the stream's next operation comes after; usable until it comes. */
int vflow_emulator_capture_info(void *stream, void **graph, bool *valid, void ***nodes,
				size_t *count);
/*
 * A wait for an event of a captured stream draws the waiting one in.  `external`: of a stream that
 * is captured, it becomes a node of the graph.
 */
int vflow_emulator_stream_wait(void *stream, void *event, bool external);

/* -- streams and events: stream.c --------------------------------------------------------- */

int vflow_emulator_stream_create(struct emulator_stream **stream, unsigned flags, int priority);
int vflow_emulator_stream_destroy(void *stream);
/* 400 (invalid handle) for what is no stream; the default streams are. */
int vflow_emulator_stream_check(void *stream, unsigned *flags, int *priority);
/*
 * Whether stream 0 of the thread's entry is its own default stream, of functions ..._ptsz and
 * _ptds; returns what was.
 */
bool vflow_emulator_per_thread(bool is);
/*
 * Defines `other`, which is `function` with that stream.  What both take and return are pointers,
 * integers, or structures, which x86-64 and AArch64 pass as words: 8 at most in registers, 12 on
 * the stack.
 */
#define PER_THREAD(function, other)                                                                \
	EMULATOR_WORD other##_words(EMULATOR_WORDS(EMULATOR_WORD)) __asm__(#other)                 \
		__attribute__((visibility("default"), used));                                      \
	EMULATOR_WORD other##_words(EMULATOR_WORDS(EMULATOR_WORD))                                 \
	{                                                                                          \
		EMULATOR_WORD (*entry)(EMULATOR_WORDS(EMULATOR_WORD)), result;                     \
		bool before = vflow_emulator_per_thread(true);                                     \
                                                                                                   \
		__asm__("" : "=r"(entry) : "0"(function)); /* of whatever type */                  \
		result = entry(EMULATOR_WORDS());                                                  \
		vflow_emulator_per_thread(before);                                                 \
		return result;                                                                     \
	}                                                                                          \
	extern __typeof__(function) other
#define EMULATOR_WORD uintptr_t
#define EMULATOR_WORDS(type)                                                                       \
	type a, type b, type c, type d, type e, type f, type g, type h, type i, type j, type k,    \
		type l, type m, type n, type o, type p, type q, type r, type s, type t
int vflow_emulator_event_create(struct emulator_event **event, unsigned flags);
int vflow_emulator_event_destroy(void *event);
/* external: as of vflow_emulator_stream_wait(). */
int vflow_emulator_event_record(void *event, void *stream, bool external);
int vflow_emulator_event_check(void *event);
/* The program asks whether the event, or, NULL, the stream is through. */
/* name: of the function that asks; NULL: none does. */
int vflow_emulator_query(const char *name, void *stream, void *event);
/* A host function comes into the stream, which must not be captured. */
int vflow_emulator_host_function(const char *name, void *stream);
int vflow_emulator_event_elapsed(const char *name, void *start, void *end, float *milliseconds);
/*
 * All work is done already: this only delivers GPU_SYNC.  One of stream and event may be set.  The
 * same public functions deliver it on GPUs: see api_synchronizes() of gpu/sanitizer.
 */
int vflow_emulator_synchronize(const char *name, void *stream, void *event);
int vflow_emulator_synchronize_device(const char *name);

#pragma GCC visibility pop

#endif
