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
# a program without any memory has no rows of it, and its profile is no older one
cat >"$T/no_memory.c" <<'END'
#include "tests/advice/program.h"
int main(void)
{
	cudaStream_t streams[2];

	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	for (int i = 0; i < 20; i++) {
		LAUNCH_ON(streams[i % 2], shift, 1, 256, (float *)0, 1.0f, 0);
		CHECK(cudaDeviceSynchronize());
	}
	return 0;
}
END
"$CC" -std=gnu11 -g -D_GNU_SOURCE -I. -Itests/advice -Igpu/emulator/include $ASAN -o "$T/no_memory" "$T/no_memory.c" \
	"$BUILD"/lib/emulator/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator" -lm
expect_exit 0 "collect without memory" collect "$T/n.db" --passes flow,time,waits "$T/no_memory"
expect_exit 0 "... report" "$VFLOW" report --redundancy 0.9 "$T/n.db"
like "... has a finding" "$(cat "$T/out")" $'\n1. unnecessary wait: '
is "... is not said to be old" "$(grep -c older "$T/out")" 0
like "... thresholds hold" "$(cat "$T/out")" $'\n  thresholds: redundancy 0\\.9 instead of 0\\.33 in the profile\n'
expect_exit 0 "... of memory" "$VFLOW" report --memory "$T/n.db"
is "... nothing was allocated" "$(tr '\n' ' ' <"$T/out")" \
	"The profile does not say when memory was accessed: no memory of a device was allocated. "
expect_exit 1 "... whatif" "$VFLOW" whatif --free-after 1 "$T/n.db"
is "... says the same" "$(cat "$T/err")" "vflow whatif: the profile does not say when memory was accessed: no memory of a device was allocated"
expect_exit 0 "an old one" "$VFLOW" report --memory tests/profiles/version-1000.db
is "... is said to be old" "$(tr '\n' ' ' <"$T/out")" "The profile does not say when memory was accessed: an older vflow made it. "
expect_exit 0 "collect" collect "$T/f.db" "$P/figure3"
expect_exit 0 "other thresholds" "$VFLOW" report --redundancy 0.9 "$T/f.db"
like "are said" "$(cat "$T/out")" $'\n  thresholds: redundancy 0\.9 instead of 0\.33 in the profile\n'
expect_exit 0 "other thresholds in bytes" "$VFLOW" report --duplicate-bytes 5000 "$T/f.db"
like "are said as sizes" "$(cat "$T/out")" $'\n  thresholds: duplicate_bytes 4\.9K instead of 1\.0K in the profile\n'
is "the minor version is the number of columns" "$(sqlite3 "$T/f.db" 'PRAGMA user_version')" \
	$((1000 + $(sqlite3 "$T/f.db" "SELECT count(*) FROM checksum c JOIN pragma_table_info(c.name) WHERE c.name <> 'checksum'")))
finish
