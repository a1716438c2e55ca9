/*
 * render/lanes.c: see lanes.h.  Rows are streams, columns topological time: a call stands to the
 * right of all that it comes after.
 */
#include "render/lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dependencies.h"
#include "render/svg.h"
#include "util/memory.h"
#include "util/text.h"

/* In pixels. */
enum {
	CALLS_MAX = 200, /* the first ones: of more nobody sees anything */
	LEFT = 150,
	TOP = 84,
	COLUMN = 122,
	BOX = 102,
	BOX_HEIGHT = 28,
	ROW = 46, /* calls of a stream and of one level stand below each other */
	LANE_GAP = 16,
	MARGIN = 20,
};

static const struct {
	const char *words, *attributes;
} styles[] = {
	[PROFILE_DEPENDENCY_STREAM] = {"its stream", "stroke=\"#6E7781\" stroke-dasharray=\"3 3\""},
	[PROFILE_DEPENDENCY_EVENT] = {"an event", "stroke=\"#0072B2\" stroke-dasharray=\"7 3\""},
	[PROFILE_DEPENDENCY_WAIT] = {"a wait of the host",
				     "stroke=\"#7A4B00\" stroke-dasharray=\"7 3 2 3\""},
	[PROFILE_DEPENDENCY_WAR] = {"writes what it read (WAR)",
				    "stroke=\"#D55E00\" stroke-width=\"1.4\""},
	[PROFILE_DEPENDENCY_WAW] = {"writes what it wrote (WAW)",
				    "stroke=\"#7A0177\" stroke-width=\"1.4\""},
	[PROFILE_DEPENDENCY_RAW] = {"reads what it wrote (RAW)",
				    "stroke=\"#1F2328\" stroke-width=\"1.8\""},
};
/* What is drawn later lies on top. */
static const uint32_t order[] = {PROFILE_DEPENDENCY_STREAM, PROFILE_DEPENDENCY_EVENT,
				 PROFILE_DEPENDENCY_WAIT,   PROFILE_DEPENDENCY_WAR,
				 PROFILE_DEPENDENCY_WAW,    PROFILE_DEPENDENCY_RAW};

struct lane {
	uint32_t process, device, stream;
	uint32_t rows;
	double y;
};

struct call {
	uint32_t event; /* index into profile->events */
	uint32_t lane, row;
	double x, y; /* of the box, its upper left */
};

struct lanes {
	const struct picture *picture;
	const struct profile *profile;
	uint64_t *levels; /* by event */
	uint32_t events, edges;
	uint32_t *numbers; /* by event: index into `calls`; UINT32_MAX: it is not drawn */
	struct call *calls;
	uint32_t call_count;
	struct lane *lanes;
	uint32_t lane_count;
	uint64_t most_level;
	double width, height;
};

/* -- where things are ------------------------------------------------------------------------ */

static int by_place(const void *left, const void *right, void *of)
{
	const struct lanes *lanes = of;
	const struct call *a = left, *b = right;
	const struct profile_event *x = &lanes->profile->events[a->event];
	const struct profile_event *y = &lanes->profile->events[b->event];

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (lanes->levels[a->event] != lanes->levels[b->event])
		return lanes->levels[a->event] < lanes->levels[b->event] ? -1 : 1;
	return (a->event > b->event) - (a->event < b->event);
}

/* The calls that are drawn, sorted by lane and level. */
static void take_calls(struct lanes *lanes)
{
	const struct profile *profile = lanes->profile;

	lanes->calls = xcalloc(CALLS_MAX, sizeof(*lanes->calls));
	lanes->numbers = xcalloc((size_t)lanes->events + 1, sizeof(*lanes->numbers));
	for (uint32_t i = 0; i < lanes->events; i++) {
		lanes->numbers[i] = UINT32_MAX;
		if (lanes->levels[i] == NO_LEVEL || lanes->call_count == CALLS_MAX)
			continue;
		lanes->calls[lanes->call_count++].event = i;
		if (lanes->levels[i] > lanes->most_level)
			lanes->most_level = lanes->levels[i];
	}
	if (lanes->call_count)
		qsort_r(lanes->calls, lanes->call_count, sizeof(*lanes->calls), by_place, lanes);
	lanes->lanes = xcalloc((size_t)lanes->call_count + 1, sizeof(*lanes->lanes));
	for (uint32_t i = 0; i < lanes->call_count; i++) {
		struct call *call = &lanes->calls[i];
		const struct profile_event *event = &profile->events[call->event];
		struct lane *lane = lanes->lane_count ? &lanes->lanes[lanes->lane_count - 1] : NULL;

		if (!lane || lane->process != event->process || lane->device != event->device ||
		    lane->stream != event->stream) {
			lane = &lanes->lanes[lanes->lane_count++];
			*lane = (struct lane){event->process, event->device, event->stream, 1, 0};
		} else if (lanes->levels[call->event] == lanes->levels[call[-1].event]) {
			call->row = call[-1].row + 1;
		}
		if (call->row >= lane->rows)
			lane->rows = call->row + 1;
		call->lane = lanes->lane_count - 1;
		lanes->numbers[call->event] = i;
	}
}

static void place(struct lanes *lanes)
{
	double y = TOP;

	for (uint32_t i = 0; i < lanes->lane_count; i++) {
		lanes->lanes[i].y = y;
		y += ROW * lanes->lanes[i].rows + LANE_GAP;
	}
	for (uint32_t i = 0; i < lanes->call_count; i++) {
		struct call *call = &lanes->calls[i];

		call->x = LEFT + COLUMN * (double)lanes->levels[call->event];
		call->y = lanes->lanes[call->lane].y + ROW * call->row + ROW - BOX_HEIGHT - 4;
	}
	lanes->width = LEFT + COLUMN * (double)(lanes->most_level + 1) + MARGIN;
	if (lanes->width < 900) /* the legend */
		lanes->width = 900;
	lanes->height = y + 60;
}

/* -- what is drawn ---------------------------------------------------------------------------- */

static const struct graph_vertex *vertex_of(const struct lanes *lanes,
					    const struct profile_event *event)
{
	uint32_t v = event->vertex == PROFILE_NO_VERTEX
			     ? UINT32_MAX
			     : graph_find(lanes->picture->graph, event->vertex);

	return v == UINT32_MAX ? NULL : &lanes->picture->graph->vertices[v];
}

static const char *fill_of(const struct graph_vertex *vertex)
{
	if (!vertex)
		return "#F6F8FA";
	switch (render_shape(vertex)) {
	case SHAPE_BOX:
		return "#EEF2F6";
	case SHAPE_OVAL:
		return "#DDF4E4";
	case SHAPE_CIRCLE:
		return "#EDE3FB";
	default:
		return "#FFFFFF";
	}
}

static void put_call(const struct lanes *lanes, const struct call *call, FILE *out)
{
	const struct profile_event *event = &lanes->profile->events[call->event];
	const struct graph_vertex *vertex = vertex_of(lanes, event);
	const char *name = vertex ? vertex->name : event->name;
	char *shown = render_short_name(name ? name : "?", 15), *number;

	number =
		vertex ? xasprintf("%" PRIu32 " \xc2\xb7 #%" PRIu32, call->event + 1, event->vertex)
		       : xasprintf("%" PRIu32, call->event + 1);
	fprintf(out, "<g><title>call %" PRIu32 ", level %" PRIu64 ": ", call->event + 1,
		lanes->levels[call->event]);
	svg_put_escaped(out, name ? name : "?");
	fprintf(out,
		"</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"%d\" "
		"fill=\"%s\" stroke=\"#1F2328\" stroke-width=\"0.8\"/>\n",
		call->x, call->y, BOX, BOX_HEIGHT,
		vertex && render_shape(vertex) == SHAPE_OVAL ? 12 : 2, fill_of(vertex));
	svg_text(out, call->x + BOX / 2.0, call->y + 9, 9.2, SVG_MIDDLE, NULL, shown);
	svg_text(out, call->x + BOX / 2.0, call->y + 21, 8.5, SVG_MIDDLE, "fill=\"#57606A\"",
		 number);
	fputs("</g>\n", out);
	free(shown);
	free(number);
}

/* From the right side of the earlier call to the left side of the later one. */
static void put_edge(const struct lanes *lanes, const struct call *from, const struct call *to,
		     uint32_t why, FILE *out)
{
	const double x = from->x + BOX, y = from->y + BOX_HEIGHT / 2.0;
	const double to_x = to->x, to_y = to->y + BOX_HEIGHT / 2.0;
	const uint64_t columns = lanes->levels[to->event] - lanes->levels[from->event];
	/* along a lane, above the boxes in between; what goes further goes higher */
	const double rise = columns < 8 ? 4 + 2 * (double)columns : 20;

	fputs("<path d=\"", out);
	if (y == to_y && columns > 1)
		fprintf(out, "M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f", x, from->y + 6, x + 18,
			from->y - rise, to_x - 18, to->y - rise, to_x, to->y + 6);
	else
		fprintf(out, "M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f", x, y,
			x + (columns > 1 ? 60 : 12), y, to_x - (columns > 1 ? 60 : 12), to_y, to_x,
			to_y);
	fprintf(out,
		"\" fill=\"none\" %s><title>call %" PRIu32 " after %" PRIu32
		": %s</title></path>\n",
		styles[why].attributes, to->event + 1, from->event + 1, dependency_why(why));
	if (y == to_y && columns > 1)
		fprintf(out, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", to_x,
			to->y + 6, to_x - 7, to->y + 1, to_x - 4, to->y - 2);
	else
		fprintf(out, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", to_x, to_y,
			to_x - 6, to_y - 3, to_x - 6, to_y + 3);
}

/* Of several dependencies of two calls the one that is drawn last stands for all. */
static void put_edges(const struct lanes *lanes, FILE *out)
{
	const uint32_t reasons = sizeof(order) / sizeof(*order), count = lanes->call_count;
	unsigned char *last = xcalloc((size_t)count * count + 1, 1); /* of each pair */

	for (uint32_t i = 0; i < lanes->edges; i++) {
		const struct profile_dependency *edge = &lanes->profile->dependencies[i];
		uint32_t from = lanes->numbers[edge->from], to = lanes->numbers[edge->to];

		for (uint32_t k = 0; k < reasons && from != UINT32_MAX && to != UINT32_MAX; k++)
			if (edge->why == order[k] && k + 1 > last[(size_t)to * count + from])
				last[(size_t)to * count + from] = (unsigned char)(k + 1);
	}
	for (uint32_t k = 0; k < reasons; k++)
		for (size_t pair = 0; pair < (size_t)count * count; pair++)
			if (last[pair] == k + 1)
				put_edge(lanes, &lanes->calls[pair % count],
					 &lanes->calls[pair / count], order[k], out);
	free(last);
}

static void put_lane(const struct lanes *lanes, const struct lane *lane, bool shaded, FILE *out)
{
	char *name = lane->device ? xasprintf("device %" PRIu32 ", stream %" PRIu32, lane->device,
					      lane->stream)
				  : xasprintf("stream %" PRIu32, lane->stream);

	fprintf(out, "<rect x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
		lane->y - LANE_GAP / 2.0, lanes->width, (double)(ROW * lane->rows + LANE_GAP),
		shaded ? "#F6F8FA" : "#FFFFFF");
	svg_text(out, MARGIN, lane->y + ROW - BOX_HEIGHT + 6, 11, SVG_LEFT, "font-weight=\"bold\"",
		 name);
	free(name);
	if (lanes->profile->process_count < 2)
		return;
	name = xasprintf("process %" PRIu32, lanes->profile->processes[lane->process].pid);
	svg_text(out, MARGIN, lane->y + ROW - BOX_HEIGHT + 20, 9.5, SVG_LEFT, "fill=\"#57606A\"",
		 name);
	free(name);
}

static void put_legend(const struct lanes *lanes, FILE *out)
{
	double x = MARGIN, y = lanes->height - 32;

	svg_text(out, x, y, 11, SVG_LEFT, "font-weight=\"bold\"",
		 "Comes after the other because of");
	x += 240;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (i == 3) {
			x = MARGIN + 240;
			y += 18;
		}
		fprintf(out, "<path d=\"M%.1f,%.1f h30\" fill=\"none\" %s/>\n", x, y,
			styles[order[i]].attributes);
		svg_text(out, x + 36, y, 10.5, SVG_LEFT, NULL, styles[order[i]].words);
		x += 205;
	}
}

static void put_head(const struct lanes *lanes, FILE *out)
{
	const uint64_t all = lanes->profile->event_count;
	char *text = lanes->call_count < CALLS_MAX
			     ? xasprintf("%" PRIu32 " call%s; topological time from left to right",
					 lanes->call_count, text_plural(lanes->call_count, "", "s"))
			     : xasprintf("the first %" PRIu32 " calls of a run of %" PRIu64
					 ": 'vflow deps' writes all that the profile holds",
					 lanes->call_count, all);

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"%s\" fill=\"#1F2328\">\n"
		"<title>vflow: which call comes after which</title>\n<desc>%s</desc>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#FFFFFF\"/>\n",
		lanes->width, lanes->height, lanes->width, lanes->height, RENDER_FONTS, text);
	svg_text(out, MARGIN, 22, 16, SVG_LEFT, "font-weight=\"bold\"",
		 "vflow: which call comes after which");
	if (lanes->picture->run) {
		char *run = render_cut_end(lanes->picture->run, 100);

		svg_text(out, MARGIN, 42, 11, SVG_LEFT, NULL, run);
		free(run);
	}
	svg_text(out, MARGIN, 59, 11, SVG_LEFT, "fill=\"#57606A\"", text);
	free(text);
}

static void draw(FILE *out, const struct picture *picture)
{
	struct lanes lanes = {.picture = picture, .profile = picture->profile};

	lanes.events = lanes.profile->event_rows;
	lanes.levels = dependency_levels(lanes.profile, lanes.events, &lanes.edges);
	take_calls(&lanes);
	place(&lanes);
	put_head(&lanes, out);
	for (uint32_t i = 0; i < lanes.lane_count; i++)
		put_lane(&lanes, &lanes.lanes[i], !(i % 2), out);
	put_edges(&lanes, out);
	for (uint32_t i = 0; i < lanes.call_count; i++)
		put_call(&lanes, &lanes.calls[i], out);
	put_legend(&lanes, out);
	fputs("</svg>\n", out);
	free(lanes.levels);
	free(lanes.numbers);
	free(lanes.calls);
	free(lanes.lanes);
}

struct render_format lanes_format(const struct render_format *format)
{
	return (struct render_format){
		.name = format->name,
		.everything = true,
		.times = true,
		.binary = format->binary,
		.begin = draw,
		.convert = format->convert,
	};
}
