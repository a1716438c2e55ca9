#!/bin/bash
# Programs that do what few do: clear their environment, leave main by pthread_exit(), copy nothing.
. tests/lib.sh
build() { # PROGRAM: from stdin
	"$CC" -std=gnu11 -g -D_GNU_SOURCE -Igpu/emulator/include $ASAN -o "$T/$1" -x c - -x none "$BUILD/lib/emulator/libcudart.so.13" \
		-Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lpthread 2>"$T/log" || not_ok "build $1" "$(cat "$T/log")"
}
operations() { # PROGRAM: name and call path of each
	expect_exit 0 "$1" "$VFLOW" collect -q --device emulated --passes flow,time,waits -o "$T/$1.db" "$T/$1"
	"$VFLOW" query -T csv 'MATCH (v) WHERE v.kind <> "host" RETURN v.name, v.callpath ORDER BY v.id' "$T/$1.db" | sed 1d | tr -d '"\r' | paste -sd' '
}

build cleared <<'END'
#include <cuda_runtime_api.h>
#include <stdlib.h>
int main(void)
{
	void *p;
	clearenv();
	cudaMalloc(&p, 4096);
	cudaMemset(p, 1, 4096);
	return cudaFree(p);
}
END
is "an environment that was cleared before the first call" "$(operations cleared | tail -n 1)" "cudaMalloc,main <stdin>:7 cudaMemset,main <stdin>:8"
is "... its passes, too" "$(sqlite3 "$T/cleared.db" "SELECT count(*) FROM gpu_times WHERE end_ns > start_ns")" 1
is "... and nothing is missing" "$(sqlite3 "$T/cleared.db" "SELECT * FROM coverage")" ""

build left <<'END'
#include <cuda_runtime_api.h>
#include <pthread.h>
static pthread_t main_thread;
static void *other(void *p)
{
	pthread_join(main_thread, NULL);
	cudaMemset(p, 2, 4096);
	cudaFree(p);
	return NULL;
}
int main(void)
{
	pthread_t thread;
	void *p;
	cudaMalloc(&p, 4096);
	cudaMemset(p, 1, 4096);
	main_thread = pthread_self();
	pthread_create(&thread, NULL, other, p);
	pthread_exit(NULL);
}
END
is "main left by pthread_exit()" "$(operations left | tail -n 1)" "cudaMalloc,main <stdin>:15 cudaMemset,main <stdin>:16 cudaMemset,other <stdin>:7"

build nothing <<'END'
#include <cuda_runtime_api.h>
int main(void)
{
	char host[4096] = {0}, *p, *q;
	cudaStream_t stream;
	if (cudaMalloc((void **)&p, 4096) || cudaMalloc((void **)&q, 4096) || cudaStreamCreate(&stream))
		return 1;
	for (int i = 0; i < 3; i++)
		if (cudaMemcpy(p, host, 0, cudaMemcpyHostToDevice) || cudaMemcpy(host, p, 0, cudaMemcpyDeviceToHost) ||
		    cudaMemcpy(q, p, 0, cudaMemcpyDeviceToDevice) || cudaMemcpyAsync(p, host, 0, cudaMemcpyHostToDevice, stream) ||
		    cudaMemset(p, 0, 0) || cudaMemsetAsync(p, 0, 0, stream) || cudaMemcpy2D(p, 64, host, 64, 0, 4, cudaMemcpyHostToDevice) ||
		    cudaMemcpy2D(p, 64, host, 64, 4, 0, cudaMemcpyHostToDevice) || cudaMemset2D(p, 64, 1, 0, 4) ||
		    cudaMemcpyPeer(q, 0, p, 0, 0) || cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice) || cudaMemset(NULL, 0, 0))
			return 2;
	struct cudaMemsetParams set = {.dst = p, .elementSize = 1, .height = 1};
	struct cudaMemcpy3DParms copy = {.srcPtr = {host, 8, 8, 8}, .dstPtr = {p, 8, 8, 8}, .extent = {4, 0, 4}, .kind = cudaMemcpyHostToDevice};
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphExec_t run;
	if (cudaMemcpy3D(&copy) || cudaGraphCreate(&graph, 0) || cudaGraphAddMemsetNode(&node, graph, NULL, 0, &set) ||
	    cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, p, host, 0, cudaMemcpyHostToDevice) ||
	    cudaGraphInstantiateWithFlags(&run, graph, 0) || cudaGraphLaunch(run, 0))
		return 3;
	cudaMemcpy(p, host, 4096, cudaMemcpyHostToDevice);
	cudaMemcpy(host, p, 4096, cudaMemcpyDeviceToHost);
	return cudaFree(p) || cudaFree(q);
}
END
operations nothing | head -n 1
# the upload: of the allocation and of the host, the download likewise
is "copies and sets of nothing move nothing" "$(sqlite3 "$T/nothing.db" "SELECT count(*), sum(bytes) FROM edge WHERE bytes = 0")|$("$VFLOW" query -T csv 'MATCH ()-[e]->() RETURN sum(e.bytes)' "$T/nothing.db" | tail -n 1 | tr -d '\r')" "0||16384"
is "... nobody finds fault with them" "$("$VFLOW" report --brief "$T/nothing.db" | grep -c 'memset\|Memset\|<stdin>:\(9\|1[0-2]\)')" 0
finish
