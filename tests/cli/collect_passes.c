/*
 * vflow-passes: `vflow collect` with passes of the tests' own beside `flow`, for collect_passes.sh
 * and collect_join.sh.  On the emulated device they record what `flow` does, but for `noted`, of
 * which an analysis of its own writes a line per operation to the file that NOTED_FACTS names.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/cmd_collect.h"
#include "tests/cli/collect_join.h"
#include "util/command.h"
#include "util/memory.h"

/* -- passes -- */

static const struct pass_option word = {
	.option = {.name = "word",
		   .argument = "WORD",
		   .help = "for the program",
		   .kind = OPTION_TEXT},
	.variable = "WORD_OF_PASS",
};

static const struct pass_library none = {.name = "libvflow-none.so", .install = "nothing"};
static const struct pass_provider emulated[] = {{.device = &device_emulated}, {0}};
static const struct pass_provider gpu[] = {{.device = &device_gpu, .library = &none}, {0}};

static const struct pass early = {.name = "early",
				  .gives = "runs before flow",
				  .role = PASS_JOINS_GRAPH,
				  .providers = emulated,
				  .options = (const struct pass_option *const[]){&word, NULL}};
static const struct pass one = {.name = "one",
				.gives = "shares a run with two",
				.role = PASS_JOINS_GRAPH,
				.run = "both",
				.providers = emulated};
static const struct pass two = {.name = "two",
				.gives = "shares a run with one",
				.role = PASS_JOINS_GRAPH,
				.run = "both",
				.providers = emulated};
static const struct pass noted = {.name = "noted",
				  .gives = "bytes of each call",
				  .role = PASS_JOINS_GRAPH,
				  .providers = emulated};
static const struct pass never = {.name = "never",
				  .gives = "needs a GPU and a library that is not built",
				  .role = PASS_JOINS_GRAPH,
				  .providers = gpu};

extern const struct pass pass_flow; /* vflow's own */

static const struct pass *const table[] = {&early, &pass_flow, &one, &two, &noted, &never, NULL};

/* -- the analysis of `noted` -- */

struct fact {
	uint64_t calls, bytes;
};

struct facts {
	const struct profile *profile;
	struct fact *facts; /* by vertex; the last one: calls without a vertex */
	uint32_t vertices;
};

static void *begin(struct profile *profile)
{
	struct facts *facts = xcalloc(1, sizeof(*facts));

	facts->profile = profile;
	return facts;
}

static int take(void *state, const struct build_event *event, const struct build_record *record,
		struct error *error)
{
	struct facts *facts = state;
	struct noted payload;
	struct fact *fact;

	if (record->size != sizeof(payload) || !record->of_call)
		return error_set(error, "a note of %u bytes", record->size);
	memcpy(&payload, record->payload, sizeof(payload));
	if (!facts->facts) { /* the graph is whole before */
		facts->vertices = facts->profile->graph->vertex_count;
		facts->facts = xcalloc(facts->vertices + 1, sizeof(*facts->facts));
	}
	fact = &facts->facts[event->vertex == PROFILE_NO_VERTEX ? facts->vertices : event->vertex];
	fact->calls++;
	fact->bytes += payload.bytes;
	return 0;
}

static void end(void *state)
{
	struct facts *facts = state;
	const char *path = getenv("NOTED_FACTS");
	FILE *out = path ? fopen(path, "w") : NULL;

	for (uint32_t i = 0; out && facts->facts && i <= facts->vertices; i++) {
		const struct fact *fact = &facts->facts[i];

		if (!fact->calls)
			continue;
		if (i < facts->vertices)
			fprintf(out, "v%u %s", i, facts->profile->graph->vertices[i].kind);
		else
			fputs("none", out);
		fprintf(out, " %" PRIu64 " %" PRIu64 "\n", fact->calls, fact->bytes);
	}
	for (uint32_t i = 0; out && i < facts->profile->pass_count; i++) {
		const struct profile_pass *pass = &facts->profile->passes[i];

		fprintf(out, "pass %s: %s, %s, run %u%s%s\n", pass->name, pass->provider,
			pass->device, pass->run, pass->makes_graph ? ", graph" : "",
			pass->seconds > 0 ? ", timed" : "");
	}
	if (out)
		fclose(out);
	free(facts->facts);
	free(facts);
}

static const struct build_analysis notes = {
	.name = "notes",
	.pass = "noted",
	.kinds = (const uint32_t[]){NOTED_KIND, 0},
	.begin = begin,
	.record = take,
	.end = end,
};

static const struct build_analysis *const analyses[] = {&build_duplicates, &build_events, &notes,
							NULL};

int main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "collect") != 0)
		return EXIT_MISUSE;
	return collect_with_passes(table, analyses, argc - 1, argv + 1);
}
