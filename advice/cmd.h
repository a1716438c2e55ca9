/* advice/cmd.h: the commands of this room. */
#ifndef VFLOW_ADVICE_CMD_H
#define VFLOW_ADVICE_CMD_H

int cmd_diff(int argc, char **argv);
int cmd_report(int argc, char **argv);

#endif
