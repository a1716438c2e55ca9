/*
 * advice/report/finding_ids.h: names of findings that stay as they are when the program is edited
 * and built again, as long as its functions keep their names: for suppressions, and for tools that
 * follow a finding from one run to the next.
 */
#ifndef VFLOW_ADVICE_REPORT_FINDING_IDS_H
#define VFLOW_ADVICE_REPORT_FINDING_IDS_H

#include "graph/profile/profile.h"

enum { FINDING_ID_SIZE = 17 }; /* 16 hex digits and a NUL */

struct finding_id {
	char text[FINDING_ID_SIZE];
};

/*
 * Of each finding, in their order: made of its pattern, of the names of its operation and object
 * (operation_names.h), and of its place among findings of which all that is equal, in the order of
 * the source.  The caller frees the array.
 */
struct finding_id *finding_ids(const struct profile *profile);

#endif
