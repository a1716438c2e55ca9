/*
 * collect/launch.h: runs the target and waits for it.
 */
#ifndef VFLOW_COLLECT_LAUNCH_H
#define VFLOW_COLLECT_LAUNCH_H

#include "collect/environment.h"
#include "collect/target.h"
#include "util/error.h"

/*
 * Runs the target and waits until it ends; *status is as waitpid(2) gives it.  Signals from the
 * terminal reach the target by themselves, those that others send to vflow are passed on; the last
 * of these is of no more effect on vflow when it comes again.
 * Returns 0, or EXIT_NOT_FOUND, EXIT_NOT_EXECUTABLE, EXIT_VFLOW_FAILED when it could not start.
 */
int launch(const struct target *target, char **argv, const struct environment *environment,
	   int *status, struct error *error);

/*
 * When a signal that vflow, too, was sent during launch() has ended the target (Ctrl-C): ends vflow
 * by it.  Shells stop a script or a loop only if the program that they wait for died of SIGINT.
 * Else returns.
 */
void launch_end_alike(int status);

#endif
