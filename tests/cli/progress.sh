#!/bin/bash
# Progress of commands that take long, on a terminal: a library preloaded makes SQLite and Graphviz slow.
. tests/lib.sh
[ -z "$ASAN" ] || { skip "progress" "the sanitizer's library has to come first"; finish; }
command -v script >/dev/null || { skip "progress" "no script (Debian: bsdutils)"; finish; }
cat >"$T/slow.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#include "tests/stopped_clock.h"
static void pass(void)
{
	if (getenv("UNSEEN"))
		pass_unseen_ms(1300);
	else
		pass_ms(1300);
}
int sqlite3_open_v2(const char *name, void **db, int flags, const char *vfs)
{
	pass();
	return ((int (*)(const char *, void **, int, const char *))dlsym(RTLD_NEXT, "sqlite3_open_v2"))(name, db, flags, vfs);
}
int gvLayout(void *context, void *graph, const char *engine)
{
	pass();
	return ((int (*)(void *, void *, const char *))dlsym(RTLD_NEXT, "gvLayout"))(context, graph, engine);
}
END
$CC -D_GNU_SOURCE -shared -fPIC -I. -o "$T/slow.so" "$T/slow.c" -ldl || { not_ok "the library"; finish; }
have_terminal || { skip "progress" "there is no terminal (script(1), /dev/pts)"; finish; }
expect_exit 0 "collect" collect "$T/demo.db" --keep-trace "$P/demo"
expect_exit 0 "DOT" "$VFLOW" export -T dot -o "$T/demo.dot" "$T/demo.db"

# What is on the terminal at the end, and what has been there: \r and ESC [K as @
shown() { # COMMAND...
	printf '%q ' "$@" >"$T/command"
	TERM=xterm script -qec "LD_PRELOAD=$T/slow.so $(cat "$T/command") >$T/out" /dev/null </dev/null 2>&1 | sed 's/\r\x1b\[K/@/g; s/\r$//'
}
like "report" "$(shown "$VFLOW" report "$T/demo.db")" "^(@vflow: reading the profile, 1 s)+@$"
like "... which is as ever" "$(cat "$T/out")" "dead write"
like "whatif" "$(shown "$VFLOW" whatif --free-after 7 "$T/demo.db")" "^(@vflow: reading the profile, 1 s)+@$"
like "query" "$(shown "$VFLOW" query 'MATCH (v) RETURN count(*)' "$T/demo.db")" "^(@vflow: reading the profile, 1 s)+@$"
like "render" "$(shown "$VFLOW" render --layout dot -o "$T/demo.svg" "$T/demo.dot")" "^(@vflow: laying out the graph, 1 s)+@"
like "building a profile" "$(shown "$VFLOW" collect --from-trace "$T/demo.db.trace" -o "$T/again.db")" "^(@vflow: building the profile, 1 s)+@vflow: [0-9]+ operations"
is "... quietly" "$(UNSEEN=1 shown "$VFLOW" collect -q --from-trace "$T/demo.db.trace" -o "$T/again.db")" ""
like "an error comes after it" "$(shown "$VFLOW" slice --vertex 999 "$T/demo.db")" "^(@vflow: reading the profile, 1 s)+@vflow slice: "
UNSEEN=1 LD_PRELOAD=$T/slow.so "$VFLOW" report "$T/demo.db" >"$T/out" 2>"$T/err"
is "into a file: none" "$(cat "$T/err")" ""
finish
