/* gpu/ptx/skim.c: see skim.h. */
#include "gpu/ptx/skim.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/lexer.h"

struct reader {
	struct ptx_skim *skim;
	struct ptx_lexer lexer;
	struct ptx_token token; /* the next one */
};

/* Room for one more; false: no memory. */
static bool grow(void **array, size_t *room, size_t count, size_t element)
{
	const size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return true;
	grown = reallocarray(*array, more, element);
	if (!grown)
		return false;
	*array = grown;
	*room = more;
	return true;
}

/* -- names -- */

static uint32_t *slot_of(const struct ptx_skim *skim, const char *text, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint32_t at;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	at = (uint32_t)(hash ^ hash >> 32) & (skim->slot_count - 1);
	for (; skim->slots[at] != PTX_NO_NAME; at = (at + 1) & (skim->slot_count - 1)) {
		const struct ptx_name *name = &skim->names[skim->slots[at]];

		if (name->length == length && !memcmp(name->text, text, length))
			break;
	}
	return &skim->slots[at];
}

/* Half of the slots are free. */
static bool grow_slots(struct ptx_skim *skim)
{
	const uint32_t count = skim->slot_count ? 2 * skim->slot_count : 256;
	uint32_t *slots;

	if (skim->name_count < skim->slot_count / 2)
		return true;
	slots = reallocarray(skim->slots, count, sizeof(*slots));
	if (!slots)
		return false;
	memset(slots, 0xff, count * sizeof(*slots));
	skim->slots = slots;
	skim->slot_count = count;
	for (uint32_t i = 0; i < skim->name_count; i++)
		*slot_of(skim, skim->names[i].text, skim->names[i].length) = i;
	return true;
}

/* PTX_NO_NAME: no memory. */
static uint32_t name_of(struct ptx_skim *skim, const char *text, size_t length)
{
	uint32_t *slot;

	if (!grow_slots(skim) ||
	    !grow((void **)&skim->names, &skim->name_room, skim->name_count, sizeof(*skim->names)))
		return PTX_NO_NAME;
	slot = slot_of(skim, text, length);
	if (*slot == PTX_NO_NAME) {
		skim->names[skim->name_count] = (struct ptx_name){.text = text, .length = length};
		*slot = skim->name_count++;
	}
	return *slot;
}

/* -- statements -- */

static bool advance(struct reader *reader)
{
	struct error ignored;

	return !ptx_lexer_next(&reader->lexer, &reader->token, &ignored) &&
	       reader->token.kind != PTX_END;
}

static bool is_mark(const struct reader *reader, char mark)
{
	return reader->token.kind == PTX_MARK && *reader->token.text == mark;
}

static bool skip_to_semicolon(struct reader *reader)
{
	while (!is_mark(reader, ';'))
		if (!advance(reader))
			return false;
	return advance(reader);
}

static bool skip_line(struct reader *reader)
{
	ptx_lexer_skip_line(&reader->lexer);
	return advance(reader);
}

/* The register of "%tid.x" */
static uint32_t operand_of(struct reader *reader)
{
	const char *dot = memchr(reader->token.text, '.', reader->token.length);

	return name_of(reader->skim, reader->token.text,
		       dot && dot > reader->token.text ? (size_t)(dot - reader->token.text)
						       : reader->token.length);
}

static bool add_use(struct ptx_skim *skim, struct ptx_statement *statement, uint32_t name,
		    enum ptx_role role)
{
	if (name == PTX_NO_NAME ||
	    !grow((void **)&skim->uses, &skim->use_room, skim->use_count, sizeof(*skim->uses)))
		return false;
	skim->uses[skim->use_count++] = (struct ptx_use){name, role};
	statement->use_count++;
	return true;
}

/* Up to and with the semicolon. */
static bool read_operands(struct reader *reader, struct ptx_statement *statement)
{
	struct ptx_skim *skim = reader->skim;
	const char *opening = NULL;
	uint32_t brackets = 0, braces = 0;
	bool first = !is_mark(reader, '[');

	for (; !is_mark(reader, ';'); first &= brackets || braces || !is_mark(reader, ',')) {
		if (is_mark(reader, '[')) {
			if (!brackets++)
				opening = reader->token.text + 1;
		} else if (is_mark(reader, ']')) {
			if (!brackets || --brackets)
				return false;
			if (statement->memory == PTX_NO_NAME)
				statement->memory = name_of(skim, opening,
							    (size_t)(reader->token.text - opening));
			if (statement->memory == PTX_NO_NAME)
				return false;
		} else if (is_mark(reader, '{')) {
			braces++;
		} else if (is_mark(reader, '}')) {
			if (!braces--)
				return false;
		} else if (reader->token.kind == PTX_WORD &&
			   !add_use(skim, statement, operand_of(reader),
				    brackets ? PTX_INSIDE
				    : first  ? PTX_MADE
				    : braces ? PTX_GROUPED
					     : PTX_USED)) {
			return false;
		}
		if (!advance(reader))
			return false;
	}
	return advance(reader);
}

/* "@!%p1 opcode operands;" */
static bool read_statement(struct reader *reader)
{
	struct ptx_skim *skim = reader->skim;
	struct ptx_statement statement = {
		.guard = PTX_NO_NAME, .memory = PTX_NO_NAME, .first_use = skim->use_count};

	if (is_mark(reader, '@')) {
		if (!advance(reader) || (is_mark(reader, '!') && !advance(reader)))
			return false;
		statement.guard = operand_of(reader);
		if (statement.guard == PTX_NO_NAME || !advance(reader))
			return false;
	}
	if (reader->token.kind != PTX_WORD)
		return false;
	statement.opcode = reader->token.text;
	statement.length = reader->token.length;
	if (!advance(reader) || !read_operands(reader, &statement) ||
	    !grow((void **)&skim->statements, &skim->statement_room, skim->statement_count,
		  sizeof(*skim->statements)))
		return false;
	skim->statements[skim->statement_count++] = statement;
	return true;
}

/* "name:", perhaps with a list of targets or a prototype behind it */
static bool read_label(struct reader *reader)
{
	struct ptx_skim *skim = reader->skim;
	const uint32_t name = name_of(skim, reader->token.text, reader->token.length);

	if (name == PTX_NO_NAME || !advance(reader) || !advance(reader))
		return false;
	skim->has_twins |= skim->names[name].label != 0;
	skim->names[name].label = skim->statement_count + 1;
	return reader->token.kind != PTX_WORD || *reader->token.text != '.' ||
	       !(ptx_token_is(&reader->token, ".branchtargets") ||
		 ptx_token_is(&reader->token, ".callprototype") ||
		 ptx_token_is(&reader->token, ".calltargets")) ||
	       skip_to_semicolon(reader);
}

static bool is_label(const struct reader *reader)
{
	struct ptx_lexer ahead = reader->lexer;
	struct ptx_token token;
	struct error ignored;

	return !memchr(reader->token.text, '.', reader->token.length) &&
	       !ptx_lexer_next(&ahead, &token, &ignored) && ptx_token_is(&token, ":");
}

bool ptx_skim(struct ptx_skim *skim, const char *body, size_t size)
{
	struct reader reader = {.skim = skim};
	uint32_t depth = 0;

	*skim = (struct ptx_skim){0};
	ptx_lexer_start(&reader.lexer, body, size);
	if (!advance(&reader) || !is_mark(&reader, '{'))
		return false;
	for (;;) {
		bool done;

		if (is_mark(&reader, '}') && depth == 1)
			return true;
		if (is_mark(&reader, '{') || is_mark(&reader, '}')) {
			depth += is_mark(&reader, '{') ? 1 : -1;
			done = advance(&reader);
		} else if (ptx_token_is(&reader.token, ".loc") ||
			   ptx_token_is(&reader.token, ".file")) {
			done = skip_line(&reader);
		} else if (reader.token.kind == PTX_WORD && *reader.token.text == '.') {
			done = skip_to_semicolon(&reader);
		} else if (reader.token.kind == PTX_WORD && is_label(&reader)) {
			done = read_label(&reader);
		} else {
			done = read_statement(&reader);
		}
		if (!done)
			return false;
	}
}

void ptx_skim_release(struct ptx_skim *skim)
{
	free(skim->names);
	free(skim->uses);
	free(skim->statements);
	free(skim->slots);
}

bool ptx_is_opcode(const struct ptx_statement *statement, const char *word)
{
	const size_t length = strlen(word);

	return statement->length >= length && !memcmp(statement->opcode, word, length) &&
	       (statement->length == length || statement->opcode[length] == '.');
}

const char *ptx_opcode_word(const struct ptx_statement *statement, const char *word)
{
	return memmem(statement->opcode, statement->length, word, strlen(word));
}
