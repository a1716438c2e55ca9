/* render/json.h: JSON that is also safe inside HTML. */
#ifndef VFLOW_RENDER_JSON_H
#define VFLOW_RENDER_JSON_H

#include <stdio.h>

/* A string in quotes, or null. */
void json_put_string(FILE *out, const char *text);

#endif
