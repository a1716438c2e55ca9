#!/bin/bash
# What a misplaced wait is said to save, held against the program in which it waits at the first use,
# to the ns of model time; and the share of pages from which on a download is called partial.
. tests/lib.sh
build() { # NAME SOURCE FLAG...
	"$CC" -std=gnu11 -g -D_GNU_SOURCE -I. -Igpu/emulator/include $ASAN -o "$T/$1" "${@:3}" "$2" \
		"$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lm
	collect "$T/$1.db" --passes flow,time,waits,use "$T/$1" >"$T/out"
}
build_program() { # NAME FIXED
	build "$1.$2" "tests/advice/$1.c" -DFIXED="$2"
}
run_ns() { # NAME FIXED
	sqlite3 "$T/$1.$2.db" "SELECT time_end_ns - time_start_ns FROM process"
}
for name in wait_too_early event_too_early; do
	build_program $name 0
	build_program $name 1
	[ -z "$(sqlite3 "$T/$name.0.db" "SELECT 1 FROM coverage WHERE reason LIKE '%first use: not measured%'")" ] ||
		{ skip "$name" "userfaultfd cannot be used here"; continue; }
	is "$name: the first use comes after 40 us" "$(sqlite3 "$T/$name.0.db" "SELECT DISTINCT min_ns, median_ns FROM first_use
		JOIN api a ON a.id = api WHERE a.kind = 'sync'")" "40000|40000"
	is "$name: what is saved" "$(sqlite3 "$T/$name.0.db" "SELECT saves_ns FROM finding WHERE pattern = 'misplaced_wait'")" \
		$(($(run_ns $name 0) - $(run_ns $name 1)))
	like "$name: the report says where to wait" "$("$VFLOW" report "$T/$name.0.db" | tr -s ' \n' ' ')" \
		"Wait before $name.c:[0-9]+, where the bytes are first used, 40.0 us later"
	is "$name: below --min-time it is not told" \
		"$("$VFLOW" report --min-time 0.2 --brief "$T/$name.0.db" | grep -c 'misplaced wait')" 0
done
# the same with 4 us between the wait and the first use, within what may be the work of the pass
sed 's/PREPARE_NS = 40000/PREPARE_NS = 4000/' tests/advice/wait_too_early.c >"$T/soon.c"
build soon "$T/soon.c"
soon() { # OPTION... -> how many
	"$VFLOW" report --brief "$@" "$T/soon.db" | grep -c 'misplaced wait'
}
[ -n "$(sqlite3 "$T/soon.db" "SELECT 1 FROM coverage WHERE reason LIKE '%first use: not measured%'")" ] ||
	is "4 us later: told to who asks for all" "$(soon) $(soon --min-time 0.0001) $(soon --min-time 0)" "0 0 1"
build_program checkpoint_unread 0
build_program checkpoint_unread 1
if [ -n "$(sqlite3 "$T/checkpoint_unread.0.db" "SELECT 1 FROM coverage WHERE reason LIKE '%first use: not measured%'")" ]; then
	skip "unused download" "userfaultfd cannot be used here"
else
	is "unused download: what is saved" "$(sqlite3 "$T/checkpoint_unread.0.db" "SELECT saves_ns FROM finding WHERE pattern = 'unused_download'")" \
		$(($(run_ns checkpoint_unread 0) - $(run_ns checkpoint_unread 1)))
	like "unused download: the report says so" "$("$VFLOW" report "$T/checkpoint_unread.0.db" | tr -s ' \n' ' ')" \
		"Nothing of the 256.0K that 4 of its 4 invocations brought to the host was touched"
fi
build_program first_residuals 0
partial() { # FRACTION -> how many
	"$VFLOW" report --partial-download "$1" --brief "$T/first_residuals.0.db" | grep -c 'partial download'
}
[ -n "$(sqlite3 "$T/first_residuals.0.db" "SELECT 1 FROM coverage WHERE reason LIKE '%first use: not measured%'")" ] ||
	is "partial download: 1 page of 16" "$(partial 0.0625) $(partial 0.06)" "1 0"
finish
