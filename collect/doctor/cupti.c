/*
 * collect/doctor/cupti.c: which CUPTI there is, and whether several tools can use it at a time, as
 * from CUDA 13.3 on: a program with a profiler of its own is observed then, too.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/doctor/doctor.h"
#include "collect/pass/pass.h"
#include "util/memory.h"

/* What a child learnt. */
struct cupti_facts {
	char *provider; /* asked of this library */
	int found;
	uint32_t version;
	int first, second; /* results of cuptiSubscribe() */
};

static void ignore(void *data, int domain, uint32_t id, const void *call)
{
	(void)data, (void)domain, (void)id, (void)call;
}

/* The ABI of cupti.h. */
static void ask(void *data)
{
	struct cupti_facts *facts = data;
	void *library = dlopen(facts->provider, RTLD_NOW | RTLD_LOCAL), *subscribers[2];
	int (*version)(uint32_t *);
	int (*subscribe)(void **, void (*)(void *, int, uint32_t, const void *), void *);

	if (!library)
		return;
	*(void **)&version = dlsym(library, "cuptiGetVersion");
	*(void **)&subscribe = dlsym(library, "cuptiSubscribe");
	if (!version || !subscribe || version(&facts->version) != 0)
		return;
	facts->found = 1;
	facts->first = subscribe(&subscribers[0], ignore, NULL);
	facts->second = subscribe(&subscribers[1], ignore, NULL);
}

static void say(const struct cupti_facts *facts)
{
	if (facts->first)
		doctor_line(
			"missing", "CUPTI",
			"version %u, which takes no tool (error %d): the passes time, waits, use "
			"and calls cannot be made",
			facts->version, facts->first);
	else if (facts->second)
		doctor_line("ok", "CUPTI",
			    "version %u; one tool at a time: a program that uses it itself "
			    "(torch.profiler) is not observed by the passes time, waits, use and "
			    "calls",
			    facts->version);
	else
		doctor_line("ok", "CUPTI", "version %u; several tools at a time", facts->version);
}

void doctor_check_cupti(const char *folder)
{
	char *provider = xasprintf("%s/%s", folder, pass_library_cupti.name);
	struct cupti_facts facts = {.provider = provider};

	if (access(provider, R_OK) == 0) {
		if (!doctor_ask(ask, &facts, sizeof(facts)))
			doctor_line("broken", "CUPTI",
				    "it crashed, or hung, when it was asked for its version");
		else if (facts.found) /* else it cannot be loaded, and that was said */
			say(&facts);
	}
	free(provider);
}
