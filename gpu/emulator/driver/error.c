/*
 * gpu/emulator/driver/error.c: names and descriptions of errors, in both APIs.
 */
#include "gpu/emulator/driver/driver.h"

static const struct {
	int number;
	const char *driver, *runtime; /* NULL: that API has no such error */
	const char *description;
} errors[] = {
#define ERROR(number, driver, runtime, description) {number, driver, runtime, description},
#include "gpu/errors.def"
};

const char *vflow_emulator_error_name(int error, bool runtime, const char **description)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].number == error) {
			*description = errors[i].description;
			return runtime ? errors[i].runtime : errors[i].driver;
		}
	return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
	const char *description;

	if (!pStr)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*pStr = vflow_emulator_error_name(error, false, &description);
	return RESULT(*pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
	const char *description = NULL;

	if (!pStr)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*pStr = vflow_emulator_error_name(error, false, &description) ? description : NULL;
	return RESULT(*pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
