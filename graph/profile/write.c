/* graph/profile/write.c: a profile into a new SQLite file. */
#include "graph/profile/graph.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command.h"
#include "util/memory.h"

static void write_run(struct profile_writer *writer, const struct profile *profile)
{
	char events[65], checksum[65];

	profile_digest_events(profile, events);
	profile_digest(profile, events, checksum);
	writer_start(writer, "run", 8);
	writer_number(writer, 1);
	writer_text(writer, VFLOW_VERSION);
	writer_text(writer, profile->command);
	writer_number(writer, profile->date);
	writer_number(writer, profile->event_count);
	writer_double(writer, profile->redundancy_threshold);
	writer_text(writer, events);
	writer_text(writer, checksum);
	writer_end_row(writer);
}

static void write_processes(struct profile_writer *writer, const struct profile *profile)
{
	writer_start(writer, "process", 8);
	for (uint32_t i = 0; i < profile->process_count; i++) {
		const struct profile_process *process = &profile->processes[i];

		writer_number(writer, i + UINT64_C(1));
		writer_number(writer, process->pid);
		writer_number(writer, process->parent);
		writer_text(writer, process->executable);
		writer_text(writer, process->arguments);
		writer_text(writer, process->provider);
		writer_text(writer, process->device);
		writer_number(writer, process->ended);
		writer_end_row(writer);
	}
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Frames share modules; there are few. */
static void write_frames(struct profile_writer *writer, const struct profile *profile)
{
	uint32_t *module_of = xcalloc(profile->frame_count, sizeof(*module_of));
	uint32_t *first = NULL, count = 0, capacity = 0;

	writer_start(writer, "module", 3);
	for (uint32_t i = 0; i < profile->frame_count; i++) {
		const struct profile_frame *frame = &profile->frames[i];
		uint32_t m = 0;

		while (m < count && !(same(profile->frames[first[m]].module, frame->module) &&
				      same(profile->frames[first[m]].build_id, frame->build_id)))
			m++;
		if (m == count) {
			ARRAY_RESERVE(first, count, capacity);
			first[count++] = i;
			writer_number(writer, count);
			writer_text(writer, frame->module);
			writer_text(writer, frame->build_id);
			writer_end_row(writer);
		}
		module_of[i] = m + 1;
	}
	writer_start(writer, "frame", 7);
	for (uint32_t i = 0; i < profile->frame_count; i++) {
		const struct profile_frame *frame = &profile->frames[i];

		writer_number(writer, i + UINT64_C(1));
		writer_number(writer, module_of[i]);
		writer_number(writer, frame->offset);
		writer_text(writer, frame->function);
		writer_text(writer, frame->file);
		writer_number(writer, frame->line);
		writer_number(writer, frame->inlined);
		writer_end_row(writer);
	}
	free(first);
	free(module_of);
	writer_start(writer, "callpath", 3);
	for (uint32_t i = 0; i < profile->callpath_count; i++)
		for (uint32_t j = 0; j < profile->callpaths[i].count; j++) {
			writer_number(writer, i + UINT64_C(1));
			writer_number(writer, j);
			writer_number(writer, profile->callpaths[i].frames[j] + UINT64_C(1));
			writer_end_row(writer);
		}
}

static void write_objects(struct profile_writer *writer, const struct profile *profile)
{
	writer_start(writer, "object", 9);
	for (uint32_t i = 0; i < profile->object_count; i++) {
		const struct profile_object *object = &profile->objects[i];

		writer_number(writer, i + UINT64_C(1));
		writer_number(writer, object->site);
		writer_number(writer, object->process + UINT64_C(1));
		writer_number(writer, object->size);
		writer_number(writer, object->address);
		writer_number(writer, object->memory);
		writer_text(writer, object->name);
		writer_number(writer, object->start_ns);
		writer_number(writer, object->end_ns);
		writer_end_row(writer);
	}
}

static void write_events(struct profile_writer *writer, const struct profile *profile)
{
	writer_start(writer, "event", 10);
	for (uint32_t i = 0; i < profile->event_rows; i++) {
		const struct profile_event *event = &profile->events[i];

		writer_number(writer, i + UINT64_C(1));
		if (event->vertex == PROFILE_NO_VERTEX)
			writer_null(writer);
		else
			writer_number(writer, event->vertex);
		writer_text(writer, event->name);
		writer_number(writer, event->process + UINT64_C(1));
		writer_number(writer, event->thread);
		writer_number(writer, event->device);
		writer_number(writer, event->stream);
		writer_number(writer, event->invocation);
		writer_number(writer, event->start_ns);
		writer_number(writer, event->end_ns);
		writer_end_row(writer);
	}
	writer_start(writer, "access", 7);
	for (uint32_t i = 0; i < profile->event_rows; i++)
		for (uint32_t k = 0; k < profile->events[i].access_count; k++) {
			uint32_t index = profile->events[i].first_access + k;
			const struct profile_access *access = &profile->accesses[index];

			writer_number(writer, index + UINT64_C(1));
			writer_number(writer, i + UINT64_C(1));
			writer_number(writer, access->object + UINT64_C(1));
			writer_number(writer, access->access);
			writer_number(writer, access->writer);
			writer_number(writer, access->bytes);
			if (access->access == GRAPH_WRITE)
				writer_number(writer, access->redundant_bytes);
			else
				writer_null(writer);
			writer_end_row(writer);
		}
}

static void write_duplicates(struct profile_writer *writer, const struct profile *profile)
{
	writer_start(writer, "duplicate", 5);
	for (uint32_t i = 0; i < profile->duplicate_count; i++) {
		const struct profile_duplicate *duplicate = &profile->duplicates[i];

		writer_number(writer, i + UINT64_C(1));
		writer_number(writer, duplicate->bytes);
		writer_number(writer, duplicate->occurrences);
		writer_number(writer, duplicate->events);
		writer_number(writer, duplicate->zero);
		writer_end_row(writer);
	}
	writer_start(writer, "duplicate_member", 5);
	for (uint32_t i = 0; i < profile->duplicate_count; i++)
		for (uint32_t j = 0; j < profile->duplicates[i].member_count; j++) {
			const struct profile_duplicate_member *member =
				&profile->duplicates[i].members[j];

			writer_number(writer, i + UINT64_C(1));
			writer_number(writer, j);
			writer_number(writer, member->site);
			writer_number(writer, member->cause);
			writer_number(writer, member->objects);
			writer_end_row(writer);
		}
}

static void write_findings(struct profile_writer *writer, const struct profile *profile)
{
	writer_start(writer, "finding", 10);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];

		writer_number(writer, i + UINT64_C(1));
		writer_text(writer, finding->pattern);
		writer_number(writer, finding->vertex);
		writer_number(writer, finding->object);
		writer_number(writer, finding->access);
		writer_number(writer, finding->bytes);
		writer_double(writer, finding->fraction);
		writer_text(writer, finding->evidence);
		writer_text(writer, finding->advice);
		writer_text(writer, finding->limits);
		writer_end_row(writer);
	}
	writer_start(writer, "finding_other", 3);
	for (uint32_t i = 0; i < profile->finding_count; i++)
		for (uint32_t j = 0; j < profile->findings[i].other_count; j++) {
			writer_number(writer, i + UINT64_C(1));
			writer_number(writer, j);
			writer_number(writer, profile->findings[i].others[j]);
			writer_end_row(writer);
		}
}

static void write_coverage(struct profile_writer *writer, const struct profile *profile)
{
	writer_start(writer, "coverage", 5);
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		const struct profile_coverage *row = &profile->coverage[i];

		writer_number(writer, i + UINT64_C(1));
		writer_text(writer, row->what);
		writer_text(writer, row->reason);
		writer_number(writer, row->count);
		writer_number(writer, row->bytes);
		writer_end_row(writer);
	}
}

static void write_all(struct profile_writer *writer, const struct profile *profile)
{
	char pragmas[200];

	/*
	 * The file is new: when it fails it goes as a whole, so nothing is needed to roll back.
	 * References were checked; SQLite would take twice the time to do it again.
	 */
	snprintf(pragmas, sizeof(pragmas),
		 "PRAGMA page_size = 1024; PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL;"
		 "PRAGMA foreign_keys = OFF; PRAGMA application_id = %d; PRAGMA user_version = %d",
		 PROFILE_APPLICATION_ID, PROFILE_USER_VERSION);
	writer_execute(writer, pragmas);
	writer_execute(writer, "BEGIN");
	for (const struct profile_table *table = profile_tables; table->name; table++)
		writer_execute(writer, profile_table_sql(table));
	writer_execute(writer, profile_graph_views());
	writer_execute(writer, profile_views);
	write_run(writer, profile);
	write_processes(writer, profile);
	write_frames(writer, profile);
	profile_write_graph(writer, profile);
	write_objects(writer, profile);
	write_events(writer, profile);
	write_duplicates(writer, profile);
	write_findings(writer, profile);
	write_coverage(writer, profile);
	writer_finish(writer);
	writer_execute(writer, "COMMIT");
}

/* The file's name must survive a crash as well. */
static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? xstrndup(path, (size_t)(slash - path + 1)) : xstrdup(".");
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd); /* not every file system can: the content is safe already */
		close(fd);
	}
	free(folder);
}

static int write_file(const struct profile *profile, const char *path, int *room,
		      struct error *error)
{
	struct profile_writer writer = {.error = error};
	char *name; /* a path that SQLite does not take for a URI or an option */
	int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);

	*room = 0;
	if (fd < 0)
		return error_set(error, "%s", strerror(errno));
	close(fd);
	name = xasprintf("%s%s", path[0] == '/' ? "" : "./", path);
	if (sqlite3_open_v2(name, &writer.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		writer_fail(&writer);
	write_all(&writer, profile);
	writer_finish(&writer);
	*room = writer.room;
	if (sqlite3_close(writer.db) != SQLITE_OK)
		writer_fail(&writer);
	free(name);
	if (!writer.failed)
		return 0;
	unlink(path);
	return -1;
}

/* The events are most of the file, and the least of it to miss. */
static int write_without_events(const struct profile *profile, const char *path, int room,
				struct error *error)
{
	const struct coverage_row *row = coverage_row(COVERAGE_EVENTS_NOT_WRITTEN);
	char *what = coverage_text(row->words, NULL);
	char *reason = coverage_text(row->sentence, strerror(room));
	struct profile less = *profile;
	int result;

	less.event_rows = less.access_count = 0;
	less.coverage = xcalloc(profile->coverage_count + (size_t)1, sizeof(*less.coverage));
	if (profile->coverage_count)
		memcpy(less.coverage, profile->coverage,
		       profile->coverage_count * sizeof(*less.coverage));
	less.coverage[less.coverage_count++] = (struct profile_coverage){
		.what = what,
		.reason = reason,
		.count = profile->event_rows,
		.id = row->name,
		.hides = row->hides,
	};
	result = write_file(&less, path, &room, error);
	free(less.coverage);
	free(what);
	free(reason);
	return result;
}

int profile_write(const struct profile *profile, const char *path, struct error *error)
{
	int result, room;

	if (profile_validate(profile, error) != 0 || profile_validate_events(profile, error) != 0)
		return -1;
	result = write_file(profile, path, &room, error);
	if (result != 0 && room && profile->event_rows)
		result = write_without_events(profile, path, room, error);
	if (result == 0)
		sync_folder(path);
	return result;
}
