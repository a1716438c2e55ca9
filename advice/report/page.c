/* advice/report/page.c: see advice/report/page.h. */
#include "advice/report/page.h"

#include <stdlib.h>
#include <string.h>

#include "util/output.h"
#include "util/text.h"

/* Columns; a label and a word fit into the narrowest. */
enum { WIDEST = 100, NARROWEST = 60 };

static const char bold[] = "\x1b[1m", plain[] = "\x1b[0m";

static size_t columns(const char *text, size_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < bytes; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

size_t page_columns(const char *text)
{
	return columns(text, strlen(text));
}

/* Bytes of the first `count` characters. */
static size_t bytes_of(const char *text, size_t count)
{
	size_t i = 0;

	for (; text[i]; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && count-- == 0)
			break;
	return i;
}

size_t page_width(FILE *out)
{
	const size_t width = output_columns(out);

	return width > WIDEST ? WIDEST : width < NARROWEST ? NARROWEST : width;
}

void page_wrap(FILE *out, size_t indent, const char *text)
{
	const size_t width = page_width(out);
	char *clean = text_clean(text, strlen(text), 0);
	const char *word = clean;
	size_t column = indent;

	while (*word) {
		size_t bytes = strcspn(word, " "), wide = columns(word, bytes);

		if (column > indent && column + 1 + wide > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		while (column + wide > width) { /* a name that fits in no line */
			size_t part = bytes_of(word, width - column);

			fprintf(out, "%.*s\n%*s", (int)part, word, (int)indent, "");
			word += part;
			bytes -= part;
			wide -= width - column;
			column = indent;
		}
		fwrite(word, 1, bytes, out);
		column += wide;
		word += bytes;
		word += strspn(word, " ");
	}
	fputc('\n', out);
	free(clean);
}

void page_heading(bool colour, FILE *out, const char *text)
{
	fputs(colour ? bold : "", out);
	page_wrap(out, 0, text);
	fputs(colour ? plain : "", out);
}

void page_field(FILE *out, const char *label, const char *text)
{
	fprintf(out, "    %-*s", PAGE_LABEL - 4, label);
	page_wrap(out, PAGE_LABEL, text);
}
