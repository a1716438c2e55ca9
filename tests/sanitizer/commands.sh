#!/bin/bash
# Small copies and sets as commands, and copies that share a pass, give the same events as with passes of
# their own: see sanitizer/commands.c.
. tests/lib.sh
objects=$BUILD/sanitizer.o
if [ ! -e "$objects/images.S.o" ] || [ -n "$ASAN" ]; then
	skip "commands" "needs the provider for GPUs, built without ASan"
	finish
fi
"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "$CUDA_TOOLKIT/include" -o "$T/program" tests/sanitizer/commands.c \
	"$objects"/*/event*.c.o "$objects"/*/{queue,wait,host_writes,timed_out,skipped,space,objects,table,hints,shadows,seen,pass,accessed,values,contents,commands,transfers,memory,device_bytes,mappings}.c.o "$objects/images.S.o" \
	"$BUILD"/inside.o/gpu/{analysis/{accessed,may_write,transfer},nvidia/{apis,streams}}.o -Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=clock_gettime "$BUILD/lib/emulator/libcuda.so.1" -ldl -lpthread \
	>"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
for seed in 1 "2 accesses"; do
	# shellcheck disable=SC2086
	for mode in passes commands held; do
		LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/program" $mode $seed >"$T/$mode" 2>"$T/$mode.err" || not_ok "seed $seed, $mode" "$(tail -n 3 "$T/$mode.err")"
		sed "s/^/# $mode: /" "$T/$mode.err"
	done
	for mode in commands held; do
		if cmp -s "$T/passes" "$T/$mode" && [ "$(wc -l <"$T/passes")" -gt 600 ]; then
			ok "seed $seed, $mode: $(wc -l <"$T/passes") events are the same"
		else
			not_ok "seed $seed, $mode: the same events" "$(diff "$T/passes" "$T/$mode" | head -20)"
		fi
	done
done
finish
