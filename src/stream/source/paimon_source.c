/* A Paimon table as the source of a job: what is to be read next says table/scan/stream_scan.c, split by split.
 *
 * A position is the next snapshot, or a place in one that is being given out:
 *
 *   | version: 1 | phase: 1 | snapshot: 8 | split: 8 | rows of it that were given: 8 | splits: 8 | the split's first
 * file |
 *
 * A snapshot does not change, and the same options cut it into the same splits; the last two fields tell when options
 * did change. With `consumer-id` the table learns at each checkpoint which snapshots are still needed; to writers in
 * the same process it is told in any case. */
#include "stream/source/paimon_source.h"

#include <stdlib.h>

#include "base/byte_reader.h"
#include "base/clock.h"
#include "base/text.h"
#include "lsm/lsm_options.h"
#include "meta/consumer.h"
#include "table/read/reader_hold.h"
#include "table/scan/stream_scan.h"

#define POSITION_VERSION 1

#define USUAL_POLL_MS     10    /* a look for one file on a local disk */
#define WHOLE_LOOK_MS     1000  /* how often more is looked at: has what is waited for expired? */
#define TELL_CONSUMER_MS  60000 /* a consumer that does not move is told so often, since it may expire */

typedef enum phase {
    PHASE_START,   /* where to begin is not decided yet */
    PHASE_NEXT,    /* the snapshot comes next */
    PHASE_STATE,   /* in the midst of its state */
    PHASE_CHANGES  /* in the midst of its changes */
} phase;

typedef struct position {
    phase phase;
    int64_t snapshot;
    int64_t split;
    int64_t rows;
    int64_t split_count;
    weir_slice first_file;
} position;

typedef struct paimon_source {
    weir_stream_source base; /* first */
    weir_arena arena;
    const weir_table *table;
    weir_scan_options scan_options;
    weir_read_options read_options;
    const int32_t *columns; /* of the batches: places among what is read, or WEIR_KIND_COLUMN */
    int32_t column_count;
    bool is_direct;   /* what is read is what is given */
    bool audit_log;
    weir_batch inner; /* what is read otherwise */
    weir_stream_scan *scan;
    weir_table_plan *plan; /* that is being given out; NULL: the next one is to be made */
    bool plan_is_state;
    int64_t split;             /* of the plan */
    weir_split_reader *reader; /* of the split; NULL: it is to be opened */
    int64_t rows;              /* of the split that were read */
    int64_t skip;              /* those after them that an earlier run gave */
    int64_t whole_look_ns;     /* when more than the next file was looked for; 0: never */
    weir_reader_hold *hold;    /* of what an earlier checkpoint would need; NULL: nothing was given yet */
    const char *consumer;      /* NULL: none */
    int64_t told_snapshot;
    int64_t told_ns;
    char *identity;
} paimon_source;

/* ---- kinds ---- */

int weir_paimon_changes_of(const weir_table *table, weir_paimon_changes *out, weir_error *err)
{
    weir_changelog_producer producer = WEIR_CHANGELOG_NONE;
    WEIR_TRY(weir_changelog_producer_of(table->schema, &producer, err));
    bool has_key = weir_table_has_primary_key(table);
    *out = (weir_paimon_changes){
        .has_row_kinds = has_key,
        .has_upserts = has_key && producer == WEIR_CHANGELOG_NONE,
        .is_bounded = weir_options_get(&table->schema->options, "scan.bounded.watermark") != NULL,
    };
    return WEIR_OK;
}

/* ---- splits ---- */

static void end_plan(paimon_source *source)
{
    if (source->reader != NULL) {
        weir_split_close(source->reader);
        source->reader = NULL;
    }
    weir_table_plan_free(source->plan);
    source->plan = NULL;
    source->split = source->rows = source->skip = 0;
    source->base.moment++;
}

static void end_split(paimon_source *source)
{
    weir_split_close(source->reader);
    source->reader = NULL;
    source->split++;
    source->rows = source->skip = 0;
    if (source->split == (int64_t)source->plan->split_count) {
        end_plan(source);
    }
}

static bool is_due_for_whole_look(paimon_source *source)
{
    int64_t now = weir_monotonic_ns();
    if (source->whole_look_ns != 0 && now - source->whole_look_ns < (int64_t)WHOLE_LOOK_MS * 1000000) {
        return false;
    }
    source->whole_look_ns = now;
    return true;
}

/* WEIR_IDLE: there is no new snapshot. */
static int next_plan(paimon_source *source, weir_error *err)
{
    bool may_have_next = true;
    WEIR_TRY(weir_stream_scan_may_have_next(source->scan, &may_have_next, err));
    if (!may_have_next && !is_due_for_whole_look(source)) {
        return WEIR_IDLE;
    }
    WEIR_TRY(weir_stream_scan_next(source->scan, &source->plan, err));
    source->plan_is_state = weir_stream_scan_gave_state(source->scan);
    if (source->plan->split_count == 0) {
        end_plan(source);
        return WEIR_IDLE;
    }
    return WEIR_OK;
}

static int append_kinds(const weir_batch *from, weir_vector *out, weir_error *err)
{
    for (int64_t i = 0; i < from->length; i++) {
        WEIR_TRY(weir_vector_append_raw(out, weir_row_kind_text(weir_batch_kind(from, i)), 2, err));
    }
    return WEIR_OK;
}

/* Moves the columns that were read to their places. */
static int arrange(paimon_source *source, weir_batch *out, weir_error *err)
{
    weir_batch *inner = &source->inner;
    for (int32_t i = 0; i < source->column_count; i++) {
        if (source->columns[i] == WEIR_KIND_COLUMN) {
            WEIR_TRY(append_kinds(inner, &out->columns[i], err));
        } else {
            weir_vector column = out->columns[i];
            out->columns[i] = inner->columns[source->columns[i]];
            inner->columns[source->columns[i]] = column;
        }
    }
    out->length = inner->length;
    if (inner->kinds != NULL && !source->audit_log && out->length > 0) {
        weir_batch_reserve_kinds(out, out->length);
        memcpy(out->kinds, inner->kinds, (size_t)out->length);
    }
    return WEIR_OK;
}

static int read_split(paimon_source *source, weir_batch *out, weir_error *err)
{
    if (source->is_direct) {
        return weir_split_next(source->reader, out, err);
    }
    WEIR_TRY(weir_split_next(source->reader, &source->inner, err));
    return arrange(source, out, err);
}

/* Leaves out the first `count` rows. */
static int drop_first(weir_batch *batch, int64_t count, weir_error *err)
{
    weir_batch rest = {.columns = weir_alloc_zeroed((size_t)batch->column_count + 1, sizeof *rest.columns),
                       .column_count = batch->column_count};
    for (int32_t c = 0; c < batch->column_count; c++) {
        weir_vector_init(&rest.columns[c], batch->columns[c].type);
    }
    int code = weir_batch_append_range(&rest, batch, count, batch->length - count, err);
    weir_batch whole = *batch;
    *batch = rest;
    weir_batch_free(&whole);
    return code;
}

/* The next rows of the split that no earlier run has given. */
static int next_rows(paimon_source *source, weir_batch *out, weir_error *err)
{
    for (;;) {
        weir_batch_clear(out);
        WEIR_TRY(read_split(source, out, err));
        int64_t length = out->length;
        source->rows += length;
        if (source->skip >= length) {
            source->skip -= length;
            continue;
        }
        int64_t skipped = source->skip;
        source->skip = 0;
        return skipped > 0 ? drop_first(out, skipped, err) : WEIR_OK;
    }
}

/* From the first snapshot on that is read. */
static void hold_first(paimon_source *source)
{
    int64_t next = weir_stream_scan_position(source->scan);
    if (source->hold == NULL && (source->plan != NULL || next > 0)) {
        int64_t snapshot = source->plan != NULL ? source->plan->snapshot_id : next;
        source->hold = weir_reader_hold_take(source->table, snapshot);
    }
}

static int fail_cut_differently(const paimon_source *source, int64_t snapshot, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID,
                     "%s: snapshot %" PRId64 " is read in other pieces than by the run whose state is gone on from; "
                     "give the table the options that it had then, or start over",
                     source->table->path, snapshot);
}

static int next_batch(weir_stream_source *self, weir_batch *out, weir_error *err)
{
    paimon_source *source = (paimon_source *)self;
    for (;;) {
        if (source->plan == NULL) {
            int code = next_plan(source, err);
            hold_first(source);
            WEIR_TRY(code);
        }
        if (source->reader == NULL) {
            WEIR_TRY(weir_split_open(source->table, &source->plan->splits[source->split], &source->read_options,
                                     &source->reader, err));
        }
        int code = next_rows(source, out, err);
        if (code != WEIR_END) {
            return code;
        }
        if (source->skip > 0) {
            return fail_cut_differently(source, source->plan->snapshot_id, err);
        }
        end_split(source);
    }
}

/* ---- positions ---- */

static weir_slice first_file_of(const weir_split *split)
{
    const weir_data_file *file = split->file_count > 0     ? split->files[0]
                                 : split->run_count > 0    ? split->runs[0].files[0]
                                 : split->before_count > 0 ? split->before[0].files[0]
                                                           : NULL;
    return file != NULL ? weir_slice_text(file->name) : (weir_slice){0};
}

static position position_of(const paimon_source *source)
{
    int64_t next = weir_stream_scan_position(source->scan);
    if (source->plan == NULL) {
        return (position){.phase = next < 0 ? PHASE_START : PHASE_NEXT, .snapshot = next};
    }
    return (position){
        .phase = source->plan_is_state ? PHASE_STATE : PHASE_CHANGES,
        .snapshot = source->plan->snapshot_id,
        .split = source->split,
        .rows = source->rows + source->skip,
        .split_count = (int64_t)source->plan->split_count,
        .first_file = first_file_of(&source->plan->splits[source->split]),
    };
}

static int write_position(weir_stream_source *self, weir_buffer *out, weir_error *err)
{
    position at = position_of((const paimon_source *)self);
    (void)err;
    weir_put_u8(out, POSITION_VERSION);
    weir_put_u8(out, (uint8_t)at.phase);
    weir_put_u64(out, (uint64_t)at.snapshot);
    weir_put_u64(out, (uint64_t)at.split);
    weir_put_u64(out, (uint64_t)at.rows);
    weir_put_u64(out, (uint64_t)at.split_count);
    weir_put_slice(out, at.first_file);
    return WEIR_OK;
}

static int read_position(const paimon_source *source, weir_slice bytes, position *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(bytes);
    uint8_t version = weir_take_u8(&reader);
    out->phase = (phase)weir_take_u8(&reader);
    out->snapshot = weir_take_i64(&reader);
    out->split = weir_take_i64(&reader);
    out->rows = weir_take_i64(&reader);
    out->split_count = weir_take_i64(&reader);
    out->first_file = weir_take_slice(&reader);
    bool in_range = out->phase <= PHASE_CHANGES && (out->phase == PHASE_START || out->snapshot > 0) &&
                    out->rows >= 0 && out->split >= 0 && out->split <= out->split_count;
    if (version != POSITION_VERSION || !weir_byte_reader_is_done(&reader) || !in_range) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the stored position is damaged", source->table->path);
    }
    return WEIR_OK;
}

/* Makes the plan that was being given out, which must be cut as it was. */
static int restore_plan(paimon_source *source, const position *at, weir_error *err)
{
    int code = weir_stream_scan_next(source->scan, &source->plan, err);
    if (code == WEIR_OK && source->plan->snapshot_id == at->snapshot &&
        source->plan->split_count == (size_t)at->split_count && at->split < at->split_count &&
        weir_slice_equal(first_file_of(&source->plan->splits[at->split]), at->first_file)) {
        source->plan_is_state = at->phase == PHASE_STATE;
        source->split = at->split;
        source->skip = at->rows;
        return WEIR_OK;
    }
    end_plan(source);
    if (code == WEIR_OK || code == WEIR_IDLE || code == WEIR_END) {
        return fail_cut_differently(source, at->snapshot, err);
    }
    return code;
}

static int restore_to(paimon_source *source, const position *at, weir_error *err)
{
    switch (at->phase) {
    case PHASE_START:
        return WEIR_OK;
    case PHASE_NEXT: /* all rows of the moment before have been given */
        source->base.moment++;
        return weir_stream_scan_restore(source->scan, at->snapshot, err);
    case PHASE_STATE:
        WEIR_TRY(weir_stream_scan_restore_state(source->scan, at->snapshot, err));
        return restore_plan(source, at, err);
    case PHASE_CHANGES:
        WEIR_TRY(weir_stream_scan_restore(source->scan, at->snapshot, err));
        return restore_plan(source, at, err);
    }
    return WEIR_OK;
}

static int restore(weir_stream_source *self, weir_slice bytes, weir_error *err)
{
    paimon_source *source = (paimon_source *)self;
    position at;
    WEIR_TRY(read_position(source, bytes, &at, err));
    WEIR_TRY(restore_to(source, &at, err));
    hold_first(source);
    return WEIR_OK;
}

/* ---- consumers ---- */

static int committed(weir_stream_source *self, weir_slice bytes, weir_error *err)
{
    paimon_source *source = (paimon_source *)self;
    const weir_table_context *context = &source->table->context;
    position at;
    WEIR_TRY(read_position(source, bytes, &at, err));
    if (source->hold != NULL && at.phase != PHASE_START) {
        weir_reader_hold_move(source->hold, at.snapshot);
    }
    if (source->consumer == NULL) {
        return WEIR_OK;
    }
    int64_t now = weir_monotonic_ns();
    bool is_news = at.snapshot != source->told_snapshot || now - source->told_ns > (int64_t)TELL_CONSUMER_MS * 1000000;
    if (at.phase == PHASE_START || !is_news) {
        return WEIR_OK;
    }
    WEIR_TRY_CTX(weir_consumer_write(context->fs, context->paths.root, source->consumer, at.snapshot, err), err,
                 "consumer '%s'", source->consumer);
    source->told_snapshot = at.snapshot;
    source->told_ns = now;
    return WEIR_OK;
}

/* Starts where the consumer has come to, if there is one. */
static int start_at_consumer(paimon_source *source, weir_error *err)
{
    const weir_table_context *context = &source->table->context;
    const weir_options *set = &source->table->schema->options;
    weir_consumer *consumers = NULL;
    size_t count = 0;
    bool ignores = false;
    source->consumer = weir_options_get(set, "consumer-id");
    if (source->consumer == NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_options_bool(set, "consumer.ignore-progress", &ignores, err));
    WEIR_TRY(weir_consumer_list(context->fs, context->paths.root, &source->arena, &consumers, &count, err));
    for (size_t i = 0; i < count && !ignores; i++) {
        if (strcmp(consumers[i].id, source->consumer) == 0) {
            return weir_stream_scan_restore(source->scan, consumers[i].next_snapshot, err);
        }
    }
    return WEIR_OK;
}

/* ---- opening and closing ---- */

static int64_t lag_ms(weir_stream_source *self)
{
    const paimon_source *source = (const paimon_source *)self;
    if (source->plan == NULL || source->plan->snapshot == NULL) {
        return 0;
    }
    int64_t lag = weir_now_ms() - source->plan->snapshot->time_ms;
    return lag > 0 ? lag : 0;
}

static void close_source(weir_stream_source *self)
{
    paimon_source *source = (paimon_source *)self;
    end_plan(source);
    weir_reader_hold_release(source->hold);
    weir_stream_scan_close(source->scan);
    weir_batch_free(&source->inner);
    weir_arena_free(&source->arena);
    free(source->identity);
    free(source);
}

/* Of changes that are upserts only what is said of the key may be used: whether a row matches says nothing of the one
 * that it replaces. */
static const weir_predicate *usable_predicate(paimon_source *source, const weir_predicate *predicate, bool has_upserts)
{
    const weir_schema *schema = source->table->schema;
    if (predicate == NULL || !has_upserts) {
        return predicate;
    }
    int32_t *places = WEIR_NEW_ARRAY(&source->arena, int32_t, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        places[i] = -1;
    }
    for (int32_t i = 0; i < schema->primary_key_count; i++) {
        places[schema->primary_columns[i]] = schema->primary_columns[i];
    }
    return weir_predicate_map(&source->arena, predicate, places);
}

/* When only rows are wanted one column is read all the same: the first of the key, or the first. */
static void choose_columns(paimon_source *source, const weir_paimon_source_options *options)
{
    const weir_schema *schema = source->table->schema;
    int32_t *read = WEIR_NEW_ARRAY(&source->arena, int32_t, options->column_count + 1);
    int32_t *places = WEIR_NEW_ARRAY(&source->arena, int32_t, options->column_count + 1);
    int32_t count = 0;
    for (int32_t i = 0; i < options->column_count; i++) {
        bool is_kind = options->columns[i] == WEIR_KIND_COLUMN;
        places[i] = is_kind ? WEIR_KIND_COLUMN : count;
        if (!is_kind) {
            read[count++] = options->columns[i];
        }
    }
    source->columns = places;
    source->column_count = options->column_count;
    source->audit_log = options->audit_log;
    source->is_direct = count > 0 && !options->audit_log;
    if (count == 0) {
        read[count++] = schema->primary_key_count > 0 ? schema->primary_columns[0] : 0;
    }
    source->read_options.columns = read;
    source->read_options.column_count = count;
    if (!source->is_direct) {
        int32_t field_count = 0;
        const weir_field *fields = weir_read_fields(source->table, &source->read_options, &source->arena, &field_count);
        weir_batch_init(&source->inner, fields, field_count);
    }
}

/* Where a row of the table is made of several written ones, those alone are no changes of it. */
static int check_tells_changes(const weir_table *table, weir_error *err)
{
    static const struct {
        const char *engine;
        const char *description;
    } engines[] = {
        {"partial-update", "Partial update"}, {"aggregation", "Pre-aggregate"}, {"first-row", "First row"}};
    weir_changelog_producer producer = WEIR_CHANGELOG_NONE;
    WEIR_TRY(weir_changelog_producer_of(table->schema, &producer, err));
    const char *engine = weir_options_get(&table->schema->options, "merge-engine");
    for (size_t i = 0; engine != NULL && i < sizeof engines / sizeof *engines; i++) {
        if (producer == WEIR_CHANGELOG_NONE && weir_table_has_primary_key(table) &&
            weir_text_equal_ignore_case(engine, engines[i].engine)) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "%s: %s streaming reading is not supported. You can use 'lookup' or 'full-compaction' "
                             "changelog producer to support streaming reading. ('input' changelog producer is also "
                             "supported, but only returns input records.)",
                             table->path, engines[i].description);
        }
    }
    return WEIR_OK;
}

static int open_source(paimon_source *source, const weir_paimon_source_options *options, weir_error *err)
{
    const weir_options *set = &source->table->schema->options;
    weir_paimon_changes changes;
    WEIR_TRY(check_tells_changes(source->table, err));
    WEIR_TRY(weir_paimon_changes_of(source->table, &changes, err));
    choose_columns(source, options);
    source->read_options.with_kinds = true;
    source->read_options.batch_rows = options->batch_rows;
    source->read_options.predicate = usable_predicate(source, options->predicate, changes.has_upserts && !options->audit_log);
    source->scan_options = (weir_scan_options){
        .predicate = source->read_options.predicate,
        .limit = -1,
        .with_kinds = true,
    };
    source->base.is_bounded = changes.is_bounded;
    source->base.poll_interval_ms = USUAL_POLL_MS;
    if (weir_options_get(set, "continuous.discovery-interval") != NULL) {
        WEIR_TRY(weir_options_duration(set, "continuous.discovery-interval", &source->base.poll_interval_ms, err));
    }
    WEIR_TRY(weir_stream_scan_open(source->table, &source->scan_options, &source->scan, err));
    return start_at_consumer(source, err);
}

int weir_paimon_source_open(const weir_table *table, const weir_paimon_source_options *options,
                            weir_stream_source **out, weir_error *err)
{
    paimon_source *source = weir_alloc_zeroed(1, sizeof *source);
    weir_arena_init(&source->arena);
    source->table = table;
    source->identity = weir_format("paimon:%s", table->context.paths.root);
    source->base = (weir_stream_source){
        .moment = 1,
        .next = next_batch,
        .position = write_position,
        .restore = restore,
        .committed = committed,
        .lag_ms = lag_ms,
        .close = close_source,
        .description = options->description,
        .identity = source->identity,
    };
    int code = open_source(source, options, err);
    if (code != WEIR_OK) {
        close_source(&source->base);
        return code;
    }
    *out = &source->base;
    return WEIR_OK;
}
