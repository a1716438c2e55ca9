#!/bin/bash
# What a reader sees of kernels and allocations behind layers of libraries: the operator's line, the
# template argument that tells the kernel apart; the profile keeps all frames.
. tests/lib.sh

source=tests/cli/e2e_layers.cu
if [ -z "$NVCC" ]; then
	skip "layers of libraries" "no CUDA toolkit"
	finish
fi
if [ -n "$ASAN" ]; then
	skip "layers of libraries" "programs of nvcc do not start with the address sanitizer's libraries preloaded"
	finish
fi
line() { # COMMENT -> its line
	grep -n "/\* $1 \*/" $source | cut -d: -f1
}

kernel='at::native::vectorized_elementwise_kernel<FillFunctor<float>>'
for debug in -g ''; do
	name=${debug:-no -g}
	# shellcheck disable=SC2086
	expect_exit 0 "$name: nvcc" "$NVCC" -cudart shared $debug -o "$T/layers" $source
	expect_exit 0 "$name: collect" collect "$T/p.db" "$T/layers"
	is "$name: the program's output" "$(cat "$T/out")" 2
	expect_exit 0 "$name: report" "$VFLOW" report "$T/p.db"
	report=$(cat "$T/out")
	# one dead write: all of the first fill
	if [ -n "$debug" ]; then
		operator="at::native::fill_kernel_cuda e2e_layers.cu:$(line operator) < main e2e_layers.cu:$(line dead)"
		object="main e2e_layers.cu:$(line allocation)"
	else
		operator='at::native::fill_kernel_cuda < main \(no line: build the host code with -g\)'
		object='main \(no line: build the host code with -g\)'
	fi
	like "$name: the operation" "$report" "dead write: 64.0K.*operation  $kernel \(kernel, vertex"
	like "$name: its place" "$report" "invocation\)
               $operator
"
	like "$name: the object's place" "$report" "object     [^
]*64.0K
               $object
"
	[ -z "$debug" ] || like "$name: its source" "$report" "[0-9]> 	? *dispatch\(\); /\* operator \*/"
	unlike "$name: no layer" "$report" 'c10::|_ops::|gpu_kernel_impl_nocast<|thrust::'
	paths=$("$VFLOW" slice --vertex 2 "$T/p.db" 2>"$T/err")
	like "$name: DOT has all frames" "$paths" 'gpu_kernel_impl_nocast.*fill_kernel_cuda.* < at::_ops::fill_'
done
"$VFLOW" render -T svg -o "$T/p.svg" "$T/p.db"
like "label" "$(cat "$T/p.svg")" 'vectori[a-z_]*…&lt;FillFunctor&lt;float&gt;&gt;<'
finish
