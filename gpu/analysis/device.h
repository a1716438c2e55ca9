/*
 * gpu/analysis/device.h: what lets one source serve the CPU and the GPU.
 *
 * unit.h, sha256.h and leaf.h are plain C that nvcc compiles for both sides; everything in them is
 * marked VFLOW_DEVICE.
 */
#ifndef VFLOW_GPU_ANALYSIS_DEVICE_H
#define VFLOW_GPU_ANALYSIS_DEVICE_H

#ifdef __CUDACC__
#define VFLOW_DEVICE __host__ __device__ static inline
#else
#define VFLOW_DEVICE static inline
#endif

#endif
