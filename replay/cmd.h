/* replay/cmd.h: the commands of this room. */
#ifndef VFLOW_REPLAY_CMD_H
#define VFLOW_REPLAY_CMD_H

int cmd_whatif(int argc, char **argv);

#endif
