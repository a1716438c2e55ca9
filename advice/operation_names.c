/* advice/operation_names.c: see operation_names.h. */
#include "advice/operation_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cxx_name.h"
#include "util/memory.h"

enum { NAME_LIMIT = 200 }; /* bytes of a function's */

static void put_plain(FILE *out, const char *name)
{
	char *plain = cxx_plain_name(name ? name : "", NAME_LIMIT);

	fputs(plain, out);
	free(plain);
}

/* A frame without a function is known by its library alone: offsets change with each build. */
static void put_function(FILE *out, const struct profile_frame *frame)
{
	const char *slash = frame->module ? strrchr(frame->module, '/') : NULL;

	if (frame->function)
		put_plain(out, frame->function);
	else
		fputs(slash ? slash + 1 : frame->module ? frame->module : "?", out);
}

static struct operation_name name_of(const struct profile *profile, uint32_t v)
{
	const struct graph_vertex *vertex = &profile->graph->vertices[v];
	uint32_t count;
	const struct profile_frame **path = profile_own_path(profile, v, &count);
	struct operation_name name = {.vertex = v};
	size_t size;
	FILE *out = xopen_memstream(&name.name, &size);

	fprintf(out, "%s\n", vertex->kind ? vertex->kind : "");
	put_plain(out, vertex->name);
	for (uint32_t i = 0; i < count; i++) {
		fputc('\n', out);
		put_function(out, path[i]);
	}
	fclose(out);
	out = xopen_memstream(&name.place, &size);
	/* of one width, so that texts are in the order of the numbers */
	for (uint32_t i = count; i-- > 0;)
		fprintf(out, "%010" PRIu32 " ", path[i]->line);
	fclose(out);
	free(path);
	return name;
}

static int by_name(const void *a, const void *b)
{
	const struct operation_name *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	order = order ? order : strcmp(x->place, y->place);
	return order ? order : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

struct operation_names *operation_names_new(const struct profile *profile)
{
	const uint32_t count = profile->graph->vertex_count;
	struct operation_names *names = xcalloc(1, sizeof(*names));

	names->count = count;
	names->items = xcalloc((size_t)count + 1, sizeof(*names->items));
	names->of = xcalloc((size_t)count + 1, sizeof(*names->of));
	for (uint32_t v = 0; v < count; v++)
		names->items[v] = name_of(profile, v);
	qsort(names->items, count, sizeof(*names->items), by_name);
	for (uint32_t i = 0; i < count; i++)
		names->of[names->items[i].vertex] = i;
	return names;
}

void operation_names_free(struct operation_names *names)
{
	if (!names)
		return;
	for (uint32_t i = 0; i < names->count; i++) {
		free(names->items[i].name);
		free(names->items[i].place);
	}
	free(names->items);
	free(names->of);
	free(names);
}

static const struct operation_name *item_of(const struct operation_names *names,
					    const struct profile *profile, uint32_t id)
{
	uint32_t v = graph_find(profile->graph, id);

	return v == UINT32_MAX ? NULL : &names->items[names->of[v]];
}

const char *operation_names_of(const struct operation_names *names, const struct profile *profile,
			       uint32_t id)
{
	const struct operation_name *item = item_of(names, profile, id);

	return item ? item->name : "";
}

const char *operation_names_place(const struct operation_names *names,
				  const struct profile *profile, uint32_t id)
{
	const struct operation_name *item = item_of(names, profile, id);

	return item ? item->place : "";
}

char *operation_names_of_calls(const struct profile_api *api)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fprintf(out, "%s\n%s\n", api->kind, api->name);
	for (const char *at = api->place.callpath ? api->place.callpath : ""; *at; at++) {
		fputc(*at, out);
		if (*at == ':')
			at += strspn(at + 1, "0123456789");
	}
	fclose(out);
	return text;
}
