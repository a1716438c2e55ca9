#!/bin/bash
# The commands under "Looking further" in the README, on the demo: each says something.
. tests/lib.sh
VFLOW=$(realpath "$VFLOW") BUILD=$(realpath "$BUILD")
commands=$(sed -n '/^## Looking further/,/^## /p' README.md | sed -n '/^```$/,/^```$/p' | grep '^vflow')
mkdir "$T/bin"
ln -s "$VFLOW" "$T/bin/vflow"
cp "$BUILD/programs/demo" "$T/app"
cd "$T" || exit 1
PATH=$T/bin:$PATH
expect_exit 0 "collect" vflow collect -q --passes flow,time,waits ./app
cp vflow.db before.db
expect_exit 0 "collect what was corrected" vflow collect -q --passes flow,time,waits -o after.db "$BUILD/programs/demo_corrected"
cp after.db main.db
count=0
while read -r command; do
	command=${command%%  *#*} command=${command%% #*}
	count=$((count + 1)) code=0
	rm -f ./*.svg flow.html
	# filters are asked for the graph that they keep, drawn ones too
	bash -o pipefail -c "$command" >out 2>err </dev/null || code=$?
	case $command in
	*--fail-above*) good=$([ $code = 3 ] && echo 1) ;;
	*) good=$([ $code = 0 ] && echo 1) ;;
	esac
	case $command in
	*render*-o*) drawn=${command##*-o }
		# more lines than a legend has
		[[ $drawn = *.html ]] || [ "$(grep -c '<path' "$drawn")" -gt 15 ] || good=
		[ -s "$drawn" ] || good= ;;
	*"RETURN GRAPH"*) [ "$(grep -c -- '->' out)" -gt 0 ] || good= ;;
	*collect*) [ -s vflow.db ] || good= ;;
	*) [ "$(wc -l <out)" -gt 1 ] || good= ;;
	esac
	if [ -n "$good" ]; then ok "$command"; else not_ok "$command" "exit code $code"$'\n'"$(head -n 5 err out)"; fi
done <<<"$commands"
is "there are many" "$((count > 12))" 1
finish
