/*
 * advice/memory/reuse.h: which objects could have used the memory of others (DrGPUM, Definition
 * 3.3): the one-pass pairing of its Figure 3.
 */
#ifndef VFLOW_ADVICE_MEMORY_REUSE_H
#define VFLOW_ADVICE_MEMORY_REUSE_H

#include <stdbool.h>
#include <stdint.h>

struct reuse_object {
	uint64_t first, last; /* topological times of the calls that access it */
	uint64_t size;
	/* Set: the index of the object whose memory it could use, which is not needed any more by
	 * then; UINT32_MAX: there is none. */
	uint32_t reuses;
};

/*
 * Pairs objects, of whose sizes the smaller is at least (1 - difference) of the larger: of those
 * that are over before another one begins, the one that is over last; no memory is used twice.
 */
void reuse_pair(struct reuse_object *objects, uint32_t count, double difference);

#endif
