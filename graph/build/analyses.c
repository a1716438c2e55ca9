/* graph/build/analyses.c: see build/analyses.h. */
#include "graph/build/analyses.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

const struct build_analysis *const build_analyses[] = {
#define ROW(name) &build_##name,
#include "rows/graph/build/analysis.def"
#undef ROW
	NULL,
};

struct analyses {
	const struct build_analysis *const *table;
	void **states;
	bool *chosen; /* that see the run that is read */
};

static bool takes(const struct build_analysis *analysis, uint32_t kind)
{
	for (const uint32_t *taken = analysis->kinds; taken && *taken; taken++)
		if (*taken == kind)
			return true;
	return false;
}

struct analyses *analyses_begin(const struct build_analysis *const *table, struct profile *profile)
{
	struct analyses *analyses = xcalloc(1, sizeof(*analyses));
	size_t count = 0;

	while (table[count])
		count++;
	analyses->table = table;
	analyses->states = xcalloc(count + 1, sizeof(*analyses->states));
	analyses->chosen = xcalloc(count + 1, sizeof(*analyses->chosen));
	for (size_t i = 0; i < count; i++)
		analyses->states[i] = table[i]->begin(profile);
	return analyses;
}

/* Whether the name is one of a list with commas. */
static bool is_listed(const char *names, const char *name)
{
	size_t length = strlen(name);

	while (names && *names) {
		size_t word = strcspn(names, ",");

		if (word == length && !strncmp(names, name, length))
			return true;
		names += word + (names[word] == ',');
	}
	return false;
}

void analyses_choose(struct analyses *analyses, const char *passes, bool makes_graph)
{
	for (size_t i = 0; analyses->table[i]; i++) {
		const char *pass = analyses->table[i]->pass;

		analyses->chosen[i] = pass ? is_listed(passes, pass) : makes_graph;
	}
}

/* Whether the analysis of row i sees the event. */
static bool sees(const struct analyses *analyses, size_t i, const struct build_event *event)
{
	return analyses->chosen[i] && (!event->extra || analyses->table[i]->all_calls);
}

void analyses_object(struct analyses *analyses, const struct build_event *event, uint32_t object)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (analyses->chosen[i] && analyses->table[i]->object)
			analyses->table[i]->object(analyses->states[i], event, object);
}

void analyses_event(struct analyses *analyses, const struct build_event *event,
		    const struct build_row *rows, uint32_t count)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (sees(analyses, i, event) && analyses->table[i]->event)
			analyses->table[i]->event(analyses->states[i], event, rows, count);
}

void analyses_freed(struct analyses *analyses, const struct build_event *event, uint32_t object)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (analyses->chosen[i] && analyses->table[i]->freed)
			analyses->table[i]->freed(analyses->states[i], event, object);
}

bool analyses_know(const struct analyses *analyses, uint32_t kind)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (takes(analyses->table[i], kind))
			return true;
	return false;
}

bool analyses_take(const struct analyses *analyses, uint32_t kind)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (analyses->chosen[i] && !analyses->table[i]->all_calls &&
		    takes(analyses->table[i], kind))
			return true;
	return false;
}

int analyses_record(struct analyses *analyses, const struct build_event *event,
		    const struct build_record *record, struct error *error)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (analyses->chosen[i] && (!record->of_call || sees(analyses, i, event)) &&
		    takes(analyses->table[i], record->kind) &&
		    analyses->table[i]->record(analyses->states[i], event, record, error) != 0)
			return -1;
	return 0;
}

void analyses_lifetime(struct analyses *analyses, uint32_t process, uint64_t start_ns,
		       uint64_t end_ns)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (analyses->chosen[i] && analyses->table[i]->lifetime)
			analyses->table[i]->lifetime(analyses->states[i], process, start_ns,
						     end_ns);
}

void analyses_process_end(struct analyses *analyses, const struct build_event *last)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (analyses->chosen[i] && analyses->table[i]->process_end)
			analyses->table[i]->process_end(analyses->states[i], last);
}

void analyses_end(struct analyses *analyses)
{
	for (size_t i = 0; analyses->table[i]; i++)
		if (analyses->table[i]->end)
			analyses->table[i]->end(analyses->states[i]);
	free(analyses->states);
	free(analyses->chosen);
	free(analyses);
}
