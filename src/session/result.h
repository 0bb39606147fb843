/* What a statement gives. */
#ifndef WEIR_SESSION_RESULT_H
#define WEIR_SESSION_RESULT_H

#include "vector/vector.h"

typedef enum weir_result_kind {
    WEIR_RESULT_DONE,    /* a definition or a setting: `message` alone */
    WEIR_RESULT_ROWS,    /* rows to pull */
    WEIR_RESULT_CHANGES, /* INSERT, DELETE, UPDATE, TRUNCATE: `changes` */
    WEIR_RESULT_JOB      /* INSERT that runs on: `message` says as what */
} weir_result_kind;

/* What was written. */
typedef struct weir_change_summary {
    int64_t rows;
    int64_t commits;
    int64_t first_snapshot; /* of a Paimon table; 0: none was made */
    int64_t last_snapshot;
    int64_t files; /* data files written, those of compactions included */
    int64_t elapsed_ns;
} weir_change_summary;

typedef struct weir_result weir_result;

struct weir_result {
    weir_result_kind kind;
    const char
        *message; /* in the result's arena: of DONE a line without a full stop, of CHANGES the statement in short */
    const weir_field *fields; /* of ROWS: names and types as Flink has them */
    int32_t field_count;
    bool comes_slowly;     /* rows are to be shown as they come */
    bool is_page;          /* one text of several lines, which people want to see as it is */
    const char *time_zone; /* in which people read TIMESTAMP_LTZ values; NULL: UTC */
    weir_change_summary changes;
    weir_arena arena;
    /* Fills `out`, made with `fields`; WEIR_END after the last rows. */
    int (*next)(weir_result *self, weir_batch *out, weir_error *err);
    void (*close)(weir_result *self); /* frees what this kind of result holds, not the result itself; NULL: nothing */
};

/* Makes the arena ready; for the makers of results, which often hold one as their first member. */
void weir_result_init(weir_result *result, weir_result_kind kind);
void weir_result_free(weir_result *result); /* NULL is fine */

/* A result that is one line. */
weir_result *weir_result_done(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Rows in memory: the caller appends to `batch`, which has the columns of `result.fields`. */
typedef struct weir_memory_result {
    weir_result result;
    weir_batch batch;
    bool given; /* the batch was handed out */
} weir_memory_result;

/* `fields` are copied; their types must outlive the result or be static. */
weir_memory_result *weir_memory_result_create(const weir_field *fields, int32_t count);

/* The same with columns of STRING, and a row of texts for it; a NULL text is a null. */
weir_memory_result *weir_text_result_create(const char *const *names, int32_t count);
int weir_text_result_add(weir_memory_result *result, const char *const *texts, weir_error *err);

/* One text of several lines, such as a plan. */
int weir_page_result_create(const char *text, weir_result **out, weir_error *err);

#endif
