/*
 * render/html.c: one page that needs nothing else: the picture as data, and the style and script of
 * web-static/, which draw it and which a content security policy names by their hashes.
 *
 * The script paints on a canvas: thousands of SVG elements take a browser seconds to lay out and
 * tenths of a second to show or hide.
 */
#include "render/html.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "render/svg.h"
#include "util/memory.h"

/* 'sha256-...' for the policy; returns `text`. */
static char *source_hash(const char *content, char text[64])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned size = 0;

	/* without a hash the browser runs nothing, and that is the right failure */
	if (EVP_Digest(content, strlen(content), digest, &size, EVP_sha256(), NULL) != 1)
		size = 0;
	strcpy(text, "'sha256-");
	EVP_EncodeBlock((unsigned char *)text + strlen(text), digest, (int)size);
	return strcat(text, "'");
}

/* The source without indentation and without comments that fill lines.  The caller frees. */
static char *compact(const char *source)
{
	char *text = xmalloc(strlen(source) + 1), *to = text;
	bool comment = false;

	while (*source) {
		size_t length;

		source += strspn(source, "\t");
		length = strcspn(source, "\n");
		length += source[length] == '\n';
		comment |= !strncmp(source, "/*", 2);
		if (!comment)
			to = mempcpy(to, source, length);
		else if (length > 2 && !strncmp(source + length - 3, "*/\n", 3))
			comment = false;
		source += length;
	}
	*to = '\0';
	return text;
}

static void write_page(FILE *out, const struct picture *picture)
{
	char *style_text = compact(html_style), *script_text = compact(html_script);
	char style[64], script[64];

	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action "
		"'none'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
		source_hash(script_text, script), source_hash(style_text, style));
	svg_put_escaped(out, picture->title);
	fprintf(out,
		"</title>\n<style>%s</style>\n</head>\n<body>\n%s"
		"<script type=\"application/json\" id=\"data\">",
		style_text, html_page);
	html_write_data(out, picture);
	fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", script_text);
	free(style_text);
	free(script_text);
}

const struct render_format render_html = {
	.name = "html",
	.endings = {".html", ".htm"},
	.positions = true,
	.explorable = true,
	.begin = write_page,
};
