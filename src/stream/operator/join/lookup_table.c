/* The looked-up side of a lookup join.
 *
 * Rows are kept as the join sees them: projected, without those that its filters drop. Where from depends on the table:
 *
 *   its primary key is among the join's keys   primary key -> row
 *   it has another primary key                 join key -> primary key -> row, and primary key -> join key, by which a
 *                                              changed row is found
 *   it has none                                join key -> row -> how often it is there
 *
 * So with a primary key a change needs to say no more than the key and the new row, as upserts do. */
#include "stream/operator/join/lookup_table.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "fs/temporary.h"
#include "sql/type.h"
#include "stream/operator/join/join_rows.h"
#include "stream/operator/join/lookup_on_demand.h"
#include "stream/source/source.h"

#define KEY_MARK 1 /* before a join key, which may be empty */

typedef enum layout { BY_PRIMARY_KEY, BY_OTHER_KEY, WITHOUT_KEY } layout;

struct weir_lookup_table {
    weir_arena arena;
    char *folder; /* of the state, temporary; NULL: none */
    layout layout;
    weir_flat_plan flat;
    weir_lookup_on_demand on_demand; /* its lookup is NULL where all rows are taken in, by what follows */
    weir_stream_source *source;
    weir_batch changes;        /* of the scan's fields */
    weir_sql_compute *compute; /* from those to the plan's */
    weir_batch projected;
    int64_t *places; /* of the changes' rows in `projected`; -1: dropped */
    size_t place_capacity;
    weir_join_keys *join_keys; /* of projected rows */
    weir_encoded_rows encoded;

    weir_state_backend *backend;
    int64_t checkpoint;
    int64_t (*clock_ms)(void);
    weir_join_rows rows;      /* the map above */
    weir_value_state *key_of; /* primary key -> KEY_MARK, join key; BY_OTHER_KEY */
    weir_state_slot *key_slots;
    size_t key_slot_capacity;
    bool has_ended; /* the source */

    int32_t *primary; /* the key's columns among the scan's fields */
    int32_t primary_count;
    const weir_type **primary_types; /* nullable, as those of join keys are */
    weir_vector *primary_columns;
    int32_t *numbers; /* 0, 1, … */
    weir_sort_keys primary_keys;
};

/* --- choosing a layout ------------------------------------------------------------------------------------------- */

static int32_t find_field(const weir_plan *scan, int32_t column)
{
    for (int32_t i = 0; i < scan->field_count; i++) {
        if (scan->columns[i] == column) {
            return i;
        }
    }
    return -1;
}

/* The fields of the scan that are its primary key; all of it is read where changes are by key. */
static void find_primary_key(weir_lookup_table *self)
{
    const weir_plan *scan = self->flat.bottom;
    int32_t count = scan->table->primary_key_count;
    self->primary = WEIR_NEW_ARRAY(&self->arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        self->primary[i] = find_field(scan, scan->table->primary_key[i]);
        if (self->primary[i] < 0) {
            return;
        }
    }
    self->primary_count = count;
}

/* Which of the join's keys is this field of the scan; -1: none. */
static int32_t find_key(const weir_lookup_table *self, const weir_join_condition *condition, int32_t field)
{
    const weir_type *type = self->flat.bottom->fields[field].type;
    for (int32_t i = 0; i < condition->key_count && !weir_type_is_approximate(type); i++) {
        const weir_expression *key = weir_expression_bare(condition->keys[WEIR_JOIN_RIGHT_SIDE][i]);
        const weir_expression *below =
            key->kind == WEIR_EXPRESSION_COLUMN ? weir_expression_bare(self->flat.expressions[key->column]) : key;
        if (key->kind == WEIR_EXPRESSION_COLUMN && below->kind == WEIR_EXPRESSION_COLUMN && below->column == field &&
            !condition->null_safe[i]) {
            return i;
        }
    }
    return -1;
}

static void choose_layout(weir_lookup_table *self, int32_t left_count, weir_join_condition *condition)
{
    int32_t *keys = WEIR_NEW_ARRAY(&self->arena, int32_t, self->primary_count + 1);
    self->layout = self->primary_count == 0 ? WITHOUT_KEY : BY_PRIMARY_KEY;
    for (int32_t i = 0; i < self->primary_count && self->layout == BY_PRIMARY_KEY; i++) {
        keys[i] = find_key(self, condition, self->primary[i]);
        self->layout = keys[i] < 0 ? BY_OTHER_KEY : BY_PRIMARY_KEY;
    }
    if (self->layout == BY_PRIMARY_KEY) {
        weir_join_condition_keep_keys(condition, &self->arena, left_count, keys, self->primary_count);
    }
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

static int open_backend(weir_lookup_table *self, const weir_operator_context *context, const char *uid, weir_error *err)
{
    /* a folder of its own: jobs and processes that look up the same have the same uid */
    if (context->temp_folder != NULL) {
        WEIR_TRY(weir_temporary_make(context->temp_folder, "lookup", &self->folder, err));
    }
    weir_state_backend_options options = {.folder = self->folder, .temporary = true, .budget = context->budget};
    weir_operator_context own = *context;
    self->clock_ms = context->clock_ms;
    WEIR_TRY(weir_state_backend_open(&options, &self->backend, err));
    own.state = self->backend;
    own.state_ttl_ms = 0;
    WEIR_TRY(weir_join_rows_open(&self->rows, &own, uid, "rows", err));
    weir_state_options keys = {.uid = uid, .name = "keys"};
    return self->layout == BY_OTHER_KEY ? weir_value_state_open(self->backend, &keys, &self->key_of, err) : WEIR_OK;
}

static int open_source(weir_lookup_table *self, const weir_plan *plan, const weir_operator_context *context,
                       const char *uid, const weir_join_condition *condition, weir_error *err)
{
    const weir_plan *scan = self->flat.bottom;
    const weir_scan_request request = {
        .columns = scan->columns, .column_count = scan->field_count, .predicate = scan->pushed, .limit = -1};
    weir_sql_compute_options options = {.fields = scan->fields,
                                        .field_count = scan->field_count,
                                        .conditions = self->flat.conditions,
                                        .condition_count = self->flat.condition_count,
                                        .expressions = self->flat.expressions,
                                        .expression_count = self->flat.expression_count};
    WEIR_TRY(weir_sql_compute_create(context->engine, &options, &self->compute, err));
    if (self->layout == BY_PRIMARY_KEY) {
        WEIR_TRY(weir_lookup_on_demand_open(&self->on_demand, plan, &self->flat, condition, self->compute,
                                            context->temp_folder, err));
    }
    if (self->on_demand.lookup != NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_join_keys_create(context->engine, condition, WEIR_JOIN_RIGHT_SIDE, plan, &self->join_keys, err));
    WEIR_TRY(open_backend(self, context, uid, err));
    return scan->table->open_stream(scan->table, &request, &self->source, err);
}

static void prepare_primary_key(weir_lookup_table *self)
{
    const weir_plan *scan = self->flat.bottom;
    self->primary_types = WEIR_NEW_ARRAY(&self->arena, const weir_type *, self->primary_count + 1);
    self->primary_columns = WEIR_NEW_ARRAY(&self->arena, weir_vector, self->primary_count + 1);
    self->numbers = WEIR_NEW_ARRAY(&self->arena, int32_t, self->primary_count + 1);
    for (int32_t i = 0; i < self->primary_count; i++) {
        self->primary_types[i] = weir_type_nullable(&self->arena, scan->fields[self->primary[i]].type, true);
        self->numbers[i] = i;
    }
}

int weir_lookup_table_open(const weir_operator_context *context, const weir_plan *plan, int32_t left_count,
                           const char *uid, weir_join_condition *condition, weir_lookup_table **out, weir_error *err)
{
    weir_lookup_table *self = weir_alloc_zeroed(1, sizeof *self);
    weir_arena_init(&self->arena);
    weir_plan_flatten(plan, &self->arena, &self->flat);
    weir_batch_init(&self->changes, self->flat.bottom->fields, self->flat.bottom->field_count);
    weir_batch_init(&self->projected, plan->fields, plan->field_count);
    find_primary_key(self);
    prepare_primary_key(self);
    choose_layout(self, left_count, condition);
    int code = open_source(self, plan, context, uid, condition, err);
    if (code != WEIR_OK) {
        weir_lookup_table_close(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

void weir_lookup_table_close(weir_lookup_table *self)
{
    if (self == NULL) {
        return;
    }
    if (self->source != NULL) {
        self->source->close(self->source);
    }
    weir_lookup_on_demand_close(&self->on_demand);
    weir_join_rows_close(&self->rows);
    if (self->key_of != NULL) {
        weir_value_state_close(self->key_of);
    }
    weir_state_backend_close(self->backend);
    weir_temporary_remove(self->folder);
    weir_join_keys_free(self->join_keys);
    weir_sql_compute_free(self->compute);
    weir_encoded_rows_free(&self->encoded);
    weir_batch_free(&self->changes);
    weir_batch_free(&self->projected);
    weir_sort_keys_free(&self->primary_keys);
    free(self->places);
    free(self->key_slots);
    weir_arena_free(&self->arena);
    free(self);
}

/* --- following the table ----------------------------------------------------------------------------------------- */

/* What of the batch's changes the join sees: projected, with their keys. */
typedef struct seen_changes {
    const weir_sort_keys *keys; /* of projected rows */
    const uint8_t *can_match;
} seen_changes;

static int see_changes(weir_lookup_table *self, seen_changes *out, weir_error *err)
{
    const weir_batch *changes = &self->changes;
    const uint32_t *rows;
    WEIR_TRY(weir_sql_compute_run(self->compute, changes, &self->projected, &rows, err));
    WEIR_GROW(self->places, self->place_capacity, changes->length);
    for (int64_t i = 0; i < changes->length; i++) {
        self->places[i] = -1;
    }
    for (int64_t i = 0; i < self->projected.length; i++) {
        self->places[rows[i]] = i;
    }
    WEIR_TRY(weir_encoded_rows_fill(&self->encoded, &self->projected, err));
    WEIR_TRY(weir_join_keys_run(self->join_keys, &self->projected, &out->keys, &out->can_match, err));
    for (int32_t i = 0; i < self->primary_count; i++) {
        self->primary_columns[i] = changes->columns[self->primary[i]];
        self->primary_columns[i].type = self->primary_types[i];
    }
    weir_batch view = {
        .length = changes->length, .columns = self->primary_columns, .column_count = self->primary_count};
    weir_sort_keys_clear(&self->primary_keys);
    return self->layout == WITHOUT_KEY
               ? WEIR_OK
               : weir_state_keys_append(&self->primary_keys, &view, self->numbers, self->primary_count, err);
}

/* Whether there is a row after the change, and which of the projected ones. */
static bool finds_row(const weir_lookup_table *self, const seen_changes *seen, int64_t change, int64_t *out)
{
    *out = self->places[change];
    return !weir_row_kind_is_retract(weir_batch_kind(&self->changes, change)) && *out >= 0 && seen->can_match[*out];
}

static int change_by_primary_key(weir_lookup_table *self, const seen_changes *seen, weir_error *err)
{
    WEIR_TRY(weir_join_rows_fetch(&self->rows, &self->primary_keys, err));
    for (int64_t i = 0; i < self->changes.length; i++) {
        int64_t row;
        weir_state_slot slot = self->rows.slots[i];
        if (finds_row(self, seen, i, &row)) {
            WEIR_TRY(
                weir_map_state_put(self->rows.map, slot, (weir_slice){0}, weir_encoded_row(&self->encoded, row), err));
        } else {
            WEIR_TRY(weir_map_state_remove(self->rows.map, slot, (weir_slice){0}, err));
        }
    }
    return WEIR_OK;
}

static int remove_under(weir_lookup_table *self, weir_slice key, weir_slice primary, weir_error *err)
{
    weir_state_slot slot;
    WEIR_TRY(weir_map_state_fetch_one(self->rows.map, key, &slot, err));
    return weir_map_state_remove(self->rows.map, slot, primary, err);
}

static int put_under(weir_lookup_table *self, weir_slice key, weir_slice primary, int64_t row, weir_error *err)
{
    weir_state_slot slot;
    WEIR_TRY(weir_map_state_fetch_one(self->rows.map, key, &slot, err));
    return weir_map_state_put(self->rows.map, slot, primary, weir_encoded_row(&self->encoded, row), err);
}

static int note_key(weir_lookup_table *self, weir_state_slot slot, weir_slice key, weir_error *err)
{
    uint8_t *bytes;
    WEIR_TRY(weir_value_state_edit(self->key_of, slot, key.size + 1, &bytes, err));
    bytes[0] = KEY_MARK;
    if (key.size > 0) {
        memcpy(bytes + 1, key.data, key.size);
    }
    return WEIR_OK;
}

static int change_row_by_other_key(weir_lookup_table *self, const seen_changes *seen, int64_t change, weir_error *err)
{
    uint8_t primary_space[8], key_space[8];
    int64_t row;
    bool found = finds_row(self, seen, change, &row);
    weir_state_slot slot = self->key_slots[change];
    weir_slice primary = weir_join_key_bytes(&self->primary_keys, change, primary_space);
    weir_slice key = found ? weir_join_key_bytes(seen->keys, row, key_space) : (weir_slice){0};
    weir_slice noted = weir_value_state_get(self->key_of, slot);
    weir_slice old = noted.size > 0 ? weir_slice_of(noted.data + 1, noted.size - 1) : (weir_slice){0};
    bool same = found && noted.size > 0 && weir_slice_equal(old, key);
    if (noted.size > 0 && !same) {
        WEIR_TRY(remove_under(self, old, primary, err));
    }
    if (found) {
        WEIR_TRY(put_under(self, key, primary, row, err));
        return same ? WEIR_OK : note_key(self, slot, key, err);
    }
    weir_value_state_remove(self->key_of, slot);
    return WEIR_OK;
}

static int change_by_other_key(weir_lookup_table *self, const seen_changes *seen, weir_error *err)
{
    WEIR_GROW(self->key_slots, self->key_slot_capacity, self->changes.length);
    WEIR_TRY(weir_value_state_fetch(self->key_of, &self->primary_keys, self->key_slots, err));
    for (int64_t i = 0; i < self->changes.length; i++) {
        WEIR_TRY(change_row_by_other_key(self, seen, i, err));
    }
    return WEIR_OK;
}

static int change_without_key(weir_lookup_table *self, const seen_changes *seen, weir_error *err)
{
    WEIR_TRY(weir_join_rows_fetch(&self->rows, seen->keys, err));
    for (int64_t i = 0; i < self->changes.length; i++) {
        int64_t row = self->places[i];
        if (row < 0 || !seen->can_match[row]) {
            continue;
        }
        weir_slice bytes = weir_encoded_row(&self->encoded, row);
        bool goes = weir_row_kind_is_retract(weir_batch_kind(&self->changes, i));
        WEIR_TRY(goes ? weir_join_rows_remove(&self->rows, self->rows.slots[row], bytes, err)
                      : weir_join_rows_add(&self->rows, self->rows.slots[row], bytes, 0, err));
    }
    return WEIR_OK;
}

static int take_changes(weir_lookup_table *self, weir_error *err)
{
    seen_changes seen;
    WEIR_TRY(see_changes(self, &seen, err));
    switch (self->layout) {
    case BY_PRIMARY_KEY:
        WEIR_TRY(change_by_primary_key(self, &seen, err));
        break;
    case BY_OTHER_KEY:
        WEIR_TRY(change_by_other_key(self, &seen, err));
        break;
    case WITHOUT_KEY:
        WEIR_TRY(change_without_key(self, &seen, err));
        break;
    }
    /* a checkpoint of what is temporary only makes room */
    return weir_state_backend_is_full(self->backend)
               ? weir_state_backend_checkpoint(self->backend, ++self->checkpoint, err)
               : WEIR_OK;
}

int weir_lookup_table_refresh(weir_lookup_table *self, weir_error *err)
{
    const weir_sql_table *table = self->flat.bottom->table;
    if (self->on_demand.lookup != NULL) {
        return self->on_demand.lookup->refresh(self->on_demand.lookup, err);
    }
    while (!self->has_ended) {
        int64_t now = self->clock_ms == NULL ? 0 : self->clock_ms();
        weir_state_backend_set_time(self->backend, now); /* which lets go of entries to make room */
        int code = self->source->next(self->source, &self->changes, err);
        if (code == WEIR_IDLE) {
            return WEIR_OK;
        }
        self->has_ended = code == WEIR_END;
        code = code == WEIR_OK ? take_changes(self, err) : code;
        if (code != WEIR_OK && code != WEIR_END) {
            return weir_error_context(err, code, "looking up %s.%s.%s", table->catalog, table->database, table->name);
        }
    }
    return WEIR_OK;
}

/* --- looking up -------------------------------------------------------------------------------------------------- */

int weir_lookup_table_fetch(weir_lookup_table *self, const weir_join_keys *join_keys, const weir_sort_keys *keys,
                            weir_error *err)
{
    if (self->on_demand.lookup != NULL) {
        const weir_batch columns = weir_join_keys_columns(join_keys);
        return weir_lookup_on_demand_fetch(&self->on_demand, &columns, err);
    }
    return weir_join_rows_fetch(&self->rows, keys, err);
}

int weir_lookup_table_walk(weir_lookup_table *self, int64_t key, weir_slice from, weir_lookup_cursor *out,
                           weir_error *err)
{
    *out = (weir_lookup_cursor){.key = key};
    return self->on_demand.lookup != NULL
               ? WEIR_OK
               : weir_map_cursor_open(self->rows.map, self->rows.slots[key], from, &out->map, err);
}

/* The one row that a primary key has. */
static int next_on_demand(weir_lookup_table *self, weir_lookup_cursor *cursor, weir_lookup_row *out)
{
    *out = (weir_lookup_row){.count = 1};
    bool found = cursor->key >= 0 && weir_lookup_on_demand_row(&self->on_demand, cursor->key, &out->row);
    cursor->key = -1;
    return found ? WEIR_OK : WEIR_END;
}

int weir_lookup_table_next(weir_lookup_table *self, weir_lookup_cursor *cursor, weir_lookup_row *out, weir_error *err)
{
    weir_slice value;
    weir_join_entry entry;
    if (cursor->map == NULL) {
        return next_on_demand(self, cursor, out);
    }
    WEIR_TRY(weir_map_cursor_next(cursor->map, &out->name, &value, err));
    if (self->layout != WITHOUT_KEY) {
        out->row = value;
        out->count = 1;
        return WEIR_OK;
    }
    WEIR_TRY(weir_join_entry_decode(value, &entry, err));
    out->row = out->name;
    out->count = entry.count;
    return WEIR_OK;
}

void weir_lookup_cursor_close(weir_lookup_cursor *cursor)
{
    if (cursor->map != NULL) {
        weir_map_cursor_close(cursor->map);
    }
}
