/*
 * gpu/emulator/device/print.c: what device code prints, kept until the program synchronizes.
 *
 * It is the program's own output: it goes to the program's stdout, in order with what the host
 * prints there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/device/device.h"

#define KEPT_LIMIT (1u << 20) /* bytes; beyond, they are printed at once */

static char *kept;
static size_t kept_size;

void print_flush(void)
{
	if (!kept_size)
		return;
	fwrite(kept, 1, kept_size, stdout);
	kept_size = 0;
}

void print_add(const char *text, size_t size)
{
	if (!kept)
		kept = malloc(KEPT_LIMIT);
	if (!kept || size > KEPT_LIMIT) {
		print_flush();
		fwrite(text, 1, size, stdout);
		return;
	}
	if (size > KEPT_LIMIT - kept_size)
		print_flush();
	memcpy(kept + kept_size, text, size);
	kept_size += size;
}
