/* Seeds of tables: each whole as an archive (see fuzz_table.c), and its metadata files one by one. Nothing in them is
 * compressed, so that a mutation of a byte is one of the contents. */
#include <stdlib.h>

#include "fuzz/seeds.h"
#include "table/commit/commit.h"
#include "table/write/table_write.h"

#define TABLE   "/t"
#define COMMITS 3

typedef struct seed_table {
    const char *name;
    const char *columns; /* of a ROW type; dt, id and n must be there, others become NULL */
    bool has_key;
    const char *const *options; /* key, value, …, NULL */
} seed_table;

static const char *const input_options[] = {"bucket", "1", "changelog-producer", "input", "file.format", "avro", NULL};
static const char *const lookup_options[] = {"bucket",  "2", "changelog-producer", "lookup", "file.format",
                                             "parquet", NULL};
static const char *const append_options[] = {"bucket", "-1", "file.format", "parquet", "metadata.stats-dense-store",
                                             "true",   NULL};

static const seed_table tables[] = {
    {"input-avro", "dt STRING, id BIGINT, n INT, v DECIMAL(20, 2), t TIMESTAMP(6)", true, input_options},
    {"lookup-parquet", "dt STRING, id BIGINT, n INT, a ARRAY<INT>, s STRING", true, lookup_options},
    {"append-parquet", "dt STRING, id BIGINT, n INT", false, append_options},
};

static weir_schema *make_schema(const seed_table *wanted, weir_arena *arena)
{
    weir_error err = {0};
    const weir_type *row = NULL;
    weir_schema *schema = NULL;
    static const char *const keys[] = {"dt", "id"};
    weir_options options = {0};
    for (int i = 0; wanted->options[i] != NULL; i += 2) {
        weir_options_set(&options, arena, wanted->options[i], wanted->options[i + 1]);
    }
    weir_options_set(&options, arena, "manifest.compression", "null");
    weir_options_set(&options, arena, "file.compression", "none");
    weir_options_set(&options, arena, "num-sorted-run.compaction-trigger", "2");
    const char *text = weir_arena_format(arena, "ROW<%s>", wanted->columns);
    seeds_must(weir_type_parse(text, arena, &row, &err), &err, text);
    seeds_must(weir_schema_create(arena, row->fields, row->field_count, keys, wanted->has_key ? 2 : 0, keys, 1,
                                  &options, NULL, &schema, &err),
               &err, wanted->name);
    return schema;
}

static void append_row(weir_batch *batch, const char *dt, int64_t id, int32_t n)
{
    weir_error err = {0};
    int code = weir_vector_append_raw(&batch->columns[0], dt, strlen(dt), &err);
    code |= weir_vector_append_raw(&batch->columns[1], &id, sizeof id, &err);
    code |= weir_vector_append_raw(&batch->columns[2], &n, sizeof n, &err);
    for (int32_t i = 3; i < batch->column_count; i++) {
        code |= weir_vector_append_nulls(&batch->columns[i], 1, &err);
    }
    seeds_must(code, &err, "a row");
    batch->length++;
}

static void write_and_commit(const weir_table *table, weir_table_write *write, weir_table_commit *commit, int number)
{
    weir_error err = {0};
    weir_arena arena;
    weir_batch batch;
    weir_commit_messages messages = {0};
    weir_committable committable = {.identifier = number, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    weir_arena_init(&arena);
    weir_batch_init(&batch, table->schema->fields, table->schema->field_count);
    for (int i = 0; i < 4; i++) {
        append_row(&batch, i % 2 == 0 ? "2024-01-01" : "x", i + number, number * 100 + i);
    }
    seeds_must(weir_table_write_batch(write, &batch, &err), &err, "writing");
    seeds_must(weir_table_write_prepare(write, true, &arena, &messages, &err), &err, "preparing");
    seeds_must(weir_table_commit_run(commit, &committable, NULL, &err), &err, "committing");
    weir_commit_messages_free(&messages);
    weir_batch_free(&batch);
    weir_arena_free(&arena);
}

static void make_table(weir_fs *fs, const seed_table *wanted)
{
    weir_error err = {0};
    weir_arena arena;
    weir_table *table = NULL;
    weir_table_write *write = NULL;
    weir_table_commit *commit = NULL;
    weir_table_write_options options = {.commit_user = "seeds"};
    weir_arena_init(&arena);
    seeds_must(weir_schema_publish(fs, TABLE, make_schema(wanted, &arena), &err), &err, wanted->name);
    seeds_must(weir_table_open(fs, TABLE, NULL, &table, &err), &err, wanted->name);
    seeds_must(weir_table_write_open(table, &options, &write, &err), &err, wanted->name);
    seeds_must(weir_table_commit_open(table, "seeds", &commit, &err), &err, wanted->name);
    for (int number = 1; number <= COMMITS; number++) {
        write_and_commit(table, write, commit, number);
    }
    weir_table_write_close(write);
    weir_table_commit_close(commit);
    weir_table_close(table);
    weir_arena_free(&arena);
}

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* Metadata files are seeds by themselves, with the letter of their kind in front (see fuzz_meta.c). */
static void add_file_seed(const seed_table *table, const char *name, weir_slice bytes, size_t number, weir_arena *arena)
{
    char kind = begins(name, "schema-")          ? 'S'
                : begins(name, "snapshot-")      ? 'N'
                : begins(name, "manifest-list-") ? 'L'
                : begins(name, "manifest-")      ? 'M'
                                                 : 0;
    const char *seed = weir_arena_format(arena, "%s-%03zu", table->name, number);
    if (kind != 0) {
        weir_buffer tagged = {0};
        weir_buffer_append_byte(&tagged, (uint8_t)kind);
        weir_buffer_append(&tagged, bytes.data, bytes.size);
        add_seed("meta", seed, weir_buffer_slice(&tagged));
        weir_buffer_free(&tagged);
    }
    if (kind == 'L' || kind == 'M') {
        add_seed("avro", seed, bytes);
    }
}

typedef struct packing {
    weir_fs *fs;
    const seed_table *table;
    weir_arena arena;
    size_t file_count;
    weir_buffer archive;
} packing;

static void pack_file(packing *pack, const char *path, const char *name)
{
    weir_error err = {0};
    weir_buffer bytes = {0};
    const char *relative = path + strlen(TABLE "/");
    seeds_must(weir_fs_read_all(pack->fs, path, &bytes, &err), &err, path);
    uint32_t size = (uint32_t)bytes.size;
    weir_buffer_append_byte(&pack->archive, (uint8_t)strlen(relative));
    weir_buffer_append_text(&pack->archive, relative);
    weir_buffer_append(&pack->archive, &size, sizeof size);
    weir_buffer_append(&pack->archive, bytes.data, bytes.size);
    add_file_seed(pack->table, name, weir_buffer_slice(&bytes), pack->file_count++, &pack->arena);
    weir_buffer_free(&bytes);
}

static void pack_folder(packing *pack, const char *path)
{
    weir_error err = {0};
    weir_file_info *entries = NULL;
    size_t count = 0;
    seeds_must(weir_fs_list(pack->fs, path, &pack->arena, &entries, &count, &err), &err, path);
    for (size_t i = 0; i < count; i++) {
        const char *inner = weir_arena_format(&pack->arena, "%s/%s", path, entries[i].name);
        if (entries[i].is_directory) {
            pack_folder(pack, inner);
        } else {
            pack_file(pack, inner, entries[i].name);
        }
    }
}

void add_table_seeds(void)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        packing pack = {.fs = weir_fs_memory(), .table = &tables[i]};
        weir_arena_init(&pack.arena);
        make_table(pack.fs, &tables[i]);
        pack_folder(&pack, TABLE);
        add_seed("table", tables[i].name, weir_buffer_slice(&pack.archive));
        weir_buffer_free(&pack.archive);
        weir_arena_free(&pack.arena);
        weir_fs_close(pack.fs);
    }
}
