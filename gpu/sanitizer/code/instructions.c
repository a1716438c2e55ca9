/* gpu/sanitizer/code/instructions.c: looking for instructions in the code of modules. */
#include "gpu/sanitizer/code/instructions.h"

#include <elf.h>
#include <pthread.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TEXT ".text."
#define INSTRUCTION_BYTES 16
#define FILLS_WITH_ZEROS ((uint64_t)1 << 18) /* in the second half of LDGSTS: .ZFILL */
#define ENTRY 0x10                           /* in st_other: the function is a kernel */

struct kernel {
	char *name;
	unsigned instructions;
};

/* Functions that hold such instructions, of modules that have any. */
struct module {
	CUmodule module; /* first: the key */
	unsigned shared; /* what functions hold that kernels call */
	struct kernel *kernels;
	size_t count;
};

static void *modules; /* tree */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

struct image {
	const char *bytes;
	size_t size;
	const Elf64_Shdr *sections;
	unsigned count;
	const Elf64_Shdr *names;
};

static bool inside(const struct image *image, uint64_t offset, uint64_t length)
{
	return offset <= image->size && length <= image->size - offset;
}

static bool open_image(struct image *image, const char *bytes, size_t size)
{
	const Elf64_Ehdr *header = (const void *)bytes;

	*image = (struct image){.bytes = bytes, .size = size};
	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 ||
	    !inside(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)) ||
	    header->e_shstrndx >= header->e_shnum)
		return false;
	image->sections = (const void *)(bytes + header->e_shoff);
	image->count = header->e_shnum;
	image->names = &image->sections[header->e_shstrndx];
	return inside(image, image->names->sh_offset, image->names->sh_size);
}

static const char *section_name(const struct image *image, const Elf64_Shdr *section)
{
	const char *name = image->bytes + image->names->sh_offset + section->sh_name;

	if (section->sh_name >= image->names->sh_size ||
	    !memchr(name, 0, image->names->sh_size - section->sh_name))
		return "";
	return name;
}

static unsigned scan(const struct image *image, const Elf64_Shdr *section)
{
	unsigned found = 0;

	if (section->sh_type != SHT_PROGBITS ||
	    !inside(image, section->sh_offset, section->sh_size))
		return 0;
	for (uint64_t at = 0; at + INSTRUCTION_BYTES <= section->sh_size; at += INSTRUCTION_BYTES) {
		uint64_t instruction[2];

		memcpy(instruction, image->bytes + section->sh_offset + at, sizeof(instruction));
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

/*
 * Which sections hold kernels, not functions that others call; by section.  NULL: no memory.  One
 * walk for all: a library's module may have thousands of sections and of symbols.
 */
static bool *kernel_sections(const struct image *image)
{
	bool *kernels = calloc(image->count + 1, sizeof(*kernels));

	for (unsigned i = 0; kernels && i < image->count; i++) {
		const Elf64_Shdr *table = &image->sections[i];
		const Elf64_Sym *symbols = (const void *)(image->bytes + table->sh_offset);

		if (table->sh_type != SHT_SYMTAB || table->sh_offset % 8 ||
		    !inside(image, table->sh_offset, table->sh_size))
			continue;
		for (uint64_t k = 0; k < table->sh_size / sizeof(*symbols); k++)
			if (symbols[k].st_shndx < image->count &&
			    ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC &&
			    (symbols[k].st_other & ENTRY))
				kernels[symbols[k].st_shndx] = true;
	}
	return kernels;
}

static void add(struct module *module, const char *name, unsigned instructions)
{
	struct kernel *more =
		reallocarray(module->kernels, module->count + 1, sizeof(*module->kernels));

	if (!more)
		return;
	module->kernels = more;
	more[module->count].name = strdup(name);
	more[module->count].instructions = instructions;
	module->count += more[module->count].name != NULL;
}

static void free_module(struct module *module)
{
	for (size_t i = 0; i < module->count; i++)
		free(module->kernels[i].name);
	free(module->kernels);
	free(module);
}

static int by_module(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct module *)a)->module;
	uintptr_t y = (uintptr_t)((const struct module *)b)->module;

	return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kernel *)a)->name, ((const struct kernel *)b)->name);
}

void instructions_read(CUmodule handle, const char *bytes, size_t size)
{
	struct module *module;
	struct image image;
	bool *kernels;

	if (!bytes || !open_image(&image, bytes, size))
		return;
	module = calloc(1, sizeof(*module));
	kernels = kernel_sections(&image);
	if (!module || !kernels) {
		free(module);
		free(kernels);
		return;
	}
	module->module = handle;
	for (unsigned i = 0; i < image.count; i++) {
		const char *name = section_name(&image, &image.sections[i]);
		unsigned found;

		if (strncmp(name, TEXT, strlen(TEXT)))
			continue;
		found = scan(&image, &image.sections[i]) | is_launch(name + strlen(TEXT));
		if (!found)
			continue;
		if (kernels[i])
			add(module, name + strlen(TEXT), found);
		else
			module->shared |= found;
	}
	free(kernels);
	if (!module->count && !module->shared) {
		free_module(module);
		return;
	}
	if (module->count)
		qsort(module->kernels, module->count, sizeof(*module->kernels), by_name);
	instructions_gone(handle);
	pthread_mutex_lock(&lock);
	if (!tsearch(module, &modules, by_module))
		free_module(module);
	pthread_mutex_unlock(&lock);
}

void instructions_gone(CUmodule handle)
{
	const struct module key = {.module = handle};
	struct module *module, **found;

	pthread_mutex_lock(&lock);
	found = tfind(&key, &modules, by_module);
	module = found ? *found : NULL;
	if (module)
		tdelete(&key, &modules, by_module);
	pthread_mutex_unlock(&lock);
	if (module)
		free_module(module);
}

unsigned instructions_of(CUmodule handle, const char *name)
{
	const struct module key = {.module = handle};
	const struct kernel wanted = {.name = (char *)(uintptr_t)name}, *kernel;
	struct module *const *found;
	unsigned instructions = 0;

	pthread_mutex_lock(&lock);
	found = tfind(&key, &modules, by_module);
	if (found) {
		instructions = (*found)->shared;
		kernel = (*found)->count ? bsearch(&wanted, (*found)->kernels, (*found)->count,
						   sizeof(wanted), by_name)
					 : NULL;
		if (kernel)
			instructions |= kernel->instructions;
	}
	pthread_mutex_unlock(&lock);
	return instructions;
}
