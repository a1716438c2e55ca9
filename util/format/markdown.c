#include "util/format/markdown.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

void markdown_text(FILE *out, const char *text)
{
	char *clean = text_clean(text, strlen(text), 0);

	for (const char *at = clean; *at; at++) {
		if (strchr("\\`*_[]<>|~&#", *at))
			fputc('\\', out);
		fputc(*at, out);
	}
	free(clean);
}
