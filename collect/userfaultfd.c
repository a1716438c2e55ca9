/* collect/userfaultfd.c: see userfaultfd.h. */
#include "collect/userfaultfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since Linux 6.8; headers may be older. */
#ifndef UFFD_FEATURE_MOVE
#define UFFD_FEATURE_MOVE (1 << 16)
#endif
/* Since Linux 6.4. */
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif

static bool protects;

bool userfaultfd_protects(void)
{
	return protects;
}

static int open_descriptor(void)
{
	int device, opened = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (opened >= 0 || errno != EPERM)
		return opened;
	device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	if (device < 0) {
		errno = EPERM;
		return -1;
	}
	opened = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC | O_NONBLOCK);
	close(device);
	return opened;
}

static int ask(int descriptor, uint64_t more)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_EXACT_ADDRESS |
			    UFFD_FEATURE_MINOR_SHMEM | UFFD_FEATURE_MOVE |
			    UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE |
			    UFFD_FEATURE_EVENT_UNMAP | more,
	};

	return ioctl(descriptor, UFFDIO_API, &api);
}

int userfaultfd_open(struct error *why)
{
	int opened = open_descriptor();

	if (opened < 0 && errno == EPERM)
		return error_set(why, "userfaultfd is not allowed here: run as root, or set "
				      "vm.unprivileged_userfaultfd=1; in a container, allow it in "
				      "the seccomp profile");
	if (opened < 0)
		return error_set(why, "userfaultfd: %s", strerror(errno));
	/* not all architectures have the first ones; a request that fails changes nothing */
	protects = ask(opened, UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM |
				       UFFD_FEATURE_WP_UNPOPULATED) == 0;
	if (protects || ask(opened, 0) == 0)
		return opened;
	close(opened);
	return error_set(why, "userfaultfd lacks what it takes: Linux 6.8 or newer is needed");
}
