#include "util/markdown.h"

#include <string.h>

void markdown_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_[]<>|~&#", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}
