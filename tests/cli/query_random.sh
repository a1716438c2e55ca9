#!/bin/bash
# vflow query on random small graphs with cycles, loops, parallel edges and disconnected parts, against
# brute force in Python; and what is looked up by a value against looking at everything.
. tests/lib.sh
command -v python3 >/dev/null || { skip "random graphs" "no python3"; finish; }
cat >"$T/questions.py" <<'PY'
import collections, json, os, random, subprocess, sys

vflow, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])


def graph(rng):
    n = rng.randint(2, 6)
    labels = [rng.choice(["kernel", "memset"]) for _ in range(n)]
    edges = [(rng.randrange(n), rng.randrange(n), rng.choice(["READ", "WRITE"])) for _ in range(rng.randint(0, 9))]
    return n, labels, edges


def trails(edges, start, both=False, kind=None, most=99):
    """(end, edges) of every walk from start that uses no edge twice, the empty one too."""
    found, stack = [], [(start, ())]
    while stack:
        at, used = stack.pop()
        found.append((at, used))
        if len(used) == most:
            continue
        for i, (u, v, t) in enumerate(edges):
            if i in used or (kind and t != kind):
                continue
            if u == at:
                stack.append((v, used + (i,)))
            elif both and v == at:
                stack.append((u, used + (i,)))
    return found


def reach(edges, start):
    seen, stack = {start}, [start]
    while stack:
        at = stack.pop()
        for u, v, _ in edges:
            if u == at and v not in seen:
                seen.add(v)
                stack.append(v)
    return seen


def on_walks(edges, start, end):
    return {e for e, (u, v, _) in enumerate(edges) if u in reach(edges, start) and end in reach(edges, v)}


def questions(n, labels, edges):
    kernels = [v for v in range(n) if labels[v] == "kernel"]
    every = {v: trails(edges, v) for v in range(n)}
    yield ("MATCH (a:kernel)-[*]->(b:memset) RETURN DISTINCT b.id AS b",
           sorted({b for a in kernels for b, used in every[a] if used and labels[b] == "memset"}))
    yield ("MATCH (a:kernel)-[*0..]->(b) RETURN DISTINCT a.id * 10 + b.id AS x",
           sorted({a * 10 + b for a in kernels for b, _ in every[a]}))
    yield ("MATCH (a)-[*]-(b) RETURN DISTINCT a.id * 10 + b.id AS x",
           sorted({a * 10 + b for a in range(n) for b, used in trails(edges, a, True, None, 5) if used}) if len(edges) <= 5 else None)
    yield ("MATCH (a:kernel)-[:READ*1..3]-(b) RETURN b.id AS b",
           sorted(b for a in kernels for b, used in trails(edges, a, True, "READ", 3) if used))
    yield ("MATCH p = (a)-[*]->(b {id: 1}) RETURN length(p) AS l",
           sorted(len(used) for a in range(n) for b, used in every[a] if used and b == 1))
    for k in (1, 3):
        yield ("MATCH p = SHORTEST %d (a)-[*]->(b) RETURN a.id * 1000 + b.id * 100 + length(p) AS x" % k,
               sorted(a * 1000 + b * 100 + l for a in range(n) for b in range(n)
                      for l in sorted(len(used) for end, used in every[a] if used and end == b)[:k]))
    lengths = {(a, b): sorted({len(used) for end, used in every[a] if used and end == b}) for a in range(n) for b in range(n)}
    yield ("MATCH p = SHORTEST 2 GROUPS (a)-[*]->(b) RETURN a.id * 1000 + b.id * 100 + length(p) AS x",
           sorted(a * 1000 + b * 100 + len(used) for a in range(n) for b, used in every[a]
                  if used and len(used) in lengths[a, b][:2]))
    yield ("MATCH p = ALL SHORTEST (a)-[*]->(b) RETURN a.id * 1000 + b.id * 100 + length(p) AS x",
           sorted(a * 1000 + b * 100 + len(used) for a in range(n) for b, used in every[a]
                  if a != b and used and len(used) == lengths[a, b][0]))
    yield ("MATCH p = ANY SHORTEST (a)-[*]->(b) WHERE a.id = 0 RETURN b.id * 100 + length(p) AS x",
           sorted(b * 100 + lengths[0, b][0] for b in range(1, n) if lengths[0, b]))
    yield ("MATCH (a)-[e]->(b)<-[f]-(c:kernel) RETURN c.id AS c",
           sorted(edges[f][0] for e in range(len(edges)) for f in range(len(edges))
                  if e != f and edges[e][1] == edges[f][1] and labels[edges[f][0]] == "kernel"))
    yield ("MATCH (a) RETURN a.id * 100 + size([(a)-[*1..2]-(x:kernel) | x]) AS x",
           sorted(a * 100 + sum(labels[b] == "kernel" for b, used in trails(edges, a, True, None, 2) if used) for a in range(n)))
    yield ("MATCH (a) WHERE NOT EXISTS { (a)-[:WRITE]->(b:kernel) WHERE b.id > a.id } RETURN a.id AS a",
           [a for a in range(n) if not any(u == a and t == "WRITE" and labels[v] == "kernel" and v > a for u, v, t in edges)])
    yield ("MATCH (a) OPTIONAL MATCH (a)-[:READ]->(b) WITH a, count(b) AS n RETURN a.id * 100 + n AS x",
           sorted(a * 100 + sum(u == a and t == "READ" for u, v, t in edges) for a in range(n)))
    chains = collections.defaultdict(list)  # READ edges, then WRITE edges: (length, vertex between)
    for a in range(n):
        for m, reads in trails(edges, a, False, "READ"):
            for b, writes in trails(edges, m, False, "WRITE") if reads else []:
                chains[a, b].append((len(reads) + len(writes), m))
    least = {ends: min(chain)[0] for ends, chain in chains.items()}
    yield ("MATCH p = ANY SHORTEST (a)-[:READ]->+(m)-[:WRITE]->*(b) RETURN a.id * 1000 + b.id * 100 + length(p) AS x",
           sorted(a * 1000 + b * 100 + l for (a, b), l in least.items()))
    yield ("MATCH p = ALL SHORTEST (a)-[:READ]->+(m)-[:WRITE]->*(b) WHERE m.id < 2 RETURN a.id * 1000 + b.id * 100 + length(p) AS x",
           sorted(a * 1000 + b * 100 + l for (a, b), chain in chains.items() for l, m in chain if l == least[a, b] and m < 2))
    yield ("MATCH p = SHORTEST 2 (a)-[:READ]->+(m)-[:WRITE]->*(b {id: 1}) RETURN a.id * 1000 + b.id * 100 + length(p) AS x",
           sorted(a * 1000 + b * 100 + l for (a, b), chain in chains.items() if b == 1 for l in sorted(l for l, m in chain)[:2]))
    yield ("MATCH p = ANY SHORTEST (a)-[*2..5]->(b) RETURN a.id * 1000 + b.id * 100 + length(p) AS x",
           sorted(a * 1000 + b * 100 + min(l for l in ls if l > 1) for (a, b), ls in lengths.items() if any(1 < l < 6 for l in ls)))
    yield ("MATCH p = ALL SHORTEST (a)-->(b)-->(c) RETURN a.id * 100 + c.id AS x",
           sorted(edges[e][0] * 100 + edges[g][1] for e in range(len(edges)) for g in range(len(edges))
                  if e != g and edges[e][1] == edges[g][0]))
    yield ("MATCH p = (a {id: 0})-[*]->(b {id: 1}) RETURN GRAPH p", len(on_walks(edges, 0, 1)))
    # a walk for each row of the MATCH before: together they keep what they keep one by one
    from_kernels = set().union(*[reach(edges, a) for a in kernels], set())
    yield ("MATCH (a:kernel) MATCH p = (a)-[*]->(b) RETURN GRAPH p", sum(u in from_kernels for u, _, _ in edges))
    yield ("MATCH (a:kernel)-[*]->(b) MATCH (b)-[e:READ]->() RETURN GRAPH e",
           sum(t == "READ" and any(v == u for x in from_kernels for y, v, _ in edges if x == y) for u, _, t in edges))
    yield ("MATCH (a:kernel)-[f*..2]->(b) MATCH p = (b)-[*]->() RETURN GRAPH f, p",
           len({e for a in kernels for b, used in trails(edges, a, most=2) if used and any(u == b for u, _, _ in edges)
                for e in set(used) | {i for i, (u, _, _) in enumerate(edges) if u in reach(edges, b)}}))
    readers = {u for u, _, t in edges if t == "READ"}
    yield ("MATCH (a:kernel)-[*..2]->(b) MATCH (b)-[:READ]->() RETURN GRAPH",
           len({e for a in kernels for b, used in trails(edges, a, most=2) if used and b in readers
                for e in set(used) | {i for i, (u, _, t) in enumerate(edges) if u == b and t == "READ"}}))
    yield ("OPTIONAL MATCH (a:kernel)-[*]->(b) RETURN GRAPH", sum(u in from_kernels for u, _, _ in edges))
    pairs = {(u, v) for u, v, t in edges if t == "READ"}
    yield ("MATCH (a)-[:READ]->(b) MATCH p = (a)-[*]->(c), q = (d)-[*]->(b) RETURN GRAPH p, q",
           len({e for e, (u, v, _) in enumerate(edges) for a, b in pairs if u in reach(edges, a) or b in reach(edges, v)}))
    yield ("MATCH (a)-[:READ]->(b) MATCH p = (a)-[*]->(c)-[:WRITE]->(b) RETURN GRAPH p",
           len({e for a, b in pairs for last, (c, d, t) in enumerate(edges) if t == "WRITE" and d == b
                for walk in [on_walks(edges, a, c)] if walk for e in walk | {last}}))
    writes = [edge for edge in edges if edge[2] == "WRITE"]
    after = {v for u, v, t in edges if t == "READ" and any(x == v for x, _, _ in writes)}
    further = set().union(*[reach(writes, v) for v in after], set())
    yield ("MATCH (a)-[e:READ]->(b) MATCH p = (b)-[:WRITE*]->(c) RETURN GRAPH e, p",
           sum(t == "READ" and v in after or t == "WRITE" and u in further for u, v, t in edges))
    kept = set()
    for a in range(n):
        for k in {i % 2 for i, (u, _, _) in enumerate(edges) if u == a}:
            of_k = [(u, v, i) for i, (u, v, _) in enumerate(edges) if i % 2 == k]
            kept |= {i for u, v, i in of_k if u in reach(of_k, a)}
    yield ("MATCH (a)-[t]->() WITH DISTINCT a, t.bytes % 2 AS k MATCH p = (a)-[e* WHERE e.bytes % 2 = k]->() RETURN GRAPH p", len(kept))


failures = asked = 0
for seed in range(rounds):
    n, labels, edges = graph(random.Random(seed))
    path = os.path.join(folder, "random.dot")
    with open(path, "w") as out:
        out.write("digraph { graph [vflow_version=1];\n")
        for v in range(n):
            out.write("v%d [kind=%s, name=n%d];\n" % (v, labels[v], v))
        for i, (u, v, t) in enumerate(edges):
            out.write('v%d -> v%d [key="%d:%s", object=%d, access=%s, bytes=%d];\n' % (u, v, i, t, i, t, i))
        out.write("}\n")
    wanted = [(query, answer) for query, answer in questions(n, labels, edges) if answer is not None]
    tables = [query for query, _ in wanted if "GRAPH" not in query]
    text = "".join("RETURN '--' AS mark;\n%s;\n" % query for query, _ in wanted)
    run = subprocess.run([vflow, "query", "-i", "--timeout", "20", path], input=text, capture_output=True, text=True)
    parts = run.stdout.split("mark\n--\n")[1:]
    for (query, answer), part in zip(wanted, parts):
        asked += 1
        got = part.count(" -> ") if "GRAPH" in query else sorted(int(x) for x in part.split("\n")[1:] if x)
        if got != answer:
            failures += 1
            print("seed %d: %s: got %s, wanted %s\n%s" % (seed, query, got, answer, run.stderr[:300]))
    if len(parts) != len(wanted):
        failures += 1
        print("seed %d: %d answers of %d: %s" % (seed, len(parts), len(wanted), run.stderr[:500]))
print(asked, "questions,", failures, "wrong")
sys.exit(failures > 0)
PY
rounds=${RANDOM_GRAPHS:-100}
if python3 "$T/questions.py" "$VFLOW" "$T" "$rounds" >"$T/out" 2>&1; then
	ok "$rounds random graphs: $(tail -1 "$T/out")"
else
	not_ok "$rounds random graphs" "$(tail -20 "$T/out")"
fi
cat >"$T/lookups.py" <<'PY'
import os, random, subprocess, sys

vflow, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
# d.p = x finds d by its p; NOT d.p <> x means the same and looks at every d
conditions = [("d.x", "a.x"), ("a.y + 1", "d.x"), ("d.z", "a.x"), ("d.x", "a.z"), ("d.name", "a.name"), ("d.x", "'1'"),
              ("d.z", "a.z"), ("d.x", "6 / a.y"), ("d.x", "a.missing"), ("d.x", "toInteger(a.name)"), ("d.id", "a.x")]
patterns = ["MATCH (a)-[e]->(o)<-[f]-(d:kernel) WHERE %s RETURN e.bytes, f.bytes",
            "MATCH (a)<-[e:READ]-(o)-[f]->(d) WHERE f.bytes > 5 AND %s AND d.y = a.y RETURN e.bytes, f.bytes",
            "MATCH (a)-[e]-(o)-[f]-(d) WHERE %s RETURN e.bytes, f.bytes",
            "MATCH (a:memset)-[f:WRITE]->(d) WHERE %s RETURN f.bytes",
            "MATCH (a)-[e]->(o)<-[f]-(d:alloc) WHERE %s RETURN e.bytes, f.bytes",  # asks d.x = 6 / 0 where o has an alloc alone
            "MATCH (a), (d:kernel) WHERE %s RETURN a.id, d.id",
            "MATCH (a) OPTIONAL MATCH (a)--(o)--(d) WHERE %s RETURN a.id, d.id, o.id",
            "MATCH (a) RETURN a.id, COUNT { (a)-->(o)<--(d) WHERE %s }, EXISTS { (o:kernel)-[*..2]->(d) WHERE %s }",
            "MATCH p = ANY SHORTEST (a)-->(o)<--(d) WHERE %s RETURN p"]

failures = asked = rows = 0
for seed in range(rounds):
    rng = random.Random(seed)
    n = rng.randint(4, 14)
    path = os.path.join(folder, "lookups.dot")
    with open(path, "w") as out:
        out.write("digraph { graph [vflow_version=1, vflow_types=\"x:int,y:int,z:float\"];\n")
        for v in range(n):
            values = ["kind=%s" % (rng.choice(["kernel", "memset"]) if v else "alloc"), "name=%d" % rng.randrange(n), "y=%d" % rng.randint(rng.randrange(2), n)]
            values += ["x=%d" % rng.randrange(n)] if rng.random() < .8 else []
            values += ["z=%s" % rng.choice(["1", "2.5", "3.0", "-0.0", "0.0"])] if rng.random() < .8 else []
            out.write("v%d [%s];\n" % (v, ", ".join(values)))
        for i in range(rng.randint(10, 90)):  # many at few vertices, loops and parallel ones too
            ends = [rng.randrange(n), rng.randrange(rng.choice([2, n]))]
            rng.shuffle(ends)
            out.write('v%d -> v%d [key="%d", object=%d, access=%s, bytes=%d];\n' % (*ends, i, i, rng.choice(["READ", "WRITE"]), i))
        out.write("}\n")
    queries = []
    for pattern in patterns:
        for left, right in conditions:
            for condition in "%s = %s", "NOT %s <> %s":
                queries.append(pattern.replace("%s", condition % (left, right)))
    text = "".join("RETURN '--' AS mark;\n%s;\n" % query for query in queries)
    run = subprocess.run([vflow, "query", "-i", "--timeout", "20", path], input=text, capture_output=True, text=True)
    parts = run.stdout.split("mark\n--\n")[1:]
    parts = [part.split("\n")[1:] for part in parts]
    if len(parts) != len(queries):
        failures += 1
        print("seed %d: %d answers of %d: %s" % (seed, len(parts), len(queries), run.stderr[:500]))
    for query, got, wanted in zip(queries[::2], parts[::2], parts[1::2]):
        asked += 1
        rows += len(got)
        if got != wanted:
            failures += 1
            print("seed %d: %s: got %s, wanted %s" % (seed, query, got[:20], wanted[:20]))
print(asked, "questions,", rows, "rows,", failures, "wrong")
sys.exit(failures > 0 or rows < asked)
PY
if python3 "$T/lookups.py" "$VFLOW" "$T" "$rounds" >"$T/out" 2>&1; then
	ok "looked up or not, $rounds random graphs: $(tail -1 "$T/out")"
else
	not_ok "looked up or not, $rounds random graphs" "$(tail -20 "$T/out")"
fi
finish
