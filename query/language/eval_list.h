/* query/language/eval_list.h: the part of eval() that is about lists and maps. */
#ifndef VFLOW_QUERY_LANGUAGE_EVAL_LIST_H
#define VFLOW_QUERY_LANGUAGE_EVAL_LIST_H

#include "query/language/eval.h"

struct value eval_list(struct run *run, const struct expr *expr);
struct value eval_map(struct run *run, const struct expr *expr);
struct value eval_index(struct run *run, const struct expr *expr);
struct value eval_slice(struct run *run, const struct expr *expr);
struct value eval_quantified(struct run *run, const struct expr *expr);
struct value eval_reduce(struct run *run, const struct expr *expr);
struct value eval_comprehension(struct run *run, const struct expr *expr);

/* "what, not a list": a value has a type that does not go there. */
struct value eval_type_error(struct run *run, const struct expr *expr, const char *what,
			     struct value value);

#endif
