# tests/gpu/gpu.bash: programs of this folder, and parts of tests.  Sourced after tests/lib.sh.

# Compiles a program of this folder as $T/NAME, once for each content: a later run of the tests takes it from the build's folder.
compile() { # NAME NVCC-ARGUMENT...
	local kept key name=$1
	shift
	key=$({ echo "$*"; cat tests/gpu/*.{h,cuh} gpu/analysis/*.h; printf '%s\n' "$@" | grep -v '^-' | xargs -d '\n' cat; } 2>"$T/log" | sha1sum)
	kept=$BUILD/tests/gpu/$name.${key:0:16}
	mkdir -p "$BUILD/tests/gpu"
	if [ ! -x "$kept" ]; then
		"$NVCC" "$@" -o "$kept.$$" 2>"$T/log" || { not_ok "nvcc $name" "$(cat "$T/log")"; return; }
		mv "$kept.$$" "$kept"
	fi
	cp "$kept" "$T/$name"
}

# A test may be split: "X.sh 2/3" does every third of its cases, beginning with the second.
part=${1:-1/1} case_number=0
my_turn() {
	[ $((case_number++ % ${part#*/})) -eq $((${part%/*} - 1)) ]
}
last_part() { # what is no case
	[ "${part%/*}" = "${part#*/}" ]
}
