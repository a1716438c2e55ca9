#include "render/metric.h"

#include <string.h>

#include "graph/fields.h"

const struct render_metric render_by_invocations = {"invocations", "how often it ran",
						    VERTEX_INVOCATIONS};
const struct render_metric render_by_time = {"time", "time on the GPU", VERTEX_TIME_NS};
const struct render_metric render_by_host_time = {NULL, "host time of its calls (no GPU timing)",
						  VERTEX_HOST_NS};
const struct render_metric render_by_bytes = {"bytes", "bytes read and written",
					      VERTEX_READ_BYTES | VERTEX_WRITTEN_BYTES};
static const struct render_metric by_unchanged = {"unchanged", "bytes left unchanged",
						  VERTEX_REDUNDANT_BYTES};

static const struct render_metric *const in_words[] = {&render_by_invocations, &render_by_time,
						       &render_by_bytes, &by_unchanged};

enum { IN_WORDS = sizeof(in_words) / sizeof(*in_words) };

/* A field that no other metric has goes by its own name; NULL: it is no such field. */
static const struct render_metric *metric_of_field(int index)
{
	static struct render_metric metrics[VERTEX_FIELD_COUNT];
	const struct graph_field *field = &graph_vertex_fields[index];

	if (field->type != FIELD_COUNT || field->profile_only)
		return NULL;
	for (size_t i = 0; i < IN_WORDS; i++)
		if (in_words[i]->fields & field->flag)
			return NULL;
	metrics[index] = (struct render_metric){field->name, field->title, field->flag};
	return &metrics[index];
}

const struct render_metric *render_metric_named(const char *word)
{
	for (size_t i = 0; i < IN_WORDS; i++)
		if (!strcmp(in_words[i]->word, word))
			return in_words[i];
	for (int i = 0; i < VERTEX_FIELD_COUNT; i++) {
		const struct render_metric *metric = metric_of_field(i);

		if (metric && !strcmp(metric->word, word))
			return metric;
	}
	return NULL;
}

uint32_t render_metric_words(const char *words[RENDER_METRIC_WORDS])
{
	uint32_t count = 0;

	for (size_t i = 0; i < IN_WORDS; i++)
		words[count++] = in_words[i]->word;
	for (int i = 0; i < VERTEX_FIELD_COUNT; i++) {
		const struct render_metric *metric = metric_of_field(i);

		if (metric)
			words[count++] = metric->word;
	}
	return count;
}

uint64_t render_metric_of(const struct graph_vertex *vertex, const struct render_metric *metric)
{
	uint64_t sum = 0;

	for (const struct graph_field *field = graph_vertex_fields; field->name; field++) {
		uint64_t value;

		if (!(metric->fields & field->flag) || !field_is_there(field, vertex))
			continue;
		value = field_number(field, vertex);
		sum = sum + value < sum ? UINT64_MAX : sum + value;
	}
	return sum;
}
