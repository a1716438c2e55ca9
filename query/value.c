#include "query/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct value value_boolean(bool boolean)
{
	return (struct value){.type = VALUE_BOOLEAN, .boolean = boolean};
}

struct value value_truth(enum truth truth)
{
	return truth == TRUTH_UNKNOWN ? (struct value){0} : value_boolean(truth == TRUTH_TRUE);
}

struct value value_integer(int64_t integer)
{
	return (struct value){.type = VALUE_INTEGER, .integer = integer};
}

struct value value_number(double number)
{
	return (struct value){.type = VALUE_FLOAT, .number = number};
}

struct value value_text(const char *text)
{
	return text ? (struct value){.type = VALUE_STRING, .text = text} : (struct value){0};
}

struct value value_vertex(uint32_t index)
{
	return (struct value){.type = VALUE_VERTEX, .index = index};
}

struct value value_edge(uint32_t index)
{
	return (struct value){.type = VALUE_EDGE, .index = index};
}

struct value_list *value_new_list(struct arena *arena, uint32_t count)
{
	struct value_list *list =
		arena_alloc(arena, sizeof(*list) + (size_t)count * sizeof(*list->items));

	list->count = count;
	return list;
}

uint32_t value_depth(struct value value)
{
	return value.type == VALUE_LIST  ? value.list->depth
	       : value.type == VALUE_MAP ? value.map->depth
					 : 0;
}

uint64_t value_bytes(struct value value)
{
	switch (value.type) {
	case VALUE_STRING:
		return sizeof(value) + strlen(value.text);
	case VALUE_LIST:
		return value.list->bytes;
	case VALUE_MAP:
		return value.map->bytes;
	case VALUE_PATH:
		return sizeof(*value.path) +
		       (2 * (uint64_t)value.path->length + 1) * sizeof(*value.path->items);
	default:
		return 0;
	}
}

static void add_part(struct value part, uint32_t *depth, uint64_t *bytes)
{
	if (value_depth(part) >= *depth)
		*depth = value_depth(part) + 1;
	*bytes += value_bytes(part);
}

struct value value_of_list(struct value_list *list)
{
	list->depth = 1;
	list->bytes = sizeof(*list) + (uint64_t)list->count * sizeof(*list->items);
	for (uint32_t i = 0; i < list->count && list->bytes <= VALUE_BYTES_LIMIT; i++)
		add_part(list->items[i], &list->depth, &list->bytes);
	return (struct value){.type = VALUE_LIST, .list = list};
}

struct value_map *value_new_map(struct arena *arena, uint32_t count)
{
	struct value_map *map =
		arena_alloc(arena, sizeof(*map) + (size_t)count * sizeof(*map->entries));

	map->count = count;
	return map;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct value_entry *)a)->key, ((const struct value_entry *)b)->key);
}

struct value value_of_map(struct value_map *map)
{
	uint32_t kept = 0;

	qsort(map->entries, map->count, sizeof(*map->entries), by_key);
	for (uint32_t i = 0; i < map->count; i++) {
		kept -= kept && !strcmp(map->entries[kept - 1].key, map->entries[i].key);
		map->entries[kept++] = map->entries[i];
	}
	map->count = kept;
	map->depth = 1;
	map->bytes = sizeof(*map) + kept * sizeof(*map->entries);
	for (uint32_t i = 0; i < kept && map->bytes <= VALUE_BYTES_LIMIT; i++) {
		map->bytes += sizeof(struct value) + strlen(map->entries[i].key);
		add_part(map->entries[i].value, &map->depth, &map->bytes);
	}
	return (struct value){.type = VALUE_MAP, .map = map};
}

const struct value *value_map_get(const struct value_map *map, const char *key)
{
	struct value_entry wanted = {.key = key};
	const struct value_entry *found =
		bsearch(&wanted, map->entries, map->count, sizeof(*map->entries), by_key);

	return found ? &found->value : NULL;
}

double value_as_number(struct value value)
{
	return value.type == VALUE_INTEGER ? (double)value.integer : value.number;
}

/* long double holds every 64-bit integer on the machines that CUDA has */
static long double exact(struct value value)
{
	return value.type == VALUE_INTEGER ? (long double)value.integer : (long double)value.number;
}

static int sign_of(long double a, long double b)
{
	return (a > b) - (a < b);
}

static bool is_nan(struct value value)
{
	return value.type == VALUE_FLOAT && isnan(value.number);
}

/* -- equality -- */

static enum truth and (enum truth a, enum truth b) {
	if (a == TRUTH_FALSE || b == TRUTH_FALSE) return TRUTH_FALSE;
	return a == TRUTH_UNKNOWN || b == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : TRUTH_TRUE;
}

static enum truth equal_lists(const struct value_list *a, const struct value_list *b)
{
	enum truth truth = TRUTH_TRUE;

	if (a->count != b->count)
		return TRUTH_FALSE;
	for (uint32_t i = 0; i < a->count && truth != TRUTH_FALSE; i++)
		truth = and(truth, value_equal(a->items[i], b->items[i]));
	return truth;
}

static enum truth equal_maps(const struct value_map *a, const struct value_map *b)
{
	enum truth truth = TRUTH_TRUE;

	if (a->count != b->count)
		return TRUTH_FALSE;
	for (uint32_t i = 0; i < a->count; i++)
		if (strcmp(a->entries[i].key, b->entries[i].key) != 0)
			return TRUTH_FALSE;
	for (uint32_t i = 0; i < a->count && truth != TRUTH_FALSE; i++)
		truth = and(truth, value_equal(a->entries[i].value, b->entries[i].value));
	return truth;
}

static bool equal_paths(const struct value_path *a, const struct value_path *b)
{
	return a->length == b->length &&
	       !memcmp(a->items, b->items, (2 * (size_t)a->length + 1) * sizeof(*a->items));
}

enum truth value_equal(struct value a, struct value b)
{
	if (a.type == VALUE_NULL || b.type == VALUE_NULL)
		return TRUTH_UNKNOWN;
	if (VALUE_IS_NUMBER(a) && VALUE_IS_NUMBER(b))
		return exact(a) == exact(b) ? TRUTH_TRUE : TRUTH_FALSE;
	if (a.type != b.type)
		return TRUTH_FALSE;
	switch (a.type) {
	case VALUE_BOOLEAN:
		return a.boolean == b.boolean ? TRUTH_TRUE : TRUTH_FALSE;
	case VALUE_STRING:
		return a.text == b.text || !strcmp(a.text, b.text) ? TRUTH_TRUE : TRUTH_FALSE;
	case VALUE_LIST:
		return equal_lists(a.list, b.list);
	case VALUE_MAP:
		return equal_maps(a.map, b.map);
	case VALUE_VERTEX:
	case VALUE_EDGE:
		return a.index == b.index ? TRUTH_TRUE : TRUTH_FALSE;
	case VALUE_PATH:
		return equal_paths(a.path, b.path) ? TRUTH_TRUE : TRUTH_FALSE;
	default:
		return TRUTH_FALSE;
	}
}

/* -- order -- */

static int compare_lists(const struct value_list *a, const struct value_list *b)
{
	for (uint32_t i = 0; i < a->count && i < b->count; i++) {
		int order = value_compare(a->items[i], b->items[i]);

		if (order)
			return order;
	}
	return (a->count > b->count) - (a->count < b->count);
}

int value_compare(struct value a, struct value b)
{
	if (VALUE_IS_NUMBER(a) && VALUE_IS_NUMBER(b))
		return is_nan(a) || is_nan(b) ? VALUE_UNORDERED : sign_of(exact(a), exact(b));
	if (a.type != b.type)
		return VALUE_INCOMPARABLE;
	switch (a.type) {
	case VALUE_BOOLEAN:
		return a.boolean - b.boolean;
	case VALUE_STRING:
		return sign_of(strcmp(a.text, b.text), 0);
	case VALUE_LIST:
		return compare_lists(a.list, b.list);
	default:
		return VALUE_INCOMPARABLE;
	}
}

static int rank(struct value value)
{
	static const int ranks[] = {
		[VALUE_MAP] = 0,   [VALUE_VERTEX] = 1, [VALUE_EDGE] = 2,    [VALUE_LIST] = 3,
		[VALUE_PATH] = 4,  [VALUE_STRING] = 5, [VALUE_BOOLEAN] = 6, [VALUE_INTEGER] = 7,
		[VALUE_FLOAT] = 7, [VALUE_NULL] = 9,
	};

	return is_nan(value) ? 8 : ranks[value.type];
}

static int order_lists(const struct value_list *a, const struct value_list *b)
{
	for (uint32_t i = 0; i < a->count && i < b->count; i++) {
		int order = value_order(a->items[i], b->items[i]);

		if (order)
			return order;
	}
	return (a->count > b->count) - (a->count < b->count);
}

static int order_maps(const struct value_map *a, const struct value_map *b)
{
	for (uint32_t i = 0; i < a->count && i < b->count; i++) {
		int order = strcmp(a->entries[i].key, b->entries[i].key);

		if (!order)
			order = value_order(a->entries[i].value, b->entries[i].value);
		if (order)
			return sign_of(order, 0);
	}
	return (a->count > b->count) - (a->count < b->count);
}

static int order_paths(const struct value_path *a, const struct value_path *b)
{
	uint32_t shorter = a->length < b->length ? a->length : b->length;

	for (uint32_t i = 0; i < 2 * shorter + 1; i++)
		if (a->items[i] != b->items[i])
			return a->items[i] < b->items[i] ? -1 : 1;
	return (a->length > b->length) - (a->length < b->length);
}

int value_order(struct value a, struct value b)
{
	if (rank(a) != rank(b))
		return rank(a) < rank(b) ? -1 : 1;
	switch (a.type) {
	case VALUE_NULL:
		return 0;
	case VALUE_LIST:
		return order_lists(a.list, b.list);
	case VALUE_MAP:
		return order_maps(a.map, b.map);
	case VALUE_VERTEX:
	case VALUE_EDGE:
		return (a.index > b.index) - (a.index < b.index);
	case VALUE_PATH:
		return order_paths(a.path, b.path);
	default:
		return is_nan(a) ? 0 : value_compare(a, b);
	}
}

bool value_same(struct value a, struct value b)
{
	return value_order(a, b) == 0;
}

/* -- hashes and copies -- */

/* The finalizer of splitmix64: numbers in a row must not end up in rows of slots. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash + UINT64_C(0x9e3779b97f4a7c15)) ^ word;
	hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
	return hash ^ hash >> 31;
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_value(struct value value)
{
	uint64_t hash = mix(1, (uint64_t)rank(value));
	double number;

	switch (value.type) {
	case VALUE_NULL:
		return hash;
	case VALUE_BOOLEAN:
		return mix(hash, value.boolean);
	case VALUE_INTEGER:
	case VALUE_FLOAT:                              /* 1 and 1.0 are the same */
		number = value_as_number(value) + 0.0; /* -0.0 becomes 0.0 */
		if (!isnan(number)) {
			uint64_t bits;

			memcpy(&bits, &number, sizeof(bits));
			hash = mix(hash, bits);
		}
		return hash;
	case VALUE_STRING:
		return mix(hash, hash_text(value.text));
	case VALUE_LIST:
		for (uint32_t i = 0; i < value.list->count; i++)
			hash = mix(hash, hash_value(value.list->items[i]));
		return hash;
	case VALUE_MAP:
		for (uint32_t i = 0; i < value.map->count; i++)
			hash = mix(mix(hash, hash_text(value.map->entries[i].key)),
				   hash_value(value.map->entries[i].value));
		return hash;
	case VALUE_VERTEX:
	case VALUE_EDGE:
		return mix(hash, value.index);
	case VALUE_PATH:
		for (uint32_t i = 0; i < 2 * value.path->length + 1; i++)
			hash = mix(hash, value.path->items[i]);
		return hash;
	}
	return hash;
}

struct value value_copy(struct arena *arena, struct value value)
{
	switch (value.type) {
	case VALUE_STRING:
		value.text = arena_text(arena, value.text, strlen(value.text));
		break;
	case VALUE_LIST: {
		struct value_list *list = value_new_list(arena, value.list->count);

		list->depth = value.list->depth;
		list->bytes = value.list->bytes;
		for (uint32_t i = 0; i < list->count; i++)
			list->items[i] = value_copy(arena, value.list->items[i]);
		value.list = list;
		break;
	}
	case VALUE_MAP: {
		struct value_map *map = value_new_map(arena, value.map->count);

		map->depth = value.map->depth;
		map->bytes = value.map->bytes;
		for (uint32_t i = 0; i < map->count; i++) {
			const char *key = value.map->entries[i].key;

			map->entries[i].key = arena_text(arena, key, strlen(key));
			map->entries[i].value = value_copy(arena, value.map->entries[i].value);
		}
		value.map = map;
		break;
	}
	case VALUE_PATH: {
		size_t size = sizeof(*value.path) +
			      (2 * (size_t)value.path->length + 1) * sizeof(*value.path->items);

		value.path = memcpy(arena_alloc(arena, size), value.path, size);
		break;
	}
	default:
		break;
	}
	return value;
}

const char *value_type_name(enum value_type type)
{
	static const char *const names[] = {
		"null",   "a boolean", "an integer", "a float", "a string",
		"a list", "a map",     "a vertex",   "an edge", "a path",
	};

	return names[type];
}

/* -- sets -- */

static void set_grow(struct value_set *set, struct arena *arena)
{
	arena_charge(arena, (set->slot_count ? set->slot_count : 64) * sizeof(*set->slots));
	set->slot_count = set->slot_count ? set->slot_count * 2 : 64;
	free(set->slots);
	set->slots = xcalloc(set->slot_count, sizeof(*set->slots));
	for (uint32_t row = 0; row < set->count; row++) {
		uint32_t at = (uint32_t)set->hashes[row] & (set->slot_count - 1);

		while (set->slots[at])
			at = (at + 1) & (set->slot_count - 1);
		set->slots[at] = row + 1;
	}
}

static bool identical_lists(const struct value_list *a, const struct value_list *b)
{
	bool same = a->count == b->count;

	for (uint32_t i = 0; same && i < a->count; i++)
		same = value_identical(a->items[i], b->items[i]);
	return same;
}

static bool identical_maps(const struct value_map *a, const struct value_map *b)
{
	bool same = a->count == b->count;

	for (uint32_t i = 0; same && i < a->count; i++)
		same = !strcmp(a->entries[i].key, b->entries[i].key) &&
		       value_identical(a->entries[i].value, b->entries[i].value);
	return same;
}

bool value_identical(struct value a, struct value b)
{
	if (a.type != b.type)
		return false;
	switch (a.type) {
	case VALUE_LIST:
		return identical_lists(a.list, b.list);
	case VALUE_MAP:
		return identical_maps(a.map, b.map);
	case VALUE_FLOAT:
		return value_same(a, b) &&
		       (isnan(a.number) || !signbit(a.number) == !signbit(b.number));
	default:
		return value_same(a, b);
	}
}

static bool same_row(const struct value_set *set, uint32_t index, const struct value *row)
{
	const struct value *other = &set->rows[(size_t)index * set->width];

	for (uint32_t i = 0; i < set->width; i++)
		if (!(set->exact ? value_identical : value_same)(other[i], row[i]))
			return false;
	return true;
}

uint32_t value_set_add(struct value_set *set, const struct value *row, struct arena *arena,
		       bool *added)
{
	uint64_t hash = 0;
	uint32_t at;

	if (set->slot_count < 2 * (size_t)set->count + 2)
		set_grow(set, arena);
	for (uint32_t i = 0; i < set->width; i++)
		hash = mix(hash, hash_value(row[i]));
	*added = false;
	for (at = (uint32_t)hash & (set->slot_count - 1); set->slots[at];
	     at = (at + 1) & (set->slot_count - 1)) {
		uint32_t found = set->slots[at] - 1;

		if (set->hashes[found] == hash && same_row(set, found, row))
			return found;
	}
	if (set->count == set->capacity) {
		set->capacity = set->capacity ? set->capacity * 2 : 16;
		set->rows = xreallocarray(set->rows, (size_t)set->capacity * (set->width + 1),
					  sizeof(*set->rows));
		set->hashes = xreallocarray(set->hashes, set->capacity, sizeof(*set->hashes));
		arena_charge(arena, (size_t)set->capacity / 2 *
					    ((set->width + 1) * sizeof(*set->rows) +
					     sizeof(*set->hashes)));
	}
	for (uint32_t i = 0; i < set->width; i++)
		set->rows[(size_t)set->count * set->width + i] = value_copy(arena, row[i]);
	set->hashes[set->count] = hash;
	set->slots[at] = ++set->count;
	*added = true;
	return set->count - 1;
}

void value_set_free(struct value_set *set)
{
	free(set->rows);
	free(set->hashes);
	free(set->slots);
	*set = (struct value_set){.width = set->width};
}
