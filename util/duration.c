#include "util/duration.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

enum { UNITS = sizeof(units) / sizeof(units[0]) };

int duration_parse(const char *text, uint64_t *ns)
{
	size_t digits = strspn(text, "0123456789.");
	long double value;
	char *end;

	if (!digits || !isdigit((unsigned char)text[digits - 1]))
		return -1;
	value = strtold(text, &end);
	if (end != text + digits)
		return -1;
	end += *end == ' ';
	for (unsigned i = 0; *end && i <= UNITS; i++) {
		if (i == UNITS)
			return -1;
		if (!strcmp(end, units[i].name)) {
			value *= units[i].ns;
			break;
		}
	}
	if (value >= 9223372036854775808.0L)
		return -1;
	*ns = (uint64_t)(value + 0.5L);
	return 0;
}

char *duration_format(uint64_t ns, char text[24])
{
	double number = (double)ns;
	unsigned unit = 0;

	while (unit + 1 < UNITS && number >= 999.5)
		number /= 1000, unit++;
	snprintf(text, 24, "%.*f %s",
		 !unit || number >= 99.95 ? 0
		 : number >= 9.995        ? 1
					  : 2,
		 number, units[unit].name);
	return text;
}
