#!/bin/bash
# Programs that crash, fork, close files or do nothing: each keeps its output and exit code, and
# what it did before is in the profile.
. tests/lib.sh

# what `work` in targets.c does: two arrays of 4096 bytes, set to zero
work=$(table <<'END'
	1>3 W 1 4096 0 1
	2>4 W 2 4096 0 1
END
)
target() { # CODE HOW EDGES [COMMAND...]
	expect_exit "$1" "$2: exit code" collect "$T/$2.db" "$P/targets" "$2"
	is "$2: edges" "$(edges "$T/$2.db" 2>&1 | sort -V)" "$3"
}

target 42 ok "$work"
is "ok: stdout" "$(cat "$T/out")" "to stdout"
is "ok: stderr" "$(cat "$T/err")" "to stderr"
target 134 abort "$work"
# what was overwritten unread before is found; what the program would have used or read is not known
expect_exit 134 "overwritten: exit code" collect "$T/overwritten.db" "$P/targets" overwritten
is "overwritten: findings" "$(sqlite3 "$T/overwritten.db" "SELECT pattern, vertex, bytes FROM finding")" "dead_write|3|4096"
target 137 kill "$work"
target 139 segv "$work"
target 5 _exit "$work"
target 6 quick_exit "$work"
target 8 fork_first "$work"
target 12 unknown_kernel "$work"
target 0 signals "$work"
target 0 chdir "$work"
target 42 exec "$work"
# the second work() is another call path and so four more vertices
twice=$(table <<'END'
	1>3 W 1 4096 0 1
	2>4 W 2 4096 0 1
	5>7 W 5 4096 0 1
	6>8 W 6 4096 0 1
END
)
target 9 fork_after "$twice"
# without its files NVIDIA's driver cannot work either
if [ "${DEVICE:-}" != gpu ]; then
	target 0 close "$twice"
	target 0 reuse "$twice"
fi
# both processes stand on the same line: one vertex each, twice the bytes
target 0 fork_both "$(table <<'END'
	1>3 W 1 8192 0 2
	2>4 W 2 8192 0 2
END
)"
target 42 become "$twice"
is "become: two traces, one without an end" "$(sqlite3 "$T/become.db" 'SELECT count(DISTINCT pid), count(*), sum(ended) FROM process')" "1|2|1"
if [ "${DEVICE:-}" != gpu ]; then # 64 are too many for one GPU
	target 0 processes "$(table <<'END'
	1>3 W 1 262144 0 64
	2>4 W 2 262144 0 64
END
)"
	is "processes: one line of coverage for all that called _exit" "$(sqlite3 "$T/processes.db" "SELECT what, count FROM coverage")" "trace|64"
	# NVIDIA's driver may not like to be interrupted all the time
	expect_exit 0 "handlers: exit code" collect "$T/handlers.db" "$P/targets" handlers
	is "handlers: nothing on stderr" "$(cat "$T/err")" ""
	is "handlers: the trace is whole" "$(sqlite3 "$T/handlers.db" "SELECT count(*) FROM coverage") $(vertices "$T/handlers.db" | cut -d' ' -f2 | tr '\n' ' ')" \
		"0 host alloc alloc memset memset "
fi
expect_exit 7 "daemon: vflow does not wait for it" timeout 60 "$VFLOW" collect -q --device "${DEVICE:-emulated}" -o "$T/daemon.db" "$P/targets" daemon "$T/lived"
for _ in $(seq 3000); do [ -s "$T/lived" ] && break; sleep 0.1; done
is "daemon: lives on" "$(cat "$T/lived" 2>&1)" "lived on"
if [ "$(id -u)" = 0 ] && [ "${DEVICE:-}" != gpu ]; then
	expect_exit 0 "nobody: exit code" collect "$T/nobody.db" "$P/targets" nobody
	is "nobody: one line on stderr" "$(grep -c . "$T/err") $(grep -c 'no longer observed: cut at offset .*: Permission denied; it runs on' "$T/err")" "1 1"
	is "nobody: what it did before is there" "$(edges "$T/nobody.db" | head -n 2)" "$work"
	is "nobody: coverage says where it was cut" "$(sqlite3 "$T/nobody.db" "SELECT count(*) FROM coverage WHERE reason LIKE 'cut at offset %: Permission denied'")" 1
else
	skip "nobody: gives up its rights" "only root on the emulated device can"
fi
# a launch that faults leaves no vertex of its own behind the work before it
target 10 out_of_bounds "$work"
is "out_of_bounds: coverage tells of it" "$(sqlite3 "$T/out_of_bounds.db" "SELECT what, count FROM coverage WHERE what LIKE '%launches'")" "failed launches|1"

target 7 nothing ""
is "nothing: stdout" "$(cat "$T/out")" "no CUDA call"
expect_exit 7 "nothing: says so" "$VFLOW" collect --device emulated -o "$T/n.db" "$P/targets" nothing
is "nothing: one line on stderr" "$(wc -l <"$T/err")" 1
is "nothing: only the host" "$(vertices "$T/n.db")" "0 host 0 host"
is "nothing: coverage says that nothing was recorded" "$(sqlite3 "$T/n.db" 'SELECT what FROM coverage')" "processes"
expect_exit 42 "no duplicates: exit code" collect "$T/nd.db" --no-duplicates "$P/targets" ok
is "no duplicates: coverage says so" "$(sqlite3 "$T/nd.db" 'SELECT what FROM coverage')" "duplicate values"

# 4 threads in any order: 4 arrays of each line, 40 launches in all
expect_exit 0 "threads: exit code" collect "$T/threads.db" "$P/targets" threads
is "threads: vertices" "$(vertices "$T/threads.db" | cut -d' ' -f2- | sort)" $'alloc 4 cudaMalloc\nalloc 4 cudaMalloc\nhost 0 host\nkernel 40 increment\nmemset 4 cudaMemset\nmemset 4 cudaMemset'
sums() {
	json_query "$T/export.json" "SELECT value->>'access', sum(value->>'bytes') FROM json, json_each(text, '\$.edges') GROUP BY 1"
}
# 40 launches read and write 4096 bytes; 8 arrays of 4096 bytes are set
is "threads: bytes" "$(sums)" $'READ 163840\nWRITE 196608'

# A library's constructor calls CUDA, and the loader waits for it; meanwhile another thread is the
# first to call CUDA.
cat >"$T/slow.c" <<'END'
#include <unistd.h>
#include <cuda_runtime_api.h>
__attribute__((constructor)) static void slow(void)
{
	void *p;

	usleep(200000);
	cudaMalloc(&p, 1000);
}
END
cat >"$T/race.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
#include <cuda_runtime_api.h>
static void *load(void *path)
{
	return dlopen(path, RTLD_NOW);
}
int main(int argc, char **argv)
{
	pthread_t thread;
	void *p;

	if (argc != 2 || pthread_create(&thread, NULL, load, argv[1]))
		return 1;
	usleep(100000);
	cudaMalloc(&p, 500);
	pthread_join(thread, &p);
	return !p;
}
END
emulator=$(realpath "$BUILD")/lib/emulator
if [ -z "$ASAN" ]; then
	build() { "$CC" -g -Igpu/emulator/include "$@" "$emulator/libcudart.so.13" "$emulator/libcuda.so.1" -Wl,-rpath,"$emulator" -lpthread -ldl; }
	build -shared -fPIC -o "$T/libslow.so" "$T/slow.c" && build -o "$T/race" "$T/race.c"
	expect_exit 0 "CUDA starts while a constructor waits for it" timeout 600 "$VFLOW" collect -q --device emulated -o "$T/race.db" "$T/race" "$T/libslow.so"
	is "... both allocations" "$(vertices "$T/race.db" | grep -c cudaMalloc)" 2
else
	skip "CUDA starts while a constructor waits for it" "programs of the test are built without the sanitizer"
fi

# nothing of CUDA is linked in
cat >"$T/open.c" <<'END'
#include <dlfcn.h>
typedef int function();
int main(void)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
	unsigned long long memory;

	if (!cuda)
		return 1;
#define CALL(name, ...) if (((function *)dlsym(cuda, name))(__VA_ARGS__)) return 2
	CALL("cuInit", 0);
	CALL("cuDevicePrimaryCtxRetain", &context, 0);
	CALL("cuCtxSetCurrent", context);
	CALL("cuMemAlloc_v2", &memory, 4096L);
	CALL("cuMemsetD8_v2", memory, 0, 4096L);
	return 11;
}
END
if [ -z "$ASAN" ] && "$CC" -w -o "$T/open" "$T/open.c" -ldl; then
	expect_exit 11 "dlopen: exit code" collect "$T/open.db" "$T/open"
	is "dlopen: edges" "$(edges "$T/open.db")" "1>2 W 1 4096 0 1"
else
	skip "dlopen" "programs of the test are built without the sanitizer"
fi

# two arguments that look like options belong to the program
expect_exit 2 "options after the program are the program's" collect "$T/o.db" "$P/targets" --help
like "... and reach it" "$(cat "$T/err")" "'--help' is none of them"
finish
