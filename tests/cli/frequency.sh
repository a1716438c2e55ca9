#!/bin/bash
# Non-uniform access frequency (DrGPUM, Definition 3.9), of tests/programs/frequency.c: how often a launch
# accesses the elements of an object.  Counts are worked out by hand; the coefficient of variation is the
# root of (sum of squares / elements - mean^2), over the mean.
. tests/lib.sh

collect_case() { # CASE
	expect_exit 0 "$1: collect" collect "$T/$1.db" --passes flow,access "$P/frequency" "$1"
	"$VFLOW" report --memory "$T/$1.db" >"$T/report" 2>&1
}
# launches|elements|accesses|most|granularity|variation, and elements by accesses
frequency_is() { # CASE FIGURES ELEMENTS
	collect_case "$1"
	is "$1: counts" "$(sqlite3 "$T/$1.db" "SELECT launches, elements, accesses, most, granularity, printf('%.4f', variation) FROM frequency")" "$2"
	is "$1: elements by accesses" "$(sqlite3 "$T/$1.db" "SELECT group_concat((1 << number) || ':' || elements, ' ') FROM frequency_count WHERE elements")" "$3"
}
parts() { # CASE
	sqlite3 "$T/$1.db" "SELECT group_concat(accesses, ' ') FROM frequency_count WHERE accesses"
}
found() {
	grep -oE 'non-uniform access frequency: .*' "$T/report"
}
# mean 1600/1024; squares 64*100 + 960 = 7360: root(7360/1024 - 1.5625^2) / 1.5625 = 1.3943
frequency_is hot "1|1024|1600|10|4|1.3943" "1:960 8:64"
is "hot: it is found" "$(found)" "non-uniform access frequency: coefficient of variation 139%"
is "hot: the first of 16 parts has it" "$(parts hot)" "640 64 64 64 64 64 64 64 64 64 64 64 64 64 64 64"
like "hot: the report" "$(tr -s '\n ' ' ' <"$T/report")" "A launch of visit \(vertex 3, frequency.c:[0-9 <frequency.c:]+\) accesses 1024 elements of it, of 4 bytes, 1.56 times each on average, and one 10 times: a coefficient of variation of 139%. counts elements by accesses: 1: 960, 8 to 15: 64 advice Keep the 256 bytes from byte 0 on, which have 40.0% of the accesses, in shared memory, or in L2 with an access policy window"
"$VFLOW" report --memory -T json "$T/hot.db" >"$T/hot.json"
is "hot: JSON" "$(json_query "$T/hot.json" "SELECT text->>'\$.findings[0].pattern', printf('%.4f', text->>'\$.findings[0].variation'), text->>'\$.findings[0].elements', text->>'\$.findings[0].accesses',
	text->>'\$.findings[0].most_accesses', text->>'\$.findings[0].granularity', text->>'\$.findings[0].histogram[1].accesses_from', text->>'\$.findings[0].histogram[1].elements',
	text->>'\$.findings[0].parts[0].accesses', text->>'\$.findings[0].parts[15].offset', text->>'\$.findings[0].parts[15].bytes', text->>'\$.findings[0].peak_when_mended' FROM json")" \
	"non_uniform_access_frequency 1.3943 1024 1600 10 4 8 64 640 3840 256 4096"
is "hot: with a higher threshold" "$("$VFLOW" report --memory --variation 1 "$T/hot.db" | grep -c 'frequency: coeff') $("$VFLOW" report --memory --variation 0.5 "$T/more.db" 2>&1 | grep -c 'frequency: coeff')" "1 0"
is "hot: it is no memory that is not needed" "$("$VFLOW" render -T html -o - "$T/hot.db" 2>/dev/null | grep -c '\["non-uniform')" 0
# the same elements' counts, all over the object
frequency_is scattered "1|1024|1600|10|4|1.3943" "1:960 8:64"
is "scattered: all parts have the same" "$(parts scattered)" "100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100"
like "scattered: sort them first" "$(tr -s '\n ' ' ' <"$T/report")" "Sort the elements so that those which are accessed often lie together"
# of 1024 elements 47 twice: root(47/1024 * 977/1024) / (1 + 47/1024) = 0.20008; of 46: 0.19823
frequency_is more "1|1024|1071|2|4|0.2001" "1:977 2:47"
is "more: a little more than 20 % is found" "$(found)" "non-uniform access frequency: coefficient of variation 20%"
frequency_is less "1|1024|1070|2|4|0.1982" "1:978 2:46"
is "less: a little less is not" "$(found)" ""
is "less: but with a lower threshold" "$("$VFLOW" report --memory --variation 0.19 "$T/less.db" | grep -o 'coefficient of variation 20%')" "coefficient of variation 20%"
# what is not accessed at all does not count; nor does what only other launches do
frequency_is half "" ""
like "half: overallocation, and nothing else" "$(<"$T/report")" "1. overallocation"
is "half: ... nothing else" "$(found)" ""
frequency_is halves "" ""
frequency_is worst "3|1024|1600|10|4|1.3943" "1:960 8:64"
is "worst: the second launch" "$(sqlite3 "$T/worst.db" "SELECT vertex - (SELECT min(id) FROM vertex WHERE name = 'visit') FROM frequency")" 1
# of 16 bins 15 once, one 1009 times: root((15 + 1009^2)/16 - 64^2) / 64
frequency_is bins "1|16|1024|1009|4|3.8125" "1:15 512:1"
is "bins: they lie in the first part" "$(parts bins)" 1024
# 64 elements by four bytes each: root((64*16 + 960)/1024 - 1.1875^2) / 1.1875
frequency_is bytes "1|1024|1216|4|4|0.6115" "1:960 4:64"
# 256 times 16 bytes and 8 bytes are even; 225 times the first of 32 pairs, the others once: root(1583 - 64) / 8
frequency_is widths "1|64|512|225|4|4.8718" "1:62 128:2"
is "widths: of the pairs only" "$(sqlite3 "$T/widths.db" "SELECT object FROM frequency")" 1

# without the pass nothing is known, and the report says how to know it
expect_exit 0 "flow alone: collect" collect "$T/f.db" "$P/frequency" hot
is "flow alone: nothing" "$(sqlite3 "$T/f.db" "SELECT count(*) FROM frequency")" 0
# several threads that run a kernel's blocks count the same
VFLOW_EMULATOR_THREADS=4 expect_exit 0 "threads: collect" collect "$T/t.db" --passes flow,access "$P/frequency" bins
is "threads: the same counts" "$(sqlite3 "$T/t.db" "SELECT elements, accesses, most FROM frequency")" "16|1024|1009"
# a table that makes no sense
for change in "elements = 1025" "most = accesses + 1" "launches = 0" "variation = -1" "granularity = 0"; do
	cp "$T/hot.db" "$T/bad.db"
	sqlite3 "$T/bad.db" "UPDATE frequency SET $change"
	"$VFLOW" report --memory "$T/bad.db" >"$T/out" 2>"$T/err"
	is "$change: refused" "$?" 1
done
finish
