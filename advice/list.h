/* advice/list.h: one ranked list of what patterns have found. */
#ifndef VFLOW_ADVICE_LIST_H
#define VFLOW_ADVICE_LIST_H

#include "advice/worth.h"

/*
 * Of the profile's findings: leaves the largest of each operation and site of objects, one of two
 * that exclude each other, one for each cause (with the bytes of all), those that are worth a look;
 * says what they save, where the run can be replayed; and ranks them.
 */
void list_findings(const struct run *run);

#endif
