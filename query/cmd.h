/* query/cmd.h: the commands of this room. */
#ifndef VFLOW_QUERY_CMD_H
#define VFLOW_QUERY_CMD_H

int cmd_slice(int argc, char **argv);
int cmd_prune(int argc, char **argv);
int cmd_path(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_query(int argc, char **argv);

#endif
