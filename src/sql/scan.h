/* What a table offers to queries. The session fills these structs for every kind of table it knows; this room only
 * calls them. */
#ifndef WEIR_SQL_SCAN_H
#define WEIR_SQL_SCAN_H

#include "base/base.h"
#include "vector/predicate.h"
#include "vector/vector.h"

typedef enum weir_sql_column_kind {
    WEIR_SQL_PHYSICAL_COLUMN,
    WEIR_SQL_METADATA_COLUMN,
    WEIR_SQL_COMPUTED_COLUMN /* not read: the binder puts its expression over the columns that it names */
} weir_sql_column_kind;

typedef struct weir_sql_column {
    weir_sql_column_kind kind;
    const char *name;
    const weir_type *type;
    const char *comment;    /* NULL: none */
    const char *expression; /* SQL text of computed columns */
    bool is_virtual;        /* metadata columns that INSERT doesn't write */
    uint64_t identity;      /* a column that was dropped and one added later under its name differ; 0: the name says it */
} weir_sql_column;

/* What a query wants from one table. Column numbers are positions in weir_sql_table.columns, none of them computed. */
typedef struct weir_scan_request {
    const int32_t *columns; /* in the order in which batches must hold them; may be empty (only rows are counted) */
    int32_t column_count;
    const weir_predicate *predicate; /* over positions in weir_sql_table.columns; NULL: none. May be used or not:
                                        the query tests the rows again. Lives as long as the plan */
    int64_t limit;                   /* this many rows (that match the predicate exactly) are enough; -1: all. May be
                                        ignored */
    bool whole_changes;              /* of streams: a +U without its -U before it would be taken for an insert, and has to
                                        be an error */
    bool parallel;                   /* several threads read splits side by side: there should be enough of them */
} weir_scan_request;

/* One split being read. Used by one thread at a time. */
typedef struct weir_sql_split weir_sql_split;
struct weir_sql_split {
    /* Fills `out`, whose columns are those of the request, in that order; WEIR_END after the last rows. `out` is the
     * caller's, made by weir_batch_init with the requested types; its memory may be swapped for other memory that it
     * then owns. A request without columns sets only out->length. Row kinds of a changelog are given in out->kinds. */
    int (*next)(weir_sql_split *self, weir_batch *out, weir_error *err);
    void (*close)(weir_sql_split *self);
};

/* A planned scan. open_split may be called by several threads at once, for different splits. */
typedef struct weir_sql_scan weir_sql_scan;
struct weir_sql_scan {
    int64_t split_count;
    int64_t estimated_rows; /* after pruning; -1: unknown */
    bool exact_rows;        /* the estimate is exact */
    int (*open_split)(weir_sql_scan *self, int64_t split, weir_sql_split **out, weir_error *err);
    void (*close)(weir_sql_scan *self);
};

/* Something that a table may know of its rows without reading them. */
typedef enum weir_sql_summary_kind {
    WEIR_SQL_ROWS,   /* BIGINT: how many there are */
    WEIR_SQL_VALUES, /* BIGINT: how many have a value in the column */
    WEIR_SQL_MIN,    /* of the column's type, or NULL */
    WEIR_SQL_MAX
} weir_sql_summary_kind;

typedef struct weir_sql_summary {
    weir_sql_summary_kind kind;
    int32_t column; /* position in weir_sql_table.columns; not of ROWS */
    weir_literal value;
} weir_sql_summary;

struct weir_stream_source;

/* Single rows of a table by its primary key, as the table is at the moment. Used by one thread at a time. */
typedef struct weir_sql_lookup weir_sql_lookup;
struct weir_sql_lookup {
    /* Goes on to what the table holds now. */
    int (*refresh)(weir_sql_lookup *self, weir_error *err);
    /* `keys`: the columns of the primary key, in its order. `out` (made with the request's columns) gets the rows that
     * there are instead of those it had; out_rows[i] is the row of key i there, or -1. */
    int (*find)(weir_sql_lookup *self, const weir_batch *keys, int64_t *out_rows, weir_batch *out, weir_error *err);
    void (*close)(weir_sql_lookup *self);
};

/* A table as the binder sees it. Made by the resolver for one statement, closed when the bound statement is freed. */
typedef struct weir_sql_table weir_sql_table;
struct weir_sql_table {
    const char *catalog, *database, *name; /* for messages */
    const char *origin; /* whose data it gives, in words: positions in it are good as long as they stay; NULL: the name
                           says it */
    const weir_sql_column *columns;
    int32_t column_count;
    const int32_t *primary_key; /* positions; NULL: none */
    int32_t primary_key_count;
    const int32_t *partition_keys; /* positions */
    int32_t partition_key_count;
    bool has_row_kinds; /* its batches may hold -U, +U and -D: readable by streams, not by queries of the engine */
    bool has_upserts; /* …and are upserts by the primary key: +U without -U before it, -D perhaps with the key alone */
    bool unbounded;   /* scans may not end */
    bool has_lookup;  /* streams may look up what it holds at the moment */
    int32_t watermark_column;         /* position of the time of events; -1: none */
    const char *watermark_expression; /* SQL text over the columns */
    void *owner;                      /* the session's own data */
    /* Plans a scan. NULL: the table can't be read (a sink). The engine calls it once for each scan of a running
     * query. */
    int (*open)(weir_sql_table *self, const weir_scan_request *request, weir_sql_scan **out, weir_error *err);
    /* Fills in what is known exactly of the rows that match the predicate (NULL: all), or sets *out_known to false.
     * NULL: nothing is. */
    int (*summarize)(weir_sql_table *self, const weir_predicate *predicate, weir_sql_summary *summaries, int32_t count,
                     bool *out_known, weir_error *err);
    /* Plans a scan and appends what it would read in words, a line each. *out_rows: about how many rows it would give;
     * -1: unknown. NULL: there is nothing to say. */
    int (*describe)(weir_sql_table *self, const weir_scan_request *request, weir_buffer *out, int64_t *out_rows,
                    weir_error *err);
    /* A source for a stream over the table, with positions (stream/source/source.h). The predicate of the request may
     * be used only where it leaves whole changes out. NULL: streams can't read it. */
    int (*open_stream)(weir_sql_table *self, const weir_scan_request *request, struct weir_stream_source **out,
                       weir_error *err);
    /* Single rows by key, where that is better than taking in all rows: otherwise *out is NULL. `folder`: for local
     * files. NULL: it never is. */
    int (*open_lookup)(weir_sql_table *self, const weir_scan_request *request, const char *folder,
                       weir_sql_lookup **out, weir_error *err);
    void (*close)(weir_sql_table *self); /* NULL: nothing to do */
};

#endif
