/*
 * A model whose first and last layer use the same table of the host; it is sent for each of them.
 */
#include "tests/advice/program.h"

enum { TABLE = 16384, N = 16384, INPUTS = 3 };

struct model {
	float *first, *last; /* tables on the device */
	float *data, *hidden;
};

static float table[TABLE], data[N], expected[N];

static float *upload_table(void)
{
	float *device;

	CHECK(cudaMalloc((void **)&device, sizeof(table)));
	/* PLANT 1: duplicate_transfer|duplicate_values, share, 64K */
	CHECK(cudaMemcpy(device, table, sizeof(table), cudaMemcpyHostToDevice));
	return device;
}

static struct model model_new(void)
{
	struct model model;

	model.first = upload_table();
#if FIX_1
	model.last = model.first;
#else
	model.last = upload_table();
#endif
	CHECK(cudaMalloc((void **)&model.data, sizeof(data)));
	CHECK(cudaMalloc((void **)&model.hidden, sizeof(data)));
	return model;
}

static void model_run(const struct model *model)
{
	CHECK(cudaMemcpy(model->data, data, sizeof(data), cudaMemcpyHostToDevice));
	LAUNCH(apply_table, N / 256, 256, model->hidden, model->data, model->first, TABLE, N);
	LAUNCH(smooth, N / 256, 256, model->data, model->hidden, N);
	LAUNCH(apply_table, N / 256, 256, model->hidden, model->data, model->last, TABLE, N);
	CHECK(cudaMemcpy(data, model->hidden, sizeof(data), cudaMemcpyDeviceToHost));
}

static void run_on_host(void)
{
	static float hidden[N];

	for (int i = 0; i < N; i++)
		hidden[i] = data[i] * table[i];
	for (int i = 0; i < N; i++) {
		float left = hidden[i > 0 ? i - 1 : i], right = hidden[i < N - 1 ? i + 1 : i];

		expected[i] = (left + hidden[i] + right) / 3 * table[i];
	}
}

int main(void)
{
	struct model model;

	random_floats(table, TABLE, 1);
	model = model_new();
	for (unsigned input = 0; input < INPUTS; input++) {
		random_floats(data, N, 10 + input);
		run_on_host();
		model_run(&model);
		expect_floats(data, expected, N, "the output");
		print_checksum("output", data, sizeof(data));
	}
	CHECK(cudaFree(model.first));
	if (model.last != model.first)
		CHECK(cudaFree(model.last));
	CHECK(cudaFree(model.data));
	CHECK(cudaFree(model.hidden));
	return 0;
}
