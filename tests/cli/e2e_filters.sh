#!/bin/bash
# Launches that are not analysed (--kernel, --sample-kernels, --sample-blocks): what they may have
# written is unknown and counts as uninitialised; everything else is as without them.
. tests/lib.sh

named() { # DB: edges as edges() in tests/lib.sh, by the names of the vertices and the object's site
	"$VFLOW" export -T json "$1" >"$T/export.json" &&
		json_query "$T/export.json" "WITH v AS (SELECT value->>'id' AS id, value->>'name' AS name FROM json, json_each(text, '\$.vertices'))
			SELECT f.name || '>' || t.name, substr(e.value->>'access', 1, 1), o.name || o.id,
				e.value->>'bytes', coalesce(e.value->>'redundant_bytes', 0), e.value->>'count'
			FROM json, json_each(text, '\$.edges') e JOIN v f ON f.id = e.value->>'start' JOIN v t ON t.id = e.value->>'end'
				JOIN v o ON o.id = e.value->>'object'" | LC_ALL=C sort
}
table() {
	sed 's/ *#.*//; s/^[ \t]*//; s/[ \t][ \t]*/ /g; /^$/d' | LC_ALL=C sort
}
skipped() { # DB: "COUNT REASON" of what coverage says of skipped launches
	sqlite3 -separator ' ' "$1" "SELECT count, reason FROM coverage WHERE what = 'skipped launches'"
}
check() { # NAME OPTIONS KERNELS: expected edges on stdin
	# shellcheck disable=SC2086
	expect_exit 0 "$1" "$VFLOW" collect --quiet --device "${DEVICE:-emulated}" -o "$T/f.db" $2 "$P/filters" $3
	is "$1: the program's output" "$(cat "$T/out" "$T/err")" "$("$VFLOW" collect --quiet --device "${DEVICE:-emulated}" -o "$T/plain.db" "$P/filters" $3 2>&1)"
	is "$1: edges" "$(named "$T/f.db")" "$(table)"
}

check "nothing is left out" "" fill <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	cudaMemset>fill         W cudaMalloc1 1024  768 1 # of a 7 over a 0 one byte changes
	fill>fill               W cudaMalloc1 4096 4096 4 # the same values again
	fill>cudaMemcpy         R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
END
is "... coverage" "$(skipped "$T/f.db")" ""
check "--kernel of another name" "--kernel nothing" fill <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	unknown>cudaMemcpy      R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
END
is "... coverage" "$(skipped "$T/f.db")" "5 --kernel left their kernels out"
is "... says what it cannot know" "$(sqlite3 "$T/f.db" "SELECT count FROM coverage WHERE reason LIKE '%pointers that lie in memory%'")" 5
is "... the launches are there" "$(vertices "$T/f.db" | grep kernel)" "3 kernel 5 fill"
for all in '.' 'il' '^fill$'; do
	"$VFLOW" collect --quiet --device "${DEVICE:-emulated}" -o "$T/all.db" --kernel "$all" "$P/filters" fill >"$T/out" 2>&1
	is "--kernel '$all' is everything" "$(named "$T/all.db")" "$(named "$T/plain.db")"
done
# invocations 0 and 3 of five are analysed
check "--sample-kernels 3" "--sample-kernels 3" fill <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	cudaMemset>fill         W cudaMalloc1 1024  768 1 # of a 7 over a 0 one byte changes
	unknown>fill            W cudaMalloc1 1024    0 1 # not redundant: 1 and 2 may have written anything
	unknown>cudaMemcpy      R cudaMalloc1 1024    0 1 # 4
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
END
is "... coverage" "$(skipped "$T/f.db")" "3 --sample-kernels left them out"
# 0, 2 and 4
check "--sample-kernels 2" "--sample-kernels 2" fill <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	cudaMemset>fill         W cudaMalloc1 1024  768 1 # of a 7 over a 0 one byte changes
	unknown>fill            W cudaMalloc1 2048    0 2
	fill>cudaMemcpy         R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
END
# the array that is written through the table is known from launch 0
check "a pointer in memory" "--sample-kernels 3" through <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	host>cudaMemcpy         R cudaMalloc3    8    0 1
	cudaMalloc>cudaMemcpy   W cudaMalloc3    8    0 1
	cudaMemcpy>through      R cudaMalloc3    8    0 1
	cudaMemset>through      W cudaMalloc1 1024  768 1
	unknown>through         R cudaMalloc3    8    0 1 # its address is a parameter
	unknown>through         W cudaMalloc1 1024    0 1
	unknown>cudaMemcpy      R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
END
# ... and not known when no launch was analysed, which coverage says
check "a pointer in memory, never seen" "--kernel nothing" through <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	host>cudaMemcpy         R cudaMalloc3    8    0 1
	cudaMalloc>cudaMemcpy   W cudaMalloc3    8    0 1
	cudaMemset>cudaMemcpy   R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
END
check "a pointer in a structure, a variable, a constant" "--kernel nothing" stash <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	unknown>cudaMemcpy      R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
	unknown>cuMemcpyDtoH    R total6         4    0 1
	cuMemcpyDtoH>host       W total6         4    0 1
	scale>cuMemcpyDtoH      R scale8         4    0 1 # no kernel can write it
	cuMemcpyDtoH>host       W scale8         4    0 1
END
# void halve<unsigned int>(unsigned int*); the mangled name has neither blank nor bracket
check "--kernel by a demangled name" "--kernel halve<unsigned.int>" "halve fill" <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	cudaMemset>void halve<unsigned int>(unsigned int*) R cudaMalloc1 1024    0 1
	cudaMemset>void halve<unsigned int>(unsigned int*) W cudaMalloc1 1024 1024 1 # 0 / 2
	void halve<unsigned int>(unsigned int*)>void halve<unsigned int>(unsigned int*) R cudaMalloc1 4096    0 4
	void halve<unsigned int>(unsigned int*)>void halve<unsigned int>(unsigned int*) W cudaMalloc1 4096 4096 4
	void halve<unsigned int>(unsigned int*)>cudaMemcpy R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
	cudaMalloc>cudaMemset   W cudaMalloc5 1024    0 1
	unknown>cudaMemcpy      R cudaMalloc5 1024    0 1
	cudaMemcpy>host         W cudaMalloc5 1024    0 1
END
"$VFLOW" collect --quiet --device "${DEVICE:-emulated}" -o "$T/m.db" --kernel '^_Z5halveIj' "$P/filters" halve fill >"$T/out" 2>&1
is "--kernel by a mangled name" "$(named "$T/m.db")" "$(named "$T/f.db")"
check "both filters" "--kernel fill --sample-kernels 4" "halve fill" <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	unknown>cudaMemcpy      R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
	cudaMalloc>cudaMemset   W cudaMalloc6 1024    0 1 # 5 is unknown
	cudaMemset>fill         W cudaMalloc6 1024  768 1
	unknown>fill            W cudaMalloc6 1024    0 1 # invocation 4, the last
	fill>cudaMemcpy         R cudaMalloc6 1024    0 1
	cudaMemcpy>host         W cudaMalloc6 1024    0 1
END
is "... coverage" "$(skipped "$T/f.db")" $'5 --kernel left their kernels out\n3 --sample-kernels left them out'
check "--sample-blocks 2" "--sample-blocks 2" fill <<'END'
	cudaMalloc>cudaMemset   W cudaMalloc1 1024    0 1
	unknown>cudaMemcpy      R cudaMalloc1 1024    0 1
	cudaMemcpy>host         W cudaMalloc1 1024    0 1
END
like "... coverage" "$(skipped "$T/f.db")" '^5 --sample-blocks: [^
]*$'

# Figure 3 without its kernel "zero", which runs twice: 0 host, 1 2 cudaMalloc, 3 4 cudaMemset,
# 5 6 zero, 7 use, 8 what the zeros may have written
expect_exit 0 "figure 3 without zero" "$VFLOW" collect --quiet --device "${DEVICE:-emulated}" -o "$T/3.db" --kernel '^use$' "$P/figure3"
is "figure 3 without zero: edges" "$(edges "$T/3.db" | sort)" "$(table <<'END'
	1>3 W 1 4096 0 1
	2>4 W 2 4096 0 1
	8>7 R 1 1024 0 1
	8>7 W 2 1024 0 1
END
)"
is "figure 3 without zero: vertices" "$(vertices "$T/3.db")" '0 host 0 host
1 alloc 1 cudaMalloc
2 alloc 1 cudaMalloc
3 memset 1 cudaMemset
4 memset 1 cudaMemset
5 kernel 1 zero
6 kernel 1 zero
7 kernel 1 use
8 unknown 0 unknown'
finish
