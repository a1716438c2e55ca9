/* advice/memory/report_code.h: which GPU code was loaded and never launched, as text and as JSON.
 */
#ifndef VFLOW_ADVICE_MEMORY_REPORT_CODE_H
#define VFLOW_ADVICE_MEMORY_REPORT_CODE_H

#include <stdint.h>
#include <stdio.h>

#include "advice/memory/report.h"
#include "util/json.h"

/* Of this process; nothing where no code is known. */
void report_code_print(const struct report_memory *report, uint32_t process, FILE *out);
/* A member `gpu_code`. */
void report_code_json(const struct report_memory *report, uint32_t process, struct json *json);

#endif
