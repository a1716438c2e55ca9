#include "collect/library.h"

#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/provider.h"
#include "util/memory.h"

#define GUEST "libvflow-guest.so"

const char *const library_emulator[] = {"libcuda.so.1", "libcudart.so.13", "libcudart.so.12",
					"libcudart.so.11.0", NULL};

char *library_folder(struct error *error)
{
	static const char *const places[] = {"build/lib", "lib", "../lib/vflow"};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0) {
		error_set(error, "cannot find vflow's own folder: /proc is not mounted");
		return NULL;
	}
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char *guest = xasprintf("%s/%s/" GUEST, self, places[i]);
		char *real = realpath(guest, NULL);

		free(guest);
		if (real) {
			*strrchr(real, '/') = '\0';
			return real;
		}
	}
	error_set(error, "%s is not in %s/{%s,%s,%s}: build it with 'make' or install vflow again",
		  GUEST, self, places[0], places[1], places[2]);
	return NULL;
}

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
static int is_asan(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!strstr(info->dlpi_name, "libasan.so") && !strstr(info->dlpi_name, "libclang_rt.asan"))
		return 0;
	*(const char **)data = info->dlpi_name;
	return 1;
}

/* Libraries built with the sanitizer need its runtime, which wants to be the first library. */
static char *sanitizer_runtime(void)
{
	const char *path = NULL;

	dl_iterate_phdr(is_asan, &path);
	return xstrdup(path ? path : "");
}
#else
static char *sanitizer_runtime(void)
{
	return xstrdup("");
}
#endif

static char *joined(char *list, const char *more)
{
	char *longer = xasprintf("%s%s%s", list, *list && *more ? ":" : "", more);

	free(list);
	return longer;
}

char *library_preload(const char *folder, const char *users, struct error *error)
{
	char *list = sanitizer_runtime();

	if (strpbrk(folder, ": ")) {
		error_set(error,
			  "%s: vflow's folder has a space or a colon in its name, which "
			  "LD_PRELOAD cannot carry: move vflow",
			  folder);
		free(list);
		return NULL;
	}
	for (const char *const *name = library_emulator; *name; name++) {
		char *path = xasprintf("%s/emulator/%s", folder, *name);

		if (access(path, R_OK) == 0)
			list = joined(list, path);
		else if (name == library_emulator)
			error_set(error,
				  "%s is missing: build it with 'make' or install vflow again",
				  path);
		free(path);
	}
	if (!strstr(list, library_emulator[0])) {
		free(list);
		return NULL;
	}
	return joined(list, users ? users : "");
}

static bool any(const char *pattern)
{
	glob_t found;
	bool result = glob(pattern, 0, NULL, &found) == 0;

	if (result)
		globfree(&found);
	return result;
}

bool library_gpu_present(void)
{
	/* the kernel driver lists GPUs in /proc; a container may show that without the devices */
	return any("/dev/nvidia[0-9]*") && any("/proc/driver/nvidia/gpus/*");
}

char *library_provider(const char *folder)
{
	return xasprintf("%s/" GPU_PROVIDER_LIBRARY, folder);
}
