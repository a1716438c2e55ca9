/*
 * tests/programs/scattered.h: where the lanes of the kernel `scatter` go: for the kernel, and for
 * random_flow.c, which works out what must come of it.
 */
#ifndef TESTS_PROGRAMS_SCATTERED_H
#define TESTS_PROGRAMS_SCATTERED_H

#ifdef __CUDACC__
#define SCATTERED static __device__ inline
#else
#define SCATTERED static inline
#endif

#define SCATTERED_BYTE 2 /* what the lanes write, into each byte */

struct scattered_place {
	unsigned size; /* 1, 2, 4, 8 or 16; 0: the lane does nothing */
	unsigned offset;
	int second; /* in the second object */
	int writes;
};

SCATTERED unsigned scattered_mix(unsigned x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

/*
 * The lanes of most warps all do the same, so that one instruction has up to 32 places; lanes are
 * left out of every other warp, and some warps go to stretches of 2 to 16 neighbours.
 */
SCATTERED struct scattered_place scattered_place(unsigned seed, unsigned thread, unsigned a_size,
						 unsigned b_size)
{
	unsigned warp = scattered_mix(seed + 2 * (thread / 32) + 1);
	unsigned lane = scattered_mix(warp + thread % 32);
	unsigned neighbours = warp >> 4 & 1 ? 2u << (warp >> 5 & 3) : 1;
	unsigned stretch = scattered_mix(warp - 1 - thread % 32 / neighbours);
	struct scattered_place place;

	place.size = 1u << warp % 16 * 5 / 16;
	if (warp >> 7 & 1 && warp >> 8 & 1) /* a warp of several sizes */
		place.size = 1u << (lane >> 4) % 5;
	place.second = warp >> 9 & 1 ? (int)(warp >> 10 & 1) : (int)(stretch >> 30 & 1);
	place.writes = warp >> 11 & 1 ? (int)(warp >> 12 & 1) : (int)(lane >> 12 & 1);
	place.offset = stretch % ((place.second ? b_size : a_size) / place.size);
	place.offset += thread % 32 % neighbours;
	place.offset *= place.size;
	if (place.offset + place.size > (place.second ? b_size : a_size) ||
	    (warp >> 13 & 1 && lane >> 20 & 1))
		place.size = 0;
	return place;
}

#endif
