/*
 * collect/target.h: the program that `vflow collect` was asked to run: where it is and what
 * kind of file.
 */
#ifndef VFLOW_COLLECT_TARGET_H
#define VFLOW_COLLECT_TARGET_H

#include <stdbool.h>

#include "util/error.h"

enum target_kind {
	TARGET_DYNAMIC, /* its loader honours LD_PRELOAD; also what could not be looked into */
	TARGET_STATIC,
	TARGET_32_BIT,
	TARGET_SCRIPT,  /* a "#!" line names its interpreter */
	TARGET_TEXT,    /* no "#!" line: run by /bin/sh, as execvp(3) does */
	TARGET_UNKNOWN, /* no format that Linux runs */
};

struct target {
	char *path;
	enum target_kind kind;
	bool secure;       /* set-user-ID and the like: its loader ignores LD_PRELOAD */
	char *interpreter; /* of a script: the program it ends up in, resolved; else NULL */
	enum target_kind interpreter_kind;
};

/*
 * Finds `name` as a shell does (PATH only when it has no slash) and looks what it is.  Returns 0,
 * or EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE with *error.
 */
int target_find(const char *name, struct target *target, struct error *error);
void target_release(struct target *target);

/* The full path of `name` in PATH; caller frees.  NULL with errno ENOENT or EACCES. */
char *target_search(const char *name);

#endif
