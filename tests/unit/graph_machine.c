/* Profiles on machines that fail: SQLite's system calls return errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/profile/profile.h"
#include "util/memory.h"

static char folder[] = "/tmp/vflow-machine-XXXXXX";
static char *path;

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/x.db", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	free(path);
	return rmdir(folder);
}

/* The host and 100 releases. */
static struct profile *example(void)
{
	struct profile *profile = profile_new();
	struct graph_vertex *host = graph_add_vertex(profile->graph, 0);

	host->fields = VERTEX_KIND | VERTEX_NAME | VERTEX_CONTEXT | VERTEX_READ_BYTES |
		       VERTEX_WRITTEN_BYTES | VERTEX_REDUNDANT_BYTES;
	host->kind = xstrdup("host");
	host->name = xstrdup("host");
	host->context = xstrdup("0123456789abcdef");
	profile->vertices = xcalloc(1, sizeof(*profile->vertices));
	profile->callpaths = xcalloc(1, sizeof(*profile->callpaths));
	profile->callpath_count = profile->callpath_capacity = 1;
	profile->command = xstrdup("./app");
	profile->processes = xcalloc(1, sizeof(*profile->processes));
	profile->process_count = profile->process_capacity = 1;
	profile->processes[0] = (struct profile_process){
		.executable = xstrdup("/bin/app"),
		.arguments = xstrdup("./app"),
		.provider = xstrdup("emulated"),
		.device = xstrdup("d"),
	};
	profile->event_count = 100;
	profile->events = xcalloc(100, sizeof(*profile->events));
	profile->event_rows = profile->event_capacity = 100;
	for (uint32_t i = 0; i < 100; i++)
		profile->events[i] = (struct profile_event){.vertex = PROFILE_NO_VERTEX,
							    .range = PROFILE_NO_ROW,
							    .name = xstrdup("cudaFree")};
	return profile;
}

static int machine_errno;       /* 0: it does not fail */
static char machine_call;       /* which: 'r', 'w', 'o' */
static long writes_before;      /* that do not fail */
static bool machine_gains_room; /* after one write */

static ssize_t machine_read(int fd, void *bytes, size_t size, off_t at)
{
	errno = machine_errno;
	return machine_errno && machine_call == 'r' ? -1 : pread(fd, bytes, size, at);
}

static ssize_t machine_write(int fd, const void *bytes, size_t size, off_t at)
{
	if (machine_call != 'w' || !machine_errno || writes_before-- > 0)
		return pwrite(fd, bytes, size, at);
	errno = machine_errno;
	machine_errno = machine_gains_room ? 0 : machine_errno;
	return -1;
}

static int machine_open(const char *name, int flags, int mode)
{
	errno = machine_errno;
	return machine_errno && machine_call == 'o' ? -1 : open(name, flags, mode);
}

static void machine_set(const char *call, sqlite3_syscall_ptr function)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);

	assert_int_equal(vfs->xSetSystemCall(vfs, call, function), SQLITE_OK);
}

static void machine_cannot(char call, int reason)
{
	machine_set("pread", (sqlite3_syscall_ptr)machine_read);
	machine_set("pread64", (sqlite3_syscall_ptr)machine_read);
	machine_set("pwrite", (sqlite3_syscall_ptr)machine_write);
	machine_set("pwrite64", (sqlite3_syscall_ptr)machine_write);
	machine_set("open", (sqlite3_syscall_ptr)machine_open);
	machine_call = call;
	machine_errno = reason;
}

static void machine_can(void)
{
	machine_errno = 0;
	machine_set(NULL, NULL);
}

/* What is wrong with the machine is not said of the file. */
static void test_reading_fails(void **state)
{
	static const struct {
		char call;
		int reason;
		const char *message;
	} cases[] = {
		{'r', EIO, "Input/output error"},
		{'o', EACCES, "Permission denied"},
		{'o', EMFILE, "Too many open files"},
	};
	struct error error;
	struct profile *profile;

	(void)state;
	profile = example();
	assert_int_equal(profile_write(profile, path, &error), 0);
	profile_free(profile);
	profile = profile_read(path, &error);
	assert_non_null(profile);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *expected = xasprintf("cannot read %s: %s", path, cases[i].message);

		machine_cannot(cases[i].call, cases[i].reason);
		assert_null(profile_read(path, &error));
		assert_string_equal(error.text, expected);
		assert_int_equal(profile_read_events(profile, path, &error), -1);
		assert_string_equal(error.text, expected);
		machine_can();
		free(expected);
	}
	profile_free(profile);
	unlink(path);
	/* a file that can be opened, but not read there */
	assert_null(profile_read("/proc/self/mem", &error));
	assert_string_equal(error.text, "cannot read /proc/self/mem: Input/output error");
}

static void test_writing_fails(void **state)
{
	static const struct {
		char call;
		int reason;
		const char *message;
	} cases[] = {
		{'w', EIO, "Input/output error"},      {'w', ENOSPC, "No space left on device"},
		{'w', EDQUOT, "Disk quota exceeded"},  {'w', EFBIG, "File too large"},
		{'o', EROFS, "Read-only file system"},
	};
	struct profile *profile = example();
	struct error error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (long before = 0; before < 20; before += 19) {
			machine_cannot(cases[i].call, cases[i].reason);
			writes_before = before;
			assert_int_equal(profile_write(profile, path, &error), -1);
			machine_can();
			assert_string_equal(error.text, cases[i].message);
			assert_int_equal(access(path, F_OK), -1);
		}
	profile_free(profile);
}

/* Without its events the file is smaller: no room for them is no reason to have nothing. */
static void test_no_room_for_events(void **state)
{
	static const struct {
		int reason;
		const char *told;
	} cases[] = {
		{ENOSPC, "the event table is empty: No space left on device"},
		{EDQUOT, "the event table is empty: Disk quota exceeded"},
		{EFBIG, "the event table is empty: File too large"},
	};
	struct profile *profile = example(), *read;
	struct error error;

	(void)state;
	assert_int_not_equal(profile->event_rows, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct profile_coverage *row;

		machine_cannot('w', cases[i].reason);
		writes_before = 2;
		machine_gains_room = true;
		assert_int_equal(profile_write(profile, path, &error), 0);
		machine_gains_room = false;
		machine_can();
		read = profile_read(path, &error);
		assert_non_null(read);
		row = &read->coverage[read->coverage_count - 1];
		assert_string_equal(row->reason, cases[i].told);
		assert_int_equal(row->count, profile->event_rows);
		profile_free(read);
		unlink(path);
	}
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reading_fails),
		cmocka_unit_test(test_writing_fails),
		cmocka_unit_test(test_no_room_for_events),
	};

	return cmocka_run_group_tests_name("graph_machine", tests, make_folder, remove_folder);
}
