# util/completion/bash.awk: completion of vflow for bash, in functions that list what there is and one that looks.
$1 == "command" { commands = commands (commands == "" ? "" : " ") $2 }
$1 == "operands" { operands = operands "\t" $2 ") echo " $3 " ;;\n" }
$1 == "option" {
	if ($2 != last)
		options = options (last == "" ? "" : "' ;;\n") "\t" (last = $2) ") echo '"
	else
		options = options " "
	options = options ($3 == "-" ? "" : $3 " ") $4
	if ($5 != "-") {
		what = offer($5)
		values = values "\t'" $2 " " $4 ($3 == "-" ? "'" : "' | '" $2 " " $3 "'") ") echo '" what (what == "words" || what == "list" ? " " choices : "") "' ;;\n"
	}
}
END {
	print "# Completion of vflow for bash.  Made from 'vflow COMMAND --help': do not edit."
	print "_vflow_commands='" commands "'"
	print "_vflow_operands() { # COMMAND\n\tcase $1 in\n" operands "\tesac\n}"
	print "_vflow_options() { # COMMAND\n\tcase $1 in\n" options "' ;;\n\tesac\n}"
	print "_vflow_values() { # 'COMMAND OPTION': nothing for flags\n\tcase $1 in\n" values "\tesac\n}"
	while ((getline line < body) > 0)
		print line
}
