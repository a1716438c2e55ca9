#!/bin/bash
# Small copies and sets as commands give the same events as with passes: see sanitizer/commands.c.
. tests/lib.sh
objects=$BUILD/sanitizer.o
if [ ! -e "$objects/images.S.o" ] || [ -n "$ASAN" ]; then
	skip "commands" "needs the provider for GPUs, built without ASan"
	finish
fi
"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "$CUDA_TOOLKIT/include" -o "$T/program" tests/sanitizer/commands.c \
	"$objects"/*/event*.c.o "$objects"/*/{queue,wait,host_writes,timed_out,skipped,space,objects,table,hints,shadows,seen,pass,accessed,contents,commands,transfers,memory,device_bytes,mappings}.c.o "$objects/images.S.o" \
	"$BUILD"/inside.o/gpu/{analysis/{accessed,may_write,transfer},nvidia/apis}.o -Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=clock_gettime "$BUILD/lib/emulator/libcuda.so.1" -ldl -lpthread \
	>"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
for seed in 1 2 "2 accesses"; do
	# shellcheck disable=SC2086
	for mode in passes commands; do
		LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 100 "$T/program" $mode $seed >"$T/$mode" 2>"$T/$mode.err" || not_ok "seed $seed, $mode" "$(tail -n 3 "$T/$mode.err")"
		sed "s/^/# $mode: /" "$T/$mode.err"
	done
	if cmp -s "$T/passes" "$T/commands" && [ "$(wc -l <"$T/passes")" -gt 600 ]; then
		ok "seed $seed: $(wc -l <"$T/passes") events are the same"
	else
		not_ok "seed $seed: the same events" "$(diff "$T/passes" "$T/commands" | head -20)"
	fi
done
finish
