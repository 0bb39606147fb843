/* Writing seeds for the fuzzers. Used by the files of the program fuzz_seeds. */
#ifndef WEIR_TESTS_SEEDS_H
#define WEIR_TESTS_SEEDS_H

#include "base/base.h"

/* Adds <folder>/<target>/<name>. */
void add_seed(const char *target, const char *name, weir_slice bytes);

/* Ends the program when something failed. */
void seeds_must(int code, const weir_error *err, const char *what);

/* Small tables as archives (fuzz_table), and their metadata files one by one (fuzz_meta, fuzz_avro). */
void add_table_seeds(void);

/* Rows of every kind, the same at every run (fuzz_binary_row, fuzz_avro). */
void add_row_seeds(void);

/* Texts for those who read texts. */
void add_text_seeds(void);

#endif
