#include "connect/mysql/snapshot_key.h"

#include <stdlib.h>

#include "base/text.h"
#include "vector/decimal.h"

#define KEYS_A_QUERY 200

typedef enum key_order {
    ORDER_NUMBER, /* digits */
    ORDER_PARSED, /* floating numbers, times */
    ORDER_BYTES,  /* also dates, which are as wide as each other */
    ORDER_SERVER, /* by a collation, or by a rule of the server's own */
    ORDER_NONE    /* of texts of which only a part is in a key */
} key_order;

static key_order order_of(const weir_mysql_column *column)
{
    switch (column->type) {
    case WEIR_MYSQL_TINYINT:
    case WEIR_MYSQL_SMALLINT:
    case WEIR_MYSQL_MEDIUMINT:
    case WEIR_MYSQL_INT:
    case WEIR_MYSQL_BIGINT:
    case WEIR_MYSQL_YEAR:
    case WEIR_MYSQL_DECIMAL:
    case WEIR_MYSQL_BIT:
    case WEIR_MYSQL_ENUM:
    case WEIR_MYSQL_SET:
        return ORDER_NUMBER;
    case WEIR_MYSQL_FLOAT:
    case WEIR_MYSQL_DOUBLE:
    case WEIR_MYSQL_TIME:
        return ORDER_PARSED;
    case WEIR_MYSQL_DATE:
    case WEIR_MYSQL_DATETIME:
    case WEIR_MYSQL_TIMESTAMP:
    case WEIR_MYSQL_BINARY:
    case WEIR_MYSQL_VARBINARY:
        return ORDER_BYTES;
    case WEIR_MYSQL_CHAR:
    case WEIR_MYSQL_VARCHAR:
        return column->collation != NULL ? ORDER_SERVER : ORDER_NONE;
    case WEIR_MYSQL_UUID:
    case WEIR_MYSQL_INET4:
    case WEIR_MYSQL_INET6:
        return ORDER_SERVER;
    default:
        return ORDER_NONE;
    }
}

void weir_snapshot_find_order(const weir_mysql_settings *settings, weir_captured_table *table)
{
    const weir_mysql_table *definition = &table->definition;
    uint32_t *order = WEIR_NEW_ARRAY(&table->arena, uint32_t, definition->key_count + 1);
    table->order = order;
    table->order_count = 0;
    if (settings->chunk_column != NULL) {
        int32_t place = weir_mysql_table_find(definition, settings->chunk_column);
        if (place >= 0 && order_of(&definition->columns[place]) != ORDER_NONE) {
            order[0] = (uint32_t)place;
            table->order_count = 1;
        }
        return;
    }
    for (uint32_t i = 0; i < definition->key_count; i++) {
        order[i] = definition->key[i];
        if (order_of(&definition->columns[order[i]]) == ORDER_NONE) {
            return;
        }
    }
    table->order_count = definition->key_has_prefixes || !settings->in_chunks ? 0 : definition->key_count;
}

void weir_capture_key_free(weir_capture_key *key)
{
    for (uint32_t i = 0; i < key->count; i++) {
        free((void *)(uintptr_t)key->texts[i].data);
    }
    free(key->texts);
    *key = (weir_capture_key){0};
}

void weir_capture_key_set(weir_capture_key *out, weir_slice texts, uint32_t count)
{
    weir_byte_reader reader = weir_byte_reader_of(texts);
    weir_capture_key_free(out);
    out->texts = weir_alloc_zeroed(count, sizeof *out->texts);
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        weir_slice text = weir_take_slice(&reader);
        uint8_t *copy = weir_alloc(text.size + 1);
        if (text.size > 0) {
            memcpy(copy, text.data, text.size);
        }
        out->texts[i] = weir_slice_of(copy, text.size);
    }
}

/* ---- SQL ---- */

static void append_literal(const weir_mysql_column *column, weir_slice text, weir_buffer *sql)
{
    switch (column->type) {
    case WEIR_MYSQL_DATE:
    case WEIR_MYSQL_DATETIME:
    case WEIR_MYSQL_TIMESTAMP: /* its zone is the session's */
        text.size -= text.size > 0 && text.data[text.size - 1] == 'Z';
        weir_buffer_append_byte(sql, '\'');
        weir_buffer_append(sql, text.data, text.size);
        weir_buffer_append_byte(sql, '\'');
        break;
    case WEIR_MYSQL_CHAR:
    case WEIR_MYSQL_VARCHAR:
    case WEIR_MYSQL_UUID:
    case WEIR_MYSQL_INET4:
    case WEIR_MYSQL_INET6:
        weir_mysql_append_text(text, sql);
        break;
    case WEIR_MYSQL_BINARY:
    case WEIR_MYSQL_VARBINARY:
        weir_mysql_append_hex(text, sql);
        break;
    case WEIR_MYSQL_TIME:
        weir_buffer_append_text(sql, "TIME'");
        weir_buffer_append(sql, text.data, text.size);
        weir_buffer_append_byte(sql, '\'');
        break;
    case WEIR_MYSQL_FLOAT:
    case WEIR_MYSQL_DOUBLE: /* with an exponent it is no decimal */
        weir_buffer_append(sql, text.data, text.size);
        weir_buffer_append_text(sql, memchr(text.data, 'e', text.size) == NULL ? "e0" : "");
        break;
    default:
        weir_buffer_append(sql, text.data, text.size);
        break;
    }
}

/* The labels of an ENUM from a place on, or behind it: comparing it with a number would keep the server from using an
 * index. */
static void append_labels(const weir_mysql_column *column, uint32_t first, uint32_t after, weir_buffer *sql)
{
    weir_buffer_append_text(sql, " IN (");
    for (uint32_t i = first; i < after && i < column->label_count; i++) {
        weir_buffer_append_text(sql, i == first ? "" : ", ");
        weir_mysql_append_text(weir_slice_text(column->labels[i]), sql);
    }
    weir_buffer_append_text(sql, first >= column->label_count ? "NULL)" : ")");
}

static void append_condition(const weir_mysql_column *column, const char *operation, weir_slice text, weir_buffer *sql)
{
    int64_t place = 0;
    weir_mysql_append_name(column->name, sql);
    bool is_label = column->type == WEIR_MYSQL_ENUM && weir_parse_int64(text, &place) && place > 0;
    if (is_label && strcmp(operation, " <= ") != 0) { /* which would let through what has no label, too */
        bool is_behind = strcmp(operation, " > ") == 0;
        bool is_one = strcmp(operation, " = ") == 0;
        append_labels(column, (uint32_t)(is_behind ? place : place - 1), is_one ? (uint32_t)place : UINT32_MAX, sql);
        return;
    }
    bool is_numbered = column->type == WEIR_MYSQL_ENUM || column->type == WEIR_MYSQL_SET;
    weir_buffer_append_text(sql, is_numbered ? " + 0" : "");
    weir_buffer_append_text(sql, operation);
    append_literal(column, text, sql);
}

static const weir_mysql_column *order_column(const weir_captured_table *table, uint32_t place)
{
    return &table->definition.columns[table->order[place]];
}

/* The condition on the first column alone is what an index is searched with. */
void weir_snapshot_append_after(const weir_captured_table *table, const weir_capture_key *key, weir_buffer *sql)
{
    if (key->count > 1) {
        append_condition(order_column(table, 0), " >= ", key->texts[0], sql);
        weir_buffer_append_text(sql, " AND (");
    }
    for (uint32_t i = 0; i < key->count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : " OR (");
        for (uint32_t j = 0; j < i; j++) {
            append_condition(order_column(table, j), " = ", key->texts[j], sql);
            weir_buffer_append_text(sql, " AND ");
        }
        append_condition(order_column(table, i), " > ", key->texts[i], sql);
        weir_buffer_append_text(sql, i == 0 ? "" : ")");
    }
    weir_buffer_append_text(sql, key->count > 1 ? ")" : "");
}

void weir_snapshot_append_up_to(const weir_captured_table *table, const weir_capture_key *key, weir_buffer *sql)
{
    append_condition(order_column(table, 0), " <= ", key->texts[0], sql);
}

/* ---- comparing ---- */

static weir_slice without_sign(weir_slice number, bool *is_negative)
{
    *is_negative = number.size > 0 && number.data[0] == '-';
    return weir_slice_of(number.data + *is_negative, number.size - *is_negative);
}

/* Numbers of one column: without zeros in front, and with as many digits behind the point as each other. */
static int compare_numbers(weir_slice a, weir_slice b)
{
    bool a_negative, b_negative;
    weir_slice left = without_sign(a, &a_negative);
    weir_slice right = without_sign(b, &b_negative);
    if (a_negative != b_negative) {
        return a_negative ? -1 : 1;
    }
    int compared = left.size != right.size ? (left.size < right.size ? -1 : 1) : weir_slice_compare(left, right);
    return a_negative ? -compared : compared;
}

static int compare_parsed(const weir_mysql_column *column, weir_slice a, weir_slice b)
{
    weir_mysql_value left = {0}, right = {0};
    (void)weir_mysql_value_parse(a, column, &left); /* they were written from values of the column */
    (void)weir_mysql_value_parse(b, column, &right);
    if (left.kind == WEIR_MYSQL_REAL) {
        return left.real < right.real ? -1 : left.real > right.real;
    }
    return left.number < right.number ? -1 : left.number > right.number;
}

static int compare_texts(const weir_mysql_column *column, weir_slice a, weir_slice b)
{
    switch (order_of(column)) {
    case ORDER_NUMBER:
        return compare_numbers(a, b);
    case ORDER_PARSED:
        return compare_parsed(column, a, b);
    default:
        return weir_slice_compare(a, b);
    }
}

static bool is_up_to(const weir_captured_table *table, const weir_slice *key, const weir_capture_key *bound)
{
    for (uint32_t i = 0; i < bound->count; i++) {
        int compared = compare_texts(order_column(table, i), key[i], bound->texts[i]);
        if (compared != 0) {
            return compared < 0;
        }
    }
    return true;
}

/* A constant that compares as the column does. */
static void append_constant(const weir_mysql_column *column, weir_slice text, weir_buffer *sql)
{
    switch (column->type) {
    case WEIR_MYSQL_CHAR:
    case WEIR_MYSQL_VARCHAR:
        weir_buffer_append_text(sql, "CONVERT(");
        weir_mysql_append_text(text, sql);
        weir_buffer_append_format(sql, " USING %s) COLLATE %s", column->charset, column->collation);
        break;
    case WEIR_MYSQL_UUID:
    case WEIR_MYSQL_INET4:
    case WEIR_MYSQL_INET6:
        weir_buffer_append_text(sql, "CAST(");
        weir_mysql_append_text(text, sql);
        weir_buffer_append_format(sql, " AS %s)", column->definition);
        break;
    default:
        append_literal(column, text, sql);
        break;
    }
}

/* "(a, b) <= (c, d)" */
static void append_is_up_to(const weir_captured_table *table, const weir_slice *key, const weir_capture_key *bound,
                            weir_buffer *sql)
{
    weir_buffer_append_byte(sql, '(');
    for (uint32_t i = 0; i < bound->count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        append_constant(order_column(table, i), key[i], sql);
    }
    weir_buffer_append_text(sql, ") <= (");
    for (uint32_t i = 0; i < bound->count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        append_constant(order_column(table, i), bound->texts[i], sql);
    }
    weir_buffer_append_byte(sql, ')');
}

/* What is being asked. */
typedef struct side_question {
    weir_capture *capture;
    const weir_captured_table *table;
    const weir_capture_key *to; /* texts NULL: everything is in the chunk */
} side_question;

static weir_key_side side_of(bool is_given, bool is_in)
{
    return is_given ? WEIR_KEY_GIVEN : is_in ? WEIR_KEY_IN_CHUNK : WEIR_KEY_BEYOND;
}

static int ask_server(const side_question *question, const weir_slice *keys, size_t count, weir_key_side *out,
                      weir_error *err)
{
    weir_mysql_connection *connection = &question->capture->query;
    MYSQL_RES *result;
    weir_buffer sql = {0};
    weir_buffer_append_text(&sql, "SELECT ");
    for (size_t i = 0; i < count; i++) {
        const weir_slice *key = keys + i * question->table->order_count;
        weir_buffer_append_text(&sql, i == 0 ? "" : ", ");
        if (question->table->frontier.texts == NULL) {
            weir_buffer_append_text(&sql, "0, ");
        } else {
            append_is_up_to(question->table, key, &question->table->frontier, &sql);
            weir_buffer_append_text(&sql, ", ");
        }
        if (question->to->texts == NULL) {
            weir_buffer_append_text(&sql, "1");
        } else {
            append_is_up_to(question->table, key, question->to, &sql);
        }
    }
    int code = connection->library->real_query(connection->handle, (const char *)sql.data, (unsigned long)sql.size);
    weir_buffer_free(&sql);
    if (code != 0) {
        return weir_mysql_fail(connection, "comparing keys", err);
    }
    result = connection->library->store_result(connection->handle);
    MYSQL_ROW row = result == NULL ? NULL : connection->library->fetch_row(result);
    for (size_t i = 0; row != NULL && i < count; i++) {
        out[i] =
            side_of(row[i * 2] != NULL && row[i * 2][0] == '1', row[i * 2 + 1] != NULL && row[i * 2 + 1][0] == '1');
    }
    code = row != NULL ? WEIR_OK : weir_mysql_fail(connection, "comparing keys", err);
    if (result != NULL) {
        connection->library->free_result(result);
    }
    return code;
}

static int tell_sides(const side_question *question, const weir_slice *keys, size_t count, weir_key_side *out,
                      weir_error *err)
{
    bool asks = false;
    for (uint32_t i = 0; i < question->table->order_count; i++) {
        asks = asks || order_of(order_column(question->table, i)) == ORDER_SERVER;
    }
    for (size_t i = 0; asks && i < count; i += KEYS_A_QUERY) {
        size_t part = count - i < KEYS_A_QUERY ? count - i : KEYS_A_QUERY;
        WEIR_TRY(ask_server(question, keys + i * question->table->order_count, part, out + i, err));
    }
    for (size_t i = 0; !asks && i < count; i++) {
        const weir_slice *key = keys + i * question->table->order_count;
        out[i] = side_of(question->table->frontier.texts != NULL &&
                             is_up_to(question->table, key, &question->table->frontier),
                         question->to->texts == NULL || is_up_to(question->table, key, question->to));
    }
    return WEIR_OK;
}

int weir_snapshot_sides(weir_capture *capture, const weir_captured_table *table, const weir_capture_key *end,
                        weir_slice keys, size_t count, weir_key_side *out, weir_error *err)
{
    const side_question question = {.capture = capture, .table = table, .to = end};
    if (table->order_count == 0) {
        for (size_t i = 0; i < count; i++) {
            out[i] = WEIR_KEY_IN_CHUNK; /* there is one only */
        }
        return WEIR_OK;
    }
    weir_byte_reader reader = weir_byte_reader_of(keys);
    weir_slice *texts = weir_alloc_zeroed(count * table->order_count + 1, sizeof *texts);
    for (size_t i = 0; i < count * table->order_count; i++) {
        texts[i] = weir_take_slice(&reader);
    }
    int code = tell_sides(&question, texts, count, out, err);
    free(texts);
    return code;
}
