/* Snapshot files as text: parsing and formatting. Finding, reading and publishing them is snapshot_store.c. */
#include "meta/snapshot.h"

#include "base/json.h"

static const char *const kind_names[] = {
    [WEIR_COMMIT_APPEND] = "APPEND",
    [WEIR_COMMIT_COMPACT] = "COMPACT",
    [WEIR_COMMIT_OVERWRITE] = "OVERWRITE",
    [WEIR_COMMIT_ANALYZE] = "ANALYZE",
};

const char *weir_commit_kind_name(weir_commit_kind kind) { return kind_names[kind]; }

typedef struct parser {
    const json_t *document;
    const char *path;
    weir_arena *arena;
} parser;

static int get_text(const parser *state, const char *name, bool required, const char **out, weir_error *err)
{
    const char *text = NULL;
    WEIR_TRY(weir_json_get_string(state->document, name, required, state->path, &text, err));
    *out = weir_arena_strdup(state->arena, text);
    return WEIR_OK;
}

static int get_number(const parser *state, const char *name, bool required, int64_t *out, weir_error *err)
{
    return weir_json_get_int64(state->document, name, required, state->path, out, err);
}

static int parse_kind(const parser *state, weir_commit_kind *out, weir_error *err)
{
    const char *name = NULL;
    WEIR_TRY(weir_json_get_string(state->document, "commitKind", true, state->path, &name, err));
    for (size_t i = 0; i < sizeof kind_names / sizeof kind_names[0]; i++) {
        if (strcmp(kind_names[i], name) == 0) {
            *out = (weir_commit_kind)i;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_CORRUPT, "%s: '%s' is no kind of commit", state->path, name);
}

static int parse_properties(const parser *state, weir_snapshot *out, weir_error *err)
{
    json_t *object = NULL;
    const char *key;
    json_t *value;
    WEIR_TRY(weir_json_get_object(state->document, "properties", false, state->path, &object, err));
    if (object == NULL) {
        return WEIR_OK;
    }
    out->property_keys = WEIR_NEW_ARRAY(state->arena, const char *, json_object_size(object));
    out->property_values = WEIR_NEW_ARRAY(state->arena, const char *, json_object_size(object));
    json_object_foreach(object, key, value)
    {
        if (!json_is_string(value)) {
            return weir_fail(err, WEIR_CORRUPT, "%s: the property '%s' is no text", state->path, key);
        }
        out->property_keys[out->property_count] = weir_arena_strdup(state->arena, key);
        out->property_values[out->property_count++] = weir_arena_strdup(state->arena, json_string_value(value));
    }
    return WEIR_OK;
}

static int parse_manifest_lists(const parser *state, weir_snapshot *out, weir_error *err)
{
    out->base_manifest_list_size = -1;
    out->delta_manifest_list_size = -1;
    out->changelog_manifest_list_size = -1;
    WEIR_TRY(get_text(state, "baseManifestList", true, &out->base_manifest_list, err));
    WEIR_TRY(get_number(state, "baseManifestListSize", false, &out->base_manifest_list_size, err));
    WEIR_TRY(get_text(state, "deltaManifestList", true, &out->delta_manifest_list, err));
    WEIR_TRY(get_number(state, "deltaManifestListSize", false, &out->delta_manifest_list_size, err));
    WEIR_TRY(get_text(state, "changelogManifestList", false, &out->changelog_manifest_list, err));
    WEIR_TRY(get_number(state, "changelogManifestListSize", false, &out->changelog_manifest_list_size, err));
    return get_text(state, "indexManifest", false, &out->index_manifest, err);
}

static int parse_document(const parser *state, weir_snapshot *out, weir_error *err)
{
    int64_t version = 1;
    WEIR_TRY(get_number(state, "version", false, &version, err));
    if (version > 3) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: a snapshot of version %" PRId64 "; versions up to 3 are known",
                         state->path, version);
    }
    WEIR_TRY(get_number(state, "id", true, &out->id, err));
    WEIR_TRY(get_number(state, "schemaId", true, &out->schema_id, err));
    WEIR_TRY(parse_manifest_lists(state, out, err));
    WEIR_TRY(get_text(state, "commitUser", true, &out->commit_user, err));
    WEIR_TRY(get_number(state, "commitIdentifier", true, &out->commit_identifier, err));
    WEIR_TRY(parse_kind(state, &out->commit_kind, err));
    WEIR_TRY(get_number(state, "timeMillis", true, &out->time_ms, err));
    WEIR_TRY(get_number(state, "totalRecordCount", false, &out->total_record_count, err));
    WEIR_TRY(get_number(state, "deltaRecordCount", false, &out->delta_record_count, err));
    out->changelog_record_count = -1;
    WEIR_TRY(get_number(state, "changelogRecordCount", false, &out->changelog_record_count, err));
    const json_t *watermark = json_object_get(state->document, "watermark");
    out->has_watermark = watermark != NULL && !json_is_null(watermark);
    out->watermark = WEIR_NO_WATERMARK;
    WEIR_TRY(get_number(state, "watermark", false, &out->watermark, err));
    WEIR_TRY(get_text(state, "statistics", false, &out->statistics, err));
    WEIR_TRY(parse_properties(state, out, err));
    out->next_row_id = -1;
    return get_number(state, "nextRowId", false, &out->next_row_id, err);
}

int weir_snapshot_parse(weir_slice text, const char *path, weir_arena *arena, weir_snapshot **out, weir_error *err)
{
    json_t *document = NULL;
    WEIR_TRY(weir_json_parse(text, path, &document, err));
    parser state = {.document = document, .path = path, .arena = arena};
    weir_snapshot *snapshot = WEIR_NEW(arena, weir_snapshot);
    int code = parse_document(&state, snapshot, err);
    json_decref(document);
    if (code == WEIR_OK) {
        *out = snapshot;
    }
    return code;
}

/* ---- formatting ---- */

static void put_text(json_t *document, const char *name, const char *text)
{
    if (text != NULL) {
        json_object_set_new(document, name, json_string(text));
    }
}

static void put_number(json_t *document, const char *name, int64_t number)
{
    json_object_set_new(document, name, json_integer(number));
}

/* Counts and sizes that are not given are negative. */
static void put_count(json_t *document, const char *name, int64_t number)
{
    if (number >= 0) {
        put_number(document, name, number);
    }
}

static void put_properties(json_t *document, const weir_snapshot *snapshot)
{
    if (snapshot->property_count == 0) {
        return;
    }
    json_t *object = json_object();
    for (int32_t i = 0; i < snapshot->property_count; i++) {
        put_text(object, snapshot->property_keys[i], snapshot->property_values[i]);
    }
    json_object_set_new(document, "properties", object);
}

void weir_snapshot_format(const weir_snapshot *snapshot, weir_buffer *out)
{
    json_t *document = json_object();
    put_number(document, "version", 3);
    put_number(document, "id", snapshot->id);
    put_number(document, "schemaId", snapshot->schema_id);
    put_text(document, "baseManifestList", snapshot->base_manifest_list);
    put_count(document, "baseManifestListSize", snapshot->base_manifest_list_size);
    put_text(document, "deltaManifestList", snapshot->delta_manifest_list);
    put_count(document, "deltaManifestListSize", snapshot->delta_manifest_list_size);
    put_text(document, "changelogManifestList", snapshot->changelog_manifest_list);
    if (snapshot->changelog_manifest_list != NULL) {
        put_count(document, "changelogManifestListSize", snapshot->changelog_manifest_list_size);
    }
    put_text(document, "indexManifest", snapshot->index_manifest);
    put_text(document, "commitUser", snapshot->commit_user);
    put_number(document, "commitIdentifier", snapshot->commit_identifier);
    put_text(document, "commitKind", weir_commit_kind_name(snapshot->commit_kind));
    put_number(document, "timeMillis", snapshot->time_ms);
    put_number(document, "totalRecordCount", snapshot->total_record_count);
    put_number(document, "deltaRecordCount", snapshot->delta_record_count);
    put_count(document, "changelogRecordCount", snapshot->changelog_record_count);
    if (snapshot->has_watermark) {
        put_number(document, "watermark", snapshot->watermark);
    }
    put_text(document, "statistics", snapshot->statistics);
    put_properties(document, snapshot);
    put_count(document, "nextRowId", snapshot->next_row_id);
    weir_json_write_pretty(document, out);
    json_decref(document);
}
