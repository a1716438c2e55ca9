/*
 * util/perfetto/proto.c: Perfetto's own trace format: protobuf, a sequence of TracePackets.  Names
 * and numbers of fields are those of perfetto/protos/perfetto/trace.
 *
 * Texts of events are interned: they are in the trace once, with the first packet that has them.
 */
#include <stdlib.h>

#include "util/intern.h"
#include "util/memory.h"
#include "util/perfetto/perfetto.h"
#include "util/format/protobuf.h"

enum { TRACE_PACKET_TAG = 1 << 3 | 2 }; /* field 1 of Trace, a message */

enum trace_packet {
	PACKET_TIMESTAMP = 8,
	PACKET_TRUSTED_PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_TRACE_ATTRIBUTES = 126,
};
enum { SEQ_INCREMENTAL_STATE_CLEARED = 1, SEQ_NEEDS_INCREMENTAL_STATE = 2 };

enum track_event {
	EVENT_CATEGORY_IIDS = 3,
	EVENT_DEBUG_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW_IDS = 47,
	EVENT_TERMINATING_FLOW_IDS = 48,
};
enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END, TYPE_INSTANT, TYPE_COUNTER };

enum debug_annotation {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_BOOL_VALUE = 2,
	ANNOTATION_UINT_VALUE = 3,
	ANNOTATION_STRING_VALUE_IID = 17,
};

enum track_descriptor {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT_UUID = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDERING = 11,
	TRACK_SIBLING_ORDER_RANK = 12,
	TRACK_PROCESS_ORDERING = 19,
};
enum { CHILD_ORDERING_EXPLICIT = 3, PROCESS_ORDERING_EXPLICIT = 1 };
enum process_descriptor { PROCESS_PID = 1, PROCESS_NAME = 6, PROCESS_LABELS = 8 };
enum counter_descriptor { COUNTER_UNIT = 3 };
enum { UNIT_SIZE_BYTES = 3 };

/* TraceAttributes and its Attribute. */
enum { ATTRIBUTES_ATTRIBUTE = 1 };
enum attribute { ATTRIBUTE_KEY = 1, ATTRIBUTE_LONG_VALUE = 2, ATTRIBUTE_STRING_VALUE = 3 };

/* What is interned, and its field in InternedData; each text there is a message of two fields. */
enum { NAMES_OF_CATEGORIES, NAMES_OF_EVENTS, NAMES_OF_ARGUMENTS, TEXTS_OF_ARGUMENTS, TABLES };
static const uint32_t interned_data[TABLES] = {
	[NAMES_OF_CATEGORIES] = 1, /* event_categories */
	[NAMES_OF_EVENTS] = 2,     /* event_names */
	[NAMES_OF_ARGUMENTS] = 3,  /* debug_annotation_names */
	[TEXTS_OF_ARGUMENTS] = 29, /* debug_annotation_string_values */
};
enum interned_text { INTERNED_IID = 1, INTERNED_TEXT = 2 };

/*
 * Uuids of tracks: processes and tracks have their numbers in the halves; the highest bits say
 * what else there is.  0 is the root, of all processes.
 */
#define COUNTER (UINT64_C(1) << 63)
#define SPAN (UINT64_C(3) << 62)
#define INSTANT (UINT64_C(1) << 62)

struct trace {
	struct perfetto perfetto; /* first: what others know of it */
	struct protobuf packet, interned;
	struct intern tables[TABLES], places;
	uint32_t counter; /* the process whose counter was named last */
};

/* The number of the text, which goes into the packet where it is new. */
static uint32_t intern(struct trace *trace, int table, const char *text)
{
	uint32_t number;
	size_t entry;

	if (!intern_text(&trace->tables[table], text, &number))
		return number;
	entry = protobuf_begin(&trace->interned, interned_data[table]);
	protobuf_number(&trace->interned, INTERNED_IID, number);
	protobuf_text(&trace->interned, INTERNED_TEXT, text);
	protobuf_end(&trace->interned, entry);
	return number;
}

/* Writes the packet, whose own fields are in trace->packet. */
static void put_packet(struct trace *trace, uint64_t flags)
{
	struct protobuf *packet = &trace->packet;

	if (trace->interned.size)
		protobuf_bytes(packet, PACKET_INTERNED_DATA, trace->interned.bytes,
			       trace->interned.size);
	trace->interned.size = 0;
	protobuf_number(packet, PACKET_TRUSTED_PACKET_SEQUENCE_ID, 1);
	protobuf_number(packet, PACKET_SEQUENCE_FLAGS, flags);
	/* in the trace's field `packet`: tag, size, packet */
	protobuf_end(packet, 0);
	putc(TRACE_PACKET_TAG, trace->perfetto.file);
	protobuf_write(packet, trace->perfetto.file);
}

static size_t begin_track(struct trace *trace, uint64_t uuid, uint64_t parent, const char *name)
{
	size_t track = protobuf_begin(&trace->packet, PACKET_TRACK_DESCRIPTOR);

	protobuf_number(&trace->packet, TRACK_UUID, uuid);
	if (parent)
		protobuf_number(&trace->packet, TRACK_PARENT_UUID, parent);
	protobuf_text(&trace->packet, TRACK_NAME, name);
	return track;
}

static void end_track(struct trace *trace, size_t track)
{
	protobuf_end(&trace->packet, track);
	put_packet(trace, SEQ_NEEDS_INCREMENTAL_STATE);
}

static void put_about(struct trace *trace, const struct perfetto_argument *about, uint32_t count)
{
	struct protobuf *packet = &trace->packet;
	size_t attributes = protobuf_begin(packet, PACKET_TRACE_ATTRIBUTES);

	for (uint32_t i = 0; i < count; i++) {
		size_t attribute = protobuf_begin(packet, ATTRIBUTES_ATTRIBUTE);

		protobuf_text(packet, ATTRIBUTE_KEY, about[i].name);
		if (about[i].text)
			protobuf_text(packet, ATTRIBUTE_STRING_VALUE, about[i].text);
		else
			protobuf_number(packet, ATTRIBUTE_LONG_VALUE, about[i].number);
		protobuf_end(packet, attribute);
	}
	protobuf_end(packet, attributes);
	put_packet(trace, SEQ_INCREMENTAL_STATE_CLEARED);
}

static struct perfetto *begin(FILE *file, const struct perfetto_argument *about, uint32_t count)
{
	struct trace *trace = xcalloc(1, sizeof(*trace));
	size_t root;

	trace->perfetto = (struct perfetto){&perfetto_proto, file};
	put_about(trace, about, count);
	root = begin_track(trace, 0, 0, NULL);
	protobuf_number(&trace->packet, TRACK_PROCESS_ORDERING, PROCESS_ORDERING_EXPLICIT);
	end_track(trace, root);
	return &trace->perfetto;
}

static uint64_t uuid_of_process(uint32_t process)
{
	return (uint64_t)process << 32;
}

static void put_process(struct perfetto *perfetto, uint32_t process, const char *name,
			const char *label, uint32_t order)
{
	struct trace *trace = (struct trace *)perfetto;
	struct protobuf *packet = &trace->packet;
	size_t track = begin_track(trace, uuid_of_process(process), 0, NULL);
	size_t descriptor = protobuf_begin(packet, TRACK_PROCESS);

	protobuf_number(packet, PROCESS_PID, process);
	protobuf_text(packet, PROCESS_NAME, name);
	protobuf_text(packet, PROCESS_LABELS, label);
	protobuf_end(packet, descriptor);
	protobuf_number(packet, TRACK_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
	protobuf_number(packet, TRACK_SIBLING_ORDER_RANK, order);
	end_track(trace, track);
}

static void put_track(struct perfetto *perfetto, uint32_t process, uint32_t number,
		      const char *name)
{
	struct trace *trace = (struct trace *)perfetto;
	uint64_t parent = uuid_of_process(process);
	size_t track = begin_track(trace, parent | number, parent, name);

	protobuf_number(&trace->packet, TRACK_SIBLING_ORDER_RANK, number);
	end_track(trace, track);
}

/*
 * The uuid of the event's track, which is made here but for slices: spans have one each, since they
 * may overlap; the viewer merges tracks of one name.
 */
static uint64_t track_of(struct trace *trace, const struct perfetto_event *event)
{
	uint64_t parent = uuid_of_process(event->process), uuid;
	uint32_t place;
	size_t track, counter;

	if (event->type == PERFETTO_SLICE)
		return parent | event->track;
	if (event->type == PERFETTO_COUNTER) {
		uuid = COUNTER | event->process;
		if (trace->counter == event->process)
			return uuid;
		trace->counter = event->process;
		track = begin_track(trace, uuid, parent, event->name);
		counter = protobuf_begin(&trace->packet, TRACK_COUNTER);
		protobuf_number(&trace->packet, COUNTER_UNIT, UNIT_SIZE_BYTES);
		protobuf_end(&trace->packet, counter);
		end_track(trace, track);
		return uuid;
	}
	intern_text(&trace->places, event->place, &place);
	uuid = event->type == PERFETTO_SPAN ? SPAN | (uint64_t)place << 32 | event->id
					    : INSTANT | (uint64_t)place << 32 | event->process;
	track = begin_track(trace, uuid, parent, event->place);
	end_track(trace, track);
	return uuid;
}

static size_t begin_event(struct trace *trace, uint64_t type, uint64_t track, uint64_t ns)
{
	size_t event;

	protobuf_number(&trace->packet, PACKET_TIMESTAMP, ns);
	event = protobuf_begin(&trace->packet, PACKET_TRACK_EVENT);
	protobuf_number(&trace->packet, EVENT_TYPE, type);
	protobuf_number(&trace->packet, EVENT_TRACK_UUID, track);
	return event;
}

static void end_event(struct trace *trace, size_t event)
{
	protobuf_end(&trace->packet, event);
	put_packet(trace, SEQ_NEEDS_INCREMENTAL_STATE);
}

static void put_argument(struct trace *trace, const struct perfetto_argument *argument)
{
	struct protobuf *packet = &trace->packet;
	size_t annotation = protobuf_begin(packet, EVENT_DEBUG_ANNOTATIONS);

	protobuf_number(packet, ANNOTATION_NAME_IID,
			intern(trace, NAMES_OF_ARGUMENTS, argument->name));
	if (argument->text)
		protobuf_number(packet, ANNOTATION_STRING_VALUE_IID,
				intern(trace, TEXTS_OF_ARGUMENTS, argument->text));
	else
		protobuf_number(packet,
				argument->is_flag ? ANNOTATION_BOOL_VALUE : ANNOTATION_UINT_VALUE,
				argument->number);
	protobuf_end(packet, annotation);
}

static void put_event(struct perfetto *perfetto, const struct perfetto_event *event)
{
	static const uint64_t types[] = {[PERFETTO_SLICE] = TYPE_SLICE_BEGIN,
					 [PERFETTO_SPAN] = TYPE_SLICE_BEGIN,
					 [PERFETTO_INSTANT] = TYPE_INSTANT,
					 [PERFETTO_COUNTER] = TYPE_COUNTER};
	struct trace *trace = (struct trace *)perfetto;
	struct protobuf *packet = &trace->packet;
	uint64_t track = track_of(trace, event);
	size_t begin = begin_event(trace, types[event->type], track, event->start_ns);

	if (event->type == PERFETTO_COUNTER) {
		protobuf_number(packet, EVENT_COUNTER_VALUE, event->value);
		end_event(trace, begin);
		return;
	}
	protobuf_number(packet, EVENT_CATEGORY_IIDS,
			intern(trace, NAMES_OF_CATEGORIES, event->category));
	protobuf_number(packet, EVENT_NAME_IID, intern(trace, NAMES_OF_EVENTS, event->name));
	for (uint32_t i = 0; i < event->start_count; i++)
		protobuf_fixed64(packet, EVENT_FLOW_IDS, event->starts[i]);
	for (uint32_t i = 0; i < event->end_count; i++)
		protobuf_fixed64(packet, EVENT_TERMINATING_FLOW_IDS, event->first_end + i);
	for (uint32_t i = 0; i < event->argument_count; i++)
		put_argument(trace, &event->arguments[i]);
	end_event(trace, begin);
	if (event->type != PERFETTO_INSTANT)
		end_event(trace, begin_event(trace, TYPE_SLICE_END, track, event->end_ns));
}

static void end(struct perfetto *perfetto)
{
	struct trace *trace = (struct trace *)perfetto;

	for (int i = 0; i < TABLES; i++)
		intern_release(&trace->tables[i]);
	intern_release(&trace->places);
	protobuf_release(&trace->packet);
	protobuf_release(&trace->interned);
	free(trace);
}

const struct perfetto_writer perfetto_proto = {begin, put_process, put_track, put_event, end};
