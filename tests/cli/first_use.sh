#!/bin/bash
# The pass `use` on the emulated device: when and where a program first uses what it waited for.  What
# is expected is read off tests/programs/first_use.c: the lines that say so.
. tests/lib.sh
program=$P/first_use source=tests/programs/first_use.c

line_of() { # FUNCTION: the line in it that ends with "the use"
	awk -v "name=$1" '/^static/ { inside = index($0, name "(") } inside && /\/\* the use/ { print FNR; exit }' $source
}
# Each row: the call that waited, the first use, line, waits, pages, touched pages
uses() { # CASE
	sqlite3 -separator ' ' "$T/$1.db" "SELECT wait, first_use, line, waits, pages, touched_pages FROM first_uses"
}
run() { # CASE
	local code=0
	timeout 600 "$VFLOW" collect --quiet --device emulated --passes flow,use -o "$T/$1.db" "$program" "$1" >"$T/out" 2>"$T/err" </dev/null || code=$?
	# once for each run
	is "$1: output and exit code are the program's own" "$code $(tr '\n' ' ' <"$T/out")$(cat "$T/err")" "5 $1 is over $1 is over "
}
# AddressSanitizer's own functions read before the program's do: write(2), memcpy(3), the search for leaks.
reads_first() { # CASE
	[ -n "$ASAN" ] && skip "$1: the first use" "AddressSanitizer reads the memory, too"
}
one() { # CASE USES
	run "$1"
	is "$1: the first use" "$(uses "$1")" "$2"
}

run read
measured=$(sqlite3 "$T/read.db" "SELECT reason FROM coverage WHERE reason LIKE '%not measured%'")
if [ -n "$measured" ]; then
	for name in read write write2 fwrite memcpy thread field neighbour never overwritten upload shared pinned fork discard stress; do
		skip "$name" "userfaultfd cannot be used here"
	done
	like "it is said that nothing was measured, and why" "$measured" "first use: not measured: userfaultfd"
	finish
fi
is "read: the first use" "$(uses read)" "cudaMemcpy instruction $(line_of run_read) 1 16 2"
one write "cudaMemcpy instruction $(line_of run_write) 1 16 1"
reads_first write2 || one write2 "cudaMemcpy system call $(line_of run_system_call) 1 16 4"
one framed "cudaMemcpy system call $(line_of framed_write) 1 16 1"
like "framed: its caller, too" "$(sqlite3 "$T/framed.db" "SELECT callpath FROM first_uses")" "^framed_write first_use.c:[0-9]+ < run_framed first_use.c:$(line_of run_framed) < main "
reads_first fwrite || one fwrite "cudaMemcpy system call $(line_of run_fwrite) 1 16 16"
one memcpy "cudaMemcpy instruction $(line_of run_memcpy) 1 16 16"
one thread "cudaMemcpy instruction $(line_of other_thread) 1 16 1"
one field "cudaMemcpy instruction $(line_of run_field) 1 1 1"
one neighbour "cudaMemcpy instruction $(line_of run_neighbour) 1 1 1"
one overwritten "cudaMemcpy never 0 2 32 0
cudaMemcpy instruction $(line_of run_overwritten) 1 16 1"
reads_first upload || one upload "cudaMemcpy CUDA $(line_of run_upload) 1 16 16"
one shared "cudaDeviceSynchronize instruction $(line_of run_shared) 1 16 1"
run pinned # where it begins in its pages is the emulated device's affair
is "pinned: the first use, and a wait for another stream" \
	"$(sqlite3 -separator ' ' "$T/pinned.db" "SELECT wait, first_use, line, waits FROM first_uses")" \
	"cudaStreamSynchronize nothing to use 0 1
cudaStreamSynchronize instruction $(line_of run_pinned) 1"

run never # what free() writes is no use
reads_first never || is "never: the first use" "$(sqlite3 "$T/never.db" "SELECT DISTINCT first_use FROM first_uses")" "never"

# the path leads through the function that used it
like "read: the path of the use" "$(sqlite3 "$T/read.db" "SELECT callpath FROM first_uses")" "^run_read first_use.c:[0-9]+ < main first_use.c"
is "read: model time, in which the host's own work takes none" "$(sqlite3 "$T/read.db" "SELECT min_ns, median_ns FROM first_uses")" "0|0"

# memory that is moved, thrown away, unmapped, or a child's: contents are the program's to check
run realloc
run fork
is "fork: what was given back for the child's sake is not called unused" "$(uses fork | cut -d ' ' -f 1,2)" "cudaMemcpy unknown"
run discard
is "discard: memory on a stack is not watched; the rest" "$(uses discard)" "cudaMemcpy unknown 0 1 0 0
cudaMemcpy instruction $(line_of run_discard) 1 16 2"
like "discard: coverage says so" "$(sqlite3 "$T/discard.db" "SELECT reason FROM coverage")" "could not be watched: it lies on a stack"

# what the kernel does otherwise where pages are taken away
run remap
is "remap: what was given back is not called unused" "$(uses remap | cut -d ' ' -f 1,2,4)" "cudaMemcpy unknown 1
cudaMemcpy unknown 1"
run memory_file
reason() { # CASE: until when the first use was measured
	sqlite3 "$T/$1.db" "SELECT reason FROM coverage WHERE reason LIKE '%measured only until%'"
}
like "memory_file: coverage says that the watch ended there" "$(reason memory_file)" "first use: measured only until the program opens its own memory as a file"
if [ -z "$ASAN" ]; then # its runtime makes system calls, too
	run confined
	like "confined: coverage says so" "$(reason confined)" "first use: measured only until the program forbids itself system calls"
	is "confined: what is downloaded later" "$(sqlite3 "$T/confined.db" "SELECT count, bytes FROM coverage WHERE reason LIKE '%could not be watched: the program forbids%'")" "1|65536"
	run strict
else
	skip "confined" "AddressSanitizer makes system calls"
fi

for i in 1 2 3; do
	run stress
done
is "stress: every call is watched or counted" "$(sqlite3 "$T/stress.db" "SELECT
	(SELECT sum(waits) FROM first_use) + (SELECT sum(count) FROM coverage WHERE reason LIKE '%waits that were not watched%')")" 600
reads_first stress || is "stress: nobody but the loop that reads, and realloc(), uses it" "$(sqlite3 "$T/stress.db" "SELECT count(*) FROM first_uses WHERE first_use = 'instruction' AND callpath NOT LIKE 'stress %'")" 0
is "every wait that is watched says it once" "$(sqlite3 "$T/stress.db" "SELECT count(*) FROM first_uses WHERE wait != 'cudaMemcpy'")" 0

VFLOW_USE_WAITS=cudaFree,cudaStreamSynchronize run pinned
is "only waits of functions that are asked for" "$(sqlite3 "$T/pinned.db" "SELECT count(*) FROM first_use")" 2
VFLOW_USE_WAITS=cudaDeviceSynchronize run pinned
is "... and no others" "$(sqlite3 "$T/pinned.db" "SELECT count(*) FROM first_use")" 0

# managed memory that is allocated, and a variable that is declared so
if [ -n "$NVCC" ]; then
	"$NVCC" -std=c++17 -O1 -g -cudart shared -arch=compute_75 -I. -o "$T/managed" tests/cli/first_use.cu 2>"$T/err" || not_ok "nvcc" "$(cat "$T/err")"
	line() { # COMMENT
		grep -n "/\* $1 \*/" tests/cli/first_use.cu | cut -d: -f1
	}
	for case in allocated variable; do
		expect_exit 0 "managed memory, $case" collect "$T/m.db" --passes flow,use "$T/managed" $case
		is "... its first use" "$(sqlite3 -separator ' ' "$T/m.db" "SELECT wait, first_use, line, waits, touched_pages FROM first_uses")" \
			"cudaDeviceSynchronize instruction $(line 'the use') 1 1"
		like "... its path" "$(sqlite3 "$T/m.db" "SELECT callpath FROM first_uses")" \
			"^look[^<]* first_use.cu:$(line 'the use') < inspect[^<]* first_use.cu:$(line 'its caller') < main first_use.cu:[0-9]+"
	done
else
	skip "managed memory" "no CUDA toolkit"
fi
finish
