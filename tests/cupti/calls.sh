#!/bin/bash
# From CUPTI's callbacks and records to events with times, without a GPU: see tests/cupti/calls.c.
. tests/lib.sh
objects=$BUILD/inside.o/gpu
if [ ! -e "$objects/cupti/calls.o" ]; then
	skip "calls" "needs CUPTI's headers"
	finish
fi
# shellcheck disable=SC2086
"$CC" $ASAN -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "${CUPTI:-$CUDA_TOOLKIT}/include" -isystem "$CUDA_TOOLKIT/include" -o "$T/calls" tests/cupti/calls.c \
	"$objects"/cupti/{activity,arguments,calls,graphs,hooks,memory,named_memory,operations,pending,provider,rows,streams,touches,waits}.o "$objects"/nvidia/*.o "$objects"/analysis/object_rows.o "$BUILD/inside.o/util/start_environment.o" -Wl,--wrap=clock_gettime -lpthread >"$T/log" 2>&1 ||
	not_ok "build" "$(cat "$T/log")"
for case in order waits memory copies graphs bounded threads devices failing touches no_touches arguments; do
	timeout 60 "$T/calls" $case 2>&1
	code=$?
	[ $code = 0 ] || echo "not ok - $case: exit code $code"
done
finish
