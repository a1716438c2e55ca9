#include "advice/report/gate.h"

#include "util/duration.h"
#include "util/size.h"

int gate_parse(const char *text, struct gate *gate)
{
	gate->is_time = false;
	if (size_parse(text, &gate->limit) == 0)
		return 0;
	gate->is_time = true;
	return duration_parse(text, &gate->limit);
}

bool gate_is_above(const struct gate *gate, const struct profile_finding *finding)
{
	uint64_t ns = finding->saves_ns == PROFILE_UNKNOWN ? 0 : finding->saves_ns;

	if (!gate->limit)
		return true;
	if (!gate->is_time)
		return (finding->saves_peak_bytes == PROFILE_UNKNOWN
				? finding->bytes
				: finding->saves_peak_bytes) > gate->limit;
	if (gate->at_most && finding->saves_most_ns != PROFILE_UNKNOWN &&
	    finding->saves_most_ns > ns)
		ns = finding->saves_most_ns;
	return ns > gate->limit;
}
