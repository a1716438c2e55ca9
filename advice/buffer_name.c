#include "advice/buffer_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "advice/source_files.h"
#include "advice/source_text.h"
#include "graph/profile/profile.h"
#include "util/memory.h"

enum { CALLERS = 6 }; /* frames that are looked at */

/* Functions of CUDA, with all that begins so, whose first argument is where the address goes. */
static const char *const allocators[] = {"cudaMalloc", "cudaHostAlloc", "cuMemAlloc",
					 "cuMemHostAlloc"};

/* What is known of the pointer to the memory at one frame. */
struct search {
	char *name; /* as the frame's function calls it; NULL: nothing does there */
	enum { POINTER, ADDRESS_OF_POINTER, RESULT } is;
};

static bool is_allocator(const char *api)
{
	for (size_t i = 0; i < sizeof(allocators) / sizeof(*allocators); i++)
		if (!strncmp(api, allocators[i], strlen(allocators[i])))
			return true;
	return false;
}

static void set(struct search *search, char *name, int is)
{
	free(search->name);
	search->name = name;
	search->is = is;
}

/* The argument of a parameter that takes the pointer's address. */
static bool take_address(struct search *search, struct source_range argument)
{
	char *name;

	argument = source_without_casts(argument);
	if (argument.begin < argument.end && *argument.begin == '&') {
		argument.begin++;
		name = source_variable(source_without_casts(argument));
		set(search, name, POINTER);
	} else {
		name = source_variable(argument);
		set(search, name, ADDRESS_OF_POINTER);
	}
	return name;
}

/* What the caller's statement does with the result of the call. */
static bool take_result(struct search *search, struct source_range statement,
			const struct source_call *call)
{
	char *name;
	const enum source_use use = source_result(statement, call, &name);

	if (use == SOURCE_UNKNOWN)
		return false;
	set(search, name,
	    use == SOURCE_RETURNED ? RESULT
	    : use == SOURCE_STORED ? ADDRESS_OF_POINTER
				   : POINTER);
	return true;
}

/* From a function to its caller, which calls it at *at; false: the caller does not tell. */
static bool ask_caller(struct search *search, const struct source_lines *caller, uint32_t line,
		       const char *function, int parameter, const char **at)
{
	struct source_range statement = source_statement(caller, line);
	struct source_call call;
	char *name;

	if (!caller->bytes || !source_find_call(statement, function, &call))
		return false;
	*at = call.name;
	if (parameter < 0)
		return take_result(search, statement, &call);
	if (search->is == ADDRESS_OF_POINTER)
		return take_address(search, source_argument(&call, (uint32_t)parameter));
	name = source_variable(source_without_casts(source_argument(&call, (uint32_t)parameter)));
	set(search, name, POINTER); /* by reference */
	return name;
}

/*
 * Whether the caller has to be asked, for the argument of *parameter or, where that is negative,
 * for what it does with the result.
 */
static bool needs_caller(const struct search *search, const struct source_lines *text,
			 const char *at, const char *function, int *parameter)
{
	struct source_function definition;
	bool reference;

	*parameter = -1;
	if (search->is == RESULT)
		return true;
	if (!function || !source_find_function(text, at, function, &definition))
		return false;
	*parameter = source_parameter(&definition, search->name, &reference);
	if (*parameter >= 0)
		return reference || (search->is == ADDRESS_OF_POINTER &&
				     !source_changes(text, &definition, search->name));
	return search->is == POINTER && source_returns(text, &definition, at, search->name);
}

static bool has_line(const struct profile_frame *frame)
{
	return frame->file && frame->line && !profile_frame_is_replay(frame);
}

/* The name as the outermost caller tells it that the memory goes through; takes search->name. */
static char *follow(struct search *search, struct source_files *files, struct source_lines text,
		    const char *at, const struct profile_frame *const *frames, uint32_t count)
{
	char *known = NULL; /* in case that a caller does not tell */
	int parameter;

	for (uint32_t i = 0;; i++) {
		char *function = source_function_name(frames[i]->function);
		bool told;

		if (!needs_caller(search, &text, at, function, &parameter)) {
			free(function);
			break;
		}
		if (search->is == POINTER && parameter < 0) {
			free(known);
			known = xstrdup(search->name);
		}
		if (!function || i + 1 == count || i + 1 == CALLERS || !has_line(frames[i + 1])) {
			free(function);
			set(search, NULL, POINTER);
			break;
		}
		text = source_files_read_code(files, frames[i + 1]->file);
		told = ask_caller(search, &text, frames[i + 1]->line, function, parameter, &at);
		free(function);
		if (!told) {
			set(search, NULL, POINTER);
			break;
		}
	}
	if (search->name && search->is == POINTER) {
		free(known);
		return search->name;
	}
	free(search->name);
	return known;
}

char *buffer_name_find(struct source_files *files, const char *api,
		       const struct profile_frame *const *frames, uint32_t count)
{
	struct search search = {0};
	struct source_range statement;
	struct source_lines text;
	struct source_call call;
	char *name = NULL;

	if (!count || !has_line(frames[0]) || !api || !is_allocator(api))
		return NULL;
	text = source_files_read_code(files, frames[0]->file);
	statement = source_statement(&text, frames[0]->line);
	if (text.bytes && source_find_call(statement, api, &call) &&
	    take_address(&search, source_argument(&call, 0)))
		name = follow(&search, files, text, call.name, frames, count);
	return name;
}
