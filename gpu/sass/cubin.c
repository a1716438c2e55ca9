/* gpu/sass/cubin.c: see cubin.h. */
#include "gpu/sass/cubin.h"

#include <string.h>

#define KERNEL 0x10 /* in st_other: the function is one */

static bool inside(uint64_t size, uint64_t offset, uint64_t length)
{
	return offset <= size && length <= size - offset;
}

bool cubin_open(struct cubin *cubin, const void *image, size_t size)
{
	Elf64_Ehdr header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, image, sizeof(header));
	*cubin = (struct cubin){.bytes = image,
				.size = size,
				.headers = header.e_shoff,
				.sections = header.e_shnum,
				.names = header.e_shstrndx};
	return !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
	       header.e_shentsize == sizeof(Elf64_Shdr) &&
	       inside(size, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)) &&
	       header.e_shstrndx < header.e_shnum;
}

static Elf64_Shdr header_of(const struct cubin *cubin, unsigned number)
{
	Elf64_Shdr header = {0};

	if (number < cubin->sections)
		memcpy(&header, cubin->bytes + cubin->headers + number * sizeof(header),
		       sizeof(header));
	return header;
}

static const char *bytes_of(const struct cubin *cubin, const Elf64_Shdr *header)
{
	return header->sh_type != SHT_NULL && header->sh_type != SHT_NOBITS &&
			       inside(cubin->size, header->sh_offset, header->sh_size)
		       ? cubin->bytes + header->sh_offset
		       : NULL;
}

/* The text at an offset of a section of texts. */
static const char *text_at(const struct cubin *cubin, unsigned section, uint64_t offset)
{
	Elf64_Shdr header = header_of(cubin, section);
	const char *texts = bytes_of(cubin, &header);

	if (!texts || offset >= header.sh_size ||
	    !memchr(texts + offset, 0, header.sh_size - offset))
		return "";
	return texts + offset;
}

struct cubin_section cubin_section(const struct cubin *cubin, unsigned number)
{
	Elf64_Shdr header = header_of(cubin, number);
	const char *bytes = bytes_of(cubin, &header);

	return (struct cubin_section){.name = text_at(cubin, cubin->names, header.sh_name),
				      .bytes = bytes,
				      .size = bytes ? header.sh_size : 0,
				      .type = header.sh_type,
				      .link = header.sh_link};
}

void cubin_each_symbol(const struct cubin *cubin,
		       bool (*each)(void *data, const struct cubin_symbol *symbol), void *data)
{
	for (unsigned i = 0; i < cubin->sections; i++) {
		struct cubin_section table = cubin_section(cubin, i);

		if (table.type != SHT_SYMTAB)
			continue;
		for (uint64_t k = 0; k < table.size / sizeof(Elf64_Sym); k++) {
			struct cubin_symbol symbol;
			Elf64_Sym from;

			memcpy(&from, table.bytes + k * sizeof(from), sizeof(from));
			symbol = (struct cubin_symbol){
				.name = text_at(cubin, table.link, from.st_name),
				.size = from.st_size,
				.value = from.st_value,
				.type = ELF64_ST_TYPE(from.st_info),
				.section = from.st_shndx,
				.is_kernel = ELF64_ST_TYPE(from.st_info) == STT_FUNC &&
					     from.st_other & KERNEL};
			if (!each(data, &symbol))
				return;
		}
	}
}
