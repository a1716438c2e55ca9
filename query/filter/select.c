#include "query/filter/select.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/regex.h"
#include "util/memory.h"
#include "util/text.h"

enum {
	NEAREST = 5,    /* candidates in a message */
	COMPARED = 128, /* bytes of a name that the search for candidates looks at */
	ALIKE = 3,      /* common characters in a row that make a candidate */
};

struct selector {
	char *shown;
	bool by_id;
	uint32_t id;
	struct regex *regex;
};

static bool parse_id(const char *text, uint32_t *id)
{
	unsigned long value;

	text += *text == 'v';
	if (!*text || text[strspn(text, "0123456789")])
		return false;
	errno = 0;
	value = strtoul(text, NULL, 10);
	/* too large for any vertex: let it be one that is not there */
	*id = errno || value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
	return true;
}

struct selector *selector_new(const char *text, struct error *error)
{
	struct selector *selector = xcalloc(1, sizeof(*selector));

	selector->shown = text_clean(text, strlen(text), 200);
	selector->by_id = parse_id(text, &selector->id);
	if (selector->by_id)
		return selector;
	if (!*text) {
		error_set(error, "the name of the vertex is empty");
	} else {
		selector->regex = regex_new(text, error);
		if (selector->regex)
			return selector;
	}
	selector_free(selector);
	return NULL;
}

void selector_free(struct selector *selector)
{
	if (!selector)
		return;
	regex_free(selector->regex);
	free(selector->shown);
	free(selector);
}

const char *selector_name(const struct graph_vertex *vertex)
{
	if (vertex->fields & VERTEX_NAME && vertex->name)
		return vertex->name;
	return vertex->node ? vertex->node : "";
}

/* Length of the longest string that is in both, whatever the case. */
static unsigned alike(const char *a, const char *b)
{
	unsigned row[COMPARED + 1] = {0}, longest = 0;
	size_t columns = strnlen(b, COMPARED);

	for (size_t i = 0; i < COMPARED && a[i]; i++)
		for (size_t j = columns; j > 0; j--) { /* downwards: row[j - 1] is still of i - 1 */
			row[j] = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j - 1])
					 ? row[j - 1] + 1
					 : 0;
			if (row[j] > longest)
				longest = row[j];
		}
	return longest;
}

/* Puts the vertices whose names are most like the wanted one into the message. */
static int nothing_matches(const struct selector *selector, const struct graph *graph,
			   struct error *error)
{
	uint32_t best[NEAREST];
	unsigned scores[NEAREST], count = 0;
	char list[600] = "";

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		unsigned score = alike(selector->shown, selector_name(&graph->vertices[v]));
		unsigned at = count;

		if (score < ALIKE)
			continue;
		while (at > 0 && scores[at - 1] < score)
			at--;
		if (at == NEAREST)
			continue;
		count += count < NEAREST;
		for (unsigned i = count - 1; i > at; i--) {
			best[i] = best[i - 1];
			scores[i] = scores[i - 1];
		}
		best[at] = v;
		scores[at] = score;
	}
	for (unsigned i = 0; i < count; i++) {
		const struct graph_vertex *vertex = &graph->vertices[best[i]];
		const char *text = selector_name(vertex);
		char *name = text_clean(text, strlen(text), 80);
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%" PRIu32 " %s", i ? ", " : "",
			 vertex->id, name);
		free(name);
	}
	error_set(error, "no vertex has '%s' in its name or call path; %s%s", selector->shown,
		  count ? "most alike: " : "'vflow report' and 'vflow export' list the vertices",
		  list);
	return 0;
}

/* Only the host is called so. */
static int means_host(const struct selector *selector, struct error *error)
{
	error_set(error,
		  "'%s' finds the host only, which an expression never means: give its ID, %d",
		  selector->shown, GRAPH_HOST);
	return 0;
}

static int no_such_id(const struct selector *selector, const struct graph *graph,
		      struct error *error)
{
	uint32_t highest = 0;

	for (uint32_t v = 0; v < graph->vertex_count; v++)
		if (graph->vertices[v].id > highest)
			highest = graph->vertices[v].id;
	error_set(error, "there is no vertex %s: the highest id is %" PRIu32, selector->shown,
		  highest);
	return 0;
}

int64_t selector_mark(const struct selector *selector, const struct graph *graph, bool *of,
		      struct error *error)
{
	bool host = false;
	int64_t count = 0;

	if (selector->by_id) {
		uint32_t v = graph_find(graph, selector->id);

		if (v == UINT32_MAX)
			return no_such_id(selector, graph, error);
		of[v] = true;
		return 1;
	}
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &graph->vertices[v];
		int found;

		found = regex_search(selector->regex, selector_name(vertex), error);
		if (vertex->id == GRAPH_HOST && found >= 0) {
			host = found;
			continue;
		}
		if (found == 0 && vertex->callpath)
			found = regex_search(selector->regex, vertex->callpath, error);
		if (found < 0)
			return error_prefix(error, "vertex %" PRIu32, vertex->id);
		of[v] |= found;
		count += found;
	}
	if (count)
		return count;
	return host ? means_host(selector, error) : nothing_matches(selector, graph, error);
}

int selectors_new(struct selectors *selectors, const struct option_list *texts, struct error *error)
{
	*selectors = (struct selectors){
		.items = xcalloc((size_t)texts->count + 1, sizeof(*selectors->items))};
	for (; selectors->count < texts->count; selectors->count++) {
		selectors->items[selectors->count] =
			selector_new(texts->items[selectors->count], error);
		if (!selectors->items[selectors->count]) {
			selectors_free(selectors);
			return -1;
		}
	}
	return 0;
}

void selectors_free(struct selectors *selectors)
{
	for (uint32_t i = 0; i < selectors->count; i++)
		selector_free(selectors->items[i]);
	free(selectors->items);
	*selectors = (struct selectors){0};
}

int objects_new(struct query_objects *objects, const struct option_list *texts, struct error *error)
{
	*objects = (struct query_objects){
		.ids = xcalloc((size_t)texts->count + 1, sizeof(*objects->ids))};
	for (; objects->count < texts->count; objects->count++) {
		const char *text = texts->items[objects->count];

		if (*text == 'v' || !parse_id(text, &objects->ids[objects->count])) {
			free(objects->ids);
			*objects = (struct query_objects){0};
			return error_set(error, "--object: '%s' is not a number", text);
		}
	}
	return 0;
}
