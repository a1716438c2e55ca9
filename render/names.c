/*
 * render/names.c: short names that fit on a vertex, and how wide they are.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graph/library_frames.h"
#include "render/style.h"
#include "util/cxx_arguments.h"
#include "util/cxx_name.h"
#include "util/memory.h"

enum { FUNCTION_MIN = 9 }; /* characters of a function's name that stay before its arguments */

/* Advance widths of DejaVu Sans for ' ' to '~', in thousandths of the font size. */
static const short widths[] = {
	318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
	636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
	1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
	603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
	500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
	635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};

/* Bytes of the UTF-8 character that starts here; texts of a graph are valid UTF-8. */
static size_t character_size(const char *text)
{
	size_t size = 1;

	while (((unsigned char)text[size] & 0xc0) == 0x80)
		size++;
	return size;
}

static size_t character_count(const char *text)
{
	size_t count = 0;

	for (; *text; text += character_size(text))
		count++;
	return count;
}

static const char *skip_characters(const char *text, size_t count)
{
	while (count-- && *text)
		text += character_size(text);
	return text;
}

double render_text_width(const char *text, double size, int bold)
{
	double width = 0;

	for (; *text; text += character_size(text)) {
		unsigned char c = (unsigned char)*text;

		if (c >= ' ' && c <= '~')
			width += widths[c - ' '];
		else
			width += c >= 0xe3 ? 1000 : 700; /* from U+3000 on mostly full width */
	}
	return width * size / 1000 * (bold ? 1.12 : 1);
}

char *render_cut_end(const char *text, uint32_t limit)
{
	const char *end = skip_characters(text, limit);

	if (!*end)
		return xstrdup(text);
	end = skip_characters(text, limit ? limit - 1 : 0);
	return xasprintf("%.*s…", (int)(end - text), text);
}

char *render_cut_middle(const char *text, uint32_t limit)
{
	size_t count = character_count(text), tail = limit * 2 / 3;
	const char *end;

	if (count <= limit)
		return xstrdup(text);
	/* the end tells more: "…/layers/convolution.cu:120" */
	end = skip_characters(text, limit - 1 - tail);
	return xasprintf("%.*s…%s", (int)(end - text), text,
			 skip_characters(end, count - limit + 1));
}

/* "fill<float, …>" for "fill<float, ...>": the one sign is as many bytes as the three. */
static void use_ellipses(char *text)
{
	for (char *at = text; (at = strstr(at, "...")) != NULL;)
		memcpy(at, "…", sizeof("…") - 1);
}

/*
 * A function with template arguments of at most `limit` characters: arguments are shortened before
 * the function is cut, "vectoriz…<FillFunctor<float>>", for they are what tells kernels apart.
 */
static char *fit_arguments(const char *base, size_t function, uint32_t limit)
{
	uint32_t room = limit > FUNCTION_MIN ? limit - FUNCTION_MIN : 0;
	char *shorter = cxx_shorten_arguments(base, limit), *arguments, *cut, *text;

	if (!shorter)
		return xstrdup(base);
	if (strlen(shorter) > limit) {
		arguments = cxx_shorten_arguments(base + function, room);
		if (arguments && strlen(arguments) <= room && strcmp(arguments, "<...>") != 0) {
			text = xstrndup(base, function);
			cut = render_cut_end(text, limit - (uint32_t)strlen(arguments));
			free(text);
			free(shorter);
			shorter = xasprintf("%s%s", cut, arguments);
			free(cut);
		}
		free(arguments);
	}
	use_ellipses(shorter);
	return shorter;
}

char *render_short_name(const char *name, uint32_t limit)
{
	const char *end = cxx_name_end(name), *start = cxx_base_start(name, end), *arguments;
	char *base, *shown;

	if (start == end)
		return render_cut_end(name, limit);
	/* "operator()" alone says nothing: with the class or lambda before it */
	if (start >= name + 2 && start[-1] == ':' && !strncmp(start, "operator", 8))
		start = cxx_base_start(name, start - 2);
	base = xstrndup(start, (size_t)(end - start));
	arguments = cxx_arguments_start(start, end);
	if (arguments && arguments > start && character_count(base) > limit) {
		char *fitting = fit_arguments(base, (size_t)(arguments - start), limit);

		free(base);
		base = fitting;
	}
	shown = render_cut_end(base, limit);
	free(base);
	return shown;
}

/* Whether the word is "something:digits"; then *base is its last path component. */
static bool is_place(const char *word, size_t length, const char **base)
{
	size_t digits = 0;

	while (digits < length && isdigit((unsigned char)word[length - 1 - digits]))
		digits++;
	if (!digits || length < digits + 2 || word[length - 1 - digits] != ':')
		return false;
	*base = memrchr(word, '/', length);
	*base = *base ? *base + 1 : word;
	return (*base)[0] != ':';
}

char *render_where(const char *callpath, uint32_t index)
{
	const char *leading = callpath ? leading_frame(callpath) : NULL, *next, *end;
	bool layers = leading && library_frame_text(leading, frame_text_end(leading, &next));

	for (const char *frame = leading; frame && *frame; frame = next) {
		const char *blank, *word, *base;

		end = frame_text_end(frame, &next);
		blank = memrchr(frame, ' ', (size_t)(end - frame));
		word = blank ? blank + 1 : frame;
		if (is_place(word, (size_t)(end - word), &base) &&
		    (layers || !library_frame_text(frame, end)) && !index--)
			return xstrndup(base, (size_t)(end - base));
	}
	return NULL;
}
