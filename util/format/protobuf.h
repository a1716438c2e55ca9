/*
 * util/format/protobuf.h: messages of Protocol Buffers, field by field, into memory
 * (https://protobuf.dev/programming-guides/encoding).
 *
 * Fields are named by their numbers in the .proto file.
 */
#ifndef VFLOW_UTIL_FORMAT_PROTOBUF_H
#define VFLOW_UTIL_FORMAT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Zeroed: empty. */
struct protobuf {
	unsigned char *bytes;
	size_t size, capacity;
};

/* int64, uint64, bool, enum. */
void protobuf_number(struct protobuf *message, uint32_t field, uint64_t number);
void protobuf_fixed64(struct protobuf *message, uint32_t field, uint64_t number);
/* string; NULL: no field. */
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);
/* bytes, or a message that was made apart. */
void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size);
/* A number of a packed field, between protobuf_begin() and protobuf_end(). */
void protobuf_packed(struct protobuf *message, uint64_t number);
/* What is written between these two is a message in this field, or the numbers of a packed one. */
size_t protobuf_begin(struct protobuf *message, uint32_t field);
void protobuf_end(struct protobuf *message, size_t begin);

/* Writes what is there, and empties it.  Errors are left to the file's owner. */
void protobuf_write(struct protobuf *message, FILE *file);
/* It is empty then. */
void protobuf_release(struct protobuf *message);

#endif
