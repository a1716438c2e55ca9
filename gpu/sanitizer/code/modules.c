/* gpu/sanitizer/code/modules.c: modules of GPU code: their patches, and the names of their
 * variables. */
#include "gpu/sanitizer/code/modules.h"

#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/code/instructions.h"
#include "gpu/sanitizer/code/patching.h"

struct name {
	char *text;
	bool constant;
};

/* A loaded module: its variables' names wait, then its variables' objects. */
struct module {
	struct module *next;
	CUcontext context;
	CUmodule module;
	struct name *names;
	uint32_t count;
	uint32_t constants; /* how many of them are __constant__ */
	bool pending;
};
static struct module *modules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held across calls of the driver */
static unsigned pending_count;
static uint32_t order;

/* -- the names of variables in a cubin ---------------------------------------------------- */

static bool inside(size_t size, uint64_t offset, uint64_t length)
{
	return offset <= size && length <= size - offset;
}

static const char *text_at(const char *image, size_t size, const Elf64_Shdr *table, uint64_t at)
{
	const char *text;

	if (at >= table->sh_size || !inside(size, table->sh_offset, table->sh_size))
		return "";
	text = image + table->sh_offset + at;
	return memchr(text, 0, table->sh_size - at) ? text : "";
}

static bool holds_constants(const char *section)
{
	return !strcmp(section, ".nv.constant3");
}

static bool holds_variables(const char *section)
{
	return !strcmp(section, ".nv.global") || !strcmp(section, ".nv.global.init") ||
	       holds_constants(section);
}

static bool add_name(struct module *module, const char *name, bool constant)
{
	struct name *names = reallocarray(module->names, module->count + 1, sizeof(*names));

	if (!names)
		return false;
	module->names = names;
	names[module->count] = (struct name){strdup(name), constant};
	if (!names[module->count].text)
		return false;
	module->count++;
	return true;
}

static void read_names(struct module *module, const char *image, size_t size)
{
	const Elf64_Ehdr *header = (const void *)image;
	const Elf64_Shdr *sections, *names;

	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(size, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)) ||
	    header->e_shstrndx >= header->e_shnum)
		return;
	sections = (const void *)(image + header->e_shoff);
	names = &sections[header->e_shstrndx];
	for (unsigned i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *table = &sections[i];
		const Elf64_Sym *symbols = (const void *)(image + table->sh_offset);

		if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum ||
		    !inside(size, table->sh_offset, table->sh_size))
			continue;
		for (uint64_t k = 0; k < table->sh_size / sizeof(*symbols); k++) {
			const Elf64_Sym *symbol = &symbols[k];
			const char *section;

			if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || !symbol->st_size ||
			    symbol->st_shndx >= header->e_shnum)
				continue;
			section = text_at(image, size, names, sections[symbol->st_shndx].sh_name);
			if (!holds_variables(section))
				continue;
			if (!add_name(module,
				      text_at(image, size, &sections[table->sh_link],
					      symbol->st_name),
				      holds_constants(section)))
				return;
			module->constants += holds_constants(section);
		}
	}
}

static void free_module(struct module *module)
{
	for (uint32_t i = 0; i < module->count; i++)
		free(module->names[i].text);
	free(module->names);
	free(module);
}

bool module_loaded(const Sanitizer_ResourceModuleData *data)
{
	struct module *module = calloc(1, sizeof(*module));
	bool patched;

	if (module) {
		module->context = data->context;
		module->module = data->module;
		read_names(module, data->pCubin, data->cubinSize);
	}
	instructions_read(data->module, data->pCubin, data->cubinSize);
	patched = patching_loaded(data);
	pthread_mutex_lock(&lock);
	if (module && module->count) {
		struct module **last = &modules;

		while (*last)
			last = &(*last)->next;
		*last = module;
		module->pending = true;
		__atomic_add_fetch(&pending_count, 1, __ATOMIC_RELAXED);
		module = NULL;
	}
	pthread_mutex_unlock(&lock);
	if (module)
		free_module(module);
	return patched;
}

void module_unloading(CUcontext context, CUmodule module)
{
	patching_unloading(module);
	instructions_gone(module);
	pthread_mutex_lock(&lock);
	for (struct module **at = &modules; *at; at = &(*at)->next)
		if ((*at)->context == context && (*at)->module == module && (*at)->pending) {
			struct module *gone = *at;

			*at = gone->next;
			__atomic_sub_fetch(&pending_count, 1, __ATOMIC_RELAXED);
			free_module(gone);
			break;
		}
	pthread_mutex_unlock(&lock);
}

void modules_context_gone(CUcontext context)
{
	patching_context_gone(context);
}

/* -- variables ---------------------------------------------------------------------------- */

bool modules_pending(void)
{
	return __atomic_load_n(&pending_count, __ATOMIC_RELAXED);
}

static struct object *add_variable(struct space *space, CUmodule module, struct name *name,
				   uint64_t *skipped)
{
	struct object *object;
	CUdeviceptr address;
	unsigned managed = 0;
	size_t size;

	if (driver.cuModuleGetGlobal(&address, &size, module, name->text) != CUDA_SUCCESS) {
		++*skipped;
		return NULL;
	}
	object = space_add(space, address, size, GPU_MEMORY_GLOBAL, true);
	if (!object)
		return NULL;
	object->order = ++order;
	object->module = module;
	object->constant = name->constant;
	object->name = name->text;
	name->text = NULL;
	if (driver.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) ==
		    CUDA_SUCCESS &&
	    managed)
		object_share(object);
	return object;
}

/* Takes a pending module of the context out of the list, so that no lock is held meanwhile. */
static struct module *take(CUcontext context)
{
	struct module *found = NULL;

	pthread_mutex_lock(&lock);
	for (struct module **at = &modules; *at; at = &(*at)->next)
		if ((*at)->pending && (*at)->context == context) {
			found = *at;
			*at = found->next;
			found->pending = false;
			__atomic_sub_fetch(&pending_count, 1, __ATOMIC_RELAXED);
			break;
		}
	pthread_mutex_unlock(&lock);
	return found;
}

void modules_variables(struct space *space, uint64_t *skipped, uint64_t *constants)
{
	struct module *module;

	while ((module = take(space_context(space)))) {
		struct object *found[64];
		uint32_t count = 0;

		for (uint32_t i = 0; i < module->count; i++) {
			found[count] =
				add_variable(space, module->module, &module->names[i], skipped);
			count += !!found[count];
			if (count == sizeof(found) / sizeof(*found) || i + 1 == module->count) {
				space_initialised(space, found, count);
				count = 0;
			}
		}
		*constants += module->constants;
		free_module(module);
	}
}
