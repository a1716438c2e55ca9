/* graph/profile/digest.c: the check sum over a profile's content, and what must hold of it. */
#include "graph/profile/file.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/trace.h"
#include "graph/fields.h"
#include "util/memory.h"
#include "util/text.h"

/* -- the check sum: numbers as 8 bytes, strings with their length -- */

/* Gathered: a call of OpenSSL for each number would cost more than the sum itself. */
struct sum {
	EVP_MD_CTX *context;
	size_t used;
	unsigned char bytes[1 << 14];
};

static void flush(struct sum *sum)
{
	if (EVP_DigestUpdate(sum->context, sum->bytes, sum->used) != 1)
		abort(); /* SHA-256 only fails when it was not set up */
	sum->used = 0;
}

static void add(struct sum *sum, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	while (size) {
		size_t part = sizeof(sum->bytes) - sum->used;

		part = part < size ? part : size;
		memcpy(sum->bytes + sum->used, from, part);
		sum->used += part;
		from += part;
		size -= part;
		if (sum->used == sizeof(sum->bytes))
			flush(sum);
	}
}

static void add_number(struct sum *sum, uint64_t value)
{
	add(sum, &value, sizeof(value));
}

static void add_double(struct sum *sum, double value)
{
	value += 0.0; /* SQLite does not keep the sign of -0.0 */
	add(sum, &value, sizeof(value));
}

static void add_text(struct sum *sum, const char *text)
{
	add_number(sum, text ? strlen(text) : UINT64_MAX);
	if (text)
		add(sum, text, strlen(text));
}

/* Flags of the numbers that may be null: 0 is not the same as none. */
static uint32_t nullable_fields(const struct graph_field *fields)
{
	uint32_t flags = 0;

	for (; fields->name; fields++)
		if (fields->store == STORE_NULLABLE && fields->type != FIELD_TEXT)
			flags |= fields->flag;
	return flags;
}

static void add_fields(struct sum *sum, const struct graph_field *fields, const void *of,
		       unsigned types)
{
	for (; fields->name; fields++) {
		if (fields->store == STORE_NEVER || !(fields->type & types))
			continue;
		if (fields->type == FIELD_TEXT)
			add_text(sum, field_text(fields, of));
		else if (fields->type == FIELD_FRACTION)
			add_double(sum, field_fraction(fields, of));
		else if (fields->type == FIELD_ACCESS)
			add_number(sum, field_access(fields, of));
		else
			add_number(sum, field_number(fields, of));
	}
}

static void add_graph(struct sum *sum, const struct profile *profile)
{
	const struct graph *graph = profile->graph;
	uint32_t vertex_mask = nullable_fields(graph_vertex_fields);
	uint32_t edge_mask = nullable_fields(graph_edge_fields);

	add_number(sum, graph->vertex_count);
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &graph->vertices[v];

		add_number(sum, vertex->id);
		add_number(sum, vertex->fields & vertex_mask);
		add_fields(sum, graph_vertex_fields, vertex, FIELD_TEXT);
		add_fields(sum, graph_vertex_fields, vertex, FIELD_ALL & ~FIELD_TEXT);
		add_number(sum, profile->vertices[v].callpath);
	}
	add_number(sum, graph->edge_count);
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		add_number(sum, edge->from);
		add_number(sum, edge->to);
		add_number(sum, edge->fields & edge_mask);
		add_fields(sum, graph_edge_fields, edge, FIELD_TEXT);
		add_fields(sum, graph_edge_fields, edge, FIELD_ALL & ~FIELD_TEXT);
	}
}

static void add_paths(struct sum *sum, const struct profile *profile)
{
	add_number(sum, profile->frame_count);
	for (uint32_t i = 0; i < profile->frame_count; i++) {
		const struct profile_frame *frame = &profile->frames[i];

		add_text(sum, frame->function);
		add_text(sum, frame->file);
		add_number(sum, frame->line);
		add_text(sum, frame->module);
		add_text(sum, frame->build_id);
		add_number(sum, frame->offset);
		add_number(sum, frame->inlined);
	}
	add_number(sum, profile->callpath_count);
	for (uint32_t i = 0; i < profile->callpath_count; i++) {
		add_number(sum, profile->callpaths[i].count);
		for (uint32_t j = 0; j < profile->callpaths[i].count; j++)
			add_number(sum, profile->callpaths[i].frames[j]);
	}
}

static void add_run(struct sum *sum, const struct profile *profile)
{
	add_text(sum, profile->command);
	add_number(sum, profile->date);
	add_number(sum, profile->event_count);
	add_double(sum, profile->redundancy_threshold);
	add_number(sum, profile->process_count);
	for (uint32_t i = 0; i < profile->process_count; i++) {
		const struct profile_process *process = &profile->processes[i];

		add_number(sum, process->pid);
		add_number(sum, process->parent);
		add_text(sum, process->executable);
		add_text(sum, process->arguments);
		add_text(sum, process->provider);
		add_text(sum, process->device);
		add_number(sum, process->ended);
	}
	add_number(sum, profile->object_count);
	for (uint32_t i = 0; i < profile->object_count; i++) {
		const struct profile_object *object = &profile->objects[i];

		add_number(sum, object->site);
		add_number(sum, object->process);
		add_number(sum, object->size);
		add_number(sum, object->address);
		add_number(sum, object->memory);
		add_text(sum, object->name);
		add_number(sum, object->start_ns);
		add_number(sum, object->end_ns);
	}
}

static void add_results(struct sum *sum, const struct profile *profile)
{
	add_number(sum, profile->duplicate_count);
	for (uint32_t i = 0; i < profile->duplicate_count; i++) {
		const struct profile_duplicate *duplicate = &profile->duplicates[i];

		add_number(sum, duplicate->bytes);
		add_number(sum, duplicate->occurrences);
		add_number(sum, duplicate->events);
		add_number(sum, duplicate->zero);
		add_number(sum, duplicate->member_count);
		for (uint32_t j = 0; j < duplicate->member_count; j++) {
			add_number(sum, duplicate->members[j].site);
			add_number(sum, duplicate->members[j].cause);
			add_number(sum, duplicate->members[j].objects);
		}
	}
	add_number(sum, profile->finding_count);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];

		add_text(sum, finding->pattern);
		add_number(sum, finding->vertex);
		add_number(sum, finding->object);
		add_number(sum, finding->access);
		add_number(sum, finding->bytes);
		add_double(sum, finding->fraction);
		add_text(sum, finding->evidence);
		add_text(sum, finding->advice);
		add_text(sum, finding->limits);
		add_number(sum, finding->other_count);
		for (uint32_t j = 0; j < finding->other_count; j++)
			add_number(sum, finding->others[j]);
	}
	add_number(sum, profile->coverage_count);
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		add_text(sum, profile->coverage[i].what);
		add_text(sum, profile->coverage[i].reason);
		add_number(sum, profile->coverage[i].count);
		add_number(sum, profile->coverage[i].bytes);
	}
}

void profile_digest(const struct profile *profile, const char *events, char hex[65])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct sum sum = {.context = EVP_MD_CTX_new()};

	if (!sum.context || EVP_DigestInit_ex(sum.context, EVP_sha256(), NULL) != 1)
		abort(); /* out of memory */
	add_run(&sum, profile);
	add_text(&sum, events);
	add_paths(&sum, profile);
	add_graph(&sum, profile);
	add_results(&sum, profile);
	flush(&sum);
	if (EVP_DigestFinal_ex(sum.context, digest, NULL) != 1)
		abort();
	EVP_MD_CTX_free(sum.context);
	for (unsigned i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

/* -- what must hold -- */

static bool is_number(uint64_t value)
{
	return value <= PROFILE_NUMBER_MAX;
}

static bool is_text(const char *text)
{
	return text && text_is_clean(text, strlen(text));
}

static bool is_text_or_null(const char *text)
{
	return !text || is_text(text);
}

static bool is_vertex(const struct profile *profile, uint32_t id)
{
	return graph_find(profile->graph, id) != UINT32_MAX;
}

static bool field_holds(const struct profile *profile, const struct graph_field *field,
			const void *of)
{
	switch (field->type) {
	case FIELD_TEXT:
		return field_is_there(field, of) ? is_text(field_text(field, of))
						 : field->store != STORE_ALWAYS;
	case FIELD_COUNT:
		return is_number(field_number(field, of));
	case FIELD_ID:
		return is_vertex(profile, (uint32_t)field_number(field, of));
	case FIELD_FRACTION:
		return isfinite(field_fraction(field, of));
	case FIELD_ACCESS:
		return field_access(field, of) == GRAPH_READ ||
		       field_access(field, of) == GRAPH_WRITE;
	case FIELD_ALL:
		break;
	}
	return false;
}

/* Those that the file has. */
static bool fields_hold(const struct profile *profile, const struct graph_field *fields,
			const void *of)
{
	for (; fields->name; fields++)
		if (fields->store != STORE_NEVER && !field_holds(profile, fields, of))
			return false;
	return true;
}

static bool vertex_holds(const struct profile *profile, uint32_t index)
{
	const struct graph_vertex *vertex = &profile->graph->vertices[index];

	return fields_hold(profile, graph_vertex_fields, vertex) && *vertex->kind &&
	       graph_find(profile->graph, vertex->id) == index &&
	       /* the reader relies on it */
	       profile->vertices[index].callpath < profile->callpath_count &&
	       profile->vertices[index].callpath <= index;
}

/* No path after the last one that a vertex has. */
static bool last_path_is_used(const struct profile *profile)
{
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (profile->vertices[v].callpath + 1 == profile->callpath_count)
			return true;
	return !profile->callpath_count;
}

static bool edge_holds(const struct profile *profile, uint32_t index)
{
	const struct graph_edge *edge = &profile->graph->edges[index];

	for (const struct graph_field *field = graph_edge_fields; field->name; field++)
		if (field->part_of_bytes && field_number(field, edge) > edge->bytes)
			return false;
	return edge->from < profile->graph->vertex_count &&
	       edge->to < profile->graph->vertex_count &&
	       fields_hold(profile, graph_edge_fields, edge);
}

static bool path_holds(const struct profile *profile, uint32_t index)
{
	for (uint32_t i = 0; i < profile->callpaths[index].count; i++)
		if (profile->callpaths[index].frames[i] >= profile->frame_count)
			return false;
	return true;
}

static bool frame_holds(const struct profile *profile, uint32_t index)
{
	const struct profile_frame *frame = &profile->frames[index];

	return is_text(frame->module) && is_text_or_null(frame->build_id) &&
	       is_text_or_null(frame->function) && is_text_or_null(frame->file) &&
	       is_number(frame->offset);
}

static bool object_holds(const struct profile *profile, uint32_t index)
{
	const struct profile_object *object = &profile->objects[index];

	return is_vertex(profile, object->site) && object->process < profile->process_count &&
	       is_number(object->size) && is_text_or_null(object->name) &&
	       object->memory >= TRACE_MEMORY_DEVICE && object->memory <= TRACE_MEMORY_ARRAY &&
	       is_number(object->start_ns) && is_number(object->end_ns);
}

static bool process_holds(const struct profile *profile, uint32_t index)
{
	const struct profile_process *process = &profile->processes[index];

	return is_text(process->executable) && is_text(process->arguments) &&
	       is_text(process->provider) && is_text(process->device);
}

static bool duplicate_holds(const struct profile *profile, uint32_t index)
{
	const struct profile_duplicate *duplicate = &profile->duplicates[index];

	for (uint32_t i = 0; i < duplicate->member_count; i++)
		if (!is_vertex(profile, duplicate->members[i].site) ||
		    !is_vertex(profile, duplicate->members[i].cause) ||
		    !is_number(duplicate->members[i].objects))
			return false;
	return is_number(duplicate->bytes) && is_number(duplicate->occurrences) &&
	       is_number(duplicate->events);
}

static bool finding_holds(const struct profile *profile, uint32_t index)
{
	const struct profile_finding *finding = &profile->findings[index];

	for (uint32_t i = 0; i < finding->other_count; i++)
		if (!is_vertex(profile, finding->others[i]))
			return false;
	return is_text(finding->pattern) && is_text(finding->evidence) &&
	       is_text(finding->advice) && is_text(finding->limits) &&
	       is_vertex(profile, finding->vertex) && is_vertex(profile, finding->object) &&
	       finding->access <= GRAPH_WRITE && is_number(finding->bytes) &&
	       isfinite(finding->fraction);
}

static bool coverage_holds(const struct profile *profile, uint32_t index)
{
	const struct profile_coverage *row = &profile->coverage[index];

	return is_text(row->what) && is_text(row->reason) && is_number(row->count) &&
	       is_number(row->bytes);
}

int profile_validate(const struct profile *profile, struct error *error)
{
	const struct {
		const char *name;
		uint32_t count;
		bool (*holds)(const struct profile *profile, uint32_t index);
	} tables[] = {
		{"vertex", profile->graph->vertex_count, vertex_holds},
		{"edge", profile->graph->edge_count, edge_holds},
		{"frame", profile->frame_count, frame_holds},
		{"callpath", profile->callpath_count, path_holds},
		{"process", profile->process_count, process_holds},
		{"object", profile->object_count, object_holds},
		{"duplicate", profile->duplicate_count, duplicate_holds},
		{"finding", profile->finding_count, finding_holds},
		{"coverage", profile->coverage_count, coverage_holds},
	};

	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++)
		for (uint32_t i = 0; i < tables[t].count; i++)
			if (!tables[t].holds(profile, i))
				return profile_bad_row(error, tables[t].name, i + 1);
	if (!last_path_is_used(profile))
		return profile_bad_row(error, "callpath", profile->callpath_count);
	if (!is_text(profile->command) || !is_number(profile->date) ||
	    !is_number(profile->event_count) || !isfinite(profile->redundancy_threshold))
		return profile_bad_row(error, "run", 1);
	return 0;
}
