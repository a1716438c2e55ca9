/* graph/frame_words.c: see frame_words.h. */
#include "graph/frame_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/library_frames.h"
#include "util/cxx_name.h"
#include "util/memory.h"

char *frame_words(const char *frame, const char *end, size_t limit)
{
	const char *place = frame_function_end(frame, end);
	char *function = xstrndup(frame, (size_t)(place - frame));
	char *name = cxx_short_name(function, limit);
	char *text = xasprintf("%s%.*s", name, (int)(end - place), place);

	free(function);
	free(name);
	return text;
}

char *frame_words_path(const char *callpath, uint32_t most, size_t limit)
{
	const char *leading = leading_frame(callpath), *next;
	uint32_t shown = 0, more = 0;
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (const char *frame = leading; frame; frame = next) {
		const char *end = frame_text_end(frame, &next);
		char *words;

		if (frame != leading && library_frame_text(frame, end))
			continue;
		if (shown == most) {
			more++;
			continue;
		}
		words = frame_words(frame, end, limit);
		fprintf(out, "%s%s", shown++ ? " < " : "", words);
		free(words);
	}
	if (more && most > 1)
		fprintf(out, " < ... %" PRIu32 " more", more);
	fclose(out);
	return text;
}
