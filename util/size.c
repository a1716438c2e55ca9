#include "util/size.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char units[] = "KMGTP";

int size_parse(const char *text, uint64_t *size)
{
	uint64_t multiplier = 1;
	long double value;
	size_t digits = strspn(text, "0123456789.");
	char *end;

	if (!digits || !isdigit((unsigned char)text[digits - 1]))
		return -1;
	value = strtold(text, &end); /* at most 64 significant bits: exact for whole numbers */
	if (end != text + digits)
		return -1;
	if (*end) {
		const char *unit = strchr(units, toupper((unsigned char)*end));
		uint64_t base = 1024;

		if (unit && (!strcmp(end + 1, "B") || !strcmp(end + 1, "b")))
			base = 1000;
		else if (!unit || (end[1] && strcmp(end + 1, "iB")))
			return -1;
		for (const char *u = units; u <= unit; u++)
			multiplier *= base;
	}
	value *= multiplier;
	if (value >= 18446744073709551616.0L)
		return -1;
	*size = (uint64_t)value;
	return 0;
}

char *size_format(uint64_t size, char text[16])
{
	double value = (double)size;
	size_t unit = 0;

	if (size < 1024) {
		snprintf(text, 16, "%u", (unsigned)size);
		return text;
	}
	/* 1023.95 would print as 1024.0 of the unit below */
	for (value /= 1024; value >= 1023.95 && unit + 1 < sizeof(units) - 1; unit++)
		value /= 1024;
	snprintf(text, 16, "%.1f%c", value, units[unit]);
	return text;
}
