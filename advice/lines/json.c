/* advice/lines/json.c: annotated lines for programs. */
#include "advice/lines/lines.h"

#include "graph/accessed_value.h"
#include "util/json.h"

static void put_top(struct json *json, const struct profile *profile, uint32_t value)
{
	uint32_t count;
	const struct profile_top_value *top = profile_top_values(profile, value, &count);

	json_name(json, "most_frequent");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++) {
		json_begin(json, '{');
		json_named_text(json, "value", top[i].text);
		json_named_count(json, "count", top[i].count);
		json_named_count(json, "error", top[i].error);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_value(struct json *json, const struct profile *profile, uint32_t index)
{
	const struct profile_value_stats *value = &profile->values[index];

	json_named_text(json, "kind", accessed_kind_name(value->kind));
	json_named_text(json, "type", accessed_type_name(value->type));
	if (value->site != PROFILE_NO_VERTEX)
		json_named_count(json, "object", value->site);
	json_named_count(json, "launches", value->launches);
	json_named_count(json, "count", value->count);
	json_named_count(json, "zeros", value->zeros);
	json_named_count(json, "repeats", value->repeats);
	json_named_count(json, "different", value->distinct);
	if (value->ranged) {
		json_named_real(json, "least", value->least);
		json_named_real(json, "most", value->most);
	}
	if (value->linear) {
		json_named_real(json, "slope", value->slope);
		json_named_real(json, "intercept", value->intercept);
	}
	put_top(json, profile, index);
}

void lines_json(const struct profile *profile, const struct line_notes *notes, FILE *out)
{
	struct json json = {.file = out, .style = JSON_INDENTED};

	json_begin(&json, '{');
	json_name(&json, "lines");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < notes->count; i++) {
		const struct line_note *note = &notes->notes[i];
		const struct profile_code_place *place = &profile->code_places[note->place];

		json_begin(&json, '{');
		json_named_count(&json, "vertex", note->vertex);
		json_named_text(&json, "function", place->function);
		json_named_text(&json, "file", place->file);
		if (place->line)
			json_named_count(&json, "line", place->line);
		json_named_count(&json, "code", place->code);
		put_value(&json, profile, note->value);
		json_end(&json, '}');
	}
	json_end(&json, ']');
	json_end(&json, '}');
}
