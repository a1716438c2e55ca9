/* graph/accessed_value.h: accessed values (enum gpu_value_type) as people write them. */
#ifndef VFLOW_GRAPH_ACCESSED_VALUE_H
#define VFLOW_GRAPH_ACCESSED_VALUE_H

#include <stdint.h>

/* "f32"; of a number that is no type "?". */
const char *accessed_type_name(uint32_t type);
/* "load", "store", "atomic" */
const char *accessed_kind_name(uint32_t kind);
/* "-3", "0.1", "0x7f", as few digits as tell it apart from others of the type; caller frees. */
char *accessed_value_text(uint32_t type, uint64_t bits);
/* Of a number of that type, or computed from such ones; caller frees. */
char *accessed_number_text(uint32_t type, double number);
/* "2 * i + 3", "i"; caller frees. */
char *accessed_line_text(uint32_t type, double slope, double intercept);

#endif
