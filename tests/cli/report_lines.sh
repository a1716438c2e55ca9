#!/bin/bash
# vflow report --lines: the source of kernels with the values that each line loads and stores.
. tests/lib.sh

if [ -z "$NVCC" ] || [ -n "$ASAN" ]; then
	skip "lines of kernels" "no CUDA toolkit, or its programs do not start with the sanitizers' libraries"
	finish
fi
export LD_LIBRARY_PATH=$(realpath "$BUILD")/lib/emulator${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# 64 threads; line 5 loads 0 to 9, line 7 the same of `scale` three times, for `out` may be a part of it; of line 8's
# three stores 7 threads have zeros
cat >"$T/lines.cu" <<'END'
#include <cstdlib>
__global__ void scale_sum(const int *small, const float *scale, float *out)
{
	int i = threadIdx.x;
	float sum = small[i];
	for (int n = 0; n < 3; n++)
		sum *= scale[0],
		out[i] = sum;
}
int main()
{
	int host[64], *small;
	float two = 2, *scale, *out, back[64];
	for (int i = 0; i < 64; i++)
		host[i] = i % 10;
	if (cudaMalloc(&small, sizeof host) || cudaMalloc(&scale, sizeof two) || cudaMalloc(&out, sizeof back))
		return 1;
	cudaMemcpy(small, host, sizeof host, cudaMemcpyHostToDevice);
	cudaMemcpy(scale, &two, sizeof two, cudaMemcpyHostToDevice);
	scale_sum<<<1, 64>>>(small, scale, out);
	cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
	return back[63] != 24;
}
END
expect_exit 0 "the program builds" "$NVCC" -cudart shared -g -lineinfo -o "$T/lines" "$T/lines.cu"
expect_exit 0 "it is collected" collect "$T/v.db" --passes flow,values "$T/lines"
expect_exit 0 "report --lines" "$VFLOW" report --lines '^scale' "$T/v.db"
is "the lines, from two before the first to two behind the last, and what each accesses" "$(sed "s|$T/||; s/, lines.cu:[0-9]*)/)/" "$T/out")" "\
scale_sum (vertex 6)
  lines.cu
      3  {
      4   int i = threadIdx.x;
      5>  float sum = small[i];
           load s32 64 times, cudaMalloc (vertex 1): 0 to 9
      6   for (int n = 0; n < 3; n++)
      7>   sum *= scale[0],
           load f32 64 times, cudaMalloc (vertex 2): all 2
           load f32 64 times, cudaMalloc (vertex 2): all 2, 100% again (in 2
           instructions each)
      8>   out[i] = sum;
           store f32 64 times, cudaMalloc (vertex 3): 0 to 18
           store f32 64 times, cudaMalloc (vertex 3): 0 to 36, 10.9% again
           store f32 64 times, cudaMalloc (vertex 3): 0 to 72, 10.9% again
      9  }
     10  int main()"
expect_exit 0 "report --lines -T json" "$VFLOW" report --lines scale -T json "$T/v.db"
is "rows for programs" "$(json_query "$T/out" "SELECT value->>'line', value->>'kind', value->>'type', value->>'count', value->>'least', value->>'most',
	value->>'repeats', value->'most_frequent'->0->>'value' FROM json, json_each(text, '\$.lines')")" "\
5 load s32 64 0.0 9.0 0 0
7 load f32 64 2.0 2.0 0 2
7 load f32 64 2.0 2.0 64 2
7 load f32 64 2.0 2.0 64 2
8 store f32 64 0.0 18.0 0 0
8 store f32 64 0.0 36.0 7 0
8 store f32 64 0.0 72.0 7 0"
mv "$T/lines.cu" "$T/gone.cu"
expect_exit 0 "the source is not there" "$VFLOW" report --lines scale "$T/v.db"
like "... its numbers are" "$(cat "$T/out")" $'\n      7>\n +load f32'
expect_exit 1 "no kernel has such a name" "$VFLOW" report --lines nowhere "$T/v.db"
like "... says so" "$(cat "$T/err")" "no kernel has such a name"
expect_exit 1 "no regular expression" "$VFLOW" report --lines '(' "$T/v.db"
like "... says where" "$(cat "$T/err")" "missing closing parenthesis"
expect_exit 2 "with --memory" "$VFLOW" report --lines scale --memory "$T/v.db"
expect_exit 0 "a profile of flow alone" collect "$T/flow.db" "$T/lines"
expect_exit 1 "... has no lines" "$VFLOW" report --lines scale "$T/flow.db"
like "... says how they come there" "$(cat "$T/err")" "flow,values"
finish
