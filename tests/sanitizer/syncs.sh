#!/bin/bash
# Calls that wait for the device, from the Sanitizer's callbacks to events: see sanitizer/syncs.c.
. tests/lib.sh
objects=$BUILD/sanitizer.o
if [ ! -e "$objects/images.S.o" ] || [ -n "$ASAN" ]; then
	skip "syncs" "needs the provider for GPUs, built without ASan"
	finish
fi
linked=("$objects"/*/event*.c.o "$objects"/*/{calls,queue,wait,host_writes,timed_out,skipped,space,objects,table,hints,shadows,seen,pass,accessed,values,contents,commands,transfers,memory,device_bytes,mappings,textures,loaded}.c.o)
build() {
	"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "$CUDA_TOOLKIT/include" -isystem "$SANITIZER/include" -c -o "$T/syncs.o" tests/sanitizer/syncs.c &&
		mapfile -t unused < <(comm -23 <(nm -u "$objects"/*/calls.c.o | grep -Eo '(calls|destination|graphs|launch|modules?)_.*' | sort) \
			<(nm --defined-only "$T/syncs.o" "${linked[@]}" | awk 'NF == 3 { print $3 }' | sort) | sed 's/.*/-Wl,--defsym=&=never/') &&
		"$CC" -o "$T/syncs" "$T/syncs.o" "${linked[@]}" "${unused[@]}" "$objects/images.S.o" "$BUILD"/inside.o/gpu/{analysis/{accessed,loaded_code,may_write,transfer},nvidia/{apis,streams},sass/cubin}.o \
			-Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=clock_gettime "$BUILD/lib/emulator/libcuda.so.1" -ldl -lpthread
}
build >"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
for case in names order overlapping loop lost failing locked ordering; do
	LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/syncs" $case 2>&1
	code=$?
	[ $code = 0 ] || echo "not ok - $case: exit code $code"
done
finish
