"""Random lists of operations for tests/random/program.c, without races."""
import random

from order import BLOCKING, LEGACY, NONBLOCKING, OTHER_BLOCKING, Block, Operation, operations, races, stream_of

SLOTS = 64  # as in program.c
EVENTS = 8
SIZES = (4096, 8192, 8192, 12288)
SOURCES = 3  # buffers that the host writes; those after it receive downloads
FILL, COMPUTE, IN_PLACE, ACCUMULATE, SCATTER, STORE_SOME, STORE_BYTES, COPY_BYTES, STORE_COLUMN = range(9)


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.sizes = [self.rng.choice(SIZES) for _ in range(self.rng.randint(2, 4))]
        self.buffers = []  # whether each is pinned
        self.unread = []   # buffers with downloads that the host has not looked at

    def chance(self, share):
        return self.rng.random() < share

    def stream(self, synchronous=0.3):
        return -1 if self.chance(synchronous) else self.rng.choice((LEGACY, BLOCKING, NONBLOCKING, OTHER_BLOCKING))

    def part(self, size):
        """(first, bytes), of whole words, mostly all."""
        if self.chance(0.75):
            return 0, size
        first = self.rng.choice((0, size // 4, size // 2))
        return first, self.rng.choice((size - first, (size - first) // 2))

    def receiver(self):
        if len(self.buffers) > SOURCES and self.chance(0.3) or len(self.buffers) == 31:
            return self.rng.randrange(SOURCES, len(self.buffers))
        self.buffers.append(self.chance(0.6))
        return len(self.buffers) - 1

    # -- operations --

    def set_(self, to, whole=False):
        first, size = (0, self.sizes[to]) if whole else self.part(self.sizes[to])
        width = self.rng.choice((1, 1, 2, 4))
        return [Operation("set", to, first, size, width, self.rng.choice((0, 0, 1)), self.stream())]

    def upload(self, to, whole=False):
        first, size = (0, self.sizes[to]) if whole else self.part(self.sizes[to])
        source = self.rng.randrange(SOURCES)
        written = []
        if self.chance(0.3):
            written = [Operation("hostwrite", source, 0, size, self.rng.randint(1, 2), self.rng.choice((0, 0, 1)))]
        if not whole and self.chance(0.15):
            width, height = 333, size // 512
            return written + [Operation("upload2d", to, first, 512, source, 0, width + 7, width, height, self.stream())]
        return written + [Operation("upload", to, first, source, 0, size, self.stream())]

    def download(self, source=None):
        source = self.rng.randrange(len(self.sizes)) if source is None else source
        first, size = self.part(self.sizes[source])
        to = self.receiver()
        if to not in self.unread:
            self.unread.append(to)
        if self.chance(0.15):
            return [Operation("download2d", to, 0, 345, source, first, 512, 341, size // 512, self.stream(0.4))]
        return [Operation("download", to, 0, source, first, size, self.stream(0.4))]

    def read(self):
        if not self.unread:
            return self.download()
        return [Operation("read", self.unread.pop(self.rng.randrange(len(self.unread))))]

    def pair(self):
        """Two objects, and bytes that both have."""
        to, source = self.rng.sample(range(len(self.sizes)), 2)
        return to, source, min(self.sizes[to], self.sizes[source])

    def copy(self):
        to, source, size = self.pair()
        first, size = self.part(size)
        return [Operation("copy", to, first, source, first, size, self.stream())]

    def kernel(self):
        to, source, size = self.pair()
        function = self.rng.choice((FILL, FILL, COMPUTE, COMPUTE, IN_PLACE, ACCUMULATE, SCATTER, STORE_SOME, STORE_BYTES,
                                    COPY_BYTES, COPY_BYTES, STORE_COLUMN))
        first, size = self.part(size)
        return [Operation("kernel", function, to, first, source, first, size, self.rng.randint(0, 3), self.stream(0))]

    def wait(self):
        kind = self.rng.randrange(4)
        if kind == 0:
            return [Operation("devicesync")]
        if kind == 1:
            return [Operation("streamsync", self.stream(0))]
        event = self.rng.randrange(EVENTS)
        if kind == 2:
            return [Operation("record", event, self.stream(0)), Operation("eventsync", event)]
        return [Operation("record", event, self.stream(0)), Operation("streamwait", event, self.stream(0))]

    def any(self):
        to = self.rng.randrange(len(self.sizes))
        make = self.rng.choices((lambda: self.set_(to), lambda: self.upload(to), self.download, self.copy, self.kernel, self.read,
                                 self.wait), (15, 18, 10, 8, 24, 8, 17))[0]
        return make()

    def several(self, least, most):
        return [operation for _ in range(self.rng.randint(least, most)) for operation in self.any()]

    # -- a list --

    def start(self):
        self.buffers = [self.chance(0.5) for _ in range(SOURCES)]
        items = [Operation("hostwrite", source, 0, 16384, self.rng.randint(1, 2), 0) for source in range(SOURCES)]
        for number, size in enumerate(self.sizes):
            items.append(Operation("alloc", number, size))
            if self.chance(0.4):
                items += self.upload(number, whole=True)
            else:
                items += self.set_(number, whole=True)
        return items

    def middle(self, count):
        items = []
        while len(list(operations(items))) < count:
            what = self.rng.random()
            if what < 0.08:
                items.append(Block("loop", self.several(2, 6), self.rng.randint(2, 4)))
            elif what < 0.13:
                inner = self.several(2, 4)
                if self.chance(0.4):
                    inner.append(Block("loop", self.several(2, 3), self.rng.randint(2, 3)))
                items.append(Block("thread", inner))
            else:
                items += self.any()
        return items

    def end(self):
        items = []
        for number in range(len(self.sizes)):
            if self.chance(0.7):
                items += self.download(number)
        items += [Operation("read", buffer) for buffer in self.unread]
        return items + [Operation("free", number) for number in range(len(self.sizes)) if self.chance(0.8)]

    # -- waits --

    def ordering(self, earlier, later):
        """Operations that make the later one come after the earlier one."""
        of, event = stream_of(earlier), self.rng.randrange(EVENTS)
        kind = self.rng.randrange(4)
        if kind == 3 and stream_of(later) is None:
            kind = self.rng.randrange(3)
        return ([Operation("devicesync")], [Operation("streamsync", of)],
                [Operation("record", event, of), Operation("eventsync", event)],
                [Operation("record", event, of), Operation("streamwait", event, stream_of(later))])[kind]


def insert(items, before, new):
    for index, item in enumerate(items):
        if item is before:
            items[index:index] = new
            return True
        if isinstance(item, Block) and insert(item.body, before, new):
            return True
    return False


def make(seed):
    """A list of about 40 operations without a race."""
    attempt = 0
    while True:
        maker = Maker("%s.%d" % (seed, attempt))
        attempt += 1
        items = maker.start() + maker.middle(maker.rng.randint(20, 28))
        items += maker.end()
        items[0:0] = [Operation("buffer", number, int(pinned)) for number, pinned in enumerate(maker.buffers)]
        while True:
            found = races(items)
            size = sum(operation.name != "buffer" for operation in operations(items))
            if not found or size > SLOTS:
                break
            insert(items, found[0][1], maker.ordering(*found[0]))
        if not found and 30 <= size <= SLOTS:
            break
    slot = 0
    for operation in operations(items):
        if operation.name != "buffer":
            operation.slot = slot
            slot += 1
    return items
