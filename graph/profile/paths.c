/*
 * graph/profile/paths.c: where operations were called: tables module, frame and callpath.  In
 * memory each frame has its module's texts; in a file, frames share modules.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/profile/table.h"
#include "util/memory.h"
#include "util/text.h"

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The modules of the frames, of which there are few: for each its first frame.  Both are owned. */
struct modules {
	uint32_t *first, *of_frame; /* index of a frame; of a module */
	uint32_t count, capacity;
};

static struct modules find_modules(const struct profile *profile)
{
	const struct profile_frame *frames = profile->frames;
	struct modules modules = {.of_frame = xcalloc(profile->frame_count, sizeof(uint32_t))};

	for (uint32_t i = 0; i < profile->frame_count; i++) {
		uint32_t m = 0;

		while (m < modules.count &&
		       !(same(frames[modules.first[m]].module, frames[i].module) &&
			 same(frames[modules.first[m]].build_id, frames[i].build_id)))
			m++;
		if (m == modules.count) {
			ARRAY_RESERVE(modules.first, modules.count, modules.capacity);
			modules.first[modules.count++] = i;
		}
		modules.of_frame[i] = m;
	}
	return modules;
}

static void free_modules(struct modules *modules)
{
	free(modules->first);
	free(modules->of_frame);
}

/* -- modules -- */

static const struct profile_column module_columns[] = {
	KEY("id", ID),
	COLUMN(struct profile_module, path, TEXT),
	COLUMN(struct profile_module, build_id, TEXT, .nullable = true),
	{0},
};

static void write_modules(struct profile_writer *writer, const struct profile *profile)
{
	struct modules modules = find_modules(profile);

	for (uint32_t m = 0; m < modules.count; m++) {
		const struct profile_frame *frame = &profile->frames[modules.first[m]];
		struct profile_module module = {frame->module, frame->build_id};

		table_write_row(writer, &profile_table_module, &module,
				&(struct profile_keys){.id = m + UINT64_C(1)});
	}
	free_modules(&modules);
}

const struct profile_table profile_table_module = {
	.name = "module",
	.columns = module_columns,
	TABLE_ROWS(modules, module_count, module_capacity),
	.write = write_modules,
};

/* -- frames -- */

#define FRAME_COLUMN(member, TYPE, ...) COLUMN(struct profile_frame, member, TYPE, __VA_ARGS__)

static const struct profile_column frame_columns[] = {
	KEY("id", ID),
	KEY("module", FIRST, .of = &profile_table_module),
	FRAME_COLUMN(offset, COUNT),
	FRAME_COLUMN(function, TEXT, .nullable = true),
	FRAME_COLUMN(file, TEXT, .nullable = true),
	FRAME_COLUMN(line, 32),
	FRAME_COLUMN(inlined, FLAG),
	{0},
};

static void write_frames(struct profile_writer *writer, const struct profile *profile)
{
	struct modules modules = find_modules(profile);

	for (uint32_t i = 0; i < profile->frame_count; i++)
		table_write_row(writer, &profile_table_frame, &profile->frames[i],
				&(struct profile_keys){.id = i + UINT64_C(1),
						       .first = modules.of_frame[i] + UINT64_C(1)});
	free_modules(&modules);
}

static void *add_frame(struct profile_rows *rows, struct profile *profile,
		       const struct profile_keys *keys)
{
	const struct profile_module *module;
	struct profile_frame *frame;

	if (keys->id != rows->row || !keys->first || keys->first > profile->module_count)
		return NULL;
	module = &profile->modules[keys->first - 1];
	ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
	frame = &profile->frames[profile->frame_count++];
	*frame = (struct profile_frame){
		.module = xstrdup(module->path),
		.build_id = module->build_id ? xstrdup(module->build_id) : NULL,
	};
	return frame;
}

static bool frame_holds(const struct profile *profile, const void *row)
{
	const struct profile_frame *frame = row;

	(void)profile;
	return frame->module && text_is_clean(frame->module, strlen(frame->module)) &&
	       (!frame->build_id || text_is_clean(frame->build_id, strlen(frame->build_id)));
}

static void clear_frames(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->frame_count; i++) {
		free(profile->frames[i].module);
		free(profile->frames[i].build_id);
	}
}

const struct profile_table profile_table_frame = {
	.name = "frame",
	.columns = frame_columns,
	TABLE_ROWS(frames, frame_count, frame_capacity),
	.write = write_frames,
	.add = add_frame,
	.holds = frame_holds,
	.clear = clear_frames,
};

/* -- call paths: every vertex has one; those without frames have no rows -- */

/* Not in a file: how many there are follows from table vertex. */
static const struct profile_column no_columns[] = {{0}};
static const struct profile_table paths = {
	.columns = no_columns,
	TABLE_ROWS(callpaths, callpath_count, callpath_capacity),
};

static const struct profile_column path_columns[] = {
	KEY("id", FIRST),
	KEY("position", SECOND),
	{.name = "frame", .type = COLUMN_INDEX, .of = &profile_table_frame},
	{0},
};

static void clear_paths(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->callpath_count; i++)
		free(profile->callpaths[i].frames);
	free(profile->callpaths);
	profile->callpaths = NULL;
	profile->callpath_count = profile->callpath_capacity = 0;
}

const struct profile_table profile_table_callpath = {
	.name = "callpath",
	.columns = path_columns,
	TABLE_LIST(&paths, struct profile_callpath, frames, count),
	.clear = clear_paths,
	.views = "CREATE VIEW callpaths AS SELECT v.id AS vertex, c.position, f.function, f.file, "
		 "f.line, f.inlined, m.path AS module, f.offset FROM vertex v "
		 "JOIN callpath c ON c.id = v.callpath JOIN frame f ON f.id = c.frame "
		 "JOIN module m ON m.id = f.module ORDER BY v.id, c.position;",
};
