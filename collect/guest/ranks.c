/* collect/guest/ranks.c: see guest/ranks.h. */
#include "collect/guest/ranks.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	"RANK",         "LOCAL_RANK",     "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
	"PMIX_RANK",    "PMI_RANK",       "MPI_LOCALRANKID",      "MV2_COMM_WORLD_RANK",
	"PALS_RANKID",  "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK",   "HOROVOD_RANK",
	"SLURM_PROCID",
};

/* What is no number is no rank, and may be anything. */
static int is_number(const char *text)
{
	size_t length = strlen(text);

	return length && length <= 10 && strspn(text, "0123456789") == length;
}

void ranks_read(char text[RANKS_SIZE])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		/* as it is now: a program may have numbered its own processes */
		const char *value = getenv(names[i]);

		if (value && is_number(value))
			used += (size_t)snprintf(text + used, RANKS_SIZE - used, "%s%s=%s",
						 used ? " " : "", names[i], value);
	}
}
