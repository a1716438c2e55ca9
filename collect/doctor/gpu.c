/*
 * collect/doctor/gpu.c: what collecting on an NVIDIA GPU needs: driver, devices and the rights to
 * them, toolkit, Sanitizer, and nobody else who observes the program.
 */
#include "collect/doctor/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/library.h"
#include "collect/pass/pass.h"
#include "collect/doctor/probe.h"
#include "collect/target.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/text.h"

#define CONTAINER "in a container: start it with '--gpus all' (nvidia-container-toolkit)"

/* The first file that matches one of the patterns; caller frees; NULL: none. */
static char *find_file(const char *const *patterns)
{
	for (; *patterns; patterns++) {
		glob_t found;

		if (glob(*patterns, 0, NULL, &found) == 0) {
			char *path = xstrdup(found.gl_pathv[0]);

			globfree(&found);
			return path;
		}
	}
	return NULL;
}

/* -- the kernel's driver and the devices -------------------------------------------------- */

static bool check_kernel_driver(void)
{
	FILE *file = fopen("/sys/module/nvidia/version", "re");
	char version[64] = "";

	if (file && !fgets(version, sizeof(version), file))
		version[0] = '\0';
	if (file)
		fclose(file);
	version[strcspn(version, "\n")] = '\0';
	if (*version || access("/proc/driver/nvidia/version", R_OK) == 0) {
		doctor_line("ok", "kernel driver", "nvidia %s", version);
		return true;
	}
	doctor_line("missing", "kernel driver",
		    "the kernel has no NVIDIA driver: if there is a GPU, install nvidia-driver and "
		    "load it ('modprobe nvidia')");
	return false;
}

static bool check_device(const char *path, const char *if_missing)
{
	if (access(path, R_OK | W_OK) == 0)
		return true;
	if (errno == ENOENT)
		doctor_line("broken", "devices", "%s is missing: %s", path, if_missing);
	else
		doctor_line("broken", "devices",
			    "%s: %s: ask for the right to read and write it ('ls -l %s' names the "
			    "group), or " CONTAINER,
			    path, strerror(errno), path);
	return false;
}

static bool check_devices(void)
{
	bool good = check_device("/dev/nvidiactl", CONTAINER);
	size_t count = 0;
	glob_t found;

	if (!good)
		return false;
	if (glob("/dev/nvidia[0-9]*", 0, NULL, &found) == 0) {
		for (count = 0; count < found.gl_pathc; count++)
			good = check_device(found.gl_pathv[count], CONTAINER) && good;
		globfree(&found);
	} else {
		doctor_line("broken", "devices", "there is no /dev/nvidia0: " CONTAINER);
		good = false;
	}
	good = check_device("/dev/nvidia-uvm",
			    "make it with 'nvidia-modprobe -u -c 0', or " CONTAINER) &&
	       good;
	if (good)
		doctor_line("ok", "devices", "%zu GPU%s", count, text_plural(count, "", "s"));
	return good;
}

/* -- the driver's library ----------------------------------------------------------------- */

/* What a child learnt from libcuda.so.1. */
struct driver_facts {
	int found, error; /* what cuInit() or what follows it returned */
	int version, devices, major, minor;
	char name[128], path[256];
};

static void ask_driver(void *data)
{
	struct driver_facts *facts = data;
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	int (*init)(unsigned), (*version)(int *), (*count)(int *), (*get)(int *, int);
	int (*name)(char *, int, int), (*attribute)(int *, int, int);
	int device;
	Dl_info info;

	if (!library) {
		snprintf(facts->path, sizeof(facts->path), "%s", dlerror());
		return;
	}
	*(void **)&init = dlsym(library, "cuInit");
	*(void **)&version = dlsym(library, "cuDriverGetVersion");
	*(void **)&count = dlsym(library, "cuDeviceGetCount");
	*(void **)&get = dlsym(library, "cuDeviceGet");
	*(void **)&name = dlsym(library, "cuDeviceGetName");
	*(void **)&attribute = dlsym(library, "cuDeviceGetAttribute");
	if (!init || !version || !count || !get || !name || !attribute)
		return;
	facts->found = 1;
	if (dladdr(*(void **)&init, &info))
		snprintf(facts->path, sizeof(facts->path), "%s", info.dli_fname);
	version(&facts->version);
	facts->error = init(0);
	if (!facts->error)
		facts->error = count(&facts->devices);
	if (facts->error || !facts->devices || (facts->error = get(&device, 0)))
		return;
	name(facts->name, sizeof(facts->name), device);
	attribute(&facts->major, 75, device);
	attribute(&facts->minor, 76, device);
}

static const char *remedy(int error)
{
	switch (error) {
	case 34:
		return "this is the toolkit's stub: take its folder 'stubs' out of LD_LIBRARY_PATH";
	case 46:
		return "another process has the GPU for itself (nvidia-smi shows the compute mode)";
	case 100:
		return "it sees no GPU: look at CUDA_VISIBLE_DEVICES, and " CONTAINER;
	case 802:
		return "the machine's GPUs are not ready: start nvidia-fabricmanager, or wait";
	case 803:
		return "it is not of the kernel driver's version: reboot after an update of the "
		       "driver, or " CONTAINER;
	case 804:
		return "a compatibility library that this GPU does not allow: take cuda-compat "
		       "out of LD_LIBRARY_PATH";
	case 999:
		return "often /dev/nvidia-uvm is not usable ('nvidia-modprobe -u -c 0'), or the "
		       "GPU needs a reset ('nvidia-smi -r'); dmesg says more";
	default:
		return "see cudaError_t in NVIDIA's documentation";
	}
}

static bool check_driver_library(void)
{
	struct driver_facts facts = {0};
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");
	const bool told = doctor_ask(ask_driver, &facts, sizeof(facts));

	if (!told)
		doctor_line("broken", "CUDA driver", "cuInit() crashed or hung: dmesg may say why");
	else if (!facts.found)
		doctor_line("broken", "CUDA driver",
			    "%s: install the driver's library (libcuda1), or " CONTAINER,
			    *facts.path ? facts.path : "libcuda.so.1 lacks functions");
	else if (facts.error)
		doctor_line("broken", "CUDA driver", "%s: error %d: %s", facts.path, facts.error,
			    remedy(facts.error));
	else if (!facts.devices)
		doctor_line("broken", "CUDA driver", "%s: no GPU%s%s%s", facts.path,
			    visible ? ": CUDA_VISIBLE_DEVICES is '" : "", visible ? visible : "",
			    visible ? "'" : "");
	else
		doctor_line("ok", "CUDA driver", "CUDA %d.%d, %s, compute capability %d.%d",
			    facts.version / 1000, facts.version % 1000 / 10, facts.name,
			    facts.major, facts.minor);
	return told && facts.found && !facts.error && facts.devices;
}

/* -- toolkit, Sanitizer, other tools ------------------------------------------------------ */

static void check_toolkit(void)
{
	static const char *const places[] = {"/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc",
					     "/usr/local/cuda-*/bin/nvcc", NULL};
	char *toolkit = target_search("nvcc");

	if (!toolkit)
		toolkit = find_file(places);
	if (toolkit)
		doctor_line("ok", "CUDA toolkit", "%s", toolkit);
	else
		doctor_line("missing", "CUDA toolkit",
			    "no nvcc: install nvidia-cuda-toolkit or NVIDIA's own; it is needed to "
			    "build vflow's GPU part, not to use it");
	free(toolkit);
}

/* What else would like to be loaded into the program, or observes it already. */
static void check_others(void)
{
	const char *injected = getenv("CUDA_INJECTION64_PATH");

	if (injected && *injected)
		doctor_line(
			"note", "other tools",
			"CUDA_INJECTION64_PATH names %s: 'vflow collect' puts itself there, and "
			"that tool sees nothing; unset it to be sure",
			injected);
	if (getenv("NVTX_INJECTION64_PATH") || getenv("CUDA_DEBUGGER_SOFTWARE_PREEMPTION"))
		doctor_line(
			"note", "other tools",
			"the environment is another profiler's or debugger's: of the tools that "
			"use CUPTI or the Sanitizer only one can observe a process");
}

/* A provider needs a library of NVIDIA's, where it was at build time or where the loader looks. */
static bool check_provider(const char *folder, const struct pass_library *library, bool usable)
{
	char *path = xasprintf("%s/%s", folder, library->name), *needed = NULL;
	bool there = access(path, R_OK) == 0, good;

	if (!there)
		doctor_line(usable ? "broken" : "missing", "GPU provider",
			    "%s: install %s and build vflow again", path, library->install);
	good = there && doctor_check_loadable("GPU provider", path, NULL);
	if (there && !good)
		needed = find_file(library->needs_places);
	if (needed)
		doctor_line("broken", library->needs_title,
			    "%s is another than the provider was built with: build vflow again, or "
			    "name its folder in LD_LIBRARY_PATH",
			    needed);
	else if (there && !good)
		doctor_line("missing", library->needs_title, "no %s: install %s", library->needs,
			    library->install);
	free(needed);
	free(path);
	return good;
}

static const struct pass_library *library_of(uint32_t row)
{
	const struct pass_provider *provider = pass_provider(collect_passes[row], &device_gpu);

	return provider ? provider->library : NULL;
}

/*
 * Each library once, that of the whole graph first.  Whether that is well, without which programs
 * cannot be collected as `vflow collect` does by itself.
 */
static bool check_providers(const char *folder, bool usable)
{
	const uint32_t graph = pass_graph_of(collect_passes, UINT32_MAX);
	bool good = true;

	for (uint32_t row = 0; collect_passes[row]; row++)
		if ((graph >> row & 1) && library_of(row))
			good = check_provider(folder, library_of(row), usable);
	for (uint32_t row = 0; collect_passes[row]; row++) {
		const struct pass_library *library = library_of(row);
		bool checked = !library;

		for (uint32_t i = 0; !checked && collect_passes[i]; i++)
			checked = (i < row || graph >> i & 1) && library_of(i) == library;
		if (!checked)
			check_provider(folder, library, false);
	}
	return good;
}

static void run_probe(void *error)
{
	if (probe_run(error) == 0)
		((struct error *)error)->text[0] = '\0';
}

/* The program with the known answer, without vflow. */
static bool check_native(void)
{
	struct error error = {""};

	if (!doctor_ask(run_probe, &error, sizeof(error)))
		error_set(&error, "it crashed, or hung");
	if (!error.text[0]) {
		doctor_line("ok", "GPU", "computes what it should without vflow");
		return true;
	}
	doctor_line("broken", "GPU", "without vflow a small program fails: %s", error.text);
	return false;
}

bool doctor_check_gpu(bool *here)
{
	struct error error;
	char *folder = library_folder(&error); /* else the other device's section says why */
	bool kernel, good;

	puts("Collecting on a GPU:");
	*here = false;
	if (!folder)
		return true;
	kernel = check_kernel_driver();
	good = kernel && check_devices();
	if (kernel)
		good = check_driver_library() && good;
	check_toolkit();
	good = check_providers(folder, good) && good;
	if (good)
		doctor_check_cupti(folder);
	check_others();
	if (good)
		good = check_native() && doctor_check_known_answer("gpu");
	if (good)
		doctor_check_known_wait("gpu");
	free(folder);
	*here = kernel;
	return good || !kernel;
}
