# cases NAME CASE...: builds tests/cupti/NAME.c with the provider of GPU times, and runs each of its cases.
. tests/lib.sh

cases() {
	local objects=$BUILD/inside.o/gpu name=$1 case code
	if [ ! -e "$objects/cupti/calls.o" ]; then
		skip "$name" "needs CUPTI's headers"
		finish
	fi
	# shellcheck disable=SC2086
	"$CC" $ASAN -std=gnu11 -D_GNU_SOURCE -g -I. -isystem "${CUPTI:-$CUDA_TOOLKIT}/include" -isystem "$CUDA_TOOLKIT/include" -o "$T/$name" "tests/cupti/$name.c" \
		"$objects"/cupti/{activity,arguments,calls,captures,graphs,hooks,memory,named_memory,operations,pending,provider,rows,sample_counts,samples,touches,waits}.o "$objects"/nvidia/*.o "$objects"/analysis/object_rows.o "$BUILD/inside.o/util/start_environment.o" -Wl,--wrap=clock_gettime -lpthread >"$T/log" 2>&1 ||
		not_ok "build" "$(cat "$T/log")"
	shift
	for case; do
		timeout 60 "$T/$name" "$case" 2>&1
		code=$?
		[ $code = 0 ] || echo "not ok - $case: exit code $code"
	done
	finish
}
