#include "graph/dot_plain.h"

#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "graph/dot_values.h"
#include "util/memory.h"
#include "util/text.h"

enum {
	LINE_MAX_BYTES = 1 << 16,
	/* of foreign attributes: cgraph counts known ones too */
	NAMES_MAX = DOT_ATTRIBUTES_MAX - VERTEX_FIELD_COUNT - EDGE_FIELD_COUNT,
};

bool dot_text_fill(struct dot_text *text)
{
	size_t start = text->size;
	int c = 0;

	if (text->size > DOT_BYTES_MAX)
		text->limit = "the graph is larger than 256 MiB";
	if (text->limit)
		return false;

	while (text->size - start < LINE_MAX_BYTES && c != '\n' &&
	       (c = getc_unlocked(text->file)) != EOF) {
		ARRAY_RESERVE(text->bytes, text->size, text->capacity);
		text->bytes[text->size++] = (char)c;
	}
	return text->size > start;
}

/* -- words -- */

enum word_type {
	WORD_END,
	WORD_MARK,
	WORD_ARROW,
	WORD_KEYWORD,
	WORD_PLAIN,
	WORD_QUOTED,
	WORD_OTHER
};

/* A word's text, with its NUL; the room is used again. */
struct word {
	enum word_type type;
	char mark; /* one of { } [ ] = , ; */
	char *text;
	size_t length, capacity;
};

static int peek(struct dot_text *text)
{
	if (text->at == text->size && !dot_text_fill(text))
		return EOF;
	return (unsigned char)text->bytes[text->at];
}

static void put(struct word *word, char c)
{
	ARRAY_RESERVE(word->text, word->length, word->capacity);
	word->text[word->length++] = c;
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* The text is read as cgraph reads it: \" is a quote, a backslash before the end of a line joins it
 * with the next. */
static enum word_type read_quoted(struct dot_text *text, struct word *word)
{
	int c;

	text->at++;
	while ((c = peek(text)) != '"') {
		if (c == EOF || !c)
			return WORD_OTHER;
		text->at++;
		if (c == '\\') {
			c = peek(text);
			if (c == '"' || c == '\n')
				text->at++;
			if (c == '\\') { /* both stay, and the second one is no escape */
				text->at++;
				put(word, '\\');
			}
			if (c == '\n')
				continue;
			if (c != '"')
				c = '\\';
		}
		put(word, (char)c);
	}
	text->at++;
	put(word, '\0');
	return WORD_QUOTED;
}

static bool is_keyword(const char *text)
{
	static const char *const keywords[] = {"strict", "digraph", "subgraph",
					       "graph",  "node",    "edge"};

	for (size_t i = 0; strchr("SDGNEsdgne", *text) && i < sizeof(keywords) / sizeof(*keywords);
	     i++)
		if (!strcasecmp(text, keywords[i]))
			return true;
	return false;
}

/* A number or a name; what joins two without a space between them is left to cgraph. */
static enum word_type read_plain(struct dot_text *text, struct word *word)
{
	int c = peek(text);
	bool number = !is_letter(c), point = false;

	if (c == '-') {
		put(word, (char)c);
		text->at++;
	}
	while (is_digit(c = peek(text)) || (number ? c == '.' && !point : is_letter(c))) {
		point |= c == '.';
		put(word, (char)c);
		text->at++;
	}
	if (number && (is_letter(c) || c == '.' || !word->length ||
		       !is_digit((unsigned char)word->text[word->length - 1])))
		return WORD_OTHER;
	put(word, '\0');
	return !number && is_keyword(word->text) ? WORD_KEYWORD : WORD_PLAIN;
}

static void next(struct dot_text *text, struct word *word)
{
	int c;

	while ((c = peek(text)) == ' ' || c == '\t' || c == '\n' || c == '\r')
		text->at++;
	word->length = 0;
	word->mark = '\0';
	if (c == EOF) {
		word->type = WORD_END;
	} else if (c && strchr("{}[]=,;", c)) {
		word->type = WORD_MARK;
		word->mark = (char)c;
		text->at++;
	} else if (c == '"') {
		word->type = read_quoted(text, word);
	} else if (is_letter(c) || is_digit(c)) {
		word->type = read_plain(text, word);
	} else if (c == '-') {
		text->at++;
		if (peek(text) == '>') {
			text->at++;
			word->type = WORD_ARROW;
		} else {
			text->at--;
			word->type = read_plain(text, word);
		}
	} else {
		word->type = WORD_OTHER;
	}
}

static bool is_text(const struct word *word)
{
	return word->type == WORD_PLAIN || word->type == WORD_QUOTED;
}

static void swap(struct word *a, struct word *b)
{
	struct word other = *a;

	*a = *b;
	*b = other;
}

/* -- statements -- */

/* An attribute that vflow does not know, or a declaration. */
struct foreign {
	char *name, *standard; /* the value where it is not set */
};

struct plain {
	struct dot_text *text;
	struct graph *graph;
	struct word word, name; /* the current one; the name before a '=' */
	struct foreign *foreign[2];
	uint32_t foreign_count[2], foreign_capacity[2]; /* of vertices, of edges */
	bool *stated;                                   /* per vertex: it had its statement */
	uint32_t stated_capacity;
	uint64_t *keys; /* hashes of ends and key; 0: free */
	uint32_t key_count, key_size;
};

/* What a list of attributes is for. */
enum kind { OF_VERTEX, OF_EDGE, OF_GRAPH, OF_VERTICES, OF_EDGES };

struct target {
	enum kind kind;
	void *of; /* the vertex or edge */
	struct graph_attributes *attributes;
	struct word key;
	const struct graph_field *next; /* vflow writes fields in the order of their list */
};

static struct foreign *foreign_of(struct plain *plain, bool of_edge, const char *name)
{
	struct foreign **items = &plain->foreign[of_edge];

	for (uint32_t i = 0; i < plain->foreign_count[of_edge]; i++)
		if (!strcmp((*items)[i].name, name))
			return &(*items)[i];
	return NULL;
}

static struct foreign *add_foreign(struct plain *plain, bool of_edge, const char *name,
				   const char *standard)
{
	struct foreign *foreign;

	ARRAY_RESERVE(plain->foreign[of_edge], plain->foreign_count[of_edge],
		      plain->foreign_capacity[of_edge]);
	foreign = &plain->foreign[of_edge][plain->foreign_count[of_edge]++];
	*foreign = (struct foreign){xstrdup(name), xstrdup(standard)};
	return foreign;
}

/* Two foreign attributes may become one when their names are cleaned. */
static bool is_ordinary(const char *name)
{
	return !strchr(name, '\\') && text_is_clean(name, strlen(name));
}

static bool set_of_graph(struct plain *plain, const char *name, const char *value)
{
	uint64_t version;

	if (!strcmp(name, DOT_LINELENGTH))
		return true;
	if (!*value)
		return !graph_attribute(&plain->graph->attributes, name);
	if (!strcmp(name, DOT_VERSION))
		return dot_number(value, DOT_VERSION_NUMBER, &version);
	dot_set_foreign(&plain->graph->attributes, name, value, false);
	return is_ordinary(name) && plain->graph->attributes.count < NAMES_MAX;
}

static bool declare(struct plain *plain, bool of_edge, const char *name, const char *value)
{
	struct graph *graph = plain->graph;
	struct graph_default *declaration;

	if (graph->vertex_count || foreign_of(plain, of_edge, name) || !strcmp(name, DOT_KEY) ||
	    field_find(of_edge ? graph_edge_fields : graph_vertex_fields, name))
		return false;
	add_foreign(plain, of_edge, name, value);
	if (!is_ordinary(name) || !*value)
		return is_ordinary(name);
	ARRAY_RESERVE(graph->defaults, graph->default_count, graph->default_capacity);
	declaration = &graph->defaults[graph->default_count++];
	declaration->name = dot_text(name, false);
	declaration->value = dot_value(value, false, &declaration->raw);
	declaration->of = of_edge ? DEFAULT_EDGE : DEFAULT_VERTEX;
	return true;
}

static bool set_foreign(struct plain *plain, struct target *target, const char *name,
			const char *value)
{
	bool of_edge = target->kind == OF_EDGE;
	struct foreign *foreign = foreign_of(plain, of_edge, name);

	if (!foreign)
		foreign = add_foreign(plain, of_edge, name, "");
	if (strcmp(foreign->standard, value) != 0)
		dot_set_foreign(target->attributes, name, value, false);
	else if (graph_attribute(target->attributes, name))
		return false; /* it was something else before */
	return is_ordinary(name) && plain->foreign_count[of_edge] < NAMES_MAX;
}

static bool set(struct plain *plain, struct target *target, const char *name,
		const struct word *value)
{
	const struct graph_field *known = target->next;
	const char *wanted;

	if (target->kind == OF_GRAPH)
		return set_of_graph(plain, name, value->text);
	if (target->kind == OF_VERTICES || target->kind == OF_EDGES)
		return declare(plain, target->kind == OF_EDGES, name, value->text);
	if (target->kind == OF_EDGE && !strcmp(name, DOT_KEY)) {
		if (target->key.length || !*value->text || *value->text == '%')
			return false;
		for (const char *c = value->text; c < value->text + value->length; c++)
			put(&target->key, *c);
		return true;
	}
	if (!known->name || known->profile_only || strcmp(known->name, name) != 0)
		known = field_find(
			target->kind == OF_EDGE ? graph_edge_fields : graph_vertex_fields, name);
	if (!known)
		return set_foreign(plain, target, name, value->text);
	target->next = known + 1;
	if (!*value->text)
		return !field_is_there(known, target->of);
	return dot_set_field(known, target->of, value->text, false, &wanted) == 0;
}

/* [a=b, c=d] [e=f] */
static bool read_lists(struct plain *plain, struct target *target)
{
	while (plain->word.mark == '[') {
		next(plain->text, &plain->word);
		while (plain->word.mark != ']') {
			if (!is_text(&plain->word))
				return false;
			swap(&plain->name, &plain->word);
			next(plain->text, &plain->word);
			if (plain->word.mark != '=')
				return false;
			next(plain->text, &plain->word);
			if (!is_text(&plain->word) ||
			    !set(plain, target, plain->name.text, &plain->word))
				return false;
			next(plain->text, &plain->word);
			if (plain->word.mark == ',' || plain->word.mark == ';')
				next(plain->text, &plain->word);
		}
		next(plain->text, &plain->word);
	}
	return true;
}

static bool vertex_of(struct plain *plain, const struct word *word, uint32_t *index)
{
	uint32_t id;

	if (!is_text(word) || !dot_vertex_id(word->text, &id))
		return false;
	*index = graph_find(plain->graph, id);
	if (*index != UINT32_MAX)
		return true;
	*index = plain->graph->vertex_count;
	ARRAY_RESERVE(plain->stated, *index, plain->stated_capacity);
	plain->stated[*index] = false;
	graph_add_vertex(plain->graph, id);
	if (plain->graph->vertex_count > DOT_NODES_MAX)
		plain->text->limit = "more than 1000000 vertices";
	return !plain->text->limit;
}

/* Hashes that are equal by chance only cost the time that cgraph takes. */
static bool is_new(struct plain *plain, uint64_t hash)
{
	uint64_t *old = plain->keys;
	uint32_t old_size = plain->key_size, at;

	hash += !hash;
	if (2 * plain->key_count >= plain->key_size) {
		plain->key_size = old_size ? 2 * old_size : 1024;
		plain->keys = xcalloc(plain->key_size, sizeof(*plain->keys));
		plain->key_count = 0;
		for (uint32_t i = 0; i < old_size; i++)
			if (old[i])
				is_new(plain, old[i]);
		free(old);
	}
	for (at = (uint32_t)hash; plain->keys[at &= plain->key_size - 1]; at++)
		if (plain->keys[at] == hash)
			return false;
	plain->keys[at] = hash;
	plain->key_count++;
	return true;
}

static uint64_t hash_of(uint32_t from, uint32_t to, const char *key)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *key; key++) /* FNV-1a */
		hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	hash ^= (uint64_t)from << 32 | to;
	for (int round = 0; round < 2; round++) { /* every bit counts for the slot */
		hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static bool read_edge(struct plain *plain, uint32_t from)
{
	uint32_t to;
	struct graph_edge *edge;
	struct target target = {.kind = OF_EDGE, .next = graph_edge_fields};
	bool good;

	next(plain->text, &plain->word);
	if (!vertex_of(plain, &plain->word, &to))
		return false;
	next(plain->text, &plain->word);
	if (plain->word.type == WORD_ARROW)
		return false;
	edge = graph_add_edge(plain->graph, from, to);
	target.of = edge;
	target.attributes = &edge->attributes;
	good = read_lists(plain, &target);
	if (plain->graph->edge_count > DOT_EDGES_MAX)
		plain->text->limit = "more than 4000000 edges";
	good &= !plain->text->limit;
	if (good && target.key.length) {
		good = is_new(plain, hash_of(from, to, target.key.text));
		dot_set_key(edge, target.key.text);
	}
	free(target.key.text);
	return good;
}

static bool read_vertex(struct plain *plain, uint32_t index)
{
	struct graph_vertex *vertex = &plain->graph->vertices[index];
	struct target target = {.kind = OF_VERTEX,
				.of = vertex,
				.attributes = &vertex->attributes,
				.next = graph_vertex_fields};

	if (plain->stated[index])
		return false;
	plain->stated[index] = true;
	return read_lists(plain, &target);
}

static bool read_statement(struct plain *plain)
{
	static const struct {
		const char *word;
		enum kind kind;
	} lists[] = {{"graph", OF_GRAPH}, {"node", OF_VERTICES}, {"edge", OF_EDGES}};
	uint32_t index;

	for (size_t i = 0; plain->word.type == WORD_KEYWORD && i < 3; i++)
		if (!strcasecmp(plain->word.text, lists[i].word)) {
			next(plain->text, &plain->word);
			return plain->word.mark == '[' &&
			       read_lists(plain, &(struct target){.kind = lists[i].kind});
		}
	if (!is_text(&plain->word))
		return false;
	swap(&plain->name, &plain->word);
	next(plain->text, &plain->word);
	if (plain->word.mark == '=') {
		next(plain->text, &plain->word);
		if (!is_text(&plain->word) ||
		    !set_of_graph(plain, plain->name.text, plain->word.text))
			return false;
		next(plain->text, &plain->word);
		return true;
	}
	if (!vertex_of(plain, &plain->name, &index))
		return false;
	if (plain->word.type == WORD_ARROW)
		return read_edge(plain, index);
	return read_vertex(plain, index);
}

static bool read_graph(struct plain *plain)
{
	next(plain->text, &plain->word);
	if (plain->word.type != WORD_KEYWORD || strcasecmp(plain->word.text, "digraph") != 0)
		return false;
	next(plain->text, &plain->word);
	if (is_text(&plain->word)) {
		if (*plain->word.text == '%' || !is_ordinary(plain->word.text))
			return false;
		plain->graph->name = dot_text(plain->word.text, false);
		next(plain->text, &plain->word);
	}
	if (plain->word.mark != '{')
		return false;
	next(plain->text, &plain->word);
	while (plain->word.mark != '}') {
		if (!read_statement(plain))
			return false;
		if (plain->word.mark == ';')
			next(plain->text, &plain->word);
	}
	return true;
}

/* As cgraph has them. */
static int by_name(const void *left, const void *right)
{
	const struct graph_default *a = left, *b = right;

	return a->of != b->of ? (a->of > b->of) - (a->of < b->of) : strcmp(a->name, b->name);
}

struct graph *dot_read_plain(struct dot_text *text)
{
	struct plain plain = {.text = text, .graph = graph_new()};
	size_t start = text->at;

	if (!read_graph(&plain)) {
		text->at = start;
		graph_free(plain.graph);
		plain.graph = NULL;
	}
	if (plain.graph && plain.graph->default_count)
		qsort(plain.graph->defaults, plain.graph->default_count,
		      sizeof(*plain.graph->defaults), by_name);
	for (int of_edge = 0; of_edge < 2; of_edge++) {
		for (uint32_t i = 0; i < plain.foreign_count[of_edge]; i++) {
			free(plain.foreign[of_edge][i].name);
			free(plain.foreign[of_edge][i].standard);
		}
		free(plain.foreign[of_edge]);
	}
	free(plain.word.text);
	free(plain.name.text);
	free(plain.stated);
	free(plain.keys);
	return plain.graph;
}
