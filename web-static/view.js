/*
 * web-static/view.js: what a person does with the page: filter, select, move, follow edges, search;
 * and the address, which keeps the view.
 */
const FILTERS = ["kernel", "pattern", "object", "bytes", "share"];

/* Filters. */

function filter() {
	const named = matcher($("kernel").value), pattern = $("pattern").value, object = $("object").value;
	const bytes = Number($("bytes").value) ? 2 ** (Number($("bytes").value) - 1) : 0, least = Number($("share").value) / 100;
	const ofVertex = $("kernel").value !== "" || pattern !== "", ofEdge = bytes > 0 || least > 0 || object !== "";
	const meant = vertices.map(v => named !== null && named(v) && (!pattern || ("," + v[V.patterns] + ",").includes("," + pattern + ",")));
	let vertexCount = 0, edgeCount = 0;
	$("kernel").setAttribute("aria-invalid", named ? "false" : "true");
	state.goneVertices = new Uint8Array(vertices.length).fill(ofVertex || ofEdge ? 1 : 0);
	state.goneEdges = new Uint8Array(edges.length);
	edges.forEach((e, i) => {
		const stays = (e[E.bytes] || 0) >= bytes && (e[E.redundancy] || 0) >= least && (object === "" || String(e[E.object]) === object) &&
			(!ofVertex || meant[e[E.from]] || meant[e[E.to]]);
		state.goneEdges[i] = stays ? 0 : 1;
		edgeCount += stays;
		if (stays) state.goneVertices[e[E.from]] = state.goneVertices[e[E.to]] = 0;
	});
	if (ofVertex && !ofEdge) meant.forEach((m, i) => { if (m) state.goneVertices[i] = 0; });
	for (const gone of state.goneVertices) vertexCount += !gone;
	$("bytestext").textContent = bytes ? size(bytes) + " bytes" : "any size";
	$("sharetext").textContent = least ? percent(least) : "any share";
	$("shown").textContent = exact(vertexCount) + " of " + count(vertices.length, "operation") + ", " + exact(edgeCount) + " of " + count(edges.length, "edge");
	$("bytes").setAttribute("aria-valuetext", $("bytestext").textContent);
	$("share").setAttribute("aria-valuetext", $("sharetext").textContent);
	$("reset").disabled = !ofVertex && !ofEdge;
	$("empty").hidden = vertexCount > 0;
	$("emptytext").textContent = vertices.length ? named ? "Nothing matches the filters." : "The regular expression is not complete." : "The graph is empty.";
	$("emptyreset").hidden = !vertices.length;
	repaint();
	if (state.kept) describe();
	table();
	remember();
}
function reset() {
	for (const id of FILTERS) $(id).value = id === "bytes" || id === "share" ? "0" : "";
	filter();
}

/* The selection. */

function ends(edge) {
	const kept = {vertices: new Uint8Array(vertices.length), edges: new Uint8Array(edges.length)};
	kept.edges[edge] = kept.vertices[edges[edge][E.from]] = kept.vertices[edges[edge][E.to]] = 1;
	return kept;
}
function select(vertex, edge, move, finding = -1) {
	if (ready && (vertex !== state.vertex || edge !== state.edge || finding !== state.finding)) leave();
	Object.assign(state, {vertex, edge, finding});
	state.kept = vertex >= 0 ? slice(vertex, state.way) : edge >= 0 ? ends(edge) : null;
	if (move && vertex >= 0) moveTo(vertices[vertex][V.x], vertices[vertex][V.y]);
	if (move && edge >= 0) moveTo(curves[edge][curves[edge].length - 2], curves[edge][curves[edge].length - 1]);
	$("said").textContent = vertex >= 0 ? label(vertex) + ": " + flowText() : edge >= 0 ? edgeTitle(edges[edge]) : findings[finding]?.[F.calls] || "";
	repaint("above");
	describe();
	table();
	showRow();
	remember();
}

/* Pan and zoom. */

function moved() {
	repaint();
	remember();
}
function zoom(factor, x = view.width / 2, y = view.height / 2) {
	const next = Math.min(8, Math.max(.001, view.scale * factor));
	view.x = x - (x - view.x) * next / view.scale;
	view.y = y - (y - view.y) * next / view.scale;
	view.scale = next;
	moved();
}
/* All of the picture, or all of what is selected. */
function fit() {
	const box = {left: Infinity, up: Infinity, right: -Infinity, down: -Infinity};
	if (state.kept) vertices.forEach((v, i) => {
		if (!state.kept.vertices[i] || state.goneVertices[i]) return;
		box.left = Math.min(box.left, v[V.x] - v[V.w] / 2);
		box.right = Math.max(box.right, v[V.x] + v[V.w] / 2);
		box.up = Math.min(box.up, v[V.y] - v[V.h] / 2);
		box.down = Math.max(box.down, v[V.y] + v[V.h] / 2);
	});
	if (!(box.left < box.right)) Object.assign(box, {left: 0, up: 0, right: data.width, down: data.height});
	const width = Math.max(1, box.right - box.left), height = Math.max(1, box.down - box.up);
	view.scale = Math.min(1.2, Math.max(10, view.width - 36) / width, Math.max(10, view.height - 36) / height);
	view.x = (view.width - width * view.scale) / 2 - box.left * view.scale;
	view.y = (view.height - height * view.scale) / 2 - box.up * view.scale;
	moved();
}
/* Brings a point of the picture into sight, readable. */
function moveTo(px, py) {
	const before = view.scale;
	if (view.scale < .5) view.scale = .8;
	const x = px * view.scale + view.x, y = py * view.scale + view.y;
	if (view.scale === before && x > 60 && y > 40 && x < view.width - 60 && y < view.height - 40) return;
	view.x = view.width / 2 - px * view.scale;
	view.y = view.height / 2 - py * view.scale;
	moved();
}

/* Mouse, pen and fingers: one moves, two zoom. */

const touches = new Map();
let dragged = false, down = {x: 0, y: 0};
function inStage(event) {
	const box = stage.getBoundingClientRect();
	return [event.clientX - box.left, event.clientY - box.top];
}
function hover(part, event) {
	card(part, event.clientX, event.clientY);
	if (part.kind === state.hover.kind && part.i === state.hover.i) return;
	state.hover = part;
	drawing.classList.toggle("part", part.i >= 0);
	repaint("above");
}
const nothing = {kind: "", i: -1};
on(drawing, "pointerdown", event => {
	if (event.button !== 0) return;
	if (!touches.size) {
		dragged = false;
		down = {x: event.clientX, y: event.clientY};
	}
	touches.set(event.pointerId, {x: event.clientX, y: event.clientY});
});
on(drawing, "pointermove", event => {
	const last = touches.get(event.pointerId);
	if (!last) {
		if (event.pointerType !== "touch") hover(partAt(...inStage(event)), event);
		return;
	}
	if (!dragged && touches.size < 2 && Math.hypot(event.clientX - down.x, event.clientY - down.y) < (event.pointerType === "touch" ? 8 : 4)) return;
	if (!dragged) {
		hover(nothing, event);
		drawing.classList.add("moving");
	}
	dragged = true;
	drawing.setPointerCapture(event.pointerId);
	const [other] = [...touches].filter(([id]) => id !== event.pointerId).map(([, touch]) => touch);
	if (other) {
		const before = Math.hypot(last.x - other.x, last.y - other.y), after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
		const box = stage.getBoundingClientRect();
		view.x += (event.clientX - last.x) / 2;
		view.y += (event.clientY - last.y) / 2;
		zoom(Math.max(1, after) / Math.max(1, before), (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top);
	} else {
		view.x += event.clientX - last.x;
		view.y += event.clientY - last.y;
		moved();
	}
	last.x = event.clientX;
	last.y = event.clientY;
});
on(drawing, "pointerup", event => {
	const click = touches.delete(event.pointerId) && !dragged && !touches.size;
	if (!touches.size) drawing.classList.remove("moving");
	if (!click) return;
	const part = partAt(...inStage(event));
	select(part.kind === "v" ? part.i : -1, part.kind === "e" ? part.i : -1, false);
	if (part.kind === "v") focusVertex(part.i); else drawing.focus({preventScroll: true});
	if (event.pointerType === "touch") hover(part, event);
});
on(drawing, "pointercancel", event => {
	touches.delete(event.pointerId);
	drawing.classList.remove("moving");
});
on(drawing, "pointerleave", event => { if (event.pointerType !== "touch") hover(nothing, event); });
on(drawing, "wheel", event => {
	event.preventDefault();
	hover(nothing, event);
	zoom(Math.exp(-event.deltaY * (event.deltaMode ? .05 : event.ctrlKey ? .01 : .0015)), ...inStage(event));
}, {passive: false});

/* What a screen reader finds inside of the canvas; the vertex that has the focus is the chosen one. */

const symbols = [];
function symbolOf(i) {
	const v = vertices[i], symbol = symbols[i] || (symbols[i] = element("div"));
	if (symbol.id) return symbol;
	symbol.id = "v" + v[V.id];
	symbol.tabIndex = -1;
	symbol.setAttribute("role", "graphics-symbol");
	symbol.setAttribute("aria-roledescription", "operation");
	symbol.setAttribute("aria-label", v[V.lines].join(", ") + (v[V.patterns] ? ", finding: " + words(v[V.patterns]) : "") + "; " +
		count(degree(incoming, i), "edge") + " in, " + exact(degree(outgoing, i)) + " out");
	drawing.append(symbol);
	return symbol;
}
/* All of a small graph; in a large one those that were visited: the table has all. */
if (vertices.length <= 1000) setTimeout(() => vertices.forEach((v, i) => symbolOf(i)), 200);
function focusVertex(i) {
	symbolOf(i).focus({preventScroll: true});
}

/* Keyboard: arrows follow edges. */

let siblings = {list: [], at: 0};
function follow(list, end) {
	const weight = new Map();
	for (let k = list.first[state.vertex]; k < list.first[state.vertex + 1]; k++) {
		const e = edges[list.order[k]], other = e[end];
		if (other !== state.vertex && !state.goneEdges[list.order[k]]) weight.set(other, (weight.get(other) || 0) + (e[E.bytes] || 0));
	}
	const next = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a) || a - b);
	if (!next.length) return;
	siblings = {list: next, at: 0};
	go(next[0]);
}
function go(i) {
	select(i, -1, true);
	focusVertex(i);
}
const firstOf = () => noteOrder.find(i => !state.goneVertices[i]) ?? state.goneVertices.indexOf(0);
on(drawing, "keydown", event => {
	if (!/^Arrow/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
	event.preventDefault();
	if (state.vertex < 0) {
		if (firstOf() >= 0) go(firstOf());
	} else if (event.key === "ArrowDown") {
		follow(outgoing, E.to);
	} else if (event.key === "ArrowUp") {
		follow(incoming, E.from);
	} else if (siblings.list.length) {
		siblings.at = (siblings.at + (event.key === "ArrowRight" ? 1 : -1) + siblings.list.length) % siblings.list.length;
		go(siblings.list[siblings.at]);
	}
});
const keys = {f: fit, "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), c: copyCommand,
	"/": () => $("search").focus()};
on(document, "keydown", event => {
	if (event.ctrlKey || event.altKey || event.metaKey) return;
	if (event.key === "Escape") {
		select(-1, -1, false);
		hover(nothing, event);
	} else if (!/^(INPUT|SELECT)$/.test(event.target.tagName) && Object.hasOwn(keys, event.key)) {
		event.preventDefault();
		keys[event.key]();
	}
});

/* Search. */

function search() {
	const text = $("search").value, test = text ? matcher(text) : () => false;
	state.matches = test ? vertices.map((v, i) => i).filter(i => test(vertices[i])) : [];
	state.match = -1;
	$("hits").textContent = !text ? "" : !test ? "bad regex" : state.matches.length === 1 ? "1 match" : exact(state.matches.length) + " matches";
	$("next").disabled = $("previous").disabled = !state.matches.length;
	repaint("above");
	remember();
}
function step(by) {
	if (!state.matches.length) return;
	state.match = state.match < 0 && by < 0 ? state.matches.length - 1 : (state.match + by + state.matches.length) % state.matches.length;
	$("hits").textContent = exact(state.match + 1) + " of " + exact(state.matches.length);
	select(state.matches[state.match], -1, true);
}

/* Dark or light: as the system says, until someone chooses. */

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let theme = "";
function setTheme(name) {
	theme = name === "dark" || name === "light" ? name : "";
	document.documentElement.dataset.theme = theme || (prefersDark.matches ? "dark" : "light");
	$("theme").setAttribute("aria-pressed", String(document.documentElement.dataset.theme === "dark"));
	readColors();
	repaint();
	paintMemory();
}
on(prefersDark, "change", () => setTheme(theme));
on(matchMedia("(forced-colors: active)"), "change", () => setTheme(theme));

/* The address keeps the view: the middle of it, so that windows may differ in size. */

let remembering = 0, ready = false, leaving = false;
function address() {
	const hash = new URLSearchParams(), sort = state.sort[state.tab];
	const put = (name, value) => { if (value !== "" && value !== "0") hash.set(name, value); };
	if (state.vertex >= 0) hash.set("v", vertices[state.vertex][V.id]);
	if (state.edge >= 0) hash.set("e", state.edge);
	if (state.finding >= 0) hash.set("f", state.finding);
	for (const name of ["search", ...FILTERS]) put(name, $(name).value);
	put("way", state.way);
	put("tab", chartState.open ? "memory" : state.tab);
	if (sort) hash.set("sort", sort.column + (sort.way > 0 ? "" : "-"));
	put("theme", theme);
	hash.set("at", [view.scale.toPrecision(4), ((view.width / 2 - view.x) / view.scale).toFixed(1), ((view.height / 2 - view.y) / view.scale).toFixed(1)].join("_"));
	return "#" + hash;
}
function remember() {
	if (!ready) return;
	clearTimeout(remembering);
	remembering = setTimeout(() => {
		history[leaving ? "pushState" : "replaceState"](null, "", address());
		leaving = false;
	}, 300);
}
/* Back leads to the selection before; those that were passed in a hurry are left out. */
function leave() {
	if (!leaving) history.replaceState(null, "", address());
	leaving = true;
}
function recall(from) {
	const hash = new URLSearchParams(from.slice(1)), at = (hash.get("at") || "").split("_").map(Number);
	const vertex = indexOf.get(Number(hash.get("v") ?? NaN)), edge = Number(hash.get("e") ?? NaN), finding = Number(hash.get("f") ?? NaN), sort = /^(\d+)(-?)$/.exec(hash.get("sort") || "");
	for (const name of ["search", ...FILTERS]) $(name).value = hash.get(name) || (name === "bytes" || name === "share" ? "0" : "");
	for (const name of ["pattern", "object"]) if ($(name).selectedIndex < 0) $(name).value = "";
	state.way = ["up", "down"].includes(hash.get("way")) ? hash.get("way") : "";
	state.tab = Object.hasOwn(tables, hash.get("tab")) ? hash.get("tab") : tables.findings.rows.length ? "findings" : "vertices";
	state.sort = sort && Number(sort[1]) < tables[state.tab].columns.length ? {[state.tab]: {column: Number(sort[1]), way: sort[2] ? -1 : 1}} : {};
	openMemory(hash.get("tab") === "memory");
	setTheme(hash.get("theme"));
	search();
	filter();
	select(vertex === undefined ? -1 : vertex, vertex === undefined && edges[edge] ? edge : -1, false, findings[finding]?.[F.calls] ? finding : -1);
	if (at.length === 3 && at.every(Number.isFinite) && at[0] > 0) {
		view.scale = Math.min(8, Math.max(.001, at[0]));
		view.x = view.width / 2 - at[1] * view.scale;
		view.y = view.height / 2 - at[2] * view.scale;
		moved();
	} else {
		fit();
	}
}

/* The choices, and who listens. */

for (const [id, text] of [["title", data.title], ["run", data.run], ["totals", data.totals], ["hidden", data.hidden && data.hidden + LEFT_OUT]]) {
	$(id).textContent = text || "";
	$(id).title = text || "";
	$(id).hidden = !text;
}
drawing.setAttribute("aria-label", data.title + ": " + data.totals);
function choice(list, value, text) {
	const option = element("option", text);
	option.value = value;
	list.append(option);
}
for (const pattern of [...new Set(vertices.flatMap(v => (v[V.patterns] || "").split(",")).filter(p => p))].sort()) choice($("pattern"), pattern, words(pattern));
const objects = new Map();
for (const e of edges) if (e[E.object] !== null) objects.set(e[E.object], Math.max(objects.get(e[E.object]) || 0, e[E.object_bytes] || 0));
for (const id of [...objects.keys()].sort((a, b) => a - b)) choice($("object"), String(id), objectName(id) + (objects.get(id) ? " · " + size(objects.get(id)) : ""));
$("bytes").max = String(Math.floor(Math.log2(edges.reduce((most, e) => Math.max(most, e[E.bytes] || 0), 1))) + 1);
for (const id of FILTERS) on($(id), "input", filter);
on($("reset"), "click", reset);
on($("emptyreset"), "click", reset);
on($("search"), "input", search);
on($("search"), "keydown", event => { if (event.key === "Enter") step(event.shiftKey ? -1 : 1); });
on($("next"), "click", () => step(1));
on($("previous"), "click", () => step(-1));
on($("fit"), "click", fit);
on($("zoomin"), "click", () => zoom(1.3));
on($("zoomout"), "click", () => zoom(1 / 1.3));
on($("theme"), "click", () => {
	setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
	remember();
});
const measure = () => resize(stage.clientWidth, stage.clientHeight, devicePixelRatio || 1);
new ResizeObserver(() => {
	/* what was in the middle stays there, before both canvases are painted */
	view.x += (stage.clientWidth - view.width) / 2;
	view.y += (stage.clientHeight - view.height) / 2;
	measure();
}).observe(stage);
/* what the address is by now may be ours again */
on(window, "hashchange", event => {
	ready = leaving = false;
	recall(new URL(event.newURL).hash);
	ready = true;
});
/* On paper: light, all of it, sharp. */
on(window, "beforeprint", () => {
	document.documentElement.dataset.theme = "light";
	readColors();
	resize(stage.clientWidth, stage.clientHeight, 4);
});
on(window, "afterprint", () => {
	setTheme(theme);
	measure();
});
setTheme("");
measure();
shownRows.height = panel.clientHeight;
recall(location.hash);
ready = true;
