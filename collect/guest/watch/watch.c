/*
 * collect/guest/watch/watch.c: see watch.h.
 *
 * All that is known of ranges is the watcher's, a thread that waits for events of userfaultfd and
 * for requests; others make one request at a time and wait for its end.  The watcher allocates
 * nothing, takes no lock and reads nothing but its own memory: a thread that waits for a page may
 * have any lock, and any memory may have been taken.
 */
#include "collect/guest/watch/watch.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collect/guest/watch/pages.h"
#include "collect/guest/watch/request.h"
#include "collect/guest/watch/step.h"
#include "collect/guest/watch/unwind.h"
#include "collect/guest/watch/who.h"

enum {
	GROUPS_MAX = 256, /* of pages, which are put back together */
	MESSAGES_MAX = 256,
	CHANGES_MAX = 64,
	STEPS_MAX = 1000, /* of neighbours of a range; of all ranges, so many times as many */
	STEPS_TIMES = 50,
	PATIENCE_NS = 20000000,          /* with a thread that does not take signals */
	UNWIND_PATIENCE_NS = 2000000000, /* with one that another lock keeps from unwinding */
};

enum group_state {
	GROUP_TAKEN = 0,
	GROUP_BACK,
	GROUP_TOUCHED,
	GROUP_STEPPED_OVER, /* back until a step is made */
};

/* What is being done to know the call path of the first touch. */
enum asking {
	ASKING_NOBODY = 0,
	ASKING_SIGNALLED, /* the thread is to say its registers */
	ASKING_READY,     /* its registers, or its place, are known */
	ASKING_UNWINDER,
};

struct watch {
	bool armed; /* somebody is to be told of it */
	bool over;  /* its pages are the program's again, all of them */
	uintptr_t address;
	size_t bytes;
	struct pages pages;
	size_t group_size;
	uint32_t group_count;
	uint8_t groups[GROUPS_MAX];
	struct watch_result result;
	/* Of the thread that touched the range first, while it waits. */
	enum asking asking;
	struct who_registers registers;
	struct who_place place;
	uint32_t asked_group;
	uint32_t steps;
};

static struct watch watches[WATCHES_MAX];
static struct watch *unwound; /* whose path is being made; NULL: none, or nobody wants it */
static int events = -1;       /* descriptor of the watcher's */
static pid_t watcher;
static pthread_t watcher_thread;
static const char *ended; /* atomic; why nothing is watched any more */
static uint64_t (*common_clock)(void);

static struct uffd_msg messages[MESSAGES_MAX]; /* page faults that are still to be looked at */
static uint32_t first_message, message_count;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* -- groups of pages -- */

static size_t size_of_group(const struct watch *watch, uint32_t group)
{
	size_t offset = group * watch->group_size, left = watch->pages.size - offset;

	return left < watch->group_size ? left : watch->group_size;
}

static void give_group(struct watch *watch, uint32_t group, enum group_state state)
{
	size_t offset = group * watch->group_size;

	if (watch->groups[group] != GROUP_TAKEN)
		return;
	watch->groups[group] = (uint8_t)state;
	pages_give(&watch->pages, offset, size_of_group(watch, group), watch->pages.start + offset);
}

static void note_gap(struct watch *watch)
{
	if (!watch->result.first.kind)
		watch->result.gap = true;
}

/* The watch that has taken the page, and its group; NULL: none has. */
static struct watch *find(uintptr_t address, uint32_t *group)
{
	for (uint32_t i = 0; i < WATCHES_MAX; i++) {
		struct watch *watch = &watches[i];

		if (!watch->armed || watch->over ||
		    address - watch->pages.start >= watch->pages.size)
			continue;
		*group = (uint32_t)((address - watch->pages.start) / watch->group_size);
		if (watch->groups[*group] == GROUP_TAKEN)
			return watch;
	}
	return NULL;
}

/* -- the call path of the first touch -- */

static void finish_asking(struct watch *watch)
{
	if (watch->asking == ASKING_SIGNALLED)
		who_give_up(&watch->registers);
	if (watch->asking == ASKING_UNWINDER) {
		unwind_give_up();
		unwound = NULL;
	}
	watch->asking = ASKING_NOBODY;
	give_group(watch, watch->asked_group, GROUP_TOUCHED);
}

/* Takes the path that is made, and has the next one made.  Returns whether somebody waits for one.
 */
static bool serve_asking(void)
{
	static uintptr_t frames[WATCH_FRAMES];
	bool waiting = false;
	uint32_t count;

	if (unwind_take(frames, WATCH_FRAMES, &count) && unwound) {
		struct watch_use *first = &unwound->result.first;

		memcpy(first->frames, frames, count * sizeof(*frames));
		first->frame_count = count;
		unwound->asking = ASKING_NOBODY;
		give_group(unwound, unwound->asked_group, GROUP_TOUCHED);
		unwound = NULL;
	}
	for (uint32_t i = 0; i < WATCHES_MAX; i++) {
		struct watch *watch = &watches[i];
		bool known = watch->registers.state == WHO_KEPT;

		if (!watch->asking)
			continue;
		waiting = true;
		/* one that does not take signals is where it was */
		if (watch->asking == ASKING_SIGNALLED &&
		    now_ns() - watch->result.first.ns > PATIENCE_NS) {
			known = who_give_up(&watch->registers);
			watch->asking = ASKING_READY;
		}
		if (now_ns() - watch->result.first.ns > UNWIND_PATIENCE_NS) {
			finish_asking(watch);
		} else if (watch->asking == ASKING_READY && !unwind_is_busy()) {
			unwind_begin(known ? &watch->registers : NULL, &watch->place);
			watch->asking = ASKING_UNWINDER;
			unwound = watch;
		}
	}
	return waiting;
}

/* -- what the program does to its mappings -- */

/* Threads that waited for these pages have gone on. */
static void forget_messages(uintptr_t start, size_t size)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < message_count; i++) {
		const struct uffd_msg message = messages[(first_message + i) % MESSAGES_MAX];

		if (message.arg.pagefault.address - start >= size)
			messages[(first_message + kept++) % MESSAGES_MAX] = message;
	}
	message_count = kept;
}

/*
 * Gives back what is still taken: the range is not watched any more.  `state`: of these pages, if
 * the program may still touch them.
 */
static void retire(struct watch *watch, enum group_state state)
{
	if (watch->asking)
		finish_asking(watch);
	for (uint32_t group = 0; group < watch->group_count; group++)
		give_group(watch, group, state);
	pages_unregister(watch->pages.start, watch->pages.size);
	forget_messages(watch->pages.start, watch->pages.size);
	pages_release(&watch->pages);
	watch->over = true;
}

static bool is_between(const struct watch *watch, uintptr_t start, uintptr_t end)
{
	return watch->armed && !watch->over && watch->pages.start < end &&
	       start < watch->pages.start + watch->pages.size;
}

/* Ends the watch of what is no longer the range's alone. */
static void retire_between(uintptr_t start, uintptr_t end)
{
	for (uint32_t i = 0; i < WATCHES_MAX; i++) {
		struct watch *watch = &watches[i];

		if (!is_between(watch, start, end))
			continue;
		note_gap(watch);
		retire(watch, GROUP_TOUCHED);
	}
}

/* Whether somebody waits for a first touch there. */
static bool is_untouched_between(uintptr_t start, uintptr_t end)
{
	for (uint32_t i = 0; i < WATCHES_MAX; i++)
		if (is_between(&watches[i], start, end) && !watches[i].result.first.kind)
			return true;
	return false;
}

/* The program does not want the content of these pages any more, but the pages. */
static void drop_between(uintptr_t start, uintptr_t end)
{
	for (uint32_t i = 0; i < WATCHES_MAX; i++) {
		const struct pages *pages = &watches[i].pages;
		uintptr_t from = start > pages->start ? start : pages->start;
		uintptr_t last = pages->start + pages->size, to = end < last ? end : last;

		if (watches[i].armed && !watches[i].over && from < to)
			pages_drop(pages, from - pages->start, to - from);
	}
}

/* What has moved is given back where it is now. */
static void follow(uintptr_t from, uintptr_t to, size_t size)
{
	for (uint32_t i = 0; i < WATCHES_MAX; i++) {
		struct watch *watch = &watches[i];

		if (!watch->armed || watch->over)
			continue;
		for (size_t offset = 0; offset < watch->pages.size; offset += PAGE_BYTES) {
			uintptr_t page = watch->pages.start + offset;

			if (page - from < size &&
			    watch->groups[offset / watch->group_size] == GROUP_TAKEN)
				pages_give(&watch->pages, offset, PAGE_BYTES, to + (page - from));
		}
	}
	retire_between(from, from + size);
	pages_unregister(to, size);
}

/* -- messages -- */

/* Changes that the program has made while another one is followed. */
static struct uffd_msg changes[CHANGES_MAX];
static uint32_t change_count;
static bool is_following;

static void take_change(const struct uffd_msg *change)
{
	const uintptr_t start = change->arg.remove.start, end = change->arg.remove.end;

	if (change->event == UFFD_EVENT_REMAP) {
		follow(change->arg.remap.from, change->arg.remap.to, change->arg.remap.len);
		return;
	}
	for (uint32_t i = 0; i < WATCHES_MAX; i++)
		if (watches[i].armed && !watches[i].over && start <= watches[i].pages.start &&
		    watches[i].pages.start + watches[i].pages.size <= end)
			retire(&watches[i], GROUP_BACK); /* all of it is gone: nobody will use it */
	retire_between(start, end);
}

/* Reads all that there is; page faults are kept for later. */
static void read_messages(void)
{
	struct uffd_msg message;

	while (message_count < MESSAGES_MAX && change_count < CHANGES_MAX &&
	       read(events, &message, sizeof(message)) == sizeof(message)) {
		if (message.event == UFFD_EVENT_PAGEFAULT)
			messages[(first_message + message_count++) % MESSAGES_MAX] = message;
		else if (message.event == UFFD_EVENT_REMOVE)
			drop_between(message.arg.remove.start, message.arg.remove.end);
		else
			changes[change_count++] = message;
	}
	if (is_following)
		return;
	is_following = true;
	for (uint32_t i = 0; i < change_count; i++)
		take_change(&changes[i]);
	change_count = 0;
	is_following = false;
}

/* -- who touched a page -- */

/* The first touch of the range: says who it is, and returns whether the page is put back at once.
 */
static bool take_first(struct watch *watch, uint32_t group, pid_t thread, bool write)
{
	struct watch_use *first = &watch->result.first;

	watch->place = who_waits(thread);
	first->ns = now_ns();
	first->common_ns = common_clock();
	first->write = write;
	first->kind = watch->place.who == WHO_SYSTEM_CALL ? WATCH_SYSTEM_CALL : WATCH_INSTRUCTION;
	if (watch->place.who == WHO_UNKNOWN)
		return true;
	watch->asked_group = group;
	watch->asking = watch->place.who == WHO_INSTRUCTION && who_ask(&watch->registers, thread)
				? ASKING_SIGNALLED
				: ASKING_READY;
	return false;
}

static uint32_t all_steps;

/* The step that a thread is asked for. */
static struct {
	struct watch *watch;
	uint32_t group;
	uint64_t asked_ns;
} step;

/* Somebody touches a neighbour of the range: the page is put back for one instruction, or for good.
 */
static void take_neighbour(struct watch *watch, uint32_t group, pid_t thread)
{
	bool of_step = watch == step.watch && group == step.group;
	struct who_place place;

	if (of_step && step_of(thread) == STEP_READY) {
		give_group(watch, group, GROUP_STEPPED_OVER);
		return;
	}
	if (step_of(thread) != STEP_REFUSED && watch->steps < STEPS_MAX &&
	    all_steps < STEPS_TIMES * STEPS_MAX &&
	    (place = who_waits(thread)).who == WHO_INSTRUCTION && step_ask(thread, place.code)) {
		watch->steps++;
		all_steps++;
		step.watch = watch;
		step.group = group;
		step.asked_ns = now_ns();
		return;
	}
	if (step_of(thread) == STEP_REFUSED)
		step_end();
	note_gap(watch);
	give_group(watch, group, GROUP_TOUCHED);
}

/* Returns whether a thread may still make its step. */
static bool end_step(void)
{
	struct watch *watch = step.watch;

	if (step_now() == STEP_NONE || step_now() == STEP_READY)
		return false;
	if (step_now() == STEP_ASKED) {
		if (now_ns() - step.asked_ns < PATIENCE_NS || !step_end())
			return true;
		if (watch->armed && !watch->over) {
			note_gap(watch);
			give_group(watch, step.group, GROUP_TOUCHED);
		}
		return false;
	}
	if (step_now() == STEP_REFUSED) /* until it is here again; it may have gone on */
		return now_ns() - step.asked_ns < PATIENCE_NS || !step_end();
	if (watch->armed && !watch->over && watch->groups[step.group] == GROUP_STEPPED_OVER) {
		size_t offset = step.group * watch->group_size;

		watch->groups[step.group] = GROUP_TAKEN;
		if (pages_take_again(&watch->pages, offset, size_of_group(watch, step.group)) !=
		    0) {
			note_gap(watch);
			give_group(watch, step.group, GROUP_TOUCHED);
		}
	}
	step_end();
	return false;
}

static void take_fault(uintptr_t address, uint64_t flags, pid_t thread)
{
	bool write = flags & UFFD_PAGEFAULT_FLAG_WRITE;
	struct watch *watch;
	uint32_t group;

	watch = find(address, &group);
	if (!watch) {
		pages_fill(address & ~(PAGE_BYTES - 1));
		return;
	}
	if (unwind_is_by(thread)) { /* the thread that it unwinds may go on now */
		if (watch->asking && group == watch->asked_group)
			finish_asking(watch);
		note_gap(watch);
		give_group(watch, group, GROUP_TOUCHED);
	} else if (watch->asking && group == watch->asked_group) {
		/* others wait until it is known who was the first */
		if (watch->asking == ASKING_SIGNALLED && watch->registers.thread == thread &&
		    __atomic_load_n(&watch->registers.state, __ATOMIC_ACQUIRE) == WHO_KEPT)
			watch->asking = ASKING_READY;
	} else if (watch->asking || watch->result.first.kind) {
		give_group(watch, group, GROUP_TOUCHED);
	} else if (address - watch->address >= watch->bytes) { /* a neighbour of the range */
		take_neighbour(watch, group, thread);
	} else if (take_first(watch, group, thread, write)) {
		give_group(watch, group, GROUP_TOUCHED);
	}
}

/* -- requests -- */

struct arming {
	uintptr_t address;
	size_t bytes;
	enum watch_for what;
	const char *why;
	struct watch *watch; /* NULL: it is not watched */
};

static void arm(void *argument)
{
	struct arming *arming = argument;
	const bool writes = arming->what == WATCH_WRITES;
	uintptr_t start = arming->address & ~(PAGE_BYTES - 1);
	uintptr_t end = arming->address + arming->bytes;
	struct watch *watch = NULL;
	size_t size, pages;

	arming->why = watch_ended();
	if (arming->why)
		return;
	for (uint32_t i = 0; i < WATCHES_MAX && !watch; i++)
		if (!watches[i].armed)
			watch = &watches[i];
	if (!watch || end < start || end > UINTPTR_MAX - PAGE_BYTES)
		return;
	end = (end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	size = end - start;
	pages = size / PAGE_BYTES;
	arming->why = "what waits have put into its pages is watched";
	if (writes && is_untouched_between(start, end))
		return;
	retire_between(start, end);
	*watch = (struct watch){
		.address = arming->address,
		.bytes = arming->bytes,
		.pages = {.start = start, .size = size, .written = writes},
		.group_size = (pages + GROUPS_MAX - 1) / GROUPS_MAX * PAGE_BYTES,
		.result = {.pages = pages},
	};
	watch->group_count = (uint32_t)((size + watch->group_size - 1) / watch->group_size);
	if (pages_take(&watch->pages, &arming->why) != 0)
		return;
	watch->armed = true;
	arming->watch = watch;
}

struct ending {
	struct watch *watch;
	struct watch_result *result;
};

static void end_watch(void *argument)
{
	const struct ending *ending = argument;
	struct watch *watch = ending->watch;

	if (!watch->over)
		retire(watch, GROUP_BACK);
	for (uint32_t group = 0; group < watch->group_count; group++)
		if (watch->groups[group] == GROUP_TOUCHED)
			watch->result.touched += size_of_group(watch, group) / PAGE_BYTES;
	watch->armed = false;
	*ending->result = watch->result;
}

struct range {
	uintptr_t start, end;
};

static void give_back(void *argument)
{
	const struct range *range = argument;

	retire_between(range->start, range->end);
}

static bool is_quitting; /* nobody makes requests any more */

static void end_all(void *argument)
{
	const bool *threads = argument;

	retire_between(0, UINTPTR_MAX);
	if (!*threads)
		return;
	request_close();
	is_quitting = true;
}

/* -- the watcher -- */

/* Whether no thread has anything to do with us. */
static bool is_idle(void)
{
	return !message_count && !unwind_is_busy() && step_now() == STEP_NONE;
}

static struct {
	uint32_t waiting; /* a futex */
	int result;
	struct error why;
} begun;

static void *watch_events(void *unused)
{
	const struct timespec soon = {.tv_nsec = PATIENCE_NS / 4};
	bool patient = false;
	sigset_t others;

	(void)unused;
	/* descriptors of its own, which the program can neither close nor wait for */
	if (syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE) != 0)
		begun.result = error_set(&begun.why, "close_range: Linux 5.9 or newer is needed");
	else
		begun.result = events = pages_open(read_messages, &begun.why);
	if (begun.result >= 0 && unwind_start(&begun.why) != 0)
		begun.result = -1;
	watcher = (pid_t)syscall(SYS_gettid);
	__atomic_store_n(&begun.waiting, 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, &begun.waiting, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	sigfillset(&others);
	sigdelset(&others, who_signal());
	while (begun.result >= 0 && !(is_quitting && is_idle())) {
		struct pollfd poll = {.fd = events, .events = POLLIN};

		if (!message_count)
			ppoll(&poll, 1, patient ? &soon : NULL, &others);
		read_messages();
		if (message_count) {
			const struct uffd_msg message = messages[first_message];

			first_message = (first_message + 1) % MESSAGES_MAX;
			message_count--;
			take_fault(message.arg.pagefault.address, message.arg.pagefault.flags,
				   (pid_t)message.arg.pagefault.feat.ptid);
		}
		request_take();
		patient = serve_asking();
		patient |= end_step();
	}
	if (begun.result >= 0)
		unwind_end();
	return NULL;
}

int watch_start(uint64_t (*clock)(void), struct error *why)
{
	sigset_t all, before;
	int error;

	if (watch_ended())
		return error_set(why, "%s", watch_ended());
	if (who_start(why) != 0)
		return -1;
	common_clock = clock;
	begun.waiting = 1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&watcher_thread, NULL, watch_events, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return error_set(why, "no thread can be made: %s", strerror(error));
	while (__atomic_load_n(&begun.waiting, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &begun.waiting, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	if (begun.result < 0)
		*why = begun.why;
	return begun.result < 0 ? -1 : 0;
}

struct watch *watch_arm(uintptr_t address, size_t bytes, enum watch_for what, const char **why)
{
	struct arming arming = {.address = address, .bytes = bytes, .what = what};

	if (!request_make(watcher, arm, &arming, sizeof(arming)))
		arming.why = watch_ended();
	*why = arming.why;
	return arming.watch;
}

void watch_end(struct watch *watch, struct watch_result *result)
{
	struct ending ending = {watch, result};

	if (!request_make(watcher, end_watch, &ending, sizeof(ending)))
		end_watch(&ending); /* its pages are the program's already */
}

void watch_give_back(uintptr_t address, size_t bytes)
{
	struct range range = {address, address + bytes};
	bool found = false;

	/* what another thread begins to watch meanwhile, it would as well a moment later */
	for (uint32_t i = 0; i < WATCHES_MAX; i++)
		found |= is_between(&watches[i], range.start, range.end);
	if (found)
		request_make(watcher, give_back, &range, sizeof(range));
}

void watch_end_all(const char *why, bool threads)
{
	struct timespec patience;

	__atomic_store_n(&ended, why, __ATOMIC_RELEASE);
	if (events < 0 || !request_make(watcher, end_all, &threads, sizeof(threads)) || !threads)
		return;
	clock_gettime(CLOCK_REALTIME, &patience);
	patience.tv_sec += 3; /* the one that unwinds may want a lock of the caller's */
	pthread_timedjoin_np(watcher_thread, NULL, &patience);
}

const char *watch_ended(void)
{
	return __atomic_load_n(&ended, __ATOMIC_ACQUIRE);
}

bool watch_overlaps(const struct watch *watch, uintptr_t address, size_t bytes)
{
	return address < watch->address + watch->bytes && watch->address < address + bytes;
}
