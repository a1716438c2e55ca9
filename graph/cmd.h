/* graph/cmd.h: the commands of this room. */
#ifndef VFLOW_GRAPH_CMD_H
#define VFLOW_GRAPH_CMD_H

int cmd_deps(int argc, char **argv);
int cmd_export(int argc, char **argv);

#endif
