/* gpu/cupti/pending.c: see pending.h. */
#include "gpu/cupti/pending.h"

#include <pthread.h>
#include <stdlib.h>

#include "collect/coverage/coverage.h"
#include "gpu/cupti/memory.h"
#include "gpu/cupti/rows.h"

enum {
	NO_ENTRY = UINT32_MAX,
	EARLY_MAX = 1024,        /* a power of two */
	FLUSH_NS = 250 * 1000000 /* records are asked for so often, if there is nothing else */
};

struct span {
	uint64_t start_ns, end_ns;
	unsigned memory; /* bits of waits.h */
};

/* A call; those that are pending are a ring. */
struct entry {
	struct gpu_call call;
	uint32_t correlation[2];
	uint32_t next[2];    /* with the same hash: entry * 2 + which, or NO_ENTRY */
	uint32_t records;    /* so many are to come */
	uint32_t span_count; /* ... have come */
	struct span first_span;
	struct span *others; /* after the first; NULL: there are none */
	struct memory *made; /* by an allocation; the table's */
	struct memory *gone; /* that was where it is, or that a free takes; ours */
	enum wait_kind wait;
	struct looks looks;
	struct stream_point event;
	struct stream_point *orders; /* ours */
	uint32_t order_count;
	bool first_in_stream, nonblocking; /* of its stream */
	uint64_t overhead_ns;
	bool pageable;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct gpu_sink *sink;
static struct entry *ring; /* PENDING_MAX */
static uint32_t *buckets;  /* as many: entry * 2 + which, or NO_ENTRY, by correlation id */
static uint32_t oldest, pending_count;
static bool finished;

static uint32_t added; /* since records were asked for */
static uint64_t asked_ns;

/* Records without a call: one that is about to be added, or none. */
static struct early {
	uint32_t correlation; /* 0: none */
	struct span span;
} early[EARLY_MAX];
static uint32_t early_count;

int pending_start(const struct gpu_sink *to)
{
	ring = calloc(PENDING_MAX, sizeof(*ring));
	buckets = malloc(PENDING_MAX * sizeof(*buckets));
	if (!ring || !buckets)
		return -1;
	for (uint32_t i = 0; i < PENDING_MAX; i++)
		buckets[i] = NO_ENTRY;
	rows_start(to);
	sink = to;
	return 0;
}

/* -- which call has a correlation id -- */

static uint32_t *bucket_of(uint32_t correlation)
{
	return &buckets[correlation % PENDING_MAX];
}

static void link_ids(uint32_t index)
{
	struct entry *entry = &ring[index];

	for (uint32_t which = 0; which < 2; which++) {
		uint32_t *bucket = bucket_of(entry->correlation[which]);

		if (!entry->correlation[which])
			continue;
		entry->next[which] = *bucket;
		*bucket = index * 2 + which;
	}
}

static void unlink_ids(uint32_t index)
{
	struct entry *entry = &ring[index];

	for (uint32_t which = 0; which < 2; which++) {
		uint32_t *at = bucket_of(entry->correlation[which]);

		if (!entry->correlation[which])
			continue;
		while (*at != index * 2 + which)
			at = &ring[*at / 2].next[*at % 2];
		*at = entry->next[which];
	}
}

/* The oldest call of the id that still waits for records, else any of the id; NULL: there is none.
 */
static struct entry *find(uint32_t correlation)
{
	struct entry *found = NULL;

	for (uint32_t at = *bucket_of(correlation); at != NO_ENTRY;
	     at = ring[at / 2].next[at % 2]) {
		struct entry *entry = &ring[at / 2];

		if (entry->correlation[at % 2] != correlation)
			continue;
		if (!found || entry->span_count < entry->records)
			found = entry;
	}
	return found;
}

/* -- the end of a call -- */

/* A clock that differs by less than a microsecond may have the device begin before the call. */
static void tell_time(const struct gpu_call *call, const struct span *span)
{
	uint64_t start_ns = span->start_ns < call->start_ns ? call->start_ns : span->start_ns;
	const struct gpu_time time = {
		.after_ns = start_ns - call->start_ns,
		.time_ns = span->end_ns < start_ns ? 0 : span->end_ns - start_ns,
	};

	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_TIME,
						.payload = &time,
						.size = sizeof(time)});
}

/* What the call's operation, and all that come into its stream later, or the host wait for. */
static void tell_orders(const struct entry *entry)
{
	const struct gpu_call *call = &entry->call;

	for (uint32_t i = 0; i < entry->order_count; i++) {
		const struct stream_point *point = &entry->orders[i];
		const struct gpu_order order = {
			.recorded_ns = point->ns < call->start_ns ? call->start_ns - point->ns : 0,
			.device = point->device,
			.stream = point->stream,
		};

		sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_ORDER,
							.payload = &order,
							.size = sizeof(order)});
	}
}

static void tell_stream(const struct entry *entry)
{
	const struct gpu_stream stream = {.nonblocking = entry->nonblocking};

	sink->record(&entry->call, &(struct gpu_record){.kind = GPU_RECORD_STREAM,
							.payload = &stream,
							.size = sizeof(stream)});
}

static void tell_overhead(const struct entry *entry)
{
	const struct gpu_overhead overhead = {.before_ns = entry->overhead_ns};

	if (entry->overhead_ns)
		sink->record(&entry->call, &(struct gpu_record){.kind = GPU_RECORD_OVERHEAD,
								.payload = &overhead,
								.size = sizeof(overhead)});
}

/* The last of the spans to end; NULL: there is none. */
static const struct span *last_span(const struct entry *entry)
{
	const struct span *last = entry->span_count ? &entry->first_span : NULL;

	for (uint32_t i = 1; i < entry->span_count; i++)
		if (entry->others[i - 1].end_ns > last->end_ns)
			last = &entry->others[i - 1];
	return last;
}

static void tell_wait(const struct entry *entry)
{
	const struct span *last = last_span(entry);
	const struct wait_call call = {
		.kind = entry->wait,
		.looks = entry->looks,
		.event = entry->event,
		.device = entry->call.device,
		.stream = entry->call.stream,
		.start_ns = entry->call.start_ns,
		.end_ns = entry->call.end_ns,
		.operation_end_ns = last ? last->end_ns : 0,
		.memory = last ? last->memory : 0,
	};
	struct gpu_wait wait;

	if (named_memory_wanted() ? rows_wait(&call, entry->pageable, &wait)
				  : waits_find(&call, &wait))
		sink->record(&entry->call, &(struct gpu_record){.kind = GPU_RECORD_WAIT,
								.payload = &wait,
								.size = sizeof(wait)});
	if (last)
		waits_operation(&call, entry->nonblocking, last->end_ns);
}

/* What the device and the host did, on the time line. */
static void tell_times(const struct entry *entry)
{
	if (entry->first_in_stream)
		tell_stream(entry);
	tell_orders(entry);
	tell_overhead(entry);
	for (uint32_t i = 0; i < entry->span_count; i++)
		tell_time(&entry->call, i ? &entry->others[i - 1] : &entry->first_span);
	tell_wait(entry);
}

static void tell_object(const struct gpu_call *call, struct memory *made)
{
	const struct gpu_object object = {.address = made->address,
					  .size = made->size,
					  .device = made->device,
					  .memory = made->kind};

	made->object = sink->object(call, &object);
	if (named_memory_wanted())
		rows_object(made, call, &object);
}

static void tell_memory(struct entry *entry)
{
	if (entry->made && entry->made->size)
		tell_object(&entry->call, entry->made);
	if (entry->gone && entry->gone->object && entry->call.api == GPU_FREE)
		sink->released(&entry->call, entry->gone->object);
	free(entry->gone);
}

/* Ends the oldest call. */
static void end_oldest(void)
{
	struct entry *entry = &ring[oldest];

	tell_memory(entry);
	if (named_memory_wanted())
		rows_end(&entry->call);
	else
		sink->end(&entry->call, NULL, 0);
	if (entry->call.start_ns)
		tell_times(entry);
	if (entry->span_count < entry->records)
		sink->coverage(COVERAGE_TIMES_NOT_RECORDED, NULL,
			       entry->records - entry->span_count, 0);
	free(entry->others);
	free(entry->orders);
	unlink_ids(oldest);
	/* where nothing is pending the same few entries are used again */
	oldest = --pending_count ? (oldest + 1) % PENDING_MAX : 0;
}

static void deliver(void)
{
	while (pending_count && ring[oldest].span_count >= ring[oldest].records)
		end_oldest();
}

void pending_deliver(void)
{
	pthread_mutex_lock(&lock);
	deliver();
	pthread_mutex_unlock(&lock);
}

/* -- records -- */

static void add_span(struct entry *entry, const struct span *span)
{
	struct span *more;

	if (!entry->span_count) {
		entry->first_span = *span;
		entry->span_count = 1;
		return;
	}
	more = reallocarray(entry->others, entry->span_count, sizeof(*more));
	if (!more)
		return;
	entry->others = more;
	more[entry->span_count++ - 1] = *span;
}

static void tell_unmatched(uint64_t count)
{
	sink->coverage(COVERAGE_TIMES_OF_NO_CALL, NULL, count, 0);
}

static void keep_early(uint32_t correlation, const struct span *span)
{
	struct early *slot = &early[correlation % EARLY_MAX];

	if (slot->correlation)
		tell_unmatched(1);
	else
		early_count++;
	*slot = (struct early){correlation, *span};
}

/* Takes in the record of the call's that has come before it. */
static void take_early(struct entry *entry)
{
	for (unsigned which = 0; which < 2 && early_count && entry->records; which++) {
		struct early *slot = &early[entry->correlation[which] % EARLY_MAX];

		if (!slot->correlation || slot->correlation != entry->correlation[which])
			continue;
		add_span(entry, &slot->span);
		slot->correlation = 0;
		early_count--;
	}
}

void pending_time(uint32_t correlation, uint64_t start_ns, uint64_t end_ns, unsigned memory)
{
	const struct span span = {start_ns, end_ns, memory};
	struct entry *entry;

	pthread_mutex_lock(&lock);
	entry = sink && correlation ? find(correlation) : NULL;
	if (start_ns && end_ns >= start_ns && entry)
		add_span(entry, &span);
	else if (start_ns && end_ns >= start_ns && sink && correlation && !finished)
		keep_early(correlation, &span);
	else if (sink && !entry)
		tell_unmatched(1);
	pthread_mutex_unlock(&lock);
}

/* -- the beginning of a call -- */

/* What the call does to the table of memory.  False: it is no event. */
static bool change_memory(struct entry *entry, const struct pending_call *call)
{
	if (call->api == GPU_FREE) {
		entry->gone = memory_take(call->address);
		return entry->gone;
	}
	if (call->api != GPU_ALLOC)
		return true;
	if (call->may_be_known && memory_find(call->address))
		return false;
	entry->gone = memory_take(call->address); /* freed by something unseen */
	entry->made = memory_add(call->address);
	if (entry->made) {
		entry->made->size = call->size;
		entry->made->kind = call->memory;
		entry->made->device = call->device;
	}
	return true;
}

/* *begun: the call as the sink knows it. */
static void add(const struct pending_call *call, struct gpu_call *begun)
{
	uint32_t index = (oldest + pending_count) % PENDING_MAX;
	struct entry *entry = &ring[index];

	*entry = (struct entry){
		.call = {.api = call->api,
			 .name = call->name,
			 .device = call->device,
			 .stream = call->stream,
			 .host_address = call->host_address,
			 .host_bytes = call->host_bytes,
			 .source_address = call->source_address,
			 .source_bytes = call->source_bytes,
			 .end_ns = call->end_ns},
		.correlation = {call->correlation[0], call->correlation[1]},
		.records = call->records,
		.wait = call->wait,
		.looks = call->looks,
		.event = call->event,
		.orders = call->orders,
		.order_count = call->order_count,
		.first_in_stream = call->first,
		.nonblocking = call->nonblocking,
		.overhead_ns = call->overhead_ns,
		.pageable = call->pageable,
	};
	if (entry->correlation[0] == entry->correlation[1])
		entry->correlation[1] = 0;
	if (!change_memory(entry, call)) {
		free(call->orders);
		return;
	}
	sink->begin(&entry->call);
	*begun = entry->call;
	entry->call.name = ""; /* the caller's */
	if (entry->call.start_ns)
		entry->call.start_ns = call->start_ns;
	if (call->touch_count)
		rows_take(call->touches, call->touch_count);
	link_ids(index);
	take_early(entry);
	pending_count++;
	added++;
}

void pending_add(const struct pending_call *call)
{
	struct gpu_call begun = {.name = NULL};

	pthread_mutex_lock(&lock);
	if (sink) {
		if (pending_count == PENDING_MAX)
			end_oldest();
		add(call, &begun);
		deliver();
		if (finished)
			while (pending_count)
				end_oldest();
		if (call->waited && sink->returned && begun.name)
			sink->returned(&begun);
	}
	pthread_mutex_unlock(&lock);
}

void pending_expose(uint64_t address)
{
	pthread_mutex_lock(&lock);
	if (sink)
		rows_expose(address);
	pthread_mutex_unlock(&lock);
}

bool pending_wants_records(uint64_t now_ns)
{
	bool wants = false;

	pthread_mutex_lock(&lock);
	if (!asked_ns)
		asked_ns = now_ns;
	if (sink && pending_count && !finished)
		wants = (pending_count >= PENDING_MAX / 2 && added >= PENDING_MAX / 4) ||
			(now_ns > asked_ns && now_ns - asked_ns >= FLUSH_NS);
	if (wants) {
		asked_ns = now_ns;
		added = 0;
	}
	pthread_mutex_unlock(&lock);
	return wants;
}

void pending_finish(void)
{
	pthread_mutex_lock(&lock);
	while (sink && pending_count)
		end_oldest();
	if (sink && early_count)
		tell_unmatched(early_count);
	early_count = 0;
	finished = true;
	pthread_mutex_unlock(&lock);
}
