#include "graph/json_fields.h"

void json_field(struct json *json, const struct graph_field *field, const void *of)
{
	if (!field_is_there(field, of)) {
		json_text(json, NULL);
		return;
	}
	switch (field->type) {
	case FIELD_TEXT:
		json_text(json, field_text(field, of));
		break;
	case FIELD_COUNT:
	case FIELD_ID:
		json_count(json, field_number(field, of));
		break;
	case FIELD_FRACTION:
		json_real(json, field_fraction(field, of));
		break;
	case FIELD_ACCESS:
		json_text(json, graph_access_name(field_access(field, of)));
		break;
	case FIELD_ALL:
		break;
	}
}

void json_fields(struct json *json, const struct graph_field *fields, const void *of,
		 unsigned types)
{
	for (; fields->name; fields++) {
		if (!(fields->type & types) || fields->profile_only || !field_is_there(fields, of))
			continue;
		json_name(json, fields->name);
		json_field(json, fields, of);
	}
}
