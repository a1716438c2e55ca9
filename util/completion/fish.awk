# util/completion/fish.awk: completion of vflow for fish, a line for each word.
function fish(text) {
	gsub(/[\\']/, "\\\\&", text)
	return "'" text "'"
}
function value(argument,    what) {
	what = offer(argument)
	if (what == "files")
		return " -r -F"
	if (what == "folders")
		return " -x -a '(__fish_complete_directories)'"
	if (what == "words")
		return " -x -a " fish(choices)
	return what == "list" ? " -x -a '(__fish_append , " choices ")'" : " -x"
}
BEGIN {
	print "# Completion of vflow for fish.  Made from 'vflow COMMAND --help': do not edit."
	print "function __vflow_command # [COMMAND]: whether it is the command; without: whether there is none yet"
	print "    set -l words (commandline -opc)"
	print "    if set -q argv[1]"
	print "        test (count $words) -ge 2; and test $words[2] = $argv[1]"
	print "    else"
	print "        test (count $words) -eq 1"
	print "    end"
	print "end"
	print "complete -c vflow -f"
	print "complete -c vflow -n __vflow_command -s h -l help -d 'the commands'"
	print "complete -c vflow -n __vflow_command -l version -d 'the version'"
}
function of() { return "complete -c vflow -n '__vflow_command " $2 "'" }
$1 == "command" {
	print "complete -c vflow -n __vflow_command -a " $2 " -d " fish($3)
	commands = commands " " $2
}
$1 == "operands" && $3 == "file" { print of() " -F" }
$1 == "operands" && $3 == "command" { print of() " -a " fish(substr(commands, 2)) }
$1 == "operands" && $3 == "program" { print of() " -x -a '(__fish_complete_subcommand --fcs-skip=2)'" }
$1 == "option" {
	print of() ($3 == "-" ? "" : " -s " substr($3, 2)) " -l " substr($4, 3) ($5 == "-" ? "" : value($5)) " -d " fish($6)
}
