#!/bin/bash
# Value flow that can be worked out by hand: each table says which edges exactness.c must give.
#	FROM>TO ACCESS OBJECT BYTES REDUNDANT COUNT
. tests/lib.sh

exact() { # CASE <TABLE
	exact_edges "$P/exactness" "$1"
}

exact third_bytes <<'END'
	1>2 W 1 1024 0 1 # 3072 / 3
	2>3 R 1 3072 0 1 # every 4-byte unit has a byte whose offset is a multiple of 3
	3>0 W 1 3072 0 1
END
exact halves <<'END'
	1>2 W 1 2048 0 1
	1>3 W 1 2048 0 1 # nobody had written the other half
	2>4 R 1 2048 0 1
	3>4 R 1 2048 0 1
	4>0 W 1 4096 0 1
END
exact copy_disjoint <<'END'
	1>2 W 1 2048    0 1 # [0,2048) = 11
	1>3 W 1 2048    0 1 # [2048,4096) = 22
	2>4 R 1 1024    0 1 # [1024,2048) = 11 ...
	3>4 W 1 1024    0 1 # ... over the 22 at [2048,3072)
	4>5 R 1 1024    0 1 # [2048,3072) = 11 ...
	3>5 W 1 1024    0 1 # ... over the 22 at [3072,4096)
	2>6 R 1 1024    0 1 # [0,1024) = 11 ...
	5>6 W 1 1024 1024 1 # ... over the 11 at [3072,4096)
END

# what an overlapping copy writes is not defined; what it touches is
collect "$T/overlap.db" "$P/exactness" copy_overlapping
is "copy_overlapping" "$(edges "$T/overlap.db" | cut -d' ' -f1-4 | sort -V)" "$(table <<'END'
	1>2 W 1 4096
	2>3 R 1 2048
	2>3 W 1 2048
END
)"

exact pitch <<'END'
	1>2 W 1  800   0 1 # 8 rows of 100 bytes
	2>3 W 1  800 800 1 # zeros over those zeros
	1>3 W 1 1248   0 1 # 2048 - 800 between the rows
	3>5 R 1   24   0 1 # 4 rows of 6 bytes
	4>5 W 4   24   0 1
	5>6 R 4   32   0 1 # 6 bytes reach into both units of each 8-byte row
	6>0 W 4   32   0 1
	5>7 W 4   24  24 1 # zeros over the copied zeros
	3>8 R 1  512   0 1 # 8 rows of 64 bytes
	8>0 W 1  512   0 1
END
exact malloc_pitch <<'END'
	1>2 W 1 800 0 1 # 8 rows of 100 bytes, whatever the pitch
END
pitch=$(sed -n 's/^pitch //p' "$T/malloc_pitch.out")
is "malloc_pitch: size of the object" \
	"$("$VFLOW" export -T json "$T/malloc_pitch.db" >"$T/p.json" && json_query "$T/p.json" "SELECT text->>'\$.edges[0].object_bytes' FROM json")" \
	$((pitch * 8))

exact sub_range <<'END'
	0>2 R 1 1000   0 1
	1>2 W 1 1000   0 1 # [100,1100)
	0>3 R 1  500   0 1
	2>3 W 1  500 500 1 # [100,600), the same bytes again
	1>4 R 1    4   0 1 # [96,100): unit 24 was never written
	3>4 R 1  196   0 1 # [100,296)
	4>0 W 1  200   0 1
	3>5 R 1    2   0 1 # 598, 599
	2>5 R 1    2   0 1 # 600, 601
	5>0 W 1    4   0 1
END
exact same_bits <<'END'
	1>2 W 1 1024    0 1 # 01 00 c0 7f: a NaN
	2>3 W 1 1024 1024 1 # the same NaN is the same value
	3>4 W 1 1024  768 1 # 02 00 c0 7f: 3 of 4 bytes are the same
	4>5 W 1 1024  256 1 # 00 00 00 00: 1 of 4
	5>6 W 1 1024  768 1 # 00 00 00 80: -0.0 is not 0.0
	6>7 W 1 1024 1024 1 # -0.0 over -0.0
	7>8 W 1 1024  768 1 # 0.0 over -0.0
END
exact reallocated <<'END'
	1>2 W 1 4096 0 1
	3>4 W 3 4096 0 1 # not redundant, not from 2
	5>6 R 5 2048 0 1 # not from 4
	6>0 W 5 2048 0 1
END
is "reallocated: the addresses were the same" "$(cat "$T/reallocated.out")" reused
exact loop <<'END'
	1>2 W 1 12288 0 3 # 3 fresh objects of 4096 bytes
END
is "loop: invocations" "$(vertices "$T/loop.db")" $'0 host 0 host\n1 alloc 3 cudaMalloc\n2 memset 3 cudaMemset'
exact big <<'END'
	1>2 W 1   67108864          0  1 # 64 MiB
	2>2 W 1 4496293888 4496293888 67 # 67 * 64 MiB > 2^32
END
exact atomics <<'END'
	1>2 W 1 1024  0 1
	2>3 R 1   28  0 1 # 4 words, 8 bytes, 1 float
	2>3 W 1   28 22 1 # 0 -> 8: 4 * 3 bytes stay 0; 0 -> 32 in 8 bytes: 7; 0 -> 32.0f = 42000000: 3
	3>5 R 1   16  0 1 # a failed compare-and-swap reads ...
	3>5 W 1   16 16 1 # ... and writes the same
	4>5 W 4   16  0 1
	5>6 R 1   16  0 1
	6>0 W 1   16  0 1
END
exact predicated <<'END'
	1>2 W 1 4096 0 1
	2>3 W 1  400 0 1 # 100 of 1024 threads store
	2>3 R 1 3696 0 1 # the other 924 load
END
exact in_place <<'END'
	1>2 W 1 1024   0 1
	2>3 R 1 1024   0 1
	2>3 W 1 1024 768 1 # 0 -> 1: 3 of 4 bytes stay
	3>3 R 1 1024   0 1
	3>3 W 1 1024 768 1 # 1 -> 2
	3>4 R 1 1024   0 1 # also what it had just written itself
	3>4 W 1 1024 768 1 # 2 -> 7 -> 8
	4>5 R 1 1024   0 1
	5>0 W 1 1024   0 1
END
exact module_global <<'END'
	2>3 W 2 1024 769 1 # zeros at load; i in 256 words: 4 bytes of word 0 and 3 of the others stay
	3>4 R 2 1024   0 1
	4>0 W 2 1024   0 1
	0>5 R 2  512   0 1
	3>5 W 2  512 385 1 # zeros over 0..127: 4 + 127 * 3
	0>7 R 6    4   0 1
	6>7 W 6    4   3 1 # 3 at load -> 5
	5>8 R 2  512   0 1 # the load of the __constant__ makes no edge
	3>8 R 2  512   0 1
	1>8 W 1 1024   0 1
	8>9 R 1 1024   0 1
	9>0 W 1 1024   0 1
END
is "coverage: reads of constant memory" \
	"$(sqlite3 "$T/module_global.db" 'SELECT what FROM coverage')" 'constant memory reads'
exact device_function <<'END'
	1>2 W 1 800 0 1 # 200 words
	2>3 R 1 800 0 1
	3>0 W 1 800 0 1
END
exact shared_memory <<'END'
	0>3 R 1 2048 0 1
	1>3 W 1 2048 0 1
	3>4 R 1 2048 0 1 # shared memory has no edges
	2>4 W 2 2048 0 1
	4>5 R 2 2048 0 1
	5>0 W 2 2048 0 1
END
exact mangled <<'END'
	1>2 W 1 1024    0 1
	2>3 R 1 1024    0 1
	2>3 W 1 1024 1024 1 # 0.0 * 2
END
is "mangled: vertices show the C++ name" "$(vertices "$T/mangled.db" | tail -1)" "3 kernel 1 void scale<float>(float*, float, int)"
exact vectors <<'END'
	1>2 W 1  800 0 1 # 50 vectors of 16 bytes
	2>3 R 1  800 0 1
	1>3 R 1  224 0 1 # 1024 - 800 never written
	3>0 W 1 1024 0 1
END
exact failing_calls <<'END'
	1>2 W 1 1024 0 1
END
is "failing_calls: no vertex" "$(vertices "$T/failing_calls.db")" $'0 host 0 host\n1 alloc 1 cudaMalloc\n2 memset 1 cudaMemset'
exact streams <<'END'
	1>2 W 1 1024   0 1
	0>3 R 1  512   0 1
	2>3 W 1  512 512 1 # the host's zeros over the set's
	3>4 R 1  512   0 1
	2>4 R 1  512   0 1
	4>0 W 1 1024   0 1
END
is "streams: names as the program called them" "$(vertices "$T/streams.db" | cut -d' ' -f4 | tr '\n' ' ')" \
	"host cudaMalloc cudaMemsetAsync cudaMemcpyAsync cudaMemcpyAsync "
exact driver_api <<'END'
	1>3 W 1 1024 0 1
	3>4 R 1 1024 0 1
	2>4 W 2 1024 0 1
	4>5 R 2 1024 0 1
	5>0 W 2 1024 0 1
END
is "driver_api: names without suffix" "$(vertices "$T/driver_api.db" | cut -d' ' -f4 | tr '\n' ' ')" \
	"host cuMemAlloc cuMemAlloc cuMemsetD32 cuMemcpyDtoD cuMemcpyDtoH "
# Whole values, dead writes and what nobody read:
#	FROM>TO ACCESS OBJECT BYTES REDUNDANT REDUNDANT-IN-WHOLE-VALUES DEAD COUNT
#	VERTEX UNREAD-WHEN-FREED UNREAD-AT-THE-END
unread() { # DB
	"$VFLOW" export -T json "$1" >"$T/export.json" &&
		json_query "$T/export.json" "SELECT value->>'start' || '>' || (value->>'end'), substr(value->>'access', 1, 1), value->>'object',
			value->>'bytes', coalesce(value->>'redundant_bytes', '-'), coalesce(value->>'redundant_value_bytes', '-'),
			coalesce(value->>'dead_bytes', '-'), value->>'count' FROM json, json_each(text, '\$.edges')" &&
		json_query "$T/export.json" "SELECT 'v' || (value->>'id'), value->>'unread_freed_bytes', value->>'unread_end_bytes'
			FROM json, json_each(text, '\$.vertices')
			WHERE value->>'unread_freed_bytes' IS NOT 0 OR value->>'unread_end_bytes' IS NOT 0"
}
whole() { # CASE [OPTION...] <TABLE
	local case=$1 expected
	shift
	expected=$(table)
	rm -f "$T/$case.db"
	collect "$T/$case.db" "$@" "$P/exactness" "$case" >"$T/$case.out" 2>"$T/$case.err" ||
		not_ok "$case" "$(cat "$T/$case.err")"
	is "$case${*:+ $*}" "$(unread "$T/$case.db" | sort -V)" "$expected"
}
whole value_ints <<'END'
	1>2 W 1 1024    0    0    0 1
	2>3 W 1 1024  768    0 1024 1 # 7 over 0: three bytes of four, and no int
	3>4 W 1 1024 1024 1024 1024 1 # the same ints
	4>5 W 1 1024  768    0 1024 1 # a set over ints counts by ints
	5>6 W 1 1024 1024 1024 1024 1
	6>7 R 1 1024    -    -    - 1
	7>0 W 1 1024    -    -    - 1
END
whole value_doubles <<'END'
	1>2 W 1 1024   0   0    0 1
	2>3 W 1 1024 832   0 1024 1 # 3ff0.. over 4008.., 4000.. over 4010..: 6 + 7 bytes of 16
	3>4 W 1 1024 960 512 1024 1 # 1.0 stays, -2.0 over 2.0: 8 + 7
	4>5 W 1 1024 832   0 1024 1 # zeros, as ints: 1.0 and -2.0 have their low words, and 2 + 3 bytes; the first ints among doubles
	v5 0 1024
END
whole value_shorts <<'END'
	1>2 W 1 1024   0   0    0 1
	2>3 W 1 1024 768 512 1024 1 # every other short stays; of the others one byte
	3>4 W 1 1024   0   0 1024 1
	4>5 W 1 1024 512   0 1024 1 # 3c00 over 4000
	v5 0 1024
END
whole value_bytes <<'END'
	1>2 W 1 1024   0   0    0 1
	2>3 W 1  342 342 342  342 1 # 0, 3 .. 1023: each byte is a value
	3>4 W 1 1000   0   0  334 1 # 3 has a byte of every unit, and has written a third of them
	3>5 W 1    8   8   8    8 1 # 1002 .. 1023
	4>5 W 1  334   0   0  334 1 # 0, 3 .. 999
	5>6 W 1 1024 666 666  342 1 # 1 over 1 where 4 wrote and 5 did not
	v6 0 1024
END
whole value_vectors <<'END'
	1>3 W 1 1024    0    0    0 1
	3>4 W 1 1024 1024 1024 1024 1
	4>5 W 1 1024  896  512 1024 1 # 3f800000 over 0 in one lane of four; nobody knows of lanes: values of 8
	5>6 R 1 1024    -    -    - 1 # an int each
	2>6 W 2 1024    0    0    0 1
	5>7 W 1 1024  896  768    0 1 # 40000000 over 3f800000: values of 4 now
	6>8 R 2 1024    -    -    - 1
	7>8 W 1 1024  640    0 1024 1 # 1 over 0 three times, 3f800001 over 40000000: 3 * 3 + 1 of 16 bytes
	v8 0 1024
END
whole value_records <<'END'
	1>2 W 1 768   0   0   0 1 # 64 * 12
	2>3 W 1 768 704 512 768 1 # 1.5 stays; 2 over 1 is a value of 8, the widest, and changes
	3>4 W 1 768 640 256 768 1 # 4004.. over 3ff8..: 6 of 8 bytes; the ints stay
	4>5 W 1 768 576   0 768 1 # zeros: 6 + 3 of 12
	1>5 W 1 256   0   0   0 1 # what nobody had written
	v5 0 1024
END
whole value_atomics <<'END'
	1>2 W 1 1024   0   0   0 1
	2>3 R 1   28   -   -   - 1
	2>3 W 1   28  22   0   0 1 # as in "atomics"; of what atomics write nothing is dead
	3>4 R 1   16   -   -   - 1
	3>4 W 1   16  16  16   0 1 # compare-and-swaps that fail
	2>4 W 1   16  12   0  16 1 # 8 over 0
	2>5 W 1  980 980 976 980 1 # by 8 bytes: the float has four of the set's beside it
	3>5 W 1   12  10   0   0 1 # 32 and 32.0f
	4>5 W 1   32  24   0  16 1 # eight times 8; the swaps have read theirs
	v5 0 1024
END
whole dead_fill <<'END'
	1>2 W 1 4096    0 0    0 1
	2>3 W 1 4096 3072 0 4096 1
	3>4 R 1 4096    - -    - 1
	4>0 W 1 4096    - -    - 1
	3>5 W 1 4096 3072 0    0 1 # it was read
	v5 4096 0
END
whole dead_part <<'END'
	1>2 W 1 4096    0 0    0 1
	2>3 R 1  512    - -    - 1 # [512,1024)
	3>0 W 1  512    - -    - 1
	2>4 W 1 2048 1536 0 1536 1 # [0,2048)
	2>5 R 1 1024    - -    - 1 # [2048,3072)
	4>5 R 1 1024    - -    - 1 # [1024,2048)
	5>0 W 1 2048    - -    - 1
	v2 0 1024 # [3072,4096)
	v4 0 1024 # [0,1024)
END
whole dead_chain <<'END'
	1>4 W 1 4096 0 0 0 1
	4>5 R 1 4096 - - - 1 # copies read ...
	2>5 W 2 4096 0 0 0 1
	5>6 R 2 3072 - - - 1
	3>6 W 3 3072 0 0 0 1
	6>7 R 3 1024 - - - 1
	7>0 W 3 1024 - - - 1
	v5 1024 0 # ... and what they leave is unread
	v6 2048 0
END
whole dead_transfer <<'END'
	0>3 R 1 12288    -    -    - 3
	1>3 W 1  4096    0    0    0 1
	3>3 W 1  8192 8192 8192 8184 2 # one lane read 4 bytes each time
	3>4 R 1    12    -    -    - 3
	2>4 W 2     4    0    0    0 1
	4>4 W 2     8    8    8    8 2
	4>5 R 2     4    -    -    - 1
	5>0 W 2     4    -    -    - 1
	v3 0 4092
END
whole dead_atomics <<'END'
	1>2 W 1 1024  0 0   0 1
	2>3 R 1   28  - -   - 1
	2>3 W 1   28 22 0   0 1
	2>4 W 1  996  0 0 996 1
	3>4 W 1   28  0 0   0 1
	v4 0 1024
END
# On a GPU nobody keeps who wrote bytes 50 and 51 of each row, which nobody has read: they are nobody's.
unread=$([ "${DEVICE:-emulated}" = gpu ] && echo 384 || echo 400)
whole dead_pitch <<END
	0>2 R 1 800 - - - 1
	1>2 W 1 800 0 0 0 1
	2>3 R 1 160 - - - 1 # 40 bytes of 4 rows
	3>0 W 1 160 - - - 1
	2>4 W 1 400 0 0 240 1 # 50 bytes of 8 rows; of 4 rows 10 are unread
	v2 $unread 0 # 800 - 160 - 240, of which bytes 50 and 51 of each row are in a unit of 4's
	v4 400 0
END
whole dead_never <<'END'
	1>3 W 1 2000 0 0 0 1
	2>4 W 2 5000 0 0 0 1
	v3 2000 0
	v4 0 5000
END
whole dead_ping_pong <<'END'
	1>3 W 1 1024    0 0    0 1
	2>4 W 2 1024    0 0    0 1
	3>5 R 1 1024    - -    - 1
	4>5 W 2 1024  768 0 1024 1 # only the second fill is for nothing
	3>6 W 1 1024  768 0    0 1
	5>6 R 2 2048    - -    - 2
	6>5 R 1 1024    - -    - 1
	5>5 W 2 1024  768 0    0 1
	6>6 W 1 1024  768 0    0 1
	v6 0 1024
END
whole dead_in_place <<'END'
	1>2 W 1 1024    0 0 0 1
	2>3 R 1 1024    - - - 1
	2>3 W 1 1024  768 0 0 1
	3>3 R 1 2048    - - - 2
	3>3 W 1 2048 1536 0 0 2
	3>4 W 1 1024  768 0 0 1 # the kernel may have read what it wrote
	v4 0 1024
END
whole dead_taken <<'END'
	1>2 W 1 3072 0 0    0 1
	2>3 W 1  512 0 0  512 1
	3>4 R 1  768 - -    - 1 # of 4-byte units, all of which have a byte of 3's
	4>0 W 1  768 - -    - 1
	2>5 W 1 1536 0 0 1536 1
	3>5 W 1 1536 0 0  256 1 # ... its own; the fill's have no edge
	v5 3072 0
END
whole dead_shared <<'END'
	1>3 W 1 1024   0 0 0 1
	2>4 W 2 1024   0 0 0 1
	3>3 W 1 1024 768 0 0 1 # the host may have read it
	4>4 W 2 1024 768 0 0 1
END
whole dead_unseen <<'END'
	1>2 W 1 1024 0 0    0 1
	2>3 W 1 1024 0 0 1024 1
	3>4 W 1 1024 0 0    0 1 # there was a texture
	4>5 W 1 1024 0 0    0 1
	0>7 R 6    4 - -    - 1
	6>7 W 6    4 3 0    0 1 # 5 over 3
	0>8 R 6    4 - -    - 1
	7>8 W 6    4 4 4    0 1
END
whole dead_graph <<'END'
	1>2 W 1 1024    0    0    0 1
	2>3 R 1 1024    -    -    - 2 # [0,512)
	2>3 W 1 1024 1024 1024 1024 2 # [512,1024)
	2>2 W 1  512  512  512    0 1
	3>2 W 1  512  512  512  512 1
	2>4 R 1  512    -    -    - 1
	3>4 R 1  512    -    -    - 1
	4>0 W 1 1024    -    -    - 1
END
# a launch that is not analysed may have read everything: nothing before it is dead
whole dead_fill --kernel increment <<'END'
	1>2 W 1 4096 0 0 0 1
	5>4 R 1 4096 - - - 1 # 5: unknown
	4>0 W 1 4096 - - - 1
END
is "every case of exactness.c has its table" \
	"$("$P/exactness" 2>&1 | sed 's/.*one of: //' | tr ' ' '\n' | sort)" \
	"$( (grep -oE '^(exact|whole) [a-z_]*( --)?' "$0" | grep -v -e -- | cut -d' ' -f2; echo copy_overlapping) | sort)"
finish
