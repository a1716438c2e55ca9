/* query/language/parse_pattern.c: what MATCH looks for: vertices, edges, ranges and paths. */
#include <string.h>

#include "query/calls.h"
#include "query/language/parser.h"

int parse_labels(struct parser *parser, struct labels *labels)
{
	bool alternative = false;

	for (;;) {
		struct label_term *term;
		bool negated = take_sign(parser, '!');
		uint32_t at = token(parser)->at;
		const char *name = take_name(parser, "a label or type");

		if (!name)
			return -1;
		ARENA_RESERVE(parser->arena, labels->terms, labels->count, labels->capacity);
		term = &labels->terms[labels->count++];
		*term = (struct label_term){name, negated, alternative, at};
		parser->calls |= calls_are_named(false, name) || calls_are_named(true, name);
		if (take_sign(parser, '|')) {
			alternative = true;
			take_sign(parser, ':');
		} else if (take_sign(parser, '&') || take_sign(parser, ':')) {
			alternative = false;
		} else {
			return 0;
		}
	}
}

/* What a node and an edge have in common, the range of an edge between the labels and the map. */
static int parse_filters(struct parser *parser, struct element *element)
{
	if (is_sign(parser, '{')) {
		element->properties = parse_map(parser);
		if (!element->properties)
			return -1;
	} else if (token(parser)->type == TOKEN_PARAMETER) {
		element->properties = new_expr(parser, EXPR_PARAMETER, token(parser)->at);
		element->properties->name = token(parser)->text;
		element->properties->end = token(parser)->end;
		parser->at++;
	}
	if (take_word(parser, "WHERE")) {
		element->where = parse_expr(parser);
		if (!element->where)
			return -1;
	}
	return 0;
}

static int parse_head(struct parser *parser, struct element *element)
{
	const struct token *at = token(parser);

	element->at = at->at;
	if (at->type == TOKEN_QUOTED ||
	    (at->type == TOKEN_NAME &&
	     !(is_word(parser, "WHERE") && !parser->tokens[parser->at + 1].sign))) {
		element->name = at->text;
		parser->at++;
	}
	return take_sign(parser, ':') ? parse_labels(parser, &element->labels) : 0;
}

static int parse_node(struct parser *parser, struct element *node)
{
	if (!is_sign(parser, '('))
		return unexpected(parser, "a vertex in parentheses");
	node->begin = token(parser)->at;
	parser->at++;
	if (parse_head(parser, node) != 0 || parse_filters(parser, node) != 0 ||
	    expect_sign(parser, ')') != 0)
		return -1;
	node->end = parser->tokens[parser->at - 1].end;
	return 0;
}

static int take_count(struct parser *parser, uint32_t *count)
{
	const struct token *at = token(parser);

	if (at->type != TOKEN_INTEGER)
		return 0;
	if (at->integer >= UNBOUNDED)
		return parse_fail(parser, at->at, "this length is too large");
	*count = (uint32_t)at->integer;
	parser->at++;
	return 1;
}

/* After '*': [digits] [".." [digits]]. */
static int parse_range(struct parser *parser, struct edge_pattern *edge)
{
	int found;

	edge->variable = true;
	edge->least = 1;
	edge->most = UNBOUNDED;
	found = take_count(parser, &edge->least);
	if (found < 0)
		return -1;
	if (found)
		edge->most = edge->least;
	if (token(parser)->type == TOKEN_DOTS) {
		parser->at++;
		edge->most = UNBOUNDED;
		if (take_count(parser, &edge->most) < 0)
			return -1;
	}
	return 0;
}

/* After the arrow: + * {m} {m,} {,n} {m,n}. */
static int parse_quantifier(struct parser *parser, struct edge_pattern *edge)
{
	uint32_t at = token(parser)->at;
	int found;

	if (!is_sign(parser, '+') && !is_sign(parser, '*') && !is_sign(parser, '{'))
		return 0;
	if (edge->variable)
		return parse_fail(parser, at, "this edge has a range already");
	edge->variable = true;
	edge->most = UNBOUNDED;
	edge->least = is_sign(parser, '+');
	if (!take_sign(parser, '{')) {
		parser->at++;
		return 0;
	}
	found = take_count(parser, &edge->least);
	if (found < 0)
		return -1;
	if (take_sign(parser, ',')) {
		if (take_count(parser, &edge->most) < 0)
			return -1;
	} else if (found) {
		edge->most = edge->least;
	} else {
		return unexpected(parser, "a length");
	}
	return expect_sign(parser, '}');
}

static int parse_edge(struct parser *parser, struct edge_pattern *edge);

static bool is_group(const struct parser *parser)
{
	return is_sign(parser, '(') && token(parser)[1].sign == '(';
}

static bool is_plain(const struct element *node)
{
	return !node->name && !node->labels.count && !node->properties && !node->where;
}

/* ((a)-[e]->(b) WHERE ...){1,3} */
static int parse_group(struct parser *parser, struct edge_pattern *edge)
{
	uint32_t begin = token(parser)->at;
	struct group *group = arena_alloc(parser->arena, sizeof(*group));

	parser->at++;
	if (parse_node(parser, &group->left) != 0)
		return -1;
	if (!is_sign(parser, '-') && !is_sign(parser, '<'))
		return unexpected(parser, "an edge: a group repeats (a)-[e]->(b)");
	if (parse_edge(parser, edge) != 0)
		return -1;
	if (edge->variable)
		return parse_fail(parser, edge->element.at,
				  "a group repeats a single edge, not a range");
	if (parse_node(parser, &group->right) != 0)
		return -1;
	if (is_sign(parser, '-') || is_sign(parser, '<'))
		return parse_fail(parser, token(parser)->at, "a group repeats one edge, not more");
	if (edge->to_left == edge->to_right && !(is_plain(&group->left) && is_plain(&group->right)))
		return parse_fail(parser, edge->element.at,
				  "the edge of a group needs a direction: else nobody knows which "
				  "of its vertices is which");
	if (take_word(parser, "WHERE")) {
		group->where = parse_expr(parser);
		if (!group->where)
			return -1;
	}
	if (expect_sign(parser, ')') != 0)
		return -1;
	if (!is_sign(parser, '+') && !is_sign(parser, '*') && !is_sign(parser, '{'))
		return unexpected(parser, "how often the group repeats: + * or {1,3}");
	if (parse_quantifier(parser, edge) != 0)
		return -1;
	edge->group = group;
	edge->element.begin = begin;
	edge->element.end = parser->tokens[parser->at - 1].end;
	return 0;
}

static int parse_edge(struct parser *parser, struct edge_pattern *edge)
{
	edge->least = edge->most = 1;
	edge->element.at = edge->element.begin = token(parser)->at;
	edge->to_left = take_sign(parser, '<');
	if (expect_sign(parser, '-') != 0)
		return -1;
	if (take_sign(parser, '[')) {
		if (parse_head(parser, &edge->element) != 0 ||
		    (take_sign(parser, '*') && parse_range(parser, edge) != 0) ||
		    parse_filters(parser, &edge->element) != 0 || expect_sign(parser, ']') != 0)
			return -1;
	}
	if (expect_sign(parser, '-') != 0)
		return -1;
	edge->to_right = take_sign(parser, '>');
	if (parse_quantifier(parser, edge) != 0)
		return -1;
	edge->element.end = parser->tokens[parser->at - 1].end;
	return 0;
}

/* Before, after and between groups a vertex need not be written. */
static int parse_chain_node(struct parser *parser, struct path_pattern *path)
{
	struct element *node;

	ARENA_RESERVE(parser->arena, path->nodes, path->edge_count, path->node_capacity);
	node = &path->nodes[path->edge_count];
	*node = (struct element){.at = token(parser)->at};
	if (is_group(parser) ||
	    (!is_sign(parser, '(') && path->edge_count && path->edges[path->edge_count - 1].group))
		return 0;
	return parse_node(parser, node);
}

int parse_chain(struct parser *parser, struct path_pattern *path)
{
	for (;;) {
		if (parse_chain_node(parser, path) != 0)
			return -1;
		if (!is_sign(parser, '-') && !is_sign(parser, '<') && !is_group(parser))
			return 0;
		if (path->edge_count == CHAIN_LIMIT)
			return parse_fail(parser, token(parser)->at,
					  "a pattern has at most %d edges", CHAIN_LIMIT);
		ARENA_RESERVE(parser->arena, path->edges, path->edge_count, path->edge_capacity);
		path->edges[path->edge_count] = (struct edge_pattern){0};
		if ((is_group(parser) ? parse_group
				      : parse_edge)(parser, &path->edges[path->edge_count]) != 0)
			return -1;
		path->edge_count++;
	}
}

/* [SHORTEST] [k] [PATHS|GROUPS] after ANY, or after nothing. */
static int parse_shortest(struct parser *parser, struct path_pattern *path, bool any)
{
	uint32_t at = token(parser)->at;
	int found;

	path->k = 1;
	found = take_count(parser, &path->k);
	if (found < 0)
		return -1;
	if (!path->k)
		return parse_fail(parser, at, "the number of paths is 1 or more");
	path->selector = path->k == 1 && any ? SELECT_ANY_SHORTEST : SELECT_SHORTEST_K;
	if (!any && (take_word(parser, "GROUPS") || take_word(parser, "GROUP"))) {
		path->groups = true;
	} else if (!any && !found) {
		return unexpected(parser, "the number of paths after SHORTEST");
	} else if (!take_word(parser, "PATHS")) {
		take_word(parser, "PATH");
	}
	return 0;
}

static int parse_selector(struct parser *parser, struct path_pattern *path)
{
	if (take_word(parser, "ANY")) {
		take_word(parser, "SHORTEST"); /* the shortest is any */
		return parse_shortest(parser, path, true);
	}
	if (take_word(parser, "ALL")) {
		if (take_word(parser, "SHORTEST"))
			path->selector = SELECT_ALL_SHORTEST;
		if (!take_word(parser, "PATHS"))
			take_word(parser, "PATH");
		return 0;
	}
	if (take_word(parser, "SHORTEST"))
		return parse_shortest(parser, path, false);
	if (is_word(parser, "shortestPath") || is_word(parser, "allShortestPaths")) {
		path->selector =
			is_word(parser, "shortestPath") ? SELECT_ANY_SHORTEST : SELECT_ALL_SHORTEST;
		path->legacy = true;
		parser->at++;
		return expect_sign(parser, '(');
	}
	return 0;
}

int parse_path(struct parser *parser, struct path_pattern *path)
{
	path->at = token(parser)->at;
	if ((token(parser)->type == TOKEN_NAME || token(parser)->type == TOKEN_QUOTED) &&
	    parser->tokens[parser->at + 1].sign == '=') {
		path->name = token(parser)->text;
		parser->at += 2;
	}
	if (parse_selector(parser, path) != 0 || parse_chain(parser, path) != 0)
		return -1;
	return path->legacy ? expect_sign(parser, ')') : 0;
}
