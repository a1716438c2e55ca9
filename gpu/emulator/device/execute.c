/*
 * gpu/emulator/device/execute.c: programs that are started without this library.
 *
 * A launcher may clear the environment or set LD_PRELOAD to something else: what the program does
 * is not seen then.  Each process that has this library says so in a file of the folder with the
 * traces, before it becomes another program or makes a process of one.
 *
 * The functions may be called in a child of vfork(), and in a signal handler: they take no lock and
 * no memory.  Environment, at the start: VFLOW_GUEST, VFLOW_TRACE_DIR.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpu/provider.h"
#include "util/start_environment.h"

#define PUBLIC __attribute__((visibility("default")))

static char said_in[PATH_MAX]; /* empty: nobody wants to know */
static char own_path[PATH_MAX];

static struct {
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execv)(const char *, char *const[]);
	int (*execvp)(const char *, char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);
	int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			    const posix_spawnattr_t *, char *const[], char *const[]);
} next;

static void find_next(void)
{
	*(void **)&next.execve = dlsym(RTLD_NEXT, "execve");
	*(void **)&next.execv = dlsym(RTLD_NEXT, "execv");
	*(void **)&next.execvp = dlsym(RTLD_NEXT, "execvp");
	*(void **)&next.execvpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&next.posix_spawn = dlsym(RTLD_NEXT, "posix_spawn");
	*(void **)&next.posix_spawnp = dlsym(RTLD_NEXT, "posix_spawnp");
}

__attribute__((constructor)) static void prepare(void)
{
	const char *guest = start_variable("VFLOW_GUEST"),
		   *folder = start_variable("VFLOW_TRACE_DIR");
	Dl_info own;

	find_next();
	if (!guest || !*guest || !folder || !*folder ||
	    strlen(folder) + sizeof("/" GPU_UNREACHED_FILE) > sizeof(said_in) ||
	    !dladdr(said_in, &own) || !own.dli_fname || strlen(own.dli_fname) >= sizeof(own_path))
		return;
	strcpy(own_path, own.dli_fname);
	snprintf(said_in, sizeof(said_in), "%s/" GPU_UNREACHED_FILE, folder);
}

static bool has_library(char *const *environment)
{
	static const char name[] = "LD_PRELOAD=";

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, name, strlen(name)))
			return strstr(*environment, own_path) != NULL;
	return false;
}

/* A line: the process, a blank, the program's name; without a name: it is not started after all. */
static void say_in(pid_t process, const char *name)
{
	int saved = errno,
	    file = open(said_in, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	char line[256], *digits = line + 16, *at = line + 16;

	for (pid_t left = process; left; left /= 10)
		*--digits = (char)('0' + left % 10);
	*at++ = ' ';
	for (; *name && at < line + sizeof(line) - 1; name++)
		*at++ = *name == '\n' ? ' ' : *name;
	*at++ = '\n';
	/* whether it could be written is nobody's business here */
	if (file >= 0 && write(file, digits, (size_t)(at - digits)) < 0)
		errno = 0;
	if (file >= 0)
		close(file);
	errno = saved;
}

/* NULL: the program has the library, or nobody wants to know. */
static const char *unreached(const char *path, char *const *environment)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!next.execve) /* another library's constructor came first */
		find_next();
	if (!said_in[0] || !path || has_library(environment))
		return NULL;
	return slash ? slash + 1 : path;
}

/* -- the program becomes another one: whoever returns has not -- */

static void begin(const char *path, char *const *environment)
{
	const char *name = unreached(path, environment);

	if (name)
		say_in(getpid(), name);
}

static int failed(const char *path, char *const *environment)
{
	if (unreached(path, environment))
		say_in(getpid(), "");
	return -1;
}

PUBLIC int execve(const char *path, char *const arguments[], char *const environment[])
{
	begin(path, environment);
	next.execve(path, arguments, environment);
	return failed(path, environment);
}

PUBLIC int execv(const char *path, char *const arguments[])
{
	begin(path, environ);
	next.execv(path, arguments);
	return failed(path, environ);
}

PUBLIC int execvp(const char *path, char *const arguments[])
{
	begin(path, environ);
	next.execvp(path, arguments);
	return failed(path, environ);
}

PUBLIC int execvpe(const char *path, char *const arguments[], char *const environment[])
{
	begin(path, environment);
	next.execvpe(path, arguments, environment);
	return failed(path, environment);
}

/* -- it makes a process of another one -- */

static int spawned(int error, pid_t child, pid_t *process, const char *path,
		   char *const *environment)
{
	const char *name = error ? NULL : unreached(path, environment);

	if (name)
		say_in(child, name);
	if (!error && process)
		*process = child;
	return error;
}

PUBLIC int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes, char *const arguments[],
		       char *const environment[])
{
	pid_t child = 0;
	int error;

	if (!next.posix_spawn)
		find_next();
	error = next.posix_spawn(&child, path, actions, attributes, arguments, environment);
	return spawned(error, child, process, path, environment);
}

PUBLIC int posix_spawnp(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const arguments[],
			char *const environment[])
{
	pid_t child = 0;
	int error;

	if (!next.posix_spawnp)
		find_next();
	error = next.posix_spawnp(&child, path, actions, attributes, arguments, environment);
	return spawned(error, child, process, path, environment);
}
