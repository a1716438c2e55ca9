/*
 * Rates of reactions at temperatures that differ by less than a ten thousandth.  With 11 bits of
 * the mantissa all of them are 293.125: the next number of so many bits is 293.25.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 32768 };

static float amounts[N], rates[N];

#if FIX_1
static __global__ void react(float *rates, const float *amounts, float temperature, int n)
{
	int i = INDEX;

	if (i < n)
		rates[i] = amounts[i] * temperature;
}
#else
static __global__ void react(float *rates, const float *amounts, const float *temperature, int n)
{
	int i = INDEX;

	if (i < n)
		/* PLANT 1: approximate_values, use_argument, 128K, with this input */
		rates[i] = amounts[i] * temperature[i];
}
#endif

int main()
{
	float *device_rates = device_array<float>(N);
	double sum = 0;

	random_floats(amounts, N, 8);
#if FIX_1
	react<<<BLOCKS(N)>>>(device_rates, upload(amounts, N), 293.125f, N);
#else
	static float temperature[N];

	random_floats(temperature, N, 9);
	for (int i = 0; i < N; i++)
		temperature[i] = 293.15f + 0.02f * (temperature[i] - 1);
	react<<<BLOCKS(N)>>>(device_rates, upload(amounts, N), upload(temperature, N), N);
#endif
	download(rates, device_rates, N);
	for (int i = 0; i < N; i++) {
		expect(fabsf(rates[i] / amounts[i] - 293.15f) < 0.03f, "a rate");
		sum += rates[i];
	}
	/* three digits, of what is right to four */
	printf("mean rate %.3g\n", sum / N);
	return 0;
}
