#!/bin/bash
# Every command answers the same of the same run, whatever version the profile is of.  What is
# expected was printed by the vflow that made tests/profiles/version-2.db, but for the words of the report.
cd "$(dirname "$0")/../.." && . tests/lib.sh

# but for what no two runs have in common
without_times() { sed -E '/"(start_ns|end_ns|process|address)": /d'; }

for version in 2 1000; do
	db=tests/profiles/version-$version.db
	is "version $version is what the file says" "$(sqlite3 "$db" 'PRAGMA user_version')" $version
	expect_exit 0 "version $version: export" "$VFLOW" export "$db"
	is "version $version: the same JSON" "$(without_times <"$T/out" | diff - tests/profiles/figure3.json)" ""
	expect_exit 0 "version $version: report" "$VFLOW" report "$db"
	is "version $version: the same report" "$(sed "/^  collected /d; s,$db,DB,g" "$T/out" | diff - tests/profiles/figure3.report)" ""
	expect_exit 0 "version $version: report with other thresholds" "$VFLOW" report --redundancy 0.9 "$db"
	like "version $version: says so" "$(cat "$T/out")" $'\n  made by an older vflow: the findings are as it found them\n'
	expect_exit 0 "version $version: a picture with events" "$VFLOW" render --group stream -T svg -o "$T/g.svg" "$db"
	expect_exit 0 "version $version: a query" "$VFLOW" query 'MATCH (k:kernel) RETURN k.name, k.redundant_bytes' "$db"
	like "version $version: its answer" "$(cat "$T/out")" 'zero[^0-9]+4096.*zero[^0-9]+4096'
done
expect_exit 0 "collect" collect "$T/f.db" "$P/figure3"
expect_exit 0 "other thresholds" "$VFLOW" report --redundancy 0.9 "$T/f.db"
like "are said" "$(cat "$T/out")" $'\n  thresholds: redundancy 0\.9 instead of 0\.33 in the profile\n'
expect_exit 0 "other thresholds in bytes" "$VFLOW" report --duplicate-bytes 5000 "$T/f.db"
like "are said as sizes" "$(cat "$T/out")" $'\n  thresholds: duplicate_bytes 4\.9K instead of 1\.0K in the profile\n'
is "the minor version is the number of columns" "$(sqlite3 "$T/f.db" 'PRAGMA user_version')" \
	$((1000 + $(sqlite3 "$T/f.db" "SELECT count(*) FROM checksum c JOIN pragma_table_info(c.name) WHERE c.name <> 'checksum'")))
finish
