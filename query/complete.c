#include "query/complete.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "query/language/eval.h"
#include "util/memory.h"
#include "util/text.h"

enum { DEPTH = 64 };

/* What is open at the end of the text. */
struct place {
	char open[DEPTH + 1];  /* brackets, the outermost first; deeper ones are not kept */
	uint32_t depth;        /* of all */
	const char *backtick;  /* a name in backticks that goes on; NULL: none */
	bool in_text;          /* in a string or a comment */
	const char *statement; /* where the last one starts */
};

/* -- where the cursor is -- */

/* The end of the string or comment that starts here; NULL: it has none. */
static const char *end_of_text(const char *at)
{
	char quote = *at;

	if (quote == '/' && at[1] == '/')
		return strchr(at, '\n');
	if (quote == '/') {
		at = strstr(at + 2, "*/");
		return at ? at + 1 : NULL;
	}
	for (at++; *at && *at != quote; at++)
		at += *at == '\\' && at[1];
	return *at ? at : NULL;
}

static struct place find_place(const char *text)
{
	struct place place = {.statement = text};

	for (const char *at = text; *at; at++) {
		if (*at == '`') {
			const char *end = strchr(at + 1, '`');

			place.backtick = end ? NULL : at;
			if (!end)
				return place;
			at = end;
		} else if (strchr("'\"", *at) || (*at == '/' && at[1] && strchr("/*", at[1]))) {
			at = end_of_text(at);
			place.in_text = !at;
			if (!at)
				return place;
		} else if (strchr("([{", *at)) {
			if (place.depth < DEPTH)
				place.open[place.depth] = *at;
			place.depth++;
		} else if (strchr(")]}", *at)) {
			place.depth -= place.depth > 0;
		} else if (*at == ';') {
			place.depth = 0;
			place.statement = at + 1;
		}
	}
	return place;
}

static char bracket(const struct place *place, uint32_t outwards)
{
	return place->depth > outwards && place->depth <= DEPTH
		       ? place->open[place->depth - 1 - outwards]
		       : '\0';
}

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* The last character before `at` that is no space; '\0': there is none. */
static char before(const char *start, const char *at)
{
	while (at > start && isspace((unsigned char)at[-1]))
		at--;
	return at > start ? at[-1] : '\0';
}

/* Whether a label stands at `at`: after ':', and after the others of A|B&!C. */
static bool after_colon(const char *start, const char *at)
{
	while (at > start && (is_part(at[-1]) || strchr("|&!` ", at[-1])))
		at--;
	return at > start && at[-1] == ':';
}

/* Whether the text binds the variable behind such a bracket: (v or [e. */
static bool is_bound(const char *text, char open, const char *name, size_t length)
{
	for (const char *at = strchr(text, open); at; at = strchr(at + 1, open)) {
		const char *word = at + 1 + strspn(at + 1, " \t\r\n");

		if (!strncmp(word, name, length) && !is_part(word[length]))
			return true;
	}
	return false;
}

/* -- what fits -- */

struct offers {
	struct completion *completion;
	const char *typed;
	size_t length;
	bool quoted; /* a name in backticks */
};

static void put(struct offers *offers, char *word)
{
	struct completion *all = offers->completion;

	ARRAY_RESERVE(all->words, all->count, all->capacity);
	all->words[all->count++] = word;
}

/* A label, type or property, in backticks where it must be. */
static void offer_name(struct offers *offers, const char *name)
{
	bool plain = *name && !isdigit((unsigned char)*name);
	size_t length = strlen(name);

	/* a name with a backtick would have to be doubled before it can be compared */
	if (strncmp(name, offers->typed, offers->length) != 0 || strchr(name, '`') || !*name ||
	    !text_is_clean(name, length))
		return;
	for (const char *c = name; *c; c++)
		plain &= is_part(*c);
	put(offers, plain && !offers->quoted ? xstrdup(name) : xasprintf("`%s`", name));
}

/* A keyword, in the case of what is typed. */
static void offer_keyword(struct offers *offers, const char *keyword)
{
	char *word;

	if (strncasecmp(keyword, offers->typed, offers->length) != 0)
		return;
	word = xstrdup(keyword);
	for (char *c = word; islower((unsigned char)*offers->typed) && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	put(offers, word);
}

static void offer_properties(struct offers *offers, struct engine *engine, bool of_edge)
{
	const struct columns *columns = engine_columns(engine, of_edge);

	for (uint32_t i = 0; i < columns->count; i++)
		offer_name(offers, columns->items[i]->name);
}

static int by_address(const void *a, const void *b)
{
	const char *const *left = a, *const *right = b;
	uintptr_t first = (uintptr_t)*left, second = (uintptr_t)*right;

	return (first > second) - (first < second);
}

/* Interned names, each once. */
static void offer_names(struct offers *offers, const char **names, uint32_t count)
{
	qsort(names, count, sizeof(*names), by_address);
	for (uint32_t i = 0; i < count; i++)
		if (names[i] && (!i || names[i] != names[i - 1]))
			offer_name(offers, names[i]);
}

static void offer_labels(struct offers *offers, const struct engine *engine)
{
	const char **names = NULL;
	uint32_t count = 0, capacity = 0;

	for (uint32_t v = 0; v < engine->vertex_count; v++)
		for (uint32_t i = 0; i < engine->labels[v]->count; i++) {
			const char *name = engine->labels[v]->names[i];

			if (count && names[count - 1] == name)
				continue;
			ARRAY_RESERVE(names, count, capacity);
			names[count++] = name;
		}
	if (count)
		offer_names(offers, names, count);
	free(names);
}

static void offer_types(struct offers *offers, const struct engine *engine)
{
	const char **names = xcalloc((size_t)engine->edge_count + 1, sizeof(*names));

	memcpy(names, engine->types, engine->edge_count * sizeof(*names));
	offer_names(offers, names, engine->edge_count);
	free(names);
}

static void offer_words(struct offers *offers)
{
	static const char *const forms[] = {"reduce", "shortestPath", "allShortestPaths"};
	const char *name;

	for (uint32_t i = 0; query_keywords[i]; i++)
		offer_keyword(offers, query_keywords[i]);
	for (size_t i = 0; offers->length && i < sizeof(forms) / sizeof(*forms); i++)
		if (!strncasecmp(forms[i], offers->typed, offers->length))
			put(offers, xasprintf("%s(", forms[i]));
	/* after nothing all keywords are enough */
	for (uint32_t i = 0; offers->length && (name = function_name(i)); i++)
		if (!strncasecmp(name, offers->typed, offers->length))
			put(offers, xasprintf("%s(", name));
}

/* -- together -- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct completion *completion)
{
	uint32_t kept = 0;

	if (!completion->count)
		return;
	qsort(completion->words, completion->count, sizeof(*completion->words), by_text);
	for (uint32_t i = 0; i < completion->count; i++) {
		if (kept && !strcmp(completion->words[kept - 1], completion->words[i]))
			free(completion->words[i]); /* of vertices and of edges */
		else
			completion->words[kept++] = completion->words[i];
	}
	completion->count = kept;
}

/* The properties of what the name before the '.' stands for. */
static void complete_member(struct offers *offers, struct engine *engine, const char *statement,
			    const char *dot)
{
	const char *end = dot, *name;
	bool vertex, edge;

	while (end > statement && isspace((unsigned char)end[-1]))
		end--;
	name = end;
	while (name > statement && is_part(name[-1]))
		name--;
	if (isdigit((unsigned char)*name) || (dot > statement && dot[-1] == '.'))
		return; /* 1.5, 1..3 */
	vertex = name < end && is_bound(statement, '(', name, (size_t)(end - name));
	edge = name < end && is_bound(statement, '[', name, (size_t)(end - name));
	if (vertex || !edge)
		offer_properties(offers, engine, false);
	if (edge || !vertex)
		offer_properties(offers, engine, true);
}

void complete(struct engine *engine, const char *text, struct completion *completion)
{
	struct place place = find_place(text);
	const char *end = text + strlen(text), *word = end;
	struct offers offers = {.completion = completion, .quoted = place.backtick != NULL};
	char last, inside = bracket(&place, 0);

	*completion = (struct completion){0};
	if (place.in_text)
		return;
	while (!place.backtick && word > place.statement && is_part(word[-1]))
		word--;
	offers.typed = place.backtick ? place.backtick + 1 : word;
	offers.length = (size_t)(end - offers.typed);
	word = place.backtick ? place.backtick : word;
	completion->typed = (size_t)(end - word);
	last = before(place.statement, word);
	if (last == '$' || last == '\\')
		return;
	if (last == '.') {
		const char *dot = word;

		while (dot[-1] != '.')
			dot--;
		complete_member(&offers, engine, place.statement, dot - 1);
	} else if (inside == '{' && (last == '{' || last == ',')) {
		offer_properties(&offers, engine, bracket(&place, 1) == '[');
	} else if (inside != '{' && after_colon(place.statement, word)) {
		if (inside != '[')
			offer_labels(&offers, engine);
		if (!completion->count) /* also WHERE (e:READ OR e:WRITE) */
			offer_types(&offers, engine);
	} else if (!place.backtick && !isdigit((unsigned char)*offers.typed)) {
		offer_words(&offers);
	}
	sort(completion);
}

void completion_free(struct completion *completion)
{
	for (uint32_t i = 0; i < completion->count; i++)
		free(completion->words[i]);
	free(completion->words);
	*completion = (struct completion){0};
}

size_t completion_common(const struct completion *completion)
{
	size_t length = completion->count ? strlen(completion->words[0]) : 0;

	for (uint32_t i = 1; i < completion->count; i++) {
		size_t same = 0;

		while (same < length && completion->words[i][same] == completion->words[0][same])
			same++;
		length = same;
	}
	while (length && (completion->words[0][length] & 0xc0) == 0x80)
		length--;
	return length;
}
