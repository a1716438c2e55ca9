/* advice/memory/findings.c: see findings.h. */
#include "advice/memory/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice/memory/reuse.h"
#include "graph/memory/call_times.h"
#include "util/memory.h"
#include "util/pair_map.h"

/* Steps of replayed allocations in all: the findings that are worth most are computed first. */
#define STEPS_MOST UINT64_C(40000000)
#define LEAST_PART 10000 /* of the peak */

const struct memory_pattern_name memory_patterns[MEMORY_PATTERNS] = {
	[MEMORY_UNUSED] = {"unused_allocation", "unused allocation"},
	[MEMORY_LEAK] = {"memory_leak", "memory leak"},
	[MEMORY_EARLY] = {"early_allocation", "early allocation"},
	[MEMORY_LATE] = {"late_deallocation", "late deallocation"},
	[MEMORY_REDUNDANT] = {"redundant_allocation", "redundant allocation"},
	[MEMORY_IDLE] = {"temporary_idleness", "temporary idleness"},
	[MEMORY_OVERALLOCATION] = {"overallocation", "overallocation"},
	[MEMORY_STRUCTURED] = {"structured_access", "structured access"},
	[MEMORY_NONUNIFORM] = {"non_uniform_access_frequency", "non-uniform access frequency"},
	[MEMORY_DEAD_WRITE] = {"dead_write", "dead write"},
};

struct search {
	const struct profile *profile;
	const struct memory_options *options;
	struct memory *memory;
	struct call_times *times;    /* NULL: there is no timeline */
	struct access_facts *access; /* by index of the object */
	uint32_t *reuses; /* by index of the object: of the one whose memory it could use */
	uint32_t *pairs;  /* indices of objects that have one, those that begin last first */
	uint32_t pair_count;
	/* By index of the object: bits 1 << enum memory_pattern. */
	uint16_t *patterns;
	bool *pooled; /* by index of the object: it is a pool's, which keeps it to use it again */
	struct pair_map rows; /* (site, pattern): index of the finding */
	uint32_t capacity;
};

static const struct profile_object *object_of(const struct search *search,
					      const struct profile_lifetime *life)
{
	return &search->profile->objects[life->object];
}

static bool is_known(const struct profile_moment *moment)
{
	return moment->call != PROFILE_UNKNOWN;
}

/* Whether it may have been accessed by what is not known. */
static bool is_unseen(const struct memory *memory, const struct profile_lifetime *life)
{
	return life->unseen || !memory->sees_accesses;
}

static bool is_kernel(const struct search *search, uint32_t vertex)
{
	uint32_t v = graph_find(search->profile->graph, vertex);

	return v != UINT32_MAX && graph_vertex_is(&search->profile->graph->vertices[v], "kernel");
}

/* How many calls there are between two; `kernel`: the earlier one is a kernel. */
static uint64_t between(const struct search *search, const struct profile_moment *from,
			const struct profile_moment *to, bool kernel)
{
	uint64_t count = to->time > from->time ? to->time - from->time - 1 : 0;

	if (search->options->rules == MEMORY_RULES_ARTEFACT) {
		count = to->kernels > from->kernels ? to->kernels - from->kernels : 0;
		count -= kernel && count;
	}
	return count;
}

/* -- what objects have it ----------------------------------------------------------------- */

/* What of an object nobody needs. */
struct waste {
	uint64_t bytes;
	uint64_t calls; /* for so many */
	uint64_t most;  /* by which the worst is found */
	struct call_stretch stretch;
};

static void add_time(const struct search *search, struct memory_finding *finding,
		     const struct waste *waste)
{
	uint64_t ns = search->times ? call_times_between(search->times, &waste->stretch)
				    : PROFILE_UNKNOWN;

	if (ns == PROFILE_UNKNOWN)
		return;
	finding->timed++;
	finding->byte_seconds += (double)waste->bytes * ((double)ns / 1e9);
}

static void add_waste(struct search *search, uint32_t index, enum memory_pattern pattern,
		      const struct waste *waste)
{
	struct memory *memory = search->memory;
	const struct profile_lifetime *life = peaks_lifetime(memory->peaks, index);
	const struct profile_object *object = object_of(search, life);
	struct memory_finding *finding;
	uint64_t product;
	uint32_t row;

	search->patterns[index] |= (uint16_t)(1u << pattern);
	if (!pair_map_find(&search->rows, object->site, pattern, memory->finding_count, &row)) {
		ARRAY_RESERVE(memory->findings, memory->finding_count, search->capacity);
		memory->findings[memory->finding_count++] = (struct memory_finding){
			.pattern = pattern, .site = object->site, .peak = PROFILE_UNKNOWN};
	}
	finding = &memory->findings[row];
	finding->objects++;
	profile_add(&finding->bytes, object->size);
	if (__builtin_mul_overflow(waste->bytes, waste->calls, &product))
		product = PROFILE_NUMBER_MAX;
	profile_add(&finding->bytes_time, product);
	if (waste->bytes)
		add_time(search, finding, waste);
	if (finding->worst && finding->most >= waste->most)
		return;
	finding->worst = life;
	finding->most = waste->most;
	finding->access = search->access[index];
	if (pattern == MEMORY_REDUNDANT)
		finding->reuses =
			object_of(search, peaks_lifetime(memory->peaks, search->reuses[index]))
				->site;
}

/* Nobody needs the object for so many calls. */
static void add(struct search *search, uint32_t index, enum memory_pattern pattern,
		uint64_t distance, const struct call_stretch *stretch)
{
	const struct profile_lifetime *life = peaks_lifetime(search->memory->peaks, index);
	const struct waste waste = {object_of(search, life)->size, distance, distance, *stretch};

	add_waste(search, index, pattern, &waste);
}

/* Behind the last call, for what was not freed; of older profiles, the last that is known. */
static struct profile_moment end_of(const struct search *search)
{
	const struct profile_moment *whole =
		&search->profile->processes[search->memory->process].end;
	struct profile_moment end = {0, 0, 0}; /* the last call */

	for (uint32_t i = 0; i < peaks_count(search->memory->peaks); i++) {
		const struct profile_lifetime *life = peaks_lifetime(search->memory->peaks, i);
		const struct profile_moment *moments[] = {&life->made, &life->last, &life->freed};

		for (int k = 0; k < 3; k++)
			if (is_known(moments[k]) && moments[k]->time >= end.time)
				end = *moments[k];
	}
	end.call++;
	end.time++;
	return is_known(whole) && whole->time >= end.time ? *whole : end;
}

/* Some of what a launch accesses of it is accessed more often than the rest. */
static void look_at_frequency(struct search *search, uint32_t index)
{
	const struct profile_frequency *frequency = search->access[index].frequency;
	struct waste waste = {0};

	if (!frequency || search->options->wasted_only ||
	    !(frequency->variation > search->options->variation))
		return;
	waste.most = (uint64_t)(1000 * fmin(frequency->variation, 1e12));
	add_waste(search, index, MEMORY_NONUNIFORM, &waste);
}

static void look_at_writes(struct search *search, uint32_t index,
			   const struct profile_lifetime *life)
{
	const struct waste waste = {.most = life->dead_writes};

	if (search->options->dead_writes && life->dead_writes &&
	    life->dead_writes != PROFILE_UNKNOWN)
		add_waste(search, index, MEMORY_DEAD_WRITE, &waste);
}

/* What of the object nobody needs: it has been accessed, and nothing was unseen. */
static void look_at_accesses(struct search *search, uint32_t index,
			     const struct profile_lifetime *life, const struct profile_moment *end,
			     const struct call_stretch *whole)
{
	const struct profile *profile = search->profile;
	const struct access_facts *facts = &search->access[index];
	const uint64_t size = object_of(search, life)->size;
	const struct profile_accessed *accessed = facts->accessed;
	struct waste waste = {.calls = between(search, &life->made, end, false), .stretch = *whole};

	if (!accessed) {
		search->memory->not_followed += search->memory->follows_accesses;
		return;
	}
	if ((double)accessed->bytes < search->options->accessed * (double)size) {
		waste.bytes = waste.most = accessed->largest_bytes;
		if (access_fragmentation(profile, accessed) < search->options->fragmentation)
			add_waste(search, index, MEMORY_OVERALLOCATION, &waste);
		else
			search->memory->scattered++;
	}
	if (facts->slices && facts->slice_bytes < size) {
		waste.bytes = waste.most = size - facts->slice_bytes;
		add_waste(search, index, MEMORY_STRUCTURED, &waste);
	}
}

static void look_at(struct search *search, uint32_t index, const struct profile_moment *end,
		    bool ended)
{
	const struct profile_lifetime *life = peaks_lifetime(search->memory->peaks, index);
	const uint32_t site = object_of(search, life)->site;
	const bool freed = is_known(&life->freed), accessed = is_known(&life->last);
	const bool by_kernel = accessed && is_kernel(search, life->last_vertex);
	/* a release that is not known is PROFILE_UNKNOWN, the end */
	const struct call_stretch whole = {life->made.call, life->freed.call, site,
					   PROFILE_NO_VERTEX};
	const struct call_stretch rest = {accessed ? life->last.call : life->made.call,
					  life->freed.call, accessed ? life->last_vertex : site,
					  PROFILE_NO_VERTEX};
	const struct call_stretch start = {life->made.call, life->first.call, site,
					   life->first_vertex};
	const struct call_stretch gap = {life->idle_from.call, life->idle_to.call,
					 life->idle_from_vertex, life->idle_to_vertex};
	uint64_t distance;

	/* when a segment of a pool is there is the pool's affair */
	if (object_of(search, life)->size < search->options->min_bytes ||
	    search->pooled[life->object])
		return;
	if (!freed && ended)
		add(search, index, MEMORY_LEAK,
		    between(search, accessed ? &life->last : &life->made, end, by_kernel), &rest);
	if (is_unseen(search->memory, life))
		return;
	if (!life->accesses) {
		/* of one that was killed nobody knows what it would have used */
		if (freed || ended)
			add(search, index, MEMORY_UNUSED,
			    between(search, &life->made, freed ? &life->freed : end, false),
			    &whole);
		return;
	}
	look_at_accesses(search, index, life, freed ? &life->freed : end, &whole);
	look_at_frequency(search, index);
	look_at_writes(search, index, life);
	distance = between(search, &life->made, &life->first, false);
	if (distance)
		add(search, index, MEMORY_EARLY, distance, &start);
	distance = freed ? between(search, &life->last, &life->freed, by_kernel) : 0;
	if (distance)
		add(search, index, MEMORY_LATE, distance, &rest);
	distance = is_known(&life->idle_from) ? between(search, &life->idle_from, &life->idle_to,
							is_kernel(search, life->idle_from_vertex))
					      : 0;
	if (distance && distance >= search->options->idle_calls)
		add(search, index, MEMORY_IDLE, distance, &gap);
}

struct pair {
	uint64_t first;
	uint32_t object;
};

static int by_first(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->first != b->first)
		return a->first > b->first ? -1 : 1;
	return (a->object < b->object) - (a->object > b->object);
}

/* Objects whose memory others could have used, of those whose accesses are known. */
static void pair_objects(struct search *search)
{
	struct peaks *peaks = search->memory->peaks;
	uint32_t count = peaks_count(peaks), used = 0;
	struct reuse_object *objects = xcalloc(count, sizeof(*objects));
	uint32_t *indices = xcalloc(count, sizeof(*indices));
	struct pair *pairs = xcalloc(count, sizeof(*pairs));

	search->reuses = xcalloc(count, sizeof(*search->reuses));
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_lifetime *life = peaks_lifetime(peaks, i);
		uint64_t size = object_of(search, life)->size;

		search->reuses[i] = UINT32_MAX;
		if (is_unseen(search->memory, life) || !life->accesses ||
		    size < search->options->min_bytes || search->pooled[life->object])
			continue;
		objects[used] = (struct reuse_object){life->first.time, life->last.time, size, 0};
		indices[used++] = i;
	}
	reuse_pair(objects, used, search->options->reuse_difference);
	for (uint32_t i = 0; i < used; i++) {
		uint32_t other = objects[i].reuses;
		const struct profile_lifetime *own = peaks_lifetime(peaks, indices[i]), *others;
		struct call_stretch stretch;

		if (other == UINT32_MAX)
			continue;
		/* what was freed before is used again by the allocator, or can be */
		if (peaks_span(peaks, indices[other]).to <= peaks_span(peaks, indices[i]).from)
			continue;
		others = peaks_lifetime(peaks, indices[other]);
		stretch = (struct call_stretch){others->last.call, own->first.call,
						others->last_vertex, own->first_vertex};
		search->reuses[indices[i]] = indices[other];
		pairs[search->pair_count++] = (struct pair){objects[i].first, indices[i]};
		add(search, indices[i], MEMORY_REDUNDANT,
		    objects[i].first - objects[other].last - 1, &stretch);
	}
	if (search->pair_count)
		qsort(pairs, search->pair_count, sizeof(*pairs), by_first);
	search->pairs = xcalloc(search->pair_count, sizeof(*search->pairs));
	for (uint32_t i = 0; i < search->pair_count; i++)
		search->pairs[i] = pairs[i].object;
	free(objects);
	free(indices);
	free(pairs);
}

/* -- the peak after mending ---------------------------------------------------------------- */

/* The span of an object with these patterns mended. */
static struct peaks_span mend(const struct search *search, uint32_t index, unsigned patterns)
{
	const struct profile_lifetime *life = peaks_lifetime(search->memory->peaks, index);
	const struct access_facts *facts = &search->access[index];
	struct peaks_span span = peaks_span(search->memory->peaks, index);

	patterns &= search->patterns[index];
	if (patterns & 1u << MEMORY_UNUSED)
		span.bytes = 0;
	if (patterns & 1u << MEMORY_EARLY) /* between the call before the first access and that */
		span.from = 2 * life->first.call - 1;
	if (patterns & (1u << MEMORY_LATE | 1u << MEMORY_LEAK) && !life->unseen && life->accesses)
		span.to = 2 * life->last.call + 1;
	if (patterns & 1u << MEMORY_IDLE) {
		span.gap_from = 2 * life->idle_from.call + 1;
		span.gap_to = 2 * life->idle_to.call - 1;
	}
	if (patterns & 1u << MEMORY_OVERALLOCATION)
		span.bytes -= facts->accessed->largest_bytes;
	if (patterns & 1u << MEMORY_STRUCTURED && span.bytes > facts->slice_bytes)
		span.bytes = facts->slice_bytes;
	return span;
}

/* An object uses the memory of another one, which stays for as long. */
static void join_spans(struct peaks_span *own, struct peaks_span *others)
{
	if (own->to > others->to)
		others->to = own->to;
	if (own->bytes > others->bytes)
		others->bytes = own->bytes;
	own->bytes = 0;
}

/* How many bytes less there are with these spans where the peak is. */
static uint64_t gone_from_peak(const struct search *search, const struct peaks_span *spans)
{
	const uint64_t place = search->memory->place;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < peaks_count(search->memory->peaks); i++)
		if (peaks_holds(&spans[i], place))
			profile_add(&bytes, spans[i].bytes);
	return bytes < search->memory->peak ? search->memory->peak - bytes : 0;
}

/* With the patterns mended: of objects of the site, or of all (0); *gone: from the peak. */
static uint64_t peak_with(const struct search *search, unsigned patterns, uint32_t site,
			  uint64_t *gone)
{
	struct peaks *peaks = search->memory->peaks;
	uint32_t count = peaks_count(peaks);
	struct peaks_span *spans = xcalloc(count, sizeof(*spans));
	uint64_t most, place;

	for (uint32_t i = 0; i < count; i++) {
		bool meant = !site || object_of(search, peaks_lifetime(peaks, i))->site == site;

		spans[i] = mend(search, i, meant ? patterns : 0);
	}
	/* those that begin last first: what they use is theirs before it is another's */
	for (uint32_t k = 0; k < search->pair_count && patterns & 1u << MEMORY_REDUNDANT; k++) {
		uint32_t i = search->pairs[k];

		if (!site || object_of(search, peaks_lifetime(peaks, i))->site == site)
			join_spans(&spans[i], &spans[search->reuses[i]]);
	}
	most = peaks_most(peaks, spans, &place);
	*gone = gone_from_peak(search, spans);
	free(spans);
	return most;
}

static int by_bytes_time(const void *left, const void *right)
{
	const struct memory_finding *a = left, *b = right;

	if (a->bytes_time != b->bytes_time)
		return a->bytes_time < b->bytes_time ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

static int by_peak(const void *left, const void *right)
{
	const struct memory_finding *a = left, *b = right;
	uint64_t peak_a = a->peak, peak_b = b->peak; /* unknown is the highest */

	if (peak_a != peak_b)
		return peak_a < peak_b ? -1 : 1;
	if (a->peak_bytes != b->peak_bytes)
		return a->peak_bytes < b->peak_bytes ? 1 : -1;
	return by_bytes_time(left, right);
}

/* By what is worth a word: not by the few bytes that a library has beside all others. */
static bool is_another(const struct search *search, uint64_t peak)
{
	const uint64_t before = search->memory->peak;
	const uint64_t least = search->options->min_bytes ? before / LEAST_PART : 0;

	return (peak < before ? before - peak : peak - before) > least;
}

static void estimate(struct search *search)
{
	struct memory *memory = search->memory;
	uint64_t steps = 4 * (uint64_t)peaks_count(memory->peaks) + 1;
	/* to free early and to allocate late is all that using memory again could do, and more */
	const unsigned whole =
		1u << MEMORY_UNUSED | 1u << MEMORY_LEAK | 1u << MEMORY_EARLY | 1u << MEMORY_LATE;
	uint64_t gone;

	memory->peak_mended = peak_with(search, whole, 0, &gone);
	memory->peak_moved = peak_with(search, whole | 1u << MEMORY_IDLE, 0, &gone);
	if (memory->finding_count)
		qsort(memory->findings, memory->finding_count, sizeof(*memory->findings),
		      by_bytes_time);
	for (uint32_t i = 0; i < memory->finding_count && (i + 1) * steps <= STEPS_MOST &&
			     !search->options->peaks_only;
	     i++) {
		struct memory_finding *finding = &memory->findings[i];
		uint64_t peak = peak_with(search, 1u << finding->pattern, finding->site,
					  &finding->peak_bytes);

		finding->peak = is_another(search, peak) ? peak : memory->peak;
	}
	if (memory->finding_count)
		qsort(memory->findings, memory->finding_count, sizeof(*memory->findings), by_peak);
}

struct memory *memory_new(const struct profile *profile, const struct memory_options *options)
{
	int process = profile->lifetime_count ? peaks_process(profile) : -1;
	struct search search = {.profile = profile, .options = options};
	struct profile_moment end;
	struct peaks_peak highest;
	struct memory *memory;

	if (process < 0)
		return NULL;
	search.memory = memory = xcalloc(1, sizeof(*memory));
	memory->process = (uint32_t)process;
	memory->peaks = peaks_new(profile, memory->process);
	memory->objects = peaks_count(memory->peaks);
	if (peaks_highest(memory->peaks, &highest, 1)) {
		memory->peak = highest.bytes;
		memory->place = highest.place;
	}
	memory->sees_accesses = profile_sees_accesses(profile);
	memory->follows_accesses = access_is_known(profile);
	search.patterns = xcalloc(memory->objects, sizeof(*search.patterns));
	search.times = options->peaks_only ? NULL : call_times_new(profile, memory->process);
	memory->timed = search.times != NULL;
	search.access = xcalloc(memory->objects, sizeof(*search.access));
	for (uint32_t i = 0; i < memory->objects && memory->follows_accesses; i++)
		search.access[i] = access_facts(profile, peaks_lifetime(memory->peaks, i)->object);
	search.pooled = xcalloc(profile->object_count, sizeof(*search.pooled));
	for (uint32_t i = 0; i < profile->pool_segment_count; i++)
		search.pooled[profile->pool_segments[i].object] = true;
	if (!options->peaks_only)
		pair_objects(&search);
	end = end_of(&search);
	for (uint32_t i = 0; i < memory->objects; i++) {
		look_at(&search, i, &end, profile->processes[process].ended);
		memory->unseen += is_unseen(memory, peaks_lifetime(memory->peaks, i));
	}
	estimate(&search);
	pair_map_release(&search.rows);
	call_times_free(search.times);
	free(search.patterns);
	free(search.access);
	free(search.pooled);
	free(search.reuses);
	free(search.pairs);
	return memory;
}

void memory_free(struct memory *memory)
{
	if (!memory)
		return;
	peaks_free(memory->peaks);
	free(memory->findings);
	free(memory);
}
