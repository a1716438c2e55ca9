/* util/format/protobuf.c: see protobuf.h. */
#include "util/format/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };
enum { VARINT_MOST = 10 };

/* Room for as many more bytes. */
static unsigned char *reserve(struct protobuf *message, size_t more)
{
	while (message->capacity - message->size < more) {
		size_t capacity = message->capacity ? message->capacity : 64;

		message->bytes = xreallocarray(message->bytes, capacity, 2);
		message->capacity = 2 * capacity;
	}
	return message->bytes + message->size;
}

static size_t encode(unsigned char bytes[VARINT_MOST], uint64_t number)
{
	size_t size = 0;

	for (; number > 0x7f; number >>= 7)
		bytes[size++] = (unsigned char)(number | 0x80);
	bytes[size++] = (unsigned char)number;
	return size;
}

void protobuf_packed(struct protobuf *message, uint64_t number)
{
	message->size += encode(reserve(message, VARINT_MOST), number);
}

static void put_tag(struct protobuf *message, uint32_t field, enum wire_type type)
{
	protobuf_packed(message, (uint64_t)field << 3 | type);
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t number)
{
	put_tag(message, field, WIRE_VARINT);
	protobuf_packed(message, number);
}

void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t number)
{
	put_tag(message, field, WIRE_FIXED64);
	reserve(message, 8);
	for (int i = 0; i < 8; i++)
		message->bytes[message->size++] = (unsigned char)(number >> 8 * i);
}

void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size)
{
	put_tag(message, field, WIRE_BYTES);
	protobuf_packed(message, size);
	reserve(message, size);
	if (size)
		memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	if (text)
		protobuf_bytes(message, field, text, strlen(text));
}

size_t protobuf_begin(struct protobuf *message, uint32_t field)
{
	put_tag(message, field, WIRE_BYTES);
	return message->size;
}

/* The size goes before what is there already. */
void protobuf_end(struct protobuf *message, size_t begin)
{
	unsigned char size[VARINT_MOST];
	size_t length = encode(size, message->size - begin);

	reserve(message, length);
	memmove(message->bytes + begin + length, message->bytes + begin, message->size - begin);
	memcpy(message->bytes + begin, size, length);
	message->size += length;
}

void protobuf_write(struct protobuf *message, FILE *file)
{
	if (message->size)
		fwrite(message->bytes, 1, message->size, file);
	message->size = 0;
}

void protobuf_release(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){0};
}
