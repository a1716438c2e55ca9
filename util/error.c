#include "util/error.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character there; 0: it is none, or a control character other than \n and \t.
 */
static size_t character(const unsigned char *at)
{
	size_t length = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;

	if ((*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f || *at > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return *at == 0xc2 && at[1] < 0xa0 ? 0 : length; /* C1 */
}

/* Text is made longer: what does not fit any more is cut. */
static void make_visible(struct error *error)
{
	char old[sizeof(error->text)];
	const unsigned char *from = memcpy(old, error->text, sizeof(old));
	char *to = error->text, *end = to + sizeof(error->text) - 5;

	while (*from && to < end) {
		size_t length = character(from);

		if (length)
			to = mempcpy(to, from, length);
		else
			to += sprintf(to, "\\x%02x", *from);
		from += length ? length : 1;
	}
	*to = 0;
}

int error_vset(struct error *error, const char *format, va_list args)
{
	vsnprintf(error->text, sizeof(error->text), format, args);
	make_visible(error);
	return -1;
}

int error_set(struct error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_vset(error, format, args);
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
	error_vset(error, format, args);
	va_end(args);
	used = strlen(error->text);
	snprintf(error->text + used, sizeof(error->text) - used, ": %s", old);
	return -1;
}
