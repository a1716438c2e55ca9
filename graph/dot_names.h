/*
 * graph/dot_names.h: names of the attributes in DOT (DESIGN 6), for its reader and writer and for
 * the JSON export, which uses the same.
 */
#ifndef VFLOW_GRAPH_DOT_NAMES_H
#define VFLOW_GRAPH_DOT_NAMES_H

#define DOT_VERSION "vflow_version"
#define DOT_VERSION_NUMBER 1
#define DOT_LINELENGTH "linelength"

#define DOT_KIND "kind"
#define DOT_NAME "name"
#define DOT_INVOCATIONS "invocations"
#define DOT_READ_BYTES "read_bytes"
#define DOT_WRITTEN_BYTES "written_bytes"
#define DOT_REDUNDANT_BYTES "redundant_bytes"
#define DOT_TIME_NS "time_ns"
#define DOT_CONTEXT "context"
#define DOT_CALLPATH "callpath"
#define DOT_PATTERNS "patterns"
#define DOT_ADVICE "advice"
/* on vertices with findings, not typed: which of the report is the first about it */
#define DOT_FINDING "finding"

#define DOT_KEY "key"
#define DOT_OBJECT "object"
#define DOT_ACCESS "access"
#define DOT_BYTES "bytes"
#define DOT_REDUNDANCY "redundancy"
#define DOT_COUNT "count"
#define DOT_OBJECT_BYTES "object_bytes"

#endif
