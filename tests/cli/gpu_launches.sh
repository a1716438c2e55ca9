#!/bin/bash
# Launches that are not waited for: their events are those of launches that are.  See gpu_launches.c.
. tests/lib.sh
objects=$BUILD/sanitizer.o
if [ ! -e "$objects/images.S.o" ] || [ -n "$ASAN" ]; then
	skip "launches" "needs the provider for GPUs, built without ASan"
	finish
fi
"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "$CUDA_TOOLKIT/include" -o "$T/launches" tests/cli/gpu_launches.c \
	"$objects"/event*.c.o "$objects"/{space,objects,table,hints,shadows,pass,memory,apis}.c.o "$objects/images.S.o" \
	"$BUILD/inside.o/gpu/analysis/may_write.o" -Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=clock_gettime "$BUILD/lib/emulator/libcuda.so.1" -ldl -lpthread \
	>"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
for case in enough nothing coarse failed late room slots behind behind-room guesses kept denied; do
	LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 60 "$T/launches" $case 2>&1
	code=$?
	[ $code = 0 ] || echo "not ok - exit code $code"
done
