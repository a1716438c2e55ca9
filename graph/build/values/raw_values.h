/*
 * graph/build/values/raw_values.h: what the values are that a GPU's patches have counted as bits
 * (RAW_VALUES, gpu/records.def), by the machine code of the instruction that accesses them.
 */
#ifndef VFLOW_GRAPH_BUILD_VALUES_RAW_VALUES_H
#define VFLOW_GRAPH_BUILD_VALUES_RAW_VALUES_H

#include "gpu/records.h"
#include "graph/profile/profile.h"
#include "util/error.h"

struct raw_values;

struct raw_values *raw_values_new(struct profile *profile);
void raw_values_free(struct raw_values *raw);

/* Records of a process.  -1: they make no sense. */
int raw_values_image(struct raw_values *raw, uint32_t process, const struct gpu_code_image *record,
		     struct error *error);
int raw_values_function(struct raw_values *raw, uint32_t process,
			const struct gpu_code_function *record, struct error *error);

struct raw_place {
	const char *function; /* mangled; NULL: not known */
	uint32_t offset;
	const char *file; /* NULL: not known */
	uint32_t line;
};
/*
 * The same as the record VALUES says it, with the type of the instruction, but for its place.
 * False: the instruction moves values of another width, of which there are records, too.
 */
bool raw_values_convert(struct raw_values *raw, uint32_t process,
			const struct gpu_raw_values *record, struct gpu_values *values,
			struct raw_place *place);

#endif
