/*
 * Calls from many call paths, in turn, which tests/cli/call_paths.sh counts: `call_paths CASE
 * [LIBRARY...]`.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "tests/programs/launch.h"

static void *device;

static void put(void)
{
	CHECK(cudaMemset(device, 0, 256));
}

static void left(void)
{
	put();
}

static void right(void)
{
	put();
}

/* The same call leads to either function. */
static void run_pointers(void)
{
	void (*const functions[])(void) = {right, left, left};

	for (int i = 0; i < 10; i++)
		functions[i % 3]();
}

static void descend(int depth)
{
	if (depth == 0)
		put();
	else
		descend(depth - 1);
}

/* The same return address at other depths. */
static void run_recursion(void)
{
	for (int turn = 0; turn < 3; turn++)
		for (int depth = 0; depth < 4; depth++)
			descend(depth);
}

static jmp_buf before;

static void leave(void)
{
	put();
	longjmp(before, 1);
}

/* What comes after a jump lies where the frames were that the jump has left. */
static void run_jumps(void)
{
	for (volatile int i = 0; i < 5; i++) {
		if (setjmp(before) == 0)
			leave();
		else
			right();
	}
}

static void *start_one(void *unused)
{
	for (int i = 0; i < 4; i++)
		put();
	return unused;
}

static void *start_other(void *unused)
{
	for (int i = 0; i < 6; i++)
		left();
	return unused;
}

static void run_threads(void)
{
	void *(*const starts[])(void *) = {start_one, start_other};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, starts[i], NULL) != 0)
			exit(1);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void handle(int signal)
{
	(void)signal;
	put();
}

static void raise_here(void)
{
	raise(SIGUSR1);
}

static void raise_there(void)
{
	raise(SIGUSR1);
}

/* One handler, which interrupts two functions. */
static void run_signals(void)
{
	signal(SIGUSR1, handle);
	for (int i = 0; i < 3; i++) {
		raise_here();
		raise_there();
		raise_here();
	}
}

/* Libraries whose function `call` calls what it is given; one often lies where another was. */
static void run_libraries(char **names)
{
	for (int turn = 0; turn < 2; turn++)
		for (char **name = names; *name; name++) {
			void *library = dlopen(*name, RTLD_NOW), (*call)(void (*function)(void));

			if (!library || !(*(void **)&call = dlsym(library, "call")))
				exit(1);
			call(put);
			dlclose(library);
		}
}

int main(int argc, char **argv)
{
	CHECK(cudaMalloc(&device, 256));
	if (argc == 2 && !strcmp(argv[1], "pointers"))
		run_pointers();
	else if (argc == 2 && !strcmp(argv[1], "recursion"))
		run_recursion();
	else if (argc == 2 && !strcmp(argv[1], "jumps"))
		run_jumps();
	else if (argc == 2 && !strcmp(argv[1], "threads"))
		run_threads();
	else if (argc == 2 && !strcmp(argv[1], "signals"))
		run_signals();
	else if (argc > 2 && !strcmp(argv[1], "libraries"))
		run_libraries(argv + 2);
	else
		return 2;
	return 0;
}
