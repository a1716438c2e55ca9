/*
 * tests/browser/browser.js: Chromium, pages of `vflow render -T html` in it, and TAP.
 */
"use strict";
const {chromium} = require("playwright-core");
const {execFileSync} = require("node:child_process");
const fs = require("node:fs"), path = require("node:path");

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

const vflow = (...args) => execFileSync(VFLOW, args, {stdio: "pipe", maxBuffer: 1 << 28}).toString();
function render(dot, name) {
	const from = path.join(WORK, name + ".dot"), to = path.join(WORK, name + ".html");
	fs.writeFileSync(from, dot);
	vflow("render", "-o", to, from);
	return {dot: from, html: to};
}

/* In the page: counts what must not happen, and how long each reaction took until its frame was shown. */
function watch() {
	window.seen = {violations: 0, times: []};
	document.addEventListener("securitypolicyviolation", () => { window.seen.violations++; });
	for (const type of ["pointerup", "pointermove", "keydown", "input", "wheel", "click"])
		addEventListener(type, event => {
			const start = event.timeStamp;
			requestAnimationFrame(() => requestAnimationFrame(() => window.seen.times.push(performance.now() - start)));
		}, true);
}
async function open(browser, file, hash = "", options = {}) {
	const page = await browser.newPage({viewport: {width: 1400, height: 900}, ...options});
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
const settled = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));

/* Does something in `turns` turns, the last one is number 4: the slowest reaction to each in ms. */
async function time(page, action, turns = page.turns) {
	const all = [];
	for (let turn = 5 - turns; turn < 5; turn++) {
		await settled(page);
		await page.evaluate(() => { window.seen.times = []; });
		await action(turn);
		await settled(page);
		all.push(Math.max(0, ...await page.evaluate(() => window.seen.times)));
	}
	return all.sort((a, b) => a - b);
}
const median = all => all[all.length >> 1];
const inWords = times => Object.entries(times).map(([what, all]) => `${what} ${Math.round(median(all))}` + (all.length > 1 ? `/${Math.round(all[all.length - 1])}` : "")).join(", ");

let lap = Date.now();
/* For those who ask where the time goes: TIMES=1. */
function timeOf(what) {
	if (process.env.TIMES) console.log(`# ${what}: ${Date.now() - lap} ms`);
	lap = Date.now();
}

async function main(tests) {
	const browser = await chromium.launch({executablePath: CHROMIUM, args: flags});
	try {
		await tests(browser);
	} catch (error) {
		check(error.message.split("\n")[0], false, error.stack);
	}
	await browser.close();
	process.exitCode = failed ? 1 : 0;
}

module.exports = {check, is, vflow, render, open, settled, time, inWords, timeOf, main, WORK};
