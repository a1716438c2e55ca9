/* graph/build/records.c: see build/records.h. */
#include "graph/build/records.h"

#include <stddef.h>
#include <string.h>

enum member_type {
	MEMBER_END,
	MEMBER_CONTEXT, /* ids of the trace */
	MEMBER_FRAME,
	MEMBER_RANGE,
	MEMBER_WRITER,
	MEMBER_TEXT, /* `size` bytes, or, 0, all up to the payload's end */
	MEMBER_BLOB, /* as many bytes as are told at offset `size` */
};

/* Of a payload: none of its numbers. */
struct member {
	enum member_type type;
	uint32_t at, size;
};

/* One function for each kind, in which `payload` is its structure; the last row's `at` is its size.
 */
#define GPU_RECORD(number, KIND, name, bytes, object, ...)                                         \
	static const struct member *members_of_##name(void)                                        \
	{                                                                                          \
		typedef struct gpu_##name payload;                                                 \
		static const struct member members[] = {                                           \
			__VA_ARGS__{MEMBER_END, sizeof(payload), 0}};                              \
		return members;                                                                    \
	}                                                                                          \
	_Static_assert(sizeof(struct gpu_##name) >= (bytes), "members are only ever added");
#define U8(...)
#define U32(...)
#define U64(...)
#define ID(TYPE, member) {MEMBER_##TYPE, offsetof(payload, member), sizeof(uint32_t)},
#define NAME(member, bytes) {MEMBER_TEXT, offsetof(payload, member), bytes},
#define TEXT(member) {MEMBER_TEXT, offsetof(payload, member), 0},
#define BLOB(member, size) {MEMBER_BLOB, offsetof(payload, member), offsetof(payload, size)},
#define ROWS(structure, member)
#include "gpu/records.def"

static const struct kind {
	const char *name;
	uint32_t least; /* bytes of payload */
	bool object;    /* whether it must have one */
	const struct member *(*members)(void);
} kinds[] = {
#define GPU_RECORD(number, KIND, name, bytes, object, ...)                                         \
	[number] = {#KIND, bytes, object, members_of_##name},
#include "gpu/records.def"
};

static const struct kind *find_kind(uint32_t number)
{
	return number < sizeof(kinds) / sizeof(*kinds) && kinds[number].name ? &kinds[number]
									     : NULL;
}

bool records_know(uint32_t kind)
{
	return find_kind(kind);
}

/* -- texts and blobs -- */

static uint32_t number_at(const struct build_record *record, uint32_t at)
{
	uint32_t number;

	memcpy(&number, (const char *)record->payload + at, sizeof(number));
	return number;
}

static const char *fault_of(const struct build_record *record, const struct member *member)
{
	uint32_t left = record->size - member->at;

	if (member->type == MEMBER_TEXT &&
	    !memchr((const char *)record->payload + member->at, 0,
		    member->size && member->size < left ? member->size : left))
		return "a name that has no end";
	if (member->type == MEMBER_BLOB && number_at(record, member->size) > left)
		return "a piece that is not in it";
	return NULL;
}

int records_check(const struct build_record *record, uint32_t object, struct error *error)
{
	const struct kind *kind = find_kind(record->kind);

	if (!kind)
		return 0;
	if (record->size < kind->least)
		return error_set(error, "a record of kind %s with %u bytes: expected %u or more",
				 kind->name, record->size, kind->least);
	if (kind->object && !object)
		return error_set(error, "a record of kind %s of no object", kind->name);
	for (const struct member *member = kind->members(); member->type; member++) {
		const char *fault = member->at < record->size ? fault_of(record, member) : NULL;

		if (fault)
			return error_set(error, "a record of kind %s with %s", kind->name, fault);
	}
	return 0;
}

/* -- ids -- */

/* NULL, or what the trace lacks. */
static const char *resolve(const struct contexts *contexts, enum member_type type, uint32_t id,
			   struct build_record *record)
{
	switch (type) {
	case MEMBER_CONTEXT:
		if (!id || id > contexts->count)
			return "context";
		record->context = contexts->uses[id - 1].context;
		return NULL;
	case MEMBER_FRAME:
		if (id > contexts->frame_count)
			return "frame";
		record->frame = id ? contexts->frames[id - 1] : NO_FRAME;
		return NULL;
	case MEMBER_RANGE:
		if (id > contexts->range_count)
			return "NVTX range";
		record->range = id ? contexts->ranges[id - 1] : PROFILE_NO_ROW;
		return NULL;
	case MEMBER_WRITER:
		if (id && id <= contexts->count && contexts->uses[id - 1].called)
			record->writer =
				merge_vertex(contexts->merge, contexts->uses[id - 1].context);
		return record->writer == NO_VERTEX ? "writer" : NULL;
	case MEMBER_END:
	case MEMBER_TEXT:
	case MEMBER_BLOB:
		break;
	}
	return NULL;
}

int records_resolve(const struct contexts *contexts, struct build_record *record,
		    struct error *error)
{
	const struct kind *kind = find_kind(record->kind);

	record->context = UINT32_MAX;
	record->frame = NO_FRAME;
	record->range = PROFILE_NO_ROW;
	record->writer = NO_VERTEX;
	if (!kind)
		return 0;
	for (const struct member *member = kind->members(); member->type; member++) {
		const char *lack = NULL;

		if (member->at + sizeof(uint32_t) <=
		    record->size) /* else made before it was added */
			lack = resolve(contexts, member->type, number_at(record, member->at),
				       record);
		if (lack)
			return error_set(error, "a record of kind %s of %s %u, which is not there",
					 kind->name, lack, number_at(record, member->at));
	}
	return 0;
}
