#include "collect/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/command.h"
#include "util/memory.h"

static volatile sig_atomic_t target_process;
static volatile sig_atomic_t last_received, last_typed, stop_received, stop_idle;

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof(passed_on) / sizeof(*passed_on) };
static struct sigaction users[PASSED_ON]; /* while `handling` */
static bool handling;

/* Ctrl-C comes from the kernel and has reached the target's process group already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	last_received = number;
	last_typed = info->si_code == SI_KERNEL && number != SIGHUP;
	if (number != SIGUSR1 && number != SIGUSR2) {
		stop_received = number;
		stop_idle = target_process == 0;
	}
	if (info->si_code != SI_KERNEL && target_process > 0)
		kill((pid_t)target_process, number);
	errno = saved;
}

static void install_handlers(void)
{
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

	for (int i = 0; i < PASSED_ON && !handling; i++) {
		sigaction(passed_on[i], NULL, &users[i]);
		if (users[i].sa_handler != SIG_IGN) /* nohup, background jobs */
			sigaction(passed_on[i], &action, NULL);
	}
	handling = true;
}

/*
 * But for the signal that came last: timeout(1) sends one to vflow, then to its whole group, and
 * the second must not keep the profile from being written.  Who types Ctrl-C again means vflow.
 */
void launch_end(void)
{
	for (int i = 0; i < PASSED_ON && handling; i++)
		if (passed_on[i] != last_received || last_typed)
			sigaction(passed_on[i], &users[i], NULL);
	handling = false;
}

int launch_stopped(bool *idle)
{
	*idle = stop_idle;
	return stop_received;
}

/* A text without "#!": sh PATH ARGS, as execvp(3) does it. */
static void execute_by_shell(const char *path, char **argv)
{
	size_t count = 0;
	char **words;

	while (argv[count])
		count++;
	words = xcalloc(count + 2, sizeof(*words));
	words[0] = (char[]){"sh"};
	words[1] = (char *)path;
	for (size_t i = 1; i < count; i++)
		words[i + 1] = argv[i];
	execv("/bin/sh", words);
}

/* In the child.  Sends errno through the pipe, which exec() closes when all goes well. */
static void execute(const struct target *target, char **argv, const struct environment *environment,
		    int pipe_end)
{
	int failure;

	if (environment_apply(environment) == 0) {
		execv(target->path, argv);
		if (errno == ENOEXEC && target->kind == TARGET_TEXT)
			execute_by_shell(target->path, argv);
	}
	failure = errno;
	if (write(pipe_end, &failure, sizeof(failure)) < 0)
		_exit(EXIT_NOT_EXECUTABLE);
	_exit(EXIT_NOT_EXECUTABLE);
}

static int start_failure(const struct target *target, int failure, struct error *error)
{
	if (failure == ENOENT && access(target->path, F_OK) == 0) {
		error_set(error,
			  "cannot run %s: the loader or interpreter that it needs is missing",
			  target->path);
		return EXIT_NOT_FOUND;
	}
	error_set(error, "cannot run %s: %s", target->path, strerror(failure));
	return failure == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int launch(const struct target *target, char **argv, const struct environment *environment,
	   int *status, struct error *error)
{
	int ends[2], failure = 0;
	sigset_t signals, before;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		error_set(error, "cannot make a pipe: %s", strerror(errno));
		return EXIT_VFLOW_FAILED;
	}
	/* no signal is lost between fork() and the handlers, and the target inherits none of this
	 */
	sigemptyset(&signals);
	for (int i = 0; i < PASSED_ON; i++)
		sigaddset(&signals, passed_on[i]);
	sigprocmask(SIG_BLOCK, &signals, &before);
	child = fork();
	if (child == 0) {
		for (int i = 0; i < PASSED_ON && handling; i++)
			sigaction(passed_on[i], &users[i], NULL);
		sigprocmask(SIG_SETMASK, &before, NULL);
		execute(target, argv, environment, ends[1]);
	}
	close(ends[1]);
	if (child < 0) {
		error_set(error, "cannot start a process: %s", strerror(errno));
		sigprocmask(SIG_SETMASK, &before, NULL);
		close(ends[0]);
		return EXIT_VFLOW_FAILED;
	}
	target_process = child;
	install_handlers();
	sigprocmask(SIG_SETMASK, &before, NULL);

	while (read(ends[0], &failure, sizeof(failure)) < 0 && errno == EINTR)
		;
	close(ends[0]);
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	target_process = 0;
	return failure ? start_failure(target, failure, error) : 0;
}

void launch_end_alike(int status)
{
	sigset_t signals;
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (!number || number != last_received)
		return;
	fflush(NULL);
	/* the target's core is the one that tells something; pipes get one whatever the limit */
	prctl(PR_SET_DUMPABLE, 0);
	sigemptyset(&signals);
	sigaddset(&signals, number);
	signal(number, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	raise(number);
}
