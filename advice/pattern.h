/*
 * advice/pattern.h: one pattern = one function = one row of patterns.def; patterns that follow
 * from the same facts share a file.
 *
 * A pattern looks at the whole profile and adds findings, one for each operation and site of
 * objects.  A finding states what was measured and names the fix; what the data does not show, it
 * does not say.  advice.c then makes one list of them.
 */
#ifndef VFLOW_ADVICE_PATTERN_H
#define VFLOW_ADVICE_PATTERN_H

#include "advice/advice.h"

enum operation {
	OPERATION_OTHER,
	OPERATION_SET,
	OPERATION_UPLOAD,      /* from the host */
	OPERATION_DEVICE_COPY, /* from device to device */
	OPERATION_DOWNLOAD,    /* to the host */
	OPERATION_KERNEL,
	OPERATIONS
};

/* What patterns ask of a run. */
struct run {
	struct profile *profile;
	const struct advice_options *options;
	enum operation *operations; /* per vertex of the graph */
	bool *reads;                /* per vertex: it reads memory of the device */
	bool *host_writes;          /* per vertex: it allocates what the host can write unseen */
	bool reads_unseen, writes_unseen; /* elsewhere, as the coverage says */
};

struct advice_pattern {
	const char *title;                     /* for people */
	const char *name;                      /* in files: "redundant_values" */
	void (*detect)(const struct run *run); /* NULL: the row before finds it, too */
};

#define PATTERN(name, title, detect) void detect(const struct run *run);
#include "advice/patterns.def"

/*
 * Of vertex ids.  The finding has no texts yet: evidence, advice and limits are the caller's to
 * set. `action` is one of advice/actions.md's words.
 */
struct profile_finding *run_add(const struct run *run, const char *pattern, const char *action,
				uint32_t vertex, uint32_t site, uint64_t bytes, uint64_t of);
enum operation run_operation(const struct run *run, uint32_t vertex);
/* "set", "copy", "launch" */
const char *operation_verb(enum operation operation);
/* Adds to the finding's vertices, in order, each once; its own are left out. */
void finding_add_other(struct profile_finding *finding, uint32_t vertex);

#endif
