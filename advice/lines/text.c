/* advice/lines/text.c: annotated lines as text, as `perf annotate` shows them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/lines/lines.h"
#include "advice/report/page.h"
#include "advice/source.h"
#include "advice/source_files.h"
#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum { NUMBER = 7, NOTE = 11, AROUND = 2 }; /* columns; lines around one with notes */

struct printer {
	const struct profile *profile;
	FILE *out;
	struct source_files files;
	uint32_t printed; /* the last line of the file that was; 0: none */
};

static void print_line(struct printer *printer, const char *file, uint32_t line, bool marked)
{
	struct source source = source_read(&printer->files, file, line,
					   (uint32_t)page_width(printer->out) - NUMBER - 2);

	for (uint32_t i = 0; i < SOURCE_LINES && source.lines[i]; i++)
		if (source.first + i == line)
			fprintf(printer->out, "%*" PRIu32 "%c %s\n", NUMBER, line,
				marked ? '>' : ' ', source.lines[i]);
	/* the file is not here: its number says all that is known */
	if (!source.lines[0] && marked)
		fprintf(printer->out, "%*" PRIu32 ">\n", NUMBER, line);
	source_free(&source);
	printer->printed = line;
}

/* The line, those around it that are not printed yet, and a gap where some are left out. */
static void print_place(struct printer *printer, const struct profile_code_place *place)
{
	uint32_t from = place->line > AROUND ? place->line - AROUND : 1;

	if (from <= printer->printed)
		from = printer->printed + 1;
	else if (printer->printed && from > printer->printed + 1)
		fprintf(printer->out, "%*s\n", NUMBER, "...");
	for (uint32_t line = from; line < place->line; line++)
		print_line(printer, place->file, line, false);
	print_line(printer, place->file, place->line, true);
}

static void print_after(struct printer *printer, const struct profile_code_place *place,
			uint32_t next)
{
	for (uint32_t line = place->line + 1; line <= place->line + AROUND && line < next; line++)
		print_line(printer, place->file, line, false);
}

/* `times`: notes that say the same, as of a loop that was unrolled. */
static void print_note(FILE *out, const char *text, uint32_t times)
{
	char *whole = times > 1 ? xasprintf("%s (in %" PRIu32 " instructions each)", text, times)
				: xstrdup(text);

	fprintf(out, "%*s", NOTE, "");
	page_wrap(out, NOTE, whole);
	free(whole);
}

static bool same_text(const char *left, const char *right)
{
	return left == right || (left && right && !strcmp(left, right));
}

/* Whether two notes are about one kernel and file; and about one line, or place without one. */
static bool same_file(const struct printer *printer, const struct line_note *left,
		      const struct line_note *right)
{
	const struct profile_code_place *places = printer->profile->code_places;

	return left->vertex == right->vertex &&
	       same_text(places[left->place].file, places[right->place].file);
}

static bool same_line(const struct printer *printer, const struct line_note *left,
		      const struct line_note *right)
{
	const struct profile_code_place *a = &printer->profile->code_places[left->place];
	const struct profile_code_place *b = &printer->profile->code_places[right->place];

	return same_file(printer, left, right) && a->line == b->line &&
	       (a->line || a->code == b->code);
}

/* Those of the line of the first one; returns the one behind the last. */
static uint32_t print_notes(struct printer *printer, const struct line_notes *notes, uint32_t first)
{
	const struct line_note *list = notes->notes;
	uint32_t i = first, next;

	while (i < notes->count && same_line(printer, &list[i], &list[first])) {
		for (next = i + 1;
		     next < notes->count && same_line(printer, &list[next], &list[first]) &&
		     !strcmp(list[next].text, list[i].text);
		     next++)
			;
		print_note(printer->out, list[i].text, next - i);
		i = next;
	}
	return i;
}

/* The notes of one kernel and one file, from `first` on; returns the one behind the last. */
static uint32_t print_file(struct printer *printer, const struct line_notes *notes, uint32_t first)
{
	const struct profile_code_place *places = printer->profile->code_places;
	const char *file = places[notes->notes[first].place].file;
	uint32_t i = first;

	printer->printed = 0;
	fprintf(printer->out, "  %s\n", file ? file : "(lines unknown: compile with -lineinfo)");
	while (i < notes->count && same_file(printer, &notes->notes[i], &notes->notes[first])) {
		const struct profile_code_place *place = &places[notes->notes[i].place];
		bool more;

		if (file)
			print_place(printer, place);
		else
			fprintf(printer->out, "%*s %s, PTX line %" PRIu64 "\n", NUMBER, "",
				place->function, place->code);
		i = print_notes(printer, notes, i);
		more = i < notes->count &&
		       same_file(printer, &notes->notes[i], &notes->notes[first]);
		if (file)
			print_after(printer, place,
				    more ? places[notes->notes[i].place].line : UINT32_MAX);
	}
	return i;
}

void lines_print(const struct profile *profile, const struct line_notes *notes, bool colour,
		 FILE *out)
{
	struct printer printer = {.profile = profile, .out = out};
	uint32_t vertex = PROFILE_NO_VERTEX, i = 0;

	while (i < notes->count) {
		if (notes->notes[i].vertex != vertex) {
			char *name;

			name = words_vertex(profile,
					    graph_find(profile->graph, notes->notes[i].vertex));
			fputs(vertex == PROFILE_NO_VERTEX ? "" : "\n", out);
			page_heading(colour, out, name);
			free(name);
			vertex = notes->notes[i].vertex;
		}
		i = print_file(&printer, notes, i);
	}
	source_files_release(&printer.files);
}
