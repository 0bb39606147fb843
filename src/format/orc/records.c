/* Reading whole ORC files of records that lie in memory: manifests of tables with manifest.format = orc. */
#include "format/orc/orc.h"
#include "format/orc/project.h"

/* All columns go forward together, so that one that a damaged file cannot give stops the others early. */
static int read_stripe(const weir_orc_source *source, weir_arena *arena, weir_orc_stripe *stripe,
                       weir_orc_column *columns, weir_batch *out, weir_error *err)
{
    WEIR_TRY(weir_orc_stripe_read(source, arena, stripe, err));
    for (int32_t i = 0; i < out->column_count; i++) {
        WEIR_TRY(weir_orc_column_enter(&columns[i], stripe, err));
    }
    for (int64_t row = 0; row < stripe->row_count; row += WEIR_ORC_PIECE) {
        int64_t left = stripe->row_count - row;
        int64_t count = left < WEIR_ORC_PIECE ? left : WEIR_ORC_PIECE;
        for (int32_t i = 0; i < out->column_count; i++) {
            WEIR_TRY(weir_orc_column_read(&columns[i], count, NULL, &out->columns[i], err));
        }
        out->length += count;
    }
    return WEIR_OK;
}

int weir_orc_read_all(weir_slice bytes, const char *path, const weir_field *fields, int32_t field_count,
                      weir_batch *out, weir_error *err)
{
    weir_arena arena;
    weir_orc_source source;
    weir_orc_metadata metadata;
    weir_orc_column *columns = NULL;
    const weir_orc_projection_rules rules = {.are_records = true};
    int code;
    weir_arena_init(&arena);
    weir_orc_source_open_bytes(&source, bytes, path);
    WEIR_GO(weir_orc_metadata_read(&source, &arena, &metadata, err));
    WEIR_GO(weir_orc_project(&source, &metadata, fields, field_count, &rules, &arena, &columns, err));
    for (size_t i = 0; i < metadata.stripe_count; i++) {
        WEIR_GO(read_stripe(&source, &arena, &metadata.stripes[i], columns, out, err));
    }
done:
    for (int32_t i = 0; columns != NULL && i < field_count; i++) {
        weir_orc_column_close(&columns[i]);
    }
    weir_orc_source_close(&source);
    weir_arena_free(&arena);
    return code;
}
