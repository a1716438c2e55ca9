/*
 * collect/launch.h: runs the target and waits for it.
 */
#ifndef VFLOW_COLLECT_LAUNCH_H
#define VFLOW_COLLECT_LAUNCH_H

#include <stdbool.h>

#include "collect/environment.h"
#include "collect/target.h"
#include "util/error.h"

/*
 * Runs the target and waits until it ends; *status is as waitpid(2) gives it.  Signals from the
 * terminal reach the target by themselves, those that others send to vflow are passed on; from the
 * first launch to launch_end() they do not end vflow.
 * Returns 0, or EXIT_NOT_FOUND, EXIT_NOT_EXECUTABLE, EXIT_VFLOW_FAILED when it could not start.
 */
int launch(const struct target *target, char **argv, const struct environment *environment,
	   int *status, struct error *error);

/*
 * The signal since the first launch by which somebody wants the program to end, or 0.  *idle: it
 * came between two launches, so that no target has answered it.
 */
int launch_stopped(bool *idle);

/*
 * Signals are vflow's own again, but for the last one that was passed on: it is of no more effect
 * when it comes again.
 */
void launch_end(void);

/*
 * When a signal that vflow, too, was sent has ended the target (Ctrl-C): ends vflow by it.  Shells
 * stop a script or a loop only if the program that they wait for died of SIGINT.  Else returns.
 */
void launch_end_alike(int status);

#endif
