/* Casting: which casts there are, choosing the rule, and nested values.
 *
 * What is allowed is what Paimon's ALTER TABLE allows, so that a table altered here can be read everywhere. Values are
 * cast in cast_number.c, cast_time.c, cast_to_text.c and cast_from_text.c. */
#include "vector/cast.h"

#include "vector/bits.h"
#include "vector/cast_rules.h"

int weir_cast_begin(const weir_vector *from, weir_vector *out, weir_error *err)
{
    bool with_nulls = from->null_count > 0 || out->validity != NULL;
    return with_nulls ? weir_vector_reserve_validity(out, from->length, err)
                      : weir_vector_reserve(out, from->length, err);
}

void weir_cast_end(const weir_vector *from, weir_vector *out)
{
    if (from->null_count > 0) {
        weir_bits_copy(out->validity, out->length, from->validity, 0, from->length);
        out->null_count += from->null_count;
    } else if (out->validity != NULL) {
        weir_bits_fill(out->validity, out->length, from->length, true);
    }
    out->length += from->length;
}

/* --- what is allowed --- */

static bool is_number(const weir_type *type)
{
    return weir_type_is_integer(type) || weir_type_is_float(type) || type->id == WEIR_DECIMAL;
}

/* Where field i of `to` stands in `from`: by its id, and by its position where fields have none (-1, as in types that
 * SQL names). -1: nowhere. */
static int32_t source_of_field(const weir_type *from, const weir_type *to, int32_t i)
{
    if (to->fields[i].id < 0) {
        return i < from->field_count ? i : -1;
    }
    for (int32_t j = 0; j < from->field_count; j++) {
        if (from->fields[j].id == to->fields[i].id) {
            return j;
        }
    }
    return -1;
}

static bool row_allowed(const weir_type *from, const weir_type *to)
{
    for (int32_t i = 0; i < to->field_count; i++) {
        int32_t source = source_of_field(from, to, i);
        if (source >= 0 && !weir_cast_allowed(from->fields[source].type, to->fields[i].type)) {
            return false;
        }
    }
    return true;
}

static bool nested_allowed(const weir_type *from, const weir_type *to)
{
    if (from->id != to->id) {
        return false;
    }
    switch (to->id) {
    case WEIR_ROW:
        return row_allowed(from, to);
    case WEIR_ARRAY:
        return weir_cast_allowed(from->element, to->element);
    case WEIR_MAP:
        return weir_type_equal(from->key, to->key, true) && weir_cast_allowed(from->element, to->element);
    default:
        return weir_type_equal(from, to, true);
    }
}

static bool text_source_allowed(const weir_type *to)
{
    return to->id != WEIR_BLOB && to->id != WEIR_NULL && !weir_type_is_nested(to);
}

static bool text_target_allowed(const weir_type *from)
{
    switch (from->id) {
    case WEIR_ARRAY:
        return text_target_allowed(from->element);
    case WEIR_MAP:
        return text_target_allowed(from->key) && text_target_allowed(from->element);
    case WEIR_ROW:
        for (int32_t i = 0; i < from->field_count; i++) {
            if (!text_target_allowed(from->fields[i].type)) {
                return false;
            }
        }
        return true;
    default:
        return from->id != WEIR_MULTISET && from->id != WEIR_VARIANT && from->id != WEIR_BLOB;
    }
}

static bool simple_allowed(const weir_type *from, const weir_type *to)
{
    bool to_number = is_number(to);
    switch (from->id) {
    case WEIR_BOOLEAN:
        return to_number;
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
        return to_number || to->id == WEIR_BOOLEAN;
    case WEIR_INT:
    case WEIR_BIGINT:
        return to_number || to->id == WEIR_BOOLEAN || weir_type_is_timestamp(to);
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
    case WEIR_DECIMAL:
        return to_number;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return text_source_allowed(to);
    case WEIR_BINARY:
    case WEIR_VARBINARY:
        return to->id == WEIR_BINARY || to->id == WEIR_VARBINARY;
    case WEIR_DATE:
    case WEIR_TIME:
        return weir_type_is_timestamp(to);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return weir_type_is_timestamp(to) || to->id == WEIR_DATE || to->id == WEIR_TIME || to->id == WEIR_INT ||
               to->id == WEIR_BIGINT;
    default:
        return false;
    }
}

bool weir_cast_allowed(const weir_type *from, const weir_type *to)
{
    if (weir_type_is_text(to)) {
        return text_target_allowed(from);
    }
    if (weir_type_is_nested(to)) {
        return nested_allowed(from, to);
    }
    return from->id == WEIR_NULL || weir_type_equal(from, to, true) || simple_allowed(from, to);
}

/* --- nested values --- */

/* Arrays and maps keep their offsets: all elements are cast at once. */
static int cast_lists(const weir_vector *from, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_cast_begin(from, out, err));
    int64_t shift = out->children[0].length;
    if (from->children[0].length > INT32_MAX - shift) {
        return weir_fail(err, WEIR_INVALID, "a column of one batch would pass 2^31 elements; use smaller batches");
    }
    for (int32_t i = 0; i < out->child_count; i++) {
        WEIR_TRY(weir_vector_cast(&from->children[i], &out->children[i], err));
    }
    for (int64_t i = 0; i < from->length; i++) {
        out->offsets[out->length + 1 + i] = from->offsets[i + 1] + (int32_t)shift;
    }
    weir_cast_end(from, out);
    return WEIR_OK;
}

static int cast_rows(const weir_vector *from, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_cast_begin(from, out, err));
    for (int32_t i = 0; i < out->child_count; i++) {
        int32_t source = source_of_field(from->type, out->type, i);
        if (source < 0) {
            WEIR_TRY(weir_vector_append_nulls(&out->children[i], from->length, err));
        } else {
            WEIR_TRY_CTX(weir_vector_cast(&from->children[source], &out->children[i], err), err, "field '%s'",
                         out->type->fields[i].name);
        }
    }
    weir_cast_end(from, out);
    return WEIR_OK;
}

/* --- choosing --- */

static bool takes_part_in_numbers(const weir_type *type) { return type->id == WEIR_BOOLEAN || is_number(type); }

static bool takes_part_in_times(const weir_type *type)
{
    return type->id == WEIR_DATE || type->id == WEIR_TIME || weir_type_is_timestamp(type);
}

static int fail_unsupported(const weir_type *from, const weir_type *to, weir_error *err)
{
    weir_buffer from_text = {0};
    weir_buffer to_text = {0};
    weir_type_format(from, &from_text);
    weir_type_format(to, &to_text);
    int code = weir_fail(err, WEIR_UNSUPPORTED, "there is no cast from %s to %s", weir_buffer_text(&from_text),
                         weir_buffer_text(&to_text));
    weir_buffer_free(&from_text);
    weir_buffer_free(&to_text);
    return code;
}

int weir_vector_cast(const weir_vector *from, weir_vector *out, weir_error *err)
{
    const weir_type *source = from->type;
    const weir_type *target = out->type;
    if (source->id == WEIR_NULL) {
        return weir_vector_append_nulls(out, from->length, err);
    }
    if (!weir_cast_allowed(source, target)) {
        return fail_unsupported(source, target, err);
    }
    /* Before types are compared: rows with fields of the same names may differ in their ids. */
    if (source->id == WEIR_ROW && target->id == WEIR_ROW) {
        return cast_rows(from, out, err);
    }
    if (source->id == target->id && (target->id == WEIR_ARRAY || target->id == WEIR_MAP)) {
        return cast_lists(from, out, err);
    }
    if (weir_type_equal(source, target, true)) {
        return weir_vector_append_range(out, from, 0, from->length, err);
    }
    if (weir_type_is_text(target)) {
        return weir_cast_to_text(from, out, err);
    }
    if (weir_type_is_bytes(target)) {
        return weir_cast_to_bytes(from, out, err);
    }
    if (weir_type_is_text(source)) {
        return weir_cast_from_text(from, out, err);
    }
    if (takes_part_in_times(source) || takes_part_in_times(target)) {
        return weir_cast_times(from, out, err);
    }
    if (takes_part_in_numbers(source) && takes_part_in_numbers(target)) {
        return weir_cast_numbers(from, out, err);
    }
    return fail_unsupported(source, target, err);
}
