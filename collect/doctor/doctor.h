/*
 * collect/doctor/doctor.h: what the files of `vflow doctor` share: one line per thing, with what to
 * do about each that is not well.
 */
#ifndef VFLOW_COLLECT_DOCTOR_DOCTOR_H
#define VFLOW_COLLECT_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds for a process that uses the driver: one that is stuck may be so for ever. */
enum { DOCTOR_PATIENCE = 60 };

/*
 * Has a child fill in the facts.  False: it crashed or hung, or there could be none; what they are
 * then is not said.
 */
bool doctor_ask(void (*ask)(void *facts), void *facts, size_t size);

/* "  STATE    WHAT   TEXT"; STATE is ok, note, missing or broken. */
__attribute__((format(printf, 3, 4))) void doctor_line(const char *state, const char *what,
						       const char *format, ...);

/*
 * Whether the library can be loaded, with the libraries that it needs; says so in a line.  `after`:
 * one that is loaded before, or NULL.
 */
bool doctor_check_loadable(const char *what, const char *path, const char *after);
/* `vflow doctor` with one of these words is a program that `vflow doctor` collects: probe.h. */
#define DOCTOR_KNOWN_ANSWER "--known-answer"
#define DOCTOR_KNOWN_WAIT "--known-wait"
/* Collects the program with the known answer on the device; says in a line whether it was found. */
bool doctor_check_known_answer(const char *device);
/* The same of a wait for a kernel, by the passes `time` and `waits`. */
void doctor_check_known_wait(const char *device);
/* Says in a line which CUPTI the provider of these passes takes, and whether others can, too. */
void doctor_check_cupti(const char *folder);
/* Whether a profile can be written in this folder; says so in a line. */
bool doctor_check_output(void);

/* The section of `vflow doctor` on NVIDIA GPUs; see struct device. */
bool doctor_check_gpu(bool *here);

#endif
