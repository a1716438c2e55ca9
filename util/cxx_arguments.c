/*
 * util/cxx_arguments.c: see cxx_arguments.h.
 *
 * Brackets are matched once; then the name is written in less and less detail until it fits.
 * Arguments lose their namespaces and parameter lists, lambdas are "function{lambda}".
 */
#include "util/cxx_arguments.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum {
	SHOWN = 6,    /* arguments of one list */
	SLACK = 1024, /* bytes that may be written before they are taken back */
};

static const char lambda[] = "{lambda}", some[] = "...";

enum kinds {
	ALL,
	TYPES,   /* no numbers, no helpers, nothing twice */
	CLASSES, /* of these, no built-in types where there are others */
};

/* What is written of template arguments. */
struct detail {
	uint32_t depth; /* levels of them; 0: "<...>" */
	enum kinds kinds;
	uint32_t count; /* of one list, at most SHOWN */
};

struct shortener {
	const char *text;
	uint32_t *match; /* of an opening bracket: index of its closing one; else 0 */
	struct detail detail;
	char *out;
	size_t length, capacity;
	bool full;
};

/* -- brackets -- */

static bool follows(const char *text, uint32_t at, const char *word)
{
	size_t length = strlen(word);

	return at >= length && !memcmp(text + at - length, word, length);
}

static bool begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

static bool opens(const char *text, uint32_t at)
{
	if (text[at] == '<')
		return !follows(text, at, "operator") && !follows(text, at, "operator<");
	return text[at] == '(' || text[at] == '[' || text[at] == '{';
}

static bool closes(const char *text, uint32_t at)
{
	if (text[at] == '>') /* "->" and "<=>" close nothing */
		return !follows(text, at, "-") && !follows(text, at, "operator") &&
		       !follows(text, at, "operator>") && !follows(text, at, "operator<=");
	return text[at] == ')' || text[at] == ']' || text[at] == '}';
}

static char closing(char open)
{
	return (char)(open == '<' ? '>' : open == '(' ? ')' : open == '[' ? ']' : '}');
}

/*
 * Until its closing bracket is found, an opening one has the one around it in `match`, plus one.
 * False: not all match.
 */
static bool match_brackets(const char *text, uint32_t size, uint32_t *match)
{
	uint32_t open = 0; /* plus one */

	for (uint32_t at = 0; at < size; at++) {
		if (opens(text, at)) {
			match[at] = open;
			open = at + 1;
			continue;
		}
		if (!closes(text, at))
			continue;
		while (open && text[at] != '>' && text[open - 1] == '<') { /* "(a<b)" */
			uint32_t less = open - 1;

			open = match[less];
			match[less] = 0;
		}
		if (open && text[at] == closing(text[open - 1])) {
			uint32_t around = match[open - 1];

			match[open - 1] = at;
			open = around;
		} else if (text[at] != '>') { /* "(a>b)" */
			return false;
		}
	}
	return !open;
}

/* -- writing -- */

static void put(struct shortener *to, const char *text, size_t length)
{
	if (length > to->capacity - to->length) {
		to->full = true;
		return;
	}
	memcpy(to->out + to->length, text, length);
	to->length += length;
}

static void put_text(struct shortener *to, const char *text)
{
	put(to, text, strlen(text));
}

static bool ends_in_lambda(const struct shortener *to)
{
	size_t length = sizeof(lambda) - 1;

	return to->length >= length && !memcmp(to->out + to->length - length, lambda, length);
}

/* Where a parameter list that ends at `close` and its qualifiers end. */
static uint32_t skip_qualifiers(const char *text, uint32_t close)
{
	static const char *const qualifiers[] = {" const", " volatile", " &&", " &", " noexcept"};
	uint32_t at = close + 1;

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++)
		if (begins(text + at, qualifiers[i]))
			at += (uint32_t)strlen(qualifiers[i]);
	return at;
}

/* Where a scope's parameters, or "(anonymous namespace)", end; 0: the bracket is something else. */
static uint32_t scope_end(const struct shortener *to, uint32_t open)
{
	uint32_t end = skip_qualifiers(to->text, to->match[open]);

	return begins(to->text + end, "::") ? end : 0;
}

/* -- arguments that say little -- */

static bool is_number(const struct shortener *to, uint32_t at, uint32_t end)
{
	const char *text = to->text;

	if (text[at] == '(' && to->match[at] && to->match[at] + 1 < end)
		at = to->match[at] + 1; /* "(bool)1" */
	if (text[at] == '-' && at + 1 < end)
		at++;
	return isdigit((unsigned char)text[at]) || (end - at == 4 && begins(text + at, "true")) ||
	       (end - at == 5 && begins(text + at, "false"));
}

/* How a function finds its elements, or where its memory comes from. */
static bool is_helper(const char *text)
{
	static const char *const helpers[] = {
		"std::array<",
		"cuda::std::array<",
		"at::detail::Array<",
		"std::allocator<",
		"std::char_traits<",
		"OffsetCalculator<",
		"TrivialOffsetCalculator<",
		"at::native::memory::LoadWithoutCast",
		"at::native::memory::StoreWithoutCast",
	};

	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++)
		if (begins(text, helpers[i]))
			return true;
	return false;
}

/* Pointers to them and functions that return them, too. */
static bool is_built_in(const char *text)
{
	static const char *const types[] = {"bool", "char",  "double", "float",    "int",
					    "long", "short", "signed", "unsigned", "void"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		char next = begins(text, types[i]) ? text[strlen(types[i])] : '_';

		if (!isalnum((unsigned char)next) && next != '_' && next != ':')
			return true;
	}
	return false;
}

/* Of what only passes on what it is given, the arguments; 0: it is something else. */
static uint32_t wrapped(const struct shortener *to, uint32_t at, uint32_t end)
{
	static const char *const wrappers[] = {"at::native::gpu_kernel_impl", "__nv_dl_wrapper_t",
					       "__nv_hdl_wrapper_t", "__nv_dl_tag"};

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++) {
		if (!begins(to->text + at, wrappers[i]))
			continue;
		while (at < end && (isalnum((unsigned char)to->text[at]) || to->text[at] == '_' ||
				    to->text[at] == ':'))
			at++;
		return at < end && to->text[at] == '<' && to->match[at] ? at : 0;
	}
	return 0;
}

/* -- an argument -- */

static uint32_t put_list(struct shortener *to, uint32_t at, uint32_t end, uint32_t depth);

static void put_arguments(struct shortener *to, uint32_t open, uint32_t depth)
{
	uint32_t close = to->match[open];

	put(to, "<", 1);
	if (close > open + 1 && (!depth || !put_list(to, open + 1, close, depth - 1)))
		put_text(to, some);
	put(to, ">", 1);
}

/* A bracket "(" of an argument that begins at `begin`; returns what is next. */
static uint32_t put_round(struct shortener *to, uint32_t begin, uint32_t at)
{
	uint32_t close = to->match[at];
	size_t inside = close - at - 1;

	if (at == begin && is_number(to, at, close + 3)) /* "(int)4" */
		return close + 1;
	if (at == begin + 1 && to->text[begin] == '&') /* "&(f(int))" */
		return at + 1;
	if (strspn(to->text + at + 1, "*&") >= inside) /* "void (*)(int)" */
		put(to, to->text + at, inside + 2);
	else
		put_text(to, "(...)");
	return close + 1;
}

/* "::" of a name whose scope was written from `scope` on; returns what is next. */
static uint32_t put_scope(struct shortener *to, uint32_t at, size_t scope)
{
	static const char call[] = "::operator()";

	if (begins(to->text + at, call) && ends_in_lambda(to))
		return at + (uint32_t)sizeof(call) - 1;
	if (begins(to->text + at, "::operator"))
		put(to, "::", 2);
	else if (to->text[at + 2] != '{')
		to->length = scope;
	return at + 2;
}

/* What was written from `first` to `name` goes: the type that a function returns. */
static void drop_type(struct shortener *to, size_t first, size_t name)
{
	memmove(to->out + first, to->out + name, to->length - name);
	to->length -= name - first;
}

static void put_lambda(struct shortener *to, uint32_t at)
{
	if (!begins(to->text + at, "{lambda"))
		put(to, to->text + at, to->match[at] + 1 - at);
	else if (!ends_in_lambda(to))
		put_text(to, lambda);
}

static void put_argument(struct shortener *to, uint32_t begin, uint32_t end, uint32_t depth)
{
	const char *text = to->text;
	size_t first = to->length, name = first; /* where the last name begins */
	uint32_t inner = depth ? wrapped(to, begin, end) : 0, at = begin, next;

	if (inner && put_list(to, inner + 1, to->match[inner], depth - 1))
		return;
	while (at < end && !to->full) {
		if (to->match[at] && text[at] == '<') {
			put_arguments(to, at, depth);
			at = to->match[at] + 1;
		} else if (to->match[at] && text[at] == '(' && (next = scope_end(to, at))) {
			if (name > first && !begins(text + at, "(anonymous")) {
				drop_type(to, first, name);
				name = first;
			}
			at = next;
		} else if (to->match[at] && text[at] == '(') {
			at = put_round(to, begin, at);
		} else if (to->match[at] && text[at] == '{') {
			put_lambda(to, at);
			at = to->match[at] + 1;
		} else if (begins(text + at, "::")) {
			at = put_scope(to, at, name);
		} else {
			if (text[at] != ')') /* of "&(f)" */
				put(to, text + at, 1);
			if (strchr(" *&", text[at]))
				name = to->length;
			at++;
		}
	}
}

/* -- a list of them -- */

/* Where the argument ends that begins here. */
static uint32_t argument_end(const struct shortener *to, uint32_t at, uint32_t end)
{
	while (at < end && to->text[at] != ',')
		at = to->match[at] ? to->match[at] + 1 : at + 1;
	return at < end ? at : end;
}

/* Whether what was written from `first` on is one of the arguments before. */
static bool was_said(const struct shortener *to, const size_t *starts, const size_t *lengths,
		     uint32_t count, size_t first)
{
	for (uint32_t i = 0; i < count; i++)
		if (lengths[i] == to->length - first &&
		    !memcmp(to->out + starts[i], to->out + first, lengths[i]))
			return true;
	return false;
}

static bool is_left_out(const struct shortener *to, uint32_t at, uint32_t end, enum kinds kinds)
{
	if (kinds == ALL)
		return false;
	return is_number(to, at, end) || is_helper(to->text + at) ||
	       (kinds == CLASSES && is_built_in(to->text + at));
}

/* Writes the arguments of these kinds; returns how many. */
static uint32_t put_kinds(struct shortener *to, uint32_t at, uint32_t end, uint32_t depth,
			  enum kinds kinds)
{
	size_t starts[SHOWN], lengths[SHOWN];
	uint32_t shown = 0, next;

	for (; at < end && !to->full; at = next + 1) {
		size_t before = to->length;
		uint32_t last;

		while (at < end && to->text[at] == ' ')
			at++;
		last = next = argument_end(to, at, end);
		while (last > at && to->text[last - 1] == ' ')
			last--;
		if (last == at || is_left_out(to, at, last, kinds))
			continue;
		put_text(to, shown ? ", " : "");
		if (shown == to->detail.count) {
			put_text(to, some);
			break;
		}
		starts[shown] = to->length;
		put_argument(to, at, last, depth);
		if (!to->full && kinds != ALL &&
		    was_said(to, starts, lengths, shown, starts[shown])) {
			to->length = before;
			continue;
		}
		lengths[shown] = to->length - starts[shown];
		shown++;
	}
	return shown;
}

static uint32_t put_list(struct shortener *to, uint32_t at, uint32_t end, uint32_t depth)
{
	uint32_t shown = put_kinds(to, at, end, depth, to->detail.kinds);

	if (!shown && to->detail.kinds == CLASSES)
		shown = put_kinds(to, at, end, depth, TYPES);
	return shown;
}

/* -- the name -- */

static void put_name(struct shortener *to)
{
	uint32_t at = 0, next;

	while (to->text[at] && !to->full) {
		if (to->match[at] && to->text[at] == '<') {
			put_arguments(to, at, to->detail.depth);
			at = to->match[at] + 1;
		} else if (to->match[at] && to->text[at] == '(' &&
			   !begins(to->text + at, "(anonymous") && (next = scope_end(to, at))) {
			at = next;
		} else {
			put(to, to->text + at++, 1);
		}
	}
}

char *cxx_shorten_arguments(const char *name, size_t limit)
{
	static const struct detail details[] = {
		{3, ALL, SHOWN},     {3, TYPES, SHOWN}, {3, CLASSES, SHOWN}, {2, CLASSES, SHOWN},
		{1, CLASSES, SHOWN}, {1, CLASSES, 1},   {0, CLASSES, 0}};
	enum { COUNT = sizeof(details) / sizeof(*details) };
	size_t size = strlen(name);
	struct shortener to = {.text = name, .capacity = 2 * size + SLACK};
	char *text;

	if (size >= UINT32_MAX / 2 || limit > UINT32_MAX / 2)
		return NULL;
	to.match = xcalloc(size + 1, sizeof(*to.match));
	if (!match_brackets(name, (uint32_t)size, to.match)) {
		free(to.match);
		return NULL;
	}
	to.out = xcalloc(to.capacity, 1);
	for (size_t i = 0; i < COUNT && (!i || to.full || to.length > limit); i++) {
		to.detail = details[i];
		to.length = 0;
		to.full = false;
		put_name(&to);
	}
	text = xstrndup(to.out, to.length);
	free(to.out);
	free(to.match);
	return text;
}
