/* util/perfetto/perfetto.c: see perfetto.h. */
#include "util/perfetto/perfetto.h"

#include <inttypes.h>

#include "util/memory.h"

static void add(struct perfetto_event *event, struct perfetto_argument argument)
{
	if (event->argument_count < PERFETTO_ARGUMENTS)
		event->arguments[event->argument_count++] = argument;
}

void perfetto_text(struct perfetto_event *event, const char *name, const char *text)
{
	if (text)
		add(event, (struct perfetto_argument){.name = name, .text = text});
}

void perfetto_number(struct perfetto_event *event, const char *name, uint64_t number)
{
	add(event, (struct perfetto_argument){.name = name, .number = number});
}

void perfetto_flag(struct perfetto_event *event, const char *name, bool flag)
{
	add(event, (struct perfetto_argument){.name = name, .number = flag, .is_flag = true});
}

char *perfetto_stream(uint32_t device, uint32_t stream)
{
	char before[32] = "";

	if (device)
		snprintf(before, sizeof(before), "device %" PRIu32 ", ", device);
	return stream ? xasprintf("%sstream %" PRIu32, before, stream)
		      : xasprintf("%sthe default stream", before);
}
