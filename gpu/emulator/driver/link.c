/*
 * gpu/emulator/driver/link.c: driver API: the linker, for one input that needs no other.
 *
 * The "linked" image is the PTX that was added: cuModuleLoadData takes it as it takes a cubin.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/device/device.h"
#include "gpu/emulator/driver/driver.h"
#include "gpu/emulator/device/fatbin.h"
#include "gpu/emulator/device/jit.h"
#include "gpu/emulator/device/module.h"
#include "gpu/emulator/device/observe.h"

#undef cuLinkCreate
#undef cuLinkAddData
#undef cuLinkAddFile

struct CUlinkState_st {
	char *image; /* with a NUL behind it; NULL: nothing added yet */
	size_t size;
	struct jit_log log;
	struct CUlinkState_st *next;
};

static struct CUlinkState_st *states;

static struct CUlinkState_st **find(CUlinkState state)
{
	struct CUlinkState_st **link = &states;

	while (*link && *link != state)
		link = &(*link)->next;
	return link;
}

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
			 CUlinkState *stateOut)
{
	const struct emulator_jit jit = {(const int *)options, optionValues, numOptions};
	CUlinkState made;
	int error = stateOut ? device_enter(true) : CUDA_ERROR_INVALID_VALUE;

	if (error)
		return RESULT(error);
	made = calloc(1, sizeof(*made));
	if (made) {
		made->log = jit_log_of(&jit);
		jit_log_write(&made->log, "");
		made->next = states;
		states = *stateOut = made;
	}
	device_leave();
	return RESULT(made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}
ALIAS(cuLinkCreate_v2, cuLinkCreate);

static int refuse(CUlinkState state, int result, const char *why)
{
	device_say("cuLinkAddData: %s", why);
	jit_log_write(&state->log, why);
	return result;
}

static int add(CUlinkState state, const void *data, size_t size)
{
	struct fatbin_ptx ptx;
	struct error error;

	if (state->image) {
		observe_coverage(COVERAGE_CALL_UNSUPPORTED, "cuLinkAddData of several modules", 1,
				 0);
		return refuse(state, NOT_SUPPORTED,
			      "linking several modules is not supported on the emulated device");
	}
	if (fatbin_find_ptx(data, size, 10 * EMULATOR_MAJOR + EMULATOR_MINOR, &ptx, &error))
		return refuse(state, INVALID_IMAGE, error.text);
	if (!module_is_ptx(ptx.text, ptx.size, &error)) {
		free(ptx.unpacked);
		return refuse(state, INVALID_PTX, error.text);
	}
	state->image = malloc(ptx.size + 1);
	if (state->image) {
		memcpy(state->image, ptx.text, ptx.size);
		state->image[ptx.size] = 0;
		state->size = ptx.size + 1;
	}
	free(ptx.unpacked);
	return state->image ? 0 : OUT_OF_MEMORY;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
			  const char *name, unsigned int numOptions, CUjit_option *options,
			  void **optionValues)
{
	int error = data && size ? device_enter(true) : CUDA_ERROR_INVALID_VALUE;

	(void)type;
	(void)name;
	(void)numOptions;
	(void)options;
	(void)optionValues;
	if (error)
		return RESULT(error);
	error = *find(state) ? add(state, data, size) : INVALID_HANDLE;
	device_leave();
	return RESULT(error);
}
ALIAS(cuLinkAddData_v2, cuLinkAddData);

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
			  unsigned int numOptions, CUjit_option *options, void **optionValues)
{
	size_t size;
	char *content;
	CUresult result;
	int error = path ? vflow_emulator_check(true) : CUDA_ERROR_INVALID_VALUE;

	if (error)
		return RESULT(error);
	content = driver_read_file(path, &size, &error);
	if (!content)
		return RESULT(error);
	result = DELEGATE(cuLinkAddData_v2(state, type, content, size, path, numOptions, options,
					   optionValues));
	free(content);
	return result;
}
ALIAS(cuLinkAddFile_v2, cuLinkAddFile);

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
	int error = cubinOut ? device_enter(true) : CUDA_ERROR_INVALID_VALUE;

	if (error)
		return RESULT(error);
	error = !*find(state) ? INVALID_HANDLE : state->image ? 0 : INVALID_VALUE;
	if (!error)
		*cubinOut = state->image;
	if (!error && sizeOut)
		*sizeOut = state->size;
	device_leave();
	return RESULT(error);
}

CUresult cuLinkDestroy(CUlinkState state)
{
	struct CUlinkState_st **link;
	int error = device_enter(true);

	if (error)
		return RESULT(error);
	link = find(state);
	if (*link) {
		*link = state->next;
		free(state->image);
		free(state);
	} else {
		error = INVALID_HANDLE;
	}
	device_leave();
	return RESULT(error);
}
