/*
 * gpu/analysis/device.h: what lets one source serve the CPU and the GPU.
 *
 * The rules of a unit of shadow memory and of a leaf's digest (unit.h, leaf.h) are plain
 * C that nvcc compiles for both sides; everything in them is marked VFLOW_DEVICE.
 *
 * The walks over the units that an API touched are three sources, since what is fast differs:
 * shadow_settle.c on the host, gpu/sanitizer/device/block.cuh by warps of a GPU, and small.cuh
 * there where there is little to do.  tests/sanitizer/passes.sh holds them together: random APIs
 * must give the same rows and digests by each (tests/gpu/passes.sh the same on a GPU), and
 * tests/unit/gpu_shadow_model.c holds the host's to a model that goes byte by byte.
 */
#ifndef VFLOW_GPU_ANALYSIS_DEVICE_H
#define VFLOW_GPU_ANALYSIS_DEVICE_H

#ifdef __CUDACC__
#define VFLOW_DEVICE __host__ __device__ static inline
#else
#define VFLOW_DEVICE static inline
#endif

#endif
