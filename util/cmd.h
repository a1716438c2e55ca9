/* util/cmd.h: the commands that belong to no room. */
#ifndef VFLOW_UTIL_CMD_H
#define VFLOW_UTIL_CMD_H

int cmd_help(int argc, char **argv);
int cmd_version(int argc, char **argv);

#endif
