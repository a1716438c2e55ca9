/*
 * collect/guest/ranks.h: the variables by which launchers of parallel programs number processes.
 */
#ifndef VFLOW_COLLECT_GUEST_RANKS_H
#define VFLOW_COLLECT_GUEST_RANKS_H

#define RANKS_SIZE 512

/* Those that are set to a number, "RANK=1 LOCAL_RANK=1"; "": none. */
void ranks_read(char text[RANKS_SIZE]);

#endif
