/*
 * tests/browser/view.test.js: what a person does with the page of `vflow render -T html`, in
 * Chromium, with 10, 500 and 5,000 vertices.  Times are printed, not judged: machines differ.
 * In the page `state`, `view`, `slice` and so on are the script's own.
 */
"use strict";
const fs = require("node:fs");
const {execFileSync} = require("node:child_process");
const path = require("node:path"), zlib = require("node:zlib");
const graphs = require("./graphs.js");
const {check, is, vflow, render, open, settled, time, inWords, timeOf, main, WORK} = require("./browser.js");

const chosen = page => page.evaluate(() => state.vertex < 0 ? -1 : vertices[state.vertex][V.id]);
const shown = page => page.evaluate(() => [state.goneVertices, state.goneEdges].map(gone => gone.filter(flag => !flag).length).join(" "));
const where = page => page.evaluate(() => [view.scale, view.x, view.y]);
const text = (page, selector) => page.evaluate(selector => document.querySelector(selector).textContent, selector);
const close = (a, b, far = 1) => a.every((value, i) => Math.abs(value - b[i]) <= far);
const centre = (page, id) => page.evaluate(id => { /* of a vertex, on the screen */
	const v = vertices[indexOf.get(id)], box = stage.getBoundingClientRect();
	return [v[V.x] * view.scale + view.x + box.left, v[V.y] * view.scale + view.y + box.top];
}, id);
/* The page's data, with objects for rows. */
function dataOf(json) {
	const data = JSON.parse(json);
	for (const list of ["vertices", "edges", "findings"])
		data[list] = data[list].map(row => Object.fromEntries(data.columns[list].map((column, i) => [column.name, row[i]])));
	return data;
}
const set = (page, id, value) => page.evaluate(([id, value]) => {
	const input = document.getElementById(id);
	input.value = value;
	input.dispatchEvent(new Event("input", {bubbles: true}));
}, [id, value]);
/* The colours of the lower canvas around a point of the picture, the one in the middle first. */
const pixels = (page, x, y) => page.evaluate(([x, y]) => {
	const [px, py] = [x * view.scale + view.x, y * view.scale + view.y].map(p => Math.floor(p * view.ratio));
	const all = [...below.getImageData(px - 2, py - 2, 5, 5).data], list = [];
	for (let k = 0; k < all.length; k += 4) list.push(all.slice(k, k + 4).join());
	return [list[12], ...list];
}, [x, y]);
const pixel = async (page, x, y) => (await pixels(page, x, y))[0];

/* Edges of a slice as FROM>TO OBJECT ACCESS, as `vflow slice` says and as the page lights them. */
function sliceOf(dot, id, ...more) {
	const out = vflow("slice", "--vertex", String(id), ...more, dot);
	return [...out.matchAll(/v(\d+)"? -> "?v(\d+)"?\s*\[([^\]]*)\]/g)].map(m => `${m[1]}>${m[2]} ${/object=(\d+)/.exec(m[3])[1]} ${/access=(\w+)/.exec(m[3])[1]}`).sort().join("\n");
}
const lit = page => page.evaluate(() => edges.filter((e, i) => state.kept && state.kept.edges[i] && !state.goneEdges[i]).map(e =>
	`${vertices[e[E.from]][V.id]}>${vertices[e[E.to]][V.id]} ${e[E.object]} ${e[E.access]}`).sort().join("\n"));
const computed = (page, id, way) => page.evaluate(([id, way]) => {
	const kept = slice(indexOf.get(id), way);
	return edges.filter((e, i) => kept.edges[i]).map(e => `${vertices[e[E.from]][V.id]}>${vertices[e[E.to]][V.id]} ${e[E.object]} ${e[E.access]}`).sort().join("\n");
}, [id, way]);

/* Each test gets the page, its size and its data, and leaves nothing selected or filtered behind. */

async function drawn({page, name, size, data}) {
	is(name("all are drawn"), await shown(page), `${size} ${data.edges.length}`);
	if (size > 10) return;
	is(name("findings are called what the report calls them"), await page.evaluate(() => words("gpu_idle,free_in_loop,odd_name,constructor")), "GPU idle, allocation in a loop, odd name, constructor");
	const looks = await page.evaluate(() => vertices.map(v => [v[V.shape], v[V.x] - v[V.w] / 2, v[V.y], v[V.x], v[V.y] - v[V.h] / 2 + 5]));
	const dark = color => Math.max(...color.split(",").slice(0, 3)) < 140;
	const badly = [];
	for (const [shape, x, y, insideX, insideY] of looks) {
		if (!(await pixels(page, x, y)).some(dark)) badly.push(`no outline at ${x},${y}`);
		const expected = {0: "238,242,246,255", 1: "255,255,255,255", 2: "255,255,255,255", 3: "31,35,40,255"}[shape];
		if (await pixel(page, insideX, insideY) !== expected) badly.push(`shape ${shape} is ${await pixel(page, insideX, insideY)}`);
	}
	is(name("each vertex has its shape and colour"), badly.join("; "), "");
	badly.length = 0;
	const colors = {0: "110,119,129,255", 1: "0,114,178,255", 2: "213,94,0,255", 3: "122,1,119,255"};
	const tips = await page.evaluate(() => edges.map((e, i) => { const p = curves[i], n = p.length;
		return [e[E.band], e[E.access], p[n - 2] * .4 + p[n - 4] * .6, p[n - 1] * .4 + p[n - 3] * .6]; }));
	for (const [band, access, x, y] of tips) if (await pixel(page, x, y) !== (access === "READ" ? "255,255,255,255" : colors[band])) badly.push(`${band} ${access} ${await pixel(page, x, y)}`);
	is(name("arrowheads are filled where values are overwritten"), badly.join("; "), "");
}

async function moving({page, name, times}) {
	const before = await where(page);
	times.zoom = await time(page, () => page.click("#zoomin"));
	check(name("the button zooms in"), (await where(page))[0] > before[0]);
	await page.click("#fit");
	await page.mouse.move(500, 400);
	times.wheel = await time(page, turn => page.mouse.wheel(0, turn % 2 ? 240 : -300));
	const wheeled = await where(page);
	times.pan = await time(page, async turn => {
		await page.mouse.down();
		await page.mouse.move(turn % 2 ? 500 : 560, turn % 2 ? 400 : 440, {steps: 4});
		await page.mouse.move(turn % 2 ? 500 : 600, turn % 2 ? 400 : 460, {steps: 4});
		await page.mouse.up();
	});
	check(name("dragging moves by what the mouse moved"), close(await where(page), [wheeled[0], wheeled[1] + 100, wheeled[2] + 60], .01), await where(page));
	is(name("dragging selects nothing"), await chosen(page), -1);
	const box = await page.evaluate(() => { const b = stage.getBoundingClientRect(); return [b.left, b.top]; });
	const under = ([scale, x, y]) => [(500 - box[0] - x) / scale, (400 - box[1] - y) / scale];
	await page.mouse.move(500, 400);
	const held = under(await where(page)), scale = (await where(page))[0];
	await page.mouse.wheel(0, -400);
	await settled(page);
	check(name("what is under the mouse stays there while zooming"), close(under(await where(page)), held, .01 * Math.abs(held[1]) + .1) && (await where(page))[0] > scale * 1.5, `${held} ${under(await where(page))}`);
	times.fit = await time(page, () => page.click("#fit"));
	check(name("fit is the first view"), close(await where(page), before, .01), await where(page));
	await page.click("#stage", {position: {x: 3, y: 3}});
	await page.keyboard.press("+");
	check(name("+ zooms"), (await where(page))[0] > before[0]);
	await page.keyboard.press("f");
	check(name("f fits"), close(await where(page), before, .01));
}

async function fingers({browser, files, name}) {
	const page = await open(browser, files.html, "", {hasTouch: true, viewport: {width: 900, height: 800}});
	const session = await page.context().newCDPSession(page);
	const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", {type, touchPoints: points.map(([x, y], id) => ({x, y, id}))});
	is(name("a narrow page begins with the tables"), await page.evaluate(() => $("lists").getBoundingClientRect().top < stage.getBoundingClientRect().top), true);
	await page.evaluate(() => stage.scrollIntoView());
	const before = await where(page);
	await touch("touchStart", [300, 300]);
	for (let k = 1; k <= 5; k++) await touch("touchMove", [300 + 10 * k, 300 + 6 * k]);
	await touch("touchEnd");
	await settled(page);
	const dragged = await where(page);
	check(name("a finger moves"), close(dragged, [before[0], before[1] + 50, before[2] + 30], 1), `${before} ${dragged}`);
	await touch("touchStart", [300, 300], [400, 300]);
	for (let k = 1; k <= 5; k++) await touch("touchMove", [300 - 10 * k, 300], [400 + 10 * k, 300]);
	await touch("touchEnd");
	await settled(page);
	const pinched = await where(page);
	check(name("two fingers zoom"), Math.abs(pinched[0] / dragged[0] - 2) < .05, pinched[0] / dragged[0]);
	const top = await page.evaluate(() => stage.getBoundingClientRect().top);
	const middle = ([scale, x, y]) => [(350 - x) / scale, (300 - top - y) / scale];
	check(name("around the middle between them"), close(middle(pinched), middle(dragged), 12 / dragged[0]), `${middle(dragged)} ${middle(pinched)}`);
	await page.evaluate(() => moveTo(vertices[1][V.x], vertices[1][V.y]));
	await settled(page);
	const [x, y] = await centre(page, 1);
	await page.touchscreen.tap(x, y);
	await settled(page);
	is(name("a tap selects"), await chosen(page), 1);
	check(name("and shows the card"), (await text(page, "#card")).includes("#1"));
	is(name("touch: no errors"), page.problems.join("; "), "");
	await page.close();
}

async function searching({page, name, data, target, times}) {
	times.search = await time(page, turn => page.fill("#search", ["kernel", "cuda", "net.cu:1", "zzz", "#" + target][turn]));
	is(name("search counts"), await text(page, "#hits"), "1 match");
	times.find = await time(page, () => page.press("#search", "Enter"));
	is(name("search goes there"), await chosen(page), target);
	await page.fill("#search", "/kernel_[12]</");
	const found = data.vertices.filter(v => /kernel_[12]</.test(v.name)).map(v => v.id);
	is(name("search takes regular expressions"), (await text(page, "#hits")).replaceAll(",", ""), found.length + (found.length === 1 ? " match" : " matches"));
	is(name("and marks what they find"), await page.evaluate(() => state.matches.map(i => vertices[i][V.id]).join()), found.join());
	if (found.length > 1) {
		await page.click("#next");
		await page.click("#next");
		is(name("next goes to the second"), await chosen(page), found[1]);
		await page.press("#search", "Shift+Enter");
		is(name("and back to the first"), await chosen(page), found[0]);
	}
	await page.fill("#search", "/(/");
	is(name("half an expression is no error"), await text(page, "#hits"), "bad regex");
	await page.fill("#search", "");
	await page.keyboard.press("Escape");
}

/* Zooms in on a vertex, with nothing selected. */
async function goTo(page, id) {
	await page.evaluate(id => { view.scale = .3; moveTo(vertices[indexOf.get(id)][V.x], vertices[indexOf.get(id)][V.y]); }, id);
	await settled(page);
	return centre(page, id);
}

async function pointing({page, name, files, data, target, times}) {
	const [x, y] = await goTo(page, target), v = data.vertices.find(row => row.id === target);
	times.hover = await time(page, async turn => { await page.mouse.move(x - 300 + turn, y - 150); await page.mouse.move(x, y); });
	const card = await text(page, "#card");
	check(name("the card tells the name, the figures and the call path"), [`#${target} ${v.name}`, `ran: ${v.invocations}×`, "main src/main.cpp:12"].every(part => card.includes(part)), card);
	await page.mouse.move(x, y - 3);
	times.click = await time(page, async turn => { await page.mouse.move(x, y + turn % 2); await page.mouse.down(); await page.mouse.up(); });
	is(name("a click selects"), await chosen(page), target);
	check(name("a screen reader hears it"), (await text(page, "#said")).startsWith(`#${target} `) && /\d+ operations?, \d+ edges?/.test(await text(page, "#said")), await text(page, "#said"));
	is(name("and lights the slice of vflow slice"), await lit(page), sliceOf(files.dot, target));
	is(name("the panel tells the command"), await page.inputValue("#command"), `vflow slice --vertex ${target} ${files.dot} | vflow render -o slice-${target}.html`);
	for (const way of ["up", "down"]) {
		await page.selectOption("#way", way);
		is(name(`and of --${way}`), await lit(page), sliceOf(files.dot, target, "--" + way));
		check(name(`with the command`), (await page.inputValue("#command")).includes(" --" + way));
	}
	await page.selectOption("#way", "");
	const object = data.edges.find(e => data.vertices[e.to].id === target || data.vertices[e.from].id === target).object;
	await page.selectOption("#object", String(object));
	is(name("and along one object"), await lit(page), sliceOf(files.dot, target, "--object", String(object)));
	check(name("with its command"), (await page.inputValue("#command")).includes(" --object " + object));
	await page.click("#reset");
	await page.keyboard.press("Escape");
	is(name("Escape clears"), await chosen(page) + await page.evaluate(() => String(state.kept)), "-1null");
	const missed = [];
	const step = Math.ceil(data.vertices.length / (data.vertices.length > 1000 ? 20 : 50));
	for (let i = 0; i < data.vertices.length; i += step) {
		const id = data.vertices[i].id, way = ["", "up", "down"][i % 3];
		if (await computed(page, id, way) !== sliceOf(files.dot, id, ...way ? ["--" + way] : [])) missed.push(id + way);
	}
	is(name("as are the slices of many others"), missed.join(), "");

	/* the line under the mouse: the middle of the first edge, or what lies on it */
	const edge = await page.evaluate(() => edges.findIndex((e, i) => curves[i].length === 10 || curves[i].length === 16));
	await page.evaluate(i => moveTo(curves[i][6], curves[i][7]), edge);
	await settled(page);
	const hit = await page.evaluate(i => { const p = curves[i], t = .5, s = .5;
		const at = k => s * s * s * p[k] + 3 * s * s * t * p[2 + k] + 3 * s * t * t * p[4 + k] + t * t * t * p[6 + k];
		const part = partAt(at(0) * view.scale + view.x, at(1) * view.scale + view.y);
		return part.kind + (part.kind === "e" ? distanceToEdge(part.i, at(0), at(1), 5) < 6 : ""); }, edge);
	is(name("a line is found under the mouse"), hit, "etrue");
}

async function keys({page, name, data, target, times}) {
	await page.fill("#search", "#" + target);
	await page.press("#search", "Enter");
	await page.fill("#search", "");
	const [x, y] = await centre(page, target);
	await page.mouse.click(x, y);
	is(name("a click gives the focus"), await page.evaluate(() => document.activeElement.id), "v" + target);
	const index = data.vertices.findIndex(v => v.id === target), weight = new Map();
	for (const e of data.edges) if (e.to === index && e.from !== index) weight.set(e.from, (weight.get(e.from) || 0) + e.bytes);
	const order = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a) || a - b).map(i => data.vertices[i].id);
	times.arrow = await time(page, () => page.keyboard.press("ArrowUp"), 1);
	is(name("an arrow follows the widest edge back"), await chosen(page), order[0]);
	await page.keyboard.press("ArrowRight");
	is(name("its sibling is beside it"), await chosen(page), order[1 % order.length]);
	is(name("the focus goes along"), await page.evaluate(() => document.activeElement.id), "v" + order[1 % order.length]);
	is(name("and has a name"), await page.evaluate(() => document.activeElement.getAttribute("aria-label").startsWith(vertices[state.vertex][V.lines][0])), true);
	await page.keyboard.press("ArrowLeft");
	await page.keyboard.press("ArrowDown");
	const back = await chosen(page), from = data.vertices.findIndex(v => v.id === order[0]);
	check(name("down follows an edge forward"), data.edges.some(e => e.from === from && data.vertices[e.to].id === back), back);
	await page.keyboard.press("Escape");
	is(name("Escape keeps the focus in the drawing"), await page.evaluate(() => drawing.contains(document.activeElement)), true);
	await page.keyboard.press("/");
	is(name("/ goes to the search"), await page.evaluate(() => document.activeElement.id), "search");
	await page.keyboard.type("f");
	is(name("letters in the search are letters"), await page.inputValue("#search"), "f");
	await page.fill("#search", "");
	await page.keyboard.press("Escape");
	await page.evaluate(() => document.getElementById("theme").focus());
	await page.keyboard.press("Tab");
	is(name("Tab reaches the drawing"), await page.evaluate(() => document.activeElement.id), "drawing");
	is(name("and shows that"), await page.evaluate(() => getComputedStyle(drawing).outlineStyle), "solid");
	await page.keyboard.press("ArrowDown");
	check(name("an arrow begins at the first finding"), await page.evaluate(() => state.vertex === (noteOrder.length ? noteOrder[0] : 0)));
	await page.keyboard.press("Escape");
}

async function filters({page, name, size, data, target, times}) {
	const level = Math.min(16, Math.floor(Math.log2(Math.max(...data.edges.map(e => e.bytes))))), limit = 2 ** level;
	const expect = stays => { const kept = data.edges.filter(stays), ends = new Set(kept.flatMap(e => [e.from, e.to])); return `${ends.size} ${kept.length}`; };
	times.bytes = await time(page, turn => set(page, "bytes", String(level + 1 - 4 + turn)));
	is(name("edges by bytes, vertices with them"), await shown(page), expect(e => e.bytes >= limit));
	times.share = await time(page, turn => set(page, "share", String(20 * turn)));
	is(name("edges by share"), await shown(page), expect(e => e.bytes >= limit && e.redundancy >= .8));
	is(name("the page says how many"), await text(page, "#shown"), await shown(page).then(counts => { const [v, e] = counts.split(" ").map(n => Number(n).toLocaleString("en-US"));
		return `${v} of ${size.toLocaleString("en-US")} operations, ${e} of ${data.edges.length.toLocaleString("en-US")} edges`; }));
	await page.click("#tab-edges");
	is(name("the table has the same edges"), await page.getAttribute("#panel table", "aria-rowcount"), String(Number((await shown(page)).split(" ")[1]) + 1));
	times.reset = await time(page, async turn => { if (turn) await set(page, "share", "50"); await page.evaluate(() => { window.seen.times = []; }); await page.click("#reset"); });
	is(name("reset shows all"), await shown(page), `${size} ${data.edges.length}`);
	times.kernel = await time(page, turn => page.fill("#kernel", ["kernel_1", "cudaMem", "net.cu:3", "/k.*_2</", "kernel_4<"][turn]));
	const named = new Set(data.vertices.map((v, i) => i).filter(i => data.vertices[i].name.includes("kernel_4<")));
	is(name("edges of operations by name"), await shown(page), expect(e => named.has(e.from) || named.has(e.to)));
	const gone = await page.evaluate(() => state.goneVertices.indexOf(1));
	const [x, y] = await goTo(page, data.vertices[gone].id);
	const under = await page.evaluate(i => { const part = partAt(vertices[i][V.x] * view.scale + view.x, vertices[i][V.y] * view.scale + view.y); return part.kind === "v" && part.i === i; }, gone);
	is(name("what is filtered out is not under the mouse"), under, false);
	await page.fill("#kernel", "no such operation");
	check(name("an empty picture says why"), await page.isVisible("#empty") && (await text(page, "#empty")).includes("Nothing matches"), x + y);
	check(name("and so does the table"), await page.isVisible("#norows"));
	await page.click("#emptyreset");
	is(name("and the way out is there"), await shown(page) + await page.isVisible("#empty"), `${size} ${data.edges.length}false`);
	await page.fill("#kernel", "/(/");
	is(name("half an expression is marked"), await page.getAttribute("#kernel", "aria-invalid"), "true");
	await page.click("#reset");
	const object = data.edges[0].object, objects = [...new Set(data.edges.map(e => e.object))];
	times.object = await time(page, turn => page.selectOption("#object", String(turn < 4 ? objects[turn % objects.length] : object)));
	is(name("edges by object"), await shown(page), expect(e => e.object === object));
	await page.click("#reset");
	const flagged = new Set(data.vertices.map((v, i) => i).filter(i => data.vertices[i].patterns));
	if (!flagged.size) return;
	times.finding = await time(page, turn => page.selectOption("#pattern", turn % 2 ? "" : "redundant_values"));
	is(name("edges by finding"), await shown(page), expect(e => flagged.has(e.from) || flagged.has(e.to)));
	await page.click("#reset");
}

async function lists({page, name, size, data, times}) {
	times.tab = await time(page, turn => page.click(turn % 2 ? "#tab-vertices" : "#tab-edges"));
	times.sort = await time(page, () => page.getByRole("button", {name: /^bytes/}).click());
	is(name("sorted by bytes"), await page.getAttribute("th[aria-sort=descending]", "aria-sort"), "descending");
	const first = () => page.evaluate(() => Number(document.querySelector("#panel tr[data-row]").dataset.row));
	is(name("the widest edge is first"), data.edges[await first()].bytes, Math.max(...data.edges.map(e => e.bytes)));
	const rowsOf = () => page.evaluate(() => rows.map(i => edges[i][E.bytes]));
	check(name("and all follow in order"), (await rowsOf()).every((bytes, i, all) => !i || all[i - 1] >= bytes));
	await page.getByRole("button", {name: /^bytes/}).click();
	check(name("or the other way round"), (await rowsOf()).every((bytes, i, all) => !i || all[i - 1] <= bytes));
	is(name("the focus stays on the head"), await page.evaluate(() => document.activeElement.textContent), "bytes ▲");
	times.row = await time(page, turn => page.click(`#panel tr[data-row]:nth-child(${turn % 3 + 2}) button`).then(() => page.keyboard.press(turn < 4 ? "Escape" : "Shift")));
	is(name("a row selects its edge"), await page.evaluate(() => state.edge), Number(await page.getAttribute("#panel tr.on", "data-row")));
	check(name("which is in sight"), await page.evaluate(() => { const p = curves[state.edge], n = p.length, x = p[n - 2] * view.scale + view.x, y = p[n - 1] * view.scale + view.y;
		return x > 0 && y > 0 && x < view.width && y < view.height; }));
	check(name("and keeps the focus"), await page.evaluate(() => document.activeElement.closest("tr.on") !== null));
	await page.keyboard.press("Escape");
	await page.click("#tab-vertices");
	is(name("rows for all vertices"), await page.getAttribute("#panel table", "aria-rowcount"), String(size + 1));
	check(name("but not all at once"), await page.evaluate(() => document.querySelectorAll("#panel tr[data-row]").length) <= 60);
	await page.evaluate(() => { document.getElementById("panel").scrollTop = 1e9; });
	check(name("the last one after scrolling"), await page.waitForFunction(last => [...document.querySelectorAll("#panel tr[data-row]")].pop().dataset.row === last,
		String(size - 1), {timeout: 20000}).then(() => true, () => false));
	await page.evaluate(() => scrollRows(0));
	await page.evaluate(() => document.querySelector("#panel tr[data-row] button").focus());
	for (let k = 0; k < 9; k++) await page.keyboard.press("ArrowDown");
	is(name("arrows go through the rows"), await page.evaluate(() => document.activeElement.closest("tr").dataset.row), "9");
	await page.keyboard.press("Enter");
	is(name("Enter selects"), await chosen(page), data.vertices[9].id);
	await page.keyboard.press("Escape");
	await page.focus("#tab-vertices");
	await page.keyboard.press("ArrowRight");
	is(name("arrows go through the tabs"), await page.evaluate(() => document.activeElement.id + state.tab), "tab-edgesedges");
	const far = data.vertices[size - 1].id;
	await page.click("#tab-findings");
	await page.fill("#search", "#" + far);
	await page.press("#search", "Enter");
	await page.click("#tab-vertices");
	check(name("the row of what is selected is in sight"), await page.evaluate(() => { const row = document.querySelector("#panel tr.on"); if (!row) return false;
		const box = row.getBoundingClientRect(), all = panel.getBoundingClientRect(); return box.top >= all.top && box.bottom <= all.bottom + 1; }));
	await page.fill("#search", "");
	await page.keyboard.press("Escape");
}

async function remembered({browser, page, name, files, target, times}) {
	times.dark = await time(page, () => page.click("#theme"));
	is(name("dark"), await page.evaluate(() => getComputedStyle(document.body).backgroundColor + colors.paper), "rgb(13, 17, 23)rgb(13, 17, 23)");
	await page.click("#tab-vertices");
	await page.getByRole("button", {name: /^id/}).click();
	await page.fill("#kernel", "kernel");
	await page.fill("#search", "#" + target);
	await page.press("#search", "Enter");
	await page.click("#zoomout");
	await page.waitForFunction(() => location.hash === address(), null, {timeout: 20000}).catch(() => {});
	const hash = await page.evaluate(() => location.hash), other = await open(browser, files.html, hash, {viewport: {width: 1200, height: 700}});
	const what = () => [chosen, shown, p => p.inputValue("#kernel"), p => p.evaluate(() => document.documentElement.dataset.theme + JSON.stringify([state.tab, state.sort[state.tab]]))];
	const middle = p => p.evaluate(() => [view.scale, (view.width / 2 - view.x) / view.scale, (view.height / 2 - view.y) / view.scale]);
	const all = p => Promise.all(what().map(f => f(p))).then(list => list.join(" "));
	is(name("the address keeps selection, filters, theme and table"), await all(other), await all(page));
	check(name("and the middle of the view, in a window of another size"), close(await middle(other), await middle(page), .2), `${await middle(page)} ${await middle(other)}`);
	/* the address follows within 300 ms; who is quicker passes an operation by */
	const at = id => other.waitForFunction(id => state.vertex >= 0 && vertices[state.vertex][V.id] === id && location.hash === address(), id, {timeout: 20000}).catch(() => {});
	for (const id of [1, 2, 3]) {
		await other.evaluate(id => select(indexOf.get(id), -1, true), id);
		await at(id);
	}
	for (const id of [2, 1]) {
		await other.goBack();
		await at(id);
		is(name("Back goes to the operation before"), await chosen(other), id);
	}
	await other.goForward();
	await at(2);
	is(name("and Forward to the next"), await chosen(other), 2);
	await other.evaluate(() => { location.hash = "#v=1"; });
	await other.waitForFunction(() => state.vertex >= 0 && vertices[state.vertex][V.id] === 1, null, {timeout: 20000}).catch(() => {});
	is(name("a new address in the same window is followed"), await chosen(other) + await other.inputValue("#kernel"), "1");
	await other.evaluate(() => { location.hash = "#v=77777777&e=x&bytes=zz&tab=constructor&at=1_2&sort=99&object=%00&way=sideways&theme=<"; });
	await settled(other);
	is(name("nonsense in the address is ignored"), await chosen(other) + await other.evaluate(() => state.tab), "-1" + await other.evaluate(() => tables.findings.rows.length ? "findings" : "vertices"));
	await other.emulateMedia({colorScheme: "dark"});
	await settled(other);
	is(name("the system says dark"), await other.evaluate(() => document.documentElement.dataset.theme), "dark");
	await other.emulateMedia({colorScheme: "light"});
	await settled(other);
	is(name("or light"), await other.evaluate(() => document.documentElement.dataset.theme), "light");
	is(name("no errors there"), other.problems.join("; ") + await other.evaluate(() => window.seen.violations), "0");
	await other.close();
	await page.click("#reset");
	await page.keyboard.press("Escape");
}

async function copied({page, name, target}) {
	await page.fill("#search", "#" + target);
	await page.press("#search", "Enter");
	const line = await page.inputValue("#command");
	await page.click("#copy");
	await page.waitForFunction(() => document.getElementById("copy").textContent === "Copied", null, {timeout: 20000}).catch(() => {});
	await page.fill("#search", "");
	await page.press("#search", "Control+V");
	is(name("copying puts the command into the clipboard"), await page.inputValue("#search"), line);
	await page.fill("#search", "");
	const kept = await page.evaluate(() => state.kept.vertices.filter(flag => flag).length), host = await page.evaluate(() => !state.kept.vertices[indexOf.get(0)]);
	execFileSync("bash", ["-c", line], {cwd: WORK, stdio: "pipe", env: {...process.env, PATH: path.join(WORK, "bin") + ":" + process.env.PATH}});
	const source = fs.readFileSync(path.join(WORK, `slice-${target}.html`), "utf8"), data = JSON.parse(/id="data">([^]*?)<\/script>/.exec(source)[1]);
	is(name("and a shell does it: the same vertices"), data.vertices.length, kept + host); /* host stays in slices */
	await page.keyboard.press("Escape");
}

/* How many curves a PDF draws. */
function curvesIn(pdf) {
	const source = pdf.toString("latin1");
	let found = 0;
	for (const {1: dictionary, index, 0: head} of source.matchAll(/<<([^>]*FlateDecode[^>]*)>>\s*stream\r?\n/g)) {
		if (/FontFile|Length1|Image/.test(dictionary)) continue;
		try {
			found += (zlib.inflateSync(pdf.subarray(index + head.length), {finishFlush: zlib.constants.Z_SYNC_FLUSH}).toString("latin1").match(/ c$/gm) || []).length;
		} catch (error) { /* not text */ }
	}
	return found;
}

/* As a screen reader meets it. */
async function readers({page, name, size, data, target}) {
	await page.waitForFunction(() => vertices.length > 1000 || drawing.children.length === vertices.length, null, {timeout: 20000}).catch(() => {});
	const session = await page.context().newCDPSession(page), {nodes} = await session.send("Accessibility.getFullAXTree");
	const roles = {}, nameless = [];
	for (const node of nodes) {
		const role = node.role && node.role.value, label = node.name && node.name.value;
		if (node.ignored || !role) continue;
		roles[role] = (roles[role] || 0) + 1;
		if (/^(button|textbox|searchbox|combobox|slider|tab|graphics-symbol|graphics-document|columnheader|option)$/i.test(role) && !label) nameless.push(role);
	}
	const known = role => roles[role] || roles[role.replace("graphics-", "Graphics")] || 0;
	is(name("every control has a name"), nameless.join(), "");
	is(name("roles of the page"), ["main", "banner", "complementary", "search", "tablist", "tabpanel", "table"].filter(role => !roles[role]).join(), "");
	is(name("three tabs, one of them selected"), nodes.filter(n => n.role && n.role.value === "tab" && n.properties.some(p => p.name === "selected" && p.value.value)).length + " of " + roles.tab, "1 of 3");
	const documents = nodes.filter(n => /graphics-?document/i.test(n.role && n.role.value || ""));
	is(name("the drawing has a role, a name and a description"), documents.map(n => /vertices.*edges/.test(n.name.value) && /follow an edge/.test(n.description && n.description.value || "")).join(), "true");
	const symbols = nodes.filter(n => /graphics-?symbol/i.test(n.role && n.role.value || ""));
	check(name("vertices are symbols with names"), size > 1000 ? symbols.length > 0 : symbols.length === size, symbols.length + JSON.stringify(Object.keys(roles)));
	check(name("which say what they are"), symbols.every(n => /edges? in, [\d,]+ out/.test(n.name.value)), symbols.length && symbols[0].name.value);
	await page.emulateMedia({forcedColors: "active"});
	await settled(page);
	check(name("forced colours are taken"), await page.evaluate(() => colors.ink === colors.faint && colors.ink !== colors.paper));
	await page.emulateMedia({forcedColors: "none"});
	await page.emulateMedia({media: "print"});
	is(name("on paper only the drawing and its header"), await page.evaluate(() => ["aside", "#lists", ".tools"].filter(s => getComputedStyle(document.querySelector(s)).display !== "none").join()), "");
	await page.emulateMedia({media: "screen"});
	const printed = curvesIn(await page.pdf({landscape: true})), seen = await page.evaluate(() => vertices.filter(v => seesVertex(sight(), v) && v[V.shape] !== SHAPE.box && !isSmall(v)).length);
	check(name("it prints, as lines that stay sharp"), printed >= 4 * seen && printed > 4, `${printed} curves, ${seen} ovals`);
	is(name("and is as it was"), await page.evaluate(() => document.documentElement.dataset.theme + view.ratio), "dark1");
	check(name("few elements, however many vertices"), await page.evaluate(() => document.querySelectorAll(":not(option):not(#drawing *)").length) < 900, target + data.title);
}

async function interactions(browser, size) {
	const name = n => `${size} vertices: ${n}`, files = render(graphs.program(size), "program" + size), times = {};
	const page = await open(browser, files.html);
	page.turns = size > 1000 ? 3 : 1; /* only there do times matter */
	times["first paint"] = [await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime)];
	times["all drawn"] = [await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))))];
	const data = dataOf(await text(page, "#data")), finding = data.vertices.filter(v => v.patterns).map(v => v.id);
	const target = finding.length ? finding[finding.length - 1] : data.vertices[data.edges[data.edges.length - 1].to].id;
	const given = {browser, page, name, size, files, data, target, times};
	for (const test of [drawn, moving, fingers, searching, pointing, keys, filters, lists, remembered, copied, readers]) {
		await test(given);
		timeOf(test.name);
	}
	is(name("nothing was refused"), await page.evaluate(() => window.seen.violations), 0);
	is(name("no errors, dialogs or requests"), page.problems.join("; "), "");
	await page.close();
	console.log(`# ${size} vertices, ${data.edges.length} edges, ms to the frame that shows it${size > 1000 ? ", median/worst of 3" : ""}: ` + inWords(times));
}

/* Slices of every vertex of graphs with all sorts of edges; each edge has its own number of bytes. */
async function tangles(browser) {
	for (const seed of [1, 2]) {
		const files = render(graphs.tangle(seed), "tangle"), page = await open(browser, files.html), missed = [];
		for (let id = 0; id < 14; id++)
			for (const way of ["", "up", "down"]) {
				const out = vflow("slice", "--vertex", String(id), ...way ? ["--" + way] : [], files.dot);
				const expected = [...out.matchAll(/->[^[]*\[[^\]]*bytes=(\d+)/g)].map(m => Number(m[1])).sort((a, b) => a - b).join();
				const got = await page.evaluate(([id, way]) => { const kept = slice(indexOf.get(id), way); return edges.filter((e, i) => kept.edges[i]).map(e => e[E.bytes]).sort((a, b) => a - b).join(); }, [id, way]);
				if (got !== expected) missed.push(`${id} ${way}`);
			}
		is(`a tangle: slices of graph ${seed}`, missed.join(), "");
		await page.close();
	}
}

/* A profile brings its findings with their evidence; every operation has a place, and most ran often. */
async function profile(browser) {
	const from = path.join(WORK, "demo.db"), to = path.join(WORK, "demo.html"), name = n => "a profile: " + n;
	vflow("collect", "--quiet", "--device", "emulated", "-o", from, path.join(process.env.BUILD, "programs/demo"));
	vflow("render", "-o", to, from);
	const {findings, vertices, coverage} = JSON.parse(vflow("export", "-T", "json", from)), page = await open(browser, to);
	const gaps = await text(page, "#gaps");
	check(name("it says what was not seen"), gaps.includes("no gap was recorded") === !Object.keys(coverage).length && Object.entries(coverage).every(([what, rows]) =>
		rows.every(row => gaps.includes(what + ": " + row.count.toLocaleString("en-US")) && gaps.includes(row.reason))), gaps);
	is(name("a row for each finding"), await page.getAttribute("#panel table", "aria-rowcount"), String(findings.length + 1));
	is(name("nothing is missing"), await shown(page).then(counts => counts.split(" ")[0]), String(vertices.length));
	is(name("rows come and count as in the report"), await page.$$eval("#panel tr[data-row] td:first-child", cells => cells.map(cell => cell.textContent.trim()).join(" ")),
		findings.map((f, i) => i + 1).join(" "));
	is(name("bytes have room, however many"), await page.$eval("#panel tr[data-row] td:nth-child(7)", cell => {
		const before = cell.textContent;
		cell.textContent = "1023.9K";
		const fits = cell.scrollWidth <= cell.clientWidth;
		cell.textContent = before;
		return /^[0-9.]+[KMGT]?$/.test(before) && fits;
	}), true);
	check(name("it says which program ran"), (await text(page, "#run")).includes("programs/demo"));
	await page.click("#panel tr[data-row] button");
	const chosenOnes = findings.filter(f => f.vertex === findings[0].vertex), details = await text(page, "#details");
	is(name("a row selects its operation"), await chosen(page), await page.evaluate(() => vertices[noteOrder[0]][V.id]));
	check(name("the panel has the action, the evidence, the advice and the limits"), findings.filter(f => details.includes("#" + f.vertex + " ")).every(f =>
		[f.action.replaceAll("_", " "), f.evidence, f.limits, ...f.advice.split(" | ")].every(part => details.includes(part))) && chosenOnes.length > 0, details);
	is(name("no errors, dialogs or requests"), page.problems.join("; "), "");
	await page.close();
}

/* Sentences of the data become text and nothing else. */
async function gaps(browser) {
	const files = render(graphs.program(10), "gaps"), source = fs.readFileSync(files.html, "utf8"), of = page => text(page, "#gaps");
	const given = [["Calls that failed", "cudaMalloc <b>returned</b>"], ["What was not seen", "one", "two"]];
	const none = await open(browser, files.html);
	is("gaps: nothing is known of DOT", await of(none), "");
	await none.close();
	fs.writeFileSync(files.html, source.replace(/"gaps":\[\s*\]/, () => "\"gaps\":" + JSON.stringify(given).replaceAll("<", "\\u003c")));
	const page = await open(browser, files.html);
	is("gaps: titles and sentences", await of(page), given.flat().join(""));
	is("gaps: no errors, dialogs or requests", page.problems.join("; "), "");
	await page.close();
}

/* A metric that the script has never heard of: the data alone says what it is called and its unit. */
async function unknownFigures(browser) {
	const files = render(graphs.program(10), "figures"), name = n => "an unknown figure: " + n;
	const source = fs.readFileSync(files.html, "utf8"), part = /(id="data">)([^]*?)(<\/script>)/, data = JSON.parse(part.exec(source)[2]);
	for (const [list, unit, value] of [["vertices", "bytes", 5000], ["vertices", "ns", 1500000], ["vertices", "", 1234], ["edges", "calls", 7], ["edges", "share", .995]]) {
		data.columns[list].splice(3, 0, {name: "new_" + unit, title: "new " + (unit || "number"), unit});
		data[list].forEach((row, i) => row.splice(3, 0, i ? value : null));
	}
	fs.writeFileSync(files.html, source.replace(part, (all, start, json, end) => start + JSON.stringify(data).replaceAll("<", "\\u003c") + end));
	const page = await open(browser, files.html), of = (kind, i) => page.evaluate(([kind, i]) => facts(kind, i).filter(([title]) => title.startsWith("new ")).map(fact => fact.join(": ")).join(", "), [kind, i]);
	is(name("of an operation"), await of("v", 1), "new number: 1,234, new ns: 1.500 ms, new bytes: 5,000 bytes (4.9K)");
	is(name("of an edge"), await of("e", 1), "new share: >99%, new calls: 7×");
	is(name("nothing where there is none"), await of("v", 0) + await of("e", 0), "");
	const cells = async (tab, i) => {
		await page.click("#tab-" + tab);
		return page.evaluate(i => { const now = tables[state.tab]; return now.columns.filter(c => c[0].startsWith("new ")).map(c => c[0] + ": " + c[2](now.list[i])).join(", "); }, i);
	};
	is(name("columns of the operations"), await cells("vertices", 1), "new ns, ms: 1.500, new bytes: 4.9K, new number: 1,234");
	is(name("columns of the edges"), await cells("edges", 1), "new share: >99%, new calls: 7");
	is(name("known ones are as before"), await page.evaluate(() => facts("v", 1).find(fact => fact[0] === "ran")[1]), "1×");
	is(name("no errors, dialogs or requests"), page.problems.join("; "), "");
	await page.close();
}

/* What vflow diff writes: colours say what became of what, and the legend says that. */
async function twoRuns(browser) {
	const dot = ["gone", "new", "changed", "same"].map((change, i) => `v${i + 1} [kind=kernel name=k${i} invocations=1 patterns=dead_write change=${change}];`);
	const files = render(`digraph { v0 [kind=host name=host change=same]; ${dot.join(" ")} v0 -> v1 [key="1:READ" access=READ bytes=4096 change=gone]; v1 -> v2 [key="1:WRITE" access=WRITE bytes=4096 change=new]; }`, "two-runs");
	const page = await open(browser, files.html), one = await open(browser, render(graphs.program(10), "one-run").html);
	const legend = page => page.$$eval(".legend li", items => items.filter(item => item.offsetParent).map(item => item.textContent).filter(text => /^(gone|new|changed|as before|66 to|has a)/.test(text)).join(", "));
	is("two runs: the legend", await legend(page), "gone: in the first run only, new: in the second run only, changed, as before");
	is("two runs: not of one", await legend(one), "66 to 99%, has a finding that is worth much");
	const fill = id => page.evaluate(id => { /* left of the name */
		const v = vertices.find(v => v[V.id] === id), x = (v[V.x] - v[V.w] * .46) * view.scale + view.x, y = v[V.y] * view.scale + view.y;
		return below.getImageData(Math.round(x * view.ratio), Math.round(y * view.ratio), 1, 1).data.slice(0, 3).join();
	}, id);
	is("two runs: red, green, brown, white", [await fill(1), await fill(2), await fill(3), await fill(4)].join(" "), "255,235,238 221,244,228 255,243,224 255,255,255");
	is("two runs: badges, what changed after what went and came", await page.evaluate(() => noteOrder.map(i => vertices[i][V.id]).join()), "1,2,3");
	is("two runs: findings have other numbers, or none", await page.evaluate(() => findings.map(f => f[F.number]).join()), ",,,");
	is("two runs: no errors, dialogs or requests", page.problems.join("; "), "");
	await page.close();
	await one.close();
}

main(async browser => {
	fs.mkdirSync(path.join(WORK, "bin"));
	fs.symlinkSync(process.env.VFLOW, path.join(WORK, "bin", "vflow"));
	await profile(browser);
	await tangles(browser);
	await gaps(browser);
	await unknownFigures(browser);
	await twoRuns(browser);
	for (const size of [10, 500, 5000]) await interactions(browser, size);
});
