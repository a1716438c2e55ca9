/*
 * Stands for PyTorch: libc10.so (LIBC10), libc10_cuda.so (LIBC10_CUDA), and a program that loads
 * both as Python's import does.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct device {
	int8_t type, index;
};

void report(void *block, int64_t bytes, size_t allocated, size_t reserved,
	    struct device device) __asm__("_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");

#if defined(LIBC10)
int64_t c10_sum; /* what PyTorch's profiler sees */
unsigned c10_calls;

void report(void *block, int64_t bytes, size_t allocated, size_t reserved, struct device device)
{
	(void)block;
	(void)device;
	c10_sum += bytes;
	c10_calls += allocated <= reserved;
}
#elif defined(LIBC10_CUDA)
void allocator_report(void *block, int64_t bytes, size_t allocated, int index);

void allocator_report(void *block, int64_t bytes, size_t allocated, int index)
{
	report(block, bytes, allocated, 1 << 20, (struct device){1, (int8_t)index});
}
#else
#include <dlfcn.h>

#include <cuda_runtime_api.h>

typedef void reporter(void *block, int64_t bytes, size_t allocated, int index);

static reporter *tell;

static void layer(char *at)
{
	tell(at, 4096, 4096, 0); /* LAYER */
}

static void gradient(char *at)
{
	tell(at, 512, 4608, 0); /* GRADIENT */
}

int main(int count, char **arguments)
{
	void *c10, *cuda;
	char *segment;

	if (cudaFree(NULL) || count < 3)
		return 1;
	c10 = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
	cuda = c10 ? dlopen(arguments[2], RTLD_LAZY) : NULL;
	if (!cuda) {
		puts(dlerror());
		return 1;
	}
	*(void **)&tell = dlsym(cuda, "allocator_report");
	if (cudaMalloc((void **)&segment, 1 << 20) || cudaMemset(segment, 0, 1 << 20))
		return 1;
	for (int i = 0; i < 3; i++) {
		layer(segment);
		gradient(segment + 4096);
		tell(segment, -4096, 512, 0);
		tell(segment + 4096, -512, 0, 0);
	}
	layer(segment);
	printf("%lld %u\n", (long long)*(int64_t *)dlsym(c10, "c10_sum"),
	       *(unsigned *)dlsym(c10, "c10_calls"));
	return 0;
}
#endif
