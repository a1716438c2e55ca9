/*
 * collect/guest/modules.c: the ELF files of this process, by address.
 *
 * The list is read anew when the loader's counts of loaded and unloaded files have changed, so
 * an address that dlclose() freed and dlopen() gave to another file finds the other file.  A file
 * that comes back (same path and build id) keeps its id.
 */
#include "collect/guest/guest.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/guest/watch/calls.h"

static struct module_range *ranges; /* sorted by start */
static uint32_t range_count, range_capacity;
static unsigned long long seen_adds, seen_subs;
static uint64_t changes;
static uintptr_t entry; /* address of _start */
static const struct gpu_provider *hidden_provider;

struct known_module { /* id = index + 1 */
	char *path;
	unsigned char build_id[TRACE_BUILD_ID_MAX];
	uint32_t build_id_size;
};
static struct known_module *known;
static uint32_t known_count, known_capacity;

struct change {
	unsigned long long adds, subs;
};

static int count_changes(struct dl_phdr_info *info, size_t size, void *data)
{
	struct change *change = data;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
		change->adds = info->dlpi_adds;
		change->subs = info->dlpi_subs;
	}
	return 1; /* the first file tells */
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_runtime(const char *name)
{
	return starts_with(name, "libc.so") || starts_with(name, "libc-2.") ||
	       starts_with(name, "ld-") || starts_with(name, "libpthread");
}

static bool is_cuda(const char *name)
{
	return starts_with(name, "libcuda.so") || starts_with(name, "libcudart.so") ||
	       starts_with(name, "libsanitizer-public.so") || starts_with(name, "libcupti.so");
}

static void find_build_id(struct module_range *range, const ElfW(Phdr) * segment)
{
	const char *at = (const char *)(range->bias + segment->p_vaddr);
	const char *end = at + segment->p_memsz;
	size_t align = segment->p_align == 8 ? 8 : 4;

	while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name = (note->n_namesz + align - 1) & ~(align - 1);
		size_t text = (note->n_descsz + align - 1) & ~(align - 1);
		size_t left = (size_t)(end - at) - sizeof(*note);

		if (name > left || text > left - name)
			return;
		at += sizeof(*note);
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
		    !memcmp(at, "GNU", sizeof("GNU")) && note->n_descsz <= TRACE_BUILD_ID_MAX) {
			memcpy(range->build_id, at + name, note->n_descsz);
			range->build_id_size = note->n_descsz;
			return;
		}
		at += name + text;
	}
}

/* The program's entry point, from its ELF header where that is mapped. */
static void find_entry(const struct module_range *range, const ElfW(Phdr) * segment)
{
	const ElfW(Ehdr) *header = (const void *)(range->bias + segment->p_vaddr);

	if ((segment->p_flags & PF_R) && segment->p_offset == 0 &&
	    segment->p_filesz >= sizeof(*header) && !memcmp(header->e_ident, ELFMAG, SELFMAG))
		entry = range->bias + header->e_entry;
}

static bool holds(const struct module_range *range, const void *address)
{
	return (uintptr_t)address >= range->start && (uintptr_t)address < range->end;
}

static int add_range(struct dl_phdr_info *info, size_t size, void *data)
{
	struct module_range range = {.bias = info->dlpi_addr, .start = UINTPTR_MAX};
	bool *program = data;
	void *moved;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) {
			uintptr_t start = range.bias + segment->p_vaddr;

			range.start = start < range.start ? start : range.start;
			if (start + segment->p_memsz > range.end)
				range.end = start + segment->p_memsz;
		} else if (segment->p_type == PT_NOTE && !range.build_id_size) {
			find_build_id(&range, segment);
		}
		if (segment->p_type == PT_DYNAMIC)
			python_find(range.bias, (const void *)(range.bias + segment->p_vaddr));
		if (*program && segment->p_type == PT_LOAD)
			find_entry(&range, segment);
	}
	torch_find(info);
	range.runtime = is_runtime(base_name(info->dlpi_name));
	range.hidden = range.runtime || is_cuda(base_name(info->dlpi_name)) ||
		       holds(&range, (const void *)&count_changes) ||
		       holds(&range, (const void *)hidden_provider->start);
	/* libunwind calls functions of unwinder.c already */
	if (!range.hidden && !holds(&range, (const void *)&unw_flush_cache))
		calls_find(info);
	if (!range.end)
		return 0;
	moved = guest_reserve(ranges, range_count, &range_capacity, sizeof(*ranges));
	if (!moved)
		return -1;
	ranges = moved;
	if (!*program && !(range.path = strdup(info->dlpi_name)))
		return -1;
	*program = false;
	ranges[range_count++] = range;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct module_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int modules_refresh(const struct gpu_provider *provider)
{
	struct change change = {1, 0};
	bool program = true; /* the first file of the list is the program */

	dl_iterate_phdr(count_changes, &change);
	if (range_count && change.adds == seen_adds && change.subs == seen_subs)
		return 0;
	if (change.subs != seen_subs) /* what it remembers of unloaded code is wrong now */
		unw_flush_cache(unw_local_addr_space, 0, 0);
	for (uint32_t i = 0; i < range_count; i++)
		free(ranges[i].path);
	range_count = 0;
	python_forget();
	changes++;
	hidden_provider = provider;
	if (dl_iterate_phdr(add_range, &program) != 0)
		return -1;
	seen_adds = change.adds;
	seen_subs = change.subs;
	qsort(ranges, range_count, sizeof(*ranges), by_start);
	return 0;
}

uint64_t modules_changes(void)
{
	return changes;
}

struct module_range *modules_find(uintptr_t address)
{
	uint32_t low = 0, high = range_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges[middle].start > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low && address < ranges[low - 1].end ? &ranges[low - 1] : NULL;
}

bool modules_is_entry(uintptr_t address)
{
	/* _start is a few instructions that call __libc_start_main */
	return entry && address >= entry && address < entry + 64;
}

static int write_module(const struct known_module *module, uint32_t id)
{
	union {
		struct trace_module module;
		char bytes[sizeof(struct trace_module) + PATH_MAX];
	} u = {.module = {.record = {.type = TRACE_MODULE}, .id = id}};
	size_t start = offsetof(struct trace_module, text);

	u.module.build_id_size = module->build_id_size;
	memcpy(u.module.build_id, module->build_id, module->build_id_size);
	memcpy(u.bytes + start, module->path, strlen(module->path));
	return guest_append(&u.module.record, start + strlen(module->path) + 1);
}

/* The path that the profile names: absolute where the file can still be found. */
static void full_path(const struct module_range *range, char path[PATH_MAX])
{
	ssize_t length;

	if (!range->path) {
		length = readlink("/proc/self/exe", path, PATH_MAX - 1);
		path[length > 0 ? length : 0] = '\0';
	} else if (!strchr(range->path, '/') || !realpath(range->path, path)) {
		path[0] = '\0';
		strncat(path, range->path, PATH_MAX - 1);
	}
}

uint32_t modules_id(struct module_range *range)
{
	char path[PATH_MAX];
	void *moved;
	struct known_module module = {.build_id_size = range->build_id_size};

	if (range->module)
		return range->module;
	full_path(range, path);
	for (uint32_t i = 0; i < known_count; i++)
		if (known[i].build_id_size == range->build_id_size &&
		    !memcmp(known[i].build_id, range->build_id, range->build_id_size) &&
		    !strcmp(known[i].path, path))
			return range->module = i + 1;
	memcpy(module.build_id, range->build_id, range->build_id_size);
	moved = guest_reserve(known, known_count, &known_capacity, sizeof(*known));
	if (moved)
		known = moved;
	if (!moved || !(module.path = strdup(path))) {
		guest_give_up("no memory");
		return 0;
	}
	known[known_count++] = module;
	if (write_module(&module, known_count) != 0)
		return 0;
	return range->module = known_count;
}
