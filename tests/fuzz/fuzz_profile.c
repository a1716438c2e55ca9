/* Profiles: a damaged SQLite file is refused or read, and what is read can be used. */
#include "graph/profile/profile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_write("vflow.db", data, size);
	struct profile *profile;
	struct error error;

	if (!profile_is_profile(path))
		return 0;
	profile = profile_read(path, &error);
	if (!profile)
		return 0;
	for (uint32_t i = 0; i < profile->graph->vertex_count; i++) {
		uint32_t count;
		const struct profile_frame **path = profile_path(profile, i, &count);

		if (count)
			free(profile_frame_text(path[0]));
		free(path);
	}
	profile_read_events(profile, path, &error);
	profile_free(profile);
	return 0;
}
