#include "collect/kernel_filter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "util/mangled.h"

enum {
	MATCH_LIMIT = 1000000, /* steps of backtracking in one name: some 20 ms */
	HEAP_LIMIT_KIB = 64 * 1024,
};

/* libstdc++'s; there is no header for C */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

struct kernel_filter {
	pcre2_code *code;
	pcre2_match_context *context;
	pcre2_match_data *data;
};

struct kernel_filter *kernel_filter_new(const char *expression, struct error *error)
{
	struct kernel_filter *filter = calloc(1, sizeof(*filter));
	PCRE2_UCHAR reason[128] = "";
	size_t offset = 0;
	int code = 0;

	if (!filter)
		goto no_memory;
	filter->code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED,
				     PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
				     &code, &offset, NULL);
	if (!filter->code) {
		pcre2_get_error_message(code, reason, sizeof(reason));
		error_set(error, "'%.200s' is no regular expression: %s, at byte %zu", expression,
			  (const char *)reason, offset);
		kernel_filter_free(filter);
		return NULL;
	}
	filter->context = pcre2_match_context_create(NULL);
	filter->data = pcre2_match_data_create(1, NULL);
	if (filter->context && filter->data) {
		pcre2_set_match_limit(filter->context, MATCH_LIMIT);
		pcre2_set_heap_limit(filter->context, HEAP_LIMIT_KIB);
		return filter;
	}
no_memory:
	kernel_filter_free(filter);
	error_set(error, "out of memory");
	return NULL;
}

void kernel_filter_free(struct kernel_filter *filter)
{
	if (!filter)
		return;
	pcre2_match_data_free(filter->data);
	pcre2_match_context_free(filter->context);
	pcre2_code_free(filter->code);
	free(filter);
}

static int search(const struct kernel_filter *filter, const char *text)
{
	int code = pcre2_match(filter->code, (PCRE2_SPTR)text, strlen(text), 0, 0, filter->data,
			       filter->context);

	return code >= 0 ? 1 : code == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

int kernel_filter_matches(const struct kernel_filter *filter, const char *mangled)
{
	const char *name = mangled_in_source(mangled);
	int found = search(filter, mangled), status;
	char *plain;

	if (!found && name != mangled)
		found = search(filter, name);
	if (found || strncmp(name, "_Z", 2) || !mangled_is_short(name))
		return found;
	plain = __cxa_demangle(name, NULL, NULL, &status);
	if (plain)
		found = search(filter, plain);
	free(plain);
	return found;
}
