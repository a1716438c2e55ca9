/*
 * query/value.h: what expressions of the query language are made of: null, numbers, text, lists,
 * maps, and references to vertices, edges and paths.
 *
 * Values are 16 bytes, immutable, and point into an arena (query/arena.h) or into the graph.
 */
#ifndef VFLOW_QUERY_VALUE_H
#define VFLOW_QUERY_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "query/arena.h"

enum value_type {
	VALUE_NULL,
	VALUE_BOOLEAN,
	VALUE_INTEGER,
	VALUE_FLOAT,
	VALUE_STRING,
	VALUE_LIST,
	VALUE_MAP,
	VALUE_VERTEX,
	VALUE_EDGE,
	VALUE_PATH,
};

struct value {
	enum value_type type;
	union {
		bool boolean;
		int64_t integer;
		double number;
		const char *text; /* UTF-8 */
		const struct value_list *list;
		const struct value_map *map;
		uint32_t index; /* of the vertex or edge in the engine */
		const struct value_path *path;
	};
};

struct value_list {
	uint32_t count;
	uint32_t depth; /* of lists and maps in each other, this one included */
	uint64_t bytes;
	struct value items[];
};

struct value_map { /* in the order of the keys */
	uint32_t count, depth;
	uint64_t bytes;
	struct value_entry {
		const char *key;
		struct value value;
	} entries[];
};

struct value_path {
	uint32_t length;  /* edges */
	uint32_t items[]; /* vertex, edge, vertex, ...: 2 * length + 1 indices */
};

/* Three-valued logic. */
enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN };

#define VALUE_IS_NUMBER(value) ((value).type == VALUE_INTEGER || (value).type == VALUE_FLOAT)

struct value value_boolean(bool boolean);
struct value value_truth(enum truth truth);
struct value value_integer(int64_t integer);
struct value value_number(double number);
struct value value_text(const char *text);
struct value value_vertex(uint32_t index);
struct value value_edge(uint32_t index);

struct value_list *value_new_list(struct arena *arena, uint32_t count);
/* When its items are there. */
struct value value_of_list(struct value_list *list);
struct value_map *value_new_map(struct arena *arena, uint32_t count);
/* Sorts the entries by key; of equal keys the last one stays. */
struct value value_of_map(struct value_map *map);
/* NULL when the map has no such key. */
const struct value *value_map_get(const struct value_map *map, const char *key);

/* How deep lists and maps are nested; 0: the value is neither. */
uint32_t value_depth(struct value value);
/*
 * Of a copy; what lists and maps share counts as often as it is there.  Of a list or map with more
 * than VALUE_BYTES_LIMIT it is some number above the limit.
 */
enum { VALUE_BYTES_LIMIT = 1024 * 1024 * 1024 };
uint64_t value_bytes(struct value value);

double value_as_number(struct value value); /* of an integer or float */

/* a = b as the language sees it. */
enum truth value_equal(struct value a, struct value b);
/* a < b, =, > as -1, 0, 1; VALUE_INCOMPARABLE when the language says null or false. */
enum { VALUE_INCOMPARABLE = 2, VALUE_UNORDERED = 3 /* NaN */ };
int value_compare(struct value a, struct value b);
/* The total order of ORDER BY: -1, 0, 1; null is last, NaN the largest number. */
int value_order(struct value a, struct value b);
/* Whether DISTINCT and grouping take them for one: null is null. */
bool value_same(struct value a, struct value b);
/* Whether no expression can tell them apart: 1 and 1.0 are the same, but half of them is not. */
bool value_identical(struct value a, struct value b);

/* A copy that lives in the arena, text included. */
struct value value_copy(struct arena *arena, struct value value);

const char *value_type_name(enum value_type type);

/* Rows of `width` values without repetition. */
struct value_set {
	uint32_t width, count, capacity;
	bool exact;         /* 1 and 1.0 are two, as are 0.0 and -0.0, in lists and maps, too */
	struct value *rows; /* count * width */
	uint64_t *hashes;
	uint32_t *slots, slot_count; /* index + 1 */
};

/* Index of the row; *added when it was not there, a copy in the arena is then. */
uint32_t value_set_add(struct value_set *set, const struct value *row, struct arena *arena,
		       bool *added);
void value_set_free(struct value_set *set);

#endif
