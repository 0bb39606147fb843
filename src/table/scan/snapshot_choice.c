/* Which snapshot a batch read sees, by the table's scan.* options. */
#include <stdlib.h>

#include "base/text.h"
#include "table/scan/scan.h"
#include "table/write/full_compaction.h"

static int read_latest(const weir_table *table, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    int64_t id = 0;
    *out = NULL;
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &id, err));
    return id == 0 ? WEIR_OK : weir_snapshot_read(context->fs, context->paths.root, id, arena, out, err);
}

static int read_by_id(const weir_table *table, int64_t id, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    int code = weir_snapshot_read(context->fs, context->paths.root, id, arena, out, err);
    if (code != WEIR_NOT_FOUND) {
        return code;
    }
    int64_t earliest = 0, latest = 0;
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (latest == 0) {
        return weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot %" PRId64 ": it has none yet", table->path, id);
    }
    return weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot %" PRId64 ": there are %" PRId64 " to %" PRId64 "%s",
                     table->path, id, earliest, latest,
                     id < earliest ? " (older ones have expired; a tag would have kept them)" : "");
}

static int read_by_tag(const weir_table *table, const char *tag, weir_arena *arena, weir_snapshot **out,
                       weir_error *err)
{
    const weir_table_context *context = &table->context;
    int code = weir_tag_read(context->fs, context->paths.root, tag, arena, out, err);
    if (code != WEIR_NOT_FOUND) {
        return code;
    }
    const char **names = NULL;
    size_t count = 0;
    WEIR_TRY(weir_tag_list(context->fs, context->paths.root, arena, &names, &count, err));
    const char *near = weir_suggest(tag, names, count);
    return weir_fail(err, WEIR_NOT_FOUND, "%s has no tag '%s'%s%s%s", table->path, tag, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

/* The first snapshot whose watermark is not below the one asked for. */
static int read_by_watermark(const weir_table *table, int64_t watermark, weir_arena *arena, weir_snapshot **out,
                             weir_error *err)
{
    const weir_table_context *context = &table->context;
    int64_t earliest = 0, latest = 0;
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    for (int64_t id = earliest; id > 0 && id <= latest; id++) {
        weir_snapshot *snapshot = NULL;
        int code = weir_snapshot_read(context->fs, context->paths.root, id, arena, &snapshot, err);
        if (code == WEIR_NOT_FOUND) {
            continue;
        }
        WEIR_TRY(code);
        if (snapshot->has_watermark && snapshot->watermark >= watermark) {
            *out = snapshot;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot with a watermark of %" PRId64 " or later", table->path,
                     watermark);
}

static int read_by_time(const weir_table *table, int64_t time_ms, weir_arena *arena, weir_snapshot **out,
                        weir_error *err)
{
    const weir_table_context *context = &table->context;
    int64_t earliest = 0;
    *out = NULL;
    WEIR_TRY(weir_snapshot_at_time(context->fs, context->paths.root, time_ms, false, arena, out, err));
    if (*out != NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
    if (earliest == 0) {
        return weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot yet, so none of timestamp %" PRId64 " or before",
                         table->path, time_ms);
    }
    weir_snapshot *first = NULL;
    WEIR_TRY(weir_snapshot_read(context->fs, context->paths.root, earliest, arena, &first, err));
    return weir_fail(err, WEIR_NOT_FOUND,
                     "%s: there is currently no snapshot earlier than or equal to timestamp %" PRId64
                     ", the earliest snapshot's timestamp is %" PRId64,
                     table->path, time_ms, first->time_ms);
}

int weir_scan_start_time(const weir_table *table, bool *out_given, int64_t *out_ms, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    const char *text = weir_options_get(set, "scan.timestamp");
    *out_given = true;
    if (weir_options_get(set, "scan.timestamp-millis") != NULL) {
        return weir_options_int(set, "scan.timestamp-millis", out_ms, err);
    }
    if (text == NULL) {
        *out_given = false;
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    weir_literal literal = {0};
    const weir_type *type = weir_type_with_length(&arena, WEIR_TIMESTAMP, 3, false);
    int code = weir_literal_parse(type, weir_slice_text(text), &arena, &literal, err);
    *out_ms = literal.integer;
    weir_arena_free(&arena);
    return code == WEIR_OK ? WEIR_OK : weir_error_context(err, code, "scan.timestamp");
}

/* Reading something else in their place would give rows that nobody asked for. */
int weir_scan_check_options(const weir_table *table, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    const char *mode = NULL;
    for (size_t i = 0; i < set->count; i++) {
        WEIR_TRY(weir_option_check_readable(set->keys[i], set->values[i], err));
    }
    WEIR_TRY(weir_options_text(set, "scan.mode", &mode, err));
    if (mode != NULL &&
        (strcmp(mode, "from-creation-timestamp") == 0 || strcmp(mode, "from-file-creation-time") == 0)) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: scan.mode '%s' is not supported; use from-timestamp", table->path,
                         mode);
    }
    return WEIR_OK;
}

/* A mode that says where to start, without the option that says it. */
static int check_mode_is_complete(const weir_table *table, const char *mode, weir_error *err)
{
    static const struct {
        const char *mode;
        const char *needs;
    } modes[] = {
        {"from-timestamp", "scan.timestamp-millis or scan.timestamp"},
        {"from-snapshot", "scan.snapshot-id, scan.tag-name, scan.watermark or scan.version"},
        {"from-snapshot-full", "scan.snapshot-id"},
        {"incremental", "incremental-between or incremental-between-timestamp"},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(mode, modes[i].mode) == 0) {
            return weir_fail(err, WEIR_INVALID, "%s: scan.mode '%s' needs %s", table->path, mode, modes[i].needs);
        }
    }
    return WEIR_OK;
}

/* scan.version is a tag's name or a snapshot's id; the tag wins. */
static int read_by_version(const weir_table *table, const char *version, weir_arena *arena, weir_snapshot **out,
                           weir_error *err)
{
    int64_t id = 0;
    int code = weir_tag_read(table->context.fs, table->context.paths.root, version, arena, out, NULL);
    if (code == WEIR_OK) {
        return WEIR_OK;
    }
    if (weir_parse_int64(weir_slice_text(version), &id)) {
        return read_by_id(table, id, arena, out, err);
    }
    return read_by_tag(table, version, arena, out, err);
}

int weir_scan_compacted_snapshot(const weir_table *table, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    const weir_table_context *context = &table->context;
    int64_t earliest = 0, latest = 0;
    weir_full_compaction full = {0};
    *out = NULL;
    WEIR_TRY(weir_full_compaction_read(table->schema, &full, err));
    WEIR_TRY(weir_snapshot_earliest_id(context->fs, context->paths.root, &earliest, err));
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    for (int64_t id = latest; id > 0 && id >= earliest; id--) {
        weir_snapshot *snapshot = NULL;
        WEIR_TRY(weir_snapshot_read(context->fs, context->paths.root, id, arena, &snapshot, err));
        if (snapshot->commit_kind == WEIR_COMMIT_COMPACT &&
            weir_full_compaction_divides(&full, snapshot->commit_identifier)) {
            *out = snapshot;
            return WEIR_OK;
        }
    }
    return WEIR_OK;
}

int weir_scan_snapshot(const weir_table *table, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    const weir_options *set = &table->schema->options;
    const char *text = NULL, *mode = NULL;
    int64_t number = 0;
    bool given = false;
    *out = NULL;
    WEIR_TRY(weir_scan_check_options(table, err));
    if (weir_options_get(set, "scan.snapshot-id") != NULL) {
        WEIR_TRY(weir_options_int(set, "scan.snapshot-id", &number, err));
        return read_by_id(table, number, arena, out, err);
    }
    if ((text = weir_options_get(set, "scan.tag-name")) != NULL) {
        return read_by_tag(table, text, arena, out, err);
    }
    if ((text = weir_options_get(set, "scan.version")) != NULL) {
        return read_by_version(table, text, arena, out, err);
    }
    if (weir_options_get(set, "scan.watermark") != NULL) {
        WEIR_TRY(weir_options_int(set, "scan.watermark", &number, err));
        return read_by_watermark(table, number, arena, out, err);
    }
    WEIR_TRY(weir_scan_start_time(table, &given, &number, err));
    if (given) {
        return read_by_time(table, number, arena, out, err);
    }
    WEIR_TRY(weir_options_text(set, "scan.mode", &mode, err));
    if (mode != NULL && strcmp(mode, "compacted-full") == 0) {
        return weir_scan_compacted_snapshot(table, arena, out, err);
    }
    if (mode != NULL) {
        WEIR_TRY(check_mode_is_complete(table, mode, err));
    }
    return read_latest(table, arena, out, err);
}
