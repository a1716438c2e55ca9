/*
 * query/language/choice.h: ANY SHORTEST and its kin for patterns that are more than one range:
 * every fit is looked for, then each pair of ends keeps the shortest.
 */
#ifndef VFLOW_QUERY_LANGUAGE_CHOICE_H
#define VFLOW_QUERY_LANGUAGE_CHOICE_H

#include "query/language/eval.h"

struct choice;

struct choice *choice_new(const struct path_pattern *path);
/* The fit that is in the row.  False when the run has failed. */
bool choice_add(struct choice *choice, struct run *run);
/* Puts the next one that was chosen back into the row; false: there is none. */
bool choice_next(struct choice *choice, struct run *run);
void choice_free(struct choice *choice, struct run *run);

#endif
