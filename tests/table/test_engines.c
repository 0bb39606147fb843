/* Every merge engine with every changelog producer: random rows, written, flushed, compacted and committed at random,
 * give what a plain model of the engine gives; and where a producer promises every change, the changes replayed are the
 * table.
 *
 * WEIR_SEED runs one round again. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/log.h"
#include "table/replay.h"
#include "table/table_fixture.h"

enum { KEYS = 12, STEPS = 80, ROUNDS = 4 };

/* A nullable INT. */
typedef struct number {
    bool is_set;
    int value;
} number;

typedef struct engine_row {
    bool exists;
    number a, b, t;
} engine_row;

typedef struct engine_case {
    const char *name;
    const char *options;
    /* What becomes of a key's row with the next one; `kind` is +I or, where the engine takes it, -D. */
    void (*merge)(engine_row *row, const engine_row *next, int8_t kind);
    bool takes_deletes;
    bool forgets_deletes; /* a -D and a +I after it that are merged without what was before them make a +I, as in Java */
    bool skips_level_zero; /* rows are seen once they are compacted */
    const char *producers[4];
} engine_case;

static number newer(number old, number next) { return next.is_set ? next : old; }

static bool is_not_older(number version, number current)
{
    return !current.is_set || (version.is_set && version.value >= current.value);
}

static void deduplicate(engine_row *row, const engine_row *next, int8_t kind)
{
    *row = kind == WEIR_DELETE ? (engine_row){0} : *next;
}

/* sequence.field = t: NULL is the oldest. */
static void deduplicate_by_sequence(engine_row *row, const engine_row *next, int8_t kind)
{
    (void)kind;
    if (!row->exists || is_not_older(next->t, row->t)) {
        *row = *next;
    }
}

/* The same with descending order: NULL is the oldest there, too. */
static void deduplicate_by_descending_sequence(engine_row *row, const engine_row *next, int8_t kind)
{
    (void)kind;
    if (!row->exists || !row->t.is_set || (next->t.is_set && next->t.value <= row->t.value)) {
        *row = *next;
    }
}

static void partial_update(engine_row *row, const engine_row *next, int8_t kind)
{
    if (kind == WEIR_DELETE) {
        *row = (engine_row){0};
    } else {
        *row = (engine_row){true, newer(row->a, next->a), newer(row->b, next->b), newer(row->t, next->t)};
    }
}

/* fields.t.sequence-group = a. Versions are always set: a lone row without one keeps its values, as in Java, until it is
 * merged with another. */
static void partial_update_by_group(engine_row *row, const engine_row *next, int8_t kind)
{
    (void)kind;
    row->exists = true;
    row->b = newer(row->b, next->b);
    if (next->t.is_set && is_not_older(next->t, row->t)) {
        row->a = next->a;
        row->t = next->t;
    }
}

/* a: sum, which takes rows back; b: max; t: last_non_null_value */
static void aggregate(engine_row *row, const engine_row *next, int8_t kind)
{
    int sign = kind == WEIR_DELETE ? -1 : 1;
    row->exists = true;
    if (next->a.is_set) {
        row->a = (number){true, (row->a.is_set ? row->a.value : 0) + sign * next->a.value};
    }
    if (sign > 0 && next->b.is_set && (!row->b.is_set || next->b.value > row->b.value)) {
        row->b = next->b;
    }
    row->t = sign > 0 ? newer(row->t, next->t) : row->t;
}

static void keep_first(engine_row *row, const engine_row *next, int8_t kind)
{
    (void)kind;
    if (!row->exists) {
        *row = *next;
    }
}

static const engine_case cases[] = {
    {"deduplicate", "", deduplicate, true, false, false, {"none", "input", "lookup", "full-compaction"}},
    {"deduplicate by sequence",
     "sequence.field=t",
     deduplicate_by_sequence,
     false,
     false,
     false,
     {"none", "input", "lookup", "full-compaction"}},
    {"deduplicate by descending sequence",
     "sequence.field=t;sequence.field.sort-order=descending",
     deduplicate_by_descending_sequence,
     false,
     false,
     false,
     {"none", "input", "lookup", "full-compaction"}},
    {"partial-update",
     "merge-engine=partial-update;partial-update.remove-record-on-delete=true",
     partial_update,
     true,
     true,
     false,
     {"none", "input", "lookup", "full-compaction"}},
    {"partial-update by group",
     "merge-engine=partial-update;fields.t.sequence-group=a",
     partial_update_by_group,
     false,
     false,
     false,
     {"none", "input", "lookup", "full-compaction"}},
    {"aggregation",
     "merge-engine=aggregation;fields.a.aggregate-function=sum;fields.b.aggregate-function=max;"
     "fields.b.ignore-retract=true;fields.t.aggregate-function=last_non_null_value;fields.t.ignore-retract=true",
     aggregate,
     true,
     false,
     false,
     {"none", "input", "lookup", "full-compaction"}},
    {"first-row", "merge-engine=first-row", keep_first, false, false, true, {"none", "lookup"}},
};

typedef struct engine_test {
    fixture table;
    const engine_case *engine;
    random_state random;
    engine_row rows[KEYS];
    char what[200];
} engine_test;

/* ---- steps ---- */

static number draw(random_state *random, int below)
{
    return random_below(random, 4) == 0 ? (number){0} : (number){true, (int)random_below(random, (uint64_t)below)};
}

static void append_number(weir_buffer *out, number value)
{
    if (value.is_set) {
        weir_buffer_append_format(out, ", %d", value.value);
    } else {
        weir_buffer_append_text(out, ", null");
    }
}

static void append_row(weir_buffer *out, int key, const engine_row *row)
{
    weir_buffer_append_format(out, "[%d, %d", key % 2, key);
    append_number(out, row->a);
    append_number(out, row->b);
    append_number(out, row->t);
    weir_buffer_append_byte(out, ']');
}

/* Some rows of one kind, keys repeated now and then. Returns whether they are deletes. */
static bool write_some(engine_test *self)
{
    bool deletes = self->engine->takes_deletes && random_below(&self->random, 4) == 0;
    int8_t kind = deletes ? WEIR_DELETE : WEIR_INSERT;
    weir_buffer text = {0};
    uint64_t count = 1 + random_below(&self->random, 6);
    weir_buffer_append_byte(&text, '[');
    for (uint64_t i = 0; i < count; i++) {
        int key = (int)random_below(&self->random, KEYS);
        engine_row row = {true, draw(&self->random, 100), draw(&self->random, 100), draw(&self->random, 30)};
        row.t.is_set |= self->engine->merge == partial_update_by_group;
        if (deletes && !self->rows[key].exists) {
            continue; /* a row that is taken back before it came is one that a full compaction forgets */
        }
        weir_buffer_append_text(&text, text.size > 1 ? ", " : "");
        append_row(&text, key, &row);
        self->engine->merge(&self->rows[key], &row, kind);
    }
    weir_buffer_append_byte(&text, ']');
    fixture_write(&self->table, weir_buffer_text(&text), deletes ? "-D" : "+I");
    weir_buffer_free(&text);
    return deletes;
}

static void commit(engine_test *self)
{
    fixture_prepared prepared;
    fixture_prepare(&self->table, &prepared);
    fixture_commit_prepared(&self->table, &prepared);
}

static void compact(engine_test *self, bool full)
{
    weir_error err = {0};
    weir_compactor *compactor = NULL;
    weir_compactor_round round;
    const weir_compactor_options options = {.full = full};
    commit(self);
    must(weir_compactor_open(self->table.table, &options, &compactor, &err), &err, "opening a compactor");
    must(weir_compactor_run(compactor, &round, &err), &err, "compacting");
    weir_compactor_close(compactor);
    must(weir_table_write_reload(self->table.write, &err), &err, "reloading");
}

/* ---- checks ---- */

static void expected_rows(const engine_test *self, lines *out)
{
    weir_buffer text = {0};
    for (int key = 0; key < KEYS; key++) {
        if (self->rows[key].exists) {
            weir_buffer_clear(&text);
            append_row(&text, key, &self->rows[key]);
            size_t size = 0;
            for (size_t i = 0; i < text.size; i++) { /* as rows are printed: without blanks */
                if (text.data[i] != ' ') {
                    text.data[size++] = text.data[i];
                }
            }
            lines_add(out, (const char *)text.data, size);
        }
    }
    weir_buffer_free(&text);
    lines_sort(out);
}

static void check_rows(const engine_test *self, lines *found, const char *whose)
{
    lines expected = {0};
    expected_rows(self, &expected);
    lines_sort(found);
    const char *difference = lines_difference(&expected, found);
    if (difference != NULL) {
        fail_msg("%s, %s: %s", self->what, whose, difference);
    }
    lines_free(&expected);
}

static void check_table(const engine_test *self)
{
    weir_error err = {0};
    lines found = {0};
    must(table_rows(self->table.fs, FIXTURE_PATH, NULL, NULL, false, &found, &err), &err, "reading");
    check_rows(self, &found, "the table");
    lines_free(&found);
}

/* All changes from the first snapshot on, each strictly of a row that is there. */
static void check_changes(const engine_test *self)
{
    weir_error err = {0};
    weir_arena arena;
    weir_options options = {0};
    weir_table_open_options open = {.dynamic_options = &options, .for_stream = true};
    weir_table *table = NULL;
    weir_stream_scan *scan = NULL;
    replayed_rows replay = {.strict = true};
    lines found = {0};
    weir_arena_init(&arena);
    weir_options_set(&options, &arena, "scan.mode", "from-snapshot");
    weir_options_set(&options, &arena, "scan.snapshot-id", "1");
    must(weir_table_open(self->table.fs, FIXTURE_PATH, &open, &table, &err), &err, "opening for a stream");
    must(weir_stream_scan_open(table, NULL, &scan, &err), &err, "opening the stream");
    for (;;) {
        weir_table_plan *plan = NULL;
        int code = weir_stream_scan_next(scan, &plan, &err);
        if (code == WEIR_END || code == WEIR_IDLE) {
            break;
        }
        must(code, &err, "the next changes");
        replay_plan(&replay, table, plan, false);
        weir_table_plan_free(plan);
    }
    for (size_t i = 0; i < replay.rows.entry_count; i++) {
        const char *line = replay.rows.entries[i].value;
        if (line != NULL) {
            lines_add(&found, line, strlen(line));
        }
    }
    check_rows(self, &found, "its changes");
    lines_free(&found);
    replay_free(&replay);
    weir_stream_scan_close(scan);
    weir_table_close(table);
    weir_arena_free(&arena);
}

/* ---- rounds ---- */

static void run_round(const engine_case *engine, const char *producer, uint64_t seed)
{
    static const char *const formats[] = {"parquet", "avro"};
    engine_test self = {.engine = engine, .random = {seed}};
    char options[700];
    snprintf(options, sizeof options,
             "bucket=1;changelog-producer=%s;%sfile.format=%s;num-sorted-run.compaction-trigger=%d;"
             "full-compaction.delta-commits=%d;snapshot.num-retained.min=500;snapshot.num-retained.max=500;%s%s%s",
             producer, random_below(&self.random, 3) == 0 ? "changelog-producer.row-deduplicate=true;" : "",
             formats[random_below(&self.random, 2)], 2 + (int)random_below(&self.random, 3),
             1 + (int)random_below(&self.random, 4), random_below(&self.random, 3) == 0 ? "target-file-size=1 kb;" : "",
             random_below(&self.random, 2) == 0 ? "write-buffer-size=1 b;" : "", /* several compactions a commit */
             engine->options);
    snprintf(self.what, sizeof self.what, "%s, %s, WEIR_SEED=%llu", engine->name, producer, (unsigned long long)seed);
    fixture_create(&self.table, "p INT NOT NULL, k INT NOT NULL, a INT, b INT, t INT", "p,k", "", options);
    for (int i = 0; i < STEPS; i++) {
        uint64_t choice = random_below(&self.random, 100);
        if (choice < 60) {
            if (write_some(&self) && engine->forgets_deletes) {
                compact(&self, true);
            }
        } else if (choice < 85) {
            commit(&self);
        } else {
            compact(&self, choice < 90);
        }
        if (choice >= 60 && choice < 85 && !engine->skips_level_zero) {
            check_table(&self);
        }
    }
    compact(&self, true);
    check_table(&self);
    if (strcmp(producer, "lookup") == 0 || strcmp(producer, "full-compaction") == 0) {
        check_changes(&self);
    }
    fixture_free(&self.table);
}

static void every_engine_with_every_producer_gives_its_rows_and_changes(void **state)
{
    (void)state;
    random_state random = random_start();
    bool one = getenv("WEIR_SEED") != NULL;
    weir_log_set_level(WEIR_LOG_ERROR);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int p = 0; p < 4 && cases[c].producers[p] != NULL; p++) {
            for (int i = 0; i < (one ? 1 : ROUNDS); i++) {
                run_round(&cases[c], cases[c].producers[p], one ? random.state : random_next(&random));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_engine_with_every_producer_gives_its_rows_and_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
