/* graph/dot_names.h: attributes in DOT (vflow-export(1)) that are no fields of graph/fields.def. */
#ifndef VFLOW_GRAPH_DOT_NAMES_H
#define VFLOW_GRAPH_DOT_NAMES_H

#define DOT_VERSION "vflow_version"
#define DOT_VERSION_NUMBER 1
#define DOT_LINELENGTH "linelength"
/* of a graph: types of attributes that are no fields, "num:int,ok:bool" */
#define DOT_TYPES "vflow_types"

#define DOT_KEY "key"
/* on edges that a filter made instead of paths through what it hid: true */
#define DOT_BRIDGED "bridged"
/* on vertices with findings, not typed: which of the report is the first about it */
#define DOT_FINDING "finding"
/* beside it: what that finding is worth, as a share of what the report's best is, 0 to 1 */
#define DOT_FINDING_SHARE "finding_share"
/* on vertices and edges of a graph of two runs, not typed: same, changed, gone or new */
#define DOT_CHANGE "change"

#endif
