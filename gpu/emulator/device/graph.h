/*
 * gpu/emulator/device/graph.h: what streams and launches need to know of graphs.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_GRAPH_H
#define VFLOW_GPU_EMULATOR_DEVICE_GRAPH_H

#include "gpu/emulator/device/device.h"

/* All with the lock held. */
void *graph_new(void);                  /* NULL: no memory */
bool graph_is_known(const void *graph); /* and no executable */
/* The program has no handle of it any more. */
void graph_give_up(void *graph);
/* An operation that a capturing stream was given.  Returns an error or 0. */
int graph_record(void *graph, const struct emulator_node *node);
/* An allocation of a stream that is captured; its address at every launch. */
int graph_record_memory(void *graph, uint64_t size, uint64_t *address);
/* Whether a graph, executable or not, allocates there. */
bool graph_allocates(uint64_t address);

/* stream.c: the graph that the stream is captured into; NULL: it is not. */
void *stream_captures(const void *stream);
/* stream.c: an operation, or allocation, of a stream that is captured goes into its graph. */
int stream_capture(const void *stream, const struct emulator_node *node);
int stream_capture_memory(const void *stream, uint64_t size, uint64_t *address);
/* stream.c: whether something may be put into it, by captures of this or other streams: 0, or an
 * error, as of what is no stream. */
int stream_takes(const void *stream);

/* stream.c: no stream is captured into this graph any more. */
void streams_forget_graph(const void *graph);

/* launch.c: a copy of the parameter block, in *block (free() it); after the checks of a launch. */
int launch_pack(const struct emulator_launch *what, uint8_t **block);
/* The kernel's name; NULL: its module has gone. */
const char *launch_kernel_name(const struct emulator_launch *what);

#endif
