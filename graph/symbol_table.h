/*
 * graph/symbol_table.h: the ELF symbols of one module, by address.
 *
 * libdw walks through all symbols for each address: milliseconds in a library with hundreds of
 * thousands of them.
 */
#ifndef VFLOW_GRAPH_SYMBOL_TABLE_H
#define VFLOW_GRAPH_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>

struct symbol_table;

/* The module must outlive it.  The caller frees it with symbol_table_free(). */
struct symbol_table *symbol_table_new(Dwfl_Module *module);
void symbol_table_free(struct symbol_table *table);

/*
 * The innermost symbol around the address (libdwfl's), or the last one before it if that has no
 * size; NULL: none.
 */
const char *symbol_table_at(const struct symbol_table *table, GElf_Addr address);

#endif
