/* Making the lookup changelog of one window of merged rows:
 *
 *   older value │ newest row is an add  │ newest row is a delete
 *   ────────────┼───────────────────────┼───────────────────────
 *   none        │ +I new                │ nothing
 *   there       │ -U old, +U new        │ -D old
 *
 * An update that changes nothing is left out where changelog-producer.row-deduplicate is set. */
#include "lsm/lookup_changelog.h"

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

int weir_lookup_changelog_init(weir_lookup_changelog *changelog, const weir_compaction_piece *piece,
                               weir_merge_reader *merge, weir_error *err)
{
    const weir_schema *schema = piece->context->schema;
    *changelog = (weir_lookup_changelog){.piece = piece, .merge = merge};
    weir_batch_init(&changelog->rows, schema->fields, schema->field_count);
    weir_batch_init(&changelog->changes, schema->fields, schema->field_count);
    weir_batch_init(&changelog->older, schema->fields, schema->field_count);
    changelog->ignored = weir_alloc_zeroed((size_t)schema->field_count, sizeof(bool));
    mark_columns(schema, piece->options->row_deduplicate_ignored, changelog->ignored);
    if (piece->older_run_count == 0) {
        return WEIR_OK;
    }
    int code = weir_lookup_open(piece->context, piece->partition, piece->bucket, piece->older_runs,
                                piece->older_run_count, piece->index_cache, &changelog->lookup, err);
    if (code != WEIR_OK) {
        weir_lookup_changelog_free(changelog);
    }
    return code;
}

void weir_lookup_changelog_free(weir_lookup_changelog *changelog)
{
    weir_lookup_close(changelog->lookup);
    weir_batch_free(&changelog->rows);
    weir_batch_free(&changelog->changes);
    weir_batch_free(&changelog->older);
    free(changelog->sequence_numbers);
    free(changelog->older_of);
    free(changelog->wanted);
    free(changelog->found);
    free(changelog->outdated);
    free(changelog->ignored);
    *changelog = (weir_lookup_changelog){0};
}

static int read_rows(weir_lookup_changelog *changelog, weir_error *err)
{
    weir_batch_clear(&changelog->rows);
    for (int32_t c = 0; c < changelog->rows.column_count; c++) {
        WEIR_TRY(weir_merge_column(changelog->merge, c, &changelog->rows.columns[c], err));
    }
    changelog->rows.length = changelog->merge->row_count;
    return WEIR_OK;
}

/* Marks the rows that were looked up and met one no older than they are: two writers of one bucket number their rows
 * alike. */
static int mark_outdated(weir_lookup_changelog *changelog, int64_t wanted, weir_error *err)
{
    const weir_merge_reader *merge = changelog->merge;
    WEIR_GROW(changelog->outdated, changelog->outdated_capacity, merge->row_count + 1);
    memset(changelog->outdated, 0, (size_t)merge->row_count * sizeof *changelog->outdated);
    if (!changelog->piece->may_be_outdated || wanted == 0) {
        return WEIR_OK;
    }
    bool *tested = weir_alloc_zeroed((size_t)wanted, sizeof *tested);
    int code = weir_lookup_outdated(changelog->lookup, merge->sequence_numbers, changelog->wanted, tested, err);
    for (int64_t i = 0; i < wanted; i++) {
        changelog->outdated[changelog->wanted[i]] = tested[i];
    }
    free(tested);
    return code;
}

/* Finds the older value of every key with a row in level 0: in the runs that are merged, or else below them. */
static int find_older(weir_lookup_changelog *changelog, weir_error *err)
{
    const weir_merge_reader *merge = changelog->merge;
    int64_t count = merge->row_count, met = 0, wanted = 0;
    WEIR_GROW(changelog->older_of, changelog->older_of_capacity, count + 1);
    WEIR_GROW(changelog->wanted, changelog->wanted_capacity, count + 1);
    WEIR_GROW(changelog->found, changelog->found_capacity, count + 1);
    weir_batch_clear(&changelog->older);
    for (int64_t i = 0; i < count; i++) {
        changelog->older_of[i] = -1;
        if (merge->has_previous[i]) {
            changelog->older_of[i] = met++;
        } else if (merge->from_level_zero[i] && !merge->met_above_level_zero[i]) {
            changelog->wanted[wanted++] = (uint32_t)i;
        }
    }
    for (int32_t c = 0; c < changelog->older.column_count && met > 0; c++) {
        WEIR_TRY(weir_merge_previous_column(changelog->merge, c, &changelog->older.columns[c], err));
    }
    changelog->older.length = met;
    if (changelog->lookup == NULL || wanted == 0) {
        return mark_outdated(changelog, 0, err);
    }
    WEIR_TRY(weir_lookup_find(changelog->lookup, &merge->keys, changelog->wanted, wanted, changelog->found, err));
    WEIR_TRY(mark_outdated(changelog, wanted, err));
    for (int64_t i = 0; i < wanted; i++) {
        if (changelog->found[i]) {
            changelog->older_of[changelog->wanted[i]] = changelog->older.length++;
        }
    }
    for (int32_t c = 0; c < changelog->older.column_count; c++) {
        WEIR_TRY(weir_lookup_column(changelog->lookup, c, &changelog->older.columns[c], err));
    }
    return WEIR_OK;
}

static bool rows_equal(const weir_lookup_changelog *changelog, int64_t older, int64_t row)
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

static void list_changes(const weir_lookup_changelog *changelog, change_list *changes)
{
    const weir_merge_reader *merge = changelog->merge;
    for (int64_t i = 0; i < merge->row_count; i++) {
        if (!merge->from_level_zero[i] || changelog->outdated[i]) {
            continue;
        }
        int64_t older = changelog->older_of[i], sequence = merge->sequence_numbers[i];
        bool is_delete = weir_row_kind_is_retract(merge->kinds[i]);
        if (older < 0) {
            if (!is_delete) {
                add_change(changes, 1, i, WEIR_INSERT, sequence);
            }
        } else if (is_delete) {
            add_change(changes, 0, older, WEIR_DELETE, sequence);
        } else if (!changelog->piece->options->row_deduplicate ||
                   !rows_equal(changelog, older, i)) {
            add_change(changes, 0, older, WEIR_UPDATE_BEFORE, sequence);
            add_change(changes, 1, i, WEIR_UPDATE_AFTER, sequence);
        }
    }
}

static int gather_changes(weir_lookup_changelog *changelog, const change_list *changes, weir_error *err)
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

int weir_lookup_changelog_make(weir_lookup_changelog *changelog, weir_error *err)
{
    WEIR_TRY(read_rows(changelog, err));
    WEIR_TRY(find_older(changelog, err));
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
