/*
 * gpu/ptx/parse.c: the tokens of a module and its directives.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/declare.h"

int ptx_advance(struct ptx_parser *parser)
{
	return ptx_lexer_next(&parser->lexer, &parser->token, parser->error);
}

int ptx_unexpected(struct ptx_parser *parser, const char *what)
{
	const struct ptx_token *token = &parser->token;
	char text[64];
	size_t used = 0;

	if (token->kind == PTX_END)
		return error_set(parser->error, "line %u: the text ends where %s should stand",
				 token->line, what);
	for (; used < token->length && used + 1 < sizeof(text); used++)
		text[used] = token->text[used] >= ' ' && token->text[used] < 127 ? token->text[used]
										 : '?';
	text[used] = 0;
	return error_set(parser->error, "line %u: expected %s, found '%s'", token->line, what,
			 text);
}

int ptx_out_of_memory(struct ptx_parser *parser)
{
	return error_set(parser->error, "no memory for the PTX module");
}

int ptx_expect(struct ptx_parser *parser, const char *mark)
{
	char what[16] = "'?'";

	if (ptx_token_is(&parser->token, mark))
		return ptx_advance(parser);
	what[1] = *mark;
	return ptx_unexpected(parser, what);
}

int ptx_append(struct ptx_parser *parser, const struct ptx_instruction *instruction, uint32_t line)
{
	struct ptx_module *module = parser->module;

	if (module->code_count == PTX_CODE_LIMIT)
		return error_set(parser->error, "line %u: more than %u instructions in one module",
				 line, PTX_CODE_LIMIT);
	if (ptx_grow((void **)&module->code, &module->code_capacity, module->code_count,
		     sizeof(*module->code), parser->error) ||
	    ptx_grow((void **)&module->places, &parser->place_capacity, module->code_count,
		     sizeof(*module->places), parser->error))
		return -1;
	module->code[module->code_count] = *instruction;
	module->places[module->code_count++] =
		(struct ptx_place){line, parser->file, parser->source_line, parser->call};
	return 0;
}

int ptx_add_extra(struct ptx_parser *parser, uint32_t value)
{
	struct ptx_module *module = parser->module;

	if (module->extra_count == UINT32_MAX ||
	    ptx_grow((void **)&module->extras, &module->extra_capacity, module->extra_count,
		     sizeof(*module->extras), parser->error))
		return -1;
	module->extras[module->extra_count++] = value;
	return 0;
}
/* The numbers after inlined_at in the rest of the line: file and line.  False: it is not there. */
static bool find_call(const struct ptx_lexer *lexer, uint64_t numbers[2])
{
	static const char word[] = "inlined_at";
	const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
	const char *end = newline ? newline : lexer->end;
	const char *at = memmem(lexer->at, (size_t)(end - lexer->at), word, sizeof(word) - 1);

	if (!at)
		return false;
	at += sizeof(word) - 1;
	for (int n = 0; n < 2; n++) {
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if (at == end || *at < '0' || *at > '9')
			return false;
		for (numbers[n] = 0; at < end && *at >= '0' && *at <= '9'; at++)
			if (numbers[n] <= UINT32_MAX)
				numbers[n] = numbers[n] * 10 + (uint64_t)(*at - '0');
	}
	return numbers[0] <= UINT16_MAX && numbers[1] <= UINT32_MAX;
}

/*
 * Code that was inlined has a .loc of its own after one for the call, which may be of inlined code,
 * too: the call is the last .loc, or one that this was inlined in.
 */
static int read_call(struct ptx_parser *parser, uint32_t *call)
{
	struct ptx_module *module = parser->module;
	struct ptx_inlined at = {0};
	uint64_t numbers[2];

	*call = 0;
	if (!find_call(&parser->lexer, numbers))
		return 0;
	at.file = parser->first_file + (uint32_t)numbers[0];
	at.line = (uint32_t)numbers[1];
	if (parser->file == at.file && parser->source_line == at.line)
		at.outer = parser->call;
	else
		for (uint32_t known = parser->call; known; known = module->inlined[known - 1].outer)
			if (module->inlined[known - 1].file == at.file &&
			    module->inlined[known - 1].line == at.line) {
				*call = known;
				return 0;
			}
	if (module->inlined_count == PTX_CODE_LIMIT)
		return 0;
	if (ptx_grow((void **)&module->inlined, &parser->inlined_capacity, module->inlined_count,
		     sizeof(*module->inlined), parser->error))
		return -1;
	module->inlined[module->inlined_count++] = at;
	*call = module->inlined_count;
	return 0;
}

/* .loc file line column[, ...] */
int ptx_read_location(struct ptx_parser *parser)
{
	uint64_t numbers[2];

	for (int n = 0; n < 2; n++) {
		if (ptx_advance(parser))
			return -1;
		if (parser->token.kind != PTX_INTEGER)
			return ptx_unexpected(parser, "a number");
		numbers[n] = parser->token.value;
	}
	/* line 0 is code that belongs to no line: the one before it says more */
	if (numbers[1] && numbers[0] <= UINT16_MAX && numbers[1] <= UINT32_MAX) {
		uint32_t call;

		if (read_call(parser, &call))
			return -1;
		parser->file = parser->first_file + (uint32_t)numbers[0];
		parser->source_line = (uint32_t)numbers[1];
		parser->call = call;
	}
	ptx_lexer_skip_line(&parser->lexer);
	return ptx_advance(parser);
}

/* .file number "name"[, time, size] */
static int read_file(struct ptx_parser *parser)
{
	struct ptx_module *module = parser->module;
	uint64_t number;

	if (ptx_advance(parser))
		return -1;
	number = parser->token.value;
	if (parser->token.kind != PTX_INTEGER || number > 65535)
		return ptx_unexpected(parser, "a file number below 65536");
	number += parser->first_file;
	if (ptx_advance(parser))
		return -1;
	if (parser->token.kind != PTX_STRING)
		return ptx_unexpected(parser, "a file name in quotes");
	while (module->file_count <= number) {
		if (ptx_grow((void **)&module->files, &module->file_capacity, module->file_count,
			     sizeof(*module->files), parser->error))
			return -1;
		module->files[module->file_count++] = NULL;
	}
	module->files[number] = ptx_pool_text(module, parser->token.text, parser->token.length);
	if (!module->files[number])
		return ptx_out_of_memory(parser);
	ptx_lexer_skip_line(&parser->lexer);
	return ptx_advance(parser);
}

int ptx_skip_to_semicolon(struct ptx_parser *parser)
{
	while (!ptx_is_mark(parser, ';')) {
		if (parser->token.kind == PTX_END)
			return ptx_unexpected(parser, "';'");
		if (ptx_advance(parser))
			return -1;
	}
	return ptx_advance(parser);
}

/* .section name { ... }: debug information in another form */
static int skip_section(struct ptx_parser *parser)
{
	uint32_t depth = 0;

	do {
		if (parser->token.kind == PTX_END)
			return ptx_unexpected(parser, "'}'");
		depth += ptx_is_mark(parser, '{');
		depth -= depth && ptx_is_mark(parser, '}');
		if (depth || !ptx_is_mark(parser, '}')) {
			if (ptx_advance(parser))
				return -1;
		}
	} while (depth || !ptx_is_mark(parser, '}'));
	return ptx_advance(parser);
}

enum ptx_modifier ptx_space_named(const struct ptx_parser *parser)
{
	static const struct {
		const char *word;
		enum ptx_modifier space;
	} spaces[] = {
		{".global", PTX_MOD_GLOBAL}, {".const", PTX_MOD_CONST}, {".shared", PTX_MOD_SHARED},
		{".local", PTX_MOD_LOCAL},   {".param", PTX_MOD_PARAM},
	};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
		if (ptx_is_word(parser, spaces[i].word))
			return spaces[i].space;
	return PTX_MODIFIER_COUNT;
}

/* Linkage words before a declaration. */
int ptx_read_linkage(struct ptx_parser *parser, bool *external)
{
	*external = parser->shared_name = parser->weak = false;
	while (ptx_is_word(parser, ".visible") || ptx_is_word(parser, ".extern") ||
	       ptx_is_word(parser, ".weak") || ptx_is_word(parser, ".common")) {
		*external |= ptx_is_word(parser, ".extern");
		parser->weak |= ptx_is_word(parser, ".weak") || ptx_is_word(parser, ".common");
		parser->shared_name = true;
		if (ptx_advance(parser))
			return -1;
	}
	return 0;
}

static int read_header(struct ptx_parser *parser)
{
	if (ptx_is_word(parser, ".target"))
		parser->module->target = 0;
	do {
		const char *text;

		if (ptx_advance(parser))
			return -1;
		text = parser->token.text;
		for (size_t n = 3; n < parser->token.length && !memcmp(text, "sm_", 3); n++)
			if (text[n] >= '0' && text[n] <= '9' && parser->module->target < 1000)
				parser->module->target =
					parser->module->target * 10 + (uint32_t)(text[n] - '0');
		if (ptx_advance(parser))
			return -1;
	} while (ptx_is_mark(parser, ','));
	return 0;
}

static int read_directive(struct ptx_parser *parser)
{
	enum ptx_modifier space;
	bool external;

	if (ptx_is_word(parser, ".version") || ptx_is_word(parser, ".target"))
		return read_header(parser);
	if (ptx_is_word(parser, ".address_size")) {
		if (ptx_advance(parser))
			return -1;
		if (parser->token.kind != PTX_INTEGER || parser->token.value != 64)
			return ptx_unexpected(parser,
					      "64 (32-bit PTX cannot be run; build with -m64)");
		return ptx_advance(parser);
	}
	if (ptx_is_word(parser, ".file"))
		return read_file(parser);
	if (ptx_is_word(parser, ".loc"))
		return ptx_read_location(parser);
	if (ptx_is_word(parser, ".section"))
		return skip_section(parser);
	if (ptx_is_word(parser, ".pragma") || ptx_is_word(parser, ".alias"))
		return ptx_skip_to_semicolon(parser);
	if (ptx_read_linkage(parser, &external))
		return -1;
	if (ptx_is_word(parser, ".entry"))
		return ptx_advance(parser) ? -1 : ptx_read_kernel(parser);
	if (ptx_is_word(parser, ".func")) {
		if (ptx_advance(parser))
			return -1;
		/* .func .attribute(.unified(..)), .func .noreturn */
		while (parser->token.kind == PTX_WORD && *parser->token.text == '.')
			if (ptx_advance(parser))
				return -1;
		return ptx_read_function(parser);
	}
	space = ptx_space_named(parser);
	if (space != PTX_MODIFIER_COUNT)
		return ptx_advance(parser) ? -1 : ptx_declare_variables(parser, space, external);
	return ptx_unexpected(parser, "a directive (.version, .entry, .func, .global ...)");
}

static int read_text(struct ptx_parser *parser, const struct ptx_text *text)
{
	if (text->size > PTX_TEXT_LIMIT)
		return error_set(parser->error, "the PTX text is larger than %u MB",
				 PTX_TEXT_LIMIT >> 20);
	ptx_lexer_start(&parser->lexer, text->text, text->size);
	if (ptx_advance(parser))
		return -1;
	while (parser->token.kind != PTX_END)
		if (read_directive(parser))
			return -1;
	return 0;
}

struct ptx_module *ptx_link(const struct ptx_machine *machine, const struct ptx_text *texts,
			    size_t count, struct error *error)
{
	struct ptx_parser *parser = calloc(1, sizeof(*parser));
	struct ptx_module *module = calloc(1, sizeof(*module));
	bool good = parser && module;

	error->text[0] = 0;
	if (!good) {
		error_set(error, "no memory for the PTX module");
		free(parser);
		free(module);
		return NULL;
	}
	parser->machine = machine;
	parser->module = module;
	parser->error = error;
	for (size_t n = 0; good && n < count; n++)
		good = !read_text(parser, &texts[n]) && (count == 1 || !ptx_end_text(parser));
	good = good && !ptx_shared_place(parser);
	ptx_symbols_free(parser);
	ptx_constants_free(parser);
	ptx_opcodes_free(parser);
	ptx_contract_free(parser);
	free(parser);
	if (good)
		return module;
	ptx_free(module);
	return NULL;
}

struct ptx_module *ptx_parse(const struct ptx_machine *machine, const char *text, size_t size,
			     struct error *error)
{
	return ptx_link(machine, &(struct ptx_text){text, size}, 1, error);
}
