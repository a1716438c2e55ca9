/* The C part of the CUDA runtime API; see cuda_runtime_api.h. */
#ifndef VFLOW_EMULATOR_CUDA_RUNTIME_H
#define VFLOW_EMULATOR_CUDA_RUNTIME_H

#include <cuda_runtime_api.h>

#endif
