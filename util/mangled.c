#include "util/mangled.h"

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
