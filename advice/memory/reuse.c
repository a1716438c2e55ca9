/* advice/memory/reuse.c: see reuse.h. */
#include "advice/memory/reuse.h"

#include <stdlib.h>

#include "util/memory.h"

/* What is known of an object when the calls are walked through from the last to the first. */
enum status {
	STATUS_INITIAL,
	STATUS_IN_USE, /* its last call was passed */
	STATUS_DONE,   /* its first call, too */
	STATUS_REUSED, /* another one uses its memory */
};

/* The first or last call of an object. */
struct mark {
	uint64_t time;
	bool is_last;
	uint32_t object;
};

/* At one time the last calls are behind the first ones. */
static int by_time(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->is_last != b->is_last)
		return a->is_last - b->is_last;
	return (a->object > b->object) - (a->object < b->object);
}

static bool are_alike(const struct reuse_object *a, const struct reuse_object *b, double difference)
{
	const double larger = (double)(a->size > b->size ? a->size : b->size);
	const double smaller = (double)(a->size > b->size ? b->size : a->size);

	return smaller >= larger * (1 - difference);
}

/* So many marks are looked at for an object, of programs with very many objects. */
#define LOOK_BACK 512u

/* The closest object before this mark that is over there and that nobody uses. */
static uint32_t find_unused(const struct mark *marks, uint32_t at, const enum status *status,
			    const struct reuse_object *objects, double difference)
{
	const struct reuse_object *object = &objects[marks[at].object];
	uint32_t looked = 0;

	for (uint32_t i = at; i-- > 0 && looked < LOOK_BACK; looked++) {
		uint32_t other = marks[i].object;

		if (marks[i].is_last && marks[i].time < object->first &&
		    status[other] == STATUS_INITIAL &&
		    are_alike(&objects[other], object, difference))
			return other;
	}
	return UINT32_MAX;
}

void reuse_pair(struct reuse_object *objects, uint32_t count, double difference)
{
	struct mark *marks = xcalloc(2 * (size_t)count, sizeof(*marks));
	enum status *status = xcalloc(count, sizeof(*status));

	for (uint32_t i = 0; i < count; i++) {
		objects[i].reuses = UINT32_MAX;
		marks[2 * i] = (struct mark){objects[i].first, false, i};
		marks[2 * i + 1] = (struct mark){objects[i].last, true, i};
	}
	if (count)
		qsort(marks, 2 * (size_t)count, sizeof(*marks), by_time);
	for (uint32_t i = 2 * count; i-- > 0;) {
		uint32_t object = marks[i].object, other;

		if (marks[i].is_last) {
			if (status[object] == STATUS_INITIAL)
				status[object] = STATUS_IN_USE;
			continue;
		}
		if (status[object] == STATUS_IN_USE)
			status[object] = STATUS_DONE;
		other = find_unused(marks, i, status, objects, difference);
		if (other == UINT32_MAX)
			continue;
		objects[object].reuses = other;
		status[other] = STATUS_REUSED;
	}
	free(marks);
	free(status);
}
