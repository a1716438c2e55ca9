/*
 * gpu/emulator/device/context.c: CUDA contexts: who owns what, and which one a thread works in.
 *
 * They share the one device and its memory.  Threads keep a stack of current contexts.
 */
#include "gpu/emulator/device/context.h"

#define STACK_MAX 64

static struct emulator_context primary = {.alive = true};
static __thread struct emulator_context *stack[STACK_MAX];
static __thread unsigned depth;

struct emulator_context *context_primary(void)
{
	return &primary;
}

struct emulator_context *context_current(void)
{
	return depth && stack[depth - 1] && stack[depth - 1]->alive ? stack[depth - 1] : NULL;
}

void context_make_current(struct emulator_context *context)
{
	if (!depth)
		depth = 1;
	stack[depth - 1] = context;
}

int context_push(struct emulator_context *context)
{
	if (depth == STACK_MAX)
		return OUT_OF_MEMORY;
	stack[depth++] = context;
	return 0;
}

struct emulator_context *context_pop(void)
{
	return depth ? stack[--depth] : NULL;
}
