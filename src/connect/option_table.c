/* The table of all connectors and formats, and of their options.
 *
 * Keys and defaults are Flink's. WORKS: it does what Flink does; STORED: it is accepted and changes nothing here;
 * REFUSED: it would change what is read or written, in a way that is not offered. */
#include "connect/connect_options.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define OPTION(k, t, d, s, x)                                                                                          \
    {.key = (k), .type = WEIR_OPTION_##t, .default_value = (d), .support = WEIR_OPTION_##s, .text = (x)}
#define ENUM_OPTION(k, d, x, ...)                                                                                      \
    {.key = (k),                                                                                                       \
     .type = WEIR_OPTION_ENUM,                                                                                         \
     .default_value = (d),                                                                                             \
     .support = WEIR_OPTION_WORKS,                                                                                     \
     .text = (x),                                                                                                      \
     .values = WORDS(__VA_ARGS__)}

#define COUNT_OF(array)     (sizeof(array) / sizeof *(array))
#define WITH_OPTIONS(array) .options = (array), .option_count = COUNT_OF(array)

/* ---- connectors ---- */

/* Of all that can be read: watermarks follow each row here, and jobs have one thread. */
#define WATERMARK_OPTIONS                                                                                              \
    OPTION("scan.watermark.emit.strategy", TEXT, "on-periodic", STORED, "When watermarks are sent."),                  \
        OPTION("scan.watermark.emit.on-event.gap", INTEGER, "1", STORED, "After how many rows."),                      \
        OPTION("scan.watermark.alignment.group", TEXT, NULL, STORED, "Sources that keep step."),                       \
        OPTION("scan.watermark.alignment.max-drift", DURATION, NULL, STORED, "How far a source may run ahead."),       \
        OPTION("scan.watermark.alignment.update-interval", DURATION, "1 s", STORED, "How often they are compared."),   \
        OPTION("scan.watermark.idle-timeout", DURATION, NULL, STORED,                                                  \
               "When a source counts as idle; table.exec.source.idle-timeout says so here.")

static const weir_option filesystem_options[] = {
    OPTION("path", TEXT, NULL, WORKS, "The file or folder."),
    OPTION("format", TEXT, NULL, WORKS, "The format of the files."),
    OPTION("partition.default-name", TEXT, "__DEFAULT_PARTITION__", WORKS,
           "The name of the folder that stands for NULL or an empty text as a partition value."),
    OPTION("source.path.regex-pattern", TEXT, NULL, WORKS,
           "Only files whose whole path matches this regular expression are read."),
    OPTION(
        "source.monitor-interval", DURATION, NULL, WORKS,
        "How often to look for new files and, of text, for lines that were added; without it the files that are there "
        "are read, and then the table ends."),
    OPTION("source.report-statistics", TEXT, "all", STORED, "What a planner may ask of the files."),
    OPTION("source.parallelism", INTEGER, NULL, STORED, "Parallel readers."),
    OPTION("sink.parallelism", INTEGER, NULL, STORED, "Parallel writers."),
    OPTION("sink.rolling-policy.file-size", SIZE, "128MB", WORKS, "The size at which the next file is begun."),
    OPTION("sink.rolling-policy.rollover-interval", DURATION, "30 min", STORED,
           "The age at which the next file is begun; files end with every commit in any case."),
    OPTION("sink.rolling-policy.check-interval", DURATION, "1 min", STORED, "How often the age is looked at."),
    OPTION("sink.rolling-policy.inactivity-interval", DURATION, "30 min", STORED,
           "The time without rows after which the next file is begun."),
    OPTION("sink.shuffle-by-partition.enable", BOOLEAN, "false", STORED, "Whether rows go to writers by partition."),
    OPTION("auto-compaction", BOOLEAN, "false", STORED, "Whether small files are merged before they are committed."),
    OPTION("compaction.file-size", SIZE, NULL, STORED, "The size of merged files."),
    OPTION("sink.partition-commit.trigger", TEXT, "process-time", STORED, "When a partition is complete."),
    OPTION("sink.partition-commit.delay", DURATION, "0 s", STORED, "How long after that it is announced."),
    OPTION("sink.partition-commit.watermark-time-zone", TEXT, "UTC", STORED, "The zone of the watermark."),
    ENUM_OPTION("sink.partition-commit.policy.kind", NULL,
                "How it is announced: success-file writes a file `_SUCCESS` into every partition with new files.",
                "success-file"),
    OPTION("sink.partition-commit.success-file.name", TEXT, "_SUCCESS", WORKS, "The name of that file."),
    OPTION("partition.time-extractor.kind", TEXT, "default", STORED, "How a partition's values become a time."),
    OPTION("partition.time-extractor.class", TEXT, NULL, STORED, "The class that does it."),
    OPTION("partition.time-extractor.timestamp-pattern", TEXT, NULL, STORED, "The text that the time is read from."),
    OPTION("partition.time-extractor.timestamp-formatter", TEXT, "yyyy-MM-dd HH:mm:ss", STORED, "Its format."),
    WATERMARK_OPTIONS,
};

static const weir_option print_options[] = {
    OPTION("print-identifier", TEXT, NULL, WORKS, "A text before every row, to tell several tables apart."),
    OPTION("standard-error", BOOLEAN, "false", WORKS, "Whether rows go to standard error."),
    OPTION("sink.parallelism", INTEGER, NULL, STORED, "Parallel writers."),
};

static const weir_option blackhole_options[] = {
    OPTION("property-version", INTEGER, "1", STORED, "The version of these options."),
};

static const weir_option datagen_options[] = {
    OPTION("rows-per-second", INTEGER, "10000", WORKS, "How fast rows come."),
    OPTION("number-of-rows", INTEGER, NULL, WORKS, "How many rows come; without it they never end."),
    OPTION("scan.parallelism", INTEGER, NULL, STORED, "Parallel readers."),
    OPTION("fields.*.kind", TEXT, "random", WORKS, "`random` or `sequence`."),
    OPTION("fields.*.min", TEXT, NULL, WORKS, "Of random numbers: the least; by default that of the type."),
    OPTION("fields.*.max", TEXT, NULL, WORKS, "Of random numbers: the greatest; by default that of the type."),
    OPTION("fields.*.max-past", TEXT, "0", WORKS, "Of random timestamps: how far back of now they go."),
    OPTION("fields.*.length", TEXT, "100", WORKS, "Of random texts and bytes: their length."),
    OPTION("fields.*.var-len", TEXT, "false", WORKS,
           "Of random texts and bytes: whether that is only the greatest length."),
    OPTION("fields.*.null-rate", TEXT, "0", WORKS, "Of random values: the share of NULLs, from 0 to 1."),
    OPTION("fields.*.start", TEXT, NULL, WORKS, "Of a sequence: its first value."),
    OPTION("fields.*.end", TEXT, NULL, WORKS, "Of a sequence: its last value, with which the table ends."),
    WATERMARK_OPTIONS,
};

/* What both connectors of Kafka have. */
#define KAFKA_OPTIONS                                                                                                  \
    OPTION("topic", TEXT, NULL, WORKS,                                                                                 \
           "The topic; or several, with semicolons between them, of which rows that are written name one."),           \
        OPTION("topic-pattern", TEXT, NULL, WORKS,                                                                     \
               "In place of `topic`: all topics whose whole name matches this pattern."),                              \
        OPTION("properties.bootstrap.servers", TEXT, NULL, WORKS, "Brokers to begin with: `host:port`, with commas."), \
        OPTION("properties.group.id", TEXT, NULL, WORKS,                                                               \
               "The group whose offsets follow the checkpoints; those of the job itself are in its state."),           \
        OPTION("properties.*", TEXT, NULL, WORKS,                                                                      \
               "A property of Kafka's clients, as Java's have it; names of librdkafka are taken too."),                \
        OPTION("key.format", TEXT, NULL, WORKS, "The format of the keys of messages."),                                \
        OPTION("value.format", TEXT, NULL, WORKS, "The format of the values of messages."),                            \
        OPTION("key.fields-prefix", TEXT, NULL, WORKS,                                                                 \
               "What is before the names of key columns in the table, and not in the keys."),                          \
        ENUM_OPTION("value.fields-include", "ALL", "Whether columns of the key are in the value as well.", "ALL",      \
                    "EXCEPT_KEY"),                                                                                     \
        ENUM_OPTION("scan.bounded.mode", "unbounded", "Where reading ends.", "unbounded", "latest-offset",             \
                    "group-offsets", "timestamp", "specific-offsets"),                                                 \
        OPTION("scan.bounded.timestamp-millis", TEXT, NULL, WORKS, "Of timestamp: milliseconds since 1970-01-01."),    \
        OPTION("scan.bounded.specific-offsets", TEXT, NULL, WORKS,                                                     \
               "Of specific-offsets: `partition:0,offset:42;partition:1,offset:300`; what is not named is not read."), \
        OPTION("scan.parallelism", INTEGER, NULL, STORED, "Parallel readers."),                                        \
        ENUM_OPTION("sink.delivery-guarantee", "at-least-once",                                                        \
                    "Whether messages may come twice or be lost after a failure. exactly-once writes each checkpoint " \
                    "in one transaction; consumers read `read_committed`.",                                            \
                    "at-least-once", "exactly-once", "none"),                                                          \
        OPTION("sink.transactional-id-prefix", TEXT, NULL, WORKS,                                                      \
               "Of exactly-once: what the ids of transactions, and groups that note what is delivered, begin with."),  \
        OPTION("sink.transaction-naming-strategy", TEXT, "incrementing", STORED, "How Flink names transactions."),     \
        OPTION("sink.parallelism", INTEGER, NULL, STORED, "Parallel writers.")

static const weir_option kafka_options[] = {
    KAFKA_OPTIONS,
    OPTION("format", TEXT, NULL, WORKS, "The format of the values of messages."),
    OPTION("key.fields", TEXT, NULL, WORKS, "The columns of the key, with semicolons between them."),
    ENUM_OPTION("scan.startup.mode", "group-offsets",
                "Where reading begins. Partitions that come later are read from their beginnings.", "earliest-offset",
                "latest-offset", "group-offsets", "timestamp", "specific-offsets"),
    OPTION("scan.startup.timestamp-millis", TEXT, NULL, WORKS, "Of timestamp: milliseconds since 1970-01-01."),
    OPTION("scan.startup.specific-offsets", TEXT, NULL, WORKS,
           "Of specific-offsets: `partition:0,offset:42;partition:1,offset:300`."),
    OPTION("scan.topic-partition-discovery.interval", DURATION, "5 min", WORKS,
           "How often new partitions are looked for; 0: never."),
    OPTION("sink.partitioner", TEXT, "default", WORKS,
           "`default` and `round-robin`: by the hash of the key, and any without one; `fixed`: the first partition."),
    OPTION("sink.semantic", TEXT, NULL, WORKS, "An old name of sink.delivery-guarantee."),
    WATERMARK_OPTIONS,
};

static const weir_option upsert_kafka_options[] = {
    KAFKA_OPTIONS,
    OPTION("scan.topic-partition-discovery.interval", DURATION, "5 min", WORKS,
           "How often new partitions are looked for; 0: never."),
    OPTION("sink.buffer-flush.max-rows", INTEGER, "0", WORKS,
           "So many keys wait for later rows of theirs, the last of which is sent; 0: rows are sent as they come."),
    OPTION("sink.buffer-flush.interval", DURATION, "0 s", WORKS,
           "For how long they wait at most; a checkpoint sends them earlier. Both are set, or neither."),
    WATERMARK_OPTIONS,
};

static const weir_option mysql_options[] = {
    OPTION("hostname", TEXT, NULL, WORKS, "The server's name or address."),
    OPTION("port", INTEGER, "3306", WORKS, "Its port."),
    OPTION("username", TEXT, NULL, WORKS, "A user with SELECT, REPLICATION SLAVE and REPLICATION CLIENT."),
    OPTION("password", TEXT, NULL, WORKS, "The user's password."),
    OPTION("database-name", TEXT, NULL, WORKS, "A regular expression that names of databases match as a whole."),
    OPTION("table-name", TEXT, NULL, WORKS, "A regular expression that names of tables match as a whole."),
    OPTION("server-id", TEXT, NULL, WORKS,
           "The number by which the server knows this reader, which no other may have: `5400`, or the first of "
           "`5400-5408`; without it one from 5400 to 6400."),
    OPTION("server-time-zone", TEXT, NULL, WORKS,
           "The zone by which TIMESTAMP columns become TIMESTAMP values; without it that of this machine."),
    ENUM_OPTION("scan.startup.mode", "initial",
                "initial: all rows, then changes; snapshot: all rows, and then the table ends; the others: changes alone, "
                "from the first that the server has, from now, from a place, or from a time.",
                "initial", "earliest-offset", "latest-offset", "specific-offset", "timestamp", "snapshot"),
    OPTION("scan.startup.specific-offset.file", TEXT, NULL, WORKS, "The place: a file of the binlog."),
    OPTION("scan.startup.specific-offset.pos", INTEGER, NULL, WORKS, "The position in that file."),
    OPTION("scan.startup.specific-offset.gtid-set", TEXT, NULL, WORKS,
           "The place in another way: the transactions before it, by their global ids."),
    OPTION("scan.startup.specific-offset.skip-events", INTEGER, "0", REFUSED, "How many events to pass over there."),
    OPTION("scan.startup.specific-offset.skip-rows", INTEGER, "0", WORKS, "How many rows to pass over there."),
    OPTION("scan.startup.timestamp-millis", INTEGER, NULL, WORKS, "The time, in milliseconds since 1970."),
    OPTION("scan.incremental.snapshot.enabled", BOOLEAN, "true", WORKS,
           "Whether rows are read chunk by chunk, in the order of the primary key; otherwise a table is one chunk."),
    OPTION("scan.incremental.snapshot.chunk.size", INTEGER, "8096", WORKS,
           "How many rows a chunk has; fewer where they are large."),
    OPTION("scan.incremental.snapshot.chunk.key-column", TEXT, NULL, WORKS,
           "The column by which chunks are made; needed by larger tables without a primary key."),
    OPTION("scan.incremental.snapshot.backfill.skip", BOOLEAN, "false", STORED,
           "Whether changes during a chunk may come twice, which they don't."),
    OPTION("scan.incremental.snapshot.unbounded-chunk-first.enabled", BOOLEAN, "false", STORED,
           "Which chunk is read first."),
    OPTION("scan.incremental.close-idle-reader.enabled", BOOLEAN, "false", STORED,
           "Whether readers end with the snapshot; there is one only."),
    OPTION("scan.snapshot.fetch.size", INTEGER, "1024", STORED, "How many rows are fetched at a time; they come as a stream."),
    OPTION("scan.newly-added-table.enabled", BOOLEAN, "false", REFUSED,
           "Whether tables that match since the last start are read as a whole."),
    OPTION("scan.parse.online.schema.changes.enabled", BOOLEAN, "false", WORKS,
           "Whether a RENAME of a table is taken for the end of an online change by gh-ost or pt-osc, and passed over."),
    OPTION("scan.read-changelog-as-append-only.enabled", BOOLEAN, "false", WORKS,
           "Whether every change is an insert; the column row_kind tells which one it was."),
    OPTION("include-schema-changes", BOOLEAN, "false", STORED, "Of pipelines: whether changes of tables are told."),
    OPTION("connect.timeout", DURATION, "30 s", WORKS,
           "How long connecting may take, and a replica that is behind or a prepared XA transaction is waited for."),
    OPTION("connect.max-retries", INTEGER, "3", WORKS,
           "How often the first connection is tried again; later ones are tried until they are there."),
    OPTION("connection.pool.size", INTEGER, "20", STORED, "How many connections are kept; two are needed."),
    OPTION("heartbeat.interval", DURATION, "30 s", WORKS,
           "How often the position is stored while no row comes; `0 s`: not at all."),
    OPTION("use.legacy.json.format", BOOLEAN, "true", WORKS, "Whether JSON comes without blanks."),
    OPTION("chunk-meta.group.size", INTEGER, "1000", STORED, "How chunks are handed to other machines."),
    OPTION("chunk-key.even-distribution.factor.upper-bound", TEXT, "1000.0", STORED, "How chunks are computed."),
    OPTION("chunk-key.even-distribution.factor.lower-bound", TEXT, "0.05", STORED, "How chunks are computed."),
    OPTION("split-key.even-distribution.factor.upper-bound", TEXT, "1000.0", STORED, "How chunks are computed."),
    OPTION("split-key.even-distribution.factor.lower-bound", TEXT, "0.05", STORED, "How chunks are computed."),
    OPTION("debezium.binary.handling.mode", TEXT, NULL, WORKS,
           "`base64` or `hex`: binary columns may be read as STRING, in this form."),
    OPTION("debezium.skipped.operations", TEXT, NULL, WORKS,
           "With a `t` in it TRUNCATE, DROP TABLE and DROP PARTITION are passed over; otherwise they stop the job."),
    OPTION("debezium.min.row.count.to.stream.result", INTEGER, "1000", STORED, "From how many rows on they are streamed."),
    OPTION("debezium.snapshot.fetch.size", INTEGER, NULL, STORED, "How many rows are fetched at a time."),
    OPTION("debezium.snapshot.locking.mode", TEXT, NULL, STORED, "Which locks are taken; there are none."),
    OPTION("debezium.snapshot.mode", TEXT, NULL, REFUSED, "What is read first; scan.startup.mode says so."),
    OPTION("debezium.connect.keep.alive", BOOLEAN, "true", STORED, "Whether a lost connection is opened again."),
    OPTION("debezium.connect.keep.alive.interval.ms", INTEGER, "60000", STORED, "How often it is looked at."),
    OPTION("debezium.max.queue.size", INTEGER, NULL, STORED, "How many changes may wait."),
    OPTION("debezium.max.batch.size", INTEGER, NULL, STORED, "How many changes come at a time."),
    OPTION("debezium.poll.interval.ms", INTEGER, NULL, STORED, "How often to look for changes."),
    OPTION("debezium.inconsistent.schema.handling.mode", TEXT, "fail", STORED, "What to do with rows of another table."),
    OPTION("debezium.event.deserialization.failure.handling.mode", TEXT, "fail", REFUSED,
           "What to do with events that cannot be read."),
    OPTION("debezium.decimal.handling.mode", TEXT, "precise", REFUSED, "What decimals become."),
    OPTION("debezium.bigint.unsigned.handling.mode", TEXT, "precise", REFUSED, "What BIGINT UNSIGNED becomes."),
    OPTION("debezium.include.schema.changes", BOOLEAN, NULL, STORED, "Whether changes of tables are told."),
    OPTION("debezium.database.ssl.mode", TEXT, NULL, WORKS, "The same as jdbc.properties.sslMode, which goes first."),
    OPTION("debezium.database.ssl.truststore", TEXT, NULL, REFUSED, "A key store of Java's."),
    OPTION("debezium.database.ssl.keystore", TEXT, NULL, REFUSED, "A key store of Java's."),
    OPTION("jdbc.properties.sslMode", TEXT, NULL, WORKS,
           "Whether connections are encrypted: `DISABLED`, as without it; `PREFERRED`: where the server can; `REQUIRED`; "
           "`VERIFY_IDENTITY`: and the server's certificate is checked."),
    OPTION("jdbc.properties.useSSL", BOOLEAN, NULL, WORKS, "`true` is REQUIRED."),
    OPTION("jdbc.properties.requireSSL", BOOLEAN, NULL, WORKS, "`true` is REQUIRED."),
    OPTION("jdbc.properties.verifyServerCertificate", BOOLEAN, NULL, WORKS,
           "`true` makes VERIFY_IDENTITY of what the two before say."),
    OPTION("jdbc.properties.serverSslCert", TEXT, NULL, WORKS,
           "A file with the certificates (PEM) by which the server's is checked; without it those of the system."),
    OPTION("jdbc.properties.trustCertificateKeyStoreUrl", TEXT, NULL, REFUSED,
           "A key store of Java's; jdbc.properties.serverSslCert names certificates."),
    OPTION("jdbc.properties.clientCertificateKeyStoreUrl", TEXT, NULL, REFUSED, "A key store of Java's."),
    OPTION("jdbc.properties.*", TEXT, NULL, STORED, "Settings of a JDBC driver."),
    WATERMARK_OPTIONS,
};

#define NOT_YET                                                                                                        \
    "is not offered by this version; there are: filesystem, kafka, upsert-kafka, mysql-cdc, print, blackhole, datagen"

const weir_connect_kind weir_connectors[] = {
    {.name = "filesystem",
     .reads = true,
     .writes = true,
     WITH_OPTIONS(filesystem_options),
     .text = "Files in a folder."},
    {.name = "datagen", .reads = true, WITH_OPTIONS(datagen_options), .text = "Random rows, or counted ones."},
    {.name = "mysql-cdc",
     .reads = true,
     WITH_OPTIONS(mysql_options),
     .text = "The rows of MySQL or MariaDB tables, and then their changes."},
    {.name = "print", .writes = true, WITH_OPTIONS(print_options), .text = "Rows as text, a line each: `+I[1, a]`."},
    {.name = "blackhole", .writes = true, WITH_OPTIONS(blackhole_options), .text = "Takes rows and forgets them."},
    {.name = "kafka",
     .reads = true,
     .writes = true,
     WITH_OPTIONS(kafka_options),
     .text = "Messages of Kafka's topics."},
    {.name = "upsert-kafka",
     .reads = true,
     .writes = true,
     WITH_OPTIONS(upsert_kafka_options),
     .text = "Messages of Kafka's topics as rows by their key: the last one counts, and one without value deletes."},
    {.name = "paimon",
     .refusal = "is for tables outside of a Paimon catalog; make the catalog (CREATE CATALOG c WITH "
                "('type' = 'paimon', 'warehouse' = '…')) and create the table in it"},
    {.name = "postgres-cdc", .refusal = NOT_YET},
    {.name = "mongodb-cdc", .refusal = NOT_YET},
    {.name = "oracle-cdc", .refusal = NOT_YET},
    {.name = "sqlserver-cdc", .refusal = NOT_YET},
    {.name = "tidb-cdc", .refusal = NOT_YET},
    {.name = "oceanbase-cdc", .refusal = NOT_YET},
    {.name = "db2-cdc", .refusal = NOT_YET},
    {.name = "jdbc", .refusal = NOT_YET},
    {.name = "elasticsearch-6", .refusal = NOT_YET},
    {.name = "elasticsearch-7", .refusal = NOT_YET},
    {.name = "opensearch", .refusal = NOT_YET},
    {.name = "hbase-1.4", .refusal = NOT_YET},
    {.name = "hbase-2.2", .refusal = NOT_YET},
    {.name = "hive", .refusal = NOT_YET},
    {.name = "kinesis", .refusal = NOT_YET},
    {.name = "firehose", .refusal = NOT_YET},
    {.name = "dynamodb", .refusal = NOT_YET},
    {.name = "mongodb", .refusal = NOT_YET},
    {.name = "pulsar", .refusal = NOT_YET},
    {.name = "starrocks", .refusal = NOT_YET},
    {.name = "doris", .refusal = NOT_YET},
    {.name = "iceberg", .refusal = NOT_YET},
    {.name = "hudi", .refusal = NOT_YET},
};

const size_t weir_connector_count = COUNT_OF(weir_connectors);

/* ---- formats ---- */

#define JSON_READ_OPTIONS                                                                                              \
    OPTION("ignore-parse-errors", BOOLEAN, "false", WORKS,                                                             \
           "Passes over records that cannot be read, and makes fields NULL that do not fit their column."),            \
        ENUM_OPTION("timestamp-format.standard", "SQL",                                                                \
                    "How timestamps look: SQL (2024-02-29 12:34:56.789) or ISO-8601 (2024-02-29T12:34:56.789), both "  \
                    "with a Z where the type has a local time zone; ISO-8601-WITH-OFFSET.",                            \
                    "SQL", "ISO-8601", "ISO-8601-WITH-OFFSET")

#define JSON_WRITE_OPTIONS                                                                                             \
    ENUM_OPTION("map-null-key.mode", "FAIL", "What becomes of a NULL key of a map that is written.", "FAIL", "DROP",   \
                "LITERAL"),                                                                                            \
        OPTION("map-null-key.literal", TEXT, "null", WORKS, "The key that stands for NULL with LITERAL."),             \
        OPTION("encode.decimal-as-plain-number", BOOLEAN, "false", WORKS, "Writes decimals as 100 and not as 1E+2."),  \
        OPTION("encode.ignore-null-fields", BOOLEAN, "false", WORKS, "Leaves fields that are NULL out.")

static const weir_option json_options[] = {
    JSON_READ_OPTIONS,
    OPTION("fail-on-missing-field", BOOLEAN, "false", WORKS,
           "Whether a missing field is an error; otherwise it is NULL."),
    OPTION("decode.json-parser.enabled", BOOLEAN, "true", STORED, "Which of two parsers Flink uses."),
    JSON_WRITE_OPTIONS,
};

static const weir_option debezium_options[] = {
    JSON_READ_OPTIONS,
    OPTION("schema-include", BOOLEAN, "false", WORKS,
           "Whether each message has its schema beside its payload; decimals, dates and times are then decoded as the "
           "schema says."),
    JSON_WRITE_OPTIONS,
};

static const weir_option canal_options[] = {
    JSON_READ_OPTIONS,
    OPTION("database.include", TEXT, NULL, WORKS, "Only changes of databases whose whole name matches this pattern."),
    OPTION("table.include", TEXT, NULL, WORKS, "Only changes of tables whose whole name matches this pattern."),
    JSON_WRITE_OPTIONS,
};

static const weir_option maxwell_options[] = {
    JSON_READ_OPTIONS,
    JSON_WRITE_OPTIONS,
};

static const weir_option csv_options[] = {
    OPTION("field-delimiter", TEXT, ",", WORKS, "The character between fields."),
    OPTION("quote-character", TEXT, "\"", WORKS, "The character around fields that hold others."),
    OPTION("disable-quote-character", BOOLEAN, "false", WORKS, "Whether there are no quotes."),
    OPTION("escape-character", TEXT, NULL, WORKS, "The character that takes its meaning from the next one."),
    OPTION("allow-comments", BOOLEAN, "false", WORKS, "Passes over lines that begin with #."),
    OPTION("ignore-parse-errors", BOOLEAN, "false", WORKS,
           "Passes over records that cannot be read, and makes fields NULL that do not fit their column."),
    OPTION("ignore-first-line", BOOLEAN, "false", WORKS, "Passes over the first line of each file."),
    OPTION("array-element-delimiter", TEXT, ";", WORKS, "The text between elements of arrays and fields of rows."),
    OPTION("null-literal", TEXT, NULL, WORKS, "The text that stands for NULL."),
    OPTION("write-bigdecimal-in-scientific-notation", BOOLEAN, "true", WORKS,
           "Writes decimals as 1E+2 and not as 100."),
    OPTION("trim-spaces", BOOLEAN, "false", REFUSED, "Takes blanks off fields that are not in quotes."),
    OPTION("ignore-trailing-unmappable", BOOLEAN, "false", REFUSED, "Passes over fields beyond the last column."),
    OPTION("allow-trailing-comma", BOOLEAN, "true", STORED, "A delimiter may follow the last field."),
    OPTION("fail-on-missing-columns", BOOLEAN, "false", STORED, "Whether too few fields are an error, which they are."),
    OPTION("empty-string-as-null", BOOLEAN, "false", REFUSED, "Reads empty fields as NULL."),
};

static const weir_option raw_options[] = {
    OPTION("charset", TEXT, "UTF-8", WORKS, "The encoding of text."),
    ENUM_OPTION("endianness", "big-endian", "The order of the bytes of numbers.", "big-endian", "little-endian"),
};

static const weir_option parquet_options[] = {
    OPTION("compression", TEXT, "snappy", WORKS, "The compression of files that are written."),
    OPTION("utc-timezone", BOOLEAN, "false", STORED, "Whether old timestamps (INT96) are in UTC, which they are."),
    OPTION("write.int64.timestamp", BOOLEAN, "true", STORED,
           "Whether timestamps are written as INT64, which they are."),
    OPTION("timestamp.time.unit", TEXT, "micros", STORED, "Their unit."),
    OPTION("block.size", TEXT, NULL, STORED, "The size of a row group."),
    OPTION("page.size", TEXT, NULL, STORED, "The size of a page."),
    OPTION("enable.dictionary", TEXT, NULL, STORED, "Whether dictionaries are tried."),
};

static const weir_option avro_options[] = {
    OPTION("codec", TEXT, "snappy", WORKS, "The compression of files that are written."),
    OPTION("encoding", TEXT, "binary", STORED, "The encoding of records."),
    OPTION("timestamp_mapping.legacy", BOOLEAN, "true", STORED, "The logical type of timestamps."),
};

#define FORMAT_NOT_YET                                                                                                 \
    "is not offered by this version; there are: json, csv, raw, debezium-json, canal-json, maxwell-json, parquet, "    \
    "avro"

const weir_connect_kind weir_formats[] = {
    {.name = "json", .reads = true, .writes = true, WITH_OPTIONS(json_options), .text = "An object a row."},
    {.name = "csv", .reads = true, .writes = true, WITH_OPTIONS(csv_options), .text = "A line a row, without header."},
    {.name = "debezium-json",
     .reads = true,
     .writes = true,
     .gives_changes = true,
     WITH_OPTIONS(debezium_options),
     .text = "Change events of Debezium."},
    {.name = "canal-json",
     .reads = true,
     .writes = true,
     .gives_changes = true,
     WITH_OPTIONS(canal_options),
     .text = "Change events of Canal."},
    {.name = "maxwell-json",
     .reads = true,
     .writes = true,
     .gives_changes = true,
     WITH_OPTIONS(maxwell_options),
     .text = "Change events of Maxwell."},
    {.name = "raw",
     .reads = true,
     .writes = true,
     WITH_OPTIONS(raw_options),
     .text = "The bytes of a message, or of a line, as the value of the only column."},
    {.name = "parquet", .reads = true, .writes = true, WITH_OPTIONS(parquet_options), .text = "Parquet files."},
    {.name = "avro", .reads = true, .writes = true, WITH_OPTIONS(avro_options), .text = "Avro files."},
    {.name = "orc", .refusal = FORMAT_NOT_YET},
    {.name = "ogg-json", .refusal = FORMAT_NOT_YET},
    {.name = "protobuf", .refusal = FORMAT_NOT_YET},
    {.name = "avro-confluent", .refusal = FORMAT_NOT_YET},
    {.name = "debezium-avro-confluent", .refusal = FORMAT_NOT_YET},
};

const size_t weir_format_count = COUNT_OF(weir_formats);
