/*
 * No waste: doubles that are 1.0 or 2.0 become 3.0 or 4.0 and so on.  Every value changes, though
 * most of its bytes do not.
 */
#include "tests/advice/program.h"

enum { FIELDS = 2, LARGEST = 8192, WARM_UP = 2, STEPS = 3 };

struct field {
	int size;
	double first; /* the values are this and 1 more */
	double *data; /* on the device */
};

static double data[LARGEST];

static struct field field_new(int size, double first)
{
	struct field field = {.size = size, .first = first};

	for (int i = 0; i < size; i++)
		data[i] = first + i % 2;
	CHECK(cudaMalloc((void **)&field.data, size * sizeof(double)));
	CHECK(cudaMemcpy(field.data, data, size * sizeof(double), cudaMemcpyHostToDevice));
	return field;
}

static void field_step(struct field *field)
{
	LAUNCH(shift_doubles, field->size / 256, 256, field->data, 2.0, field->size);
	field->first += 2;
}

static void warm_up(struct field *field)
{
	for (int i = 0; i < WARM_UP; i++)
		field_step(field);
}

static void run(struct field *field)
{
	for (int i = 0; i < STEPS; i++)
		field_step(field);
}

static void field_finish(const struct field *field)
{
	CHECK(cudaMemcpy(data, field->data, field->size * sizeof(double), cudaMemcpyDeviceToHost));
	for (int i = 0; i < field->size; i++)
		expect(data[i] == field->first + i % 2, "the data");
	print_checksum("data", data, field->size * sizeof(double));
	CHECK(cudaFree(field->data));
}

int main(void)
{
	struct field fields[FIELDS] = {field_new(LARGEST, 1), field_new(6144, 5)};

	for (int i = 0; i < FIELDS; i++) {
		warm_up(&fields[i]);
		run(&fields[i]);
	}
	for (int i = 0; i < FIELDS; i++)
		field_finish(&fields[i]);
	return 0;
}
