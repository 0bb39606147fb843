/* Statistics of stripes. Bounds of floating-point numbers are left alone, since writers disagree on NaN and zeros, and
 * those of timestamps, whose writers' zones make them too uncertain for what they would save. */
#include "format/orc/statistics.h"

#include "format/orc/protobuf.h"

/* The first version of the writer whose bounds of texts are in the order of their bytes. */
#define FIRST_VERSION_WITH_TEXT_ORDER 1

int weir_orc_statistics_read(const weir_orc_source *source, const weir_orc_metadata *metadata, weir_arena *arena,
                             weir_orc_statistics *out, weir_error *err)
{
    weir_slice bytes;
    weir_orc_field field;
    size_t count = 0;
    out->stripes = NULL;
    WEIR_TRY(weir_orc_message_read(source, metadata->statistics_offset, metadata->statistics_size, "stripe statistics",
                                   arena, &bytes, err));
    if (weir_orc_message_count(bytes, 1) != metadata->stripe_count) { /* some writers make none */
        return WEIR_OK;
    }
    out->stripes = WEIR_NEW_ARRAY(arena, weir_slice, metadata->stripe_count);
    weir_orc_message message = weir_orc_message_of(bytes);
    while (weir_orc_message_next(&message, &field)) {
        if (field.number == 1) { /* stripeStats */
            out->stripes[count++] = field.bytes;
        }
    }
    return message.failed ? weir_fail(err, WEIR_CORRUPT, "%s: the stripe statistics are damaged", source->path)
                          : WEIR_OK;
}

/* The message of one column: the columns stand in the order of their numbers. */
static bool find_column(weir_slice stripe, uint32_t id, weir_slice *out)
{
    weir_orc_message message = weir_orc_message_of(stripe);
    weir_orc_field field;
    uint32_t next = 0;
    while (weir_orc_message_next(&message, &field)) {
        if (field.number == 1 && next++ == id) { /* colStats */
            *out = field.bytes;
            return true;
        }
    }
    return false;
}

/* Reads the fields 1 and 2 of a message, minimum and maximum; both must be there. */
static bool read_bounds(weir_slice bytes, bool are_texts, weir_literal *min, weir_literal *max)
{
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    bool has_min = false;
    bool has_max = false;
    while (weir_orc_message_next(&message, &field)) {
        if ((field.number != 1 && field.number != 2) || field.is_bytes != are_texts) {
            continue;
        }
        weir_literal *bound = field.number == 1 ? min : max;
        *bound = are_texts ? (weir_literal){.bytes = field.bytes}
                           : (weir_literal){.integer = weir_orc_unzigzag(field.value)};
        has_min = has_min || field.number == 1;
        has_max = has_max || field.number == 2;
    }
    return !message.failed && has_min && has_max;
}

/* The field of a column's statistics that has bounds it can be tested by; 0: none. CHAR is read otherwise than stored.
 */
static uint64_t bounds_field(const weir_orc_column *column, uint64_t writer_version)
{
    enum { INT_STATISTICS = 2, STRING_STATISTICS = 4, DATE_STATISTICS = 7 };
    switch (column->stored->kind) {
    case WEIR_ORC_BYTE:
    case WEIR_ORC_SHORT:
    case WEIR_ORC_INT:
    case WEIR_ORC_LONG:
        return INT_STATISTICS;
    case WEIR_ORC_DATE:
        return DATE_STATISTICS;
    case WEIR_ORC_STRING:
    case WEIR_ORC_VARCHAR:
        return writer_version >= FIRST_VERSION_WITH_TEXT_ORDER ? STRING_STATISTICS : 0;
    default:
        return 0;
    }
}

int weir_orc_statistics_of(const weir_orc_statistics *statistics, const weir_orc_metadata *metadata, size_t stripe,
                           const weir_orc_column *column, weir_column_stats *out, weir_error *err)
{
    weir_slice bytes;
    weir_orc_field field;
    *out = (weir_column_stats){.null_count = -1, .row_count = metadata->stripes[stripe].row_count};
    if (statistics->stripes == NULL || !find_column(statistics->stripes[stripe], column->id, &bytes)) {
        return WEIR_OK;
    }
    uint64_t bounds = bounds_field(column, metadata->writer_version);
    bool are_texts = column->reading == WEIR_ORC_READ_TEXTS;
    weir_orc_message message = weir_orc_message_of(bytes);
    while (weir_orc_message_next(&message, &field)) {
        if (field.number == 1 && field.value <= (uint64_t)out->row_count) { /* numberOfValues */
            out->null_count = out->row_count - (int64_t)field.value;
        } else if (field.number == bounds) {
            out->has_min_max = read_bounds(field.bytes, are_texts, &out->min, &out->max);
        }
    }
    return message.failed ? weir_fail(err, WEIR_CORRUPT, "%s: the statistics of %s are damaged", column->source->path,
                                      column->name)
                          : WEIR_OK;
}
