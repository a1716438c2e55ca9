/*
 * collect/pass/pass.h: what can be recorded of a program.  A pass is a file NAME.c in
 * collect/passes/ with a struct pass pass_NAME, which says what it gives and needs.
 *
 * The program runs once for each pass, but for passes that share a run.  The functions take the
 * table, so that a test can add a pass of its own; a set of passes is a word with bit I for row I.
 */
#ifndef VFLOW_COLLECT_PASS_PASS_H
#define VFLOW_COLLECT_PASS_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/device/device.h"
#include "collect/environment.h"
#include "util/error.h"
#include "util/options.h"

enum pass_role {
	PASS_MAKES_GRAPH, /* vertices and edges come from its traces */
	PASS_JOINS_GRAPH, /* its facts are added to the operations of another pass's graph */
};

/* A provider in a library of its own, which the guest loads. */
struct pass_library {
	const char *name;    /* of the file, beside the guest */
	const char *install; /* what must be there when vflow is built: "the CUDA toolkit" */
	/* The library of somebody else's that it is linked with: name, what it is called, and
	 * patterns of where it may be (ends with NULL). */
	const char *needs, *needs_title;
	const char *const *needs_places;
};

/* The provider of passes `time`, `waits`, `use` and `stalls` on NVIDIA GPUs: collect/passes/time.c.
 */
extern const struct pass_library pass_library_cupti;
/* ... and of `flow` and `access`: collect/passes/flow.c. */
extern const struct pass_library pass_library_sanitizer;

struct pass_provider {
	const struct device *device;
	const struct pass_library *library; /* NULL: the device brings its own provider */
	/* How the provider knows what it is for, in the target's environment; NULL: need not. */
	struct {
		const char *name, *value;
	} variables[2]; /* those without a name are none */
};

union pass_value {
	bool flag;
	const char *text;
	uint64_t number;
};

/* An option of `vflow collect` that is a pass's; several passes may name the same row. */
struct pass_option {
	struct command_option option; /* its `value` is not used */
	uint64_t standard;            /* of a number or size: the default */
	/* The environment variable that the guest reads, set when the value is not the default. */
	const char *variable;
	const char *flag_value; /* of the variable, for a flag */
	/* Whether the value makes sense: 0, or -1 with a sentence that names the option.  NULL: all
	 * do. */
	int (*check)(const union pass_value *value, struct error *error);
};

/* --kernel: which kernels are looked at (collect/passes/flow.c). */
extern const struct pass_option pass_option_kernel;

struct pass {
	const char *name;  /* "flow": of --passes */
	const char *gives; /* for --help: what a profile gains by it */
	const char *none;  /* on devices without a provider: why; NULL: it goes without saying */
	enum pass_role role;
	/* Passes with the same word here share one run of the program; NULL: a run of its own. */
	const char *run;
	const char *needs; /* the name of a pass without which this one says nothing; or NULL */
	/*
	 * For `vflow collect --all`: runs of a lower order come first, and --budget takes a run for
	 * so many times the first one.  sampling: the option, a number N of which the pass then
	 * does an Nth only; NULL: it has none.
	 */
	unsigned order, cost;
	const struct pass_option *sampling;
	const struct pass_provider *providers;    /* ends with a row without a device */
	const struct pass_option *const *options; /* ends with NULL; NULL: none */
};

/*
 * Those of collect/passes/, ends with NULL.  In the order of their names, in which they run and
 * --help lists them: what is made of their traces does not depend on it.  A table has at most 32
 * rows.
 */
extern const struct pass *const collect_passes[];

/* The passes of a list "flow,time".  Returns 0 or -1. */
int pass_parse(const struct pass *const *table, const char *list, uint32_t *passes,
	       struct error *error);

/* "flow,time", in the order of the table; caller frees. */
char *pass_names(const struct pass *const *table, uint32_t passes);

/* Those of the passes that share the first run; 0: there is none left. */
uint32_t pass_next_run(const struct pass *const *table, uint32_t passes);
/* The same of the run of the lowest order. */
uint32_t pass_next_in_order(const struct pass *const *table, uint32_t passes);
/* How many times the first run a run is taken for: of its passes the most. */
unsigned pass_cost(const struct pass *const *table, uint32_t run);
/* The option of a pass of the run that makes it do less; NULL: none. */
const struct pass_option *pass_sampling(const struct pass *const *table, uint32_t run);

/*
 * All passes that can be made on the device, of several that make the graph the one that says most
 * (pass_graph_of); *missing: those whose provider was not built.
 */
uint32_t pass_all(const struct pass *const *table, const struct device *device,
		  const char *libraries, uint32_t *missing);

/* Whether one of them makes the graph. */
bool pass_makes_graph(const struct pass *const *table, uint32_t passes);
/* Of the passes that make the graph the one that costs, and says, most, as a set; 0: none does. */
uint32_t pass_graph_of(const struct pass *const *table, uint32_t passes);

/* NULL: the pass cannot be made on the device. */
const struct pass_provider *pass_provider(const struct pass *pass, const struct device *device);

/* The path of the library with the provider of a run; NULL: the device's own.  Caller frees. */
char *pass_library_path(const struct pass *const *table, uint32_t run, const struct device *device,
			const char *libraries);

/* Sets the variables of the run's providers; those of others are not set. */
void pass_providers_put(const struct pass *const *table, uint32_t run, const struct device *device,
			struct environment *environment);

/*
 * The device of the list (ends with NULL) on which the passes can be made here: the one of this
 * name, or the first for "auto".  *why: what keeps `auto` from those before it, NULL if nothing
 * does; caller frees.  NULL: none.
 */
const struct device *pass_device(const struct pass *const *table, uint32_t passes,
				 const struct device *const *list, const char *name,
				 const char *libraries, char **why, struct error *error);

#endif
