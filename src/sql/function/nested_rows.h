/* What kernels over nested values share: going over rows, lists of a row, sets of values. */
#ifndef WEIR_SQL_FUNCTION_NESTED_ROWS_H
#define WEIR_SQL_FUNCTION_NESTED_ROWS_H

#include "sql/function/kernel.h"
#include "vector/compare.h"

/* Values without repetition; two NULLs are the same. Zero-initialized is empty. Values are borrowed from vectors. */
typedef struct weir_value_entry {
    const weir_vector *vector;
    int64_t row;
    uint64_t hash;
} weir_value_entry;

typedef struct weir_value_set {
    weir_value_entry *entries; /* in order of insertion */
    size_t count;
    size_t capacity;
    uint32_t *slots; /* numbers of entries plus one, by hash; 0: free */
    size_t slot_count;
} weir_value_set;

/* The number of a value's entry, which is count - 1 when it was not there before. */
size_t weir_value_set_add(weir_value_set *set, const weir_vector *vector, int64_t row);
bool weir_value_set_has(const weir_value_set *set, const weir_vector *vector, int64_t row);
void weir_value_set_clear(weir_value_set *set); /* memory kept */
void weir_value_set_free(weir_value_set *set);

/* One call of a nested kernel. */
typedef struct weir_nested_rows {
    const weir_kernel_call *call;
    const weir_vector *arguments;
    weir_vector *out;
    weir_value_set set, other;
    weir_buffer text;
    void *state; /* the row function's own */
} weir_nested_rows;

typedef int (*weir_nested_row)(weir_nested_rows *rows, int64_t row, weir_error *err);

/* Calls `one` for every row, which appends one value to `out`. Rows with a NULL argument are NULL without a call, but
 * for arguments whose bit is set in `welcome_nulls`. */
int weir_nested_run(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out,
                    uint32_t welcome_nulls, weir_nested_row one, weir_error *err);

/* The same, and `finish` at the end, which frees `state`. */
int weir_nested_run_with(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out,
                         uint32_t welcome_nulls, weir_nested_row one, void (*finish)(weir_nested_rows *rows),
                         weir_error *err);

/* The elements of a list's row: first .. first + count - 1 of its children. */
typedef struct weir_list_span {
    int64_t first;
    int64_t count;
} weir_list_span;

static inline weir_list_span weir_list_at(const weir_vector *list, int64_t row)
{
    return (weir_list_span){list->offsets[row], list->offsets[row + 1] - list->offsets[row]};
}

/* A whole number of an argument that is INT or BIGINT. */
static inline int64_t weir_nested_integer(const weir_vector *vector, int64_t row)
{
    return weir_literal_of(vector, row).integer;
}

#define WEIR_DEFINE_NESTED(name, welcome_nulls, one)                                                                   \
    static int name(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)     \
    {                                                                                                                  \
        return weir_nested_run(call, arguments, out, welcome_nulls, one, err);                                         \
    }

#endif
