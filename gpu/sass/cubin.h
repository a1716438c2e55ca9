/*
 * gpu/sass/cubin.h: sections and symbols of a cubin, the ELF image of a module's GPU code.
 *
 * An image is hostile: what lies outside it counts as missing, and nothing in it need be aligned.
 */
#ifndef VFLOW_GPU_SASS_CUBIN_H
#define VFLOW_GPU_SASS_CUBIN_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin {
	const char *bytes; /* the caller's */
	size_t size;
	Elf64_Off headers;
	unsigned sections, names; /* how many; the one that holds their names */
};

/* False: it is no ELF image, or its section headers are not all there. */
bool cubin_open(struct cubin *cubin, const void *image, size_t size);

struct cubin_section {
	const char *name;  /* "": it has none */
	const char *bytes; /* NULL: they are not all in the image, or it has none there */
	uint64_t size;     /* of `bytes` */
	uint32_t type;     /* SHT_... */
	uint32_t link;     /* of a table of symbols: the section of their names */
};
/* Of a number that the image lacks, one without anything. */
struct cubin_section cubin_section(const struct cubin *cubin, unsigned number);

struct cubin_symbol {
	const char *name; /* "": it has none */
	uint64_t size, value;
	unsigned type, section; /* STT_...; the section may be none of the image */
	bool is_kernel;         /* a function that can be launched */
};
/* Calls it with each symbol of all tables; false ends that. */
void cubin_each_symbol(const struct cubin *cubin,
		       bool (*each)(void *data, const struct cubin_symbol *symbol), void *data);

#endif
