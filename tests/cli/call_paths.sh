#!/bin/bash
# Call paths are those of each call, whatever path the calls before it had: call_paths.c.  A line is
# the number of calls and the functions, innermost first.
. tests/lib.sh

paths_are() { # CASE LIBRARY... <EXPECTED
	collect "$T/p.db" "$P/call_paths" "$@" >"$T/out" 2>&1 || not_ok "$1: the program" "$(cat "$T/out")"
	is "$1" "$(sqlite3 -separator ' ' "$T/p.db" "SELECT invocations, callpath_text FROM vertex WHERE kind = 'memset'
		ORDER BY invocations, callpath_text" | sed 's/ [^ ]*:[0-9]*//g')" "$(cat)"
}
library() { # NAME
	echo "char name[] = \"$1\"; void call(void (*function)(void)) { function(); }" |
		"$CC" -g -shared -fPIC -x c -o "$T/$1.so" - || not_ok "build $1"
}

paths_are pointers <<'END'
4 put < right < run_pointers < main
6 put < left < run_pointers < main
END
paths_are recursion <<'END'
3 put < descend < descend < descend < descend < run_recursion < main
3 put < descend < descend < descend < run_recursion < main
3 put < descend < descend < run_recursion < main
3 put < descend < run_recursion < main
END
paths_are jumps <<'END'
5 put < leave < run_jumps < main
5 put < right < run_jumps < main
END
paths_are threads <<'END'
4 put < start_one
6 put < left < start_other
END
# each of the two lines of raise_here()'s callers is a path
paths_are signals <<'END'
3 put < handle < raise_here < run_signals < main
3 put < handle < raise_here < run_signals < main
3 put < handle < raise_there < run_signals < main
END
library one
library two
library three
# one after the other, at the same place: the same offset in files of other build ids
paths_are libraries "$T/one.so" "$T/two.so" "$T/three.so" <<'END'
2 put < call < run_libraries < main
2 put < call < run_libraries < main
2 put < call < run_libraries < main
END
is "... of three libraries" "$(sqlite3 "$T/p.db" "SELECT count(DISTINCT callpath) FROM vertex WHERE kind = 'memset'")" 3
finish
