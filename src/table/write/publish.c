/* Committing, and once more what a dropped compaction would have told. */
#include "table/write/publish.h"

#include "base/clock.h"
#include "base/log.h"
#include "table/commit/commit_internal.h"

enum {
    MOST_TRIES = 20, /* each time somebody else has got on; then the changes wait for whoever compacts the bucket next */
    LONGEST_WAIT_MS = 64
};

void weir_publish_count(const weir_commit_messages *messages, int64_t snapshot_id, weir_publish_summary *summary)
{
    for (size_t i = 0; i < messages->count; i++) {
        const weir_commit_message *message = &messages->items[i];
        summary->files += (int64_t)(message->new_files.count + message->changelog_files.count +
                                    message->compact_after.count + message->compact_changelog_files.count);
    }
    if (snapshot_id > 0) {
        summary->commits++;
        summary->last_snapshot = snapshot_id;
    }
}

/* Compacts the buckets of `committable` and commits that. *out_dropped: somebody came between. */
static int compact_again(weir_table_write *write, weir_table_commit *commit, const weir_committable *committable,
                         weir_publish_summary *summary, bool *out_dropped, weir_error *err)
{
    weir_arena arena;
    weir_commit_messages messages = {0};
    int64_t snapshot_id = 0;
    int code = WEIR_OK;
    bool full = weir_table_write_compacts_fully(write);
    *out_dropped = false;
    weir_arena_init(&arena);
    for (size_t i = 0; i < committable->messages->count; i++) {
        const weir_commit_message *message = &committable->messages->items[i];
        bool has_files = message->new_files.count + message->compact_before.count + message->compact_after.count > 0;
        if (!has_files) {
            continue; /* it names indexes alone */
        }
        WEIR_GO(weir_table_write_compact(write, message->partition, message->bucket, full, err));
    }
    WEIR_GO(weir_table_write_prepare(write, true, &arena, &messages, err));
    if (messages.count > 0) {
        weir_committable again = *committable;
        again.messages = &messages;
        WEIR_GO(weir_table_commit_run(commit, &again, &snapshot_id, err));
        *out_dropped = weir_table_commit_dropped_compaction(commit);
        weir_publish_count(&messages, snapshot_id, summary);
    }
done:
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return code;
}

/* Two that compact as often as each other must not stay in step: up to twice as long as the last time. */
static void wait_a_little(int tries)
{
    int64_t most_ms = tries < 6 ? INT64_C(1) << tries : LONGEST_WAIT_MS;
    weir_sleep_ms(weir_monotonic_ns() / 1000 % most_ms);
}

static int settle(weir_table_write *write, weir_table_commit *commit, const weir_committable *committable, bool owes,
                  weir_publish_summary *summary, weir_error *err)
{
    bool dropped = weir_table_commit_dropped_compaction(commit);
    for (int tries = 0; dropped || owes; tries++) {
        if (dropped) {
            WEIR_TRY(weir_table_write_reload(write, err)); /* the buckets go on from what there is */
        }
        if (!weir_table_write_tells_changes(write)) {
            break;
        }
        if (tries == MOST_TRIES) {
            weir_log(WEIR_LOG_WARN, "%s: others compact the same buckets all the time; changes of rows come later",
                     weir_table_commit_table(commit)->path);
            break;
        }
        wait_a_little(tries);
        WEIR_TRY(compact_again(write, commit, committable, summary, &dropped, err));
        owes = false;
    }
    return WEIR_OK;
}

int weir_table_publish_settle(weir_table_write *write, weir_table_commit *commit, const weir_committable *committable,
                              bool owes, weir_publish_summary *summary, weir_error *err)
{
    weir_table_write_committed(write, weir_table_commit_rows_snapshot(commit));
    int code = settle(write, commit, committable, owes, summary, err);
    /* A caller must not take the whole for failed once the rows stand. */
    return code != WEIR_OK ? weir_error_context(err, WEIR_IO, "the rows are committed, their compaction is not") : code;
}

int weir_table_publish(weir_table_write *write, weir_table_commit *commit, const weir_committable *committable,
                       weir_publish_summary *summary, weir_error *err)
{
    int64_t snapshot_id = 0;
    WEIR_TRY(weir_table_commit_run(commit, committable, &snapshot_id, err));
    weir_publish_count(committable->messages, snapshot_id, summary);
    return weir_table_publish_settle(write, commit, committable, false, summary, err);
}

int weir_table_publish_recovered(weir_table_write *write, weir_table_commit *commit,
                                 const weir_committable *committable, int64_t last_seen_snapshot,
                                 weir_publish_summary *summary, weir_error *err)
{
    int64_t snapshot_id = 0;
    WEIR_TRY(weir_table_commit_recover(commit, committable, last_seen_snapshot, &snapshot_id, err));
    weir_publish_count(committable->messages, snapshot_id, summary);
    bool owes = !weir_table_write_compacts_fully(write); /* full compactions have their time (weir_table_write_await) */
    return weir_table_publish_settle(write, commit, committable, owes, summary, err);
}
