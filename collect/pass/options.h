/*
 * collect/pass/options.h: the options of passes, on the command line and in the environment of the
 * target.
 */
#ifndef VFLOW_COLLECT_PASS_OPTIONS_H
#define VFLOW_COLLECT_PASS_OPTIONS_H

#include "collect/environment.h"
#include "collect/pass/pass.h"

struct pass_setting {
	const struct pass_option *option;
	union pass_value value;
};

/* The options of all passes in the table, each once, with their defaults; the caller frees. */
struct pass_setting *pass_settings(const struct pass *const *table, uint32_t *count);

/* The row that parses an option into its setting, which must stay where it is. */
struct command_option pass_setting_row(struct pass_setting *setting);

/*
 * Whether the values make sense, and belong to one of the passes where they are not the default.
 * Returns 0 or -1.
 */
int pass_settings_check(const struct pass *const *table, uint32_t passes,
			const struct pass_setting *settings, uint32_t count, struct error *error);

/* Sets the variables of all options; those that are not of the run are as by default. */
void pass_settings_put(const struct pass *const *table, uint32_t run,
		       const struct pass_setting *settings, uint32_t count,
		       struct environment *environment);

#endif
