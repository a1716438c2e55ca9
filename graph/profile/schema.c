/* graph/profile/schema.c: the tables of a profile; profile.md describes them for people. */
#include "graph/profile/graph.h"

#include <string.h>

/* The reader compares these texts with the file's: views or virtual tables cannot stand in. */
const struct profile_table profile_tables[] = {
	{"run", "CREATE TABLE run (id INTEGER PRIMARY KEY CHECK (id = 1), vflow TEXT NOT NULL, "
		"command TEXT NOT NULL, date INTEGER NOT NULL, event_count INTEGER NOT NULL, "
		"redundancy_threshold REAL NOT NULL, events_checksum TEXT NOT NULL, "
		"checksum TEXT NOT NULL)"},
	{"process", "CREATE TABLE process (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, "
		    "parent INTEGER NOT NULL, executable TEXT NOT NULL, arguments TEXT NOT NULL, "
		    "provider TEXT NOT NULL, device TEXT NOT NULL, ended INTEGER NOT NULL)"},
	{"module",
	 "CREATE TABLE module (id INTEGER PRIMARY KEY, path TEXT NOT NULL, build_id TEXT)"},
	{"frame", "CREATE TABLE frame (id INTEGER PRIMARY KEY, "
		  "module INTEGER NOT NULL REFERENCES module, offset INTEGER NOT NULL, "
		  "function TEXT, file TEXT, line INTEGER NOT NULL, inlined INTEGER NOT NULL)"},
	{"callpath",
	 "CREATE TABLE callpath (id INTEGER NOT NULL, position INTEGER NOT NULL, "
	 "frame INTEGER NOT NULL REFERENCES frame, PRIMARY KEY (id, position)) WITHOUT ROWID"},
	{"vertex", NULL},
	{"object",
	 "CREATE TABLE object (id INTEGER PRIMARY KEY, "
	 "site INTEGER NOT NULL REFERENCES vertex, process INTEGER NOT NULL REFERENCES process, "
	 "size INTEGER NOT NULL, address INTEGER NOT NULL, memory INTEGER NOT NULL, "
	 "name TEXT, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL)"},
	{"edge", NULL},
	{"event",
	 "CREATE TABLE event (id INTEGER PRIMARY KEY, vertex INTEGER REFERENCES vertex, name TEXT, "
	 "process INTEGER NOT NULL REFERENCES process, thread INTEGER NOT NULL, "
	 "device INTEGER NOT NULL, stream INTEGER NOT NULL, invocation INTEGER NOT NULL, "
	 "start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL)"},
	{"access", "CREATE TABLE access (id INTEGER PRIMARY KEY, "
		   "event INTEGER NOT NULL REFERENCES event, "
		   "object INTEGER NOT NULL REFERENCES object, access INTEGER NOT NULL, "
		   "writer INTEGER NOT NULL REFERENCES vertex, bytes INTEGER NOT NULL, "
		   "redundant_bytes INTEGER)"},
	{"duplicate",
	 "CREATE TABLE duplicate (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, "
	 "occurrences INTEGER NOT NULL, events INTEGER NOT NULL, zero INTEGER NOT NULL)"},
	{"duplicate_member",
	 "CREATE TABLE duplicate_member ("
	 "duplicate INTEGER NOT NULL REFERENCES duplicate, position INTEGER NOT NULL, "
	 "site INTEGER NOT NULL REFERENCES vertex, "
	 "cause INTEGER NOT NULL REFERENCES vertex, objects INTEGER NOT NULL, "
	 "PRIMARY KEY (duplicate, position)) WITHOUT ROWID"},
	{"finding",
	 "CREATE TABLE finding (id INTEGER PRIMARY KEY, pattern TEXT NOT NULL, "
	 "vertex INTEGER NOT NULL REFERENCES vertex, object INTEGER NOT NULL REFERENCES vertex, "
	 "access INTEGER NOT NULL, bytes INTEGER NOT NULL, fraction REAL NOT NULL, "
	 "evidence TEXT NOT NULL, advice TEXT NOT NULL, limits TEXT NOT NULL)"},
	{"finding_other",
	 "CREATE TABLE finding_other (finding INTEGER NOT NULL REFERENCES finding, "
	 "position INTEGER NOT NULL, vertex INTEGER NOT NULL REFERENCES vertex, "
	 "PRIMARY KEY (finding, position)) WITHOUT ROWID"},
	{"coverage", "CREATE TABLE coverage (id INTEGER PRIMARY KEY, what TEXT NOT NULL, "
		     "reason TEXT NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL)"},
	{NULL, NULL},
};

const char *profile_table_sql(const struct profile_table *table)
{
	if (table->sql)
		return table->sql;
	return !strcmp(table->name, "edge") ? profile_edge_sql() : profile_vertex_sql();
}

const char *const profile_views =
	"CREATE VIEW objects AS SELECT o.id, o.site, v.callpath_text AS allocated_by, o.size, "
	"CASE o.memory WHEN 1 THEN 'device' WHEN 2 THEN 'managed' WHEN 3 THEN 'mapped host' "
	"WHEN 4 THEN 'global' ELSE 'array' END AS memory, o.name, o.start_ns, "
	"nullif(o.end_ns, 0) AS end_ns, p.pid FROM object o JOIN vertex v ON v.id = o.site "
	"JOIN process p ON p.id = o.process ORDER BY o.id;"
	"CREATE VIEW events AS SELECT e.id, p.pid, e.thread, e.device, e.stream, e.vertex, "
	"coalesce(e.name, v.name) AS call, v.callpath_text AS callpath, e.invocation, e.start_ns, "
	"e.end_ns, e.end_ns - e.start_ns AS host_ns FROM event e "
	"JOIN process p ON p.id = e.process LEFT JOIN vertex v ON v.id = e.vertex ORDER BY e.id;"
	"CREATE VIEW accesses AS SELECT a.event, v.name AS call, a.object, o.site, "
	"s.callpath_text AS object_from, "
	"CASE a.access WHEN 1 THEN 'READ' ELSE 'WRITE' END AS access, a.bytes, "
	"a.redundant_bytes, a.writer, w.name AS written_by FROM access a "
	"JOIN event e ON e.id = a.event JOIN vertex v ON v.id = e.vertex "
	"JOIN object o ON o.id = a.object JOIN vertex s ON s.id = o.site "
	"JOIN vertex w ON w.id = a.writer ORDER BY a.id;"
	"CREATE VIEW findings AS SELECT f.id, f.pattern, f.vertex, v.name AS operation, "
	"v.callpath_text AS where_operation, f.object, o.callpath_text AS where_object, f.bytes, "
	"round(100 * f.fraction, 1) AS percent, f.evidence, f.advice, f.limits FROM finding f "
	"JOIN vertex v ON v.id = f.vertex JOIN vertex o ON o.id = f.object ORDER BY f.id;"
	"CREATE VIEW callpaths AS SELECT v.id AS vertex, c.position, f.function, f.file, f.line, "
	"f.inlined, m.path AS module, f.offset FROM vertex v JOIN callpath c ON c.id = v.callpath "
	"JOIN frame f ON f.id = c.frame JOIN module m ON m.id = f.module ORDER BY v.id, "
	"c.position;";
