/* query/print.h: results as people and programs read them. */
#ifndef VFLOW_QUERY_PRINT_H
#define VFLOW_QUERY_PRINT_H

#include <stdio.h>

#include "query/engine.h"
#include "query/language/run.h"

enum print_type { PRINT_TABLE, PRINT_TSV, PRINT_CSV, PRINT_JSON, PRINT_JSONL };

/* The value as text; the caller frees it.  null is empty. */
char *print_value(const struct engine *engine, struct value value);

/* Stops, within a row, when *interrupted becomes true; NULL: never. */
void print_result(struct engine *engine, const struct query_result *result, enum print_type type,
		  const volatile sig_atomic_t *interrupted, FILE *file);

#endif
