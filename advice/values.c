#include "advice/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "gpu/value.h"
#include "graph/accessed_value.h"
#include "util/intern.h"
#include "util/memory.h"
#include "util/pair_map.h"
#include "util/text.h"

/* Different values that a line must go through: through two there always is one. */
enum { LINEAR_LEAST = 3 };

/* Distinct bytes that vertices read from, and wrote to, the objects of sites. */
struct traffic {
	struct pair_map reads, writes; /* (vertex, site): index of a sum */
	uint64_t *sums;
	uint32_t count, capacity;
};

static void traffic_of(struct traffic *traffic, const struct run *run)
{
	const struct graph *graph = run->profile->graph;

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];
		struct pair_map *map =
			edge->access == GRAPH_READ ? &traffic->reads : &traffic->writes;
		uint32_t index;

		if (!pair_map_find(map, graph->vertices[edge->to].id, edge->object, traffic->count,
				   &index)) {
			ARRAY_RESERVE(traffic->sums, traffic->count, traffic->capacity);
			traffic->sums[traffic->count++] = 0;
		}
		profile_add(&traffic->sums[index], edge->bytes);
	}
}

static uint64_t traffic_bytes(const struct traffic *traffic,
			      const struct profile_value_stats *value)
{
	const struct pair_map *map =
		value->kind == GPU_VALUE_LOAD ? &traffic->reads : &traffic->writes;
	uint32_t index = pair_map_get(map, value->vertex, value->site);

	return index == UINT32_MAX ? 0 : traffic->sums[index];
}

/* -- all values of a site --------------------------------------------------------------- */

struct site {
	struct profile_value_stats all;
	bool known;
};
struct sites {
	struct pair_map numbers; /* (site, 0): index of one */
	struct site *list;
	uint32_t count, capacity;
};

/* What an atomic leaves there is not known from its operand. */
static bool is_known(const struct profile_value_stats *value)
{
	return value->kind != GPU_VALUE_ATOMIC && value->type > GPU_VALUE_RAW64 && value->ranged &&
	       !value->partly;
}

static bool is_alike(uint32_t left, uint32_t right)
{
	return left == right || (!value_is_float(left) && !value_is_float(right) &&
				 value_size(left) == value_size(right));
}

static void join_site(struct site *site, const struct profile_value_stats *value)
{
	struct profile_value_stats *all = &site->all;

	site->known &= is_known(value) && is_alike(all->type, value->type);
	all->least = value->least < all->least ? value->least : all->least;
	all->most = value->most > all->most ? value->most : all->most;
	all->fits &= value->fits;
	if (all->distinct_most == PROFILE_UNKNOWN || value->distinct_most == PROFILE_UNKNOWN)
		all->distinct_most = PROFILE_UNKNOWN;
	else
		profile_add(&all->distinct_most, value->distinct_most);
}

static void sites_of(struct sites *sites, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->value_count; i++) {
		const struct profile_value_stats *value = &profile->values[i];
		uint32_t index;

		if (value->place != PROFILE_NO_ROW || value->site == PROFILE_NO_VERTEX)
			continue;
		if (pair_map_find(&sites->numbers, value->site, 0, sites->count, &index)) {
			join_site(&sites->list[index], value);
			continue;
		}
		ARRAY_RESERVE(sites->list, sites->count, sites->capacity);
		sites->list[sites->count++] =
			(struct site){.all = *value, .known = is_known(value)};
	}
}

static const struct profile_value_stats *site_of(const struct sites *sites, uint32_t id)
{
	const struct site *site = &sites->list[pair_map_get(&sites->numbers, id, 0)];

	return site->known ? &site->all : NULL;
}

/* -- rows ------------------------------------------------------------------------------- */

static enum values_exact exact_of(const struct profile_value_stats *value)
{
	if (!value->any)
		return VALUES_ZERO;
	if (value->single_launches == value->launches)
		return VALUES_SINGLE;
	return value->linear && value->distinct >= LINEAR_LEAST ? VALUES_LINEAR : VALUES_ANY;
}

/* Whether it is about all places, and about an object of the program. */
static bool is_whole(const struct profile_value_stats *value)
{
	return value->place == PROFILE_NO_ROW && value->site != PROFILE_NO_VERTEX &&
	       value->kind != GPU_VALUE_ATOMIC;
}

/* From the first to the last byte of all objects. */
struct addresses {
	double first, last;
};

static struct addresses addresses_of(const struct profile *profile)
{
	struct addresses all = {INFINITY, 0};

	for (uint32_t i = 0; i < profile->object_count; i++) {
		const struct profile_object *object = &profile->objects[i];
		const double first = (double)object->address, last = first + (double)object->size;

		all.first = first < all.first ? first : all.first;
		all.last = last > all.last ? last : all.last;
	}
	return all;
}

static bool are_addresses(const struct profile_value_stats *value, struct addresses objects)
{
	return !value_is_float(value->type) && value_size(value->type) == 8 && value->ranged &&
	       value->least >= objects.first && value->most <= objects.last;
}

bool values_side_by_side(const struct profile_value_stats *a, const struct profile_value_stats *b)
{
	return a->vertex == b->vertex && a->site == b->site && a->kind == b->kind;
}

uint32_t values_first(const struct profile *profile, uint32_t row)
{
	const struct profile_value_stats *values = profile->values;

	while (row && values_side_by_side(&values[row - 1], &values[row]))
		row--;
	return row;
}

/* The accessed bytes of all types of the row's kernel, site and kind. */
static double accessed_bytes(const struct profile *profile, uint32_t row)
{
	const struct profile_value_stats *values = profile->values;
	double bytes = 0;

	for (uint32_t i = values_first(profile, row);
	     i < profile->value_count && values_side_by_side(&values[i], &values[row]); i++)
		if (values[i].place == PROFILE_NO_ROW)
			bytes += (double)values[i].count * value_size(values[i].type);
	return bytes;
}

void values_each(const struct run *run, void (*take)(const struct values_row *row))
{
	const struct profile *profile = run->profile;
	struct traffic traffic = {0};
	struct sites sites = {0};
	const struct addresses objects = addresses_of(profile);

	if (profile->value_count)
		traffic_of(&traffic, run);
	sites_of(&sites, profile);
	for (uint32_t i = 0; i < profile->value_count; i++) {
		const struct profile_value_stats *value = &profile->values[i];
		const uint32_t v = graph_find(profile->graph, value->vertex);
		struct values_row row = {
			.run = run,
			.value = value,
			.index = i,
			.exact = exact_of(value),
			.addresses = are_addresses(value, objects),
			.complete = !value->partly,
		};
		double all;

		/* who reads nothing fills: that is what other patterns are about */
		if (!is_whole(value) || v == UINT32_MAX ||
		    (value->kind == GPU_VALUE_STORE && !run->reads[v]))
			continue;
		row.top = profile_top_values(profile, i, &row.top_count);
		row.site = site_of(&sites, value->site);
		all = accessed_bytes(profile, i);
		row.all_bytes = traffic_bytes(&traffic, value);
		row.bytes = (uint64_t)((double)row.all_bytes *
				       ((double)value->count * value_size(value->type) / all));
		take(&row);
	}
	pair_map_release(&traffic.reads);
	pair_map_release(&traffic.writes);
	free(traffic.sums);
	pair_map_release(&sites.numbers);
	free(sites.list);
}

const char *values_verb(const struct values_row *row)
{
	return row->value->kind == GPU_VALUE_LOAD ? "loaded" : "stored";
}

char *values_subject(const struct values_row *row)
{
	const struct profile_value_stats *value = row->value;

	return xasprintf("%" PRIu64 " %s value%s that it %s in %s%" PRIu64 " launch%s",
			 value->count, accessed_type_name(value->type),
			 text_plural(value->count, "", "s"), values_verb(row),
			 value->sampled ? "some blocks of " : "", value->launches,
			 text_plural(value->launches, "", "es"));
}

uint64_t values_accesses(const struct values_row *row, uint32_t place)
{
	return row->run->profile->values[place].count;
}

/* Of the function and file, for the lines in them: 1, 2, ... */
static uint32_t number_of(struct intern *texts, const struct profile_code_place *place)
{
	char *text = xasprintf("%s\n%s", place->function, place->file ? place->file : "");
	uint32_t number;

	intern_text(texts, text, &number);
	free(text);
	return number;
}

/*
 * A place on the line with most of them: what the compiler has made of a line, which may be several
 * instructions, counts together.  Rows of places come after that of all.
 */
static uint32_t main_place(const struct values_row *row, values_part *at_place)
{
	const struct profile *profile = row->run->profile;
	uint32_t place = PROFILE_NO_ROW, count = 0, capacity = 0, line;
	uint64_t *sums = NULL, most = 0;
	struct pair_map lines = {0};
	struct intern texts = {0};

	for (uint32_t i = row->index + 1; i < profile->value_count; i++) {
		const struct profile_value_stats *value = &profile->values[i];
		const struct profile_code_place *at;

		if (!values_side_by_side(value, row->value) || value->type != row->value->type)
			break;
		at = &profile->code_places[value->place];
		if (!pair_map_find(&lines, at->line ? number_of(&texts, at) : 0,
				   at->line ? at->line : value->place, count, &line)) {
			ARRAY_RESERVE(sums, count, capacity);
			sums[count++] = 0;
		}
		profile_add(&sums[line], at_place(row, i));
		if (place == PROFILE_NO_ROW || sums[line] > most) {
			place = value->place;
			most = sums[line];
		}
	}
	pair_map_release(&lines);
	intern_release(&texts);
	free(sums);
	return place;
}

void values_add(const struct values_row *row, const char *pattern, const char *action,
		values_part *at_place, uint64_t part, uint64_t of, char *evidence, char *advice)
{
	const double share = of ? (double)part / (double)of : 0;
	struct profile_finding *finding =
		run_add(row->run, pattern, action, row->value->vertex, row->value->site,
			(uint64_t)((double)row->bytes * share), row->bytes);

	finding->access = row->value->kind == GPU_VALUE_LOAD ? GRAPH_READ : GRAPH_WRITE;
	finding->code_place = main_place(row, at_place);
	finding->invocations = row->value->launches;
	finding->evidence = evidence;
	finding->advice = advice;
	finding->limits =
		xstrdup("one run, one input; accesses of launches and blocks that were "
			"looked at; bytes: each once in a launch, however often it is "
			"accessed; what the host and copies need of them was not looked at");
	finding->input = true;
}
