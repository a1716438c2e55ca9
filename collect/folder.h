/*
 * collect/folder.h: the folder with the traces of a collection.
 *
 * The traces of the run that makes the graph lie in the folder itself, those of any other run in a
 * folder within it that has the names of its passes ("time,waits").
 */
#ifndef VFLOW_COLLECT_FOLDER_H
#define VFLOW_COLLECT_FOLDER_H

#include <stdint.h>

#include "collect/pass/pass.h"
#include "util/error.h"

/*
 * From now until folder_unlock(), or the end of this process, whatever ends it, no other collection
 * of this output gets its lock: that of "OUTPUT.trace", which is made if it is not there.
 * -1: another one has it.
 */
int folder_lock(const char *output);
void folder_unlock(const char *output);

/* -1: another process holds the lock of the folder.  *fd: closing it ends the lock; -1 on failure,
 * with errno. */
int folder_try_lock(const char *path, int *fd);

/*
 * Makes the folder beside the output, "OUTPUT.trace" or, when that is taken, with a number after
 * it; some disk space is set aside in it for the profile.  Returns its absolute path, or NULL with
 * no more than why, also when there is no room for a profile.  Caller frees.
 */
char *folder_make(const char *output, struct error *error);

/* Where the traces of a run go; makes that folder.  Caller frees; NULL on failure. */
char *folder_make_run(const struct pass *const *table, uint32_t run, const char *folder,
		      struct error *error);

/* The file that the process which made the folder holds a lock of, until it is there no more. */
char *folder_marker(const char *folder);

/* Gives back the space that was set aside, and the lock. */
void folder_release_space(const char *folder);

struct folder_run {
	uint32_t passes;
	char *folder;
	uint32_t count; /* of traces */
};

/*
 * The runs that have a folder: first the folder itself, whose traces say of which passes they are
 * (else: of the first that makes the graph), then the others in the order of the table.
 * Caller frees with folder_free_runs(); NULL: the folder cannot be read, with no more than why.
 */
struct folder_run *folder_find_runs(const struct pass *const *table, const char *folder,
				    uint32_t *count, struct error *error);
void folder_free_runs(struct folder_run *runs, uint32_t count);

/* Deletes what the runs left in the folder, and the folder. */
void folder_remove(const struct pass *const *table, const char *folder);

#endif
