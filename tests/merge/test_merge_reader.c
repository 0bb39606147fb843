/* Merging runs of files against a model that knows every row: the newest of each key, by brute force. */
#include <stdio.h>

#include "file_fixture.h"
#include "merge/merge.h"
#include "random.h"

#define MOST_RUNS 12
#define KEY_SPACE 3000 /* keys are numbered 0 .. KEY_SPACE - 1, in key order */

/* Tables whose keys and orders differ. `fields` has the key columns first, then v STRING, o INT, n ROW. */
typedef struct table_shape {
    const char *name;
    const char *key_fields;
    const char *key_names;
    int32_t key_count;
    const char *options;
    const char *key_format; /* JSON values of the key columns, of a number (used up to twice) */
} table_shape;

static const table_shape shapes[] = {
    {"one integer", "{'id':0,'name':'a','type':'INT NOT NULL'}", "'a'", 1, "", "%d"},
    {"one integer, thin", "{'id':0,'name':'a','type':'BIGINT NOT NULL'}", "'a'", 1, "'data-file.thin-mode':'true',",
     "%d"},
    {"text with a long common beginning", "{'id':0,'name':'a','type':'STRING NOT NULL'}", "'a'", 1, "",
     "'customer-number-%06d'"},
    {"short text", "{'id':0,'name':'a','type':'STRING NOT NULL'}", "'a'", 1, "", "'%06d'"},
    {"two columns", "{'id':0,'name':'a','type':'BIGINT NOT NULL'},{'id':9,'name':'b','type':'STRING NOT NULL'}",
     "'a','b'", 2, "", "7,'%06d'"},
    {"ordered by a column", "{'id':0,'name':'a','type':'INT NOT NULL'}", "'a'", 1, "'sequence.field':'o',", "%d"},
    {"ordered by two columns, greatest first", "{'id':0,'name':'a','type':'STRING NOT NULL'}", "'a'", 1,
     "'sequence.field':'o,v','sequence.field.sort-order':'descending',", "'%08d'"},
    {"deletes ignored", "{'id':0,'name':'a','type':'INT NOT NULL'}", "'a'", 1, "'ignore-delete':'true',", "%d"},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

/* A row as the model has it. */
typedef struct model_row {
    int32_t key;
    int32_t run;
    int64_t sequence_number;
    int8_t kind;
    bool in_level_zero;
    bool has_order;
    int32_t order;
    char *value; /* v, or NULL */
    char *text;  /* the row as JSON */
} model_row;

typedef struct model {
    fixture test;
    const table_shape *shape;
    random_state random;
    weir_sorted_run runs[MOST_RUNS];
    int32_t run_count;
    model_row *rows;
    size_t row_count;
    size_t row_capacity;
    int32_t columns[8];
    int32_t column_count;
} model;

static void start_model(model *m, const table_shape *shape, const char *format, random_state random)
{
    memset(m, 0, sizeof *m);
    m->shape = shape;
    m->random = random;
    char json[2048];
    snprintf(json, sizeof json,
             "{'version':3,'id':0,'fields':[%s,{'id':20,'name':'v','type':'STRING'},{'id':21,'name':'o','type':'INT'},"
             "{'id':22,'name':'n','type':{'type':'ROW','fields':[{'id':23,'name':'x','type':'INT'}]}}],"
             "'highestFieldId':23,'partitionKeys':[],'primaryKeys':[%s],'options':{%s'bucket':'1','file.format':'%s',"
             "'target-file-size':'1 b'},'timeMillis':0}",
             shape->key_fields, shape->key_names, shape->options, format);
    fixture_start(&m->test, json);
    m->column_count = shape->key_count + 3;
    for (int32_t i = 0; i < m->column_count; i++) {
        m->columns[i] = i;
    }
}

static void end_model(model *m)
{
    for (int32_t r = 0; r < m->run_count; r++) {
        free(m->runs[r].files);
    }
    free(m->rows);
    fixture_end(&m->test);
}

static const char *key_text(model *m, int32_t key)
{
    return weir_arena_format(&m->test.arena, m->shape->key_format, (int)key, (int)key);
}

static void add_model_row(model *m, weir_batch *batch, int32_t key, int32_t level)
{
    weir_arena *arena = &m->test.arena;
    WEIR_GROW(m->rows, m->row_capacity, m->row_count + 1);
    model_row *row = &m->rows[m->row_count++];
    *row = (model_row){.key = key, .run = m->run_count, .in_level_zero = level == 0};
    row->kind = (int8_t)(random_below(&m->random, 3) == 0 ? random_below(&m->random, 4) : 0);
    row->has_order = random_below(&m->random, 5) > 0;
    row->order = (int32_t)random_below(&m->random, 4);
    row->value =
        random_below(&m->random, 7) == 0 ? NULL : weir_arena_format(arena, "v%d", (int)random_below(&m->random, 50));
    char *order = row->has_order ? weir_arena_format(arena, "%d", (int)row->order) : "null";
    char *value = row->value == NULL ? "null" : weir_arena_format(arena, "\"%s\"", row->value);
    char *text = weir_arena_format(arena, "[%s,%s,%s,[%d]]", key_text(m, key), value, order,
                                   (int)random_below(&m->random, 1000));
    for (char *c = text; *c != 0; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    row->text = text;
    weir_batch_reserve_kinds(batch, batch->length + 1);
    fixture_add_row(&m->test, batch, text);
    batch->kinds[batch->length - 1] = row->kind;
}

/* Adds a run of random keys, written in random pieces so that it has several files. */
static void add_run(model *m, int32_t level)
{
    fixture *test = &m->test;
    weir_batch batch;
    weir_batch_init(&batch, test->context.schema->fields, test->context.schema->field_count);
    int64_t *sequence_numbers = weir_alloc_zeroed(KEY_SPACE, sizeof *sequence_numbers);
    uint64_t gap = 1 + random_below(&m->random, 40);
    size_t first_row = m->row_count;
    for (int32_t key = (int32_t)random_below(&m->random, gap); key < KEY_SPACE;
         key += 1 + (int32_t)random_below(&m->random, gap)) {
        add_model_row(m, &batch, key, level);
    }
    for (int64_t i = 0; i < batch.length; i++) {
        sequence_numbers[i] = (int64_t)random_below(&m->random, 1000) * MOST_RUNS + m->run_count;
        m->rows[first_row + (size_t)i].sequence_number = sequence_numbers[i];
    }
    weir_data_file_writer *writer = fixture_writer(test, WEIR_DATA_FILE_KEY_VALUE, level);
    for (int64_t done = 0; done < batch.length;) {
        int64_t left = batch.length - done;
        int64_t piece = 1 + (int64_t)random_below(&m->random, 2000);
        piece = piece < left ? piece : left;
        CHECK(test, weir_data_file_writer_write_batch(writer, &batch, done, piece, sequence_numbers + done,
                                                      batch.kinds + done, &test->err));
        done += piece;
    }
    written_files written = {0};
    CHECK(test, weir_data_file_writer_finish(writer, &test->arena, &written.files, &written.count, &written.capacity,
                                             &test->err));
    weir_data_file_writer_close(writer);
    m->runs[m->run_count++] = (weir_sorted_run){written.files, (int32_t)written.count, level};
    free(sequence_numbers);
    weir_batch_free(&batch);
}

static int compare_nullable(bool has_a, int order, bool has_b, bool descending)
{
    if (!has_a || !has_b) {
        return (int)has_a - (int)has_b;
    }
    return descending ? -order : order;
}

static bool is_newer(const model *m, const model_row *a, const model_row *b)
{
    const char *options = m->shape->options;
    if (strstr(options, "sequence.field") != NULL) {
        bool descending = strstr(options, "descending") != NULL;
        int order =
            compare_nullable(a->has_order, (a->order > b->order) - (a->order < b->order), b->has_order, descending);
        if (order == 0 && strstr(options, "o,v") != NULL) {
            int by_text = a->value != NULL && b->value != NULL ? strcmp(a->value, b->value) : 0;
            order = compare_nullable(a->value != NULL, by_text, b->value != NULL, descending);
        }
        if (order != 0) {
            return order > 0;
        }
    }
    return a->sequence_number != b->sequence_number ? a->sequence_number > b->sequence_number : a->run > b->run;
}

static bool is_retract(const model_row *row) { return row->kind == WEIR_UPDATE_BEFORE || row->kind == WEIR_DELETE; }

/* What is expected of one key. */
typedef struct expected_key {
    const model_row *newest;
    const model_row *newest_above; /* above level 0 */
    bool from_level_zero;
} expected_key;

static void expect_keys(const model *m, expected_key *keys)
{
    memset(keys, 0, KEY_SPACE * sizeof *keys);
    bool ignore_delete = strstr(m->shape->options, "ignore-delete") != NULL;
    for (size_t i = 0; i < m->row_count; i++) {
        const model_row *row = &m->rows[i];
        expected_key *key = &keys[row->key];
        key->from_level_zero |= row->in_level_zero;
        if (!row->in_level_zero && (key->newest_above == NULL || is_newer(m, row, key->newest_above))) {
            key->newest_above = row;
        }
        if (ignore_delete && is_retract(row)) {
            continue;
        }
        if (key->newest == NULL || is_newer(m, row, key->newest)) {
            key->newest = row;
        }
    }
}

/* The columns of a window as vectors. */
static weir_vector *read_columns(model *m, weir_merge_reader *merge, bool previous)
{
    const weir_schema *schema = m->test.context.schema;
    weir_vector *vectors = weir_alloc_zeroed((size_t)m->column_count, sizeof *vectors);
    for (int32_t i = m->column_count - 1; i >= 0; i--) {
        weir_vector_init(&vectors[i], schema->fields[m->columns[i]].type);
        CHECK(&m->test, previous ? weir_merge_previous_column(merge, i, &vectors[i], &m->test.err)
                                 : weir_merge_column(merge, i, &vectors[i], &m->test.err));
    }
    return vectors;
}

static void free_columns(model *m, weir_vector *vectors)
{
    for (int32_t i = 0; i < m->column_count; i++) {
        weir_vector_free(&vectors[i]);
    }
    free(vectors);
}

/* The next key from `key` on that a merge with these options should give, or `end`. */
static int32_t next_expected(const expected_key *keys, const weir_merge_options *options, int32_t key, int32_t end)
{
    while (key < end && (keys[key].newest == NULL || (!options->keep_deletes && is_retract(keys[key].newest)))) {
        key++;
    }
    return key;
}

static void check_window(model *m, weir_merge_reader *merge, const weir_merge_options *options,
                         const expected_key *keys, const weir_sort_keys *all_keys, int32_t *key, int32_t end)
{
    weir_vector *vectors = read_columns(m, merge, false);
    weir_vector *before = options->want_previous ? read_columns(m, merge, true) : NULL;
    int64_t previous_count = 0;
    for (int64_t i = 0; i < merge->row_count; i++) {
        *key = next_expected(keys, options, *key, end);
        assert_true(*key < end);
        const expected_key *expected = &keys[*key];
        assert_string_equal(fixture_row_text(&m->test, vectors, m->column_count, i), expected->newest->text);
        assert_int_equal(merge->sequence_numbers[i], expected->newest->sequence_number);
        assert_int_equal(merge->kinds[i], expected->newest->kind);
        assert_int_equal(weir_sort_keys_compare(&merge->keys, i, all_keys, *key), 0);
        if (options->want_previous) {
            bool has_previous =
                expected->from_level_zero && expected->newest_above != NULL && !is_retract(expected->newest_above);
            assert_int_equal(merge->from_level_zero[i], expected->from_level_zero);
            assert_int_equal(merge->met_above_level_zero[i], expected->newest_above != NULL);
            assert_int_equal(merge->has_previous[i], has_previous);
            if (has_previous) {
                assert_string_equal(fixture_row_text(&m->test, before, m->column_count, previous_count++),
                                    expected->newest_above->text);
            }
        }
        (*key)++;
    }
    for (int32_t i = 0; i < m->column_count; i++) {
        assert_int_equal(vectors[i].length, merge->row_count);
    }
    if (before != NULL) {
        assert_int_equal(before[0].length, previous_count);
        free_columns(m, before);
    }
    free_columns(m, vectors);
}

/* Merges all runs and compares keys first .. end - 1 with the model. */
static void check_merge(model *m, const weir_merge_options *options, const weir_sort_keys *all_keys, int32_t first,
                        int32_t end)
{
    expected_key *keys = weir_alloc(KEY_SPACE * sizeof *keys);
    expect_keys(m, keys);
    weir_merge_reader *merge = NULL;
    CHECK(&m->test, weir_merge_open(&m->test.context, weir_partition_none(), 0, m->runs, m->run_count, m->columns,
                                    m->column_count, options, &merge, &m->test.err));
    int32_t key = first;
    int code;
    while ((code = weir_merge_next(merge, 1 + (int64_t)random_below(&m->random, 900), &m->test.err)) == WEIR_OK) {
        check_window(m, merge, options, keys, all_keys, &key, end);
    }
    if (code != WEIR_END) {
        fail_msg("%s: %s", m->shape->name, m->test.err.message);
    }
    assert_int_equal(next_expected(keys, options, key, end), end);
    assert_int_equal(weir_merge_next(merge, 10, &m->test.err), WEIR_END);
    weir_merge_close(merge);
    free(keys);
}

/* Sort keys of the whole key space. */
static void make_all_keys(model *m, weir_sort_keys *out)
{
    weir_batch batch;
    weir_batch_init(&batch, m->test.context.schema->fields, m->shape->key_count);
    int32_t positions[] = {0, 1};
    for (int32_t key = 0; key < KEY_SPACE; key++) {
        fixture_add_row(&m->test, &batch, weir_arena_format(&m->test.arena, "[%s]", key_text(m, key)));
    }
    CHECK(&m->test, weir_sort_keys_append(out, &batch, positions, m->shape->key_count, &m->test.err));
    weir_batch_free(&batch);
}

static weir_slice bound_of(model *m, const weir_sort_keys *keys, int32_t key)
{
    if (keys->whole) {
        uint8_t *bytes = weir_arena_alloc(&m->test.arena, 8);
        weir_store_be64(bytes, keys->prefixes[key]);
        return weir_slice_of(bytes, 8);
    }
    return weir_slice_of(keys->bytes + keys->offsets[key], (size_t)(keys->offsets[key + 1] - keys->offsets[key]));
}

static void check_shape(const table_shape *shape, const char *format, random_state random)
{
    model m;
    start_model(&m, shape, format, random);
    int32_t run_count = (int32_t)random_below(&m.random, MOST_RUNS + 1);
    for (int32_t r = 0; r < run_count; r++) {
        add_run(&m, r % 3 == 0 ? 0 : r);
    }
    weir_sort_keys keys = {0};
    make_all_keys(&m, &keys);
    check_merge(&m, &(weir_merge_options){0}, &keys, 0, KEY_SPACE);
    check_merge(&m, &(weir_merge_options){.keep_deletes = true}, &keys, 0, KEY_SPACE);
    check_merge(&m, &(weir_merge_options){.keep_deletes = true, .want_previous = true}, &keys, 0, KEY_SPACE);
    for (int i = 0; i < 3; i++) {
        int32_t lower = (int32_t)random_below(&m.random, KEY_SPACE);
        int32_t upper = lower + (int32_t)random_below(&m.random, (uint64_t)(KEY_SPACE - lower));
        weir_merge_options options = {.lower_key = bound_of(&m, &keys, lower), .upper_key = bound_of(&m, &keys, upper)};
        check_merge(&m, &options, &keys, lower, upper);
    }
    weir_sort_keys_free(&keys);
    end_model(&m);
}

static void a_merge_gives_the_newest_row_of_every_key(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            random_next(&random);
            check_shape(&shapes[i], random_below(&random, 2) == 0 ? "avro" : "parquet", random);
        }
    }
}

/* Fewer runs at a time than there are: the others are merged into temporary files before. */
static void merging_in_steps_gives_the_same(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        model m;
        start_model(&m, &shapes[s], s % 2 == 0 ? "parquet" : "avro", random);
        random_next(&random);
        for (int32_t r = 0; r < MOST_RUNS; r++) {
            add_run(&m, r % 3 == 0 ? 0 : r);
        }
        weir_sort_keys keys = {0};
        make_all_keys(&m, &keys);
        int32_t lower = (int32_t)random_below(&m.random, KEY_SPACE / 2);
        int32_t upper = lower + (int32_t)random_below(&m.random, KEY_SPACE / 2);
        for (int32_t max_runs = 2; max_runs <= MOST_RUNS; max_runs += 1 + (int32_t)random_below(&m.random, 4)) {
            weir_merge_options options = {
                .keep_deletes = random_below(&m.random, 2) == 0,
                /* A delete that is ignored leaves nothing in a step by which it could be told that it was there. */
                .want_previous = strstr(shapes[s].options, "ignore-delete") == NULL && random_below(&m.random, 2) == 0,
                .max_runs = max_runs,
            };
            check_merge(&m, &options, &keys, 0, KEY_SPACE);
            options.lower_key = bound_of(&m, &keys, lower);
            options.upper_key = bound_of(&m, &keys, upper);
            check_merge(&m, &options, &keys, lower, upper);
        }
        weir_sort_keys_free(&keys);
        end_model(&m);
    }
}

static void keys_that_match_a_predicate_come_out_whole(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 6; round++) {
        model m;
        start_model(&m, &shapes[0], "parquet", random);
        for (int32_t r = 0; r < 5; r++) {
            add_run(&m, r);
        }
        random = m.random;
        int32_t least = (int32_t)random_below(&random, KEY_SPACE);
        weir_literal literal = {.integer = least};
        const weir_predicate *predicate = weir_predicate_leaf(&m.test.arena, WEIR_PREDICATE_GREATER_OR_EQUAL, 0,
                                                              m.test.context.schema->fields[0].type, &literal, 1);
        weir_merge_options options = {.key_predicate = predicate, .max_runs = round % 2 == 0 ? 0 : 2};
        expected_key *keys = weir_alloc(KEY_SPACE * sizeof *keys);
        expect_keys(&m, keys);
        weir_merge_reader *merge = NULL;
        CHECK(&m.test, weir_merge_open(&m.test.context, weir_partition_none(), 0, m.runs, m.run_count, m.columns,
                                       m.column_count, &options, &merge, &m.test.err));
        int32_t next = next_expected(keys, &options, least, KEY_SPACE);
        while (weir_merge_next(merge, 500, &m.test.err) == WEIR_OK) {
            weir_vector *vectors = read_columns(&m, merge, false);
            for (int64_t i = 0; i < merge->row_count; i++) {
                int32_t key = WEIR_VALUES(&vectors[0], int32_t)[i];
                if (key >= least) {
                    assert_string_equal(fixture_row_text(&m.test, vectors, m.column_count, i), keys[key].newest->text);
                    assert_int_equal(key, next);
                    next = next_expected(keys, &options, next + 1, KEY_SPACE);
                }
            }
            free_columns(&m, vectors);
        }
        assert_int_equal(next, KEY_SPACE);
        weir_merge_close(merge);
        free(keys);
        end_model(&m);
    }
}

static void ranges_of_split_keys_together_are_the_whole_merge(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t s = 0; s < SHAPE_COUNT; s++) {
        model m;
        start_model(&m, &shapes[s], "parquet", random);
        random_next(&random);
        for (int32_t r = 0; r < 6; r++) {
            add_run(&m, r);
        }
        weir_sort_keys keys = {0};
        make_all_keys(&m, &keys);
        weir_slice *bounds = NULL;
        int32_t bound_count = 0;
        CHECK(&m.test, weir_merge_split_keys(&m.test.context, weir_partition_none(), 0, m.runs, m.run_count, 4,
                                             &m.test.arena, &bounds, &bound_count, &m.test.err));
        assert_int_equal(bound_count, 3);
        int32_t first = 0;
        for (int32_t part = 0; part <= bound_count; part++) {
            weir_merge_options options = {
                .lower_key = part > 0 ? bounds[part - 1] : (weir_slice){0},
                .upper_key = part < bound_count ? bounds[part] : (weir_slice){0},
            };
            int32_t end = first;
            while (end < KEY_SPACE &&
                   (part == bound_count || weir_slice_compare(bound_of(&m, &keys, end), bounds[part]) < 0)) {
                end++;
            }
            assert_true(end - first > KEY_SPACE / 8);
            check_merge(&m, &options, &keys, first, end);
            first = end;
        }
        assert_int_equal(first, KEY_SPACE);
        weir_sort_keys_free(&keys);
        end_model(&m);
    }
}

static void a_budget_that_is_too_small_is_an_error_and_gets_all_back(void **state)
{
    (void)state;
    model m;
    start_model(&m, &shapes[2], "parquet", (random_state){7});
    for (int32_t r = 0; r < 5; r++) {
        add_run(&m, r);
    }
    bool succeeded = false;
    for (int64_t limit = 1000; !succeeded && limit < ((int64_t)1 << 40); limit *= 2) {
        m.test.budget.limit_bytes = limit;
        weir_merge_reader *merge = NULL;
        CHECK(&m.test, weir_merge_open(&m.test.context, weir_partition_none(), 0, m.runs, m.run_count, m.columns,
                                       m.column_count, NULL, &merge, &m.test.err));
        int code = WEIR_OK;
        while (code == WEIR_OK && (code = weir_merge_next(merge, 500, &m.test.err)) == WEIR_OK) {
            weir_vector values;
            weir_vector_init(&values, m.test.context.schema->fields[0].type);
            code = weir_merge_column(merge, 0, &values, &m.test.err);
            weir_vector_free(&values);
        }
        assert_true(code == WEIR_END || code == WEIR_NO_MEMORY);
        succeeded = code == WEIR_END;
        weir_merge_close(merge);
        assert_int_equal(atomic_load(&m.test.budget.used_bytes), 0);
    }
    assert_true(succeeded);
    end_model(&m);
}

static void two_rows_of_one_key_in_one_run_are_an_error(void **state)
{
    (void)state;
    model m;
    start_model(&m, &shapes[0], "avro", (random_state){1});
    for (int32_t r = 0; r < 2; r++) {
        weir_batch batch;
        weir_batch_init(&batch, m.test.context.schema->fields, m.test.context.schema->field_count);
        fixture_add_row(&m.test, &batch, "[1,'x',1,[1]]");
        fixture_add_row(&m.test, &batch, "[1,'y',1,[1]]");
        int64_t sequence_numbers[] = {1, 2};
        written_files written = fixture_write(&m.test, WEIR_DATA_FILE_KEY_VALUE, 0, &batch, sequence_numbers);
        m.runs[m.run_count++] = (weir_sorted_run){written.files, (int32_t)written.count, 0};
        weir_batch_free(&batch);
    }
    weir_merge_reader *merge = NULL;
    CHECK(&m.test, weir_merge_open(&m.test.context, weir_partition_none(), 0, m.runs, m.run_count, m.columns,
                                   m.column_count, NULL, &merge, &m.test.err));
    assert_int_equal(weir_merge_next(merge, 10, &m.test.err), WEIR_CORRUPT);
    assert_non_null(strstr(m.test.err.message, "two rows of one key"));
    weir_merge_close(merge);
    end_model(&m);
}

static void an_aggregate_function_that_is_not_there_is_refused(void **state)
{
    (void)state;
    const table_shape shape = {"partial", shapes[0].key_fields, "'a'", 1, "'merge-engine':'aggregation','fields.o.aggregate-function':'hll_sketch',", "%d"};
    model m;
    start_model(&m, &shape, "avro", (random_state){1});
    weir_merge_reader *merge = NULL;
    assert_int_equal(weir_merge_open(&m.test.context, weir_partition_none(), 0, NULL, 0, m.columns, m.column_count,
                                     NULL, &merge, &m.test.err),
                     WEIR_UNSUPPORTED);
    end_model(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_merge_gives_the_newest_row_of_every_key),
        cmocka_unit_test(merging_in_steps_gives_the_same),
        cmocka_unit_test(keys_that_match_a_predicate_come_out_whole),
        cmocka_unit_test(ranges_of_split_keys_together_are_the_whole_merge),
        cmocka_unit_test(a_budget_that_is_too_small_is_an_error_and_gets_all_back),
        cmocka_unit_test(two_rows_of_one_key_in_one_run_are_an_error),
        cmocka_unit_test(an_aggregate_function_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
