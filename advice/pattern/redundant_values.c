/*
 * advice/pattern/redundant_values.c: operations that write what is there already (ValueExpert
 * Def. 3.1), uploads among them (duplicate transfers).
 *
 * What can be done about it depends on when it was so: every time, every time but the first, the
 * first time only, now and then, or in part of what was written.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum { SOURCES_NAMED = 3 };

/* When the writes of a vertex to the objects of a site changed nothing. */
enum when {
	ALWAYS,
	AFTER_FIRST, /* of each object */
	FIRST_ONLY,
	SOMETIMES,
	IN_PART, /* of the bytes */
	TIMES
};

struct source {          /* somebody whose values were written again */
	uint32_t vertex; /* index */
	uint64_t bytes;
};

struct writer {
	const struct run *run;
	struct profile_write write;
	enum operation operation;
	enum when when;
	uint64_t bytes;         /* that the finding is about */
	struct source *sources; /* most bytes first */
	uint32_t source_count;
	bool computes;     /* a kernel that reads, and not the same again each time */
	bool changes_more; /* a kernel that changes other objects */
};

/* What to do, for programs and for people. */
struct mend {
	const char *action, *advice;
	bool input; /* may be wrong with another input */
};

/*
 * By operation and by when.  With another input a kernel may write something else between two sets:
 * a flag that is cleared before each step, and raised in none.
 */
static const struct mend set_mends[TIMES] = {
	[ALWAYS] = {"delete", "Delete this set: the values were there already, from %s.", false},
	[AFTER_FIRST] = {"set_once",
			 "Set it once: each later time the values were there already, from %s.",
			 true},
	[FIRST_ONLY] = {"delete_first",
			"Leave out the first set: the values were there already, from %s.", false},
	[SOMETIMES] = {"none",
		       "Set it only after something else was written there: the values were "
		       "there already, from %s.",
		       true},
	[IN_PART] = {"set_range",
		     "Set only the part that something else was written to: the rest was there "
		     "already, from %s.",
		     false},
};

static const struct mend copy_mends[TIMES] = {
	[ALWAYS] = {"delete", "Delete this copy: the bytes were there already, from %s.", false},
	[AFTER_FIRST] = {"copy_once",
			 "Copy once: each later time the bytes were there already, from %s.",
			 false},
	[FIRST_ONLY] = {"delete_first",
			"Skip the first copy: the bytes were there already, from %s.", false},
	[SOMETIMES] = {"copy_when_changed",
		       "Copy only when the bytes have changed: they were there already, from %s.",
		       false},
	[IN_PART] = {"copy_range",
		     "Copy only the part that has changed: the rest was there already, from %s.",
		     false},
};

static const struct mend kernel_mends[TIMES] = {
	[ALWAYS] = {"none", "The kernel wrote only what was there already, from %s.", true},
	[AFTER_FIRST] = {"launch_once",
			 "Launch it once, or again only when what it computes from has changed: "
			 "all launches after the first wrote the same again.",
			 true},
	[FIRST_ONLY] = {"none", "The first launch wrote what was there already, from %s.", true},
	[SOMETIMES] = {"none", "Some launches wrote only what was there already, from %s.", true},
	[IN_PART] = {"none",
		     "Store only values that change: the kernel stores in part what was there "
		     "already, from %s.",
		     false},
};

/* A kernel that reads nothing fills. */
static const struct mend fill_mend = {
	"delete", "Delete this launch: the values were there already, from %s.", true};

static const char coincidence[] =
	"That the result equals what was there may be a coincidence: the kernel computes it.";

static const struct mend *mend_of(const struct writer *writer)
{
	static const struct mend kernel_coincidence = {
		"none", "The kernel wrote what was there already, from %s.", true};

	switch (writer->operation) {
	case OPERATION_SET:
		return &set_mends[writer->when];
	case OPERATION_UPLOAD:
	case OPERATION_DEVICE_COPY:
		return &copy_mends[writer->when];
	default:
		break;
	}
	if (writer->when != IN_PART && (writer->computes || writer->changes_more))
		return &kernel_coincidence;
	if (writer->when == ALWAYS && !writer->computes)
		return &fill_mend;
	return &kernel_mends[writer->when];
}

/* -- sources -- */

static int by_bytes(const void *left, const void *right)
{
	const struct source *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static void find_sources(struct writer *writer)
{
	const struct graph *graph = writer->run->profile->graph;
	const struct run_edges edges =
		run_edges_to(writer->run, writer->write.vertex, writer->write.site);
	uint32_t capacity = 0;

	for (uint32_t i = 0; i < edges.count; i++) {
		const struct graph_edge *edge = &graph->edges[edges.items[i]];

		if (!graph_edge_unchanged(edge))
			continue;
		ARRAY_RESERVE(writer->sources, writer->source_count, capacity);
		writer->sources[writer->source_count++] =
			(struct source){edge->from, graph_edge_unchanged(edge)};
	}
	if (writer->source_count)
		qsort(writer->sources, writer->source_count, sizeof(*writer->sources), by_bytes);
}

/* "cudaMemset (vertex 3, a.c:4), its own earlier invocations and 2 more". */
static char *sources_of(const struct writer *writer)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (uint32_t i = 0; i < writer->source_count && i < SOURCES_NAMED; i++) {
		uint32_t v = writer->sources[i].vertex;
		bool own = writer->run->profile->graph->vertices[v].id == writer->write.vertex;
		char *name = own ? xstrdup("its own earlier invocations")
				 : words_vertex(writer->run->profile, v);

		fprintf(out, "%s%s", i ? ", " : "", name);
		free(name);
	}
	if (writer->source_count > SOURCES_NAMED)
		fprintf(out, " and %" PRIu32 " more", writer->source_count - SOURCES_NAMED);
	fclose(out);
	return text;
}

/* -- what is said -- */

static char *evidence_of(const struct writer *writer, const char *sources)
{
	const struct profile_write *write = &writer->write;
	char *bytes = words_bytes(writer->bytes), *all = words_bytes(write->bytes);
	char *percent = words_percent(writer->bytes, write->bytes), *text;
	const char *verb = operation_verb(writer->operation, write->writes);

	if (writer->when == IN_PART)
		text = xasprintf("%s of the %s (%s) that it wrote to the object had that value "
				 "already, left by %s.",
				 bytes, all, percent, sources);
	else if (writer->when == ALWAYS)
		text = xasprintf("%s %" PRIu64 " %s changed nothing: all %s had that value "
				 "already, left by %s.",
				 write->writes > 1 ? "All" : "The", write->writes, verb, bytes,
				 sources);
	else
		text = xasprintf("%" PRIu64 " of %" PRIu64 " times it changed nothing: %s had that "
				 "value already, left by %s.",
				 write->unchanged_writes, write->writes, bytes, sources);
	free(bytes);
	free(all);
	free(percent);
	return text;
}

static const char limits[] = "one run, one input; values compared as bits; writers known per 4 "
			     "bytes";

static char *advice_of(const struct writer *writer, const struct mend *mend, const char *sources)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (const char *at = mend->advice; *at; at++) {
		if (at[0] == '%' && at[1] == 's') {
			fputs(sources, out);
			at++;
		} else {
			fputc(*at, out);
		}
	}
	if (writer->when != IN_PART && writer->operation == OPERATION_KERNEL && writer->computes)
		fprintf(out, " %s", coincidence);
	fclose(out);
	return text;
}

static void add_finding(const struct writer *writer)
{
	const struct graph *graph = writer->run->profile->graph;
	const struct mend *mend = mend_of(writer);
	bool transfer = writer->operation == OPERATION_UPLOAD && writer->when != IN_PART;
	char *sources = sources_of(writer);
	struct profile_finding *finding = run_add(
		writer->run, transfer ? "duplicate_transfer" : "redundant_values", mend->action,
		writer->write.vertex, writer->write.site, writer->bytes, writer->write.bytes);

	finding->input = mend->input ||
			 (writer->operation == OPERATION_DEVICE_COPY && writer->when != IN_PART &&
			  run_copies_results(writer->run, writer->write.vertex));
	finding->invocations = writer->write.writes;
	finding->evidence = evidence_of(writer, sources);
	finding->advice = advice_of(writer, mend, sources);
	finding->limits = xstrdup(limits);
	for (uint32_t i = 0; i < writer->source_count; i++)
		finding_add_other(finding, graph->vertices[writer->sources[i].vertex].id);
	free(sources);
}

/* -- what is found -- */

/* Sets `when` and `bytes`; false: what was unchanged is not worth a word. */
static bool look(struct writer *writer, double threshold)
{
	const struct profile_write *write = &writer->write;
	uint64_t partly = write->unchanged_bytes - write->unchanged_writes_bytes;

	writer->bytes = write->unchanged_writes_bytes;
	if (write->unchanged_writes == write->writes)
		writer->when = ALWAYS;
	else if (!write->changed_later && write->unchanged_writes > write->unchanged_first)
		writer->when = AFTER_FIRST;
	else if (write->unchanged_writes && write->unchanged_writes == write->unchanged_first)
		writer->when = FIRST_ONLY;
	else
		writer->when = SOMETIMES;
	if (partly > writer->bytes &&
	    (double)write->unchanged_bytes >= threshold * (double)write->bytes) {
		writer->when = IN_PART;
		writer->bytes = write->unchanged_bytes;
	}
	return writer->bytes > 0;
}

/* A kernel's other objects, and what it reads. */
static void look_at_kernel(struct writer *writer)
{
	const struct profile_write *write = &writer->write;
	uint32_t v = graph_find(writer->run->profile->graph, write->vertex);
	/* nothing is known of the first one of all */
	uint64_t again = write->same_input + write->unchanged_first;

	writer->computes = writer->run->reads[v] && again < write->unchanged_writes;
	if (write->unchanged_writes == write->writes)
		writer->computes = writer->run->reads[v];
	writer->changes_more = run_changes_others(writer->run, write);
}

static void take(const struct run *run, const struct profile_write *write)
{
	struct writer writer = {
		.run = run, .write = *write, .operation = run_operation(run, write->vertex)};

	if (writer.operation == OPERATION_OTHER || !write->unchanged_bytes || run->writes_unseen ||
	    run_unseen(run, write->vertex) || !look(&writer, run->options->redundancy))
		return;
	if (writer.operation == OPERATION_KERNEL)
		look_at_kernel(&writer);
	find_sources(&writer);
	add_finding(&writer);
	free(writer.sources);
}

static void detect_redundant_values(const struct run *run)
{
	for (uint32_t i = 0; i < run->profile->write_count; i++)
		take(run, &run->profile->writes[i]);
}

const struct pattern pattern_redundant_values = {
	.detect = detect_redundant_values,
	.names = (const struct pattern_name[]){{"duplicate_transfer", "duplicate transfer"},
					       {"redundant_values", "redundant values"},
					       {NULL, NULL}},
};
