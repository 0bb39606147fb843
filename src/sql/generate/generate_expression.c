/* Expressions and types as DuckDB reads them, and the names of kernels. */
#include <math.h>

#include "base/text.h"
#include "sql/function/kernels.h"
#include "sql/generate/generate.h"

/* --- Types ----------------------------------------------------------------------------------------------------- */

/* The name of a type without parts or parameters; an untyped NULL is a BOOLEAN. */
static const char *plain_type(const weir_type *type)
{
    switch ((int)type->id) {
    case WEIR_TINYINT:
        return "TINYINT";
    case WEIR_SMALLINT:
        return "SMALLINT";
    case WEIR_INT:
    case WEIR_TIME:
    case WEIR_INTERVAL_MONTHS:
        return "INTEGER";
    case WEIR_BIGINT:
    case WEIR_INTERVAL_MILLIS:
        return "BIGINT";
    case WEIR_FLOAT:
        return "FLOAT";
    case WEIR_DOUBLE:
        return "DOUBLE";
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return "VARCHAR";
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return "BLOB";
    case WEIR_DATE:
        return "DATE";
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return type->precision <= 6 ? "TIMESTAMP" : "HUGEINT";
    case WEIR_VARIANT:
        return "STRUCT(f0 BLOB, f1 BLOB)";
    default:
        return "BOOLEAN";
    }
}

void weir_generate_type(const weir_type *type, weir_buffer *out)
{
    switch ((int)type->id) {
    case WEIR_DECIMAL:
        weir_buffer_append_format(out, "DECIMAL(%d,%d)", type->precision, type->scale);
        break;
    case WEIR_ARRAY:
        weir_generate_type(type->element, out);
        weir_buffer_append_text(out, "[]");
        break;
    case WEIR_MAP:
    case WEIR_MULTISET:
        weir_buffer_append_text(out, "STRUCT(f0 ");
        weir_generate_type(type->key, out);
        weir_buffer_append_text(out, ", f1 ");
        weir_generate_type(type->element, out);
        weir_buffer_append_text(out, ")[]");
        break;
    case WEIR_ROW:
        weir_buffer_append_text(out, "STRUCT(");
        for (int32_t i = 0; i < type->field_count; i++) {
            weir_buffer_append_format(out, "%sf%d ", i == 0 ? "" : ", ", i);
            weir_generate_type(type->fields[i].type, out);
        }
        weir_buffer_append_byte(out, ')');
        break;
    default:
        weir_buffer_append_text(out, plain_type(type));
        break;
    }
}

/* --- Kernels --------------------------------------------------------------------------------------------------- */

static const char *kernel_key(weir_arena *arena, const weir_kernel *kernel, const char *option,
                              const weir_type *const *types, int32_t count, const weir_type *type)
{
    weir_buffer key = {0};
    weir_buffer_append_format(&key, "%p|%s|", (const void *)kernel, option == NULL ? "" : option);
    for (int32_t i = 0; i < count; i++) {
        weir_sql_type_format(types[i], &key);
        weir_buffer_append_byte(&key, ',');
    }
    weir_buffer_append_byte(&key, '>');
    weir_sql_type_format(type, &key);
    const char *text = weir_arena_strndup(arena, weir_buffer_text(&key), key.size);
    weir_buffer_free(&key);
    return text;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *c = text; *c != '\0'; c++) {
        hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
    }
    return hash;
}

const char *weir_generate_kernel(weir_generator *generator, const weir_kernel *kernel, const char *option,
                                 const weir_type *const *types, int32_t count, const weir_type *type)
{
    weir_generated *out = generator->out;
    const char *key = kernel_key(&out->arena, kernel, option, types, count, type);
    const char *name = weir_arena_format(&out->arena, "weir_%s_%016" PRIx64, kernel->name, hash_text(key));
    for (int32_t i = 0; i < out->use_count; i++) {
        if (strcmp(out->uses[i].name, name) == 0) {
            return out->uses[i].name;
        }
    }
    if ((out->use_count & (out->use_count - 1)) == 0) {
        weir_kernel_use *grown =
            WEIR_NEW_ARRAY(&out->arena, weir_kernel_use, out->use_count == 0 ? 1 : out->use_count * 2);
        if (out->use_count > 0) {
            memcpy(grown, out->uses, sizeof *grown * (size_t)out->use_count);
        }
        out->uses = grown;
    }
    const weir_type **copies = WEIR_NEW_ARRAY(&out->arena, const weir_type *, count + 1);
    if (count > 0) {
        memcpy(copies, types, sizeof *copies * (size_t)count);
    }
    out->uses[out->use_count++] = (weir_kernel_use){name, kernel, copies, count, type, option};
    return name;
}

static int generate_call(weir_generator *generator, const weir_kernel *kernel, const char *option,
                         weir_expression *const *arguments, int32_t count, const weir_type *type)
{
    weir_buffer *sql = &generator->out->sql;
    const weir_type **types = WEIR_NEW_ARRAY(&generator->out->arena, const weir_type *, count + 1);
    for (int32_t i = 0; i < count; i++) {
        types[i] = arguments[i]->type;
    }
    weir_buffer_append_format(sql, "%s(", weir_generate_kernel(generator, kernel, option, types, count, type));
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        WEIR_TRY(weir_generate_expression(generator, arguments[i]));
    }
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

/* --- Literals -------------------------------------------------------------------------------------------------- */

static void append_text(weir_buffer *sql, weir_slice text)
{
    weir_buffer_append_byte(sql, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\'') {
            weir_buffer_append_byte(sql, '\'');
        }
        weir_buffer_append_byte(sql, text.data[i]);
    }
    weir_buffer_append_byte(sql, '\'');
}

static void append_bytes(weir_buffer *sql, weir_slice bytes)
{
    weir_buffer_append_byte(sql, '\'');
    for (size_t i = 0; i < bytes.size; i++) {
        weir_buffer_append_format(sql, "\\x%02X", bytes.data[i]);
    }
    weir_buffer_append_byte(sql, '\'');
}

static void append_double(weir_buffer *sql, double value, int digits)
{
    if (isnan(value)) {
        weir_buffer_append_text(sql, "'nan'");
    } else if (isinf(value)) {
        weir_buffer_append_text(sql, value < 0 ? "'-inf'" : "'inf'");
    } else {
        weir_buffer_append_format(sql, "'%.*g'", digits, value);
    }
}

static void append_hugeint(weir_buffer *sql, weir_int128 value)
{
    weir_buffer_append_byte(sql, '\'');
    weir_decimal_format(value, 0, sql);
    weir_buffer_append_byte(sql, '\'');
}

static void append_timestamp(weir_buffer *sql, const weir_type *type, const weir_literal *literal)
{
    if (type->precision > 6) {
        append_hugeint(sql, (weir_int128)literal->nanos.millis * 1000000 + literal->nanos.nanos_of_milli);
        return;
    }
    weir_buffer_append_byte(sql, '\'');
    weir_timestamp_format(weir_timestamp_widen(literal->integer, type->precision), 6, sql);
    weir_buffer_append_byte(sql, '\'');
}

static void append_literal_value(weir_buffer *sql, const weir_type *type, const weir_literal *literal)
{
    switch ((int)type->id) {
    case WEIR_BOOLEAN:
        weir_buffer_append_text(sql, literal->boolean ? "true" : "false");
        break;
    case WEIR_FLOAT:
        append_double(sql, (double)literal->float32, 9);
        break;
    case WEIR_DOUBLE:
        append_double(sql, literal->float64, 17);
        break;
    case WEIR_DECIMAL:
        weir_buffer_append_byte(sql, '\'');
        weir_decimal_format(type->precision <= 18 ? literal->integer : literal->decimal, type->scale, sql);
        weir_buffer_append_byte(sql, '\'');
        break;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        append_text(sql, literal->bytes);
        break;
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        append_bytes(sql, literal->bytes);
        break;
    case WEIR_DATE:
        weir_buffer_append_byte(sql, '\'');
        weir_date_format(literal->integer, sql);
        weir_buffer_append_byte(sql, '\'');
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        append_timestamp(sql, type, literal);
        break;
    default:
        weir_buffer_append_format(sql, "%" PRId64, literal->integer);
        break;
    }
}

static void generate_literal(weir_generator *generator, const weir_expression *expression)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, "CAST(");
    if (expression->literal.is_null) {
        weir_buffer_append_text(sql, "NULL");
    } else {
        append_literal_value(sql, expression->type, &expression->literal);
    }
    weir_buffer_append_text(sql, " AS ");
    weir_generate_type(expression->type, sql);
    weir_buffer_append_byte(sql, ')');
}

/* --- Everything else ------------------------------------------------------------------------------------------- */

static int generate_list(weir_generator *generator, const weir_expression *expression, int32_t first,
                         const char *between)
{
    for (int32_t i = first; i < expression->argument_count; i++) {
        weir_buffer_append_text(&generator->out->sql, i == first ? "" : between);
        WEIR_TRY(weir_generate_expression(generator, expression->arguments[i]));
    }
    return WEIR_OK;
}

/* before arguments after, with `between` between them. */
static int generate_around(weir_generator *generator, const weir_expression *expression, const char *before,
                           const char *between, const char *after)
{
    weir_buffer_append_text(&generator->out->sql, before);
    WEIR_TRY(generate_list(generator, expression, 0, between));
    weir_buffer_append_text(&generator->out->sql, after);
    return WEIR_OK;
}

static int generate_comparison(weir_generator *generator, const weir_expression *expression, const char *sign)
{
    bool swapped;
    const weir_type *operand = expression->arguments[0]->type;
    if (weir_type_is_approximate(operand)) {
        const weir_kernel *kernel = weir_kernel_compare_floats(expression->kind, operand, &swapped);
        weir_expression *arguments[2] = {expression->arguments[swapped ? 1 : 0],
                                         expression->arguments[swapped ? 0 : 1]};
        return generate_call(generator, kernel, NULL, arguments, 2, expression->type);
    }
    return generate_around(generator, expression, "(", sign, ")");
}

static int generate_in(weir_generator *generator, const weir_expression *expression)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_byte(sql, '(');
    WEIR_TRY(weir_generate_expression(generator, expression->arguments[0]));
    weir_buffer_append_text(sql, " IN (");
    WEIR_TRY(generate_list(generator, expression, 1, ", "));
    weir_buffer_append_text(sql, "))");
    return WEIR_OK;
}

static int generate_case(weir_generator *generator, const weir_expression *expression)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, "CASE");
    for (int32_t i = 0; i + 1 < expression->argument_count; i += 2) {
        weir_buffer_append_text(sql, " WHEN ");
        WEIR_TRY(weir_generate_expression(generator, expression->arguments[i]));
        weir_buffer_append_text(sql, " THEN ");
        WEIR_TRY(weir_generate_expression(generator, expression->arguments[i + 1]));
    }
    weir_buffer_append_text(sql, " ELSE ");
    WEIR_TRY(weir_generate_expression(generator, expression->arguments[expression->argument_count - 1]));
    weir_buffer_append_text(sql, " END");
    return WEIR_OK;
}

/* struct_pack(f0 := a, f1 := b) of arguments `first` on, `count` of them. */
static int generate_struct(weir_generator *generator, weir_expression *const *arguments, int32_t count)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, "struct_pack(");
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_format(sql, "%sf%d := ", i == 0 ? "" : ", ", i);
        WEIR_TRY(weir_generate_expression(generator, arguments[i]));
    }
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

static int generate_map(weir_generator *generator, const weir_expression *expression)
{
    weir_buffer *sql = &generator->out->sql;
    weir_buffer_append_text(sql, "list_value(");
    for (int32_t i = 0; i + 1 < expression->argument_count; i += 2) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        WEIR_TRY(generate_struct(generator, expression->arguments + i, 2));
    }
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

void weir_generate_column(weir_generator *generator, int32_t column)
{
    weir_buffer *sql = &generator->out->sql;
    if (generator->places == NULL) {
        weir_buffer_append_format(sql, "t.c%d", column);
    } else {
        weir_buffer_append_format(sql, "t%d.c%d", generator->places[column].leaf, generator->places[column].column);
    }
}

int weir_generate_expression(weir_generator *generator, const weir_expression *expression)
{
    weir_buffer *sql = &generator->out->sql;
    switch (expression->kind) {
    case WEIR_EXPRESSION_COLUMN:
        weir_generate_column(generator, expression->column);
        return WEIR_OK;
    case WEIR_EXPRESSION_LITERAL:
        generate_literal(generator, expression);
        return WEIR_OK;
    case WEIR_EXPRESSION_AND:
        return generate_around(generator, expression, "(", " AND ", ")");
    case WEIR_EXPRESSION_OR:
        return generate_around(generator, expression, "(", " OR ", ")");
    case WEIR_EXPRESSION_NOT:
        return generate_around(generator, expression, "(NOT ", "", ")");
    case WEIR_EXPRESSION_EQUAL:
        return generate_comparison(generator, expression, " = ");
    case WEIR_EXPRESSION_NOT_EQUAL:
        return generate_comparison(generator, expression, " <> ");
    case WEIR_EXPRESSION_LESS:
        return generate_comparison(generator, expression, " < ");
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
        return generate_comparison(generator, expression, " <= ");
    case WEIR_EXPRESSION_GREATER:
        return generate_comparison(generator, expression, " > ");
    case WEIR_EXPRESSION_GREATER_OR_EQUAL:
        return generate_comparison(generator, expression, " >= ");
    case WEIR_EXPRESSION_DISTINCT:
        return generate_around(generator, expression, "(", " IS DISTINCT FROM ", ")");
    case WEIR_EXPRESSION_NOT_DISTINCT:
        return generate_around(generator, expression, "(", " IS NOT DISTINCT FROM ", ")");
    case WEIR_EXPRESSION_IN:
        return generate_in(generator, expression);
    case WEIR_EXPRESSION_IS_NULL:
        return generate_around(generator, expression, "(", "", " IS NULL)");
    case WEIR_EXPRESSION_IS_NOT_NULL:
        return generate_around(generator, expression, "(", "", " IS NOT NULL)");
    case WEIR_EXPRESSION_IS_TRUE:
        return generate_around(generator, expression, "(", "", " IS NOT DISTINCT FROM true)");
    case WEIR_EXPRESSION_IS_NOT_TRUE:
        return generate_around(generator, expression, "(", "", " IS DISTINCT FROM true)");
    case WEIR_EXPRESSION_IS_FALSE:
        return generate_around(generator, expression, "(", "", " IS NOT DISTINCT FROM false)");
    case WEIR_EXPRESSION_IS_NOT_FALSE:
        return generate_around(generator, expression, "(", "", " IS DISTINCT FROM false)");
    case WEIR_EXPRESSION_CASE:
        return generate_case(generator, expression);
    case WEIR_EXPRESSION_COALESCE:
        return generate_around(generator, expression, "coalesce(", ", ", ")");
    case WEIR_EXPRESSION_SAME:
        return weir_generate_expression(generator, expression->arguments[0]);
    case WEIR_EXPRESSION_ROW:
        return generate_struct(generator, expression->arguments, expression->argument_count);
    case WEIR_EXPRESSION_ARRAY:
        return generate_around(generator, expression, "list_value(", ", ", ")");
    case WEIR_EXPRESSION_MAP:
        return generate_map(generator, expression);
    case WEIR_EXPRESSION_FIELD:
        weir_buffer_append_text(sql, "struct_extract(");
        WEIR_TRY(weir_generate_expression(generator, expression->arguments[0]));
        weir_buffer_append_format(sql, ", 'f%d')", expression->column);
        return WEIR_OK;
    case WEIR_EXPRESSION_OUTER:
        return weir_fail(generator->err, WEIR_INVALID, "a column of a query around was left in a plan");
    case WEIR_EXPRESSION_CALL:
        return generate_call(generator, expression->kernel, expression->kernel_option, expression->arguments,
                             expression->argument_count, expression->type);
    }
    return WEIR_OK;
}
