/*
 * web-static/paint.js: the picture on two canvases: below all of it, above the selection, the
 * matches of the search and what the mouse is over.  Looks as render/svg.c draws it; when it is too
 * small to be read, simpler: points, thin lines, and badges of constant size.
 */
const stage = $("stage"), drawing = $("drawing");
const below = $("picture").getContext("2d"), above = drawing.getContext("2d");
const view = {scale: 1, x: 0, y: 0, width: 1, height: 1, ratio: 1}; /* a point p of the picture is at p * scale + x */
const FAR = .3; /* below this scale nothing can be read */
const isPlain = () => view.scale < (edges.length > 1000 ? FAR : .1); /* whether edges lose dashes and arrowheads */
const SHAPE = {box: 0, circle: 1, oval: 2, host: 3, diamond: 4, other: 5};
const FONT = "px DejaVu Sans, Verdana, sans-serif";

/* Curves: absolute points and the box around them; the last pair is the arrow's tip. */
const curves = [], boxes = new Float64Array(edges.length * 4), paths = [];
edges.forEach((e, i) => {
	const points = new Float32Array(e[E.points].length), box = [Infinity, Infinity, -Infinity, -Infinity], reach = e[E.width] + 8;
	for (let k = 0; k < points.length; k++) {
		points[k] = e[E.points][k] / 10 + (k > 1 ? points[k - 2] : 0);
		box[k % 2] = Math.min(box[k % 2], points[k]);
		box[2 + k % 2] = Math.max(box[2 + k % 2], points[k]);
	}
	curves.push(points);
	boxes.set([box[0] - reach, box[1] - reach, box[2] + reach, box[3] + reach], i * 4);
});
function pathOf(i) {
	if (paths[i]) return paths[i];
	const path = paths[i] = new Path2D(), p = curves[i];
	path.moveTo(p[0], p[1]);
	for (let k = 2; k + 7 < p.length; k += 6) path.bezierCurveTo(p[k], p[k + 1], p[k + 2], p[k + 3], p[k + 4], p[k + 5]);
	return path;
}
/*
 * What is in sight of an edge: dashes over all of a long one take a browser seconds.  Curves are
 * halved until they are out of sight or short.
 */
function pathInSight(i, box) {
	const points = curves[i], reach = 20, width = box.right - box.left, height = box.down - box.up;
	const path = new Path2D();
	let drawn = false;
	if (boxes[i * 4 + 2] - boxes[i * 4] < 2 * width && boxes[i * 4 + 3] - boxes[i * 4 + 1] < 2 * height) return pathOf(i);
	const add = (p, at) => {
		const left = Math.min(p[at], p[at + 2], p[at + 4], p[at + 6]), right = Math.max(p[at], p[at + 2], p[at + 4], p[at + 6]);
		const up = Math.min(p[at + 1], p[at + 3], p[at + 5], p[at + 7]), down = Math.max(p[at + 1], p[at + 3], p[at + 5], p[at + 7]);
		if (left > box.right + reach || right < box.left - reach || up > box.down + reach || down < box.up - reach) {
			drawn = false;
		} else if (right - left > 2 * width || down - up > 2 * height) {
			const half = (a, b) => (a + b) / 2, all = Array.from(p.slice(at, at + 8)), first = all.slice(), second = all.slice();
			for (const k of [0, 1]) {
				const ab = half(all[k], all[2 + k]), bc = half(all[2 + k], all[4 + k]), cd = half(all[4 + k], all[6 + k]), abc = half(ab, bc), bcd = half(bc, cd);
				first[2 + k] = ab;
				first[4 + k] = abc;
				first[6 + k] = second[k] = half(abc, bcd);
				second[2 + k] = bcd;
				second[4 + k] = cd;
			}
			add(first, 0);
			add(second, 0);
		} else {
			if (!drawn) path.moveTo(p[at], p[at + 1]);
			path.bezierCurveTo(p[at + 2], p[at + 3], p[at + 4], p[at + 5], p[at + 6], p[at + 7]);
			drawn = true;
		}
	};
	for (let k = 0; k + 9 < points.length; k += 6) add(points, k);
	return path;
}
/*
 * All of them from afar: without the points that lie on the same pixel, and as few paths as there
 * are bands and widths.
 */
function farPaths(flags) {
	const groups = new Map(), near = .75 / view.scale;
	for (const i of edgeOrder) {
		if (state.goneEdges[i] || flags && !flags[i]) continue;
		const p = curves[i], band = edges[i][E.band], width = Math.max(.7, Math.round(edges[i][E.width] * view.scale * 2) / 2);
		let group = groups.get(band * 100 + width), x = p[0], y = p[1];
		if (!group) groups.set(band * 100 + width, group = {band, width, path: new Path2D()});
		group.path.moveTo(x, y);
		for (let k = 6; k + 3 < p.length; k += 6) {
			if (Math.abs(p[k] - x) < near && Math.abs(p[k + 1] - y) < near && k + 9 < p.length) continue;
			group.path.lineTo(x = p[k], y = p[k + 1]);
		}
	}
	return [...groups.values()].sort((a, b) => a.band - b.band);
}
/* The most redundant ones lie on top. */
const edgeOrder = edges.map((e, i) => i).sort((a, b) => edges[a][E.band] - edges[b][E.band] || a - b);
const noteOrder = vertices.map((v, i) => i).filter(i => vertices[i][V.note]).sort((a, b) => vertices[a][V.note] - vertices[b][V.note]);

/* The colours of the style sheet, as they are now. */
let colors = {};
function readColors() {
	for (const name of ["paper", "ink", "faint", "box", "flag1", "flag2", "flag3", "flag4", "flag5", "flag6", "badge1", "badge", "badge3", "note", "accent", "line", "warn", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"]) {
		$("probe").style.color = "var(--" + name + ")";
		colors[name] = getComputedStyle($("probe")).color;
	}
}

/* Parts of the picture. */

const DASHES = [[], [3, 1.5], [1, .9], [], [4, 2.5], [], [3, 1.5], []]; /* of the bands, in widths of the line */

function strokeEdge(c, i, box) {
	const e = edges[i], band = e[E.band], width = e[E.width], path = pathInSight(i, box);
	c.strokeStyle = colors["b" + band];
	c.lineWidth = Math.max(width, .5 / view.scale);
	c.setLineDash(DASHES[band].map(length => length * width));
	c.stroke(path);
	c.setLineDash([]);
	if (band === 3) {
		c.strokeStyle = colors.paper;
		c.lineWidth = width * .26;
		c.stroke(path);
	}
	arrow(c, i);
	if (e[E.label] && view.scale > .45) {
		c.font = (band ? "bold 10" : "10") + FONT;
		c.lineWidth = 3;
		c.strokeStyle = colors.paper;
		c.strokeText(e[E.label], e[E.label_x], e[E.label_y] + 3.6);
		c.fillStyle = band ? colors["b" + band] : colors.faint;
		c.fillText(e[E.label], e[E.label_x], e[E.label_y] + 3.6);
	}
}
function arrow(c, i) {
	const p = curves[i], n = p.length;
	if (n < 4) return;
	const baseX = p[n - 4], baseY = p[n - 3], tipX = p[n - 2], tipY = p[n - 1], x = (tipX - baseX) * .42, y = (tipY - baseY) * .42;
	if (Math.hypot(x, y) < .42) return;
	c.beginPath();
	c.moveTo(tipX, tipY);
	c.lineTo(baseX - y, baseY + x);
	c.lineTo(baseX + y, baseY - x);
	c.closePath();
	c.strokeStyle = colors["b" + edges[i][E.band]];
	c.fillStyle = edges[i][E.access] === "READ" ? colors.paper : c.strokeStyle;
	c.lineWidth = 1.3;
	c.fill();
	c.stroke();
}
/* Adds the shape to the path. */
function outline(c, i) {
	const v = vertices[i], x = v[V.x], y = v[V.y], w = v[V.w], h = v[V.h];
	if (v[V.shape] === SHAPE.oval || v[V.shape] === SHAPE.circle) {
		c.moveTo(x + w / 2, y);
		c.ellipse(x, y, w / 2, h / 2, 0, 0, 2 * Math.PI);
	} else if (v[V.shape] === SHAPE.diamond) {
		c.moveTo(x, y - h / 2);
		c.lineTo(x + w / 2, y);
		c.lineTo(x, y + h / 2);
		c.lineTo(x - w / 2, y);
		c.closePath();
	} else {
		c.roundRect(x - w / 2, y - h / 2, w, h, v[V.shape] === SHAPE.box ? 0 : 8);
	}
}
const BADGES = ["badge1", "badge1", "badge", "badge3", "note", "note", "note"], OUTLINES = [1.2, 1.6, 2, 3, 2, 3, 3]; /* by strength */
/* Of the graph of two runs: the band with the colour of what became of the vertex; 0: none. */
const changeBand = v => v[V.strength] > 3 ? v[V.strength] + 1 : 0, GONE = 5;
document.body.classList.toggle("changes", vertices.some(changeBand) || edges.some(e => e[E.band] > 4));
function badge(c, x, y, v, factor) {
	const note = v[V.note];
	c.beginPath();
	c.arc(x, y, (note < 100 ? 9 : 12) * factor, 0, 2 * Math.PI);
	c.fillStyle = colors[BADGES[v[V.strength]]];
	c.strokeStyle = "#1f2328";
	c.lineWidth = 1.5 * factor;
	c.fill();
	c.stroke();
	c.fillStyle = "#1f2328";
	c.font = "bold " + 11 * factor + FONT;
	c.fillText(String(note), x, y + 4 * factor);
}
const isSmall = v => Math.max(v[V.w], v[V.h]) * view.scale < 6;
function drawVertex(c, i) {
	const v = vertices[i], host = v[V.shape] === SHAPE.host;
	if (isSmall(v)) {
		const side = (v[V.strength] > 2 ? 5 : v[V.strength] ? 4 : 3) / view.scale;
		c.fillStyle = changeBand(v) ? colors["b" + changeBand(v)] : v[V.strength] > 2 ? colors.b2 : v[V.strength] ? colors.badge : host ? colors.ink : colors.faint;
		c.fillRect(v[V.x] - side / 2, v[V.y] - side / 2, side, side);
		return;
	}
	c.beginPath();
	outline(c, i);
	c.fillStyle = v[V.strength] ? colors["flag" + v[V.strength]] : host ? colors.ink : v[V.shape] === SHAPE.box ? colors.box : colors.paper;
	c.strokeStyle = changeBand(v) ? colors["b" + changeBand(v)] : colors.ink;
	c.lineWidth = Math.max(OUTLINES[v[V.strength]], .6 / view.scale);
	if (v[V.shape] === SHAPE.diamond) c.setLineDash([5, 3]);
	else if (v[V.strength] === GONE) c.setLineDash([9, 5]);
	c.fill();
	c.stroke();
	c.setLineDash([]);
	if (v[V.font] * .85 * view.scale >= 4.5) texts(c, v, host);
	else if (v[V.w] * view.scale > 14) nameOnly(c, v, host);
	if (view.scale >= .45) {
		if (v[V.before]) neighbours(c, v, v[V.before], -1);
		if (v[V.after]) neighbours(c, v, v[V.after], 1);
	}
	if (v[V.note] && view.scale >= FAR) badge(c, ...badgePlace(v), v, Math.max(1, .75 / view.scale));
}
function texts(c, v, host) {
	const lines = v[V.lines], font = k => v[V.font] * (k ? .85 : 1);
	let y = v[V.y] - lines.reduce((sum, text, k) => sum + font(k) * 1.25, 0) / 2;
	lines.forEach((text, k) => {
		const finding = k && k === v[V.finding];
		c.font = (k && !finding ? "" : "bold ") + font(k) + FONT;
		c.fillStyle = host ? colors.paper : finding ? changeBand(v) ? colors["b" + changeBand(v)] : colors.warn : k ? colors.faint : colors.ink;
		c.fillText(text, v[V.x], y + font(k) * .985);
		y += font(k) * 1.25;
	});
}
/* Where only the name can be read it takes the room of all lines. */
function nameOnly(c, v, host) {
	c.font = "bold " + v[V.font] + FONT;
	const font = v[V.font] * Math.min(2, v[V.w] * .88 / c.measureText(v[V.lines][0]).width);
	if (font * view.scale < 4.5) return;
	c.font = "bold " + font + FONT;
	c.fillStyle = host ? colors.paper : colors.ink;
	c.fillText(v[V.lines][0], v[V.x], v[V.y] + font * .36);
}
/* A dotted line to neighbours that the page does not hold, with their number. */
function neighbours(c, v, number, way) {
	const x = v[V.x] - v[V.w] * .28, round = v[V.shape] === SHAPE.oval || v[V.shape] === SHAPE.circle;
	const y = v[V.y] + way * v[V.h] / 2 * (round ? .8285 : v[V.shape] === SHAPE.diamond ? .44 : 1), text = "+" + exact(number);
	c.setLineDash([1.5, 2.5]);
	c.strokeStyle = c.fillStyle = colors.faint;
	c.lineWidth = 1.5;
	c.beginPath();
	c.moveTo(x, y);
	c.lineTo(x, y + way * 13);
	c.stroke();
	c.setLineDash([]);
	c.font = "9" + FONT;
	c.fillText(text, x - 3 - c.measureText(text).width / 2, y + way * 8.5 + 3.2);
}
function badgePlace(v) {
	const share = v[V.shape] === SHAPE.oval || v[V.shape] === SHAPE.circle ? .354 : v[V.shape] === SHAPE.diamond ? .25 : .5;
	return [v[V.x] + v[V.w] * share + 4, v[V.y] - v[V.h] * share - 4];
}

/* What is in sight, in pixels of the picture. */
function sight() {
	const left = -view.x / view.scale, up = -view.y / view.scale;
	return {left, up, right: left + view.width / view.scale, down: up + view.height / view.scale};
}
const sees = (box, i) => boxes[i * 4] < box.right && boxes[i * 4 + 2] > box.left && boxes[i * 4 + 1] < box.down && boxes[i * 4 + 3] > box.up;
const seesVertex = (box, v) => v[V.x] - v[V.w] / 2 - 20 < box.right && v[V.x] + v[V.w] / 2 + 20 > box.left &&
	v[V.y] - v[V.h] / 2 - 20 < box.down && v[V.y] + v[V.h] / 2 + 20 > box.up;

function draw(c, edgeFlags, vertexFlags) {
	const box = sight();
	c.lineJoin = "round";
	c.textAlign = "center";
	if (isPlain()) drawFar(c, edgeFlags);
	else for (const i of edgeOrder) if (!state.goneEdges[i] && (!edgeFlags || edgeFlags[i]) && sees(box, i)) strokeEdge(c, i, box);
	vertices.forEach((v, i) => {
		if (!state.goneVertices[i] && (!vertexFlags || vertexFlags[i]) && seesVertex(box, v)) drawVertex(c, i);
	});
}

let farCache = {scale: 0, gone: null, paths: []};
function drawFar(c, flags) {
	if (!flags && (farCache.scale !== view.scale || farCache.gone !== state.goneEdges))
		farCache = {scale: view.scale, gone: state.goneEdges, paths: farPaths(null)};
	for (const {band, width, path} of flags ? farPaths(flags) : farCache.paths) {
		c.strokeStyle = colors["b" + band];
		c.lineWidth = width / view.scale;
		c.stroke(path);
	}
}

/* Texts and badges of constant size, as many as have room. */
function places() {
	const taken = new Set();
	return (x, y, width) => {
		const cells = [];
		if (x < 0 || y < 8 || x + width > view.width || y > view.height - 8) return false;
		for (let at = Math.floor(x / 12); at <= Math.floor((x + width) / 12); at++)
			for (let row = Math.floor((y - 9) / 12); row <= Math.floor((y + 9) / 12); row++) cells.push(at * 4096 + row);
		if (cells.some(cell => taken.has(cell))) return false;
		for (const cell of cells) taken.add(cell);
		return true;
	};
}
const onScreen = (c, draw) => {
	c.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	draw();
	c.setTransform(view.ratio * view.scale, 0, 0, view.ratio * view.scale, view.ratio * view.x, view.ratio * view.y);
};
function farBadges() {
	const free = places();
	let left = 12;
	onScreen(below, () => {
		for (const i of noteOrder.slice(0, 100)) {
			const v = vertices[i], x = v[V.x] * view.scale + view.x + 14, y = v[V.y] * view.scale + view.y - 8;
			if (!state.goneVertices[i] && free(x - 12, y, 24)) {
				badge(below, x, y, v, v[V.strength] > 2 ? 1.35 : 1);
				if (!--left) return;
			}
		}
	});
}
function farNames() {
	const free = places(), named = state.vertex >= 0 ? [state.vertex] : [];
	let left = 60;
	state.kept.vertices.forEach((kept, i) => { if (kept && i !== state.vertex) named.push(i); });
	onScreen(above, () => {
		above.font = "11" + FONT;
		above.textAlign = "left";
		above.lineWidth = 3;
		for (const i of named) {
			const v = vertices[i], x = v[V.x] * view.scale + view.x + 7, y = v[V.y] * view.scale + view.y, text = label(i);
			if (state.goneVertices[i] || !free(x, y, text.length * 7)) continue;
			above.strokeStyle = colors.paper;
			above.fillStyle = colors.ink;
			above.strokeText(text, x, y + 4);
			above.fillText(text, x, y + 4);
			if (!--left) return;
		}
	});
}

/* a canvas is, when its size was set; clearing it again would empty it on paper */
let blank = false;
function start(c) {
	c.setTransform(1, 0, 0, 1, 0, 0);
	if (!blank) c.clearRect(0, 0, c.canvas.width, c.canvas.height);
	c.setTransform(view.ratio * view.scale, 0, 0, view.ratio * view.scale, view.ratio * view.x, view.ratio * view.y);
}
function paintBelow() {
	start(below);
	draw(below, null, null);
	if (view.scale < FAR) farBadges();
}
function around(list, width) {
	const box = sight();
	above.strokeStyle = colors.accent;
	above.lineWidth = Math.max(width, width * .6 / view.scale);
	above.beginPath();
	for (const i of list) {
		const v = vertices[i], side = Math.max(v[V.w], v[V.h]) / 2;
		if (state.goneVertices[i] || !seesVertex(box, v)) continue;
		if (side * view.scale < 14) { /* too small for its shape to be seen */
			above.moveTo(v[V.x] + side + 4 / view.scale, v[V.y]);
			above.arc(v[V.x], v[V.y], side + 4 / view.scale, 0, 2 * Math.PI);
		} else {
			outline(above, i);
		}
	}
	above.stroke();
}
/* A halo: the line itself stays as it is. */
function aroundEdge(i) {
	const path = pathInSight(i, sight()), width = Math.max(edges[i][E.width], .7 / view.scale);
	for (const [color, more] of [["accent", 8], ["paper", 3]]) {
		above.strokeStyle = colors[color];
		above.lineWidth = Math.max(width + more, more * .6 / view.scale);
		above.stroke(path);
	}
	strokeEdge(above, i, sight());
}
function paintAbove() {
	start(above);
	/* a veil dims everything, what is kept lies on top */
	if (state.kept) {
		onScreen(above, () => {
			above.globalAlpha = .84;
			above.fillStyle = colors.paper;
			above.fillRect(0, 0, view.width, view.height);
			above.globalAlpha = 1;
		});
		if (state.edge >= 0) aroundEdge(state.edge);
		if (state.vertex >= 0) around([state.vertex], view.scale < .5 ? 5 : 9);
		draw(above, state.kept.edges, state.kept.vertices);
		if (view.scale < FAR) farNames();
	}
	around(state.matches, 3);
	if (state.hover.kind === "e") aroundEdge(state.hover.i);
	if (state.hover.kind === "v") around([state.hover.i], 2);
}

/* Once per frame, and only what changed. */
let asked = 0, stale = {below: true, above: true};
function frame() {
	asked = 0;
	if (stale.below) paintBelow();
	if (stale.above) paintAbove();
	stale = {below: false, above: false};
}
function repaint(what) {
	stale.above = true;
	if (what !== "above") stale.below = true;
	if (!asked) asked = requestAnimationFrame(frame);
}
function resize(width, height, ratio) {
	Object.assign(view, {width, height, ratio});
	for (const c of [below, above]) {
		c.canvas.width = Math.round(width * ratio);
		c.canvas.height = Math.round(height * ratio);
	}
	stale = {below: true, above: true};
	blank = true;
	frame();
	blank = false;
}

/* Which part is at a point of the stage: vertices first, then the nearest line. */

function inside(v, x, y, reach) {
	const dx = Math.abs(x - v[V.x]) / Math.max(v[V.w] / 2, reach), dy = Math.abs(y - v[V.y]) / Math.max(v[V.h] / 2, reach);
	if (v[V.shape] === SHAPE.oval || v[V.shape] === SHAPE.circle) return dx * dx + dy * dy <= 1;
	return v[V.shape] === SHAPE.diamond ? dx + dy <= 1 : dx <= 1 && dy <= 1;
}
function distance(x, y, ax, ay, bx, by) {
	const dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
	const t = length ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
	return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}
function distanceToEdge(i, x, y, reach) {
	const p = curves[i], n = p.length;
	let best = n > 3 ? distance(x, y, p[n - 4], p[n - 3], p[n - 2], p[n - 1]) : Infinity;
	for (let k = 0; k + 9 < n; k += 6) {
		let lastX = p[k], lastY = p[k + 1];
		if (Math.min(lastX, p[k + 2], p[k + 4], p[k + 6]) > x + reach || Math.max(lastX, p[k + 2], p[k + 4], p[k + 6]) < x - reach ||
			Math.min(lastY, p[k + 3], p[k + 5], p[k + 7]) > y + reach || Math.max(lastY, p[k + 3], p[k + 5], p[k + 7]) < y - reach) continue;
		for (let step = 1; step <= 8; step++) {
			const t = step / 8, s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
			const nextX = a * p[k] + b * p[k + 2] + c * p[k + 4] + d * p[k + 6], nextY = a * p[k + 1] + b * p[k + 3] + c * p[k + 5] + d * p[k + 7];
			best = Math.min(best, distance(x, y, lastX, lastY, nextX, nextY));
			lastX = nextX;
			lastY = nextY;
		}
	}
	return best;
}
function partAt(left, up) {
	const x = (left - view.x) / view.scale, y = (up - view.y) / view.scale, reach = 5 / view.scale;
	let found = {kind: "", i: -1}, best = Infinity;
	vertices.forEach((v, i) => {
		if (state.goneVertices[i] || !inside(v, x, y, reach)) return;
		const away = Math.hypot(x - v[V.x], y - v[V.y]) + (state.kept && !state.kept.vertices[i] ? 1e6 : 0);
		if (away < best) {
			best = away;
			found = {kind: "v", i};
		}
	});
	if (found.i >= 0) return found;
	for (let i = 0; i < edges.length; i++) {
		if (state.goneEdges[i] || x < boxes[i * 4] - reach || y < boxes[i * 4 + 1] - reach || x > boxes[i * 4 + 2] + reach || y > boxes[i * 4 + 3] + reach) continue;
		const allowed = Math.max(reach, edges[i][E.width] / 2 + 1), away = distanceToEdge(i, x, y, allowed);
		if (away > allowed) continue;
		const rank = away + (state.kept && !state.kept.edges[i] ? 1e6 : 0);
		if (rank < best) {
			best = rank;
			found = {kind: "e", i};
		}
	}
	return found;
}
