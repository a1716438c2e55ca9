#!/bin/bash
# Every function of the driver API has its row in gpu/nvidia/apis.def, or only asks for something:
# a function that is not there would leave everything unknown.
. tests/lib.sh
headers="gpu/emulator/include/cuda.h"
[ ! -r "$CUDA_TOOLKIT/include/cuda.h" ] || headers="$headers $CUDA_TOOLKIT/include/cuda.h"
rows=$(sed -n 's/^API(\([A-Za-z0-9]*\), [A-Z]*)$/\1/p' gpu/nvidia/apis.def | sort)
for header in $headers; do
	# shellcheck disable=SC2086
	functions=$(grep -oE '\bcu[A-Z][A-Za-z0-9]*(_v[0-9])?\(' $header | sed 's/($//; s/_v[0-9]$//' | sort -u | grep -v '_t$')
	is "functions of $header without a row" "$(comm -23 <(echo "$functions") <(echo "$rows") | grep -v 'Get\|Query')" ""
done
like "the table is not empty" "$rows" "cuMemAlloc"
is "no function has two rows" "$(uniq -d <<<"$rows")" ""
finish
