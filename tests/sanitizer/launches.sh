#!/bin/bash
# Launches that are not waited for, and shadows where memory is short: see sanitizer/events.h.
. tests/lib.sh
objects=$BUILD/sanitizer.o
if [ ! -e "$objects/images.S.o" ] || [ -n "$ASAN" ]; then
	skip "launches" "needs the provider for GPUs, built without ASan"
	finish
fi
build() { # NAME
	"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "$CUDA_TOOLKIT/include" -o "$T/$1" "tests/sanitizer/$1.c" \
		"$objects"/*/event*.c.o "$objects"/*/{queue,wait,host_writes,timed_out,skipped,space,objects,table,hints,shadows,seen,pass,accessed,values,contents,commands,transfers,memory,device_bytes,mappings}.c.o "$objects/images.S.o" \
		"$BUILD"/inside.o/gpu/{analysis/{accessed,may_write,transfer},nvidia/{apis,streams}}.o -Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=clock_gettime "$BUILD/lib/emulator/libcuda.so.1" -ldl -lpthread \
		>"$T/log" 2>&1 || not_ok "build $1" "$(cat "$T/log")"
}
cases() { # NAME CASE...
	local name=$1 case code
	shift
	for case; do
		LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/$name" $case 2>&1
		code=$?
		[ $code = 0 ] || echo "not ok - $case: exit code $code"
	done
}
build launches
build room
build devices
build unread
cases launches enough table nothing failed faults skipped timed_out pending predictions many
cases room coarse timed_out slots pending denied cached unknown wrong stream_hung other_context limits
cases unread rows unseen memory
cases devices queues dependent contended ready yielding other_device timed_out_twice external_writers variables
