#!/bin/bash
# The programs with planted waste on the GPU: those of C as PTX that the driver compiles, those of C++ for this GPU.
. tests/lib.sh
. tests/gpu/real.bash
export BUILD VFLOW CC NVCC DEVICE=gpu
tests/advice/run "$@"
