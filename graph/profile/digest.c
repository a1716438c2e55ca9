/* graph/profile/digest.c: the check sum over a profile's content. */
#include "graph/profile/file.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"

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
