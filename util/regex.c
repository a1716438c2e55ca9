#include "util/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/text.h"

enum {
	EXPRESSION_LIMIT = 16384, /* bytes */
	MATCH_LIMIT = 1000000,    /* steps of backtracking in one text: some 20 ms */
	HEAP_LIMIT_KIB = 64 * 1024,
};

struct regex {
	pcre2_code *code;
	pcre2_match_context *context;
	pcre2_match_data *data;
	char *shown; /* the expression, fit for a message */
};

static const char *message(int code, char text[128])
{
	if (pcre2_get_error_message(code, (PCRE2_UCHAR *)text, 128) < 0)
		strcpy(text, "unknown error");
	return text;
}

static struct regex *compile(const char *expression, uint32_t options, struct error *error)
{
	struct regex *regex = xcalloc(1, sizeof(*regex));
	char text[128];
	int code;
	size_t offset;

	regex->shown = text_clean(expression, strlen(expression), 200);
	if (strlen(expression) > EXPRESSION_LIMIT) {
		error_set(error, "the regular expression is longer than %d bytes",
			  EXPRESSION_LIMIT);
		goto failed;
	}
	regex->code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED,
				    options | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
					    PCRE2_NEVER_BACKSLASH_C,
				    &code, &offset, NULL);
	if (!regex->code) {
		error_set(error, "the regular expression '%s' is not valid: %s, at byte %zu",
			  regex->shown, message(code, text), offset);
		goto failed;
	}
	regex->context = pcre2_match_context_create(NULL);
	regex->data = pcre2_match_data_create(1, NULL);
	if (!regex->context || !regex->data) {
		error_set(error, "out of memory for the regular expression '%s'", regex->shown);
		goto failed;
	}
	pcre2_set_match_limit(regex->context, MATCH_LIMIT);
	pcre2_set_heap_limit(regex->context, HEAP_LIMIT_KIB);
	return regex;
failed:
	regex_free(regex);
	return NULL;
}

struct regex *regex_new(const char *expression, struct error *error)
{
	return compile(expression, 0, error);
}

struct regex *regex_new_whole(const char *expression, struct error *error)
{
	return compile(expression, PCRE2_ANCHORED | PCRE2_ENDANCHORED, error);
}

int regex_search(const struct regex *regex, const char *text, struct error *error)
{
	char reason[128];
	int code = pcre2_match(regex->code, (PCRE2_SPTR)text, strlen(text), 0, 0, regex->data,
			       regex->context);

	if (code >= 0)
		return 1;
	if (code == PCRE2_ERROR_NOMATCH)
		return 0;
	return error_set(error,
			 "the regular expression '%s' is too costly (%s): make it simpler, "
			 "for example without nested repetition",
			 regex->shown, message(code, reason));
}

void regex_free(struct regex *regex)
{
	if (!regex)
		return;
	pcre2_match_data_free(regex->data);
	pcre2_match_context_free(regex->context);
	pcre2_code_free(regex->code);
	free(regex->shown);
	free(regex);
}
