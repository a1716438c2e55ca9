/* graph/build/callpaths.c: see build/callpaths.h. */
#include "graph/build/callpaths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/frames.h"
#include "graph/context_hash.h"
#include "graph/profile/file.h"
#include "graph/symbols.h"
#include "util/memory.h"
#include "util/text.h"

/*
 * Frames are shared by the paths of a trace, but not in a profile: vertices times depth.  Paths
 * after this many bytes (FRAME_BYTES for a frame, and the text) are short ones.
 */
#define PATH_BYTES (UINT64_C(32) << 20)
#define FRAME_BYTES 16
#define SHORT_PATH 16   /* frames */
#define SHORT_TEXT 1024 /* bytes, but for the last frame */
#define DEEP_PATH 256   /* frames in which a short path looks for some of the program's own */

#define RUNTIME_FRAMES 16 /* at most, of a CUDA runtime that is linked in */

/* In place of modules, in frames that stand for no place in one. */
#define MODULE_PYTHON (UINT32_MAX - 2) /* `offset` is a number of callpaths_python() */
#define MODULE_REPLAY (UINT32_MAX - 1) /* TRACE_FRAME_REPLAY */
#define MODULE_ORDINAL UINT32_MAX      /* innermost: `offset` is a graph's node's ordinal, not 0 */

struct module {
	char *identity; /* build id in hex, else base name: the key */
	char *path;
	char *build_id; /* NULL: none */
	uint32_t index;
	UT_hash_handle hh;
};

struct frame_key {
	uint32_t parent, module;
	uint64_t offset;
};

struct frame {
	struct frame_key key;
	uint32_t index;
	bool of_node;                             /* inside of a replay */
	unsigned char digest[CONTEXT_HASH_FRAME]; /* of the path down to here */
	UT_hash_handle hh;
};

struct replay { /* how the profile shows MODULE_REPLAY */
	uint64_t ordinal;
	uint32_t frame; /* index into profile->frames */
	UT_hash_handle hh;
};

struct python { /* a line of Python's; key: the identity */
	char *identity;
	uint32_t index, line, frame; /* frame: index into profile->frames */
	UT_hash_handle hh;
};

struct callpaths {
	struct profile *profile;
	struct symbols *symbols;
	struct module *modules, **module_list;
	struct frame *frames, **frame_list;
	struct replay *replays;
	struct python *python, **python_list;
	uint32_t python_count, python_capacity;
	struct context_hash *hash;
	uint32_t module_count, module_capacity;
	uint32_t frame_count, frame_capacity;
	uint64_t path_bytes;
};

struct callpaths *callpaths_new(struct profile *profile)
{
	struct callpaths *paths = xcalloc(1, sizeof(*paths));

	paths->profile = profile;
	paths->hash = context_hash_new();
	paths->symbols = symbols_new(profile);
	return paths;
}

void callpaths_free(struct callpaths *paths)
{
	struct replay *replay, *next;

	HASH_ITER(hh, paths->replays, replay, next)
	{
		HASH_DEL(paths->replays, replay);
		free(replay);
	}
	HASH_CLEAR(hh, paths->python);
	for (uint32_t i = 0; i < paths->python_count; i++) {
		free(paths->python_list[i]->identity);
		free(paths->python_list[i]);
	}
	free(paths->python_list);
	HASH_CLEAR(hh, paths->modules);
	HASH_CLEAR(hh, paths->frames);
	for (uint32_t i = 0; i < paths->module_count; i++) {
		free(paths->module_list[i]->identity);
		free(paths->module_list[i]->path);
		free(paths->module_list[i]->build_id);
		free(paths->module_list[i]);
	}
	for (uint32_t i = 0; i < paths->frame_count; i++)
		free(paths->frame_list[i]);
	free(paths->module_list);
	free(paths->frame_list);
	context_hash_free(paths->hash);
	symbols_free(paths->symbols);
	free(paths);
}

/* -- modules and frames -- */

uint32_t callpaths_module(struct callpaths *paths, const char *path, const uint8_t *build_id,
			  uint32_t build_id_size)
{
	const char *slash = strrchr(path, '/');
	char *identity, *hex = NULL;
	struct module *module;

	if (build_id_size) {
		hex = xmalloc(2 * (size_t)build_id_size + 1);
		for (uint32_t i = 0; i < build_id_size; i++)
			snprintf(hex + 2 * (size_t)i, 3, "%02x", build_id[i]);
		identity = xasprintf("id:%s", hex);
	} else {
		/* longer names are of no file; all frames hash it */
		identity = xasprintf("name:%.*s", NAME_MAX, slash ? slash + 1 : path);
	}
	HASH_FIND_STR(paths->modules, identity, module);
	if (module) {
		free(identity);
		free(hex);
		return module->index;
	}
	module = xcalloc(1, sizeof(*module));
	*module = (struct module){.identity = identity,
				  .path = xstrdup(path),
				  .build_id = hex,
				  .index = paths->module_count};
	ARRAY_RESERVE(paths->module_list, paths->module_count, paths->module_capacity);
	paths->module_list[paths->module_count++] = module;
	HASH_ADD_KEYPTR(hh, paths->modules, module->identity, strlen(module->identity), module);
	return module->index;
}

static const unsigned char *digest_of(const struct callpaths *paths, uint32_t frame)
{
	return frame == NO_FRAME ? NULL : paths->frame_list[frame]->digest;
}

static bool is_place(const struct frame_key *key)
{
	return key->module < MODULE_PYTHON;
}

/* What hashes of paths know the frame by. */
static const char *identity_of(const struct callpaths *paths, const struct frame_key *key)
{
	if (key->module == MODULE_PYTHON)
		return paths->python_list[key->offset]->identity;
	if (key->module == MODULE_REPLAY)
		return "replay";
	return key->module == MODULE_ORDINAL ? "ordinal"
					     : paths->module_list[key->module]->identity;
}

uint32_t callpaths_frame(struct callpaths *paths, uint32_t parent, uint32_t module, uint64_t offset)
{
	struct frame_key key = {.parent = parent, .module = module, .offset = offset};
	struct frame *frame;

	HASH_FIND(hh, paths->frames, &key, sizeof(key), frame);
	if (frame)
		return frame->index;
	frame = xcalloc(1, sizeof(*frame));
	frame->key = key;
	frame->index = paths->frame_count;
	ARRAY_RESERVE(paths->frame_list, paths->frame_count, paths->frame_capacity);
	paths->frame_list[paths->frame_count++] = frame;
	frame->of_node = module == MODULE_REPLAY ||
			 (parent != NO_FRAME && paths->frame_list[parent]->of_node);
	context_hash_frame(paths->hash, identity_of(paths, &key),
			   module == MODULE_PYTHON ? paths->python_list[offset]->line : offset,
			   digest_of(paths, parent), frame->digest);
	HASH_ADD(hh, paths->frames, key, sizeof(frame->key), frame);
	return frame->index;
}

uint32_t callpaths_python(struct callpaths *paths, const char *file, const char *function,
			  uint32_t line)
{
	struct profile *profile = paths->profile;
	char *clean_file = text_clean(file, strlen(file), PATH_MAX);
	char *clean_function = text_clean(function, strlen(function), PATH_MAX);
	char *identity = xasprintf("python:%u:%s\n%s", line, clean_file, clean_function);
	struct python *python;

	HASH_FIND_STR(paths->python, identity, python);
	if (python) {
		free(identity);
		free(clean_file);
		free(clean_function);
		return python->index;
	}
	ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
	profile->frames[profile->frame_count] =
		(struct profile_frame){.function = clean_function,
				       .file = clean_file,
				       .line = line,
				       .module = xstrdup(PROFILE_PYTHON_MODULE)};
	python = xcalloc(1, sizeof(*python));
	*python = (struct python){.identity = identity,
				  .index = paths->python_count,
				  .line = line,
				  .frame = profile->frame_count++};
	ARRAY_RESERVE(paths->python_list, paths->python_count, paths->python_capacity);
	paths->python_list[paths->python_count++] = python;
	HASH_ADD_KEYPTR(hh, paths->python, python->identity, strlen(python->identity), python);
	return python->index;
}

uint32_t callpaths_python_frame(struct callpaths *paths, uint32_t parent, uint32_t python)
{
	return callpaths_frame(paths, parent, MODULE_PYTHON, python);
}

static struct symbols_module *symbols_of(const struct callpaths *paths, uint32_t module)
{
	return symbols_module(paths->symbols, paths->module_list[module]->path,
			      paths->module_list[module]->build_id);
}

/*
 * The path without the frames of a statically linked CUDA runtime, which end with the function that
 * the program called: what it does inside is not the program's, and not the same each time.
 */
static uint32_t without_runtime(const struct callpaths *paths, enum trace_kind kind,
				const char *call, uint32_t innermost)
{
	bool of_node = callpaths_is_of_node(paths, innermost);
	uint32_t frame = innermost;

	for (unsigned i = 0; i < RUNTIME_FRAMES && frame != NO_FRAME; i++) {
		const struct frame_key *key = &paths->frame_list[frame]->key;
		const char *name;

		if (!is_place(key) || key->module != paths->frame_list[innermost]->key.module)
			break;
		name = symbols_name(symbols_of(paths, key->module), key->offset);
		if (name && (of_node ? frames_add_node(name)
				     : frames_are_called(name, kind == TRACE_KERNEL, call)))
			return key->parent == NO_FRAME ? innermost : key->parent;
		frame = key->parent;
	}
	return innermost;
}

bool callpaths_is_of_node(const struct callpaths *paths, uint32_t frame)
{
	return frame != NO_FRAME && paths->frame_list[frame]->of_node;
}

uint32_t callpaths_replay(struct callpaths *paths, uint32_t parent)
{
	parent = without_runtime(paths, TRACE_COPY, "cudaGraphLaunch", parent);
	return callpaths_frame(paths, parent, MODULE_REPLAY, 0);
}

uint32_t callpaths_innermost(struct callpaths *paths, enum trace_kind kind, const char *call,
			     uint32_t frame, uint32_t ordinal)
{
	frame = without_runtime(paths, kind, call, frame);
	return ordinal ? callpaths_frame(paths, frame, MODULE_ORDINAL, ordinal) : frame;
}

char *callpaths_context(const struct callpaths *paths, const char *kind, const char *name,
			uint32_t frame)
{
	return context_hash_hex(paths->hash, kind, name, digest_of(paths, frame));
}

/* -- what the profile shows -- */

/*
 * The frame that stands for the launch of a graph, as people read paths: "main a.cu:24 <
 * [replayed#2] < main a.cu:34", the second of equal nodes.
 */
static uint32_t replay_frame(struct callpaths *paths, uint64_t ordinal)
{
	struct profile *profile = paths->profile;
	struct replay *replay;

	HASH_FIND(hh, paths->replays, &ordinal, sizeof(ordinal), replay);
	if (replay)
		return replay->frame;
	ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
	profile->frames[profile->frame_count] = (struct profile_frame){
		.function = ordinal ? xasprintf("[replayed#%llu]", (unsigned long long)ordinal + 1)
				    : xstrdup("[replayed]"),
		.module = xstrdup(PROFILE_GRAPH_MODULE),
		.offset = ordinal};
	replay = xcalloc(1, sizeof(*replay));
	*replay = (struct replay){.ordinal = ordinal, .frame = profile->frame_count++};
	HASH_ADD(hh, paths->replays, ordinal, sizeof(replay->ordinal), replay);
	return replay->frame;
}

/*
 * Adds the frames that the profile shows for this one, innermost first.  *ordinal: of the node
 * whose path it is, as far as it is known.
 */
static void add_frames(struct callpaths *paths, const struct frame_key *key, uint64_t *ordinal,
		       struct profile_callpath *path, uint32_t *capacity)
{
	uint32_t replay, count = 1;
	const uint32_t *frames = &replay;

	if (key->module == MODULE_ORDINAL) {
		*ordinal = key->offset;
		return;
	}
	if (key->module == MODULE_REPLAY)
		replay = replay_frame(paths, *ordinal);
	else if (key->module == MODULE_PYTHON)
		replay = paths->python_list[key->offset]->frame;
	else
		count = symbols_at(paths->symbols, symbols_of(paths, key->module), key->offset,
				   &frames);
	for (uint32_t i = 0; i < count; i++) {
		ARRAY_RESERVE(path->frames, path->count, *capacity);
		path->frames[path->count++] = frames[i];
	}
}

/* Adds the frames from this one outwards, all or only so many.  Returns the first left out. */
static uint32_t add_path(struct callpaths *paths, uint32_t frame, bool whole,
			 struct profile_callpath *path)
{
	uint32_t capacity = 0;
	uint64_t ordinal = 0;

	for (; frame != NO_FRAME && (whole || path->count < SHORT_PATH);
	     frame = paths->frame_list[frame]->key.parent)
		add_frames(paths, &paths->frame_list[frame]->key, &ordinal, path, &capacity);
	return frame;
}

/* Without those of nvcc, which launch the kernel. */
static void drop_launch(const struct profile *profile, struct profile_callpath *path,
			const char *kernel)
{
	uint32_t drop = frames_of_launch(profile, path, kernel);

	path->count -= drop;
	memmove(path->frames, path->frames + drop, path->count * sizeof(*path->frames));
}

/* Adds the frames from this one outwards until enough are the program's own: Thrust is dozens deep.
 */
static void add_place(struct callpaths *paths, uint32_t frame, struct profile_callpath *path)
{
	uint32_t capacity = 0, shown = 0, seen = 0;
	uint64_t ordinal = 0;

	while (frame != NO_FRAME && shown < SHORT_PATH && path->count < DEEP_PATH) {
		add_frames(paths, &paths->frame_list[frame]->key, &ordinal, path, &capacity);
		for (; seen < path->count; seen++)
			shown +=
				profile_frame_is_shown(&paths->profile->frames[path->frames[seen]]);
		frame = paths->frame_list[frame]->key.parent;
	}
}

/* The innermost frames of the program's own as text; layers of libraries only with what is not. */
static char *place_text(const struct profile *profile, const struct profile_callpath *path)
{
	const struct profile_frame **frames;
	bool shown = false;
	uint32_t count;
	char *text;

	frames = profile_own_frames(profile, path, &count);
	for (uint32_t i = 0; i < count && i < SHORT_PATH; i++)
		shown |= profile_frame_is_shown(frames[i]);
	if (!shown) {
		free(frames);
		frames = profile_shown_frames(profile, path, &count);
	}
	text = profile_frames_text(frames, count < SHORT_PATH ? count : SHORT_PATH);
	free(frames);
	return text;
}

void callpaths_place(struct callpaths *paths, struct profile_place *place)
{
	const char *function = place->function ? place->function : "";
	uint32_t frame = without_runtime(paths, TRACE_COPY, function, place->frame), count;
	const struct profile *profile = paths->profile;
	struct profile_callpath path = {0};
	const struct profile_frame **frames;

	add_place(paths, frame, &path);
	place->frame = NO_FRAME;
	if (!path.count)
		return;
	drop_launch(profile, &path, "");
	place->callpath = place_text(profile, &path);
	frames = profile_shown_frames(profile, &path, &count);
	for (uint32_t i = 0; i < count && !place->line; i++) {
		if (!frames[i]->file || !frames[i]->line)
			continue;
		place->file = xstrdup(frames[i]->file);
		place->line = frames[i]->line;
	}
	free(frames);
	free(path.frames);
}

/* The frames of the path, inlined ones too; the program's own joined as the vertex's callpath. */
void callpaths_set(struct callpaths *paths, uint32_t vertex, uint32_t frame)
{
	struct profile *profile = paths->profile;
	struct profile_callpath *path = &profile->callpaths[vertex];
	const struct profile_frame **own;
	uint32_t count, printed = 0;
	bool whole = paths->path_bytes < PATH_BYTES;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	frame = add_path(paths, frame, whole, path);
	if (!path->count)
		return;
	drop_launch(profile, path, profile->graph->vertices[vertex].name);
	out = open_memstream(&text, &size);
	if (!out)
		abort(); /* out of memory */
	own = profile_own_frames(profile, path, &count);
	for (; printed < count && (whole || ftell(out) < SHORT_TEXT); printed++) {
		char *part = profile_frame_text(own[printed]);

		fprintf(out, "%s%s", printed ? " < " : "", part);
		free(part);
	}
	free(own);
	fclose(out);
	if (frame != NO_FRAME || printed < count)
		profile_add_coverage(profile, COVERAGE_PATHS_TOO_MANY, NULL, 1, 0);
	paths->path_bytes += FRAME_BYTES * (uint64_t)path->count + size;
	/* the base name of a path is clean when the path is */
	profile->graph->vertices[vertex].callpath = text;
	profile->graph->vertices[vertex].fields |= VERTEX_CALLPATH;
}

char *callpaths_library(const struct callpaths *paths, uint32_t frame)
{
	for (; frame != NO_FRAME; frame = paths->frame_list[frame]->key.parent) {
		uint32_t module = paths->frame_list[frame]->key.module;
		const char *path = module < MODULE_PYTHON ? paths->module_list[module]->path : NULL;

		if (path)
			return text_clean(path, strlen(path), PATH_MAX);
	}
	return NULL;
}
