/* gpu/sass/variables.c: see variables.h. */
#include "gpu/sass/variables.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/sass/cubin.h"

struct reader {
	const struct cubin *cubin;
	struct variable_names found;
};

static bool add(struct variable_names *variables, const char *name, bool constant)
{
	struct variable_name *names =
		reallocarray(variables->names, variables->count + 1, sizeof(*names));

	if (!names)
		return false;
	variables->names = names;
	names[variables->count] = (struct variable_name){strdup(name), constant};
	if (!names[variables->count].text)
		return false;
	variables->count++;
	variables->constants += constant;
	return true;
}

static bool note_variable(void *data, const struct cubin_symbol *symbol)
{
	struct reader *reader = data;
	const char *section;
	bool constant;

	if (symbol->type != STT_OBJECT || !symbol->size)
		return true;
	section = cubin_section(reader->cubin, symbol->section).name;
	constant = !strcmp(section, ".nv.constant3");
	if (!constant && strcmp(section, ".nv.global") && strcmp(section, ".nv.global.init"))
		return true;
	return add(&reader->found, symbol->name, constant);
}

struct variable_names variables_read(const void *image, size_t size)
{
	struct cubin cubin;
	struct reader reader = {.cubin = &cubin};

	if (image && cubin_open(&cubin, image, size))
		cubin_each_symbol(&cubin, note_variable, &reader);
	return reader.found;
}

void variables_free(struct variable_names *variables)
{
	for (uint32_t i = 0; i < variables->count; i++)
		free(variables->names[i].text);
	free(variables->names);
	*variables = (struct variable_names){0};
}
