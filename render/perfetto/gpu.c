/*
 * render/perfetto/gpu.c: when the device was at which operation, by the run of the pass `time`: a
 * process of its own beside the one of the graph's run, whose times are others.
 */
#include "render/perfetto/perfetto.h"

#include <stdlib.h>

#include "render/perfetto/timeline.h"
#include "util/memory.h"

enum {
	/* Above the numbers of processes and tracks of calls. */
	FIRST_PROCESS = 1000000,
	FIRST_TRACK = 2000000,
	/* They lead no further than to what was launched, so that a click follows few. */
	LAUNCHES_MOST = 100000,
};

enum { CALLS, DEVICE }; /* groups of slices */

/* Operations of one call follow each other. */
static bool same_call(const struct profile_gpu_time *a, const struct profile_gpu_time *b)
{
	return a->process == b->process && a->thread == b->thread && a->call_ns == b->call_ns &&
	       a->vertex == b->vertex && a->invocation == b->invocation;
}

static void add_slices(struct timeline *gpu, const struct profile *profile)
{
	for (uint32_t row = 0; row < profile->gpu_time_count; row++) {
		const struct profile_gpu_time *time = &profile->gpu_times[row];
		const uint32_t process = FIRST_PROCESS + time->process;

		if (!row || !same_call(time, time - 1))
			timeline_add(gpu, (struct timeline_slice){.row = row,
								  .process = process,
								  .group = CALLS,
								  .number = time->thread,
								  .start_ns = time->call_ns,
								  .end_ns = time->return_ns});
		timeline_add(gpu, (struct timeline_slice){.row = row,
							  .process = process,
							  .group = DEVICE,
							  .device = time->device,
							  .number = time->stream,
							  .start_ns = time->start_ns,
							  .end_ns = time->end_ns});
	}
}

/* An arrow from the call to each operation that the device did for it. */
static void find_arrows(struct timeline *gpu, const struct profile *profile)
{
	bool *drawn[2];
	uint32_t call = 0;

	for (int group = 0; group < 2; group++)
		drawn[group] = xcalloc((size_t)profile->gpu_time_count + 1, sizeof(bool));
	for (uint32_t i = 0; i < gpu->slice_count; i++)
		drawn[gpu->slices[i].group][gpu->slices[i].row] = gpu->slices[i].track;
	for (uint32_t row = 0; row < profile->gpu_time_count; row++) {
		const struct profile_gpu_time *time = &profile->gpu_times[row];

		if (row && !same_call(time, time - 1))
			call = row;
		if (drawn[CALLS][call] && drawn[DEVICE][row] && time->call_ns <= time->start_ns)
			timeline_arrow(gpu, call, row, time->vertex,
				       time->call == PROFILE_NO_ROW
					       ? PROFILE_NO_ROW
					       : profile->timeline[time->call].api);
	}
	for (int group = 0; group < 2; group++)
		free(drawn[group]);
}

struct timeline *perfetto_gpu(const struct profile *profile, uint32_t arrow,
			      struct perfetto_about *about)
{
	struct timeline *gpu = xcalloc(1, sizeof(*gpu));

	add_slices(gpu, profile);
	timeline_assign(gpu, FIRST_TRACK, "overlapping_gpu_times", about);
	find_arrows(gpu, profile);
	timeline_thin(gpu, profile->gpu_time_count, LAUNCHES_MOST, arrow, "launches", about);
	return gpu;
}

static void put_slice(struct perfetto *trace, const struct picture *picture,
		      const struct timeline *gpu, const struct timeline_slice *slice)
{
	const struct profile *profile = picture->profile;
	const struct profile_gpu_time *time = &profile->gpu_times[slice->row];
	const struct picture_vertex *vertex = perfetto_vertex(picture, time->vertex);
	struct perfetto_event out = {
		.type = PERFETTO_SLICE,
		.category = slice->group == CALLS ? "call" : "gpu",
		.name = vertex ? vertex->lines[0] : "?",
		.process = slice->process,
		.track = slice->track,
		.start_ns = slice->start_ns,
		.end_ns = slice->end_ns,
		.arrows = "launch",
	};

	if (!vertex && time->call != PROFILE_NO_ROW)
		out.name = profile->apis[profile->timeline[time->call].api].name;
	if (slice->group == CALLS)
		timeline_starts(gpu, slice->row, &out);
	else
		timeline_ends(gpu, slice->row, &out);
	if (vertex)
		perfetto_number(&out, "vertex", time->vertex);
	perfetto_number(&out, "invocation", time->invocation);
	if (vertex) {
		perfetto_text(&out, "where", vertex->place);
		perfetto_text(&out, "findings", vertex->vertex->patterns);
	}
	trace->writer->event(trace, &out);
}

static void put_process(struct perfetto *trace, const struct profile *profile, uint32_t index)
{
	const struct profile_process *process = &profile->processes[index];
	char *name = xasprintf("GPU times, of the run for pass time: %s",
			       process->arguments ? process->arguments : process->executable);

	trace->writer->process(trace, FIRST_PROCESS + index, name, NULL, FIRST_PROCESS + index);
	free(name);
}

static void put_track(struct perfetto *trace, const struct timeline_track *track, uint32_t id)
{
	const struct timeline_slice *slice = &track->first;
	char lane[16] = "", *stream, *name;

	if (track->lane)
		snprintf(lane, sizeof(lane), " (%u)", track->lane + 1);
	stream = perfetto_stream(slice->device, slice->number);
	name = slice->group == CALLS ? xasprintf("calls of thread %u%s", slice->number, lane)
				     : xasprintf("GPU: %s%s", stream, lane);
	trace->writer->track(trace, slice->process, id, name);
	free(stream);
	free(name);
}

void perfetto_put_gpu(struct perfetto *trace, const struct picture *picture,
		      const struct timeline *gpu)
{
	const struct profile *profile = picture->profile;

	for (uint32_t i = 0; i < profile->process_count && profile->gpu_time_count; i++)
		put_process(trace, profile, i);
	for (uint32_t i = 0; i < gpu->track_count; i++)
		put_track(trace, &gpu->tracks[i], gpu->first_track + i);
	for (uint32_t i = 0; i < gpu->slice_count; i++)
		if (gpu->slices[i].track)
			put_slice(trace, picture, gpu, &gpu->slices[i]);
}
