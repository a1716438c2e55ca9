/* query/describe.h: what a graph has that queries can ask for. */
#ifndef VFLOW_QUERY_DESCRIBE_H
#define VFLOW_QUERY_DESCRIBE_H

#include <stdio.h>

#include "query/engine.h"

/* Labels and types with their numbers; properties with their types, how many have them, an example.
 */
void describe(struct engine *engine, FILE *file);

#endif
