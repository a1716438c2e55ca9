/*
 * tests/browser/gallery.js: the small pictures of the README, from real profiles.
 * Usage: node gallery.js PROFILE VERTEX FOLDER PROFILE-OF-THE-CORRECTED-PROGRAM
 */
"use strict";
const {chromium} = require("playwright-core");
const {execFileSync} = require("node:child_process");
const fs = require("node:fs"), os = require("node:os"), path = require("node:path");

const {VFLOW, CHROMIUM} = process.env, [, , profile, vertex, folder, corrected] = process.argv;
const work = fs.mkdtempSync(path.join(os.tmpdir(), "gallery-"));
const vflow = (args, input) => execFileSync(VFLOW, args, {input, cwd: work, stdio: ["pipe", "pipe", "ignore"]});

(async () => {
	const browser = await chromium.launch({executablePath: CHROMIUM, args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]});
	const shoot = async (name, file, width, height, hash, scale = 1) => {
		const page = await browser.newPage({viewport: {width, height}, deviceScaleFactor: scale});
		await page.goto("file://" + path.join(work, file) + hash);
		await page.waitForTimeout(500);
		await page.screenshot({path: path.join(folder, name)});
		try { /* 64 colours are enough, and a third of the bytes */
			execFileSync("convert", [path.join(folder, name), "-strip", "+dither", "-colors", "64", "PNG8:" + path.join(folder, name)], {stdio: "ignore"});
		} catch (error) {
			console.log("no ImageMagick: " + name + " stays as large as it is");
		}
		console.log(path.join(folder, name) + ": " + Math.ceil(fs.statSync(path.join(folder, name)).size / 1024) + " KB");
		await page.close();
	};
	fs.copyFileSync(profile, path.join(work, "vflow.db")); /* pages name their profile */
	fs.symlinkSync(path.resolve("tests"), path.join(work, "tests")); /* and show the source of findings */
	vflow(["render", "-o", "all.html", "vflow.db"]);
	fs.writeFileSync(path.join(work, "slice.svg"), vflow(["render", "-T", "svg", "-"], vflow(["slice", "--vertex", vertex, "vflow.db"])));
	fs.writeFileSync(path.join(work, "before.svg"), vflow(["render", "--group-by", "function", "-T", "svg", "vflow.db"]));
	fs.writeFileSync(path.join(work, "after.svg"), vflow(["render", "--group-by", "function", "-T", "svg", path.resolve(corrected)]));
	for (const name of ["slice", "before", "after"]) {
		const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(fs.readFileSync(path.join(work, name + ".svg"), "utf8"));
		await shoot(name + ".png", name + ".svg", Number(width), Number(height), "", name === "slice" ? .85 : .7);
	}
	await shoot("html.png", "all.html", 1240, 780, `#v=${vertex}`);
	await shoot("html-dark.png", "all.html", 1240, 780, "#theme=dark&tab=edges");
	await browser.close();
	fs.rmSync(work, {recursive: true});
})();
