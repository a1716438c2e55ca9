/*
 * targets.c HOW: programs that end in every way but the right one.  Each does the work of
 * Figure 3's first four calls (two arrays of 4096 bytes, set to zero) before it misbehaves.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/exactness_kernels.ptx")

static int *work(void)
{
	int *a, *b;

	CHECK(cudaMalloc((void **)&a, 4096));
	CHECK(cudaMalloc((void **)&b, 4096));
	CHECK(cudaMemset(a, 0, 4096));
	CHECK(cudaMemset(b, 0, 4096));
	return a;
}

static void *thread(void *unused)
{
	int *x = work();

	for (int i = 0; i < 10; i++)
		LAUNCH(increment, 4, 256, x, 1024);
	CHECK(cudaFree(x));
	return unused;
}

/* The same far from the pages of the stack that were in use before. */
static void work_far_away(void)
{
	volatile char pages[64 << 10];

	pages[0] = 1;
	work();
	pages[1] = pages[0];
}

static int wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	alarms += number == SIGALRM;
}

/* Handlers of the program's own, and calls that a timer interrupts all the time. */
static int own_handlers(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART */
	int fired;

	if (sigaction(SIGALRM, &action, NULL) || sigaction(SIGSEGV, &action, NULL) ||
	    setitimer(ITIMER_REAL, &often, NULL))
		return 94;
	while (alarms < 20)
		work();
	fired = alarms;
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 1; i < 32; i++)
		if (i != SIGKILL && i != SIGSTOP &&
		    (sigaction(i, NULL, &action) ||
		     action.sa_handler != (i == SIGALRM || i == SIGSEGV ? on_alarm : SIG_DFL)))
			return i;
	return fired < 20;
}

/* Lives on when the program and vflow have ended: its trace is gone by then.  Says so in FILE. */
static int daemon_of(const char *file)
{
	FILE *out;

	if (fork())
		return 7;
	setsid();
	work();
	for (int i = 0; i < 2000 && access(getenv("VFLOW_TRACE_DIR"), F_OK) == 0; i++)
		usleep(10000);
	for (int i = 0; i < 1000; i++)
		work();
	out = fopen(file, "w");
	return !out || fputs("lived on\n", out) < 0 || fclose(out);
}

static volatile sig_atomic_t interrupts;

static void count_interrupt(int number)
{
	(void)number;
	interrupts++;
}

/* Makes FILE, waits for SIGINT, and says how many came. */
static int interrupted(const char *file, bool handled)
{
	struct sigaction action = {.sa_handler = count_interrupt};
	sigset_t blocked, before;
	FILE *out;

	work();
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	if (handled)
		sigaction(SIGINT, &action, NULL);
	alarm(100);
	out = fopen(file, "w");
	if (!out || fputs("ready\n", out) < 0 || fclose(out))
		return 92;
	while (!interrupts)
		sigsuspend(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	usleep(200000); /* one too many would come at once */
	printf("interrupts: %d\n", (int)interrupts);
	return 44;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	struct sigaction action;

	if (!strcmp(how, "nothing")) {
		puts("no CUDA call");
		return 7;
	} else if (!strcmp(how, "ok")) {
		work();
		puts("to stdout");
		fputs("to stderr\n", stderr);
		return 42;
	} else if (!strcmp(how, "overwritten")) {
		int *a = work(), *unused;

		CHECK(cudaMalloc((void **)&unused, 4096));
		CHECK(cudaMemset(a, 1, 4096)); /* nobody has read the zeros */
		abort();
	} else if (!strcmp(how, "abort")) {
		work();
		abort();
	} else if (!strcmp(how, "kill")) {
		work();
		kill(getpid(), SIGKILL);
	} else if (!strcmp(how, "segv")) {
		work();
		*(volatile int *)16 = 1;
	} else if (!strcmp(how, "_exit")) {
		work();
		_exit(5);
	} else if (!strcmp(how, "quick_exit")) {
		work();
		quick_exit(6);
	} else if (!strcmp(how, "fork_first")) { /* only the child uses CUDA */
		pid_t child = fork();

		if (child == 0) {
			work();
			exit(8);
		}
		return wait_for(child);
	} else if (!strcmp(how, "fork_both")) { /* CUDA in each, started after the fork */
		pid_t child = fork();

		work();
		if (child == 0)
			exit(0);
		return wait_for(child);
	} else if (!strcmp(how, "fork_after")) { /* the child of a CUDA program does without */
		work();
		pid_t child = fork();

		if (child == 0)
			exit(9);
		int code = wait_for(child);

		work();
		return code;
	} else if (!strcmp(how, "exec")) {
		pid_t child = fork();

		if (child == 0) {
			execl("/proc/self/exe", argv[0], "ok", (char *)NULL);
			_exit(98);
		}
		return wait_for(child);
	} else if (!strcmp(how, "become")) { /* the same process, another program */
		work();
		execl("/proc/self/exe", argv[0], "ok", (char *)NULL);
		return 98;
	} else if (!strcmp(how, "processes")) {
		int bad = 0, status;

		for (int i = 0; i < 64; i++)
			if (fork() == 0) {
				work();
				_exit(0);
			}
		while (wait(&status) > 0)
			bad += status != 0;
		return bad;
	} else if (!strcmp(how, "handlers")) {
		return own_handlers();
	} else if (!strcmp(how, "daemon") && argc > 2) {
		return daemon_of(argv[2]);
	} else if (!strcmp(how, "interrupted") && argc > 2) {
		return interrupted(argv[2], true);
	} else if (!strcmp(how, "interrupted_dies") && argc > 2) {
		return interrupted(argv[2], false);
	} else if (!strcmp(how, "nobody")) { /* may not write the trace any more */
		work();
		if (setgid(65534) || setuid(65534))
			return 93;
		for (int i = 0; i < 1000; i++)
			work_far_away();
		return 0;
	} else if (!strcmp(how, "threads")) {
		pthread_t threads[4];

		for (int i = 0; i < 4; i++)
			if (pthread_create(&threads[i], NULL, thread, NULL))
				return 97;
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		return 0;
	} else if (!strcmp(how, "out_of_bounds")) {
		int *x = NULL, index = 1 << 28; /* behind an object, a GPU may have another one */
		void *arguments[] = {&x, &index};

		work();
		/* the launch may find out at once; the error stays */
		(void)cuLaunchKernel(kernel("out_of_bounds"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments,
				     NULL);
		return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 10 : 11;
	} else if (!strcmp(how, "unknown_kernel")) {
		CUfunction function;

		work();
		return cuModuleGetFunction(&function, kernels_module(), "nowhere") ==
				       CUDA_ERROR_NOT_FOUND
			       ? 12
			       : 13;
	} else if (!strcmp(how, "signals")) { /* the guest leaves dispositions alone */
		work();
		for (int i = 1; i < 32; i++)
			if (i != SIGKILL && i != SIGSTOP &&
			    (sigaction(i, NULL, &action) || action.sa_handler != SIG_DFL))
				return i;
		return 0;
	} else if (!strcmp(how, "chdir")) {
		if (chdir("/"))
			return 96;
		work();
		return 0;
	} else if (!strcmp(how, "close")) { /* daemons close everything */
		for (int i = 3; i < 64; i++)
			close(i);
		work();
		for (int i = 3; i < 64; i++)
			close(i);
		work();
		return 0;
	} else if (!strcmp(how, "reuse")) { /* what had been someone's descriptors is ours now */
		char text[16] = "";
		int ends[2];

		work();
		for (int i = 3; i < 64; i++)
			close(i);
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || write(ends[1], "mine", 4) != 4)
			return 95;
		work_far_away();
		if (recv(ends[0], text, sizeof(text), MSG_DONTWAIT) != 4 || strcmp(text, "mine") ||
		    recv(ends[1], text, sizeof(text), MSG_DONTWAIT) >= 0)
			return 14;
		return 0;
	}
	fprintf(stderr, "targets: '%s' is none of them\n", how);
	return 2;
}
