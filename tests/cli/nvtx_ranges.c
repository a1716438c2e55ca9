/*
 * tests/cli/nvtx_ranges.c: calls NVTX as its headers do, which come with CUDA toolkits only: it
 * loads the library that NVTX_INJECTION64_PATH names and calls what that fills in.  Built with
 * -DNVTX_HEADERS it uses the headers.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/filters_kernels.ptx")

#ifdef NVTX_HEADERS
#include <nvtx3/nvToolsExt.h>

static void start(void)
{
}

static const void *named(const char *text, nvtxDomainHandle_t domain)
{
	return nvtxDomainRegisterStringA(domain, text);
}

#define PUSH(name) nvtxRangePushA(name)
#define PUSH_WIDE(name) nvtxRangePushW(name)
#define POP() nvtxRangePop()
#define DOMAIN(name) nvtxDomainCreateA(name)
#define PUSH_IN(domain, attributes) nvtxDomainRangePushEx(domain, attributes)
#define POP_IN(domain) nvtxDomainRangePop(domain)
#define BEGIN(name) nvtxRangeStartA(name)
#define END(id) nvtxRangeEnd(id)
typedef nvtxDomainHandle_t domain_handle;
typedef nvtxEventAttributes_t attributes;

static attributes ascii(const char *text)
{
	attributes a = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};

	a.messageType = NVTX_MESSAGE_TYPE_ASCII;
	a.message.ascii = text;
	return a;
}

static attributes registered(const void *text)
{
	attributes a = ascii("");

	a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	a.message.registered = (nvtxStringHandle_t)(uintptr_t)text;
	return a;
}

#else
#include <dlfcn.h>

typedef void (*function)(void);
typedef uint64_t begin_range(const char *);
typedef function **function_table;
typedef void *domain_handle;
typedef struct {
	uint16_t version, size;
	uint32_t category;
	int32_t colour_type;
	uint32_t colour;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
} attributes;

/* Does what NVTX does without a tool. */
static int none(void)
{
	return -2;
}

enum { FUNCTIONS = 16 };
static function core[FUNCTIONS], domains[FUNCTIONS];

static int functions(int module, function_table *table, unsigned *size)
{
	static function *core_places[FUNCTIONS + 1], *domain_places[FUNCTIONS + 1];

	for (unsigned i = 1; i < FUNCTIONS; i++) {
		core_places[i] = &core[i];
		domain_places[i] = &domains[i];
	}
	*table = module == 1 ? core_places : module == 5 ? domain_places : NULL;
	*size = FUNCTIONS;
	return *table != NULL;
}

static const void *export_table(uint32_t id)
{
	static const struct {
		size_t size;
		int (*functions)(int, function_table *, unsigned *);
	} callbacks = {sizeof(callbacks), functions};

	return id == 1 ? &callbacks : NULL;
}

static void start(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*begin)(const void *(*)(uint32_t)) = NULL;

	for (unsigned i = 0; i < FUNCTIONS; i++)
		core[i] = domains[i] = (function)none;
	if (library)
		begin = (int (*)(const void *(*)(uint32_t)))(uintptr_t)dlsym(
			library, "InitializeInjectionNvtx2");
	if (begin)
		begin(export_table);
}

#define PUSH(name) ((int (*)(const char *))core[9])(name)
#define PUSH_WIDE(name) ((int (*)(const wchar_t *))core[10])(name)
#define POP() ((int (*)(void))core[11])()
#define DOMAIN(name) ((void *(*)(const char *))domains[12])(name)
#define PUSH_IN(domain, a) ((int (*)(void *, const attributes *))domains[4])(domain, a)
#define POP_IN(domain) ((int (*)(void *))domains[5])(domain)
#define BEGIN(name) ((begin_range *)core[5])(name)
#define END(id) ((void (*)(uint64_t))core[7])(id)

static const void *named(const char *text, domain_handle domain)
{
	return ((const void *(*)(void *, const char *))domains[10])(domain, text);
}

static attributes ascii(const char *text)
{
	return (attributes){
		.version = 3, .size = sizeof(attributes), .message_type = 1, .message = text};
}

static attributes registered(const void *text)
{
	return (attributes){
		.version = 3, .size = sizeof(attributes), .message_type = 3, .message = text};
}
#endif

static char *memory;
static int value;

static void set(void)
{
	cudaMemset(memory, ++value, 4096);
}

static void expect(const char *what, int is, int wanted)
{
	if (is != wanted)
		printf("%s: %d, not %d\n", what, is, wanted);
}

/* A range of another thread, and one of this process's child. */
static void *other_thread(void *unused)
{
	(void)unused;
	PUSH("other");
	set();
	POP();
	return NULL;
}

static void threads(void)
{
	pthread_t thread;

	PUSH("main only");
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	set();
	POP();
}

static void child(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		PUSH("child");
		expect("child", POP(), 0);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	expect("the child's end", WEXITSTATUS(status), 7);
}

static void domains_and_order(void)
{
	domain_handle domain = DOMAIN("lib");
	attributes copy = ascii("copy"), fill = registered(named("fill", domain));

	PUSH("outer");
	expect("push in domain", PUSH_IN(domain, &copy), 0);
	expect("push in domain again", PUSH_IN(domain, &fill), 1);
	set(); /* outer / lib:copy / lib:fill */
	expect("pop outer", POP(), 0);
	set(); /* lib:copy / lib:fill */
	expect("pop fill", POP_IN(domain), 1);
	expect("pop copy", POP_IN(domain), 0);
	expect("pop nothing", POP_IN(domain) < 0, 1);
}

static void deep(void)
{
	for (int i = 0; i < 40; i++)
		expect("push", PUSH("deep"), i < 32 ? i : 32);
	set();
	for (int i = 0; i < 40; i++)
		POP();
	set(); /* in none */
	expect("pop nothing", POP() < 0, 1);
}

static void many(void)
{
	char name[32];

	for (int i = 0; i < 70000; i++) {
		snprintf(name, sizeof(name), "range %d", i);
		PUSH(name);
		POP();
	}
}

static void fill(unsigned with)
{
	LAUNCH(fill, 1, 256, memory, with);
}

/* What --capture-range hot takes: two of four. */
static void launches(void)
{
	uint64_t id;

	fill(1);
	PUSH("outside");
	PUSH("hot loop");
	fill(2);
	POP();
	fill(3);
	POP();
	id = BEGIN("the hot phase");
	fill(4);
	END(id);
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : "";
	uint64_t id;

	start();
	PUSH("before CUDA");
	cudaMalloc((void **)&memory, 4096);
	POP();
	expect("push", PUSH("train"), 0);
	for (int i = 0; i < 3; i++) {
		expect("push step", PUSH(i ? "step" : "first"), 1);
		set();
		expect("pop step", POP(), 1);
	}
	PUSH_WIDE(L"w\u00e9\U0001f600");
	set();
	POP();
	PUSH("<b>\"\n\x01");
	set();
	POP();
	POP();
	domains_and_order();
	threads();
	child();
	id = BEGIN("phase");
	set();
	END(id);
	deep();
	if (!strcmp(only, "many"))
		many();
	if (!strcmp(only, "launches"))
		launches();
	cudaFree(memory);
	puts("done");
	return 3;
}
