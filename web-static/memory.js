/*
 * web-static/memory.js: the memory of the device over the GPU API calls of the run, stacked by who
 * allocated it; peaks and findings in it.  A place 2n is during the n-th call, 2n + 1 behind it.
 */
const chart = data.memory, chartBox = $("memory"), chartCanvas = $("memorychart");
const SITE = {vertex: 0, name: 1, path: 2, objects: 3, largest: 4}, WASTE = {title: 0, vertex: 1, objects: 2, bytes: 3, peak: 4, from: 5, to: 6};
const HUES = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#e08a3c", "#7f8fa6"];
const chartState = {open: false, at: -1, site: -1, finding: -1};
const margin = {left: 58, right: 10, up: 16, down: 18};
/* Bytes of each site from each column on, the changes added up. */
const stacks = [];
if (chart) for (const [, , ...changes] of chart.columns) {
	const bytes = stacks.length ? stacks[stacks.length - 1].slice() : new Float64Array(chart.others + 1);
	for (let k = 0; k < changes.length; k += 2) bytes[changes[k]] = changes[k + 1];
	stacks.push(bytes);
}
const order = chart ? [...chart.sites.keys(), chart.others] : [];
const siteName = k => k === chart.others ? count(chart.folded, "other allocation") : chart.sites[k][SITE.name];
const callOf = place => exact(Math.floor(place / 2) + 1);

function chartScale() {
	const width = Math.max(50, chartCanvas.clientWidth), height = Math.max(40, chartCanvas.clientHeight);
	const most = Math.max(1, chart.peak), inner = width - margin.left - margin.right, high = height - margin.up - margin.down;
	return {width, height, x: place => margin.left + place / Math.max(1, chart.places) * inner, y: bytes => margin.up + high - bytes / most * high,
		place: x => (x - margin.left) / inner * chart.places, bytes: y => (margin.up + high - y) / high * most};
}
function paintStacks(c, scale) {
	const low = new Float64Array(stacks.length), end = i => scale.x(i + 1 < stacks.length ? chart.columns[i + 1][0] : chart.places);
	for (const k of order) {
		const path = new Path2D(), back = [];
		let any = false;
		for (let i = 0; i < stacks.length; i++) {
			const from = scale.x(chart.columns[i][0]), to = end(i), top = low[i] + stacks[i][k];
			any = any || stacks[i][k] > 0;
			path.lineTo(from, scale.y(top));
			path.lineTo(to, scale.y(top));
			back.push([from, to, scale.y(low[i])]);
			low[i] = top;
		}
		for (const [from, to, y] of back.reverse()) {
			path.lineTo(to, y);
			path.lineTo(from, y);
		}
		path.closePath();
		if (!any) continue;
		c.globalAlpha = chartState.site < 0 || chartState.site === k ? 1 : .35;
		c.fillStyle = k === chart.others ? colors.faint : HUES[k % HUES.length];
		c.fill(path);
		c.strokeStyle = colors.paper; /* those of one hue must not run together */
		c.lineWidth = .7;
		c.stroke(path);
	}
	c.globalAlpha = 1;
}
function paintAxes(c, scale) {
	c.font = "11" + FONT;
	c.fillStyle = colors.faint;
	c.strokeStyle = colors.line;
	c.lineWidth = 1;
	c.textAlign = "right";
	for (const share of [0, .5, 1]) {
		const y = Math.round(scale.y(chart.peak * share)) + .5;
		c.beginPath();
		c.moveTo(margin.left, y);
		c.lineTo(scale.width - margin.right, y);
		c.stroke();
		c.fillText(size(Math.round(chart.peak * share)), margin.left - 5, y + 4);
	}
	c.textAlign = "left";
	c.fillText("API call 1", margin.left, scale.height - 4);
	c.textAlign = "right";
	c.fillText(callOf(Math.max(0, chart.places - 2)), scale.width - margin.right, scale.height - 4);
	c.textAlign = "left";
}
function paintPeaks(c, scale) {
	const taken = [];
	c.fillStyle = c.strokeStyle = colors.ink;
	for (const [place, bytes] of chart.peaks) {
		const x = scale.x(place), y = scale.y(bytes), text = size(bytes), width = c.measureText(text).width;
		const left = Math.min(Math.max(margin.left, x + 5), scale.width - margin.right - width);
		c.beginPath();
		c.moveTo(x, y - 1);
		c.lineTo(x - 4, y - 8);
		c.lineTo(x + 4, y - 8);
		c.closePath();
		c.fill();
		if (taken.some(([from, to]) => left < to + 6 && left + width > from - 6)) continue;
		taken.push([left, left + width]);
		c.fillText(text, left, Math.max(10, y - 3));
	}
}
/* Where the worst object of the finding is there and not needed. */
function paintFinding(c, scale) {
	const f = chart.findings[chartState.finding];
	if (!f) return;
	const from = scale.x(f[WASTE.from]), to = Math.max(from + 2, scale.x(f[WASTE.to]));
	c.save();
	c.beginPath();
	c.rect(from, margin.up, to - from, scale.height - margin.up - margin.down);
	c.clip();
	c.strokeStyle = colors.ink;
	c.globalAlpha = .55;
	c.lineWidth = 1;
	c.beginPath();
	for (let x = from - scale.height; x < to; x += 9) {
		c.moveTo(x, scale.height);
		c.lineTo(x + scale.height, 0);
	}
	c.stroke();
	c.restore();
	c.strokeStyle = colors.ink;
	c.strokeRect(from, margin.up, to - from, scale.height - margin.up - margin.down);
}
function paintMemory() {
	if (!chartState.open) return;
	const c = chartCanvas.getContext("2d"), scale = chartScale(), ratio = devicePixelRatio || 1;
	chartCanvas.width = Math.round(scale.width * ratio);
	chartCanvas.height = Math.round(scale.height * ratio);
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	paintAxes(c, scale);
	paintStacks(c, scale);
	paintFinding(c, scale);
	paintPeaks(c, scale);
	if (chartState.at < 0) return;
	const x = Math.round(scale.x(chart.columns[chartState.at][0])) + .5;
	c.strokeStyle = colors.accent;
	c.beginPath();
	c.moveTo(x, margin.up);
	c.lineTo(x, scale.height - margin.down);
	c.stroke();
}

/* The column of a place: the last one that begins at or before it; -1: none. */
function columnAt(place) {
	let low = 0, high = chart.columns.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (chart.columns[middle][0] <= place) low = middle + 1; else high = middle;
	}
	return low - 1;
}
/* Whose bytes are at this height; -1: nobody's. */
function siteAt(column, bytes) {
	if (column < 0 || bytes < 0) return -1;
	for (const k of order) {
		if (bytes < stacks[column][k]) return k;
		bytes -= stacks[column][k];
	}
	return -1;
}
const columnText = i => "API call " + callOf(chart.columns[i][0]) + ": " + bytesText(chart.columns[i][1]);
function siteLines(column, k) {
	const site = chart.sites[k], lines = [[siteName(k)], [bytesText(stacks[column][k]) + " at API call " + callOf(chart.columns[column][0]) + ", of " + size(chart.columns[column][1])]];
	if (!site) return lines;
	lines.push([count(site[SITE.objects], "object") + " in all, the largest of " + bytesText(site[SITE.largest])]);
	for (const frame of (site[SITE.path] || "").split(" < ").filter(f => f).slice(0, 12)) lines.push([frame, "frame"]);
	for (const f of chart.findings) if (f[WASTE.vertex] === site[SITE.vertex]) lines.push([wasteText(f), "advice"]);
	return lines;
}
function wasteText(f) {
	const peak = f[WASTE.peak], d = peak - chart.peak;
	const then = peak === null ? "" : ", the peak " + (d ? (d < 0 ? "falls" : "rises") + " to " + size(peak) : "stays");
	return f[WASTE.title] + ": " + count(f[WASTE.objects], "object") + ", " + size(f[WASTE.bytes]) + then;
}
function chartCard(lines, x, y) {
	$("card").hidden = !lines.length;
	$("card").replaceChildren(...lines.map(([text, kind]) => element("p", cut(text, 300), kind)));
	placeCard(x, y);
}
function pointAt(column, site) {
	chartState.at = column;
	chartState.site = site;
	$("memorysaid").textContent = column < 0 ? "" : columnText(column) + order.filter(k => stacks[column][k] > 0)
		.sort((a, b) => stacks[column][b] - stacks[column][a]).slice(0, 3).map(k => "; " + size(stacks[column][k]) + " " + siteName(k)).join("");
	paintMemory();
}
const shortBytes = bytes => bytes < 1024 ? count(bytes, "byte") : size(bytes);
/* What the blocks of a pool were at its peak: by NVTX range, name and call path, of which the first frames are shown. */
function poolSite(site) {
	const frames = (site.callpath || "").split(" < ").filter(f => f), item = element("li", shortBytes(site.peak_bytes) + " in " + count(site.peak_blocks, "block") + ": " +
		(site.range ? site.range + ": " : "") + (site.name ? site.name + ", " : "") + (cut(frames.slice(0, 3).join(" < "), 200) || "an unknown call path"));
	item.title = frames.join("\n");
	return item;
}
function poolBox(pool) {
	const box = element("details"), list = element("ul"), sites = pool.sites.filter(site => site.peak_bytes);
	box.append(element("summary", "Pool " + pool.name + ": at most " + shortBytes(pool.peak_bytes) + " in " + count(pool.peak_blocks, "block") + ", " +
		(pool.live_bytes ? shortBytes(pool.live_bytes) : "none") + " at the end"), list);
	list.append(...sites.map(poolSite));
	if (pool.site_count > pool.sites.length) list.append(element("li", "... and " + count(pool.site_count - pool.sites.length, "more call path")));
	box.open = chart.pools.length === 1;
	return box;
}
function openMemory(open) {
	chartState.open = Boolean(chart) && open;
	panel.hidden = chartState.open;
	chartBox.hidden = !chartState.open;
	document.body.classList.toggle("memory", chartState.open);
	$("tab-memory").setAttribute("aria-selected", String(chartState.open));
	$("tab-memory").tabIndex = chartState.open ? 0 : -1;
	paintMemory();
}
if (chart) {
	$("tab-memory").hidden = false;
	$("tab-memory").append(" ", element("span", size(chart.peak), "count"));
	$("memorysum").textContent = count(chart.objects, "object") + ", peak " + size(chart.peak) +
		(chart.mended < chart.peak ? ", " + size(chart.mended) + " if each were there only while needed" : "") +
		(chart.processes > 1 ? "; process " + chart.pid + ", of " + chart.processes + " the one with the highest peak" : "") +
		(chart.finding_count > chart.findings.length ? "; the first " + chart.findings.length + " of " + exact(chart.finding_count) + " findings" : "");
	chart.findings.forEach((f, i) => {
		const item = button(wasteText(f) + " · " + objectName(f[WASTE.vertex]), () => {
			chartState.finding = i;
			for (const other of $("memoryfindings").children) other.setAttribute("aria-pressed", String(other === item));
			if (indexOf.has(f[WASTE.vertex])) select(indexOf.get(f[WASTE.vertex]), -1, true);
			paintMemory();
		});
		item.setAttribute("aria-pressed", "false");
		$("memoryfindings").append(item);
	});
	$("memorypools").append(...chart.pools.filter(pool => pool.peak_bytes).slice(0, 50).map(poolBox));
	chartCanvas.setAttribute("aria-label", "Memory over API calls, peak " + size(chart.peak) + "; arrows move from change to change");
	on(chartCanvas, "pointermove", event => {
		const box = chartCanvas.getBoundingClientRect(), scale = chartScale(), column = columnAt(scale.place(event.clientX - box.left));
		const site = siteAt(column, scale.bytes(event.clientY - box.top));
		pointAt(column, site);
		chartCard(column < 0 ? [] : site < 0 ? [[columnText(column)]] : siteLines(column, site), event.clientX, event.clientY);
	});
	on(chartCanvas, "pointerleave", () => {
		pointAt(-1, -1);
		chartCard([]);
	});
	on(chartCanvas, "click", () => {
		const site = chart.sites[chartState.site];
		if (site && indexOf.has(site[SITE.vertex])) select(indexOf.get(site[SITE.vertex]), -1, true);
	});
	on(chartCanvas, "keydown", event => {
		const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
		if (!by) return;
		event.preventDefault();
		event.stopPropagation();
		pointAt(Math.max(0, Math.min(chart.columns.length - 1, chartState.at + by)), -1);
	});
	new ResizeObserver(paintMemory).observe(chartCanvas);
}
