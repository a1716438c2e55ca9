/*
 * collect/guest/nvtx_memory.c: NVTX's memory annotations.
 *
 * NVTX's extensions are part of the program.  The one for memory calls, when it is used first,
 * InitializeInjectionNvtxExtension() in the library that NVTX_INJECTION64_PATH names, and from then
 * on the functions that this gave it.  Others are left to do nothing, and so are permissions.
 *
 * Without a tool nobody looks at what the program describes, so that it may be wrong and the
 * program runs: what it points to is read where that can be done.
 */
#include "collect/guest/nvtx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

#include "collect/guest/guest.h"
#include "collect/guest/heaps.h"
#include "util/start_environment.h"

enum { BATCH_MAX = 1 << 20, PAGE = 4096 };

/* -- NVTX's own types: nvtx3/nvToolsExtMem.h, nvtx3/nvtxDetail/nvtxExtTypes.h -- */

enum { MODULE_MEMORY = 1, VERSION = 0x102, SEGMENT = 1 };
enum { TYPE_ADDRESS = 1 };              /* NVTX_MEM_TYPE_VIRTUAL_ADDRESS */
enum { SUB_ALLOCATOR = 1, LAYOUT = 2 }; /* NVTX_MEM_HEAP_USAGE_TYPE_... */
enum { BY_POINTER = 1, BY_HANDLE = 2 }; /* NVTX_MEM_REGION_REF_TYPE_... */
#define NO_HEAP ((void *)(intptr_t)-1)  /* NVTX_MEM_HEAP_HANDLE_NO_TOOL */

struct segment {
	size_t id, count;
	intptr_t *slots;
};

struct module {
	uint16_t nvtx_version, size, id, version;
	size_t count;
	struct segment *segments;
	intptr_t (*get_function)(uint32_t id);
	const void *more;
};

struct range { /* nvtxMemVirtualRangeDesc_t */
	uint64_t bytes, address;
};

struct head { /* of each of the next three */
	uint16_t version, size;
	uint32_t type;
};

struct heap_description {
	struct head head; /* no type */
	uint32_t usage, type;
	size_t size;
	const struct range *range;
	uint32_t category, message_type;
	const void *message;
};

struct new_regions {
	struct head head;
	uint64_t heap;
	size_t count, size;
	const char *elements;
	char *handles;
};

struct regions { /* to resize, to unregister or, without a type, to name */
	struct head head;
	size_t count, size;
	const char *elements;
};

struct region_name {
	uint32_t type, message_type;
	uint64_t address;
	const void *message;
	uint32_t category, unused;
};

/* -- the program's memory -- */

#define NO_PAGE UINTPTR_MAX

/* *known: a page that can be read, or NO_PAGE. */
static bool can_read(const void *memory, size_t size, uintptr_t *known)
{
	uintptr_t start = (uintptr_t)memory;

	if (start > UINTPTR_MAX - size)
		return false;
	for (uintptr_t page = start / PAGE; page <= (start + size - 1) / PAGE; page++) {
		if (page == *known)
			continue;
		if (!unwinder_can_read(page * PAGE))
			return false;
		*known = page;
	}
	return true;
}

static bool read_memory(void *to, const void *from, size_t size)
{
	uintptr_t known = NO_PAGE;

	if (!can_read(from, size, &known))
		return false;
	memcpy(to, from, size);
	return true;
}

/* Linux writes the set of blocked signals there, if it can, and changes none. */
static void write_handle(char *to, uint64_t handle)
{
	if (syscall(SYS_rt_sigprocmask, 0, NULL, to, sizeof(handle)) == 0)
		memcpy(to, &handle, sizeof(handle));
}

/* Characters of so many bytes, up to one of 0. */
static void read_characters(char *to, size_t room, const char *from, size_t size)
{
	static const char end[sizeof(wchar_t)];
	uintptr_t known = NO_PAGE;

	for (; room >= size && can_read(from, size, &known); room -= size) {
		if (!memcmp(from, end, size))
			break;
		memcpy(to, from, size);
		to += size;
		from += size;
	}
}

/* `to` has room for TRACE_RANGE_NAME. */
static void read_message(char *to, uint32_t type, const void *message)
{
	_Alignas(wchar_t) char copy[TRACE_RANGE_NAME] = "";

	read_characters(copy, sizeof(copy) - sizeof(wchar_t), message,
			type == NVTX_UNICODE ? sizeof(wchar_t) : 1);
	nvtx_copy_message(to, (int)type, copy);
}

/* -- what is left out -- */

static bool other_version; /* of the extension */

static const char unreadable[] = "what lies in memory that cannot be read";
static const char unknown_type[] =
	"heaps and regions of CUDA arrays, or of types that are not known";
static const char too_many[] = "more than 1,048,576 regions in one call";
static const char version[] = "what another version of NVTX describes";

void nvtx_memory_cover(void)
{
	heaps_left_out(version, __atomic_load_n(&other_version, __ATOMIC_RELAXED));
}

/* Reads what begins with a head, if it is as long as it has to be. */
static bool read_description(struct head *to, const void *from, size_t size)
{
	if (!read_memory(to, from, sizeof(*to))) {
		heaps_left_out(unreadable, 1);
		return false;
	}
	if (to->version != VERSION || to->size < size) {
		heaps_left_out(version, 1);
		return false;
	}
	if (!read_memory(to, from, size)) {
		heaps_left_out(unreadable, 1);
		return false;
	}
	return true;
}

struct elements {
	const char *next;
	size_t left, stride, size;
	uintptr_t known;
};

static struct elements elements_of(const char *elements, size_t count, size_t stride, size_t size)
{
	if (stride < size || stride > PAGE) {
		heaps_left_out(version, count > 0);
		count = 0;
	} else if (count > BATCH_MAX) {
		heaps_left_out(too_many, 1);
		count = 0;
	}
	return (struct elements){elements, count, stride, size, NO_PAGE};
}

static bool next_element(struct elements *elements, void *to)
{
	if (!elements->left)
		return false;
	if (!can_read(elements->next, elements->size, &elements->known)) {
		heaps_left_out(unreadable, elements->left);
		return false;
	}
	memcpy(to, elements->next, elements->size);
	elements->next += elements->stride;
	elements->left--;
	return true;
}

/* -- what the extension calls -- */

static bool add_heap(const struct nvtx_named *domain, const struct heap_description *description,
		     const struct range *range)
{
	char of[TRACE_RANGE_NAME] = "", name[TRACE_RANGE_NAME];

	if (domain)
		read_characters(of, sizeof(of) - 1, domain->name, 1);
	read_message(name, description->message_type, description->message);
	return heaps_add(range->address, range->bytes, description->usage == SUB_ALLOCATOR, of,
			 name);
}

/* Returns the heap's handle. */
static void *register_heap(const struct nvtx_named *domain, const void *from)
{
	struct heap_description description;
	struct range range = {0};
	int saved = errno;
	bool added = false;

	if (!guest_enter(NULL))
		return NO_HEAP;
	if (read_description(&description.head, from, sizeof(description))) {
		if (description.type != TYPE_ADDRESS || description.size < sizeof(range) ||
		    (description.usage != SUB_ALLOCATOR && description.usage != LAYOUT))
			heaps_left_out(unknown_type, 1);
		else if (!read_memory(&range, description.range, sizeof(range)))
			heaps_left_out(unreadable, 1);
		else
			added = add_heap(domain, &description, &range);
	}
	guest_leave();
	errno = saved;
	return added ? (void *)(uintptr_t)range.address : NO_HEAP;
}

static void with_heap(uint64_t address, void (*work)(struct heap *))
{
	int saved = errno;
	struct heap *heap;

	if (!guest_enter(NULL))
		return;
	heap = heaps_find(address);
	if (heap)
		work(heap);
	guest_leave();
	errno = saved;
}

static void unregister_heap(const void *domain, uint64_t address)
{
	(void)domain;
	with_heap(address, heaps_remove);
}

static void reset_heap(const void *domain, uint64_t address)
{
	(void)domain;
	with_heap(address, heaps_empty);
}

static void add_regions(const struct new_regions *batch, struct heap *heap, uint32_t frame)
{
	struct range range;
	struct elements elements =
		elements_of(batch->elements, batch->count, batch->size, sizeof(range));
	char *handle = batch->handles;

	while (next_element(&elements, &range)) {
		if (heaps_add_region(heap, range.address, range.bytes, frame) && handle)
			write_handle(handle, range.address);
		if (handle)
			handle += sizeof(range.address);
	}
}

static void register_regions(const void *domain, const void *from)
{
	struct new_regions batch;
	int saved = errno;
	struct heap *heap;
	uint32_t frame;

	(void)domain;
	if (!guest_enter(&frame))
		return;
	if (read_description(&batch.head, from, sizeof(batch))) {
		if (batch.head.type != TYPE_ADDRESS)
			heaps_left_out(unknown_type, 1);
		else if ((heap = heaps_find(batch.heap)))
			add_regions(&batch, heap, frame);
	}
	guest_leave();
	errno = saved;
}

/* Does something with each element.  `asks`: whether for the caller's call path. */
static void with_regions(const void *from, size_t size, bool asks,
			 void (*work)(uint32_t type, const void *element, uint32_t frame))
{
	union {
		struct range range;
		struct region_name name;
	} element;
	struct elements elements;
	struct regions batch;
	int saved = errno;
	uint32_t frame = 0;

	if (!guest_enter(asks ? &frame : NULL))
		return;
	if (read_description(&batch.head, from, sizeof(batch))) {
		elements = elements_of(batch.elements, batch.count, batch.size, size);
		while (next_element(&elements, &element))
			work(batch.head.type, &element, frame);
	}
	guest_leave();
	errno = saved;
}

static void resize_region(uint32_t type, const void *element, uint32_t frame)
{
	const struct range *range = element;

	if (type == TYPE_ADDRESS)
		heaps_resize_region(range->address, range->bytes, frame);
	else
		heaps_left_out(unknown_type, 1);
}

static void resize_regions(const void *domain, const void *from)
{
	(void)domain;
	with_regions(from, sizeof(struct range), true, resize_region);
}

static bool is_known_reference(uint32_t type)
{
	bool known = type == BY_POINTER || type == BY_HANDLE;

	heaps_left_out(unknown_type, !known);
	return known;
}

static void unregister_region(uint32_t type, const void *element, uint32_t frame)
{
	const uint64_t *address = element;

	(void)frame;
	if (is_known_reference(type))
		heaps_remove_region(*address);
}

static void unregister_regions(const void *domain, const void *from)
{
	(void)domain;
	with_regions(from, sizeof(uint64_t), false, unregister_region);
}

static void name_region(uint32_t type, const void *element, uint32_t frame)
{
	const struct region_name *named = element;
	char name[TRACE_RANGE_NAME];

	(void)type;
	(void)frame;
	if (!is_known_reference(named->type))
		return;
	read_message(name, named->message_type, named->message);
	heaps_name_region(named->address, name);
}

static void name_regions(const void *domain, const void *from)
{
	(void)domain;
	with_regions(from, sizeof(struct region_name), false, name_region);
}

/* -- the start -- */

typedef void (*function)(void);

/* By their slots, NVTX3EXT_CBID_nvtxMem... */
static const function functions[] = {
	(function)register_heap,    (function)unregister_heap, (function)reset_heap,
	(function)register_regions, (function)resize_regions,  (function)unregister_regions,
	(function)name_regions,
};

static void put(const struct segment *segment)
{
	size_t count = sizeof(functions) / sizeof(*functions);

	for (size_t i = 0; segment->slots && i < segment->count && i < count; i++)
		__atomic_store_n(&segment->slots[i], (intptr_t)functions[i], __ATOMIC_RELEASE);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(struct module *module);

/* 0: the extension does nothing. */
int InitializeInjectionNvtxExtension(struct module *module)
{
	const char *folder = start_variable("VFLOW_TRACE_DIR");

	if (!folder || !*folder || !module || module->size < sizeof(*module))
		return 0;
	if (module->id != MODULE_MEMORY || !module->segments)
		return 1; /* it has no function of ours */
	if (module->version != VERSION) {
		__atomic_store_n(&other_version, true, __ATOMIC_RELAXED);
		return 1;
	}
	for (size_t i = 0; i < module->count; i++)
		if (module->segments[i].id == SEGMENT)
			put(&module->segments[i]);
	return 1;
}
