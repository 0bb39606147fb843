/* Merge engines against a model that takes one row after the other, as their documentation tells it. */
#include <stdio.h>

#include "file_fixture.h"
#include "merge/group_fold.h"
#include "merge/merge.h"
#include "random.h"

#define MOST_RUNS    9
#define KEY_SPACE    400
#define COLUMN_COUNT 9 /* k, then eight INT columns */
#define NO_GROUP     -1

/* What the model knows of a column. */
typedef enum rule {
    KEY,
    VERSION, /* of its group */
    PLAIN,   /* partial-update without a function */
    SUM,
    MAX,
    MIN,
    LAST,
    LAST_NON_NULL,
    FIRST,
    FIRST_NON_NULL,
} rule;

typedef struct engine_shape {
    const char *name;
    const char *options;
    rule rules[COLUMN_COUNT];
    int groups[COLUMN_COUNT]; /* 0: none */
    int removing_group;
    bool is_aggregation, is_first_row, removes_on_delete, ignores_deletes, one_level, no_retractions;
    bool ignores_retract[COLUMN_COUNT];
    int order_column;      /* sequence.field; 0: none */
    bool depends_on_steps; /* functions that see older rows in one order give another result in another */
} engine_shape;

static const char *const column_names[COLUMN_COUNT] = {"k", "g", "h", "i", "a", "b", "c", "d", "e"};

static const engine_shape shapes[] = {
    {.name = "partial-update, deletes ignored",
     .options = "'merge-engine':'partial-update','ignore-delete':'true',",
     .rules = {KEY, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN},
     .ignores_deletes = true},
    {.name = "partial-update, deletes remove",
     .options = "'merge-engine':'partial-update','partial-update.remove-record-on-delete':'true',",
     .rules = {KEY, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN},
     .removes_on_delete = true},
    {.name = "sequence groups",
     .options = "'merge-engine':'partial-update','fields.g.sequence-group':'a,b','fields.h,i.sequence-group':'c,d',"
                "'fields.b.aggregate-function':'sum','fields.d.aggregate-function':'first_value',"
                "'fields.d.ignore-retract':'true','fields.e.aggregate-function':'last_non_null_value',",
     .rules = {KEY, VERSION, VERSION, VERSION, PLAIN, SUM, PLAIN, FIRST, LAST_NON_NULL},
     .groups = {0, 1, 2, 2, 1, 1, 2, 2, 0},
     .ignores_retract = {[7] = true},
     .depends_on_steps = true},
    {.name = "a sequence group that removes rows",
     .options = "'merge-engine':'partial-update','fields.g.sequence-group':'a,b','fields.h,i.sequence-group':'c,d',"
                "'partial-update.remove-record-on-sequence-group':'h','fields.b.aggregate-function':'sum',"
                "'fields.d.aggregate-function':'last_value',",
     .rules = {KEY, VERSION, VERSION, VERSION, PLAIN, SUM, PLAIN, LAST, PLAIN},
     .groups = {0, 1, 2, 2, 1, 1, 2, 2, 0},
     .removing_group = 2},
    {.name = "sequence groups, deletes ignored",
     .options = "'merge-engine':'partial-update','ignore-delete':'true','fields.g.sequence-group':'a,b,c,d',"
                "'fields.b.aggregate-function':'max','fields.c.aggregate-function':'first_non_null_value',"
                "'fields.d.aggregate-function':'last_non_null_value',",
     .rules = {KEY, VERSION, PLAIN, PLAIN, PLAIN, MAX, FIRST_NON_NULL, LAST_NON_NULL, PLAIN},
     .groups = {0, 1, 0, 0, 1, 1, 1, 1, 0},
     .ignores_deletes = true,
     .depends_on_steps = true},
    {.name = "aggregation",
     .options =
         "'merge-engine':'aggregation','fields.g.aggregate-function':'sum','fields.h.aggregate-function':'last_value',"
         "'fields.i.aggregate-function':'max','fields.i.ignore-retract':'true','fields.a.aggregate-function':'min',"
         "'fields.a.ignore-retract':'true','fields.b.aggregate-function':'first_value','fields.b.ignore-retract':"
         "'true','fields.c.aggregate-function':'first_not_null_value','fields.c.ignore-retract':'true',"
         "'fields.d.aggregate-function':'sum','fields.d.ignore-retract':'true',",
     .rules = {KEY, SUM, LAST, MAX, MIN, FIRST, FIRST_NON_NULL, SUM, LAST_NON_NULL},
     .ignores_retract = {[3] = true, [4] = true, [5] = true, [6] = true, [7] = true},
     .is_aggregation = true},
    {.name = "aggregation, deletes remove",
     .options = "'merge-engine':'aggregation','aggregation.remove-record-on-delete':'true',"
                "'fields.default-aggregate-function':'sum','fields.h.aggregate-function':'last_value',"
                "'fields.i.aggregate-function':'last_non_null_value',",
     .rules = {KEY, SUM, LAST, LAST_NON_NULL, SUM, SUM, SUM, SUM, SUM},
     .removes_on_delete = true,
     .is_aggregation = true},
    {.name = "aggregation, adds alone",
     .options = "'merge-engine':'aggregation','fields.default-aggregate-function':'sum',"
                "'fields.i.aggregate-function':'max','fields.a.aggregate-function':'min',"
                "'fields.b.aggregate-function':'first_value','fields.c.aggregate-function':'first_non_null_value',"
                "'fields.d.aggregate-function':'last_non_null_value','fields.e.aggregate-function':'last_value',",
     .rules = {KEY, SUM, SUM, MAX, MIN, FIRST, FIRST_NON_NULL, LAST_NON_NULL, LAST},
     .no_retractions = true,
     .is_aggregation = true},
    {.name = "aggregation in the order of a column",
     .options = "'merge-engine':'aggregation','sequence.field':'g','fields.default-aggregate-function':'last_value',"
                "'fields.i.aggregate-function':'sum',",
     .rules = {KEY, LAST, LAST, SUM, LAST, LAST, LAST, LAST, LAST},
     .order_column = 1,
     .depends_on_steps = true, /* a merged row has one place among the others */
     .is_aggregation = true},
    {.name = "aggregation with looked-up rows",
     .options = "'merge-engine':'aggregation','changelog-producer':'lookup','fields.default-aggregate-function':'sum',",
     .rules = {KEY, SUM, SUM, SUM, SUM, SUM, SUM, SUM, SUM},
     .one_level = true,
     .is_aggregation = true},
    {.name = "partial-update with looked-up rows, adds alone",
     .options = "'merge-engine':'partial-update','force-lookup':'true',",
     .rules = {KEY, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN},
     .one_level = true,
     .no_retractions = true},
    {.name = "first-row",
     .options = "'merge-engine':'first-row','ignore-delete':'true',",
     .rules = {KEY},
     .is_first_row = true,
     .ignores_deletes = true},
};
#define SHAPE_COUNT (sizeof shapes / sizeof shapes[0])

/* --- the model --- */

typedef struct cell {
    bool has;
    int64_t value;
} cell;

typedef struct model_row {
    int32_t key;
    int32_t run;
    int32_t level;
    int8_t kind;
    int64_t sequence_number;
    cell cells[COLUMN_COUNT];
} model_row;

typedef struct model {
    fixture test;
    const engine_shape *shape;
    random_state random;
    weir_sorted_run runs[MOST_RUNS];
    int32_t run_count;
    model_row *rows;
    size_t row_count;
    size_t row_capacity;
} model;

static bool is_retract(const model_row *row) { return row->kind == WEIR_UPDATE_BEFORE || row->kind == WEIR_DELETE; }

static int compare_cells(cell a, cell b)
{
    if (!a.has || !b.has) {
        return (int)a.has - (int)b.has;
    }
    return (a.value > b.value) - (a.value < b.value);
}

/* A key as it grows. */
typedef struct growing {
    const engine_shape *shape;
    cell cells[COLUMN_COUNT];
    bool is_first_taken[COLUMN_COUNT];
    bool has_begun, has_add, is_deleted;
    int64_t sequence_number;
} growing;

static cell add_up(cell a, cell b, int sign)
{
    if (!a.has || !b.has) {
        return a.has ? a : b.has ? (cell){true, (int32_t)(uint32_t)(sign * b.value)} : a;
    }
    return (cell){true, (int32_t)(uint32_t)(a.value + sign * b.value)};
}

static cell better(bool greatest, cell a, cell b)
{
    if (!a.has || !b.has) {
        return a.has ? a : b;
    }
    return greatest == (b.value > a.value) ? b : a;
}

/* The function with `older` before what there is where `reversed`. */
static void add_cell(growing *key, int column, cell input, bool reversed)
{
    cell *now = &key->cells[column];
    cell first = reversed ? input : *now;
    cell second = reversed ? *now : input;
    bool *taken = &key->is_first_taken[column];
    switch (key->shape->rules[column]) {
    case SUM:
        *now = add_up(first, second, 1);
        break;
    case MAX:
    case MIN:
        *now = better(key->shape->rules[column] == MAX, first, second);
        break;
    case LAST_NON_NULL:
        *now = second.has ? second : first;
        break;
    case FIRST:
        *now = *taken ? first : second;
        *taken = true;
        break;
    case FIRST_NON_NULL:
        *now = !*taken && second.has ? second : first;
        *taken |= second.has;
        break;
    default:
        *now = second;
    }
}

static void retract_cell(growing *key, int column, cell input)
{
    cell *now = &key->cells[column];
    if (key->shape->ignores_retract[column]) {
        return;
    }
    switch (key->shape->rules[column]) {
    case SUM:
        *now = add_up(*now, input, -1);
        break;
    case LAST_NON_NULL:
        now->has = now->has && !input.has;
        break;
    case KEY:
        *now = input;
        break;
    default:
        now->has = false;
    }
}

static void begin_anew(growing *key, const model_row *row) { memcpy(key->cells, row->cells, sizeof key->cells); }

/* Of a sequence group: 0: the row has no version, 1: it is older, 2: it is not. */
static int compare_version(const growing *key, const model_row *row, int group)
{
    bool has = false;
    int order = 0;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (key->shape->rules[c] == VERSION && key->shape->groups[c] == group) {
            has |= row->cells[c].has;
            order = order != 0 ? order : compare_cells(row->cells[c], key->cells[c]);
        }
    }
    return !has ? 0 : order < 0 ? 1 : 2;
}

static void update_groups(growing *key, const model_row *row)
{
    int versions[3] = {0, compare_version(key, row, 1), compare_version(key, row, 2)};
    bool retracts = is_retract(row);
    int removing = key->shape->removing_group;
    if (row->kind == WEIR_DELETE && removing > 0 && versions[removing] == 2) {
        begin_anew(key, row);
        key->is_deleted = true;
        return;
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        int group = key->shape->groups[c];
        bool is_function = key->shape->rules[c] != PLAIN && key->shape->rules[c] != VERSION;
        if (group == 0) {
            if (!retracts && (is_function || row->cells[c].has)) {
                add_cell(key, c, row->cells[c], false);
            }
        } else if (key->shape->rules[c] == VERSION && versions[group] == 2) {
            key->cells[c] = row->cells[c];
        } else if (is_function && versions[group] > 0) {
            if (retracts) {
                retract_cell(key, c, row->cells[c]);
            } else {
                add_cell(key, c, row->cells[c], versions[group] == 1);
            }
        } else if (!is_function && key->shape->rules[c] == PLAIN && versions[group] == 2) {
            key->cells[c] = retracts ? (cell){0} : row->cells[c];
        }
    }
}

static void take_update(growing *key, const model_row *row)
{
    bool has_groups = strstr(key->shape->options, "sequence-group") != NULL;
    key->is_deleted = false;
    if (is_retract(row)) {
        if (!key->has_begun) {
            begin_anew(key, row);
        }
        key->has_begun = true;
        if (key->shape->ignores_deletes) {
            return;
        }
        key->sequence_number = row->sequence_number;
        if (has_groups) {
            update_groups(key, row);
        } else if (row->kind == WEIR_DELETE) {
            begin_anew(key, row);
            key->is_deleted = true;
        }
        return;
    }
    key->sequence_number = row->sequence_number;
    update_groups(key, row);
    key->has_begun = key->has_add = true;
}

static void take_aggregate(growing *key, const model_row *row)
{
    key->sequence_number = row->sequence_number;
    key->has_add = true;
    key->is_deleted = key->shape->removes_on_delete && row->kind == WEIR_DELETE;
    if (key->is_deleted) {
        begin_anew(key, row);
        return;
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (is_retract(row)) {
            retract_cell(key, c, row->cells[c]);
        } else {
            add_cell(key, c, row->cells[c], false);
        }
    }
}

static int compare_ages(const void *left, const void *right, void *context)
{
    const model_row *a = *(model_row *const *)left;
    const model_row *b = *(model_row *const *)right;
    const engine_shape *shape = context;
    int order =
        shape->order_column > 0 ? compare_cells(a->cells[shape->order_column], b->cells[shape->order_column]) : 0;
    if (order != 0) {
        return order;
    }
    return a->sequence_number < b->sequence_number ? -1 : a->sequence_number > b->sequence_number;
}

/* The rows of a key that count, the oldest first. */
static int rows_of_key(const model *m, int32_t key, model_row **out)
{
    int count = 0;
    int32_t least = INT32_MAX;
    for (size_t i = 0; i < m->row_count; i++) {
        if (m->rows[i].key == key && m->rows[i].level > 0 && m->rows[i].level < least) {
            least = m->rows[i].level;
        }
    }
    for (size_t i = 0; i < m->row_count; i++) {
        model_row *row = &m->rows[i];
        if (row->key == key && (!m->shape->one_level || row->level <= 0 || row->level == least)) {
            out[count++] = row;
        }
    }
    qsort_r(out, (size_t)count, sizeof *out, compare_ages, (void *)(uintptr_t)m->shape);
    return count;
}

/* The oldest row above level 0, or else the oldest. One that was looked up is known already. */
static bool expect_first_row(model_row *const *rows, int count, model_row *out)
{
    for (int least_level = 1; least_level >= 0; least_level--) {
        for (int i = 0; i < count; i++) {
            if (!is_retract(rows[i]) && rows[i]->level >= least_level) {
                *out = *rows[i];
                return rows[i]->level < MOST_RUNS + 1;
            }
        }
    }
    return false;
}

/* What should come of a key; false: nothing. */
static bool expect_row(const model *m, int32_t key, model_row *out)
{
    model_row *rows[MOST_RUNS + 1];
    int count = rows_of_key(m, key, rows);
    if (m->shape->is_first_row) {
        return expect_first_row(rows, count, out);
    }
    if (count <= 1) {
        *out = count == 1 ? *rows[0] : (model_row){0};
        return count == 1;
    }
    growing grown = {.shape = m->shape, .sequence_number = rows[count - 1]->sequence_number};
    for (int i = 0; i < count; i++) {
        if (m->shape->is_aggregation) {
            take_aggregate(&grown, rows[i]);
        } else {
            take_update(&grown, rows[i]);
        }
    }
    *out = (model_row){.key = key,
                       .kind = grown.is_deleted || !grown.has_add ? WEIR_DELETE : WEIR_INSERT,
                       .sequence_number = grown.sequence_number};
    memcpy(out->cells, grown.cells, sizeof out->cells);
    return true;
}

/* --- runs --- */

static void start_model(model *m, const engine_shape *shape, random_state random)
{
    char fields[1024] = "";
    char json[4096];
    memset(m, 0, sizeof *m);
    m->shape = shape;
    m->random = random;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        snprintf(fields + strlen(fields), sizeof fields - strlen(fields), "%s{'id':%d,'name':'%s','type':'INT%s'}",
                 c > 0 ? "," : "", c, column_names[c], c == 0 ? " NOT NULL" : "");
    }
    snprintf(json, sizeof json,
             "{'version':3,'id':0,'fields':[%s],'highestFieldId':9,'partitionKeys':[],'primaryKeys':['k'],'options':{%s"
             "'bucket':'1','file.format':'%s'},'timeMillis':0}",
             fields, shape->options, random_below(&m->random, 2) == 0 ? "avro" : "parquet");
    fixture_start(&m->test, json);
}

static void end_model(model *m)
{
    for (int32_t r = 0; r < m->run_count; r++) {
        free(m->runs[r].files);
    }
    free(m->rows);
    fixture_end(&m->test);
}

static model_row *add_row(model *m, int32_t key, int32_t level, int64_t sequence_number)
{
    WEIR_GROW(m->rows, m->row_capacity, m->row_count + 1);
    model_row *row = &m->rows[m->row_count++];
    *row = (model_row){.key = key, .run = m->run_count, .level = level, .sequence_number = sequence_number};
    if (!m->shape->no_retractions && random_below(&m->random, 3) == 0) {
        row->kind = (int8_t)random_below(&m->random, 4);
    }
    row->cells[0] = (cell){true, key};
    for (int c = 1; c < COLUMN_COUNT; c++) {
        row->cells[c] = (cell){random_below(&m->random, 3) > 0, 0};
        row->cells[c].value = row->cells[c].has ? (int64_t)random_below(&m->random, 6) : 0;
        if (row->cells[c].has && random_below(&m->random, 40) == 0) {
            row->cells[c].value = INT32_MAX - 2; /* sums wrap around */
        }
    }
    return row;
}

static void append_row(model *m, weir_batch *batch, const model_row *row)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        int32_t value = (int32_t)row->cells[c].value;
        CHECK(&m->test, row->cells[c].has
                            ? weir_vector_append_raw(&batch->columns[c], &value, sizeof value, &m->test.err)
                            : weir_vector_append_nulls(&batch->columns[c], 1, &m->test.err));
    }
    weir_batch_reserve_kinds(batch, batch->length + 1);
    batch->kinds[batch->length++] = row->kind;
}

/* Adds a run of random keys, newer than those before. */
/* Later runs have greater numbers; but where several writers have made them, which first-row must bear, they have not. */
static int64_t draw_sequence_number(model *m, int32_t run)
{
    int64_t drawn = (int64_t)random_below(&m->random, KEY_SPACE);
    return m->shape->is_first_row ? drawn * MOST_RUNS + run : (int64_t)run * KEY_SPACE + drawn;
}

static void add_run(model *m, int32_t level)
{
    fixture *test = &m->test;
    weir_batch batch;
    weir_batch_init(&batch, test->context.schema->fields, COLUMN_COUNT);
    int64_t sequence_numbers[KEY_SPACE];
    uint64_t gap = 1 + random_below(&m->random, 4);
    for (int32_t key = (int32_t)random_below(&m->random, gap); key < KEY_SPACE;
         key += 1 + (int32_t)random_below(&m->random, gap)) {
        sequence_numbers[batch.length] = draw_sequence_number(m, m->run_count);
        append_row(m, &batch, add_row(m, key, level, sequence_numbers[batch.length]));
    }
    written_files written = {0};
    weir_data_file_writer *writer = fixture_writer(test, WEIR_DATA_FILE_KEY_VALUE, level);
    CHECK(test, weir_data_file_writer_write_batch(writer, &batch, 0, batch.length, sequence_numbers, batch.kinds,
                                                  &test->err));
    CHECK(test, weir_data_file_writer_finish(writer, &test->arena, &written.files, &written.count, &written.capacity,
                                             &test->err));
    weir_data_file_writer_close(writer);
    m->runs[m->run_count++] = (weir_sorted_run){written.files, (int32_t)written.count, level};
    weir_batch_free(&batch);
}

/* The oldest runs are in the highest levels, the others in level 0. */
static void add_runs(model *m)
{
    int32_t count = 1 + (int32_t)random_below(&m->random, MOST_RUNS);
    int32_t above = (int32_t)random_below(&m->random, (uint64_t)count + 1);
    for (int32_t r = 0; r < count; r++) {
        add_run(m, r < above ? above - r : 0);
    }
}

/* --- checks --- */

static void check_cell(model *m, const weir_vector *values, int64_t row, cell expected, const char *column)
{
    bool has = !weir_vector_is_null(values, row);
    if (has != expected.has || (has && WEIR_VALUES(values, int32_t)[row] != (int32_t)expected.value)) {
        fail_msg("%s: column %s: got %s%d, expected %s%d", m->shape->name, column, has ? "" : "NULL ",
                 has ? (int)WEIR_VALUES(values, int32_t)[row] : 0, expected.has ? "" : "NULL ", (int)expected.value);
    }
}

static void check_window(model *m, weir_merge_reader *merge, const int32_t *columns, int32_t column_count,
                         const model_row *expected)
{
    for (int32_t i = 0; i < column_count; i++) {
        weir_vector values;
        weir_vector_init(&values, m->test.context.schema->fields[columns[i]].type);
        CHECK(&m->test, weir_merge_column(merge, i, &values, &m->test.err));
        assert_int_equal(values.length, merge->row_count);
        for (int64_t row = 0; row < merge->row_count; row++) {
            check_cell(m, &values, row, expected[row].cells[columns[i]], column_names[columns[i]]);
        }
        weir_vector_free(&values);
    }
}

/* Leaves some of the window, as readers with a filter do. */
static void keep_some(model *m, weir_merge_reader *merge, model_row *expected)
{
    uint32_t *rows = weir_alloc((size_t)merge->row_count * sizeof *rows);
    int64_t kept = 0;
    for (int64_t row = 0; row < merge->row_count; row++) {
        if (random_below(&m->random, 2) == 0) {
            expected[kept] = expected[row];
            rows[kept++] = (uint32_t)row;
        }
    }
    CHECK(&m->test, weir_merge_keep(merge, rows, kept, &m->test.err));
    for (int64_t row = 0; row < kept; row++) {
        assert_int_equal(merge->kinds[row], expected[row].kind);
    }
    free(rows);
}

/* Merges all runs, asking for some of the columns, and compares with the model. */
static void check_merge(model *m, const weir_merge_options *options, bool exact_kinds)
{
    int32_t columns[COLUMN_COUNT];
    int32_t column_count = 0;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (random_below(&m->random, 4) > 0) {
            columns[column_count++] = c;
        }
    }
    weir_merge_reader *merge = NULL;
    CHECK(&m->test, weir_merge_open(&m->test.context, weir_partition_none(), 0, m->runs, m->run_count, columns,
                                    column_count, options, &merge, &m->test.err));
    model_row expected[KEY_SPACE];
    int32_t key = 0;
    int code;
    while ((code = weir_merge_next(merge, 1 + (int64_t)random_below(&m->random, 300), &m->test.err)) == WEIR_OK) {
        for (int64_t row = 0; row < merge->row_count; row++) {
            while (key < KEY_SPACE &&
                   (!expect_row(m, key, &expected[row]) || (!options->keep_deletes && is_retract(&expected[row])))) {
                key++;
            }
            assert_true(key < KEY_SPACE);
            key++;
            if (exact_kinds) {
                assert_int_equal(merge->kinds[row], expected[row].kind);
                assert_int_equal(merge->sequence_numbers[row], expected[row].sequence_number);
            }
            expected[row].kind = merge->kinds[row];
        }
        if (random_below(&m->random, 3) == 0) {
            keep_some(m, merge, expected);
        }
        check_window(m, merge, columns, column_count, expected);
    }
    if (code != WEIR_END) {
        fail_msg("%s: %s", m->shape->name, m->test.err.message);
    }
    for (; key < KEY_SPACE; key++) {
        assert_false(expect_row(m, key, &expected[0]) && (options->keep_deletes || !is_retract(&expected[0])));
    }
    weir_merge_close(merge);
}

static void every_engine_makes_of_rows_what_its_documentation_tells(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 6; round++) {
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            model m;
            start_model(&m, &shapes[i], (random_state){random_next(&random)});
            add_runs(&m);
            check_merge(&m, &(weir_merge_options){.keep_deletes = true}, true);
            check_merge(&m, &(weir_merge_options){0}, true);
            end_model(&m);
        }
    }
}

/* Where nothing is retracted, results merge as their rows would have. */
static void neighbours_in_age_may_be_merged_before_others(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            engine_shape shape = shapes[i];
            shape.no_retractions = true;
            model m;
            start_model(&m, &shape, (random_state){random_next(&random)});
            add_runs(&m);
            int32_t most = 2 + (int32_t)random_below(&m.random, 3);
            if (!shape.depends_on_steps) {
                check_merge(&m, &(weir_merge_options){.max_runs = most, .keep_deletes = true}, false);
            }
            end_model(&m);
        }
    }
}

/* --- rows that are looked up --- */

/* A run of older rows that is no run of the merge. */
typedef struct older_rows {
    model *m;
    const model_row *found[KEY_SPACE];
    int64_t count;
} older_rows;

static int32_t key_of(const weir_sort_keys *keys, uint32_t i)
{
    return (int32_t)((uint32_t)(keys->prefixes[i] >> 32) ^ 0x80000000u); /* INT NOT NULL: the sign bit is turned over */
}

static int find_older(void *context, const weir_sort_keys *keys, const uint32_t *wanted, int64_t count, bool *found,
                      int8_t *out_kinds, int64_t *out_sequence_numbers, weir_error *err)
{
    older_rows *older = context;
    (void)err;
    older->count = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t key = key_of(keys, wanted[i]);
        found[i] = false;
        for (size_t r = 0; r < older->m->row_count; r++) {
            const model_row *row = &older->m->rows[r];
            if (row->key == key && row->level == MOST_RUNS + 1) {
                found[i] = true;
                out_kinds[older->count] = row->kind;
                out_sequence_numbers[older->count] = row->sequence_number;
                older->found[older->count++] = row;
            }
        }
    }
    return WEIR_OK;
}

static int read_older(void *context, int32_t column, weir_vector *out, weir_error *err)
{
    older_rows *older = context;
    for (int64_t i = 0; i < older->count; i++) {
        cell from = older->found[i]->cells[column];
        int32_t value = (int32_t)from.value;
        WEIR_TRY(from.has ? weir_vector_append_raw(out, &value, sizeof value, err)
                          : weir_vector_append_nulls(out, 1, err));
    }
    return WEIR_OK;
}

static void rows_that_are_looked_up_merge_as_a_run_would(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            model m;
            engine_shape shape = shapes[i];
            shape.one_level |= !shape.is_first_row; /* looked-up rows come in where there is none above level 0 */
            start_model(&m, &shape, (random_state){random_next(&random)});
            for (int32_t key = 0; key < KEY_SPACE; key += 1 + (int32_t)random_below(&m.random, 3)) {
                int64_t sequence = shape.is_first_row ? draw_sequence_number(&m, MOST_RUNS - 1)
                                                      : -(int64_t)random_below(&m.random, 1000) - 1;
                model_row *row = add_row(&m, key, MOST_RUNS + 1, sequence);
                row->kind = shape.is_first_row ? (int8_t)WEIR_INSERT : row->kind;
            }
            int32_t runs = 1 + (int32_t)random_below(&m.random, MOST_RUNS - 1);
            for (int32_t r = 0; r < runs; r++) {
                add_run(&m, r == 0 && shapes[i].one_level ? 3 : 0);
            }
            /* Keys that no run has do not come out. */
            bool in_runs[KEY_SPACE] = {0};
            for (size_t r = 0; r < m.row_count; r++) {
                in_runs[m.rows[r].key] |= m.rows[r].level <= MOST_RUNS;
            }
            size_t kept = 0;
            for (size_t r = 0; r < m.row_count; r++) {
                if (in_runs[m.rows[r].key]) {
                    m.rows[kept++] = m.rows[r];
                }
            }
            m.row_count = kept;
            older_rows older = {.m = &m};
            weir_merge_older callbacks = {&older, find_older, read_older};
            check_merge(&m, &(weir_merge_options){.keep_deletes = true, .older = &callbacks}, true);
            end_model(&m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_makes_of_rows_what_its_documentation_tells),
        cmocka_unit_test(neighbours_in_age_may_be_merged_before_others),
        cmocka_unit_test(rows_that_are_looked_up_merge_as_a_run_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
