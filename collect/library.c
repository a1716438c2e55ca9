#include "collect/library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/memory.h"

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
		char *guest = xasprintf("%s/%s/" LIBRARY_GUEST, self, places[i]);
		char *real = realpath(guest, NULL);

		free(guest);
		if (real) {
			*strrchr(real, '/') = '\0';
			return real;
		}
	}
	error_set(error, "%s is not in %s/{%s,%s,%s}: build it with 'make' or install vflow again",
		  LIBRARY_GUEST, self, places[0], places[1], places[2]);
	return NULL;
}
