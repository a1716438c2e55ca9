/*
 * collect/guest/watch/pages.c: see pages.h.
 *
 * Pages of private memory are moved (UFFDIO_MOVE) to memory of ours and back, as pages: what is
 * there is not copied, and the kernel refuses those that a device uses.  Of shared memory only the
 * entries in the page table go; the next access finds the page in the page cache (MINOR).  Where
 * only writes matter pages are write-protected (WP), and what a device reads is left as it is.
 */
#include "collect/guest/watch/pages.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/userfaultfd.h"

/* Since Linux 6.8; headers may be older. */
#ifndef UFFDIO_MOVE
#define UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES ((__u64)1 << 1)
struct uffdio_move {
	__u64 dst, src, len, mode;
	__s64 move;
};
#define _UFFDIO_MOVE 0x05
#define UFFDIO_MOVE _IOWR(UFFDIO, _UFFDIO_MOVE, struct uffdio_move)
#endif

static int descriptor = -1;
static void (*read_changes)(void);

/* Whether a request that failed is to be made again. */
static bool again(void)
{
	if (errno != EAGAIN)
		return false;
	read_changes();
	return true;
}

int pages_open(void (*changing)(void), struct error *why)
{
	descriptor = userfaultfd_open(why);
	read_changes = changing;
	return descriptor;
}

static int register_range(uintptr_t start, size_t size, uint64_t mode)
{
	struct uffdio_register range = {.range = {start, size}, .mode = mode};

	return ioctl(descriptor, UFFDIO_REGISTER, &range);
}

void pages_unregister(uintptr_t start, size_t size)
{
	struct uffdio_range range = {start, size};

	/* a part may be unmapped, which fails for all */
	if (ioctl(descriptor, UFFDIO_UNREGISTER, &range) == 0)
		return;
	for (size_t offset = 0; offset < size; offset += PAGE_BYTES) {
		range = (struct uffdio_range){start + offset, PAGE_BYTES};
		ioctl(descriptor, UFFDIO_UNREGISTER, &range);
	}
}

/* Protects pages from being written, or no longer.  0 or -1. */
static int protect(uintptr_t start, size_t size, bool on)
{
	struct uffdio_writeprotect range = {.range = {start, size},
					    .mode = on ? UFFDIO_WRITEPROTECT_MODE_WP
						       : UFFDIO_WRITEPROTECT_MODE_DONTWAKE};
	int result;

	while ((result = ioctl(descriptor, UFFDIO_WRITEPROTECT, &range)) != 0 && again())
		;
	return result;
}

static int protect_all(const struct pages *pages, const char **why)
{
	*why = "the kernel cannot tell who writes there";
	if (!userfaultfd_protects())
		return -1;
	*why = "it is memory of a file or of a driver";
	if (register_range(pages->start, pages->size, UFFDIO_REGISTER_MODE_WP) != 0)
		return -1;
	if (protect(pages->start, pages->size, true) == 0)
		return 0;
	protect(pages->start, pages->size, false);
	pages_unregister(pages->start, pages->size);
	return -1;
}

static void wake(uintptr_t start, size_t size)
{
	struct uffdio_range range = {start, size};

	ioctl(descriptor, UFFDIO_WAKE, &range);
}

/* Bytes that were moved, holes among them; less than `size`: errno says why. */
static size_t move(uintptr_t to, uintptr_t from, size_t size)
{
	size_t done = 0;

	while (done < size) {
		struct uffdio_move move = {.dst = to + done,
					   .src = from + done,
					   .len = size - done,
					   .mode = UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES};
		int result = ioctl(descriptor, UFFDIO_MOVE, &move);

		if (move.move > 0)
			done += (size_t)move.move;
		if (result == 0)
			break;
		if (errno == EEXIST) /* somebody has filled a hole meanwhile */
			done += PAGE_BYTES;
		else if (!again())
			return done;
	}
	return size;
}

static int take_private(struct pages *pages, const char **why)
{
	void *kept = mmap(NULL, pages->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t moved;

	*why = "it cannot be taken from the program";
	if (kept == MAP_FAILED)
		return -1;
	pages->kept = (uintptr_t)kept;
	if (register_range(pages->kept, pages->size, UFFDIO_REGISTER_MODE_MISSING) != 0) {
		munmap(kept, pages->size);
		return -1;
	}
	moved = move(pages->kept, pages->start, pages->size);
	if (moved < pages->size && errno == EBUSY)
		*why = "a device or another process uses it";
	if (moved == pages->size)
		return 0;
	move(pages->start, pages->kept, moved);
	pages_release(pages);
	return -1;
}

int pages_take(struct pages *pages, const char **why)
{
	if (pages->written)
		return protect_all(pages, why);
	*why = "it is memory of a file or of a driver";
	/* the entries go before the range is registered: else we would have to read of that */
	if (register_range(pages->start, pages->size, UFFDIO_REGISTER_MODE_MINOR) == 0) {
		pages_unregister(pages->start, pages->size);
		if (madvise((void *)pages->start, pages->size, MADV_DONTNEED) != 0)
			return -1;
		pages->shared = true;
		return register_range(pages->start, pages->size, UFFDIO_REGISTER_MODE_MINOR);
	}
	if (register_range(pages->start, pages->size, UFFDIO_REGISTER_MODE_MISSING) != 0)
		return -1;
	if (take_private(pages, why) == 0)
		return 0;
	pages_unregister(pages->start, pages->size);
	return -1;
}

static void show_shared(uintptr_t page)
{
	struct uffdio_continue show = {.range = {page, PAGE_BYTES}};

	while (ioctl(descriptor, UFFDIO_CONTINUE, &show) != 0 && again())
		;
}

/* Pages that cannot be moved back are copied. */
static void copy(uintptr_t to, uintptr_t from, size_t size)
{
	for (size_t offset = 0; offset < size; offset += PAGE_BYTES) {
		struct uffdio_copy copy = {
			.dst = to + offset, .src = from + offset, .len = PAGE_BYTES};

		while (ioctl(descriptor, UFFDIO_COPY, &copy) != 0 && again())
			;
	}
}

void pages_give(const struct pages *pages, size_t offset, size_t size, uintptr_t to)
{
	if (pages->written) {
		/* a part may be unmapped, which fails for all */
		if (protect(to, size, false) != 0)
			for (size_t page = 0; page < size; page += PAGE_BYTES)
				protect(to + page, PAGE_BYTES, false);
	} else if (pages->shared) {
		for (size_t page = 0; page < size; page += PAGE_BYTES)
			show_shared(to + page);
	} else {
		size_t moved = move(to, pages->kept + offset, size);

		if (moved < size && errno != ENOENT)
			copy(to + moved, pages->kept + offset + moved, size - moved);
	}
	wake(to, size);
}

int pages_take_again(const struct pages *pages, size_t offset, size_t size)
{
	const uintptr_t start = pages->start + offset;

	if (pages->written)
		return protect(start, size, true);
	if (!pages->shared)
		return move(pages->kept + offset, start, size) == size ? 0 : -1;
	pages_unregister(start, size);
	if (madvise((void *)start, size, MADV_DONTNEED) != 0)
		return -1;
	return register_range(start, size, UFFDIO_REGISTER_MODE_MINOR);
}

void pages_drop(const struct pages *pages, size_t offset, size_t size)
{
	if (pages->shared || pages->written)
		return;
	pages_unregister(pages->kept, pages->size);
	madvise((void *)(pages->kept + offset), size, MADV_DONTNEED);
	register_range(pages->kept, pages->size, UFFDIO_REGISTER_MODE_MISSING);
}

void pages_fill(uintptr_t page)
{
	struct uffdio_zeropage zero = {.range = {page, PAGE_BYTES}};

	while (ioctl(descriptor, UFFDIO_ZEROPAGE, &zero) != 0 && again())
		;
	show_shared(page);
	wake(page, PAGE_BYTES);
}

void pages_release(const struct pages *pages)
{
	if (pages->shared || pages->written)
		return;
	/* unmapping memory that is registered would wait for us to read of it */
	pages_unregister(pages->kept, pages->size);
	munmap((void *)pages->kept, pages->size);
}
