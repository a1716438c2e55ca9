# tests/lib.sh: TAP for the tests in tests/cli.  Source it from the root of the repository.
# $T is a folder of the test's own.
set -u
: "${BUILD:=build}" "${VFLOW:=$PWD/vflow}" "${CC:=cc}" "${NVCC:=}" "${ASAN:=}"
P=$BUILD/programs
# nvcc on PATH may be a script that calls the real one; make asks it where its toolkit is, once
: "${CUDA_TOOLKIT:=$([ -z "$NVCC" ] || realpath "$("$NVCC" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p' | grep . || echo /usr)")}"
[ -x "$VFLOW" ] || { echo "not ok 1 - there is no $VFLOW: run make"; exit 1; }
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
test_count=0 failures=0
# What the sanitizers find must not look like a failure that is allowed; crashes stay crashes.  What a command has not
# freed when it ends harms nobody, and takes half the time of a short one to find out: unit tests and fuzzers look for
# leaks.
[ -z "$ASAN" ] || export UBSAN_OPTIONS=exitcode=99 \
	ASAN_OPTIONS=exitcode=99:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:detect_leaks=0

ok() { # NAME
	echo "ok $((++test_count)) - $1"
}
not_ok() { # NAME [DETAIL]
	echo "not ok $((++test_count)) - $1"
	failures=$((failures + 1))
	[ $# -lt 2 ] || sed 's/^/#   /' <<<"$2" | head -n 30 | cut -c 1-300
}
skip() { # NAME WHY
	echo "ok $((++test_count)) - $1 # SKIP $2"
}
is() { # NAME GOT EXPECTED
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "$(diff <(echo "$3") <(echo "$2") | sed 's/^</expected/; s/^>/got     /')"; fi
}
like() { # NAME TEXT REGEX
	if [[ $2 =~ $3 ]]; then ok "$1"; else not_ok "$1" "no match for: $3"$'\n'"in: $2"; fi
}
unlike() { # NAME TEXT REGEX
	if [[ $2 =~ $3 ]]; then not_ok "$1" "unexpected: $3"$'\n'"in: $2"; else ok "$1"; fi
}
# Runs the command with its output in $T/out and $T/err; the exit code must be CODE.
expect_exit() { # CODE NAME COMMAND...
	local code=0 expected=$1 name=$2
	shift 2
	"$@" >"$T/out" 2>"$T/err" || code=$?
	if [ $code = "$expected" ]; then ok "$name"; else not_ok "$name" "exit code $code, not $expected: $*"$'\n'"$(head -c 2000 "$T/err")"; fi
}
collect() { # DB PROGRAM...: profiles on $DEVICE, else on the emulator; says nothing
	local db=$1
	shift
	"$VFLOW" collect --quiet --device "${DEVICE:-emulated}" -o "$db" "$@"
}

# For damaged input: what ends with none of the codes, or fails without a message of ours, goes to
# $died.
try() { # ALLOWED-CODES COMMAND...
	local allowed=$1 code=0
	shift
	"$@" >"$T/out" 2>"$T/err" </dev/null || code=$?
	if [[ " $allowed " != *" $code "* ]]; then
		died+="exit code $code: $*"$'\n'"$(tail -3 "$T/err")"$'\n'
	elif [ $code != 0 ] && ! [ -s "$T/err" ]; then
		died+="exit code $code without a message: $*"$'\n'
	elif grep -q "malformed" "$T/err"; then
		died+="SQLite's words, not ours: $*"$'\n'"$(cat "$T/err")"$'\n'
	fi
}
flip() { # FROM TO OFFSET: a copy with a flipped bit there
	cp "$1" "$2"
	local byte
	byte=$(od -An -tu1 -j "$3" -N1 "$1")
	printf "\\x$(printf %02x $((byte ^ 1 << RANDOM % 8)))" | dd of="$2" bs=1 seek="$3" conv=notrunc status=none
}

# What a profile holds, by way of the JSON export; sqlite3 reads the JSON.
# Whether commands can be run in a terminal: needs script(1) and /dev/pts.
have_terminal() {
	[ "$(script -qec 'test -t 0 && echo yes' /dev/null </dev/null 2>/dev/null | tr -d '\r')" = yes ]
}
json_query() { # FILE SQL
	sqlite3 -batch -separator ' ' :memory: "CREATE TABLE json(text); INSERT INTO json VALUES (CAST(readfile('$1') AS TEXT)); $2"
}
edges() { # DB: "FROM>TO ACCESS OBJECT BYTES REDUNDANT COUNT" in order
	"$VFLOW" export -T json "$1" >"$T/export.json" &&
		json_query "$T/export.json" "SELECT value->>'start' || '>' || (value->>'end'), substr(value->>'access', 1, 1),
			value->>'object', value->>'bytes', coalesce(value->>'redundant_bytes', 0), value->>'count'
			FROM json, json_each(text, '\$.edges') ORDER BY value->>'start', value->>'end', 2, 3"
}
vertices() { # DB: "ID KIND INVOCATIONS NAME" in order
	"$VFLOW" export -T json "$1" >"$T/export.json" &&
		json_query "$T/export.json" "SELECT value->>'id', value->>'kind', coalesce(value->>'invocations', 0), value->>'name'
			FROM json, json_each(text, '\$.vertices') ORDER BY value->>'id'"
}
# The edges of the DOT on stdin as "FROM>TO", and its vertices, each in one line; gvpr reads it.
dot_edges() {
	gvpr 'E { printf("%s>%s\n", sub(tail.name, "v"), sub(head.name, "v")); }' | sort -V | tr '\n' ' ' | sed 's/ $//'
}
dot_vertices() {
	gvpr 'N { printf("%s\n", sub(name, "v")); }' | sort -n | tr '\n' ' ' | sed 's/ $//'
}
# A table with "# comments", sorted: for expected edges.
table() {
	sed 's/ *#.*//; s/^[ \t]*//; s/[ \t][ \t]*/ /g; /^$/d' | sort -V
}
# Collects the case of the program into $T/CASE.db; its edges must be those of the table.
exact_edges() { # PROGRAM CASE <TABLE
	local expected
	expected=$(table)
	if ! collect "$T/$2.db" "$1" "$2" >"$T/$2.out" 2>"$T/$2.err"; then
		not_ok "$2" "$(cat "$T/$2.err")"
		return
	fi
	is "$2" "$(edges "$T/$2.db" | sort -V)" "$expected"
}
finish() {
	echo "1..$test_count"
	[ $failures = 0 ]
	exit
}
