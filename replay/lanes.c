/* replay/lanes.c: see lanes.h. */
#include "replay/lanes.h"

void lanes_index(struct lanes *lanes, const struct replay_result *result)
{
	for (uint32_t i = 0; i < result->lane_count; i++) {
		const struct replay_lane *lane = &result->lanes[i];
		uint32_t value;

		if (!lane->is_stream) {
			pair_map_find(&lanes->threads, lane->process, lane->thread, i, &value);
			continue;
		}
		pair_map_find(&lanes->devices, lane->process, lane->device, lanes->devices.count,
			      &value);
		pair_map_find(&lanes->streams, value, lane->stream, i, &value);
	}
}

void lanes_release(struct lanes *lanes)
{
	pair_map_release(&lanes->devices);
	pair_map_release(&lanes->threads);
	pair_map_release(&lanes->streams);
}

uint32_t lanes_thread(const struct lanes *lanes, const struct profile_timed_call *call)
{
	return pair_map_get(&lanes->threads, call->process, call->thread);
}

uint32_t lanes_stream(const struct lanes *lanes, const struct profile_timed_call *call)
{
	uint32_t device = pair_map_get(&lanes->devices, call->process, call->device);

	return pair_map_get(&lanes->streams, device, call->stream);
}
