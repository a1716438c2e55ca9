/* advice/lines/lines.c: what is said of lines of kernels. */
#include "advice/lines/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/words.h"
#include "gpu/value.h"
#include "graph/accessed_value.h"
#include "util/memory.h"
#include "util/regex.h"
#include "util/text.h"

/* -- values ------------------------------------------------------------------------------- */

/* "0 to 9", "0", "-1 * i + 1023", "nearly 1" */
static char *range_of(const struct profile_value_stats *value, const struct profile_top_value *top)
{
	char *least, *most, *text;

	if (value->all == value->any && top)
		return xasprintf("all %s", top->text);
	if (!value->ranged)
		return xstrdup("none is finite");
	if (value->linear)
		return accessed_line_text(value->type, value->slope, value->intercept);
	least = accessed_number_text(value->type, value->least);
	most = accessed_number_text(value->type, value->most);
	text = xasprintf("%s to %s", least, most);
	free(least);
	free(most);
	return text;
}

static char *text_of(const struct profile *profile, const struct words_site *sites,
		     const struct profile_value_stats *value, const struct profile_top_value *top)
{
	char *object = value->site == PROFILE_NO_VERTEX ? xstrdup("shared memory")
							: words_object(profile, sites, value->site);
	char *range = range_of(value, top), *percent, *more = xstrdup(""), *text;

	if (top && value->all != value->any && 2 * top->count >= value->count) {
		free(more);
		percent = words_percent(top->count, value->count);
		more = xasprintf(", %s %s", percent, top->text);
		free(percent);
	}
	if (value->repeats) {
		percent = words_percent(value->repeats, value->count);
		text = xasprintf("%s, %s again", more, percent);
		free(percent);
		free(more);
		more = text;
	}
	text = xasprintf("%s %s %" PRIu64 " times, %s: %s%s", accessed_kind_name(value->kind),
			 accessed_type_name(value->type), value->count, object, range, more);
	free(object);
	free(range);
	free(more);
	return text;
}

/* Whether kernels of these names are asked for; by vertex. */
static int choose(const struct profile *profile, const char *expression, bool *chosen,
		  struct error *error)
{
	struct regex *regex = regex_new(expression, error);
	int result = 0;

	if (!regex)
		return error_prefix(error, "--lines");
	for (uint32_t v = 0; v < profile->graph->vertex_count && result >= 0; v++) {
		const struct graph_vertex *vertex = &profile->graph->vertices[v];

		if (!vertex->kind || strcmp(vertex->kind, "kernel") != 0 || !vertex->name)
			continue;
		result = regex_search(regex, vertex->name, error);
		chosen[v] = result > 0;
	}
	regex_free(regex);
	return result < 0 ? error_prefix(error, "--lines") : 0;
}

static void add_values(const struct profile *profile, const bool *chosen, struct line_notes *notes)
{
	struct words_site *sites = words_sites(profile);

	for (uint32_t i = 0; i < profile->value_count; i++) {
		const struct profile_value_stats *value = &profile->values[i];
		const uint32_t v = graph_find(profile->graph, value->vertex);
		const struct profile_top_value *first;
		uint32_t tops;

		if (value->place == PROFILE_NO_ROW || v == UINT32_MAX || !chosen[v])
			continue;
		first = profile_top_values(profile, i, &tops);
		ARRAY_RESERVE(notes->notes, notes->count, notes->capacity);
		notes->notes[notes->count++] =
			(struct line_note){.vertex = value->vertex,
					   .place = value->place,
					   .weight = value->count,
					   .text = text_of(profile, sites, value, first),
					   .value = i};
	}
	free(sites);
}

/* -- order -------------------------------------------------------------------------------- */

static const struct profile *sorted; /* by by_place() */

static int by_place(const void *left, const void *right)
{
	const struct line_note *a = left, *b = right;
	const struct profile_code_place *p = &sorted->code_places[a->place];
	const struct profile_code_place *q = &sorted->code_places[b->place];
	int order;

	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	if (!p->file != !q->file)
		return p->file ? -1 : 1;
	order = p->file ? strcmp(p->file, q->file) : 0;
	if (order)
		return order;
	if (p->line != q->line)
		return p->line < q->line ? -1 : 1;
	if (!p->line && p->code != q->code)
		return p->code < q->code ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->value > b->value) - (a->value < b->value);
}

int line_notes_find(const struct profile *profile, const char *expression, struct line_notes *notes,
		    struct error *error)
{
	bool *chosen = xcalloc(profile->graph->vertex_count, sizeof(*chosen)), any = false;
	int result = choose(profile, expression, chosen, error);

	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		any |= chosen[v];
	if (!result && !profile->code_place_count)
		result = error_set(error, "--lines: the profile says nothing of lines in kernels: "
					  "collect it with --passes flow,values");
	else if (!result && !any)
		result = error_set(error, "--lines %s: no kernel has such a name", expression);
	if (!result)
		add_values(profile, chosen, notes);
	free(chosen);
	if (!result && !notes->count)
		result = error_set(error, "--lines %s: these kernels were not looked at",
				   expression);
	if (result)
		return result;
	sorted = profile;
	qsort(notes->notes, notes->count, sizeof(*notes->notes), by_place);
	return 0;
}

void line_notes_release(struct line_notes *notes)
{
	for (uint32_t i = 0; i < notes->count; i++)
		free(notes->notes[i].text);
	free(notes->notes);
	*notes = (struct line_notes){0};
}
