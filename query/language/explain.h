/*
 * query/language/explain.h: EXPLAIN: what a query would do, as a table: its steps in the order in
 * which they are taken.
 */
#ifndef VFLOW_QUERY_LANGUAGE_EXPLAIN_H
#define VFLOW_QUERY_LANGUAGE_EXPLAIN_H

#include "query/language/run.h"

/* Of a checked query; free the result with query_result_free(). */
void query_explain(const struct query *query, struct engine *engine, struct query_result *result);

#endif
