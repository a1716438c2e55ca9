#!/bin/bash
# Every function of the driver API has its row in gpu/nvidia/apis.def, or only asks for something:
# a function that is not there would leave everything unknown.  CUDA's names say what is asynchronous.
. tests/lib.sh
export LC_ALL=C
headers="gpu/emulator/include/cuda.h"
[ ! -r "$CUDA_TOOLKIT/include/cuda.h" ] || headers="$headers $CUDA_TOOLKIT/include/cuda.h"
rows=$(sed -n 's/^API(\([A-Za-z0-9]*\), .*/\1/p' gpu/nvidia/apis.def)
for header in $headers; do
	# shellcheck disable=SC2086
	functions=$(grep -oE '\bcu[A-Z][A-Za-z0-9]*(_v[0-9])?\(' $header | sed 's/($//; s/_v[0-9]$//' | sort -u | grep -v '_t$')
	is "functions of $header without a row" "$(comm -23 <(echo "$functions") <(echo "$rows") | grep -v 'Get\|Query')" ""
done
like "the table is not empty" "$rows" "cuMemAlloc"
is "no function has two rows" "$(uniq -d <<<"$rows")" ""
runtime=$(sed -n 's/^RUNTIME_API(\([A-Za-z0-9]*\), .*/\1/p' gpu/nvidia/runtime_apis.def)
is "rows that are not in order" "$(diff <(echo "$rows") <(sort <<<"$rows"); diff <(echo "$runtime") <(sort -u <<<"$runtime"))" ""
is "what the runtime's functions stand for, without a row" \
	"$(sed -n 's/^RUNTIME_API(.*, \(.*\))$/\1/p' gpu/nvidia/runtime_apis.def | sort -u | comm -23 - <(echo "$rows"))" ""
is "what is asynchronous without its name, or not with it" "$(sed -n 's/^API(\(.*\))$/\1/p' gpu/nvidia/apis.def |
	awk -F', ' '$2 ~ /^(ALLOC|FREE|COPY|SET|NOTHING)$/ && ($1 ~ /Async/) != ($3 ~ /YES|PINNED/) {
		print $1 }' | grep -vE 'Event|Graphics|DeviceRegisterAsync|DeviceUnregisterAsync')" "cuStreamBatchMemOp
cuStreamWriteValue32
cuStreamWriteValue64"
finish
