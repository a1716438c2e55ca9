#include "util/start_environment.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { MOST = 2 << 20 }; /* bytes, what Linux takes for arguments and environment by default */

static char *block;       /* "NAME=value" with a NUL behind each, and one more; NULL: none */
static size_t block_size; /* without that one */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_block(void)
{
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	size_t room = 0;
	ssize_t count = fd >= 0;

	while (count > 0 && block_size < MOST) {
		if (room < block_size + 4096) {
			char *more = realloc(block, (room = 2 * room + 8192) + 1);

			if (!more)
				break;
			block = more;
		}
		count = read(fd, block + block_size, room - block_size);
		block_size += count > 0 ? (size_t)count : 0;
	}
	if (block)
		block[block_size] = 0;
	if (fd >= 0)
		close(fd);
}

const char *start_variable(const char *name)
{
	const char *value = secure_getenv(name);
	size_t length = strlen(name);

	if (value || getauxval(AT_SECURE))
		return value;
	pthread_once(&once, read_block);
	for (const char *at = block; at && at < block + block_size; at += strlen(at) + 1)
		if (!strncmp(at, name, length) && at[length] == '=')
			return at + length + 1;
	return NULL;
}
