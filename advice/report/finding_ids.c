#include "advice/report/finding_ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/operation_names.h"
#include "graph/profile/digest.h"
#include "util/memory.h"

struct named_finding {
	char *name;
	char *place; /* lines of its call paths: findings of one name are in the order of these */
	uint32_t finding;
};

static int by_name(const void *a, const void *b)
{
	const struct named_finding *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	order = order ? order : strcmp(x->place, y->place);
	return order ? order : (x->finding > y->finding) - (x->finding < y->finding);
}

static struct named_finding name_of(const struct operation_names *names,
				    const struct profile *profile, uint32_t f)
{
	const struct profile_finding *finding = &profile->findings[f];
	struct named_finding named = {.finding = f};

	if (finding->vertex == GRAPH_HOST && finding->api != PROFILE_NO_ROW) {
		const struct profile_api *api = &profile->apis[finding->api];
		char *calls = operation_names_of_calls(api);

		named.name = xasprintf("%s\n%s", finding->pattern, calls);
		named.place = xasprintf("%010" PRIu32 " %s", api->place.line,
					api->place.callpath ? api->place.callpath : "");
		free(calls);
		return named;
	}
	named.name = xasprintf("%s\n%s\n\n%s", finding->pattern,
			       operation_names_of(names, profile, finding->vertex),
			       operation_names_of(names, profile, finding->object));
	named.place = xasprintf("%s\n%s", operation_names_place(names, profile, finding->vertex),
				operation_names_place(names, profile, finding->object));
	return named;
}

static struct finding_id id_of(struct digest *digest, const char *name, uint32_t ordinal)
{
	char hex[DIGEST_SIZE];
	struct finding_id id;

	digest_text(digest, name, strlen(name));
	digest_integer(digest, ordinal);
	digest_end(digest, hex);
	memcpy(id.text, hex, FINDING_ID_SIZE - 1);
	id.text[FINDING_ID_SIZE - 1] = 0;
	return id;
}

struct finding_id *finding_ids(const struct profile *profile)
{
	const uint32_t count = profile->finding_count;
	struct operation_names *names = operation_names_new(profile);
	struct named_finding *named = xcalloc((size_t)count + 1, sizeof(*named));
	struct finding_id *ids = xcalloc((size_t)count + 1, sizeof(*ids));
	struct digest *digest = digest_new();

	for (uint32_t f = 0; f < count; f++)
		named[f] = name_of(names, profile, f);
	qsort(named, count, sizeof(*named), by_name);
	for (uint32_t i = 0, ordinal = 0; i < count; i++) {
		ordinal = i && !strcmp(named[i].name, named[i - 1].name) ? ordinal + 1 : 0;
		ids[named[i].finding] = id_of(digest, named[i].name, ordinal);
	}
	for (uint32_t i = 0; i < count; i++) {
		free(named[i].name);
		free(named[i].place);
	}
	free(named);
	digest_free(digest);
	operation_names_free(names);
	return ids;
}
