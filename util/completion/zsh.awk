# util/completion/zsh.awk: completion of vflow for zsh, as arguments of _arguments.
function explained(text) {
	gsub(/[][\\:]/, "\\\\&", text)
	return text
}
function action(argument,    what) {
	what = offer(argument)
	if (what == "files")
		return "_files"
	if (what == "folders")
		return "_files -/"
	if (what == "words")
		return "(" choices ")"
	return what == "list" ? "_values -s , word " choices : " "
}
# The option under one of its names; what has two may be given under either.
function spec(name, other, glued,    before) {
	before = offer($5) == "none" && $5 != "-" ? "*" : other == "-" ? "" : "(" name " " other ")"
	return " \\\n\t\t\t" quoted(before name ($5 == "-" ? "" : glued) "[" explained($6) "]" ($5 == "-" ? "" : ":" explained($5) ":" action($5)))
}
$1 == "command" { commands = commands "\n\t\t" quoted($2 ":" explained($3)) }
$1 == "operands" {
	operands[$2] = $3 == "program" ? "'*::: :_normal -p vflow'" : $3 == "command" ? "'1: :_vflow_commands'" : $3 == "none" ? "" : "'*:FILE:_files'"
	order[++count] = $2
}
$1 == "option" {
	if ($3 != "-")
		options[$2] = options[$2] spec($3, $4, "+")
	options[$2] = options[$2] spec($4, $3, "=")
}
END {
	print "#compdef vflow"
	print "# Completion of vflow for zsh.  Made from 'vflow COMMAND --help': do not edit."
	print "_vflow_commands() {\n\tlocal -a commands=(" commands "\n\t)\n\t_describe command commands\n}"
	print "_vflow() {\n\tlocal curcontext=$curcontext state line ret=1"
	print "\t_arguments -C '(- *)'{-h,--help}'[the commands]' '(- *)--version[the version]' '1: :_vflow_commands' '*:: :->rest' && ret=0"
	print "\t[[ $state = rest ]] || return ret"
	print "\tcase $words[1] in"
	for (i = 1; i <= count; i++)
		print "\t" order[i] ") _arguments -s -S" options[order[i]] " \\\n\t\t\t" operands[order[i]] " && ret=0 ;;"
	print "\tesac\n\treturn ret\n}"
	print "if [ \"$funcstack[1]\" = _vflow ]; then _vflow \"$@\"; else compdef _vflow vflow; fi"
}
