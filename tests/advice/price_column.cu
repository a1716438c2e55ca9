/*
 * Records of two shorts are sent, prices and volumes side by side; kernels change the prices in
 * place and read them, and nobody reads the volumes.
 *
 * LATER ON GPUS: whether volumes are read beside prices that were changed is not known there
 */
#include "tests/advice/values.h"

enum { RECORDS = 65536 };

struct record {
	int16_t price, volume;
};

static struct record records[RECORDS];
static int16_t price[RECORDS];
static int doubled[RECORDS];

#if FIX_1
#define PRICE(prices, i) (prices)[i]
typedef int16_t column;
#else
#define PRICE(prices, i) (prices)[i].price
typedef struct record column;
#endif

static __global__ void discount(column *records, int n)
{
	int i = INDEX;

	if (i < n)
		PRICE(records, i) -= 5;
}

static __global__ void double_prices(int *to, const column *records, int n)
{
	int i = INDEX;

	if (i < n)
		to[i] = 2 * PRICE(records, i);
}

int main()
{
	unsigned state = 37;
	int *device_doubled = device_array<int>(RECORDS);
	column *device = device_array<column>(RECORDS);

	for (int i = 0; i < RECORDS; i++) {
		unsigned number = random_number(&state);

		records[i] = (struct record){(int16_t)(number % 30000), (int16_t)(number >> 9)};
		price[i] = records[i].price;
		doubled[i] = 2 * (price[i] - 5);
	}
#if FIX_1
	CHECK(cudaMemcpy(device, price, sizeof(price), cudaMemcpyHostToDevice));
#else
	/* PLANT 1: unused_transfer, copy_range, 128K */
	CHECK(cudaMemcpy(device, records, sizeof(records), cudaMemcpyHostToDevice));
#endif
	discount<<<BLOCKS(RECORDS)>>>(device, RECORDS);
	double_prices<<<BLOCKS(RECORDS)>>>(device_doubled, device, RECORDS);
	check_exactly("doubled", device_doubled, doubled, RECORDS);
	return 0;
}
