#!/bin/bash
# Managed memory, memory of the host, arrays, graphs: each table says which edges moves.c must give.
#	FROM>TO ACCESS OBJECT BYTES REDUNDANT COUNT
. tests/lib.sh

exact() { # CASE <TABLE
	exact_edges "$P/moves" "$1"
}

exact managed <<'END'
	0>3 R 1 1020    0 1 # the host wrote 1..255
	1>3 R 1    4    0 1 # its 0 cannot be told from nothing
	2>3 W 2 1024    0 1
	3>4 R 2 1024    0 1
	3>4 W 2 1024  767 1 # 255-i -> 256-i: 3 of 4 bytes stay, of 255 -> 256 two
	0>5 R 1 1020    0 1 # what the host wrote since is overwritten, so it is not seen
	1>5 R 1    4    0 1
	0>5 W 1 1020  765 1 # i<64: 8 over i: 3 bytes, all of 8; i>=64: i+1: 3 bytes, of 255 two
	1>5 W 1    4    0 1
	5>6 R 1 1024    0 1
	6>0 W 1 1024    0 1
	0>7 R 1    4    0 1
	5>7 R 1 1020    0 1
	7>0 W 1 1024    0 1
	4>8 W 2 1024  768 1 # 256-i: each has 3 zero bytes
END
exact mapped <<'END'
	0>3 R 1 1024    0 1
	2>3 W 2 1024    0 1
	3>4 R 2 1024    0 1
	4>0 W 2 1024    0 1
	0>5 R 1 1024    0 1
	0>5 W 1 1024  767 1 # 257-i over i+1: bytes 2, 3: 512; byte 1 but for 0, 1, 255: 253; byte 0 of 0, 128
	5>6 W 1  512  383 1 # 257-i, i<128: 257 has 2 zero bytes, the others 3
	0>7 R 2 1024    0 1
	3>7 W 2 1024  768 1 # i<128: 0 over 256-i: 3 bytes; then 257-i over 256-i: 3 bytes
	7>8 R 2 1024    0 1
	8>0 W 2 1024    0 1
END
exact pinned <<'END'
	0>3 R 2 1024    0 1
	2>3 W 2 1024    0 1
	3>4 R 2 1024    0 1
	4>0 W 2 1024    0 1
END
is "pinned: the vertices" "$(vertices "$T/pinned.db" | cut -d' ' -f2,4 | tr '\n' ' ')" \
	"host host alloc cudaMallocHost alloc cudaMalloc memcpy cudaMemcpyAsync memcpy cudaMemcpyAsync "
exact registered <<'END'
	0>3 R 1 1024 0 1
	2>3 W 2 1024 0 1
	1>4 R 1 1024 0 1 # zeros, as nobody had written there
	1>4 W 1 1024 0 1
	3>5 R 2 1024 0 1
	5>0 W 2 1024 0 1
END
exact array <<'END'
	0>3  R 1  256    0 1
	1>3  W 1  256    0 1
	2>4  W 2 2048    0 1
	4>5  R 2 2048    0 1
	3>5  W 1  256    0 1 # 0 over 1
	1>5  W 1 1792    0 1
	4>6  R 2 2048    0 1
	5>6  W 1 2048 2048 1
	6>7  R 1 2048    0 1
	7>0  W 1 2048    0 1
	6>8  R 1   64    0 1
	4>8  W 2   64   64 1
	0>10 R 9  128    0 1
	9>10 W 9  128    0 1
END
exact box <<'END'
	1>2 W 1 2400  0 1 # 3 * 8 * 100
	0>3 R 1  128  0 1 # 2 * 4 * 16
	2>3 W 1  128  0 1
	3>4 R 1   64  0 1
	2>4 W 1   64  0 1
	2>5 W 1   40 40 2 # of 8 bytes in 4 rows of 2 slices
	4>5 W 1   12  0 1 # 4 bytes in rows 1, 2, 3
	3>5 W 1   12  0 1
	2>6 R 1 2168  0 1
	3>6 R 1  116  0 1 # 128 - 12
	4>6 R 1   52  0 1 # 64 - 12
	5>6 R 1   64  0 1
	6>0 W 1 2400  0 1
END
exact pool <<'END'
	1>2 W 1 1024 0 1
	3>4 W 3 1024 0 1
	5>6 W 5  512 0 1
END
exact graph <<'END'
	1>4 W 1 1024    0 1
	5>4 W 1 1024  768 1 # 0 over 1: 3 of 4 bytes
	4>5 R 1 2048    0 2
	4>5 W 1 2048 1536 2
	5>6 R 1 2048    0 2
	2>6 W 2 1024    0 1
	6>6 W 2 1024 1024 1 # the second time the same
	6>7 R 2 2048    0 2
	7>0 W 2 2048    0 2
END
is "graph: the vertices" "$(vertices "$T/graph.db" | cut -d' ' -f2- | tail -n 4 | tr '\n' ' ')" \
	"memset 2 cudaGraphLaunch kernel 2 increment memcpy 2 cudaGraphLaunch memcpy 2 cudaGraphLaunch "
exact virtual <<'END'
	1>2 W 1 1024 0 1
	2>3 R 1 1024 0 1
	3>0 W 1 1024 0 1
END
is "virtual: the vertices" "$(vertices "$T/virtual.db" | cut -d' ' -f2- | tr '\n' ' ')" \
	"host 0 host alloc 1 cuMemSetAccess memset 1 cuMemsetD8 memcpy 1 cuMemcpyDtoH "
exact nothing <<'END'
	1>3 W 1 1024 0 1
	3>4 R 1 1024 0 1
	4>0 W 1 1024 0 1
END
is "nothing: the vertices" "$(vertices "$T/nothing.db" | cut -d' ' -f2- | tr '\n' ' ')" \
	"host 0 host alloc 1 cudaMalloc alloc 1 cudaMalloc memset 1 cudaMemset memcpy 1 cudaMemcpy "
is "every case of moves.c has its table" \
	"$("$P/moves" 2>&1 | sed 's/.*one of: //' | tr ' ' '\n' | sort)" \
	"$(grep -o '^exact [a-z_]*' "$0" | cut -d' ' -f2 | sort)"
finish
