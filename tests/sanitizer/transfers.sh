#!/bin/bash
# What copies to the host bring, and what the host held before: see sanitizer/transfers.c.
. tests/lib.sh
objects=$BUILD/sanitizer.o
if [ ! -e "$objects/images.S.o" ] || [ -n "$ASAN" ]; then
	skip "transfers" "needs the provider for GPUs, built without ASan"
	finish
fi
linked=("$objects"/*/event*.c.o "$objects"/*/{calls,calls_note,calls_copy,destination,queue,wait,host_writes,timed_out,skipped,space,objects,table,hints,shadows,seen,pass,accessed,values,contents,commands,transfers,memory,device_bytes,mappings,textures,loaded}.c.o)
build() {
	"$CC" -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "$CUDA_TOOLKIT/include" -isystem "$SANITIZER/include" -c -o "$T/transfers.o" tests/sanitizer/transfers.c &&
		mapfile -t unused < <(comm -23 <(nm -u "$objects"/callback/calls{,_note,_copy}.c.o | awk '$1 == "U" { print $2 }' | grep -E '^((calls|graphs?|launch|modules?|patching)_|sanitizer)' | sort -u) \
			<(nm --defined-only "$T/transfers.o" "${linked[@]}" | awk 'NF == 3 { print $3 }' | sort -u) | sed 's/.*/-Wl,--defsym=&=never/') &&
		"$CC" -o "$T/transfers" "$T/transfers.o" "${linked[@]}" "${unused[@]}" "$objects/images.S.o" "$BUILD"/inside.o/gpu/{analysis/{accessed,loaded_code,may_write,transfer},nvidia/{apis,streams},sass/cubin}.o \
			-Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=clock_gettime "$BUILD/lib/emulator/libcuda.so.1" -ldl -lpthread
}
build >"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
for case in awaited pending large rows rows_behind asynchronous digests held_back behind_skipped loop unknown; do
	LD_LIBRARY_PATH=$BUILD/lib/emulator timeout 600 "$T/transfers" $case 2>&1
	code=$?
	[ $code = 0 ] || echo "not ok - $case: exit code $code"
done
finish
