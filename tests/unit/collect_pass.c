/* Passes, their runs and options, on a table of the test's own; and the rows of vflow's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/pass/options.h"
#include "collect/folder.h"
#include "collect/trace.h"
#include "util/memory.h"

static bool far_is_here;

static bool is_present(void)
{
	return far_is_here;
}

static const struct device near = {.name = "near", .where = "on the near device"};
static const struct device far = {
	.name = "far",
	.where = "on the far device",
	.is_present = is_present,
	.absent = "nothing far away",
	.absent_by_name = "there is nothing far away",
	.unbuilt = "no far provider",
};

static const struct pass_option shared = {
	.option = {.name = "shared", .argument = "N", .kind = OPTION_NUMBER},
	.standard = 7,
	.variable = "VFLOW_TEST_SHARED",
};
static const struct pass_option word = {
	.option = {.name = "word", .argument = "WORD", .kind = OPTION_TEXT},
	.variable = "VFLOW_TEST_WORD",
};

static int is_odd(const union pass_value *value, struct error *error)
{
	return value->number % 2 ? 0 : error_set(error, "--odd is odd");
}

static const struct pass_option odd = {
	.option = {.name = "odd", .argument = "N", .kind = OPTION_NUMBER},
	.standard = 1,
	.variable = "VFLOW_TEST_ODD",
	.check = is_odd,
};
static const struct pass_option flag = {
	.option = {.name = "flag", .kind = OPTION_FLAG},
	.variable = "VFLOW_TEST_FLAG",
	.flag_value = "off",
};

static const struct pass_library library = {.name = "libfar.so", .install = "the far toolkit"};
static const struct pass_provider everywhere[] = {
	{.device = &far, .library = &library}, {.device = &near}, {0}};
static const struct pass_provider far_only[] = {{.device = &far}, {0}};

static const struct pass early = {.name = "early",
				  .role = PASS_JOINS_GRAPH,
				  .providers = everywhere,
				  .options = (const struct pass_option *const[]){&shared, NULL}};
static const struct pass graph = {
	.name = "graph",
	.role = PASS_MAKES_GRAPH,
	.providers = everywhere,
	.options = (const struct pass_option *const[]){&word, &odd, &flag, NULL}};
static const struct pass one = {
	.name = "one", .role = PASS_JOINS_GRAPH, .run = "both", .providers = everywhere};
static const struct pass other_graph = {
	.name = "graphs", .role = PASS_MAKES_GRAPH, .providers = far_only};
static const struct pass two = {.name = "two",
				.role = PASS_JOINS_GRAPH,
				.run = "both",
				.providers = everywhere,
				.options = (const struct pass_option *const[]){&shared, NULL}};

static const struct pass *const table[] = {&early, &graph, &one, &other_graph, &two, NULL};
enum { EARLY = 1, GRAPH = 2, ONE = 4, OTHER_GRAPH = 8, TWO = 16 };

static uint32_t parsed(const char *list)
{
	uint32_t passes = 99;
	struct error error;

	assert_int_equal(pass_parse(table, list, &passes, &error), 0);
	return passes;
}

static void refused(const char *list, const char *why)
{
	uint32_t passes;
	struct error error;

	assert_int_equal(pass_parse(table, list, &passes, &error), -1);
	assert_string_equal(error.text, why);
}

static void test_list(void **state)
{
	char *names;

	(void)state;
	assert_int_equal(parsed("graph"), GRAPH);
	assert_int_equal(parsed("two,graph,two"), GRAPH | TWO);
	names = pass_names(table, TWO | EARLY | ONE);
	assert_string_equal(names, "early,one,two");
	free(names);
	names = pass_names(table, 0);
	assert_string_equal(names, "");
	free(names);
#define KNOWN "--passes takes a list of early,graph,one,graphs,two, not "
	refused("", KNOWN "''");
	refused("graph,", KNOWN "''");
	refused("grap", KNOWN "'grap'");
	refused("graph,grapht", KNOWN "'grapht'");
	refused("two,graphs,graph", "--passes: graph and graphs both make the graph: name one");
}

static void test_runs(void **state)
{
	(void)state;
	assert_int_equal(pass_next_run(table, 0), 0);
	assert_int_equal(pass_next_run(table, GRAPH | ONE | TWO), GRAPH);
	assert_int_equal(pass_next_run(table, ONE | TWO), ONE | TWO);
	assert_int_equal(pass_next_run(table, TWO), TWO);
	assert_int_equal(pass_next_run(table, EARLY | GRAPH), EARLY);
	assert_true(pass_makes_graph(table, GRAPH | ONE));
	assert_false(pass_makes_graph(table, EARLY | ONE | TWO));
}

/* Options given; those that are not keep what pass_settings() gave them. */
static struct pass_setting *settings_with(uint64_t shared_value, const char *word_value,
					  uint64_t odd_value, bool flag_value, uint32_t *count)
{
	struct pass_setting *settings = pass_settings(table, count);

	assert_int_equal(*count, 4);
	assert_ptr_equal(settings[0].option, &shared);
	assert_ptr_equal(settings[1].option, &word);
	assert_ptr_equal(settings[2].option, &odd);
	assert_ptr_equal(settings[3].option, &flag);
	assert_int_equal(settings[0].value.number, 7);
	assert_null(settings[1].value.text);
	assert_int_equal(settings[2].value.number, 1);
	assert_false(settings[3].value.flag);
	*(uint64_t *)pass_setting_row(&settings[0]).value = shared_value;
	*(const char **)pass_setting_row(&settings[1]).value = word_value;
	*(uint64_t *)pass_setting_row(&settings[2]).value = odd_value;
	*(bool *)pass_setting_row(&settings[3]).value = flag_value;
	return settings;
}

/* The variables as "NAME=VALUE ...", "NAME- " when the target must not find one. */
static void expect_environment(uint32_t run, const struct pass_setting *settings, uint32_t count,
			       const char *expected)
{
	struct environment environment = {0};
	char *text = xstrdup("");

	pass_settings_put(table, run, settings, count, &environment);
	for (uint32_t i = 0; i < environment.count; i++) {
		const struct environment_variable *variable = &environment.variables[i];
		char *longer = xasprintf("%s%s%s%s ", text, variable->name + strlen("VFLOW_TEST_"),
					 variable->value ? "=" : "-",
					 variable->value ? variable->value : "");

		free(text);
		text = longer;
	}
	assert_string_equal(text, expected);
	free(text);
	environment_release(&environment);
}

static void test_options(void **state)
{
	uint32_t count;
	struct pass_setting *settings = settings_with(7, NULL, 1, false, &count);
	struct error error;

	(void)state;
	assert_int_equal(pass_settings_check(table, EARLY, settings, count, &error), 0);
	expect_environment(EARLY | GRAPH, settings, count, "SHARED- WORD- ODD- FLAG- ");
	free(settings);

	settings = settings_with(0, "", 3, true, &count);
	assert_int_equal(pass_settings_check(table, GRAPH | TWO, settings, count, &error), 0);
	expect_environment(GRAPH, settings, count, "SHARED- WORD= ODD=3 FLAG=off ");
	expect_environment(ONE | TWO, settings, count, "SHARED=0 WORD- ODD- FLAG- ");
	expect_environment(ONE, settings, count, "SHARED- WORD- ODD- FLAG- ");
	assert_int_equal(pass_settings_check(table, GRAPH | ONE, settings, count, &error), -1);
	assert_string_equal(error.text,
			    "--shared is an option of the pass early, which --passes leaves out");
	free(settings);

	settings = settings_with(7, NULL, 4, false, &count);
	assert_int_equal(pass_settings_check(table, GRAPH, settings, count, &error), -1);
	assert_string_equal(error.text, "--odd is odd");
	free(settings);
}

static void test_environment(void **state)
{
	struct environment environment = {0};

	(void)state;
	assert_int_equal(setenv("VFLOW_TEST_B", "users", 1), 0);
	environment_set(&environment, "VFLOW_TEST_A", "1");
	environment_set(&environment, "VFLOW_TEST_A", "2 =3");
	environment_set(&environment, "VFLOW_TEST_B", NULL);
	assert_int_equal(environment_apply(&environment), 0);
	assert_string_equal(getenv("VFLOW_TEST_A"), "2 =3");
	assert_null(getenv("VFLOW_TEST_B"));
	environment_release(&environment);
	assert_int_equal(environment.count, 0);
}

static void test_providers(void **state)
{
	char *path = pass_library_path(table, EARLY | TWO, &far, "/lib/of");

	(void)state;
	assert_string_equal(path, "/lib/of/libfar.so");
	free(path);
	assert_null(pass_library_path(table, EARLY, &near, "/lib/of"));
	assert_null(pass_library_path(table, OTHER_GRAPH, &far, "/lib/of"));
	assert_null(pass_provider(&other_graph, &near));
	assert_ptr_equal(pass_provider(&early, &near), &everywhere[1]);
}

/* `name` must give the device, or, where that is NULL, `text`: the error; else why not others. */
static void expect_device(uint32_t passes, const char *name, const char *libraries,
			  const struct device *expected, const char *text)
{
	const struct device *const list[] = {&far, &near, NULL};
	struct error error;
	char *why;

	assert_ptr_equal(pass_device(table, passes, list, name, libraries, &why, &error), expected);
	if (!expected || !text)
		assert_null(why);
	if (text)
		assert_string_equal(expected ? why : error.text, text);
	free(why);
}

static void touch(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static void test_choice_of_device(void **state)
{
	char folder[] = "/tmp/vflow-passes-XXXXXX", *missing, *path;

	(void)state;
	assert_non_null(mkdtemp(folder));
	missing = xasprintf("--device far: %s/libfar.so is missing: install the far toolkit and "
			    "build vflow again, or use --device near",
			    folder);
	far_is_here = false;
	expect_device(GRAPH | ONE, "auto", folder, &near, "nothing far away");
	expect_device(GRAPH, "near", folder, &near, NULL);
	expect_device(GRAPH, "far", folder, NULL, missing);
	expect_device(OTHER_GRAPH, "far", folder, NULL, "--device far: there is nothing far away");
	expect_device(OTHER_GRAPH, "near", folder, NULL,
		      "--device near: the pass graphs cannot be made on the near device");
	expect_device(OTHER_GRAPH, "auto", folder, NULL,
		      "no device can be had: nothing far away; the pass graphs cannot be made on "
		      "the near device");
	expect_device(GRAPH, "gpu", folder, NULL, "no device can be had: there is none");
	far_is_here = true;
	expect_device(GRAPH, "auto", folder, &near, "no far provider");
	expect_device(GRAPH, "far", folder, NULL, missing);
	expect_device(OTHER_GRAPH, "auto", folder, &far, NULL);
	expect_device(OTHER_GRAPH | ONE, "auto", folder, NULL,
		      "no device can be had: no far provider; the pass graphs cannot be made on "
		      "the near device");
	touch(folder, "libfar.so");
	expect_device(GRAPH, "auto", folder, &far, NULL);
	far_is_here = false;
	expect_device(GRAPH, "far", folder, NULL,
		      "--device far: there is nothing far away; use --device near");
	path = xasprintf("%s/libfar.so", folder);
	assert_int_equal(unlink(path) | rmdir(folder), 0);
	free(path);
	free(missing);
}

/* -- where traces lie -- */

static char *run_folder(uint32_t run, const char *folder)
{
	struct error error;
	char *path = folder_make_run(table, run, folder, &error);

	assert_non_null(path);
	return path;
}

static void test_folders(void **state)
{
	char parent[] = "/tmp/vflow-passes-XXXXXX", *folder, *own, *both, *users;
	struct folder_run *runs;
	struct error error;
	uint32_t count;

	(void)state;
	assert_non_null(mkdtemp(parent));
	folder = xasprintf("%s/t", parent);
	assert_int_equal(mkdir(folder, 0700), 0);

	own = run_folder(GRAPH, folder);
	assert_string_equal(own, folder);
	free(own);
	both = run_folder(ONE | TWO, folder);
	assert_string_equal(both + strlen(folder), "/one,two");
	free(run_folder(EARLY, folder));
	users = xasprintf("%s/two,one", folder); /* not as vflow names it */
	assert_int_equal(mkdir(users, 0700), 0);
	touch(users, "3.trace");
	touch(folder, "1.trace");
	touch(folder, "1.trace.txt");
	touch(folder, "two"); /* a file is no folder */
	touch(both, "1.trace");
	touch(both, "1-1.trace");

	runs = folder_find_runs(table, folder, &count, &error);
	assert_non_null(runs);
	assert_int_equal(count, 3);
	assert_int_equal(runs[0].passes, GRAPH); /* empty traces say nothing */
	assert_int_equal(runs[0].count, 1);
	assert_int_equal(runs[1].passes, EARLY);
	assert_int_equal(runs[1].count, 0);
	assert_int_equal(runs[2].passes, ONE | TWO);
	assert_int_equal(runs[2].count, 2);
	assert_string_equal(runs[2].folder, both);
	folder_free_runs(runs, count);

	folder_remove(table, folder);
	assert_int_equal(access(both, F_OK), -1);
	runs = folder_find_runs(table, folder, &count, &error);
	assert_int_equal(count, 1);
	assert_int_equal(runs[0].count, 0);
	folder_free_runs(runs, count);
	assert_int_equal(access(users, F_OK), 0); /* what others put there stays */

	assert_int_equal(chdir(users), 0);
	assert_int_equal(unlink("3.trace") | unlink("../1.trace.txt") | unlink("../two"), 0);
	assert_int_equal(chdir("/") | rmdir(users), 0);
	folder_remove(table, folder);
	assert_int_equal(rmdir(parent), 0); /* so `folder` is gone */
	assert_null(folder_find_runs(table, folder, &count, &error));
	assert_string_equal(error.text, "No such file or directory");
	free(users);
	free(both);
	free(folder);
}

/* -- vflow's own rows -- */

/* -- what traces say of passes -- */

union process_record {
	struct trace_process process;
	char bytes[128];
};

/* A process record with these bytes as its texts. */
static union process_record process_of(const char *texts, size_t size)
{
	union process_record u = {.process.record = {.type = TRACE_PROCESS}};
	size_t start = offsetof(struct trace_process, text);

	assert_true(start + size <= sizeof(u));
	u.process.record.size = (uint32_t)(start + size);
	memcpy(u.bytes + start, texts, size);
	return u;
}

/* In memory of just its size, so that the sanitizer sees who looks further. */
static void says(const char *texts, size_t size, const char *passes)
{
	union process_record u = process_of(texts, size);
	struct trace_process *process = xmalloc(u.process.record.size);

	memcpy(process, &u, u.process.record.size);
	assert_string_equal(trace_passes(process), passes);
	free(process);
}

/* With the NUL that ends the literal. */
#define SAYS(texts, passes) says(texts, sizeof(texts), passes)

static void test_passes_in_trace(void **state)
{
	(void)state;
	SAYS("p\0d\0/bin/app\0app\0-x\0''\0\0flow,two\0\0", "flow,two");
	SAYS("p\0d\0/bin/app\0\0flow", "flow"); /* no arguments */
	SAYS("p\0d\0/bin/app\0\0flow\0RANK=1", "flow");
	SAYS("p\0d\0/bin/app\0app\0\0", ""); /* padding */
	SAYS("p\0d\0/bin/app\0app\0", "");   /* an older vflow's */
	SAYS("p\0d\0/bin/app\0app", "");
	/* the record ends in a text, and in the arguments */
	says("p\0d\0/bin/app\0app\0\0flow", 22, "");
	says("p\0d\0/bin/app\0app\0-x", 19, "");
}

static void write_process(const char *folder, const char *name, const char *passes)
{
	char texts[64] = "p\0d\0/bin/app\0app\0\0", *path = xasprintf("%s/%s", folder, name);
	union process_record u;
	struct trace_writer *writer;
	struct error error;

	strcpy(texts + 18, passes);
	u = process_of(texts, 18 + strlen(passes) + 1);
	writer = trace_create(path, 1, &error);
	assert_non_null(writer);
	assert_int_equal(trace_append(writer, &u.process.record, u.process.record.size), 0);
	trace_close(writer);
	free(path);
}

/* The passes of the folder itself, in which the first trace that can be read was made for some. */
static uint32_t passes_with(const char *folder, const char *passes)
{
	struct folder_run *runs;
	struct error error;
	uint32_t count, found;

	write_process(folder, "2.trace", passes);
	runs = folder_find_runs(table, folder, &count, &error);
	assert_non_null(runs);
	found = runs[0].passes;
	folder_free_runs(runs, count);
	assert_int_equal(chdir(folder) | unlink("2.trace"), 0);
	return found;
}

static void test_passes_of_folder(void **state)
{
	char folder[] = "/tmp/vflow-passes-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(folder));
	touch(folder, "1.trace"); /* cannot be read */
	write_process(folder, "3.trace", "graph");
	assert_int_equal(passes_with(folder, "graphs"), OTHER_GRAPH);
	assert_int_equal(passes_with(folder, "graph,two"), GRAPH | TWO);
	/* of others there can be no trace in this folder: the first that makes the graph */
	assert_int_equal(passes_with(folder, ""), GRAPH);
	assert_int_equal(passes_with(folder, "two"), GRAPH);
	assert_int_equal(passes_with(folder, "graphs,warp"), GRAPH);
	assert_int_equal(passes_with(folder, "graphs,graph"), GRAPH);
	folder_remove(table, folder);
	assert_int_equal(access(folder, F_OK), -1);
}

static void test_own_passes(void **state)
{
	uint32_t passes, all = 0;
	struct error error;

	(void)state;
	for (unsigned i = 0; collect_passes[i]; i++) {
		const struct pass *pass = collect_passes[i];
		char *list;

		assert_in_range(i, 0, 31);
		assert_non_null(pass->gives);
		assert_null(strpbrk(pass->name, ",/."));
		list = xasprintf("%s%s%s", pass->name, pass->needs ? "," : "",
				 pass->needs ? pass->needs : "");
		assert_int_equal(pass_parse(collect_passes, list, &passes, &error), 0);
		assert_true(passes >> i & 1);
		assert_int_equal(__builtin_popcount(passes), pass->needs ? 2 : 1);
		free(list);
		assert_non_null(pass->providers[0].device);
		for (const struct pass_provider *p = pass->providers; p->device; p++)
			assert_ptr_equal(device_find(p->device->name), p->device);
		all |= passes;
	}
	/* one library is loaded into a run */
	while (all) {
		uint32_t run = pass_next_run(collect_passes, all);
		const struct pass *first = collect_passes[__builtin_ctz(run)];

		for (unsigned i = 0; collect_passes[i]; i++)
			for (const struct pass_provider *p = first->providers;
			     p->device && (run >> i & 1); p++) {
				const struct pass_provider *others =
					pass_provider(collect_passes[i], p->device);

				assert_non_null(others);
				assert_ptr_equal(others->library, p->library);
			}
		all &= ~run;
	}
}

static void test_own_devices(void **state)
{
	char *names = device_names();

	(void)state;
	assert_string_equal(names, "auto|gpu|emulated");
	free(names);
	assert_ptr_equal(device_find("gpu"), &device_gpu);
	assert_null(device_find("auto"));
	assert_null(device_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_providers),
		cmocka_unit_test(test_choice_of_device),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_own_passes),
		cmocka_unit_test(test_own_devices),
		cmocka_unit_test(test_passes_in_trace),
		cmocka_unit_test(test_passes_of_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
