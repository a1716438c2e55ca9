/* collect/cmd.h: the commands of this room. */
#ifndef VFLOW_COLLECT_CMD_H
#define VFLOW_COLLECT_CMD_H

int cmd_collect(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif
