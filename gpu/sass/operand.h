/* gpu/sass/operand.h: one operand of an instruction, from nvdisasm's text. */
#ifndef VFLOW_GPU_SASS_OPERAND_H
#define VFLOW_GPU_SASS_OPERAND_H

#include "gpu/sass/listing.h"

/* `text` stays the caller's and may be cut (labels).  What is like nothing known is SASS_OTHER. */
struct sass_operand sass_operand_of(char *text);
/* The number of a register or predicate of that letter ("R", "UR", "P", "UP"), or -1; what follows
 * it. */
int sass_register_of(const char *text, const char *letters, const char **rest);

#endif
