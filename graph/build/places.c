/* graph/build/places.c: see build/places.h. */
#include "graph/build/places.h"

#include "graph/profile/table.h"
#include "graph/symbols.h"
#include "util/memory.h"

static void describe_apis(struct profile *profile, struct merge *merge)
{
	for (uint32_t i = 0; i < profile->api_count; i++) {
		struct profile_api *api = &profile->apis[i];
		const char *name = merge_context_name(merge, api->context);

		api->kind = xstrdup(merge_context_kind(merge, api->context));
		api->name = symbols_demangle(name);
		api->place.function = name;
		api->place.frame = api->vertex == PROFILE_NO_VERTEX
					   ? merge_context_frame(merge, api->context)
					   : NO_FRAME;
	}
}

static void fill(const struct profile_table *table, size_t at, struct profile *profile,
		 struct callpaths *paths)
{
	for (uint32_t i = 0; i < table_count(table, profile); i++)
		callpaths_place(
			paths, (struct profile_place *)((char *)table_row(table, profile, i) + at));
}

void places_finish(struct profile *profile, struct merge *merge)
{
	describe_apis(profile, merge);
	for (uint32_t i = 0; i < profile->gpu_module_count; i++) {
		struct profile_gpu_module *module = &profile->gpu_modules[i];

		module->library = callpaths_library(merge_paths(merge), module->place.frame);
	}
	for (size_t t = 0; profile_tables[t]; t++)
		for (const struct profile_column *column = table_columns(profile_tables[t]);
		     column->name; column++)
			if (column->place)
				fill(profile_tables[t], column->at, profile, merge_paths(merge));
}
