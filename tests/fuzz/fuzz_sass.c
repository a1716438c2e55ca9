/* tests/fuzz/fuzz_sass.c: any bytes as nvdisasm's text: read or refused, followed, typed and freed.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/sass/types.h"
#include "gpu/stalls/blame.h"
#include "gpu/stalls/loops.h"
#include "gpu/stalls/stride.h"
#include "tests/fuzz/fuzz.h"

/* Every reason at every instruction. */
static void blame(const struct flow *flow)
{
	struct stall_count counts[12 * STALL_REASONS];
	struct stall_loops loops = stall_loops_find(flow);
	struct stall_blames blames;
	double samples = 0, blamed = 0;
	size_t count = 0;

	for (uint32_t i = 0; i < flow->function->instruction_count && i < 12; i++) {
		struct stride stride = stride_find(flow, i);

		if (stride_conflicts(&stride) > 32)
			abort();
		for (unsigned r = 0; r < STALL_REASONS; r++) {
			counts[count++] = (struct stall_count){i, (enum stall_reason)r, 8, 4};
			samples += r == STALL_SELECTED ? 0 : 8;
		}
	}
	blames = stall_blame(flow, counts, count);
	for (size_t i = 0; i < blames.count; i++) {
		const struct stall_blame *at = &blames.all[i];

		blamed += at->samples;
		stall_cause_before(flow, &blames, at->source);
		stall_loops_common(&loops, flow, at->source, at->stalled);
	}
	/* none are made up, and none are lost */
	if (fabs(blamed - samples) > 1e-6 * samples)
		abort();
	free(blames.all);
	stall_loops_free(&loops);
}

static void follow(const struct sass_function *function)
{
	struct error error;
	struct flow *flow = flow_build(function, &error);
	size_t count;

	if (!flow)
		abort();
	for (uint32_t i = 0; i < function->instruction_count && i < 64; i++) {
		for (unsigned barrier = 0; barrier < SASS_BARRIERS; barrier++)
			if (flow_waits(&function->instructions[i]) >> barrier & 1)
				flow_setters(flow, i, barrier, NULL, 0);
		for (unsigned k = 0; k < function->instructions[i].read_count; k++)
			flow_writers(flow, flow->reads[flow->first_read[i] + k], NULL, 0);
	}
	free(types_find(flow, &count));
	blame(flow);
	flow_free(flow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error;
	struct sass_listing *listing = sass_parse((const char *)data, size, &error);

	/* a refusal says why */
	if (!listing && !error.text[0])
		abort();
	for (size_t i = 0; listing && i < listing->function_count; i++)
		follow(&listing->functions[i]);
	sass_free(listing);
	return 0;
}
