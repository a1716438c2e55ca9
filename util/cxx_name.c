/* util/cxx_name.c: see cxx_name.h. */
#include "util/cxx_name.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/cxx_arguments.h"
#include "util/memory.h"
#include "util/text.h"

/* The arrow in "operator->" and in lambdas closes nothing. */
static bool closes_angle(const char *start, const char *at)
{
	return *at == '>' && !(at > start && at[-1] == '-');
}

/* Steps back over the group that ends before `end`, "(..)" or "<..>"; NULL when it is not closed.
 */
static const char *group_start(const char *start, const char *end, char open, char close)
{
	uint32_t depth = 0;

	for (const char *at = end; at-- > start;) {
		if (*at == close && (close != '>' || closes_angle(start, at)))
			depth++;
		else if (*at == open && --depth == 0)
			return at;
		if (!depth)
			return NULL;
	}
	return NULL;
}

static bool ends_with(const char *start, const char *end, const char *suffix)
{
	size_t length = strlen(suffix);

	return (size_t)(end - start) >= length && !memcmp(end - length, suffix, length);
}

const char *cxx_name_end(const char *name)
{
	static const char *const qualifiers[] = {" const", " volatile", " &&", " &", " noexcept"};
	const char *end = strstr(name, " [clone");
	const char *group;
	bool again = true;

	if (!end || end == name)
		end = name + strlen(name);
	while (again) {
		again = false;
		for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++) {
			if (ends_with(name, end, qualifiers[i])) {
				end -= strlen(qualifiers[i]);
				again = true;
			}
		}
	}
	group = ends_with(name, end, ")") ? group_start(name, end, '(', ')') : NULL;
	if (!group || group == name || ends_with(name, group, "::") ||
	    ends_with(name, group, "operator"))
		return end;
	return group;
}

/* Whether the blank is in "f(int) const::{lambda()#1}". */
static bool qualifies(const char *name, const char *blank)
{
	return blank > name && blank[-1] == ')' &&
	       (!strncmp(blank, " const", 6) || !strncmp(blank, " volatile", 9) || blank[1] == '&');
}

/* The place after the last blank, or "::" if `scopes`, that is outside of all brackets. */
static const char *component_start(const char *name, const char *end, bool scopes)
{
	uint32_t depth = 0;

	for (const char *at = end; at-- > name;) {
		if (strchr(")]}", *at) || closes_angle(name, at))
			depth++;
		else if (strchr("(<[{", *at) && depth)
			depth--;
		else if (depth ||
			 (*at == ' ' && ((at[1] == '<' && at + 2 < end) || qualifies(name, at))))
			continue; /* "operator< <int>" */
		else if (*at == ' ' || (scopes && *at == ':' && at > name && at[-1] == ':'))
			return at + 1;
	}
	return name;
}

const char *cxx_base_start(const char *name, const char *end)
{
	return component_start(name, end, true);
}

const char *cxx_arguments_start(const char *start, const char *end)
{
	return ends_with(start, end, ">") ? group_start(start, end, '<', '>') : NULL;
}

/* Bytes of "CUB_300001_SM_800::" or "__4::" that start here; 0: none. */
static size_t version_length(const char *at, const char *end)
{
	static const char *const starts[] = {"CUB_", "THRUST_", "__"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		size_t length = strlen(starts[i]);

		if ((size_t)(end - at) <= length || memcmp(at, starts[i], length) != 0 ||
		    !isdigit((unsigned char)at[length]))
			continue;
		while (at + length < end &&
		       (isdigit((unsigned char)at[length]) || isupper((unsigned char)at[length]) ||
			at[length] == '_'))
			length++;
		if (end - at - length > 2 && !memcmp(at + length, "::", 2))
			return length + 2;
	}
	return 0;
}

/* Where the name begins that ends at `end`: behind the return type. */
static const char *name_start(const char *name, const char *end)
{
	const char *start = name;

	if (*end == '(') /* the return type is in names with parameters only */
		start = component_start(name, end, false);
	return start == end || ends_with(name, start, "operator ") ? name : start;
}

const char *cxx_name_start(const char *name)
{
	return name_start(name, cxx_name_end(name));
}

char *cxx_plain_name(const char *name, size_t limit)
{
	const char *end = cxx_name_end(name), *start = name_start(name, end);
	char *plain = xcalloc(strlen(name) + 1, 1), *to = plain, *shorter;

	for (const char *at = start; at < end; at++) {
		if (at == start || strchr(":<( ", at[-1]))
			at += version_length(at, end);
		*to++ = *at;
	}
	shorter = (size_t)(to - plain) > limit ? cxx_shorten_arguments(plain, limit) : NULL;
	if (!shorter)
		return plain;
	free(plain);
	return shorter;
}

char *cxx_short_name(const char *name, size_t limit)
{
	char *plain = cxx_plain_name(name, limit), *text;
	const char *start, *end;
	size_t length;

	if (strlen(plain) > limit) {
		free(plain);
		plain = cxx_plain_name(name, SIZE_MAX);
		end = plain + strlen(plain);
		start = cxx_base_start(plain, end);
		/* "operator()" alone says nothing */
		if (start >= plain + 2 && start[-1] == ':' && !strncmp(start, "operator", 8))
			start = cxx_base_start(plain, start - 2);
		text = cxx_plain_name(start, limit);
		free(plain);
		plain = text;
	}
	length = strlen(plain);
	/* which cuts some that fit, too */
	text = text_clean(plain, length, length > limit ? limit : 0);
	free(plain);
	return text;
}
