/*
 * web-static/graph.js: the graph behind the picture, as arrays, and words for it.
 *
 * The script of the page is these files one after the other: graph.js, paint.js, panel.js, table.js,
 * memory.js, view.js.  The data is in the page as JSON, rows as arrays, with names, units and titles of their
 * columns.  Text only ever becomes text (textContent, fillText): it comes from the profiled program
 * and is not to be trusted.
 */
"use strict";
const $ = id => document.getElementById(id);
const on = (target, type, action, options) => target.addEventListener(type, action, options);
const data = JSON.parse($("data").textContent);
const vertices = data.vertices, edges = data.edges;
const positions = columns => Object.fromEntries(columns.map((column, i) => [column.name, i]));
const V = positions(data.columns.vertices), E = positions(data.columns.edges), F = positions(data.columns.findings);
const kept = (row, at) => row[at.redundant_value_bytes] === null ? at.redundant_bytes : at.redundant_value_bytes;
const indexOf = new Map(vertices.map((v, i) => [v[V.id], i]));

/* A profile has findings with their numbers, DOT only what its vertices say; numbered as in the report, where that is known. */
const findingRow = values => Object.keys(F).map(name => values[name] ?? null);
/* Those about calls that are no vertex, as waits and releases are, have -1. */
const findings = data.findings.map(f => Object.assign([...f], {[F.vertex]: f[F.calls] ? -1 : indexOf.get(f[F.vertex])})).filter(f => f[F.vertex] !== undefined);
if (!findings.length) vertices.forEach((v, i) => {
	const bytes = v[kept(v, V)] || null;
	if (v[V.patterns]) findings.push(findingRow({vertex: i, bytes, share: bytes && bytes / v[V.written_bytes], pattern: v[V.patterns], advice: v[V.advice], number: v[V.strength] <= 3 && v[V.note] || null}));
});

/* Words. */

function size(bytes) {
	let unit = -1;
	if (bytes === null) return "";
	if (bytes < 1024) return String(bytes);
	for (; bytes >= 1024 && unit < 4; unit++) bytes /= 1024;
	return bytes.toFixed(1) + "KMGTP"[unit];
}
const exact = n => n === null ? "" : n.toLocaleString("en-US");
const bytesText = n => n < 1024 ? exact(n) + " bytes" : exact(n) + " bytes (" + size(n) + ")";
const count = (n, word) => exact(n) + " " + word + (n === 1 ? "" : "s");
function percent(share) {
	if (share === null || share === undefined) return "";
	if (share > 0 && share < .01) return "<1%";
	if (share > .99 && share < 1) return ">99%";
	return Math.round(share * 100) + "%";
}
const milliseconds = ns => (ns / 1e6).toFixed(3);
const figure = (n, unit) => ({bytes: bytesText, share: percent, ns: n => milliseconds(n) + " ms", calls: n => exact(n) + "×"}[unit] || exact)(n);
const titles = new Map(Object.entries(data.titles));
const words = patterns => (patterns || "").split(",").map(p => titles.get(p) || p.replaceAll("_", " ")).join(", ");
const isHost = i => (":" + vertices[i][V.kind] + ":").includes(":host:");
const label = i => isHost(i) ? "host" : "#" + vertices[i][V.id] + " " + vertices[i][V.lines][0];
const longName = i => isHost(i) ? "host" : "#" + vertices[i][V.id] + " " + vertices[i][V.name];
const framesOf = i => (vertices[i][V.callpath] || "").replace(/\[replayed[^<]*< /, "replayed at ").split(" < ").filter(frame => frame);
function objectName(id) {
	const site = indexOf.get(id);
	if (id === null) return "";
	if (site === undefined) return "#" + id;
	return label(site) + (vertices[site][V.place] ? ", " + vertices[site][V.place] : "");
}
const cut = (text, limit) => text.length > limit ? text.slice(0, limit) + "…" : text;
function element(name, text, className) {
	const result = document.createElement(name);
	if (text !== undefined) result.textContent = cut(String(text), 4096); /* the data has all of it */
	if (className) result.className = className;
	return result;
}

/* The edges of a vertex, sorted by object, for each direction. */

const objectKey = e => e[E.object] === null ? -1 : e[E.object];
function adjacency(end) {
	const order = edges.map((e, i) => i).sort((a, b) => edges[a][end] - edges[b][end] ||
		objectKey(edges[a]) - objectKey(edges[b]) || a - b);
	const first = new Uint32Array(vertices.length + 1);
	for (const e of edges) first[e[end] + 1]++;
	for (let i = 0; i < vertices.length; i++) first[i + 1] += first[i];
	return {order, first};
}
const outgoing = adjacency(E.from), incoming = adjacency(E.to);
const degree = (list, i) => list.first[i + 1] - list.first[i];

/* Calls visit(edge) for the edges of a vertex that carry one object: a binary search and a run. */
function eachOf(list, vertex, object, visit) {
	let low = list.first[vertex], high = list.first[vertex + 1];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (objectKey(edges[list.order[middle]]) < object) low = middle + 1; else high = middle;
	}
	for (; low < list.first[vertex + 1] && objectKey(edges[list.order[low]]) === object; low++)
		visit(list.order[low]);
}

/*
 * The vertex slice as `vflow slice` defines it (ValueExpert Def. 5.2): of each object that u
 * touches, over edges of that object only, what leads to u and what u leads to; with way "up" or
 * "down" one of them.
 */
function slice(u, way) {
	const keptEdges = new Uint8Array(edges.length), keptVertices = new Uint8Array(vertices.length);
	const objects = new Set();
	for (const list of [outgoing, incoming])
		for (let k = list.first[u]; k < list.first[u + 1]; k++) objects.add(objectKey(edges[list.order[k]]));
	const seen = new Int32Array(vertices.length);
	let walk = 0;
	for (const object of objects)
		for (const [name, list, end] of [["down", outgoing, E.to], ["up", incoming, E.from]]) {
			const stack = [u];
			if (way && way !== name) continue;
			seen[u] = ++walk;
			while (stack.length)
				eachOf(list, stack.pop(), object, e => {
					const next = edges[e][end];
					keptEdges[e] = 1;
					if (seen[next] !== walk) {
						seen[next] = walk;
						stack.push(next);
					}
				});
		}
	keptVertices[u] = 1;
	for (let e = 0; e < edges.length; e++)
		if (keptEdges[e]) keptVertices[edges[e][E.from]] = keptVertices[edges[e][E.to]] = 1;
	return {edges: keptEdges, vertices: keptVertices};
}

/* Text for a substring of whatever case, /text/ for a regular expression; null: a bad one. */
function matcher(text) {
	const places = [V.name, V.callpath, V.place];
	if (!text) return () => true;
	if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
		try {
			const expression = new RegExp(text.slice(1, -1), "i");
			return v => places.some(place => expression.test(v[place] || ""));
		} catch (error) {
			return null;
		}
	}
	const low = text.toLowerCase(), id = /^#?\d+$/.test(text) ? Number(text.replace("#", "")) : -1;
	return v => v[V.id] === id || places.some(place => (v[place] || "").toLowerCase().includes(low));
}

/* What is shown and chosen: kept is the slice, gone what the filters leave out, finding one without a vertex. */
const state = {vertex: -1, edge: -1, finding: -1, kept: null, way: "", hover: {kind: "", i: -1}, tab: "findings", sort: {}, matches: [], match: -1,
	goneVertices: new Uint8Array(vertices.length), goneEdges: new Uint8Array(edges.length)};
