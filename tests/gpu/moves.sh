#!/bin/bash
# moves.sh [CASE...]: what moves values and the emulated device does not know: edges worked out by hand.
#	FROM>TO ACCESS SITE BYTES REDUNDANT COUNT, vertices as NAME.ID
. tests/lib.sh
. tests/gpu/real.bash
compile moves -arch=native -g -lineinfo tests/gpu/{moves,graphs}.cu -lcuda

wanted=" $* " limit=${MOVES_LIMIT:-60} # seconds: processes start slowly where there are several GPUs
# Vertices by name and number; that of `unknown` is left out, it comes when it comes.  Nodes of a graph
# that have one name and were launched at one place count as one: which they are nodes.c shows (equality.sh).
named() { # DB
	"$VFLOW" export -T json "$1" >"$T/export.json" &&
		json_query "$T/export.json" "WITH v AS (SELECT value->>'id' AS id, value->>'kind' AS kind,
				replace(replace(value->>'name', ' ', ''), 'cuda', '') AS name,
				coalesce(value->>'callpath', '') AS path FROM json, json_each(text, '\$.vertices')),
			k AS (SELECT id, kind, name, CASE instr(path, '[replayed') WHEN 0 THEN id
				ELSE kind || name || substr(path, instr(path, '] < ')) END AS node FROM v),
			first AS (SELECT node, min(id) AS id FROM k GROUP BY node),
			n AS (SELECT k.id, k.name || CASE WHEN kind IN ('unknown', 'host') THEN ''
				ELSE '.' || (SELECT count(*) FROM first g WHERE g.id < first.id) END AS name
				FROM k JOIN first ON first.node = k.node)
			SELECT f.name || '>' || t.name, substr(e.value->>'access', 1, 1), o.name,
				sum(e.value->>'bytes'), sum(coalesce(e.value->>'redundant_bytes', 0)), sum(e.value->>'count')
			FROM json, json_each(text, '\$.edges') e JOIN n f ON f.id = e.value->>'start' JOIN n t ON t.id = e.value->>'end'
				JOIN n o ON o.id = e.value->>'object'
			GROUP BY f.name, t.name, o.name, e.value->>'access'" | LC_ALL=C sort
}
exact() { # CASE [OPTION...] <TABLE
	local native expected
	[ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]] || return
	expected=$(sed 's/ *#.*//; s/^[ \t]*//; s/[ \t][ \t]*/ /g; /^$/d' | LC_ALL=C sort)
	native=$(timeout "$limit" "$T/moves" "$1" 2>&1; echo "exit code $?")
	is "$*: as without vflow" "$(timeout "$limit" "$VFLOW" collect --quiet --device gpu "${@:2}" -o "$T/$1.db" "$T/moves" "$1" 2>&1; echo "exit code $?")" "$native"
	case $native in no*) skip "$*" "$native"; return ;; esac
	is "$*" "$(named "$T/$1.db")" "$expected"
}
covers() { # CASE WHAT
	[ ! -e "$T/$1.db" ] || is "$1: coverage: $2" "$(sqlite3 "$T/$1.db" "SELECT count(*) > 0 FROM coverage WHERE what = '$2'")" 1
}

add='add(int*,int,int)' copy='copy(int*,intconst*,int)'
exact graph <<END
	Malloc.1>GraphLaunch.4        W Malloc.1 1024   0 1
	GraphLaunch.4>$add.5          R Malloc.1 1024   0 1
	GraphLaunch.4>$add.5          W Malloc.1 1024 768 1 # 1 -> 3: 3 of 4 bytes
	$add.5>$copy.6                R Malloc.1 1024   0 1
	Malloc.2>$copy.6              W Malloc.2 1024   0 1
	$copy.6>GraphLaunch.7         R Malloc.2 1024   0 1
	GraphLaunch.7>host            W Malloc.2 1024   0 1
	$add.5>GraphLaunch.8          W Malloc.1 1024 768 1 # 3 -> 1
	GraphLaunch.8>$add.9          R Malloc.1 1024   0 1
	GraphLaunch.8>$add.9          W Malloc.1 1024 768 1
	$add.9>$copy.10               R Malloc.1  512   0 1 # its parameters were changed
	$copy.6>$copy.10              W Malloc.2  512 512 1 # 3 over 3
	$copy.10>GraphLaunch.11       R Malloc.2  512   0 1
	$copy.6>GraphLaunch.11        R Malloc.2  512   0 1
	GraphLaunch.11>host           W Malloc.2 1024   0 1
END
# nodes that are left out make unknown what their parameters point to, no more
exact graph --kernel copy <<END
	Malloc.1>GraphLaunch.4        W Malloc.1 1024   0 1
	unknown>$copy.6               R Malloc.1 1024   0 1
	Malloc.2>$copy.6              W Malloc.2 1024   0 1
	$copy.6>GraphLaunch.8         R Malloc.2 1024   0 1 # unknown is 7
	GraphLaunch.8>host            W Malloc.2 1024   0 1
	unknown>GraphLaunch.9         W Malloc.1 1024   0 1
	unknown>$copy.11              R Malloc.1  512   0 1 # its parameters were changed
	$copy.6>$copy.11              W Malloc.2  512 512 1 # 3 over 3
	$copy.11>GraphLaunch.12       R Malloc.2  512   0 1
	$copy.6>GraphLaunch.12        R Malloc.2  512   0 1
	GraphLaunch.12>host           W Malloc.2 1024   0 1
END
# 80 times: bytes 2i+1, 2i+2, and both copied; none is what was there
exact graph_large <<END
	Malloc.1>GraphLaunch.4      W Malloc.1  1024 0  1
	$add.5>GraphLaunch.4        W Malloc.1 80896 0 79
	GraphLaunch.4>$add.5        R Malloc.1 81920 0 80
	GraphLaunch.4>$add.5        W Malloc.1 81920 0 80
	$add.5>$copy.6              R Malloc.1 81920 0 80
	Malloc.2>$copy.6            W Malloc.2  1024 0  1
	$copy.6>$copy.6             W Malloc.2 80896 0 79
	$copy.6>GraphLaunch.7       R Malloc.2 81920 0 80
	Malloc.3>GraphLaunch.7      W Malloc.3  1024 0  1
	GraphLaunch.7>GraphLaunch.7 W Malloc.3 80896 0 79
	GraphLaunch.7>Memcpy.8      R Malloc.3  1024 0  1
	Memcpy.8>host               W Malloc.3  1024 0  1
END
# the same 60 times, and 9 times more in w
exact graph_update <<END
	Malloc.1>GraphLaunch.6      W Malloc.1  1024 0  1
	$add.7>GraphLaunch.6        W Malloc.1 60416 0 59
	GraphLaunch.6>$add.7        R Malloc.1 61440 0 60
	GraphLaunch.6>$add.7        W Malloc.1 61440 0 60
	$add.7>$copy.8              R Malloc.1 61440 0 60
	Malloc.2>$copy.8            W Malloc.2  1024 0  1
	$copy.8>$copy.8             W Malloc.2 60416 0 59
	$copy.8>GraphLaunch.9       R Malloc.2 61440 0 60
	Malloc.3>GraphLaunch.9      W Malloc.3  1024 0  1
	GraphLaunch.9>GraphLaunch.9 W Malloc.3 60416 0 59
	Malloc.4>Memset.5           W Malloc.4  1024 0  1
	Memset.5>$add.7             R Malloc.4  1024 0  1
	Memset.5>$add.7             W Malloc.4  1024 0  1
	$add.7>$add.7               R Malloc.4  8192 0  8
	$add.7>$add.7               W Malloc.4  8192 0  8
	GraphLaunch.9>Memcpy.10     R Malloc.3  1024 0  1
	Memcpy.10>host              W Malloc.3  1024 0  1
	$add.7>Memcpy.11            R Malloc.4  1024 0  1
	Memcpy.11>host              W Malloc.4  1024 0  1
END
# 60 times: bytes 4i+1, and 1, 2 or 3 more; 20 of the copies go to the other object
for each in graph_changes graph_any; do
	exact $each <<END
		Malloc.1>GraphLaunch.4      W Malloc.1  1024 0  1
		$add.5>GraphLaunch.4        W Malloc.1 60416 0 59
		GraphLaunch.4>$add.5        R Malloc.1 61440 0 60
		GraphLaunch.4>$add.5        W Malloc.1 61440 0 60
		$add.5>GraphLaunch.6        R Malloc.1 61440 0 60
		Malloc.2>GraphLaunch.6      W Malloc.2  1024 0  1
		GraphLaunch.6>GraphLaunch.6 W Malloc.2 39936 0 39
		Malloc.3>GraphLaunch.6      W Malloc.3  1024 0  1
		GraphLaunch.6>GraphLaunch.6 W Malloc.3 19456 0 19
		GraphLaunch.6>Memcpy.7      R Malloc.2  1024 0  1
		Memcpy.7>host               W Malloc.2  1024 0  1
		GraphLaunch.6>Memcpy.8      R Malloc.3  1024 0  1
		Memcpy.8>host               W Malloc.3  1024 0  1
END
done
exact graph_children <<END
	Malloc.1>GraphLaunch.3      W Malloc.1  1024 0  1
	$add.4>GraphLaunch.3        W Malloc.1 60416 0 59
	GraphLaunch.3>$add.4        R Malloc.1 61440 0 60
	GraphLaunch.3>$add.4        W Malloc.1 61440 0 60
	$add.4>GraphLaunch.5        R Malloc.1 61440 0 60
	Malloc.2>GraphLaunch.5      W Malloc.2  1024 0  1
	GraphLaunch.5>GraphLaunch.5 W Malloc.2 60416 0 59
	GraphLaunch.5>Memcpy.6      R Malloc.2  1024 0  1
	Memcpy.6>host               W Malloc.2  1024 0  1
END
shift='shift(int*,int*,int)'
# x is 99, 99, 103 in the end, y 197, 197, 201: of what is written, 3 of 4 bytes stay 0
exact graph_parts <<END
	Malloc.1>GraphLaunch.4    W Malloc.1   1024      0   1
	$add.5>GraphLaunch.4      W Malloc.1   2048   1536   2
	GraphLaunch.4>$add.5      R Malloc.1   3072      0   3
	GraphLaunch.4>$add.5      W Malloc.1   3072   2304   3
	$add.5>$add.5             R Malloc.1 301056      0 294 # 98 of 100: one is off
	$add.5>$add.5             W Malloc.1 301056 225792 294
	$add.5>$copy.6            R Malloc.1   3072      0   3
	Malloc.2>$copy.6          W Malloc.2   1024      0   1
	$add.5>$copy.6            W Malloc.2   2048   1536   2
	$copy.6>$shift.7       R Malloc.2   3072      0   3
	$copy.6>$shift.7       W Malloc.2   3072   2304   3
	$shift.7>$add.5        R Malloc.2   3072      0   3
	$shift.7>$add.5        W Malloc.2   3072   2304   3
	$add.5>$add.5             R Malloc.2 294912      0 288 # 96 of 97
	$add.5>$add.5             W Malloc.2 294912 221184 288
	$add.5>GraphLaunch.8      R Malloc.2   3072      0   3
	Malloc.3>$shift.7      W Malloc.3   1024      0   1
	GraphLaunch.8>$shift.7 W Malloc.3   2048   1536   2
	$shift.7>GraphLaunch.8 W Malloc.3   3072   2304   3
	GraphLaunch.8>Memcpy.9    R Malloc.3   3072      0   3
	Memcpy.9>host             W Malloc.3   3072      0   3
END
exact graph_cooperative <<'END'
	Malloc.1>Memset.3 W Malloc.1 1024 0 1
	unknown>Memcpy.6  R Malloc.2 1024 0 1
	Memcpy.6>host     W Malloc.2 1024 0 1
END
covers graph_cooperative 'CUDA graphs'
exact graph_events <<END
	Malloc.1>Memset.2 W Malloc.1 1024   0 1
	Memset.2>$add.3   R Malloc.1 1024   0 1
	Memset.2>$add.3   W Malloc.1 1024 768 1 # 0 -> 1
	$add.3>$copy.4    R Malloc.1  512   0 2
	$add.3>$copy.4    W Malloc.1  512 512 2 # 1 over 1, 2 over 2
	$copy.4>$add.3    R Malloc.1  256   0 1
	$copy.4>$add.3    W Malloc.1  256 192 1 # 1 -> 2
	$add.3>$add.3     R Malloc.1  768   0 1
	$add.3>$add.3     W Malloc.1  768 576 1
	$copy.4>Memcpy.5  R Malloc.1  256   0 1
	$add.3>Memcpy.5   R Malloc.1  768   0 1
	Memcpy.5>host     W Malloc.1 1024   0 1
END
turn='turn(int*,int*,intconst*,int)'
exact graph_scratch <<END
	Malloc.1>Memset.3      W Malloc.1 1024   0 1
	Memset.3>$add.4        R Malloc.1 1024   0 1
	Memset.3>$add.4        W Malloc.1 1024 768 1 # 0 -> 1
	$add.4>$turn.6         R Malloc.1 1024   0 2
	GraphLaunch.5>$turn.6  R GraphLaunch.5 1024 0 2 # its own values, from the one before it
	GraphLaunch.5>$turn.6  W GraphLaunch.5 1024 0 2 # new memory each time
	Malloc.2>$turn.6       W Malloc.2  512   0 1
	$turn.6>$copy.7        R Malloc.2 1024   0 2
	$add.4>$copy.7         W Malloc.1 1024 768 2 # 1 -> 2, 3 -> 4
	$copy.7>$add.4         R Malloc.1  512   0 1
	$add.4>$add.4          R Malloc.1  512   0 1
	$copy.7>$add.4         W Malloc.1  512 384 1 # 2 -> 3
	$add.4>$add.4          W Malloc.1  512 384 1 # 1 -> 2
	$turn.6>$turn.6        W Malloc.2  512 384 1 # 2 -> 4
	$turn.6>MemcpyAsync.8  R Malloc.2  512   0 1
	Malloc.2>MemcpyAsync.8 R Malloc.2  512   0 1
	MemcpyAsync.8>host     W Malloc.2 1024   0 1
END
[ ! -e "$T/graph_scratch.db" ] || is "graph_scratch: all was seen" \
	"$(sqlite3 "$T/graph_scratch.db" "SELECT count(*) FROM coverage WHERE what IN ('CUDA graphs', 'unknown memory')")" 0
exact graph_memory <<'END'
	Malloc.2>Memset.3           W Malloc.2 1024   0 1
	Memset.3>GraphLaunch.6      W Malloc.2  512 384 1 # 0 -> 1; 5 and what 6 reads are in the graph's memory
	GraphLaunch.6>GraphLaunch.6 W Malloc.2  512 512 1
	GraphLaunch.6>Memcpy.7      R Malloc.2  512   0 1
	Memset.3>Memcpy.7           R Malloc.2  512   0 1
	Memcpy.7>host               W Malloc.2 1024   0 1
	GraphLaunch.6>Memset.8      W Malloc.2  512 384 1 # 1 -> 0
	Memset.3>Memset.8           W Malloc.2  512 512 1
END
covers graph_memory 'memory of CUDA graphs'
exact graph_shared <<'END'
	Malloc.1>Memset.3     W Malloc.1 1024 0 1
	unknown>MemcpyAsync.7 R Malloc.2 1024 0 1 # one of two kernels wrote it
	MemcpyAsync.7>host    W Malloc.2 1024 0 1
END
covers graph_shared 'CUDA graphs'
exact graph_kept <<'END'
	GraphLaunch.1>GraphLaunch.2 W GraphLaunch.1 1024 0 1
	GraphLaunch.2>MemcpyAsync.3 R GraphLaunch.1 1024 0 1
	MemcpyAsync.3>host          W GraphLaunch.1 1024 0 1
END
exact conditional <<'END'
	Malloc.1>Memset.3 W Malloc.1 1024 0 1
	unknown>Memcpy.5  R Malloc.1 1024 0 1
	Memcpy.5>host     W Malloc.1 1024 0 1
END
covers conditional 'conditional nodes of CUDA graphs'
exact mappings <<END
	cuMemSetAccess.1>cuMemsetD8.2   W cuMemSetAccess.1 1024    0 1
	cuMemsetD8.2>$add.3             R cuMemSetAccess.1 1024    0 1
	cuMemsetD8.2>$add.3             W cuMemSetAccess.1 1024  768 1
	$add.3>cuMemcpyDtoD.4           R cuMemSetAccess.1 1024    0 1
	cuMemSetAccess.1>cuMemcpyDtoD.4 R cuMemSetAccess.1 1024    0 1 # 512 on both sides
	cuMemSetAccess.1>cuMemcpyDtoD.4 W cuMemSetAccess.1 2048    0 1
	cuMemcpyDtoD.4>cuMemcpyDtoH.5   R cuMemSetAccess.1 2048    0 1
	cuMemcpyDtoH.5>host             W cuMemSetAccess.1 2048    0 1
END
slow='slow(int*)'
exact streams <<END
	Malloc.1>Memset.3        W Malloc.1 1024    0 1
	Malloc.2>Memset.4        W Malloc.2 1024    0 1
	Memset.3>$slow.5         R Malloc.1 1024    0 1
	Memset.3>$slow.5         W Malloc.1 1024  768 1 # 0 -> 1
	$slow.5>$add.6           R Malloc.1 1024    0 1
	$slow.5>$add.6           W Malloc.1 1024  768 1
	$add.6>$slow.7           R Malloc.1 1024    0 1
	$add.6>$slow.7           W Malloc.1 1024  768 1
	Memset.4>MemsetAsync.8   W Malloc.2 1024 1024 1 # 0 over 0
	$slow.7>$slow.9          R Malloc.1 1024    0 1
	$slow.7>$slow.9          W Malloc.1 1024  768 1
	$slow.9>Memcpy.11        R Malloc.1 1024    0 1
	Memcpy.11>host           W Malloc.1 1024    0 1
END
fill='fill(int*,unsignedint*,intvolatile*)'
exact unmapped <<END
	Malloc.2>Memset.3       W Malloc.2               4         0 1
	cuMemSetAccess.4>$fill.5 W cuMemSetAccess.4 268435456         0 1
	Memset.3>$fill.5        R Malloc.2               4         0 1
	Memset.3>$fill.5        W Malloc.2               4         4 1 # back at 0
	MallocHost.1>$fill.5    W MallocHost.1           4         0 1
	$fill.5>$fill.5         W cuMemSetAccess.4 268435456 268435456 1
	$fill.5>$fill.5         R Malloc.2               4         0 1
	$fill.5>$fill.5         W Malloc.2               4         4 1
	$fill.5>$fill.5         W MallocHost.1           4         4 1 # the host's 0 was overwritten before anybody looked
END
exact batch <<'END'
	Malloc.1>Memset.2                 W Malloc.1 4096   0 1
	host>MemcpyBatchAsync.3           R Malloc.1   64   0 1
	Memset.2>MemcpyBatchAsync.3       R Malloc.1  128   0 1
	Memset.2>MemcpyBatchAsync.3       W Malloc.1  192 128 2 # each copy is an invocation; 1 over 1
	Memset.2>cuStreamWriteValue32.4   W Malloc.1    4   0 1 # 5 over 01010101
	MemcpyBatchAsync.3>MemcpyAsync.5  R Malloc.1  192   0 1
	cuStreamWriteValue32.4>MemcpyAsync.5 R Malloc.1 4   0 1
	Memset.2>MemcpyAsync.5            R Malloc.1 3900   0 1
	MemcpyAsync.5>host                W Malloc.1 4096   0 1
END
exact registered <<END
	host>$copy.3           R HostRegister.1  512   0 1
	HostRegister.1>$copy.3 R HostRegister.1  512   0 1
	Malloc.2>$copy.3       W Malloc.2       1024   0 1
	HostRegister.1>$add.4  R HostRegister.1 1024   0 1
	HostRegister.1>$add.4  W HostRegister.1 1024   0 1
	$add.4>$copy.5         R HostRegister.1 1024   0 1
	$copy.3>$copy.5        W Malloc.2       1024 768 1 # 1 over 7 and over 0
END
exact surface <<'END'
	host>Memcpy2DToArray.2           R MallocArray.1 2048 0 1
	MallocArray.1>Memcpy2DToArray.2  W MallocArray.1 2048 0 1
	unknown>Memcpy2DFromArray.4      R MallocArray.1 2048 0 1
	Memcpy2DFromArray.4>host         W MallocArray.1 2048 0 1
	host>Memcpy2DToArray.6           R MallocArray.1 2048 0 1 # unknown is 5
	unknown>Memcpy2DToArray.6        W MallocArray.1 2048 0 1
END
covers surface 'surface stores'
bulk='bulk(int*,intconst*,int*)'
exact bulk_copies <<END
	host>Memcpy.4      R Malloc.1 512  0 1
	Malloc.1>Memcpy.4  W Malloc.1 512  0 1
	Malloc.3>Memset.5  W Malloc.3 512  0 1
	Memcpy.4>$bulk.6   R Malloc.1 512  0 1
	Malloc.2>$bulk.6   W Malloc.2 512  0 1
	Memset.5>$bulk.6   R Malloc.3 128  0 1
	Memset.5>$bulk.6   W Malloc.3 128 96 1 # 0 -> 2
	$bulk.6>Memcpy.7   R Malloc.2 512  0 1
	Memcpy.7>host      W Malloc.2 512  0 1
	$bulk.6>Memcpy.8   R Malloc.3 128  0 1
	Memset.5>Memcpy.8  R Malloc.3 384  0 1
	Memcpy.8>host      W Malloc.3 512  0 1
END
padded='padded(int*,intconst*)'
exact padding <<END
	host>Memcpy.3      R Malloc.1 128 0 1
	Malloc.1>Memcpy.3  W Malloc.1 128 0 1
	Memcpy.3>$padded.4 R Malloc.1  32 0 1 # 8 lanes; the others fill with zeros
	Malloc.2>$padded.4 W Malloc.2 128 0 1
	$padded.4>Memcpy.5 R Malloc.2 128 0 1
	Memcpy.5>host      W Malloc.2 128 0 1
END
[ ! -e "$T/padding.db" ] || is "padding: no memory is unknown" "$(sqlite3 "$T/padding.db" "SELECT * FROM coverage WHERE what = 'unknown memory'")" ""
[ ! -e "$T/padding.db" ] || is "padding: all or nothing is known" "$(sqlite3 "$T/padding.db" "SELECT count(*) FROM coverage WHERE what = 'partial copies'")" 0
part='part(int*,intconst*,int)'
exact partial <<END
	host>Memcpy.3    R Malloc.1 128 0 1
	Malloc.1>Memcpy.3 W Malloc.1 128 0 1
	Memcpy.3>$part.4 R Malloc.1 128 0 1 # it reads 5 of each 16, as coverage says
	Malloc.2>$part.4 W Malloc.2  32 0 1
	$part.4>Memcpy.5 R Malloc.2  32 0 1
	Memcpy.5>host    W Malloc.2  32 0 1
END
covers partial "partial copies"
together='together(int*,int*,int)'
exact cooperative <<END
	Malloc.1>Memset.3    W Malloc.1 1024   0 1
	Memset.3>$together.4 R Malloc.1 1024   0 1
	Memset.3>$together.4 W Malloc.1 1024 768 1
	Malloc.2>$together.4 W Malloc.2 1024   0 1
	$together.4>Memcpy.5 R Malloc.2 1024   0 1
	Memcpy.5>host        W Malloc.2 1024   0 1
END
exact heap <<'END'
	Malloc.1>allocate(int*).2 W Malloc.1 4 0 1
	allocate(int*).2>Memcpy.3 R Malloc.1 4 0 1
	Memcpy.3>host             W Malloc.1 4 0 1
END
[ ! -e "$T/heap.db" ] || is "heap: 4 stores and a load are not followed" "$(sqlite3 "$T/heap.db" "SELECT count, bytes FROM coverage WHERE what = 'unknown memory'")" "5|20"
sums='sums(int*,intconst*)'
exact generic <<END
	Malloc.2>Memset.3 W Malloc.2 512 0 1
	Memset.3>$sums.4  R Malloc.2  16 0 1
	Malloc.1>$sums.4  W Malloc.1 128 0 1
	$sums.4>Memcpy.5  R Malloc.1 128 0 1
	Memcpy.5>host     W Malloc.1 128 0 1
END
[ ! -e "$T/generic.db" ] || is "generic: stacks and shared memory are known" "$(sqlite3 "$T/generic.db" "SELECT count(*) FROM coverage WHERE what = 'unknown memory'")" 0
exact contexts <<END
	cuMemAlloc.1>cuMemsetD8.2   W cuMemAlloc.1 1024   0 1
	cuMemsetD8.2>cuMemcpyPeer.4 R cuMemAlloc.1  512   0 1
	cuMemAlloc.3>cuMemcpyPeer.4 W cuMemAlloc.3  512   0 1
	cuMemcpyPeer.4>$add.5       R cuMemAlloc.3  512   0 1
	cuMemcpyPeer.4>$add.5       W cuMemAlloc.3  512 384 1 # 0 -> 1
	$add.5>cuMemcpyDtoH.6       R cuMemAlloc.3  512   0 1
	cuMemcpyDtoH.6>host         W cuMemAlloc.3  512   0 1
	cuMemsetD8.2>cuMemcpyDtoH.7 R cuMemAlloc.1 1024   0 1
	cuMemcpyDtoH.7>host         W cuMemAlloc.1 1024   0 1
END
exact beside <<END
	cuMemAlloc.3>cuMemsetD8.4 W cuMemAlloc.3 1024   0 1
	cuMemsetD8.4>$add.5       R cuMemAlloc.3 1024   0 1
	cuMemsetD8.4>$add.5       W cuMemAlloc.3 1024 768 1 # 0 -> 1
	$add.5>cuMemcpyDtoH.6     R cuMemAlloc.3 1024   0 1
	cuMemcpyDtoH.6>host       W cuMemAlloc.3 1024   0 1
END
exact across <<END
	cuMemAlloc.1>cuMemsetD8.2 W cuMemAlloc.1 1024    0 1
	cuMemAlloc.3>cuMemsetD8.4 W cuMemAlloc.3 1024    0 1
	cuMemsetD8.2>$copy.5      R cuMemAlloc.1 1024    0 1
	cuMemsetD8.4>$copy.5      W cuMemAlloc.3 1024 1024 1 # 0 over 0
	$copy.5>cuMemcpyDtoH.6    R cuMemAlloc.3 1024    0 1
	cuMemcpyDtoH.6>host       W cuMemAlloc.3 1024    0 1
END
exact green <<END
	Malloc.1>Memset.2 W Malloc.1 1024   0 1
	Memset.2>$add.3   R Malloc.1 1024   0 1
	Memset.2>$add.3   W Malloc.1 1024 768 1 # 0 -> 1
	$add.3>Memcpy.4   R Malloc.1 1024   0 1
	Memcpy.4>host     W Malloc.1 1024   0 1
END
exact peers <<END
	Malloc.1>Memset.2     W Malloc.1 1024   0 1
	Memset.2>MemcpyPeer.4 R Malloc.1  512   0 1
	Malloc.3>MemcpyPeer.4 W Malloc.3  512   0 1
	MemcpyPeer.4>$add.5   R Malloc.3  512   0 1
	MemcpyPeer.4>$add.5   W Malloc.3  512 384 1
	Memset.2>$add.6       R Malloc.1 1024   0 1
	Memset.2>$add.6       W Malloc.1 1024 768 1
	$add.6>$copy.7        R Malloc.1  256   0 1
	$add.5>$copy.7        W Malloc.3  256 192 1 # 3 over 1
	$add.6>Memcpy.8       R Malloc.1 1024   0 1
	Memcpy.8>host         W Malloc.1 1024   0 1
	$copy.7>Memcpy.9      R Malloc.3  256   0 1
	$add.5>Memcpy.9       R Malloc.3  256   0 1
	Memcpy.9>host         W Malloc.3  512   0 1
END
if [ "$wanted" = "  " ] || [[ $wanted == *" nested "* ]]; then
	cat >"$T/nested.cu" <<'END'
__global__ void child(int *x) { x[threadIdx.x] = 5; }
__global__ void parent(int *x) { x[0] = 1; child<<<1, 64>>>(x + 64); }
int main()
{
	int *x, host[256];
	cudaMalloc(&x, 1024);
	cudaMemset(x, 0, 1024);
	parent<<<1, 1>>>(x);
	return cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost) != cudaSuccess || host[127] != 5;
}
END
	"$NVCC" -arch=native -rdc=true -o "$T/nested" "$T/nested.cu" 2>"$T/log" || not_ok "nvcc" "$(cat "$T/log")"
	"$VFLOW" collect --quiet --device gpu -o "$T/nested.db" "$T/nested"
	is "nested: exit code" $? 0
	is "nested" "$(named "$T/nested.db")" "$(LC_ALL=C sort <<'END'
Malloc.1>Memset.2 W Malloc.1 1024 0 1
Memset.2>Memcpy.4 R Malloc.1 764 0 1
Memset.2>parent(int*).3 W Malloc.1 260 195 1
parent(int*).3>Memcpy.4 R Malloc.1 260 0 1
Memcpy.4>host W Malloc.1 1024 0 1
END
)"
fi
covers nested "launches from kernels"
finish
