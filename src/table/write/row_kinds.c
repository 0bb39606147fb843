/* Kinds of rows to write, as org.apache.paimon.table.sink.RowKindGenerator and RowKindFilter have them.
 *
 * A -U or -D that no merge of the table could take is refused when it is written: once stored, it would fail every
 * read. */
#include "table/write/row_kinds.h"

#include <stdlib.h>

#include "lsm/lsm_options.h"
#include "vector/compare.h"

/* Of a changelog, tables take -U only where it tells more than the +U after it: where it is kept for readers, and where
 * functions take the old row back. */
static bool takes_update_before(const weir_row_kinds *kinds, weir_changelog_producer producer)
{
    const weir_options *set = &kinds->table->schema->options;
    if (producer == WEIR_CHANGELOG_INPUT || kinds->engine.kind == WEIR_MERGE_AGGREGATION) {
        return true;
    }
    for (size_t i = 0; i < set->count && kinds->engine.kind == WEIR_MERGE_PARTIAL_UPDATE; i++) {
        const char *suffix = strrchr(set->keys[i], '.');
        if (strncmp(set->keys[i], "fields.", 7) == 0 &&
            (strcmp(suffix, ".aggregate-function") == 0 || strcmp(suffix, ".default-aggregate-function") == 0)) {
            return true;
        }
    }
    return false;
}

static int find_column(weir_row_kinds *kinds, weir_error *err)
{
    const weir_schema *schema = kinds->table->schema;
    const char *name = weir_options_get(&schema->options, "rowkind.field");
    kinds->column = -1;
    if (name == NULL) {
        return WEIR_OK;
    }
    kinds->column = weir_schema_column(schema, name);
    if (kinds->column < 0) {
        return weir_fail(err, WEIR_INVALID, "Rowkind field: '%s' can not be found in table schema.", name);
    }
    if (!weir_type_is_text(schema->fields[kinds->column].type)) {
        return weir_fail(err, WEIR_INVALID, "'rowkind.field' = '%s': only support string type for rowkind", name);
    }
    return WEIR_OK;
}

int weir_row_kinds_init(const weir_table *table, bool changes, weir_arena *arena, weir_row_kinds *out, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    weir_changelog_producer producer = WEIR_CHANGELOG_NONE;
    bool ignore_update_before = false;
    *out = (weir_row_kinds){.table = table};
    WEIR_TRY(find_column(out, err));
    WEIR_TRY(weir_merge_engine_of(table->schema, arena, &out->engine, err));
    WEIR_TRY(weir_changelog_producer_of(table->schema, &producer, err));
    WEIR_TRY(weir_options_bool(set, "ignore-update-before", &ignore_update_before, err));
    if (out->engine.ignore_delete) {
        out->dropped = 1 << WEIR_UPDATE_BEFORE | 1 << WEIR_DELETE;
    } else if (ignore_update_before) {
        out->dropped = 1 << WEIR_UPDATE_BEFORE;
    }
    bool reads_kinds = out->column >= 0;
    if (changes && !reads_kinds && weir_table_has_primary_key(table) && !takes_update_before(out, producer)) {
        out->moves_keys = out->dropped == 0;
        out->dropped |= 1 << WEIR_UPDATE_BEFORE;
    }
    out->key = WEIR_NEW_ARRAY(arena, int32_t, table->schema->primary_key_count + 1);
    for (int32_t i = 0; i < table->schema->primary_key_count; i++) {
        out->key[i] = weir_schema_column(table->schema, table->schema->primary_keys[i]);
    }
    return WEIR_OK;
}

void weir_row_kinds_free(weir_row_kinds *kinds)
{
    free(kinds->kinds);
    kinds->kinds = NULL;
    kinds->capacity = 0;
}

static int read_kinds(weir_row_kinds *kinds, weir_batch *batch, weir_error *err)
{
    const weir_vector *values = &batch->columns[kinds->column];
    const char *name = kinds->table->schema->fields[kinds->column].name;
    WEIR_GROW(kinds->kinds, kinds->capacity, batch->length + 1);
    for (int64_t i = 0; i < batch->length; i++) {
        if (weir_vector_is_null(values, i)) {
            return weir_fail(err, WEIR_INVALID, "%s: Row kind cannot be null, but column '%s' (rowkind.field) is",
                             kinds->table->path, name);
        }
        weir_slice text = weir_vector_bytes(values, i);
        if (!weir_row_kind_parse(text, &kinds->kinds[i])) {
            return weir_fail(err, WEIR_INVALID,
                             "%s: column '%s' (rowkind.field) holds '%.*s', which is none of +I, -U, +U and -D",
                             kinds->table->path, name, (int)(text.size < 40 ? text.size : 40), (const char *)text.data);
        }
    }
    batch->kinds = kinds->kinds;
    return WEIR_OK;
}

/* Whether the row after a -U is the +U of the same key. */
static bool keeps_key(const weir_row_kinds *kinds, const weir_batch *batch, int64_t row)
{
    if (row + 1 == batch->length || batch->kinds[row + 1] != WEIR_UPDATE_AFTER) {
        return false;
    }
    for (int32_t i = 0; i < kinds->table->schema->primary_key_count; i++) {
        const weir_vector *column = &batch->columns[kinds->key[i]];
        if (!weir_vector_values_equal(column, row, column, row + 1)) {
            return false;
        }
    }
    return true;
}

/* A -U whose row goes on under another key, or not at all, is the end of its own. */
static void settle_moved(weir_row_kinds *kinds, weir_batch *batch)
{
    bool has_moved = false;
    WEIR_GROW(kinds->kinds, kinds->capacity, batch->length + 1);
    for (int64_t i = 0; i < batch->length; i++) {
        bool moves = batch->kinds[i] == WEIR_UPDATE_BEFORE && !keeps_key(kinds, batch, i);
        kinds->kinds[i] = moves ? WEIR_DELETE : batch->kinds[i];
        has_moved |= moves;
    }
    batch->kinds = has_moved ? kinds->kinds : batch->kinds;
}

static int check_kind(const weir_row_kinds *kinds, int8_t kind, weir_error *err)
{
    if (!weir_table_has_primary_key(kinds->table)) {
        return weir_fail(err, WEIR_INVALID, "%s has no primary key and takes inserts only, but a row of kind %s came",
                         kinds->table->path, weir_row_kind_text(kind));
    }
    if (!weir_row_kind_is_retract(kind)) {
        return WEIR_OK;
    }
    int code = weir_merge_engine_check_retraction(&kinds->engine, kind, err);
    return code == WEIR_OK ? code
                           : weir_error_context(err, code, "%s: a row of kind %s came", kinds->table->path,
                                                weir_row_kind_text(kind));
}

int weir_row_kinds_settle(weir_row_kinds *kinds, weir_batch *batch, weir_error *err)
{
    if (kinds->column >= 0) {
        WEIR_TRY(read_kinds(kinds, batch, err));
    } else if (kinds->moves_keys && batch->kinds != NULL && batch->length > 0 &&
               memchr(batch->kinds, WEIR_UPDATE_BEFORE, (size_t)batch->length) != NULL) {
        settle_moved(kinds, batch);
    }
    uint8_t seen = 0; /* a bit a kind that is written */
    for (int64_t i = 0; batch->kinds != NULL && i < batch->length; i++) {
        seen |= (uint8_t)(1u << batch->kinds[i]);
    }
    seen &= (uint8_t)~kinds->dropped;
    for (int8_t kind = WEIR_UPDATE_BEFORE; kind <= WEIR_DELETE; kind++) {
        if (seen >> kind & 1) {
            WEIR_TRY(check_kind(kinds, kind, err));
        }
    }
    return WEIR_OK;
}
