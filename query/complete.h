/*
 * query/complete.h: how the last word of a query that is being typed can go on.
 */
#ifndef VFLOW_QUERY_COMPLETE_H
#define VFLOW_QUERY_COMPLETE_H

#include "query/engine.h"

struct completion {
	size_t typed; /* the last bytes of the text: each word stands for these */
	char **words; /* in order; valid UTF-8 without control characters */
	uint32_t count, capacity;
};

/*
 * After ':' labels and types, after '.' and in {} properties of the graph, else keywords and
 * functions; none within strings and comments.  Not zero at the start: *completion.
 */
void complete(struct engine *engine, const char *text, struct completion *completion);
void completion_free(struct completion *completion);

/* How many bytes all words have in common at their start: whole characters. */
size_t completion_common(const struct completion *completion);

#endif
