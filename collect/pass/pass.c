/* collect/pass/pass.c: the table of passes, and what follows from its rows. */
#include "collect/pass/pass.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* ROW(name) of each file of collect/passes/, by the Makefile. */
#define ROW(name) extern const struct pass pass_##name;
#include "rows/collect/passes.def"
#undef ROW

const struct pass *const collect_passes[] = {
#define ROW(name) &pass_##name,
#include "rows/collect/passes.def"
#undef ROW
	NULL,
};

static uint32_t bit(unsigned row)
{
	return UINT32_C(1) << row;
}

/* The list with one more word. */
static char *append(char *list, const char *separator, const char *word)
{
	char *longer = list ? xasprintf("%s%s%s", list, separator, word) : xstrdup(word);

	free(list);
	return longer;
}

char *pass_names(const struct pass *const *table, uint32_t passes)
{
	char *names = NULL;

	for (unsigned i = 0; table[i]; i++)
		if (passes & bit(i))
			names = append(names, ",", table[i]->name);
	return names ? names : xstrdup("");
}

static int unknown_pass(const struct pass *const *table, const char *name, size_t length,
			struct error *error)
{
	char *known = pass_names(table, UINT32_MAX);

	error_set(error, "--passes takes a list of %s, not '%.*s'", known,
		  length < 100 ? (int)length : 100, name);
	free(known);
	return -1;
}

/* There is one graph: two passes that make one would each need a profile. */
static int check_graph_makers(const struct pass *const *table, uint32_t passes, struct error *error)
{
	const struct pass *maker = NULL;

	for (unsigned i = 0; table[i]; i++) {
		if (!(passes & bit(i)) || table[i]->role != PASS_MAKES_GRAPH)
			continue;
		if (maker)
			return error_set(error, "--passes: %s and %s both make the graph: name one",
					 maker->name, table[i]->name);
		maker = table[i];
	}
	return 0;
}

/* A pass is not made without the one that it needs. */
static int check_needs(const struct pass *const *table, uint32_t passes, struct error *error)
{
	for (unsigned i = 0; table[i]; i++) {
		const char *needs = passes & bit(i) ? table[i]->needs : NULL;
		bool named = !needs;

		for (unsigned k = 0; table[k]; k++)
			named |= (passes & bit(k)) && needs && !strcmp(table[k]->name, needs);
		if (!named)
			return error_set(error, "--passes: %s needs %s: name both", table[i]->name,
					 needs);
	}
	return 0;
}

int pass_parse(const struct pass *const *table, const char *list, uint32_t *passes,
	       struct error *error)
{
	*passes = 0;
	for (;;) {
		size_t length = strcspn(list, ",");
		unsigned i = 0;

		while (table[i] &&
		       (strncmp(table[i]->name, list, length) != 0 || table[i]->name[length]))
			i++;
		if (!table[i])
			return unknown_pass(table, list, length, error);
		*passes |= bit(i);
		if (!list[length])
			return check_graph_makers(table, *passes, error) != 0
				       ? -1
				       : check_needs(table, *passes, error);
		list += length + 1;
	}
}

static bool share_run(const struct pass *a, const struct pass *b)
{
	return a == b || (a->run && b->run && !strcmp(a->run, b->run));
}

uint32_t pass_next_run(const struct pass *const *table, uint32_t passes)
{
	const struct pass *first = NULL;
	uint32_t run = 0;

	for (unsigned i = 0; table[i]; i++) {
		if (!(passes & bit(i)))
			continue;
		if (!first)
			first = table[i];
		if (share_run(first, table[i]))
			run |= bit(i);
	}
	return run;
}

uint32_t pass_next_in_order(const struct pass *const *table, uint32_t passes)
{
	uint32_t next = 0;
	unsigned lowest = UINT_MAX;

	for (uint32_t run; (run = pass_next_run(table, passes)); passes &= ~run)
		for (unsigned i = 0; table[i]; i++)
			if ((run & bit(i)) && table[i]->order < lowest) {
				lowest = table[i]->order;
				next = run;
			}
	return next;
}

unsigned pass_cost(const struct pass *const *table, uint32_t run)
{
	unsigned cost = 1;

	for (unsigned i = 0; table[i]; i++)
		if ((run & bit(i)) && table[i]->cost > cost)
			cost = table[i]->cost;
	return cost;
}

const struct pass_option *pass_sampling(const struct pass *const *table, uint32_t run)
{
	for (unsigned i = 0; table[i]; i++)
		if ((run & bit(i)) && table[i]->sampling)
			return table[i]->sampling;
	return NULL;
}

uint32_t pass_graph_of(const struct pass *const *table, uint32_t passes)
{
	const struct pass *most = NULL;
	uint32_t found = 0;

	for (unsigned i = 0; table[i]; i++)
		if ((passes & bit(i)) && table[i]->role == PASS_MAKES_GRAPH &&
		    (!most || table[i]->cost > most->cost)) {
			most = table[i];
			found = bit(i);
		}
	return found;
}

bool pass_makes_graph(const struct pass *const *table, uint32_t passes)
{
	return pass_graph_of(table, passes) != 0;
}

const struct pass_provider *pass_provider(const struct pass *pass, const struct device *device)
{
	for (const struct pass_provider *provider = pass->providers; provider->device; provider++)
		if (provider->device == device)
			return provider;
	return NULL;
}

static void put_variables(const struct pass_provider *provider, bool of_run,
			  struct environment *environment)
{
	for (size_t i = 0; i < sizeof(provider->variables) / sizeof(*provider->variables); i++)
		if (provider->variables[i].name)
			environment_set(environment, provider->variables[i].name,
					of_run ? provider->variables[i].value : NULL);
}

void pass_providers_put(const struct pass *const *table, uint32_t run, const struct device *device,
			struct environment *environment)
{
	/* of several passes with the same variable one that is in the run sets it */
	for (int of_run = 0; of_run < 2; of_run++)
		for (unsigned i = 0; table[i]; i++) {
			const struct pass_provider *provider = pass_provider(table[i], device);

			if (provider && !of_run == !(run & bit(i)))
				put_variables(provider, of_run, environment);
		}
}

char *pass_library_path(const struct pass *const *table, uint32_t run, const struct device *device,
			const char *libraries)
{
	for (unsigned i = 0; table[i]; i++) {
		const struct pass_provider *provider =
			run & bit(i) ? pass_provider(table[i], device) : NULL;

		if (provider && provider->library)
			return xasprintf("%s/%s", libraries, provider->library->name);
	}
	return NULL;
}
