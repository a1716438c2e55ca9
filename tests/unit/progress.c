/* What a terminal gets to see of progress: nothing of what is quick, else a line that goes away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/stopped_clock.h"
#include "util/progress.h"

#define ERASE "\r\033[K"

static char seen[4096];

/* What `act` leaves on a terminal of so many columns, in `seen`. */
static void play(void (*act)(void), const char *terminal, unsigned short columns)
{
	const struct winsize size = {.ws_row = 24, .ws_col = columns};
	size_t length = 0;
	ssize_t got;
	int master, status;
	pid_t child = forkpty(&master, NULL, NULL, &size);

	assert_true(child >= 0);
	if (child == 0) {
		setenv("TERM", terminal, 1);
		act();
		_exit(0);
	}
	/* the terminal is at its end, EIO, when the child has gone */
	while (length < sizeof(seen) - 1 &&
	       (got = read(master, seen + length, sizeof(seen) - 1 - length)) > 0)
		length += (size_t)got;
	seen[length] = '\0';
	close(master);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

static void quick(void)
{
	progress("reading");
	pass_ms(100);
	progress_end();
	progress_end();
	pass_ms(1200); /* nothing goes on: nothing is shown */
	say("done");
}

static void test_quick(void **state)
{
	(void)state;
	play(quick, "xterm", 80);
	assert_string_equal(seen, "done");
}

/* After 1 s, again after 1.5 s, gone at the end. */
static void slow(void)
{
	progress("reading");
	pass_ms(1750);
	progress_end();
	say("done");
}

static void test_slow(void **state)
{
	(void)state;
	play(slow, "xterm", 80);
	assert_ptr_equal(strstr(seen, ERASE "vflow: reading, 1 s"), seen);
	assert_non_null(strstr(seen, " s" ERASE "done"));
	play(slow, "xterm", 12); /* as much as fits in 11 columns */
	assert_ptr_equal(strstr(seen, ERASE "vflow: read" ERASE), seen);
}

/* The second one follows at once: the second of waiting is theirs together. */
static void in_parts(void)
{
	progress("reading");
	pass_ms(500);
	progress("writing");
	progress_part(2, 3);
	pass_ms(800);
	progress_end();
	say("done");
}

static void test_parts(void **state)
{
	(void)state;
	play(in_parts, "xterm", 80);
	assert_ptr_equal(strstr(seen, ERASE "vflow: writing, 2 of 3, 1 s"), seen);
	assert_non_null(strstr(seen, " s" ERASE "done"));
}

/* A child does not wait for a lock that its parent's thread had. */
static void with_child(void)
{
	pid_t child;

	progress("reading");
	pass_ms(1200);
	child = fork();
	if (child == 0) {
		progress("drawing");
		progress_part(1, 2);
		progress_end();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	progress_end();
	say("done");
}

static void test_child(void **state)
{
	(void)state;
	play(with_child, "xterm", 80);
	assert_non_null(strstr(seen, " s" ERASE "done"));
	assert_null(strstr(seen, "drawing"));
}

static void slow_unseen(void)
{
	progress("reading");
	pass_unseen_ms(1750);
	progress_end();
	say("done");
}

static void test_no_terminal(void **state)
{
	(void)state;
	play(slow_unseen, "dumb", 80);
	assert_string_equal(seen, "done");
	play(slow_unseen, "", 80);
	assert_string_equal(seen, "done");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quick),       cmocka_unit_test(test_slow),
		cmocka_unit_test(test_parts),       cmocka_unit_test(test_child),
		cmocka_unit_test(test_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
