"""What CUDA says comes before what, for a list of operations of tests/random/program.c.

Each call is a step of the host, each operation of a stream a step of the device, and a step has a set
of steps that are over before it begins (a bit each).  Nothing of this is taken from vflow: the rules are those of
the CUDA programming guide and the API's description, and where these leave open whether a call waits,
it does not.
"""
LEGACY, BLOCKING, NONBLOCKING, OTHER_BLOCKING = range(4)
BUFFER_BYTES = 65536


class Operation:
    """One line of a list: its words mean what program.c makes of them."""

    def __init__(self, name, *words):
        self.name, self.words, self.slot, self.skip = name, list(words), None, "-"

    def lines(self):
        return ["%d %s %s %s" % (self.slot or 0, self.skip, self.name, " ".join(map(str, self.words)))]


class Block:
    """A loop over operations, or a thread of the host that does them while the others wait for it."""

    def __init__(self, name, body, times=1):
        self.name, self.body, self.times = name, body, times

    def lines(self):
        inner = [line for item in self.body for line in item.lines()]
        return ["0 - %s %d %d" % (self.name, len(inner), self.times)] + inner


def operations(items):
    """All operations, each once."""
    for item in items:
        if isinstance(item, Block):
            yield from operations(item.body)
        else:
            yield item


def calls(items, changes, seen=None):
    """The operations as they are called; changes: by operation, what to skip, and "+wait" to wait for its stream instead; or
    "in:" and the stream that it waits for, or is in."""
    seen = {} if seen is None else seen
    for item in items:
        if isinstance(item, Block):
            for _ in range(item.times):
                yield from calls(item.body, changes, seen)
            continue
        if changes.get(item, "-").startswith("in:"):
            yield from in_stream(item, int(changes[item][3:]))
            continue
        skip, _, wait = changes.get(item, "-").partition("+")
        first = item not in seen
        seen[item] = True
        if skip == "all" or (skip == "first" and first) or (skip == "later" and not first):
            if wait:
                yield Operation("streamsync", stream_of(item))
            continue
        yield item


def rows(first, pitch, width, height):
    return first, first + pitch * (height - 1) + width


def accesses(operation, sizes):
    """(memory, first byte, end, whether it is written) of what the operation's step on the device, or on the host, does."""
    name, w = operation.name, operation.words
    if name in ("alloc", "free"):
        return [(("object", w[0]), 0, sizes[w[0]], True)]
    if name == "set":
        return [(("object", w[0]), w[1], w[1] + w[2], True)]
    if name in ("upload", "download", "copy"):
        to, source = {"upload": ("object", "buffer"), "download": ("buffer", "object"), "copy": ("object", "object")}[name]
        return [((to, w[0]), w[1], w[1] + w[4], True), ((source, w[2]), w[3], w[3] + w[4], False)]
    if name in ("upload2d", "download2d"):
        to, source = ("object", "buffer") if name == "upload2d" else ("buffer", "object")
        return [((to, w[0]), *rows(w[1], w[2], w[6], w[7]), True), ((source, w[3]), *rows(w[4], w[5], w[6], w[7]), False)]
    if name == "kernel":
        function, to, first, source, source_first, size = w[:6]
        found = [(("object", to), first, first + size, True)]
        if function not in (0, 2, 6):  # these know no source
            found.append((("object", source), source_first, source_first + size, False))
        return found
    if name == "hostwrite":
        return [(("buffer", w[0]), w[1], w[1] + w[2], True)]
    if name == "read":
        return [(("buffer", w[0]), 0, BUFFER_BYTES, False)]
    return []


STREAM_WORD = {"set": 5, "upload": 5, "download": 5, "copy": 5, "upload2d": 8, "download2d": 8, "kernel": 7, "record": 1,
               "streamwait": 1}


def in_stream(operation, stream):
    """The operation in this stream, asynchronous, with a wait if it was not; or the wait for this stream only."""
    if operation.name == "devicesync":
        yield Operation("streamsync", stream)
        return
    moved = Operation(operation.name, *operation.words)
    moved.slot = operation.slot
    moved.words[STREAM_WORD[operation.name]] = stream
    yield moved
    if operation.words[STREAM_WORD[operation.name]] < 0 and operation.name != "set":
        yield Operation("streamsync", stream)


def stream_of(operation):
    """None: it is no operation of a stream."""
    index = STREAM_WORD.get(operation.name)
    return None if index is None else max(operation.words[index], LEGACY)


class Order:
    def __init__(self):
        self.before = []  # of each step, as bits
        self.host = 0     # what is over for the host, itself included
        self.last = [0, 0, 0, 0]  # what is over when all that is in the stream is
        self.events = {}
        self.touched = {}  # by memory: (first, end, written, step, operation)
        self.races = []

    def step(self, before):
        self.before.append(before)
        return before | 1 << len(self.before) - 1

    def in_stream(self, stream):
        """What is over before the next operation of the stream begins: the legacy default stream and the blocking one
        wait for each other, at each operation."""
        ordered = {LEGACY: (LEGACY, BLOCKING, OTHER_BLOCKING), BLOCKING: (LEGACY, BLOCKING), NONBLOCKING: (NONBLOCKING,),
                   OTHER_BLOCKING: (LEGACY, OTHER_BLOCKING)}[stream]
        over = self.host
        for other in ordered:
            over |= self.last[other]
        return over

    def touch(self, found, step, operation):
        before = self.before[step]
        for memory, first, end, written in found:
            touched = self.touched.setdefault(memory, [])
            for other_first, other_end, other_written, other_step, other in touched:
                if (written or other_written) and first < other_end and other_first < end and \
                        other_step != step and not before >> other_step & 1:
                    self.races.append((other, operation))
            touched.append((first, end, written, step, operation))

    def on_host(self, operation, sizes):
        self.host = self.step(self.host)
        self.touch(accesses(operation, sizes), len(self.before) - 1, operation)

    def on_device(self, operation, sizes, pageable):
        name, stream = operation.name, stream_of(operation)
        over = self.in_stream(stream)
        if name == "streamwait":
            over |= self.events.get(operation.words[0], 0)
        found = accesses(operation, sizes)
        synchronous = operation.words[{"upload": 5, "download": 5, "upload2d": 8, "download2d": 8}.get(name, 0)] < 0
        if name in ("upload", "upload2d"):
            # from pageable memory the call returns when the source has been read
            over = self.step(over)
            self.touch(found[1:], len(self.before) - 1, operation)
            if synchronous:
                self.host |= over
            found = found[:1]
        over = self.step(over)
        self.touch(found, len(self.before) - 1, operation)
        self.last[stream] = over
        if name == "record":
            self.events[operation.words[0]] = over
        if synchronous and (name in ("download", "download2d") or
                            name in ("upload", "upload2d") and
                            operation.words[2 if name == "upload" else 3] not in pageable):
            self.host |= over

    def wait(self, operation):
        if operation.name == "eventsync":
            self.host |= self.events.get(operation.words[0], 0)
        elif operation.name == "streamsync":
            self.host |= self.in_stream(operation.words[0])
        else:  # devicesync, and a release waits, too
            for last in self.last:
                self.host |= last

    def call(self, operation, sizes, pageable):
        self.host = self.step(self.host)
        if stream_of(operation) is not None:
            self.on_device(operation, sizes, pageable)
        elif operation.name in ("eventsync", "streamsync", "devicesync"):
            self.wait(operation)
        elif operation.name == "free":
            self.wait(operation)
            self.on_host(operation, sizes)
        elif operation.name != "buffer":
            self.on_host(operation, sizes)


def races(items, changes={}):
    """Pairs of operations that touch the same bytes, one of them writing, in no order."""
    order = Order()
    sizes, pageable = {}, set()
    for operation in operations(items):
        if operation.name == "alloc":
            sizes[operation.words[0]] = operation.words[1]
        if operation.name == "buffer" and not operation.words[1]:
            pageable.add(operation.words[0])
    for operation in calls(items, changes):
        order.call(operation, sizes, pageable)
    return order.races
