#!/bin/bash
# What the README says of profiles in DuckDB and pandas, without them as far as they are not here.
. tests/lib.sh
block() { # LANGUAGE: the README's block of it
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" README.md | sed '1d;$d'
}
expect_exit 0 "collect" collect "$T/vflow.db" "$P/demo"
cd "$T" || exit 1

# bytes read and written by each operation, by way of the language of vflow query
expected=$("$VFLOW" query -T csv 'MATCH ()-[e]->(v) RETURN v.name AS name, CASE type(e) WHEN "READ" THEN 1 ELSE 2 END AS access, sum(e.bytes) AS bytes' vflow.db | sed 1d | sort)
like "as its report says, 36.6K are filled" "$expected" "fill_kernel,2,37440"
sql=$(cd "$OLDPWD" && block sql)
is "three lines for DuckDB" "$(wc -l <<<"$sql")" 3
is "their answer, by SQLite" "$(sqlite3 -csv :memory: "${sql/ (TYPE sqlite, READ_ONLY)/}" | tr -d '\r"' | sort)" "$(tr -d '"' <<<"$expected")"
# DuckDB fails at a value that is not of its column's type, which SQLite allows
other= columns=0
while IFS='|' read -r table column type; do
	columns=$((columns + 1))
	[ "$(sqlite3 vflow.db "SELECT count(*) FROM \"$table\" WHERE typeof(\"$column\") NOT IN ('null', lower('$type'))")" = 0 ] || other+="$table.$column "
done < <(sqlite3 vflow.db "SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'")
is "all values are of the type of their column" "$other" ""
[ $columns -gt 200 ] && ok "... of all tables" || not_ok "... of all tables" "$columns columns"
if command -v duckdb >/dev/null && duckdb -c 'INSTALL sqlite' 2>/dev/null; then
	is "their answer, by DuckDB" "$(duckdb -csv -noheader :memory: "$sql" | tr -d '\r"' | sort)" "$(tr -d '"' <<<"$expected")"
else
	skip "by DuckDB" "no duckdb with its extension sqlite"
fi

python=$(cd "$OLDPWD" && block python)
is "three lines for pandas" "$(wc -l <<<"$python")" 3
query=$(sed -n 's/.*read_sql("\([^"]*\)".*/\1/p' <<<"$python")
edges=$("$VFLOW" query -T tsv 'MATCH ()-[e]->() RETURN count(*), sum(e.bytes)' vflow.db | tail -n 1 | tr '\t' ' ')
is "... whose SQL has all edges" "$(sqlite3 -separator ' ' vflow.db "SELECT count(*), sum(bytes) FROM ($query)")" "$edges"
if python3 -c 'import pandas' 2>/dev/null; then
	is "... in pandas" "$(printf '%s\nprint(len(flows), flows["bytes"].sum())\n' "$python" | python3)" "$edges"
elif python3 -c 'import sqlite3' 2>/dev/null; then
	is "... in Python" "$(printf '%s\nprint(len(flows), sum(row[8] for row in flows))\n' "$(sed 's/import pandas, /import /; s/pandas.read_sql("\(.*\)", profile)/profile.execute("\1").fetchall()/' <<<"$python")" | python3)" "$edges"
	skip "... in pandas" "no pandas"
else
	skip "... in pandas" "no python3 with sqlite3"
fi
finish
