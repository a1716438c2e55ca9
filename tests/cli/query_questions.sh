#!/bin/bash
# Section QUESTIONS of vflow-query(1): each query, as a shell reads it from the page, on a profile of
# tests/programs/questions.c, whose comments number the vertices and the calls.
. tests/lib.sh
VFLOW=$(realpath "$VFLOW")
page=$(realpath query/vflow-query.1)
collect "$T/vflow.db" "$P/questions" 2>"$T/err" || not_ok "collect" "$(cat "$T/err")"
cd "$T" || exit 1
export VFLOW_PROFILE=$T/vflow.db
vflow() {
	"$VFLOW" "$@"
}
questions() { # a line for each: the question, a tab, the command in one line
	sed -n '/^\.SH QUESTIONS/,/^\.SH EXAMPLES/p' "$page" | sed "s/\\\\(aq/'/g; s/\\\\-/-/g; s/\\\\e/\\\\/g" |
		awk '/^[0-9]+\. / { question = $0 } /^\.EX/ { inside = 1; command = ""; next }
			/^\.EE/ { inside = 0; print question "\t" command } inside { command = command (command == "" ? "" : " ") $0 }'
}
# 1 a, 2 b, 3 spare; 4 up a; 5 set b, 6 store b; 7 three increments of a; 8 down a, 9 up a; 10 reverse a -> b; 11 down b; 12 set a
i=0
while IFS=$'\t' read -r question command; do
	i=$((i + 1))
	read -r expected <&3
	like "$question: its number" "$question" "^$i\\. "
	is "$question" "$(eval "$command" 2>&1 </dev/null | tail -n +2 | tr '\t\n' ',;')" "$expected"
done < <(questions) 3<<'END'
store_words,4096;increment,0;reverse_blocks,0;
6,store_words,4096;9,cudaMemcpy,4096;
cudaMemset,store_words,4096;cudaMemcpy,cudaMemsetAsync,3072;store_words,reverse_blocks,1024;
cudaMemsetAsync,4096;
up,8192;down,8192;
kernel,3,17408;memcpy,2,8192;memset,2,8192;
increment,3;
memcpy,cudaMemcpy,1024;
1;2;4;5;6;7;9;10;
7,increment;8,cudaMemcpy;9,cudaMemcpy;10,reverse_blocks;11,cudaMemcpyAsync;12,cudaMemsetAsync;
['cudaMalloc', 'cudaMemset', 'store_words', 'cudaMemcpyAsync'];
9,1024,4096;
3,device,64.0K;
3,65536;
3,65536;
9,10,4096;
4,cudaMemset,WRITES,4096;5,store_words,WRITES,4096;11,reverse_blocks,WRITES,1024;12,cudaMemcpyAsync,READS,4096;
1,3,14;2,4,12;
reverse_blocks,cudaMemcpyAsync,1024;store_words,cudaMemcpyAsync,3072;
cudaDeviceSynchronize,1;cudaStreamSynchronize,1;
END
is "20 questions" "$i" 20
finish
