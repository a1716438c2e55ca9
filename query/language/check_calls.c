/*
 * query/language/check_calls.c: which parts of a MATCH may be calls and objects (query/calls.h).
 *
 * A vertex may where the query says so: by its label, by an edge of theirs beside it, by a
 * condition x:Call, or because it was one before.  All others are operations, and edges without a
 * type flows, as in a query that names no calls at all.
 */
#include <string.h>

#include "query/calls.h"
#include "query/language/check.h"

/* Whether the expression asks of the variable if it is a call or an object. */
static bool asks(const struct expr *expr, uint32_t slot)
{
	bool does = expr && expr->type == EXPR_HAS_LABELS && expr->labels->calls &&
		    expr->items[0]->type == EXPR_VARIABLE && expr->items[0]->slot == slot;

	for (uint32_t i = 0; expr && i < expr->count && !does; i++)
		does = asks(expr->items[i], slot);
	return does;
}

/* Whether the vertex at this end of the edge may be a call or an object. */
static bool may_end(const struct edge_pattern *edge, bool right)
{
	const struct labels *labels = &edge->element.labels;
	bool directed = edge->to_left != edge->to_right, named = false, only_of = true;

	for (uint32_t i = 0; i < labels->count; i++) {
		const struct label_term *term = &labels->terms[i];

		named |= !term->negated;
		only_of &= term->negated || (term->name && calls_lead_to_operation(term->name));
	}
	if (!edge->element.calls || (named && !labels->calls))
		return false;
	return !(named && only_of && directed && edge->to_right == right);
}

/* True when it has found another one. */
static bool spread(struct checker *checker, struct path_pattern *path)
{
	bool more = false;

	for (uint32_t i = 0; i < path->edge_count; i++) {
		struct edge_pattern *edge = &path->edges[i];
		struct element *left = &path->nodes[i], *right = &path->nodes[i + 1];
		bool *slots = checker->calls;
		const struct group *group = edge->group;
		bool calls = edge->element.labels.calls || slots[left->slot] ||
			     slots[right->slot] ||
			     (group && (group->left.labels.calls || group->right.labels.calls));

		more |= calls && !edge->element.calls;
		edge->element.calls |= calls;
		more |= (may_end(edge, false) && !slots[left->slot]) ||
			(may_end(edge, true) && !slots[right->slot]);
		slots[left->slot] |= may_end(edge, false);
		slots[right->slot] |= may_end(edge, true);
	}
	return more;
}

void check_calls(struct checker *checker, struct match *match)
{
	bool more = checker->engine->profile != NULL;

	for (uint32_t p = 0; p < match->count && more; p++)
		for (uint32_t i = 0; i <= match->paths[p].edge_count; i++) {
			struct element *node = &match->paths[p].nodes[i];

			checker->calls[node->slot] |= node->labels.calls ||
						      asks(node->where, node->slot) ||
						      asks(match->where, node->slot);
		}
	while (more) {
		more = false;
		for (uint32_t p = 0; p < match->count; p++)
			more |= spread(checker, &match->paths[p]);
	}
	for (uint32_t p = 0; p < match->count && checker->engine->profile; p++)
		for (uint32_t i = 0; i <= match->paths[p].edge_count; i++) {
			struct element *node = &match->paths[p].nodes[i];

			node->calls = checker->calls[node->slot];
		}
}
