#!/bin/bash
# Completion of the command line in bash, zsh and fish, as make made it from --help.
. tests/lib.sh
C=$BUILD/completion
COMMANDS="collect deps diff doctor export help path prune query render report slice stat top version whatif"

# What bash gets to see: the line's words, the last of which is being typed; "=" is a word of its own.
offered() { # WORD...: what is offered, in order
	(
		. "$C/vflow.bash"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_vflow
		printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'
	)
}
expect_exit 0 "bash reads it" bash -n "$C/vflow.bash"
is "... and knows the function" "$(bash -c '. "$1"; complete -p vflow' _ "$C/vflow.bash")" "complete -o bashdefault -o default -F _vflow vflow"
is "commands" "$(offered vflow '' | tr ' ' '\n' | grep -v -e --)" "$(tr ' ' '\n' <<<"$COMMANDS")"
is "... that go on from what is typed" "$(offered vflow re)" "render report"
is "the commands that help takes" "$(offered vflow help d)" "deps diff doctor"
for command in $COMMANDS; do
	# help has none; of the others each line with an option has its name, whatever else is there
	[ "$command" = help ] || is "all options of $command" "$(offered vflow "$command" --)" \
		"$("$VFLOW" "$command" --help | sed -n '/^options:/,/^$/p' | grep -oE '^  (-., |    )--[a-z-]+' | cut -c 7- | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
done
is "one letter and long" "$(offered vflow deps -)" "--calls --help --output --type -T -h -n -o"
is "words of an option" "$(offered vflow collect --device '')" "auto emulated gpu"
is "... by its letter" "$(offered vflow diff -T j)" "json"
is "... after =" "$(offered vflow diff --type = m)" "markdown"
is "... of which nothing is typed" "$(offered vflow report --by =)" "cause path"
is "a list" "$(offered vflow collect --passes flow,time,wa)" "flow,time,waits"
is "... takes each once" "$(offered vflow collect --passes access,calls,flow,stalls,time,waits,use,)" "access,calls,flow,stalls,time,waits,use,values"
is "... of all formats" "$(offered vflow render -T '')" "dot folded html json pdf perfetto pftrace png pprof svg"
is "a number: nothing" "$(offered vflow report --top '')" ""
is "a file that is none of its business" "$(offered vflow report -o re)" ""
mkdir -p "$T/where/here" && : >"$T/where/hello"
is "folders only" "$(cd "$T/where" && C=$(realpath "$OLDPWD/$C" 2>/dev/null || realpath "$C") && offered vflow collect --from-trace he)" here
is "a value is no operand: options go on" "$(offered vflow collect -o x.db --keep)" "--keep-trace"
is "... nor with =" "$(offered vflow query -p a = 1 --max)" "--max-rows"
is "the options of a program are its own" "$(offered vflow collect ./app --de)" ""
is "... after --, too" "$(offered vflow collect -- --de)" ""
like "a program from PATH" " $(offered vflow collect -o x.db mkd) " " mkdir "
is "no such command" "$(offered vflow frobnicate --)" ""

if command -v zsh >/dev/null; then
	expect_exit 0 "zsh reads it" zsh -n "$C/vflow.zsh"
else
	skip "zsh" "not installed"
fi
if command -v zsh >/dev/null && ! have_terminal; then
	skip "zsh on a terminal" "there is no terminal (script(1), /dev/pts)"
elif command -v zsh >/dev/null; then
	mkdir "$T/functions" && cp "$C/vflow.zsh" "$T/functions/_vflow"
	cat >"$T/type.zsh" <<'END' # FOLDER WORD...: what a terminal shows when Tab is pressed after each
zmodload zsh/zpty
folder=$1
shift
for line; do
	zpty z zsh -f -i
	zpty -w z "PROMPT='>'; fpath=($folder \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' list-choices; print REA''DY"
	zpty -r -m z out '*READY*'
	zpty -w -n z "$line"$'\t'
	for ((i = 0; i < 100; i++)); do
		sleep 0.1
		zpty -r -t z out || { [[ $i -gt 20 ]] && break; continue; }
		print -r -- "$out"
	done
	print -r -- "== end"
	zpty -d z
done
END
	TERM=xterm timeout 120 zsh "$T/type.zsh" "$T/functions" "vflow collect --from" "vflow report --by=" "vflow collect --passes flow," >"$T/zsh" 2>&1
	shown() { # NUMBER: of the line
		awk -v wanted="$1" 'BEGIN { RS = "== end\n" } NR == wanted' "$T/zsh"
	}
	like "zsh: an option and its help" "$(shown 1)" "--from-trace .*run nothing: build the profile from a kept trace"
	like "... its words" "$(shown 2)" "cause +path"
	like "... a list without what is in it" "$(shown 3)" "access +calls +stalls +time +use +values +waits"
fi
if command -v fish >/dev/null; then
	fishes() { # LINE
		HOME=$T fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$C/vflow.fish" "$1" 2>&1
	}
	expect_exit 0 "fish reads it" fish -n "$C/vflow.fish"
	is "fish: commands" "$(fishes 'vflow re')" $'render\tdraw a graph: SVG, PNG, PDF, or a page to explore\nreport\tranked findings with advice'
	is "... options" "$(fishes 'vflow collect --from')" $'--from-trace\trun nothing: build the profile from a kept trace'
	is "... their words" "$(fishes 'vflow collect --device ' | cut -f 1 | tr '\n' ' ')" "auto emulated gpu "
	is "... of the command only" "$(fishes 'vflow stat --de')" ""
	is "... a list" "$(fishes 'vflow collect --passes flow,w' | cut -f 1)" "flow,waits"
else
	skip "fish" "not installed"
fi
finish
