#!/bin/bash
# make deb: what the package holds and asks for; installed under a root of its own, vflow works from there.
. tests/lib.sh
for tool in dpkg-deb dpkg-shlibdeps dpkg; do
	command -v $tool >/dev/null || { skip "a Debian package" "no $tool (Debian: dpkg-dev)"; finish; }
done
[ -z "$ASAN" ] || { skip "a Debian package" "it would ask for a compiler's libraries"; finish; }

# from a copy, so that what lies in the build folder stays; without the switches of a make that runs this
mkdir "$T/build" && cp -r "$BUILD/lib" "$BUILD/completion" "$T/build/"
expect_exit 0 "make deb" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s BUILD="$T/build" VFLOW="$VFLOW" deb-built
is "without a warning" "$(cat "$T/err")" ""
version=$("$VFLOW" version | sed -n 's/^vflow //p')
deb=$T/build/deb/vflow_${version}_$(dpkg --print-architecture).deb
is "one package, of this version" "$(ls "$T"/build/deb/*.deb)" "$deb"
field() {
	dpkg-deb -f "$deb" "$1"
}
is "its name and version" "$(field Package) $(field Version)" "vflow $version"

# Another way to the same packages: the files that ld.so loads for vflow's own needs
names=$(field Depends | tr ',' '\n' | sed 's/^ *//; s/ .*//' | sort)
needed=$(readelf -d "$VFLOW" "$BUILD/lib/libvflow-guest.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u | grep -v '^ld-linux')
owners=$(for library in $needed; do dpkg -S "*/$library"; done 2>/dev/null | grep -v -e -cross: -e '/lib32/' -e '/libx32/' | sed 's/:.*//' | sort -u)
is "it asks for the packages of its libraries" "$names" "$owners"
is "each of which is there" "$(for name in $names; do dpkg-query -W -f '${Status}\n' "$name"; done 2>&1 | sort -u)" "install ok installed"

dpkg-deb -c "$deb" >"$T/list"
is "all is root's, and nobody else writes it" "$(grep -v -e '^drwxr-xr-x root/root ' -e '^-rw-r--r-- root/root ' -e '^-rwxr-xr-x root/root .* ./usr/bin/vflow$' "$T/list")" ""
is "the libraries are those that were built" "$(sed -n 's,.* \./usr/lib/vflow/\(..*[^/]\)$,\1,p' "$T/list" | sort)" "$(cd "$BUILD/lib" && find . -type f | sed 's,^\./,,' | sort)"
is "a manual page for each of the sources'" "$(sed -n 's,.*/man1/\(.*\)\.gz$,\1,p' "$T/list" | sort)" "$(find util collect graph query replay advice render -name '*.1' -printf '%f\n' | sort)"

# dpkg's own view of it, in a root without anything: what it depends on is not there
mkdir -p "$T/root/var/lib/dpkg/info" "$T/root/var/lib/dpkg/updates" && : >"$T/root/var/lib/dpkg/status"
PATH=$PATH:/usr/sbin:/sbin
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else fakeroot "$@"; fi
}
if [ "$(id -u)" = 0 ] || command -v fakeroot >/dev/null; then
	expect_exit 0 "dpkg installs it" as_root dpkg --root="$T/root" --log=/dev/null --force-not-root,depends -i "$deb"
	is "... whole" "$(dpkg --root="$T/root" --verify vflow 2>&1)" ""
	is "... as a package that is installed" "$(dpkg-query --admindir="$T/root/var/lib/dpkg" -W -f '${Status} ${Version}' vflow)" "install ok installed $version"
else
	skip "dpkg installs it" "neither root nor fakeroot"
	dpkg-deb -x "$deb" "$T/root"
fi

VFLOW=$T/root/usr/bin/vflow
is "--version" "$("$VFLOW" --version | head -n 1)" "vflow $version"
expect_exit 0 "doctor" "$VFLOW" doctor
is "doctor: the libraries are the package's" "$(sed -n 's,^  ok  *\(guest\|emulated device\)  */.*\(/root/.*\)/[^/]*$,\2,p' "$T/out" | sort -u)" \
	$'/root/usr/lib/vflow\n/root/usr/lib/vflow/emulator'
cp "$P/demo" "$T/program" # beside the build folder's libraries the program would find those
expect_exit 0 "collect" collect "$T/demo.db" "$T/program"
expect_exit 0 "a query" "$VFLOW" query -T tsv 'MATCH (k:kernel {name: "fill_kernel"}) RETURN k.invocations' "$T/demo.db"
is "... 3 layers, 2 inferences" "$(tail -n 1 "$T/out")" 6
expect_exit 0 "a picture, by Graphviz and librsvg" "$VFLOW" render -o "$T/picture.png" "$T/demo.db"
[ -s "$T/root/var/lib/dpkg/status" ] || finish
expect_exit 0 "removed again" as_root dpkg --root="$T/root" --log=/dev/null --force-not-root -r vflow
is "... nothing stays" "$(cd "$T/root" && find usr -type f 2>&1)" "find: 'usr': No such file or directory"
finish
