/* advice/diff/json.c: what changed, as JSON; the manual page names its members. */
#include <stdlib.h>

#include "advice/diff/diff.h"
#include "advice/report/finding_json.h"
#include "util/json.h"

static void put_run(struct json *json, const char *name, const char *file,
		    const struct profile *profile)
{
	json_name(json, name);
	json_begin(json, '{');
	json_named_text(json, "file", file);
	json_named_text(json, "command", profile->command);
	json_named_count(json, "date", profile->date);
	json_end(json, '}');
}

static void put_numbers(const struct diff *diff, struct json *json)
{
	json_name(json, "numbers");
	json_begin(json, '{');
	for (uint32_t i = 0; i < diff->number_count; i++) {
		const struct diff_number *number = &diff->numbers[i];

		json_name(json, number->name);
		json_begin(json, '{');
		json_known(json, "before", number->before);
		json_known(json, "after", number->after);
		json_end(json, '}');
	}
	json_end(json, '}');
}

/* `name`: NULL: an element of an array. */
static void put_finding(struct json *json, const char *name, const struct profile *profile,
			uint32_t f)
{
	if (name)
		json_name(json, name);
	json_begin(json, '{');
	finding_json(json, profile, f);
	json_end(json, '}');
}

static void put_findings(const struct diff *diff, struct json *json)
{
	const struct diff_join *join = diff->join;
	const struct diff_pair *gone = join->findings + join->joined_findings;
	const struct diff_pair *fresh = gone + join->gone_findings;

	json_name(json, "findings");
	json_begin(json, '{');
	json_name(json, "gone");
	json_begin(json, '[');
	for (uint32_t i = 0; i < join->gone_findings; i++)
		put_finding(json, NULL, join->before, gone[i].before);
	json_end(json, ']');
	json_name(json, "new");
	json_begin(json, '[');
	for (uint32_t i = 0; i < join->new_findings; i++)
		put_finding(json, NULL, join->after, fresh[i].after);
	json_end(json, ']');
	json_named_count(json, "near", join->near_findings);
	json_name(json, "remaining");
	json_begin(json, '[');
	for (uint32_t i = 0; i < join->joined_findings; i++) {
		json_begin(json, '{');
		put_finding(json, "before", join->before, join->findings[i].before);
		put_finding(json, "after", join->after, join->findings[i].after);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}

static void put_work(struct json *json, const char *name, const struct profile *profile, uint32_t v,
		     const struct diff_work *work)
{
	if (v == DIFF_NONE)
		return;
	json_name(json, name);
	json_begin(json, '{');
	operation_json(json, "operation", profile, v);
	json_named_count(json, "calls", work->calls);
	json_named_count(json, "read_bytes", work->read_bytes);
	json_named_count(json, "written_bytes", work->written_bytes);
	json_known(json, "time_ns", work->time_ns);
	json_end(json, '}');
}

static void put_changes(const struct diff *diff, struct json *json)
{
	json_name(json, "operations");
	json_begin(json, '[');
	for (uint32_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];

		json_begin(json, '{');
		json_named_text(json, "change", diff_change_name(change->vertices));
		put_work(json, "before", diff->join->before, change->vertices.before,
			 &change->before);
		put_work(json, "after", diff->join->after, change->vertices.after, &change->after);
		json_end(json, '}');
	}
	json_end(json, ']');
}

void diff_json(const struct diff *diff, FILE *out)
{
	struct json json = {.file = out, .style = JSON_INDENTED};

	json_begin(&json, '{');
	json_named_count(&json, "schema_version", 1);
	put_run(&json, "before", diff->before_file, diff->join->before);
	put_run(&json, "after", diff->after_file, diff->join->after);
	json_named_flag(&json, "alike", diff_is_alike(diff));
	put_numbers(diff, &json);
	put_findings(diff, &json);
	put_changes(diff, &json);
	json_end(&json, '}');
	fputc('\n', out);
}
