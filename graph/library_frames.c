/* graph/library_frames.c: see library_frames.h. */
#include "graph/library_frames.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/cxx_name.h"
#include "util/memory.h"

static const struct {
	const char *prefix;
	size_t length;
	bool known; /* to the users of the library */
} functions[] = {
#define LAYER(PREFIX) {PREFIX, sizeof(PREFIX) - 1, false},
#define OPERATOR(PREFIX) {PREFIX, sizeof(PREFIX) - 1, true},
#define FOLDER(PART)
#include "graph/library_frames.def"
#undef LAYER
#undef OPERATOR
#undef FOLDER
};

static const char *const folders[] = {
#define LAYER(PREFIX)
#define OPERATOR(PREFIX)
#define FOLDER(PART) PART,
#include "graph/library_frames.def"
#undef LAYER
#undef OPERATOR
#undef FOLDER
};

static bool is_layer(const char *function)
{
	const char *name = cxx_name_start(function);
	size_t longest = 0;
	bool layer = false;

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		size_t length = functions[i].length;

		if (length <= longest || *name != *functions[i].prefix ||
		    strncmp(name, functions[i].prefix, length) != 0)
			continue;
		longest = length;
		layer = !functions[i].known || strstr(name, "::{lambda");
	}
	return layer;
}

bool library_frame(const char *function, const char *file)
{
	for (size_t i = 0; file && i < sizeof(folders) / sizeof(*folders); i++)
		if (strstr(file, folders[i]))
			return true;
	return function && is_layer(function);
}

const char *frame_text_end(const char *frame, const char **next)
{
	const char *end = strstr(frame, " < ");

	*next = end ? end + 3 : NULL;
	return end ? end : frame + strlen(frame);
}

const char *frame_function_end(const char *frame, const char *end)
{
	const char *blank = memrchr(frame, ' ', (size_t)(end - frame));
	size_t length = blank ? (size_t)(end - blank) : 0;
	bool file = length && (memchr(blank, '.', length) ||
			       (isdigit((unsigned char)end[-1]) && memchr(blank, ':', length)));

	return file ? blank : end;
}

bool library_frame_text(const char *frame, const char *end)
{
	char *function = xstrndup(frame, (size_t)(frame_function_end(frame, end) - frame));
	bool layer = is_layer(function);

	free(function);
	return layer;
}

/* Where a graph was launched is no part of how its node was made. */
static bool is_replay(const char *frame)
{
	return !strncmp(frame, "[replayed", 9);
}

const char *leading_frame(const char *callpath)
{
	const char *next;

	for (const char *frame = callpath; frame && !is_replay(frame); frame = next)
		if (!library_frame_text(frame, frame_text_end(frame, &next)))
			return frame;
	return callpath;
}
