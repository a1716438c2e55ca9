#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -1;
}

int error_prefix(struct error *error, const char *format, ...)
{
	char old[sizeof(error->text)];
	size_t used;
	va_list args;

	memcpy(old, error->text, sizeof(old));
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	used = strlen(error->text);
	snprintf(error->text + used, sizeof(error->text) - used, ": %s", old);
	return -1;
}
