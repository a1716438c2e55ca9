#!/bin/bash
# `vflow doctor`: what it says of this machine, and of one where something is missing.
. tests/lib.sh
expect_exit 0 "doctor" "$VFLOW" doctor
like "... the emulated device computes and is observed" "$(cat "$T/out")" 'ok +known answer +a kernel that wrote 4096 bytes, 2048 of them unchanged'
is "... nothing on stderr" "$(cat "$T/err")" ""
state() { # WHAT: its state
	sed -n "s/^  \([a-z]*\) *$1 .*/\1/p" "$T/out" | sort -u | tr '\n' ' '
}
# 5 ms and some calls; the model's clock
like "... a wait for a kernel of 5 ms is found" "$(cat "$T/out")" 'ok +known wait +for a kernel of 5.00 ms, it was seen to take 5.0[01] ms'
# a build without the headers of one of NVIDIA's tools lacks its passes on GPUs
built() { # LIBRARY: the state of the passes that it makes
	[ -e "$BUILD/lib/libvflow-$1.so" ] && echo ok || echo missing
}
is "... the passes, each once" "$(for pass in access calls flow stalls time use values waits; do state "$pass" | tr -d '\n'; done)" \
	"$(for library in sanitizer cupti sanitizer cupti cupti guest sanitizer cupti; do printf '%s ' "$(built "$library")"; done)"
like "... what --all records" "$(cat "$T/out")" 'ok +--all +on the emulated device: access,flow,time,use,values,waits'
is "... whether memory can be watched" "$(state userfaultfd)" \
	"$("$VFLOW" collect -q --device emulated --passes flow,use -o "$T/use.db" "$P/first_use" read >"$T/use" 2>&1 || :
	sqlite3 "$T/use.db" "SELECT CASE count(*) WHEN 0 THEN 'ok ' ELSE 'missing ' END FROM coverage WHERE reason LIKE '%not measured%'")"
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/vm/unprivileged_userfaultfd 2>/dev/null)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 "$T/nobody"
	vflow=$(realpath "$VFLOW")
	(cd "$T/nobody" && setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$vflow" doctor) >"$T/out" 2>&1 || :
	if grep -q "Passes:" "$T/out"; then
		like "memory cannot be watched by everybody" "$(cat "$T/out")" 'missing +userfaultfd +pass use measures nothing: userfaultfd is not allowed here: run as root, or set vm.unprivileged_userfaultfd=1'
	else
		skip "memory cannot be watched by everybody" "another user cannot run this vflow"
	fi
	"$VFLOW" doctor >"$T/out"
fi
if [ ! -e /sys/module/nvidia ] && [ ! -e /proc/driver/nvidia/version ]; then
	is "no GPU: that is missing, not broken" "$(state 'kernel driver')" "missing "
	is "... and where programs can be collected" "$(tail -n 1 "$T/out")" "Programs can be collected here, on the emulated device only."
	like "... and how to mend it" "$(cat "$T/out")" "kernel driver +the kernel has no NVIDIA driver: if there is a GPU, install nvidia-driver"
fi
expect_exit 0 "another tool's injection" env CUDA_INJECTION64_PATH=/opt/tool/inject.so "$VFLOW" doctor
like "... is named" "$(cat "$T/out")" 'note +other tools +CUDA_INJECTION64_PATH names /opt/tool/inject.so: '
mkdir "$T/place"
cp "$VFLOW" "$T/place/vflow"
expect_exit 1 "a vflow without its libraries" "$T/place/vflow" doctor
like "... says where it looked" "$(cat "$T/out")" 'broken +guest +libvflow-guest.so is not in '
like "... and at the end" "$(tail -n 1 "$T/out")" '^Programs cannot be collected here'
mkdir "$T/place/lib"
cp -r "$(dirname "$(realpath "$VFLOW")")/lib/." "$T/place/lib/" 2>/dev/null || cp -r "$BUILD/lib/." "$T/place/lib/"
rm "$T/place/lib/emulator/libcuda.so.1"
expect_exit 1 "a vflow without the emulated device" "$T/place/vflow" doctor
is "... the guest is well, it is not" "$(state guest)$(state 'emulated device')" "ok broken "
expect_exit 2 "an operand" "$VFLOW" doctor now
is "... in one line" "$(wc -l <"$T/err")" 1
finish
