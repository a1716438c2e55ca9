/* gpu/sass/instructions.c: looking for instructions in a module's machine code. */
#include "gpu/sass/instructions.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/sass/cubin.h"

#define TEXT ".text."
#define INSTRUCTION_BYTES 16
#define FILLS_WITH_ZEROS ((uint64_t)1 << 18) /* in the second half of LDGSTS: .ZFILL */

struct kernel {
	char *name;
	unsigned instructions;
};

struct instructions_list {
	unsigned shared;        /* what functions hold that kernels call */
	struct kernel *kernels; /* sorted by name */
	size_t count;
};

static unsigned classify(const uint64_t instruction[2])
{
	switch (instruction[0] & 0x1ff) {
	case 0x160: /* TEX */
	case 0x163: /* TLD4 */
	case 0x166: /* TLD */
	case 0x16c: /* TXD */
	case 0x199: /* SULD */
		return INSTRUCTIONS_TEXTURE_READ;
	case 0x19d: /* SUST */
	case 0x19f: /* SURED */
		return INSTRUCTIONS_SURFACE_STORE;
	case 0x1b4: /* UTMALDG */
		return INSTRUCTIONS_TENSOR_READ;
	case 0x1b5: /* UTMASTG */
	case 0x1b6: /* UTMAREDG */
		return INSTRUCTIONS_TENSOR_WRITE;
	case 0x1a5: /* LDGMC */
		return INSTRUCTIONS_MULTICAST_READ;
	case 0x1ae: /* LDGSTS */
		return instruction[1] & FILLS_WITH_ZEROS ? INSTRUCTIONS_PARTIAL_COPY : 0;
	default:
		return 0;
	}
}

static unsigned scan(const struct cubin_section *section)
{
	unsigned found = 0;

	if (section->type != SHT_PROGBITS)
		return 0;
	for (uint64_t at = 0; at + INSTRUCTION_BYTES <= section->size; at += INSTRUCTION_BYTES) {
		uint64_t instruction[2];

		memcpy(instruction, section->bytes + at, sizeof(instruction));
		found |= classify(instruction);
	}
	return found;
}

/* __cudaCDP2LaunchDeviceV2 and others of the device's runtime, there where it is linked with. */
static unsigned is_launch(const char *function)
{
	static const char *const starts[] = {"__cudaCDP2Launch", "cudaLaunchDevice"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(function, starts[i], strlen(starts[i])))
			return INSTRUCTIONS_LAUNCH;
	return 0;
}

/* Whether a section of data holds "%s", maybe with flags, a width and a precision: of a format. */
static bool has_text_format(const struct cubin_section *section)
{
	static const char flags[] = "-+ #0123456789.*lh";
	const char *at = section->bytes, *end = at ? at + section->size : NULL;

	if (strncmp(section->name, ".nv.global", strlen(".nv.global")) != 0 &&
	    strncmp(section->name, ".nv.constant", strlen(".nv.constant")) != 0)
		return false;
	while (at && at < end && (at = memchr(at, '%', (size_t)(end - at)))) {
		for (at++; at < end && *at && strchr(flags, *at); at++)
			;
		if (at < end && *at == 's')
			return true;
	}
	return false;
}

/* Which sections hold kernels, not functions that others call. */
struct kernel_sections {
	bool *is_kernel; /* by section */
	unsigned count;
	bool prints; /* functions that the module calls have printf's */
};

static bool note_kernel(void *data, const struct cubin_symbol *symbol)
{
	struct kernel_sections *sections = data;

	sections->prints |= !strcmp(symbol->name, "vprintf");
	if (symbol->is_kernel && symbol->section < sections->count)
		sections->is_kernel[symbol->section] = true;
	return true;
}

static void add(struct instructions_list *list, const char *name, unsigned instructions)
{
	struct kernel *more = reallocarray(list->kernels, list->count + 1, sizeof(*list->kernels));

	if (!more)
		return;
	list->kernels = more;
	more[list->count].name = strdup(name);
	more[list->count].instructions = instructions;
	list->count += more[list->count].name != NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kernel *)a)->name, ((const struct kernel *)b)->name);
}

struct instructions_list *instructions_read(const void *image, size_t size)
{
	struct instructions_list *list;
	struct kernel_sections kernels;
	struct cubin cubin;

	if (!image || !cubin_open(&cubin, image, size))
		return NULL;
	list = calloc(1, sizeof(*list));
	/* one walk over the symbols for all: a library's module may have thousands of sections */
	kernels = (struct kernel_sections){calloc(cubin.sections + 1, sizeof(bool)), cubin.sections,
					   false};
	if (!list || !kernels.is_kernel) {
		free(list);
		free(kernels.is_kernel);
		return NULL;
	}
	cubin_each_symbol(&cubin, note_kernel, &kernels);
	for (unsigned i = 0; i < cubin.sections; i++) {
		struct cubin_section section = cubin_section(&cubin, i);
		const char *name = section.name + strlen(TEXT);
		unsigned found;

		if (kernels.prints && has_text_format(&section))
			list->shared |= INSTRUCTIONS_PRINTED_TEXT;
		if (strncmp(section.name, TEXT, strlen(TEXT)))
			continue;
		found = scan(&section) | is_launch(name);
		if (found && kernels.is_kernel[i])
			add(list, name, found);
		else
			list->shared |= found;
	}
	free(kernels.is_kernel);
	if (!list->count && !list->shared) {
		instructions_free(list);
		return NULL;
	}
	if (list->count)
		qsort(list->kernels, list->count, sizeof(*list->kernels), by_name);
	return list;
}

unsigned instructions_of(const struct instructions_list *list, const char *name)
{
	const struct kernel wanted = {.name = (char *)(uintptr_t)name}, *kernel = NULL;

	if (!list)
		return 0;
	if (list->count)
		kernel = bsearch(&wanted, list->kernels, list->count, sizeof(wanted), by_name);
	return list->shared | (kernel ? kernel->instructions : 0);
}

void instructions_free(struct instructions_list *list)
{
	for (size_t i = 0; list && i < list->count; i++)
		free(list->kernels[i].name);
	if (list)
		free(list->kernels);
	free(list);
}
