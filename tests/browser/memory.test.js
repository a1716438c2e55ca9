/*
 * tests/browser/memory.test.js: the memory over API calls in the page: of tests/programs/memory_waste.c,
 * whose calls are numbered by hand, and of a page with as much as one holds.
 */
"use strict";
const fs = require("node:fs"), path = require("node:path");
const {execFileSync} = require("node:child_process");
const {check, is, vflow, open, settled, main, WORK} = require("./browser.js");

const M = 1 << 20, PART = /(id="data">)([^]*?)(<\/script>)/;
const text = (page, selector) => page.evaluate(selector => document.querySelector(selector).textContent, selector);
const visible = (page, selector) => page.locator(selector).isVisible();
/* The middle of so many bytes at a place, on the screen. */
const spot = (page, place, bytes) => page.evaluate(([place, bytes]) => {
	const box = chartCanvas.getBoundingClientRect(), scale = chartScale();
	return [box.left + scale.x(place), box.top + scale.y(bytes)];
}, [place, bytes]);
/* The colour there. */
const pixel = (page, place, bytes) => page.evaluate(([place, bytes]) => {
	const scale = chartScale(), ratio = devicePixelRatio || 1;
	return [...chartCanvas.getContext("2d").getImageData(scale.x(place) * ratio, scale.y(bytes) * ratio, 1, 1).data].join();
}, [place, bytes]);

/* allocate a (API call 1), b (2), fill b, fetch b, release b (5), fill a, fetch a, release a (8) */
async function early(browser) {
	const db = path.join(WORK, "early.db"), html = path.join(WORK, "early.html"), name = n => "memory: " + n;
	execFileSync(process.env.VFLOW, ["collect", "-q", "--device", "emulated", "-o", db, path.join(process.env.BUILD, "programs/memory_waste"), "early"], {stdio: "pipe"});
	vflow("render", "-o", html, db);
	for (const scheme of ["light", "dark"]) {
		const page = await open(browser, html, "#theme=" + scheme), paper = scheme === "light" ? "255,255,255,255" : "0,0,0,0";
		check(name("closed at first"), !await visible(page, "#memory") && await visible(page, "#panel"));
		await page.click("#tab-memory");
		await settled(page);
		check(name("opens"), await visible(page, "#memory") && !await visible(page, "#panel"));
		is(name("what there is"), await text(page, "#memorysum"), "2 objects, peak 2.0M, 1.0M if each were there only while needed");
		const [a, b] = [await pixel(page, 5, M / 2), await pixel(page, 5, 1.5 * M)];
		check(name(scheme + ": two colours are stacked"), a !== b && a.endsWith(",255") && b.endsWith(",255"), a + " " + b);
		is(name("a alone before and after"), await pixel(page, 1, M / 2) + " " + await pixel(page, 11, M / 2), a + " " + a);
		const empty = await pixel(page, 11, 1.3 * M);
		check(name("nothing above it"), empty === "0,0,0,0" || empty === paper, empty);
		await page.mouse.move(...await spot(page, 5, 1.5 * M));
		check(name("the card: site, size, call path"), /cudaMalloc.*1,048,576 bytes \(1\.0M\) at API call 2, of 2\.0M.*1 object in all.*use memory_waste\.c/.test(await text(page, "#card")), await text(page, "#card"));
		await page.mouse.move(...await spot(page, 5, M / 2));
		check(name("the card: the finding"), /early allocation: 1 object, 1\.0M, the peak falls to 1\.0M/.test(await text(page, "#card")), await text(page, "#card"));
		await page.mouse.move(5, 5);
		check(name("the card goes"), !await visible(page, "#card"));
		await page.focus("#memorychart");
		await page.keyboard.press("ArrowRight");
		await page.keyboard.press("ArrowRight");
		check(name("keys say what is there"), (await text(page, "#memorysaid")).startsWith("API call 2: 2,097,152 bytes (2.0M); 1.0M cudaMalloc"), await text(page, "#memorysaid"));
		await page.click("#memoryfindings button >> nth=0");
		is(name("a finding is chosen, and its allocation"), await page.evaluate(() => chartState.finding + " " + vertices[state.vertex][V.id]),
			"0 " + await page.evaluate(() => chart.sites[0][SITE.vertex]));
		await page.waitForTimeout(400);
		check(name("the address says so"), /tab=memory/.test(page.url()), page.url());
		await page.focus("#tab-memory");
		await page.keyboard.press("ArrowRight");
		check(name("the next tab is the first one"), await visible(page, "#panel") && await page.evaluate(() => document.activeElement.id) === "tab-findings");
		is(name("no errors, dialogs or requests"), page.problems.join("; "), "");
		await page.close();
	}
	const page = await open(browser, html, "#tab=memory", {viewport: {width: 400, height: 800}});
	check(name("400 pixels: open, not wider than the window"), await visible(page, "#memory") && await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
	await page.close();
	return html;
}

/* What the lower canvas has, and what it has when all is painted anew. */
const painted = page => page.evaluate(() => {
	const now = () => below.canvas.toDataURL(), before = now();
	stale.below = stale.above = true;
	frame();
	return before === now();
});

/* The room of the picture changes with the tab and the window: both of its layers follow. */
async function layers(browser) {
	const db = path.join(WORK, "layers.db"), html = path.join(WORK, "layers.html"), name = n => "layers: " + n;
	execFileSync(process.env.VFLOW, ["collect", "-q", "--device", "emulated", "--passes", "flow,time,waits", "-o", db, path.join(process.env.BUILD, "programs/memory_waste"), "early"], {stdio: ["ignore", "pipe", "pipe"]});
	vflow("render", "-o", html, db);
	const page = await open(browser, html, "", {viewport: {width: 1240, height: 900}}), before = await page.evaluate(() => view.height);
	await page.click("#tab-memory");
	await settled(page);
	check(name("the picture has less room"), await page.evaluate(() => view.height) < before);
	await page.evaluate(() => moveTo(vertices[chart.sites[0][SITE.vertex]][V.x], vertices[chart.sites[0][SITE.vertex]][V.y]));
	await settled(page);
	for (const [width, height] of [[1240, 820], [1100, 820], [1240, 900]]) {
		await page.setViewportSize({width, height});
		await page.waitForFunction(() => view.width === stage.clientWidth && view.height === stage.clientHeight);
		await settled(page);
		await page.mouse.click(...await spot(page, 5, M / 2));
		await settled(page);
		check(name(`${width} x ${height}: an object is selected`), await page.evaluate(() => state.vertex >= 0));
		check(name("... and both layers are at the same place"), await painted(page));
		await page.keyboard.press("Escape");
	}

	is(name("no errors"), page.problems.join("; "), "");
	await page.close();
}

/* A finding about releases, which are no vertices of the graph. */
async function release(browser) {
	const db = path.join(WORK, "release.db"), html = path.join(WORK, "release.html"), name = n => "release: " + n;
	execFileSync(process.env.VFLOW, ["collect", "-q", "--device", "emulated", "--passes", "flow,time,waits", "-o", db, path.join(process.env.BUILD, "programs/exactness"), "loop"], {stdio: ["ignore", "pipe", "pipe"]});
	vflow("render", "-o", html, db);
	const page = await open(browser, html, "");
	await page.click("#tab-findings");
	const row = page.locator("#panel tr[data-row]", {hasText: "allocation in a loop"});
	const lines = fs.readFileSync("tests/programs/exactness.c", "utf8").split("\n"), loop = lines.findIndex(line => line.startsWith("static void loop("));
	is(name("a release has a finding with its place"), await row.locator("td").nth(2).textContent(), "exactness.c:" +
		(1 + lines.findIndex((line, at) => at > loop && line.includes("cudaFree("))));
	await row.locator("button").click();
	is(name("... which selects no vertex"), await page.evaluate(() => state.vertex + " " + state.edge + " " + state.kept), "-1 -1 null");
	check(name("... but is told"), /^cudaFree \(loop exactness\.c:\d+\).*allocation in a loop: /.test(await text(page, "#details")), await text(page, "#details"));
	is(name("... and marked"), await page.locator("#panel tr.on").count(), 1);
	await page.waitForFunction(() => location.hash === address());
	const other = await open(browser, html, await page.evaluate(() => location.hash));
	is(name("... and kept in the address"), await text(other, "#details"), await text(page, "#details"));
	await other.close();
	await page.keyboard.press("Escape");
	check(name("Escape leaves it"), (await text(page, "#details")).startsWith("Nothing selected"));
	await page.fill("#kernel", "cudaMemcpy");
	is(name("filters of operations leave it out"), await row.count(), 0);
	is(name("no errors"), page.problems.join("; "), "");
	await page.close();
}

/* As many sites and columns as the page may hold: a frame is painted while nobody notices. */
async function largest(browser, html) {
	const source = fs.readFileSync(html, "utf8"), file = path.join(WORK, "largest.html"), data = JSON.parse(PART.exec(source)[2]);
	data.memory.sites = Array.from({length: 24}, (_, k) => [k + 1, "<b>site</b> " + k, "f x.c:1 < main x.c:2", 4000, 1000 + k]);
	data.memory.columns = Array.from({length: 2000}, (_, i) => [i * 100, 25 * (i + 1), ...Array.from({length: 25}, (_, k) => [k, i + 1]).flat()]);
	data.memory.pools = [{name: "<b>arena</b>", peak_blocks: 3, peak_bytes: 2 * M, live_bytes: 0, site_count: 25,
		sites: [{name: "weights", range: "train / layer1", callpath: "f <i> x.c:1 < g x.c:2 < main x.c:3 < _start", peak_blocks: 2, peak_bytes: 1.5 * M}, {name: null, callpath: null, peak_blocks: 1, peak_bytes: M / 2},
			{name: null, callpath: "gone", peak_blocks: 0, peak_bytes: 0}]}, {name: "empty", peak_bytes: 0, sites: [], site_count: 0}];
	Object.assign(data.memory, {objects: 100000, peak: 50000, places: 200000, folded: 3000, peaks: [[199900, 50000]]});
	fs.writeFileSync(file, source.replace(PART, (all, start, json, end) => start + JSON.stringify(data).replaceAll("<", "\\u003c") + end));
	const page = await open(browser, file, "#tab=memory");
	const took = await page.evaluate(() => { const start = performance.now(); for (let i = 0; i < 5; i++) paintMemory(); return (performance.now() - start) / 5; });
	check(`memory: 2,000 columns of 25 sites are painted in ${took.toFixed(0)} ms`, took < 500);
	is("memory: pools, and whose their blocks were", await page.evaluate(() => [...document.querySelectorAll("#memorypools summary, #memorypools li")].map(e => e.textContent).join("; ")),
		"Pool <b>arena</b>: at most 2.0M in 3 blocks, none at the end; 1.5M in 2 blocks: train / layer1: weights, f <i> x.c:1 < g x.c:2 < main x.c:3; 512.0K in 1 block: an unknown call path; ... and 22 more call paths");
	await page.mouse.move(...await spot(page, 199950, 49000));
	check("memory: what was folded", /3,000 other allocations/.test(await text(page, "#card")), await text(page, "#card"));
	await page.mouse.move(...await spot(page, 199950, 1000));
	check("memory: names are text", /<b>site<\/b> 0/.test(await text(page, "#card")), await text(page, "#card"));
	is("memory: no errors", page.problems.join("; "), "");
	await page.close();
}

main(async browser => {
	await largest(browser, await early(browser));
	await layers(browser);
	await release(browser);
});
