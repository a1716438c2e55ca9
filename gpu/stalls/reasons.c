/* gpu/stalls/reasons.c: see reasons.h. */
#include "gpu/stalls/reasons.h"

#include <stddef.h>

static const struct {
	const char *name;
	enum stall_rule rule;
} reasons[STALL_REASONS] = {
	[STALL_OTHER] = {"other", STALL_RULE_ITSELF},
#define STALL_REASON(number, NAME, text, blame) [number] = {(text), STALL_RULE_##blame},
#include "gpu/stall_reasons.def"
};

const char *stall_reason_name(enum stall_reason reason)
{
	return reasons[reason < STALL_REASONS ? reason : STALL_OTHER].name;
}

enum stall_rule stall_rule_of(enum stall_reason reason)
{
	return reasons[reason < STALL_REASONS ? reason : STALL_OTHER].rule;
}
