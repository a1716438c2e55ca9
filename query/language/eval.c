#include "query/language/eval.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query/language/eval_list.h"
#include "query/language/match.h"
#include "query/print.h"
#include "util/regex.h"
#include "util/memory.h"

/* few steps between looks: one may compare long lists */
enum { MEMORY_LIMIT = VALUE_BYTES_LIMIT, STEPS_BETWEEN_LOOKS = 16, STEPS_OF_REGEX = 8 };
enum { BYTES_OF_STEP = 1024 };

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void run_fail(struct run *run, uint32_t at, const char *format, ...)
{
	char message[500];
	va_list arguments;

	if (run->failed)
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	query_error_at(run->error, run->query->text, at, "%s", message);
	run->failed = true;
}

static bool limit_met(struct run *run, const char *what)
{
	error_set(run->error, "%s", what);
	run->failed = true;
	return false;
}

/* Looks at the clock and at Ctrl-C. */
static bool may_go_on(struct run *run)
{
	run->next_look = run->steps + STEPS_BETWEEN_LOOKS;
	if (run->interrupted && *run->interrupted)
		return limit_met(run, "interrupted");
	if (run->deadline_ns && now_ns() > run->deadline_ns)
		return limit_met(run, "the time for the query is up: narrow it down, or allow more "
				      "with --timeout SECONDS");
	return true;
}

bool run_work(struct run *run, uint64_t count, uint64_t bytes)
{
	uint64_t memory = run->scratch.total + run->kept.total + run->elsewhere +
			  (run->result ? run->result->total : 0);

	if (run->failed)
		return false;
	if (bytes > MEMORY_LIMIT || memory + bytes > MEMORY_LIMIT)
		return limit_met(run, "the query needs more than 1024 MiB of memory: narrow it "
				      "down, or let it return and collect less");
	run->steps += count;
	return run->steps < run->next_look || may_go_on(run);
}

bool run_step(struct run *run)
{
	return run_work(run, 1, 0);
}

bool run_room(struct run *run, const struct value *values, uint32_t count)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < count && bytes <= MEMORY_LIMIT; i++)
		bytes += value_bytes(values[i]);
	return run_work(run, bytes / BYTES_OF_STEP, bytes);
}

struct value run_copy(struct run *run, struct arena *arena, struct value value)
{
	return run_room(run, &value, 1) ? value_copy(arena, value) : (struct value){0};
}

/* -- small ones -- */

struct value eval_type_error(struct run *run, const struct expr *expr, const char *what,
			     struct value value)
{
	run_fail(run, expr->at, "%s, not %s", what, value_type_name(value.type));
	return (struct value){0};
}

enum truth eval_condition(struct run *run, const struct expr *expr)
{
	struct value value = eval(run, expr);

	if (value.type == VALUE_BOOLEAN)
		return value.boolean ? TRUTH_TRUE : TRUTH_FALSE;
	if (value.type != VALUE_NULL)
		eval_type_error(run, expr, "a condition is true or false", value);
	return TRUTH_UNKNOWN;
}

static bool term_holds(const struct engine *engine, const struct label_term *term, struct value of)
{
	bool has = term->name &&
		   (of.type == VALUE_EDGE ? engine->types[of.index] == term->name
					  : engine_has_label(engine, of.index, term->name));

	return has != term->negated;
}

/* '&' binds tighter than '|' */
bool labels_hold(const struct engine *engine, const struct labels *labels, struct value of)
{
	bool all = true;

	for (uint32_t i = 0; i < labels->count; i++) {
		if (labels->terms[i].alternative) {
			if (all)
				return true;
			all = true;
		}
		all = all && term_holds(engine, &labels->terms[i], of);
	}
	return all;
}

struct value eval_property(struct run *run, const struct expr *expr, struct value of)
{
	const struct value *found;

	switch (of.type) {
	case VALUE_NULL:
		return of;
	case VALUE_VERTEX:
		return engine_value(expr->of_vertex, of.index);
	case VALUE_EDGE:
		return engine_value(expr->of_edge, of.index);
	case VALUE_MAP:
		found = value_map_get(of.map, expr->name);
		return found ? *found : (struct value){0};
	default:
		return eval_type_error(run, expr, "only vertices, edges and maps have properties",
				       of);
	}
}

static struct value eval_has_labels(struct run *run, const struct expr *expr)
{
	struct value of = eval(run, expr->items[0]);

	if (of.type == VALUE_NULL)
		return of;
	if (of.type != VALUE_VERTEX && of.type != VALUE_EDGE)
		return eval_type_error(run, expr, "only vertices and edges have labels", of);
	return value_boolean(labels_hold(run->engine, expr->labels, of));
}

/* -- logic -- */

static struct value eval_logic(struct run *run, const struct expr *expr)
{
	/* what decides at once: false for AND, true for OR */
	enum truth decides = expr->type == EXPR_AND ? TRUTH_FALSE : TRUTH_TRUE;
	enum truth result = expr->type == EXPR_AND ? TRUTH_TRUE : TRUTH_FALSE;

	for (uint32_t i = 0; i < expr->count && !run->failed; i++) {
		enum truth truth = eval_condition(run, expr->items[i]);

		if (expr->type == EXPR_XOR)
			result = result == TRUTH_UNKNOWN || truth == TRUTH_UNKNOWN ? TRUTH_UNKNOWN
										   : result ^ truth;
		else if (truth == decides)
			return value_truth(truth);
		else if (truth == TRUTH_UNKNOWN)
			result = TRUTH_UNKNOWN;
	}
	return value_truth(result);
}

static enum truth matches(struct run *run, const struct expr *expr, struct value text,
			  struct value pattern)
{
	struct expr *own = (struct expr *)expr; /* keeps the last expression that was compiled */
	struct error error;
	int found;

	if (text.type != VALUE_STRING || pattern.type != VALUE_STRING)
		return TRUTH_UNKNOWN;
	if (!own->regex || strcmp(own->regex_text, pattern.text) != 0) {
		if (!own->regex_text) {
			own->next_regex = run->query->regexes;
			run->query->regexes = own;
		}
		regex_free(own->regex);
		free(own->regex_text);
		own->regex_text = xstrdup(pattern.text);
		own->regex = regex_new_whole(pattern.text, &error);
	}
	if (!run_work(run, STEPS_OF_REGEX + strlen(text.text) / 64, 0))
		return TRUTH_UNKNOWN;
	found = own->regex ? regex_search(own->regex, text.text, &error) : -1;
	if (found < 0)
		run_fail(run, expr->items[1]->at, "%s", error.text);
	return found > 0 ? TRUTH_TRUE : TRUTH_FALSE;
}

static enum truth compare(struct run *run, const struct expr *expr, enum comparison comparison,
			  struct value a, struct value b)
{
	enum truth equal;
	int order;

	if (comparison == COMPARE_MATCHES)
		return matches(run, expr, a, b);
	if (value_depth(a) && value_depth(b) &&
	    !run_work(run, value_bytes(value_bytes(a) < value_bytes(b) ? a : b) / BYTES_OF_STEP, 0))
		return TRUTH_UNKNOWN;
	if (comparison == COMPARE_EQUAL || comparison == COMPARE_NOT_EQUAL) {
		equal = value_equal(a, b);
		if (equal == TRUTH_UNKNOWN || comparison == COMPARE_EQUAL)
			return equal;
		return equal == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE;
	}
	order = value_compare(a, b);
	if (order == VALUE_INCOMPARABLE)
		return TRUTH_UNKNOWN;
	if (order == VALUE_UNORDERED)
		return TRUTH_FALSE;
	switch (comparison) {
	case COMPARE_LESS:
		return order < 0 ? TRUTH_TRUE : TRUTH_FALSE;
	case COMPARE_AT_MOST:
		return order <= 0 ? TRUTH_TRUE : TRUTH_FALSE;
	case COMPARE_MORE:
		return order > 0 ? TRUTH_TRUE : TRUTH_FALSE;
	default:
		return order >= 0 ? TRUTH_TRUE : TRUTH_FALSE;
	}
}

/* a < b < c is a < b AND b < c */
static struct value eval_compare(struct run *run, const struct expr *expr)
{
	struct value left = eval(run, expr->items[0]);
	enum truth result = TRUTH_TRUE;

	for (uint32_t i = 1; i < expr->count && !run->failed; i++) {
		struct value right = eval(run, expr->items[i]);
		enum truth truth = compare(run, expr, expr->operators[i - 1], left, right);

		if (truth == TRUTH_FALSE)
			return value_boolean(false);
		if (truth == TRUTH_UNKNOWN)
			result = TRUTH_UNKNOWN;
		left = right;
	}
	return value_truth(result);
}

static struct value eval_in(struct run *run, const struct expr *expr)
{
	struct value item = eval(run, expr->items[0]), list = eval(run, expr->items[1]);
	enum truth result = TRUTH_FALSE;

	if (list.type == VALUE_NULL)
		return list;
	if (list.type != VALUE_LIST)
		return eval_type_error(run, expr->items[1], "IN needs a list", list);
	if (!run_work(run, list.list->bytes / BYTES_OF_STEP, 0))
		return (struct value){0};
	for (uint32_t i = 0; i < list.list->count; i++) {
		enum truth truth = value_equal(item, list.list->items[i]);

		if (truth == TRUTH_TRUE)
			return value_boolean(true);
		if (truth == TRUTH_UNKNOWN)
			result = TRUTH_UNKNOWN;
	}
	return value_truth(result);
}

static struct value eval_text_test(struct run *run, const struct expr *expr)
{
	struct value text = eval(run, expr->items[0]), part = eval(run, expr->items[1]);
	size_t length, size;

	if (text.type != VALUE_STRING || part.type != VALUE_STRING ||
	    !run_work(run, strlen(text.text) / 1024, 0))
		return (struct value){0};
	if (expr->type == EXPR_CONTAINS)
		return value_boolean(strstr(text.text, part.text) != NULL);
	length = strlen(text.text);
	size = strlen(part.text);
	if (size > length)
		return value_boolean(false);
	return value_boolean(!memcmp(text.text + (expr->type == EXPR_ENDS_WITH ? length - size : 0),
				     part.text, size));
}

/* -- arithmetic -- */

static struct value overflow(struct run *run, const struct expr *expr)
{
	run_fail(run, expr->at, "the result does not fit 64 bits");
	return (struct value){0};
}

static struct value integer_arithmetic(struct run *run, const struct expr *expr, int64_t a,
				       int64_t b)
{
	int64_t result = 0;
	bool wrong = false;

	switch (expr->type) {
	case EXPR_ADD:
		wrong = __builtin_add_overflow(a, b, &result);
		break;
	case EXPR_SUBTRACT:
		wrong = __builtin_sub_overflow(a, b, &result);
		break;
	case EXPR_MULTIPLY:
		wrong = __builtin_mul_overflow(a, b, &result);
		break;
	default: /* / and % */
		if (!b) {
			run_fail(run, expr->at, "division by zero");
			return (struct value){0};
		}
		if (b == -1) {
			wrong = expr->type == EXPR_DIVIDE && a == INT64_MIN;
			result = expr->type == EXPR_DIVIDE && !wrong ? -a : 0;
		} else {
			result = expr->type == EXPR_DIVIDE ? a / b : a % b;
		}
	}
	return wrong ? overflow(run, expr) : value_integer(result);
}

static struct value number_arithmetic(const struct expr *expr, double a, double b)
{
	switch (expr->type) {
	case EXPR_ADD:
		return value_number(a + b);
	case EXPR_SUBTRACT:
		return value_number(a - b);
	case EXPR_MULTIPLY:
		return value_number(a * b);
	case EXPR_DIVIDE:
		return value_number(a / b);
	case EXPR_MODULO:
		return value_number(fmod(a, b));
	default:
		return value_number(pow(a, b));
	}
}

static struct value concatenate(struct run *run, struct value a, struct value b)
{
	size_t first = strlen(a.text), second = strlen(b.text);
	char *text;

	if (!run_work(run, (first + second) / 1024, first + second))
		return (struct value){0};
	text = arena_alloc(&run->scratch, first + second + 1);
	memcpy(text, a.text, first);
	memcpy(text + first, b.text, second);
	return value_text(text);
}

/* 'a' + 'b', 'a' + 1, true + 'a' */
static struct value join(struct run *run, const struct expr *expr, struct value a, struct value b)
{
	struct value *other = a.type == VALUE_STRING ? &b : &a, result;
	char *text;

	if (other->type == VALUE_STRING)
		return concatenate(run, a, b);
	if (!VALUE_IS_NUMBER(*other) && other->type != VALUE_BOOLEAN)
		return eval_type_error(run, expr, "a string is joined with a string or a number",
				       *other);
	text = print_value(run->engine, *other);
	*other = value_text(text);
	result = concatenate(run, a, b);
	free(text);
	return result;
}

static struct value append(struct run *run, const struct expr *expr, struct value a, struct value b)
{
	uint64_t first = a.type == VALUE_LIST ? a.list->count : 1;
	uint64_t second = b.type == VALUE_LIST ? b.list->count : 1;
	struct value_list *list;

	if (!run_work(run, first + second, (first + second) * sizeof(struct value)))
		return (struct value){0};
	list = value_new_list(&run->scratch, (uint32_t)(first + second));
	for (uint64_t i = 0; i < first; i++)
		list->items[i] = a.type == VALUE_LIST ? a.list->items[i] : a;
	for (uint64_t i = 0; i < second; i++)
		list->items[first + i] = b.type == VALUE_LIST ? b.list->items[i] : b;
	return run_list(run, expr, list);
}

static struct value eval_arithmetic(struct run *run, const struct expr *expr)
{
	struct value a = eval(run, expr->items[0]), b = eval(run, expr->items[1]);

	if (a.type == VALUE_NULL || b.type == VALUE_NULL || !run_step(run))
		return (struct value){0};
	if (a.type == VALUE_INTEGER && b.type == VALUE_INTEGER && expr->type != EXPR_POWER)
		return integer_arithmetic(run, expr, a.integer, b.integer);
	if (VALUE_IS_NUMBER(a) && VALUE_IS_NUMBER(b))
		return number_arithmetic(expr, value_as_number(a), value_as_number(b));
	if (expr->type == EXPR_ADD && (a.type == VALUE_LIST || b.type == VALUE_LIST))
		return append(run, expr, a, b);
	if (expr->type == EXPR_ADD && (a.type == VALUE_STRING || b.type == VALUE_STRING))
		return join(run, expr, a, b);
	if (VALUE_IS_NUMBER(a))
		return eval_type_error(run, expr->items[1], "this operator needs a number", b);
	return eval_type_error(run, expr->items[0], "this operator needs a number", a);
}

static struct value eval_negate(struct run *run, const struct expr *expr)
{
	struct value value = eval(run, expr->items[0]);

	if (value.type != VALUE_NULL && !VALUE_IS_NUMBER(value))
		return eval_type_error(run, expr, "a sign needs a number", value);
	if (expr->distinct)
		return value;
	if (value.type == VALUE_INTEGER) {
		if (value.integer == INT64_MIN)
			return overflow(run, expr);
		value.integer = -value.integer;
	} else if (value.type == VALUE_FLOAT) {
		value.number = -value.number;
	}
	return value;
}

/* -- the rest -- */

static struct value eval_case(struct run *run, const struct expr *expr)
{
	struct value subject = {0};

	if (expr->items[0])
		subject = eval(run, expr->items[0]);
	for (uint32_t i = 1; i + 2 < expr->count && !run->failed; i += 2) {
		enum truth truth = expr->items[0] ? value_equal(subject, eval(run, expr->items[i]))
						  : eval_condition(run, expr->items[i]);

		if (truth == TRUTH_TRUE)
			return eval(run, expr->items[i + 1]);
	}
	return expr->items[expr->count - 1] ? eval(run, expr->items[expr->count - 1])
					    : (struct value){0};
}

static struct value eval_call(struct run *run, const struct expr *expr)
{
	struct value *values;

	if (expr->function->aggregate)
		return run->row[expr->slot];
	values = arena_alloc(&run->scratch, (expr->count + 1) * sizeof(*values));
	for (uint32_t i = 0; i < expr->count; i++)
		values[i] = eval(run, expr->items[i]);
	if (!run_step(run))
		return (struct value){0};
	return expr->function->call(run, expr, values);
}

struct value eval(struct run *run, const struct expr *expr)
{
	struct value value;

	if (run->failed)
		return (struct value){0};
	switch (expr->type) {
	case EXPR_LITERAL:
	case EXPR_PARAMETER:
		return expr->literal;
	case EXPR_VARIABLE:
		return run->row[expr->slot];
	case EXPR_PROPERTY:
		return eval_property(run, expr, eval(run, expr->items[0]));
	case EXPR_HAS_LABELS:
		return eval_has_labels(run, expr);
	case EXPR_INDEX:
		return eval_index(run, expr);
	case EXPR_SLICE:
		return eval_slice(run, expr);
	case EXPR_LIST:
		return eval_list(run, expr);
	case EXPR_MAP:
		return eval_map(run, expr);
	case EXPR_OR:
	case EXPR_XOR:
	case EXPR_AND:
		return eval_logic(run, expr);
	case EXPR_NOT:
		value = value_truth(eval_condition(run, expr->items[0]));
		value.boolean = !value.boolean;
		return value;
	case EXPR_COMPARE:
		return eval_compare(run, expr);
	case EXPR_ADD:
	case EXPR_SUBTRACT:
	case EXPR_MULTIPLY:
	case EXPR_DIVIDE:
	case EXPR_MODULO:
	case EXPR_POWER:
		return eval_arithmetic(run, expr);
	case EXPR_NEGATE:
		return eval_negate(run, expr);
	case EXPR_IS_NULL:
	case EXPR_IS_NOT_NULL:
		return value_boolean((eval(run, expr->items[0]).type == VALUE_NULL) ==
				     (expr->type == EXPR_IS_NULL));
	case EXPR_IN:
		return eval_in(run, expr);
	case EXPR_CONTAINS:
	case EXPR_STARTS_WITH:
	case EXPR_ENDS_WITH:
		return eval_text_test(run, expr);
	case EXPR_CALL:
		return eval_call(run, expr);
	case EXPR_CASE:
		return eval_case(run, expr);
	case EXPR_ALL:
	case EXPR_ANY:
	case EXPR_NONE:
	case EXPR_SINGLE:
		return eval_quantified(run, expr);
	case EXPR_COMPREHENSION:
		return eval_comprehension(run, expr);
	case EXPR_REDUCE:
		return eval_reduce(run, expr);
	case EXPR_PATTERN:
		return value_boolean(match_exists(run, expr->match));
	case EXPR_SUBQUERY:
		return eval_subquery(run, expr);
	}
	return (struct value){0};
}
