/* A tour of libweir: creates a table of accounts, writes to it twice, reads it back, and follows its changes.
 *
 *   cc read_write.c $(pkg-config --cflags --libs weir) -o read_write
 *   ./read_write /tmp/lake/bank.db/accounts
 *
 * Data go in and out through the Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html). A
 * program that uses an Arrow library gets and gives these structs there; this one makes them by hand, to stand alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/weir.h>

/* Ends the program when a call fails: the message says what is wrong, where, and what to do. */
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        weir_error error = {0};                                                                                        \
        weir_error *err = &error;                                                                                      \
        if ((call) != WEIR_OK) {                                                                                       \
            fprintf(stderr, "read_write: %s\n", error.message);                                                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { INSERT = 0, UPDATE_BEFORE = 1, UPDATE_AFTER = 2, DELETE = 3 };

/* The columns of a table are the children of an Arrow struct. Those without ARROW_FLAG_NULLABLE are NOT NULL. */
static struct ArrowSchema id_column = {.format = "l", .name = "id"};
static struct ArrowSchema owner_column = {.format = "u", .name = "owner", .flags = ARROW_FLAG_NULLABLE};
static struct ArrowSchema balance_column = {.format = "l", .name = "balance", .flags = ARROW_FLAG_NULLABLE};
static struct ArrowSchema kind_column = {.format = "c", .name = "_ROW_KIND"};
static struct ArrowSchema *columns[] = {&id_column, &owner_column, &balance_column, &kind_column};

static void create_table(const char *path)
{
    static const char *const primary_keys[] = {"id"};
    static const weir_property options[] = {{"bucket", "2"}, {"changelog-producer", "input"}};
    struct ArrowSchema schema = {.format = "+s", .n_children = 3, .children = columns};
    weir_create_request request = {
        .columns = &schema,
        .primary_keys = primary_keys,
        .primary_key_count = 1,
        .options = options,
        .option_count = 2,
        .comment = "accounts of a bank",
    };
    MUST(weir_lake_table_create(path, &request, err));
}

/* Two accounts and what happened to them, as a batch. Everything in it is borrowed by weir_writer_write. */
static void write_changes(weir_writer *writer, const int64_t ids[2], const char *owners, const int32_t owner_ends[3],
                          const int64_t balances[2], const int8_t kinds[2])
{
    const void *id_buffers[] = {NULL, ids}, *owner_buffers[] = {NULL, owner_ends, owners};
    const void *balance_buffers[] = {NULL, balances}, *kind_buffers[] = {NULL, kinds}, *no_buffers[] = {NULL};
    struct ArrowArray arrays[] = {
        {.length = 2, .n_buffers = 2, .buffers = id_buffers},
        {.length = 2, .n_buffers = 3, .buffers = owner_buffers},
        {.length = 2, .n_buffers = 2, .buffers = balance_buffers},
        {.length = 2, .n_buffers = 2, .buffers = kind_buffers},
    };
    struct ArrowArray *children[] = {&arrays[0], &arrays[1], &arrays[2], &arrays[3]};
    struct ArrowSchema schema = {.format = "+s", .n_children = 4, .children = columns};
    struct ArrowArray rows = {
        .length = 2, .n_buffers = 1, .buffers = no_buffers, .n_children = 4, .children = children};
    MUST(weir_writer_write(writer, &schema, &rows, err));
}

/* Makes a snapshot of what was written. The identifier ascends from commit to commit: with the same commit user, a
 * program that crashed may replay a commit without harm. */
static void commit(weir_writer *writer, int64_t identifier)
{
    weir_prepared *prepared = NULL;
    int64_t snapshot = 0;
    MUST(weir_writer_prepare(writer, true, &prepared, err));
    MUST(weir_writer_commit(writer, prepared, identifier, &snapshot, err));
    printf("committed %" PRId64 " as snapshot %" PRId64 "\n", identifier, snapshot);
    MUST(weir_writer_replay(writer, prepared, identifier, &snapshot, err));
    printf("replayed it: %s\n", snapshot == 0 ? "nothing changed" : "committed again");
    weir_prepared_free(prepared);
}

/* Prints the rows of a stream of (id, owner, balance and, with changes, the kind), and releases it. */
static void print_rows(struct ArrowArrayStream *stream)
{
    static const char *const kinds[] = {"+I", "-U", "+U", "-D"};
    for (;;) {
        struct ArrowArray batch;
        if (stream->get_next(stream, &batch) != 0) {
            fprintf(stderr, "read_write: %s\n", stream->get_last_error(stream));
            exit(1);
        }
        if (batch.release == NULL) { /* the end */
            break;
        }
        const int64_t *ids = batch.children[0]->buffers[1];
        const int32_t *ends = batch.children[1]->buffers[1];
        const char *owners = batch.children[1]->buffers[2];
        const int64_t *balances = batch.children[2]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++) {
            if (batch.n_children > 3) {
                printf("  %s", kinds[((const int8_t *)batch.children[3]->buffers[1])[i]]);
            }
            printf("  %" PRId64 "  %-4.*s %" PRId64 "\n", ids[i], ends[i + 1] - ends[i], owners + ends[i], balances[i]);
        }
        batch.release(&batch);
    }
    stream->release(stream);
}

static void read_rich_accounts(const weir_lake_table *table)
{
    static const char *const hundred[] = {"100"};
    static const weir_condition rich[] = {{"balance", WEIR_CONDITION_GREATER_OR_EQUAL, hundred, 1}};
    weir_read_request request = {.conditions = rich, .condition_count = 1};
    struct ArrowArrayStream stream;
    printf("accounts with 100 or more\n");
    MUST(weir_lake_table_read(table, &request, &stream, err));
    print_rows(&stream);
}

/* All changes since the first snapshot. A program that follows a table would sleep on WEIR_IDLE and ask again. */
static void follow_changes(const char *path)
{
    static const weir_property options[] = {{"scan.mode", "from-snapshot"}, {"scan.snapshot-id", "1"}};
    weir_open_settings settings = {.options = options, .option_count = 2, .for_changes = true};
    weir_lake_table *table = NULL;
    weir_change_stream *changes = NULL;
    MUST(weir_lake_table_open(path, &settings, &table, err));
    MUST(weir_change_stream_open(table, NULL, &changes, err));
    for (;;) {
        struct ArrowArrayStream stream;
        int64_t snapshot = 0;
        weir_error error = {0};
        int code = weir_change_stream_next(changes, &stream, &snapshot, &error);
        if (code == WEIR_IDLE) {
            break;
        }
        if (code != WEIR_OK) {
            fprintf(stderr, "read_write: %s\n", error.message);
            exit(1);
        }
        printf("changes of snapshot %" PRId64 "\n", snapshot);
        print_rows(&stream);
    }
    printf("position to go on from: %" PRId64 "\n", weir_change_stream_position(changes));
    weir_change_stream_close(changes);
    weir_lake_table_close(table);
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: read_write FOLDER_OF_A_NEW_TABLE\n");
        return 2;
    }
    const char *path = words[1];
    weir_lake_table *table = NULL;
    weir_writer *writer = NULL;
    printf("libweir %s\n", weir_version());
    create_table(path);
    MUST(weir_lake_table_open(path, NULL, &table, err));
    MUST(weir_writer_open(table, "tour", false, &writer, err));

    write_changes(writer, (int64_t[]){1, 2}, "annbob", (int32_t[]){0, 3, 6}, (int64_t[]){100, 50},
                  (int8_t[]){INSERT, INSERT});
    commit(writer, 1);
    write_changes(writer, (int64_t[]){1, 1}, "annann", (int32_t[]){0, 3, 6}, (int64_t[]){100, 130},
                  (int8_t[]){UPDATE_BEFORE, UPDATE_AFTER});
    write_changes(writer, (int64_t[]){2, 3}, "bobeve", (int32_t[]){0, 3, 6}, (int64_t[]){50, 70},
                  (int8_t[]){DELETE, INSERT});
    commit(writer, 2);
    weir_writer_close(writer);

    read_rich_accounts(table);
    weir_lake_table_close(table);
    follow_changes(path);
    return 0;
}
