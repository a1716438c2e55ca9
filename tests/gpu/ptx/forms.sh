#!/bin/bash
# forms.sh GPU_FORMS: ptxas takes every form of forms.txt; GPU_FORMS is the test's program.
text=$(mktemp) || exit 1
trap 'rm -f "$text"' EXIT
"$1" print >"$text" || exit 1
ptxas -arch=sm_90a -O0 -c -o /dev/null "$text" || exit 1
echo "ptxas takes all $(grep -c '^\.visible' "$text") forms"
