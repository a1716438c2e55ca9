#!/bin/bash
# Every field of graph/fields.def is named in the manual pages that list fields, and every pattern where
# patterns are defined.
. tests/lib.sh
fields() { # VERTEX or EDGE, regex of types -> names, without those that only profiles have
	sed -n '/^#endif/,$p' graph/fields.def | tr -d '\n' | sed 's/\(VERTEX\|EDGE\)_FIELD(/\n&/g' | grep -v 'profile_only = true' |
		sed -nE "s/^$1_FIELD\([A-Z_]+, ([a-z_]+), ($2), .*/\1/p"
}
names() { # PAGE KIND TYPES
	local field missing=
	for field in $(fields "$2" "$3"); do
		grep -qw -- "$field" "$1" || missing="$missing $field"
	done
	is "${1##*/} names each ${2,,} field" "$missing" ""
}
like "fields are found" "$(fields VERTEX '[A-Z]+' | tr '\n' ' ')" '^kind name invocations .* advice $'
like "... of edges" "$(fields EDGE '[A-Z]+' | tr '\n' ' ')" '^object access bytes .* object_bytes $'
for page in graph/vflow-export.1 query/vflow-query.1; do
	names $page VERTEX '[A-Z]+'
	names $page EDGE '[A-Z]+'
done
names query/vflow-prune.1 VERTEX 'COUNT|FRACTION'
names query/vflow-prune.1 EDGE 'COUNT|FRACTION'
names query/vflow-top.1 VERTEX 'COUNT|FRACTION'
# {"dead_write", "dead write"} in the files of patterns
titles=$(cat advice/pattern/*.c | tr -d '\n\t' | grep -oE '\{"[a-z_]+", ?"[A-Za-z, ]+"\}' | sed -E 's/.*, ?"(.*)"\}/\1/' | sort -u)
like "patterns are found" "$titles" 'dead write'
missing=
while read -r title; do
	grep -qi -- "$title" doc/definitions.md || missing="$missing, $title"
done <<<"$titles"
is "definitions.md has each pattern" "$missing" ""
finish
