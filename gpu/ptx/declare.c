/*
 * gpu/ptx/declare.c: declarations of registers, variables and parameters, and where they lie.
 */
#include "gpu/ptx/declare.h"

#include <string.h>

static int align_up(struct ptx_parser *parser, uint32_t *cursor, uint64_t size, uint64_t alignment,
		    uint32_t limit, const char *what, uint32_t *offset)
{
	uint64_t start = (*cursor + alignment - 1) / alignment * alignment;

	if (size > limit || start + size > limit)
		return error_set(parser->error, "line %u: more than %u bytes of %s",
				 parser->token.line, limit, what);
	*offset = (uint32_t)start;
	*cursor = (uint32_t)(start + size);
	return 0;
}

/* ".attribute(.managed)" and the like, after the word */
static int skip_parentheses(struct ptx_parser *parser)
{
	if (!ptx_is_mark(parser, '('))
		return 0;
	while (!ptx_is_mark(parser, ')')) {
		if (parser->token.kind == PTX_END)
			return ptx_unexpected(parser, "')'");
		if (ptx_advance(parser))
			return -1;
	}
	return ptx_advance(parser);
}

static int read_alignment(struct ptx_parser *parser, uint64_t *alignment)
{
	uint64_t value = parser->token.value;

	if (parser->token.kind != PTX_INTEGER || !value || value & (value - 1) || value > 4096)
		return ptx_unexpected(parser, "an alignment (a power of two up to 4096)");
	*alignment = value;
	return ptx_advance(parser);
}

int ptx_read_type(struct ptx_parser *parser, struct ptx_declarator *declarator)
{
	uint64_t pointee, elements = 1;
	bool pointer = false;

	*declarator = (struct ptx_declarator){.type = PTX_NO_TYPE};
	while (parser->token.kind == PTX_WORD && *parser->token.text == '.') {
		const struct ptx_token *token = &parser->token;
		enum ptx_type type = ptx_type_named(token->text + 1, token->length - 1);

		if (type != PTX_NO_TYPE)
			declarator->type = type;
		else if (ptx_is_word(parser, ".texref") || ptx_is_word(parser, ".surfref") ||
			 ptx_is_word(parser, ".samplerref"))
			declarator->type = PTX_U64;
		else if (ptx_is_word(parser, ".v2"))
			elements = 2;
		else if (ptx_is_word(parser, ".v4"))
			elements = 4;
		if (ptx_is_word(parser, ".ptr"))
			pointer = true;
		if (ptx_is_word(parser, ".align")) {
			if (ptx_advance(parser) ||
			    read_alignment(parser, pointer ? &pointee : &declarator->alignment))
				return -1;
		} else if (ptx_is_word(parser, ".attribute")) {
			if (ptx_advance(parser) || skip_parentheses(parser))
				return -1;
		} else if (ptx_advance(parser)) {
			return -1;
		}
	}
	if (declarator->type == PTX_NO_TYPE)
		return ptx_unexpected(parser, "a type");
	declarator->element_size = ptx_type_size(declarator->type) * elements;
	if (!declarator->alignment)
		declarator->alignment = declarator->element_size ? declarator->element_size : 1;
	return 0;
}

int ptx_read_name(struct ptx_parser *parser, struct ptx_declarator *declarator)
{
	if (parser->token.kind != PTX_WORD)
		return ptx_unexpected(parser, "a name");
	declarator->name = parser->token;
	declarator->size = declarator->element_size;
	declarator->dimension_count = 0;
	declarator->unsized = false;
	if (ptx_advance(parser))
		return -1;
	while (ptx_is_mark(parser, '[')) {
		uint64_t count = 0;

		if (declarator->dimension_count == PTX_DIMENSIONS)
			return ptx_unexpected(parser, "fewer dimensions");
		if (ptx_advance(parser))
			return -1;
		if (parser->token.kind == PTX_INTEGER) {
			count = parser->token.value;
			if (ptx_advance(parser))
				return -1;
		} else if (!declarator->dimension_count) {
			declarator->unsized = true;
		}
		if (ptx_expect(parser, "]"))
			return -1;
		declarator->dimensions[declarator->dimension_count++] = count;
		if (__builtin_mul_overflow(declarator->size, count ? count : 1,
					   &declarator->size) ||
		    declarator->size > PTX_VARIABLE_LIMIT)
			return error_set(parser->error, "line %u: '%.*s' is too large",
					 declarator->name.line,
					 (int)(declarator->name.length > 200
						       ? 200
						       : declarator->name.length),
					 declarator->name.text);
		if (!count && !declarator->unsized)
			declarator->size = 0;
	}
	return 0;
}

int ptx_add_register(struct ptx_parser *parser, const struct ptx_declarator *declarator,
		     uint64_t count)
{
	struct ptx_scope *scope = &parser->scopes[parser->depth];
	bool is_predicate = declarator->type == PTX_PRED;
	uint32_t *next = is_predicate ? &scope->next_predicate : &scope->next_register;
	uint32_t *most =
		is_predicate ? &parser->function->predicates : &parser->function->registers;
	struct ptx_meaning meaning = {
		.kind = is_predicate ? PTX_SYMBOL_PREDICATE : PTX_SYMBOL_REGISTER,
		.type = declarator->type,
		.base = *next,
		.count = (uint32_t)count,
	};
	uint64_t wanted = count ? count : 1;

	if (wanted <= PTX_REGISTER_LIMIT)
		wanted *= ptx_type_rows(declarator->type);
	if (wanted > PTX_REGISTER_LIMIT || *next + wanted > PTX_REGISTER_LIMIT)
		return error_set(parser->error, "line %u: more than %u registers in one function",
				 parser->token.line, PTX_REGISTER_LIMIT);
	*next += (uint32_t)wanted;
	if (*next > *most)
		*most = *next;
	return ptx_define(parser, &declarator->name, &meaning);
}

int ptx_declare_registers(struct ptx_parser *parser)
{
	struct ptx_declarator declarator;

	if (ptx_read_type(parser, &declarator))
		return -1;
	for (;;) {
		uint64_t count = 0;

		if (ptx_read_name(parser, &declarator))
			return -1;
		if (ptx_is_mark(parser, '<')) {
			if (ptx_advance(parser))
				return -1;
			count = parser->token.value;
			if (parser->token.kind != PTX_INTEGER || !count)
				return ptx_unexpected(parser, "a number of registers");
			if (ptx_advance(parser) || ptx_expect(parser, ">"))
				return -1;
		}
		if (ptx_add_register(parser, &declarator, count))
			return -1;
		if (!ptx_is_mark(parser, ','))
			return ptx_expect(parser, ";");
		if (ptx_advance(parser))
			return -1;
	}
}

/* A new variable of the module, or the one that was declared .extern before. */
static struct ptx_variable *variable_named(struct ptx_parser *parser,
					   const struct ptx_declarator *declarator, bool external)
{
	struct ptx_module *module = parser->module;
	struct ptx_meaning meaning;
	struct ptx_variable *variable;

	if (ptx_lookup(parser, &declarator->name, &meaning) &&
	    meaning.kind == PTX_SYMBOL_VARIABLE &&
	    (external || parser->weak || module->variables[meaning.base]->external))
		return module->variables[meaning.base];
	variable = ptx_pool(module, sizeof(*variable));
	if (variable)
		variable->name =
			ptx_pool_text(module, declarator->name.text, declarator->name.length);
	if (!variable || !variable->name) {
		ptx_out_of_memory(parser);
		return NULL;
	}
	variable->external = true;
	meaning = (struct ptx_meaning){.kind = PTX_SYMBOL_VARIABLE,
				       .type = declarator->type,
				       .base = module->variable_count};
	if (ptx_grow((void **)&module->variables, &module->variable_capacity,
		     module->variable_count, sizeof(*module->variables), parser->error))
		return NULL;
	module->variables[module->variable_count++] = variable;
	return ptx_define(parser, &declarator->name, &meaning) ? NULL : variable;
}

static int add_variable(struct ptx_parser *parser, struct ptx_declarator *declarator, bool constant,
			bool external)
{
	struct ptx_variable *variable = variable_named(parser, declarator, external);
	struct ptx_variable again = {.external = true};

	if (!variable)
		return -1;
	if (!variable->external && parser->weak && !external)
		again.name = variable->name, variable = &again; /* the first definition is used */
	if (variable->external) {
		variable->size = declarator->unsized ? 0 : declarator->size;
		variable->alignment = declarator->alignment;
		variable->constant = constant;
		variable->external = external;
	}
	if (!ptx_is_mark(parser, '='))
		return 0;
	if (external)
		return ptx_unexpected(parser, "no initial value of an .extern variable");
	return ptx_advance(parser) || ptx_read_initial(parser, declarator, variable) ? -1 : 0;
}

static int add_shared(struct ptx_parser *parser, const struct ptx_declarator *declarator,
		      bool external)
{
	struct ptx_module *module = parser->module;
	struct ptx_kernel *kernel = parser->kernel;
	struct ptx_meaning meaning = {.kind = kernel ? PTX_SYMBOL_SHARED : PTX_SYMBOL_MODULE_SHARED,
				      .size = declarator->size};
	uint32_t cursor = kernel ? (uint32_t)kernel->shared_bytes : 0;

	if (external || declarator->unsized) {
		meaning.kind = PTX_SYMBOL_DYNAMIC_SHARED;
		if (declarator->alignment > module->dynamic_alignment)
			module->dynamic_alignment = (uint32_t)declarator->alignment;
		return ptx_define(parser, &declarator->name, &meaning);
	}
	if (!kernel) {
		struct ptx_meaning first;

		if (parser->weak && ptx_lookup(parser, &declarator->name, &first) &&
		    first.kind == PTX_SYMBOL_MODULE_SHARED)
			return 0;
		if (ptx_shared_declare(parser, declarator->size, declarator->alignment,
				       &meaning.base))
			return -1;
		return ptx_define(parser, &declarator->name, &meaning);
	}
	if (align_up(parser, &cursor, declarator->size, declarator->alignment, PTX_SHARED_LIMIT,
		     "shared memory", &meaning.base))
		return -1;
	kernel->shared_bytes = cursor;
	return ptx_define(parser, &declarator->name, &meaning);
}

int ptx_frame_slot(struct ptx_parser *parser, uint32_t *offset)
{
	struct ptx_scope *scope = &parser->scopes[parser->depth];

	if (align_up(parser, &scope->frame_bytes, 8, 8, PTX_FRAME_LIMIT, "local memory", offset))
		return -1;
	if (scope->frame_bytes > parser->function->frame_bytes)
		parser->function->frame_bytes = scope->frame_bytes;
	return 0;
}

/* .local, and .param variables of calls: both in the function's frame */
static int add_frame(struct ptx_parser *parser, const struct ptx_declarator *declarator)
{
	struct ptx_scope *scope = &parser->scopes[parser->depth];
	struct ptx_meaning meaning = {
		.kind = PTX_SYMBOL_FRAME, .type = declarator->type, .size = declarator->size};

	if (align_up(parser, &scope->frame_bytes, declarator->size, declarator->alignment,
		     PTX_FRAME_LIMIT, "local memory", &meaning.base))
		return -1;
	if (scope->frame_bytes > parser->function->frame_bytes)
		parser->function->frame_bytes = scope->frame_bytes;
	return ptx_define(parser, &declarator->name, &meaning);
}

int ptx_declare_variables(struct ptx_parser *parser, enum ptx_modifier space, bool external)
{
	struct ptx_declarator declarator;

	if (ptx_read_type(parser, &declarator))
		return -1;
	for (;;) {
		int result;

		if (ptx_read_name(parser, &declarator))
			return -1;
		if (space == PTX_MOD_SHARED)
			result = add_shared(parser, &declarator, external);
		else if (space == PTX_MOD_LOCAL || space == PTX_MOD_PARAM)
			result = parser->function ? add_frame(parser, &declarator)
						  : ptx_unexpected(parser, "a function around it");
		else
			result =
				add_variable(parser, &declarator, space == PTX_MOD_CONST, external);
		if (result)
			return -1;
		if (space == PTX_MOD_LOCAL && parser->kernel)
			parser->kernel->local_bytes += declarator.size;
		if (!ptx_is_mark(parser, ','))
			return ptx_expect(parser, ";");
		if (ptx_advance(parser))
			return -1;
	}
}
