#!/bin/bash
# Call paths of a program of Python have its lines, with and without the GIL, by recursion, threads, generators and calls
# from C; $PYTHON is the interpreter (CPython 3.11 to 3.13 are read).
. tests/lib.sh
: "${PYTHON:=$(command -v python3)}"
source=tests/cli/python_frames.py
version=$([ -z "$PYTHON" ] || "$PYTHON" -c 'import ctypes, sys; print("%d.%d" % sys.version_info[:2], sys.implementation.name)' 2>/dev/null)
if [ -z "$version" ]; then
	skip "Python frames" "there is no python3 with ctypes"
	finish
fi
python=$("$PYTHON" -c 'import os, sys; print(os.path.realpath(sys.executable))')
library=$(realpath "$BUILD")/lib/emulator/libcudart.so.12
line() { # MARK
	sed -n "/# $1\$/=" "$source"
}
path() { # SIZE: of its allocations, without the frames of C and of Python's own library
	sqlite3 "$T/p.db" "SELECT group_concat(text, ' < ') FROM (SELECT o.id, f.function || ':' || f.line AS text FROM object o
		JOIN vertex v ON v.id = o.site JOIN callpath c ON c.id = v.callpath JOIN frame f ON f.id = c.frame
		JOIN module m ON m.id = f.module WHERE o.size = $1 AND m.path = '[Python]' AND f.file NOT LIKE '%threading.py'
		ORDER BY o.id, c.position) GROUP BY id ORDER BY id"
}
expect_exit 0 "a program of Python" collect "$T/p.db" "$python" "$source" "$library"
case $version in
"3.11 cpython" | "3.12 cpython" | "3.13 cpython") ;;
*)
	is "other versions are named" "$(sqlite3 "$T/p.db" "SELECT count(*) FROM coverage WHERE kind = 'PYTHON_FRAMES' AND count = 15 AND reason LIKE 'frames of Python ${version% *} were not read%'")" 1
	finish
	;;
esac
alloc="alloc:$(line ALLOC)" module="<module>:$(line RUN)"
is "one line" "$(path 101)" "$alloc < two_lines:$(line FIRST) < run:$(line TWO) < $module"
is "the next one of the function" "$(path 102)" "$alloc < two_lines:$(line SECOND) < run:$(line TWO) < $module"
is "recursion" "$(path 103)" "$alloc < descend:$(line BOTTOM) < descend:$(line DEEPER) < descend:$(line DEEPER) < run:$(line DESCEND) < $module"
is "a generator" "$(path 104)" "$alloc < generate:$(line GENERATOR) < run:$(line LIST) < $module"
is "a thread, a method" "$(path 105)" "$alloc < Model.step:$(line STEP)"
is "called from C" "$(path 106)" "$alloc < compare:$(line COMPARE) < run:$(line 'FROM C') < $module"
is "the GIL held" "$(path 107)" "$alloc < run:$(line HANDLER) < $module"
is "code made twice" "$(path 108)" "$alloc < <module>:2 < run:$(line EXEC) < $module
$alloc < <module>:3 < run:$(line EXEC) < $module"
is "deep recursion" "$(path 109 | grep -o 'deep:' | wc -l)" 601
names() { # SIZE: function and file of the frame that calls alloc()
	sqlite3 "$T/p.db" "SELECT f.function || ' ' || f.file FROM object o JOIN vertex v ON v.id = o.site JOIN callpath c ON c.id = v.callpath
		JOIN frame f ON f.id = c.frame JOIN module m ON m.id = f.module WHERE o.size = $1 AND m.path = '[Python]' ORDER BY c.position LIMIT 1 OFFSET 1"
}
is "names of Latin-1" "$(names 110)" "größe é.py"
is "names of two bytes a character" "$(names 111)" "変数 файл.py"
is "a name of four bytes a character" "$(names 112)" "ascii 😀.py"
is "a file whose name is no text" "$(names 113)" '数 \xff\x1b.py'
is "a name of 600 bytes" "$(names 114)" "f $(printf 'каталог/%.0s' {1..40})"
is "C frames are between those of Python" "$(sqlite3 "$T/p.db" "SELECT callpath_text LIKE '% < compare python_frames.py:% < ffi_call < % < run python_frames.py:%'
	FROM vertex v JOIN object o ON o.site = v.id WHERE o.size = 106")" 1
is "the interpreter's are left out" "$(sqlite3 "$T/p.db" "SELECT count(*) FROM frame f JOIN module m ON m.id = f.module
	WHERE m.path LIKE '%/libpython%' OR m.path LIKE '%/bin/python%'")" 0
is "nothing is missed" "$(sqlite3 "$T/p.db" "SELECT count(*) FROM coverage WHERE kind = 'PYTHON_FRAMES'")" 0
contexts=$(sqlite3 "$T/p.db" "SELECT context FROM vertex ORDER BY 1")
expect_exit 0 "again" collect "$T/p.db" "$python" "$source" "$library"
is "contexts are those of the run before" "$(sqlite3 "$T/p.db" "SELECT context FROM vertex ORDER BY 1")" "$contexts"
finish
