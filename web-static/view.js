/*
 * web-static/view.js: makes the drawing of `vflow render -T html` answer questions.
 *
 * The data is in the page as JSON, rows in the order of V and E below.  Text only ever becomes text
 * (textContent): it comes from the profiled program and is not to be trusted.
 */
"use strict";
(() => {
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const vertices = data.vertices, edges = data.edges;
const V = {id: 0, kind: 1, name: 2, short: 3, place: 4, context: 5, callpath: 6, patterns: 7, advice: 8,
	runs: 9, read: 10, written: 11, unchanged: 12, time: 13, note: 14, x: 15, y: 16, w: 17, h: 18, more: 19};
const E = {from: 0, to: 1, access: 2, object: 3, bytes: 4, unchanged: 5, count: 6, size: 7, share: 8, more: 9};
const stage = $("stage"), drawing = $("drawing"), view = $("view");
const large = stage.classList.contains("large");
const vertexParts = vertices.map(v => $("v" + v[V.id])), edgeParts = edges.map((e, i) => $("e" + i));
const indexOf = new Map(vertices.map((v, i) => [v[V.id], i]));

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
function percent(share) {
	if (share === null || share === undefined) return "";
	if (share > 0 && share < .01) return "<1%";
	if (share > .99 && share < 1) return ">99%";
	return Math.round(share * 100) + "%";
}
const words = patterns => (patterns || "").replaceAll(",", ", ").replaceAll("_", " ");
const isHost = i => (":" + vertices[i][V.kind] + ":").includes(":host:");
const label = i => isHost(i) ? "host" : "#" + vertices[i][V.id] + " " + vertices[i][V.short];
function objectName(id) {
	const site = indexOf.get(id);
	if (id === null) return "";
	if (site === undefined) return "#" + id;
	return label(site) + (vertices[site][V.place] ? ", " + vertices[site][V.place] : "");
}
function element(name, text, className) {
	const result = document.createElement(name);
	if (text !== undefined) result.textContent = text;
	if (className) result.className = className;
	return result;
}

/* The graph as arrays: edges of a vertex, sorted by object, for each direction. */

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
 * touches, over edges of that object only, what leads to u and what u leads to.
 */
function slice(u) {
	const keptEdges = new Uint8Array(edges.length), keptVertices = new Uint8Array(vertices.length);
	const objects = new Set();
	for (const list of [outgoing, incoming])
		for (let k = list.first[u]; k < list.first[u + 1]; k++) objects.add(objectKey(edges[list.order[k]]));
	const seen = new Int32Array(vertices.length);
	let walk = 0;
	for (const object of objects)
		for (const [list, end] of [[outgoing, E.to], [incoming, E.from]]) {
			const stack = [u];
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

/* What is shown and chosen.  Classes change only where they have to. */

const state = {vertex: -1, edge: -1, tab: "findings", matches: [], match: -1, sort: {}};
const marks = {}; /* class name -> flags of edges and vertices as the page shows them now */
function mark(name, parts, kind, flags) {
	const key = name + kind, old = marks[key] || (marks[key] = new Uint8Array(parts.length));
	for (let i = 0; i < parts.length; i++) {
		const flag = flags ? flags[i] : 0;
		if (old[i] === flag) continue;
		old[i] = flag;
		if (parts[i]) eachLook(parts[i], part => part.classList.toggle(name, flag === 1));
	}
}
function only(parts, index) {
	const flags = new Uint8Array(parts.length);
	if (index >= 0) flags[index] = 1;
	return flags;
}

/* Text for a substring of whatever case, /text/ for a regular expression; null: a bad one. */
function matcher(text) {
	if (!text) return () => true;
	if (text.length > 2 && text.startsWith("/") && text.endsWith("/")) {
		try {
			const expression = new RegExp(text.slice(1, -1), "i");
			return v => expression.test(v[V.name] || "") || expression.test(v[V.callpath] || "");
		} catch (error) {
			return null;
		}
	}
	const low = text.toLowerCase(), id = /^#?\d+$/.test(text) ? Number(text.replace("#", "")) : -1;
	return v => v[V.id] === id || (v[V.name] || "").toLowerCase().includes(low) ||
		(v[V.callpath] || "").toLowerCase().includes(low) || (v[V.place] || "").toLowerCase().includes(low);
}

let goneVertices = new Uint8Array(vertices.length), goneEdges = new Uint8Array(edges.length);
function filter() {
	const named = matcher($("kernel").value), pattern = $("pattern").value, object = $("object").value;
	const bytes = Number($("bytes").value) ? 2 ** (Number($("bytes").value) - 1) : 0, share = Number($("share").value) / 100;
	const ofVertex = $("kernel").value !== "" || pattern !== "", ofEdge = bytes > 0 || share > 0 || object !== "";
	$("kernel").setAttribute("aria-invalid", named ? "false" : "true");
	const meant = vertices.map(v => (named || (() => false))(v) && (!pattern || ("," + v[V.patterns] + ",").includes("," + pattern + ",")));
	let vertexCount = 0, edgeCount = 0;
	goneVertices = new Uint8Array(vertices.length).fill(ofVertex || ofEdge ? 1 : 0);
	goneEdges = new Uint8Array(edges.length);
	edges.forEach((e, i) => {
		const stays = (e[E.bytes] || 0) >= bytes && (e[E.share] || 0) >= share && (object === "" || String(e[E.object]) === object) &&
			(!ofVertex || meant[e[E.from]] || meant[e[E.to]]);
		goneEdges[i] = stays ? 0 : 1;
		edgeCount += stays;
		if (stays) goneVertices[e[E.from]] = goneVertices[e[E.to]] = 0;
	});
	if (ofVertex && !ofEdge) meant.forEach((m, i) => { if (m) goneVertices[i] = 0; });
	for (const gone of goneVertices) vertexCount += !gone;
	mark("gone", vertexParts, "v", goneVertices);
	mark("gone", edgeParts, "e", goneEdges);
	$("bytestext").textContent = bytes ? size(bytes) + " bytes" : "any size";
	$("sharetext").textContent = share ? percent(share) : "any share";
	$("shown").textContent = exact(vertexCount) + " operations, " + exact(edgeCount) + " edges shown";
	table();
	remember();
}

/* Copies of what is kept, above the veil. */
let lit = new Map();
function light(kept) {
	const copies = [];
	lit = new Map();
	for (const [parts, flags] of kept ? [[edgeParts, kept.edges], [vertexParts, kept.vertices]] : [])
		for (let i = 0; i < parts.length; i++) {
			if (!flags[i] || !parts[i]) continue;
			const copy = parts[i].cloneNode(true);
			copy.removeAttribute("id");
			copy.removeAttribute("tabindex");
			lit.set(parts[i], copy);
			copies.push(copy);
		}
	$("lit").replaceChildren(...copies);
}
function eachLook(part, change) { /* the part and its copy */
	change(part);
	if (lit.has(part)) change(lit.get(part));
}

function select(vertex, edge, move) {
	let kept = null;
	state.vertex = vertex;
	state.edge = edge;
	if (vertex >= 0) {
		kept = slice(vertex);
	} else if (edge >= 0) {
		kept = {vertices: only(vertexParts, edges[edge][E.from]), edges: only(edgeParts, edge)};
		kept.vertices[edges[edge][E.to]] = 1;
	}
	state.kept = kept;
	mark("on", vertexParts, "v", kept && kept.vertices);
	mark("on", edgeParts, "e", kept && kept.edges);
	mark("chosen", vertexParts, "v", only(vertexParts, vertex));
	mark("chosen", edgeParts, "e", only(edgeParts, edge));
	stage.classList.toggle("sliced", kept !== null);
	light(kept);
	if (move && vertex >= 0) moveTo(vertex);
	if (move && edge >= 0) moveTo(edges[edge][E.to]);
	describe();
	table();
	remember();
}

/* The panel on the right and the card at the mouse. */

function facts(i, kind) {
	const row = kind === "v" ? vertices[i] : edges[i], more = row[kind === "v" ? V.more : E.more];
	const list = [];
	const add = (name, value) => { if (value !== "" && value !== null && value !== undefined) list.push([name, value]); };
	if (kind === "v") {
		if (!isHost(i)) add("kind", row[V.kind]);
		add("ran", row[V.runs] === null ? "" : exact(row[V.runs]) + "×");
		if (row[V.read]) add("reads", bytesText(row[V.read]));
		if (row[V.written]) add("writes", bytesText(row[V.written]));
		if (row[V.unchanged]) add("unchanged", bytesText(row[V.unchanged]) + ", " + percent(row[V.unchanged] / row[V.written]));
		if (row[V.time]) add("GPU time", (row[V.time] / 1e6).toFixed(3) + " ms");
		add("finding", words(row[V.patterns]));
	} else {
		add("from", label(row[E.from]));
		add("to", label(row[E.to]));
		add("access", row[E.access] === "READ" ? "reads" : row[E.access] === "WRITE" ? "overwrites" : "");
		if (row[E.bytes] !== null) add("bytes", bytesText(row[E.bytes]));
		if (row[E.unchanged]) add("unchanged", bytesText(row[E.unchanged]) + ", " + percent(row[E.share]));
		if (row[E.count] !== null) add("ran", exact(row[E.count]) + "×");
		add("object", objectName(row[E.object]));
		if (row[E.size] !== null) add("object size", bytesText(row[E.size]));
	}
	for (const name in more || {}) add(name, more[name]);
	return list;
}
const frames = i => (vertices[i][V.callpath] || "").split(" < ").filter(f => f !== "");
const shellWord = text => /^[\w./+-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
const command = i => "vflow slice --vertex " + vertices[i][V.id] + (data.file ? " " + shellWord(data.file) : "") + " | vflow render -o slice-" + vertices[i][V.id] + ".html";

function describe() {
	const box = $("details"), i = state.vertex;
	box.replaceChildren();
	if (i < 0 && state.edge < 0) {
		box.append(element("h2", "Nothing selected"), element("p", "Click an operation to see where its values come from and go to."));
		return;
	}
	box.append(element("h2", i >= 0 ? (isHost(i) ? "host" : "#" + vertices[i][V.id] + " " + vertices[i][V.name]) : "Edge"));
	const list = element("dl");
	for (const [name, value] of facts(i >= 0 ? i : state.edge, i >= 0 ? "v" : "e")) list.append(element("dt", name), element("dd", value));
	box.append(list);
	if (i < 0) {
		for (const end of [E.from, E.to]) {
			const button = element("button", "go to " + label(edges[state.edge][end]));
			button.type = "button";
			button.addEventListener("click", () => select(edges[state.edge][end], -1, true));
			box.append(button, " ");
		}
		return;
	}
	if (vertices[i][V.advice]) for (const advice of vertices[i][V.advice].split(" | ")) box.append(element("p", advice, "advice"));
	if (frames(i).length) {
		const path = element("ol", undefined, "path");
		for (const frame of frames(i)) path.append(element("li", frame));
		box.append(element("h2", "Called from"), path);
	}
	let vertexCount = 0, edgeCount = 0;
	for (const kept of state.kept.vertices) vertexCount += kept;
	for (const kept of state.kept.edges) edgeCount += kept;
	box.append(element("p", "The flow through it: " + exact(vertexCount) + " operations, " + exact(edgeCount) + " edges" +
		(data.hidden && !data.grouped ? ", of those that this page holds. The command below takes all." : ".")));
	if (data.grouped) return; /* the command knows single operations only */
	const line = element("div", undefined, "command"), input = element("input"), button = element("button", "Copy");
	input.readOnly = true;
	input.value = command(i);
	input.id = "command";
	input.setAttribute("aria-label", "The same slice on the command line");
	button.type = "button";
	button.id = "copy";
	button.addEventListener("click", () => {
		const done = () => { button.textContent = "Copied"; };
		const byHand = () => { input.select(); if (document.execCommand("copy")) done(); };
		if (navigator.clipboard) navigator.clipboard.writeText(input.value).then(done, byHand); else byHand();
	});
	line.append(input, button);
	box.append(line);
}

function card(kind, i, x, y) {
	const box = $("card");
	if (i < 0) {
		box.hidden = true;
		return;
	}
	box.replaceChildren();
	if (kind === "v") {
		box.append(element("p", isHost(i) ? "host" : "#" + vertices[i][V.id] + " " + vertices[i][V.name].slice(0, 300)));
	} else {
		const e = edges[i];
		box.append(element("p", label(e[E.to]) + (e[E.access] === "WRITE" ? " overwrites " : " reads ") + "values of " + label(e[E.from])));
	}
	for (const [name, value] of facts(i, kind)) if (name !== "from" && name !== "to") box.append(element("p", name + ": " + String(value).slice(0, 300)));
	if (kind === "v") {
		for (const frame of frames(i).slice(0, 12)) box.append(element("p", frame.slice(0, 200), "frame"));
		if (vertices[i][V.advice]) box.append(element("p", vertices[i][V.advice].slice(0, 500), "advice"));
	}
	box.hidden = false;
	box.style.left = Math.max(4, Math.min(x + 16, innerWidth - box.offsetWidth - 8)) + "px";
	box.style.top = Math.max(4, y + 20 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 12 : y + 16) + "px";
}

/* Pan and zoom. */

let scale = 1, left = 0, top = 0;
const READABLE = .45; /* below this scale texts are too small */
let near = [];
function nearby() { /* in large drawings only what is in sight has texts and arrowheads */
	const parts = [], right = stage.clientWidth, bottom = stage.clientHeight, inSight = new Set();
	if (!large) return;
	for (const part of near) eachLook(part, look => look.classList.remove("near"));
	near = [];
	if (scale < READABLE) return;
	vertices.forEach((v, i) => {
		const x = v[V.x] * scale + left, y = v[V.y] * scale + top, w = v[V.w] * scale / 2, h = v[V.h] * scale / 2;
		if (x + w > 0 && x - w < right && y + h > 0 && y - h < bottom) inSight.add(i);
	});
	for (const i of inSight) {
		parts.push(vertexParts[i]);
		for (const list of [outgoing, incoming])
			if (list.first[i + 1] - list.first[i] < 200) /* not all of host's */
				for (let k = list.first[i]; k < list.first[i + 1]; k++) parts.push(edgeParts[list.order[k]]);
	}
	near = parts.slice(0, 2000);
	for (const part of near) eachLook(part, look => look.classList.add("near"));
}
let settling = 0, refining = 0;
function place() {
	view.setAttribute("transform", "translate(" + left.toFixed(1) + " " + top.toFixed(1) + ") scale(" + scale.toPrecision(4) + ")");
	clearTimeout(refining);
	if (large) refining = setTimeout(refine, 40); else refine();
	remember();
}
/* After the view has followed the hand: what costs more. */
function refine() {
	stage.classList.toggle("far", large && scale < READABLE);
	nearby();
}
/* While things move, a large drawing is only shifted as a picture; it is drawn anew when they rest. */
let shown = {scale: 1, left: 0, top: 0};
function moveView() {
	if (!large) {
		place();
		return;
	}
	const ratio = scale / shown.scale;
	drawing.style.transformOrigin = "0 0";
	drawing.style.transform = "translate(" + (left - shown.left * ratio) + "px," + (top - shown.top * ratio) + "px) scale(" + ratio + ")";
	clearTimeout(settling);
	settling = setTimeout(settle, 120);
}
function settle() {
	clearTimeout(settling);
	drawing.style.transform = "";
	shown = {scale, left, top};
	place();
}
function zoom(factor, x, y) {
	const next = Math.min(8, Math.max(.002, scale * factor));
	left = x - (x - left) * next / scale;
	top = y - (y - top) * next / scale;
	scale = next;
	moveView();
}
function fit() {
	const width = stage.clientWidth, height = stage.clientHeight;
	scale = Math.min(1.2, (width - 30) / Math.max(1, data.width), (height - 30) / Math.max(1, data.height));
	left = (width - data.width * scale) / 2;
	top = (height - data.height * scale) / 2;
	settle();
}
function moveTo(i) {
	const v = vertices[i];
	if (scale < .5) scale = .8;
	const x = v[V.x] * scale + left, y = v[V.y] * scale + top;
	if (x < 60 || y < 40 || x > stage.clientWidth - 60 || y > stage.clientHeight - 40 || shown.scale !== scale) {
		left = stage.clientWidth / 2 - v[V.x] * scale;
		top = stage.clientHeight / 2 - v[V.y] * scale;
	}
	settle();
}

/* What the mouse means: thin lines may be missed by a few pixels. */
function meant(event) {
	for (const [dx, dy] of [[0, 0], [4, 0], [-4, 0], [0, 4], [0, -4]]) {
		const under = document.elementFromPoint(event.clientX + dx, event.clientY + dy);
		const part = under && drawing.contains(under) ? under.closest(".vertex, .edge") : null;
		if (part) return part.classList.contains("vertex") ? {kind: "v", i: indexOf.get(Number(part.id.slice(1)))} : {kind: "e", i: Number(part.id.slice(1))};
	}
	return {kind: "", i: -1};
}

let drag = null;
drawing.addEventListener("pointerdown", event => {
	if (event.button === 0) drag = {x: event.clientX, y: event.clientY, moved: false};
});
drawing.addEventListener("pointermove", event => {
	if (!drag) {
		const {kind, i} = meant(event);
		card(kind, i, event.clientX, event.clientY);
		return;
	}
	if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 4) return;
	if (!drag.moved) drawing.setPointerCapture(event.pointerId);
	drag.moved = true;
	if (!large) drawing.classList.add("moving"); /* a new cursor makes the browser look at every part */
	card("", -1);
	left += event.clientX - drag.x;
	top += event.clientY - drag.y;
	drag.x = event.clientX;
	drag.y = event.clientY;
	moveView();
});
drawing.addEventListener("pointerup", event => {
	const click = drag && !drag.moved;
	drag = null;
	drawing.classList.remove("moving");
	if (!click) return;
	const {kind, i} = meant(event);
	select(kind === "v" ? i : -1, kind === "e" ? i : -1, false);
	if (kind === "v") focusPart(i);
});
drawing.addEventListener("pointercancel", () => { drag = null; });
drawing.addEventListener("pointerleave", () => card("", -1));
stage.addEventListener("wheel", event => {
	const box = stage.getBoundingClientRect();
	event.preventDefault();
	zoom(Math.exp(-event.deltaY * (event.deltaMode ? .05 : .0015)), event.clientX - box.left, event.clientY - box.top);
}, {passive: false});

/* Keyboard: arrows follow edges. */

function focusPart(i) {
	vertexParts[i].setAttribute("tabindex", "-1");
	vertexParts[i].focus({preventScroll: true});
}
let siblings = {list: [], at: 0};
function follow(list, end) {
	const weight = new Map();
	for (let k = list.first[state.vertex]; k < list.first[state.vertex + 1]; k++) {
		const e = edges[list.order[k]], other = e[end];
		if (other !== state.vertex && !goneEdges[list.order[k]]) weight.set(other, (weight.get(other) || 0) + (e[E.bytes] || 0));
	}
	const next = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a) || a - b);
	if (!next.length) return;
	siblings = {list: next, at: 0};
	go(next[0]);
}
function go(i) {
	select(i, -1, true);
	focusPart(i);
}
drawing.setAttribute("tabindex", "0");
drawing.addEventListener("keydown", event => {
	const arrows = {ArrowDown: 1, ArrowUp: 1, ArrowLeft: 1, ArrowRight: 1};
	if (!arrows[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
	event.preventDefault();
	if (state.vertex < 0) {
		const flagged = vertices.findIndex(v => v[V.note] === 1);
		if (vertices.length) go(flagged < 0 ? 0 : flagged);
	} else if (event.key === "ArrowDown") {
		follow(outgoing, E.to);
	} else if (event.key === "ArrowUp") {
		follow(incoming, E.from);
	} else if (siblings.list.length) {
		siblings.at = (siblings.at + (event.key === "ArrowRight" ? 1 : -1) + siblings.list.length) % siblings.list.length;
		go(siblings.list[siblings.at]);
	}
});
document.addEventListener("keydown", event => {
	if (event.ctrlKey || event.altKey || event.metaKey) return;
	if (event.key === "Escape") {
		select(-1, -1, false);
		card("", -1);
		return;
	}
	if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
	const middle = [stage.clientWidth / 2, stage.clientHeight / 2];
	if (event.key === "/") { event.preventDefault(); $("search").focus(); }
	else if (event.key === "f") fit();
	else if (event.key === "+" || event.key === "=") zoom(1.3, ...middle);
	else if (event.key === "-") zoom(1 / 1.3, ...middle);
});

/* Search. */

function search() {
	const text = $("search").value, test = text ? matcher(text) : null, flags = new Uint8Array(vertices.length);
	state.matches = [];
	state.match = -1;
	if (test) vertices.forEach((v, i) => { if (test(v)) { flags[i] = 1; state.matches.push(i); } });
	mark("match", vertexParts, "v", flags);
	$("hits").textContent = !text ? "" : text && !matcher(text) ? "bad regex" : exact(state.matches.length) + (state.matches.length === 1 ? " match" : " matches");
	remember();
}
function step(by) {
	if (!state.matches.length) return;
	state.match = state.match < 0 && by < 0 ? state.matches.length - 1 : (state.match + by + state.matches.length) % state.matches.length;
	$("hits").textContent = (state.match + 1) + " of " + exact(state.matches.length);
	select(state.matches[state.match], -1, true);
}

/* Tables: rows only for what is in sight. */

const ROW = 24;
const share = v => v[V.written] ? v[V.unchanged] / v[V.written] : null;
const tables = {
	findings: {kind: "v", rows: () => vertices.map((v, i) => i).filter(i => vertices[i][V.patterns]), columns: [
		["", 3, v => v[V.note] || "", v => v[V.note], true], ["operation", 16, (v, i) => label(i), v => v[V.id]],
		["place", 14, v => v[V.place] || "", v => v[V.place] || ""], ["finding", 16, v => words(v[V.patterns]), v => v[V.patterns]],
		["unchanged", 11, v => size(v[V.unchanged]), v => v[V.unchanged] || 0, true], ["advice", 37, v => v[V.advice] || "", v => v[V.advice] || ""]]},
	vertices: {kind: "v", rows: () => vertices.map((v, i) => i), columns: [
		["id", 5, v => v[V.id], v => v[V.id], true], ["operation", 24, v => v[V.short], v => v[V.short]], ["kind", 8, v => v[V.kind] || "", v => v[V.kind] || ""],
		["place", 16, v => v[V.place] || "", v => v[V.place] || ""], ["ran", 7, v => exact(v[V.runs]), v => v[V.runs] || 0, true],
		["read", 8, v => size(v[V.read]), v => v[V.read] || 0, true], ["written", 8, v => size(v[V.written]), v => v[V.written] || 0, true],
		["unchanged", 11, v => size(v[V.unchanged]), v => v[V.unchanged] || 0, true], ["share", 7, v => percent(share(v)), v => share(v) || 0, true]]},
	edges: {kind: "e", rows: () => edges.map((e, i) => i), columns: [
		["from", 19, e => label(e[E.from]), e => vertices[e[E.from]][V.id]], ["to", 19, e => label(e[E.to]), e => vertices[e[E.to]][V.id]],
		["access", 11, e => e[E.access] === "WRITE" ? "overwrites" : e[E.access] === "READ" ? "reads" : "", e => e[E.access] || ""],
		["object", 20, e => objectName(e[E.object]), e => objectKey(e)], ["bytes", 8, e => size(e[E.bytes]), e => e[E.bytes] || 0, true],
		["unchanged", 11, e => size(e[E.unchanged]), e => e[E.unchanged] || 0, true], ["share", 7, e => percent(e[E.share]), e => e[E.share] || 0, true],
		["ran", 7, e => exact(e[E.count]), e => e[E.count] || 0, true]]},
};
let rows = [], drawnTable = "";
function table() {
	const now = tables[state.tab], sort = state.sort[state.tab], list = now.kind === "v" ? vertices : edges;
	const gone = now.kind === "v" ? goneVertices : goneEdges, kept = state.kept && (now.kind === "v" ? state.kept.vertices : state.kept.edges);
	rows = now.rows().filter(i => !gone[i] && (state.tab === "findings" || !kept || kept[i]));
	if (sort) {
		const value = now.columns[sort.column][3];
		const keyed = rows.map(i => [value(list[i]), i]);
		keyed.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * sort.way || a[1] - b[1]);
		rows = keyed.map(pair => pair[1]);
	} else if (state.tab === "findings") {
		rows.sort((a, b) => vertices[a][V.note] - vertices[b][V.note]);
	}
	const head = $("panel").querySelector("thead"), key = state.tab + JSON.stringify(sort || "");
	if (key !== drawnTable) {
		const line = element("tr");
		now.columns.forEach(([title, width, , , number], column) => {
			const cell = element("th", undefined, number ? "number" : ""), button = element("button", title || "№");
			button.type = "button";
			cell.scope = "col";
			cell.style.width = width + "%";
			cell.setAttribute("aria-sort", sort && sort.column === column ? (sort.way > 0 ? "ascending" : "descending") : "none");
			if (sort && sort.column === column) button.textContent += sort.way > 0 ? " ▲" : " ▼";
			button.addEventListener("click", () => {
				const same = sort && sort.column === column;
				state.sort[state.tab] = {column, way: same ? -sort.way : number ? -1 : 1};
				table();
			});
			cell.append(button);
			line.append(cell);
		});
		head.replaceChildren(line);
		$("panel").scrollTop = 0;
		drawnTable = key;
	}
	for (const name in tables) $("tab-" + name).setAttribute("aria-selected", String(name === state.tab));
	$("panel").setAttribute("aria-labelledby", "tab-" + state.tab);
	$("panel").querySelector("table").setAttribute("aria-rowcount", String(rows.length + 1));
	fill();
}
function fill() {
	const now = tables[state.tab], list = now.kind === "v" ? vertices : edges;
	const first = Math.max(0, Math.floor($("panel").scrollTop / ROW) - 5), last = Math.min(rows.length, first + Math.ceil($("panel").clientHeight / ROW) + 12);
	const space = count => {
		const line = element("tr"), cell = element("td", undefined, "space");
		cell.colSpan = now.columns.length;
		cell.style.height = count * ROW + "px";
		line.setAttribute("aria-hidden", "true");
		line.append(cell);
		return line;
	};
	const lines = [space(first)];
	for (let at = first; at < last; at++) {
		const i = rows[at], line = element("tr");
		line.setAttribute("aria-rowindex", String(at + 2));
		line.dataset.row = String(i);
		if (now.kind === "v" ? i === state.vertex : i === state.edge) line.className = "on";
		now.columns.forEach(([title, , text, , number]) => {
			const cell = element("td", undefined, number ? "number" : ""), shown = text(list[i], i);
			if (title === "operation" || title === "to") {
				const button = element("button", shown);
				button.type = "button";
				cell.append(button);
			} else {
				cell.textContent = shown;
			}
			cell.title = shown;
			line.append(cell);
		});
		lines.push(line);
	}
	lines.push(space(rows.length - last));
	$("panel").querySelector("tbody").replaceChildren(...lines);
}
$("panel").addEventListener("scroll", fill);
$("panel").querySelector("tbody").addEventListener("click", event => {
	const line = event.target.closest("tr[data-row]");
	if (!line) return;
	const i = Number(line.dataset.row);
	if (tables[state.tab].kind === "v") select(i, -1, true); else select(-1, i, true);
});
for (const name in tables)
	$("tab-" + name).addEventListener("click", () => { state.tab = name; $("panel").scrollTop = 0; table(); remember(); });

/* The address keeps the view. */

let remembering = 0, ready = false;
function remember() {
	if (!ready) return;
	clearTimeout(remembering);
	remembering = setTimeout(() => {
		const hash = new URLSearchParams();
		const put = (name, value) => { if (value !== "" && value !== "0") hash.set(name, value); };
		if (state.vertex >= 0) hash.set("v", vertices[state.vertex][V.id]);
		if (state.edge >= 0) hash.set("e", state.edge);
		for (const name of ["search", "kernel", "pattern", "object", "bytes", "share"]) put(name, $(name).value);
		put("tab", state.tab);
		put("theme", document.documentElement.dataset.theme);
		hash.set("at", [scale.toPrecision(4), left.toFixed(0), top.toFixed(0)].join("_"));
		history.replaceState(null, "", "#" + hash);
	}, 150);
}
function recall() {
	const hash = new URLSearchParams(location.hash.slice(1));
	for (const name of ["search", "kernel", "pattern", "object", "bytes", "share"]) if (hash.has(name)) $(name).value = hash.get(name);
	if (Object.hasOwn(tables, hash.get("tab"))) state.tab = hash.get("tab");
	theme(hash.get("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
	const at = (hash.get("at") || "").split("_").map(Number);
	if (at.length === 3 && at.every(Number.isFinite) && at[0] > 0) {
		[scale, left, top] = at;
		settle();
	} else {
		fit();
	}
	search();
	filter();
	const vertex = indexOf.get(Number(hash.get("v"))), edge = Number(hash.get("e"));
	if (hash.has("v") && vertex !== undefined) select(vertex, -1, false);
	else if (hash.has("e") && edges[edge]) select(-1, edge, false);
	else select(-1, -1, false);
}
function theme(name) {
	document.documentElement.dataset.theme = name === "dark" ? "dark" : "light";
	$("theme").setAttribute("aria-pressed", String(name === "dark"));
}

/* The choices, and who listens. */

for (const [name, value] of [["x", -1e5], ["y", -1e5], ["width", data.width + 2e5], ["height", data.height + 2e5]]) $("veil").setAttribute(name, value);

for (const [id, text] of [["title", data.title], ["run", data.run], ["totals", data.totals], ["hidden", data.hidden]]) {
	$(id).textContent = text || "";
	$(id).title = text || "";
	$(id).hidden = !text;
}
const patterns = new Set(vertices.flatMap(v => (v[V.patterns] || "").split(",")).filter(p => p));
for (const pattern of [...patterns].sort()) {
	const option = element("option", words(pattern));
	option.value = pattern;
	$("pattern").append(option);
}
const objects = new Map();
for (const e of edges) if (e[E.object] !== null) objects.set(e[E.object], Math.max(objects.get(e[E.object]) || 0, e[E.size] || 0));
for (const id of [...objects.keys()].sort((a, b) => a - b)) {
	const option = element("option", objectName(id) + (objects.get(id) ? " · " + size(objects.get(id)) : ""));
	option.value = String(id);
	$("object").append(option);
}
$("bytes").max = String(Math.floor(Math.log2(edges.reduce((most, e) => Math.max(most, e[E.bytes] || 0), 1))) + 1);
for (const id of ["kernel", "pattern", "object", "bytes", "share"]) $(id).addEventListener("input", filter);
$("reset").addEventListener("click", () => {
	for (const id of ["kernel", "pattern", "object"]) $(id).value = "";
	for (const id of ["bytes", "share"]) $(id).value = "0";
	filter();
});
$("search").addEventListener("input", search);
$("search").addEventListener("keydown", event => { if (event.key === "Enter") step(event.shiftKey ? -1 : 1); });
$("next").addEventListener("click", () => step(1));
$("previous").addEventListener("click", () => step(-1));
$("fit").addEventListener("click", fit);
$("zoomin").addEventListener("click", () => zoom(1.3, stage.clientWidth / 2, stage.clientHeight / 2));
$("zoomout").addEventListener("click", () => zoom(1 / 1.3, stage.clientWidth / 2, stage.clientHeight / 2));
$("theme").addEventListener("click", () => { theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); remember(); });
addEventListener("resize", () => { nearby(); fill(); });
if (!vertices.some(v => v[V.patterns])) state.tab = "vertices";
recall();
ready = true;
})();
