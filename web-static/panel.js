/*
 * web-static/panel.js: what is known of a vertex or an edge: the panel on the right, and the card at
 * the mouse.
 */
const VERBS = {read_bytes: "reads", written_bytes: "writes"}; /* instead of their titles */
const LEFT_OUT = " (vflow render --all draws everything)";

function facts(kind, i) {
	const row = kind === "v" ? vertices[i] : edges[i], more = row[kind === "v" ? V.more : E.more];
	const list = [];
	const add = (name, value) => { if (value !== "" && value !== null && value !== undefined) list.push([name, value]); };
	/* Those that are not 0 and have no place of their own here; `part` is shown with its share. */
	const figures = (columns, part, share = row[part] / row[V.written_bytes]) => columns.forEach((column, at) => {
		if (row[at] && column.unit !== undefined && !["redundancy", "object_bytes"].includes(column.name))
			add(VERBS[column.name] || column.title, figure(row[at], column.unit) + (at === part && isFinite(share) ? ", " + percent(share) : ""));
	});
	if (kind === "v") {
		if (!isHost(i)) add("kind", row[V.kind]);
		figures(data.columns.vertices, kept(row, V));
		add("finding", words(row[V.patterns]));
		if (row[V.before] + row[V.after]) add("not in this page", "neighbours: " + exact(row[V.before]) + " before it, " + exact(row[V.after]) + " after it");
	} else {
		add("from", label(row[E.from]));
		add("to", label(row[E.to]));
		add("access", row[E.access] === "READ" ? "reads" : row[E.access] === "WRITE" ? "overwrites" : "");
		if (row[E.bytes] === 0) add("bytes", bytesText(0));
		figures(data.columns.edges, kept(row, E), row[E.redundancy]);
		add("object", objectName(row[E.object]));
		if (row[E.object_bytes] !== null) add("object size", bytesText(row[E.object_bytes]));
	}
	for (const name in more || {}) add(name, more[name]);
	return list;
}
function edgeTitle(e) {
	if (isHost(e[E.to])) return label(e[E.from]) + " copies to host";
	return label(e[E.to]) + (e[E.access] === "WRITE" ? " overwrites " : e[E.access] === "READ" ? " reads " : " uses ") + "values of " + label(e[E.from]);
}

/* The same slice on the command line. */
const shellWord = text => /^[\w./+-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
const command = i => "vflow slice --vertex " + vertices[i][V.id] + (state.way ? " --" + state.way : "") +
	(/^\d+$/.test($("object").value) ? " --object " + $("object").value : "") + (data.file ? " " + shellWord(data.file) : "") +
	" | vflow render -o slice-" + vertices[i][V.id] + ".html";
function copyCommand() {
	const input = $("command"), button = $("copy");
	if (!input) return;
	const done = () => { button.textContent = "Copied"; };
	const byHand = () => { input.select(); if (document.execCommand("copy")) done(); };
	if (navigator.clipboard) navigator.clipboard.writeText(input.value).then(done, byHand); else byHand();
}

function button(text, action) {
	const result = element("button", text);
	result.type = "button";
	on(result, "click", action);
	return result;
}
function flowText() {
	const sum = (flags, gone) => flags.reduce((n, flag, at) => n + (flag && !gone[at]), 0);
	return count(sum(state.kept.vertices, state.goneVertices), "operation") + ", " + count(sum(state.kept.edges, state.goneEdges), "edge") +
		(data.hidden && !data.grouped ? ", of those that this page holds. The command below takes all." : ".");
}
/* Which way the slice goes, how large it is, and how to have it on the command line. */
function flowControls(i) {
	const ways = element("select"), line = element("div", undefined, "command"), input = element("input"), copy = button("Copy", copyCommand);
	for (const [value, text] of [["", "The flow through it"], ["up", "What leads to it"], ["down", "What follows from it"]]) {
		const option = element("option", text);
		option.value = value;
		ways.append(option);
	}
	ways.id = "way";
	ways.value = state.way;
	ways.setAttribute("aria-label", "Direction of the flow");
	on(ways, "change", () => { state.way = ways.value; select(i, -1, false); $("way").focus(); });
	if (data.grouped) return [ways]; /* the command knows single operations only */
	input.readOnly = true;
	input.value = command(i);
	input.id = "command";
	input.setAttribute("aria-label", "The same slice on the command line");
	copy.id = "copy";
	line.append(input, copy);
	return [ways, element("p", flowText()), line];
}
/* [file, number of the line meant, number of the first one, lines...] */
function sourceOf([file, meant, first, ...lines]) {
	const text = element("pre", undefined, "source");
	text.tabIndex = 0;
	text.setAttribute("aria-label", "Source: " + file + ":" + meant);
	lines.forEach((line, i) => {
		const number = String(first + i).padStart(String(first + lines.length).length) + "  ";
		text.append(first + i === meant ? element("b", number + line) : number + line + "\n");
	});
	return [element("p", file + ":" + meant, "limits"), text];
}
function finding(f) {
	const box = element("div", undefined, "advice");
	for (const advice of (f[F.advice] || "").split(" | ")) if (advice) box.append(element("p", advice));
	if (f[F.evidence]) box.prepend(element("p", words(f[F.pattern]) + ": " + f[F.evidence]));
	if (f[F.action]) box.prepend(element("h3", f[F.action]));
	if (f[F.limits]) box.append(element("p", f[F.limits], "limits"));
	if (f[F.source]) box.append(...sourceOf(f[F.source]));
	return box;
}
function describe() {
	const box = $("details"), i = state.vertex, kind = i >= 0 ? "v" : "e", alone = findings[state.finding];
	box.replaceChildren();
	if (alone) {
		box.append(element("h2", alone[F.calls]), finding(alone));
		return;
	}
	if (i < 0 && state.edge < 0) {
		box.append(element("h2", "Nothing selected"), element("p", vertices.length ? "Click an operation to see where its values come from and go to." :
			"The graph is empty: nothing was recorded, or a filter before this page left nothing."));
		return;
	}
	box.append(element("h2", i >= 0 ? longName(i) : edgeTitle(edges[state.edge])));
	const list = element("dl");
	for (const [name, value] of facts(kind, i >= 0 ? i : state.edge)) list.append(element("dt", name), element("dd", value));
	box.append(list);
	if (i < 0) {
		for (const end of new Set([edges[state.edge][E.from], edges[state.edge][E.to]]))
			box.append(button("Go to " + label(end), () => select(end, -1, true)), " ");
		return;
	}
	box.append(...flowControls(i), ...findings.filter(f => f[F.vertex] === i).map(finding));
	if (framesOf(i).length) {
		const path = element("ol", undefined, "path");
		for (const frame of framesOf(i)) path.append(element("li", frame));
		box.append(element("h3", "Called from"), path);
	}
}

/* At the mouse, inside of the window. */
function placeCard(x, y) {
	const box = $("card");
	box.style.left = Math.max(4, Math.min(x + 16, innerWidth - box.offsetWidth - 8)) + "px";
	box.style.top = Math.max(4, y + 20 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 12 : y + 16) + "px";
}
function card({kind, i}, x, y) {
	const box = $("card");
	box.hidden = i < 0;
	if (i < 0) return;
	box.replaceChildren(element("p", cut(kind === "v" ? longName(i) : edgeTitle(edges[i]), 300)));
	for (const [name, value] of facts(kind, i))
		if (name !== "from" && name !== "to" && name !== "access") box.append(element("p", name + ": " + cut(String(value), 300)));
	if (kind === "v") {
		const path = framesOf(i);
		for (const frame of path.slice(0, 12)) box.append(element("p", cut(frame, 200), "frame"));
		if (path.length > 12) box.append(element("p", "and " + (path.length - 12) + " more", "frame"));
		if (vertices[i][V.advice]) box.append(element("p", cut(vertices[i][V.advice], 500), "advice"));
	}
	placeCard(x, y);
}

for (const [title, ...lines] of data.gaps) $("gaps").append(element("h2", title), ...lines.map(line => element("p", line)));
