/*
 * gpu/emulator/device/device.c: the device's lock, life and contexts.
 *
 * One device.  Its lock makes the APIs thread-safe; it is never held while code of the program
 * runs.  A child process forked after initialisation has a copy of everything and may use
 * nothing of it, as on a GPU.
 */
#include "gpu/emulator/device/device.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu/emulator/device/observe.h"
#include "util/say.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner; /* 0: not initialised */
static int failure; /* of a kernel: stays until the device is reset */
static uint64_t generation;

void device_say(const char *format, ...)
{
	char text[1100];
	va_list arguments;
	int size = snprintf(text, sizeof(text), "vflow emulator: ");

	va_start(arguments, format);
	size += vsnprintf(text + size, sizeof(text) - (size_t)size - 1, format, arguments);
	va_end(arguments);
	if (size > (int)sizeof(text) - 2)
		size = (int)sizeof(text) - 2;
	strcpy(text + size, "\n");
	say(text);
}

int vflow_emulator_init(void)
{
	int error = 0;

	if (owner == getpid())
		return 0;
	if (owner)
		return NOT_INITIALIZED;
	observe_load();
	pthread_mutex_lock(&lock);
	if (!owner) {
		if (!memory_total()) {
			device_say("no address space for the device's memory");
			error = OUT_OF_MEMORY;
		} else {
			owner = getpid();
			observe_start();
		}
	}
	pthread_mutex_unlock(&lock);
	return error;
}

int vflow_emulator_attach(void)
{
	int error = vflow_emulator_init();

	if (!error && !context_current())
		context_make_current(context_primary());
	return error;
}

int vflow_emulator_check(bool context)
{
	if (owner != getpid())
		return NOT_INITIALIZED;
	if (context && !context_current())
		return INVALID_CONTEXT;
	return context ? failure : 0;
}

int device_enter(bool context)
{
	int error = vflow_emulator_check(context);

	if (error)
		return error;
	pthread_mutex_lock(&lock);
	return 0;
}

bool device_enter_at_exit(void)
{
	struct timespec soon;

	if (owner != getpid())
		return false;
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	return pthread_mutex_timedlock(&lock, &soon) == 0;
}

void device_leave(void)
{
	pthread_mutex_unlock(&lock);
}

void device_fail(int error)
{
	failure = error;
}

int vflow_emulator_reset(const char *name)
{
	int error = device_enter(false);

	if (error)
		return error;
	print_flush();
	modules_release(NULL);
	graphs_release();
	arrays_release();
	allocations_release(name, NULL);
	streams_release();
	failure = 0;
	generation++;
	device_leave();
	return 0;
}

uint64_t vflow_emulator_generation(void)
{
	return generation;
}

static __thread const char *delegating; /* the entry that delegates to another; NULL: none */

const char *vflow_emulator_delegate(const char *name)
{
	const char *before = delegating;

	delegating = before ? before : name;
	return before;
}

void vflow_emulator_delegated(const char *before)
{
	delegating = before;
}

void vflow_emulator_failed(const char *name, int error)
{
	observe_failed(delegating ? delegating : name, (uint32_t)error);
}

int vflow_emulator_unsupported(const char *name)
{
	static const char *said[128];
	static size_t count;
	size_t i;

	if (vflow_emulator_init())
		return NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	for (i = 0; i < count && strcmp(said[i], name); i++)
		;
	if (i == count && count < sizeof(said) / sizeof(*said)) {
		said[count++] = name;
		device_say("%s is not supported on the emulated device", name);
	}
	observe_coverage(COVERAGE_CALL_UNSUPPORTED, name, 1, 0);
	pthread_mutex_unlock(&lock);
	return NOT_SUPPORTED;
}

int vflow_emulator_limit(int limit, uint64_t *value, bool set)
{
	/* stack, printf, heap, nested launches and their number, and two of the cache */
	static uint64_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
	int error = device_enter(true);

	if (error)
		return error;
	if (limit < 0 || limit >= (int)(sizeof(limits) / sizeof(*limits)))
		error = UNSUPPORTED_LIMIT;
	else if (set)
		limits[limit] = *value;
	else
		*value = limits[limit];
	device_leave();
	return error;
}

/* Numbers of CUdevice_attribute; what is not listed is a feature that is not there: 0. */
int vflow_emulator_attribute(int attribute, int *value)
{
	static const int values[] = {
		[1] = EMULATOR_BLOCK_THREADS, /* threads per block, then its dimensions */
		[2] = 1024,
		[3] = 1024,
		[4] = 64,
		[5] = 2147483647, /* grid */
		[6] = 65535,
		[7] = 65535,
		[8] = EMULATOR_SHARED_BYTES,
		[9] = 65536, /* constant memory */
		[10] = 32,   /* warp */
		[11] = EMULATOR_MAX_PITCH,
		[12] = 65536,   /* registers per block */
		[13] = 1000000, /* clock, kHz */
		[14] = 512,     /* texture alignment */
		[15] = 1,       /* overlap of copies and kernels */
		[16] = EMULATOR_MULTIPROCESSORS,
		[19] = 1,      /* maps host memory */
		[21] = 131072, /* textures: 1D, 2D, 3D, layered */
		[22] = 131072,
		[23] = 65536,
		[24] = 16384,
		[25] = 16384,
		[26] = 16384,
		[27] = 32768,
		[28] = 32768,
		[29] = 2048,
		[30] = 512, /* surface alignment */
		[31] = 1,   /* concurrent kernels */
		[33] = 0,   /* PCI bus, device */
		[34] = 0,
		[36] = 1000000, /* memory clock, kHz */
		[37] = 256,     /* memory bus, bits */
		[38] = 4 << 20, /* level 2 cache */
		[39] = 2048,    /* threads per multiprocessor */
		[40] = 1,       /* copy engines */
		[41] = 1,       /* unified addresses */
		[42] = 32768,   /* textures: 1D layered, gather, alternative 3D, pitch, cube */
		[43] = 2048,
		[44] = 1,
		[45] = 32768,
		[46] = 32768,
		[47] = 8192,
		[48] = 8192,
		[49] = 32768,
		[51] = 32,
		[52] = 32768,
		[53] = 32768,
		[54] = 2046,
		[55] = 32768, /* surfaces */
		[56] = 131072,
		[57] = 65536,
		[58] = 16384,
		[59] = 16384,
		[60] = 16384,
		[61] = 32768,
		[62] = 2048,
		[63] = 32768,
		[64] = 32768,
		[65] = 2048,
		[66] = 32768,
		[67] = 32768,
		[68] = 2046,
		[69] = 1 << 28, /* textures of linear memory, mipmapped ones */
		[70] = 131072,
		[71] = 65000,
		[72] = 2097120,
		[73] = 32768,
		[74] = 32768,
		[75] = EMULATOR_MAJOR,
		[76] = EMULATOR_MINOR,
		[77] = 32768, /* mipmapped 1D textures */
		[78] = 1,     /* stream priorities */
		[79] = 1,     /* caches */
		[80] = 1,
		[81] = 233472, /* shared memory and registers per multiprocessor */
		[82] = 65536,
		[83] = 1, /* managed memory */
		[87] = 2, /* single to double precision speed */
		[89] = 1, /* the host may use managed memory at any time */
		[91] = 1, /* registered memory has one address */
		[95] = 1, /* cooperative launch */
		[97] = EMULATOR_SHARED_OPTIN_BYTES,
		[99] = 1,        /* registers host memory */
		[102] = 1,       /* virtual memory management */
		[106] = 32,      /* blocks per multiprocessor */
		[108] = 3 << 20, /* of the cache, for persisting data; a window of it */
		[109] = 128 << 20,
		[111] = 1024, /* shared memory that the driver keeps of a block */
		[115] = 1,    /* memory pools */
		[120] = 1,    /* clusters */
		[150] = 0,    /* the last that CUDA 13 knows */
	};

	if (attribute < 1 || attribute >= (int)(sizeof(values) / sizeof(*values)))
		return INVALID_VALUE;
	*value = values[attribute];
	return 0;
}
