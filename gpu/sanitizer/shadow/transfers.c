/* gpu/sanitizer/shadow/transfers.c: digests of what copies move. */
#include "gpu/sanitizer/shadow/space_internal.h"

static CUdeviceptr result_of(const struct space *space, uint32_t number)
{
	return space->device_transfers + number % TRANSFERS * sizeof(struct result_transfer);
}

bool transfer_launch(struct space *space, CUstream stream, const struct transfer_box *box,
		     uint32_t number)
{
	const uint64_t warps = PASS_THREADS / 32, leaves = transfer_leaves(box);
	CUdeviceptr to = space->transfers + number % TRANSFERS * sizeof(struct device_transfer);
	CUdeviceptr result = result_of(space, number);

	return space_launch(space, stream, PASS_TRANSFER, (leaves + warps - 1) / warps,
			    (void *[]){&to, &result, (void *)box, &number});
}

uint32_t space_transfer(struct space *space, CUstream stream, const struct transfer_box *box)
{
	uint32_t number = space->transfer + 1 ? space->transfer + 1 : 1;

	/* a launch less, which takes longer than all the rest of a small copy's */
	if (space->marks.height && box->height == 1 && box->depth == 1 &&
	    box->width <= TRANSFER_IN_PASS)
		space->marks.transfer = (struct transfer_in_pass){
			.box = *box,
			.result = (struct result_transfer *)(uintptr_t)result_of(space, number),
			.number = number};
	else if (!transfer_launch(space, stream, box, number))
		return 0;
	space->transfer = number;
	return number;
}

bool transfer_result(const struct space *space, uint32_t number, struct transfer_sum *sum)
{
	const volatile struct result_transfer *result =
		&space->result_transfers[number % TRANSFERS];

	if (!number || __atomic_load_n(&result->number, __ATOMIC_ACQUIRE) != number)
		return false;
	for (unsigned i = 0; i < LEAF_LANES; i++)
		sum->sum[i] = result->sum[i];
	sum->nonzero = result->nonzero;
	return true;
}
