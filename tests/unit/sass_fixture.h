/* tests/unit/sass_fixture.h: listings, of tests/gpu/sass/ and made up. */
#ifndef VFLOW_TESTS_UNIT_SASS_FIXTURE_H
#define VFLOW_TESTS_UNIT_SASS_FIXTURE_H

#include <stdio.h>

#include "gpu/sass/flow.h"
#include "gpu/sass/listing.h"
#include "util/memory.h"

static char *read_fixture(const char *name, size_t *size)
{
	char *path = xasprintf("tests/gpu/sass/%s.txt", name), *text = xmalloc(1 << 20);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	*size = fread(text, 1, 1 << 20, file);
	fclose(file);
	free(path);
	return text;
}

static struct sass_listing *read_listing(const char *name)
{
	struct sass_listing *listing;
	struct error error;
	size_t size;
	char *text;

	text = read_fixture(name, &size);
	listing = sass_parse(text, size, &error);
	free(text);
	assert_non_null(listing);
	return listing;
}

/* `lines` of "OPCODE operands", with no registers known. */
static struct sass_listing *made(const char *lines)
{
	char *copy = xstrdup(lines), *rest = copy, *line, *text;
	struct sass_listing *listing;
	struct error error;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);
	unsigned offset = 0;

	fputs("\t.section\t.text.k,\"ax\",@progbits\nk:\n", out);
	while ((line = strsep(&rest, "\n")))
		if (line[strlen(line) - 1] == ':')
			fprintf(out, "%s\n", line);
		else
			fprintf(out,
				"  /*%04x*/  %s ;  /* 0x%016x */\n  /* 0x000fea0003800000 */\n",
				16 * offset++, line, 0);
	fclose(out);
	listing = sass_parse(text, size, &error);
	free(text);
	free(copy);
	assert_non_null(listing);
	assert_int_equal(listing->unread, 0);
	return listing;
}

/*
 * Lines of "OPCODE operands|written|read", registers by number, as nvdisasm's table has them: of
 * the ten first registers only.
 */
static struct flow *make_flow(const char *lines, struct sass_listing **listing)
{
	char *copy = xstrdup(lines), *rest = copy, *line, *text;
	struct error error;
	struct flow *flow;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);
	unsigned offset = 0;

	fputs("\t.section\t.text.k,\"ax\",@progbits\n"
	      "  // +--------------+\n  // |    GPR       |\n  // |              |\n"
	      "  // |  # 0123456789 |\n  // +--------------+\nk:\n",
	      out);
	while ((line = strsep(&rest, "\n"))) {
		char *code = strsep(&line, "|"), *written = strsep(&line, "|");
		char columns[] = "          ";

		if (!written) {
			fprintf(out, "%s\n", code);
			continue;
		}
		for (; *written; written++)
			columns[*written - '0'] = '^';
		for (; *line; line++)
			columns[*line - '0'] = columns[*line - '0'] == '^' ? 'x' : 'v';
		fprintf(out,
			"  /*%04x*/  %s ;  /* 0x%016x */\n  /* 0x000fea0003800000 */ // |    %s "
			"|\n",
			16 * offset++, code, 0, columns);
	}
	fclose(out);
	*listing = sass_parse(text, size, &error);
	assert_non_null(*listing);
	assert_int_equal((*listing)->unread, 0);
	flow = flow_build(&(*listing)->functions[0], &error);
	free(text);
	free(copy);
	assert_non_null(flow);
	return flow;
}

#endif
