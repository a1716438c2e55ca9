/*
 * collect/device/device.h: what programs can be run on while they are observed.  A device is a row:
 * a file NAME.c with its facts and sentences, named in the table of device.c.
 */
#ifndef VFLOW_COLLECT_DEVICE_DEVICE_H
#define VFLOW_COLLECT_DEVICE_DEVICE_H

#include <stdbool.h>

#include "collect/environment.h"
#include "util/error.h"

struct device {
	const char *name;  /* "gpu": of --device */
	const char *where; /* "on the GPU" */

	/* Whether this machine has it; NULL: every machine does. */
	bool (*is_present)(void);
	/* Of a machine that has none: what `auto` says when it takes another, and what is said when
	 * this one was asked for. */
	const char *absent, *absent_by_name;
	/* What `auto` says when the library of a pass's provider is missing. */
	const char *unbuilt;

	/*
	 * The guest is loaded by the loader of a dynamic program (LD_PRELOAD); false: by the
	 * device's driver, into any program.
	 */
	bool preloaded;
	/* Of a preloaded one: the end of "X is statically linked, so ...". */
	const char *static_refusal;
	/*
	 * Sets the variables by which the guest gets into a target; `libraries` is the folder of
	 * vflow's libraries.  Returns 0 or -1.
	 */
	int (*put_guest)(const char *libraries, struct environment *environment,
			 struct error *error);

	/*
	 * Prints the section of `vflow doctor`.  False: programs cannot be collected on the device,
	 * though it is here.  *here: whether it is.
	 */
	bool (*doctor)(bool *here);
};

extern const struct device device_gpu, device_emulated;

/* In the order in which `auto` tries them; ends with NULL. */
extern const struct device *const devices[];

/* NULL: no device has that name. */
const struct device *device_find(const char *name);

/* "auto|gpu|emulated"; caller frees. */
char *device_names(void);

#endif
