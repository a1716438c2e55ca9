#!/bin/bash
# Kernels of two GPUs that wait for each other, NCCL's among them: they end as without vflow, and what is known of them is said.
. tests/lib.sh
. tests/gpu/real.bash
: "${PYTHON:=python3}"
export NCCL_NVLS_ENABLE=0 # a program that uses multicast can put GPUs out of service that others share
compile devices -arch=native -g -lineinfo tests/gpu/devices.cu
native=$(timeout 60 "$T/devices" peer 2>&1)
case $native in no*) skip "devices" "$native"; finish ;; esac
is "natively" "$native" "peer: 0 wrong, met"
named() { # DB OBJECT: as in moves.sh
	"$VFLOW" export -T json "$1" >"$T/export.json" &&
		json_query "$T/export.json" "WITH v AS (SELECT value->>'id' AS id, replace(replace(value->>'name', ' ', ''), 'cuda', '')
				|| CASE value->>'kind' WHEN 'unknown' THEN '' WHEN 'host' THEN '' ELSE '.' || (value->>'id') END AS name
				FROM json, json_each(text, '\$.vertices'))
			SELECT f.name || '>' || t.name, substr(e.value->>'access', 1, 1),
				e.value->>'bytes', coalesce(e.value->>'redundant_bytes', 0), e.value->>'count'
			FROM json, json_each(text, '\$.edges') e JOIN v f ON f.id = e.value->>'start' JOIN v t ON t.id = e.value->>'end'
				JOIN v o ON o.id = e.value->>'object' WHERE o.name = '$2'" | LC_ALL=C sort
}
given_up() { # DB: kernels that were not waited for, launches that were left out
	sqlite3 "$1" "SELECT (SELECT coalesce(sum(count), 0) FROM coverage WHERE what = 'kernels'),
		(SELECT coalesce(sum(count), 0) FROM coverage WHERE what = 'skipped launches')"
}
collect() { # CASE COMMAND...
	timeout 100 "$VFLOW" collect --quiet --device gpu -o "$T/$1.db" "${@:2}" >"$T/$1.out" 2>"$T/$1.err"
	echo "exit code $?" >>"$T/$1.out"
}
as_native() { # CASE OUTPUT
	is "$1: as without vflow" "$(cat "$T/$1.out")" "$2"$'\n'"exit code 0"
	sqlite3 "$T/$1.db" "SELECT what, reason, count, bytes FROM coverage" | sed 's/^/# /'
}
for case in mapped peer threads; do
	collect $case "$T/devices" $case &
done
wait
for case in mapped peer threads; do
	as_native $case "$case: 0 wrong, met"
done
add='add(int*,int)' meet='meet(intvolatile*,intvolatile*,int,int*,intconstvolatile*,int*)'
is "mapped: edges" "$(named "$T/mapped.db" Malloc.2)" "$(sed 's/ *#.*//; s/^[ \t]*//; s/[ \t][ \t]*/ /g' <<END | LC_ALL=C sort
	Malloc.2>Memset.3 W 65536     0 2 # unknown is 8: it wrote the flags
	Memset.3>$add.6   R 32768     0 2
	Memset.3>$add.6   W 32768 24576 2 # of each number one byte changes
	$add.6>$add.6     R 65536     0 4
	$add.6>$add.6     W 65536 49152 4
	$add.6>$meet.7    R 98304     0 6
	Memset.3>$meet.7  R 32768     0 2
	Memset.3>$meet.7  W 32768 24576 2
	$add.9>$meet.7    R 65536     0 4
	$add.9>$meet.7    W 65536 49152 4
	$meet.7>$add.9    R 98304     0 6
	$meet.7>$add.9    W 98304 73728 6
	$add.6>Memcpy.10  R 32768     0 2
	$add.9>Memcpy.10   R 32768     0 2
	Memcpy.10>host    W 65536     0 2
END
)"
is "mapped: no kernel is given up" "$(given_up "$T/mapped.db")" "0|0"
for case in peer threads; do
	is "$case: one is given up" "$(given_up "$T/$case.db" | cut -d'|' -f1)" 1
	is "$case: then they run beside each other" "$(sqlite3 "$T/$case.db" "SELECT count(*) FROM coverage WHERE what = 'peer memory'")" 1
done
if ! "$PYTHON" -c 'import torch' 2>/dev/null; then
	skip "NCCL" "$PYTHON has no torch"
	finish
fi
cat >"$T/one.py" <<'END'
import torch, torch.cuda.nccl as nccl

for i in range(4):
    parts = [torch.full((1 << 18,), float(i + k), device=f"cuda:{k}") for k in range(2)]
    nccl.all_reduce(parts)
    print([(part * 2).sum().item() for part in parts])
END
cat >"$T/two.py" <<'END'
import os, torch, torch.distributed as dist, torch.multiprocessing as mp

def run(rank):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["PORT"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256, bias=False).cuda(), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    batch = torch.full((8, 256), rank + 1.0).cuda()
    for step in range(3):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total)
        if rank == 0:
            print(f"{total.item():.4f}", flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(run, nprocs=2)
END
for case in one two; do
	(PORT=$((20000 + $$ % 10000)) timeout 60 "$PYTHON" "$T/$case.py" >"$T/$case.native" 2>"$T/native") &
	PORT=$((30000 + $$ % 10000)) collect $case "$PYTHON" "$T/$case.py" &
done
wait
for case in one two; do
	like "NCCL, $case: natively" "$(cat "$T/$case.native")" '[0-9]'
	as_native $case "$(cat "$T/$case.native")"
	is "NCCL, $case: no kernel is given up" "$(given_up "$T/$case.db")" "0|0"
	"$VFLOW" export -T json "$T/$case.db" >"$T/export.json"
	is "NCCL, $case: its kernels read and write what the program's do" "$(json_query "$T/export.json" "WITH v AS (SELECT value->>'id' AS id, value->>'name' AS name FROM json, json_each(text, '\$.vertices'))
		SELECT DISTINCT f.name LIKE 'nccl%' FROM json, json_each(text, '\$.edges') e JOIN v f ON f.id = e.value->>'start' JOIN v t ON t.id = e.value->>'end'
		WHERE (f.name LIKE 'ncclDevKernel_AllReduce%' AND t.name LIKE '%at::native::%') OR (f.name LIKE '%at::native::%' AND t.name LIKE 'ncclDevKernel_AllReduce%') ORDER BY 1")" $'0\n1'
done
is "NCCL, two: processes" "$(sqlite3 "$T/two.db" "SELECT count(*) FROM process")" 2
finish
