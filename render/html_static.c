/*
 * render/html_static.c: the files of web-static/, put into the program by the assembler.  The
 * Makefile knows that this object depends on them.
 */
#include "render/html.h"

#define INCLUDE(file) ".incbin \"web-static/" file "\"\n"
#define EMBED(name, files)                                                                         \
	__asm__(".section .rodata\n"                                                               \
		".global " #name "\n" #name ":\n" files ".byte 0\n"                                \
		".previous\n")

EMBED(html_page, INCLUDE("view.html"));
EMBED(html_style, INCLUDE("view.css"));
/* one script: each file uses what stands above it */
EMBED(html_script, INCLUDE("graph.js") INCLUDE("paint.js") INCLUDE("panel.js") INCLUDE("table.js")
			   INCLUDE("memory.js") INCLUDE("view.js"));
