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

# The address sanitizer's runtime must be the first library, or be told that it need not; the user's may well be.
if [ -n "$ASAN" ]; then
	skip "programs with AddressSanitizer" "all of them have it"
elif "$CC" -fsanitize=address -o "$T/probe" -x c - <<<'int main(void){return 0;}' 2>"$T/log" && "$T/probe" 2>"$T/log"; then
	ASAN=-fsanitize=address build sanitized <<'END'
#include <cuda_runtime_api.h>
#include <stdlib.h>
int main(void)
{
	static void *lost;
	void *p;
	char *host = malloc(4096);
	cudaMalloc(&p, 4096);
	cudaMemset(p, 1, 4096);
	cudaMemcpy(host, p, 4096, cudaMemcpyDeviceToHost);
	lost = malloc(100);
	if (host[9] != 1 || getenv("ASAN_OPTIONS") || getenv("LSAN_OPTIONS"))
		return 2;
	free(host);
	lost = NULL;
	return cudaFree(p);
}
END
	runtime=$(ldd "$T/sanitized" | awk '/asan/ { print $3 }')
	for preload in "" "$runtime"; do
		# leaks are looked for at the end, where that is allowed: it loses 100 bytes
		expected=0
		LD_PRELOAD=$preload "$T/sanitized" 2>"$T/native" || expected=$?
		expect_exit $expected "a program with AddressSanitizer${preload:+, whose runtime is preloaded}" env LD_PRELOAD="$preload" "$VFLOW" collect -q --device emulated -o "$T/s.db" "$T/sanitized"
		is "... its leak is found, and no other" "$(grep SUMMARY "$T/err")" "$(grep SUMMARY "$T/native")"
		is "... it is observed" "$("$VFLOW" query -T csv 'MATCH (v) WHERE v.kind <> "host" RETURN v.name' "$T/s.db" | sed 1d | tr -d '\r' | paste -sd' ')" "cudaMalloc cudaMemset cudaMemcpy"
	done
else
	skip "programs with AddressSanitizer" "there is no AddressSanitizer"
fi

# What the user preloads stands where it would: before the CUDA runtime, and in the place of malloc().
"$CC" -shared -fPIC -D_GNU_SOURCE $ASAN -Igpu/emulator/include -o "$T/users.so" -x c - <<'END' 2>"$T/log" || not_ok "build users.so" "$(cat "$T/log")"
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
static int given, asked;
void *__libc_calloc(size_t, size_t);
void *calloc(size_t count, size_t size)
{
	given++;
	return __libc_calloc(count, size);
}
cudaError_t cudaMalloc(void **pointer, size_t size)
{
	cudaError_t (*next)(void **, size_t) = (cudaError_t (*)(void **, size_t))dlsym(RTLD_NEXT, "cudaMalloc");
	asked++;
	return next(pointer, size * 2);
}
__attribute__((destructor)) static void count(void)
{
	dprintf(1, "calloc %s, cudaMalloc %d\n", given > 0 ? "yes" : "no", asked);
}
END
if [ -n "$ASAN" ]; then
	skip "a library that the user preloads" "AddressSanitizer has a calloc() of its own"
else
	expect_exit 0 "a library that the user preloads" env LD_PRELOAD="$T/users.so" "$VFLOW" collect -q --device emulated -o "$T/users.db" "$T/cleared"
	is "... has its functions called" "$(grep -c 'calloc yes, cudaMalloc 1' "$T/out")" 1
	is "... by the program that is observed" "$("$VFLOW" query -T csv 'MATCH (v:alloc)-[e]->() RETURN e.object_bytes' "$T/users.db" | tail -n 1 | tr -d '\r')" 8192
fi

# Real-time programs lock all their memory, under a limit unless they are privileged.
if [ -n "$ASAN" ]; then
	skip "memory that is locked" "AddressSanitizer's own is too large"
else
	build locked <<'END'
#include <cuda_runtime_api.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct rights[2];
	struct rlimit limit;
	void *p;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_cur = limit.rlim_max < 64 << 20 ? limit.rlim_max : 64 << 20;
	setrlimit(RLIMIT_MEMLOCK, &limit);
	syscall(SYS_capget, &header, rights);
	rights[CAP_IPC_LOCK / 32].effective &= ~(1u << CAP_IPC_LOCK % 32);
	syscall(SYS_capset, &header, rights);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return 77;
	if (cudaMalloc(&p, 100 << 20) || cudaMemset(p, 1, 4096))
		return 1;
	return cudaFree(p) ? 2 : 5;
}
END
	code=0
	"$T/locked" 2>"$T/err" || code=$?
	if [ $code = 77 ]; then
		skip "memory that is locked" "the limit is too low for any program"
	else
		is "the device's memory does not count against the limit on locked memory" "$code $(cat "$T/err")" "5 "
	fi
fi

# Launchers that clear LD_PRELOAD or set it to something else; programs of this test find the device all the same, by the path in their file.
cp "$(type -P true)" "$T/other"
unreached() { # DB
	sqlite3 "$1" "SELECT reason, count FROM coverage WHERE kind = 'PROCESS_UNREACHED' ORDER BY reason"
}
not_seen="was started with LD_PRELOAD cleared or set to something else: what it did is not seen"
expect_exit 0 "env -i" "$VFLOW" collect --device emulated -o "$T/i.db" env -i "$T/other"
is "... coverage names the program" "$(unreached "$T/i.db")" "other $not_seen|1"
like "... and so does the line at the end" "$(tail -n 1 "$T/err")" "no CUDA call was seen: other was started"
is "... nothing is left in the folder" "$(ls -d "$T"/i.db*)" "$T/i.db"
cat >"$T/wrapper" <<'END'
#!/bin/sh
"$1/cleared"
LD_PRELOAD= "$1/other"
PATH=/nonexistent:$1:$PATH
LD_PRELOAD=/nonexistent/x.so other
LD_PRELOAD=/nonexistent/x.so no_such_program_of_vflow
LD_PRELOAD=$LD_PRELOAD:/nonexistent/x.so other
LD_PRELOAD= exec "$1/left"
END
chmod +x "$T/wrapper"
expect_exit 0 "a wrapper that sets LD_PRELOAD" "$VFLOW" collect -q --device emulated --passes flow,time -o "$T/w.db" "$T/wrapper" "$T"
is "... coverage counts what it started so, and has no words for what did not start or was seen" "$(unreached "$T/w.db")" "other $not_seen|2"
is "... the others are observed" "$(sqlite3 "$T/w.db" "SELECT count(*) FROM process")" 2
"$VFLOW" collect -q --device emulated -o "$T/p.db" python3 -c 'import os, subprocess
os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
subprocess.run(["/bin/false"], env={})
subprocess.run(["/bin/false"])' 2>"$T/err"
if [ -n "$(command -v python3)" ]; then
	is "a Python program" "$(unreached "$T/p.db")" "false $not_seen|1
true $not_seen|1"
else
	skip "a Python program" "there is no python3"
fi

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
# -- a path that is no text, of a program that loads GPU code: a control byte, one that is not UTF-8, a line feed
odd=$T/$'o\001d\xffd\nname'
mkdir "$odd"
cp "$BUILD/programs/figure3" "$odd/figure3"
expect_exit 0 "a path that is no text" "$VFLOW" collect -q --device emulated --passes flow,time -o "$T/odd.db" "$odd/figure3"
is "... is a text in the profile" "$(sqlite3 "$T/odd.db" "SELECT DISTINCT library FROM gpu_module")" "$T/o\\x01d\\xffd\\x0aname/figure3"
finish
