/*
 * tests/browser/hostile.test.js: names that attack, in every place that a foreign file can fill:
 * nothing runs, nothing is refused (the policy would have had to stop it), nothing is ill-formed, and
 * every text stays text.
 */
"use strict";
const fs = require("node:fs"), path = require("node:path");
const graphs = require("./graphs.js");
const {check, is, vflow, render, open, settled, timeOf, main, WORK} = require("./browser.js");

/* Every text through search, card, panel, tables, options and the address. */
async function everywhere(page) {
	await page.evaluate(async names => {
		const input = (id, value) => { $(id).value = value; $(id).dispatchEvent(new Event("input", {bubbles: true})); };
		for (let i = 0; i < vertices.length; i++) {
			input("search", "#" + vertices[i][V.id]);
			step(1);
			hover(partAt(vertices[i][V.x] * view.scale + view.x, vertices[i][V.y] * view.scale + view.y), {clientX: 500, clientY: 300});
			focusVertex(i);
			await new Promise(done => requestAnimationFrame(done));
		}
		for (let i = 0; i < edges.length; i++) {
			select(-1, i, true);
			hover({kind: "e", i}, {clientX: 500, clientY: 300});
		}
		for (const name of names) {
			input("search", name);
			input("kernel", name);
			await new Promise(done => requestAnimationFrame(done));
		}
	}, graphs.hostileNames);
	for (const tab of ["edges", "vertices", "findings"]) await page.click("#tab-" + tab);
	await page.waitForFunction(() => location.hash === address(), null, {timeout: 20000}).catch(() => {});
	await page.click("#reset");
	await page.click("#theme");
	await page.mouse.move(400, 300);
	await page.mouse.click(400, 300);
	await page.keyboard.press("Escape");
	await settled(page);
}

/* Graphs that hold less, or more, than one expects: everything still works. */
async function oddities(browser) {
	for (const [name, dot] of Object.entries(graphs.odd)) {
		const page = await open(browser, render(dot, "odd").html);
		const number = await page.evaluate(() => vertices.length);
		for (const key of ["ArrowDown", "ArrowUp", "ArrowRight", "f", "+", "-", "c", "Escape"]) await page.press("#drawing", key);
		for (const tab of ["edges", "vertices", "findings"]) await page.click("#tab-" + tab);
		await page.evaluate(() => { for (let i = 0; i < vertices.length; i++) select(i, -1, true); for (let i = 0; i < edges.length; i++) select(-1, i, true); });
		await page.evaluate(() => { for (let x = 0; x < view.width; x += 60) for (let y = 0; y < view.height; y += 60) hover(partAt(x, y), {clientX: x, clientY: y}); });
		for (const id of ["bytes", "share"]) await page.evaluate(id => { $(id).value = $(id).max; filter(); }, id);
		await page.evaluate(() => { reset(); select(-1, -1, false); });
		await settled(page);
		is(`${name}: no errors, dialogs or requests`, page.problems.join("; ") + await page.evaluate(() => window.seen.violations), "0");
		is(`${name}: all is shown, or that there is nothing`, await page.evaluate(() => state.goneVertices.filter(gone => !gone).length) + " " + await page.isVisible("#empty"), `${number} ${!number}`);
		is(`${name}: only figures`, await page.evaluate(() => /NaN|undefined|Infinity|\[object/.test(document.body.innerText)), false);
		is(`${name}: no text without end`, await page.evaluate(() => document.body.innerText.length < 30000), true);
		is(`${name}: nothing is wider than its place`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector("aside").scrollWidth <= document.querySelector("aside").clientWidth), true);
		await page.close();
	}
}

main(async browser => {
	await oddities(browser);
	timeOf("oddities");
	const files = render(graphs.hostile(), "hostile"), source = fs.readFileSync(files.html, "utf8");
	const page = await open(browser, files.html);
	is("nothing was refused", await page.evaluate(() => window.seen.violations), 0);
	await everywhere(page);
	timeOf("everywhere");
	is("no errors, dialogs or requests", page.problems.join("; "), "");
	is("still nothing was refused", await page.evaluate(() => window.seen.violations), 0);
	const names = await page.evaluate(() => vertices.map(v => v[V.name]));
	const odd = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]/;
	graphs.hostileNames.forEach((name, i) => { if (!odd.test(name)) is(`the name ${i + 1} arrives unchanged`, names[i], name || "v" + (i + 1)); });
	check("no control characters", !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\ufffe]/.test(source));
	check("links and styles of the input are not there, not even as text", !/evil\(\)|evil\.example|evil\.png|evil-undeclared/.test(source));
	is("what vflow_types declares is there", await page.evaluate(() => vertices[2][V.more].note), "</script>");
	is("the panel shows it as text", await page.evaluate(() => { select(2, -1, false); return document.querySelector("#details h2").textContent; }), "#3 </script>");
	is("prototypes are as they were", await page.evaluate(() => String(({}).note) + Object.keys(Object.prototype)), "undefined");
	const expected = ("aside body button canvas circle dd div dl dt ellipse g h1 h2 h3 head header html input kbd label li main meta noscript ol option output p path " +
		"polygon rect script section select span style svg table tbody td th thead title tr ul").split(" ");
	is("no foreign elements", await page.evaluate(expected => [...new Set([...document.querySelectorAll("*")].map(e => e.localName))].filter(n => !expected.includes(n)).join(" "), expected), "");
	is("no handlers or links", await page.evaluate(() => [...document.querySelectorAll("*")].flatMap(e => e.getAttributeNames()).filter(n => /^on|href|^src/.test(n)).join(" ")), "");
	/* and the policy is alive: what is injected does not run */
	await page.evaluate(() => {
		const script = document.createElement("script");
		script.textContent = "window.injected = true";
		document.body.append(script);
		const image = document.createElement("img");
		image.src = "https://evil.invalid/x.png";
		document.body.append(image);
		const style = document.createElement("style");
		style.textContent = "body { display: none }";
		document.body.append(style);
		const link = document.createElement("div");
		link.setAttribute("onclick", "window.injected = true");
		document.body.append(link);
		link.click();
	});
	await page.waitForFunction(() => window.seen.violations >= 4, null, {timeout: 20000}).catch(() => {});
	is("the policy refuses scripts, images, styles and handlers", await page.evaluate(() => window.seen.violations + " " + window.injected), "4 undefined");
	await page.close();

	/* our own code is small and complete: nothing is fetched (open() counts requests) */
	const script = /<script>([^]*?)<\/script>/.exec(source)[1], style = /<style>([^]*?)<\/style>/.exec(source)[1];
	check("less than 76 KB of script and style", script.length + style.length < 76000, script.length + style.length);
	console.log(`# script ${script.length}, style ${style.length} bytes`);

	const svg = path.join(WORK, "hostile.svg"), problems = [], drawing = await browser.newPage();
	vflow("render", "-o", svg, files.dot);
	drawing.on("dialog", dialog => { problems.push("dialog"); dialog.dismiss(); });
	drawing.on("request", request => { if (!request.url().startsWith("file://" + svg)) problems.push(request.url()); });
	await drawing.goto("file://" + svg);
	is("the SVG opens as XML", await drawing.evaluate(() => document.documentElement.localName + " " + document.querySelectorAll("parsererror, script").length), "svg 0");
	is("it has a name and a description", await drawing.evaluate(() => document.documentElement.getAttribute("aria-labelledby").split(" ").filter(id => document.getElementById(id).textContent).length), 2);
	is("and runs and fetches nothing", problems.join(" "), "");
	await drawing.close();
});
