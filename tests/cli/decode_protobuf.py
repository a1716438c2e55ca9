#!/usr/bin/env python3
"""What is in files of vflow render -T pprof, pftrace and perfetto, as lines: FORMAT FILE.

Fields are named by their numbers in pprof's profile.proto and Perfetto's perfetto_trace.proto.
"""
import collections, json, sys

def varint(data, at):
	number = shift = 0
	while True:
		byte = data[at]
		number |= (byte & 127) << shift
		at, shift = at + 1, shift + 7
		if byte < 128:
			assert number < 1 << 64
			return number, at

def fields(data):
	"""number -> values: ints, or bytes of messages and texts"""
	found, at = collections.defaultdict(list), 0
	while at < len(data):
		tag, at = varint(data, at)
		if tag & 7 == 0:
			value, at = varint(data, at)
		elif tag & 7 == 1:
			value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
		else:
			assert tag & 7 == 2, "wire type"
			size, at = varint(data, at)
			value, at = data[at:at + size], at + size
			assert len(value) == size, "cut"
		assert at <= len(data), "cut"
		found[tag >> 3].append(value)
	return found

def packed(data):
	numbers, at = [], 0
	while at < len(data):
		number, at = varint(data, at)
		numbers.append(number)
	return numbers

def one(message, number, default=0):
	assert len(message[number]) <= 1, number
	return message[number][0] if message[number] else default

def pprof(path):
	profile = fields(open(path, "rb").read())
	strings = [text.decode() for text in profile[6]]
	assert strings[0] == "" and len(set(strings)) == len(strings), "string table"
	by_id = lambda number: {one(row, 1): row for row in map(fields, profile[number])}
	mappings, locations, functions = by_id(3), by_id(4), by_id(5)
	for rows, number in (mappings, 3), (locations, 4), (functions, 5):
		assert len(rows) == len(profile[number]) and 0 not in rows, "ids"
	types = [(strings[one(t, 1)], strings[one(t, 2)]) for t in map(fields, profile[1])]
	print("default", strings[one(profile, 14)])
	assert strings[one(profile, 14)] in dict(types)
	sums = [0] * len(types)
	for sample in map(fields, profile[2]):
		values = packed(sample[2][0])
		assert len(values) == len(types) and any(values) and max(values) < 1 << 63, "values"
		sums = [a + b for a, b in zip(sums, values)]
		path = []
		for id in packed(sample[1][0]):
			location = locations[id]
			assert one(location, 2) == 0 or one(location, 2) in mappings
			module = strings[one(mappings[one(location, 2)], 5)] if one(location, 2) else ""
			for line in map(fields, location[4]):
				function = functions[one(line, 1)]
				path.append("|".join([strings[one(function, 2)], strings[one(function, 4)], str(one(line, 2)), module, str(one(location, 3))]))
		labels = sorted((strings[one(l, 1)], strings[one(l, 2)] if l[2] else one(l, 3)) for l in map(fields, sample[3]))
		print("sample", " ".join(f"{key}={value}" for key, value in labels))
		vertex = dict(labels)["vertex"]
		for frame in path[1:]:
			print("path", f"{vertex}|{frame}")
		print("leaf", f"{vertex}|{path[0]}")
	for (name, unit), total in zip(types, sums):
		print("sum", name, unit, total)

class Tracks:
	"""Both traces as lines that are the same if they say the same, but for numbers of tracks and arrows"""
	def __init__(self):
		self.lines, self.slices = [], collections.defaultdict(list)
	def event(self, kind, place, name, category, start, end, arguments, value=None):
		self.lines.append(json.dumps([kind, place, name, category, start, end, arguments, value], sort_keys=True))
		if kind == "slice":
			self.slices[place].append((start, end))
	def arrow(self, begin, end):
		assert begin[1] <= end[1], "an arrow goes back in time"
		self.lines.append(json.dumps(["arrow", begin, end]))
	def finish(self):
		for place, slices in self.slices.items():
			slices.sort()
			assert all(a[1] <= b[0] for a, b in zip(slices, slices[1:])), "slices overlap on " + place
		print("\n".join(sorted(self.lines)))

def pftrace(path):
	trace, texts, uuids, open_slices, flows = Tracks(), collections.defaultdict(dict), {}, {}, {}
	data = fields(open(path, "rb").read())
	assert list(data) == [1], "packets only"
	for number, packet in enumerate(map(fields, data[1])):
		assert one(packet, 10) == 1 and one(packet, 13) == (1 if number == 0 else 2), "sequence"
		for attribute in map(fields, fields(one(packet, 126, b""))[1]):
			trace.lines.append(f"about {one(attribute, 1).decode()} {attribute[3][0].decode() if attribute[3] else one(attribute, 2)}")
		for table, entries in fields(one(packet, 12, b"")).items():
			for entry in map(fields, entries):
				assert one(entry, 1) not in texts[table], "interned twice"
				texts[table][one(entry, 1)] = one(entry, 2).decode()
		if packet[60]:
			track = fields(packet[60][0])
			name = one(track, 2, b"").decode()
			if track[3]:
				process = fields(track[3][0])
				name = f"{one(process, 1)}"
				trace.lines.append(f"process {name} {one(process, 6).decode()} {one(process, 8, b'').decode()} {one(track, 12)}")
			elif one(track, 1):
				name = uuids[one(track, 5)] + "/" + name
				assert not track[8] or one(fields(track[8][0]), 3) == 3, "unit"
			uuids[one(track, 1)] = name
		if not packet[11]:
			continue
		event, time = fields(packet[11][0]), one(packet, 8)
		kind, uuid = one(event, 9), one(event, 11)
		if kind == 2:
			arguments = open_slices.pop(uuid)
			trace.event(*arguments[:5], time, arguments[5])
			continue
		if kind == 4:
			trace.event("counter", uuids[uuid], "", "", time, time, {}, one(event, 30))
			continue
		assert uuid not in open_slices, "slices nest"
		arguments = {}
		for a in map(fields, event[4]):
			arguments[texts[3][one(a, 1)]] = texts[29][one(a, 17)] if a[17] else bool(a[2][0]) if a[2] else one(a, 3)
		place = uuids[uuid] if uuid < 1 << 62 else uuids[uuid].split("/")[0]
		row = ("instant" if kind == 3 else "slice" if uuid < 1 << 62 else "span", place, texts[2][one(event, 10)], texts[1][one(event, 3)], time, arguments)
		if kind == 3:
			trace.event(*row[:5], time, arguments)
		else:
			assert kind == 1, kind
			open_slices[uuid] = row
		for flow in event[47]:
			assert flow not in flows, "number of an arrow"
			flows[flow] = (place, time)
		for flow in event[48]:
			trace.arrow(flows.pop(flow), (place, time))
	assert not flows and not open_slices, "without an end"
	trace.finish()

def perfetto(path):
	trace, names, orders, labels, tracks, spans, flows = Tracks(), {}, {}, {}, {}, {}, {}
	data = json.load(open(path))
	for key, value in data["otherData"].items():
		trace.lines.append(f"about {key} {value}")
	ns = lambda us: round(us * 1000)
	for e in data["traceEvents"]:
		if e["ph"] == "M":
			into = {"process_name": names, "process_sort_index": orders, "process_labels": labels}.get(e["name"])
			if into is not None:
				into[e["pid"]] = list(e["args"].values())[0]
			elif e["name"] == "thread_name":
				tracks[e["pid"], e["tid"]] = e["args"]["name"]
	for process, name in names.items():
		trace.lines.append(f"process {process} {name} {labels.get(process, '')} {orders[process]}")
	for e in data["traceEvents"]:
		time, arguments = ns(e.get("ts", 0)), e.get("args", {})
		place = f"{e['pid']}/{tracks.get((e['pid'], e.get('tid')), '')}"
		if e["ph"] == "X":
			trace.event("slice", place, e["name"], e["cat"], time, time + ns(e["dur"]), arguments)
		elif e["ph"] == "b":
			spans[e["cat"], e["id"]] = e
		elif e["ph"] == "e":
			begin = spans.pop((e["cat"], e["id"]))
			trace.event("span", str(e["pid"]), e["name"], e["cat"], ns(begin["ts"]), time, begin["args"])
		elif e["ph"] == "i":
			trace.event("instant", str(e["pid"]), e["name"], e["cat"], time, time, arguments)
		elif e["ph"] == "C":
			trace.event("counter", f"{e['pid']}/{e['name']}", "", "", time, time, {}, arguments["live"])
		elif e["ph"] == "s":
			flows[e["id"]] = (place, time)
		elif e["ph"] == "f":
			trace.arrow(flows.pop(e["id"]), (place, time))
	assert not flows and not spans
	trace.finish()

globals()[sys.argv[1]](sys.argv[2])
