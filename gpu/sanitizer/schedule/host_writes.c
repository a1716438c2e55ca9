/* gpu/sanitizer/schedule/host_writes.c: see host_writes.h. */
#include "gpu/sanitizer/schedule/host_writes.h"

static uint64_t last = 1; /* number; of any thread's */

static struct {
	CUcontext context;
	CUstream stream;
	uint64_t number; /* 0: nothing is known */
} over;

uint64_t host_writes_begin(void)
{
	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* Unless another has begun: that one's number is not to be given twice. */
void host_writes_none(uint64_t number)
{
	__atomic_compare_exchange_n(&last, &number, number - 1, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

void host_writes_over(CUcontext context, CUstream stream, uint64_t number)
{
	over.context = context;
	over.stream = stream;
	over.number = number;
}

bool host_writes_are_over(CUcontext context, CUstream stream, uint64_t number)
{
	return over.number == number && over.context == context && over.stream == stream &&
	       number == __atomic_load_n(&last, __ATOMIC_RELAXED);
}
