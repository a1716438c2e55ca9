#!/bin/bash
# gpu/sass reads code that this nvcc makes for several architectures, as this nvdisasm prints it: every
# line, every instruction, and barriers that are waited for are set somewhere before.
. tests/lib.sh
[ -n "$NVCC" ] || { skip "sass tools" "no nvcc"; finish; }
PATH=$PATH:$CUDA_TOOLKIT/bin
command -v nvdisasm >/dev/null || { skip "sass tools" "no nvdisasm (package cuda-nvdisasm)"; finish; }
cat >"$T/look.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sass/cubin.h"
#include "gpu/sass/disassemble.h"
#include "gpu/sass/types.h"

/* Without the NOPs that fill it up, which nvdisasm leaves out. */
static size_t instructions_in(struct cubin_section section)
{
	size_t count = section.size / 16;

	while (count && (*(const uint16_t *)(section.bytes + 16 * (count - 1)) & 0xfff) == 0x918)
		count--;
	return count;
}

int main(int count, char **words)
{
	static char image[1 << 22];
	size_t size = fread(image, 1, sizeof(image), stdin), code = 0, read = 0, lost = 0, unset = 0;
	size_t functions = 0, waits = 0, accesses = 0, found;
	struct error error;
	struct sass_listing *listing =
		sass_disassemble(image, size, (const char *const *)words + 1, count - 1, &error);
	struct cubin cubin;

	if (!listing) {
		puts(error.text);
		return 1;
	}
	cubin_open(&cubin, image, size);
	for (unsigned i = 0; i < cubin.sections; i++)
		if (!strncmp(cubin_section(&cubin, i).name, ".text.", 6) &&
		    sass_find(listing, cubin_section(&cubin, i).name + 6))
			code += instructions_in(cubin_section(&cubin, i));
	for (; functions < listing->function_count; functions++) {
		const struct sass_function *function = &listing->functions[functions];
		struct flow *flow = flow_build(function, &error);

		lost += !function->has_registers;
		for (unsigned i = function->instruction_count; i-- > 0;)
			if (!sass_is(&function->instructions[i], "NOP")) {
				read += i + 1;
				break;
			}
		for (unsigned i = 0; i < function->instruction_count; i++)
			for (unsigned k = 0; k < SASS_BARRIERS; k++)
				if (function->instructions[i].control.wait >> k & 1) {
					waits++;
					unset += !flow_setters(flow, i, k, NULL, 0);
				}
		free(types_find(flow, &found));
		accesses += found;
		flow_free(flow);
	}
	/* compilers put a few waits in front of loops that nothing needs: 9 of 2523 in one library's module */
	printf("unread %lu lost %zu unset %zu%% missing %zd\n", (unsigned long)listing->unread, lost,
	       waits ? 100 * unset / waits : 100, code - read);
	if (count > 1)
		printf("functions %zu\n", functions);
	if (!waits || !accesses)
		puts("nothing found");
	sass_free(listing);
	return 0;
}
END
# shellcheck disable=SC2086
$CC -std=gnu11 -g -D_GNU_SOURCE -Wall -fsanitize=address,undefined -fno-sanitize-recover -I. -o "$T/look" "$T/look.c" \
	gpu/sass/*.c util/{error,memory,text,pair_map}.c 2>"$T/log" || { not_ok "the reader compiles" "$(head -5 "$T/log")"; finish; }
for architecture in 75 80 90; do
	for source in tests/advice/kernels tests/gpu/bench tests/programs/demo/kernels tests/bench/interpreter/kernels; do
		name="$source for sm_$architecture"
		if ! "$NVCC" -w -std=c++17 -I. -cubin -arch=sm_$architecture -o "$T/cubin" $source.cu 2>"$T/log"; then
			skip "$name" "this nvcc does not compile it: $(head -1 "$T/log")"
			continue
		fi
		is "$name" "$("$T/look" <"$T/cubin" 2>&1)" "unread 0 lost 0 unset 0% missing 0"
	done
done
"$NVCC" -w -cubin -arch=sm_80 -o "$T/cubin" tests/programs/demo/kernels.cu
is "one function of six" "$("$T/look" gemm_kernel <"$T/cubin" 2>&1)" "unread 0 lost 0 unset 0% missing 0
functions 1"
is "a function that is not there" "$("$T/look" gemm <"$T/cubin" 2>&1 | sed 's/^[0-9]* //')" "bytes of GPU code have no function gemm"
finish
