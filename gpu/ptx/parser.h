/*
 * gpu/ptx/parser.h: what the files of the parser share.
 *
 * parse.c reads the directives of a module and owns the loop, function.c those of kernels and
 * functions; symbols.c keeps names and scopes; decode.c turns one statement into one instruction;
 * pool.c holds the module's memory.
 */
#ifndef VFLOW_GPU_PTX_PARSER_H
#define VFLOW_GPU_PTX_PARSER_H

#include "gpu/ptx/instruction.h"
#include "gpu/ptx/lexer.h"

#define PTX_TEXT_LIMIT (256u << 20)
#define PTX_NESTING_LIMIT 64u
#define PTX_CODE_LIMIT (1u << 23)
#define PTX_REGISTER_LIMIT (1u << 18) /* of one function */
#define PTX_CONSTANT_LIMIT (1u << 18) /* different constants of a module */
#define PTX_FRAME_LIMIT (512u << 10)  /* local memory of a thread, as the hardware has it */
#define PTX_SHARED_LIMIT (256u << 10)
#define PTX_SHARED_VARIABLES (1u << 20)
#define PTX_PARAMETER_LIMIT 32764u
#define PTX_INITIAL_LIMIT (256u << 20) /* bytes of an initialised variable */
#define PTX_VARIABLE_LIMIT (1ull << 40)
#define PTX_OPERANDS 8u
#define PTX_REGISTER_PARAMETERS 32u

enum ptx_symbol_kind {
	PTX_SYMBOL_REGISTER, /* base: row; count > 0: a family %r<count> */
	PTX_SYMBOL_PREDICATE,
	PTX_SYMBOL_VARIABLE,      /* base: index of the module's variable */
	PTX_SYMBOL_SHARED,        /* base: offset in the kernel's own */
	PTX_SYMBOL_MODULE_SHARED, /* base: index of the module's */
	PTX_SYMBOL_DYNAMIC_SHARED,
	PTX_SYMBOL_FRAME,     /* base: offset in the function's frame */
	PTX_SYMBOL_PARAMETER, /* base: offset in the kernel's parameter block */
	PTX_SYMBOL_FUNCTION,  /* base: index */
	PTX_SYMBOL_KERNEL,
	PTX_SYMBOL_LABEL,   /* base: instruction */
	PTX_SYMBOL_TARGETS, /* base: index in extras: count, then instructions */
	PTX_SYMBOL_PROTOTYPE,
};

struct ptx_symbol; /* with its hash links, in symbols.c */

/* What a name stands for. */
struct ptx_meaning {
	enum ptx_symbol_kind kind;
	enum ptx_type type;
	uint32_t base, count;
	uint64_t size;
};

/* A name used before its label: patched when the scope that has the label ends. */
struct ptx_fixup {
	const char *name;
	size_t length;
	uint32_t line;
	uint32_t instruction; /* UINT32_MAX: extras[extra] is patched */
	uint32_t extra;
};

struct ptx_scope {
	struct ptx_symbol *symbols;
	uint32_t next_register, next_predicate, frame_bytes;
	size_t first_fixup;
};

struct ptx_write { /* by instruction */
	uint32_t row, at;
};

struct ptx_sum {             /* mul, add and sub of f32 and f64 without a rounding, in order */
	uint32_t at;         /* instruction */
	char kind;           /* '*', '+', '-' */
	uint32_t uses, sums; /* of a product: all, and those that can be part of an fma */
};

/* What contract.c notes of the function that is read; see there. */
struct ptx_contract {
	uint32_t *reads; /* registers, once for each time that one is read */
	uint32_t read_count;
	struct ptx_write *writes;
	uint32_t write_count;
	uint32_t *labels, *branches, *starts; /* instructions: at labels, bra, of basic blocks */
	uint32_t label_count, branch_count, start_count;
	bool tables; /* there is a brx */
	struct ptx_sum *sums;
	uint32_t sum_count;
	size_t read_capacity, write_capacity, label_capacity, branch_capacity, start_capacity,
		sum_capacity;
};

struct ptx_parser {
	struct ptx_lexer lexer;
	struct ptx_token token; /* the next one */
	const struct ptx_machine *machine;
	struct ptx_module *module;
	struct error *error;

	struct ptx_symbol *symbols;
	struct ptx_scope scopes[PTX_NESTING_LIMIT];
	uint32_t depth;
	struct ptx_fixup *fixups;
	size_t fixup_count, fixup_capacity;

	struct ptx_known_opcode *known;       /* opcodes by their text */
	struct ptx_known_constant *constants; /* rows by value */
	uint32_t known_count;

	struct ptx_function *function; /* whose body is read, or NULL */
	struct ptx_kernel *kernel;     /* if it is a kernel */
	/* its .reg parameters: they travel through slots of the frame, see call_register.c */
	struct ptx_register_parameter {
		struct ptx_token name;
		enum ptx_type type;
		uint32_t offset, operand;
		bool is_result;
	} by_register[PTX_REGISTER_PARAMETERS];
	uint32_t by_register_count;
	struct ptx_instruction after; /* of the call that is read; no executor: nothing */
	uint32_t file, source_line;   /* of the last .loc */
	uint32_t call;                /* as of a place */
	uint32_t first_file;          /* of this PTX source: its .file numbers are relative to it */
	uint32_t text_number, first_variable, first_function;
	struct ptx_contract contract;
	bool shared_name, weak; /* what the linkage words before this declaration say */
	size_t place_capacity, inlined_capacity;
};

/* pool.c: zeroed memory that lives as long as the module.  NULL: no memory. */
void *ptx_pool(struct ptx_module *module, size_t size);
const char *ptx_pool_text(struct ptx_module *module, const char *text, size_t length);
/* Makes room for one more element.  0, or -1 (error set). */
int ptx_grow(void **array, size_t *capacity, size_t count, size_t element, struct error *error);

/* symbols.c: all return 0, or -1 with parser->error set. */
int ptx_scope_open(struct ptx_parser *parser);
int ptx_scope_close(struct ptx_parser *parser); /* resolves the scope's labels */
void ptx_symbols_free(struct ptx_parser *parser);
/* Forgets the names that are local to this PTX source, after calling `each` for them. */
int ptx_symbols_end_text(struct ptx_parser *parser,
			 int (*each)(struct ptx_parser *, const struct ptx_meaning *));
int ptx_define(struct ptx_parser *parser, const struct ptx_token *name,
	       const struct ptx_meaning *meaning);
/* Also finds %r12 in the family %r<N>.  False: not known. */
bool ptx_lookup(struct ptx_parser *parser, const struct ptx_token *name,
		struct ptx_meaning *meaning);
int ptx_refer(struct ptx_parser *parser, const struct ptx_token *label, uint32_t instruction,
	      uint32_t extra);

/* constants.c: the operand (bank and row) of a value, and of an address known at the launch */
int ptx_constant(struct ptx_parser *parser, uint64_t value, uint32_t *operand);
int ptx_constant_address(struct ptx_parser *parser, uint32_t variable, int64_t addend,
			 uint32_t *operand);
void ptx_constants_free(struct ptx_parser *parser);

/* contract.c: all return 0, or -1 with parser->error set. */
void ptx_contract_start(struct ptx_parser *parser);
void ptx_contract_free(struct ptx_parser *parser);
int ptx_note_read(struct ptx_parser *parser, uint32_t row);
int ptx_note_write(struct ptx_parser *parser, uint32_t row);
int ptx_note_label(struct ptx_parser *parser);
/* Notes the instruction that was appended last. */
int ptx_note_instruction(struct ptx_parser *parser, const struct ptx_opcode *row);
/* Makes fmas of the products and sums of a function whose labels are resolved. */
int ptx_contract(struct ptx_parser *parser, const struct ptx_function *function);

/* opcode.c: what the text of an opcode says; `row` NULL: no row of the table has it. */
struct ptx_decoded {
	const struct ptx_opcode *row;
	struct ptx_instruction fields; /* type, modifiers; no operands */
	bool observes_order;           /* see ptx_observes_order() */
};
int ptx_opcode_find(struct ptx_parser *parser, const struct ptx_token *name,
		    struct ptx_decoded *decoded);
void ptx_opcodes_free(struct ptx_parser *parser);
enum ptx_type ptx_type_named(const char *text, size_t length); /* "f32" */

/* decode.c: reads one instruction, from its guard through its semicolon. */
int ptx_decode(struct ptx_parser *parser);
/* Appends an instruction; its place is the line given and the last .loc. */
int ptx_append(struct ptx_parser *parser, const struct ptx_instruction *instruction, uint32_t line);
/* decode_call.c: the operands of a call, after the opcode; sets *understood. */
int ptx_decode_call(struct ptx_parser *parser, struct ptx_instruction *i, bool *understood);
/* declare.c: eight bytes of the function's frame. */
int ptx_frame_slot(struct ptx_parser *parser, uint32_t *offset);
/*
 * call_register.c: parameters, arguments and results in registers.  An argument that is a register
 * or a number goes to a slot of the caller's frame before the call; the result comes from one
 * after it.  *understood: it is one of these.
 */
int ptx_register_argument(struct ptx_parser *parser, uint32_t guard, struct ptx_parameter *argument,
			  bool *understood);
int ptx_register_result(struct ptx_parser *parser, uint32_t guard, struct ptx_parameter *result,
			bool *understood);
/* At the begin of a function, and before each of its returns. */
int ptx_load_parameters(struct ptx_parser *parser);
int ptx_store_result(struct ptx_parser *parser, uint32_t guard, uint32_t line);
int ptx_add_extra(struct ptx_parser *parser, uint32_t value);
/* function.c: the function of that name, made if it is new. */
int ptx_function_index(struct ptx_parser *parser, const struct ptx_token *name, uint32_t *index);

/* shared.c: shared variables that no kernel declares.  0, or -1 with parser->error set. */
int ptx_shared_declare(struct ptx_parser *parser, uint64_t size, uint64_t alignment,
		       uint32_t *index);
int ptx_shared_use(struct ptx_parser *parser, uint32_t index);
int ptx_shared_place(struct ptx_parser *parser); /* once all code is read */

/* link.c: prepares for the next PTX source.  Returns 0 or -1. */
int ptx_end_text(struct ptx_parser *parser);
/* From '{' to behind its '}'. */
int ptx_skip_block(struct ptx_parser *parser);

/* module.c: the number by which code knows a kernel.  0, or -1 */
int ptx_kernel_number(struct ptx_parser *parser, const struct ptx_token *name, uint32_t *number);

/* parse.c: tokens */
int ptx_advance(struct ptx_parser *parser);
int ptx_expect(struct ptx_parser *parser, const char *mark);
/* Error: "line 12: expected WHAT, found 'token'".  Always -1. */
int ptx_unexpected(struct ptx_parser *parser, const char *what);
int ptx_out_of_memory(struct ptx_parser *parser);

static inline bool ptx_is_mark(const struct ptx_parser *parser, char mark)
{
	return parser->token.kind == PTX_MARK && *parser->token.text == mark;
}

static inline bool ptx_is_word(const struct ptx_parser *parser, const char *word)
{
	return ptx_token_is(&parser->token, word);
}

#endif
