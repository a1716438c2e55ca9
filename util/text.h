/*
 * util/text.h: text from the profiled program made safe to show.
 *
 * Kernel names, paths and symbols are hostile.  text_clean() runs once, at ingest (after
 * demangling); everything after may rely on valid UTF-8 without control characters.
 */
#ifndef VFLOW_UTIL_TEXT_H
#define VFLOW_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Valid UTF-8 with visible escapes: control characters (C0 with TAB and newline, DEL, C1),
 * U+2028, U+2029, bidirectional controls and noncharacters become "\x1b" or "\u202e", bytes that
 * are not UTF-8 become "\xff".  An ordinary backslash stays.  At most `limit` bytes of result (0 =
 * no limit), then "...". The caller frees the result.
 */
char *text_clean(const char *bytes, size_t size, size_t limit);

/* Whether text_clean() would leave the text as it is. */
bool text_is_clean(const char *bytes, size_t size);

/* How long the character there is, at most `size` bytes; 0: they are not UTF-8. */
size_t text_character(const char *bytes, size_t size, uint32_t *character);

/* One of the two words: text_plural(n, "vertex", "vertices"), text_plural(n, "", "s"). */
static inline const char *text_plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

/* "a, b or c", as much as fits; returns `text`. */
char *text_choice(const char *const *words, size_t count, char *text, size_t size);

/* "a|b|c", for the argument of an option (util/options.h); as much as fits; returns `text`. */
char *text_alternatives(const char *const *words, size_t count, char *text, size_t size);

/* The word as one types it into a shell: quoted where it must be.  Caller frees. */
char *text_shell(const char *word);
/* The same for a file, which must not look like an option: ./-x.db */
char *text_shell_file(const char *path);

#endif
