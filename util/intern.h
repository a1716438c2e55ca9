/* util/intern.h: numbers of texts, for formats that write each text once. */
#ifndef VFLOW_UTIL_INTERN_H
#define VFLOW_UTIL_INTERN_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: empty. */
struct intern {
	struct intern_text *texts;
};

/* The text's number, 1, 2, ... in the order in which they came; true: it is new. */
bool intern_text(struct intern *intern, const char *text, uint32_t *number);
/* It is empty then. */
void intern_release(struct intern *intern);

#endif
