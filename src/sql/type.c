/* Flink's type rules: texts, common types, casts, decimal results. */
#include "sql/type.h"

/* --- Texts ----------------------------------------------------------------------------------------------------- */

static void format_row(const weir_type *type, weir_buffer *out)
{
    weir_buffer_append_text(out, "ROW<");
    for (int32_t i = 0; i < type->field_count; i++) {
        weir_buffer_append_format(out, "%s`%s` ", i == 0 ? "" : ", ", type->fields[i].name);
        weir_sql_type_format(type->fields[i].type, out);
    }
    weir_buffer_append_byte(out, '>');
}

static void format_name(const weir_type *type, weir_buffer *out)
{
    static const char *const names[] = {"BOOLEAN",  "TINYINT", "SMALLINT",  "INT",           "BIGINT", "FLOAT",
                                        "DOUBLE",   "DECIMAL", "CHAR",      "VARCHAR",       "BINARY", "VARBINARY",
                                        "DATE",     "TIME",    "TIMESTAMP", "TIMESTAMP_LTZ", "ARRAY",  "MAP",
                                        "MULTISET", "ROW",     "VARIANT",   "BYTES",         "NULL"};
    if (type->id == WEIR_INTERVAL_MONTHS) {
        weir_buffer_append_text(out, "INTERVAL MONTH");
        return;
    }
    if (type->id == WEIR_INTERVAL_MILLIS) {
        weir_buffer_append_text(out, "INTERVAL SECOND(3)");
        return;
    }
    if (type->id == WEIR_VARCHAR && type->precision == WEIR_MAX_LENGTH) {
        weir_buffer_append_text(out, "STRING");
        return;
    }
    if (type->id == WEIR_VARBINARY && type->precision == WEIR_MAX_LENGTH) {
        weir_buffer_append_text(out, "BYTES");
        return;
    }
    weir_buffer_append_text(out, names[type->id]);
}

void weir_sql_type_format(const weir_type *type, weir_buffer *out)
{
    if (type->id == WEIR_ROW) {
        format_row(type, out);
    } else {
        format_name(type, out);
    }
    switch (type->id) {
    case WEIR_DECIMAL:
        weir_buffer_append_format(out, "(%d, %d)", type->precision, type->scale);
        break;
    case WEIR_CHAR:
    case WEIR_BINARY:
    case WEIR_TIME:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        weir_buffer_append_format(out, "(%d)", type->precision);
        break;
    case WEIR_VARCHAR:
    case WEIR_VARBINARY:
        if (type->precision != WEIR_MAX_LENGTH) {
            weir_buffer_append_format(out, "(%d)", type->precision);
        }
        break;
    case WEIR_ARRAY:
    case WEIR_MULTISET:
    case WEIR_MAP:
        weir_buffer_append_byte(out, '<');
        if (type->id != WEIR_ARRAY) {
            weir_sql_type_format(type->key, out);
        }
        if (type->id == WEIR_MAP) {
            weir_buffer_append_text(out, ", ");
        }
        if (type->id != WEIR_MULTISET) {
            weir_sql_type_format(type->element, out);
        }
        weir_buffer_append_byte(out, '>');
        break;
    default:
        break;
    }
    if (!type->nullable) {
        weir_buffer_append_text(out, " NOT NULL");
    }
}

const char *weir_sql_type_text(weir_arena *arena, const weir_type *type)
{
    weir_buffer text = {0};
    weir_sql_type_format(type, &text);
    const char *copy = weir_arena_strndup(arena, weir_buffer_text(&text), text.size);
    weir_buffer_free(&text);
    return copy;
}

bool weir_sql_type_equal(const weir_type *a, const weir_type *b, bool ignore_nullability)
{
    if (weir_type_is_interval(a) || weir_type_is_interval(b)) {
        return a->id == b->id && (ignore_nullability || a->nullable == b->nullable);
    }
    return weir_type_equal(a, b, ignore_nullability);
}

/* --- Decimals -------------------------------------------------------------------------------------------------- */

const weir_type *weir_sql_decimal_of(weir_arena *arena, const weir_type *type)
{
    int digits;
    switch (type->id) {
    case WEIR_TINYINT:
        digits = 3;
        break;
    case WEIR_SMALLINT:
        digits = 5;
        break;
    case WEIR_INT:
        digits = 10;
        break;
    case WEIR_BIGINT:
        digits = 19;
        break;
    default:
        return type;
    }
    return weir_type_decimal(arena, digits, 0, type->nullable);
}

/* A result wider than 38 digits gives up fraction digits, but keeps six of them (or as many as it has). */
static const weir_type *fit_decimal(weir_arena *arena, int precision, int scale, bool nullable)
{
    enum { widest = 38, kept = 6 };
    if (precision > widest) {
        int whole = precision - scale;
        int minimum = scale < kept ? scale : kept;
        scale = widest - whole > minimum ? widest - whole : minimum;
        precision = widest;
    }
    return weir_type_decimal(arena, precision, scale, nullable);
}

static int larger(int a, int b) { return a > b ? a : b; }

static int smaller(int a, int b) { return a < b ? a : b; }

const weir_type *weir_sql_decimal_result(weir_arena *arena, char operation, const weir_type *a, const weir_type *b,
                                         bool nullable)
{
    int p1 = a->precision;
    int s1 = a->scale;
    int p2 = b->precision;
    int s2 = b->scale;
    int scale;
    switch (operation) {
    case '*':
        return fit_decimal(arena, p1 + p2 + 1, s1 + s2, nullable);
    case '/':
        scale = larger(6, s1 + p2 + 1);
        return fit_decimal(arena, p1 - s1 + s2 + scale, scale, nullable);
    case '%':
        scale = larger(s1, s2);
        return fit_decimal(arena, smaller(p1 - s1, p2 - s2) + scale, scale, nullable);
    default:
        scale = larger(s1, s2);
        return fit_decimal(arena, larger(p1 - s1, p2 - s2) + scale + 1, scale, nullable);
    }
}

/* --- Common types ---------------------------------------------------------------------------------------------- */

static const weir_type *common_number(weir_arena *arena, const weir_type *a, const weir_type *b, bool nullable)
{
    if (weir_type_is_approximate(a) || weir_type_is_approximate(b)) {
        if (a->id == WEIR_DECIMAL || b->id == WEIR_DECIMAL) {
            return weir_type_simple(WEIR_DOUBLE, nullable);
        }
        /* Of FLOAT and DOUBLE the first one wins, as it does in Flink. */
        return weir_type_simple(weir_type_is_approximate(a) ? a->id : b->id, nullable);
    }
    if (a->id != WEIR_DECIMAL && b->id != WEIR_DECIMAL) {
        return weir_type_simple(a->id > b->id ? a->id : b->id, nullable);
    }
    const weir_type *x = weir_sql_decimal_of(arena, a);
    const weir_type *y = weir_sql_decimal_of(arena, b);
    int scale = larger(x->scale, y->scale);
    int whole = larger(x->precision - x->scale, y->precision - y->scale);
    return weir_type_decimal(arena, smaller(whole + scale, 38), smaller(scale, 38), nullable);
}

/* CHAR of equal lengths stay; all else varies. The same for bytes. */
static const weir_type *common_text(weir_arena *arena, const weir_type *a, const weir_type *b, bool nullable)
{
    bool bytes = weir_type_is_bytes(a);
    bool fixed = a->id == b->id && (a->id == WEIR_CHAR || a->id == WEIR_BINARY) && a->precision == b->precision;
    weir_type_id id = fixed ? a->id : bytes ? WEIR_VARBINARY : WEIR_VARCHAR;
    return weir_type_with_length(arena, id, larger(a->precision, b->precision), nullable);
}

static const weir_type *common_two(weir_arena *arena, const weir_type *a, const weir_type *b);

static const weir_type *common_row(weir_arena *arena, const weir_type *a, const weir_type *b, bool nullable)
{
    if (a->field_count != b->field_count) {
        return NULL;
    }
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, a->field_count + 1);
    for (int32_t i = 0; i < a->field_count; i++) {
        fields[i] = a->fields[i];
        fields[i].type = common_two(arena, a->fields[i].type, b->fields[i].type);
        if (fields[i].type == NULL) {
            return NULL;
        }
    }
    return weir_type_row(arena, fields, a->field_count, nullable);
}

static const weir_type *common_nested(weir_arena *arena, const weir_type *a, const weir_type *b, bool nullable)
{
    if (a->id != b->id) {
        return NULL;
    }
    if (a->id == WEIR_ROW) {
        return common_row(arena, a, b, nullable);
    }
    if (a->id == WEIR_VARIANT) {
        return weir_type_new(arena, WEIR_VARIANT, nullable);
    }
    const weir_type *key = a->id == WEIR_ARRAY ? NULL : common_two(arena, a->key, b->key);
    const weir_type *element = a->id == WEIR_MULTISET ? NULL : common_two(arena, a->element, b->element);
    if (a->id == WEIR_ARRAY) {
        return element == NULL ? NULL : weir_type_array(arena, element, nullable);
    }
    if (a->id == WEIR_MULTISET) {
        return key == NULL ? NULL : weir_type_multiset(arena, key, nullable);
    }
    return key == NULL || element == NULL ? NULL : weir_type_map(arena, key, element, nullable);
}

static const weir_type *with_nullability(weir_arena *arena, const weir_type *type, bool nullable)
{
    if (type->nullable == nullable) {
        return type;
    }
    weir_type *copy = weir_arena_copy(arena, type, sizeof *type);
    copy->nullable = nullable;
    return copy;
}

static const weir_type *common_two(weir_arena *arena, const weir_type *a, const weir_type *b)
{
    bool nullable = a->nullable || b->nullable;
    if (a->id == WEIR_NULL) {
        return with_nullability(arena, b, true);
    }
    if (b->id == WEIR_NULL) {
        return with_nullability(arena, a, true);
    }
    if (!weir_type_is_nested(a) && weir_sql_type_equal(a, b, true)) {
        return with_nullability(arena, a, nullable);
    }
    if (weir_type_is_numeric(a) && weir_type_is_numeric(b)) {
        return common_number(arena, a, b, nullable);
    }
    if ((weir_type_is_text(a) && weir_type_is_text(b)) || (weir_type_is_bytes(a) && weir_type_is_bytes(b))) {
        return common_text(arena, a, b, nullable);
    }
    if (weir_type_is_timestamp(a) && weir_type_is_timestamp(b)) {
        return weir_type_with_length(arena, a->id, larger(a->precision, b->precision), nullable);
    }
    if (a->id == WEIR_TIME && b->id == WEIR_TIME) {
        return weir_type_with_length(arena, a->id, larger(a->precision, b->precision), nullable);
    }
    return weir_type_is_nested(a) ? common_nested(arena, a, b, nullable) : NULL;
}

const weir_type *weir_sql_common_type(weir_arena *arena, const weir_type *const *types, int32_t count)
{
    const weir_type *common = count > 0 ? types[0] : NULL;
    for (int32_t i = 1; i < count && common != NULL; i++) {
        common = common_two(arena, common, types[i]);
    }
    return common;
}

/* --- Casts ----------------------------------------------------------------------------------------------------- */

static weir_cast_rule weaker(weir_cast_rule a, weir_cast_rule b) { return a < b ? a : b; }

static weir_cast_rule nested_rule(const weir_type *from, const weir_type *to)
{
    if (from->id != to->id) {
        return WEIR_CAST_REFUSED;
    }
    weir_cast_rule rule = WEIR_CAST_IMPLICIT;
    if (from->id == WEIR_ROW) {
        if (from->field_count != to->field_count) {
            return WEIR_CAST_REFUSED;
        }
        for (int32_t i = 0; i < from->field_count; i++) {
            rule = weaker(rule, weir_sql_cast_rule(from->fields[i].type, to->fields[i].type));
        }
        return rule;
    }
    if (from->id == WEIR_MAP || from->id == WEIR_MULTISET) {
        rule = weaker(rule, weir_sql_cast_rule(from->key, to->key));
    }
    if (from->id == WEIR_MAP || from->id == WEIR_ARRAY) {
        rule = weaker(rule, weir_sql_cast_rule(from->element, to->element));
    }
    return rule;
}

static weir_cast_rule number_rule(const weir_type *from, const weir_type *to)
{
    if (weir_type_is_text(from) || from->id == WEIR_BOOLEAN) {
        return WEIR_CAST_EXPLICIT;
    }
    if (!weir_type_is_numeric(from)) {
        return WEIR_CAST_REFUSED;
    }
    if (to->id == WEIR_DECIMAL || to->id == WEIR_DOUBLE) {
        return WEIR_CAST_IMPLICIT;
    }
    if (to->id == WEIR_FLOAT) {
        return from->id == WEIR_DOUBLE ? WEIR_CAST_EXPLICIT : WEIR_CAST_IMPLICIT;
    }
    return weir_type_is_integer(from) && from->id <= to->id ? WEIR_CAST_IMPLICIT : WEIR_CAST_EXPLICIT;
}

static weir_cast_rule time_rule(const weir_type *from, const weir_type *to)
{
    if (weir_type_is_text(from)) {
        return WEIR_CAST_EXPLICIT;
    }
    if (from->id == to->id) {
        return WEIR_CAST_IMPLICIT;
    }
    if (from->id == WEIR_TIMESTAMP) {
        return WEIR_CAST_IMPLICIT;
    }
    if (from->id == WEIR_TIMESTAMP_LTZ) {
        return to->id == WEIR_TIMESTAMP ? WEIR_CAST_IMPLICIT : WEIR_CAST_EXPLICIT;
    }
    bool to_timestamp = weir_type_is_timestamp(to);
    return to_timestamp && (from->id == WEIR_DATE || from->id == WEIR_TIME) ? WEIR_CAST_EXPLICIT : WEIR_CAST_REFUSED;
}

weir_cast_rule weir_sql_cast_rule(const weir_type *from, const weir_type *to)
{
    if (from->id == WEIR_NULL || weir_sql_type_equal(from, to, true)) {
        return WEIR_CAST_IMPLICIT;
    }
    switch ((int)to->id) {
    case WEIR_CHAR:
        return from->id == WEIR_CHAR ? WEIR_CAST_IMPLICIT : WEIR_CAST_EXPLICIT;
    case WEIR_VARCHAR:
        return weir_type_is_text(from) ? WEIR_CAST_IMPLICIT : WEIR_CAST_EXPLICIT;
    case WEIR_BINARY:
        return from->id == WEIR_BINARY                               ? WEIR_CAST_IMPLICIT
               : weir_type_is_text(from) || weir_type_is_bytes(from) ? WEIR_CAST_EXPLICIT
                                                                     : WEIR_CAST_REFUSED;
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return weir_type_is_bytes(from)  ? WEIR_CAST_IMPLICIT
               : weir_type_is_text(from) ? WEIR_CAST_EXPLICIT
                                         : WEIR_CAST_REFUSED;
    case WEIR_BOOLEAN:
        return weir_type_is_text(from) || weir_type_is_numeric(from) ? WEIR_CAST_EXPLICIT : WEIR_CAST_REFUSED;
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
    case WEIR_DECIMAL:
        return number_rule(from, to);
    case WEIR_DATE:
    case WEIR_TIME:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return time_rule(from, to);
    case WEIR_ARRAY:
    case WEIR_MAP:
    case WEIR_MULTISET:
    case WEIR_ROW:
    case WEIR_VARIANT:
        return nested_rule(from, to);
    default:
        return WEIR_CAST_REFUSED;
    }
}
