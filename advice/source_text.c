#include "advice/source_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum {
	LOOK = 2000,              /* bytes of a statement or a head of a function to either side */
	FUNCTION_LIMIT = 1 << 16, /* bytes from the beginning of a function */
	NAME_LIMIT = 60,
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_space(char c)
{
	return isspace((unsigned char)c);
}

/* -- words and brackets -- */

static struct source_range trim(struct source_range range)
{
	while (range.begin < range.end && is_space(*range.begin))
		range.begin++;
	while (range.end > range.begin && is_space(range.end[-1]))
		range.end--;
	return range;
}

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at;
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && is_word(*at))
		at++;
	return at;
}

static bool is(const char *begin, const char *end, const char *word)
{
	return (size_t)(end - begin) == strlen(word) && !memcmp(begin, word, strlen(word));
}

/* The bracket that closes the one at `open`; NULL: none. */
static const char *closing(const char *open, const char *end)
{
	uint32_t depth = 0;

	for (const char *at = open; at < end; at++) {
		if (strchr("([{", *at))
			depth++;
		else if (strchr(")]}", *at) && --depth == 0)
			return at;
	}
	return NULL;
}

/* The bracket that opens what ends at `close`, not before `begin`; NULL: none. */
static const char *opening(const char *close, const char *begin)
{
	uint32_t depth = 0;

	for (const char *at = close + 1; at-- > begin;) {
		if (strchr(")]}", *at))
			depth++;
		else if (strchr("([{", *at) && --depth == 0)
			return at;
	}
	return NULL;
}

/* After the "<...>" at `at`; `at` itself where there is none. */
static const char *skip_template(const char *at, const char *end)
{
	const char *from = at;
	uint32_t depth = 0;

	for (; at < end && !strchr(";{}", *at); at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>' && depth)
			depth--;
		if (!depth)
			return at == from ? from : at + 1;
	}
	return from;
}

/* The "<" of the "<...>" that ends at `end`, not before `begin`; `end` where there is none. */
static const char *template_begin(const char *begin, const char *end)
{
	uint32_t depth = 0;

	for (const char *at = end; at > begin; at--) {
		if (at[-1] == '>')
			depth++;
		else if (at[-1] == '<' && depth)
			depth--;
		if (!depth)
			return at == end ? end : at - 1;
	}
	return end;
}

/* -- statements and calls -- */

static bool ends_statement(char c)
{
	return c == ';' || c == '{' || c == '}';
}

struct source_range source_statement(const struct source_lines *text, uint32_t line)
{
	struct source_range range = {text->bytes, text->bytes}, own;
	const char *end, *at;

	if (!text->bytes || !line || line > text->count)
		return range;
	end = text->bytes + text->size;
	at = text->bytes + text->begins[line - 1];
	range = (struct source_range){at, at};
	while (range.end < end && *range.end != '\n')
		range.end++;
	own = trim(range);
	if (own.begin == own.end || own.end - own.begin > LOOK)
		return (struct source_range){at, at};
	while (range.begin > text->bytes && at - range.begin < LOOK &&
	       !ends_statement(range.begin[-1]))
		range.begin--;
	if (!ends_statement(own.end[-1]))
		for (at = range.end; range.end < end && range.end - at < LOOK;)
			if (ends_statement(*range.end++))
				break;
	return range;
}

bool source_find_call(struct source_range range, const char *function, struct source_call *call)
{
	bool is_new = !strcmp(function, "new"); /* no bracket needs to follow */
	uint32_t count = 0;

	for (const char *at = range.begin; at < range.end;) {
		const char *end = skip_word(at, range.end), *open;

		if (end == at) {
			at++;
			continue;
		}
		if (is(at, end, function)) {
			open = skip_space(end, range.end);
			open = skip_space(skip_template(open, range.end), range.end);
			if (is_new || (open < range.end && *open == '(')) {
				*call = (struct source_call){at, is_new ? NULL : open, range.end};
				count++;
			}
		}
		at = end;
	}
	return count == 1;
}

/* Cuts the item up to the next comma from *rest; types have commas in "<>". */
static struct source_range next_item(struct source_range *rest, bool types)
{
	struct source_range item = {rest->begin, rest->begin};
	const char *at = rest->begin;

	while (at < rest->end && *at != ',') {
		const char *after = at;

		if (strchr("([{", *at)) {
			after = closing(at, rest->end);
			after = after ? after + 1 : rest->end;
		} else if (*at == '<' &&
			   (types || (at - rest->begin >= 5 && !memcmp(at - 5, "_cast", 5)))) {
			after = skip_template(at, rest->end);
		}
		at = after == at ? at + 1 : after;
	}
	item.end = at < rest->end ? at : rest->end;
	rest->begin = at < rest->end ? at + 1 : rest->end;
	return trim(item);
}

struct source_range source_argument(const struct source_call *call, uint32_t index)
{
	const char *close = call->open ? closing(call->open, call->end) : NULL;
	struct source_range rest = {call->name, call->name}, item = rest;

	if (close)
		rest = (struct source_range){call->open + 1, close};
	for (uint32_t i = 0; i <= index; i++) {
		if (rest.begin == rest.end)
			return rest;
		item = next_item(&rest, false);
	}
	return item;
}

struct source_range source_without_casts(struct source_range range)
{
	for (range = trim(range); range.begin < range.end; range = trim(range)) {
		const char *word = skip_word(range.begin, range.end), *open = range.begin, *close;

		if (word - range.begin > 5 && !memcmp(word - 5, "_cast", 5))
			open = skip_space(skip_template(skip_space(word, range.end), range.end),
					  range.end);
		close = open < range.end && *open == '(' ? closing(open, range.end) : NULL;
		if (close && close + 1 == range.end)
			range = (struct source_range){open + 1, close};
		else if (close && open == range.begin &&
			 trim((struct source_range){open + 1, close}).end[-1] == '*')
			range.begin = close + 1;
		else
			break;
	}
	return range;
}

/* -- names -- */

/* After "[i]" with an index that is a plain sum; NULL: it is not. */
static const char *skip_index(const char *at, const char *end)
{
	const char *close = closing(at, end);

	for (const char *c = at + 1; close && c < close; c++)
		if (!is_word(*c) && !is_space(*c) && !strchr("+-*/%.[]>:", *c))
			return NULL;
	return close ? close + 1 : NULL;
}

/* After ".", "->" or "::"; `at` where there is none. */
static const char *skip_member(const char *at, const char *end)
{
	if (at < end && *at == '.')
		return at + 1;
	if (end - at >= 2 && (!memcmp(at, "->", 2) || !memcmp(at, "::", 2)))
		return at + 2;
	return at;
}

static char *without_spaces(struct source_range range)
{
	char *text = xmalloc((size_t)(range.end - range.begin) + 1), *to = text;

	for (const char *at = range.begin; at < range.end; at++)
		if (!is_space(*at))
			*to++ = *at;
	*to = '\0';
	return text;
}

char *source_variable(struct source_range range)
{
	const char *at, *after;

	range = trim(range);
	if (range.end - range.begin > 6 && !memcmp(range.begin, "this->", 6))
		range.begin += 6;
	if (range.end - range.begin > NAME_LIMIT)
		return NULL;
	for (at = range.begin;;) {
		if (at == range.end || !is_word(*at) || isdigit((unsigned char)*at))
			return NULL;
		at = skip_space(skip_word(at, range.end), range.end);
		while (at < range.end && *at == '[') {
			if (!(at = skip_index(at, range.end)))
				return NULL;
			at = skip_space(at, range.end);
		}
		if (at == range.end)
			return without_spaces(range);
		after = skip_member(at, range.end);
		if (after == at)
			return NULL;
		at = skip_space(after, range.end);
	}
}

static struct source_range back_to_name(struct source_range range)
{
	const char *at = range.end;

	while (at > range.begin) {
		if (at[-1] == ']') {
			const char *open = opening(at - 1, range.begin);

			if (!open)
				break;
			at = open;
		} else if (is_word(at[-1]) || at[-1] == '.' || at[-1] == ':') {
			at--;
		} else if (at - range.begin >= 2 && !memcmp(at - 2, "->", 2)) {
			at -= 2;
		} else {
			break;
		}
	}
	return (struct source_range){at, range.end};
}

/* The range without a cast at its end: "p = (float *)", "p = static_cast<float *>(". */
static struct source_range without_last_cast(struct source_range range)
{
	const char *open;

	range = trim(range);
	if (range.begin == range.end)
		return range;
	if (range.end[-1] == ')') {
		open = opening(range.end - 1, range.begin);
		if (open && trim((struct source_range){open + 1, range.end - 1}).end[-1] == '*')
			range.end = open;
	} else if (range.end[-1] == '(') {
		struct source_range before =
			trim((struct source_range){range.begin, range.end - 1});
		const char *at = template_begin(before.begin, before.end);

		if (at < before.end && at - before.begin > 5 && !memcmp(at - 5, "_cast", 5))
			range.end = back_to_name((struct source_range){before.begin, at}).begin;
	}
	return trim(range);
}

static bool ends_with(struct source_range range, const char *text)
{
	const size_t length = strlen(text);

	return (size_t)(range.end - range.begin) >= length &&
	       !memcmp(range.end - length, text, length);
}

static bool ends_with_word(struct source_range range, const char *word)
{
	const char *begin = range.end;

	while (begin > range.begin && is_word(begin[-1]))
		begin--;
	return is(begin, range.end, word);
}

/* By what stands before the name: "float *p =" declares it, "*p =" stores where it points. */
static enum source_use use_of(struct source_range before)
{
	struct source_range type = trim(before);
	uint32_t stars = 0;
	bool declares;

	for (; ends_with(type, "*"); stars++)
		type = trim((struct source_range){type.begin, type.end - 1});
	if (!stars) /* of "p -> x" the name is a part only */
		return ends_with(type, ".") || ends_with(type, "->") || ends_with(type, "::")
			       ? SOURCE_UNKNOWN
			       : SOURCE_NAMED;
	declares = type.begin < type.end && (is_word(type.end[-1]) || type.end[-1] == '>');
	if (declares && !ends_with_word(type, "else") && !ends_with_word(type, "do"))
		return SOURCE_NAMED;
	/* "float *a, *p =" and "a = 0, *p =" look the same */
	return ends_with(type, ",") || stars > 1 ? SOURCE_UNKNOWN : SOURCE_STORED;
}

enum source_use source_result(struct source_range statement, const struct source_call *call,
			      char **name)
{
	struct source_range left = back_to_name((struct source_range){statement.begin, call->name});
	enum source_use use;

	*name = NULL;
	left = without_last_cast((struct source_range){statement.begin, left.begin});
	if (ends_with_word(left, "return"))
		return SOURCE_RETURNED;
	if (left.end - left.begin < 2 || left.end[-1] != '=' ||
	    strchr("=<>!+-*/%&|^", left.end[-2]))
		return SOURCE_UNKNOWN;
	left.end--;
	left = back_to_name(trim(left));
	use = use_of((struct source_range){statement.begin, left.begin});
	if (use != SOURCE_UNKNOWN)
		*name = source_variable(left);
	return *name ? use : SOURCE_UNKNOWN;
}

/* -- functions -- */

char *source_function_name(const char *demangled)
{
	const char *end = demangled ? strchr(demangled, '(') : NULL, *begin;

	if (!demangled)
		return NULL;
	if (!end)
		end = demangled + strlen(demangled);
	end = template_begin(demangled, end);
	begin = end;
	while (begin > demangled && is_word(begin[-1]))
		begin--;
	return begin < end ? xstrndup(begin, (size_t)(end - begin)) : NULL;
}

/* Whether "name(...) const" stands before the { of a body. */
static bool has_head(const struct source_lines *text, const char *body, const char *name,
		     struct source_function *function)
{
	const char *from = body - text->bytes > LOOK ? body - LOOK : text->bytes, *at = body, *open;
	const char *end;

	while (at > from && (is_space(at[-1]) || is_word(at[-1])))
		at--;
	if (at == from || at[-1] != ')')
		return false;
	open = opening(at - 1, from);
	if (!open)
		return false;
	*function = (struct source_function){{open + 1, at - 1}, body};
	for (end = open; end > from && is_space(end[-1]);)
		end--;
	for (at = end; at > from && is_word(at[-1]);)
		at--;
	return is(at, end, name);
}

bool source_find_function(const struct source_lines *text, const char *at, const char *name,
			  struct source_function *function)
{
	const char *from = at - text->bytes > FUNCTION_LIMIT ? at - FUNCTION_LIMIT : text->bytes;
	uint32_t closed = 0;

	while (at-- > from) {
		if (*at == '}')
			closed++;
		else if (*at == '{' && closed)
			closed--;
		else if (*at == '{' && has_head(text, at, name, function))
			return true;
	}
	return false;
}

int source_parameter(const struct source_function *function, const char *name, bool *reference)
{
	struct source_range rest = function->parameters;

	for (int i = 0; rest.begin < rest.end; i++) {
		struct source_range item = next_item(&rest, true);
		const char *value = memchr(item.begin, '=', (size_t)(item.end - item.begin));
		const char *end, *begin;

		end = value ? value : item.end;
		while (end > item.begin && is_space(end[-1]))
			end--;
		if (end > item.begin && end[-1] == ']')
			end = opening(end - 1, item.begin);
		for (begin = end; begin && begin > item.begin && is_word(begin[-1]);)
			begin--;
		if (!end || !is(begin, end, name))
			continue;
		*reference = memchr(item.begin, '&', (size_t)(begin - item.begin)) != NULL;
		return i;
	}
	return -1;
}

bool source_returns(const struct source_lines *text, const struct source_function *function,
		    const char *from, const char *name)
{
	const char *limit = text->bytes + text->size, *end = closing(function->body, limit);

	for (const char *at = from; end && at < end;) {
		const char *after = skip_word(at, end), *stop = after;

		if (after == at) {
			at++;
			continue;
		}
		if (is(at, after, "return")) {
			while (stop < end && stop - after < LOOK && *stop != ';')
				stop++;
			const struct source_range range = {after, stop};
			char *value = source_variable(source_without_casts(range));
			const bool same = value && !strcmp(value, name);

			free(value);
			if (same)
				return true;
		}
		at = after;
	}
	return false;
}

/* Whether "p =", "p += 1", "p++" or "++p" stands there, which "*p = 0" and "x.p = 0" do not. */
static bool is_changed(struct source_range before, struct source_range after)
{
	before = trim(before);
	after.begin = skip_space(after.begin, after.end); /* its end may be far */
	if (ends_with(before, ".") || ends_with(before, "->") || ends_with(before, "::"))
		return false;
	if (ends_with(before, "++") || ends_with(before, "--"))
		return true;
	if (after.end - after.begin < 2)
		return false;
	if (strchr("+-", *after.begin))
		return after.begin[1] == '=' || after.begin[1] == *after.begin;
	return *after.begin == '=' && after.begin[1] != '=' && !ends_with(before, "*");
}

bool source_changes(const struct source_lines *text, const struct source_function *function,
		    const char *name)
{
	const char *limit = text->bytes + text->size, *end = closing(function->body, limit);

	for (const char *at = function->body; end && at < end;) {
		const char *after = skip_word(at, end);

		if (after > at && is(at, after, name) &&
		    is_changed((struct source_range){function->body, at},
			       (struct source_range){after, end}))
			return true;
		at = after > at ? after : at + 1;
	}
	return false;
}
