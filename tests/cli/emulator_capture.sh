#!/bin/bash
# What the emulated device refuses while a stream is captured, and what becomes of the capture:
# as an H200 does with driver 580 (CUDA 13.0), call by call (tests/cli/emulator_capture.c).
. tests/lib.sh

libraries=$(realpath "$BUILD")/lib/emulator
"$CC" -std=gnu11 -Igpu/emulator/include $ASAN -o "$T/capture" tests/cli/emulator_capture.c "$libraries/libcudart.so.13" -Wl,-rpath,"$libraries" -lpthread
[ -n "$ASAN" ] && export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

# CALL: what it returns/what the end of the capture returns, in six captures
is "each call, by modes and streams" "$("$T/capture" 2>&1)" "cudaMalloc: 900/901 900/901 0/0 900/901 900/901 0/0
cudaFree: 900/901 900/901 0/0 900/901 900/901 0/0
cudaHostAlloc: 900/901 900/901 0/0 900/901 900/901 0/0
cudaMallocAsync other: 900/901 900/901 0/0 900/901 900/901 0/0
cudaMemcpy: 906/901 906/901 906/901 0/0 0/0 0/0
cudaMemcpyAsync legacy: 906/901 906/901 906/901 0/0 0/0 0/0
cudaMemcpyAsync other: 0/0 0/0 0/0 0/0 0/0 0/0
cudaDeviceSynchronize: 900/901 900/901 900/901 900/901 900/901 900/901
cudaStreamSynchronize captured: 900/901 900/901 900/901 900/901 900/901 900/901
cudaStreamQuery captured: 900/901 900/901 900/901 900/901 900/901 900/901
cudaStreamSynchronize other: 900/901 900/901 0/0 900/901 900/901 0/0
cudaStreamQuery legacy: 906/901 906/901 906/901 900/901 900/901 0/0
cudaEventQuery captured: 907/901 907/901 907/901 907/901 907/901 907/901
cudaEventSynchronize other: 900/901 900/901 0/0 900/901 900/901 0/0
cudaEventRecord legacy: 906/901 906/901 906/901 0/0 0/0 0/0
cudaStreamWaitEvent legacy: 906/901 906/901 906/901 906/901 906/901 906/901
cudaStreamCreate: 0/0 0/0 0/0 0/0 0/0 0/0
unjoined: 0/904 0/904 0/904 0/904 0/904 0/904
joined: 0/0 0/0 0/0 0/0 0/0 0/0
unjoined, without work: 0/0 0/0 0/0 0/0 0/0 0/0
cudaMalloc, then more: 901/901 901/901 0/0 901/901 901/901 0/0
thread: cudaMalloc: 900/901 0/0 0/0 900/901 0/0 0/0
thread: cudaMemcpy: 906/901 906/901 906/901 0/0 0/0 0/0
thread: cudaDeviceSynchronize: 900/901 900/901 900/901 900/901 900/901 900/901
thread: cudaStreamEndCapture: 908/401 908/401 0/401 908/401 908/401 0/401"
finish
