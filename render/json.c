/*
 * render/json.c: the picture as JSON, for tools that draw themselves: the attributes of DESIGN 6,
 * as numbers and strings, and where each vertex lies.
 */
#include "render/json.h"

#include <inttypes.h>
#include <string.h>

#include "render/format.h"

void json_put_string(FILE *out, const char *text)
{
	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f || strchr("<>&\"\\'", c)) /* nothing ends the element */
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void put_text(FILE *out, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(out, ",\"%s\":", name);
	json_put_string(out, text);
}

static void put_count(FILE *out, const char *name, bool there, uint64_t value)
{
	if (there)
		fprintf(out, ",\"%s\":%" PRIu64, name, value);
}

static void put_vertex(FILE *out, const struct picture_vertex *shown)
{
	const struct graph_vertex *vertex = shown->vertex;
	uint32_t has = vertex->fields;

	fprintf(out, "{\"id\":%u", vertex->id);
	put_text(out, "kind", has & VERTEX_KIND ? vertex->kind : NULL);
	put_text(out, "name", vertex->name && *vertex->name ? vertex->name : vertex->node);
	put_text(out, "context", has & VERTEX_CONTEXT ? vertex->context : NULL);
	put_text(out, "callpath", has & VERTEX_CALLPATH ? vertex->callpath : NULL);
	put_text(out, "patterns", has & VERTEX_PATTERNS ? vertex->patterns : NULL);
	put_text(out, "advice", has & VERTEX_ADVICE ? vertex->advice : NULL);
	put_count(out, "invocations", has & VERTEX_INVOCATIONS, vertex->invocations);
	put_count(out, "read_bytes", has & VERTEX_READ_BYTES, vertex->read_bytes);
	put_count(out, "written_bytes", has & VERTEX_WRITTEN_BYTES, vertex->written_bytes);
	put_count(out, "redundant_bytes", has & VERTEX_REDUNDANT_BYTES, vertex->redundant_bytes);
	put_count(out, "time_ns", has & VERTEX_TIME_NS, vertex->time_ns);
	fprintf(out, ",\"x\":%.1f,\"y\":%.1f,\"width\":%.1f,\"height\":%.1f}", shown->at.x,
		shown->at.y, shown->width, shown->height);
}

static void put_edge(FILE *out, const struct picture *picture, const struct picture_edge *shown)
{
	const struct graph_edge *edge = shown->edge;
	uint32_t has = edge->fields;
	char key[GRAPH_KEY_SIZE];

	fprintf(out, "{\"start\":%u,\"end\":%u", picture->vertices[shown->from].vertex->id,
		picture->vertices[shown->to].vertex->id);
	if (edge->access != GRAPH_ACCESS_NONE)
		fprintf(out, ",\"access\":\"%s\"", edge->access == GRAPH_READ ? "READ" : "WRITE");
	put_text(out, "key", graph_edge_key(edge, key));
	put_count(out, "object", has & EDGE_OBJECT, edge->object);
	put_count(out, "bytes", has & EDGE_BYTES, edge->bytes);
	put_count(out, "redundant_bytes", has & EDGE_REDUNDANT_BYTES, edge->redundant_bytes);
	put_count(out, "count", has & EDGE_COUNT, edge->count);
	put_count(out, "object_bytes", has & EDGE_OBJECT_BYTES, edge->object_bytes);
	if (shown->band == BAND_BRIDGE)
		fputs(",\"bridged\":true", out);
	if (edge->access == GRAPH_WRITE && has & (EDGE_REDUNDANCY | EDGE_REDUNDANT_BYTES))
		fprintf(out, ",\"redundancy\":%.6g", render_redundancy(edge));
	fputc('}', out);
}

static void begin(FILE *out, const struct picture *picture)
{
	fputs("{\"title\":", out);
	json_put_string(out, picture->title);
	put_text(out, "run", picture->run);
	put_text(out, "totals", picture->totals);
	put_text(out, "hidden", picture->hidden);
	fprintf(out, ",\"width\":%.1f,\"height\":%.1f,\"vertices\":[", picture->width,
		picture->height);
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_vertex(out, &picture->vertices[i]);
	}
	fputs("],\"edges\":[", out);
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_edge(out, picture, &picture->edges[i]);
	}
	fputs("]}\n", out);
}

const struct render_format render_json = {
	.name = "json",
	.endings = {".json"},
	.positions = true,
	.begin = begin,
};
