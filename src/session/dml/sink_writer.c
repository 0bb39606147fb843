/* Writing to the sink of a connector. */
#include <stdlib.h>

#include "connect/sink.h"
#include "session/dml/row_writer.h"

typedef struct sink_writer {
    weir_row_writer base; /* first */
    weir_sink *sink;
    weir_arena arena;
} sink_writer;

static int write_batch(weir_row_writer *self, const weir_batch *batch, weir_error *err)
{
    sink_writer *writer = (sink_writer *)self;
    self->summary.rows += batch->length;
    return writer->sink->write(writer->sink, batch, err);
}

static int commit_writer(weir_row_writer *self, bool last, weir_error *err)
{
    sink_writer *writer = (sink_writer *)self;
    (void)last;
    self->summary.commits++;
    return weir_sink_show(writer->sink, err);
}

static void close_writer(weir_row_writer *self)
{
    sink_writer *writer = (sink_writer *)self;
    if (writer->sink != NULL) {
        writer->sink->close(writer->sink);
    }
    weir_arena_free(&writer->arena);
    free(writer);
}

/* Most of what is known about rows that are read is nothing that can be written. */
int weir_sink_writer_check(const weir_session_table *table, weir_error *err)
{
    for (int32_t i = 0; i < table->base.column_count; i++) {
        const weir_sql_column *column = &table->base.columns[i];
        if (column->kind == WEIR_SQL_METADATA_COLUMN && !column->is_virtual &&
            !weir_sink_writes_metadata(&table->options, column->expression)) {
            return weir_fail_at(err, WEIR_INVALID, table->position.line, table->position.column,
                                "column '%s' of table '%s' is METADATA, which its connector cannot write; declare it "
                                "with the word VIRTUAL, so that INSERT passes it over",
                                column->name, table->base.name);
        }
    }
    return WEIR_OK;
}

/* Rows have the columns that are written in the table's order; a connector sees the physical ones first. */
static void set_metadata(const weir_session_table *table, weir_arena *arena, weir_sink_options *out)
{
    const weir_sql_table *base = &table->base;
    int32_t *places = WEIR_NEW_ARRAY(arena, int32_t, base->column_count);
    weir_field *metadata = WEIR_NEW_ARRAY(arena, weir_field, base->column_count);
    int32_t fields = 0;
    int32_t written = 0;
    for (int32_t i = 0; i < base->column_count; i++) {
        const weir_sql_column *column = &base->columns[i];
        if (column->kind == WEIR_SQL_PHYSICAL_COLUMN) {
            places[fields++] = written++;
        } else if (column->kind == WEIR_SQL_METADATA_COLUMN && !column->is_virtual) {
            metadata[out->metadata_count++] =
                (weir_field){.id = written++, .name = column->expression, .type = column->type};
        }
    }
    for (int32_t i = 0; i < out->metadata_count; i++) {
        places[fields + i] = metadata[i].id;
    }
    out->metadata = metadata;
    out->places = places;
}

void weir_sink_writer_options(const weir_session_table *table, weir_arena *arena, weir_sink_options *out)
{
    const weir_description *description = &table->description;
    *out = (weir_sink_options){
        .options = &table->options,
        .partition_keys = weir_description_names(description, description->columns.partition_keys,
                                                 description->columns.partition_key_count, arena),
        .partition_key_count = description->columns.partition_key_count,
        .primary_keys = weir_description_names(description, description->columns.primary_key,
                                               description->columns.primary_key_count, arena),
        .primary_key_count = description->columns.primary_key_count,
        .print_to = table->session->options.print_to,
    };
    out->fields = weir_description_fields(description, arena, &out->field_count);
    set_metadata(table, arena, out);
}

int weir_sink_writer_open(weir_session_table *table, const weir_row_writer_options *options, weir_row_writer **out,
                          weir_error *err)
{
    WEIR_TRY(weir_sink_writer_check(table, err));
    sink_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    weir_arena_init(&writer->arena);
    writer->base.write = write_batch;
    writer->base.commit = commit_writer;
    writer->base.close = close_writer;
    weir_sink_options open;
    weir_sink_writer_options(table, &writer->arena, &open);
    open.overwrite = options->bound != NULL && options->bound->overwrite;
    int code = weir_sink_open(&open, &writer->sink, err);
    if (code == WEIR_OK && options->takes_changes && !writer->sink->takes_changes) {
        code = weir_fail(err, WEIR_INVALID,
                         "sink '%s' takes inserts only, but updates and deletes would come from the source",
                         table->base.name);
    }
    if (code != WEIR_OK) {
        close_writer(&writer->base);
        return weir_error_at(err, code, table->position);
    }
    *out = &writer->base;
    return WEIR_OK;
}

int weir_session_table_check_writable(const weir_session_table *table, weir_error *err)
{
    if (table->kind != WEIR_SESSION_CONNECTOR_TABLE && !weir_session_table_is_plain(table)) {
        return weir_fail_at(err, WEIR_INVALID, table->position.line, table->position.column,
                            "system tables such as '%s' are read only", table->base.name);
    }
    return WEIR_OK;
}

int weir_row_writer_open(weir_session_table *table, const weir_row_writer_options *options, weir_row_writer **out,
                         weir_error *err)
{
    WEIR_TRY(weir_session_table_check_writable(table, err));
    return table->kind == WEIR_SESSION_PAIMON_TABLE ? weir_paimon_writer_open(table, options, out, err)
                                                    : weir_sink_writer_open(table, options, out, err);
}
