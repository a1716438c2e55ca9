#!/bin/bash
# The emulated CUDA libraries, without a guest: what they export and need, and programs in C and
# C++ that check them from inside.
libraries=$(realpath "$BUILD")/lib/emulator
here=$(mktemp -d) || exit 1
trap 'rm -rf "$here"' EXIT
number=0 failures=0
: "${CUDA_TOOLKIT:=}"
nvcc_major=$([ -z "$NVCC" ] || "$NVCC" --version | sed -n 's/.*release \([0-9]*\).*/\1/p')
[ -n "$ASAN" ] && export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

check() { # NAME COMMAND...
	local name=$1
	shift
	number=$((number + 1))
	if "$@" >"$here/log" 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		failures=$((failures + 1))
		sed 's/^/# /' "$here/log"
	fi
}
skip() { # NAME WHY
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}
preload() {
	LD_PRELOAD=$(printf '%s:' "$libraries"/*.so.*) "$@"
}
equal() { # EXPECTED COMMAND...: its output
	local expected=$1 got
	shift
	got=$("$@")
	[ "$got" = "$expected" ] && return
	printf 'expected: %s\ngot: %s\n' "$expected" "$got"
	return 1
}
needed() {
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' |
		grep -v -e '^libc\.so' -e '^libm\.so' -e '^ld-linux' -e '^libasan' -e '^libubsan' ${ASAN:+-e '^libclang_rt' -e '^libgcc_s'}
}

for pair in 11:11.0 12:12 13:13; do
	library=$libraries/libcudart.so.${pair#*:}
	node=libcudart.so.${pair#*:}
	check "$node needs libc and libcuda only" equal libcuda.so.1 needed "$library"
	check "$node has its own version node" equal "cudaMalloc@@$node" \
		sh -c "nm -D --defined-only '$library' | sed -n 's/.* \(cudaMalloc@.*\)/\1/p'"
done
check "libcuda.so.1 needs libc only" equal "" needed "$libraries/libcuda.so.1"
check "nothing else is exported, but what AddressSanitizer asks and what starts programs and threads" equal "" \
	sh -c "nm -D --defined-only '$libraries/libcuda.so.1' | sed -n 's/.* [TDBRV] //p' | grep -v -e '^cu' -e '^nvrtcGetCUBIN' -e '^vflow_emulator_' -e '^__asan_default_options$' -e '^exec[ev][a-z]*$' -e '^posix_spawnp*$' -e '^pthread_create$' -e '^pthread_join$'"
check "a program without CUDA does not notice" equal "hello" preload bash -c 'echo hello; ls / >/dev/null' 2>&1

build() { # PROGRAM INCLUDE
	$CC -std=gnu11 -Wall -Wextra -Werror -g -I"$2" -o "$here/$1" "tests/cli/$1.c" \
		"$libraries/libcudart.so.13" "$libraries/libcuda.so.1" -Wl,-rpath,"$libraries"
}
run() { # PROGRAM: it prints TAP
	preload "$here/$1" >"$here/out" 2>"$here/err" && ! grep '^not ok' "$here/out" && tail -1 "$here/out" | grep '^1\.\.' && return
	grep -A1 '^not ok' "$here/out"
	cat "$here/err"
	return 1
}
for program in emulator_runtime emulator_driver; do
	check "$program compiles against our header" build $program gpu/emulator/include
	check "$program" run $program
	if [ -e "$CUDA_TOOLKIT/include/cuda.h" ] && [ "$nvcc_major" != 13 ]; then
		skip "$program compiles against NVIDIA's header" "written for CUDA 13, this is $nvcc_major"
	elif [ -e "$CUDA_TOOLKIT/include/cuda.h" ]; then
		check "$program compiles against NVIDIA's header" build $program "$CUDA_TOOLKIT/include"
		check "$program, so compiled" run $program
	else
		skip "$program compiles against NVIDIA's header" "no CUDA toolkit"
	fi
done
check "without preloading too" "$here/emulator_runtime"
build_race() {
	$CC $ASAN -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -I. -o "$here/race" tests/cli/emulator_graph_race.c \
		"$libraries/libcudart.so.13" "$libraries/libcuda.so.1" -Wl,-rpath,"$libraries"
}
check "emulator_graph_race compiles" build_race
check "emulator_graph_race" equal "1..5" sh -c "'$here/race' '$here/race.dot' | grep -v '^ok'"

# the other majors have other layouts
for pair in 11:11.0 12:12; do
	major() {
		$CC -std=gnu11 -Wall -Wextra -Werror -DCUDART_MAJOR="${pair%:*}" -Igpu/emulator/include \
			-o "$here/major" tests/cli/emulator_runtime.c "$libraries/libcudart.so.${pair#*:}" \
			"$libraries/libcuda.so.1" -Wl,-rpath,"$libraries" && run major
	}
	check "emulator_runtime with libcudart.so.${pair#*:}" major
done

# a kernel that fails: one line on stderr, and the error stays
fault() { # HOW CODE TEXT
	equal "$2 $2 $2" preload "$here/emulator_driver" "$1" 2>"$here/err" || return 1
	cat "$here/err"
	[ "$(wc -l <"$here/err")" = 1 ] && grep -q "^vflow emulator: .*store.*$3" "$here/err"
}
check "a store outside is an illegal address" fault outside 700 ""
check "an unaligned store is a misaligned address" fault unaligned 716 ""
rights="reserved, but not mapped or without this right"
check "a store to memory that may only be read" fault read-only 700 "$rights"
check "a store to memory that may not be accessed" fault none 700 "$rights"
check "a store to addresses where nothing is mapped" fault reserved 700 "$rights"
check "a trap is a launch failure" fault trap 719 ""

if [ -z "$NVCC" ]; then
	skip "programs built by nvcc" "no CUDA toolkit"
else
	compile() { # NAME OPTION...
		local name=$1
		shift
		$NVCC -std=c++17 -cudart shared "$@" -o "$here/$name" tests/cli/emulator_nvcc.cu
	}
	check "nvcc, as it comes" compile plain
	check "runs" run plain
	check "nvcc -arch=sm_90 -O3 -lineinfo, not compressed" compile none -arch=sm_90 -O3 -lineinfo --no-compress
	check "runs" run none
	check "nvcc -G" compile debug -arch=sm_90 -G
	check "runs" run debug
	# Two translation units with names of their own: x + 1, doubled by the other unit and shared
	# memory of both: (3 + 1) * 2 + 10 = 18; its static functions and strings stay apart.
	cat >"$here/one.cu" <<-'END'
		#include <cstdio>
		extern __device__ int table[4];
		extern __constant__ int added;
		__device__ int twice(int);
		static __device__ __noinline__ int mine(int x) { printf("one %d\n", x); return x + 1; }
		template <class T> __device__ __noinline__ T shared_name(T x) { __shared__ T kept; kept = x; return kept; }
		__global__ void first(int *to) { __shared__ int tile[2]; tile[1] = mine(*to); *to = twice(shared_name(tile[1])) + added; table[2] = *to; }
		int second(int *to);
		int main() {
			int *p, x = 3, y;
			cudaMalloc(&p, sizeof(x));
			cudaMemcpy(p, &x, sizeof(x), cudaMemcpyHostToDevice);
			first<<<1, 1>>>(p);
			cudaMemcpyFromSymbol(&y, table, sizeof(y), 8);
			cudaDeviceSynchronize();
			printf("%d %d\n", y, second(p));
		}
	END
	cat >"$here/two.cu" <<-'END'
		#include <cstdio>
		__device__ int table[4];
		__constant__ int added = 10;
		static __device__ __noinline__ int mine(int x) { printf("two %d\n", x); return x + x; }
		template <class T> __device__ __noinline__ T shared_name(T x) { __shared__ T kept; kept = x; return kept; }
		__device__ int twice(int x) { return mine(x); }
		__global__ void last(int *to) { __shared__ int tile[10000]; tile[9999] = shared_name(table[2]); *to = tile[9999] + 1; }
		int second(int *to) {
			int x = 0;
			last<<<1, 1>>>(to);
			cudaMemcpy(&x, to, sizeof(x), cudaMemcpyDeviceToHost);
			return x;
		}
	END
	separate() { # OPTION...
		$NVCC -rdc=true "$@" -o "$here/separate" "$here/one.cu" "$here/two.cu" &&
			equal $'one 3\ntwo 4\n18 19' preload "$here/separate"
	}
	check "separate compilation" separate -cudart shared
	# Each of 2 threads launches a grid of 3 and, down to level 2, 2 threads more:
	# levels 0, 1 and 2 have 2, 4 and 8 threads, so 14 grids of 3 add 1 each.
	cat >"$here/nested.cu" <<-'END'
		#include <cstdio>
		__global__ void add(int *to, int by) { atomicAdd(to, by); }
		__global__ void spread(int *to, int level) {
			add<<<3, 1>>>(to, 1);
			if (level < 2)
				spread<<<1, 2>>>(to, level + 1);
		}
		int main() {
			int *p, x = 0;
			cudaMalloc(&p, sizeof(x));
			cudaMemset(p, 0, sizeof(x));
			spread<<<1, 2>>>(p, 0);
			printf("%d ", cudaDeviceSynchronize());
			cudaMemcpy(&x, p, sizeof(x), cudaMemcpyDeviceToHost);
			printf("%d\n", x);
		}
	END
	nested() {
		$NVCC -rdc=true -arch=sm_90 -cudart shared -o "$here/nested" "$here/nested.cu" -lcudadevrt &&
			equal "0 42" preload "$here/nested"
	}
	if [ "$nvcc_major" -lt 12 ]; then
		skip "kernels that launch kernels" "CUDA $nvcc_major calls cudaGetParameterBufferV2 for it, which the emulator lacks"
	else
		check "kernels that launch kernels" nested
	fi
	[ -n "$ASAN" ] || check "separate compilation with the runtime linked in" separate
	cat >"$here/jit.cpp" <<-'END'
		#include <cuda.h>
		#include <nvrtc.h>
		#include <cstdio>
		#include <vector>
		int main() {
			const char *source = "extern \"C\" __global__ void twice(int *p) { p[threadIdx.x] *= 2; }";
			const char *options[] = {"--gpu-architecture=sm_90"};
			nvrtcProgram program;
			size_t size;
			if (nvrtcCreateProgram(&program, source, "twice.cu", 0, 0, 0) || nvrtcCompileProgram(program, 1, options) ||
			    nvrtcGetCUBINSize(program, &size))
				return 1;
			std::vector<char> image(size);
			nvrtcGetCUBIN(program, image.data());
			CUcontext context;
			CUmodule module;
			CUfunction twice;
			CUdeviceptr memory;
			int values[] = {3, 5};
			void *arguments[] = {&memory};
			cuInit(0), cuDevicePrimaryCtxRetain(&context, 0), cuCtxSetCurrent(context);
			int error = cuModuleLoadData(&module, image.data());
			cuModuleGetFunction(&twice, module, "twice");
			cuMemAlloc(&memory, 8), cuMemcpyHtoD(memory, values, 8);
			cuLaunchKernel(twice, 1, 1, 1, 2, 1, 1, 0, 0, arguments, 0);
			cuMemcpyDtoH(values, memory, 8);
			printf("%d %d %d\n", error, values[0], values[1]);
		}
	END
	if [ -z "$ASAN" ] && $NVCC -cudart none -o "$here/jit" "$here/jit.cpp" -lnvrtc -Xlinker "$libraries/libcuda.so.1" 2>"$here/err"; then
		check "compiled at run time to a cubin" equal "0 6 10" preload "$here/jit"
	else
		skip "compiled at run time to a cubin" "no NVRTC here"
	fi
	check "a fault in it" equal 700 preload "$here/plain" fail
	only_sass() {
		compile sass -gencode arch=compute_90,code=sm_90 || return 1
		preload "$here/sass" >/dev/null 2>"$here/err"
		cat "$here/err"
		[ "$(wc -l <"$here/err")" = 1 ] && grep -q 'gencode arch=compute_90,code=compute_90' "$here/err"
	}
	check "without PTX it says what to add, once" only_sass
	no_gap() { # the coverage of a program without PTX
		"$VFLOW" collect -q --device emulated -o "$here/sass.db" "$here/sass" >/dev/null 2>&1
		equal modules sqlite3 "$here/sass.db" "SELECT what FROM coverage WHERE reason LIKE '%without PTX%'"
	}
	check "... and the coverage tells of it" no_gap
	static_runtime() {
		$NVCC -std=c++17 -cudart static -o "$here/static" tests/cli/emulator_nvcc.cu && run static
	}
	stripped() {
		strip -o "$here/stripped" "$here/static" || return 1
		preload "$here/stripped" >/dev/null 2>"$here/err"
		cat "$here/err"
		[ "$(grep -c '^vflow emulator: ' "$here/err")" = 1 ] &&
			grep -q "^vflow emulator: $here/stripped .*-cudart shared" "$here/err"
	}
	if [ -n "$ASAN" ]; then
		skip "with the runtime linked in" "its constructors run before AddressSanitizer's"
	else
		check "with the runtime linked in" static_runtime
		check "... and no symbols it says who and what to do, once" stripped
	fi
fi
echo "1..$number"
[ $failures -eq 0 ]
