#!/usr/bin/env python3
"""tests/random/check.py VFLOW PROGRAM FOLDER DEVICE GROUP SEED...: is what `vflow report` advises right, about a random
list for each seed?  GROUP lists are collected in one run.

Each finding whose advice is to leave out an operation, all its calls, the first or the later ones, or a wait of the
host, is followed alone, and then all of a list together.  The changed list is right if CUDA orders all that
touches the same bytes, by order.py, and if the host reads what it read before.  Prints a line `wrong ...` for each that
is not, and what was counted.  Lists that went wrong are left in FOLDER.
"""
import collections, concurrent.futures, json, os, re, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lists, order

SKIPS = {"delete": "all", "delete_one": "all", "delete_first": "first", "copy_once": "later", "set_once": "later", "launch_once": "later"}
NARROW = ("wait_for_stream", "use_stream") # by order.py alone: the program has no such change
WAITS = ("devicesync", "streamsync", "eventsync")
GROUP_MOST = 15  # lists of one run: vflow judges no waits of a process with more than 32 streams


class Advice:
    def __init__(self, finding, operation):
        self.operation = operation
        if finding["action"] in NARROW:
            number = int(re.search(r"stream (\d+)", finding["advice"]).group(1))
            self.skip = "in:%d" % ((number - 1) % 3 + 1 if number else 0)  # each list makes three
        else:
            self.skip = SKIPS[finding["action"]]
        if "in its place (cudaStreamSynchronize)" in finding["advice"]:
            self.skip += "+wait"
        self.text = "%s, %s" % (finding["pattern"], finding["action"])

    def __str__(self):
        return "slot %d, %s: %s" % (self.operation.slot, " ".join(self.operation.lines()[0].split()[2:]), self.text)


def text_of(number, items, changes={}):
    for operation in order.operations(items):
        operation.skip = changes.get(operation, "-")
    return "".join(line + "\n" for line in ["list %d" % number] + [l for item in items for l in item.lines()] + ["end"])


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def outputs(text):
    """What each list printed."""
    return [part.split("\n", 1)[1] for part in text.split("list ")[1:]]


def frames_of(finding):
    return [frame.get("function", "") for frame in finding.get("operation", finding).get("frames", [])]


def advice_of(finding, group):
    """(index in the group, advice); None: it is about something else."""
    if finding.get("action") not in SKIPS and finding.get("action") not in NARROW:
        return None
    found = {}
    for function in frames_of(finding):
        place = re.fullmatch(r"(slot|list)_([0-7]+)", function)
        if place:
            found[place.group(1)] = int(place.group(2), 8)
    if len(found) < 2:
        return None
    for operation in order.operations(group[found["list"]]):
        if operation.slot == found["slot"]:
            return found["list"], Advice(finding, operation)
    return None


def changes_of(items, advices):
    changes = {}
    for advice in advices:
        # of two reasons to leave an operation out, all goes before a part
        skips = [skip for skip in (changes.get(advice.operation), advice.skip) if skip]
        skips = [skip for skip in skips if not skip.startswith("in:")] or skips
        waits = any("+" in skip for skip in skips)
        most = "all" if any(skip.startswith("all") for skip in skips) else skips[-1].split("+")[0]
        changes[advice.operation] = most + ("+wait" if waits else "")
        if advice.operation.name == "alloc":
            for operation in order.operations(items):
                if operation.name == "free" and operation.words[0] == advice.operation.words[0]:
                    changes[operation] = "all"
    return changes


class Judge:
    def __init__(self, vflow, program, folder, device):
        self.vflow, self.program, self.folder, self.device = vflow, program, folder, device

    def run_lists(self, path, text):
        """What each list prints, run without vflow; memory that is new holds something."""
        with open(path, "w") as out:
            out.write(text)
        done = run([self.program, path], env=dict(os.environ, POISON="1"))
        return outputs(done.stdout) if done.returncode == 0 else None

    def why_wrong(self, path, items, variants):
        """For each variant, changes by operation: why the changed list is wrong, or None."""
        # the program makes those changes that it knows
        known = [changes if not any(skip.startswith("in:") for skip in changes.values()) else {} for changes in variants]
        texts = [text_of(0, items)] + [text_of(0, items, changes) for changes in known]
        got = self.run_lists(path, "".join(texts))
        # one that fails ends the run
        each = got or [(self.run_lists(path, text) or [None])[0] for text in texts]
        if each[0] is None:
            return ["the list itself fails"] * len(variants)
        reasons = []
        for changes, printed in zip(variants, each[1:]):
            racing = order.races(items, changes)
            if racing:
                reasons.append("nothing orders slot %d and slot %d" % (racing[0][0].slot, racing[0][1].slot))
            elif printed != each[0]:
                reasons.append("the host reads something else" if printed else "it fails")
            else:
                reasons.append(None)
        return reasons

    def findings(self, name, group):
        path, profile = os.path.join(self.folder, name + ".lists"), os.path.join(self.folder, name + ".db")
        with open(path, "w") as out:
            out.write("".join(text_of(number, items) for number, items in enumerate(group)))
        plain = run([self.program, path])
        collected = run([self.vflow, "collect", "--quiet", "--device", self.device, "--passes", "flow,time,waits", "-o", profile,
                         self.program, path])
        assert collected.returncode == 0, collected.stderr
        runs = len(collected.stdout) // max(len(plain.stdout), 1)  # some passes have one of their own
        assert runs and collected.stdout == runs * plain.stdout, "under vflow the lists print something else: " + path
        report = run([self.vflow, "report", "-T", "json", "--by", "path", "--min-time", "0", profile])
        assert report.returncode == 0, report.stderr
        os.remove(profile)
        os.remove(path)
        return json.loads(report.stdout)["findings"]

    def judge(self, seeds):
        name = "-".join(map(str, (seeds[0], seeds[-1])))
        group, counts, wrong = [lists.make(seed) for seed in seeds], collections.Counter(), []
        advices = [[] for _ in group]
        for finding in self.findings(name, group):
            found = advice_of(finding, group)
            if found:
                advices[found[0]].append(found[1])
        for seed, items, found in zip(seeds, group, advices):
            counts["programs"] += 1
            if not found:
                continue
            path = os.path.join(self.folder, "%s.lists" % seed)
            tried = [[advice] for advice in found] + ([found] if len(found) > 1 else [])
            skipped = [advice for advice in found if not advice.skip.startswith("in:")]
            if 1 < len(skipped) < len(found):
                tried.append(skipped)
            reasons = self.why_wrong(path, items, [changes_of(items, advices) for advices in tried])
            for advice in found:
                counts["narrowed" if advice.skip.startswith("in:") else
                       "waits" if advice.operation.name in WAITS else "operations"] += 1
            for advices_tried, reason in zip(tried, reasons):
                if reason:
                    wrong.append("seed %s: %s: %s" % (seed, reason, "; ".join(map(str, advices_tried))))
            if any(reasons):
                with open(path, "w") as out:
                    out.write(text_of(0, items))
            else:
                os.remove(path)
        return counts, wrong


def self_test(judge):
    """A list of which it is known by hand what can go."""
    O = order.Operation
    cleared, upload, uploaded = O("set", 0, 0, 4096, 1, 0, 0), O("upload", 0, 0, 0, 0, 4096, 0), O("eventsync", 0)
    kernel, computed = O("kernel", lists.IN_PLACE, 0, 0, 0, 0, 4096, 1, order.NONBLOCKING), O("streamsync", order.NONBLOCKING)
    again, fetched = O("devicesync"), O("download", 1, 0, 0, 0, 4096, -1)
    items = [O("buffer", 0, 1), O("buffer", 1, 0), O("hostwrite", 0, 0, 4096, 1, 0), O("alloc", 0, 4096), cleared, upload,
             O("record", 0, 0), uploaded, kernel, computed, again, fetched, O("streamsync", 0), O("read", 1)]
    for slot, operation in enumerate(order.operations(items)):
        operation.slot = slot
    unordered, other = "nothing orders slot %d and slot %d", "the host reads something else"
    expected = [({cleared: "all"}, None), ({upload: "all"}, other), ({kernel: "all"}, other), ({fetched: "all"}, other),
                ({again: "all"}, None), ({computed: "all"}, None),
                ({again: "all", computed: "all"}, unordered % (kernel.slot, fetched.slot)),
                ({uploaded: "all"}, unordered % (cleared.slot, kernel.slot)),
                ({fetched: "all+wait"}, other), ({upload: "later"}, None), ({upload: "first"}, other)]
    got = judge.why_wrong(os.path.join(judge.folder, "self.lists"), items, [changes for changes, _ in expected])
    for (changes, reason), found in zip(expected, got):
        if reason != found:
            print("wrong %s: expected %s, got %s" % ([(o.slot, skip) for o, skip in changes.items()], reason, found))
    print("judged", len(got))


def main():
    vflow, program, folder, device, size, *seeds = sys.argv[1:]
    judge, counts = Judge(vflow, program, folder, device), collections.Counter()
    if not seeds:
        return self_test(judge)
    size = min(int(size), GROUP_MOST)
    # of processes with several threads less is known
    threaded = {seed: any(isinstance(item, order.Block) and item.name == "thread" for item in lists.make(seed)) for seed in seeds}
    groups = [some[first:first + size] for some in ([s for s in seeds if not threaded[s]], [s for s in seeds if threaded[s]])
              for first in range(0, len(some), size)]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for found, wrong in pool.map(judge.judge, groups):
            counts += found
            for line in wrong:
                print("wrong", line)
            counts["wrong"] += len(wrong)
    for what in ("programs", "operations", "waits", "narrowed", "wrong"):
        print(what, counts[what])


if __name__ == "__main__":
    main()
