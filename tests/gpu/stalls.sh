#!/bin/bash
# The pass `stalls` on a GPU: tests/gpu/stalls.cu has kernels with one planted bottleneck each, which must be the first advice at
# the right line, and twins without it, which it must be gone from.  Prints what was estimated and what the twin gained.
#
# Leaves in $OUT what a machine without a GPU needs to do the second part again, also where there is no nvdisasm:
#     STALLS_FROM=FOLDER tests/run tests/gpu/stalls.sh
. tests/lib.sh
. tests/gpu/gpu.bash
exec </dev/null
: "${STALLS_FROM:=}"
out=${STALLS_FROM:-${OUT:-$T}/stalls}
mkdir -p "$out"
source=tests/gpu/stalls.cu

line_of() { # CASE: where it was when it was compiled
	awk -v case="$1" '$1 == case { print $2 }' "$out/lines.txt"
}

# -- part 1: collecting ------------------------------------------------------------------------
measure() {
	local code=0
	compile stalls -O3 -lineinfo -arch=native $source
	[ -x "$T/stalls" ] || return
	awk 'NF > 3 && / \/\* [a-z]+ \*\/$/ { print $(NF - 1), NR }' $source >"$out/lines.txt"
	timeout 60 "$T/stalls" 30 >"$out/native.txt" 2>"$out/native.err" || not_ok "the program by itself" "$(cat "$out/native.err")"
	is "all kernels ran" "$(wc -l <"$out/native.txt")" 20
	timeout 100 "$VFLOW" collect --quiet --device gpu --passes stalls -o "$out/stalls.db" "$T/stalls" 30 >"$out/collect.txt" 2>"$out/collect.err" || code=$?
	is "collect: exit code and words on stderr" "$code $(cat "$out/collect.err")" "0 "
	[ -s "$out/stalls.db" ] || return
	sqlite3 "$out/stalls.db" "SELECT kind, what, reason, count, bytes FROM coverage" | tee "$out/coverage.txt" | sed 's/^/# coverage: /'
	is "no sample is missing" "$(grep '^STALLS_' "$out/coverage.txt" | grep -v '^STALLS_REASON_UNKNOWN')" ""
	is "all reasons are known" "$(grep '^STALLS_REASON_UNKNOWN' "$out/coverage.txt")" ""
	sqlite3 -separator ' ' "$out/stalls.db" "SELECT * FROM stall_device" | sed 's/^/# device: /'
	sqlite3 -separator ' ' "$out/stalls.db" "SELECT id, crc, bytes, length(image) FROM stall_code" | sed 's/^/# code: /'
	sqlite3 -separator ' ' "$out/stalls.db" "SELECT f.name, f.launches, f.time_ns, f.grid_x, f.block_x, f.registers, sum(s.samples), sum(s.latency)
		FROM stall_function f LEFT JOIN stall_sample s ON s.function = f.id GROUP BY f.id" | sed 's/^/# function: /'
	sqlite3 -separator ' ' "$out/stalls.db" "SELECT reason, sum(samples), sum(latency) FROM stall_samples GROUP BY reason ORDER BY 2 DESC" | sed 's/^/# reason: /'
	is "samples of every kernel" "$(sqlite3 "$out/stalls.db" "SELECT count(*) FROM stall_function f WHERE f.launches > 0 AND f.name LIKE '%\_planted%' ESCAPE '\'
		AND (SELECT sum(samples) FROM stall_sample s WHERE s.function = f.id) > 500")" 10
	is "... and its operation" "$(sqlite3 "$out/stalls.db" "SELECT count(DISTINCT v.function) FROM stall_vertex v JOIN stall_function f ON f.id = v.function WHERE f.name LIKE '%\_planted%' ESCAPE '\'")" 10
	# T samples are the busy cycles of all multiprocessors by the period: of the full kernels, at 1 to 2.2 GHz
	is "as many as the period gives" "$(sqlite3 "$out/stalls.db" "SELECT group_concat(name || ' ' || ghz) FROM (
		SELECT f.name, (SELECT sum(samples) FROM stall_sample s WHERE s.function = f.id) * (1 << d.period) * 1.0 / d.multiprocessors / f.time_ns AS ghz
		FROM stall_function f, (SELECT * FROM stall_device LIMIT 1) d WHERE f.launches > 0 AND f.grid_x >= 4 * d.multiprocessors) WHERE ghz < 0.9 OR ghz > 2.3")" ""
	# kernels run as fast as without: the sum of all, and each
	paste -d ' ' "$out/native.txt" "$out/collect.txt" | awk '{ printf "# %-22s %9.4f ms natively, %9.4f sampled: %.3f\n", $1, $2, $5, $5 / $2; a += $2; b += $5 }
		END { printf "# all kernels once: %.4f ms natively, %.4f sampled: %.3f\n", a, b, b / a }' | tee "$out/times.txt"
	is "kernels take as long (10 %)" "$(awk '/all kernels/ && $NF > 1.1' "$out/times.txt")" ""
	is "the samples as files" "$("$BUILD/stalls-profile" dump "$out/stalls.db" "$out" 2>&1; ls "$out"/1.samples "$out"/1.cubin 2>&1 | wc -l)" 2
	# a period that is too short loses samples, and says so, or keeps up; either way no partial profile
	timeout 60 "$VFLOW" collect --quiet --device gpu --passes stalls --stalls-period 9 -o "$out/lost.db" "$T/stalls" 20 >/dev/null 2>"$out/lost.err"
	sqlite3 "$out/lost.db" "SELECT kind, reason, count FROM coverage WHERE kind LIKE 'STALLS%'" | sed 's/^/# period 2^9: /'
	is "lost samples are no profile" "$(sqlite3 "$out/lost.db" "SELECT CASE WHEN (SELECT count(*) FROM coverage WHERE kind = 'STALLS_LOST') > 0 THEN (SELECT count(*) FROM stall_sample) ELSE 0 END")" 0
	rm -f "$out/lost.db"
	# joined to the graph of another run
	timeout 100 "$VFLOW" collect --quiet --device gpu --passes flow,stalls --kernel nothing -o "$T/both.db" "$T/stalls" 2 >/dev/null 2>"$out/both.err" || not_ok "flow and stalls" "$(cat "$out/both.err")"
	is "flow and stalls: kernels are vertices of the graph" "$(sqlite3 "$T/both.db" "SELECT count(*) > 4 FROM stall_vertex v JOIN vertex x ON x.id = v.vertex WHERE x.kind = 'kernel'")" 1
}
[ -n "$STALLS_FROM" ] || measure
[ -s "$out/stalls.db" ] || finish

# -- part 2: who is to blame, and what to do ----------------------------------------------------
json=$out/report.json
"$VFLOW" report --stalls --top 0 "$out/stalls.db" >"$out/report.txt" 2>"$out/report.err" || not_ok "report" "$(cat "$out/report.err")"
"$VFLOW" report --stalls --top 0 -T json "$out/stalls.db" >"$json" 2>"$out/report.err" || not_ok "report as JSON" "$(cat "$out/report.err")"
if grep -q '"unknown": ' "$json"; then
	skip "the first advice" "$(grep -m 1 -o '"unknown": .*' "$json" | cut -c 1-120); the rest is in $out: STALLS_FROM=$out tests/run tests/gpu/stalls.sh"
	finish
fi
ask() { # SQL, over kernels (name, samples, kernel) and advice (name, rank, optimizer, speedup, at_least, at_most, least, lines)
	sqlite3 -separator ' ' :memory: "
		CREATE TABLE kernels AS SELECT json_extract(value, '\$.mangled') AS name, json_extract(value, '\$.samples') AS samples, value AS kernel
			FROM json_each(CAST(readfile('$json') AS TEXT), '\$.kernels');
		CREATE TABLE advice AS SELECT k.name, a.key AS rank, json_extract(a.value, '\$.optimizer') AS optimizer, json_extract(a.value, '\$.speedup') AS speedup,
			json_extract(a.value, '\$.at_least') AS at_least, json_extract(a.value, '\$.at_most') AS at_most, json_extract(a.value, '\$.least_speedup') AS least, (SELECT group_concat(json_extract(l.value, '\$.line')) FROM json_each(a.value, '\$.source.lines') l) AS lines
			FROM kernels k, json_each(k.kernel, '\$.advice') a;
		$1"
}
is "every wait has its instruction" "$(ask "SELECT name || ': ' || json_extract(kernel, '\$.off_code_samples') FROM kernels WHERE json_extract(kernel, '\$.off_code_samples') > 0")" ""
ask "SELECT '# ' || name || ': ' || json_extract(kernel, '\$.single_cause') || ' of ' || json_extract(kernel, '\$.waits') || ' waits have a single cause' FROM kernels WHERE json_extract(kernel, '\$.waits') > 0"
is "single causes: geomean 0.75 or more" "$(ask "SELECT CASE WHEN exp(avg(ln(max(1.0 * json_extract(kernel, '\$.single_cause') / json_extract(kernel, '\$.waits'), 0.01)))) >= 0.75 THEN 'yes'
	ELSE 'no: ' || exp(avg(ln(max(1.0 * json_extract(kernel, '\$.single_cause') / json_extract(kernel, '\$.waits'), 0.01)))) END FROM kernels WHERE json_extract(kernel, '\$.waits') > 0")" yes

milliseconds() { # KERNEL
	awk -v name="$1" '$1 == name { print $2 }' "$out/native.txt"
}
printf '# %-12s %-22s %9s %9s %9s %s\n' planted "first advice" line estimate measured "" >"$out/table.txt"
: >"$out/figures.txt"
check() { # CASE OPTIMIZERS [no-line]
	local planted first line lines speedup at_least at_most least gain word=
	planted=$(ask "SELECT name FROM kernels WHERE name LIKE '%$1\_planted%' ESCAPE '\\'")
	first=$(ask "SELECT optimizer FROM advice WHERE name = '$planted' AND rank = 0")
	line=$(line_of "$1")
	IFS='|' read -r lines speedup at_least at_most least <<<"$(ask "SELECT coalesce(lines, '') || '|' || speedup || '|' || at_least || '|' || at_most || '|' || least FROM advice WHERE name = '$planted' AND rank = 0")"
	like "$1: the first advice" "${first:-none}" "^($2)\$"
	[ -n "${3:-}" ] || like "$1: ... at the line" ",$lines," ",$line,"
	is "$1: ... is gone from the twin, or gives less than half as much there" "$(ask "SELECT optimizer || ' ' || speedup FROM advice
		WHERE name LIKE '%$1\_mended%' ESCAPE '\\' AND rank = 0 AND optimizer = '$first' AND speedup - 1 > 0.5 * (${speedup:-1} - 1)")" ""
	ask "SELECT '#   ' || '$1' || ': ' || optimizer || ' ' || round(speedup, 2) || CASE at_least WHEN 1 THEN ' at least' ELSE '' END || ', lines ' || coalesce(lines, '-') FROM advice WHERE name = '$planted' ORDER BY rank LIMIT 4"
	gain=$(awk -v a="$(milliseconds "$1_planted")" -v b="$(milliseconds "$1_mended")" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }')
	[ "$at_least" = 1 ] && word="at least"
	[ "$at_most" = 1 ] && word="at most"
	# a bound holds, but for what two measured times are off
	[ -z "$word" ] || is "$1: ... gives $word what is said" "$(awk -v word="$word" -v said="$speedup" -v gain="$gain" \
		'BEGIN { if (word == "at least" ? gain < 0.95 * said : gain > 1.05 * said) print said, gain }')" ""
	awk -v a="${least:-0}" -v b="${speedup:-0}" 'BEGIN { exit !(a < b - 0.005) }' && word=$(printf '%.2fx if as many instructions come instead' "$least")
	echo "$1 ${speedup:-0} $gain" >>"$out/figures.txt"
	printf '# %-12s %-22s %9s %8.2fx %8.2fx %s\n' "$1" "$first" "${lines//,/<}" "${speedup:-0}" "$gain" "$word" >>"$out/table.txt"
}
check division "strength_reduction|fast_math"
check double "double_precision"
check uncoalesced "coalescing|memory_transactions"
check conflicts "bank_conflicts"
check spill "register_reuse"
check blocks "block_increase" no-line
check barrier "warp_balance"
check threads "thread_increase" no-line
check conversions "strength_reduction"
check atomics "atomics"
cat "$out/table.txt"
awk '$3 > 0 { n++; near += $2 / $3 > 0.85 && $2 / $3 < 1.15 } END { printf "# estimates within 15 %% of what the twin gained: %d of %d\n", near, n }' "$out/figures.txt"
finish
