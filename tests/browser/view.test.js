/*
 * tests/browser/view.test.js: what a person does with the page of `vflow render -T html`, in
 * Chromium.  Prints TAP; times are printed, and fail only far beyond what they should be.
 */
"use strict";
const {chromium} = require("playwright-core");
const {execFileSync} = require("node:child_process");
const fs = require("node:fs"), path = require("node:path");
const graphs = require("./graphs.js");

const {VFLOW, WORK, CHROMIUM} = process.env;
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync"];
let count = 0, failed = 0;
function check(name, good, detail) {
	console.log(`${good ? "ok" : "not ok"} ${++count} - ${name}`);
	if (good) return;
	failed++;
	if (detail !== undefined) console.log("#   " + String(detail).slice(0, 600).replaceAll("\n", "\n#   "));
}
const is = (name, got, expected) => check(name, got === expected, `got ${got}, expected ${expected}`);

function render(dot, name) {
	const from = path.join(WORK, name + ".dot"), to = path.join(WORK, name + ".html");
	fs.writeFileSync(from, dot);
	execFileSync(VFLOW, ["render", "-o", to, from], {stdio: "pipe"});
	return {dot: from, html: to};
}

/* Counts whatever must not happen, and how long each reaction took until its frame was drawn. */
function watch() {
	window.seen = {violations: 0, times: []};
	document.addEventListener("securitypolicyviolation", () => { window.seen.violations++; });
	for (const type of ["pointerup", "pointermove", "keydown", "input", "wheel", "click"])
		addEventListener(type, event => {
			const start = event.timeStamp, channel = new MessageChannel();
			channel.port1.onmessage = () => window.seen.times.push(performance.now() - start);
			requestAnimationFrame(() => channel.port2.postMessage(0));
		}, true);
}

async function open(browser, file, hash = "") {
	const page = await browser.newPage({viewport: {width: 1400, height: 900}});
	page.problems = [];
	page.on("console", message => { if (message.type() === "error") page.problems.push(message.text()); });
	page.on("pageerror", error => page.problems.push(error.message));
	page.on("dialog", dialog => { page.problems.push("dialog"); dialog.dismiss(); });
	page.on("request", request => { if (!request.url().startsWith("file://" + WORK)) page.problems.push("request " + request.url()); });
	await page.addInitScript(watch);
	await page.goto("file://" + file + hash);
	await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
	return page;
}

/* Does something and returns the slowest reaction to it in ms. */
async function time(page, action) {
	await page.waitForTimeout(250); /* what the one before left to do */
	await page.evaluate(() => { window.seen.times = []; });
	await action();
	await page.waitForTimeout(350);
	return Math.max(0, ...await page.evaluate(() => window.seen.times));
}

const chosen = page => page.evaluate(() => { const part = document.querySelector(".vertex.chosen[id]"); return part ? Number(part.id.slice(1)) : -1; });
const visible = (page, kind) => page.evaluate(kind => document.querySelectorAll("#stage ." + kind + "[id]:not(.gone)").length, kind);
const transform = page => page.evaluate(() => document.getElementById("view").getAttribute("transform"));
const text = (page, selector) => page.evaluate(selector => document.querySelector(selector).textContent, selector);

/* What `vflow slice` says, as the page counts: vertices, and edges as FROM>TO KEY. */
function sliceOf(dot, id) {
	const out = execFileSync(VFLOW, ["slice", "--vertex", String(id), dot], {stdio: "pipe", maxBuffer: 1 << 28}).toString();
	const edges = [...out.matchAll(/v(\d+)"? -> "?v(\d+)"?\s*\[([^\]]*)\]/g)].map(m => `${m[1]}>${m[2]} ${/object=(\d+)/.exec(m[3])[1]} ${/access=(\w+)/.exec(m[3])[1]}`);
	return edges.sort().join("\n");
}
const sliceOnPage = page => page.evaluate(() => {
	const data = JSON.parse(document.getElementById("data").textContent);
	return [...document.querySelectorAll("#stage .edge.on[id]")].map(part => {
		const e = data.edges[Number(part.id.slice(1))];
		return `${data.vertices[e[0]][0]}>${data.vertices[e[1]][0]} ${e[3]} ${e[2]}`;
	}).sort().join("\n");
});

async function centre(page, id) {
	const box = await page.evaluate(id => { const r = document.querySelector("#v" + id + " > :first-child").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }, id);
	return box;
}

async function interactions(browser, size) {
	const name = n => `${size} vertices: ${n}`;
	const files = render(graphs.program(size), "program" + size);
	const page = await open(browser, files.html);
	const times = {};
	times["first paint"] = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
	times["whole drawing"] = await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now())))));
	is(name("all are drawn"), await visible(page, "vertex"), size);
	const data = JSON.parse(await text(page, "#data"));
	const finding = data.vertices.filter(v => v[7]).map(v => v[0]);

	/* zoom and pan */
	const before = await transform(page);
	times.zoom = await time(page, () => page.click("#zoomin"));
	check(name("the button zooms in"), await transform(page) !== before, await transform(page));
	await page.mouse.move(500, 400);
	times.wheel = await time(page, () => page.mouse.wheel(0, -300));
	const wheeled = await transform(page);
	times.pan = await time(page, async () => {
		await page.mouse.down();
		await page.mouse.move(560, 440, {steps: 4});
		await page.mouse.move(600, 460, {steps: 4});
		await page.mouse.up();
	});
	const moved = (await transform(page)).match(/-?[\d.]+/g).map(Number), from = wheeled.match(/-?[\d.]+/g).map(Number);
	is(name("dragging moves by what the mouse moved"), Math.round(moved[0] - from[0]) + " " + Math.round(moved[1] - from[1]), "100 60");
	is(name("dragging selects nothing"), await chosen(page), -1);
	times.fit = await time(page, () => page.click("#fit"));
	is(name("fit is the first view"), await transform(page), before);

	/* search */
	const target = finding.length ? finding[finding.length - 1] : data.vertices[data.edges[data.edges.length - 1][1]][0];
	times.search = await time(page, () => page.fill("#search", "#" + target));
	is(name("search counts"), await text(page, "#hits"), "1 match");
	times.find = await time(page, () => page.press("#search", "Enter"));
	is(name("search goes there"), await chosen(page), target);
	await page.fill("#search", "/kernel_[12]</");
	const expected = data.vertices.filter(v => /kernel_[12]</.test(v[2])).length;
	is(name("search takes regular expressions"), (await text(page, "#hits")).replaceAll(",", ""), expected + (expected === 1 ? " match" : " matches"));
	await page.fill("#search", "");

	/* hover and click */
	await page.keyboard.press("Escape");
	await page.fill("#search", "#" + target);
	await page.press("#search", "Enter");
	await page.fill("#search", "");
	const [x, y] = await centre(page, target);
	await page.mouse.move(5, 500);
	times.hover = await time(page, () => page.mouse.move(x, y));
	check(name("the card tells the name and the call path"), (await text(page, "#card")).includes("#" + target) && (await text(page, "#card")).includes("main src/main.cpp:12"), await text(page, "#card"));
	await page.keyboard.press("Escape");
	is(name("Escape selects nothing"), await chosen(page), -1);
	times.click = await time(page, () => page.mouse.click(x, y));
	is(name("a click selects"), await chosen(page), target);
	const ours = await sliceOnPage(page), theirs = sliceOf(files.dot, target);
	check(name("the slice is that of vflow slice"), ours === theirs && theirs !== "", `page ${ours.length} characters: ${ours.slice(0, 200)}\nvflow ${theirs.length}: ${theirs.slice(0, 200)}`);
	is(name("the command to copy"), await page.inputValue("#command"), `vflow slice --vertex ${target} ${files.dot} | vflow render -o slice-${target}.html`);
	await page.click("#copy");
	await page.waitForFunction(() => document.getElementById("copy").textContent === "Copied", null, {timeout: 3000}).then(() => check(name("copied"), true), () => check(name("copied"), false));

	/* keyboard */
	await page.evaluate(id => document.getElementById("v" + id).focus(), target);
	const index = data.vertices.findIndex(v => v[0] === target);
	const weight = new Map();
	for (const e of data.edges) if (e[1] === index && e[0] !== index) weight.set(e[0], (weight.get(e[0]) || 0) + e[4]);
	const order = [...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a) || a - b).map(i => data.vertices[i][0]);
	times.arrow = await time(page, () => page.keyboard.press("ArrowUp"));
	is(name("an arrow follows the widest edge back"), await chosen(page), order[0]);
	await page.keyboard.press("ArrowRight");
	is(name("its sibling is beside it"), await chosen(page), order[1 % order.length]);
	is(name("the focus goes along"), await page.evaluate(() => document.activeElement.id), "v" + order[1 % order.length]);
	await page.keyboard.press("Escape");

	/* filters */
	const fill = (id, value) => page.evaluate(([id, value]) => { const input = document.getElementById(id); input.value = value; input.dispatchEvent(new Event("input", {bubbles: true})); }, [id, value]);
	const level = Math.min(16, Math.floor(Math.log2(Math.max(...data.edges.map(e => e[4]))))), limit = 2 ** level;
	times.bytes = await time(page, () => fill("bytes", String(level + 1)));
	is(name("edges by bytes"), await visible(page, "edge"), data.edges.filter(e => e[4] >= limit).length);
	const ends = new Set(data.edges.filter(e => e[4] >= limit).flatMap(e => [e[0], e[1]]));
	is(name("vertices only with their edges"), await visible(page, "vertex"), ends.size);
	times.share = await time(page, () => fill("share", "80"));
	is(name("edges by share"), await visible(page, "edge"), data.edges.filter(e => e[4] >= limit && e[8] >= .8).length);
	times.reset = await time(page, () => page.click("#reset"));
	is(name("reset shows all"), await visible(page, "edge") + " " + await visible(page, "vertex"), data.edges.length + " " + size);
	times.kernel = await time(page, () => page.fill("#kernel", "kernel_3<"));
	const named = new Set(data.vertices.map((v, i) => i).filter(i => data.vertices[i][2].includes("kernel_3<")));
	is(name("edges of operations by name"), await visible(page, "edge"), data.edges.filter(e => named.has(e[0]) || named.has(e[1])).length);
	await page.click("#reset");
	const object = data.edges[0][3];
	times.object = await time(page, () => page.selectOption("#object", String(object)));
	is(name("edges by object"), await visible(page, "edge"), data.edges.filter(e => e[3] === object).length);
	await page.click("#reset");
	if (finding.length) {
		await page.selectOption("#pattern", "redundant_values");
		const flagged = new Set(data.vertices.map((v, i) => i).filter(i => data.vertices[i][7]));
		is(name("edges by finding"), await visible(page, "edge"), data.edges.filter(e => flagged.has(e[0]) || flagged.has(e[1])).length);
		await page.click("#reset");
	}

	/* tables */
	times.tab = await time(page, () => page.click("#tab-edges"));
	times.sort = await time(page, () => page.getByRole("button", {name: "bytes", exact: true}).click());
	is(name("sorted by bytes"), await page.getAttribute("th[aria-sort=descending]", "aria-sort"), "descending");
	const most = Math.max(...data.edges.map(e => e[4]));
	const first = await page.evaluate(() => Number(document.querySelector("#panel tr[data-row]").dataset.row));
	is(name("the widest edge is first"), data.edges[first][4], most);
	times.row = await time(page, () => page.click("#panel tr[data-row] button"));
	is(name("a row selects its edge"), await page.evaluate(() => document.querySelector(".edge.chosen[id]").id), "e" + first);
	check(name("which is in sight"), await page.evaluate(() => { const box = document.querySelector(".edge.chosen[id]").getBoundingClientRect(), all = document.getElementById("stage").getBoundingClientRect();
		return box.right > all.left && box.left < all.right && box.bottom > all.top && box.top < all.bottom; }));
	await page.keyboard.press("Escape");
	await page.click("#tab-vertices");
	is(name("rows for all vertices"), await page.getAttribute("#panel table", "aria-rowcount"), String(size + 1));
	check(name("but not all at once"), await page.evaluate(() => document.querySelectorAll("#panel tr[data-row]").length) <= 60);
	await page.evaluate(() => { document.getElementById("panel").scrollTop = 1e9; });
	check(name("the last one after scrolling"), await page.waitForFunction(last => [...document.querySelectorAll("#panel tr[data-row]")].pop().dataset.row === last,
		String(size - 1), {timeout: 3000}).then(() => true, () => false));

	/* dark mode, and the address keeps the view */
	times.dark = await time(page, () => page.click("#theme"));
	is(name("dark"), await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(13, 17, 23)");
	await page.click("#tab-findings");
	await page.fill("#kernel", "kernel");
	await page.fill("#search", "#" + target);
	await page.press("#search", "Enter");
	await page.click("#zoomout");
	await page.waitForTimeout(500);
	const hash = await page.evaluate(() => location.hash), view = await transform(page);
	const again = await open(browser, files.html, hash);
	is(name("the address keeps the selection"), await chosen(again), target);
	is(name("the address keeps the filter"), await again.inputValue("#kernel") + " " + await visible(again, "edge"), "kernel " + await visible(page, "edge"));
	const numbers = t => t.match(/-?[\d.]+/g).map(v => Math.round(Number(v) * 10) / 10);
	check(name("the address keeps the view"), numbers(await transform(again)).every((v, i) => Math.abs(v - numbers(view)[i]) <= 1), `${view} ${await transform(again)}`);
	is(name("the address keeps the theme"), await again.evaluate(() => document.documentElement.dataset.theme), "dark");

	/* for those who do not see it */
	is(name("role and name of the drawing"), await page.getByRole("graphics-document", {name: /vertices.*edges/}).count().catch(() => 0) ||
		await page.evaluate(() => Number(document.querySelector("svg[role~=graphics-document][aria-label]") !== null)), 1);
	is(name("every vertex has a role and a name"), await page.evaluate(() => document.querySelectorAll("#stage .vertex[id][role=graphics-symbol][aria-label]:not([aria-label=''])").length), size);
	is(name("the tables are tabs"), await page.getByRole("tab").count(), 3);
	is(name("every control has a name"), await page.evaluate(() => [...document.querySelectorAll("button, input, select")].filter(e =>
		!(e.textContent.trim() || e.getAttribute("aria-label") || e.labels && e.labels.length)).length), 0);

	for (const p of [page, again]) {
		is(name("nothing was refused"), await p.evaluate(() => window.seen.violations), 0);
		is(name("no errors, dialogs or requests"), p.problems.join("; "), "");
		await p.close();
	}
	console.log(`# ${size} vertices, ${data.edges.length} edges, ms: ` + Object.entries(times).map(([what, ms]) => `${what} ${Math.round(ms)}`).join(", "));
	const slow = Object.entries(times).filter(([what, ms]) => ms > (["first paint", "whole drawing"].includes(what) ? 5000 : 1000));
	check(name("nothing takes five times what it should"), slow.length === 0, slow);
	return times;
}

async function hostile(browser) {
	const files = render(graphs.hostile(), "hostile");
	const page = await open(browser, files.html);
	const source = fs.readFileSync(files.html, "utf8");
	is("hostile: nothing was refused", await page.evaluate(() => window.seen.violations), 0);
	for (let id = 1; id <= graphs.hostileNames.length; id++) { /* every text through card, panel and table */
		await page.evaluate(id => document.getElementById("v" + id).dispatchEvent(new PointerEvent("pointermove", {bubbles: true})), id);
		await page.fill("#search", "#" + id);
		await page.press("#search", "Enter");
	}
	await page.click("#tab-edges");
	await page.click("#tab-vertices");
	is("hostile: no errors, dialogs or requests", page.problems.join("; "), "");
	is("hostile: still nothing was refused", await page.evaluate(() => window.seen.violations), 0);
	const names = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).vertices.map(v => v[2]));
	is("hostile: plain names arrive unchanged", [0, 1, 2, 9].map(i => names[i]).join(" "), [0, 1, 2, 9].map(i => graphs.hostileNames[i]).join(" "));
	check("hostile: no control characters", !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\ufffe]/.test(source));
	check("hostile: links and styles of the input are not there, not even as text", !/evil\(\)|evil\.example|evil\.png|evil-undeclared/.test(source));
	is("hostile: what vflow_types declares is there", await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).vertices[2][19].note), "</script>");
	const expected = "a? aside body button circle dd div dl dt ellipse g h1 h2 head header html input kbd label li meta noscript ol option output p path polygon rect script section select span style svg table tbody td text th thead title tr ul".split(" ");
	const odd = await page.evaluate(expected => [...new Set([...document.querySelectorAll("*")].map(e => e.localName))].filter(n => !expected.includes(n)), expected);
	is("hostile: no foreign elements", odd.join(" "), "");
	is("hostile: no handlers or links", await page.evaluate(() => [...document.querySelectorAll("*")].flatMap(e => e.getAttributeNames()).filter(n => /^on|href|^src$|^style$/.test(n) && n !== "style").join(" ")), "");
	/* and the policy is alive: what is injected does not run */
	await page.evaluate(() => {
		const script = document.createElement("script");
		script.textContent = "window.injected = true";
		document.body.append(script);
		const image = document.createElement("img");
		image.src = "https://evil.invalid/x.png";
		document.body.append(image);
	});
	await page.waitForTimeout(200);
	is("hostile: the policy refuses scripts and images", await page.evaluate(() => window.seen.violations + " " + window.injected), "2 undefined");
	await page.close();

	const svg = path.join(WORK, "hostile.svg");
	execFileSync(VFLOW, ["render", "-o", svg, files.dot], {stdio: "pipe"});
	const drawing = await browser.newPage();
	const problems = [];
	drawing.on("dialog", dialog => { problems.push("dialog"); dialog.dismiss(); });
	await drawing.goto("file://" + svg);
	is("hostile: the SVG opens as XML", await drawing.evaluate(() => document.documentElement.localName + " " + document.querySelectorAll("parsererror, script").length), "svg 0");
	is("hostile: and runs nothing", problems.join(" "), "");
	await drawing.close();
}

(async () => {
	const browser = await chromium.launch({executablePath: CHROMIUM, args: flags});
	for (const size of [10, 500, 5000]) await interactions(browser, size);
	await hostile(browser);
	await browser.close();
	console.log(`1..${count}`);
	process.exitCode = failed ? 1 : 0;
})().catch(error => {
	console.log(`not ok ${count + 1} - ${error.message.split("\n")[0]}`);
	console.log("#   " + error.stack.replaceAll("\n", "\n#   "));
	process.exit(1);
});
