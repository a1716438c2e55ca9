/* graph/build/apis.c: see build/apis.h. */
#include "graph/build/apis.h"

#include <stdlib.h>

#include "graph/symbols.h"
#include "util/memory.h"

void apis_finish(struct profile *profile, struct merge *merge)
{
	for (uint32_t i = 0; i < profile->api_count; i++) {
		struct profile_api *api = &profile->apis[i];
		const char *name = merge_context_name(merge, api->context);
		uint32_t frame = merge_context_frame(merge, api->context);

		api->kind = xstrdup(merge_context_kind(merge, api->context));
		api->name = symbols_demangle(name);
		if (api->vertex == PROFILE_NO_VERTEX)
			callpaths_place(merge_paths(merge), name, frame, &api->callpath, &api->file,
					&api->line);
	}
	for (uint32_t i = 0; i < profile->first_use_count; i++) {
		struct profile_first_use *use = &profile->first_uses[i];

		if (use->frame != NO_FRAME)
			callpaths_place(merge_paths(merge), "", use->frame, &use->callpath,
					&use->file, &use->line);
	}
	for (uint32_t i = 0; i < profile->overwrite_count; i++) {
		struct profile_overwrite *overwrite = &profile->overwrites[i];

		if (overwrite->frame != NO_FRAME)
			callpaths_place(merge_paths(merge), "", overwrite->frame,
					&overwrite->callpath, &overwrite->file, &overwrite->line);
	}
	for (uint32_t i = 0; i < profile->pool_site_count; i++) {
		struct profile_pool_site *site = &profile->pool_sites[i];

		if (site->frame != NO_FRAME)
			callpaths_place(merge_paths(merge), "", site->frame, &site->callpath,
					&site->file, &site->line);
	}
	for (uint32_t i = 0; i < profile->gpu_module_count; i++) {
		struct profile_gpu_module *module = &profile->gpu_modules[i];

		if (module->frame == NO_FRAME)
			continue;
		module->library = callpaths_library(merge_paths(merge), module->frame);
		callpaths_place(merge_paths(merge), "", module->frame, &module->callpath,
				&module->file, &module->line);
	}
	for (uint32_t i = 0; i < profile->gpu_function_count; i++) {
		char *mangled = profile->gpu_functions[i].name;

		profile->gpu_functions[i].name = symbols_demangle(mangled);
		free(mangled);
	}
}
