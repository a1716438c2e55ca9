/*
 * gpu/emulator/device/linked_runtime.c: programs with the CUDA runtime linked in, nvcc's default.
 *
 * That runtime drives a GPU through private tables of the driver, which the emulated device has
 * not.  It is one object file with its public names in the symbol table, so before the program's
 * own code runs, each of its entries becomes a jump to the same entry of the emulated device's
 * runtime library of the same major version.  A program without symbols is left alone:
 * cuGetExportTable() says so when it calls.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <libgen.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/emulator/device/device.h"

#ifdef __x86_64__

#define JUMP_BYTES 12
#define THUNK_BYTES 32
#define THUNKS 1024

/* An object's file, mapped; `names` stays mapped where entries without a counterpart were found. */
struct image {
	const uint8_t *data;
	size_t size;
	uint64_t base; /* added to its addresses in memory */
	const ElfW(Sym) * symbols;
	size_t count;
	const char *names;
	size_t names_size;
};

/* Where the runtime's entries lie: from the first to the last that the emulated one has too. */
struct range {
	uint64_t first, last;
};

static uint8_t *thunks;
static size_t thunk_count;

static bool inside(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

/* Finds the symbol table; false: it has none. */
static bool read_image(struct image *image)
{
	const ElfW(Ehdr) *header = (const void *)image->data;
	const ElfW(Shdr) * sections;

	if (image->size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_shentsize != sizeof(*sections) || header->e_shoff % 8 ||
	    !inside(image, header->e_shoff, header->e_shnum * sizeof(*sections)))
		return false;
	sections = (const void *)(image->data + header->e_shoff);
	for (unsigned i = 0; i < header->e_shnum; i++) {
		const ElfW(Shdr) *table = &sections[i], *names;

		if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum)
			continue;
		names = &sections[table->sh_link];
		if (table->sh_offset % 8 || !inside(image, table->sh_offset, table->sh_size) ||
		    !names->sh_size || !inside(image, names->sh_offset, names->sh_size) ||
		    image->data[names->sh_offset + names->sh_size - 1])
			return false;
		image->symbols = (const void *)(image->data + table->sh_offset);
		image->count = table->sh_size / sizeof(ElfW(Sym));
		image->names = (const char *)image->data + names->sh_offset;
		image->names_size = names->sh_size;
		return true;
	}
	return false;
}

/* The name of a function of the runtime API that the object itself defines; NULL: it is none. */
static const char *entry_name(const struct image *image, const ElfW(Sym) * symbol)
{
	const char *name;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
	    symbol->st_name >= image->names_size || symbol->st_size < JUMP_BYTES)
		return NULL;
	name = image->names + symbol->st_name;
	if (!strncmp(name, "__cudart", 8)) /* what CUDA 11 calls its inner functions */
		return NULL;
	return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6) ? name : NULL;
}

/* The major version of the runtime that is linked in; 0: none is. */
static int linked_major(const struct image *image)
{
	bool registers = false, allocates = false, properties_2 = false, threads = false;

	for (size_t i = 0; i < image->count; i++) {
		const char *name = entry_name(image, &image->symbols[i]);

		if (!name)
			continue;
		registers |= !strcmp(name, "__cudaRegisterFatBinary");
		allocates |= !strcmp(name, "cudaMalloc");
		properties_2 |= !strcmp(name, "cudaGetDeviceProperties_v2"); /* only in CUDA 12 */
		threads |= !strcmp(name, "cudaThreadSynchronize"); /* gone since CUDA 13 */
	}
	if (!registers || !allocates)
		return 0;
	return properties_2 ? 12 : threads ? 11 : 13;
}

static void *open_runtime(int major)
{
	Dl_info self;
	char folder[4096], path[4200];
	void *runtime;

	if (!dladdr((void *)(uintptr_t)&open_runtime, &self) ||
	    snprintf(folder, sizeof(folder), "%s", self.dli_fname) >= (int)sizeof(folder))
		return NULL;
	snprintf(path, sizeof(path), "%s/libcudart.so.%s", dirname(folder),
		 major == 11   ? "11.0"
		 : major == 12 ? "12"
			       : "13");
	runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!runtime)
		device_say("the CUDA runtime linked into the program needs %s: install vflow again",
			   path);
	return runtime;
}

static bool make_writable(uint64_t from, uint64_t size, bool writable)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = from & ~(page - 1);

	return !mprotect((void *)(uintptr_t)start, from + size - start,
			 PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0));
}

/* movabs $to, %rax; jmp *%rax */
static void write_jump(uint8_t *at, uint64_t to)
{
	static const uint8_t code[JUMP_BYTES] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};

	memcpy(at, code, sizeof(code));
	memcpy(at + 2, &to, sizeof(to));
}

/* Code that says which entry was called: movabs $name, %rdi, then the jump.  0: no room. */
static uint64_t make_thunk(const char *name)
{
	uint64_t text = (uintptr_t)name;
	uint8_t *at;

	if (!thunks) {
		void *mapped = mmap(NULL, THUNKS * THUNK_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mapped == MAP_FAILED)
			return 0;
		thunks = mapped;
	}
	if (thunk_count == THUNKS)
		return 0;
	at = thunks + THUNK_BYTES * thunk_count++;
	memcpy(at, (const uint8_t[]){0x48, 0xbf}, 2);
	memcpy(at + 2, &text, sizeof(text));
	write_jump(at + 10, (uintptr_t)&vflow_emulator_unsupported);
	return (uintptr_t)at;
}

static struct range find_range(const struct image *image, void *runtime)
{
	struct range range = {UINT64_MAX, 0};

	for (size_t i = 0; i < image->count; i++) {
		const char *name = entry_name(image, &image->symbols[i]);
		uint64_t at = image->symbols[i].st_value;

		if (!name || !dlsym(runtime, name))
			continue;
		range.first = at < range.first ? at : range.first;
		range.last = at > range.last ? at : range.last;
	}
	return range;
}

/* Returns whether names of the image are still needed. */
static bool redirect(const struct image *image, void *runtime)
{
	const struct range range = find_range(image, runtime);
	uint64_t from = image->base + range.first, size = range.last + JUMP_BYTES - range.first;
	bool kept = false;

	if (range.first > range.last)
		return false;
	if (!make_writable(from, size, true)) {
		device_say(
			"the CUDA runtime linked into the program cannot be replaced here: build "
			"the program with nvcc -cudart shared");
		return false;
	}
	for (size_t i = 0; i < image->count; i++) {
		const char *name = entry_name(image, &image->symbols[i]);
		uint64_t at = image->symbols[i].st_value, to;

		if (!name || at < range.first || at > range.last)
			continue;
		to = (uintptr_t)dlsym(runtime, name);
		if (!to) {
			to = make_thunk(name);
			kept = true;
		}
		if (to)
			write_jump((uint8_t *)(uintptr_t)(image->base + at), to);
	}
	make_writable(from, size, false);
	return kept;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	const char *last = strrchr(path, '/');
	struct image image = {.base = info->dlpi_addr};
	struct stat status;
	void *mapped = MAP_FAILED;
	int file, major;
	bool kept = false;

	(void)size;
	(void)data;
	if (last && !strncmp(last, "/libcudart.so", 13)) /* the shared runtimes themselves */
		return 0;
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	if (!fstat(file, &status) && status.st_size > 0)
		mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	close(file);
	if (mapped == MAP_FAILED)
		return 0;
	image.data = mapped;
	image.size = (size_t)status.st_size;
	major = read_image(&image) ? linked_major(&image) : 0;
	if (major) {
		void *runtime = open_runtime(major);

		kept = runtime && redirect(&image, runtime);
	}
	if (!kept)
		munmap(mapped, image.size);
	return 0;
}

/* Loaded with the program, not by it: libraries that are opened later come behind libc. */
static int came_first(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *file = strrchr(info->dlpi_name, '/');
	uint64_t self = (uintptr_t)&came_first;

	(void)size;
	if (file && !strcmp(file, "/libc.so.6"))
		return 1;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD &&
		    self - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
			*(bool *)data = true;
	}
	return 0;
}

__attribute__((constructor)) static void replace_linked_runtimes(void)
{
	bool first = false;

	dl_iterate_phdr(came_first, &first);
	if (first)
		dl_iterate_phdr(visit, NULL);
}

#endif
