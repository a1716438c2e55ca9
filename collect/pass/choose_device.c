/* collect/pass/choose_device.c: on which device passes can be made, and why not on another. */
#include "collect/pass/pass.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/memory.h"

/* What keeps passes from being made on a device. */
struct obstacle {
	const struct pass *unsupported;     /* a pass that the device has no provider of */
	bool absent;                        /* this machine has no such device */
	const struct pass_library *missing; /* a provider that was not built */
};

static struct obstacle find_obstacle(const struct pass *const *table, uint32_t passes,
				     const struct device *device, const char *libraries)
{
	struct obstacle obstacle = {.absent = device->is_present && !device->is_present()};

	for (unsigned i = 0; table[i]; i++) {
		const struct pass_provider *provider = pass_provider(table[i], device);
		char *path;

		if (!(passes >> i & 1))
			continue;
		if (!provider && !obstacle.unsupported)
			obstacle.unsupported = table[i];
		if (!provider || !provider->library || obstacle.missing)
			continue;
		path = xasprintf("%s/%s", libraries, provider->library->name);
		if (access(path, R_OK) != 0)
			obstacle.missing = provider->library;
		free(path);
	}
	return obstacle;
}

static bool is_free(const struct obstacle *obstacle)
{
	return !obstacle->unsupported && !obstacle->absent && !obstacle->missing;
}

uint32_t pass_all(const struct pass *const *table, const struct device *device,
		  const char *libraries, uint32_t *missing)
{
	uint32_t passes = 0, makers = 0; /* makers: of the graph, of which there is one */

	*missing = 0;
	for (unsigned i = 0; table[i]; i++) {
		const uint32_t bit = UINT32_C(1) << i;

		makers |= table[i]->role == PASS_MAKES_GRAPH ? bit : 0;
		if (!pass_provider(table[i], device))
			continue;
		if (find_obstacle(table, bit, device, libraries).missing)
			*missing |= bit;
		else
			passes |= bit;
	}
	*missing &= ~makers | pass_graph_of(table, passes | *missing);
	return passes & (~makers | pass_graph_of(table, passes));
}

/* "use --device NAME" for another device on which the passes can be made; else "".  Caller frees.
 */
static char *alternative(const struct pass *const *table, uint32_t passes,
			 const struct device *const *list, const char *libraries)
{
	for (; *list; list++) {
		struct obstacle obstacle = find_obstacle(table, passes, *list, libraries);

		if (is_free(&obstacle))
			return xasprintf("use --device %s", (*list)->name);
	}
	return xstrdup("");
}

/* Why a device that the user named cannot be had. */
static void refuse(const struct device *device, const struct obstacle *obstacle,
		   const char *libraries, const char *alternative, struct error *error)
{
	if (obstacle->unsupported)
		error_set(error, "--device %s: the pass %s cannot be made %s%s%s%s%s", device->name,
			  obstacle->unsupported->name, device->where,
			  obstacle->unsupported->none ? ": " : "",
			  obstacle->unsupported->none ? obstacle->unsupported->none : "",
			  *alternative ? "; " : "", alternative);
	else if (obstacle->missing)
		error_set(error,
			  "--device %s: %s/%s is missing: install %s and build vflow again%s%s",
			  device->name, libraries, obstacle->missing->name,
			  obstacle->missing->install, *alternative ? ", or " : "", alternative);
	else
		error_set(error, "--device %s: %s%s%s", device->name, device->absent_by_name,
			  *alternative ? "; " : "", alternative);
}

/* Why `auto` takes another one.  Caller frees. */
static char *why_not(const struct device *device, const struct obstacle *obstacle)
{
	if (obstacle->absent)
		return xstrdup(device->absent);
	if (obstacle->unsupported)
		return xasprintf("the pass %s cannot be made %s%s%s", obstacle->unsupported->name,
				 device->where, obstacle->unsupported->none ? ": " : "",
				 obstacle->unsupported->none ? obstacle->unsupported->none : "");
	return xstrdup(device->unbuilt);
}

const struct device *pass_device(const struct pass *const *table, uint32_t passes,
				 const struct device *const *list, const char *name,
				 const char *libraries, char **why, struct error *error)
{
	const struct device *const *all = list;

	*why = NULL;
	for (; *list; list++) {
		struct obstacle obstacle;
		char *text, *longer;

		if (strcmp(name, "auto") != 0 && strcmp(name, (*list)->name) != 0)
			continue;
		obstacle = find_obstacle(table, passes, *list, libraries);
		if (is_free(&obstacle))
			return *list;
		if (!strcmp(name, (*list)->name)) {
			text = alternative(table, passes, all, libraries);
			refuse(*list, &obstacle, libraries, text, error);
			free(text);
			return NULL;
		}
		text = why_not(*list, &obstacle);
		longer = *why ? xasprintf("%s; %s", *why, text) : xstrdup(text);
		free(*why);
		*why = longer;
		free(text);
	}
	error_set(error, "no device can be had: %s", *why ? *why : "there is none");
	free(*why);
	*why = NULL;
	return NULL;
}
