/* advice/memory/words.c: see words.h. */
#include "advice/memory/words.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/memory/frequency.h"
#include "advice/report/worth.h"
#include "util/memory.h"
#include "util/text.h"

static char *vertex_words(const struct profile *profile, uint32_t vertex)
{
	uint32_t v = vertex == PROFILE_NO_VERTEX ? UINT32_MAX : graph_find(profile->graph, vertex);

	return v == UINT32_MAX ? xstrdup("an unknown call") : words_vertex(profile, v);
}

/* "12 API calls come", "1 kernel comes", "no kernel comes" */
static char *distance_words(const struct report_memory *report, uint64_t distance)
{
	bool kernels = report->options.rules == MEMORY_RULES_ARTEFACT;

	if (!distance)
		return xasprintf("no %s comes", kernels ? "kernel" : "API call");
	return xasprintf("%" PRIu64 " %s%s", distance, kernels ? "kernel" : "API call",
			 text_plural(distance, " comes", "s come"));
}

/* Of an object that is not all accessed, or by slices; caller frees. */
static char *access_evidence(const struct profile *profile, const struct memory_finding *finding)
{
	const struct access_facts *facts = &finding->access;
	const uint64_t size = profile->objects[finding->worst->object].size;
	char *used, *share, *unused, *largest, *kernel, *text;

	if (finding->pattern == MEMORY_STRUCTURED) {
		largest = words_bytes(facts->slices->largest_bytes);
		kernel = vertex_words(profile, facts->slices->vertex);
		text = xasprintf("Each of the %" PRIu64 " launches of %s accesses a slice of its "
				 "own, of %s at most; no two launches of any kernel overlap.",
				 facts->slices->launches, kernel, largest);
		free(largest);
		free(kernel);
		return text;
	}
	used = words_bytes(facts->accessed->bytes);
	share = words_percent(facts->accessed->bytes, size);
	unused = words_bytes(access_unused(profile, facts->accessed));
	largest = words_bytes(facts->accessed->largest_bytes);
	text = xasprintf("%s of it, %s, is accessed; the other %s are in %" PRIu64
			 " chunk%s, the largest of %s (fragmentation %.0f%%).",
			 share, used, unused, facts->accessed->chunks,
			 text_plural(facts->accessed->chunks, "", "s"), largest,
			 100 * access_fragmentation(profile, facts->accessed));
	free(used);
	free(share);
	free(unused);
	free(largest);
	return text;
}

static char *access_advice(const struct profile *profile, const struct memory_finding *finding)
{
	const struct access_facts *facts = &finding->access;
	const struct profile_accessed *accessed = facts->accessed;
	const uint64_t size = profile->objects[finding->worst->object].size;
	char *kernel, *bytes, *text;

	if (finding->pattern == MEMORY_STRUCTURED) {
		bytes = words_bytes(facts->slice_bytes);
		kernel = vertex_words(profile, facts->slices->vertex);
		text = xasprintf("Allocate %s for a slice, and use them again for each launch of "
				 "%s, if what it leaves in one is not needed any more by then.",
				 bytes, kernel);
		free(kernel);
		free(bytes);
		return text;
	}
	bytes = words_bytes(accessed->largest_offset);
	if (accessed->largest_offset + accessed->largest_bytes == size)
		text = xasprintf("Allocate its first %s only.", bytes);
	else
		text = xasprintf("Allocate it without the chunk, which begins %s into it.", bytes);
	free(bytes);
	return text;
}

static char *dead_evidence(const struct profile *profile, const struct memory_finding *finding)
{
	char *dead = vertex_words(profile, finding->worst->dead_vertex);
	char *next = vertex_words(profile, finding->worst->dead_next_vertex);
	char *text = xasprintf("%" PRIu64 " of the copies and sets that write it %s followed by "
			       "another one, with no access in between, the first time %s by %s.",
			       finding->most, text_plural(finding->most, "is", "are"), dead, next);

	free(dead);
	free(next);
	return text;
}

char *memory_evidence(const struct report_memory *report, const struct words_site *sites,
		      const struct memory_finding *finding)
{
	const struct profile *profile = report->profile;
	const struct profile_lifetime *worst = finding->worst;
	char *distance = distance_words(report, finding->most);
	char *first = vertex_words(profile, worst->first_vertex);
	char *last = vertex_words(profile, worst->last_vertex);
	char *from = vertex_words(profile, worst->idle_from_vertex);
	char *to = vertex_words(profile, worst->idle_to_vertex);
	char *other = finding->pattern == MEMORY_REDUNDANT
			      ? words_object(profile, sites, finding->reuses)
			      : xstrdup("");
	const bool freed = worst->freed.call != PROFILE_UNKNOWN;
	char *text = NULL;

	switch (finding->pattern) {
	case MEMORY_UNUSED:
		text = xasprintf("No API call accesses it%s.", freed ? ", until it is freed" : "");
		break;
	case MEMORY_LEAK:
		text = worst->accesses ? xasprintf("It is never freed; %s after the last access, "
						   "by %s.",
						   distance, last)
				       : xstrdup("It is never freed.");
		break;
	case MEMORY_EARLY:
		text = xasprintf("%s between its allocation and the first access, by %s.", distance,
				 first);
		break;
	case MEMORY_LATE:
		text = xasprintf("%s between the last access, by %s, and its release.", distance,
				 last);
		break;
	case MEMORY_REDUNDANT:
		text = xasprintf("When it is first accessed, by %s, memory of that size is not "
				 "needed any more: %s.",
				 first, other);
		break;
	case MEMORY_IDLE:
		text = xasprintf("%s between two accesses, by %s and by %s.", distance, from, to);
		break;
	case MEMORY_NONUNIFORM:
		text = frequency_evidence(profile, finding);
		break;
	case MEMORY_DEAD_WRITE:
		text = dead_evidence(profile, finding);
		break;
	default:
		text = access_evidence(profile, finding);
	}
	free(distance);
	free(first);
	free(last);
	free(from);
	free(to);
	free(other);
	return text;
}

/* Whether what idles has only been set, or filled by the host, which can come later. */
static bool is_filled_early(const struct profile *profile, const struct profile_lifetime *lifetime)
{
	const struct graph *graph = profile->graph;
	uint32_t v = graph_find(graph, lifetime->idle_from_vertex);

	if (v == UINT32_MAX || lifetime->first.call != lifetime->idle_from.call)
		return false;
	if (graph_vertex_is(&graph->vertices[v], "memset"))
		return true;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (graph->edges[e].to == v &&
		    graph->vertices[graph->edges[e].from].id == GRAPH_HOST &&
		    graph_vertex_is(&graph->vertices[v], "memcpy"))
			return true;
	return false;
}

static bool raises_peak(const struct memory *memory, const struct memory_finding *finding)
{
	return finding->peak > memory->peak && finding->peak != PROFILE_UNKNOWN;
}

const char *memory_action(const struct profile *profile, const struct memory *memory,
			  const struct memory_finding *finding)
{
	static const char *const actions[MEMORY_PATTERNS] = {
		[MEMORY_UNUSED] = "delete",
		[MEMORY_LEAK] = "free",
		[MEMORY_EARLY] = "allocate_later",
		[MEMORY_LATE] = "free_earlier",
		[MEMORY_REDUNDANT] = "use_again",
		[MEMORY_IDLE] = "free_meanwhile",
		[MEMORY_OVERALLOCATION] = "allocate_less",
		[MEMORY_STRUCTURED] = "allocate_less",
		[MEMORY_NONUNIFORM] = "keep_near",
		[MEMORY_DEAD_WRITE] = "delete_overwritten",
	};

	if (finding->pattern == MEMORY_REDUNDANT && raises_peak(memory, finding))
		return actions[MEMORY_LATE];
	if (finding->pattern == MEMORY_IDLE && is_filled_early(profile, finding->worst))
		return actions[MEMORY_EARLY];
	return actions[finding->pattern];
}

char *memory_advice(const struct profile *profile, const struct memory *memory,
		    const struct memory_finding *finding)
{
	const bool raises = raises_peak(memory, finding);
	const struct profile_lifetime *worst = finding->worst;
	char *first = vertex_words(profile, worst->first_vertex);
	char *last = vertex_words(profile, worst->last_vertex);
	char *from = vertex_words(profile, worst->idle_from_vertex);
	char *to = vertex_words(profile, worst->idle_to_vertex);
	char *text = NULL;

	switch (finding->pattern) {
	case MEMORY_UNUSED:
		text = xstrdup("Delete the allocation, or make it only where it is used.");
		break;
	case MEMORY_LEAK:
		text = worst->accesses ? xasprintf("Free it after %s.", last)
				       : xstrdup("Free it, or do not allocate it.");
		break;
	case MEMORY_EARLY:
		text = xasprintf("Allocate it right before %s.", first);
		break;
	case MEMORY_LATE:
		text = xasprintf("Free it right after %s.", last);
		break;
	case MEMORY_REDUNDANT:
		text = xstrdup(
			raises ? "Leave it: used again, that memory would stay for longer, and the "
				 "peak be higher. Free it right after its last access instead."
			       : "Use that memory again instead of allocating more.");
		break;
	case MEMORY_IDLE:
		text = xasprintf(
			is_filled_early(profile, worst)
				? "Nobody needs it before that: allocate it, and do what %s "
				  "does, right before %s."
				: "Where memory is short: free it after %s, and bring it back, "
				  "from the host or computed anew, before %s.",
			from, to);
		break;
	case MEMORY_NONUNIFORM:
		text = frequency_advice(profile, finding);
		break;
	case MEMORY_DEAD_WRITE:
		text = xstrdup(
			"Delete those of the earlier ones of which the later one writes all "
			"bytes: vflow report, without --memory, finds dead writes by bytes.");
		break;
	default:
		text = access_advice(profile, finding);
	}
	free(first);
	free(last);
	free(from);
	free(to);
	return text;
}

/* "3.5", "41.9M" */
static char *product_words(double value)
{
	return value < 1024 ? xasprintf("%.3g", value)
			    : words_bytes(value < 1e19 ? (uint64_t)value : UINT64_MAX);
}

char *memory_cost(const struct report_memory *report, const struct memory_finding *finding)
{
	const bool kernels = report->options.rules == MEMORY_RULES_ARTEFACT;
	char *spent = product_words(finding->byte_seconds), *seconds,
	     *peak = words_bytes(finding->peak_bytes);
	char *product = words_bytes(finding->bytes_time), *text;

	if (finding->timed < finding->objects)
		seconds = finding->timed ? xasprintf(", of %" PRIu64 " objects %s byte seconds",
						     finding->timed, spent)
					 : xstrdup("");
	else
		seconds = xasprintf(", %s byte seconds", spent);
	text = xasprintf(
		"%s times %s between%s%s%s%s", product, kernels ? "kernels" : "API calls", seconds,
		finding->timed && report_is_model(report->profile) ? " of model time" : "",
		finding->peak_bytes ? "; at the peak: " : "", finding->peak_bytes ? peak : "");
	free(spent);
	free(seconds);
	free(peak);
	free(product);
	return text;
}
