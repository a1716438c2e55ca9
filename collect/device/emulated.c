/*
 * collect/device/emulated.c: CUDA on the CPU.  Libraries of the CUDA driver and runtime that are
 * our own are preloaded into the target; they load the guest.
 */
#include "collect/device/device.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/doctor/doctor.h"
#include "collect/library.h"
#include "util/memory.h"

/* What a program may link, in the order in which it is preloaded. */
static const char *const emulator[] = {"libcuda.so.1", "libcudart.so.13", "libcudart.so.12",
				       "libcudart.so.11.0", NULL};

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

/*
 * The value of LD_PRELOAD: the sanitizer's runtime, the user's own libraries (may be NULL), so that
 * those come first which want to, or stand before the CUDA libraries; then every library of the
 * emulator that is there.  Caller frees; NULL on failure.
 */
static char *preload_list(const char *libraries, const char *runtime, const char *users,
			  struct error *error)
{
	char *list = joined(xstrdup(runtime), users ? users : "");
	bool found = false;

	if (strpbrk(libraries, ": ")) {
		error_set(error,
			  "%s: vflow's folder has a space or a colon in its name, which "
			  "LD_PRELOAD cannot carry: move vflow",
			  libraries);
		free(list);
		return NULL;
	}
	for (const char *const *name = emulator; *name; name++) {
		char *path = xasprintf("%s/emulator/%s", libraries, *name);

		if (access(path, R_OK) == 0) {
			list = joined(list, path);
			found |= name == emulator;
		} else if (name == emulator) {
			error_set(error,
				  "%s is missing: build it with 'make' or install vflow again",
				  path);
		}
		free(path);
	}
	if (!found) {
		free(list);
		return NULL;
	}
	return list;
}

static int put_guest(const char *libraries, struct environment *environment, struct error *error)
{
	char *runtime = sanitizer_runtime();
	char *preload = preload_list(libraries, runtime, getenv("LD_PRELOAD"), error);
	char *guest;

	if (!preload) {
		free(runtime);
		return -1;
	}
	guest = xasprintf("%s/" LIBRARY_GUEST, libraries);
	environment_set(environment, "LD_PRELOAD", preload);
	environment_set(environment, "VFLOW_GUEST", guest);
	/* in a build with the address sanitizer the target's own leaks are nobody's business */
	if (*runtime && !getenv("LSAN_OPTIONS"))
		environment_set(environment, "LSAN_OPTIONS", "detect_leaks=0");
	free(guest);
	free(preload);
	free(runtime);
	return 0;
}

static bool check_libraries(const char *folder)
{
	char *path = xasprintf("%s/" LIBRARY_GUEST, folder);
	char *driver = xasprintf("%s/emulator/%s", folder, emulator[0]);
	bool good = doctor_check_loadable("guest", path, NULL);

	free(path);
	for (const char *const *name = emulator; *name; name++) {
		path = xasprintf("%s/emulator/%s", folder, *name);
		good &= doctor_check_loadable("emulated device", path, driver);
		free(path);
	}
	free(driver);
	return good;
}

static bool doctor(bool *here)
{
	struct error error;
	char *folder = library_folder(&error);
	bool good = false;

	puts("Collecting on the emulated device:");
	*here = true;
	if (folder) {
		good = check_libraries(folder);
		good = doctor_check_known_answer("emulated") && good;
		doctor_check_known_wait("emulated");
	} else {
		doctor_line("broken", "guest", "%s", error.text);
	}
	free(folder);
	return doctor_check_output() && good;
}

const struct device device_emulated = {
	.name = "emulated",
	.where = "on the emulated device",
	.preloaded = true,
	.static_refusal = "the emulated device cannot be put under it: link it dynamically, or use "
			  "--device gpu on a machine with a GPU",
	.put_guest = put_guest,
	.doctor = doctor,
};
