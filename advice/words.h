/*
 * advice/words.h: vertices, objects and numbers as words of a sentence.
 *
 * Every char * is allocated; the caller frees it.
 */
#ifndef VFLOW_ADVICE_WORDS_H
#define VFLOW_ADVICE_WORDS_H

#include "graph/profile/profile.h"

/* "gemm<float>" for "void gemm<float>(float *, int)"; at most 80 bytes. */
char *words_name(const struct graph_vertex *vertex);

bool words_has_line(const struct profile_frame *frame);

/* "ns::forward conv.c:40", as profile_frame_text() but with a plain name. */
char *words_frame(const struct profile_frame *frame);

/* "cudaMemset (vertex 3, util.c:12 < main.c:31)". */
char *words_vertex(const struct profile *profile, uint32_t vertex_index);

/* "cudaDeviceSynchronize (step main.c:30)", of calls of a function from one call path. */
char *words_calls(const struct profile_api *api);

/* The same two, with the name of the operation or of the caller in at most `limit` bytes. */
char *words_vertex_within(const struct profile *profile, uint32_t vertex_index, size_t limit);
char *words_calls_within(const struct profile_api *api, size_t limit);

/* The objects that a vertex allocates. */
struct words_site {
	const char *global; /* name of a module global; NULL: they are none */
	uint64_t count, largest;
};

/* Of each vertex of the graph; the caller frees the array. */
struct words_site *words_sites(const struct profile *profile);

/* "cudaMalloc (vertex 1, main.c:8)", "global weights (vertex 4)", "object 7" when unknown. */
char *words_object(const struct profile *profile, const struct words_site *sites, uint32_t site);

/* "1.0K", and "57 bytes" for what has no unit. */
char *words_bytes(uint64_t bytes);
/* "3.14 ms", with three digits */
char *words_ns(uint64_t ns);

/* "37.5%"; "100%" only for exactly that. */
char *words_percent(uint64_t part, uint64_t whole);

/* "sum v.cu:12", of a function and a line in GPU code. */
char *words_code_place(const struct profile_code_place *place);

/* "texture reads: 3, 1.0K: why". */
char *words_gap(const struct profile_coverage *row);

/* "cudaMemset returned invalid argument (1), 3 times: clear a.cu:12 < main a.cu:40". */
char *words_failed_call(const struct profile_failed_call *call);

/* "copy once" for "copy_once"; "" where none is known. */
char *words_action(const char *action);

#endif
