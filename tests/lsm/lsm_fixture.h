/* Rows in and out of one bucket of the table (k BIGINT, v STRING), as text: for tests of the lsm room.
 *
 * Rows to write are JSON with ' for ": "[['+I',1,'a'],['-D',2,null]]". Rows of files come out as "7:+I[1,"a"]": the
 * sequence number, the kind, the values, joined by blanks. */
#ifndef WEIR_TESTS_LSM_FIXTURE_H
#define WEIR_TESTS_LSM_FIXTURE_H

#include <stdio.h>

#include "file_fixture.h"
#include "lsm/lsm.h"

#define LSM_SCHEMA(options)                                                                                            \
    "{'version':3,'id':0,'fields':[{'id':0,'name':'k','type':'BIGINT NOT NULL'},{'id':1,'name':'v','type':'STRING'}]," \
    "'highestFieldId':1,'partitionKeys':[],'primaryKeys':['k'],'options':{'bucket':'1'" options "},'timeMillis':0}"
#define LSM_APPEND_SCHEMA(options)                                                                                     \
    "{'version':3,'id':0,'fields':[{'id':0,'name':'k','type':'BIGINT'},{'id':1,'name':'v','type':'STRING'}],"          \
    "'highestFieldId':1,'partitionKeys':[],'primaryKeys':[],'options':{'bucket-key':'k','bucket':'1'" options          \
    "},'timeMillis':0}"

static inline void lsm_rows(fixture *test, weir_batch *batch, const char *rows)
{
    char *text = weir_arena_strdup(&test->arena, rows);
    for (char *c = text; *c != 0; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    json_t *list = NULL;
    CHECK(test, weir_json_parse(weir_slice_text(text), "rows", &list, &test->err));
    weir_batch_init(batch, test->context.schema->fields, test->context.schema->field_count);
    weir_batch_reserve_kinds(batch, (int64_t)json_array_size(list) + 1);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        assert_true(weir_row_kind_parse(weir_slice_text(json_string_value(json_array_get(row, 0))), &batch->kinds[i]));
        for (int32_t c = 0; c < batch->column_count; c++) {
            CHECK(test, weir_vector_append_json(&batch->columns[c], json_array_get(row, (size_t)c + 1), &test->err));
        }
        batch->length++;
    }
    json_decref(list);
}

/* Rows `0 .. count - 1` with the keys first, first + step, …, all +I, with long values: for files of some size. */
static inline void lsm_many_rows(fixture *test, weir_batch *batch, int64_t first, int64_t step, int64_t count)
{
    lsm_rows(test, batch, "[]");
    for (int64_t i = 0; i < count; i++) {
        char value[80];
        int64_t key = first + i * step;
        int size = snprintf(value, sizeof value, "a value for the key %lld, %llx", (long long)key,
                            (unsigned long long)key * 0x9E3779B97F4A7C15u);
        CHECK(test, weir_vector_append_raw(&batch->columns[0], &key, sizeof key, &test->err));
        CHECK(test, weir_vector_append_raw(&batch->columns[1], value, (size_t)size, &test->err));
    }
    weir_batch_reserve_kinds(batch, count);
    memset(batch->kinds, WEIR_INSERT, (size_t)count);
    batch->length = count;
}

/* The rows of a file as they stand. Append files have neither sequence numbers nor kinds. */
static inline void lsm_add_file_text(fixture *test, const weir_data_file *file, bool has_kinds, weir_buffer *out)
{
    const weir_schema *schema = test->context.schema;
    weir_field fields[8];
    int32_t count = schema->field_count;
    memcpy(fields, schema->fields, sizeof *fields * (size_t)count);
    fields[count] = *weir_sequence_number_field();
    fields[count + 1] = *weir_value_kind_field();
    int32_t read_count = count + (has_kinds ? 2 : 0);
    weir_format_reader *reader = NULL;
    weir_batch batch;
    CHECK(test, weir_data_file_open(&test->context, fixture_bucket_path(test), file, fields, read_count, &reader,
                                    &test->err));
    weir_batch_init(&batch, fields, read_count);
    for (int32_t c = 0; c < read_count; c++) {
        CHECK(test, reader->ops->read(reader, c, 0, reader->row_count, &batch.columns[c], &test->err));
    }
    for (int64_t i = 0; i < reader->row_count; i++) {
        weir_buffer_append_text(out, out->size > 0 ? " " : "");
        if (has_kinds) {
            weir_buffer_append_format(out, "%lld:%s", (long long)WEIR_VALUES(&batch.columns[count], int64_t)[i],
                                      weir_row_kind_text(WEIR_VALUES(&batch.columns[count + 1], int8_t)[i]));
        }
        weir_buffer_append_text(out, fixture_row_text(test, batch.columns, count, i));
    }
    weir_batch_free(&batch);
    reader->ops->close(reader);
}

static inline const char *lsm_text(fixture *test, weir_data_file *const *files, size_t count, bool has_kinds)
{
    weir_buffer text = {0};
    for (size_t i = 0; i < count; i++) {
        lsm_add_file_text(test, files[i], has_kinds, &text);
    }
    const char *copy = weir_arena_strdup(&test->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return copy;
}

static inline const char *lsm_list_text(fixture *test, const weir_file_list *list)
{
    return lsm_text(test, list->files, list->count, true);
}

/* A key-value file with rows in key order, numbered from `sequence` on, in a level. */
static inline weir_data_file *lsm_file(fixture *test, int32_t level, int64_t sequence, const char *rows)
{
    weir_batch batch;
    int64_t numbers[64];
    lsm_rows(test, &batch, rows);
    for (int64_t i = 0; i < batch.length; i++) {
        numbers[i] = sequence + i;
    }
    written_files written = fixture_write(test, WEIR_DATA_FILE_KEY_VALUE, level, &batch, numbers);
    assert_int_equal(written.count, 1);
    weir_data_file *file = written.files[0];
    free(written.files);
    weir_batch_free(&batch);
    return file;
}

/* How many files the bucket's folder holds. */
static inline size_t lsm_count_files(fixture *test)
{
    weir_file_info *entries = NULL;
    size_t count = 0;
    CHECK(test, weir_fs_list(test->fs, fixture_bucket_path(test), &test->arena, &entries, &count, &test->err));
    return count;
}

/* A writer that goes on from `files`. */
static inline weir_bucket_writer *lsm_writer(fixture *test, weir_data_file *const *files, size_t file_count)
{
    weir_bucket_writer *writer = NULL;
    weir_bucket_writer_options options = {
        .partition = weir_partition_none(),
        .total_buckets = 1,
        .restored_files = files,
        .restored_file_count = file_count,
        .write_buffer_bytes = (int64_t)64 << 20,
    };
    CHECK(test, test->context.schema->primary_key_count > 0
                    ? weir_merge_tree_writer_create(&test->context, &options, &writer, &test->err)
                    : weir_append_writer_create(&test->context, &options, &writer, &test->err));
    return writer;
}

static inline void lsm_write(fixture *test, weir_bucket_writer *writer, const char *rows)
{
    weir_batch batch;
    lsm_rows(test, &batch, rows);
    CHECK(test, writer->ops->write(writer, &batch, NULL, batch.length, &test->err));
    weir_batch_free(&batch);
}

static inline void lsm_write_many(fixture *test, weir_bucket_writer *writer, int64_t first, int64_t step, int64_t count)
{
    weir_batch batch;
    lsm_many_rows(test, &batch, first, step, count);
    CHECK(test, writer->ops->write(writer, &batch, NULL, batch.length, &test->err));
    weir_batch_free(&batch);
}

static inline weir_commit_message lsm_prepare(fixture *test, weir_bucket_writer *writer)
{
    weir_commit_message message = {0};
    CHECK(test, writer->ops->prepare_commit(writer, true, &test->arena, &message, &test->err));
    return message;
}

static inline void lsm_message_free(weir_commit_message *message)
{
    weir_commit_messages one = {.items = weir_alloc(sizeof *message), .count = 1, .capacity = 1};
    one.items[0] = *message;
    weir_commit_messages_free(&one);
    *message = (weir_commit_message){0};
}

/* Writes rows and takes the increment of the commit. */
static inline weir_commit_message lsm_commit(fixture *test, weir_bucket_writer *writer, const char *rows)
{
    lsm_write(test, writer, rows);
    return lsm_prepare(test, writer);
}

#endif
