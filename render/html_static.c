/*
 * render/html_static.c: the files of web-static/, put into the program by the assembler.  The
 * Makefile knows that this object depends on them.
 */
#include "render/html.h"

#define EMBED(name, file)                                                                          \
	__asm__(".section .rodata\n"                                                               \
		".global " #name "\n" #name ":\n"                                                  \
		".incbin \"" file "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".previous\n")

EMBED(html_page, "web-static/view.html");
EMBED(html_style, "web-static/view.css");
EMBED(html_script, "web-static/view.js");
