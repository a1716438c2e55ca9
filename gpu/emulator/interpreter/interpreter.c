/*
 * gpu/emulator/interpreter/interpreter.c: a launch, and the host threads that run its blocks.
 *
 * Everything that could differ between two runs (order, %clock, uninitialised registers) is
 * fixed, so that a program computes the same on every run.  So only kernels whose code cannot see
 * the order of blocks (ptx_observes_order()) run on several threads; one that breaks CUDA's rules,
 * where blocks of one launch store to the same place or read what another stored, is the exception.
 * VFLOW_EMULATOR_THREADS=1 keeps those in order too.
 */
#include "gpu/emulator/interpreter/interpreter.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/emulator/interpreter/block.h"

#define SHARED_LIMIT (16u << 20)
#define THREADS_LIMIT 1024u
#define RESIDENT_LIMIT 1024u
#define CLUSTER_LIMIT 16u
#define HOST_THREADS_LIMIT 256u
#define TIMEOUT_SECONDS 600.0 /* of a launch: endless kernels must not hang a test run for good */
/* What a launch must have taken for each host thread that is to help: far more than to start one.
 */
#define HELPER_SECONDS 100e-6

/* A host thread that runs blocks: the caller's own is the first. */
struct worker {
	struct grid *grid;
	struct block *blocks;
	struct fault fault;
	uint64_t first; /* of the blocks that it runs */
	pthread_t thread;
};

/* A launch while it runs. */
struct grid {
	const struct launch *launch;
	uint64_t count;
	uint32_t resident;     /* blocks that run together */
	double start, seconds; /* 0 seconds: no limit */
	uint32_t helpers, most_helpers;
	struct worker *workers; /* 1 + most_helpers */

	uint64_t next; /* block that nobody has taken; atomic */
	/* The first block that faulted (atomic), and its fault; no block behind it need run. */
	uint64_t faulted;
	struct fault *fault;
	pthread_mutex_t lock; /* of *fault */
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Writes what only the launch knows into the module's constants. */
static void patch_constants(const struct launch *launch)
{
	struct ptx_module *module = launch->module;
	const uint64_t own = launch->kernel->shared_bytes;
	const uint64_t alignment = module->dynamic_alignment > 16 ? module->dynamic_alignment : 16;

	for (uint32_t n = 0; n < module->patch_count; n++) {
		const struct ptx_patch *patch = &module->patches[n];
		uint64_t base;

		if (patch->variable == PTX_PATCH_DYNAMIC_SHARED)
			base = (own + alignment - 1) / alignment * alignment;
		else if (patch->variable >= PTX_PATCH_SHARED)
			base = ptx_shared_offset(launch->kernel,
						 patch->variable - PTX_PATCH_SHARED);
		else
			base = module->variables[patch->variable]->address;
		set_row(module->constants[patch->constant], base + (uint64_t)patch->addend);
	}
}

/* Of the blocks that fault, the first is reported, however many threads there are. */
static void report_fault(struct worker *worker)
{
	struct grid *grid = worker->grid;

	pthread_mutex_lock(&grid->lock);
	if (worker->fault.kind != FAULT_NONE && worker->first < grid->faulted) {
		*grid->fault = worker->fault;
		__atomic_store_n(&grid->faulted, worker->first, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&grid->lock);
}

static void get_help(struct grid *grid);

/* Runs blocks until none are left.  They are taken in order: all before a fault do run. */
static void work(struct worker *worker)
{
	struct grid *grid = worker->grid;

	for (;;) {
		worker->first = __atomic_fetch_add(&grid->next, grid->resident, __ATOMIC_RELAXED);
		if (worker->first >= grid->count ||
		    worker->first > __atomic_load_n(&grid->faulted, __ATOMIC_RELAXED))
			return;
		if (blocks_run(worker->blocks, grid->resident, worker->first)) {
			report_fault(worker);
			return;
		}
		if (worker == grid->workers)
			get_help(grid);
	}
}

static void *help(void *data)
{
	struct worker *worker = data;
	struct grid *grid = worker->grid;

	worker->blocks = blocks_create(grid->launch, &worker->fault, worker, grid->resident);
	for (uint32_t n = 0; worker->blocks && n < grid->resident; n++)
		worker->blocks[n].helped = true;
	if (worker->blocks)
		work(worker);
	return NULL;
}

/* Starts threads while the launch has taken long enough to be worth them. */
static void get_help(struct grid *grid)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

	while (grid->helpers < grid->most_helpers &&
	       __atomic_load_n(&grid->next, __ATOMIC_RELAXED) < grid->count &&
	       now() - grid->start > HELPER_SECONDS * (grid->helpers + 1)) {
		struct worker *worker = &grid->workers[grid->helpers + 1];
		sigset_t all, before;

		for (uint32_t n = 0; n < grid->resident; n++)
			grid->workers->blocks[n].helped = true;
		worker->grid = grid;
		/* the program's signals are for its own threads, but for those that a thread causes
		 */
		sigfillset(&all);
		for (size_t n = 0; n < sizeof(own) / sizeof(*own); n++)
			sigdelset(&all, own[n]);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		if (pthread_create(&worker->thread, NULL, help, worker))
			grid->most_helpers = grid->helpers; /* it goes without */
		else
			grid->helpers++;
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
}

bool worker_look(struct worker *worker)
{
	struct grid *grid = worker->grid;

	if (grid->seconds > 0 && now() - grid->start > grid->seconds) {
		warp_fault(worker->blocks->warps, worker->blocks->warps->active, FAULT_TIMEOUT,
			   "the launch ran longer than VFLOW_EMULATOR_TIMEOUT allows");
		return false;
	}
	if (worker == grid->workers)
		get_help(grid);
	return worker->first < __atomic_load_n(&grid->faulted, __ATOMIC_RELAXED);
}

/* Host threads that may run blocks of the launch. */
static uint32_t threads_of(const struct launch *launch, uint64_t parts)
{
	const char *text = getenv("VFLOW_EMULATOR_THREADS");
	uint64_t wanted = text ? strtoul(text, NULL, 10) : 0;
	cpu_set_t cpus;

	if (parts < 2 || launch->values || races_wanted(launch) ||
	    ptx_observes_order(launch->module, launch->kernel))
		return 1;
	if (!wanted && !sched_getaffinity(0, sizeof(cpus), &cpus))
		wanted = (uint64_t)CPU_COUNT(&cpus);
	if (wanted > HOST_THREADS_LIMIT)
		wanted = HOST_THREADS_LIMIT;
	return (uint32_t)(wanted > parts ? parts : wanted ? wanted : 1);
}

/*
 * What makes no edges though values flow through it: once for the launch, as GPUs say it of kernels
 * with such instructions.  A launch that is not observed says more than that.
 */
static void note_unseen(const struct grid *grid)
{
	const struct launch *launch = grid->launch;
	bool textures = false, surfaces = false;

	if (!launch->note || !launch->observed)
		return;
	for (uint32_t n = 0; n <= grid->helpers; n++)
		for (uint32_t k = 0; grid->workers[n].blocks && k < grid->resident; k++) {
			textures |= grid->workers[n].blocks[k].reads_textures;
			surfaces |= grid->workers[n].blocks[k].stores_surfaces;
		}
	if (textures)
		launch->note(COVERAGE_TEXTURE_READS, NULL, 1, 0);
	if (surfaces)
		launch->note(COVERAGE_SURFACE_STORES, NULL, 1, 0);
}

static void count_instructions(const struct grid *grid)
{
	for (uint32_t n = 0; n <= grid->helpers; n++)
		for (uint32_t k = 0; grid->workers[n].blocks && k < grid->resident; k++)
			*grid->launch->instructions += grid->workers[n].blocks[k].clock;
}

/* Runs all blocks.  False: no memory. */
static bool run_grid(struct grid *grid)
{
	struct worker *own = grid->workers;

	own->grid = grid;
	own->blocks = blocks_create(grid->launch, &own->fault, own, grid->resident);
	if (!own->blocks)
		return false;
	work(own);
	for (uint32_t n = 1; n <= grid->helpers; n++)
		pthread_join(grid->workers[n].thread, NULL);
	note_unseen(grid);
	if (grid->launch->instructions)
		count_instructions(grid);
	if (grid->launch->host_threads)
		*grid->launch->host_threads = grid->helpers + 1;
	for (uint32_t n = 0; n <= grid->helpers; n++)
		if (grid->workers[n].blocks)
			blocks_destroy(grid->workers[n].blocks, grid->resident);
	return true;
}

/* Seconds that a launch may take; 0: no limit. */
static double time_limit(void)
{
	const char *text = getenv("VFLOW_EMULATOR_TIMEOUT");

	return text && *text ? strtod(text, NULL) : TIMEOUT_SECONDS;
}

static bool clusters_fit(const struct launch *launch)
{
	for (unsigned n = 0; n < 3; n++)
		if (cluster_of(launch, n) > CLUSTER_LIMIT ||
		    launch->grid[n] % cluster_of(launch, n))
			return false;
	return cluster_size(launch) <= CLUSTER_LIMIT;
}

int interpreter_run(const struct launch *launch, struct fault *fault)
{
	uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
	uint64_t count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	uint32_t resident = launch->cooperative ? (uint32_t)count : cluster_size(launch);
	struct grid grid = {
		.launch = launch,
		.count = count,
		.resident = resident,
		.seconds = time_limit(),
		.start = now(),
		.faulted = UINT64_MAX,
		.fault = fault,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	fenv_t environment;

	*fault = (struct fault){0};
	if (!threads || launch->block[0] > THREADS_LIMIT || launch->block[1] > THREADS_LIMIT ||
	    threads > THREADS_LIMIT || launch->dynamic_shared_bytes > SHARED_LIMIT ||
	    (launch->cooperative && count > RESIDENT_LIMIT) || !clusters_fit(launch)) {
		fault->kind = FAULT_NO_MEMORY;
		snprintf(fault->text, sizeof(fault->text),
			 "kernel %.200s: %llu blocks in clusters of %u, of %llu threads with %llu "
			 "bytes of "
			 "shared memory",
			 launch->kernel->name, (unsigned long long)count, cluster_size(launch),
			 (unsigned long long)threads,
			 (unsigned long long)launch->dynamic_shared_bytes);
		return -1;
	}
	patch_constants(launch);
	grid.most_helpers = threads_of(launch, count / resident) - 1;
	grid.workers = calloc(grid.most_helpers + 1, sizeof(*grid.workers));
	/* whatever rounding, flushing or traps the program has chosen for itself */
	fegetenv(&environment);
	fesetenv(FE_DFL_ENV);
	if (!grid.workers || !run_grid(&grid)) {
		fault->kind = FAULT_NO_MEMORY;
		snprintf(fault->text, sizeof(fault->text), "kernel %.200s: no memory for its warps",
			 launch->kernel->name);
	}
	fesetenv(&environment);
	free(grid.workers);
	return fault->kind == FAULT_NONE ? 0 : -1;
}
