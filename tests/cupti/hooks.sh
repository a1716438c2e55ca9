#!/bin/bash
# Waits inside of libcuda, seen by what it imports: see tests/cupti/hooks.c.
. tests/lib.sh
object=$BUILD/inside.o/gpu/cupti/hooks.o
if [ ! -e "$object" ]; then
	skip "hooks" "needs CUPTI's headers"
	finish
fi
for kind in lazy now; do
	mkdir -p "$T/$kind"
	"$CC" -std=gnu11 -D_GNU_SOURCE -g -fPIC -shared -DDRIVER -Wl,-z,$kind -Wl,-z,relro -o "$T/$kind/libcuda.so.1" tests/cupti/hooks.c >"$T/log" 2>&1 ||
		not_ok "build: $kind" "$(cat "$T/log")"
done
# shellcheck disable=SC2086
"$CC" $ASAN -std=gnu11 -D_GNU_SOURCE -g -I. -rdynamic -o "$T/hooks" tests/cupti/hooks.c "$object" -lpthread -ldl >"$T/log" 2>&1 ||
	not_ok "build" "$(cat "$T/log")"
for kind in lazy now; do # in a page that can be written, or only read
	timeout 600 "$T/hooks" "$T/$kind/libcuda.so.1" 2>&1 | sed "/^1\\.\\./d; s/ - / - $kind: /"
	[ "${PIPESTATUS[0]}" = 0 ] || echo "not ok - $kind"
done
finish
