#!/bin/bash
# make install: what it leaves under DESTDIR works there, from where it is moved to, and by a link.
. tests/lib.sh

# without the switches of a make that runs this: what is built is installed as it is
quietly() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "$@"
}
expect_exit 0 "make install" quietly make -s BUILD="$BUILD" VFLOW="$VFLOW" DESTDIR="$T/staged" PREFIX=/opt/here install-built
mv "$T/staged/opt/here" "$T/moved"
is "nothing lies elsewhere" "$(find "$T/staged" ! -type d)" ""
mkdir "$T/links"
ln -s "$T/moved/bin/vflow" "$T/links/vflow"
VFLOW=$T/links/vflow

is "the header for memory pools" "$(cd "$T/moved/include" && find . -type f)" ./vflow/pool.h

is "completion for bash, zsh and fish" "$(cd "$T/moved/share" && find bash-completion zsh fish -type f | sort)" \
	$'bash-completion/completions/vflow\nfish/vendor_completions.d/vflow.fish\nzsh/site-functions/_vflow'
commands=$("$VFLOW" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  .*/\1/p' | grep -v -e '^help$' -e '^version$')
pages=$(for command in $commands; do echo "vflow-$command.1"; done; echo vflow.1)
is "a man page for each command" "$(ls "$T/moved/share/man/man1")" "$(sort <<<"$pages")"
for command in $commands help version; do
	[ -n "$("$VFLOW" "$command" --help 2>&1)" ] || not_ok "vflow $command --help"
done
expect_exit 0 "doctor" "$VFLOW" doctor
is "doctor: the libraries are the installed ones" "$(sed -n 's,^  ok  *\(guest\|emulated device\)  */.*\(/moved/.*\)/[^/]*$,\2,p' "$T/out" | sort -u)" \
	$'/moved/lib/vflow\n/moved/lib/vflow/emulator'

# beside the build folder's libraries the program would find those
cp "$P/demo" "$T/program"
expect_exit 0 "collect" collect "$T/demo.db" "$T/program"
expect_exit 0 "report" "$VFLOW" report "$T/demo.db"
like "... with findings" "$(cat "$T/out")" "dead write"
"$VFLOW" slice --vertex fill_kernel "$T/demo.db" 2>/dev/null | "$VFLOW" render -o "$T/slice.svg" &&
	xmllint --noout "$T/slice.svg"
is "slice | render" "$?" 0
expect_exit 0 "a page" "$VFLOW" render -o "$T/page.html" "$T/demo.db"
expect_exit 0 "a query" "$VFLOW" query -T tsv 'MATCH (k:kernel {name: "fill_kernel"}) RETURN k.invocations' "$T/demo.db"
is "... 3 layers, 2 inferences" "$(tail -n 1 "$T/out")" 6
finish
