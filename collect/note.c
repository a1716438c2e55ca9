#include "collect/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/say.h"
#include "util/text.h"

void note(bool quiet, const char *format, ...)
{
	char *text, *clean, *line;
	va_list args;

	if (quiet)
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0) {
		clean = text_clean(text, strlen(text), 0);
		line = xasprintf("vflow: %s\n", clean);
		say(line);
		free(clean);
		free(line);
		free(text);
	}
	va_end(args);
}

int note_failure(int code, const struct error *error)
{
	char *line = xasprintf("vflow collect: %s\n", error->text);

	say(line);
	free(line);
	return code;
}
