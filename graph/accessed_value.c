/* graph/accessed_value.c: see accessed_value.h. */
#include "graph/accessed_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "gpu/value.h"
#include "util/memory.h"

const char *accessed_type_name(uint32_t type)
{
	static const char *const names[] = {
		[GPU_VALUE_RAW8] = "raw8",   [GPU_VALUE_RAW16] = "raw16",
		[GPU_VALUE_RAW32] = "raw32", [GPU_VALUE_RAW64] = "raw64",
		[GPU_VALUE_S8] = "s8",       [GPU_VALUE_S16] = "s16",
		[GPU_VALUE_S32] = "s32",     [GPU_VALUE_S64] = "s64",
		[GPU_VALUE_U8] = "u8",       [GPU_VALUE_U16] = "u16",
		[GPU_VALUE_U32] = "u32",     [GPU_VALUE_U64] = "u64",
		[GPU_VALUE_F16] = "f16",     [GPU_VALUE_BF16] = "bf16",
		[GPU_VALUE_F32] = "f32",     [GPU_VALUE_F64] = "f64",
	};

	return type < GPU_VALUE_TYPES ? names[type] : "?";
}

const char *accessed_kind_name(uint32_t kind)
{
	return kind == GPU_VALUE_LOAD ? "load" : kind == GPU_VALUE_STORE ? "store" : "atomic";
}

/* The number as short as it is still the same one of a float with so many digits at most. */
static char *shortest(double number, int most, bool single)
{
	for (int digits = 1; digits < most; digits++) {
		char *text = xasprintf("%.*g", digits, number);
		double read = strtod(text, NULL);

		if (single ? (float)read == (float)number : read == number)
			return text;
		free(text);
	}
	return xasprintf("%.*g", most, number);
}

char *accessed_number_text(uint32_t type, double number)
{
	const bool single =
		type == GPU_VALUE_F32 || type == GPU_VALUE_F16 || type == GPU_VALUE_BF16;

	return shortest(number, single ? 9 : 17, single);
}

char *accessed_line_text(uint32_t type, double slope, double intercept)
{
	char *by = accessed_number_text(type, slope), *from = accessed_number_text(type, intercept);
	char *text = xasprintf("%s%s%s%s%s", slope == 1 ? "" : by, slope == 1 ? "" : " * ", "i",
			       intercept ? " + " : "", intercept ? from : "");

	free(by);
	free(from);
	return text;
}

char *accessed_value_text(uint32_t type, uint64_t bits)
{
	const unsigned size = value_size(type);
	double number;

	if (size < 8)
		bits &= (UINT64_C(1) << 8 * size) - 1;
	if (type <= GPU_VALUE_RAW64)
		return bits ? xasprintf("0x%0*" PRIx64, (int)(2 * size), bits) : xstrdup("0");
	if (!value_is_float(type))
		return value_is_signed(type) ? xasprintf("%" PRId64, value_integer(type, bits))
					     : xasprintf("%" PRIu64, bits);
	number = value_number(type, bits);
	if (isnan(number))
		return xstrdup("NaN");
	return type == GPU_VALUE_F64 ? shortest(number, 17, false) : shortest(number, 9, true);
}
