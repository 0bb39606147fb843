/* Reading and writing consumer files. */
#include "meta/consumer.h"

#include "base/json.h"

static const char *consumer_path(weir_arena *arena, const char *root, const char *id)
{
    return weir_arena_format(arena, "%s/consumer/consumer-%s", root, id);
}

static int read_consumer(weir_fs *fs, const char *path, int64_t *out, weir_error *err)
{
    weir_buffer text = {0};
    json_t *document = NULL;
    int code;
    WEIR_GO(weir_fs_read_all(fs, path, &text, err));
    WEIR_GO(weir_json_parse(weir_buffer_slice(&text), path, &document, err));
    WEIR_GO(weir_json_get_int64(document, "nextSnapshot", true, path, out, err));
done:
    json_decref(document);
    weir_buffer_free(&text);
    return code;
}

int weir_consumer_list(weir_fs *fs, const char *root, weir_arena *arena, weir_consumer **out, size_t *out_count,
                       weir_error *err)
{
    weir_file_info *files = NULL;
    size_t file_count = 0, count = 0;
    WEIR_TRY(weir_fs_list(fs, weir_arena_format(arena, "%s/consumer", root), arena, &files, &file_count, err));
    weir_consumer *consumers = WEIR_NEW_ARRAY(arena, weir_consumer, file_count + 1);
    for (size_t i = 0; i < file_count; i++) {
        if (strncmp(files[i].name, "consumer-", 9) != 0) {
            continue;
        }
        weir_consumer *consumer = &consumers[count];
        consumer->id = files[i].name + 9;
        int code = read_consumer(fs, consumer_path(arena, root, consumer->id), &consumer->next_snapshot, err);
        if (code == WEIR_NOT_FOUND) { /* removed since the folder was listed */
            weir_error_clear(err);
            continue;
        }
        WEIR_TRY(code);
        count++;
    }
    *out = consumers;
    *out_count = count;
    return WEIR_OK;
}

int weir_consumer_least_next_snapshot(weir_fs *fs, const char *root, int64_t *out, weir_error *err)
{
    weir_arena arena;
    weir_consumer *consumers = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    int code = weir_consumer_list(fs, root, &arena, &consumers, &count, err);
    int64_t least = -1;
    for (size_t i = 0; i < count && code == WEIR_OK; i++) {
        if (least < 0 || consumers[i].next_snapshot < least) {
            least = consumers[i].next_snapshot;
        }
    }
    if (code == WEIR_OK) {
        *out = least;
    }
    weir_arena_free(&arena);
    return code;
}

int weir_consumer_write(weir_fs *fs, const char *root, const char *id, int64_t next_snapshot, weir_error *err)
{
    weir_arena arena;
    weir_buffer text = {0};
    weir_arena_init(&arena);
    weir_buffer_append_format(&text, "{\n  \"nextSnapshot\" : %" PRId64 "\n}", next_snapshot);
    int code = weir_fs_replace_synced(fs, consumer_path(&arena, root, id), weir_buffer_slice(&text), err);
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    return code;
}

int weir_consumer_remove(weir_fs *fs, const char *root, const char *id, weir_error *err)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int code = weir_fs_remove(fs, consumer_path(&arena, root, id), err);
    weir_arena_free(&arena);
    return code;
}
