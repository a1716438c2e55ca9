#!/bin/bash
# With a CUDA toolkit: the checked-in PTX is what nvcc makes, the C programs compile against NVIDIA's
# headers, and the programs that nvcc builds from C++ with <<<>>> give the graphs of the C ones.
. tests/lib.sh

if [ -z "$NVCC" ]; then
	skip "programs built with nvcc" "no CUDA toolkit"
	finish
fi

# comments and the version line name the toolkit's release; so does the numbering of .file
plain() {
	# .b8: names in the debug information; those of NVIDIA's inline functions hash the folder
	sed '/^\/\//d; /^\.version/d; /^\.b8/d; /^[ \t]*$/d' "$1"
}
release=$("$NVCC" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
for source in tests/programs/*_kernels.cu tests/programs/demo/kernels.cu tests/advice/kernels.cu; do
	ptx=${source%.cu}.ptx
	if [ "$release" = 13.0 ]; then
		expect_exit 0 "make-ptx $source" tests/programs/make-ptx "$NVCC" "$source"
		is "$ptx is what nvcc makes" "$(plain "$T/out")" "$(plain "$ptx")"
	else
		skip "$ptx is what nvcc makes" "made with release 13.0, this is $release"
	fi
done

for source in tests/programs/*.c tests/programs/demo/*.c tests/advice/*.c; do
	[ "$source" = tests/programs/hostile_trace.c ] && continue
	expect_exit 0 "NVIDIA's headers: $source" "$CC" -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -fsyntax-only -I. -isystem "$CUDA_TOOLKIT/include" "$source"
done

if [ -n "$ASAN" ]; then
	skip "programs built with nvcc" "they do not start with the address sanitizer's libraries preloaded"
	finish
fi

lines() { # DB -> per vertex the places of its call path
	"$VFLOW" export -T json "$1" >"$T/export.json" &&
		json_query "$T/export.json" "SELECT value->>'callpath' FROM json, json_each(text, '\$.vertices')" |
		sed -E 's/[^<]* ([^ <]*:[0-9]+)/ \1/g'
}
for program in figure3 demo; do
	expect_exit 0 "$program: C" collect "$T/c.db" "$P/$program"
	output=$(cat "$T/out")
	expect_exit 0 "$program: nvcc" collect "$T/n.db" "$P/${program}_nvcc"
	is "$program: the same output" "$(cat "$T/out")" "$output"
	is "$program: the same vertices" "$(vertices "$T/n.db")" "$(vertices "$T/c.db")"
	is "$program: the same edges" "$(edges "$T/n.db")" "$(edges "$T/c.db")"
	is "$program: the same places in the source" "$(lines "$T/n.db")" "$(lines "$T/c.db")"
done
fill=$(grep -nF 'fill_ongpu(l->outputs' tests/programs/demo/layers.c | cut -d: -f1)
like "demo: nvcc: the report names the lines" "$("$VFLOW" report "$T/n.db")" "layers\.c:$fill"

# kernels that are templates, in a namespace, local to the file: the path starts where <<<>>> stands
cat >"$T/kinds.cu" <<'END'
namespace ns {
template <class T, int N> __global__ void scaled(T *p) { *p = N; }
template <class T> void go(T *p) { scaled<T, 3><<<1, 1>>>(p); }
__global__ void plain(int *p) { *p = 1; }
}
static __global__ void local(int *p) { *p = 2; }
int main() {
	int *p;
	cudaMalloc(&p, 4);
	ns::go(p);
	ns::plain<<<1, 1>>>(p);
	local<<<1, 1>>>(p);
}
END
for options in "-O0 -g" "-O2 -g"; do
	# shellcheck disable=SC2086
	expect_exit 0 "kinds of kernels $options" "$NVCC" -cudart shared $options -o "$T/kinds" "$T/kinds.cu"
	expect_exit 0 "... collect" collect "$T/k.db" "$T/kinds"
	"$VFLOW" export -T json "$T/k.db" >"$T/export.json"
	is "... launched from" "$(json_query "$T/export.json" "SELECT value->>'name', value->>'callpath'
		FROM json, json_each(text, '\$.vertices') WHERE value->>'kind' = 'kernel'" | sed 's/void ns::go<int>(int\*)/go/')" \
		"void ns::scaled<int, 3>(int*) go kinds.cu:3 < main kinds.cu:10
ns::plain(int*) main kinds.cu:11
local(int*) main kinds.cu:12"
done

# with the runtime linked in, nvcc's default, and kernels and variables in units of their own
cat >"$T/unit.cu" <<'END'
__device__ int total[256];
__global__ void spread(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x] + 1; total[threadIdx.x] = 2; }
END
cat >"$T/main.cu" <<'END'
__global__ void spread(int *to, const int *from);
int main() {
	int *a, *b;
	cudaMalloc(&a, 1024);
	cudaMalloc(&b, 1024);
	cudaMemset(a, 0, 1024);
	spread<<<1, 256>>>(b, a);
	cudaDeviceSynchronize();
}
END
# alloc a 1, alloc b 2, memset 3, total's alloc 4, kernel 5: the kernel reads a of the memset; of
# total, zeros before, the 2 changes one byte of four: 256 * 3 = 768 stay
for options in "-cudart shared" "-cudart static" "-rdc=true -cudart shared" "-rdc=true"; do
	sources="$T/main.cu $T/unit.cu"
	if [ "${options#*rdc}" = "$options" ]; then
		cat "$T/unit.cu" "$T/main.cu" | sed '/^__global__.*;$/d' >"$T/both.cu"
		sources=$T/both.cu
	fi
	# shellcheck disable=SC2086
	expect_exit 0 "nvcc $options" "$NVCC" -O2 -g $options -o "$T/linked" $sources
	expect_exit 0 "... collect" collect "$T/l.db" "$T/linked"
	is "... vertices" "$(vertices "$T/l.db" | cut -d' ' -f1-2)" "0 host
1 alloc
2 alloc
3 memset
4 alloc
5 kernel"
	is "... edges" "$(edges "$T/l.db")" "1>3 W 1 1024 0 1
2>5 W 2 1024 0 1
3>5 R 1 1024 0 1
4>5 W 4 1024 768 1"
done
finish
