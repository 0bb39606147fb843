/* A table of orders for the tests of the public library: its columns and rows as Arrow, and what comes out as text.
 * Stands on weir/weir.h alone, as a caller would. */
#ifndef WEIR_TESTS_API_ORDERS_H
#define WEIR_TESTS_API_ORDERS_H

#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/weir.h"

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        weir_error check_error_ = {0};                                                                                 \
        weir_error *err = &check_error_;                                                                               \
        int check_code_ = (call);                                                                                      \
        if (check_code_ != WEIR_OK) {                                                                                  \
            fail_msg("%s: %s: %s", #call, weir_code_name(check_code_), check_error_.message);                          \
        }                                                                                                              \
    } while (0)

/* One row: region STRING NOT NULL, id BIGINT NOT NULL, customer STRING, amount BIGINT. */
typedef struct order {
    const char *region;
    int64_t id;
    const char *customer; /* NULL: null */
    int64_t amount;
    int8_t kind; /* 0 +I, 1 -U, 2 +U, 3 -D */
} order;

/* ---- Arrow from orders ---- */

static inline void release_test_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        free(schema->children[i]);
    }
    free(schema->children);
    schema->release = NULL;
}

static inline void release_test_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        for (int64_t b = 0; b < array->children[i]->n_buffers; b++) {
            free((void *)array->children[i]->buffers[b]);
        }
        free(array->children[i]->buffers);
        free(array->children[i]);
    }
    free(array->children);
    array->release = NULL;
}

static inline struct ArrowSchema orders_schema(bool with_kinds)
{
    static const struct ArrowSchema columns[] = {
        {.format = "u", .name = "region"},
        {.format = "l", .name = "id"},
        {.format = "u", .name = "customer", .flags = ARROW_FLAG_NULLABLE},
        {.format = "l", .name = "amount", .flags = ARROW_FLAG_NULLABLE},
        {.format = "c", .name = "_ROW_KIND"},
    };
    struct ArrowSchema schema = {
        .format = "+s", .name = "", .n_children = with_kinds ? 5 : 4, .release = release_test_schema};
    schema.children = malloc(sizeof *schema.children * (size_t)schema.n_children);
    for (int64_t i = 0; i < schema.n_children; i++) {
        schema.children[i] = malloc(sizeof columns[i]);
        *schema.children[i] = columns[i];
    }
    return schema;
}

static inline struct ArrowArray *new_column(int64_t rows, int64_t buffers)
{
    struct ArrowArray *column = calloc(1, sizeof *column);
    column->length = rows;
    column->n_buffers = buffers;
    column->buffers = calloc((size_t)buffers, sizeof *column->buffers);
    return column;
}

static inline struct ArrowArray *text_column(const order *orders, int64_t count, bool customer)
{
    struct ArrowArray *column = new_column(count, 3);
    int32_t *offsets = calloc((size_t)count + 1, sizeof *offsets);
    char *data = calloc((size_t)count * 32 + 1, 1);
    uint8_t *validity = calloc((size_t)count / 8 + 1, 1);
    for (int64_t i = 0; i < count; i++) {
        const char *text = customer ? orders[i].customer : orders[i].region;
        offsets[i + 1] = offsets[i];
        if (text == NULL) {
            column->null_count++;
            continue;
        }
        validity[i / 8] |= (uint8_t)(1 << (i % 8));
        memcpy(data + offsets[i], text, strlen(text));
        offsets[i + 1] += (int32_t)strlen(text);
    }
    column->buffers[0] = validity;
    column->buffers[1] = offsets;
    column->buffers[2] = data;
    return column;
}

static inline struct ArrowArray *number_column(const order *orders, int64_t count, bool amount)
{
    struct ArrowArray *column = new_column(count, 2);
    int64_t *values = calloc((size_t)count + 1, sizeof *values);
    for (int64_t i = 0; i < count; i++) {
        values[i] = amount ? orders[i].amount : orders[i].id;
    }
    column->buffers[1] = values;
    return column;
}

static inline struct ArrowArray orders_array(const order *orders, int64_t count, bool with_kinds)
{
    static const void *no_buffers[1];
    struct ArrowArray array = {.length = count,
                               .n_buffers = 1,
                               .buffers = no_buffers,
                               .n_children = with_kinds ? 5 : 4,
                               .release = release_test_array};
    array.children = malloc(sizeof *array.children * (size_t)array.n_children);
    array.children[0] = text_column(orders, count, false);
    array.children[1] = number_column(orders, count, false);
    array.children[2] = text_column(orders, count, true);
    array.children[3] = number_column(orders, count, true);
    if (with_kinds) {
        int8_t *kinds = calloc((size_t)count + 1, 1);
        for (int64_t i = 0; i < count; i++) {
            kinds[i] = orders[i].kind;
        }
        array.children[4] = new_column(count, 2);
        array.children[4]->buffers[1] = kinds;
    }
    return array;
}

/* ---- tables ---- */

/* Creates an orders table with primary key (region, id). `options` come on top of bucket = 2. */
static inline void create_orders(const char *path, bool partitioned, const weir_property *options, int32_t count)
{
    static const char *const keys[] = {"region", "id"};
    weir_property all[8] = {{"bucket", "2"}};
    for (int32_t i = 0; i < count; i++) {
        all[i + 1] = options[i];
    }
    struct ArrowSchema schema = orders_schema(false);
    weir_create_request request = {
        .columns = &schema,
        .primary_keys = keys,
        .primary_key_count = 2,
        .partition_keys = keys,
        .partition_key_count = partitioned ? 1 : 0,
        .options = all,
        .option_count = count + 1,
        .comment = "orders of the tests",
    };
    CHECK(weir_lake_table_create(path, &request, err));
    schema.release(&schema);
}

static inline int write_orders(weir_writer *writer, const order *orders, int64_t count, weir_error *err)
{
    struct ArrowSchema schema = orders_schema(true);
    struct ArrowArray array = orders_array(orders, count, true);
    int code = weir_writer_write(writer, &schema, &array, err);
    schema.release(&schema);
    array.release(&array);
    return code;
}

/* Writes and commits; returns the snapshot. */
static inline int64_t commit_orders(weir_writer *writer, const order *orders, int64_t count, int64_t identifier)
{
    weir_prepared *prepared = NULL;
    int64_t snapshot = 0;
    CHECK(write_orders(writer, orders, count, err));
    CHECK(weir_writer_prepare(writer, true, &prepared, err));
    CHECK(weir_writer_commit(writer, prepared, identifier, &snapshot, err));
    weir_prepared_free(prepared);
    return snapshot;
}

/* ---- text from Arrow ---- */

#define TEXT_SIZE 65536

static inline bool is_null_at(const struct ArrowArray *column, int64_t row)
{
    const uint8_t *validity = column->buffers[0];
    int64_t at = column->offset + row;
    return column->null_count != 0 && validity != NULL && !((validity[at / 8] >> (at % 8)) & 1);
}

static inline size_t print_value(const struct ArrowSchema *schema, const struct ArrowArray *column, int64_t row,
                                 char *out, size_t room)
{
    static const char *const kinds[] = {"+I", "-U", "+U", "-D"};
    int64_t at = column->offset + row;
    if (is_null_at(column, row)) {
        return (size_t)snprintf(out, room, "null");
    }
    switch (schema->format[0]) {
    case 'l':
        return (size_t)snprintf(out, room, "%lld", (long long)((const int64_t *)column->buffers[1])[at]);
    case 'i':
        return (size_t)snprintf(out, room, "%d", ((const int32_t *)column->buffers[1])[at]);
    case 'c':
        return (size_t)snprintf(out, room, "%s", kinds[((const int8_t *)column->buffers[1])[at]]);
    case 'u': {
        const int32_t *offsets = column->buffers[1];
        return (size_t)snprintf(out, room, "%.*s", offsets[at + 1] - offsets[at],
                                (const char *)column->buffers[2] + offsets[at]);
    }
    default:
        fail_msg("no text for the format %s", schema->format);
        return 0;
    }
}

static inline int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Reads a stream to its end, releases it, and gives its rows sorted: "a:b c:d". Static memory. */
static inline const char *rows_of(struct ArrowArrayStream *stream)
{
    static char text[TEXT_SIZE];
    char *lines[1024];
    size_t count = 0;
    struct ArrowSchema schema;
    assert_int_equal(stream->get_schema(stream, &schema), 0);
    for (;;) {
        struct ArrowArray array;
        if (stream->get_next(stream, &array) != 0) {
            fail_msg("reading: %s", stream->get_last_error(stream));
        }
        if (array.release == NULL) {
            break;
        }
        for (int64_t row = 0; row < array.length; row++) {
            char line[256] = "";
            size_t size = 0;
            for (int64_t c = 0; c < array.n_children; c++) {
                size += c > 0 ? (size_t)snprintf(line + size, sizeof line - size, ":") : 0;
                size += print_value(schema.children[c], array.children[c], row, line + size, sizeof line - size);
            }
            assert_true(count < 1024);
            lines[count++] = strdup(line);
        }
        array.release(&array);
    }
    schema.release(&schema);
    stream->release(stream);
    if (count > 1) {
        qsort(lines, count, sizeof *lines, compare_texts);
    }
    size_t size = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", i > 0 ? " " : "", lines[i]);
        free(lines[i]);
    }
    return text;
}

/* All rows of the table in `path`, as rows_of. */
static inline const char *table_text(const char *path, const weir_property *options, int32_t option_count,
                                     const weir_read_request *request)
{
    weir_open_settings settings = {.options = options, .option_count = option_count};
    weir_lake_table *table = NULL;
    struct ArrowArrayStream stream;
    CHECK(weir_lake_table_open(path, &settings, &table, err));
    CHECK(weir_lake_table_read(table, request, &stream, err));
    weir_lake_table_close(table);
    return rows_of(&stream);
}

#endif
