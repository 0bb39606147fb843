/* Commit messages as bytes: all of them come back as they were, and damaged ones do no harm. */
#include "cmocka_all.h"

#include "lsm/commit_message_bytes.h"
#include "random.h"

static weir_slice random_bytes(random_state *random, weir_arena *arena)
{
    size_t size = random_below(random, 20);
    uint8_t *bytes = WEIR_NEW_ARRAY(arena, uint8_t, size + 1);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)random_next(random);
    }
    return weir_slice_of(bytes, size);
}

static const char *random_name(random_state *random, weir_arena *arena)
{
    return weir_arena_format(arena, "name-%llu", (unsigned long long)random_below(random, 1000000));
}

static const char **random_names(random_state *random, weir_arena *arena, int32_t *out_count)
{
    *out_count = (int32_t)random_below(random, 4);
    const char **names = WEIR_NEW_ARRAY(arena, const char *, *out_count + 1);
    for (int32_t i = 0; i < *out_count; i++) {
        names[i] = random_name(random, arena);
    }
    return names;
}

static weir_stats_row random_stats(random_state *random, weir_arena *arena)
{
    weir_stats_row stats = {.min_values = random_bytes(random, arena), .max_values = random_bytes(random, arena)};
    if (random_below(random, 2) == 0) {
        stats.null_count_length = (int32_t)random_below(random, 5);
        stats.null_counts = WEIR_NEW_ARRAY(arena, int64_t, stats.null_count_length + 1);
        for (int32_t i = 0; i < stats.null_count_length; i++) {
            stats.null_counts[i] = (int64_t)random_below(random, 100) - 1;
        }
    }
    return stats;
}

static weir_data_file *random_file(random_state *random, weir_arena *arena)
{
    weir_data_file *file = WEIR_NEW(arena, weir_data_file);
    file->name = random_name(random, arena);
    file->size_bytes = (int64_t)random_below(random, INT64_MAX);
    file->row_count = (int64_t)random_below(random, 1000);
    file->min_key = random_bytes(random, arena);
    file->max_key = random_bytes(random, arena);
    file->key_stats = random_stats(random, arena);
    file->value_stats = random_stats(random, arena);
    file->min_sequence_number = (int64_t)random_below(random, 1000);
    file->max_sequence_number = (int64_t)random_below(random, 1000);
    file->schema_id = (int64_t)random_below(random, 10);
    file->level = (int32_t)random_below(random, 6);
    file->extra_files = random_names(random, arena, &file->extra_file_count);
    file->creation_time_ms = random_below(random, 2) == 0 ? INT64_MIN : 1700000000000;
    file->delete_row_count = (int64_t)random_below(random, 10) - 1;
    file->has_embedded_index = random_below(random, 2) == 0;
    file->embedded_index = file->has_embedded_index ? random_bytes(random, arena) : (weir_slice){0};
    file->file_source = (int32_t)random_below(random, 3) - 1;
    file->has_value_stats_columns = random_below(random, 2) == 0;
    if (file->has_value_stats_columns) {
        file->value_stats_columns = random_names(random, arena, &file->value_stats_column_count);
    }
    file->external_path = random_below(random, 2) == 0 ? random_name(random, arena) : NULL;
    file->first_row_id = (int64_t)random_below(random, 10) - 1;
    file->has_write_columns = random_below(random, 2) == 0;
    if (file->has_write_columns) {
        file->write_columns = random_names(random, arena, &file->write_column_count);
    }
    return file;
}

static weir_index_file *random_index(random_state *random, weir_arena *arena)
{
    weir_index_file *file = WEIR_NEW(arena, weir_index_file);
    file->type = random_below(random, 2) == 0 ? WEIR_HASH_INDEX : WEIR_DELETION_VECTORS_INDEX;
    file->name = random_name(random, arena);
    file->size_bytes = (int64_t)random_below(random, INT64_MAX);
    file->row_count = (int64_t)random_below(random, 1000);
    file->has_ranges = random_below(random, 2) == 0;
    file->range_count = file->has_ranges ? (int32_t)random_below(random, 4) : 0;
    file->ranges = WEIR_NEW_ARRAY(arena, weir_deletion_range, file->range_count + 1);
    for (int32_t i = 0; i < file->range_count; i++) {
        file->ranges[i] =
            (weir_deletion_range){random_name(random, arena), (int32_t)random_below(random, 1000),
                                  (int32_t)random_below(random, 1000), (int64_t)random_below(random, 10) - 1};
    }
    file->external_path = random_below(random, 2) == 0 ? random_name(random, arena) : NULL;
    return file;
}

static void random_messages(random_state *random, weir_arena *arena, weir_commit_messages *out)
{
    for (uint64_t i = random_below(random, 4); i > 0; i--) {
        weir_commit_message *message = weir_commit_messages_add(
            out, random_bytes(random, arena), (int32_t)random_below(random, 10) - 2, (int32_t)random_below(random, 10));
        message->seen_levels = random_next(random);
        message->places_keys = random_below(random, 2) == 1;
        message->keys_as_of = (int64_t)random_below(random, 1000);
        weir_file_list *lists[] = {&message->new_files,       &message->deleted_files,
                                   &message->changelog_files, &message->compact_before,
                                   &message->compact_after,   &message->compact_changelog_files};
        for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
            for (uint64_t f = random_below(random, 3); f > 0; f--) {
                weir_file_list_append(lists[list], random_file(random, arena));
            }
        }
        weir_index_list *indexes[] = {&message->new_index_files, &message->deleted_index_files,
                                      &message->relied_index_files, &message->compact_new_index_files,
                                      &message->compact_deleted_index_files};
        for (size_t list = 0; list < sizeof indexes / sizeof *indexes; list++) {
            for (uint64_t f = random_below(random, 3); f > 0; f--) {
                weir_index_list_append(indexes[list], random_index(random, arena));
            }
        }
    }
}

/* Encoding is one to one, so that equal bytes mean equal messages. */
static void messages_come_back_as_they_were(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 200; round++) {
        weir_arena arena;
        weir_error err = {0};
        weir_commit_messages messages = {0}, decoded = {0};
        weir_buffer bytes = {0}, again = {0};
        weir_arena_init(&arena);
        random_messages(&random, &arena, &messages);
        weir_commit_messages_encode(&messages, &bytes);
        assert_int_equal(weir_commit_messages_decode(weir_buffer_slice(&bytes), &arena, &decoded, &err), WEIR_OK);
        assert_int_equal(decoded.count, messages.count);
        weir_commit_messages_encode(&decoded, &again);
        assert_true(weir_slice_equal(weir_buffer_slice(&bytes), weir_buffer_slice(&again)));
        for (size_t i = 0; i < messages.count; i++) {
            assert_int_equal(decoded.items[i].bucket, messages.items[i].bucket);
            assert_int_equal(decoded.items[i].seen_levels, messages.items[i].seen_levels);
            assert_int_equal(decoded.items[i].places_keys, messages.items[i].places_keys);
            assert_int_equal(decoded.items[i].keys_as_of, messages.items[i].keys_as_of);
            assert_int_equal(decoded.items[i].new_files.count, messages.items[i].new_files.count);
            for (size_t f = 0; f < messages.items[i].new_files.count; f++) {
                const weir_data_file *was = messages.items[i].new_files.files[f];
                const weir_data_file *is = decoded.items[i].new_files.files[f];
                assert_string_equal(is->name, was->name);
                assert_int_equal(is->level, was->level);
                assert_int_equal(is->max_sequence_number, was->max_sequence_number);
                assert_int_equal(is->external_path == NULL, was->external_path == NULL);
            }
        }
        weir_commit_messages_free(&messages);
        weir_commit_messages_free(&decoded);
        weir_buffer_free(&bytes);
        weir_buffer_free(&again);
        weir_arena_free(&arena);
    }
}

static void damaged_bytes_do_no_harm(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 2000; round++) {
        weir_arena arena;
        weir_error err = {0};
        weir_commit_messages messages = {0}, decoded = {0};
        weir_buffer bytes = {0};
        weir_arena_init(&arena);
        random_messages(&random, &arena, &messages);
        weir_commit_messages_encode(&messages, &bytes);
        for (uint64_t flips = random_below(&random, 4); flips > 0; flips--) {
            bytes.data[random_below(&random, bytes.size)] = (uint8_t)random_next(&random);
        }
        size_t size = random_below(&random, 2) == 0 ? bytes.size : random_below(&random, bytes.size);
        int code = weir_commit_messages_decode(weir_slice_of(bytes.data, size), &arena, &decoded, &err);
        assert_true(code == WEIR_OK || code == WEIR_CORRUPT);
        weir_commit_messages_free(&messages);
        weir_commit_messages_free(&decoded);
        weir_buffer_free(&bytes);
        weir_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_back_as_they_were),
        cmocka_unit_test(damaged_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
