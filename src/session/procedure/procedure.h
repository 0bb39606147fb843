/* Procedures: what CALL runs. Names, arguments and results are those of Paimon's Flink procedures. */
#ifndef WEIR_SESSION_PROCEDURE_H
#define WEIR_SESSION_PROCEDURE_H

#include "session/table/sql_table.h"

enum { WEIR_MOST_PROCEDURE_ARGUMENTS = 8 };

typedef struct weir_procedure_call weir_procedure_call;

typedef struct weir_procedure_argument {
    const char *name;
    const weir_type *type;
    bool optional;
    bool refused; /* Paimon has it, this version does not */
    const char *text;
} weir_procedure_argument;

typedef struct weir_procedure {
    const char *name;
    const weir_procedure_argument *arguments;
    int32_t argument_count;
    bool without_table; /* its first argument names none */
    int (*run)(weir_procedure_call *call, weir_result **out, weir_error *err);
    const char *text; /* for the reference */
} weir_procedure;

/* In byte order of their names. */
extern const weir_procedure weir_procedures[];
extern const size_t weir_procedure_count;

/* One CALL: its arguments as values, and the table that the first one names. */
struct weir_procedure_call {
    weir_session *session;
    weir_arena *arena;
    const weir_procedure *procedure;
    weir_position position;                             /* of the procedure's name */
    bool given[WEIR_MOST_PROCEDURE_ARGUMENTS];          /* and not NULL */
    weir_literal values[WEIR_MOST_PROCEDURE_ARGUMENTS]; /* of the arguments' types */
    weir_position value_positions[WEIR_MOST_PROCEDURE_ARGUMENTS];
    weir_session_catalog *catalog;
    weir_session_table *opened; /* NULL where the procedure is one without a table */
    weir_table *table;
};

/* What the procedures use. Arguments by their position; texts live in the call's arena. NULL, `fallback`: not given. */
const char *weir_call_text(const weir_procedure_call *call, int32_t argument);
int64_t weir_call_integer(const weir_procedure_call *call, int32_t argument, int64_t fallback);
bool weir_call_boolean(const weir_procedure_call *call, int32_t argument, bool fallback);
/* A duration such as '1 d', and a local time such as '2024-02-29 12:00:00', in milliseconds. */
int weir_call_duration(const weir_procedure_call *call, int32_t argument, int64_t fallback, int64_t *out,
                       weir_error *err);
int weir_call_time(const weir_procedure_call *call, int32_t argument, int64_t fallback, int64_t *out, weir_error *err);
/* Parts of a text at commas, blanks around them dropped; in the call's arena. */
const char **weir_call_list(const weir_procedure_call *call, int32_t argument, int32_t *out_count);
/* 'dt=2024-01-01,hr=7;dt=2024-01-02' as literals by partition key, NULL where a key is not named. */
int weir_call_partitions(const weir_procedure_call *call, int32_t argument, const weir_literal *const *const **out,
                         int32_t *out_count, weir_error *err);
/* Gives an error the place of an argument. */
int weir_call_error(const weir_procedure_call *call, int32_t argument, weir_error *err, int code);

/* One row of texts; a NULL text is a null. The usual one: column `result`, 'Success'. */
int weir_call_success(weir_result **out, weir_error *err);
int weir_call_text_result(const char *text, weir_result **out, weir_error *err);

/* What procedure_table.c lists: each runs one CALL, whose arguments are checked for number and type, and gives a result
 * that is the caller's. */
int weir_procedure_create_tag(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_create_tag_from_timestamp(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_replace_tag(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_rename_tag(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_delete_tag(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_expire_tags(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_create_branch(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_delete_branch(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_fast_forward(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_rollback_to(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_rollback_to_timestamp(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_compact(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_compact_database(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_expire_snapshots(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_drop_partition(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_mark_partition_done(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_remove_orphan_files(weir_procedure_call *call, weir_result **out, weir_error *err);
int weir_procedure_reset_consumer(weir_procedure_call *call, weir_result **out, weir_error *err);

#endif
