/* render/cmd.h: the commands of this room. */
#ifndef VFLOW_RENDER_CMD_H
#define VFLOW_RENDER_CMD_H

int cmd_render(int argc, char **argv);

#endif
