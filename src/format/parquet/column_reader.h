/* Reads one leaf column: pages in, values at the end of a vector out.
 *
 * chunk_reader.h finds and decompresses pages, values.h decodes them, dictionary.h keeps the dictionary; fill.c places
 * values among nulls. Here rows are found: columns without nesting in column_reader.c, the leaves of nested ones, which
 * give their levels too, in nested_reader.c (assembled by assemble.h).
 *
 * A reader stands in a page. Reading on from there, near or far ahead, never decompresses a page twice; reading before
 * it in the same page decodes the page again. */
#ifndef WEIR_FORMAT_PARQUET_COLUMN_READER_H
#define WEIR_FORMAT_PARQUET_COLUMN_READER_H

#include "format/parquet/chunk_reader.h"
#include "format/parquet/dictionary.h"
#include "format/parquet/values.h"

#define WEIR_PARQUET_LEVEL_BLOCK 1024

/* Levels of the entries that a nested leaf has read, for assembling. */
typedef struct weir_parquet_levels {
    weir_parquet_scratch definitions;
    weir_parquet_scratch repetitions; /* empty when the leaf does not repeat: all 0 */
    int64_t count;
} weir_parquet_levels;

typedef struct weir_parquet_level_block {
    uint8_t definitions[WEIR_PARQUET_LEVEL_BLOCK];
    uint8_t repetitions[WEIR_PARQUET_LEVEL_BLOCK];
    int32_t position; /* of the next entry */
    int32_t count;
} weir_parquet_level_block;

typedef struct weir_parquet_column_reader {
    weir_parquet_chunk_reader chunk;
    const weir_parquet_leaf *leaf;
    weir_parquet_values values;
    weir_parquet_dictionary dictionary;

    /* Where it stands in the chunk's current page. */
    bool uses_dictionary;
    bool all_valid; /* the page has no nulls */
    weir_parquet_rle repetitions;
    weir_parquet_rle definitions;
    weir_parquet_rle indexes; /* into the dictionary */
    int64_t row;              /* of the row group; the next one (nested: the next that begins) */
    int64_t page_first;       /* of a column without nesting: the page's rows */
    int64_t page_end;

    /* Of nested leaves: entries left in the page behind a block of levels decoded ahead, and what was read. */
    int64_t entries_left;
    weir_parquet_level_block *block; /* owned; NULL before the first nested read */
    weir_parquet_levels levels;

    weir_vector picked; /* of gather: values around the wanted ones */
} weir_parquet_column_reader;

void weir_parquet_column_reader_init(weir_parquet_column_reader *reader, weir_parquet_source *source,
                                     const weir_parquet_footer *footer, const weir_parquet_leaf *leaf);
void weir_parquet_column_reader_free(weir_parquet_column_reader *reader);

/* Whether rows and values are one to one: no nesting above the leaf. */
static inline bool weir_parquet_leaf_is_flat(const weir_parquet_leaf *leaf)
{
    return leaf->max_repetition == 0 && leaf->max_definition <= 1;
}

/* Appends rows first .. first + count - 1 of the file, which has them. For flat leaves. */
int weir_parquet_column_read(weir_parquet_column_reader *reader, int64_t first, int64_t count, weir_vector *out,
                             weir_error *err);
/* Appends rows base + rows[i], ascending. For flat leaves. */
int weir_parquet_column_gather(weir_parquet_column_reader *reader, int64_t base, const uint32_t *rows, int64_t count,
                               weir_vector *out, weir_error *err);

/* Appends the leaf's places in rows first .. first + count - 1 and leaves their levels in reader->levels. For any leaf.
 */
int weir_parquet_nested_read(weir_parquet_column_reader *reader, int64_t first, int64_t count, weir_vector *out,
                             weir_error *err);

/* --- for the files named above ---------------------------------------------------------------------------------- */

/* The row group that holds a row of the file. */
int32_t weir_parquet_find_row_group(const weir_parquet_footer *footer, int64_t row);

/* Begins the page that the chunk reader has loaded, at its first value. */
int weir_parquet_column_begin_page(weir_parquet_column_reader *reader, weir_error *err);

/* Appends `slots` values, of which `valid` are in the page; which ones is in out->validity behind its length when they
 * are not all. Counts them in. */
int weir_parquet_append_values(weir_parquet_column_reader *reader, int64_t slots, int64_t valid, weir_vector *out,
                               weir_error *err);
/* Appends those of the next `count` values of a page without nulls that are at `picks` (ascending). For dictionaries
 * and byte strings; `count` is at most WEIR_PARQUET_LEVEL_BLOCK. */
int weir_parquet_append_picked(weir_parquet_column_reader *reader, int64_t count, const uint32_t *picks,
                               int64_t pick_count, weir_vector *out, weir_error *err);
int weir_parquet_skip_values(weir_parquet_column_reader *reader, int64_t valid, weir_error *err);

/* Fails with WEIR_CORRUPT, naming the file and the column; `what` says what is wrong. */
int weir_parquet_column_damaged(const weir_parquet_column_reader *reader, const char *what, weir_error *err);

#endif
