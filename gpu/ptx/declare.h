/*
 * gpu/ptx/declare.h: declarations of PTX: registers, variables, parameters, initialisers.
 */
#ifndef VFLOW_GPU_PTX_DECLARE_H
#define VFLOW_GPU_PTX_DECLARE_H

#include "gpu/ptx/parser.h"

#define PTX_DIMENSIONS 8u

/* ".align 8 .b8 name[24]" */
struct ptx_declarator {
	struct ptx_token name;
	enum ptx_type type;
	uint64_t alignment;
	uint64_t size;         /* bytes; 0: an array without a size */
	uint64_t element_size; /* bytes */
	uint64_t dimensions[PTX_DIMENSIONS];
	unsigned dimension_count;
	bool unsized;
};

/* Reads attributes and type, up to the name.  All return 0, or -1 with the parser's error set. */
int ptx_read_type(struct ptx_parser *parser, struct ptx_declarator *declarator);
/* Reads the name and the dimensions. */
int ptx_read_name(struct ptx_parser *parser, struct ptx_declarator *declarator);

/* .reg, after the word. */
/* A register of that name, or with `count` a family of them. */
int ptx_add_register(struct ptx_parser *parser, const struct ptx_declarator *declarator,
		     uint64_t count);
int ptx_declare_registers(struct ptx_parser *parser);
/* .global .const .shared .local .param, after the word `space`; inside or outside functions. */
int ptx_declare_variables(struct ptx_parser *parser, enum ptx_modifier space, bool external);

/* initial.c: "= {1, 2}", after the '='.  Fills variable->initial, relocations and, if unsized,
 * size. */
int ptx_read_initial(struct ptx_parser *parser, struct ptx_declarator *declarator,
		     struct ptx_variable *variable);

/* function.c: after ".entry" and ".func". */
int ptx_read_kernel(struct ptx_parser *parser);
int ptx_read_function(struct ptx_parser *parser);

/* parse.c: what stands in modules and in functions alike. */
int ptx_read_linkage(struct ptx_parser *parser, bool *external); /* .visible .extern ... */
int ptx_read_location(struct ptx_parser *parser);                /* .loc */
int ptx_skip_to_semicolon(struct ptx_parser *parser);
/* The space that ".global" and the like name; PTX_MODIFIER_COUNT: none. */
enum ptx_modifier ptx_space_named(const struct ptx_parser *parser);

#endif
