/*
 * web-static/table.js: the tables of findings, vertices and edges: sortable, linked to the picture,
 * with elements only for the rows in sight.
 */
const ROW = 24; /* height in pixels, as in view.css */
/* Each column: title, share of the width, text, what to sort by, whether that is a number. */
const textColumn = (title, width, field) => [title, width, row => row[field] || "", row => row[field] || ""];
const bytesColumn = (title, width, field) => [title, width, row => size(row[field]), row => row[field] || 0, true];
const shareColumn = (title, width, share) => [title, width, row => percent(share(row)), row => share(row) || 0, true];
/* One for each figure that the data has, by unit in this order. */
const figureColumns = (columns, units) => units.flatMap(unit => columns.flatMap((column, field) => {
	const title = {time_ns: "time, ms"}[column.name] || column.title + (unit === "ns" ? ", ms" : "");
	const width = Math.max({calls: 7, share: 9}[unit] || 8, Math.floor(title.length * 1.23));
	if (column.unit !== unit || column.name === "object_bytes") return [];
	if (unit === "share") return [shareColumn(title, width, row => row[field])];
	if (unit === "bytes") return [bytesColumn(title, width, field)];
	return [[title, width, row => row[field] ? (unit === "ns" ? milliseconds : exact)(row[field]) : "", row => row[field] || 0, true]];
}));
/* "a.c:30" of "cudaFree (main a.c:30)" */
const placeOf = f => (f[F.calls] ? /[^\s/]+:\d+(?=\)$)/.exec(f[F.calls])?.[0] : vertices[f[F.vertex]][V.place]) || "";
const tables = {
	findings: {kind: "f", columns: [["№", 5, f => f[F.number], f => f[F.number], true],
		["operation", 19, f => f[F.calls] || label(f[F.vertex]), f => vertices[f[F.vertex]]?.[V.id] ?? -1], ["place", 15, placeOf, placeOf],
		["finding", 15, f => words(f[F.pattern]), f => f[F.pattern]], textColumn("action", 9, F.action), ["object", 14, f => objectName(f[F.object]), f => f[F.object] || 0],
		bytesColumn("bytes", 11, F.bytes), ["saves, ms", 9, f => f[F.saves] ? milliseconds(f[F.saves]) : "", f => f[F.saves] || 0, true],
		shareColumn("share", 9, f => f[F.share]), textColumn("advice", 28, F.advice)]},
	vertices: {kind: "v", columns: [["id", 5, v => v[V.id], v => v[V.id], true], ["operation", 24, v => v[V.lines][0], v => v[V.lines][0]],
		textColumn("kind", 8, V.kind), textColumn("place", 16, V.place), ...figureColumns(data.columns.vertices, ["calls", "ns", "bytes", "share", ""]),
		shareColumn("share", 9, v => v[V.written_bytes] ? v[kept(v, V)] / v[V.written_bytes] : null)]},
	edges: {kind: "e", columns: [["from", 19, e => label(e[E.from]), e => vertices[e[E.from]][V.id]], ["to", 19, e => label(e[E.to]), e => vertices[e[E.to]][V.id]],
		["access", 11, e => ({READ: "reads", WRITE: "overwrites"})[e[E.access]] || "", e => e[E.access] || ""],
		["object", 20, e => objectName(e[E.object]), e => objectKey(e)], ...figureColumns(data.columns.edges, ["bytes", "ns", "share", "calls", ""])]},
};
/* columns without a single value only take room */
for (const name in tables) {
	const now = tables[name];
	now.list = {v: vertices, e: edges, f: findings}[now.kind];
	now.rows = now.list.map((row, i) => i);
	now.columns = now.columns.filter(column => now.list.some(row => column[3](row)));
	$("tab-" + name).append(" ", element("span", exact(now.rows.length), "count"));
}
const panel = $("panel"), head = panel.querySelector("thead"), body = panel.querySelector("tbody");
/* what is in sight; asking the panel would make it lay out */
const shownRows = {top: 0, height: 0};
let rows = [], drawnHead = "";

function sorted(now, sort) {
	const value = now.columns[sort.column][3], keyed = rows.map(i => [value(now.list[i]), i]);
	keyed.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * sort.way || a[1] - b[1]);
	return keyed.map(pair => pair[1]);
}
function drawHead(now, sort) {
	const line = element("tr"), total = now.columns.reduce((sum, column) => sum + column[1], 0);
	let focused = -1;
	now.columns.forEach(([title, width, , , number], column) => {
		const cell = element("th", undefined, number ? "number" : ""), mine = sort && sort.column === column;
		cell.scope = "col";
		cell.style.width = width / total * 100 + "%";
		cell.setAttribute("aria-sort", mine ? (sort.way > 0 ? "ascending" : "descending") : "none");
		cell.append(button(title + (mine ? sort.way > 0 ? " ▲" : " ▼" : ""), () => {
			state.sort[state.tab] = {column, way: mine ? -sort.way : number ? -1 : 1};
			table();
			scrollRows(0);
			remember();
		}));
		if (head.contains(document.activeElement) && document.activeElement.closest("th").cellIndex === column) focused = column;
		line.append(cell);
	});
	head.replaceChildren(line);
	if (focused >= 0) line.children[focused].firstChild.focus({preventScroll: true});
}
/* Which rows there are; fill() draws those in sight. */
function table() {
	const now = tables[state.tab], sort = state.sort[state.tab], key = state.tab + JSON.stringify(sort || "");
	const gone = now.kind === "e" ? state.goneEdges : state.goneVertices;
	const kept = state.kept?.[state.tab]; /* of findings there is no such list */
	const at = i => now.kind === "f" ? findings[i][F.vertex] : i;
	rows = now.rows.filter(i => at(i) < 0 ? $("reset").disabled : !gone[at(i)] && (!kept || kept[i]));
	if (sort && now.columns[sort.column]) rows = sorted(now, sort);
	else if (now.kind === "f") rows.sort((a, b) => (findings[a][F.number] ?? Infinity) - (findings[b][F.number] ?? Infinity) || a - b);
	if (key !== drawnHead) drawHead(now, sort);
	drawnHead = key;
	for (const name in tables) {
		const shown = name === state.tab && !chartState.open;
		$("tab-" + name).setAttribute("aria-selected", String(shown));
		$("tab-" + name).tabIndex = shown ? 0 : -1;
	}
	panel.setAttribute("aria-labelledby", "tab-" + state.tab);
	panel.querySelector("table").setAttribute("aria-rowcount", String(rows.length + 1));
	$("norows").hidden = rows.length > 0;
	$("norows").textContent = now.rows.length ? "No row matches the filters and the selection." :
		state.tab === "findings" ? "No findings: no work of this run was seen to be superfluous." : "There are none.";
	fill();
}
function space(count, columns) {
	const line = element("tr"), cell = element("td", undefined, "space");
	cell.colSpan = columns;
	cell.style.height = count * ROW + "px";
	line.setAttribute("aria-hidden", "true");
	line.append(cell);
	return line;
}
const isChosen = ({kind}, i) => i === {v: state.vertex, e: state.edge, f: state.finding}[kind] ||
	kind === "f" && state.vertex >= 0 && findings[i][F.vertex] === state.vertex;
function drawRow(now, at) {
	const i = rows[at], line = element("tr"), chosen = isChosen(now, i);
	line.setAttribute("aria-rowindex", String(at + 2));
	line.dataset.row = String(i);
	if (chosen) {
		line.className = "on";
		line.setAttribute("aria-current", "true");
	}
	for (const [title, , text, , number] of now.columns) {
		const cell = element("td", undefined, number ? "number" : ""), shown = cut(String(text(now.list[i])), 300);
		if (title === "operation" || title === "to") cell.append(button(shown));
		else cell.textContent = shown;
		cell.title = shown;
		line.append(cell);
	}
	return line;
}
function fill() {
	const now = tables[state.tab], focused = body.contains(document.activeElement) ? document.activeElement.closest("tr").dataset.row : "";
	const first = Math.max(0, Math.min(rows.length - shownRows.height / ROW, Math.floor(shownRows.top / ROW)) - 5 | 0);
	const last = Math.min(rows.length, first + Math.ceil(shownRows.height / ROW) + 12), lines = [space(first, now.columns.length)];
	for (let at = first; at < last; at++) lines.push(drawRow(now, at));
	lines.push(space(rows.length - last, now.columns.length));
	body.replaceChildren(...lines);
	if (focused) focusRow(focused);
}
function focusRow(i) {
	const button = body.querySelector("tr[data-row=\"" + Number(i) + "\"] button");
	if (button) button.focus({preventScroll: true});
}
/* Scrolls to the row of what was selected elsewhere. */
function showRow() {
	const at = rows.findIndex(i => isChosen(tables[state.tab], i));
	if (at >= 0) reveal(at, 2);
}
/* Scrolls as little as is needed; the head covers one row. */
function reveal(at, margin) {
	let to = shownRows.top;
	if (at * ROW < to) to = Math.max(0, at - margin) * ROW;
	else if ((at + 2) * ROW > to + shownRows.height) to = (at + 2 + margin) * ROW - shownRows.height;
	if (to !== shownRows.top) scrollRows(to);
}
function scrollRows(to) {
	shownRows.top = to;
	fill();
	panel.scrollTop = to;
}
function pickRow(i) {
	const kind = tables[state.tab].kind, vertex = kind === "f" ? findings[i][F.vertex] : i;
	if (kind === "e") select(-1, i, true); else select(vertex, -1, true, vertex < 0 ? i : -1);
	if (matchMedia("(max-width: 60rem)").matches) (vertex < 0 ? $("details") : stage).scrollIntoView(); /* the table stands above both */
}
on(body, "click", event => {
	const line = event.target.closest("tr[data-row]");
	if (!line) return;
	pickRow(Number(line.dataset.row));
	focusRow(line.dataset.row);
});
on(body, "keydown", event => { /* up and down through the rows */
	const line = event.target.closest("tr[data-row]"), by = {ArrowDown: 1, ArrowUp: -1}[event.key];
	if (!line || !by) return;
	const at = Math.min(rows.length - 1, Math.max(0, rows.indexOf(Number(line.dataset.row)) + by));
	event.preventDefault();
	event.stopPropagation();
	reveal(at, 0);
	focusRow(rows[at]);
});
on(panel, "scroll", () => {
	shownRows.top = panel.scrollTop;
	fill();
});
new ResizeObserver(() => {
	shownRows.height = panel.clientHeight;
	fill();
}).observe(panel);
function openTab(name) {
	openMemory(name === "memory");
	if (!chartState.open) state.tab = name;
	table();
	scrollRows(0);
	showRow();
	remember();
}
const tabNames = [...Object.keys(tables), ...(data.memory ? ["memory"] : [])];
for (const name of tabNames) {
	on($("tab-" + name), "click", () => openTab(name));
	on($("tab-" + name), "keydown", event => {
		const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
		if (!by) return;
		const next = tabNames[(tabNames.indexOf(name) + by + tabNames.length) % tabNames.length];
		openTab(next);
		$("tab-" + next).focus();
	});
}
