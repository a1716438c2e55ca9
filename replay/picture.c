/*
 * replay/picture.c: see replay/picture.h.  What is narrower than a pixel is drawn as one with its
 * neighbours.
 */
#include "replay/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/lanes.h"
#include "util/duration.h"
#include "util/memory.h"

/* Of the drawing, in pixels. */
enum {
	LEFT = 190,
	WIDTH = 1000,
	RIGHT = 30,
	TOP = 84,
	LANE = 22,
	BAR = 16,
	TITLE = 24, /* of a block */
	AXIS = 30,
	BETWEEN = 18,
	LANES_MAX = 40,
};

enum style { CALL, WAIT, KERNEL, COPY, REMOVED, STYLES };

static const struct {
	const char *words, *attributes;
} styles[STYLES] = {
	[CALL] = {"CUDA call", "fill=\"#9CB6D8\""},
	[WAIT] = {"waits for the device", "fill=\"url(#wait)\" stroke=\"#B35900\" "
					  "stroke-width=\"0.6\""},
	[KERNEL] = {"kernel", "fill=\"#2DA44E\""},
	[COPY] = {"copy or set", "fill=\"#8250DF\""},
	[REMOVED] = {"not there any more", "fill=\"none\" stroke=\"#CF222E\" stroke-width=\"1.4\""},
};

struct bar {
	double from, to;
	enum style style;
	bool open;
};

/* What is drawn later is in front. */
enum layer { CALLS, WAITS, OUTLINES, LAYERS };

/* The last bar of a lane in each layer. */
struct row {
	struct bar bars[LAYERS];
	double y;
};

struct drawing {
	FILE *out;
	FILE *layers[LAYERS];
	const struct outcome *outcome;
	struct row *rows;   /* by lane */
	uint32_t *lane_row; /* by lane of the result; UINT32_MAX: not shown */
	uint32_t row_count;
	double scale; /* pixels a ns */
	uint64_t start_ns;
};

static void put_text(FILE *out, double x, double y, const char *attributes, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
	for (; *text; text++)
		if (strchr("&<>\"'", *text))
			fprintf(out, "&#%d;", *text);
		else
			fputc(*text, out);
	fputs("</text>\n", out);
}

static void flush_bar(struct drawing *drawing, struct row *row, enum layer layer)
{
	struct bar *bar = &row->bars[layer];
	double width = bar->to - bar->from;

	if (!bar->open)
		return;
	fprintf(drawing->layers[layer],
		"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" %s/>\n", bar->from,
		row->y, width < 0.8 ? 0.8 : width, BAR, styles[bar->style].attributes);
	bar->open = false;
}

/* A bar from one time to another. */
static void add(struct drawing *drawing, uint32_t lane, enum style style, uint64_t start,
		uint64_t end)
{
	const enum layer layer = style == WAIT ? WAITS : style == REMOVED ? OUTLINES : CALLS;
	struct row *row;
	struct bar *bar;
	double from, to;

	if (drawing->lane_row[lane] == UINT32_MAX)
		return;
	row = &drawing->rows[drawing->lane_row[lane]];
	bar = &row->bars[layer];
	from = LEFT + (double)(start - drawing->start_ns) * drawing->scale;
	to = LEFT + (double)(end - drawing->start_ns) * drawing->scale;
	if (bar->open && from >= bar->from && from <= bar->to + 0.7 &&
	    (style == bar->style ? bar->to - bar->from < 1 || to - from < 1 : to - from < 0.7)) {
		bar->to = to > bar->to ? to : bar->to;
		return;
	}
	flush_bar(drawing, row, layer);
	*bar = (struct bar){from, to, style, true};
}

static bool is_gone(const struct replay_span *span)
{
	return span->start_ns == PROFILE_UNKNOWN;
}

/* -- one of the two timelines -- */

static void add_calls(struct drawing *drawing, const struct lanes *lanes, bool after)
{
	const struct replay_result *result = drawing->outcome->result;
	const struct profile *profile = drawing->outcome->profile;

	for (uint32_t i = 0; i < result->call_count; i++) {
		const struct profile_timed_call *call = &profile->timeline[i];
		const bool gone = is_gone(&result->calls[i]);
		const uint32_t lane = lanes_thread(lanes, call);

		if (!after)
			add(drawing, lane, gone ? REMOVED : CALL, call->start_ns, call->end_ns);
		else if (!gone)
			add(drawing, lane, CALL, result->calls[i].start_ns,
			    result->calls[i].end_ns);
	}
	for (uint32_t i = 0; i < result->wait_count; i++) {
		const struct profile_wait *wait = &profile->waits[i];
		const uint32_t lane = lanes_thread(lanes, &profile->timeline[wait->call]);
		struct replay_span span = {wait->start_ns, wait->start_ns + wait->wait_ns};

		if (after)
			span = result->waits[i];
		if (is_gone(&span) || span.end_ns == span.start_ns)
			continue;
		add(drawing, lane, WAIT, span.start_ns, span.end_ns);
		if (is_gone(&result->waits[i]) && !is_gone(&result->calls[wait->call]))
			add(drawing, lane, REMOVED, span.start_ns, span.end_ns);
	}
}

static void add_operations(struct drawing *drawing, const struct lanes *lanes, bool after)
{
	const struct replay_result *result = drawing->outcome->result;
	const struct profile *profile = drawing->outcome->profile;

	for (uint32_t i = 0; i < result->operation_count; i++) {
		const struct profile_gpu_time *time = &profile->gpu_times[i];
		const struct profile_timed_call *call = &profile->timeline[time->call];
		const uint32_t lane = lanes_stream(lanes, call);
		const bool gone = is_gone(&result->operations[i]);
		enum style style = strcmp(profile->apis[call->api].kind, "kernel") ? COPY : KERNEL;

		if (!after)
			add(drawing, lane, gone ? REMOVED : style, time->start_ns, time->end_ns);
		else if (!gone)
			add(drawing, result->operation_lanes[i], style,
			    result->operations[i].start_ns, result->operations[i].end_ns);
	}
}

/* Marks at round times, at most eight. */
static void put_axis(struct drawing *drawing, double top, double bottom, uint64_t longest)
{
	uint64_t step = 1;

	while (longest / step > 8)
		step *= longest / step > 40 ? 10 : longest / step > 16 ? 5 : 2;
	for (uint64_t at = 0; at <= longest; at += step) {
		double x = LEFT + (double)at * drawing->scale;
		char time[24];

		fprintf(drawing->out,
			"<path d=\"M%.1f %.1fV%.1f\" stroke=\"#D0D7DE\" stroke-width=\"1\"/>\n", x,
			top, bottom);
		put_text(drawing->out, x, bottom + 14, " text-anchor=\"middle\" fill=\"#57606A\"",
			 duration_format(at, time));
	}
}

static void put_bars(struct drawing *drawing, const struct lanes *lanes, bool after)
{
	char *texts[LAYERS];
	size_t sizes[LAYERS];

	for (int layer = 0; layer < LAYERS; layer++)
		drawing->layers[layer] = xopen_memstream(&texts[layer], &sizes[layer]);
	add_calls(drawing, lanes, after);
	add_operations(drawing, lanes, after);
	for (int layer = 0; layer < LAYERS; layer++) {
		for (uint32_t i = 0; i < drawing->row_count; i++)
			flush_bar(drawing, &drawing->rows[i], (enum layer)layer);
		fclose(drawing->layers[layer]);
		fwrite(texts[layer], 1, sizes[layer], drawing->out);
		free(texts[layer]);
	}
}

static double put_block(struct drawing *drawing, const struct lanes *lanes, double top, bool after,
			uint64_t longest)
{
	const struct outcome *outcome = drawing->outcome;
	const double first = top + TITLE, bottom = first + LANE * drawing->row_count;
	const uint64_t took = after ? outcome->times.after_ns : outcome->times.measured_ns;
	char time[24], *title;

	title = xasprintf("%s: %s%s", after ? "after" : "before", duration_format(took, time),
			  !after && took > outcome->times.before_ns ? ", as measured" : "");
	put_text(drawing->out, 14, top + 14, " font-weight=\"bold\"", title);
	free(title);
	put_axis(drawing, first, bottom, longest);
	for (uint32_t i = 0; i < outcome->result->lane_count; i++) {
		struct row *row;
		char *name;

		if (drawing->lane_row[i] == UINT32_MAX)
			continue;
		row = &drawing->rows[drawing->lane_row[i]];
		*row = (struct row){.y = first + LANE * drawing->lane_row[i] + (LANE - BAR) / 2.0};
		name = outcome_lane_name(outcome->profile, &outcome->result->lanes[i]);
		put_text(drawing->out, LEFT - 10, row->y + 12, " text-anchor=\"end\"", name);
		free(name);
	}
	put_bars(drawing, lanes, after);
	fprintf(drawing->out,
		"<path d=\"M%.1f %.1fV%.1f\" stroke=\"#1F2328\" stroke-width=\"1.5\"/>\n",
		LEFT + (double)took * drawing->scale, first, bottom);
	return bottom + AXIS;
}

static void put_legend(struct drawing *drawing, double y)
{
	double x = 14;

	for (unsigned style = 0; style < STYLES; style++) {
		fprintf(drawing->out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"12\" %s/>\n", x, y,
			styles[style].attributes);
		put_text(drawing->out, x + 28, y + 10, "", styles[style].words);
		x += 50 + 7.0 * (double)strlen(styles[style].words);
	}
}

/* Threads, and streams that do something; *left_out: more than are shown. */
static void choose_lanes(struct drawing *drawing, uint32_t *left_out)
{
	const struct replay_result *result = drawing->outcome->result;

	drawing->lane_row = xcalloc(result->lane_count + 1, sizeof(*drawing->lane_row));
	*left_out = 0;
	for (uint32_t i = 0; i < result->lane_count; i++) {
		const struct replay_lane *lane = &result->lanes[i];
		const bool idle = lane->is_stream && !lane->before.busy && !lane->after.busy;
		const bool shown = !idle && drawing->row_count < LANES_MAX;

		*left_out += !idle && !shown;
		drawing->lane_row[i] = shown ? drawing->row_count++ : UINT32_MAX;
	}
	drawing->rows = xcalloc(drawing->row_count + 1, sizeof(*drawing->rows));
}

void picture_svg(FILE *out, const struct outcome *outcome)
{
	const struct replay_times *times = &outcome->times;
	uint64_t longest =
		times->measured_ns > times->after_ns ? times->measured_ns : times->after_ns;
	struct drawing drawing = {.out = out,
				  .outcome = outcome,
				  .scale = WIDTH / (double)(longest ? longest : 1),
				  .start_ns = outcome->result->start_ns};
	struct lanes lanes = {.devices = {NULL, 0, 0}};
	const int blocks = outcome->change_count ? 2 : 1;
	uint32_t left_out;
	double height, y = TOP;
	char *sentence = outcome_sentence(times);

	choose_lanes(&drawing, &left_out);
	lanes_index(&lanes, outcome->result);
	height = TOP + blocks * (TITLE + LANE * drawing.row_count + AXIS) + (blocks - 1) * BETWEEN;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
		"viewBox=\"0 0 %d %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
		"font-size=\"12\" fill=\"#1F2328\">\n"
		"<defs><pattern id=\"wait\" width=\"5\" height=\"5\" "
		"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		"<rect width=\"5\" height=\"5\" fill=\"#FFF1E0\"/>"
		"<rect width=\"1.6\" height=\"5\" fill=\"#D4730B\"/></pattern></defs>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#FFFFFF\"/>\n",
		LEFT + WIDTH + RIGHT, height, LEFT + WIDTH + RIGHT, height);
	put_text(out, 14, 26, " font-size=\"16\" font-weight=\"bold\"",
		 outcome->change_count ? sentence : "the run");
	put_text(out, 14, 44, " fill=\"#57606A\"",
		 outcome->truncated    ? "the first calls of the run; later ones are not known"
		 : outcome->model_time ? "model time of the emulated device"
				       : "");
	put_legend(&drawing, 56);
	for (int after = 0; after < blocks; after++)
		y = put_block(&drawing, &lanes, y, after, longest) + BETWEEN;
	if (left_out) {
		char *more =
			xasprintf("%" PRIu32 " more threads and streams are not shown", left_out);

		put_text(out, LEFT, 44, " fill=\"#57606A\"", more);
		free(more);
	}
	fputs("</svg>\n", out);
	lanes_release(&lanes);
	free(drawing.rows);
	free(drawing.lane_row);
	free(sentence);
}
