#!/bin/bash
# GPU code that is loaded and never launched, per library.  An instruction of the PTX counts as 16 bytes
# on the emulated device.
#
#     liba.so:  one module, loaded once: a1 (1 instruction, launched three times), a2 (2), a4 (4)
#     program:  one module, loaded twice: b1 (1, launched in the second), b3 (3); and, at one call path
#               each, two modules that differ in a name only: c1, d1 (1 each, both launched)
. tests/lib.sh

kernel() { # NAME INSTRUCTIONS
	printf '.visible .entry %s()\n{\n\t.reg .b32 %%r<2>;\n' "$1"
	for ((i = 1; i < $2; i++)); do
		printf '\tmov.u32 %%r1, %d;\n' "$i"
	done
	printf '\tret;\n}\n'
}
ptx() { # VARIABLE KERNELS...: a definition in C
	printf '.version 7.0\n.target sm_75\n.address_size 64\n' >"$T/$1.ptx"
	for word in "${@:2}"; do
		kernel "${word%:*}" "${word#*:}" >>"$T/$1.ptx"
	done
	printf 'static const char %s[] =\n' "$1"
	sed 's/\t/\\t/g; s/.*/\t"&\\n"/; $s/$/;/' "$T/$1.ptx"
}
size_of() { # NAME
	stat -c %s "$T/$1.ptx"
}
cat >"$T/load.h" <<'C'
#include <cuda.h>
#include <cuda_runtime_api.h>
static CUmodule load(const char *ptx)
{
	CUmodule module = 0;
	cuModuleLoadData(&module, ptx);
	return module;
}
static void launch(CUmodule module, const char *name)
{
	CUfunction function;
	if (!cuModuleGetFunction(&function, module, name))
		cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
}
C
{
	ptx a a1:1 a2:2 a4:4
	cat <<'C'
#include "load.h"
void library(void)
{
	CUmodule module = load(a);
	for (int i = 0; i < 3; i++)
		launch(module, "a1");
}
C
} >"$T/a.c"
{
	ptx b b1:1 b3:3
	ptx c c1:1
	ptx d d1:1
	cat <<'C'
#include "load.h"
void library(void);
int main(void)
{
	const char *const alike[] = {c, d};
	const char *const names[] = {"c1", "d1"};
	void *memory;

	cudaMalloc(&memory, 1000);
	library();
	for (int i = 0; i < 2; i++) {
		CUmodule module = load(b);
		if (i)
			launch(module, "b1");
		cuModuleUnload(module);
	}
	for (int i = 0; i < 2; i++)
		launch(load(alike[i]), names[i]);
	cudaFree(memory);
}
C
} >"$T/program.c"
libraries=("$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} "-Wl,-rpath,$(realpath "$BUILD")/lib/emulator")
"$CC" $ASAN -g -fPIC -shared -Igpu/emulator/include -o "$T/liba.so" "$T/a.c" "${libraries[@]}" || not_ok "the library is built"
"$CC" $ASAN -g -Igpu/emulator/include -o "$T/program" "$T/program.c" -L"$T" -la -Wl,-rpath,"$T" "${libraries[@]}" || not_ok "the program is built"

ask() { # SQL
	sqlite3 -separator ' ' "$T/m.db" "$1"
}
a=$(size_of a) b=$(size_of b) c=$(size_of c)
for pass in flow calls; do
	expect_exit 0 "$pass: collect" "$VFLOW" collect -q --device emulated --passes $pass -o "$T/m.db" "$T/program"
	is "$pass: modules" "$(ask "SELECT replace(library, '$T/', ''), loads, bytes, code_bytes, kernel_bytes, kernels, launched, launched_bytes, loading FROM gpu_module")" \
		"liba.so 1 $a 112 112 3 1 16 1
program 2 $b 64 64 2 1 16 1
program 1 $c 16 16 1 1 16 1
program 1 $c 16 16 1 1 16 1"
	is "$pass: kernels" "$(ask "SELECT module, name, bytes, launched FROM gpu_function ORDER BY module, name")" \
		"1 a1 16 1
1 a2 32 0
1 a4 64 0
2 b1 16 1
2 b3 48 0
3 c1 16 1
4 d1 16 1"
done
is "the view sums them" "$(ask "SELECT replace(library, '$T/', ''), modules, bytes, kernels, launched, kernel_bytes, launched_bytes FROM gpu_code")" \
	"liba.so 1 $a 3 1 112 16
program 3 $((2 * b + 2 * c)) 4 3 96 48"
like "the report: the most code that was never launched first" "$("$VFLOW" report --memory "$T/m.db" | tr -s ' \n' ' ')" \
	"GPU code that was loaded and never launched 96 bytes liba\.so: 2 of 3 kernels in 1 module, whose images have [^ ]+( bytes)?; the largest is a4 \(64 bytes\) 48 bytes program: 1 of 4 kernels in 3 modules, whose images have [^ ]+( bytes)?; the largest is b3 \(48 bytes\) "
unlike "... of which none are loaded lazily" "$("$VFLOW" report --memory "$T/m.db")" "lazily"
is "in JSON" "$("$VFLOW" report --memory -T json "$T/m.db" >"$T/m.json" && json_query "$T/m.json" "SELECT value->>'modules', value->>'loads', value->>'bytes',
	value->>'kernels', value->>'launched', value->>'unused_bytes', value->>'largest_unused', value->>'largest_unused_bytes', value->>'lazy' FROM json, json_each(text, '\$.gpu_code')")" \
	"1 1 $a 3 1 96 a4 64 0
3 4 $((2 * b + 2 * c)) 4 3 48 b3 48 0"

# launches of graphs count, and a module of many kernels costs eight names
many=()
for ((k = 0; k < 2000; k++)); do
	many+=("k$k:$((1 + k % 10))")
done
{
	ptx many "${many[@]}"
	cat <<'C'
#include "load.h"
int main(void)
{
	CUmodule module = load(many);
	CUfunction function;
	CUgraph graph;
	CUgraphExec executable;
	CUgraphNode node;
	CUDA_KERNEL_NODE_PARAMS parameters = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1};
	void *memory;

	cudaMalloc(&memory, 1000);
	module = module ? module : load(many);
	cuModuleGetFunction(&function, module, "k1999");
	parameters.func = function;
	cuGraphCreate(&graph, 0);
	cuGraphAddKernelNode(&node, graph, 0, 0, &parameters);
	cuGraphInstantiateWithFlags(&executable, graph, 0);
	cuGraphLaunch(executable, 0);
	cuGraphLaunch(executable, 0);
}
C
} >"$T/many.c"
"$CC" $ASAN -g -Igpu/emulator/include -I"$T" -o "$T/many" "$T/many.c" "${libraries[@]}" || not_ok "the program of many kernels is built"
expect_exit 0 "many: collect" collect "$T/m.db" "$T/many"
is "many: 200 of each size from 1 to 10" "$(ask "SELECT kernels, kernel_bytes, launched, launched_bytes FROM gpu_module WHERE kernels > 1")" \
	"2000 $((200 * 55 * 16)) 1 160"
is "many: the first eight of 160 bytes, and the one that the graph launches" "$(ask "SELECT group_concat(name, ' ') FROM gpu_function")" \
	"k9 k19 k29 k39 k49 k59 k69 k79 k1999"
finish
