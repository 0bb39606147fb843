/* The streaming reader: a full phase where the start mode asks for one, then the changes of each snapshot in turn.
 *
 * What the changes of a snapshot are follows from the changelog producer: its changelog files, or, without a producer,
 * the files that an APPEND added. An OVERWRITE is looked at when it is asked for. Snapshots that have expired are still
 * read where their changelog was kept. */
#include "table/scan/stream_scan.h"

#include <stdlib.h>

#include "lsm/lsm_options.h"
#include "table/scan/scan_incremental.h"

typedef enum start_mode {
    START_LATEST_FULL,
    START_LATEST,
    START_FROM_SNAPSHOT,
    START_FROM_SNAPSHOT_FULL,
    START_FROM_TIMESTAMP,
    START_COMPACTED_FULL
} start_mode;

struct weir_stream_scan {
    const weir_table *table;
    weir_scan_options options;
    start_mode mode;
    int64_t start; /* snapshot id or milliseconds, by the mode */
    weir_changelog_producer producer;
    int64_t next_snapshot; /* -1: not decided yet */
    int64_t last_snapshot;
    int64_t state_snapshot; /* whose state is to be given next; 0: none */
    bool gave_state;
    bool reads_overwrites;
    int64_t bounded_watermark; /* snapshots above it are not read; INT64_MAX: all are */
};

/* What names a state to read, but no place among the changes. */
static int check_no_state_is_named(const weir_table *table, weir_error *err)
{
    static const char *const states[] = {"scan.tag-name", "scan.watermark", "scan.version"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (weir_options_get(&table->schema->options, states[i]) != NULL) {
            return weir_fail(err, WEIR_INVALID, "%s: a stream cannot start by '%s'; use scan.snapshot-id", table->path,
                             states[i]);
        }
    }
    return WEIR_OK;
}

static int read_mode(weir_stream_scan *scan, weir_error *err)
{
    const weir_options *set = &scan->table->schema->options;
    const char *mode = NULL;
    bool has_time = false;
    WEIR_TRY(weir_scan_check_options(scan->table, err));
    WEIR_TRY(check_no_state_is_named(scan->table, err));
    WEIR_TRY(weir_options_text(set, "scan.mode", &mode, err));
    bool is_default = mode == NULL || strcmp(mode, "default") == 0;
    if (weir_options_get(set, "scan.snapshot-id") != NULL &&
        (is_default || strcmp(mode, "from-snapshot") == 0 || strcmp(mode, "from-snapshot-full") == 0)) {
        scan->mode =
            !is_default && strcmp(mode, "from-snapshot-full") == 0 ? START_FROM_SNAPSHOT_FULL : START_FROM_SNAPSHOT;
        return weir_options_int(set, "scan.snapshot-id", &scan->start, err);
    }
    if (is_default || strcmp(mode, "from-timestamp") == 0) {
        WEIR_TRY(weir_scan_start_time(scan->table, &has_time, &scan->start, err));
    }
    if (has_time) {
        scan->mode = START_FROM_TIMESTAMP;
    } else if (is_default || strcmp(mode, "latest-full") == 0 || strcmp(mode, "full") == 0) {
        scan->mode = START_LATEST_FULL;
    } else if (strcmp(mode, "latest") == 0) {
        scan->mode = START_LATEST;
    } else if (strcmp(mode, "compacted-full") == 0) {
        scan->mode = START_COMPACTED_FULL;
    } else {
        return weir_fail(err, WEIR_INVALID,
                         "%s: scan.mode '%s' needs scan.snapshot-id, scan.timestamp-millis or scan.timestamp",
                         scan->table->path, mode);
    }
    return WEIR_OK;
}

static int read_overwrite_option(const weir_table *table, bool *out, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    WEIR_TRY(weir_options_bool(set, "streaming-read-overwrite", out, err));
    if (*out && !weir_table_has_primary_key(table)) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: with streaming-read-overwrite a table without a primary key would give deletes, which is "
                         "not offered; streaming-read-append-overwrite gives the rows that an overwrite adds",
                         table->path);
    }
    return weir_table_has_primary_key(table) ? WEIR_OK
                                             : weir_options_bool(set, "streaming-read-append-overwrite", out, err);
}

int weir_stream_scan_open(const weir_table *table, const weir_scan_options *options, weir_stream_scan **out,
                          weir_error *err)
{
    bool reads_overwrites = false;
    WEIR_TRY(weir_scan_check_changes_readable(table, err));
    WEIR_TRY(read_overwrite_option(table, &reads_overwrites, err));
    weir_stream_scan *scan = weir_alloc_zeroed(1, sizeof *scan);
    scan->table = table;
    scan->options = options != NULL ? *options : (weir_scan_options){.limit = -1};
    scan->next_snapshot = -1;
    scan->last_snapshot = INT64_MAX;
    scan->bounded_watermark = INT64_MAX;
    scan->reads_overwrites = reads_overwrites;
    int code = weir_changelog_producer_of(table->schema, &scan->producer, err);
    if (code == WEIR_OK) {
        code = read_mode(scan, err);
    }
    if (code == WEIR_OK && weir_options_get(&table->schema->options, "scan.bounded.watermark") != NULL) {
        code = weir_options_int(&table->schema->options, "scan.bounded.watermark", &scan->bounded_watermark, err);
    }
    if (code != WEIR_OK) {
        weir_stream_scan_close(scan);
        return code;
    }
    *out = scan;
    return WEIR_OK;
}

void weir_stream_scan_close(weir_stream_scan *scan) { free(scan); }

int64_t weir_stream_scan_position(const weir_stream_scan *scan) { return scan->next_snapshot; }

int weir_stream_scan_restore(weir_stream_scan *scan, int64_t next_snapshot, weir_error *err)
{
    if (next_snapshot < 1) {
        return weir_fail(err, WEIR_INVALID, "%s: %" PRId64 " is no snapshot to go on from", scan->table->path,
                         next_snapshot);
    }
    scan->next_snapshot = next_snapshot;
    scan->state_snapshot = 0;
    return WEIR_OK;
}

int weir_stream_scan_restore_state(weir_stream_scan *scan, int64_t snapshot_id, weir_error *err)
{
    WEIR_TRY(weir_stream_scan_restore(scan, snapshot_id, err));
    scan->state_snapshot = snapshot_id;
    return WEIR_OK;
}

bool weir_stream_scan_gave_state(const weir_stream_scan *scan) { return scan->gave_state; }

int weir_stream_scan_may_have_next(const weir_stream_scan *scan, bool *out, weir_error *err)
{
    const weir_table_context *context = &scan->table->context;
    *out = true;
    if (scan->next_snapshot < 0 || scan->state_snapshot > 0) {
        return WEIR_OK;
    }
    char *path = weir_format("%s/snapshot/snapshot-%" PRId64, context->paths.root, scan->next_snapshot);
    int code = weir_fs_file_exists(context->fs, path, out, err);
    free(path);
    return code;
}

void weir_stream_scan_set_end(weir_stream_scan *scan, int64_t last_snapshot) { scan->last_snapshot = last_snapshot; }

/* Rows of snapshots with a watermark above the bound are not wanted any more. */
static bool is_beyond_bound(const weir_stream_scan *scan, const weir_snapshot *snapshot)
{
    return snapshot->watermark != WEIR_NO_WATERMARK && snapshot->watermark > scan->bounded_watermark;
}

/* The state of a snapshot as the follow-up expects it: changelogs that a compaction makes speak of what lies above
 * level 0, and those of full compactions of the top level alone. Where writers' files are followed, nothing may be left
 * out that they wrote before, also of tables whose level 0 batch reads do not see. */
static int plan_full(weir_stream_scan *scan, const weir_snapshot *snapshot, weir_table_plan *plan, weir_error *err)
{
    int32_t min_level = -1;
    if (scan->producer == WEIR_CHANGELOG_LOOKUP) {
        min_level = 1;
    } else if (scan->producer == WEIR_CHANGELOG_FULL_COMPACTION) {
        weir_lsm_options options;
        WEIR_TRY(weir_lsm_options_read(scan->table->schema, &options, err));
        min_level = options.level_count - 1;
    }
    plan->snapshot_id = snapshot->id;
    plan->snapshot = snapshot;
    WEIR_TRY(weir_scan_state(scan->table, snapshot, min_level, &scan->options, plan, err));
    scan->next_snapshot = snapshot->id + 1;
    scan->state_snapshot = 0;
    scan->gave_state = true;
    if (is_beyond_bound(scan, snapshot)) {
        scan->last_snapshot = snapshot->id;
    }
    return WEIR_OK;
}

/* The oldest snapshot whose changes can still be read: changelogs may outlive snapshots. */
static int earliest_changes(const weir_stream_scan *scan, weir_arena *arena, int64_t *out, weir_error *err)
{
    const weir_table_context *context = &scan->table->context;
    int64_t id = 0;
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &id, err));
    while (id > 1) {
        weir_snapshot *changelog = NULL;
        int code = weir_changelog_read(context->fs, context->paths.root, id - 1, arena, &changelog, err);
        if (code == WEIR_NOT_FOUND) {
            break;
        }
        WEIR_TRY(code);
        id--;
    }
    *out = id;
    return WEIR_OK;
}

/* The first call: decides where to start, and plans the full phase where there is one. */
static int start(weir_stream_scan *scan, weir_table_plan *plan, weir_error *err)
{
    const weir_table_context *context = &scan->table->context;
    int64_t earliest = 0, latest = 0;
    weir_snapshot *snapshot = NULL;
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    switch (scan->mode) {
    case START_LATEST:
        scan->next_snapshot = latest + 1;
        return WEIR_OK;
    case START_FROM_SNAPSHOT:
        WEIR_TRY(earliest_changes(scan, &plan->arena, &earliest, err));
        scan->next_snapshot = scan->start > earliest || latest == 0 ? scan->start : earliest;
        return WEIR_OK;
    case START_FROM_TIMESTAMP:
        if (latest == 0) {
            return WEIR_IDLE;
        }
        WEIR_TRY(weir_snapshot_at_time(context->fs, context->paths.root, scan->start - 1, true, &plan->arena, &snapshot,
                                       err));
        scan->next_snapshot = snapshot != NULL ? snapshot->id : latest + 1;
        return WEIR_OK;
    case START_FROM_SNAPSHOT_FULL:
        WEIR_TRY(weir_snapshot_read(context->fs, context->paths.root, scan->start, &plan->arena, &snapshot, err));
        return plan_full(scan, snapshot, plan, err);
    case START_COMPACTED_FULL:
        WEIR_TRY(weir_scan_compacted_snapshot(scan->table, &plan->arena, &snapshot, err));
        break;
    case START_LATEST_FULL:
        if (latest > 0) {
            WEIR_TRY(weir_snapshot_read(context->fs, context->paths.root, latest, &plan->arena, &snapshot, err));
        }
        break;
    }
    return snapshot == NULL ? WEIR_IDLE : plan_full(scan, snapshot, plan, err);
}

/* The snapshot, or its changelog where that outlived it. */
static int read_snapshot(const weir_stream_scan *scan, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    const weir_table_context *context = &scan->table->context;
    int code = weir_snapshot_read(context->fs, context->paths.root, scan->next_snapshot, arena, out, err);
    if (code == WEIR_NOT_FOUND) {
        code = weir_changelog_read(context->fs, context->paths.root, scan->next_snapshot, arena, out, err);
    }
    return code;
}

static int fail_expired(const weir_stream_scan *scan, int64_t id, int64_t earliest, int64_t latest, weir_error *err)
{
    return weir_fail(err, WEIR_NOT_FOUND,
                     "%s: snapshot %" PRId64 " has expired before it was read (there are %" PRId64 " to %" PRId64
                     "); a consumer-id keeps snapshots that a reader still needs, and snapshot.time-retained keeps "
                     "them longer",
                     scan->table->path, id, earliest, latest);
}

/* WEIR_IDLE: it does not exist yet. */
static int read_next(const weir_stream_scan *scan, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    const weir_table_context *context = &scan->table->context;
    int64_t id = scan->next_snapshot, earliest = 0, latest = 0;
    int code = read_snapshot(scan, arena, out, err);
    if (code != WEIR_NOT_FOUND) {
        return code;
    }
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (id > latest) {
        return WEIR_IDLE;
    }
    if (id >= earliest) { /* committed after the first look */
        code = read_snapshot(scan, arena, out, err);
        if (code != WEIR_NOT_FOUND) {
            return code;
        }
    }
    return fail_expired(scan, id, earliest, latest, err);
}

/* The changes of one snapshot, if it has any for a reader. */
static int plan_changes(const weir_stream_scan *scan, const weir_snapshot *snapshot, weir_table_plan *plan,
                        weir_error *err)
{
    plan->snapshot_id = snapshot->id;
    plan->snapshot = snapshot;
    bool changelog = scan->producer != WEIR_CHANGELOG_NONE;
    if (snapshot->commit_kind == WEIR_COMMIT_OVERWRITE) {
        return scan->reads_overwrites ? weir_scan_overwrite(scan->table, snapshot, changelog, &scan->options, plan, err)
                                      : WEIR_OK;
    }
    if (!changelog && snapshot->commit_kind != WEIR_COMMIT_APPEND) {
        return WEIR_OK;
    }
    return weir_scan_changes(scan->table, snapshot, changelog, &scan->options, plan, err);
}

/* The state that was being given when the stream was left. */
static int plan_state_again(weir_stream_scan *scan, weir_table_plan *plan, weir_error *err)
{
    const weir_table_context *context = &scan->table->context;
    weir_snapshot *snapshot = NULL;
    int code = weir_snapshot_read(context->fs, context->paths.root, scan->state_snapshot, &plan->arena, &snapshot, err);
    if (code == WEIR_NOT_FOUND) {
        int64_t earliest = 0, latest = 0;
        WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
        WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
        return fail_expired(scan, scan->state_snapshot, earliest, latest, err);
    }
    WEIR_TRY(code);
    return plan_full(scan, snapshot, plan, err);
}

static int plan_next(weir_stream_scan *scan, weir_table_plan *plan, weir_error *err)
{
    scan->gave_state = false;
    if (scan->state_snapshot > 0) {
        WEIR_TRY(plan_state_again(scan, plan, err));
    } else if (scan->next_snapshot < 0) {
        WEIR_TRY(start(scan, plan, err));
    }
    while (plan->split_count == 0) {
        if (scan->next_snapshot > scan->last_snapshot) {
            return WEIR_END;
        }
        weir_snapshot *snapshot = NULL;
        WEIR_TRY(read_next(scan, &plan->arena, &snapshot, err));
        if (is_beyond_bound(scan, snapshot)) {
            scan->last_snapshot = scan->next_snapshot - 1;
            return WEIR_END;
        }
        scan->gave_state = false;
        WEIR_TRY(plan_changes(scan, snapshot, plan, err));
        scan->next_snapshot++;
    }
    return WEIR_OK;
}

int weir_stream_scan_next(weir_stream_scan *scan, weir_table_plan **out, weir_error *err)
{
    weir_table_plan *plan = weir_alloc_zeroed(1, sizeof *plan);
    weir_arena_init(&plan->arena);
    plan->exact_row_count = -1;
    int code = plan_next(scan, plan, err);
    if (code != WEIR_OK) {
        weir_table_plan_free(plan);
        return code;
    }
    *out = plan;
    return WEIR_OK;
}
