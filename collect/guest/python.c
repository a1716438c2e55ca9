/*
 * collect/guest/python.c: the Python frames of the calling thread, CPython 3.11 to 3.13.
 *
 * Nothing of the interpreter is asked or changed: no object is made, no reference counted, and the
 * GIL is neither needed nor taken, since libraries release it around calls of CUDA.  The frames are
 * read where they lie.  Those of the calling thread cannot change or go away as long as it is
 * inside of this call, nor can their code objects, which they refer to.  All memory is probed
 * before it is read, once for each page and walk, as a build of the interpreter may have
 * another layout than the released one.
 *
 * The line is decoded on each walk from the code's location table, so that a code object that was
 * freed, and another made at its address, cannot be mistaken for each other.
 */
#include "collect/guest/guest.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)
#define TEXT_MAX 1024 /* bytes of a file or function: longer ones are cut */
#define TABLE_MAX (1 << 20)
#define PLACES_MAX (1 << 20)
#define OBJECT_SIZE 16 /* PyObject_VAR_HEAD: ob_size comes after it */
#define BYTES_START 32 /* PyBytesObject.ob_sval */
#define OWNED_BY_GENERATOR 1
#define OWNED_BY_C_STACK 3 /* from 3.12 on: between the frames of two calls of the interpreter */
#define HASH_START UINT32_C(0x811c9dc5)

static const struct layout { /* offsets, of the headers of the version on 64 bits */
	uint32_t version;    /* 0x30b: 3.11 */
	uint16_t thread_frame, cframe_frame;
	bool has_cframe;
	uint16_t code, previous, instruction, owner, is_entry; /* of a frame; is_entry: 0: none */
	uint16_t first_line, file, qualified_name, lines, first_traceable, bytecode; /* of code */
	uint16_t ascii, compact;                                                     /* of text */
} layouts[] = {
	{0x30b, 56, 8, true, 32, 48, 56, 69, 68, 72, 112, 128, 136, 168, 184, 48, 72},
	{0x30c, 56, 0, true, 0, 8, 56, 70, 0, 68, 112, 128, 136, 176, 192, 40, 56},
	{0x30d, 72, 0, false, 0, 8, 56, 70, 0, 68, 112, 128, 136, 184, 200, 40, 56},
};

static struct interpreter {
	uintptr_t start, end; /* of _PyEval_EvalFrameDefault() */
	uintptr_t module;     /* load bias of its file */
	void *(*this_thread)(void);
	char version[16]; /* "3.13" */
	const struct layout *layout;
	bool is_program; /* `python3` runs, which may only call the library */
} interpreter;

struct place { /* id = index + 1 */
	char *file, *function;
	uint32_t line;
};
static struct place *places;
static uint32_t place_count, place_capacity;
static struct table place_table;

/* -- finding the interpreter, in the loader's own tables -- */

struct symbols {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *hash; /* DT_GNU_HASH */
};

static uintptr_t pointer(uintptr_t bias, uintptr_t value)
{
	return value < bias ? bias + value : value;
}

static struct symbols read_symbols(uintptr_t bias, const ElfW(Dyn) * entry)
{
	struct symbols found = {0};

	for (; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_SYMTAB)
			found.symbols = (const void *)pointer(bias, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_STRTAB)
			found.strings = (const void *)pointer(bias, entry->d_un.d_ptr);
		else if (entry->d_tag == DT_GNU_HASH)
			found.hash = (const void *)pointer(bias, entry->d_un.d_ptr);
	return found;
}

static const ElfW(Sym) * find_symbol(const struct symbols *in, const char *name)
{
	uint32_t hash = 5381, buckets, first, index;
	const uint32_t *bucket, *chain;

	if (!in->hash || !in->symbols || !in->strings || !in->hash[0])
		return NULL;
	for (const char *at = name; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	buckets = in->hash[0];
	first = in->hash[1];
	bucket = in->hash + 4 + in->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	chain = bucket + buckets;
	index = bucket[hash % buckets];
	for (; index && index >= first; index++) {
		const ElfW(Sym) *symbol = &in->symbols[index];

		if ((chain[index - first] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    !strcmp(in->strings + symbol->st_name, name))
			return symbol;
		if (chain[index - first] & 1)
			break;
	}
	return NULL;
}

static bool runs_python(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *slash;

	path[length > 0 ? length : 0] = '\0';
	slash = strrchr(path, '/');
	return slash && !strncmp(slash + 1, "python", 6);
}

void python_find(uintptr_t bias, const void *dynamic)
{
	struct symbols in = read_symbols(bias, dynamic);
	const ElfW(Sym) *eval = find_symbol(&in, "_PyEval_EvalFrameDefault");
	const ElfW(Sym) *thread = find_symbol(&in, "PyGILState_GetThisThreadState");
	const ElfW(Sym) *version = find_symbol(&in, "Py_GetVersion");
	const char *text;
	unsigned major, minor;

	if (!eval || !thread || !version)
		return;
	interpreter = (struct interpreter){
		.start = bias + eval->st_value,
		.end = bias + eval->st_value + eval->st_size,
		.module = bias,
		.this_thread = (void *(*)(void))(bias + thread->st_value),
		.is_program = runs_python(),
	};
	text = ((const char *(*)(void))(bias + version->st_value))();
	if (!text || sscanf(text, "%u.%u", &major, &minor) != 2 || major > 99 || minor > 99)
		return;
	snprintf(interpreter.version, sizeof(interpreter.version), "%u.%u", major, minor);
	if (strstr(text, "free-threading"))
		return;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].version == (major << 8 | minor))
			interpreter.layout = &layouts[i];
}

void python_forget(void)
{
	interpreter = (struct interpreter){0};
}

bool python_runs(void)
{
	return interpreter.start;
}

bool python_is_eval(uintptr_t address)
{
	return address >= interpreter.start && address < interpreter.end;
}

bool python_is_interpreter(const struct module_range *range)
{
	return interpreter.start &&
	       (range->bias == interpreter.module || (!range->path && interpreter.is_program));
}

/* -- reading memory -- */

static uint64_t good_pages[64]; /* of this walk: numbers of pages that can be read */

static bool can_read(uintptr_t address, size_t size)
{
	if (address < PAGE || size > TABLE_MAX || address + size < address)
		return false;
	for (uint64_t page = address / PAGE; page <= (address + size - 1) / PAGE; page++) {
		uint64_t *good = &good_pages[page % 64];

		if (*good == page)
			continue;
		if (!unwinder_can_read(page * PAGE))
			return false;
		*good = page;
	}
	return true;
}

static bool read_at(uintptr_t address, void *to, size_t size)
{
	if (!can_read(address, size))
		return false;
	memcpy(to, (const void *)address, size);
	return true;
}

static bool read_pointer(uintptr_t address, uintptr_t *to)
{
	return read_at(address, to, sizeof(*to));
}

static bool read_number(uintptr_t address, int *to)
{
	return read_at(address, to, sizeof(*to));
}

/*
 * As UTF-8, 1 to 4 bytes; returns how many.  Python stands a byte of a file's name that is no UTF-8
 * for 0xdc00 and the byte: here it is the byte again.
 */
static size_t encode(uint32_t character, char to[4])
{
	static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
	size_t more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;

	if (character >= 0xdc80 && character <= 0xdcff) {
		to[0] = (char)character;
		return 1;
	}
	if (!character || character > 0x10ffff || (character & ~UINT32_C(0x7ff)) == 0xd800) {
		to[0] = '?';
		return 1;
	}
	for (size_t i = more; i > 0; i--, character >>= 6)
		to[i] = (char)(0x80 | (character & 0x3f));
	to[0] = (char)(first[more] | character);
	return more + 1;
}

/* A str, as UTF-8. */
static bool read_text(uintptr_t object, char text[TEXT_MAX + 1])
{
	const struct layout *layout = interpreter.layout;
	int64_t length;
	uint32_t state, kind;
	uintptr_t data;
	size_t used = 0;

	if (!read_at(object + OBJECT_SIZE, &length, sizeof(length)) ||
	    !read_at(object + 32, &state, sizeof(state)) || length < 0)
		return false;
	if (length > TEXT_MAX)
		length = TEXT_MAX;
	kind = state >> 2 & 7;
	if (!(state >> 5 & 1) || (kind != 1 && kind != 2 && kind != 4)) /* not compact */
		return false;
	data = object + (state >> 6 & 1 ? layout->ascii : layout->compact);
	if (length && !can_read(data, (size_t)length * kind))
		return false;
	for (int64_t i = 0; i < length && used + 4 <= TEXT_MAX; i++) {
		uint32_t character = 0;

		memcpy(&character, (const char *)data + i * kind, kind);
		used += encode(character, text + used);
	}
	text[used] = '\0';
	return true;
}

/* -- lines -- */

struct bytes {
	const unsigned char *at, *end;
};

static uint32_t next_number(struct bytes *from)
{
	uint32_t value = 0, shift = 0;

	while (from->at < from->end && shift < 30) {
		unsigned char byte = *from->at++;

		value |= (uint32_t)(byte & 63) << shift;
		shift += 6;
		if (!(byte & 64))
			break;
	}
	return value;
}

/*
 * Of the instruction at this offset in the bytecode, 0: it has none.  `line`: of the code's start.
 * Objects/locations.md of CPython 3.11.
 */
static uint32_t find_line(uintptr_t table, uint32_t line, uint64_t offset)
{
	int64_t size;
	struct bytes bytes;
	uint64_t end = 0;

	if (!read_at(table + OBJECT_SIZE, &size, sizeof(size)) || size <= 0 || size > TABLE_MAX ||
	    !can_read(table + BYTES_START, (size_t)size))
		return 0;
	bytes.at = (const unsigned char *)table + BYTES_START;
	bytes.end = bytes.at + size;
	while (bytes.at < bytes.end) {
		unsigned char first = *bytes.at++;
		unsigned code = first >> 3 & 15;
		uint32_t number;

		end += 2 * ((first & 7) + UINT64_C(1));
		if (code == 13 || code == 14) {
			number = next_number(&bytes);
			line += number & 1 ? -(number >> 1) : number >> 1;
		} else if (code >= 10 && code <= 12) {
			line += code - 10;
		}
		while (bytes.at < bytes.end && !(*bytes.at & 128))
			bytes.at++;
		if (offset < end)
			return code == 15 ? 0 : line;
	}
	return 0;
}

/* -- frames -- */

static int write_place(const struct place *place, uint32_t id)
{
	union {
		struct trace_python record;
		char bytes[sizeof(struct trace_python) + 2 * TEXT_MAX + 2];
	} u = {.record = {.record = {.type = TRACE_PYTHON}, .id = id, .line = place->line}};
	size_t at = offsetof(struct trace_python, text), size = strlen(place->file) + 1;

	memcpy(u.bytes + at, place->file, size);
	at += size;
	size = strlen(place->function) + 1;
	memcpy(u.bytes + at, place->function, size);
	return guest_append(&u.record.record, at + size);
}

/* The id of the place; 0 on failure. */
static uint32_t intern_place(const char *file, const char *function, uint32_t line)
{
	uint32_t hash = table_hash(HASH_START ^ line * UINT32_C(0x9e3779b1), file, strlen(file));
	uint32_t id, position = 0;
	struct place place = {.line = line};
	void *moved;

	hash = table_hash(hash, function, strlen(function));
	while ((id = table_find(&place_table, hash, &position))) {
		const struct place *other = &places[id - 1];

		if (other->line == line && !strcmp(other->function, function) &&
		    !strcmp(other->file, file))
			return id;
	}
	if (place_count >= PLACES_MAX)
		return 0;
	moved = guest_reserve(places, place_count, &place_capacity, sizeof(*places));
	if (moved)
		places = moved;
	place.file = strdup(file);
	place.function = strdup(function);
	if (!moved || !place.file || !place.function ||
	    table_add(&place_table, hash, place_count + 1) != 0) {
		free(place.file);
		free(place.function);
		return 0;
	}
	places[place_count++] = place;
	return write_place(&place, place_count) == 0 ? place_count : 0;
}

/* *id: 0: the interpreter has not begun it, or made it for itself.  False: it cannot be read. */
static bool read_frame(uintptr_t frame, unsigned char owner, uint32_t *id)
{
	static char file[TEXT_MAX + 1], function[TEXT_MAX + 1]; /* the lock is held */
	const struct layout *layout = interpreter.layout;
	uintptr_t code, instruction, table, name, path;
	int first_line, first_traceable;
	uint32_t line;
	int64_t offset;

	*id = 0;
	if (!read_pointer(frame + layout->code, &code) ||
	    !read_pointer(frame + layout->instruction, &instruction) ||
	    !read_number(code + layout->first_traceable, &first_traceable))
		return false;
	offset = (int64_t)(instruction - (code + layout->bytecode));
	if (owner != OWNED_BY_GENERATOR && offset / 2 < first_traceable)
		return true;
	if (!read_number(code + layout->first_line, &first_line) ||
	    !read_pointer(code + layout->lines, &table) ||
	    !read_pointer(code + layout->qualified_name, &name) ||
	    !read_pointer(code + layout->file, &path) || !read_text(name, function) ||
	    !read_text(path, file))
		return false;
	line = offset < 0 ? 0 : find_line(table, (uint32_t)first_line, (uint64_t)offset);
	*id = intern_place(file, function, line <= INT_MAX ? line : 0);
	return *id != 0;
}

/* The innermost frame of this thread; 0: none.  False: it cannot be read. */
static bool innermost(uintptr_t *frame)
{
	const struct layout *layout = interpreter.layout;
	uintptr_t thread = (uintptr_t)interpreter.this_thread();

	*frame = 0;
	if (!thread)
		return true;
	if (!layout->has_cframe)
		return read_pointer(thread + layout->thread_frame, frame);
	return read_pointer(thread + layout->thread_frame, &thread) &&
	       read_pointer(thread + layout->cframe_frame, frame);
}

/*
 * An interpreter's call ends with its outermost frame: one that says so in 3.11, and later one that
 * is none of Python's.
 */
static bool read_frames(uint32_t *into, uint32_t room, uint32_t *count, uint32_t *calls)
{
	const struct layout *layout = interpreter.layout;
	uintptr_t frame;

	*count = *calls = 0;
	if (!innermost(&frame))
		return false;
	for (uint32_t walked = 0; frame; walked++) {
		unsigned char owner, is_entry = 0;
		uint32_t id = 0;
		bool border;

		if (walked == room || *count + 2 > room ||
		    !read_at(frame + layout->owner, &owner, 1) ||
		    (layout->is_entry && !read_at(frame + layout->is_entry, &is_entry, 1)))
			return false;
		border = layout->is_entry ? is_entry : owner == OWNED_BY_C_STACK;
		if ((layout->is_entry || !border) && !read_frame(frame, owner, &id))
			return false;
		if (id)
			into[(*count)++] = id;
		if (border) {
			into[(*count)++] = PYTHON_CALL;
			++*calls;
		}
		if (!read_pointer(frame + layout->previous, &frame))
			return false;
	}
	return true;
}

uint32_t python_frames(uint32_t *into, uint32_t room, uint32_t calls)
{
	uint32_t count, found;

	if (!calls)
		return 0;
	memset(good_pages, 0, sizeof(good_pages));
	if (interpreter.layout && read_frames(into, room, &count, &found) && found == calls)
		return count;
	coverage_add(COVERAGE_PYTHON_FRAMES, interpreter.version, 1, 0);
	return 0;
}
