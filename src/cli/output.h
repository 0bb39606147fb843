/* Rows of a result on their way to a person or a program. */
#ifndef WEIR_CLI_OUTPUT_H
#define WEIR_CLI_OUTPUT_H

#include <stdio.h>

#include "cli/pager.h"
#include "session/result.h"

typedef enum weir_output_format {
    WEIR_OUTPUT_TABLE,
    WEIR_OUTPUT_CSV,
    WEIR_OUTPUT_JSON,
    WEIR_OUTPUT_JSONL,
    WEIR_OUTPUT_VERTICAL /* a line a value */
} weir_output_format;

#define WEIR_OUTPUT_FORMATS "table, vertical, csv, json or jsonl"

/* The format of a name, in any case; false: there is none. And the name of a format. */
bool weir_output_format_parse(const char *text, weir_output_format *out);
const char *weir_output_format_name(weir_output_format format);
extern const char *const weir_output_format_names[]; /* NULL after the last */
extern const size_t weir_output_format_count;

typedef struct weir_output_options {
    weir_output_format format;
    FILE *to;
    int width, height; /* of the terminal, to which tables are fitted; 0: any */
    bool has_colors;
    bool pages;                    /* tables that are higher than the terminal go through a pager */
    int64_t most_rows;             /* of tables; more are only counted. 0: any */
    void (*before)(void *context); /* called once, before anything is printed; NULL: not */
    void *context;
} weir_output_options;

/* What was printed. */
typedef struct weir_output_summary {
    int64_t rows; /* all of the result */
    int64_t hidden_rows;
    int32_t hidden_columns;
    bool was_left;    /* the pager was left before the end */
    int64_t ended_ns; /* when the last row was there, on the monotonic clock: a pager may stay open longer */
} weir_output_summary;

/* Pulls all rows of a result and prints them. */
int weir_output_rows(weir_result *result, const weir_output_options *options, weir_output_summary *out,
                     weir_error *err);

/* Writes bytes of results; false: not all of them. weir_output_check tells why. */
bool weir_output_put(FILE *to, const void *data, size_t size);

/* Whether all that was given to `to` could be written so far: WEIR_IO with the reason, such as a full disk. `flush`
 * also writes what is still buffered. Streams remember a failure, so that a check at the end misses none. */
int weir_output_check(FILE *to, weir_error *err);
int weir_output_flush(FILE *to, weir_error *err);

/* Appends value `row` as people read it: text bare, bytes as x'…' , TIMESTAMP_LTZ in `time_zone` (NULL: UTC). */
void weir_output_cell(const weir_vector *column, int64_t row, const char *time_zone, weir_buffer *out);

/* One batch in a format without layout. */
void weir_output_csv_header(const weir_field *fields, int32_t count, weir_buffer *out);
void weir_output_csv(const weir_batch *batch, const char *time_zone, weir_buffer *out);
void weir_output_json(const weir_batch *batch, const weir_field *fields, bool is_first, weir_buffer *out);
void weir_output_jsonl(const weir_batch *batch, weir_buffer *out);

/* ---- output_screen.c: what the layouts for people share ---- */

#define WEIR_OUTPUT_BOLD  "\033[1m"
#define WEIR_OUTPUT_DIM   "\033[90m"
#define WEIR_OUTPUT_PLAIN "\033[0m"

/* Text on its way to the screen, a file or a pager. */
typedef struct weir_screen {
    const weir_output_options *options;
    FILE *to;
    bool has_colors;
    weir_pager pager;
    weir_buffer out; /* not written yet */
    weir_buffer raw; /* a cell before it is escaped */
    const char *time_zone;
} weir_screen;

void weir_screen_open(weir_screen *screen, const weir_output_options *options, const weir_result *result);
void weir_screen_close(weir_screen *screen);

/* Before the first lines are written: starts a pager when there will be more than `lines` of them can be shown. */
void weir_screen_expect(weir_screen *screen, int64_t lines);

/* Writes what was appended; false: nobody reads on. */
bool weir_screen_flush(weir_screen *screen);

/* Appends a cell as it is shown: NULL as <NULL>, controls escaped. */
void weir_screen_cell(weir_screen *screen, const weir_vector *column, int64_t row, weir_buffer *out);

/* Appends a text padded to a width, in a colour (NULL: none). */
void weir_screen_pad(weir_screen *screen, weir_slice text, int width, bool right, const char *color);

int weir_output_table(weir_result *result, const weir_output_options *options, weir_output_summary *out,
                      weir_error *err);
int weir_output_vertical(weir_result *result, const weir_output_options *options, weir_output_summary *out,
                         weir_error *err);

/* A result that is a page of text: as it is, but for what would control a terminal. */
int weir_output_page(weir_result *result, const weir_output_options *options, weir_output_summary *out,
                     weir_error *err);

#endif
