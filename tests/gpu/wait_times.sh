#!/bin/bash
# The pass `waits` on a GPU: each call that waited for a kernel of 5 ms, by the program's own clock,
# and no other; for as long as the kernel went on, within 5 %.
. tests/lib.sh
. tests/gpu/real.bash
exec </dev/null # each run reads it

compile wait_times -arch=compute_75 -cudart shared -g -lineinfo tests/gpu/wait_times.cu

# The calls after the kernels of 5 ms: number, name, what is left of the kernel when the call begins,
# whether the next call is one (0: none of ours, as it is no event), its wait.
calls='WITH k AS (SELECT t.call, t.end_ns, row_number() OVER (ORDER BY t.call) AS n FROM gpu_time t JOIN api_calls s ON s.id = t.call
	WHERE s.name LIKE '\''spin(%'\'' AND t.end_ns - t.start_ns > 4000000)
	SELECT k.n, replace(c.name, '\'' '\'', '\''_'\''), k.end_ns - c.start_ns, c.name LIKE '\''spin(%'\'',
		coalesce(c.wait_ns, 0) FROM k JOIN api_calls c ON c.id = k.call + 1 ORDER BY k.n'

for mode in spin block; do
	[ "$mode" = block ] && wake=700000 || wake=0 # ns
	for by in looks device; do
		[ $by = looks ] && unset VFLOW_NO_HOOKS || export VFLOW_NO_HOOKS=1
		DEVICE=gpu collect "$T/w.db" --passes flow,time,waits --kernel nothing_at_all "$T/wait_times" $mode >"$T/out" 2>"$T/err" || not_ok "$mode: collect" "$(cat "$T/err")"
		# the last run is that of the pass: its lines are the last
		lines=$(($(wc -l <"$T/out") / 2))
		tail -n "$lines" "$T/out" >"$T/truth"
		sqlite3 -separator ' ' "$T/w.db" "$calls" >"$T/calls"
		is "$mode: all calls are there" "$(wc -l <"$T/calls")" "$lines"
		sqlite3 "$T/w.db" "SELECT kind, what, count FROM coverage WHERE kind GLOB 'WAITS*'" 2>/dev/null | sed 's/^/# /'
		paste -d ' ' "$T/truth" "$T/calls" >"$T/both"
		cp "$T/both" "$T/both.$mode.$by"
		# a call has waited if it took as long as the kernel did; one that is no event has none.  Large copies in no order
		# with the kernel take so long, too; and without looks copies on the host are not seen
		sed -i '/^nonblocking [DH]2[DH].*large/d' "$T/both"
		[ $by = looks ] || sed -i '/ H2H /d' "$T/both"
		is "$mode, $by: calls that waited and are not listed" "$(awk '$3 > 4000000 && $3 >= 0.9 * $6 && ($7 || $8 < 0.9 * $6)' "$T/both")" ""
		is "$mode, $by: calls that are listed and did not wait" "$(awk '$3 < 2000000 && !$7 && $8 > 1000000' "$T/both")" ""
		# asynchronous work and large copies have more to wait for: themselves
		# a thread that blocks wakes up late, by up to 0.64 ms where this was measured; frees have work of their own after that, so that
		# how long they took does not tell how late it was
		is "$mode, $by: waits that differ from the kernel by more than 5 %" "$(awk -v wake="$wake" '
			$3 > 4000000 && !$7 && $2 !~ /large|set-managed/ && ($8 < 0.95 * $6 || $8 > 1.05 * $6 + 50000) && ($8 < 0.95 * $3 || $8 > $3) &&
			!($2 ~ /free|unregister/ && $8 > $6 && $8 < $6 + wake)' "$T/both")" ""
		awk '{ n += !$7 && $8 > 1000000; e = !$7 && $8 > 1000000 ? ($8 - $6) / $6 : 0; if (e < 0) e = -e; if (e > worst && $2 !~ /large/) worst = e }
			END { printf "# %d calls, %d of them waited; worst difference %.2f %%\n", NR, n, 100 * worst }' "$T/both"
	done
done
for file in "$T"/both.*; do
	sed "s|^|# ${file##*both.}: |" "$file"
done
finish
