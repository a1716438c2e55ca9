/*
 * query/language/execute.h: runs clauses, those of a query or of a subquery.
 */
#ifndef VFLOW_QUERY_LANGUAGE_EXECUTE_H
#define VFLOW_QUERY_LANGUAGE_EXECUTE_H

#include "query/language/eval.h"

struct execution {
	struct run *run;
	struct clause *clauses;
	uint32_t clause_count;
	/*
	 * Takes a row of the result: the slots of the projection hold it; NULL where the clauses
	 * end without RETURN.  False: that was enough, or the run has failed.
	 */
	bool (*emit)(void *data, const struct projection *projection);
	void *data;
	/* belong to execute() */
	struct value_set seen; /* UNION: the rows so far */
	bool distinct, enough;
};

/* False when the run has failed. */
bool execute(struct execution *execution);

#endif
