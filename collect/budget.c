/* collect/budget.c: see budget.h. */
#include "collect/budget.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_MAX 1000000 /* an even smaller part says nothing */

int budget_parse(const char *text, struct budget *budget, struct error *error)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
	char *end;
	double value = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;

	*budget = (struct budget){0};
	if (value > 0 && isfinite(value) && *end && !end[1]) {
		if (*end == 'x')
			budget->times = value;
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (*end == units[i].unit)
				budget->seconds = value * units[i].seconds;
	}
	if (budget->times > 0 || budget->seconds > 0)
		return 0;
	return error_set(error,
			 "--budget is a time (90s, 5m, 2h) or a multiple of the first run (10x), "
			 "not '%.100s'",
			 text);
}

static double allowed(const struct budget *budget, double first)
{
	return budget->times > 0 ? budget->times * first : budget->seconds;
}

double budget_part(const struct budget *budget, double first, double spent, unsigned cost)
{
	double left = allowed(budget, first) - spent - first, added = first * (cost - 1.0);

	return left <= 0 ? 0 : added <= left ? 1 : left / added;
}

uint64_t budget_share(const struct budget *budget, double first, double spent, unsigned cost)
{
	double all = allowed(budget, first);
	double expected = first * cost, left = all - spent, share;

	if (!(all > 0) || expected <= left)
		return 1;
	if (left <= 0)
		return 0;
	share = ceil(expected / left);
	return share < SHARE_MAX ? (uint64_t)share : SHARE_MAX;
}
