/* Kafka tables on librdkafka's own cluster of brokers, which is a thread of this process. */
#include <dlfcn.h>

#include "base/clock.h"
#include "base/log.h"
#include "connect/connect_fixture.h"
#include "connect/kafka/kafka.h"
#include "connect/kafka/library.h"

#include <librdkafka/rdkafka_mock.h>

typedef struct test_cluster {
    const weir_kafka_library *kafka;
    rd_kafka_t *handle;
    rd_kafka_mock_cluster_t *cluster;
    char servers[256];
    __typeof__(rd_kafka_mock_cluster_new) *cluster_new;
    __typeof__(rd_kafka_mock_cluster_destroy) *cluster_destroy;
    __typeof__(rd_kafka_mock_cluster_bootstraps) *cluster_bootstraps;
    __typeof__(rd_kafka_mock_topic_create) *topic_create;
    __typeof__(rd_kafka_mock_broker_set_down) *broker_set_down;
    __typeof__(rd_kafka_mock_broker_set_up) *broker_set_up;
    __typeof__(rd_kafka_mock_push_request_errors) *push_request_errors;
} test_cluster;

static test_cluster cluster;

static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    assert_non_null(symbol);
    memcpy(function, &symbol, sizeof symbol);
}

static void pass_over(const rd_kafka_t *handle, int level, const char *facility, const char *text)
{
    (void)handle;
    (void)level;
    (void)facility;
    (void)text;
}

static int start_cluster(void **state)
{
    (void)state;
    weir_error err;
    char text[256];
    check_ok(weir_kafka_library_get(&cluster.kafka, &err), &err);
    void *library = dlopen("librdkafka.so.1", RTLD_NOW | RTLD_LOCAL);
    find(library, "rd_kafka_mock_cluster_new", &cluster.cluster_new);
    find(library, "rd_kafka_mock_cluster_destroy", &cluster.cluster_destroy);
    find(library, "rd_kafka_mock_cluster_bootstraps", &cluster.cluster_bootstraps);
    find(library, "rd_kafka_mock_topic_create", &cluster.topic_create);
    find(library, "rd_kafka_mock_broker_set_down", &cluster.broker_set_down);
    find(library, "rd_kafka_mock_broker_set_up", &cluster.broker_set_up);
    find(library, "rd_kafka_mock_push_request_errors", &cluster.push_request_errors);
    rd_kafka_conf_t *conf = cluster.kafka->conf_new();
    cluster.kafka->conf_set_log_cb(conf, pass_over);
    cluster.handle = cluster.kafka->new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    assert_non_null(cluster.handle);
    cluster.cluster = cluster.cluster_new(cluster.handle, 1);
    assert_non_null(cluster.cluster);
    snprintf(cluster.servers, sizeof cluster.servers, "%s", cluster.cluster_bootstraps(cluster.cluster));
    return 0;
}

static int stop_cluster(void **state)
{
    (void)state;
    cluster.cluster_destroy(cluster.cluster);
    cluster.kafka->destroy(cluster.handle);
    return 0;
}

/* A table of a topic, with the cluster's brokers. */
static void topic_start(test_table *table, const char *columns, const char *topic, const char *options)
{
    table_start(table, columns, options, "");
    weir_options_set(&table->options, &table->arena, "properties.bootstrap.servers", cluster.servers);
    weir_options_set(&table->options, &table->arena, "topic", topic);
    if (weir_options_get(&table->options, "connector") == NULL) {
        weir_options_set(&table->options, &table->arena, "connector", "kafka");
    }
}

static weir_sink *open_topic_sink(const test_table *table, const char *key, const char *owner)
{
    weir_error err;
    weir_sink *sink = NULL;
    const char *const *keys =
        key == NULL ? NULL : weir_arena_alloc((weir_arena *)(uintptr_t)&table->arena, sizeof *keys);
    if (key != NULL) {
        memcpy((void *)(uintptr_t)keys, &key, sizeof key);
    }
    weir_sink_options options = {.options = &table->options,
                                 .fields = table->columns.fields,
                                 .field_count = table->columns.count,
                                 .primary_keys = keys,
                                 .primary_key_count = key != NULL,
                                 .owner = owner,
                                 .holds_back = owner != NULL};
    check_ok(weir_sink_open(&options, &sink, &err), &err);
    return sink;
}

static void write_topic(const test_table *table, const char *rows)
{
    weir_error err;
    weir_sink *sink = open_topic_sink(table, NULL, NULL);
    write_rows(sink, table, rows, NULL);
    check_ok(weir_sink_show(sink, &err), &err);
    sink->close(sink);
}

/* Appends rows until it has `lines`, or until the source ends (-1) or has nothing to wait for (-2). */
static void read_lines(weir_source *source, const test_table *table, int lines, weir_buffer *out)
{
    weir_error err = {0};
    weir_batch batch;
    int64_t rows = 0;
    int64_t until_ns = weir_monotonic_ns() + 30000000000;
    weir_batch_init(&batch, table->columns.fields, table->columns.count);
    while (rows != lines) {
        int code = source->next(source, &batch, &err);
        if (code == WEIR_END || (code == WEIR_IDLE && lines == -2 && !source->is_waiting)) {
            break;
        }
        if (code != WEIR_IDLE) {
            check_ok(code, &err);
            check_batch(&batch);
            append_rows_as_text(&batch, out);
            rows += batch.length;
        }
        assert_true(weir_monotonic_ns() < until_ns);
        if (code == WEIR_IDLE) {
            weir_sleep_ms(2);
        }
    }
    weir_batch_free(&batch);
}

static weir_source *open_topic(const test_table *table, const char *const *key, const weir_source_options *settings)
{
    weir_error err;
    weir_source *source = NULL;
    weir_source_options *options = WEIR_NEW((weir_arena *)(uintptr_t)&table->arena, weir_source_options);
    *options = *settings;
    options->primary_keys = key;
    options->primary_key_count = key != NULL;
    check_ok(weir_source_open(options, &source, &err), &err);
    return source;
}

static void check_topic(const test_table *table, const char *const *key, const char *expected)
{
    weir_buffer rows = {0};
    const weir_source_options settings = source_options(table, 0);
    weir_source *source = open_topic(table, key, &settings);
    read_lines(source, table, -1, &rows);
    source->close(source);
    assert_string_equal(weir_buffer_text(&rows), expected);
    weir_buffer_free(&rows);
}

#define ALL ";scan.startup.mode=earliest-offset;scan.bounded.mode=latest-offset"

static void rows_go_into_a_topic_and_come_back(void **state)
{
    (void)state;
    test_table table;
    cluster.topic_create(cluster.cluster, "rows", 1, 1);
    topic_start(&table, "a INT, b STRING", "rows", "format=json" ALL);
    check_topic(&table, NULL, "");
    write_topic(&table, "[[1,\"x\"],[2,null]]");
    write_topic(&table, "[[3,\"ü\"]]");
    check_topic(&table, NULL, "+I[1,\"x\"]\n+I[2,null]\n+I[3,\"ü\"]\n");
    table_end(&table);
}

static void keys_and_metadata_stand_beside_values(void **state)
{
    (void)state;
    test_table table;
    test_table read;
    cluster.topic_create(cluster.cluster, "keys", 1, 1);
    const char *formats = "key.format=csv;key.fields=k_a;key.fields-prefix=k_;value.format=json;"
                          "value.fields-include=EXCEPT_KEY" ALL;
    topic_start(&table, "k_a INT, b STRING", "keys", formats);
    write_topic(&table, "[[7,\"x\"],[8,\"y\"]]");
    check_topic(&table, NULL, "+I[7,\"x\"]\n+I[8,\"y\"]\n");
    table_end(&table);

    topic_start(&read, "k_a INT, b STRING, offset BIGINT, topic STRING, partition STRING", "keys", formats);
    weir_buffer rows = {0};
    weir_source_options settings = source_options(&read, 0);
    settings.field_count = 2;
    settings.metadata = settings.fields + 2;
    settings.metadata_count = 3;
    weir_source *source = open_topic(&read, NULL, &settings);
    read_lines(source, &read, -1, &rows);
    source->close(source);
    assert_string_equal(weir_buffer_text(&rows), "+I[7,\"x\",0,\"keys\",\"0\"]\n+I[8,\"y\",1,\"keys\",\"0\"]\n");
    weir_buffer_free(&rows);
    table_end(&read);
}

static void upserts_are_rows_by_key_and_tombstones_delete(void **state)
{
    (void)state;
    static const int8_t kinds[] = {WEIR_INSERT, WEIR_UPDATE_BEFORE, WEIR_UPDATE_AFTER, WEIR_DELETE, WEIR_INSERT};
    static const char *const key = "a";
    test_table table;
    weir_error err;
    cluster.topic_create(cluster.cluster, "upserts", 1, 1);
    topic_start(&table, "a INT, b STRING", "upserts",
                "connector=upsert-kafka;key.format=json;value.format=json;scan.bounded.mode=latest-offset");
    weir_sink *sink = open_topic_sink(&table, key, NULL);
    assert_true(sink->takes_upserts);
    write_rows(sink, &table, "[[1,\"x\"],[1,\"x\"],[1,\"y\"],[1,\"y\"],[2,\"z\"]]", kinds);
    check_ok(weir_sink_show(sink, &err), &err);
    sink->close(sink);
    assert_true(weir_source_gives_upserts(&table.options));
    check_topic(&table, &key, "+U[1,\"x\"]\n+U[1,\"y\"]\n-D[1,null]\n+U[2,\"z\"]\n");
    table_end(&table);
}

#define FOLDS                                                                                                          \
    "connector=upsert-kafka;key.format=json;value.format=json;scan.bounded.mode=latest-offset;"                        \
    "sink.buffer-flush.max-rows=3;sink.buffer-flush.interval=1h"

/* Of the rows of one key only the last is sent: by then there are enough keys, or a checkpoint is made. */
static void rows_of_a_key_are_folded_before_they_are_sent(void **state)
{
    (void)state;
    static const int8_t kinds[] = {WEIR_INSERT, WEIR_UPDATE_AFTER, WEIR_INSERT, WEIR_DELETE, WEIR_UPDATE_AFTER};
    static const char *const key = "a";
    test_table table;
    weir_error err;
    cluster.topic_create(cluster.cluster, "folded", 1, 1);
    topic_start(&table, "a INT, b STRING", "folded", FOLDS);
    weir_sink *sink = open_topic_sink(&table, key, NULL);
    write_rows(sink, &table, "[[1,\"x\"],[1,\"y\"],[2,\"z\"],[2,\"z\"],[1,\"last\"]]", kinds);
    check_ok(sink->tick(sink, &err), &err); /* there is no hurry */
    check_topic(&table, &key, "");
    check_ok(weir_sink_show(sink, &err), &err);
    check_topic(&table, &key, "+U[1,\"last\"]\n-D[2,null]\n");
    write_rows(sink, &table, "[[3,\"a\"],[4,\"b\"],[3,\"c\"]]", NULL);
    write_rows(sink, &table, "[[5,\"d\"],[5,\"e\"]]", NULL); /* the third key */
    write_rows(sink, &table, "[[6,\"f\"]]", NULL);
    sink->close(sink); /* which drops what no checkpoint has sent */
    table_end(&table);

    topic_start(&table, "a INT, b STRING", "folded", FOLDS);
    weir_options_set(&table.options, &table.arena, "sink.buffer-flush.interval", "1 ms");
    sink = open_topic_sink(&table, key, NULL);
    write_rows(sink, &table, "[[7,\"g\"]]", NULL);
    weir_sleep_ms(5);
    check_ok(sink->tick(sink, &err), &err); /* it is time */
    write_rows(sink, &table, "[[7,\"h\"]]", NULL);
    check_ok(weir_sink_show(sink, &err), &err);
    sink->close(sink);
    weir_buffer rows = {0};
    const weir_source_options settings = source_options(&table, 0);
    weir_source *source = open_topic(&table, &key, &settings);
    read_lines(source, &table, -1, &rows);
    source->close(source);
    assert_non_null(strstr(weir_buffer_text(&rows), "+U[7,\"g\"]\n+U[7,\"h\"]\n"));
    assert_null(strstr(weir_buffer_text(&rows), "[6,"));
    weir_buffer_free(&rows);
    table_end(&table);
}

/* In transactions they are folded until the checkpoint, and what is prepared has the last ones alone. */
static void what_is_folded_is_part_of_the_checkpoint(void **state)
{
    (void)state;
    static const char *const key = "a";
    test_table table;
    weir_error err;
    weir_buffer prepared = {0};
    cluster.topic_create(cluster.cluster, "folded-exact", 1, 1);
    topic_start(&table, "a INT, b STRING", "folded-exact",
                FOLDS ";sink.delivery-guarantee=exactly-once;sink.transactional-id-prefix=f");
    weir_sink *sink = open_topic_sink(&table, key, "job-2");
    write_rows(sink, &table, "[[1,\"x\"],[1,\"y\"]]", NULL);
    check_ok(sink->prepare(sink, &prepared, &err), &err);
    check_ok(sink->commit(sink, weir_buffer_slice(&prepared), &err), &err);
    check_topic(&table, &key, "+U[1,\"y\"]\n");
    sink->close(sink);
    weir_buffer_free(&prepared);
    table_end(&table);
}

/* Writes rows of (a INT, topic STRING METADATA) and gives the code. */
static int write_routed(test_table *table, const char *rows, weir_error *err)
{
    weir_sink *sink = NULL;
    weir_sink_options options = {.options = &table->options,
                                 .fields = table->columns.fields,
                                 .field_count = 1,
                                 .metadata = table->columns.fields + 1,
                                 .metadata_count = 1};
    WEIR_TRY(weir_sink_open(&options, &sink, err));
    weir_batch batch;
    batch_of_rows(table, rows, &batch);
    int code = sink->write(sink, &batch, err);
    code = code == WEIR_OK ? weir_sink_show(sink, err) : code;
    weir_batch_free(&batch);
    sink->close(sink);
    return code;
}

static void check_routed(const char *topic, const char *expected)
{
    test_table table;
    topic_start(&table, "a INT", topic, "format=json" ALL);
    check_topic(&table, NULL, expected);
    table_end(&table);
}

static void a_row_names_its_topic_where_there_are_several(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    cluster.topic_create(cluster.cluster, "route-1", 1, 1);
    cluster.topic_create(cluster.cluster, "route-2", 1, 1);
    table_start(&table, "a INT, topic STRING", "connector=kafka;format=json", "");
    weir_options_set(&table.options, &table.arena, "properties.bootstrap.servers", cluster.servers);
    weir_options_set(&table.options, &table.arena, "topic", "route-1;route-2");
    check_ok(write_routed(&table, "[[1,\"route-1\"],[2,\"route-2\"],[3,\"route-1\"]]", &err), &err);
    check_routed("route-1", "+I[1]\n+I[3]\n");
    check_routed("route-2", "+I[2]\n");
    assert_int_equal(write_routed(&table, "[[4,\"route-3\"]]", &err), WEIR_INVALID);
    assert_string_equal(err.message, "The topic of the sink record is not valid. Expected topic to be in: [route-1, "
                                     "route-2] but was: route-3");
    assert_int_equal(write_routed(&table, "[[4,null]]", &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "Expected a single topic but no topic is set."));
    weir_options_set(&table.options, &table.arena, "topic", "route-2"); /* a single one takes all */
    check_ok(write_routed(&table, "[[5,\"route-1\"],[6,null]]", &err), &err);
    check_routed("route-2", "+I[2]\n+I[5]\n+I[6]\n");
    table_end(&table);

    table_start(&table, "a INT, topic STRING", "connector=kafka;format=json", "");
    weir_options_set(&table.options, &table.arena, "properties.bootstrap.servers", cluster.servers);
    weir_options_set(&table.options, &table.arena, "topic-pattern", "route-.");
    check_ok(write_routed(&table, "[[7,\"route-1\"]]", &err), &err);
    check_routed("route-1", "+I[1]\n+I[3]\n+I[7]\n");
    assert_int_equal(write_routed(&table, "[[8,\"other\"]]", &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "Expected topic to match: route-. but was: other"));
    table.columns.count = 1; /* nothing says where rows go */
    weir_sink *sink = NULL;
    const weir_sink_options options = {.options = &table.options, .fields = table.columns.fields, .field_count = 1};
    assert_int_equal(weir_sink_open(&options, &sink, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "add `topic` STRING METADATA"));
    table_end(&table);
}

static void a_position_goes_on_after_the_last_batch(void **state)
{
    (void)state;
    test_table table;
    weir_error err;
    weir_buffer rows = {0};
    weir_buffer position = {0};
    cluster.topic_create(cluster.cluster, "position", 1, 1);
    topic_start(&table, "a INT", "position", "format=json;scan.startup.mode=earliest-offset;properties.group.id=g");
    write_topic(&table, "[[1],[2],[3],[4],[5]]");
    weir_source_options settings = source_options(&table, 2);
    weir_source *source = open_topic(&table, NULL, &settings);
    read_lines(source, &table, 2, &rows);
    check_ok(source->position(source, &position, &err), &err);
    check_ok(source->committed(source, weir_buffer_slice(&position), &err), &err);
    read_lines(source, &table, 2, &rows); /* which is forgotten */
    source->close(source);
    weir_buffer_clear(&rows);

    source = open_topic(&table, NULL, &settings);
    check_ok(source->restore(source, weir_buffer_slice(&position), &err), &err);
    weir_buffer same = {0};
    check_ok(source->position(source, &same, &err), &err);
    assert_true(weir_slice_equal(weir_buffer_slice(&same), weir_buffer_slice(&position)));
    read_lines(source, &table, -2, &rows);
    assert_string_equal(weir_buffer_text(&rows), "+I[3]\n+I[4]\n+I[5]\n");
    assert_int_equal(source->lag_ms(source), 0);
    write_topic(&table, "[[6]]");
    read_lines(source, &table, 1, &rows);
    assert_string_equal(weir_buffer_text(&rows), "+I[3]\n+I[4]\n+I[5]\n+I[6]\n");
    for (size_t size = 0; size < position.size; size++) {
        assert_int_equal(source->restore(source, weir_slice_of(position.data, size), &err), WEIR_CORRUPT);
    }
    source->close(source);
    weir_buffer_free(&same);
    weir_buffer_free(&rows);
    weir_buffer_free(&position);
    table_end(&table);

    /* The group was told. */
    topic_start(&table, "a INT", "position", "format=json;properties.group.id=g;scan.bounded.mode=latest-offset");
    check_topic(&table, NULL, "+I[3]\n+I[4]\n+I[5]\n+I[6]\n");
    table_end(&table);
}

/* That it does so once needs brokers that keep the offsets of transactions, which these do not. */
static void the_outbox_shows_rows_when_it_commits(void **state)
{
    (void)state;
    test_table table;
    weir_error err;
    weir_buffer prepared = {0};
    cluster.topic_create(cluster.cluster, "exact", 1, 1);
    topic_start(&table, "a INT", "exact",
                "format=json;sink.delivery-guarantee=exactly-once;sink.transactional-id-prefix=p" ALL);
    weir_sink *sink = open_topic_sink(&table, NULL, "job-0");
    write_rows(sink, &table, "[[1],[2]]", NULL);
    check_ok(sink->prepare(sink, &prepared, &err), &err);
    check_topic(&table, NULL, "");
    check_ok(sink->commit(sink, weir_buffer_slice(&prepared), &err), &err);
    check_topic(&table, NULL, "+I[1]\n+I[2]\n");
    sink->close(sink);
    weir_buffer_free(&prepared);
    table_end(&table);
}

/* What a request is called in Kafka's protocol. */
enum { PRODUCE = 0, FETCH = 1 };

static void a_transaction_that_is_spoiled_says_why(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    cluster.topic_create(cluster.cluster, "spoiled", 1, 1);
    topic_start(&table, "a INT", "spoiled",
                "format=json;sink.delivery-guarantee=exactly-once;sink.transactional-id-prefix=q" ALL);
    weir_sink *sink = open_topic_sink(&table, NULL, NULL);
    cluster.push_request_errors(cluster.cluster, PRODUCE, 1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    write_rows(sink, &table, "[[1],[2]]", NULL);
    int code = weir_sink_show(sink, &err);
    assert_int_equal(code, WEIR_CONFLICT);
    assert_int_equal(err.code, code);
    assert_non_null(strstr(err.message, "topic 'spoiled': committing a transaction: "));
    sink->close(sink);
    check_topic(&table, NULL, "");
    table_end(&table);
}

/* The same in a job is tried again as a whole, from what the outbox holds. */
static void a_delivery_that_is_spoiled_is_done_again(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    weir_buffer prepared = {0};
    cluster.topic_create(cluster.cluster, "again", 1, 1);
    topic_start(&table, "a INT", "again",
                "format=json;sink.delivery-guarantee=exactly-once;sink.transactional-id-prefix=r" ALL);
    weir_sink *sink = open_topic_sink(&table, NULL, "job-1");
    write_rows(sink, &table, "[[1],[2]]", NULL);
    check_ok(sink->prepare(sink, &prepared, &err), &err);
    cluster.push_request_errors(cluster.cluster, PRODUCE, 1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    check_ok(sink->commit(sink, weir_buffer_slice(&prepared), &err), &err);
    sink->close(sink);
    check_topic(&table, NULL, "+I[1]\n+I[2]\n");
    weir_buffer_free(&prepared);
    table_end(&table);
}

static void bad_messages_are_named_or_passed_over(void **state)
{
    (void)state;
    test_table table;
    cluster.topic_create(cluster.cluster, "bad", 1, 1);
    topic_start(&table, "a STRING", "bad", "format=raw" ALL);
    write_topic(&table, "[[\"{\\\"a\\\":1}\"],[\"{\\\"a\\\":oops}\"],[\"{\\\"a\\\":3}\"]]");
    table_end(&table);
    topic_start(&table, "a INT", "bad", "format=json" ALL);
    weir_error err = {0};
    weir_batch batch;
    const weir_source_options settings = source_options(&table, 0);
    weir_source *source = open_topic(&table, NULL, &settings);
    int code;
    weir_batch_init(&batch, table.columns.fields, table.columns.count);
    while ((code = source->next(source, &batch, &err)) == WEIR_IDLE) {
        weir_sleep_ms(2);
    }
    assert_int_equal(code, WEIR_CORRUPT);
    assert_non_null(
        strstr(err.message, "topic 'bad', partition 0, offset 1, '{\"a\":oops}': line 1, column 6: expected"));
    weir_batch_free(&batch);
    source->close(source);
    weir_options_set(&table.options, &table.arena, "json.ignore-parse-errors", "true");
    check_topic(&table, NULL, "+I[1]\n+I[3]\n");
    table_end(&table);
}

static void a_broker_may_go_away_and_come_back(void **state)
{
    (void)state;
    test_table table;
    weir_error err;
    weir_buffer rows = {0};
    cluster.topic_create(cluster.cluster, "away", 1, 1);
    topic_start(&table, "a INT", "away", "format=json;scan.startup.mode=earliest-offset");
    write_topic(&table, "[[1]]");
    const weir_source_options settings = source_options(&table, 0);
    weir_source *source = open_topic(&table, NULL, &settings);
    read_lines(source, &table, 1, &rows);
    cluster.broker_set_down(cluster.cluster, 1);
    weir_sink *sink = open_topic_sink(&table, NULL, NULL);
    write_rows(sink, &table, "[[2]]", NULL);
    weir_batch batch;
    weir_batch_init(&batch, table.columns.fields, table.columns.count);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(source->next(source, &batch, &err), WEIR_IDLE);
        weir_sleep_ms(2);
    }
    weir_batch_free(&batch);
    cluster.broker_set_up(cluster.cluster, 1);
    check_ok(weir_sink_show(sink, &err), &err);
    sink->close(sink);
    read_lines(source, &table, 1, &rows);
    assert_string_equal(weir_buffer_text(&rows), "+I[1]\n+I[2]\n");
    source->close(source);
    weir_buffer_free(&rows);
    table_end(&table);
}

/* Reads two rows, and then loses the offset, as it happens when messages are removed or the topic is made anew. Gives
 * what comes after that: the code, and the rows in `out`. The client may pass an answer over: then it loses it again.
 */
static int lose_offset(weir_source *source, const test_table *table, weir_buffer *out, weir_error *err)
{
    enum { AGAIN_MS = 2000, NAP_MS = 2 };
    weir_batch batch;
    int code = WEIR_IDLE;
    read_lines(source, table, 2, out);
    weir_buffer_clear(out);
    weir_batch_init(&batch, table->columns.fields, table->columns.count);
    for (int i = 0; code == WEIR_IDLE && i < 15 * AGAIN_MS; i += NAP_MS) {
        if (i % AGAIN_MS == 0) {
            cluster.push_request_errors(cluster.cluster, FETCH, 1, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE);
        }
        weir_sleep_ms(NAP_MS);
        code = source->next(source, &batch, err);
    }
    append_rows_as_text(&batch, out);
    weir_batch_free(&batch);
    return code;
}

static void an_offset_that_is_lost_while_reading_is_an_error_or_found_again(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    weir_buffer rows = {0};
    cluster.topic_create(cluster.cluster, "lost", 1, 1);
    topic_start(&table, "a INT", "lost", "format=json;scan.startup.mode=earliest-offset");
    write_topic(&table, "[[1],[2]]");
    const weir_source_options settings = source_options(&table, 0);
    weir_source *source = open_topic(&table, NULL, &settings);
    assert_int_equal(lose_offset(source, &table, &rows, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "topic 'lost', partition 0: offset 2 is not there any more"));
    source->close(source);
    weir_buffer_clear(&rows);

    /* From the oldest, though its offset is lower than the one that was lost. */
    weir_log_set_level(WEIR_LOG_ERROR);
    weir_options_set(&table.options, &table.arena, "properties.auto.offset.reset", "earliest");
    source = open_topic(&table, NULL, &settings);
    check_ok(lose_offset(source, &table, &rows, &err), &err);
    assert_ptr_equal(strstr(weir_buffer_text(&rows), "+I[1]\n"), weir_buffer_text(&rows));
    source->close(source);
    weir_log_set_level(WEIR_LOG_WARN);
    weir_buffer_free(&rows);
    table_end(&table);
}

static void memory_for_messages_is_taken_of_the_budget(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    weir_budget budget;
    topic_start(&table, "a INT", "rows", "format=json" ALL);
    weir_budget_init(&budget, "sources", NULL, 16 << 20);
    weir_source_options settings = source_options(&table, 0);
    settings.budget = &budget;
    weir_source *source = open_topic(&table, NULL, &settings);
    assert_int_equal(budget.used_bytes, 5 << 20);
    source->close(source);
    assert_int_equal(budget.used_bytes, 0);
    weir_budget_init(&budget, "sources", NULL, 1 << 20);
    assert_int_equal(weir_source_open(&settings, &source, &err), WEIR_NO_MEMORY);
    table_end(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_go_into_a_topic_and_come_back),
        cmocka_unit_test(keys_and_metadata_stand_beside_values),
        cmocka_unit_test(upserts_are_rows_by_key_and_tombstones_delete),
        cmocka_unit_test(rows_of_a_key_are_folded_before_they_are_sent),
        cmocka_unit_test(what_is_folded_is_part_of_the_checkpoint),
        cmocka_unit_test(a_row_names_its_topic_where_there_are_several),
        cmocka_unit_test(a_position_goes_on_after_the_last_batch),
        cmocka_unit_test(the_outbox_shows_rows_when_it_commits),
        cmocka_unit_test(a_transaction_that_is_spoiled_says_why),
        cmocka_unit_test(a_delivery_that_is_spoiled_is_done_again),
        cmocka_unit_test(bad_messages_are_named_or_passed_over),
        cmocka_unit_test(a_broker_may_go_away_and_come_back),
        cmocka_unit_test(an_offset_that_is_lost_while_reading_is_an_error_or_found_again),
        cmocka_unit_test(memory_for_messages_is_taken_of_the_budget),
    };
    return cmocka_run_group_tests(tests, start_cluster, stop_cluster);
}
