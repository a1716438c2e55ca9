/*
 * No waste: a buffer that grows.  One line allocates it again and again, each time twice as large,
 * and the old content moves to the new place.
 */
#include "tests/advice/program.h"

enum { FIRST = 2048, LAST = 32768 };

struct list {
	float *data; /* on the device */
	int count, room;
};

static float values[LAST], result[LAST];

static void list_reserve(struct list *list, int room)
{
	float *data;

	CHECK(cudaMalloc((void **)&data, room * sizeof(float)));
	if (list->count)
		CHECK(cudaMemcpy(data, list->data, list->count * sizeof(float),
				 cudaMemcpyDeviceToDevice));
	CHECK(cudaFree(list->data));
	list->data = data;
	list->room = room;
}

static void list_append(struct list *list, const float *more, int count)
{
	while (list->count + count > list->room)
		list_reserve(list, 2 * list->room);
	CHECK(cudaMemcpy(list->data + list->count, more, count * sizeof(float),
			 cudaMemcpyHostToDevice));
	list->count += count;
}

/* Every element once for each time that it was there. */
static void list_shift(const struct list *list)
{
	LAUNCH(shift, list->count / 256, 256, list->data, 0.5f, list->count);
	for (int i = 0; i < list->count; i++)
		values[i] += 0.5f;
}

int main(void)
{
	struct list list = {0};

	random_floats(values, LAST, 1);
	list_reserve(&list, FIRST);
	for (int done = 0; done < LAST; done += FIRST) {
		list_append(&list, values + done, FIRST);
		list_shift(&list);
	}
	CHECK(cudaMemcpy(result, list.data, sizeof(result), cudaMemcpyDeviceToHost));
	expect_floats(result, values, LAST, "the list");
	print_checksum("list", result, sizeof(result));
	CHECK(cudaFree(list.data));
	return 0;
}
