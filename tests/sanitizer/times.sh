#!/bin/bash
# How the kernels' own times are taken for tests/gpu/overhead, and how that gets into the provider without its help.
# See sanitizer/times.c.
. tests/lib.sh
if [ -z "${SANITIZER:-}" ] || [ ! -e "$BUILD/sanitizer.o/images.S.o" ]; then
	skip "times" "needs the provider for GPUs"
	finish
fi
build() { # PROGRAM OPTIONS...
	"$CC" -std=gnu11 -D_GNU_SOURCE -g -Wall -fsanitize=address,undefined -I. -isystem "$CUDA_TOOLKIT/include" \
		-isystem "$SANITIZER/include" -o "$T/$1" "${@:2}" tests/sanitizer/times.c tests/gpu/kernel_times.c \
		gpu/sanitizer/api/launch_call.c -ldl -lpthread >"$T/log" 2>&1 || not_ok "build" "$(cat "$T/log")"
}
build times -DHELD_NS=999999999 # a busy machine must not let anything go
build impatient
export VFLOW_KERNEL_TIMES=$T/sums
is "what is put on the stream" "$(timeout 600 "$T/times")" "cuLaunchKernel:held event eventheld event held event
cuLaunchKernel_ptsz:held event eventheld event held event
held event held event
cuLaunchKernel:held event eventheld event event
cuLaunchCooperativeKernel:
cuGraphLaunch: free
cuStreamSynchronize:
cuLaunchKernel:held event eventheld event held event"
# 5 + 30 of the program, 7 of ours; a graph and the kernel that is at work have no times
is "sums" "$(cat "$T/sums")" "kernels 35.0000 2 passes 7.0000 1 untimed 2 unheld 0 nothing 0.0000 3"
rm "$T/sums"
is "a launch that waits for the device is let go" "$(timeout 600 "$T/impatient" waits)" "cuLaunchKernel:held event eventheld event free event"
is "its gaps are told" "$(cat "$T/sums")" "kernels 205.0000 1 passes 0.0000 0 untimed 0 unheld 1 nothing 0.0000 1"
cat >"$T/provider.c" <<'END'
#include <stdio.h>
#include "gpu/sanitizer/callback/calls.h"
#include "gpu/sanitizer/callback/thread.h"
#include "gpu/sanitizer/driver.h"

__thread struct thread this_thread;

int driver_load(void)
{
	return 0;
}

void calls_api(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const Sanitizer_CallbackData *data)
{
	printf(" %s%u", data->callbackSite == SANITIZER_API_ENTER ? "<" : ">", id);
}
END
build hooked -DHOOKED -DHELD_NS=999999999 "$T/provider.c" tests/gpu/kernel_times_hook.c -Wl,--wrap=driver_load,--wrap=calls_api
rm -f "$T/sums"
# callbacks of the runtime (1), of the provider's own calls (2) and of the program's (3), entered and left
is "around the provider" "$(timeout 600 "$T/hooked" once)" "cuLaunchKernel: <1 <2 <3held event eventheld event held >1 >2 event >3
cuStreamSynchronize: <1 <2 <3 >1 >2 >3"
is "its sums" "$(cat "$T/sums")" "kernels 5.0000 1 passes 0.0000 0 untimed 0 unheld 0 nothing 0.0000 1"
like "the provider that is timed has the hook" "$(nm "$BUILD/timed/lib/libvflow-sanitizer.so")" "__wrap_calls_api.* T vflow_gpu_provider"
is "the one that is not timed has not" "$(nm "$BUILD/lib/libvflow-sanitizer.so" | grep -c -e __wrap -e times_)" 0
unset VFLOW_KERNEL_TIMES
is "off" "$(timeout 600 "$T/times" off)" off
finish
