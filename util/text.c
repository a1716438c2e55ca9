#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* Decodes one character; returns its length, 0 when the bytes are not valid UTF-8. */
static size_t decode(const unsigned char *bytes, size_t size, uint32_t *character)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = bytes[0] < 0x80             ? 1
			: (bytes[0] & 0xe0) == 0xc0 ? 2
			: (bytes[0] & 0xf0) == 0xe0 ? 3
			: (bytes[0] & 0xf8) == 0xf0 ? 4
						    : 0;
	uint32_t value = bytes[0];

	if (!length || length > size)
		return 0;
	if (length > 1)
		value &= 0x7fu >> length;
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (bytes[i] & 0x3f);
	}
	if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*character = value;
	return length;
}

size_t text_character(const char *bytes, size_t size, uint32_t *character)
{
	return decode((const unsigned char *)bytes, size, character);
}

static bool unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029 || c == 0x200e ||
	       c == 0x200f || c == 0x61c || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || (c >= 0xfdd0 && c <= 0xfdef) ||
	       (c & 0xfffe) == 0xfffe || c == 0xfeff;
}

char *text_clean(const char *bytes, size_t size, size_t limit)
{
	const unsigned char *in = (const unsigned char *)bytes;
	char *text = NULL;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < size;) {
		char piece[12];
		uint32_t character = 0;
		size_t taken = decode(in + i, size - i, &character);
		size_t length;

		if (!taken)
			length = (size_t)snprintf(piece, sizeof(piece), "\\x%02x", in[i]);
		else if (unsafe(character))
			length = (size_t)snprintf(piece, sizeof(piece),
						  character < 0x100 ? "\\x%02x" : "\\u%04x",
						  character);
		else
			memcpy(piece, in + i, length = taken);
		if (limit && count + length + 3 > limit) {
			memcpy(piece, "...", length = 3);
			taken = size - i;
		}
		while (count + length + 1 > capacity) {
			capacity = capacity ? capacity * 2 : size + 16;
			text = xreallocarray(text, capacity, 1);
		}
		memcpy(text + count, piece, length);
		count += length;
		i += taken ? taken : 1;
	}
	if (!text)
		return xstrdup("");
	text[count] = '\0';
	return text;
}

bool text_is_clean(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size;) {
		uint32_t character = 0;
		size_t taken;

		if (bytes[i] >= ' ' && bytes[i] <= '~') { /* most of all text */
			i++;
			continue;
		}
		taken = decode((const unsigned char *)bytes + i, size - i, &character);
		if (!taken || unsafe(character))
			return false;
		i += taken;
	}
	return true;
}

/* "$'a\\x1b[31m.db'": what a terminal must not be sent; bash, zsh and ksh read it. */
static char *shell_escaped(const char *word)
{
	char *text = xmalloc(4 * strlen(word) + sizeof("$''")), *end = stpcpy(text, "$'");

	for (; *word; word++)
		if (*word == '\'' || *word == '\\')
			end += sprintf(end, "\\%c", *word);
		else if ((unsigned char)*word < 0x20 || (unsigned char)*word >= 0x7f)
			end += sprintf(end, "\\x%02x", (unsigned char)*word);
		else
			*end++ = *word;
	strcpy(end, "'");
	return text;
}

char *text_shell(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+./,:=@%^";
	char *text, *end;

	if (*word && !word[strspn(word, plain)])
		return xstrdup(word);
	if (!text_is_clean(word, strlen(word)))
		return shell_escaped(word);
	text = xmalloc(4 * strlen(word) + sizeof("''"));
	end = text;
	*end++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			end = stpcpy(end, "'\\''");
		else
			*end++ = *word;
	}
	strcpy(end, "'");
	return text;
}

char *text_shell_file(const char *path)
{
	char *here = xasprintf("%s%s", *path == '-' ? "./" : "", path);
	char *text = text_shell(here);

	free(here);
	return text;
}

char *text_choice(const char *const *words, size_t count, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 !i              ? ""
					 : i + 1 < count ? ", "
							 : " or ",
					 words[i]);
	return text;
}

char *text_alternatives(const char *const *words, size_t count, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "|" : "", words[i]);
	return text;
}
