/*
 * render/json.c: the picture as JSON, for tools that draw themselves: the attributes of
 * vflow-export(1), as numbers and strings, and where each vertex lies.
 */
#include "graph/dot_names.h"
#include "graph/json_fields.h"
#include "render/format.h"

static void put_length(struct json *json, const char *name, double length)
{
	json_name(json, name);
	json_raw(json, "%.1f", length);
}

static void put_vertex(struct json *json, const struct picture_vertex *shown)
{
	struct graph_vertex vertex = *shown->vertex;

	if (!vertex.name || !*vertex.name)
		vertex.name = vertex.node;
	vertex.fields |= VERTEX_NAME;
	json_begin(json, '{');
	json_named_count(json, "id", vertex.id);
	json_fields(json, graph_vertex_fields, &vertex, FIELD_TEXT);
	json_fields(json, graph_vertex_fields, &vertex, FIELD_ALL & ~FIELD_TEXT);
	put_length(json, "x", shown->at.x);
	put_length(json, "y", shown->at.y);
	put_length(json, "width", shown->width);
	put_length(json, "height", shown->height);
	json_end(json, '}');
}

static void put_edge(struct json *json, const struct picture *picture,
		     const struct picture_edge *shown)
{
	struct graph_edge edge = *shown->edge;
	char key[GRAPH_KEY_SIZE];

	/* groups have it only by their sums */
	edge.redundancy = render_redundancy(&edge);
	if (edge.access == GRAPH_WRITE &&
	    edge.fields & (EDGE_REDUNDANT_BYTES | EDGE_REDUNDANT_VALUE_BYTES))
		edge.fields |= EDGE_REDUNDANCY;
	if (edge.access != GRAPH_WRITE)
		edge.fields &= ~(uint32_t)EDGE_REDUNDANCY;
	json_begin(json, '{');
	json_named_count(json, "start", picture->vertices[shown->from].vertex->id);
	json_named_count(json, "end", picture->vertices[shown->to].vertex->id);
	json_fields(json, graph_edge_fields, &edge, FIELD_TEXT | FIELD_ACCESS);
	json_named_text(json, "key", graph_edge_key(&edge, key));
	json_fields(json, graph_edge_fields, &edge, FIELD_COUNT | FIELD_ID);
	if (shown->band == BAND_BRIDGE) {
		json_name(json, DOT_BRIDGED);
		json_raw(json, "true");
	}
	json_fields(json, graph_edge_fields, &edge, FIELD_FRACTION);
	json_end(json, '}');
}

static void begin(FILE *out, const struct picture *picture)
{
	struct json json = {.file = out, .style = JSON_IN_HTML};

	json_begin(&json, '{');
	json_name(&json, "title");
	json_text(&json, picture->title);
	json_named_text(&json, "run", picture->run);
	json_named_text(&json, "totals", picture->totals);
	json_named_text(&json, "hidden", picture->hidden);
	put_length(&json, "width", picture->width);
	put_length(&json, "height", picture->height);
	json_name(&json, "vertices");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		json_line(&json);
		put_vertex(&json, &picture->vertices[i]);
	}
	json_end(&json, ']');
	json_name(&json, "edges");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		json_line(&json);
		put_edge(&json, picture, &picture->edges[i]);
	}
	json_end(&json, ']');
	json_end(&json, '}');
	putc('\n', out);
}

const struct render_format render_json = {
	.name = "json",
	.endings = {".json"},
	.positions = true,
	.begin = begin,
};
