/*
 * graph/dot_read.c: DOT, by graph/dot_plain.c as long as that understands it, else by cgraph's
 * parser, whose state is global: one stream at a time.
 *
 * The input is hostile.  Limits are enforced while cgraph reads, through its discipline of ids and
 * of input; what it keeps to itself (HTML-ness, backslashes) is settled in graph/dot_values.c.
 */
#include "graph/dot.h"

#include <graphviz/cgraph.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "graph/dot_plain.h"
#include "graph/dot_values.h"
#include "util/memory.h"
#include "util/text.h"

/* The stream that is read. */
static struct {
	struct dot_text text; /* its file is NULL: none */
	bool by_cgraph;       /* which has read ahead: the rest of the stream is left to it */
	unsigned long before; /* lines before cgraph's first one */
	Agraph_t *graph;      /* being read */
	uint64_t bytes, edges;
	unsigned long line;
	bool drain;        /* pretend that the file has ended */
	const char *limit; /* what was exceeded, NULL: nothing */
	char message[512]; /* what cgraph said */
} stream;

static void check_limits(void)
{
	if (stream.bytes > DOT_BYTES_MAX)
		stream.limit = "the graph is larger than 256 MiB";
	if (!stream.graph || stream.limit)
		return;
	if (agnnodes(stream.graph) > DOT_NODES_MAX)
		stream.limit = "more than 1000000 vertices";
	for (int kind = AGRAPH; kind <= AGEDGE; kind++) {
		unsigned count = 0;

		for (Agsym_t *a = agnxtattr(stream.graph, kind, NULL); a;
		     a = agnxtattr(stream.graph, kind, a))
			count++;
		if (count > DOT_ATTRIBUTES_MAX)
			stream.limit = "more than 256 different attributes";
	}
}

/* cgraph ends the process when this returns a negative number; an early 0 is a syntax error. */
static int read_line(void *unused, char *buffer, int size)
{
	struct dot_text *text = &stream.text;
	int count = 0, c;

	(void)unused;
	check_limits();
	if (stream.drain || stream.limit)
		return 0;
	while (count < size) {
		if (text->at == text->size) {
			text->at = text->size = 0; /* it will not be asked for again */
			if (!dot_text_fill(text))
				break;
		}
		c = text->bytes[text->at++];
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
	if (create && (kind == AGOUTEDGE || kind == AGINEDGE) && ++stream.edges > DOT_EDGES_MAX) {
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
	static const char in_line[] = "syntax error in line "; /* warnings may come before it */
	char *at = strstr(message, in_line), *rest, *clean;
	unsigned long line;

	if (!at)
		return error_set(error, "%s: cannot be read as DOT", name);
	line = strtoul(at + strlen(in_line), &rest, 10);
	rest[strcspn(rest, "\n")] = '\0';
	clean = text_clean(rest, strlen(rest), 200);
	error_set(error, "%s:%lu: syntax error%s", name, stream.before + line, clean);
	free(clean);
	return -1;
}

static Agraph_t *parse(void)
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
	if (!stream.by_cgraph) {
		agsetfile(NULL); /* line 1 */
		stream.by_cgraph = true;
		stream.line = stream.before + 1;
	}
	stream.graph = NULL;
	stream.bytes = stream.edges = 0;
	stream.limit = NULL;
	stream.message[0] = '\0';
	agseterrf(note_message);
	agreseterrors();
	graph = agread(stream.text.file, &discipline);
	agseterrf(NULL);
	stream.graph = graph;
	check_limits(); /* of the last line */
	stream.graph = NULL;
	return graph;
}

void dot_read_end(void)
{
	Agraph_t *rest;

	/* the lexer has read ahead and would give the rest of this line to the next stream */
	stream.drain = true;
	while (stream.by_cgraph && (rest = parse()) != NULL)
		agclose(rest);
	free(stream.text.bytes);
	memset(&stream, 0, sizeof(stream));
}

/* Forgets the graphs before. */
static void next_text(FILE *file)
{
	struct dot_text *text = &stream.text;

	if (text->file != file)
		dot_read_end();
	text->file = file;
	for (size_t i = 0; i < text->at; i++)
		stream.before += text->bytes[i] == '\n';
	text->size -= text->at;
	if (text->size)
		memmove(text->bytes, text->bytes + text->at, text->size);
	text->at = 0;
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

static void set_foreign(struct reading *reading, struct graph_attributes *attributes, char *name,
			char *value)
{
	bool html = aghtmlstr(value) != 0;

	dot_set_foreign(attributes, name, value, html);
	reading->html |= html;
}

/* All attributes of a vertex or an edge. */
static int take_attributes(struct reading *reading, void *source, int kind,
			   const struct graph_field *fields, void *of,
			   struct graph_attributes *attributes, const char *which)
{
	const char *wanted = NULL;

	for (Agsym_t *a = agnxtattr(reading->from, kind, NULL); a;
	     a = agnxtattr(reading->from, kind, a)) {
		const struct graph_field *known = field_find(fields, a->name);
		char *value = agxget(source, a);

		if (kind == AGEDGE && !strcmp(a->name, DOT_KEY))
			continue;
		if (!known) {
			if (value != a->defval) /* both are interned */
				set_foreign(reading, attributes, a->name, value);
			continue;
		}
		if (!*value)
			continue;
		if (dot_set_field(known, of, value, aghtmlstr(value), &wanted) != 0)
			return refuse(reading, kind == AGNODE ? "vertex" : "edge of", which,
				      a->name, value, wanted);
	}
	return 0;
}

static void take_defaults(struct reading *reading, int kind, const struct graph_field *fields)
{
	struct graph *graph = reading->to;

	for (Agsym_t *a = agnxtattr(reading->from, kind, NULL); a;
	     a = agnxtattr(reading->from, kind, a)) {
		struct graph_default *declaration;

		if (!*a->defval || field_find(fields, a->name) ||
		    (kind == AGEDGE && !strcmp(a->name, DOT_KEY)))
			continue;
		ARRAY_RESERVE(graph->defaults, graph->default_count, graph->default_capacity);
		declaration = &graph->defaults[graph->default_count++];
		declaration->name = dot_text(a->name, false);
		declaration->value = dot_value(a->defval, aghtmlstr(a->defval), &declaration->raw);
		reading->html |= aghtmlstr(a->defval) != 0;
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
			set_foreign(reading, &reading->to->attributes, a->name, value);
			continue;
		}
		if (!dot_number(value, UINT64_MAX, &version))
			return refuse(reading, "the", "graph", DOT_VERSION, value, "a number");
		if (version > DOT_VERSION_NUMBER)
			return error_set(reading->error,
					 "%s: made by a newer vflow: " DOT_VERSION " %" PRIu64
					 ", this one reads %d: update vflow",
					 reading->name, version, DOT_VERSION_NUMBER);
	}
	return 0;
}

static int take_vertices(struct reading *reading)
{
	uint64_t next = GRAPH_HOST + 1; /* nothing of others is the host */
	uint32_t id;

	for (Agnode_t *n = agfstnode(reading->from); n; n = agnxtnode(reading->from, n))
		if (dot_vertex_id(agnameof(n), &id) && id >= next)
			next = (uint64_t)id + 1;
	for (Agnode_t *n = agfstnode(reading->from); n; n = agnxtnode(reading->from, n)) {
		const char *name = agnameof(n);
		struct graph_vertex *vertex;
		bool ours = dot_vertex_id(name, &id);

		if (!ours && next > DOT_ID_MAX)
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
			vertex->node = dot_text(name, false);
		}
		if (take_attributes(reading, n, AGNODE, graph_vertex_fields, vertex,
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
		result = take_attributes(reading, e, AGEDGE, graph_edge_fields, edge,
					 &edge->attributes, agnameof(agtail(e)));
		dot_set_key(edge, agnameof(e));
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
	if (name && *name != '%')
		reading->to->name = dot_text(name, false);
	if (take_graph_attributes(reading) != 0)
		return -1;
	take_defaults(reading, AGNODE, graph_vertex_fields);
	take_defaults(reading, AGEDGE, graph_edge_fields);
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
	if (!stream.by_cgraph || stream.text.file != file) {
		next_text(file);
		*graph = dot_read_plain(&stream.text);
		if (*graph)
			return 1;
		if (stream.text.limit)
			return error_set(error, "%s: %s", name, stream.text.limit);
	}
	reading.from = parse();
	/* when the parser runs out of stack, cgraph gives what it has so far */
	if (!reading.from || stream.limit || ferror(file) || agerrors() >= AGERR) {
		result = 0;
		if (ferror(file))
			result = error_set(error, "%s: cannot read: %s", name, strerror(errno));
		else if (stream.limit)
			result = error_set(error, "%s:%lu: %s", name, stream.line, stream.limit);
		else if (stream.message[0])
			result = syntax_error(name, stream.message, error);
		if (reading.from)
			agclose(reading.from);
		dot_read_end();
		return result;
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
