/*
 * advice/memory/findings.h: memory of the device that is allocated while nobody needs it, or more
 * of it than anybody needs: the patterns of DrGPUM (Definitions 3.1 to 3.10), and what
 * mending each takes off the peak.  Non-uniform access frequency and dead writes, which are two of
 * them, waste none.
 *
 * Facts of one process, the one with the highest peak.  Objects that something may have accessed
 * unseen have no findings but that they were never freed.
 */
#ifndef VFLOW_ADVICE_MEMORY_FINDINGS_H
#define VFLOW_ADVICE_MEMORY_FINDINGS_H

#include <stdbool.h>

#include "advice/memory/accesses.h"
#include "graph/memory/peaks.h"

enum memory_rules {
	MEMORY_RULES_PAPER,    /* any GPU API call between counts */
	MEMORY_RULES_ARTEFACT, /* kernels only, as in the paper's released scripts */
};

struct memory_options {
	enum memory_rules rules;
	uint64_t idle_calls;     /* temporary idleness: so many calls between, or more */
	double reuse_difference; /* redundant allocation: of the sizes, at most */
	double accessed;         /* overallocation: less of an object is accessed, and */
	double fragmentation;    /* ... what is left of it is less scattered (equation 1) */
	double variation;        /* non-uniform access frequency: its coefficient is higher */
	uint64_t min_bytes;      /* objects of fewer are left out */
	bool dead_writes;        /* as the paper has them, of whole objects */
	bool peaks_only;         /* no findings */
	bool wasted_only;        /* none that waste no memory */
};

#define MEMORY_DEFAULTS                                                                            \
	((struct memory_options){.idle_calls = 2,                                                  \
				 .reuse_difference = 0.1,                                          \
				 .accessed = 0.8,                                                  \
				 .fragmentation = 0.8,                                             \
				 .variation = 0.2,                                                 \
				 .min_bytes = 1024})

enum memory_pattern {
	MEMORY_UNUSED,
	MEMORY_LEAK,
	MEMORY_EARLY,
	MEMORY_LATE,
	MEMORY_REDUNDANT,
	MEMORY_IDLE,
	MEMORY_OVERALLOCATION,
	MEMORY_STRUCTURED,
	MEMORY_NONUNIFORM,
	MEMORY_DEAD_WRITE,
	MEMORY_PATTERNS
};

struct memory_pattern_name {
	const char *name;  /* as patterns are called in files: "early_allocation" */
	const char *title; /* for people: "early allocation" */
};

extern const struct memory_pattern_name memory_patterns[MEMORY_PATTERNS];

/* Whether the pattern is about bytes of objects, not about times at which they are not needed. */
static inline bool memory_is_of_parts(enum memory_pattern pattern)
{
	return pattern == MEMORY_OVERALLOCATION || pattern == MEMORY_STRUCTURED;
}

/* Whether what has it is memory that nobody needs; others are about what is done with it. */
static inline bool memory_is_wasted(enum memory_pattern pattern)
{
	return pattern != MEMORY_NONUNIFORM && pattern != MEMORY_DEAD_WRITE;
}

/* One pattern of the objects of one site. */
struct memory_finding {
	enum memory_pattern pattern;
	uint32_t site;    /* vertex id */
	uint64_t objects; /* of the site that have it */
	uint64_t bytes;   /* of them, all */
	/*
	 * Bytes that nobody needs times the calls between (topological time), summed; of
	 * overallocation and structured access all calls while the object is there.
	 */
	uint64_t bytes_time;
	/* The same times the seconds between, summed, by the timeline; of how many objects. */
	double byte_seconds;
	uint64_t timed;
	/* of the worst: calls between, or bytes that nobody needs, or thousandths of variation, or
	 * writes */
	uint64_t most;
	const struct profile_lifetime *worst;
	struct access_facts access; /* of the worst */
	uint32_t reuses; /* MEMORY_REDUNDANT: site of the object that the worst could use */
	/* Would be, with this mended; PROFILE_UNKNOWN: not computed.  Memory that is used again
	 * stays for longer, which may raise the peak. */
	uint64_t peak;
	uint64_t peak_bytes; /* of its objects at the peak that would not be there then */
};

struct memory {
	struct peaks *peaks;
	uint32_t process;
	uint64_t peak, place; /* most bytes; see peaks.h */
	uint64_t peak_mended; /* with all but idleness mended */
	uint64_t peak_moved;  /* and with idle objects moved to the host meanwhile */
	uint64_t objects, unseen;
	bool sees_accesses; /* else none were recorded, and all objects are unseen */
	bool timed;         /* there is a timeline */
	/* Objects of which little is accessed, but what is left is scattered; and those of which it
	 * is not known what is accessed. */
	uint64_t scattered, not_followed;
	bool follows_accesses; /* the profile has the pass `access` */
	/* most off the peak first, then those that are on it, then by bytes_time */
	struct memory_finding *findings;
	uint32_t finding_count;
};

/* NULL: the profile does not say when objects were accessed, or nothing was allocated. */
struct memory *memory_new(const struct profile *profile, const struct memory_options *options);
void memory_free(struct memory *memory);

#endif
