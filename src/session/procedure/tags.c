/* Procedures on what has a name: tags, branches, and rolling back to them. */
#include <stdio.h>

#include "base/clock.h"
#include "session/procedure/procedure.h"
#include "table/maintenance/branch.h"
#include "table/maintenance/rollback.h"
#include "table/maintenance/tag.h"

/* ---- tags ---- */

static int make_tag(weir_procedure_call *call, bool replace, weir_result **out, weir_error *err)
{
    weir_tag_options options = {.snapshot_id = weir_call_integer(call, 2, 0), .replace = replace};
    WEIR_TRY(weir_call_duration(call, 3, -1, &options.retained_ms, err));
    if (call->given[2] && options.snapshot_id <= 0) {
        return weir_call_error(
            call, 2, err,
            weir_fail(err, WEIR_INVALID, "%" PRId64 " is no snapshot: they are numbered from 1", options.snapshot_id));
    }
    int code = weir_table_create_tag(call->table, weir_call_text(call, 1), &options, NULL, err);
    return code == WEIR_OK ? weir_call_success(out, err) : weir_call_error(call, call->given[2] ? 2 : 1, err, code);
}

int weir_procedure_create_tag(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    return make_tag(call, false, out, err);
}

int weir_procedure_replace_tag(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    return make_tag(call, true, out, err);
}

static int tag_row(const char *tag, const weir_snapshot *snapshot, weir_result **out, weir_error *err)
{
    const weir_type *text = weir_type_simple(WEIR_VARCHAR, true), *number = weir_type_simple(WEIR_BIGINT, true);
    const weir_field fields[] = {{.name = "tagName", .type = text},
                                 {.name = "snapshot", .type = number},
                                 {.name = "commit_time", .type = number},
                                 {.name = "watermark", .type = text}};
    weir_memory_result *result = weir_memory_result_create(fields, 4);
    weir_vector *columns = result->batch.columns;
    char watermark[32];
    int code = WEIR_OK;
    int size = snprintf(watermark, sizeof watermark, "%" PRId64, snapshot->watermark);
    WEIR_GO(weir_vector_append_raw(&columns[0], tag, strlen(tag), err));
    WEIR_GO(weir_vector_append_raw(&columns[1], &snapshot->id, sizeof snapshot->id, err));
    WEIR_GO(weir_vector_append_raw(&columns[2], &snapshot->time_ms, sizeof snapshot->time_ms, err));
    WEIR_GO(snapshot->has_watermark ? weir_vector_append_raw(&columns[3], watermark, (size_t)size, err)
                                    : weir_vector_append_nulls(&columns[3], 1, err));
    result->batch.length = 1;
    *out = &result->result;
done:
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
    }
    return code;
}

int weir_procedure_create_tag_from_timestamp(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    const weir_table_context *context = &call->table->context;
    int64_t time_ms = weir_call_integer(call, 2, 0);
    weir_snapshot *snapshot = NULL;
    weir_tag_options options = {0};
    WEIR_TRY(weir_call_duration(call, 3, -1, &options.retained_ms, err));
    WEIR_TRY(weir_snapshot_at_time(context->fs, context->paths.root, time_ms - 1, true, call->arena, &snapshot, err));
    if (snapshot == NULL) {
        return weir_call_error(
            call, 2, err, weir_fail(err, WEIR_NOT_FOUND, "%s has no snapshot from that time on", call->table->path));
    }
    options.snapshot_id = snapshot->id;
    int code = weir_table_create_tag(call->table, weir_call_text(call, 1), &options, NULL, err);
    return code == WEIR_OK ? tag_row(weir_call_text(call, 1), snapshot, out, err) : weir_call_error(call, 1, err, code);
}

int weir_procedure_rename_tag(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    const char *name = weir_call_text(call, 1), *new_name = weir_call_text(call, 2);
    int code = weir_table_rename_tag(call->table, name, new_name, err);
    if (code != WEIR_OK) {
        return weir_call_error(call, code == WEIR_NOT_FOUND ? 1 : 2, err, code);
    }
    const char *text = weir_arena_format(call->arena, "Rename [%s] to [%s] successfully.", name, new_name);
    return weir_call_text_result(text, out, err);
}

int weir_procedure_delete_tag(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    int32_t count = 0;
    const char **names = weir_call_list(call, 1, &count);
    for (int32_t i = 0; i < count; i++) {
        int code = weir_table_delete_tag(call->table, names[i], err);
        if (code != WEIR_OK) {
            return weir_call_error(call, 1, err, code);
        }
    }
    return weir_call_success(out, err);
}

/* Whether the tag may go: its time is over, or it was made before `older_than`. */
static bool is_over(const weir_tag_lifetime *lifetime, int64_t older_than_ms)
{
    if (!lifetime->is_given) {
        return false;
    }
    int64_t created_ms = weir_utc_ms(lifetime->created_local_ms);
    return older_than_ms != INT64_MIN ? created_ms < older_than_ms : created_ms + lifetime->retained_ms < weir_now_ms();
}

int weir_procedure_expire_tags(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    static const char *const columns[] = {"expired_tags"};
    const weir_table_context *context = &call->table->context;
    const char **names = NULL;
    const char *nothing = "No expired tags.";
    size_t count = 0;
    int64_t older_than_ms = 0;
    WEIR_TRY(weir_call_time(call, 1, INT64_MIN, &older_than_ms, err));
    WEIR_TRY(weir_tag_list(context->fs, context->paths.root, call->arena, &names, &count, err));
    weir_memory_result *result = weir_text_result_create(columns, 1);
    int code = WEIR_OK;
    for (size_t i = 0; i < count; i++) {
        weir_tag_lifetime lifetime;
        WEIR_GO(weir_tag_read_lifetime(context->fs, context->paths.root, names[i], &lifetime, err));
        if (is_over(&lifetime, older_than_ms)) {
            WEIR_GO(weir_table_delete_tag(call->table, names[i], err));
            WEIR_GO(weir_text_result_add(result, &names[i], err));
        }
    }
    if (result->batch.length == 0) {
        WEIR_GO(weir_text_result_add(result, &nothing, err));
    }
    *out = &result->result;
done:
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
    }
    return code;
}

/* ---- branches ---- */

int weir_procedure_create_branch(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    int code = weir_table_create_branch(call->table, weir_call_text(call, 1), weir_call_text(call, 2), err);
    if (code != WEIR_OK) {
        return weir_call_error(call, code == WEIR_NOT_FOUND && call->given[2] ? 2 : 1, err, code);
    }
    return weir_call_success(out, err);
}

int weir_procedure_delete_branch(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    int32_t count = 0;
    const char **names = weir_call_list(call, 1, &count);
    for (int32_t i = 0; i < count; i++) {
        int code = weir_table_delete_branch(call->table, names[i], err);
        if (code != WEIR_OK) {
            return weir_call_error(call, 1, err, code);
        }
    }
    return weir_call_success(out, err);
}

int weir_procedure_fast_forward(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    int code = weir_table_fast_forward(call->table, weir_call_text(call, 1), err);
    return code == WEIR_OK ? weir_call_success(out, err) : weir_call_error(call, 1, err, code);
}

/* ---- rolling back ---- */

static int rollback_row(int64_t previous, int64_t current, weir_result **out, weir_error *err)
{
    const weir_type *number = weir_type_simple(WEIR_BIGINT, true);
    const weir_field fields[] = {{.name = "previous_snapshot_id", .type = number},
                                 {.name = "current_snapshot_id", .type = number}};
    weir_memory_result *result = weir_memory_result_create(fields, 2);
    int code = weir_vector_append_raw(&result->batch.columns[0], &previous, sizeof previous, err);
    if (code == WEIR_OK) {
        code = weir_vector_append_raw(&result->batch.columns[1], &current, sizeof current, err);
    }
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    result->batch.length = 1;
    *out = &result->result;
    return WEIR_OK;
}

static int latest_id(const weir_procedure_call *call, int64_t *out, weir_error *err)
{
    return weir_snapshot_latest_id(call->table->context.fs, call->table->context.paths.root, out, err);
}

int weir_procedure_rollback_to(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    int64_t previous = 0, current = weir_call_integer(call, 2, 0);
    if (call->given[1] == call->given[2]) {
        return weir_fail_at(err, WEIR_INVALID, call->position.line, call->position.column,
                            "rollback_to takes a tag or a snapshot_id, %s",
                            call->given[1] ? "not both" : "and neither is given");
    }
    WEIR_TRY(latest_id(call, &previous, err));
    int code = call->given[1] ? weir_table_rollback_to_tag(call->table, weir_call_text(call, 1), &current, err)
                              : weir_table_rollback_to_snapshot(call->table, current, err);
    return code == WEIR_OK ? rollback_row(previous, current, out, err)
                           : weir_call_error(call, call->given[1] ? 1 : 2, err, code);
}

int weir_procedure_rollback_to_timestamp(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    int64_t previous = 0, current = 0;
    WEIR_TRY(latest_id(call, &previous, err));
    int code = weir_table_rollback_to_time(call->table, weir_call_integer(call, 1, 0), &current, err);
    return code == WEIR_OK ? rollback_row(previous, current, out, err) : weir_call_error(call, 1, err, code);
}
