/* Making the changelog of one window of merged rows:
 *
 *   older row │ merged row is an add │ merged row is a delete
 *   ──────────┼──────────────────────┼───────────────────────
 *   none      │ +I new               │ nothing
 *   there     │ -U old, +U new       │ -D old
 *
 * An update that changes nothing is left out where changelog-producer.row-deduplicate is set, and with merge-engine
 * first-row, where rows never change. Source of truth: org.apache.paimon.mergetree.compact, the function wrappers
 * LookupChangelog, FullChangelog and FirstRow. */
#include "lsm/compaction_changelog.h"

#include <stdlib.h>

#include "vector/compare.h"

/* Marks the columns that a list of names, separated by commas, holds. */
static void mark_columns(const weir_schema *schema, const char *names, bool *out)
{
    while (names != NULL && *names != '\0') {
        size_t size = strcspn(names, ",");
        for (int32_t i = 0; i < schema->field_count; i++) {
            out[i] |= strlen(schema->fields[i].name) == size && memcmp(schema->fields[i].name, names, size) == 0;
        }
        names += size + (names[size] == ',');
        names += strspn(names, " ");
    }
}

void weir_compaction_changelog_init(weir_compaction_changelog *changelog, const weir_schema *schema,
                                    const weir_lsm_options *options, weir_merge_reader *merge)
{
    *changelog = (weir_compaction_changelog){.options = options, .merge = merge};
    weir_batch_init(&changelog->rows, schema->fields, schema->field_count);
    weir_batch_init(&changelog->changes, schema->fields, schema->field_count);
    weir_batch_init(&changelog->older, schema->fields, schema->field_count);
    changelog->ignored = weir_alloc_zeroed((size_t)schema->field_count, sizeof(bool));
    mark_columns(schema, options->row_deduplicate_ignored, changelog->ignored);
}

void weir_compaction_changelog_free(weir_compaction_changelog *changelog)
{
    weir_batch_free(&changelog->rows);
    weir_batch_free(&changelog->changes);
    weir_batch_free(&changelog->older);
    free(changelog->sequence_numbers);
    free(changelog->ignored);
    *changelog = (weir_compaction_changelog){0};
}

static int read_rows(weir_compaction_changelog *changelog, weir_error *err)
{
    weir_batch_clear(&changelog->rows);
    for (int32_t c = 0; c < changelog->rows.column_count; c++) {
        WEIR_TRY(weir_merge_column(changelog->merge, c, &changelog->rows.columns[c], err));
    }
    changelog->rows.length = changelog->merge->row_count;
    return WEIR_OK;
}

static int read_older(weir_compaction_changelog *changelog, weir_error *err)
{
    weir_batch_clear(&changelog->older);
    for (int32_t c = 0; c < changelog->older.column_count; c++) {
        WEIR_TRY(weir_merge_previous_column(changelog->merge, c, &changelog->older.columns[c], err));
    }
    return WEIR_OK;
}

static bool rows_equal(const weir_compaction_changelog *changelog, int64_t older, int64_t row)
{
    for (int32_t c = 0; c < changelog->rows.column_count; c++) {
        if (!changelog->ignored[c] &&
            !weir_vector_values_equal(&changelog->older.columns[c], older, &changelog->rows.columns[c], row)) {
            return false;
        }
    }
    return true;
}

/* The changes in order, as places in the two batches that they come from. */
typedef struct change_list {
    uint16_t *source_of; /* 0: older, 1: the window's rows */
    uint32_t *rows[2];   /* of each source, in order */
    int64_t row_count[2];
    int8_t *kinds;
    int64_t *sequence_numbers;
    int64_t count;
} change_list;

static void add_change(change_list *changes, uint16_t source, int64_t row, weir_row_kind kind, int64_t sequence_number)
{
    changes->source_of[changes->count] = source;
    changes->rows[source][changes->row_count[source]++] = (uint32_t)row;
    changes->kinds[changes->count] = (int8_t)kind;
    changes->sequence_numbers[changes->count] = sequence_number;
    changes->count++;
}

static void list_changes(const weir_compaction_changelog *changelog, change_list *changes)
{
    const weir_merge_reader *merge = changelog->merge;
    const weir_lsm_options *options = changelog->options;
    int64_t older = 0; /* the next in changelog->older */
    for (int64_t i = 0; i < merge->row_count; i++) {
        int64_t sequence = merge->sequence_numbers[i];
        bool is_delete = weir_row_kind_is_retract(merge->kinds[i]);
        if (!merge->from_level_zero[i]) {
            continue;
        }
        if (!merge->has_previous[i]) {
            if (!is_delete) {
                add_change(changes, 1, i, WEIR_INSERT, sequence);
            }
            continue;
        }
        if (is_delete) {
            add_change(changes, 0, older, WEIR_DELETE, sequence);
        } else if (!options->keeps_first && (!options->row_deduplicate || !rows_equal(changelog, older, i))) {
            add_change(changes, 0, older, WEIR_UPDATE_BEFORE, sequence);
            add_change(changes, 1, i, WEIR_UPDATE_AFTER, sequence);
        }
        older++;
    }
}

static int gather_changes(weir_compaction_changelog *changelog, const change_list *changes, weir_error *err)
{
    for (int32_t c = 0; c < changelog->changes.column_count; c++) {
        weir_vector chosen[2];
        weir_vector *sources[2] = {&chosen[0], &chosen[1]};
        int64_t cursors[2] = {0, 0};
        weir_vector_init(&chosen[0], changelog->older.columns[c].type);
        weir_vector_init(&chosen[1], changelog->rows.columns[c].type);
        int code = weir_vector_append_rows(&chosen[0], &changelog->older.columns[c], changes->rows[0],
                                           changes->row_count[0], err);
        if (code == WEIR_OK) {
            code = weir_vector_append_rows(&chosen[1], &changelog->rows.columns[c], changes->rows[1],
                                           changes->row_count[1], err);
        }
        if (code == WEIR_OK) {
            code = weir_vector_interleave(&changelog->changes.columns[c], sources, cursors, changes->source_of,
                                          changes->count, err);
        }
        weir_vector_free(&chosen[0]);
        weir_vector_free(&chosen[1]);
        WEIR_TRY(code);
    }
    return WEIR_OK;
}

int weir_compaction_changelog_make(weir_compaction_changelog *changelog, weir_error *err)
{
    WEIR_TRY(read_rows(changelog, err));
    WEIR_TRY(read_older(changelog, err));
    weir_batch_clear(&changelog->changes);

    size_t most = (size_t)changelog->merge->row_count * 2 + 1;
    weir_batch_reserve_kinds(&changelog->changes, (int64_t)most);
    WEIR_GROW(changelog->sequence_numbers, changelog->sequence_capacity, most);
    change_list changes = {
        .source_of = weir_alloc(sizeof(uint16_t) * most),
        .rows = {weir_alloc(sizeof(uint32_t) * most), weir_alloc(sizeof(uint32_t) * most)},
        .kinds = changelog->changes.kinds,
        .sequence_numbers = changelog->sequence_numbers,
    };
    list_changes(changelog, &changes);
    int code = gather_changes(changelog, &changes, err);
    changelog->changes.length = changes.count;
    free(changes.source_of);
    free(changes.rows[0]);
    free(changes.rows[1]);
    return code;
}
