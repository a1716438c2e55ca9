#include "query/line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#if HAVE_EDIT
#include <histedit.h>
#endif

#include "util/memory.h"

enum { HISTORY_SIZE = 1000, MOST_WORDS = 200 };

struct line {
	bool terminal;
	line_complete *complete;
	void *of;
	const volatile sig_atomic_t *interrupted;
#if HAVE_EDIT
	EditLine *edit;
	HistoryW *history;
	HistEventW event;
	char *path;        /* of the history's file; NULL: nothing is kept */
	wchar_t **entered; /* in this session */
	uint32_t entered_count, entered_capacity;
	const char *prompt;
#endif
};

#if HAVE_EDIT

static wchar_t *prompt_of(EditLine *edit)
{
	static wchar_t wide[32];
	struct line *line;

	el_wget(edit, EL_CLIENTDATA, &line);
	swprintf(wide, sizeof(wide) / sizeof(*wide), L"%s", line->prompt);
	return wide;
}

/* libedit's own would go on reading after SIGINT. */
static int read_character(EditLine *edit, wchar_t *wide)
{
	mbstate_t state = {0};
	struct line *line;

	el_wget(edit, EL_CLIENTDATA, &line);
	for (;;) {
		char byte;
		ssize_t got = *line->interrupted ? -1 : read(STDIN_FILENO, &byte, 1);
		size_t length;

		if (got < 0 && errno == EINTR && !*line->interrupted)
			continue; /* the size of the window */
		if (got <= 0)
			return 0;
		length = mbrtowc(wide, &byte, 1, &state);
		if (length == (size_t)-2)
			continue;
		if (length == (size_t)-1) {
			state = (mbstate_t){0};
			*wide = L'?';
		}
		return 1;
	}
}

/* -- Tab -- */

static char *to_bytes(const wchar_t *wide, size_t length)
{
	size_t size = length * MB_CUR_MAX + 1, used = 0;
	char *text = xmalloc(size);
	mbstate_t state = {0};

	for (size_t i = 0; i < length; i++) {
		size_t got = wcrtomb(text + used, wide[i], &state);

		if (got == (size_t)-1) {
			state = (mbstate_t){0};
			text[used] = '?';
			got = 1;
		}
		used += got;
	}
	text[used] = '\0';
	return text;
}

/* Puts the bytes in place of those before the cursor. */
static void replace(EditLine *edit, const char *typed, const char *bytes, size_t length)
{
	wchar_t *wide = xcalloc(length + 1, sizeof(*wide));
	char *text = xstrndup(bytes, length);
	size_t old = mbstowcs(NULL, typed, 0);

	if (old != (size_t)-1 && mbstowcs(wide, text, length + 1) != (size_t)-1) {
		el_deletestr(edit, (int)old);
		el_winsertstr(edit, wide);
	}
	free(text);
	free(wide);
}

static void list(const struct completion *completion)
{
	uint32_t count = completion->count < MOST_WORDS ? completion->count : MOST_WORDS;
	struct winsize size;
	size_t width = 0, columns = 80;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		columns = size.ws_col;
	for (uint32_t i = 0; i < count; i++)
		if (strlen(completion->words[i]) + 2 > width)
			width = strlen(completion->words[i]) + 2;
	columns = columns > width ? columns / width : 1;
	for (uint32_t i = 0; i < count; i++)
		printf("%s%-*s", i % columns ? "" : "\n", (int)width, completion->words[i]);
	if (count < completion->count)
		printf("\nand %" PRIu32 " more", completion->count - count);
	putchar('\n');
	fflush(stdout);
}

/* The only word, or what all have in common, or the list of them. */
static unsigned char on_tab(EditLine *edit, int character)
{
	struct completion completion = {0};
	const LineInfoW *info = el_wline(edit);
	unsigned char result = CC_ERROR;
	struct line *line;
	char *text;
	size_t common;

	(void)character;
	el_wget(edit, EL_CLIENTDATA, &line);
	text = to_bytes(info->buffer, (size_t)(info->cursor - info->buffer));
	line->complete(line->of, text, &completion);
	common = completion_common(&completion);
	if (completion.typed <= strlen(text) && completion.count) {
		const char *typed = text + strlen(text) - completion.typed;

		if (completion.count == 1 || common > completion.typed) {
			replace(edit, typed, completion.words[0], common);
			result = CC_REFRESH;
		} else {
			list(&completion);
			result = CC_REDISPLAY;
		}
	}
	completion_free(&completion);
	free(text);
	return result;
}

/* -- history -- */

/* $XDG_STATE_HOME/vflow; a path that is not absolute does not count, says the standard. */
static char *state_folder(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *folder, *path;

	if (state && *state == '/')
		folder = xstrdup(state);
	else if (home && *home == '/')
		folder = xasprintf("%s/.local/state", home);
	else
		return NULL;
	path = xasprintf("%s/vflow", folder);
	free(folder);
	return path;
}

/* Makes the folders that are missing; whether that worked shows when the file is written. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

static char *history_path(void)
{
	const char *named = getenv("VFLOW_HISTORY");
	char *folder, *path;

	if (named)
		return *named ? xstrdup(named) : NULL;
	folder = state_folder();
	if (!folder)
		return NULL;
	path = xasprintf("%s/query_history", folder);
	free(folder);
	make_folders(path);
	return path;
}

static HistoryW *new_history(HistEventW *event)
{
	HistoryW *history = history_winit();

	if (!history)
		return NULL;
	history_w(history, event, H_SETSIZE, HISTORY_SIZE);
	history_w(history, event, H_SETUNIQUE, 1);
	return history;
}

/*
 * Opens the file, which other sessions read and write, too: it is this one's until it is closed.
 * -1: it is not there, or cannot be opened.
 */
static int lock_history(const char *path, int flags, int lock)
{
	int file = open(path, flags | O_CLOEXEC, 0600);

	/* where there are no locks there are no two sessions at one moment, either, for all we can
	 * do */
	if (file >= 0)
		flock(file, lock);
	return file;
}

/* What the file holds; false: something that is no history. */
static bool read_history(struct line *line, HistoryW *history)
{
	struct stat status;

	return history_w(history, &line->event, H_LOAD, line->path) >= 0 ||
	       stat(line->path, &status) != 0 || !status.st_size;
}

/* A file that is there and no history stays as it is. */
static void load_history(struct line *line)
{
	int file;

	line->path = history_path();
	if (!line->path)
		return;
	file = lock_history(line->path, O_RDONLY, LOCK_SH);
	if (!read_history(line, line->history)) {
		fprintf(stderr, "vflow query: note: %s is no history: nothing is kept in it\n",
			line->path);
		free(line->path);
		line->path = NULL;
	}
	if (file >= 0)
		close(file);
}

/* What other sessions have written since this one began stays, and this one's queries follow. */
static void save_history(struct line *line)
{
	HistoryW *history;
	bool kept = false;
	int file;

	if (!line->path || !line->entered_count)
		return;
	file = lock_history(line->path, O_RDWR | O_CREAT, LOCK_EX);
	history = file >= 0 ? new_history(&line->event) : NULL;
	if (history && read_history(line, history)) {
		for (uint32_t i = 0; i < line->entered_count; i++)
			history_w(history, &line->event, H_ENTER, line->entered[i]);
		kept = history_w(history, &line->event, H_SAVE, line->path) >= 0;
	}
	if (!kept)
		fprintf(stderr, "vflow query: note: the history is not kept: cannot write %s\n",
			line->path);
	if (history)
		history_wend(history);
	if (file >= 0)
		close(file);
}

static void open_editor(struct line *line)
{
	setlocale(LC_CTYPE, "");
	line->edit = el_init("vflow", stdin, stdout, stderr);
	line->history = new_history(&line->event);
	if (!line->edit || !line->history)
		return;
	el_wset(line->edit, EL_CLIENTDATA, line);
	el_wset(line->edit, EL_PROMPT, prompt_of);
	el_wset(line->edit, EL_EDITOR, L"emacs");
	el_wset(line->edit, EL_HIST, history_w, line->history);
	el_wset(line->edit, EL_GETCFN, read_character);
	el_wset(line->edit, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
	el_wset(line->edit, EL_ADDFN, L"vflow-complete", L"Complete a word", on_tab);
	el_wset(line->edit, EL_BIND, L"^I", L"vflow-complete", NULL);
	el_source(line->edit, NULL);
	load_history(line);
}

static char *read_edited(struct line *line, const char *prompt)
{
	const wchar_t *wide;
	char *text;
	int count = 0;

	line->prompt = prompt;
	wide = el_wgets(line->edit, &count);
	if (!wide || count <= 0 || *line->interrupted) {
		putchar('\n');
		return NULL;
	}
	text = to_bytes(wide, (size_t)count);
	for (size_t length = strlen(text); length && text[length - 1] == '\n';)
		text[--length] = '\0'; /* others are of a query from the history */
	return text;
}

static void close_editor(struct line *line)
{
	if (line->history) {
		save_history(line);
		history_wend(line->history);
	}
	if (line->edit)
		el_end(line->edit);
	for (uint32_t i = 0; i < line->entered_count; i++)
		free(line->entered[i]);
	free(line->entered);
	free(line->path);
}

#endif

struct line *line_open(bool terminal, line_complete *complete, void *of,
		       const volatile sig_atomic_t *interrupted)
{
	struct line *line = xcalloc(1, sizeof(*line));

	line->terminal = terminal;
	line->complete = complete;
	line->of = of;
	line->interrupted = interrupted;
#if HAVE_EDIT
	if (terminal)
		open_editor(line);
#else
	if (terminal)
		puts("No line editing: vflow was built without libedit (Debian: libedit-dev).");
#endif
	return line;
}

static char *read_plain(struct line *line, const char *prompt)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t length;

	if (line->terminal) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	length = getline(&text, &size, stdin);
	if (length < 0) {
		clearerr(stdin); /* after SIGINT there may be more */
		if (line->terminal)
			putchar('\n');
		free(text);
		return NULL;
	}
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		text[--length] = '\0';
	return text;
}

char *line_read(struct line *line, const char *prompt)
{
#if HAVE_EDIT
	if (line->edit && line->history)
		return read_edited(line, prompt);
#endif
	return read_plain(line, prompt);
}

void line_remember(struct line *line, const char *text)
{
#if HAVE_EDIT
	size_t length = strlen(text);
	wchar_t *wide;

	if (!line->edit || !line->history || !text[strspn(text, " \t\r\n;")])
		return;
	wide = xcalloc(length + 1, sizeof(*wide));
	if (mbstowcs(wide, text, length + 1) != (size_t)-1) {
		for (length = wcslen(wide); length && iswspace((wint_t)wide[length - 1]);)
			wide[--length] = L'\0';
		history_w(line->history, &line->event, H_ENTER, wide);
		ARRAY_RESERVE(line->entered, line->entered_count, line->entered_capacity);
		line->entered[line->entered_count++] = wide;
		wide = NULL;
	}
	free(wide);
#else
	(void)line;
	(void)text;
#endif
}

void line_close(struct line *line)
{
#if HAVE_EDIT
	close_editor(line);
#endif
	free(line);
}
