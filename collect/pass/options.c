#include "collect/pass/options.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/memory.h"

static bool has_option(const struct pass *pass, const struct pass_option *option)
{
	for (const struct pass_option *const *own = pass->options; own && *own; own++)
		if (*own == option)
			return true;
	return false;
}

static bool is_known(const struct pass_setting *settings, uint32_t count,
		     const struct pass_option *option)
{
	for (uint32_t i = 0; i < count; i++)
		if (settings[i].option == option)
			return true;
	return false;
}

struct pass_setting *pass_settings(const struct pass *const *table, uint32_t *count)
{
	struct pass_setting *settings = NULL;
	uint32_t capacity = 0;

	*count = 0;
	for (unsigned i = 0; table[i]; i++)
		for (const struct pass_option *const *option = table[i]->options; option && *option;
		     option++) {
			struct pass_setting setting = {.option = *option};

			if (is_known(settings, *count, *option))
				continue;
			if ((*option)->option.kind == OPTION_NUMBER ||
			    (*option)->option.kind == OPTION_SIZE)
				setting.value.number = (*option)->standard;
			ARRAY_RESERVE(settings, *count, capacity);
			settings[(*count)++] = setting;
		}
	return settings;
}

struct command_option pass_setting_row(struct pass_setting *setting)
{
	struct command_option row = setting->option->option;

	row.value = &setting->value;
	return row;
}

/* The text of the variable; NULL: the value is the default.  `number` has room for one. */
static const char *text_of(const struct pass_setting *setting, char number[24])
{
	switch (setting->option->option.kind) {
	case OPTION_FLAG:
		return setting->value.flag ? setting->option->flag_value : NULL;
	case OPTION_TEXT:
		return setting->value.text;
	default:
		if (setting->value.number == setting->option->standard)
			return NULL;
		snprintf(number, 24, "%llu", (unsigned long long)setting->value.number);
		return number;
	}
}

/* A pass of the set that has the option; NULL: none. */
static const struct pass *owner_of(const struct pass *const *table, uint32_t passes,
				   const struct pass_option *option)
{
	for (unsigned i = 0; table[i]; i++)
		if ((passes >> i & 1) && has_option(table[i], option))
			return table[i];
	return NULL;
}

int pass_settings_check(const struct pass *const *table, uint32_t passes,
			const struct pass_setting *settings, uint32_t count, struct error *error)
{
	char number[24];

	for (uint32_t i = 0; i < count; i++) {
		const struct pass_option *option = settings[i].option;

		if (option->check && option->check(&settings[i].value, error) != 0)
			return -1;
		if (text_of(&settings[i], number) && !owner_of(table, passes, option))
			return error_set(error,
					 "--%s is an option of the pass %s, which --passes leaves "
					 "out",
					 option->option.name,
					 owner_of(table, UINT32_MAX, option)->name);
	}
	return 0;
}

void pass_settings_put(const struct pass *const *table, uint32_t run,
		       const struct pass_setting *settings, uint32_t count,
		       struct environment *environment)
{
	char number[24];

	for (uint32_t i = 0; i < count; i++) {
		const struct pass_option *option = settings[i].option;

		environment_set(environment, option->variable,
				owner_of(table, run, option) ? text_of(&settings[i], number)
							     : NULL);
	}
}
