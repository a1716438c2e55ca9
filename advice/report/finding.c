#include "advice/report/finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/buffer_name.h"
#include "advice/cause.h"
#include "advice/report/page.h"
#include "advice/report/worth.h"
#include "graph/frame_words.h"
#include "util/memory.h"
#include "util/text.h"

enum {
	FRAMES = 4,      /* of a call path */
	NAME_LEAST = 20, /* bytes of a name that stay in a short line */
	NAME_STEP = 10,
};

/* "peak falls by 1.0M"; NULL: it does not, or nobody knows. */
static char *lower_peak(uint64_t by)
{
	char *bytes = by ? words_bytes(by) : NULL;
	char *text = bytes ? xasprintf("peak falls by %s", bytes) : NULL;

	free(bytes);
	return text;
}

static char *saving_of(const struct profile *profile, const struct profile_finding *finding)
{
	if (finding->saves_peak_bytes != PROFILE_UNKNOWN)
		return lower_peak(finding->saves_peak_bytes);
	return report_saving(finding->saves_ns, finding->saves_most_ns, report_span_ns(profile));
}

static char *amount_of(const struct profile_finding *finding)
{
	return finding->time_ns == PROFILE_UNKNOWN ? words_bytes(finding->bytes)
						   : words_ns(finding->time_ns);
}

char *finding_worth(const struct profile *profile, uint32_t f)
{
	const struct profile_finding *finding = &profile->findings[f];
	char *saving = saving_of(profile, finding);

	return saving ? saving : amount_of(finding);
}

char *finding_title(const struct profile *profile, uint32_t f)
{
	const struct profile_finding *finding = &profile->findings[f];
	char *saving = saving_of(profile, finding), *amount = amount_of(finding);
	char *action = words_action(finding->action);
	/* of time that is waited the saving tells more */
	bool both = saving && finding->time_ns == PROFILE_UNKNOWN;
	char *title = xasprintf("%s: %s%s%s%s%s", advice_title(finding->pattern),
				saving ? saving : "", both ? "; " : "",
				both || !saving ? amount : "", *action ? ", " : "", action);

	free(saving);
	free(amount);
	free(action);
	return title;
}

static char *operation_within(const struct profile *profile, uint32_t f, size_t limit)
{
	const struct profile_finding *finding = &profile->findings[f];
	uint32_t v = graph_find(profile->graph, finding->vertex);

	if (finding->vertex == GRAPH_HOST && finding->api != PROFILE_NO_ROW)
		return words_calls_within(&profile->apis[finding->api], limit);
	return v == UINT32_MAX ? xstrdup("") : words_vertex_within(profile, v, limit);
}

char *finding_operation(const struct profile *profile, uint32_t f)
{
	return operation_within(profile, f, FRAME_NAME_LIMIT);
}

char *finding_operation_in(const struct profile *profile, uint32_t f, size_t width)
{
	size_t limit = FRAME_NAME_LIMIT;
	char *text = operation_within(profile, f, limit);

	while (page_columns(text) > width && limit > NAME_LEAST) {
		free(text);
		limit -= NAME_STEP;
		text = operation_within(profile, f, limit);
	}
	return text;
}

/* Without -g there are functions only, or not even these. */
static const char no_lines[] = " (no line: build the host code with -g)";

static void put_frames(FILE *out, const struct profile_frame **frames, uint32_t count)
{
	for (uint32_t i = 0; i < count && i < FRAMES; i++) {
		char *frame = words_frame(frames[i]);

		fprintf(out, "%s%s", i ? " < " : "", frame);
		free(frame);
	}
	if (count > FRAMES)
		fprintf(out, " < ... %" PRIu32 " more", count - FRAMES);
}

char *finding_path(const struct profile *profile, uint32_t vertex)
{
	uint32_t count, first = 0, replay;
	const struct profile_frame **path = profile_path(profile, vertex, &count);
	char *text;
	size_t size;
	FILE *out;
	bool lines;

	while (first < count && !words_has_line(path[first]))
		first++;
	lines = first < count;
	first = lines ? first : 0;
	for (replay = first; replay < count && !profile_frame_is_replay(path[replay]);)
		replay++;
	out = xopen_memstream(&text, &size);
	put_frames(out, path + first, replay - first);
	if (replay < count) {
		fputs(", replayed at ", out);
		put_frames(out, path + replay + 1, count - replay - 1);
	}
	if (!count)
		fputs("(place unknown: no call path)", out);
	else if (!lines)
		fputs(no_lines, out);
	fclose(out);
	free(path);
	return text;
}

char *finding_calls_path(const struct profile_api *api)
{
	return api->place.callpath ? frame_words_path(api->place.callpath, FRAMES, FRAME_NAME_LIMIT)
				   : xstrdup("(place unknown: no call path)");
}

/* What the program calls the object, with ": "; "" when its source does not tell. */
static char *buffer_name(const struct profile *profile, struct source_files *files, uint32_t vertex)
{
	uint32_t count, first = 0;
	const struct profile_frame **path = profile_path(profile, vertex, &count);
	char *name, *text;

	while (first < count && !words_has_line(path[first]))
		first++;
	name = buffer_name_find(files, profile->graph->vertices[vertex].name, path + first,
				count - first);
	text = xasprintf("%s%s", name ? name : "", name ? ": " : "");
	free(name);
	free(path);
	return text;
}

char *finding_object(const struct profile *profile, const struct words_site *sites,
		     struct source_files *files, uint32_t site)
{
	uint32_t v = graph_find(profile->graph, site);
	char *name, *bytes, *text, *buffer;
	const char *global;

	if (v == UINT32_MAX)
		return NULL;
	global = sites[v].global;
	name = global ? xasprintf("global %s", global) : words_name(&profile->graph->vertices[v]);
	bytes = words_bytes(sites[v].largest);
	buffer = global ? xstrdup("") : buffer_name(profile, files, v);
	text = sites[v].count > 1
		       ? xasprintf("%s%s (vertex %" PRIu32 "), %" PRIu64 " objects of up to %s",
				   buffer, name, site, sites[v].count, bytes)
		       : xasprintf("%s%s (vertex %" PRIu32 "), %s", buffer, name, site, bytes);
	free(buffer);
	free(name);
	free(bytes);
	return text;
}

char *finding_operand(const char *file)
{
	char *word = file ? text_shell_file(file) : NULL;
	char *text = xasprintf("%s%s", word ? " " : "", word ? word : "");

	free(word);
	return text;
}

/* "a3" or, of several call paths in one, "a3,a7". */
static char *calls_of(const struct profile *profile, const struct profile_finding *finding)
{
	const struct profile_api *api = &profile->apis[finding->api];
	char *text = xasprintf("a%" PRIu32, finding->api + 1);

	for (uint32_t i = 0; finding->places > 1 && i < profile->api_count; i++) {
		char *longer;

		if (i == finding->api || !cause_is_same_call(api, &profile->apis[i]))
			continue;
		longer = xasprintf("%s,a%" PRIu32, text, i + 1);
		free(text);
		text = longer;
	}
	return text;
}

char *finding_look(const struct profile *profile, const struct profile_finding *finding,
		   const char *operand)
{
	const char *action = finding->action ? finding->action : "";
	const char *change = !strcmp(action, "delete")          ? "without"
			     : !strcmp(action, "allocate_once") ? "hoist"
			     : !strcmp(action, "free_async")    ? "no-wait"
			     : !strcmp(action, "free_later")    ? "no-wait"
								: NULL;
	char *sites, *calls, *text;

	if (finding->vertex != GRAPH_HOST)
		return xasprintf("vflow slice --vertex %" PRIu32
				 "%s | vflow render -o vertex-%" PRIu32 ".svg",
				 finding->vertex, operand, finding->vertex);
	if (finding->saves_ns == PROFILE_UNKNOWN || finding->api == PROFILE_NO_ROW || !change)
		return NULL;
	sites = xstrdup("");
	/* releases are mended with the allocations of what they release */
	for (uint32_t i = 0; !strcmp(change, "hoist") && i < finding->other_count; i++) {
		char *longer = xasprintf("%s,%" PRIu32, sites, finding->others[i]);

		free(sites);
		sites = longer;
	}
	calls = calls_of(profile, finding);
	text = xasprintf("vflow whatif --%s %s%s%s", change, calls, sites, operand);
	free(calls);
	free(sites);
	return text;
}

const char *finding_file_in(const char *file, const char *folder)
{
	size_t length = strlen(folder);

	while (length && folder[length - 1] == '/')
		length--;
	if (file[0] != '/')
		return file;
	if (strncmp(file, folder, length) || file[length] != '/')
		return NULL;
	for (file += length; *file == '/';)
		file++;
	return file;
}

struct finding_line finding_line(const struct profile *profile, const struct graph *graph,
				 uint32_t f, const char *folder)
{
	const struct profile_finding *finding = &profile->findings[f];
	uint32_t v = graph_find(graph, finding->vertex), count;
	struct finding_line line = {0};
	const struct profile_frame **path;

	if (finding->vertex == GRAPH_HOST && finding->api != PROFILE_NO_ROW) {
		const struct profile_api *api = &profile->apis[finding->api];

		if (api->place.file && api->place.line)
			line = (struct finding_line){api->place.file, NULL, api->place.line};
		return line;
	}
	if (finding->code_place != PROFILE_NO_ROW) {
		const struct profile_code_place *at = &profile->code_places[finding->code_place];

		if (at->file && at->line)
			return (struct finding_line){at->file, at->function, at->line};
	}
	if (v == UINT32_MAX)
		return line;
	path = profile_path(profile, v, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (!words_has_line(path[i]))
			continue;
		if (!line.file || finding_file_in(path[i]->file, folder))
			line = (struct finding_line){path[i]->file, path[i]->function,
						     path[i]->line};
		if (finding_file_in(path[i]->file, folder))
			break;
	}
	free(path);
	return line;
}
