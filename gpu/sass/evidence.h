/* gpu/sass/evidence.h: what instructions say of the values that they compute with. */
#ifndef VFLOW_GPU_SASS_EVIDENCE_H
#define VFLOW_GPU_SASS_EVIDENCE_H

#include "gpu/sass/flow.h"

enum evidence_kind {
	EVIDENCE_F32,
	EVIDENCE_F64_LOW, /* the first of two registers */
	EVIDENCE_F64_HIGH,
	EVIDENCE_F16, /* one or two of them */
	EVIDENCE_BF16,
	EVIDENCE_F8,
	EVIDENCE_INTEGER,
	EVIDENCE_I64_LOW,
	EVIDENCE_I64_HIGH,
	EVIDENCE_KINDS,
};

/* Of all values that are copies of one another. */
struct evidence {
	uint32_t counts[EVIDENCE_KINDS];
	uint32_t is_signed, is_unsigned; /* how often an instruction treats the integer as such */
	bool extends_8, extends_16;      /* the sign of the low bits is extended */
};

struct evidence_table {
	uint32_t *parents; /* by value: another of its copies; itself: see `found` */
	struct evidence *found;
};

void evidence_collect(const struct flow *flow, struct evidence_table *table);
void evidence_release(struct evidence_table *table);
/* Of a value; SASS_NONE has none at all. */
const struct evidence *evidence_of(struct evidence_table *table, uint32_t value);

#endif
