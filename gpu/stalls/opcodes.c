/* gpu/stalls/opcodes.c: see opcodes.h. */
#include "gpu/stalls/opcodes.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	enum stall_opcode opcode;
	bool atomic;
} names[] = {
	{"LDG", OPCODE_GLOBAL, false},
	{"LD", OPCODE_GLOBAL, false},
	{"LDGSTS", OPCODE_GLOBAL, false},
	{"LDGMC", OPCODE_GLOBAL, false},
	{"ATOM", OPCODE_GLOBAL, true},
	{"ATOMG", OPCODE_GLOBAL, true},
	{"RED", OPCODE_GLOBAL_STORE, true},
	{"REDG", OPCODE_GLOBAL_STORE, true},
	{"TEX", OPCODE_GLOBAL, false},
	{"TLD", OPCODE_GLOBAL, false},
	{"TLD4", OPCODE_GLOBAL, false},
	{"TXD", OPCODE_GLOBAL, false},
	{"SULD", OPCODE_GLOBAL, false},
	{"STG", OPCODE_GLOBAL_STORE, false},
	{"ST", OPCODE_GLOBAL_STORE, false},
	{"SUST", OPCODE_GLOBAL_STORE, false},
	{"LDL", OPCODE_LOCAL, false},
	{"STL", OPCODE_LOCAL, false},
	{"LDS", OPCODE_SHARED, false},
	{"LDSM", OPCODE_SHARED, false},
	{"STS", OPCODE_SHARED, false},
	{"STSM", OPCODE_SHARED, false},
	{"ATOMS", OPCODE_SHARED, true},
	{"LDC", OPCODE_CONSTANT, false},
	{"F2F", OPCODE_CONVERSION, false},
	{"F2I", OPCODE_CONVERSION, false},
	{"I2F", OPCODE_CONVERSION, false},
	{"I2I", OPCODE_CONVERSION, false},
	{"FRND", OPCODE_CONVERSION, false},
	{"MUFU", OPCODE_TRANSCENDENTAL, false},
	{"DADD", OPCODE_DOUBLE, false},
	{"DMUL", OPCODE_DOUBLE, false},
	{"DFMA", OPCODE_DOUBLE, false},
	{"DSETP", OPCODE_DOUBLE, false},
	{"DMMA", OPCODE_DOUBLE, false},
	{"S2R", OPCODE_SPECIAL, false},
	{"S2UR", OPCODE_SPECIAL, false},
	{"SHFL", OPCODE_SPECIAL, false},
	{"MATCH", OPCODE_SPECIAL, false},
	{"POPC", OPCODE_SPECIAL, false},
	{"FLO", OPCODE_SPECIAL, false},
	{"BREV", OPCODE_SPECIAL, false},
	{"REDUX", OPCODE_SPECIAL, false},
	{"BAR", OPCODE_SYNCHRONIZATION, false},
	{"MEMBAR", OPCODE_SYNCHRONIZATION, false},
	{"ERRBAR", OPCODE_SYNCHRONIZATION, false},
	{"WARPSYNC", OPCODE_SYNCHRONIZATION, false},
	{"WARPGROUP", OPCODE_SYNCHRONIZATION, false},
	{"NANOSLEEP", OPCODE_SYNCHRONIZATION, false},
	{"SYNCS", OPCODE_SYNCHRONIZATION, false},
	{"UCGABAR_WAIT", OPCODE_SYNCHRONIZATION, false},
	{"BRA", OPCODE_CONTROL, false},
	{"BRX", OPCODE_CONTROL, false},
	{"BRXU", OPCODE_CONTROL, false},
	{"JMP", OPCODE_CONTROL, false},
	{"JMX", OPCODE_CONTROL, false},
	{"CALL", OPCODE_CONTROL, false},
	{"RET", OPCODE_CONTROL, false},
	{"EXIT", OPCODE_CONTROL, false},
	{"BSYNC", OPCODE_CONTROL, false},
	{"BREAK", OPCODE_CONTROL, false},
};

static size_t row_of(const struct sass_instruction *instruction)
{
	size_t i = 0;

	for (; i < sizeof(names) / sizeof(*names); i++)
		if (sass_is(instruction, names[i].name))
			break;
	return i;
}

enum stall_opcode stall_opcode_of(const struct sass_instruction *instruction)
{
	size_t row = row_of(instruction);

	return row < sizeof(names) / sizeof(*names) ? names[row].opcode : OPCODE_FIXED;
}

bool stall_is_atomic(const struct sass_instruction *instruction)
{
	size_t row = row_of(instruction);

	return row < sizeof(names) / sizeof(*names) && names[row].atomic;
}

bool stall_is_long(enum stall_opcode opcode)
{
	return opcode == OPCODE_GLOBAL || opcode == OPCODE_GLOBAL_STORE || opcode == OPCODE_LOCAL;
}

const char *stall_opcode_words(const struct sass_instruction *instruction)
{
	const bool stores = !strncmp(instruction->opcode, "ST", 2);

	switch (stall_opcode_of(instruction)) {
	case OPCODE_GLOBAL:
	case OPCODE_GLOBAL_STORE:
		if (stall_is_atomic(instruction))
			return "an atomic operation on global memory";
		return stores ? "a store to global memory" : "a load of global memory";
	case OPCODE_LOCAL:
		return stores ? "a store to local memory" : "a load of local memory";
	case OPCODE_SHARED:
		if (stall_is_atomic(instruction))
			return "an atomic operation on shared memory";
		return stores ? "a store to shared memory" : "a load of shared memory";
	case OPCODE_CONSTANT:
		return "a load of constant memory";
	case OPCODE_CONVERSION:
		return "a conversion of types";
	case OPCODE_TRANSCENDENTAL:
		return "a reciprocal, root or transcendental function";
	case OPCODE_DOUBLE:
		return "arithmetic in double precision";
	case OPCODE_SYNCHRONIZATION:
		return "a synchronization";
	case OPCODE_CONTROL:
		return "a branch";
	case OPCODE_SPECIAL:
	case OPCODE_FIXED:
		break;
	}
	return "arithmetic";
}
