#!/bin/bash
# What of objects is accessed, as the provider for GPUs tells it: see sanitizer/accessed.c.
. tests/lib.sh
objects=$BUILD/sanitizer.o
if [ ! -e "$objects/images.S.o" ] || [ -n "$ASAN" ]; then
	skip "accessed" "needs the provider for GPUs, built without ASan"
	finish
fi
"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "$CUDA_TOOLKIT/include" -o "$T/program" tests/sanitizer/accessed.c \
	"$objects"/*/event*.c.o "$objects"/*/{queue,wait,host_writes,timed_out,skipped,space,objects,table,hints,shadows,seen,pass,accessed,values,contents,commands,transfers,memory,device_bytes,mappings}.c.o "$objects/images.S.o" \
	"$BUILD"/inside.o/gpu/{analysis/{accessed,may_write,transfer},nvidia/{apis,streams}}.o -Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=clock_gettime "$BUILD/lib/emulator/libcuda.so.1" -ldl -lpthread \
	>"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/program" 2>&1
code=$?
[ $code = 0 ] || echo "not ok - exit code $code"
