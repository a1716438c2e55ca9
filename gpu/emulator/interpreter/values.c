/*
 * gpu/emulator/interpreter/values.c: see values.h.
 *
 * Launches that are looked at run on one host thread.
 */
#include "gpu/emulator/interpreter/values.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/interpreter/warp.h"
#include "gpu/ptx/value_types.h"

#define ROWS_MOST 4096u /* of a launch */
#define ROW_SLOTS (4 * ROWS_MOST)
#define REPEATS_MOST (UINT32_C(1) << 20) /* addresses of threads that are remembered */
#define NO_ROW UINT32_MAX

struct row {
	const struct ptx_instruction *at;
	const struct ptx_function *function;
	const struct allocation *allocation; /* NULL: shared memory */
	uint32_t object;                     /* of the allocation: it may be another one later */
	enum gpu_value_kind kind;
	enum gpu_value_type type;
	uint32_t group; /* the first row of the object, kind and type; it has their reference */
	struct value_stats stats;
	struct value_counts counts;
};

/* What a thread loaded or stored last at an address. */
struct last {
	uint64_t address, bits;
	uint32_t thread, age; /* of the blocks that ran when it was made: others are gone */
	uint8_t kind;
};

/* The types of a function's registers; NULL: there was no memory. */
struct function_types {
	struct function_types *next;
	const struct ptx_function *function;
	struct ptx_value_types *types;
};

struct values {
	uint64_t nth, blocks_left;
	struct row *rows;
	uint32_t count;
	uint32_t *slots; /* of rows, 1 + their index; 0: free */
	uint64_t left;   /* values for which there was no row */
	uint64_t unseen; /* instructions of warps whose values are not looked at */
	struct last *lasts;
	uint32_t last_count, age;
	struct function_types *functions; /* of the launch, whose types are known */
	const struct ptx_module *module;
};

static void forget(struct values *values)
{
	for (uint32_t n = 0; n < values->count; n++)
		value_counts_release(&values->rows[n].counts);
	values->count = 0;
	for (struct function_types *at = values->functions, *next; at; at = next) {
		next = at->next;
		ptx_value_types_free(at->types);
		free(at);
	}
	values->functions = NULL;
}

void values_free(struct values *values)
{
	if (!values)
		return;
	forget(values);
	free(values->rows);
	free(values->slots);
	free(values->lasts);
	free(values);
}

struct values *values_create(uint64_t nth)
{
	struct values *values = calloc(1, sizeof(*values));

	if (!values)
		return NULL;
	values->nth = nth ? nth : 1;
	values->rows = calloc(ROWS_MOST, sizeof(*values->rows));
	values->slots = calloc(ROW_SLOTS, sizeof(*values->slots));
	values->lasts = calloc(2 * REPEATS_MOST, sizeof(*values->lasts));
	if (values->rows && values->slots && values->lasts)
		return values;
	values_free(values);
	return NULL;
}

void values_start(struct values *values)
{
	forget(values);
	memset(values->slots, 0, ROW_SLOTS * sizeof(*values->slots));
	values->left = values->unseen = values->blocks_left = 0;
}

void values_blocks(struct values *values, struct block *blocks, uint32_t count, uint64_t first)
{
	values->age++;
	values->last_count = 0;
	for (uint32_t n = 0; n < count; n++) {
		blocks[n].values = (first + n) % values->nth ? NULL : values;
		values->blocks_left += !blocks[n].values;
	}
}

/* -- rows --------------------------------------------------------------------------------- */

static uint32_t slot_of(const struct ptx_instruction *at, const struct allocation *allocation,
			unsigned kind, unsigned type)
{
	uint64_t hash = (uint64_t)(uintptr_t)at ^ (uint64_t)(uintptr_t)allocation << 7;

	hash = (hash ^ (uint64_t)kind << 56 ^ (uint64_t)type << 48) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(hash >> 40) % ROW_SLOTS;
}

static uint32_t group_of(const struct values *values, const struct row *row)
{
	for (uint32_t n = 0; n < values->count; n++) {
		const struct row *other = &values->rows[n];

		if (other->allocation == row->allocation && other->kind == row->kind &&
		    other->type == row->type)
			return other->group;
	}
	return values->count;
}

static struct row *row_of(struct values *values, const struct warp *w,
			  const struct ptx_instruction *at, const struct allocation *allocation,
			  enum gpu_value_kind kind, enum gpu_value_type type, uint64_t bits,
			  uint64_t offset)
{
	uint32_t slot = slot_of(at, allocation, kind, type);
	struct row *row, *first;

	for (; values->slots[slot]; slot = (slot + 1) % ROW_SLOTS) {
		row = &values->rows[values->slots[slot] - 1];
		if (row->at == at && row->allocation == allocation && row->kind == kind &&
		    row->type == type)
			return row;
	}
	if (values->count == ROWS_MOST)
		return NULL;
	row = &values->rows[values->count];
	*row = (struct row){.at = at,
			    .function = w->now.function,
			    .allocation = allocation,
			    .object = allocation ? allocation->object : 0,
			    .kind = kind,
			    .type = type};
	row->group = group_of(values, row);
	first = &values->rows[row->group];
	row->stats = value_stats_none(type, bits, offset);
	if (first != row) {
		row->stats.reference = first->stats.reference;
		row->stats.reference_index = first->stats.reference_index;
	}
	values->slots[slot] = ++values->count;
	return row;
}

/* -- what threads had before ---------------------------------------------------------------- */

/* Whether the thread's last access of the kind to the address had this value, too. */
static bool is_repeated(struct values *values, uint32_t thread, enum gpu_value_kind kind,
			uint64_t address, uint64_t bits)
{
	const uint64_t hash = (address ^ (uint64_t)thread << 40 ^ (uint64_t)kind << 62) *
			      UINT64_C(0x9e3779b97f4a7c15);
	const uint32_t mask = 2 * REPEATS_MOST - 1;
	uint32_t at = (uint32_t)(hash >> 32) & mask;
	struct last *last;
	bool same;

	if (kind == GPU_VALUE_ATOMIC)
		return false;
	for (last = &values->lasts[at]; last->age == values->age; last = &values->lasts[at]) {
		if (last->address == address && last->thread == thread && last->kind == kind) {
			same = last->bits == bits;
			last->bits = bits;
			return same;
		}
		at = (at + 1) & mask;
	}
	if (values->last_count == REPEATS_MOST)
		return false;
	values->last_count++;
	*last = (struct last){address, bits, thread, values->age, (uint8_t)kind};
	return false;
}

/* -- values --------------------------------------------------------------------------------- */

/* Where the object begins that the address is in; false: it is in none. */
static bool find_object(const struct warp *w, uint64_t address,
			const struct allocation **allocation, uint64_t *base)
{
	const uint64_t shared = (uint64_t)(uintptr_t)w->block->shared;

	if (address - shared < w->block->shared_bytes) {
		*allocation = NULL;
		*base = shared;
		return true;
	}
	if (!*allocation || address - (*allocation)->address >= (*allocation)->size)
		*allocation = memory_find(address);
	if (!*allocation || !(*allocation)->object)
		return false;
	*base = (*allocation)->address;
	return true;
}

/* ld.volatile, st.release and the like are there to be done each time. */
static bool is_ordered(const struct ptx_instruction *i)
{
	const enum ptx_modifier order = i->rounding;

	return order >= PTX_MOD_VOLATILE && order <= PTX_MOD_ACQ_REL;
}

/* A value that may be two. */
static void add(struct values *values, const struct warp *w, const struct ptx_instruction *i,
		enum gpu_value_kind kind, enum gpu_value_type type, unsigned size, unsigned lane,
		const struct allocation **allocation, uint64_t address, uint64_t bits)
{
	const unsigned part = value_size(type);
	const uint32_t thread = (uint32_t)(w->block - w->block->all) * 1024 +
				(uint32_t)(w - w->block->warps) * PTX_LANES + lane;
	const uint64_t mask = part == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * part) - 1;
	uint64_t base;

	if (!find_object(w, address, allocation, &base))
		return;
	for (unsigned at = 0; at < size; at += part) {
		const uint64_t value = bits >> 8 * at & mask, offset = address + at - base;
		struct row *row = row_of(values, w, i, *allocation, kind, type, value, offset);

		if (!row) {
			values->left++;
			continue;
		}
		value_stats_add(&row->stats, type, value, offset,
				is_repeated(values, thread, kind, address + at, value) &&
					!is_ordered(i));
		value_counts_add(&row->counts, value, 1);
	}
}

static enum gpu_value_type type_of(struct values *values, const struct warp *w,
				   const struct ptx_instruction *i, uint32_t operand)
{
	const struct ptx_function *function = w->now.function;
	struct function_types *known = values->functions;

	while (known && known->function != function)
		known = known->next;
	if (!known) {
		known = malloc(sizeof(*known));
		if (!known)
			return GPU_VALUE_TYPES;
		*known = (struct function_types){
			values->functions, function,
			ptx_value_types_of(interpreter_machine(), w->module, function)};
		values->functions = known;
		values->module = w->module;
	}
	return known->types ? ptx_value_type(known->types, (enum ptx_type)i->type, operand)
			    : GPU_VALUE_TYPES;
}

/* Element n of the access; `row`: its values by lane, NULL: they are in memory. */
static void add_element(struct warp *w, const struct ptx_instruction *i, uint8_t *const *pointers,
			enum gpu_value_kind kind, unsigned n, uint32_t operand, const uint64_t *row)
{
	struct values *values = w->block->values;
	const unsigned size = ptx_type_size((enum ptx_type)i->type);
	const enum gpu_value_type type = type_of(values, w, i, operand);
	const struct allocation *allocation = NULL;

	/* 128 bits are no value */
	if (type == GPU_VALUE_TYPES || size > 8)
		return;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t bits = 0;

		if (row)
			memcpy(&bits, &row[l], size);
		else
			memcpy(&bits, pointers[l] + n * size, size);
		add(values, w, i, kind, type, size, l, &allocation,
		    (uint64_t)(uintptr_t)pointers[l] + n * size, bits);
	}
}

static bool is_value(const struct ptx_instruction *i)
{
	return i->space == PTX_MOD_GLOBAL || i->space == PTX_MOD_SHARED ||
	       i->space == PTX_MODIFIER_COUNT;
}

void values_saw_load(struct warp *w, const struct ptx_instruction *i, uint8_t *const *pointers)
{
	for (unsigned n = 0; is_value(i) && n < i->vector; n++)
		add_element(w, i, pointers, GPU_VALUE_LOAD, n,
			    i->vector == 1 ? i->d : w->module->extras[i->extra + n], NULL);
}

void values_saw_store(struct warp *w, const struct ptx_instruction *i, uint8_t *const *pointers)
{
	for (unsigned n = 0; is_value(i) && n < i->vector; n++) {
		const uint32_t operand = i->vector == 1 ? i->b : w->module->extras[i->extra + n];

		add_element(w, i, pointers, GPU_VALUE_STORE, n, operand, warp_row(w, operand));
	}
}

void values_saw_atomic(struct warp *w, const struct ptx_instruction *i, uint8_t *const *pointers)
{
	const uint32_t operand = i->boolean == PTX_MOD_CAS ? i->c : i->b;

	add_element(w, i, pointers, GPU_VALUE_ATOMIC, 0, operand, warp_row(w, operand));
}

void values_saw_other(struct warp *w)
{
	if (w->block->values)
		w->block->values->unseen++;
}

/* -- what there was ------------------------------------------------------------------------- */

static void say(const struct row *row, bool whole, const struct value_stats *stats,
		const struct value_counts *counts, const struct ptx_module *module,
		void (*each)(void *data, const struct values_row *row), void *data)
{
	const struct values_row said = {
		.place = whole ? NULL : &module->places[row->at - module->code],
		.function = row->function,
		.object = row->object,
		.kind = row->kind,
		.type = row->type,
		.stats = stats,
		.counts = counts,
	};

	each(data, &said);
}

static void each_of_group(struct values *values, uint32_t group,
			  void (*each)(void *data, const struct values_row *row), void *data)
{
	const struct row *first = &values->rows[group];
	struct value_stats stats = first->stats;
	struct value_counts counts = {0};

	value_counts_join(&counts, &first->counts);
	for (uint32_t n = group + 1; n < values->count; n++)
		if (values->rows[n].group == group) {
			value_stats_join(&stats, &values->rows[n].stats, first->type);
			value_counts_join(&counts, &values->rows[n].counts);
		}
	say(first, true, &stats, &counts, values->module, each, data);
	value_counts_release(&counts);
	for (uint32_t n = group; n < values->count; n++)
		if (values->rows[n].group == group)
			say(&values->rows[n], false, &values->rows[n].stats,
			    &values->rows[n].counts, values->module, each, data);
}

void values_each(struct values *values, void (*each)(void *data, const struct values_row *row),
		 void *data)
{
	for (uint32_t n = 0; n < values->count; n++)
		if (values->rows[n].group == n)
			each_of_group(values, n, each, data);
}

struct values_seen values_seen(const struct values *values)
{
	return (struct values_seen){values->blocks_left, values->left, values->unseen};
}
