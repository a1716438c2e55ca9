/* advice/source_blank.h: what of a source file is no code. */
#ifndef VFLOW_ADVICE_SOURCE_BLANK_H
#define VFLOW_ADVICE_SOURCE_BLANK_H

/* Comments, literals and lines of the preprocessor become blanks; lines keep their numbers. */
void source_blank(char *text);

#endif
