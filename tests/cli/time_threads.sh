#!/bin/bash
# The model time of programs with host threads: a thread begins when it is created, a join passes its end
# on, and what runs side by side takes as long as the longest; the same in each run, by hand.
. tests/lib.sh
export DEVICE=emulated

cat >"$T/threads.c" <<'C'
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static cudaStream_t streams[3];
static void *memory[3];
static void work(int i, int steps)
{
	for (int k = 0; k < steps; k++) {
		cudaMemsetAsync(memory[i], 0, 4096, streams[i]);
		cudaStreamSynchronize(streams[i]);
	}
}
static void *thread(void *number)
{
	work((int)(size_t)number, 10 * ((int)(size_t)number + 1));
	return NULL;
}
static void *parent(void *number)
{
	pthread_t child;
	work(0, 5);
	pthread_create(&child, NULL, thread, number);
	work(0, 1);
	pthread_join(child, NULL);
	pthread_exit(NULL);
}
int main(int count, char **arguments)
{
	pthread_t threads[3];
	int parallel = !strcmp(arguments[count - 1], "parallel");
	for (int i = 0; i < 3; i++) {
		cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
		cudaMalloc(&memory[i], 4096);
	}
	if (!strcmp(arguments[1], "chain")) {
		pthread_create(threads, NULL, parent, (void *)1);
		pthread_join(threads[0], NULL);
		return 0;
	}
	for (size_t i = 0; i < 3; i++) {
		pthread_create(&threads[i], NULL, thread, (void *)i);
		if (!parallel)
			pthread_join(threads[i], NULL);
	}
	for (size_t i = 0; i < 3 && parallel; i++)
		pthread_join(threads[i], NULL);
	work(0, 1);
	return 0;
}
C
"$CC" -std=gnu11 -g -Igpu/emulator/include $ASAN -o "$T/threads" "$T/threads.c" "$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} \
	-Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lpthread

# A step takes 5000 to launch; the set begins 6000 after that call and takes 2000 + 4; the wait goes on
# 2000 after that and takes 1000: 11004.  Before, three allocations of 5000.
took() { # CASE
	collect "$T/$1.db" --passes flow,time,waits "$T/threads" "$1" >"$T/out" 2>"$T/err" || cat "$T/err"
	sqlite3 "$T/$1.db" "SELECT time_end_ns - time_start_ns FROM process"
}
for _ in 1 2 3; do
	is "side by side: the longest has 30 steps, and one comes after" "$(took parallel)" $((15000 + 31 * 11004))
done
is "one after the other: 10, 20, 30 and 1" "$(took serial)" $((15000 + 61 * 11004))
is "a thread of a thread: 5, and 20 beside 1" "$(took chain)" $((15000 + 25 * 11004))

# Without the sets of which there are most, waits alone take 1000 each.
without() { # CASE
	local sets
	sets=$(sqlite3 "$T/$1.db" "SELECT id FROM vertex WHERE kind = 'memset' ORDER BY invocations DESC LIMIT 1")
	"$VFLOW" whatif --without "$sets" -T json "$T/$1.db" >"$T/whatif.json"
	json_query "$T/whatif.json" "SELECT text->>'\$.after_ns' FROM json"
}
is "whatif: side by side" "$(without parallel)" $((15000 + 30 * 1000 + 11004))
is "whatif: one after the other" "$(without serial)" $((15000 + 60 * 1000 + 11004))
is "whatif: a thread of a thread" "$(without chain)" $((15000 + 5 * 11004 + 20 * 1000))
finish
