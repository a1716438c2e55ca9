/*
 * collect/guest/imports.h: other functions in place of those that a loaded file imports.
 */
#ifndef VFLOW_COLLECT_GUEST_IMPORTS_H
#define VFLOW_COLLECT_GUEST_IMPORTS_H

#include <stddef.h>

struct dl_phdr_info;

struct import {
	const char *name; /* as the linker knows it */
	void *replacement;
	void *before; /* atomic; what was there, maybe not bound yet; NULL: nothing was replaced */
};

/*
 * Has the file call the replacements.  Other threads may call meanwhile.  Returns how many words of
 * its table of imports are replaced, now or before; -1: the table cannot be changed.  Under the
 * loader's lock.
 */
int imports_replace(const struct dl_phdr_info *info, struct import *imports, size_t count);

#endif
