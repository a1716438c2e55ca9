# util/completion/common.awk: for the others of this folder, which read what util/completion/options writes.
BEGIN { FS = "\t" }
# What to offer for an option's argument: files, folders, none (it is free), list or words, whose words are in choices.
function offer(argument) {
	choices = argument
	if (argument == "FILE")
		return "files"
	if (argument == "FOLDER")
		return "folders"
	if (argument !~ /^[a-z0-9_-]+(\|[a-z0-9_-]+)+(,\.\.)?$/)
		return "none"
	gsub(/\|/, " ", choices)
	return sub(/,\.\.$/, "", choices) ? "list" : "words"
}
# A word of a shell, whatever is in it.
function quoted(text) {
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}
