# tests/gpu/real.bash: the test programs are linked to run on the emulated device; this puts the real
# libraries before it.  Sourced after tests/lib.sh.
driver=$(ldconfig -p | sed -n 's/.*libcuda\.so\.1 .*x86-64.* => //p' | head -n 1)
[ -n "$driver" ] || driver=$(find /usr/local/nvidia /usr/lib -name libcuda.so.1 2>/dev/null | head -n 1)
export LD_LIBRARY_PATH=$(dirname "$driver"):$CUDA_TOOLKIT/lib64:$CUDA_TOOLKIT/targets/x86_64-linux/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
. tests/gpu/gpu.bash
