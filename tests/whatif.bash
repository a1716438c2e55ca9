# tests/whatif.bash: asks `vflow whatif` about the calls that are marked in a program's $source by
# comments "whatif: OPTION [VALUE]...", each of the function run_CASE().

functions() { # DB: "WHICH LINE" of each frame in the source
	"$VFLOW" whatif -T json "$1" >"$T/functions.json"
	json_query "$T/functions.json" "SELECT value->>'which', value->>'callpath' FROM json, json_each(text, '\$.functions')" |
		while read -r which path; do
			grep -oF "${source##*/}:" <<<"$path" >/dev/null && sed -n "s/.*\b${source##*/}:\([0-9]*\).*/$which \1/p" < <(tr '<' '\n' <<<"$path")
		done
}
marks() { # CASE: "LINE OPTION [VALUE]" of the function that runs it
	awk -v name="$1" '/^static void \*?[a-z_]+\(/ { inside = $0 ~ "run_" name "\\(" || (name == "threads" && /thread\(void/) }
		inside && match($0, /whatif: [^*]*/) { n = split(substr($0, RSTART + 8, RLENGTH - 8), w, " ")
			for (i = 1; i <= n; i++) { value = w[i + 1] ~ /^[0-9.]/ ? w[i + 1] : ""; print NR, w[i], value; i += value != "" } }' "$source"
}
ask_about() { # CASE DB: the options for its marks, in $options
	functions "$2" >"$T/which"
	options=()
	while read -r line option value; do
		for which in $(awk -v line="$line" '$2 == line { print $1 }' "$T/which"); do
			options+=("$option" "$which${value:+=$value}")
		done
	done < <(marks "$1")
}
cases() { # their names
	sed -nE 's/^\t\{"([a-z_]+)", run_.*/\1/p' "$source"
}
member() { # FILE NAME
	json_query "$1" "SELECT text->>'\$.$2' FROM json"
}
