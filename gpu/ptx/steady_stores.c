/* gpu/ptx/steady_stores.c: see steady_stores.h. */
#include "gpu/ptx/steady_stores.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/meetings.h"
#include "gpu/ptx/skim.h"

/* What a kernel may cost, so that loading code takes a time that grows with its length alone. */
#define LEAST_STEPS UINT64_C(10000)
#define STEPS_OF_STATEMENT UINT64_C(300)
#define MOST_STEPS UINT64_C(50000000)
#define ANY_ROOT UINT64_MAX

struct analysis {
	struct ptx_skim skim;
	bool *tainted;   /* by name */
	bool *made;      /* by name: some statement makes it */
	uint64_t *roots; /* by name: of the pointers that it comes from, by parameter or symbol */
	uint32_t next_root;
	struct ptx_block *blocks; /* one for each statement */
	uint32_t *meets;
	bool *conditional; /* by statement: whether it is reached depends on data */
	bool *spread;      /* by statement: its branch has made others conditional */
	uint32_t *stack, *seen, round;
	uint64_t steps; /* that may still be made */
};

/* -- statements -- */

static bool is_branch(const struct ptx_statement *statement)
{
	return ptx_is_opcode(statement, "bra");
}

static bool is_end(const struct ptx_statement *statement)
{
	return ptx_is_opcode(statement, "ret") || ptx_is_opcode(statement, "exit");
}

/* Where it may go on is not known. */
static bool is_unknown(const struct ptx_statement *statement)
{
	return ptx_is_opcode(statement, "call") || ptx_is_opcode(statement, "brx");
}

static bool is_parameter_load(const struct ptx_statement *statement)
{
	return ptx_is_opcode(statement, "ld") && ptx_opcode_word(statement, ".param");
}

static const struct ptx_use *uses_of(const struct analysis *analysis, uint32_t s)
{
	return analysis->skim.uses + analysis->skim.statements[s].first_use;
}

static bool makes(const struct analysis *analysis, uint32_t s)
{
	const struct ptx_statement *statement = &analysis->skim.statements[s];

	return statement->use_count && uses_of(analysis, s)->role == PTX_MADE;
}

/* The memory of its first operand: the first of these words. */
static bool is_in(const struct ptx_statement *statement, const char *space)
{
	static const char *const spaces[] = {".global", ".shared", ".local", ".param", ".const"};
	const char *at = ptx_opcode_word(statement, space);

	for (size_t i = 0; at && i < sizeof(spaces) / sizeof(*spaces); i++) {
		const char *other = ptx_opcode_word(statement, spaces[i]);

		if (other && other < at)
			return false;
	}
	return at != NULL;
}

static bool is_private(const struct ptx_statement *statement)
{
	return is_in(statement, ".shared") || is_in(statement, ".local") ||
	       is_in(statement, ".param") || is_in(statement, ".const");
}

/* It may write to global memory; atomics read what they change. */
static bool is_store(const struct analysis *analysis, uint32_t s)
{
	static const char *const others[] = {"red",   "prefetch", "prefetchu", "applypriority",
					     "fence", "mbarrier", "tensormap", NULL};
	const struct ptx_statement *statement = &analysis->skim.statements[s];

	for (const char *const *other = others; *other; other++)
		if (ptx_is_opcode(statement, *other))
			return false;
	return statement->memory != PTX_NO_NAME && !makes(analysis, s) && !is_private(statement);
}

/* It may read global memory. */
static bool is_load(const struct ptx_statement *statement)
{
	static const char *const names[] = {"ld", "ldu", "atom", "red", "wmma", "multimem", NULL};

	if (ptx_is_opcode(statement, "cp"))
		return true;
	for (const char *const *name = names; *name; name++)
		if (ptx_is_opcode(statement, *name))
			return statement->memory != PTX_NO_NAME && !is_private(statement);
	return false;
}

/* What it makes is data: of memory, or of what is otherwise in each run. */
static bool makes_data(const struct analysis *analysis, uint32_t s)
{
	static const char *const varying[] = {"%clock",       "%clock_hi",       "%clock64",
					      "%globaltimer", "%globaltimer_lo", "%globaltimer_hi",
					      "%smid",        "%warpid",         NULL};
	const struct ptx_statement *statement = &analysis->skim.statements[s];
	const struct ptx_use *uses = uses_of(analysis, s);

	if (statement->memory != PTX_NO_NAME)
		return !is_parameter_load(statement);
	for (uint32_t i = 0; i < statement->use_count; i++) {
		const struct ptx_name *name = &analysis->skim.names[uses[i].name];

		for (const char *const *word = varying; *word; word++)
			if (name->length == strlen(*word) &&
			    !memcmp(name->text, *word, name->length))
				return true;
	}
	return false;
}

/* Whether the operand says where a store or load is, or how much it is. */
static bool is_place(const struct ptx_statement *statement, const struct ptx_use *use)
{
	return use->role == PTX_INSIDE ||
	       (use->role == PTX_USED && !ptx_is_opcode(statement, "st") &&
		!ptx_is_opcode(statement, "red") && !ptx_is_opcode(statement, "atom"));
}

/* -- where values come from -- */

static void add_root(struct analysis *analysis, uint32_t name)
{
	if (!analysis->roots[name])
		analysis->roots[name] = UINT64_C(1) << analysis->next_root++ % 64;
}

/* Registers that are made come from others; special ones are no pointers. */
static void find_roots(struct analysis *analysis)
{
	const struct ptx_skim *skim = &analysis->skim;

	for (uint32_t i = 0; i < skim->use_count; i++)
		analysis->made[skim->uses[i].name] |= skim->uses[i].role == PTX_MADE;
	for (uint32_t i = 0; i < skim->use_count; i++) {
		const uint32_t name = skim->uses[i].name;

		if (!analysis->made[name] && *skim->names[name].text != '%')
			add_root(analysis, name);
	}
}

/* Of the pointer that is loaded from the parameters; 0: it is none. */
static uint64_t parameter_roots(struct analysis *analysis, uint32_t s)
{
	const struct ptx_statement *statement = &analysis->skim.statements[s];
	const struct ptx_use *uses = uses_of(analysis, s);

	if (statement->memory == PTX_NO_NAME)
		return ANY_ROOT;
	if (!ptx_opcode_word(statement, "64"))
		return 0;
	for (uint32_t i = 0; i < statement->use_count; i++)
		if (uses[i].role == PTX_INSIDE && analysis->made[uses[i].name])
			return ANY_ROOT;
	add_root(analysis, statement->memory);
	return analysis->roots[statement->memory];
}

static uint64_t place_roots(const struct analysis *analysis, uint32_t s)
{
	const struct ptx_statement *statement = &analysis->skim.statements[s];
	const struct ptx_use *uses = uses_of(analysis, s);
	uint64_t roots = 0;

	for (uint32_t i = 0; i < statement->use_count; i++)
		if (is_place(statement, &uses[i]))
			roots |= analysis->roots[uses[i].name];
	return roots;
}

/* -- what depends on data -- */

/* The statement branches by data: all up to where its ways meet is conditional. */
static void spread(struct analysis *analysis, uint32_t s)
{
	const uint32_t end = analysis->skim.statement_count, meets = analysis->meets[s];
	uint32_t depth = 0;

	analysis->spread[s] = true;
	analysis->round++;
	for (unsigned n = 0; n < 2; n++)
		analysis->stack[depth++] = analysis->blocks[s].next[n];
	while (depth && analysis->steps) {
		const uint32_t at = analysis->stack[--depth];

		if (at == end || at == meets || analysis->seen[at] == analysis->round)
			continue;
		analysis->steps--;
		analysis->seen[at] = analysis->round;
		analysis->conditional[at] = true;
		analysis->stack[depth++] = analysis->blocks[at].next[0];
		if (analysis->blocks[at].next[0] != analysis->blocks[at].next[1])
			analysis->stack[depth++] = analysis->blocks[at].next[1];
	}
}

/* True: more is known. */
static bool look_at(struct analysis *analysis, uint32_t s)
{
	const struct ptx_statement *statement = &analysis->skim.statements[s];
	const struct ptx_use *uses = uses_of(analysis, s);
	const bool guarded = statement->guard != PTX_NO_NAME && analysis->tainted[statement->guard];
	const bool loads = statement->memory != PTX_NO_NAME;
	bool tainted = guarded || analysis->conditional[s] || makes_data(analysis, s);
	bool changed = false;
	uint64_t roots = 0;

	if (guarded && (is_branch(statement) || is_end(statement)) && !analysis->spread[s]) {
		spread(analysis, s);
		return true;
	}
	if (!makes(analysis, s))
		return false;
	for (uint32_t i = 0; i < statement->use_count; i++) {
		tainted |= uses[i].role != PTX_MADE && analysis->tainted[uses[i].name];
		if (uses[i].role != PTX_MADE && !loads)
			roots |= analysis->roots[uses[i].name];
	}
	if (is_parameter_load(statement))
		roots = parameter_roots(analysis, s);
	for (uint32_t i = 0; i < statement->use_count && uses[i].role == PTX_MADE; i++) {
		const uint32_t name = uses[i].name;

		changed |= (tainted && !analysis->tainted[name]) || roots & ~analysis->roots[name];
		analysis->tainted[name] |= tainted;
		analysis->roots[name] |= roots;
	}
	return changed;
}

static bool is_placed_by_data(const struct analysis *analysis, uint32_t s)
{
	const struct ptx_statement *statement = &analysis->skim.statements[s];
	const struct ptx_use *uses = uses_of(analysis, s);

	for (uint32_t i = 0; i < statement->use_count; i++)
		if (is_place(statement, &uses[i]) && analysis->tainted[uses[i].name])
			return true;
	return analysis->conditional[s] ||
	       (statement->guard != PTX_NO_NAME && analysis->tainted[statement->guard]);
}

/* -- all of it -- */

/* False: it has ways that are not known. */
static bool find_ways(struct analysis *analysis)
{
	const struct ptx_skim *skim = &analysis->skim;

	if (skim->has_twins)
		return false;
	for (uint32_t s = 0; s < skim->statement_count; s++) {
		const struct ptx_statement *statement = &skim->statements[s];
		uint32_t *next = analysis->blocks[s].next;

		next[0] = next[1] = s + 1;
		if (is_unknown(statement))
			return false;
		if (is_end(statement)) {
			next[1] = skim->statement_count;
		} else if (is_branch(statement)) {
			if (statement->use_count != 1 ||
			    !skim->names[uses_of(analysis, s)->name].label)
				return false;
			next[1] = skim->names[uses_of(analysis, s)->name].label - 1;
		}
		if (statement->guard == PTX_NO_NAME)
			next[0] = next[1];
	}
	return ptx_meetings(analysis->blocks, skim->statement_count, analysis->meets,
			    &analysis->steps);
}

static bool is_steady(struct analysis *analysis)
{
	const uint32_t count = analysis->skim.statement_count;
	uint64_t stored = 0;
	bool more = true;

	find_roots(analysis);
	while (more) {
		more = false;
		for (uint32_t s = 0; s < count; s++)
			more |= look_at(analysis, s);
		if (analysis->steps <= count)
			return false;
		analysis->steps -= count;
	}
	for (uint32_t s = 0; s < count; s++)
		if (is_store(analysis, s)) {
			if (is_placed_by_data(analysis, s))
				return false;
			stored |= place_roots(analysis, s);
		}
	for (uint32_t s = 0; s < count; s++) {
		const uint64_t roots = place_roots(analysis, s);

		if (is_load(&analysis->skim.statements[s]) && is_placed_by_data(analysis, s) &&
		    (!roots || roots & stored))
			return false;
	}
	return true;
}

static bool analysis_start(struct analysis *analysis)
{
	const size_t names = (size_t)analysis->skim.name_count + 1;
	const size_t statements = (size_t)analysis->skim.statement_count + 2;

	analysis->tainted = calloc(names, sizeof(*analysis->tainted));
	analysis->made = calloc(names, sizeof(*analysis->made));
	analysis->roots = calloc(names, sizeof(*analysis->roots));
	analysis->blocks = calloc(statements, sizeof(*analysis->blocks));
	analysis->meets = calloc(statements, sizeof(*analysis->meets));
	analysis->conditional = calloc(statements, sizeof(*analysis->conditional));
	analysis->spread = calloc(statements, sizeof(*analysis->spread));
	analysis->stack = calloc(2 * statements, sizeof(*analysis->stack));
	analysis->seen = calloc(statements, sizeof(*analysis->seen));
	analysis->steps = LEAST_STEPS + STEPS_OF_STATEMENT * statements;
	if (analysis->steps > MOST_STEPS)
		analysis->steps = MOST_STEPS;
	return analysis->tainted && analysis->made && analysis->roots && analysis->blocks &&
	       analysis->meets && analysis->conditional && analysis->spread && analysis->stack &&
	       analysis->seen;
}

static void analysis_release(struct analysis *analysis)
{
	free(analysis->tainted);
	free(analysis->made);
	free(analysis->roots);
	free(analysis->blocks);
	free(analysis->meets);
	free(analysis->conditional);
	free(analysis->spread);
	free(analysis->stack);
	free(analysis->seen);
	ptx_skim_release(&analysis->skim);
}

bool ptx_has_steady_stores(const char *body, size_t size)
{
	struct analysis analysis = {0};
	const bool steady = ptx_skim(&analysis.skim, body, size) && analysis_start(&analysis) &&
			    find_ways(&analysis) && is_steady(&analysis);

	analysis_release(&analysis);
	return steady;
}
