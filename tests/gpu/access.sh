#!/bin/bash
# access.sh [PART/PARTS]: the pass `access` says of the same program the same on the GPU and on the emulated
# device, and changes nothing of the graph.
. tests/lib.sh
. tests/gpu/real.bash
on() { # DEVICE DB PASSES PROGRAM...
	timeout 120 "$VFLOW" collect --quiet --device "$1" -o "$2" --passes "$3" "${@:4}"
}
accesses() { # DB
	sqlite3 "$1" "SELECT 'object', object, bytes, chunks, largest_bytes, largest_offset FROM accessed;
		SELECT 'slices', object, vertex, launches, largest_bytes FROM slice ORDER BY object, vertex"
}
frequencies() { # DB
	sqlite3 "$1" "SELECT object, vertex, launches, elements, accesses, most, granularity, printf('%.6f', variation) FROM frequency;
		SELECT group_concat(number || ':' || elements || '/' || accesses, ' ') FROM frequency_count"
}
both() { # PROGRAM ARGUMENT...
	on emulated "$T/e.db" flow,access "$@" >"$T/out" 2>&1 || not_ok "$* on the emulated device" "$(cat "$T/out")"
	on gpu "$T/g.db" flow,access "$@" >"$T/out" 2>&1 || not_ok "$* on the GPU" "$(cat "$T/out")"
}
same() { # PROGRAM ARGUMENT...
	both "$@"
	like "${*##*/}: something is known" "$(accesses "$T/e.db" | head -n 1)" '^object'
	is "${*##*/}: the same accesses" "$(accesses "$T/g.db")" "$(accesses "$T/e.db")"
}
# A GPU may know less: a kernel with texture instructions may have read anything.
within() { # PROGRAM ARGUMENT...
	both "$@"
	is "${*##*/}: no other accesses" "$(comm -13 <(accesses "$T/e.db" | sort) <(accesses "$T/g.db" | sort))" ""
}
for case in early unused kernels over almost hole scattered slices pairs halo gather; do
	my_turn && same "$P/memory_waste" $case
done
# how often what is accessed: of kernels whose accesses no compiler leaves out
for case in hot scattered more less half halves worst bins bytes widths; do
	my_turn || continue
	both "$P/frequency" $case
	is "frequency $case: the same counts" "$(frequencies "$T/g.db")" "$(frequencies "$T/e.db")"
	[ $case != widths ] || is "frequency: something is known" "$(frequencies "$T/g.db" | head -n 1 | cut -d '|' -f 4-)" "64|512|225|4|4.871794"
done
for seed in 1 2 3 4 5 6 7 8; do
	my_turn && same "$P/random_flow" $seed
done
my_turn && same "$P/figure3"
my_turn && same "$P/demo"
for case in $("$P/exactness" 2>&1 | sed 's/.*one of: //'); do
	my_turn && within "$P/exactness" "$case"
done
last_part || finish

on gpu "$T/g.db" flow,access --memory-limit 1 "$P/frequency" hot >"$T/out" 2>&1 || not_ok "coarse" "$(cat "$T/out")"
# shadows on the host; 64 of 1024 elements ten times, in two stretches of 32
is "frequency hot: in little memory counts are coarse" "$(frequencies "$T/g.db" | head -n 1 | cut -d '|' -f 4-)" "1024|1600|10|128|1.394274"
# shadows on the host
on gpu "$T/g.db" flow,access --memory-limit 1 "$P/demo" >"$T/out" 2>&1
on emulated "$T/e.db" flow,access "$P/demo" >"$T/out" 2>&1
is "demo, with shadows on the host: the same accesses" "$(accesses "$T/g.db")" "$(accesses "$T/e.db")"
whole() { "$VFLOW" prune --edge 'bytes>=0' --vertex 'invocations>=0' "$T/g.db" 2>/dev/null; }
on gpu "$T/g.db" flow "$P/demo" >"$T/out" 2>&1
graph=$(whole)
on gpu "$T/g.db" flow,access "$P/demo" >"$T/out" 2>&1
is "demo: the same graph as without the pass" "$(whole)" "$graph"

# whose memory it is: small allocations may lie in what was there before
memory_facts() { # DB
	sqlite3 "$1" "SELECT device, allocated, own > 0, first_unused < total, total - unused + 4194304 >= allocated + own + total - first_unused FROM device_memory"
}
on gpu "$T/g.db" flow "$P/memory_waste" redundant >"$T/out" 2>&1
is "memory_waste: whose the device's memory is" "$(memory_facts "$T/g.db")" "0|2097152|1|1|1"
like "memory_waste: the report names the largest" "$("$VFLOW" report --memory "$T/g.db" | tr -s ' \n' ' ')" "Device 0 when most was allocated: .* 2.0M allocated by the program, .* the largest part that no allocation explains: .*vflow's own"

finish
