/*
 * advice/report/finding.h: what every form of the report says of a finding.
 *
 * Findings are indices into profile->findings.  Every char * is allocated; the caller frees it.
 */
#ifndef VFLOW_ADVICE_REPORT_FINDING_H
#define VFLOW_ADVICE_REPORT_FINDING_H

#include "advice/source_files.h"
#include "advice/words.h"

/*
 * "saves 3.10 ms of 42.0 ms, 7.4%" where that is known, of memory "peak falls by 1.0M", else
 * "64.0K" or the time.
 */
char *finding_worth(const struct profile *profile, uint32_t finding);
/* "dead write: saves 3.10 ms of 42.0 ms, 7.4%; 64.0K, delete" */
char *finding_title(const struct profile *profile, uint32_t finding);
/* "cudaMemset (vertex 3, util.c:12 < main.c:31)": the operation or the calls that it is about. */
char *finding_operation(const struct profile *profile, uint32_t finding);
/* The same with shorter names where it has more columns; with long paths it may have more yet. */
char *finding_operation_in(const struct profile *profile, uint32_t finding, size_t width);

/*
 * "fill blas.c:12 < forward conv.c:40 < main demo.c:100", of the node of a CUDA graph "capture
 * gr.c:24 < main gr.c:30, replayed at main gr.c:34", of no known path words that say so.
 */
char *finding_path(const struct profile *profile, uint32_t vertex_index);
/* The same of calls that are no vertex. */
char *finding_calls_path(const struct profile_api *api);

/*
 * "weights: cudaMalloc (vertex 1), 64.0K": what the source calls the object, where it tells, and
 * what allocates it.  NULL: the id is of no vertex.
 */
char *finding_object(const struct profile *profile, const struct words_site *sites,
		     struct source_files *files, uint32_t site);

/* The operand FILE as the shell takes it, after a space; "" for none (NULL). */
char *finding_operand(const char *file);
/* A command that shows more of it; NULL: none does. */
char *finding_look(const struct profile *profile, const struct profile_finding *finding,
		   const char *operand);

/* A line of the source; without a file and line 0: not known.  The texts are the profile's. */
struct finding_line {
	const char *file, *function;
	uint32_t line;
};

/*
 * Where to point at: the line of GPU code that it is about; else of the call path the innermost
 * line in a file below `folder`, which is where the program's own source is likely to be; where
 * there is none, the innermost line.  The graph is the profile's, which may have been taken out of
 * it.
 */
struct finding_line finding_line(const struct profile *profile, const struct graph *graph,
				 uint32_t finding, const char *folder);
/* The file as it is called in the folder; NULL: it is not below it. */
const char *finding_file_in(const char *file, const char *folder);

#endif
