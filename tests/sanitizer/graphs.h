/*
 * tests/sanitizer/graphs.h: tests of what gpu/sanitizer knows of CUDA graphs, with a driver of our
 * own whose graphs are tables.
 */
#ifndef VFLOW_TESTS_SANITIZER_GRAPHS_H
#define VFLOW_TESTS_SANITIZER_GRAPHS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/cuda_graph/graphs.h"

/* -- the driver: a graph's nodes depend on each other in the order of `after` -------------- */

#define MANY 100000
enum { LARGE = 200 };

extern struct fake_node {
	CUgraphNodeType type;
	int after; /* the index of the node before it; -1: none */
	int also;  /* that of another one, and 1; 0: none */
	struct fake *child;
	uint64_t address, size;
	int value; /* a kernel's parameter */
	bool enabled;
	CUevent event, of_exec;
} fake_nodes[32 + MANY];

extern struct fake {
	unsigned count;
	struct fake_node *nodes[MANY];
	bool *destroyed; /* told when it goes */
	bool gone;
} fakes[128];
extern unsigned fake_count;

extern struct fake_node copies[10 * LARGE]; /* that the driver was asked for */
extern unsigned copy_count;
extern int events, execs; /* that there are; execs: of copies */
extern char here;         /* the context */

/* What the driver does not do. */
extern int cooperative;  /* the value of such a kernel */
extern int refused;      /* the value of a node that is not enabled, once */
extern int strange;      /* the value of a node whose attributes cannot be copied */
extern int unchangeable; /* the value that a copy does not take */
extern bool refuses_copies, refuses_execs;

/* Sets `driver`. */
void fake_driver(void);
/* Its functions. */
CUresult fake_destroy(CUgraph graph);
CUresult fake_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *kernel);
CUresult fake_copy(CUgraphNode node, CUDA_MEMCPY3D *copy);
CUresult fake_set(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *set);

struct fake *graph_of(CUgraph graph);
struct fake_node *node_of(CUgraphNode node);
/* A graph of `count` nodes, which become those from `first` on. */
CUgraph make(const struct fake_node *nodes, unsigned first, unsigned count);
CUgraphExec exec_of(uintptr_t number);

/* -- the tests ----------------------------------------------------------------------------- */

/* Says a TAP line. */
void check(bool fine, const char *what);
/* sanitizer/graph_parts.c */
void check_parts(void);
/* sanitizer/graph_paths.c */
void check_paths(void);

#endif
