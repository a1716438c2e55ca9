#include "collect/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/command.h"
#include "util/memory.h"

#define LINE_MAX_BYTES 4096 /* of "#!" lines; Linux reads 256 */
#define SCRIPT_DEPTH 5      /* scripts interpreted by scripts, as in Linux */
#define SEGMENTS_MAX 4096

/* 0 when the path is a file that may be executed, else errno. */
static int executable(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (!S_ISREG(status.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
		return EACCES;
	return 0;
}

char *target_search(const char *name)
{
	const char *path = getenv("PATH");
	int failure = ENOENT;

	if (!path)
		path = "/bin:/usr/bin";
	while (*name) {
		size_t length = strcspn(path, ":");
		char *candidate = length ? xasprintf("%.*s/%s", (int)length, path, name)
					 : xasprintf("./%s", name); /* empty: this folder */
		int result = executable(candidate);

		if (!result)
			return candidate;
		free(candidate);
		/* the shells go on, and remember that there was something */
		if (result == EACCES)
			failure = EACCES;
		if (!path[length])
			break;
		path += length + 1;
	}
	errno = failure;
	return NULL;
}

static bool is_loader(const char *path)
{
	char *real = realpath(path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	bool result = slash && (!strncmp(slash, "/ld-", 4) || !strncmp(slash, "/ld.so", 6));

	free(real);
	return result;
}

static enum target_kind elf_kind(int fd, const char *path, const Elf64_Ehdr *header)
{
	if (header->e_ident[EI_CLASS] != ELFCLASS64)
		return TARGET_32_BIT;
	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > SEGMENTS_MAX)
		return TARGET_UNKNOWN;
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return TARGET_UNKNOWN;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment;
		uint64_t at = header->e_phoff + i * sizeof(segment);

		if (at > INT64_MAX ||
		    pread(fd, &segment, sizeof(segment), (off_t)at) != sizeof(segment))
			return TARGET_UNKNOWN;
		if (segment.p_type == PT_INTERP)
			return TARGET_DYNAMIC;
	}
	/* the dynamic loader itself needs no loader, and preloads for what it runs */
	return is_loader(path) ? TARGET_DYNAMIC : TARGET_STATIC;
}

/* `line` gets the start of the file. */
static enum target_kind kind_of(const char *path, char line[LINE_MAX_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum target_kind kind = TARGET_DYNAMIC;
	ssize_t size;
	Elf64_Ehdr header = {0};

	line[0] = '\0';
	if (fd < 0)
		return kind; /* may be executed, may not be read */
	size = pread(fd, line, LINE_MAX_BYTES - 1, 0);
	if (size < 0)
		size = 0;
	line[size] = '\0';
	memcpy(&header, line, (size_t)size < sizeof(header) ? (size_t)size : sizeof(header));
	if (size >= SELFMAG && !memcmp(line, ELFMAG, SELFMAG))
		kind = elf_kind(fd, path, &header);
	else if (line[0] == '#' && line[1] == '!')
		kind = TARGET_SCRIPT;
	else
		kind = memchr(line, '\0', (size_t)size) ? TARGET_UNKNOWN : TARGET_TEXT;
	close(fd);
	return kind;
}

/* The program that `env ARGUMENTS` runs: the first word that is no option and no assignment. */
static const char *program_of_env(char *arguments)
{
	char *state = NULL;

	for (char *word = strtok_r(arguments, " \t", &state); word;
	     word = strtok_r(NULL, " \t", &state)) {
		if (!strcmp(word, "-u") || !strcmp(word, "-C"))
			strtok_r(NULL, " \t", &state);
		else if (!strncmp(word, "-S", 2) && word[2])
			return word + 2;
		else if (word[0] != '-' && !strchr(word, '='))
			return word;
	}
	return NULL;
}

/* What the "#!" line names, as a path; caller frees.  NULL with errno. */
static char *interpreter_of(char *line)
{
	char *start = line + 2 + strspn(line + 2, " \t"), *arguments;
	const char *base, *program;

	line[strcspn(line, "\r\n")] = '\0';
	arguments = start + strcspn(start, " \t");
	if (*arguments)
		*arguments++ = '\0';
	if (!*start) {
		errno = ENOEXEC;
		return NULL;
	}
	base = strrchr(start, '/');
	if (!base || strcmp(base, "/env") != 0 || !(program = program_of_env(arguments))) {
		errno = executable(start);
		return errno ? NULL : xstrdup(start);
	}
	if (!strchr(program, '/'))
		return target_search(program);
	errno = executable(program);
	return errno ? NULL : xstrdup(program);
}

static int exit_code(int failure)
{
	return failure == ENOENT || failure == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int follow_script(struct target *target, char *line, struct error *error)
{
	enum target_kind kind = target->kind;
	char *script = xstrdup(target->path);

	for (unsigned depth = 0; kind == TARGET_SCRIPT; depth++) {
		char *next = depth < SCRIPT_DEPTH ? interpreter_of(line) : NULL;
		int failure = depth < SCRIPT_DEPTH ? errno : ELOOP;

		if (!next) {
			error_set(error, "cannot run %s: the interpreter on its first line: %s",
				  script, strerror(failure));
			free(script);
			return exit_code(failure);
		}
		free(script);
		script = next;
		kind = kind_of(next, line);
	}
	target->interpreter = script;
	target->interpreter_kind = kind;
	return 0;
}

/* Whether the kernel starts it in "secure mode", in which the loader ignores LD_PRELOAD. */
static bool is_secure(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	return ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
	       ((status.st_mode & S_ISGID) && status.st_gid != getegid()) ||
	       (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

int target_find(const char *name, struct target *target, struct error *error)
{
	char line[LINE_MAX_BYTES];
	int failure = 0, code;

	*target = (struct target){0};
	if (strchr(name, '/')) {
		target->path = xstrdup(name);
		failure = executable(name);
	} else {
		target->path = target_search(name);
		failure = target->path ? 0 : errno;
	}
	if (failure) {
		if (failure == ENOENT && !strchr(name, '/'))
			error_set(error, "cannot run '%s': there is no such program in PATH%s",
				  name, access(name, X_OK) == 0 ? " (there is one here: ./)" : "");
		else
			error_set(error, "cannot run '%s': %s", name, strerror(failure));
		target_release(target);
		return exit_code(failure);
	}
	target->kind = kind_of(target->path, line);
	target->secure = is_secure(target->path);
	if (target->kind == TARGET_UNKNOWN) {
		error_set(error, "cannot run '%s': it is no program or script for this machine",
			  name);
		target_release(target);
		return EXIT_NOT_EXECUTABLE;
	}
	if (target->kind == TARGET_SCRIPT) {
		code = follow_script(target, line, error);
		if (code)
			target_release(target);
		return code;
	}
	return 0;
}

void target_release(struct target *target)
{
	free(target->path);
	free(target->interpreter);
	*target = (struct target){0};
}
