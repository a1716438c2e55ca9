/*
 * collect/guest/torch.c: PyTorch's caching allocator, whose blocks are tensors.
 *
 * libc10_cuda tells PyTorch's own profiler of each block by a function of libc10: its import is
 * replaced by a function that tells the guest, too.  Nothing of PyTorch is built anew.
 */
#include "collect/guest/guest.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* c10::reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, c10::Device), since 1.12 */
static const char imported[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";

enum { DEVICE_CUDA = 1 };

struct device {
	int8_t type, index;
};

/* bytes: negative: the block is free again.  allocated: bytes of all blocks of the device. */
typedef void report_function(void *block, int64_t bytes, size_t allocated, size_t reserved,
			     struct device device);

static report_function *original; /* atomic */
static void *before;              /* in the table of imports: maybe not bound yet */

static report_function *find_original(void)
{
	report_function *function = __atomic_load_n(&original, __ATOMIC_ACQUIRE);
	void *library;

	if (function)
		return function;
	library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
	if (library) {
		*(void **)&function = dlsym(library, imported);
		dlclose(library); /* libc10_cuda, which calls us, needs it */
	}
	if (!function)
		*(void **)&function = __atomic_load_n(&before, __ATOMIC_ACQUIRE);
	__atomic_store_n(&original, function, __ATOMIC_RELEASE);
	return function;
}

static void report(void *block, int64_t bytes, size_t allocated, size_t reserved,
		   struct device device)
{
	report_function *function = find_original();
	char name[32];

	if (device.type == DEVICE_CUDA && block && bytes) {
		snprintf(name, sizeof(name), "PyTorch cuda:%d", device.index);
		guest_pool_block(name, (uintptr_t)block, bytes > 0 ? (uint64_t)bytes : 0,
				 allocated);
	}
	function(block, bytes, allocated, reserved, device);
}

/* -- the table of imports -- */

struct imports {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * tables[2]; /* of calls and of pointers */
	size_t bytes[2];
};

static const void *address(const struct dl_phdr_info *info, ElfW(Addr) pointer)
{
	return (const void *)(pointer < info->dlpi_addr ? info->dlpi_addr + pointer : pointer);
}

static bool find_imports(const struct dl_phdr_info *info, struct imports *imports)
{
	const ElfW(Dyn) *dynamic = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			imports->symbols = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_STRTAB:
			imports->strings = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_JMPREL:
			imports->tables[0] = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			imports->bytes[0] = dynamic->d_un.d_val;
			break;
		case DT_RELA:
			imports->tables[1] = address(info, dynamic->d_un.d_ptr);
			break;
		case DT_RELASZ:
			imports->bytes[1] = dynamic->d_un.d_val;
			break;
		}
	return imports->symbols && imports->strings;
}

/* Whether the loader has made the page read-only: it does so with whole pages. */
static bool is_read_only(const struct dl_phdr_info *info, uintptr_t page, size_t bytes)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_GNU_RELRO && page >= (start & ~(bytes - 1)) &&
		    page < ((start + part->p_memsz) & ~(bytes - 1)))
			return true;
	}
	return false;
}

/* Other threads may call through the word at any time. */
static bool replace(const struct dl_phdr_info *info, void **at)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t page = (uintptr_t)at & ~(bytes - 1);

	if (*at == (void *)report)
		return true;
	if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
		return false;
	__atomic_store_n(&before, *at, __ATOMIC_RELEASE);
	__atomic_store_n(at, (void *)report, __ATOMIC_RELEASE);
	if (is_read_only(info, page, bytes))
		mprotect((void *)page, bytes, PROT_READ);
	return true;
}

static const char *hook(const struct dl_phdr_info *info)
{
	struct imports imports = {0};
	bool found = false;

	if (!find_imports(info, &imports))
		return "libc10_cuda has no table of imports";
	for (int which = 0; which < 2; which++) {
		const ElfW(Rela) *table = imports.tables[which];
		size_t count = table ? imports.bytes[which] / sizeof(*table) : 0;

		for (size_t i = 0; i < count; i++) {
			size_t symbol = ELF64_R_SYM(table[i].r_info);

			if (!symbol || strcmp(imports.strings + imports.symbols[symbol].st_name,
					      imported) != 0)
				continue;
			if (!replace(info, (void **)(info->dlpi_addr + table[i].r_offset)))
				return "its table of imports cannot be changed";
			found = true;
		}
	}
	return found ? NULL : "this version of it does not report them";
}

void torch_find(const struct dl_phdr_info *info)
{
	static bool said;
	const char *slash = strrchr(info->dlpi_name, '/'), *why;

	if (strncmp(slash ? slash + 1 : info->dlpi_name, "libc10_cuda.so",
		    strlen("libc10_cuda.so")) != 0)
		return;
	why = hook(info);
	if (why && !said)
		coverage_add(COVERAGE_POOL_NOT_HOOKED, why, 1, 0);
	said |= why != NULL;
}
