/*
 * query/language/explain.c: the steps of a checked query as a table, without taking them.
 *
 * How many rows come out of a step is said where labels and types alone decide it; conditions,
 * ranges and groups make it unknown, which is null.
 */
#include "query/language/explain.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "query/language/eval.h"
#include "query/language/match.h"
#include "util/memory.h"
#include "util/text.h"

enum { UNKNOWN = -1 };

static const char *const columns[] = {"step", "within", "clause", "does", "rows"};
enum { COLUMNS = sizeof(columns) / sizeof(*columns), ROWS = COLUMNS - 1 };

struct explainer {
	const struct query *query;
	struct engine *engine;
	struct query_result *result;
	int64_t within; /* the step that what is explained belongs to; 0: to the query itself */
	int64_t rows;   /* that come out of the steps so far, or UNKNOWN */
	bool walk;      /* the MATCH goes along with sets of vertices */
	/* the text of the step that is being written */
	FILE *file;
	char *text;
	size_t length;
};

static void explain_subqueries(struct explainer *explainer, int64_t step, const struct expr *expr);
static void explain_clauses(struct explainer *explainer, const struct clause *clauses,
			    uint32_t count);

/* -- rows of the table -- */

static FILE *begin_row(struct explainer *explainer)
{
	explainer->file = xopen_memstream(&explainer->text, &explainer->length);
	return explainer->file;
}

static struct value rows_value(const struct explainer *explainer)
{
	return explainer->rows == UNKNOWN ? (struct value){0} : value_integer(explainer->rows);
}

/* The step whose text has been written; returns its number. */
static int64_t end_row(struct explainer *explainer, const char *clause)
{
	struct query_result *result = explainer->result;
	int64_t step = (int64_t)result->count + 1;
	struct value *row;

	fclose(explainer->file);
	if (result->count == result->capacity) {
		result->capacity = result->capacity ? 2 * result->capacity : 64;
		result->rows = xreallocarray(result->rows, result->capacity,
					     COLUMNS * sizeof(*result->rows));
	}
	row = &result->rows[result->count++ * COLUMNS];
	row[0] = value_integer(step);
	row[1] = explainer->within ? value_integer(explainer->within) : (struct value){0};
	row[2] = value_text(clause);
	row[3] = value_text(arena_text(&result->arena, explainer->text, explainer->length));
	row[ROWS] = rows_value(explainer);
	free(explainer->text);
	explainer->text = NULL;
	return step;
}

static int64_t times(int64_t a, int64_t b)
{
	int64_t product;

	return a == UNKNOWN || b == UNKNOWN || __builtin_mul_overflow(a, b, &product) ? UNKNOWN
										      : product;
}

/* -- texts -- */

/* A part of the query in one line. */
static void put_source(struct explainer *explainer, uint32_t from, uint32_t to)
{
	bool space = false;

	for (uint32_t i = from; i < to; i++) {
		char c = explainer->query->text[i];

		if (isspace((unsigned char)c)) {
			space = true;
			continue;
		}
		if (space)
			fputc(' ', explainer->file);
		space = false;
		if (c)
			fputc(c, explainer->file);
	}
}

static void put_element(struct explainer *explainer, const struct element *element)
{
	if (element->end > element->begin)
		put_source(explainer, element->begin, element->end);
	else
		fputs("()", explainer->file);
}

static void put_expr(struct explainer *explainer, const struct expr *expr,
		     const struct projection *projection)
{
	for (uint32_t i = 0; projection && i < projection->count; i++)
		if (expr->type == EXPR_VARIABLE && expr->slot == projection->items[i].slot) {
			fputs(projection->items[i].name, explainer->file);
			return;
		}
	if (expr->end > expr->at)
		put_source(explainer, expr->at, expr->end);
	else
		fputs(expr->name ? expr->name : "...", explainer->file);
}

static bool stands_in(const struct expr *expr, const struct element *element)
{
	return element && expr->at >= element->begin && expr->at < element->end;
}

/* Conditions that cannot be seen in the texts of the step's vertex and edge. */
static void put_conditions(struct explainer *explainer, const struct step *step)
{
	const char *word = " WHERE ";
	bool alternatives;

	for (uint32_t i = 0; i < step->filter_count; i++) {
		const struct expr *condition = step->filters[i];

		if (condition->end <= condition->at || stands_in(condition, step->to) ||
		    (step->edge && stands_in(condition, &step->edge->element)))
			continue;
		alternatives = condition->type == EXPR_OR || condition->type == EXPR_XOR;
		fprintf(explainer->file, alternatives ? "%s(" : "%s", word);
		put_expr(explainer, condition, NULL);
		fputs(alternatives ? ")" : "", explainer->file);
		word = " AND ";
	}
}

/* By which properties vertices may be looked up instead of one after the other. */
static void put_lookups(struct explainer *explainer, const struct step *step)
{
	for (uint32_t i = 0; i < step->lookup_count; i++)
		fprintf(explainer->file, "%s%s",
			i ? " or " : " (where that is less work, found by ",
			step->lookups[i].key->name);
	fputs(step->lookup_count ? ")" : "", explainer->file);
}

/* -- MATCH -- */

static int64_t count_vertices(const struct explainer *explainer, const struct element *vertex)
{
	int64_t count = 0;

	for (uint32_t v = 0; v < match_vertices(explainer->engine, vertex); v++)
		count += labels_hold(explainer->engine, &vertex->labels, value_vertex(v));
	return count;
}

/* What the first edge of a pattern comes to from a start of which only labels are asked. */
static int64_t count_edges(const struct explainer *explainer, const struct step *start,
			   const struct step *step)
{
	const struct engine *engine = explainer->engine;
	int64_t count = 0;

	if (start->to_bound || start->seek || start->filter_count || step->filter_count ||
	    step->to_bound || step->edge_bound)
		return UNKNOWN;
	for (uint32_t v = 0; v < match_vertices(engine, start->to); v++) {
		struct cursor cursor = cursor_start(engine, v, step->edge, step->backwards);
		uint32_t edge, other;

		if (!labels_hold(engine, &start->to->labels, value_vertex(v)))
			continue;
		while (cursor_next(&cursor, &edge, &other))
			count += match_type(engine, step, edge) &&
				 labels_hold(engine, &step->to->labels, value_vertex(other));
	}
	return count;
}

static void put_start(struct explainer *explainer, const struct step *step)
{
	FILE *file = explainer->file;
	uint32_t vertices = match_vertices(explainer->engine, step->to);

	if (step->to_bound)
		fputs("known before: ", file);
	else if (step->seek)
		fputs("start at the vertex with the id: ", file);
	else
		fprintf(file, "start at each of %" PRIu32 " %s: ", vertices,
			text_plural(vertices, "vertex", "vertices"));
	put_element(explainer, step->to);
}

static void put_edge(struct explainer *explainer, const struct step *step,
		     const struct match *match)
{
	static const char *const shortest[] = {
		[SELECT_ANY_SHORTEST] = "one shortest way over ",
		[SELECT_ALL_SHORTEST] = "all shortest ways over ",
		[SELECT_SHORTEST_K] = "the shortest ways over ",
	};
	const struct edge_pattern *edge = step->edge;
	const char *how = "";

	if (step->path->selector != SELECT_ALL && !step->path->choose)
		how = shortest[step->path->selector];
	else if (edge->variable && step->edge_bound)
		how = "the edges of the list in ";
	else if (edge->variable && match->reachability)
		how = "each end once, over ";
	else if (edge->variable && !explainer->walk)
		how = "every trail over ";
	fputs("from ", explainer->file);
	put_element(explainer, step->from);
	fprintf(explainer->file, " %s%s", how, step->backwards ? "back along " : "");
	put_element(explainer, &edge->element);
	fprintf(explainer->file, " to %s", step->to_bound ? "the known " : "");
	put_element(explainer, step->to);
}

static void put_step(struct explainer *explainer, const struct match *match, uint32_t index)
{
	const struct step *step = &match->steps[index];

	switch (step->type) {
	case STEP_VERTEX:
		put_start(explainer, step);
		break;
	case STEP_EDGE:
		if (index && match->steps[index - 1].scan)
			fprintf(explainer->file, "look at each of %" PRIu32 " edges: ",
				match_edges(explainer->engine, step));
		put_edge(explainer, step, match);
		break;
	case STEP_PATH:
		fprintf(explainer->file, "keep the path as %s", step->path->name);
		break;
	case STEP_CHOOSE:
		fputs("of all that fits, choose the shortest for each pair of ends",
		      explainer->file);
		break;
	}
	put_conditions(explainer, step);
	put_lookups(explainer, step);
}

static int64_t rows_after(const struct explainer *explainer, const struct match *match,
			  uint32_t index, int64_t before)
{
	const struct step *step = &match->steps[index];

	if (step->type == STEP_PATH)
		return step->filter_count ? UNKNOWN : explainer->rows;
	if (step->type == STEP_CHOOSE || match->optional)
		return UNKNOWN;
	if (step->type == STEP_EDGE)
		return index == 1 && !step->edge->variable
			       ? times(before, count_edges(explainer, &match->steps[0], step))
			       : UNKNOWN;
	if (step->seek)
		return step->filter_count == 1 && !step->to->labels.count ? explainer->rows
									  : UNKNOWN;
	if (step->filter_count || (step->to_bound && step->to->labels.count))
		return UNKNOWN;
	return step->to_bound ? explainer->rows
			      : times(explainer->rows, count_vertices(explainer, step->to));
}

static void explain_match(struct explainer *explainer, const struct match *match,
			  const char *clause)
{
	int64_t before = explainer->rows, step;

	for (uint32_t i = 0; i < match->step_count; i++) {
		if (match->steps[i].scan) /* the step after it says it */
			continue;
		explainer->rows = rows_after(explainer, match, i, before);
		begin_row(explainer);
		put_step(explainer, match, i);
		step = end_row(explainer, clause);
		for (uint32_t k = 0; k < match->steps[i].filter_count; k++)
			explain_subqueries(explainer, step, match->steps[i].filters[k]);
		for (uint32_t k = 0; k < match->steps[i].edge_filter_count; k++)
			explain_subqueries(explainer, step, match->steps[i].edge_filters[k]);
	}
}

static void explain_walk(struct explainer *explainer)
{
	explainer->rows = UNKNOWN;
	fputs("the steps that follow go along with whole sets of vertices, there and back: no "
	      "single path is looked at",
	      begin_row(explainer));
	end_row(explainer, "MATCH");
}

/* -- projections -- */

static void put_items(struct explainer *explainer, const struct projection *projection,
		      bool aggregates, const char *before)
{
	for (uint32_t i = 0; i < projection->count; i++) {
		const struct item *item = &projection->items[i];

		if (projection->grouped && item->aggregates != aggregates)
			continue;
		fputs(before, explainer->file);
		put_expr(explainer, item->expr, NULL);
		if (item->aliased && item->expr->type != EXPR_VARIABLE)
			fprintf(explainer->file, " AS %s", item->name);
		before = ", ";
	}
}

static int64_t literal_count(const struct expr *expr)
{
	bool literal = expr && (expr->type == EXPR_LITERAL || expr->type == EXPR_PARAMETER);

	return literal && expr->literal.type == VALUE_INTEGER ? expr->literal.integer : UNKNOWN;
}

static void explain_bounds(struct explainer *explainer, const struct projection *projection,
			   const char *clause)
{
	int64_t skip = projection->skip ? literal_count(projection->skip) : 0;
	int64_t limit = literal_count(projection->limit);

	if (!projection->skip && !projection->limit)
		return;
	if (skip == UNKNOWN || (projection->limit && limit == UNKNOWN))
		explainer->rows = UNKNOWN;
	else if (explainer->rows != UNKNOWN)
		explainer->rows = explainer->rows > skip ? explainer->rows - skip : 0;
	if (explainer->rows != UNKNOWN && projection->limit && limit < explainer->rows)
		explainer->rows = limit;
	begin_row(explainer);
	if (projection->skip) {
		fputs("SKIP ", explainer->file);
		put_expr(explainer, projection->skip, NULL);
	}
	if (projection->limit) {
		fputs(projection->skip ? " LIMIT " : "LIMIT ", explainer->file);
		put_expr(explainer, projection->limit, NULL);
	}
	end_row(explainer, clause);
}

static void explain_sort(struct explainer *explainer, const struct projection *projection,
			 const char *clause)
{
	int64_t step;

	fputs("sort by", begin_row(explainer));
	for (uint32_t i = 0; i < projection->sort_count; i++) {
		fputs(i ? ", " : " ", explainer->file);
		put_expr(explainer, projection->sorts[i].expr, projection);
		if (projection->sorts[i].descending)
			fputs(" DESC", explainer->file);
	}
	step = end_row(explainer, clause);
	for (uint32_t i = 0; i < projection->sort_count; i++)
		explain_subqueries(explainer, step, projection->sorts[i].expr);
}

static void explain_projection(struct explainer *explainer, const struct clause *of)
{
	const struct projection *projection = &of->projection;
	const char *clause = of->type == CLAUSE_WITH ? "WITH" : "RETURN";
	bool keys = false;
	int64_t step;

	for (uint32_t i = 0; i < projection->count; i++)
		keys |= !projection->items[i].aggregates;
	begin_row(explainer);
	if (projection->grouped) {
		explainer->rows = keys ? UNKNOWN : 1;
		put_items(explainer, projection, false, "group by ");
		put_items(explainer, projection, true, keys ? ": " : "of all rows: ");
	} else {
		put_items(explainer, projection, false, "");
	}
	step = end_row(explainer, clause);
	for (uint32_t i = 0; i < projection->count; i++)
		explain_subqueries(explainer, step, projection->items[i].expr);
	if (projection->distinct) {
		explainer->rows = UNKNOWN;
		fputs("drop rows that were there before", begin_row(explainer));
		end_row(explainer, clause);
	}
	if (projection->sort_count)
		explain_sort(explainer, projection, clause);
	explain_bounds(explainer, projection, clause);
	if (projection->where) {
		explainer->rows = UNKNOWN;
		fputs("WHERE ", begin_row(explainer));
		put_expr(explainer, projection->where, projection);
		step = end_row(explainer, clause);
		explain_subqueries(explainer, step, projection->where);
	}
}

/* -- clauses -- */

static void explain_unwind(struct explainer *explainer, const struct clause *clause)
{
	int64_t step;

	explainer->rows = clause->list->type == EXPR_LIST
				  ? times(explainer->rows, clause->list->count)
				  : UNKNOWN;
	fputs("one row for each item of ", begin_row(explainer));
	put_expr(explainer, clause->list, NULL);
	fprintf(explainer->file, " as %s", clause->name);
	step = end_row(explainer, "UNWIND");
	explain_subqueries(explainer, step, clause->list);
}

static void explain_call(struct explainer *explainer, const struct call *call)
{
	struct explainer inner = *explainer;
	const char *before = ", with ";

	fputs("for each row", begin_row(explainer));
	for (uint32_t i = 0; i < call->name_count; i++, before = ", ")
		fprintf(explainer->file, "%s%s", before, call->names[i]);
	fputs(call->star ? ", with all variables" : "", explainer->file);
	inner.within = end_row(explainer, call->optional ? "OPTIONAL CALL" : "CALL");
	inner.rows = 1;
	explain_clauses(&inner, call->body.clauses, call->body.clause_count);
	explainer->rows = call->optional ? UNKNOWN : times(explainer->rows, inner.rows);
	explainer->result->rows[(inner.within - 1) * COLUMNS + ROWS] = rows_value(explainer);
}

static void explain_graph(struct explainer *explainer, const struct clause *clause)
{
	fputs("keep of the graph ", begin_row(explainer));
	for (uint32_t i = 0; clause->names && i < clause->name_count; i++)
		fprintf(explainer->file, "%s%s", i ? ", " : "", clause->names[i]);
	if (!clause->names)
		fputs("what was matched", explainer->file);
	explainer->rows = UNKNOWN;
	end_row(explainer, "RETURN GRAPH");
}

static void explain_part(struct explainer *explainer, const struct clause *clauses, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		switch (clauses[i].type) {
		case CLAUSE_MATCH:
			explainer->walk = clauses[i].walk;
			if (clauses[i].walk)
				explain_walk(explainer);
			explain_match(explainer, &clauses[i].match,
				      clauses[i].match.optional ? "OPTIONAL MATCH" : "MATCH");
			break;
		case CLAUSE_UNWIND:
			explain_unwind(explainer, &clauses[i]);
			break;
		case CLAUSE_CALL:
			explain_call(explainer, clauses[i].call);
			break;
		case CLAUSE_GRAPH:
			explain_graph(explainer, &clauses[i]);
			break;
		default:
			explain_projection(explainer, &clauses[i]);
		}
	}
}

static void explain_clauses(struct explainer *explainer, const struct clause *clauses,
			    uint32_t count)
{
	enum union_type united = clauses[clause_part_end(clauses, 0, count) - 1].then;
	int64_t before = explainer->rows, sum = 0;
	uint32_t parts = 0;

	for (uint32_t from = 0, end; from < count; from = end, parts++) {
		end = clause_part_end(clauses, from, count);
		explainer->rows = before;
		explain_part(explainer, &clauses[from], end - from);
		if (sum == UNKNOWN || explainer->rows == UNKNOWN ||
		    __builtin_add_overflow(sum, explainer->rows, &sum))
			sum = UNKNOWN;
	}
	if (!united)
		return;
	explainer->rows = united == UNION_ALL ? sum : UNKNOWN;
	fprintf(begin_row(explainer), "what the %" PRIu32 " parts return%s", parts,
		united == UNION_ALL ? "" : ", each row once");
	end_row(explainer, united == UNION_ALL ? "UNION ALL" : "UNION");
}

/* Those in the expression: they run for each row that the step looks at. */
static void explain_subqueries(struct explainer *explainer, int64_t step, const struct expr *expr)
{
	struct explainer inner = *explainer;

	inner.within = step;
	inner.rows = 1;
	if (expr->type == EXPR_PATTERN) {
		inner.rows = UNKNOWN;
		explain_match(&inner, expr->match, "pattern");
	}
	if (expr->subquery)
		explain_clauses(&inner, expr->subquery->clauses, expr->subquery->clause_count);
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i])
			explain_subqueries(explainer, step, expr->items[i]);
}

void query_explain(const struct query *query, struct engine *engine, struct query_result *result)
{
	struct explainer explainer = {
		.query = query, .engine = engine, .result = result, .rows = 1};

	*result = (struct query_result){.width = COLUMNS};
	result->names = xcalloc(COLUMNS, sizeof(*result->names));
	for (uint32_t i = 0; i < COLUMNS; i++)
		result->names[i] = columns[i];
	explain_clauses(&explainer, query->clauses, query->clause_count);
}
