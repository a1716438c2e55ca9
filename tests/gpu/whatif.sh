#!/bin/bash
# `vflow whatif` on a GPU: what it says that programs of tests/gpu/whatif.cu would take without the
# calls that are marked there, against the mended programs, which nothing observes.
. tests/lib.sh
. tests/whatif.bash
. tests/gpu/real.bash
exec </dev/null # each run reads it
source=tests/gpu/whatif.cu
compile whatif -arch=compute_75 -cudart shared -g -lineinfo $source -lpthread

"$T/whatif" medians >"$T/natively" 2>"$T/err" || not_ok "natively" "$(cat "$T/err")"

: >"$T/table"
for name in $(cases); do
	read -r _ before mended < <(grep "^$name " "$T/natively")
	DEVICE=gpu collect "$T/w.db" --passes flow,time,waits --kernel nothing_at_all "$T/whatif" "$name" before >"$T/out" 2>"$T/err" || not_ok "$name: collect" "$(cat "$T/err")"
	ask_about "$name" "$T/w.db"
	"$VFLOW" whatif "${options[@]}" -T json "$T/w.db" >"$T/w.json" 2>"$T/err" || sed 's/^/# /' "$T/err"
	"$VFLOW" whatif "${options[@]}" --estimate diogenes -T json "$T/w.db" >"$T/d.json" 2>"$T/err" || sed 's/^/# /' "$T/err"
	[ -z "${KEEP:-}" ] || cp "$T/w.db" "$KEEP/$name.db"
	# the observed interval, less what the replayed run takes less than the measured one, the profiler's work included
	measured=$(member "$T/w.json" measured_ns)
	saves=${measured:+$((measured - $(member "$T/w.json" after_ns)))} paper=$(member "$T/d.json" saves_ns)
	echo "$name $before $mended $(tail -n 1 "$T/out") ${saves:-none} ${paper:-none} ${options[*]}" >>"$T/table"
done
# Of each: how long it took, before, observed and mended; what is predicted for the mended one, of the observed run, and how far
# that is off; the same by the paper's formula.
awk 'function off(predicted, mended) { return predicted <= 0 ? 99 : predicted > mended ? predicted / mended : mended / predicted }
	BEGIN { printf "# %-12s %9s %9s %9s %9s %7s %10s %8s\n", "us", "before", "observed", "mended", "predicted", "off", "Diogenes", "off" }
	{ p = $5 == "none" ? 0 : $4 - $5; e = off(p, $3); options = ""; for (i = 7; i <= NF; i++) options = options " " $i
		printf "# %-12s %9.1f %9.1f %9.1f %9.1f %6.1f%% ", $1, $2 / 1e3, $4 / 1e3, $3 / 1e3, p / 1e3, 100 * (e - 1)
		if ($6 == "none") printf "%10s %8s ", "-", "-"
		else { d = $4 - $6; f = off(d, $3); paper += log(f); m++; printf "%10.1f %7.1f%% ", d / 1e3, 100 * (f - 1) }
		print options
		sum += log(e); n++; if (e > 1.1) bad = bad " " $1 }
	END { printf "# geomean of %d: %.1f %%, Diogenes of %d: %.1f %%\n", n, 100 * (exp(sum / n) - 1), m, 100 * (exp(paper / m) - 1)
		print "off by more than 10 %:" bad; print "geomean within 5 %:", exp(sum / n) <= 1.05 ? "yes" : "no" }' "$T/table" >"$T/result"
grep '^#' "$T/result"
is "each within 10 %" "$(grep '^off' "$T/result")" "off by more than 10 %:"
is "geomean within 5 %" "$(grep '^geomean' "$T/result")" "geomean within 5 %: yes"
is "cases" "$(wc -l <"$T/table")" 20
finish
