/* Text and bytes. A column of text takes any value: strings as what they say, numbers, true and false as they are
 * written, objects and arrays as their JSON text. Bytes are base64. */
#include "base/text.h"
#include "format/json/column_convert.h"
#include "format/json/text.h"

/* Room for all the strings and numbers of the column; none of them grows. */
static int reserve_texts(const weir_json_span *spans, int64_t stride, int64_t count, weir_vector *out, weir_error *err)
{
    size_t bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        bytes += spans[i * stride].size;
    }
    return weir_vector_reserve_bytes(out, bytes, err);
}

/* Objects and arrays may grow: control characters get escapes. `later` bytes must be left for the values after it. */
static int write_container(weir_json_conversion *conversion, weir_json_span span, int32_t *end, size_t later,
                           weir_vector *out, bool *out_fits, weir_error *err)
{
    weir_buffer *text = &conversion->scratch;
    weir_buffer_clear(text);
    weir_json_compact(conversion->base, span, text);
    *out_fits = weir_utf8_valid(weir_buffer_slice(text));
    if (!*out_fits) {
        return WEIR_OK;
    }
    size_t written = (size_t)(*end - out->offsets[out->length]);
    WEIR_TRY(weir_vector_reserve_bytes(out, written + text->size + later, err));
    memcpy(out->data + *end, text->data, text->size);
    *end += (int32_t)text->size;
    return WEIR_OK;
}

int weir_json_convert_text(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                           int64_t stride, int64_t count, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_json_begin_values(column, count, out, err));
    WEIR_TRY(reserve_texts(spans, stride, count, out, err));
    int32_t *offsets = out->offsets + out->length + 1;
    int32_t end = out->offsets[out->length];
    int64_t null_count = 0;
    size_t later = 0;
    for (int64_t i = 0; i < count; i++) {
        later += spans[i * stride].size;
    }
    for (int64_t i = 0; i < count; i++) {
        weir_json_span span = spans[i * stride];
        bool is_null = weir_json_is_null(span);
        bool fits = true;
        later -= span.size;
        if (span.token >= WEIR_JSON_OBJECT) {
            WEIR_TRY(write_container(conversion, span, &end, later, out, &fits, err));
        } else if (span.has_others && !weir_utf8_valid(weir_slice_of(conversion->base + span.offset, span.size))) {
            fits = false;
        } else if (!is_null) {
            end += (int32_t)weir_json_text_write(conversion->base, span, out->data + end);
        }
        if (!fits) {
            weir_json_reject(conversion, column, span);
            is_null = true;
        }
        offsets[i] = end;
        column->nulls[i] = is_null;
        null_count += is_null;
    }
    return weir_json_end_values(column, count, null_count, out, err);
}

int weir_json_convert_bytes(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                            int64_t stride, int64_t count, weir_vector *out, weir_error *err)
{
    WEIR_TRY(weir_json_begin_values(column, count, out, err));
    WEIR_TRY(reserve_texts(spans, stride, count, out, err));
    int32_t *offsets = out->offsets + out->length + 1;
    int32_t end = out->offsets[out->length];
    int64_t null_count = 0;
    for (int64_t i = 0; i < count; i++) {
        weir_json_span span = spans[i * stride];
        bool is_null = weir_json_is_null(span);
        size_t size = 0;
        if (!is_null && (span.token != WEIR_JSON_STRING ||
                         !weir_json_base64_decode(conversion->base + span.offset, span.size, out->data + end, &size))) {
            weir_json_reject(conversion, column, span);
            is_null = true;
            size = 0;
        }
        end += (int32_t)size;
        offsets[i] = end;
        column->nulls[i] = is_null;
        null_count += is_null;
    }
    return weir_json_end_values(column, count, null_count, out, err);
}
