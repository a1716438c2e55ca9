/*
 * collect/guest/nvtx.c: NVTX, by which programs name what they do.
 *
 * NVTX is part of the program.  When it is used first it loads the library that
 * NVTX_INJECTION64_PATH names, calls InitializeInjectionNvtx2() there, and from then on the
 * functions that this gave it. Marks, categories, resources and names of threads are left to do
 * nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "collect/guest/nvtx.h"
#include "collect/guest/ranges.h"
#include "util/start_environment.h"

/* -- NVTX's own types: nvtx3/nvToolsExt.h, nvtx3/nvtxDetail/nvtxTypes.h -- */

struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t colour_type;
	uint32_t colour;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

enum { TABLE_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_DOMAINS = 5 };

typedef void (*function)(void);
typedef function **function_table; /* where the program has each function, by its number */

struct callbacks {
	size_t size;
	int (*functions)(int module, function_table *table, unsigned *size);
};

typedef const void *get_table(uint32_t id);

/* -- names -- */

static void copy(char *to, const char *from)
{
	size_t length = from ? strnlen(from, TRACE_RANGE_NAME - 1) : 0;

	if (length)
		memcpy(to, from, length);
	to[length] = '\0';
}

/* One character in UTF-8, if it fits.  Returns the new end. */
static char *put_character(char *to, const char *end, uint32_t c)
{
	static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
	unsigned more = (c > 0x7f) + (c > 0x7ff) + (c > 0xffff);

	if (c > 0x10ffff || to + more + 1 >= end)
		return to;
	*to++ = (char)(first[more] | c >> 6 * more);
	while (more--)
		*to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
	return to;
}

static void copy_wide(char *to, const wchar_t *from)
{
	const char *end = to + TRACE_RANGE_NAME;

	for (; from && *from && to + 5 < end; from++)
		to = put_character(to, end, (uint32_t)*from);
	*to = '\0';
}

void nvtx_copy_message(char *to, int type, const void *message)
{
	const struct nvtx_named *registered = message;

	to[0] = '\0';
	switch (type) {
	case NVTX_ASCII:
		copy(to, message);
		break;
	case NVTX_UNICODE:
		copy_wide(to, message);
		break;
	case NVTX_REGISTERED:
		copy(to, registered ? registered->name : NULL);
		break;
	}
}

static void copy_message(char *to, const struct attributes *attributes)
{
	to[0] = '\0';
	if (attributes && attributes->size >= sizeof(*attributes))
		nvtx_copy_message(to, attributes->message_type, attributes->message);
}

/* Lives as long as the program, which never gives back strings and seldom domains. */
static struct nvtx_named *new_name(const char *name, const wchar_t *wide)
{
	struct nvtx_named *named = malloc(sizeof(*named));

	if (named && wide)
		copy_wide(named->name, wide);
	else if (named)
		copy(named->name, name);
	return named;
}

/* -- ranges of threads -- */

static int push(const char *name)
{
	char text[TRACE_RANGE_NAME];

	copy(text, name);
	return ranges_push(NULL, NULL, text);
}

static int push_wide(const wchar_t *name)
{
	char text[TRACE_RANGE_NAME];

	copy_wide(text, name);
	return ranges_push(NULL, NULL, text);
}

static int push_in_domain(const struct nvtx_named *domain, const struct attributes *attributes)
{
	char text[TRACE_RANGE_NAME];

	copy_message(text, attributes);
	return ranges_push(domain, domain ? domain->name : NULL, text);
}

static int push_attributes(const struct attributes *attributes)
{
	return push_in_domain(NULL, attributes);
}

static int pop(void)
{
	return ranges_pop(NULL);
}

static int pop_in_domain(const struct nvtx_named *domain)
{
	return ranges_pop(domain);
}

/* -- ranges of no thread -- */

static uint64_t begin(const char *name)
{
	char text[TRACE_RANGE_NAME];

	copy(text, name);
	return ranges_begin(NULL, text);
}

static uint64_t begin_wide(const wchar_t *name)
{
	char text[TRACE_RANGE_NAME];

	copy_wide(text, name);
	return ranges_begin(NULL, text);
}

static uint64_t begin_in_domain(const struct nvtx_named *domain,
				const struct attributes *attributes)
{
	char text[TRACE_RANGE_NAME];

	copy_message(text, attributes);
	return ranges_begin(domain ? domain->name : NULL, text);
}

static uint64_t begin_attributes(const struct attributes *attributes)
{
	return begin_in_domain(NULL, attributes);
}

static void end(uint64_t id)
{
	ranges_end(id);
}

static void end_in_domain(const struct nvtx_named *domain, uint64_t id)
{
	(void)domain;
	ranges_end(id);
}

/* -- domains and strings -- */

static struct nvtx_named *create_domain(const char *name)
{
	return new_name(name, NULL);
}

static struct nvtx_named *create_domain_wide(const wchar_t *name)
{
	return new_name(NULL, name);
}

static struct nvtx_named *register_string(const struct nvtx_named *domain, const char *text)
{
	(void)domain;
	return new_name(text, NULL);
}

static struct nvtx_named *register_string_wide(const struct nvtx_named *domain, const wchar_t *text)
{
	(void)domain;
	return new_name(NULL, text);
}

/* -- the start -- */

struct callback {
	unsigned id; /* NVTX_CBID_CORE_..., NVTX_CBID_CORE2_... */
	function function;
};

static const struct callback core[] = {
	{4, (function)begin_attributes},
	{5, (function)begin},
	{6, (function)begin_wide},
	{7, (function)end},
	{8, (function)push_attributes},
	{9, (function)push},
	{10, (function)push_wide},
	{11, (function)pop},
	{0, NULL},
};

static const struct callback domains[] = {
	{2, (function)begin_in_domain},
	{3, (function)end_in_domain},
	{4, (function)push_in_domain},
	{5, (function)pop_in_domain},
	{10, (function)register_string},
	{11, (function)register_string_wide},
	{12, (function)create_domain},
	{13, (function)create_domain_wide},
	{0, NULL},
};

static void put(const struct callbacks *callbacks, int module, const struct callback *rows)
{
	function_table table = NULL;
	unsigned size = 0;

	if (!callbacks->functions(module, &table, &size) || !table)
		return;
	for (; rows->id; rows++)
		if (rows->id < size && table[rows->id])
			*table[rows->id] = rows->function;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(get_table *get);

/* 0: NVTX does nothing. */
int InitializeInjectionNvtx2(get_table *get)
{
	const struct callbacks *callbacks = get(TABLE_CALLBACKS);
	const char *folder = start_variable("VFLOW_TRACE_DIR");

	if (!callbacks || callbacks->size < sizeof(*callbacks) || !folder || !*folder)
		return 0;
	ranges_start();
	put(callbacks, MODULE_CORE, core);
	put(callbacks, MODULE_DOMAINS, domains);
	return 1;
}
