/*
 * tests/browser/graphs.js: graphs like those of real programs, of any size, and one with hostile
 * text.  The same call gives the same graph.
 */
"use strict";

function random(seed) {
	let state = seed >>> 0;
	return limit => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor(state / 4294967296 * limit);
	};
}

/* Phases of allocations, copies, sets and kernels over a dozen live objects; DOT. */
function program(count) {
	const next = random(count), live = [], last = new Map(), sizes = new Map(), edges = [];
	const lines = ["digraph { vflow_version=1;", "v0 [kind=host name=host];"];
	const edge = (from, to, object, access, share) => edges.push({from, to, object, access, bytes: sizes.get(object),
		unchanged: Math.round(sizes.get(object) * share)});
	for (let i = 1; i < count; i++) {
		const dice = next(100), place = `callpath="step_${i % 17} src/net.cu:${i % 613 + 1} < main src/main.cpp:12"`;
		const object = () => live[next(live.length)];
		if (live.length < 3 || dice < 15) {
			lines.push(`v${i} [kind=alloc name=cudaMalloc invocations=1 ${place}];`);
			live.push(i);
			last.set(i, i);
			sizes.set(i, 4096 << next(12));
			if (live.length > 12) live.splice(next(live.length - 1), 1);
		} else if (dice < 30) {
			const k = object();
			lines.push(`v${i} [kind=memcpy name=cudaMemcpy invocations=1 ${place}];`);
			edge(0, i, k, "READ", 0);
			edge(last.get(k), i, k, "WRITE", dice % 2);
			last.set(k, i);
		} else {
			const read = object(), written = object(), share = [0, 0, .2, .5, .9, 1][next(6)];
			const finding = share > .8 ? ` patterns=redundant_values advice="Skip the store where the value is there already."` : "";
			lines.push(`v${i} [kind=kernel name="void ns::kernel_${i % 31}<float>(float const*, int)" invocations=${1 + i % 50}${finding} ${place}];`);
			edge(last.get(read), i, read, "READ", 0);
			edge(last.get(written), i, written, "WRITE", share);
			last.set(written, i);
		}
	}
	for (const e of edges)
		lines.push(`v${e.from} -> v${e.to} [key="${e.object}:${e.access}" object=${e.object} access=${e.access} bytes=${e.bytes}` +
			`${e.access === "WRITE" ? ` redundant_bytes=${e.unchanged}` : ""} count=1 object_bytes=${e.bytes}];`);
	lines.push("}");
	return lines.join("\n") + "\n";
}

/* Few vertices, many edges of all sorts: parallel, in circles, to themselves, with and without an object. */
function tangle(seed) {
	const next = random(seed), lines = ["digraph { vflow_version=1;"];
	for (let i = 0; i < 14; i++) lines.push(`v${i} [kind=${i ? "kernel" : "host"} name=n${i}];`);
	for (let e = 0; e < 40; e++) {
		const object = next(5);
		lines.push(`v${next(14)} -> v${next(14)} [key="k${e}" ${object ? `object=${object - 1} ` : ""}access=${next(2) ? "READ" : "WRITE"} bytes=${e + 1}];`);
	}
	lines.push("}");
	return lines.join("\n") + "\n";
}

const hostileNames = ["q\\", "a\\\"b", "</script>", "<!--<script>", "-->", "]]>", "\" onload=\"alert(1)", "javascript:alert(1)",
	"<img src=x onerror=alert(1)>", "<b>bold</b>", "\\N\\G", "&lt;&#10;&amp;", "%5", "\u202eevil", "\x01\x1b[31m", "node", "x:y", "{a|b}",
	"it's", "", "a\u2028b\u2029", "\u2066x\u2069", "\u0085\u009b31m", "\ufffe", "${HOME}", "字字字", "__proto__", "constructor", "'; rm -rf /; '"];

/* Each name as everything that a foreign file can say about a vertex or an edge. */
function hostile() {
	const quote = text => "\"" + text.replaceAll("\\", "\\\\").replaceAll("\"", "\\\"") + "\"";
	const lines = ["digraph { vflow_version=1; vflow_types=\"note:str,URL:str,onclick:str,__proto__:str\"; stylesheet=\"http://evil.example/x.css\"; URL=\"javascript:evil()\";"];
	hostileNames.forEach((name, i) => {
		const h = quote(name), id = i + 1;
		lines.push(`v${id} [kind=kernel name=${h} callpath=${quote(name + " < " + name + " " + name + ".c:1")} patterns=${h} advice=${h} context=${h} note=${h} secret="evil-undeclared"`);
		lines.push(`  __proto__=${h} onclick="evil()" URL="javascript:evil()" href="evil.example" tooltip="evil" fontname="evil" image="/evil.png" color="evil" label="evil" id="evil"];`);
		lines.push(`v${id} -> v${(i + 1) % hostileNames.length + 1} [key=${h} access=WRITE bytes=100 redundant_bytes=100 object=1 headURL="evil" note=${h}];`);
	});
	lines.push("}");
	return lines.join("\n") + "\n";
}

/* What the page must live with: name -> DOT. */
const odd = {
	"no vertices": "digraph { vflow_version=1; }",
	"host alone": "digraph { vflow_version=1; v0 [kind=host name=host]; }",
	"foreign DOT": "digraph { a -> b -> c; b -> b; c -> a [label=x]; \"q\\\\\" -> a; }",
	"unknown kinds": "digraph { v1 [kind=teapot name=t]; v2 [kind=\"\" name=\"\"]; v1 -> v2 [access=READ bytes=5]; }",
	"figures at the limits": `digraph { v1 [kind=kernel name=k invocations=18446744073709551615 written_bytes=18446744073709551615 redundant_bytes=1]; v2 [kind=kernel name=j];
		v1 -> v2 [access=WRITE bytes=18446744073709551615 redundant_bytes=18446744073709551614 object=77 object_bytes=18446744073709551615]; v2 -> v2 [access=WRITE bytes=0 redundant_bytes=9]; }`,
	"100 KB name": `digraph { v1 [kind=kernel name="${"x".repeat(100000)}" callpath="${"y".repeat(100000)}" advice="${"z".repeat(100000)}" patterns=p]; v1 -> v1; }`,
	"not UTF-8": Buffer.concat([Buffer.from("digraph { v1 [kind=kernel name=\"a"), Buffer.from([0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80]), Buffer.from("b\"]; v1 -> v1 [bytes=1]; }")]),
};

module.exports = {program, tangle, hostile, hostileNames, odd};
