#include "query/line.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#if HAVE_EDIT
#include <histedit.h>
#endif

#include "util/memory.h"

enum { HISTORY_LINES = 1000 };

struct line {
	bool terminal;
	const volatile sig_atomic_t *interrupted;
#if HAVE_EDIT
	EditLine *edit;
	HistoryW *history;
	HistEventW event;
	char *path;
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

static char *history_path(void)
{
	const char *path = getenv("VFLOW_HISTORY"), *home = getenv("HOME");

	if (path)
		return *path ? xstrdup(path) : NULL;
	return home && *home ? xasprintf("%s/.vflow_history", home) : NULL;
}

static void open_editor(struct line *line)
{
	setlocale(LC_CTYPE, "");
	line->edit = el_init("vflow", stdin, stdout, stderr);
	line->history = history_winit();
	if (!line->edit || !line->history)
		return;
	history_w(line->history, &line->event, H_SETSIZE, HISTORY_LINES);
	history_w(line->history, &line->event, H_SETUNIQUE, 1);
	el_wset(line->edit, EL_CLIENTDATA, line);
	el_wset(line->edit, EL_PROMPT, prompt_of);
	el_wset(line->edit, EL_EDITOR, L"emacs");
	el_wset(line->edit, EL_HIST, history_w, line->history);
	el_wset(line->edit, EL_GETCFN, read_character);
	el_wset(line->edit, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
	el_source(line->edit, NULL);
	line->path = history_path();
	if (line->path)
		history_w(line->history, &line->event, H_LOAD, line->path);
}

static char *read_edited(struct line *line, const char *prompt)
{
	const wchar_t *wide;
	size_t size;
	char *text;
	int count = 0;

	line->prompt = prompt;
	wide = el_wgets(line->edit, &count);
	if (!wide || count <= 0 || *line->interrupted) {
		putchar('\n');
		return NULL;
	}
	if (wide[wcsspn(wide, L" \t\n")])
		history_w(line->history, &line->event, H_ENTER, wide);
	size = (size_t)count * MB_CUR_MAX + 1;
	text = xmalloc(size);
	if (wcstombs(text, wide, size) == (size_t)-1)
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void close_editor(struct line *line)
{
	if (line->path && line->history)
		history_w(line->history, &line->event, H_SAVE, line->path);
	if (line->history)
		history_wend(line->history);
	if (line->edit)
		el_end(line->edit);
	free(line->path);
}

#endif

struct line *line_open(bool terminal, const volatile sig_atomic_t *interrupted)
{
	struct line *line = xcalloc(1, sizeof(*line));

	line->terminal = terminal;
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

void line_close(struct line *line)
{
#if HAVE_EDIT
	close_editor(line);
#endif
	free(line);
}
