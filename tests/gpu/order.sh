#!/bin/bash
# The dependency graph on the GPU and on the emulated device: the same calls come after the same
# calls, for the same reasons, at the same levels.  Needs an NVIDIA GPU.
. tests/lib.sh
. tests/gpu/real.bash
exec </dev/null

whole() { # DB: each call with its level, its stream's first call, and what it comes after
	"$VFLOW" deps -T json "$1" >"$T/deps.json" || return
	json_query "$T/deps.json" "SELECT value->>'call', value->>'kind', value->>'name', 'level ' || (value->>'level'),
			'stream ' || (SELECT min(other.value->>'call') FROM json_each(text, '\$.calls') AS other
				WHERE other.value->>'stream' = calls.value->>'stream') FROM json, json_each(text, '\$.calls') AS calls;
		SELECT value->>'call', value->>'why', value->>'after', coalesce(value->>'allocation', '')
			FROM json, json_each(text, '\$.dependencies') ORDER BY value->>'call', 2, value->>'after', 4"
}
same() { # PROGRAM ARGUMENT...
	local device run="${1##*/} ${*:2}"
	for device in emulated gpu; do
		DEVICE=$device collect "$T/$device.db" --passes flow "$@" >"$T/log" 2>&1 || not_ok "$run: $device" "$(cat "$T/log")"
		whole "$T/$device.db" >"$T/$device"
	done
	like "$run: there are dependencies" "$(cat "$T/gpu")" $'\n[0-9]+ (stream|RAW|WAW) [0-9]+'
	is "$run: the same on both" "$(cat "$T/gpu")" "$(cat "$T/emulated")"
	is "$run: the order between streams is known" \
		"$(sqlite3 "$T/gpu.db" "SELECT count(*) FROM coverage WHERE kind = 'STREAM_ORDER_UNKNOWN'")" 0
}
for case in streams pageable events graph; do
	same "$P/timeline" $case
done
for case in threads events default again captured; do
	same "$P/stream_order" $case
done
# of graphs' nodes that record events the GPU's provider knows that there are some
DEVICE=gpu collect "$T/nodes.db" --passes flow "$P/stream_order" nodes >"$T/log" 2>&1 || not_ok "nodes: gpu" "$(cat "$T/log")"
is "events of nodes are said not to be known" "$(sqlite3 "$T/nodes.db" "SELECT count FROM coverage WHERE kind = 'EVENT_NODES'")" 3
for program in event_order stream_table streams_by_host; do
	"$CC" -std=gnu11 -D_GNU_SOURCE -Igpu/emulator/include -I. -o "$T/$program" tests/advice/$program.c \
		"$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} -lm >"$T/log" 2>&1 || not_ok "$program: build" "$(cat "$T/log")"
	same "$T/$program"
done
finish
