#include "advice/report/finding_json.h"

#include <stdlib.h>
#include <string.h>

#include "advice/report/finding.h"
#include "graph/library_frames.h"
#include "util/memory.h"

void json_known(struct json *json, const char *name, uint64_t value)
{
	if (value != PROFILE_UNKNOWN)
		json_named_count(json, name, value);
}

static void put_frames(struct json *json, const struct profile *profile, uint32_t v)
{
	uint32_t count;
	const struct profile_frame **path = profile_path(profile, v, &count);

	json_name(json, "frames");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++) {
		json_begin(json, '{');
		json_named_text(json, "function", path[i]->function);
		json_named_text(json, "file", path[i]->file);
		if (path[i]->line)
			json_named_count(json, "line", path[i]->line);
		json_end(json, '}');
	}
	json_end(json, ']');
	free(path);
}

/* "a.c:12" of a frame as text, in parts; the innermost line's file is known with its folder. */
static void put_place(struct json *json, const struct profile_api *api, const char *place,
		      bool *innermost)
{
	char *colon = strrchr(place, ':'), *file;
	uint32_t line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;

	if (!*place)
		return;
	file = xstrndup(place, line ? (size_t)(colon - place) : strlen(place));
	json_named_text(json, "file",
			*innermost && api->place.file && line && line == api->place.line
				? api->place.file
				: file);
	if (line) {
		json_named_count(json, "line", line);
		*innermost = false;
	}
	free(file);
}

/* Of calls that are no vertex, of which the profile has the path as text. */
static void put_frames_of_calls(struct json *json, const struct profile_api *api)
{
	const char *leading = api->place.callpath ? leading_frame(api->place.callpath) : NULL,
		   *next;
	bool innermost = true;

	json_name(json, "frames");
	json_begin(json, '[');
	for (const char *frame = leading; frame; frame = next) {
		const char *end = frame_text_end(frame, &next);
		const char *name_end = frame_function_end(frame, end);
		char *function, *place;

		if (frame != leading && library_frame_text(frame, end))
			continue;
		function = xstrndup(frame, (size_t)(name_end - frame));
		place = xstrndup(name_end + (name_end < end),
				 (size_t)(end - name_end - (name_end < end)));
		json_begin(json, '{');
		json_named_text(json, "function", function);
		put_place(json, api, place, &innermost);
		json_end(json, '}');
		free(function);
		free(place);
	}
	json_end(json, ']');
}

void operation_json(struct json *json, const char *name, const struct profile *profile, uint32_t v)
{
	if (v == UINT32_MAX || profile->graph->vertices[v].id == GRAPH_HOST)
		return;
	json_name(json, name);
	json_begin(json, '{');
	json_named_count(json, "vertex", profile->graph->vertices[v].id);
	json_named_text(json, "kind", profile->graph->vertices[v].kind);
	json_named_text(json, "name", profile->graph->vertices[v].name);
	put_frames(json, profile, v);
	json_end(json, '}');
}

/* The line of GPU code that it is about. */
static void put_code_place(struct json *json, const struct profile_code_place *place)
{
	json_name(json, "code");
	json_begin(json, '{');
	json_named_text(json, "function", place->function);
	json_named_text(json, "file", place->file);
	if (place->line)
		json_named_count(json, "line", place->line);
	json_end(json, '}');
}

void finding_json(struct json *json, const struct profile *profile, uint32_t f)
{
	const struct profile_finding *finding = &profile->findings[f];
	char *title = finding_title(profile, f);

	json_named_count(json, "rank", f + UINT64_C(1));
	json_named_text(json, "pattern", finding->pattern);
	json_named_text(json, "title", title);
	json_named_text(json, "action", finding->action);
	json_named_count(json, "bytes", finding->bytes);
	json_known(json, "time_ns", finding->time_ns);
	json_known(json, "saves_ns", finding->saves_ns);
	json_known(json, "saves_most_ns", finding->saves_most_ns);
	json_known(json, "saves_peak_bytes", finding->saves_peak_bytes);
	operation_json(json, "operation", profile, graph_find(profile->graph, finding->vertex));
	operation_json(json, "object", profile, graph_find(profile->graph, finding->object));
	if (finding->api != PROFILE_NO_ROW) {
		json_named_text(json, "call", profile->apis[finding->api].name);
		json_named_text(json, "callpath", profile->apis[finding->api].place.callpath);
		if (finding->vertex == GRAPH_HOST)
			put_frames_of_calls(json, &profile->apis[finding->api]);
	}
	if (finding->code_place != PROFILE_NO_ROW)
		put_code_place(json, &profile->code_places[finding->code_place]);
	json_named_text(json, "evidence", finding->evidence);
	json_named_text(json, "advice", finding->advice);
	json_named_text(json, "limits", finding->limits);
	if (finding->input)
		json_named_flag(json, "this_input_only", true);
	free(title);
}
