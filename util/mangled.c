#include "util/mangled.h"

#include <stdlib.h>
#include <string.h>

#define REFERENCES_HARMLESS 30 /* at most 3^(30/3) times as long */

/* Substitutions and template parameters, "S_", "S1A_", "T0_"; a few letters too many do no harm. */
static unsigned count_references(const char *mangled)
{
	unsigned count = 0;

	for (const char *at = mangled; *at; at++) {
		size_t digits;

		if (*at != 'S' && *at != 'T')
			continue;
		digits = strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		/* a digit may be an 'S' itself: every letter is tried */
		count += at[1 + digits] == '_';
	}
	return count;
}

bool mangled_is_short(const char *mangled)
{
	return strnlen(mangled, MANGLED_MAX) < MANGLED_MAX &&
	       count_references(mangled) <= REFERENCES_HARMLESS;
}

const char *mangled_in_source(const char *name)
{
	static const char start[] = "__nv_static_";
	size_t left = strlen(name), skipped;
	char *at;

	if (strncmp(name, start, sizeof(start) - 1) != 0 ||
	    !strchr("123456789", name[sizeof(start) - 1]))
		return name;
	skipped =
		strtoul(name + sizeof(start) - 1, &at, 10); /* bytes from the first to the last _ */
	left -= (size_t)(at - name);
	if (left < 2 || skipped > left - 2 || at[0] != '_' || at[skipped + 1] != '_' ||
	    !at[skipped + 2])
		return name;
	return at + skipped + 2;
}
