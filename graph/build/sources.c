/* graph/build/sources.c: see build/sources.h. */
#include "graph/build/sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/trace.h"
#include "graph/build/coverage.h"
#include "util/memory.h"

static int by_start(const void *left, const void *right)
{
	const struct build_source *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

static int is_trace(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name), suffix = strlen(TRACE_SUFFIX);

	return length > suffix && !strcmp(entry->d_name + length - suffix, TRACE_SUFFIX);
}

int build_find_sources(const char *folder, struct profile *profile, const char *passes,
		       struct build_source **sources, uint32_t *count, struct error *error)
{
	uint32_t capacity = 0;
	struct dirent **entries;
	/* sorted: the same traces give the same coverage */
	int entry_count = scandir(folder, &entries, is_trace, alphasort);

	*sources = NULL;
	*count = 0;
	if (entry_count < 0)
		return error_set(error, "cannot read the folder %s: %s", folder, strerror(errno));
	for (int i = 0; i < entry_count; i++) {
		char *path = xasprintf("%s/%s", folder, entries[i]->d_name);
		struct error reason;
		struct trace_reader *reader = trace_open(path, &reason);

		free(entries[i]);
		if (!reader) {
			coverage_damaged(profile, passes, &reason);
			free(path);
			continue;
		}
		ARRAY_RESERVE(*sources, *count, capacity);
		(*sources)[(*count)++] = (struct build_source){
			.path = path, .start_ns = trace_reader_header(reader)->start_ns};
		trace_reader_close(reader);
	}
	free(entries);
	if (*count)
		qsort(*sources, *count, sizeof(**sources), by_start);
	return 0;
}

void build_free_sources(struct build_source *sources, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(sources[i].path);
	free(sources);
}
