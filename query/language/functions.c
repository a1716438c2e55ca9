/*
 * query/language/functions.c: the functions of the language, one table.
 *
 * null gives null, except where the function is about null.
 */
#include <math.h>
#include <string.h>

#include "query/language/functions.h"
#include "util/nearest.h"

enum { RANGE_LIMIT = 10 * 1000 * 1000 };

#define FUNCTION(name)                                                                             \
	static struct value name(struct run *run, const struct expr *expr,                         \
				 const struct value *values)

struct value function_wrong(struct run *run, const struct expr *expr, uint32_t argument,
			    struct value value)
{
	if (value.type != VALUE_NULL)
		run_fail(run, expr->items[argument]->at, "%s() does not take %s here",
			 expr->function->name, value_type_name(value.type));
	return NOTHING;
}

/* -- graph -- */

FUNCTION(call_id)
{
	if (values->type == VALUE_VERTEX)
		return value_integer(engine_id(run->engine, values->index));
	return values->type == VALUE_EDGE ? value_integer(values->index)
					  : function_wrong(run, expr, 0, *values);
}

FUNCTION(call_labels)
{
	const struct engine_labels *labels;
	struct value_list *list;

	if (values->type != VALUE_VERTEX)
		return function_wrong(run, expr, 0, *values);
	labels = run->engine->labels[values->index];
	list = value_new_list(&run->scratch, labels->count);
	for (uint32_t i = 0; i < labels->count; i++)
		list->items[i] = value_text(labels->names[i]);
	return value_of_list(list);
}

FUNCTION(call_type)
{
	if (values->type != VALUE_EDGE)
		return function_wrong(run, expr, 0, *values);
	return value_text(run->engine->types[values->index]);
}

FUNCTION(call_properties)
{
	const struct columns *columns;
	struct value_map *map;
	uint32_t count = 0;

	if (values->type == VALUE_MAP)
		return *values;
	if (values->type != VALUE_VERTEX && values->type != VALUE_EDGE)
		return function_wrong(run, expr, 0, *values);
	columns = engine_columns(run->engine, values->type == VALUE_EDGE);
	map = value_new_map(&run->scratch, columns->count);
	for (uint32_t i = 0; i < columns->count; i++) {
		struct value value = engine_value(columns->items[i], values->index);

		if (value.type == VALUE_NULL || columns->items[i]->hidden)
			continue;
		map->entries[count].key = columns->items[i]->name;
		map->entries[count++].value = value;
	}
	map->count = count;
	return value_of_map(map);
}

FUNCTION(call_keys)
{
	struct value map = call_properties(run, expr, values);
	struct value_list *list;

	if (map.type != VALUE_MAP)
		return NOTHING;
	list = value_new_list(&run->scratch, map.map->count);
	for (uint32_t i = 0; i < list->count; i++)
		list->items[i] = value_text(map.map->entries[i].key);
	return value_of_list(list);
}

FUNCTION(call_length)
{
	return values->type == VALUE_PATH ? value_integer(values->path->length)
					  : function_wrong(run, expr, 0, *values);
}

/* Every second item of the path, from the first or second on. */
static struct value path_items(struct run *run, const struct value_path *path, bool edges)
{
	struct value_list *list = value_new_list(&run->scratch, path->length + !edges);

	for (uint32_t i = 0; i < list->count; i++)
		list->items[i] = edges ? value_edge(path->items[2 * i + 1])
				       : value_vertex(path->items[2 * i]);
	return value_of_list(list);
}

FUNCTION(call_nodes)
{
	return values->type == VALUE_PATH ? path_items(run, values->path, false)
					  : function_wrong(run, expr, 0, *values);
}

FUNCTION(call_relationships)
{
	return values->type == VALUE_PATH ? path_items(run, values->path, true)
					  : function_wrong(run, expr, 0, *values);
}

FUNCTION(call_start)
{
	return values->type == VALUE_EDGE ? value_vertex(run->engine->from[values->index])
					  : function_wrong(run, expr, 0, *values);
}

FUNCTION(call_end)
{
	return values->type == VALUE_EDGE ? value_vertex(run->engine->to[values->index])
					  : function_wrong(run, expr, 0, *values);
}

/* Flows alone: calls and objects are no part of the graph. */
static int64_t count_flows(const struct engine *engine, const uint32_t *first,
			   const uint32_t *edges, uint32_t vertex)
{
	int64_t count = 0;

	if (!engine->profile)
		return first[vertex + 1] - first[vertex];
	for (uint32_t i = first[vertex]; i < first[vertex + 1]; i++)
		count += edges[i] < engine->flow_edges;
	return count;
}

FUNCTION(call_indegree)
{
	const struct engine *engine = run->engine;

	return values->type == VALUE_VERTEX ? value_integer(count_flows(engine, engine->in_first,
									engine->in, values->index))
					    : function_wrong(run, expr, 0, *values);
}

FUNCTION(call_outdegree)
{
	const struct engine *engine = run->engine;

	return values->type == VALUE_VERTEX ? value_integer(count_flows(engine, engine->out_first,
									engine->out, values->index))
					    : function_wrong(run, expr, 0, *values);
}

/* -- lists -- */

FUNCTION(call_size)
{
	if (values->type == VALUE_LIST)
		return value_integer(values->list->count);
	if (values->type == VALUE_MAP)
		return value_integer(values->map->count);
	return values->type == VALUE_STRING ? value_integer(text_characters(values->text))
					    : function_wrong(run, expr, 0, *values);
}

FUNCTION(call_head)
{
	if (values->type != VALUE_LIST)
		return function_wrong(run, expr, 0, *values);
	return values->list->count ? values->list->items[0] : NOTHING;
}

FUNCTION(call_last)
{
	if (values->type != VALUE_LIST)
		return function_wrong(run, expr, 0, *values);
	return values->list->count ? values->list->items[values->list->count - 1] : NOTHING;
}

FUNCTION(call_tail)
{
	struct value_list *list;

	if (values->type != VALUE_LIST)
		return function_wrong(run, expr, 0, *values);
	list = value_new_list(&run->scratch, values->list->count - (values->list->count > 0));
	for (uint32_t i = 0; i < list->count; i++)
		list->items[i] = values->list->items[i + 1];
	return value_of_list(list);
}

FUNCTION(call_range)
{
	int64_t from, to, step = expr->count > 2 ? values[2].integer : 1;
	uint64_t count = 0;
	struct value_list *list;

	for (uint32_t i = 0; i < expr->count; i++)
		if (values[i].type != VALUE_INTEGER) {
			run_fail(run, expr->items[i]->at, "range() takes integers");
			return NOTHING;
		}
	from = values[0].integer;
	to = values[1].integer;
	if (!step) {
		run_fail(run, expr->items[2]->at, "the step of range() is not 0");
		return NOTHING;
	}
	if (step > 0 ? to >= from : to <= from)
		count = ((step > 0 ? (uint64_t)to - (uint64_t)from
				   : (uint64_t)from - (uint64_t)to) /
			 (step > 0 ? (uint64_t)step : -(uint64_t)step)) +
			1;
	if (count > RANGE_LIMIT) {
		run_fail(run, expr->at, "range() gives at most %d numbers", RANGE_LIMIT);
		return NOTHING;
	}
	if (!run_work(run, count / 16, count * sizeof(struct value)))
		return NOTHING;
	list = value_new_list(&run->scratch, (uint32_t)count);
	for (uint32_t i = 0; i < list->count; i++)
		list->items[i] = value_integer(from + (int64_t)i * step);
	return value_of_list(list);
}

FUNCTION(call_coalesce)
{
	(void)run;
	for (uint32_t i = 0; i < expr->count; i++)
		if (values[i].type != VALUE_NULL)
			return values[i];
	return NOTHING;
}

FUNCTION(call_exists)
{
	(void)run;
	(void)expr;
	return value_boolean(values->type == VALUE_BOOLEAN ? values->boolean
							   : values->type != VALUE_NULL);
}

/* -- numbers -- */

FUNCTION(call_abs)
{
	if (values->type == VALUE_INTEGER && values->integer == INT64_MIN) {
		run_fail(run, expr->at, "the result does not fit 64 bits");
		return NOTHING;
	}
	if (values->type == VALUE_INTEGER)
		return value_integer(values->integer < 0 ? -values->integer : values->integer);
	return values->type == VALUE_FLOAT ? value_number(fabs(values->number))
					   : function_wrong(run, expr, 0, *values);
}

FUNCTION(call_sign)
{
	double number;

	if (!VALUE_IS_NUMBER(*values))
		return function_wrong(run, expr, 0, *values);
	number = value_as_number(*values);
	return value_integer((number > 0) - (number < 0));
}

static double round_half_up(double number)
{
	return floor(number + 0.5);
}

#define OF_NUMBER(name, function)                                                                  \
	FUNCTION(name)                                                                             \
	{                                                                                          \
		return VALUE_IS_NUMBER(*values) ? value_number(function(value_as_number(*values))) \
						: function_wrong(run, expr, 0, *values);           \
	}

OF_NUMBER(call_ceil, ceil)
OF_NUMBER(call_floor, floor)
OF_NUMBER(call_round, round_half_up)
OF_NUMBER(call_sqrt, sqrt)
OF_NUMBER(call_exp, exp)
OF_NUMBER(call_log, log)
OF_NUMBER(call_log10, log10)

/* The same numbers in every run: an answer can be had again. */
FUNCTION(call_rand)
{
	(void)expr;
	(void)values;
	run->random = run->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return value_number((double)(run->random >> 11) * 0x1p-53);
}

/* -- the table -- */

#define ELEMENT (KIND(VALUE_VERTEX) | KIND(VALUE_EDGE))
#define STRING KIND(VALUE_STRING)
#define INTEGER KIND(VALUE_INTEGER)
#define FLOAT KIND(VALUE_FLOAT)
#define LIST KIND(VALUE_LIST)

static const struct function functions[] = {
	{"id", 1, 1, ELEMENT, INTEGER, call_id, 0},
	{"labels", 1, 1, KIND(VALUE_VERTEX), LIST_OF(STRING), call_labels, 0},
	{"type", 1, 1, KIND(VALUE_EDGE), STRING, call_type, 0},
	{"properties", 1, 1, ELEMENT | KIND(VALUE_MAP), KIND(VALUE_MAP), call_properties, 0},
	{"keys", 1, 1, ELEMENT | KIND(VALUE_MAP), LIST_OF(STRING), call_keys, 0},
	{"length", 1, 1, KIND(VALUE_PATH), INTEGER, call_length, 0},
	{"nodes", 1, 1, KIND(VALUE_PATH), LIST_OF(KIND(VALUE_VERTEX)), call_nodes, 0},
	{"relationships", 1, 1, KIND(VALUE_PATH), LIST_OF(KIND(VALUE_EDGE)), call_relationships, 0},
	{"startNode", 1, 1, KIND(VALUE_EDGE), KIND(VALUE_VERTEX), call_start, 0},
	{"endNode", 1, 1, KIND(VALUE_EDGE), KIND(VALUE_VERTEX), call_end, 0},
	{"indegree", 1, 1, KIND(VALUE_VERTEX), INTEGER, call_indegree, 0},
	{"outdegree", 1, 1, KIND(VALUE_VERTEX), INTEGER, call_outdegree, 0},
	{"size", 1, 1, STRING | LIST | KIND(VALUE_MAP), INTEGER, call_size, 0},
	{"head", 1, 1, LIST, KIND_ANY, call_head, 0},
	{"last", 1, 1, LIST, KIND_ANY, call_last, 0},
	{"tail", 1, 1, LIST, LIST, call_tail, 0},
	{"range", 2, 3, KIND_ANY, LIST_OF(INTEGER), call_range, 0},
	{"coalesce", 1, 100, KIND_ANY, KIND_ANY, call_coalesce, 0},
	{"exists", 1, 1, KIND_ANY, KIND(VALUE_BOOLEAN), call_exists, 0},
	{"toLower", 1, 1, STRING, STRING, call_lower, 0},
	{"toUpper", 1, 1, STRING, STRING, call_upper, 0},
	{"trim", 1, 1, STRING, STRING, call_trim, 0},
	{"lTrim", 1, 1, STRING, STRING, call_ltrim, 0},
	{"rTrim", 1, 1, STRING, STRING, call_rtrim, 0},
	{"substring", 2, 3, STRING, STRING, call_substring, 0},
	{"left", 2, 2, STRING, STRING, call_left, 0},
	{"right", 2, 2, STRING, STRING, call_right, 0},
	{"replace", 3, 3, STRING, STRING, call_replace, 0},
	{"split", 2, 2, STRING, LIST_OF(STRING), call_split, 0},
	{"reverse", 1, 1, STRING | LIST, STRING | LIST, call_reverse, 0},
	{"toString", 1, 1, KIND_ANY, STRING, call_to_string, 0},
	{"toInteger", 1, 1, KIND_ANY, INTEGER, call_to_integer, 0},
	{"toFloat", 1, 1, KIND_ANY, FLOAT, call_to_float, 0},
	{"toBoolean", 1, 1, KIND_ANY, KIND(VALUE_BOOLEAN), call_to_boolean, 0},
	{"bytes", 1, 1, INTEGER, STRING, call_bytes, 0},
	{"abs", 1, 1, KIND_NUMBER, KIND_NUMBER, call_abs, 0},
	{"sign", 1, 1, KIND_NUMBER, INTEGER, call_sign, 0},
	{"ceil", 1, 1, KIND_NUMBER, FLOAT, call_ceil, 0},
	{"floor", 1, 1, KIND_NUMBER, FLOAT, call_floor, 0},
	{"round", 1, 1, KIND_NUMBER, FLOAT, call_round, 0},
	{"rand", 0, 0, 0, FLOAT, call_rand, 0},
	{"sqrt", 1, 1, KIND_NUMBER, FLOAT, call_sqrt, 0},
	{"exp", 1, 1, KIND_NUMBER, FLOAT, call_exp, 0},
	{"log", 1, 1, KIND_NUMBER, FLOAT, call_log, 0},
	{"log10", 1, 1, KIND_NUMBER, FLOAT, call_log10, 0},
	{"count", 1, 1, KIND_ANY, INTEGER, NULL, COUNT},
	{"sum", 1, 1, KIND_NUMBER, KIND_NUMBER, NULL, SUM},
	{"avg", 1, 1, KIND_NUMBER, FLOAT, NULL, AVG},
	{"min", 1, 1, KIND_ANY, KIND_ANY, NULL, MIN},
	{"max", 1, 1, KIND_ANY, KIND_ANY, NULL, MAX},
	{"collect", 1, 1, KIND_ANY, LIST, NULL, COLLECT},
	{"percentileCont", 2, 2, KIND_NUMBER, FLOAT, NULL, PERCENTILE_CONT},
	{"percentileDisc", 2, 2, KIND_NUMBER, KIND_NUMBER, NULL, PERCENTILE_DISC},
};

enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

const char *function_name(uint32_t index)
{
	return index < FUNCTIONS ? functions[index].name : NULL;
}

const struct function *function_find(const char *name, const char **nearest)
{
	const char *names[FUNCTIONS];

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		if (!strcasecmp(functions[i].name, name))
			return &functions[i];
		names[i] = functions[i].name;
	}
	*nearest = nearest_word(name, names, FUNCTIONS);
	return NULL;
}
