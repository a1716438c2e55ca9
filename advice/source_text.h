/*
 * advice/source_text.h: C, C++ and CUDA source read as text: statements, calls, arguments.
 *
 * Nothing is compiled and no macro expanded.  All that a function returns points into the text that
 * it was given, but for names, which the caller frees.  Files may be anything: every look around is
 * bounded.  The text is source_files_read_code()'s.
 */
#ifndef VFLOW_ADVICE_SOURCE_TEXT_H
#define VFLOW_ADVICE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advice/source_files.h"

struct source_range {
	const char *begin, *end;
};

struct source_call {
	const char *name;       /* the identifier */
	const char *open, *end; /* its bracket; where the statement ends */
};

struct source_function {
	struct source_range parameters; /* between the brackets */
	const char *body;               /* its { */
};

/* The statements that the line, counted from 1, has a part of; empty: no such line. */
struct source_range source_statement(const struct source_lines *text, uint32_t line);

/* The only call of the function in the range; false: there is none, or there are several. */
bool source_find_call(struct source_range range, const char *function, struct source_call *call);

/* Empty: the call has fewer arguments. */
struct source_range source_argument(const struct source_call *call, uint32_t index);

/* "&x" of "(void **)(&x)" and of "reinterpret_cast<void **>(&x)". */
struct source_range source_without_casts(struct source_range range);

/* "d.mass", "p->x[i]", "Pool::base", without "this->"; NULL: the range is no such thing. */
char *source_variable(struct source_range range);

enum source_use {
	SOURCE_UNKNOWN,  /* it goes nowhere that has a name */
	SOURCE_RETURNED, /* by the statement */
	SOURCE_NAMED,    /* "p" of `float *p = (float *)f(n)` */
	SOURCE_STORED,   /* where the name points: "p" of `*p = f(n)` */
};

/* What becomes of the call's result; *name: of SOURCE_NAMED and SOURCE_STORED, else NULL. */
enum source_use source_result(struct source_range statement, const struct source_call *call,
			      char **name);

/* "alloc" of "float* Pool::alloc<float>(unsigned long)"; NULL: none. */
char *source_function_name(const char *demangled);

/* The definition of that name around `at`. */
bool source_find_function(const struct source_lines *text, const char *at, const char *name,
			  struct source_function *function);

/* Which parameter has the name, from 0, and whether it is a reference; -1: none. */
int source_parameter(const struct source_function *function, const char *name, bool *reference);

/* Whether the function, from there on, says "return NAME;". */
bool source_returns(const struct source_lines *text, const struct source_function *function,
		    const char *from, const char *name);

/* Whether the function makes its parameter of that name another than the caller passes. */
bool source_changes(const struct source_lines *text, const struct source_function *function,
		    const char *name);

#endif
