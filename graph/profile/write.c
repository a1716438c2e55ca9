/* graph/profile/write.c: a profile into a new SQLite file. */
#include "graph/profile/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command.h"
#include "util/memory.h"

/* After the first failure every call does nothing. */
struct writing {
	sqlite3 *db;
	sqlite3_stmt *statement;
	int column;
	bool failed;
	int room; /* failed for want of room: an errno */
	struct error *error;
};

static void fail(struct writing *writing)
{
	if (!writing->failed) {
		profile_sqlite_error(writing->db, writing->error);
		writing->room = profile_want_of_room(writing->db);
	}
	writing->failed = true;
}

static void execute(struct writing *writing, const char *sql)
{
	if (!writing->failed && sqlite3_exec(writing->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(writing);
}

static void finish_table(struct writing *writing)
{
	sqlite3_finalize(writing->statement);
	writing->statement = NULL;
}

static void start_table(struct writing *writing, const char *table, int columns)
{
	char sql[160];
	int length;

	finish_table(writing);
	if (writing->failed)
		return;
	length = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", table);
	for (int i = 1; i < columns; i++)
		length += snprintf(sql + length, sizeof(sql) - (size_t)length, ",?");
	snprintf(sql + length, sizeof(sql) - (size_t)length, ")");
	if (sqlite3_prepare_v2(writing->db, sql, -1, &writing->statement, NULL) != SQLITE_OK)
		fail(writing);
	writing->column = 1;
}

static void put_number(struct writing *writing, uint64_t value)
{
	if (!writing->failed)
		sqlite3_bind_int64(writing->statement, writing->column++, (sqlite3_int64)value);
}

static void put_double(struct writing *writing, double value)
{
	if (!writing->failed)
		sqlite3_bind_double(writing->statement, writing->column++, value);
}

static void put_null(struct writing *writing)
{
	if (!writing->failed)
		sqlite3_bind_null(writing->statement, writing->column++);
}

/* NULL makes a null; the text must live until end_row(). */
static void put_text(struct writing *writing, const char *text)
{
	if (!writing->failed && sqlite3_bind_text(writing->statement, writing->column++, text, -1,
						  SQLITE_STATIC) != SQLITE_OK)
		fail(writing);
}

static void end_row(struct writing *writing)
{
	if (writing->failed)
		return;
	if (sqlite3_step(writing->statement) != SQLITE_DONE)
		fail(writing);
	sqlite3_reset(writing->statement);
	writing->column = 1;
}

static void write_run(struct writing *writing, const struct profile *profile)
{
	char events[65], checksum[65];

	profile_digest_events(profile, events);
	profile_digest(profile, events, checksum);
	start_table(writing, "run", 8);
	put_number(writing, 1);
	put_text(writing, VFLOW_VERSION);
	put_text(writing, profile->command);
	put_number(writing, profile->date);
	put_number(writing, profile->event_count);
	put_double(writing, profile->redundancy_threshold);
	put_text(writing, events);
	put_text(writing, checksum);
	end_row(writing);
}

static void write_processes(struct writing *writing, const struct profile *profile)
{
	start_table(writing, "process", 8);
	for (uint32_t i = 0; i < profile->process_count; i++) {
		const struct profile_process *process = &profile->processes[i];

		put_number(writing, i + UINT64_C(1));
		put_number(writing, process->pid);
		put_number(writing, process->parent);
		put_text(writing, process->executable);
		put_text(writing, process->arguments);
		put_text(writing, process->provider);
		put_text(writing, process->device);
		put_number(writing, process->ended);
		end_row(writing);
	}
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Frames share modules; there are few. */
static void write_frames(struct writing *writing, const struct profile *profile)
{
	uint32_t *module_of = xcalloc(profile->frame_count, sizeof(*module_of));
	uint32_t *first = NULL, count = 0, capacity = 0;

	start_table(writing, "module", 3);
	for (uint32_t i = 0; i < profile->frame_count; i++) {
		const struct profile_frame *frame = &profile->frames[i];
		uint32_t m = 0;

		while (m < count && !(same(profile->frames[first[m]].module, frame->module) &&
				      same(profile->frames[first[m]].build_id, frame->build_id)))
			m++;
		if (m == count) {
			ARRAY_RESERVE(first, count, capacity);
			first[count++] = i;
			put_number(writing, count);
			put_text(writing, frame->module);
			put_text(writing, frame->build_id);
			end_row(writing);
		}
		module_of[i] = m + 1;
	}
	start_table(writing, "frame", 7);
	for (uint32_t i = 0; i < profile->frame_count; i++) {
		const struct profile_frame *frame = &profile->frames[i];

		put_number(writing, i + UINT64_C(1));
		put_number(writing, module_of[i]);
		put_number(writing, frame->offset);
		put_text(writing, frame->function);
		put_text(writing, frame->file);
		put_number(writing, frame->line);
		put_number(writing, frame->inlined);
		end_row(writing);
	}
	free(first);
	free(module_of);
	start_table(writing, "callpath", 3);
	for (uint32_t i = 0; i < profile->callpath_count; i++)
		for (uint32_t j = 0; j < profile->callpaths[i].count; j++) {
			put_number(writing, i + UINT64_C(1));
			put_number(writing, j);
			put_number(writing, profile->callpaths[i].frames[j] + UINT64_C(1));
			end_row(writing);
		}
}

static void write_graph(struct writing *writing, const struct profile *profile)
{
	const struct graph *graph = profile->graph;

	start_table(writing, "vertex", 13);
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &graph->vertices[v];

		put_number(writing, vertex->id);
		put_number(writing, v);
		put_text(writing, vertex->kind);
		put_text(writing, vertex->name);
		put_text(writing, vertex->context ? vertex->context : "");
		put_number(writing, profile->vertices[v].callpath + UINT64_C(1));
		put_text(writing, vertex->callpath ? vertex->callpath : "");
		if (vertex->fields & VERTEX_INVOCATIONS)
			put_number(writing, vertex->invocations);
		else
			put_null(writing);
		put_number(writing, vertex->read_bytes);
		put_number(writing, vertex->written_bytes);
		put_number(writing, vertex->redundant_bytes);
		if (vertex->fields & VERTEX_TIME_NS)
			put_number(writing, vertex->time_ns);
		else
			put_null(writing);
		if (vertex->fields & VERTEX_HOST_NS)
			put_number(writing, vertex->host_ns);
		else
			put_null(writing);
		end_row(writing);
	}
	start_table(writing, "edge", 9);
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		put_number(writing, e + UINT64_C(1));
		put_number(writing, graph->vertices[edge->from].id);
		put_number(writing, graph->vertices[edge->to].id);
		put_number(writing, edge->object);
		put_number(writing, edge->access);
		put_number(writing, edge->bytes);
		if (edge->fields & EDGE_REDUNDANT_BYTES)
			put_number(writing, edge->redundant_bytes);
		else
			put_null(writing);
		put_number(writing, edge->count);
		put_number(writing, edge->object_bytes);
		end_row(writing);
	}
}

static void write_objects(struct writing *writing, const struct profile *profile)
{
	start_table(writing, "object", 9);
	for (uint32_t i = 0; i < profile->object_count; i++) {
		const struct profile_object *object = &profile->objects[i];

		put_number(writing, i + UINT64_C(1));
		put_number(writing, object->site);
		put_number(writing, object->process + UINT64_C(1));
		put_number(writing, object->size);
		put_number(writing, object->address);
		put_number(writing, object->memory);
		put_text(writing, object->name);
		put_number(writing, object->start_ns);
		put_number(writing, object->end_ns);
		end_row(writing);
	}
}

static void write_events(struct writing *writing, const struct profile *profile)
{
	start_table(writing, "event", 10);
	for (uint32_t i = 0; i < profile->event_rows; i++) {
		const struct profile_event *event = &profile->events[i];

		put_number(writing, i + UINT64_C(1));
		if (event->vertex == PROFILE_NO_VERTEX)
			put_null(writing);
		else
			put_number(writing, event->vertex);
		put_text(writing, event->name);
		put_number(writing, event->process + UINT64_C(1));
		put_number(writing, event->thread);
		put_number(writing, event->device);
		put_number(writing, event->stream);
		put_number(writing, event->invocation);
		put_number(writing, event->start_ns);
		put_number(writing, event->end_ns);
		end_row(writing);
	}
	start_table(writing, "access", 7);
	for (uint32_t i = 0; i < profile->event_rows; i++)
		for (uint32_t k = 0; k < profile->events[i].access_count; k++) {
			uint32_t index = profile->events[i].first_access + k;
			const struct profile_access *access = &profile->accesses[index];

			put_number(writing, index + UINT64_C(1));
			put_number(writing, i + UINT64_C(1));
			put_number(writing, access->object + UINT64_C(1));
			put_number(writing, access->access);
			put_number(writing, access->writer);
			put_number(writing, access->bytes);
			if (access->access == GRAPH_WRITE)
				put_number(writing, access->redundant_bytes);
			else
				put_null(writing);
			end_row(writing);
		}
}

static void write_duplicates(struct writing *writing, const struct profile *profile)
{
	start_table(writing, "duplicate", 5);
	for (uint32_t i = 0; i < profile->duplicate_count; i++) {
		const struct profile_duplicate *duplicate = &profile->duplicates[i];

		put_number(writing, i + UINT64_C(1));
		put_number(writing, duplicate->bytes);
		put_number(writing, duplicate->occurrences);
		put_number(writing, duplicate->events);
		put_number(writing, duplicate->zero);
		end_row(writing);
	}
	start_table(writing, "duplicate_member", 5);
	for (uint32_t i = 0; i < profile->duplicate_count; i++)
		for (uint32_t j = 0; j < profile->duplicates[i].member_count; j++) {
			const struct profile_duplicate_member *member =
				&profile->duplicates[i].members[j];

			put_number(writing, i + UINT64_C(1));
			put_number(writing, j);
			put_number(writing, member->site);
			put_number(writing, member->cause);
			put_number(writing, member->objects);
			end_row(writing);
		}
}

static void write_findings(struct writing *writing, const struct profile *profile)
{
	start_table(writing, "finding", 10);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];

		put_number(writing, i + UINT64_C(1));
		put_text(writing, finding->pattern);
		put_number(writing, finding->vertex);
		put_number(writing, finding->object);
		put_number(writing, finding->access);
		put_number(writing, finding->bytes);
		put_double(writing, finding->fraction);
		put_text(writing, finding->evidence);
		put_text(writing, finding->advice);
		put_text(writing, finding->limits);
		end_row(writing);
	}
	start_table(writing, "finding_other", 3);
	for (uint32_t i = 0; i < profile->finding_count; i++)
		for (uint32_t j = 0; j < profile->findings[i].other_count; j++) {
			put_number(writing, i + UINT64_C(1));
			put_number(writing, j);
			put_number(writing, profile->findings[i].others[j]);
			end_row(writing);
		}
}

static void write_coverage(struct writing *writing, const struct profile *profile)
{
	start_table(writing, "coverage", 5);
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		const struct profile_coverage *row = &profile->coverage[i];

		put_number(writing, i + UINT64_C(1));
		put_text(writing, row->what);
		put_text(writing, row->reason);
		put_number(writing, row->count);
		put_number(writing, row->bytes);
		end_row(writing);
	}
}

static void write_all(struct writing *writing, const struct profile *profile)
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
	execute(writing, pragmas);
	execute(writing, "BEGIN");
	for (const struct profile_table *table = profile_tables; table->name; table++)
		execute(writing, table->sql);
	execute(writing, profile_views);
	write_run(writing, profile);
	write_processes(writing, profile);
	write_frames(writing, profile);
	write_graph(writing, profile);
	write_objects(writing, profile);
	write_events(writing, profile);
	write_duplicates(writing, profile);
	write_findings(writing, profile);
	write_coverage(writing, profile);
	finish_table(writing);
	execute(writing, "COMMIT");
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
	struct writing writing = {.error = error};
	char *name; /* a path that SQLite does not take for a URI or an option */
	int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);

	*room = 0;
	if (fd < 0)
		return error_set(error, "%s", strerror(errno));
	close(fd);
	name = xasprintf("%s%s", path[0] == '/' ? "" : "./", path);
	if (sqlite3_open_v2(name, &writing.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		fail(&writing);
	write_all(&writing, profile);
	finish_table(&writing);
	*room = writing.room;
	if (sqlite3_close(writing.db) != SQLITE_OK)
		fail(&writing);
	free(name);
	if (!writing.failed)
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
