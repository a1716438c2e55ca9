/*
 * graph/dot_read.c: DOT by cgraph's parser, whose state is global: one stream at a time.
 *
 * The input is hostile.  Limits are enforced while cgraph reads, through its discipline of ids and
 * of input; what it keeps to itself (HTML-ness, backslashes) is settled in take_value().
 */
#include "graph/dot.h"

#include <graphviz/cgraph.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "util/memory.h"
#include "util/text.h"

#define BYTES_MAX (UINT64_C(256) << 20) /* of one graph */
#define NODES_MAX 1000000
#define EDGES_MAX 4000000
#define ATTRIBUTES_MAX 256 /* names per kind of object: each costs a slot in every object */
#define ID_MAX (UINT32_MAX - 1)

/* The stream that cgraph is reading. */
static struct {
	FILE *file;      /* NULL: none */
	Agraph_t *graph; /* being read */
	uint64_t bytes, edges;
	unsigned long line;
	bool drain;        /* pretend that the file has ended */
	const char *limit; /* what was exceeded, NULL: nothing */
	char message[512]; /* what cgraph said */
} stream;

static void check_limits(void)
{
	if (stream.bytes > BYTES_MAX)
		stream.limit = "the graph is larger than 256 MiB";
	if (!stream.graph || stream.limit)
		return;
	if (agnnodes(stream.graph) > NODES_MAX)
		stream.limit = "more than 1000000 vertices";
	for (int kind = AGRAPH; kind <= AGEDGE; kind++) {
		unsigned count = 0;

		for (Agsym_t *a = agnxtattr(stream.graph, kind, NULL); a;
		     a = agnxtattr(stream.graph, kind, a))
			count++;
		if (count > ATTRIBUTES_MAX)
			stream.limit = "more than 256 different attributes";
	}
}

/* cgraph ends the process when this returns a negative number; an early 0 is a syntax error. */
static int read_line(void *unused, char *buffer, int size)
{
	int count = 0, c;

	(void)unused;
	check_limits();
	if (stream.drain || stream.limit)
		return 0;
	while (count < size && (c = getc(stream.file)) != EOF) {
		if (!c) {
			stream.limit = "a NUL byte: this is not DOT";
			return 0;
		}
		buffer[count++] = (char)c;
		if (c == '\n') {
			stream.line++;
			break;
		}
	}
	stream.bytes += (uint64_t)count;
	return count;
}

static void *open_ids(Agraph_t *graph, Agdisc_t *discipline)
{
	stream.graph = graph;
	return AgIdDisc.open(graph, discipline);
}

/* `{a b c} -> {d e f}` makes products: edges past the limit are not made at all. */
static long map_id(void *state, int kind, char *name, IDTYPE *id, int create)
{
	if (create && (kind == AGOUTEDGE || kind == AGINEDGE) && ++stream.edges > EDGES_MAX) {
		stream.limit = "more than 4000000 edges";
		return 0;
	}
	return AgIdDisc.map(state, kind, name, id, create);
}

static int note_message(char *text)
{
	size_t used = strlen(stream.message);

	if (used < sizeof(stream.message) - 1)
		snprintf(stream.message + used, sizeof(stream.message) - used, "%s", text);
	return 0;
}

/* "Error: syntax error in line 3 near 'x'" as "name:3: syntax error near 'x'". */
static int syntax_error(const char *name, char *message, struct error *error)
{
	static const char in_line[] = " in line ";
	char *at = strstr(message, in_line), *rest, *clean;
	unsigned long line;

	if (!at)
		return error_set(error, "%s: cannot be read as DOT", name);
	line = strtoul(at + strlen(in_line), &rest, 10);
	rest[strcspn(rest, "\n")] = '\0';
	clean = text_clean(rest, strlen(rest), 200);
	error_set(error, "%s:%lu: syntax error%s", name, line, clean);
	free(clean);
	return -1;
}

static Agraph_t *parse(FILE *file)
{
	static Agiddisc_t ids;
	static Agiodisc_t io;
	static Agdisc_t discipline = {.mem = &AgMemDisc, .id = &ids, .io = &io};
	Agraph_t *graph;

	ids = AgIdDisc;
	ids.open = open_ids;
	ids.map = map_id;
	io = AgIoDisc;
	io.afread = read_line;
	if (stream.file != file) {
		dot_read_end();
		agsetfile(NULL); /* line 1 */
		stream.file = file;
		stream.line = 1;
	}
	stream.graph = NULL;
	stream.bytes = stream.edges = 0;
	stream.limit = NULL;
	stream.message[0] = '\0';
	agseterrf(note_message);
	agreseterrors();
	graph = agread(file, &discipline);
	agseterrf(NULL);
	stream.graph = NULL;
	return graph;
}

void dot_read_end(void)
{
	FILE *file = stream.file;
	Agraph_t *rest;

	if (!file)
		return;
	/* the lexer has read ahead and would give the rest of this line to the next stream */
	stream.drain = true;
	while ((rest = parse(file)) != NULL)
		agclose(rest);
	stream.drain = false;
	stream.file = NULL;
}

/* -- strings -- */

/* Whether the value has escapes of DOT's own, and can be written back as it is. */
static bool has_escapes(const char *value)
{
	bool found = false;

	for (const char *c = value; *c; c++) {
		if (*c != '\\')
			continue;
		c++;
		if (!*c || *c == '"')
			return false; /* would end the string too early or not at all */
		found |= *c != '\\';
	}
	return found;
}

/* Undoes the doubling of backslashes, in place. */
static void undouble(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] == '\\')
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

/* Foreign text may have lines and tabs, anything else that is not clean is made visible. */
static bool is_harmless(const char *text)
{
	char *copy = xstrdup(text);
	bool clean;

	for (char *c = copy; *c; c++)
		if (*c == '\n' || *c == '\t' || *c == '\r')
			*c = ' ';
	clean = text_is_clean(copy, strlen(copy));
	free(copy);
	return clean;
}

/* Replaces an owned string by its clean form. */
static void clean_in_place(char **text)
{
	char *clean = text_clean(*text, strlen(*text), 0);

	free(*text);
	*text = clean;
}

/* The text of a known attribute or of a name. */
static char *take_text(char *value)
{
	char *text = xstrdup(value);

	if (!aghtmlstr(value))
		undouble(text);
	clean_in_place(&text);
	return text;
}

/* The value of an attribute that vflow does not know; *html: it was HTML and is text now. */
static char *take_value(char *value, bool *raw, bool *html)
{
	char *text = xstrdup(value);
	bool is_html = aghtmlstr(value) != 0;

	*html |= is_html;
	*raw = !is_html && has_escapes(value);
	if (!is_html && !*raw)
		undouble(text);
	if (!is_harmless(text))
		clean_in_place(&text);
	return text;
}

static void set_foreign(struct graph_attributes *attributes, char *name, char *value, bool *html)
{
	char *clean = take_text(name);
	bool raw;
	char *text = take_value(value, &raw, html);

	graph_set_attribute(attributes, clean, text);
	if (raw)
		for (uint32_t i = 0; i < attributes->count; i++)
			if (!strcmp(attributes->items[i].name, clean))
				attributes->items[i].raw = true;
	free(clean);
	free(text);
}

/* -- known attributes -- */

enum type { TEXT, NUMBER, NUMBER32, FRACTION, ACCESS };

struct known {
	const char *name;
	enum type type;
	uint32_t field;
	size_t offset;
};

#define VERTEX(name, type, field, member)                                                          \
	{                                                                                          \
		name, type, field, offsetof(struct graph_vertex, member)                           \
	}
#define EDGE(name, type, field, member)                                                            \
	{                                                                                          \
		name, type, field, offsetof(struct graph_edge, member)                             \
	}

static const struct known known_vertex[] = {
	VERTEX(DOT_KIND, TEXT, VERTEX_KIND, kind),
	VERTEX(DOT_NAME, TEXT, VERTEX_NAME, name),
	VERTEX(DOT_INVOCATIONS, NUMBER, VERTEX_INVOCATIONS, invocations),
	VERTEX(DOT_READ_BYTES, NUMBER, VERTEX_READ_BYTES, read_bytes),
	VERTEX(DOT_WRITTEN_BYTES, NUMBER, VERTEX_WRITTEN_BYTES, written_bytes),
	VERTEX(DOT_REDUNDANT_BYTES, NUMBER, VERTEX_REDUNDANT_BYTES, redundant_bytes),
	VERTEX(DOT_TIME_NS, NUMBER, VERTEX_TIME_NS, time_ns),
	VERTEX(DOT_CONTEXT, TEXT, VERTEX_CONTEXT, context),
	VERTEX(DOT_CALLPATH, TEXT, VERTEX_CALLPATH, callpath),
	VERTEX(DOT_PATTERNS, TEXT, VERTEX_PATTERNS, patterns),
	VERTEX(DOT_ADVICE, TEXT, VERTEX_ADVICE, advice),
	{0},
};

static const struct known known_edge[] = {
	EDGE(DOT_OBJECT, NUMBER32, EDGE_OBJECT, object),
	EDGE(DOT_ACCESS, ACCESS, EDGE_ACCESS, access),
	EDGE(DOT_BYTES, NUMBER, EDGE_BYTES, bytes),
	EDGE(DOT_REDUNDANT_BYTES, NUMBER, EDGE_REDUNDANT_BYTES, redundant_bytes),
	EDGE(DOT_REDUNDANCY, FRACTION, EDGE_REDUNDANCY, redundancy),
	EDGE(DOT_COUNT, NUMBER, EDGE_COUNT, count),
	EDGE(DOT_OBJECT_BYTES, NUMBER, EDGE_OBJECT_BYTES, object_bytes),
	{0},
};

static const struct known *find_known(const struct known *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= max;
}

/* -1: the value is not what the attribute takes; *wanted says what it takes. */
static int set_known(const struct known *known, void *object, char *value, const char **wanted)
{
	char *at = (char *)object + known->offset;
	uint64_t number;
	char *end;

	switch (known->type) {
	case TEXT:
		*(char **)at = take_text(value);
		return 0;
	case NUMBER:
		*wanted = "a number";
		return parse_number(value, UINT64_MAX, (uint64_t *)at) ? 0 : -1;
	case NUMBER32:
		*wanted = "a vertex number";
		if (!parse_number(value, UINT32_MAX, &number))
			return -1;
		*(uint32_t *)at = (uint32_t)number;
		return 0;
	case FRACTION:
		*wanted = "a number";
		*(double *)at = strtod(value, &end);
		return end != value && !*end && isfinite(*(double *)at) ? 0 : -1;
	case ACCESS:
		*wanted = "READ or WRITE";
		*(enum graph_access *)at = !strcmp(value, "READ")    ? GRAPH_READ
					   : !strcmp(value, "WRITE") ? GRAPH_WRITE
								     : GRAPH_ACCESS_NONE;
		return *(enum graph_access *)at == GRAPH_ACCESS_NONE ? -1 : 0;
	}
	return -1;
}

/* -- from cgraph's graph to ours -- */

struct reading {
	Agraph_t *from;
	struct graph *to;
	const char *name;
	uint32_t *index_of; /* by sequence number of the node */
	bool html;
	struct error *error;
};

static int refuse(struct reading *reading, const char *what, const char *which, const char *name,
		  const char *value, const char *wanted)
{
	char *shown = text_clean(value, strlen(value), 100);
	char *object = text_clean(which, strlen(which), 100);

	error_set(reading->error, "%s: %s %s: %s is '%s': expected %s", reading->name, what, object,
		  name, shown, wanted);
	free(shown);
	free(object);
	return -1;
}

/* All attributes of a vertex or an edge. */
static int take_attributes(struct reading *reading, void *source, int kind,
			   const struct known *table, void *object, uint32_t *fields,
			   struct graph_attributes *attributes, const char *which)
{
	const char *wanted = NULL;

	for (Agsym_t *a = agnxtattr(reading->from, kind, NULL); a;
	     a = agnxtattr(reading->from, kind, a)) {
		const struct known *known = find_known(table, a->name);
		char *value = agxget(source, a);

		if (kind == AGEDGE && !strcmp(a->name, DOT_KEY))
			continue;
		if (!known) {
			if (value != a->defval) /* both are interned */
				set_foreign(attributes, a->name, value, &reading->html);
			continue;
		}
		if (!*value)
			continue;
		if (set_known(known, object, value, &wanted) != 0)
			return refuse(reading, kind == AGNODE ? "vertex" : "edge of", which,
				      a->name, value, wanted);
		*fields |= known->field;
	}
	return 0;
}

static void take_defaults(struct reading *reading, int kind, const struct known *table)
{
	struct graph *graph = reading->to;

	for (Agsym_t *a = agnxtattr(reading->from, kind, NULL); a;
	     a = agnxtattr(reading->from, kind, a)) {
		struct graph_default *declaration;

		if (!*a->defval || find_known(table, a->name) ||
		    (kind == AGEDGE && !strcmp(a->name, DOT_KEY)))
			continue;
		ARRAY_RESERVE(graph->defaults, graph->default_count, graph->default_capacity);
		declaration = &graph->defaults[graph->default_count++];
		declaration->name = take_text(a->name);
		declaration->value = take_value(a->defval, &declaration->raw, &reading->html);
		declaration->of = kind == AGNODE ? DEFAULT_VERTEX : DEFAULT_EDGE;
	}
}

static int take_graph_attributes(struct reading *reading)
{
	uint64_t version;

	for (Agsym_t *a = agnxtattr(reading->from, AGRAPH, NULL); a;
	     a = agnxtattr(reading->from, AGRAPH, a)) {
		char *value = agxget(reading->from, a);

		if (!*value || !strcmp(a->name, DOT_LINELENGTH))
			continue;
		if (strcmp(a->name, DOT_VERSION)) {
			set_foreign(&reading->to->attributes, a->name, value, &reading->html);
			continue;
		}
		if (!parse_number(value, UINT64_MAX, &version))
			return refuse(reading, "the", "graph", DOT_VERSION, value, "a number");
		if (version > DOT_VERSION_NUMBER)
			return error_set(reading->error,
					 "%s: made by a newer vflow: " DOT_VERSION " %" PRIu64
					 ", this one reads %d",
					 reading->name, version, DOT_VERSION_NUMBER);
	}
	return 0;
}

/* "v12" -> 12; names such as "v012" are not ours. */
static bool parse_id(const char *name, uint32_t *id)
{
	uint64_t value;

	if (name[0] != 'v' || (name[1] == '0' && name[2]) ||
	    !parse_number(name + 1, ID_MAX, &value))
		return false;
	*id = (uint32_t)value;
	return true;
}

static int take_vertices(struct reading *reading)
{
	uint64_t next = GRAPH_HOST + 1; /* nothing of others is the host */
	uint32_t id;

	for (Agnode_t *n = agfstnode(reading->from); n; n = agnxtnode(reading->from, n))
		if (parse_id(agnameof(n), &id) && id >= next)
			next = (uint64_t)id + 1;
	for (Agnode_t *n = agfstnode(reading->from); n; n = agnxtnode(reading->from, n)) {
		const char *name = agnameof(n);
		struct graph_vertex *vertex;
		bool ours = parse_id(name, &id);

		if (!ours && next > ID_MAX)
			return error_set(reading->error,
					 "%s: no vertex number is left for '%.100s'", reading->name,
					 name);
		if (!ours)
			id = (uint32_t)next++;
		reading->index_of[AGSEQ(n)] = reading->to->vertex_count;
		vertex = graph_add_vertex(reading->to, id);
		/* cgraph's own names for nodes without one are not the same next time */
		if (!ours && name[0] != '%') {
			free(vertex->node);
			vertex->node = xstrdup(name);
			undouble(vertex->node);
			clean_in_place(&vertex->node);
		}
		if (take_attributes(reading, n, AGNODE, known_vertex, vertex, &vertex->fields,
				    &vertex->attributes, name) != 0)
			return -1;
	}
	return 0;
}

static int by_sequence(const void *left, const void *right)
{
	Agedge_t *const *a = left, *const *b = right;

	return AGSEQ(*a) < AGSEQ(*b) ? -1 : AGSEQ(*a) > AGSEQ(*b);
}

static void take_key(struct graph_edge *edge, const char *key)
{
	char ours[GRAPH_KEY_SIZE];

	if (!key || !*key || *key == '%')
		return;
	if (edge->fields & EDGE_OBJECT && edge->fields & EDGE_ACCESS) {
		edge->fields |= EDGE_KEY;
		if (!strcmp(key, graph_edge_key(edge, ours)))
			return;
		edge->fields &= ~(uint32_t)EDGE_KEY;
	}
	edge->key = xstrdup(key);
	undouble(edge->key);
	clean_in_place(&edge->key);
}

static int take_edges(struct reading *reading)
{
	uint32_t count = 0, capacity = 0;
	Agedge_t **edges = NULL;
	int result = 0;

	for (Agnode_t *n = agfstnode(reading->from); n; n = agnxtnode(reading->from, n))
		for (Agedge_t *e = agfstout(reading->from, n); e; e = agnxtout(reading->from, e)) {
			ARRAY_RESERVE(edges, count, capacity);
			edges[count++] = e;
		}
	if (count)
		qsort(edges, count, sizeof(Agedge_t *), by_sequence);
	for (uint32_t i = 0; i < count && result == 0; i++) {
		Agedge_t *e = edges[i];
		struct graph_edge *edge =
			graph_add_edge(reading->to, reading->index_of[AGSEQ(agtail(e))],
				       reading->index_of[AGSEQ(aghead(e))]);
		result = take_attributes(reading, e, AGEDGE, known_edge, edge, &edge->fields,
					 &edge->attributes, agnameof(agtail(e)));
		take_key(edge, agnameof(e));
	}
	free(edges);
	return result;
}

static int take_graph(struct reading *reading)
{
	const char *name = agnameof(reading->from);

	if (!agisdirected(reading->from))
		return error_set(reading->error,
				 "%s: an undirected graph: values flow in a direction, write "
				 "'digraph' and '->'",
				 reading->name);
	if (name && *name != '%') {
		reading->to->name = xstrdup(name);
		undouble(reading->to->name);
		clean_in_place(&reading->to->name);
	}
	if (take_graph_attributes(reading) != 0)
		return -1;
	take_defaults(reading, AGNODE, known_vertex);
	take_defaults(reading, AGEDGE, known_edge);
	if (take_vertices(reading) != 0 || take_edges(reading) != 0)
		return -1;
	if (reading->html)
		graph_set_attribute(&reading->to->attributes, "vflow_note",
				    "HTML-like labels became plain text");
	return 0;
}

static uint32_t last_sequence(Agraph_t *graph)
{
	uint32_t last = 0;

	for (Agnode_t *n = agfstnode(graph); n; n = agnxtnode(graph, n))
		if (AGSEQ(n) > last)
			last = AGSEQ(n);
	return last;
}

int dot_read(FILE *file, const char *name, struct graph **graph, struct error *error)
{
	struct reading reading = {.name = name, .error = error};
	int result;

	*graph = NULL;
	reading.from = parse(file);
	/* when the parser runs out of stack, cgraph gives what it has so far */
	if (!reading.from || stream.limit || ferror(file) || agerrors() >= AGERR) {
		unsigned long line = stream.line;
		const char *limit = stream.limit;
		char message[sizeof(stream.message)];
		bool failed = ferror(file) != 0;
		int reason = errno;

		strcpy(message, stream.message);
		if (reading.from)
			agclose(reading.from);
		dot_read_end();
		if (failed)
			return error_set(error, "%s: cannot read: %s", name, strerror(reason));
		if (limit)
			return error_set(error, "%s:%lu: %s", name, line, limit);
		return message[0] ? syntax_error(name, message, error) : 0;
	}
	reading.to = graph_new();
	reading.index_of = xcalloc((size_t)last_sequence(reading.from) + 1, sizeof(uint32_t));
	result = take_graph(&reading);
	agclose(reading.from);
	free(reading.index_of);
	if (result != 0) {
		graph_free(reading.to);
		return -1;
	}
	*graph = reading.to;
	return 1;
}
