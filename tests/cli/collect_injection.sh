#!/bin/bash
# How the guest gets into a program on a GPU: the driver loads what CUDA_INJECTION64_PATH names, and
# the guest loads the provider that VFLOW_PROVIDER names.  The program here plays the driver.
. tests/lib.sh
guest=$(realpath "$BUILD")/lib/libvflow-guest.so
cat >"$T/provider.c" <<'END'
#include "gpu/provider.h"
static int start(const struct gpu_sink *sink, const struct gpu_options *options)
{
	struct gpu_call call = {.api = GPU_ALLOC, .name = "cudaMalloc"};
	const struct gpu_object object = {.address = 4096, .size = 64, .memory = GPU_MEMORY_DEVICE};

	(void)options;
	sink->begin(&call);
	sink->object(&call, &object);
	sink->end(&call, NULL, 0);
	return 0;
}
static void stop(void)
{
}
static const struct gpu_provider provider = {
	.version = GPU_PROVIDER_VERSION, .name = "played", .start = start, .stop = stop};
const struct gpu_provider *vflow_gpu_provider(void);
const struct gpu_provider *vflow_gpu_provider(void)
{
	return &provider;
}
END
cat >"$T/driver.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
int main(void)
{
	void *guest = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
	int (*initialize)(void) = guest ? (int (*)(void))dlsym(guest, "InitializeInjection") : NULL;

	return initialize ? 10 + initialize() : 1;
}
END
# shellcheck disable=SC2086
$CC $ASAN -I. -shared -fPIC -o "$T/provider.so" "$T/provider.c" && $CC $ASAN -o "$T/driver" "$T/driver.c" -ldl || not_ok "the programs are built"
export CUDA_INJECTION64_PATH=$guest VFLOW_TRACE_DIR=$T/traces LSAN_OPTIONS=detect_leaks=0
mkdir "$VFLOW_TRACE_DIR"
expect_exit 11 "a provider is loaded" env VFLOW_PROVIDER="$T/provider.so" "$T/driver"
is "... without a word" "$(cat "$T/err")" ""
expect_exit 0 "... and its events make a graph" "$VFLOW" collect -q --from-trace "$VFLOW_TRACE_DIR" -o "$T/p.db"
is "... of one allocation" "$(vertices "$T/p.db")" $'0 host 0 host\n1 alloc 1 cudaMalloc'
is "... by this provider" "$(sqlite3 "$T/p.db" 'SELECT provider FROM process')" played
unobserved() { # NAME REGEX COMMAND...
	local name=$1 regex=$2
	shift 2
	rm -f "$VFLOW_TRACE_DIR"/*
	expect_exit 11 "$name: the program runs on" "$@"
	like "... unobserved, which is said" "$(cat "$T/err")" "^vflow: process [0-9]+ runs unobserved: $regex"
	is "... in one line, without a trace" "$(wc -l <"$T/err") $(ls "$VFLOW_TRACE_DIR")" "1 "
}
unobserved "no provider" "VFLOW_PROVIDER, which names the GPU provider, is not set$" env -u VFLOW_PROVIDER "$T/driver"
unobserved "an empty name" "VFLOW_PROVIDER" env VFLOW_PROVIDER= "$T/driver"
unobserved "a provider that is not there" ".*/none.so: cannot open shared object file" env VFLOW_PROVIDER="$T/none.so" "$T/driver"
unobserved "a library that is no provider" ".*vflow_gpu_provider" env VFLOW_PROVIDER="$guest" "$T/driver"
finish
