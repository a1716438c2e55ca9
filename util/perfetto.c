/* util/perfetto.c: see perfetto.h. */
#include "util/perfetto.h"

#include <inttypes.h>
#include <stdio.h>

#include "util/memory.h"

void perfetto_event(struct json *json, const char *phase)
{
	json_line(json);
	json_begin(json, '{');
	json_named_text(json, "ph", phase);
}

void perfetto_time(struct json *json, const char *name, uint64_t ns)
{
	json_name(json, name);
	json_raw(json, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

void perfetto_name(struct json *json, const char *what, uint32_t process, uint32_t track)
{
	perfetto_event(json, "M");
	json_named_text(json, "name", what);
	json_named_count(json, "pid", process);
	if (track)
		json_named_count(json, "tid", track);
	json_name(json, "args");
	json_begin(json, '{');
}

void perfetto_end(struct json *json)
{
	json_end(json, '}');
	json_end(json, '}');
}

void perfetto_name_process(struct json *json, uint32_t process, const char *name, uint32_t order)
{
	perfetto_name(json, "process_name", process, 0);
	json_named_text(json, "name", name);
	perfetto_end(json);
	perfetto_name(json, "process_sort_index", process, 0);
	json_named_count(json, "sort_index", order);
	perfetto_end(json);
}

void perfetto_name_track(struct json *json, uint32_t process, uint32_t track, const char *name)
{
	perfetto_name(json, "thread_name", process, track);
	json_named_text(json, "name", name);
	perfetto_end(json);
	perfetto_name(json, "thread_sort_index", process, track);
	json_named_count(json, "sort_index", track);
	perfetto_end(json);
}

char *perfetto_stream(uint32_t device, uint32_t stream)
{
	char before[32] = "";

	if (device)
		snprintf(before, sizeof(before), "device %" PRIu32 ", ", device);
	return stream ? xasprintf("%sstream %" PRIu32, before, stream)
		      : xasprintf("%sthe default stream", before);
}
