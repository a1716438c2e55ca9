/* advice/memory/report_devices.h: whose the memory of devices is, by the driver's own figures. */
#ifndef VFLOW_ADVICE_MEMORY_REPORT_DEVICES_H
#define VFLOW_ADVICE_MEMORY_REPORT_DEVICES_H

#include "advice/memory/report.h"
#include "util/json.h"

/* Of each device of the process, when that had allocated most: nothing where it is not known. */
void report_devices_print(const struct report_memory *report, uint32_t process, FILE *out);
/* The member `devices`. */
void report_devices_json(const struct profile *profile, uint32_t process, struct json *json);

#endif
