#include "connect/mysql/settings.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "connect/connect_options.h"
#include "connect/mysql/mysql_source.h"

#define LARGEST_CHUNK    65536
#define WHOLE_BYTES      ((int64_t)256 << 20)
#define WHOLE_SHARE      2 /* of the budget */
#define BATCH_BYTES      ((int64_t)16 << 20)
#define BUDGET_SHARE     8 /* of the budget for a batch: vectors grow by doubling, and several are on their way */
#define LEAST_TIMEOUT_MS 250
#define FIRST_SERVER_ID  5400 /* of those that are taken when none is said, as Flink CDC does */
#define SERVER_IDS       1001

/* ---- metadata ---- */

const char *const weir_mysql_metadata_keys[] = {"table_name", "database_name", "op_ts", "row_kind", NULL};

int weir_mysql_metadata_find(const char *key)
{
    for (int i = 0; weir_mysql_metadata_keys[i] != NULL; i++) {
        if (strcmp(weir_mysql_metadata_keys[i], key) == 0) {
            return i;
        }
    }
    return -1;
}

const weir_type *weir_mysql_metadata_type(int place)
{
    static const weir_type time = {.id = WEIR_TIMESTAMP_LTZ, .precision = 3};
    return place == WEIR_MYSQL_CHANGE_TIME ? &time : weir_type_simple(WEIR_VARCHAR, false);
}

/* ---- single options ---- */

typedef struct option_reader {
    const weir_connect_kind *connector;
    const weir_options *options;
    weir_mysql_settings *out;
} option_reader;

static const char *text_of(const option_reader *reader, const char *key)
{
    return weir_connect_text(reader->connector, reader->options, key);
}

static int need_text(const option_reader *reader, const char *key, const char *example, const char **out,
                     weir_error *err)
{
    const char *value = text_of(reader, key);
    if (value == NULL) {
        return weir_fail(err, WEIR_INVALID, "connector mysql-cdc: option '%s' is missing, such as '%s' = '%s'", key,
                         key, example);
    }
    *out = weir_arena_strdup(&reader->out->arena, value);
    return WEIR_OK;
}

static int need_number(const option_reader *reader, const char *key, int64_t least, int64_t most, int64_t *out,
                       weir_error *err)
{
    *out = weir_connect_int(reader->connector, reader->options, key);
    if (*out < least || *out > most) {
        return weir_fail(err, WEIR_INVALID, "option '%s' = '%s': expected a number from %" PRId64 " to %" PRId64, key,
                         text_of(reader, key), least, most);
    }
    return WEIR_OK;
}

static bool is_true(const option_reader *reader, const char *key)
{
    const char *value = weir_options_get(reader->options, key);
    return value != NULL && weir_text_equal_ignore_case(value, "true");
}

static int parse_tls(const char *key, const char *value, weir_mysql_tls *out, weir_error *err)
{
    static const struct {
        const char *name;
        weir_mysql_tls tls;
    } modes[] = {{"DISABLED", WEIR_MYSQL_TLS_OFF},
                 {"PREFERRED", WEIR_MYSQL_TLS_PREFERRED},
                 {"REQUIRED", WEIR_MYSQL_TLS_REQUIRED},
                 {"VERIFY_IDENTITY", WEIR_MYSQL_TLS_VERIFIED}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (weir_text_equal_ignore_case(value, modes[i].name)) {
            *out = modes[i].tls;
            return WEIR_OK;
        }
    }
    if (weir_text_equal_ignore_case(value, "VERIFY_CA")) {
        return weir_fail(
            err, WEIR_UNSUPPORTED,
            "option '%s' = '%s' is not offered by this version; VERIFY_IDENTITY checks the server's name too", key,
            value);
    }
    return weir_fail(err, WEIR_INVALID, "option '%s' = '%s': expected DISABLED, PREFERRED, REQUIRED or VERIFY_IDENTITY",
                     key, value);
}

/* Of what the two libraries of Flink CDC are told, the first that is there; they have separate connections. */
static int read_tls(const option_reader *reader, weir_error *err)
{
    static const char *const keys[] = {"jdbc.properties.sslMode", "debezium.database.ssl.mode"};
    weir_mysql_address *address = &reader->out->address;
    bool is_asked = is_true(reader, "jdbc.properties.useSSL") || is_true(reader, "jdbc.properties.requireSSL");
    address->tls = is_true(reader, "jdbc.properties.verifyServerCertificate") && is_asked ? WEIR_MYSQL_TLS_VERIFIED
                   : is_asked                                                             ? WEIR_MYSQL_TLS_REQUIRED
                                                                                          : WEIR_MYSQL_TLS_OFF;
    address->authorities = weir_arena_strdup(&reader->out->arena, text_of(reader, "jdbc.properties.serverSslCert"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = text_of(reader, keys[i]);
        if (value != NULL) {
            return parse_tls(keys[i], value, &address->tls, err);
        }
    }
    return WEIR_OK;
}

static int read_address(const option_reader *reader, weir_error *err)
{
    weir_mysql_address *address = &reader->out->address;
    int64_t port;
    WEIR_TRY(need_text(reader, "hostname", "localhost", &address->host, err));
    WEIR_TRY(need_text(reader, "username", "flinkuser", &address->user, err));
    const char *password = text_of(reader, "password");
    if (password == NULL) {
        return weir_fail(err, WEIR_INVALID, "connector mysql-cdc: option 'password' is missing");
    }
    address->password = weir_arena_strdup(&reader->out->arena, password);
    WEIR_TRY(need_number(reader, "port", 1, 65535, &port, err));
    address->port = (uint16_t)port;
    address->timeout_ms = weir_connect_duration_ms(reader->connector, reader->options, "connect.timeout");
    if (address->timeout_ms < LEAST_TIMEOUT_MS) {
        return weir_fail(err, WEIR_INVALID, "option 'connect.timeout' = '%s': it cannot be less than 250 ms",
                         text_of(reader, "connect.timeout"));
    }
    WEIR_TRY(read_tls(reader, err));
    return need_number(reader, "connect.max-retries", 0, INT32_MAX, &reader->out->most_retries, err);
}

/* 5400, or 5400-5408, of which the first is taken. */
static int read_server_id(const option_reader *reader, weir_error *err)
{
    const char *value = text_of(reader, "server-id");
    if (value == NULL) {
        reader->out->server_id = FIRST_SERVER_ID + (uint32_t)((uint64_t)weir_monotonic_ns() / 1000 % SERVER_IDS);
        return WEIR_OK;
    }
    char *end;
    unsigned long long first = strtoull(value, &end, 10);
    unsigned long long last = *end == '-' ? strtoull(end + 1, &end, 10) : first;
    if (*end != '\0' || first == 0 || first > UINT32_MAX || last < first || last > UINT32_MAX) {
        return weir_fail(err, WEIR_INVALID,
                         "option 'server-id' = '%s': expected a number such as '5400' or '5400-5408'", value);
    }
    reader->out->server_id = (uint32_t)first;
    return WEIR_OK;
}

static int read_names(const option_reader *reader, weir_error *err)
{
    weir_mysql_settings *out = reader->out;
    WEIR_TRY(need_text(reader, "database-name", "shop", &out->database_pattern, err));
    WEIR_TRY(need_text(reader, "table-name", "orders", &out->table_pattern, err));
    WEIR_TRY(weir_name_pattern_compile(out->database_pattern, "database-name", &out->databases, err));
    return weir_name_pattern_compile(out->table_pattern, "table-name", &out->tables, err);
}

static int read_zone(const option_reader *reader, weir_error *err)
{
    const char *name = text_of(reader, "server-time-zone");
    if (name == NULL) {
        return WEIR_OK;
    }
    reader->out->conversion.zone = weir_zone_find(name);
    if (reader->out->conversion.zone == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "option 'server-time-zone' = '%s': there is no such zone; they look like UTC, "
                         "Asia/Shanghai and GMT+08:00",
                         name);
    }
    return WEIR_OK;
}

/* ---- where to start ---- */

static int read_start_offset(const option_reader *reader, weir_error *err)
{
    weir_mysql_settings *out = reader->out;
    const char *file = text_of(reader, "scan.startup.specific-offset.file");
    const char *position = text_of(reader, "scan.startup.specific-offset.pos");
    const char *gtids = text_of(reader, "scan.startup.specific-offset.gtid-set");
    if (gtids == NULL && (file == NULL || position == NULL)) {
        return weir_fail(err, WEIR_INVALID,
                         "'scan.startup.mode' = 'specific-offset' needs 'scan.startup.specific-offset.gtid-set', or "
                         "'scan.startup.specific-offset.file' and 'scan.startup.specific-offset.pos'");
    }
    out->start_gtids = weir_arena_strdup(&out->arena, gtids);
    out->start_file = weir_arena_strdup(&out->arena, file == NULL ? "" : file);
    out->start_position =
        (uint64_t)weir_connect_int(reader->connector, reader->options, "scan.startup.specific-offset.pos");
    out->start_skip_rows =
        (uint64_t)weir_connect_int(reader->connector, reader->options, "scan.startup.specific-offset.skip-rows");
    return WEIR_OK;
}

static int read_startup(const option_reader *reader, weir_error *err)
{
    static const struct {
        const char *name;
        weir_mysql_startup startup;
    } modes[] = {
        {"initial", WEIR_MYSQL_FROM_SNAPSHOT},     {"earliest-offset", WEIR_MYSQL_FROM_EARLIEST},
        {"latest-offset", WEIR_MYSQL_FROM_LATEST}, {"specific-offset", WEIR_MYSQL_FROM_OFFSET},
        {"timestamp", WEIR_MYSQL_FROM_TIME},       {"snapshot", WEIR_MYSQL_SNAPSHOT_ONLY},
    };
    weir_mysql_settings *out = reader->out;
    const char *mode = text_of(reader, "scan.startup.mode");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (weir_text_equal_ignore_case(modes[i].name, mode)) {
            out->startup = modes[i].startup;
        }
    }
    if (out->startup == WEIR_MYSQL_FROM_OFFSET) {
        return read_start_offset(reader, err);
    }
    if (out->startup == WEIR_MYSQL_FROM_TIME) {
        if (text_of(reader, "scan.startup.timestamp-millis") == NULL) {
            return weir_fail(err, WEIR_INVALID,
                             "'scan.startup.mode' = 'timestamp' needs 'scan.startup.timestamp-millis'");
        }
        out->start_ms = weir_connect_int(reader->connector, reader->options, "scan.startup.timestamp-millis");
    }
    return WEIR_OK;
}

/* ---- all of them ---- */

static int read_binary_mode(const option_reader *reader, weir_error *err)
{
    const char *mode = text_of(reader, "debezium.binary.handling.mode");
    if (mode == NULL || strcmp(mode, "none") == 0 || strcmp(mode, "bytes") == 0) {
        return WEIR_OK;
    }
    bool is_hex = strcmp(mode, "hex") == 0;
    if (!is_hex && strcmp(mode, "base64") != 0) {
        return weir_fail(err, WEIR_INVALID,
                         "option 'debezium.binary.handling.mode' = '%s': expected none, base64 or hex", mode);
    }
    reader->out->conversion.binary_mode = is_hex ? WEIR_MYSQL_BINARY_AS_HEX : WEIR_MYSQL_BINARY_AS_BASE64;
    return WEIR_OK;
}

static int read_options(const option_reader *reader, weir_error *err)
{
    weir_mysql_settings *out = reader->out;
    WEIR_TRY(read_address(reader, err));
    WEIR_TRY(read_server_id(reader, err));
    WEIR_TRY(read_names(reader, err));
    WEIR_TRY(read_zone(reader, err));
    WEIR_TRY(read_startup(reader, err));
    WEIR_TRY(read_binary_mode(reader, err));
    WEIR_TRY(need_number(reader, "scan.incremental.snapshot.chunk.size", 2, INT32_MAX, &out->chunk_rows, err));
    out->chunk_rows = out->chunk_rows < LARGEST_CHUNK ? out->chunk_rows : LARGEST_CHUNK;
    out->in_chunks = weir_connect_bool(reader->connector, reader->options, "scan.incremental.snapshot.enabled");
    out->chunk_column = weir_arena_strdup(&out->arena, text_of(reader, "scan.incremental.snapshot.chunk.key-column"));
    out->heartbeat_ms = weir_connect_duration_ms(reader->connector, reader->options, "heartbeat.interval");
    out->append_only =
        weir_connect_bool(reader->connector, reader->options, "scan.read-changelog-as-append-only.enabled");
    out->follows_renames =
        weir_connect_bool(reader->connector, reader->options, "scan.parse.online.schema.changes.enabled");
    out->conversion.json_has_blanks = !weir_connect_bool(reader->connector, reader->options, "use.legacy.json.format");
    const char *skipped = text_of(reader, "debezium.skipped.operations");
    out->passes_truncations = skipped != NULL && strchr(skipped, 't') != NULL;
    return WEIR_OK;
}

static int init(const weir_options *options, option_reader *reader, weir_mysql_settings *out, weir_error *err)
{
    *out = (weir_mysql_settings){0};
    weir_arena_init(&out->arena);
    *reader = (option_reader){.options = options, .out = out};
    return weir_connector_of(options, &reader->connector, err);
}

int weir_mysql_settings_check(const weir_options *options, weir_error *err)
{
    option_reader reader;
    weir_mysql_settings settings;
    int code = init(options, &reader, &settings, err);
    if (code == WEIR_OK) {
        code = read_options(&reader, err);
    }
    weir_mysql_settings_free(&settings);
    return code;
}

static void read_columns(const weir_source_options *options, weir_mysql_settings *out)
{
    out->all_count = options->field_count + options->metadata_count;
    out->all_fields = WEIR_NEW_ARRAY(&out->arena, weir_field, out->all_count + 1);
    out->metadata = WEIR_NEW_ARRAY(&out->arena, weir_mysql_metadata, options->metadata_count + 1);
    out->metadata_count = options->metadata_count;
    for (int32_t i = 0; i < out->all_count; i++) {
        bool is_physical = i < options->field_count;
        const weir_field *field = is_physical ? &options->fields[i] : &options->metadata[i - options->field_count];
        out->all_fields[i] = *field;
        out->all_fields[i].name = weir_arena_strdup(&out->arena, field->name);
        out->all_fields[i].type = weir_type_copy(&out->arena, field->type);
        if (!is_physical) {
            out->metadata[i - options->field_count] = (weir_mysql_metadata)weir_mysql_metadata_find(field->name);
        }
    }
    out->fields = (weir_row_fields){.fields = out->all_fields,
                                    .count = options->field_count,
                                    .conversion = &out->conversion,
                                    .order_column = out->chunk_column};
}

int weir_mysql_settings_read(const weir_source_options *options, weir_mysql_settings *out, weir_error *err)
{
    option_reader reader;
    int code = init(options->options, &reader, out, err);
    if (code == WEIR_OK) {
        code = read_options(&reader, err);
    }
    if (code != WEIR_OK) {
        weir_mysql_settings_free(out);
        return code;
    }
    read_columns(options, out);
    out->batch_rows = options->batch_rows > 0 ? options->batch_rows : LARGEST_CHUNK;
    out->chunk_rows = out->chunk_rows < out->batch_rows ? out->chunk_rows : out->batch_rows;
    out->budget = options->budget;
    int64_t share = out->budget == NULL ? BATCH_BYTES : weir_budget_limit(out->budget) / BUDGET_SHARE;
    out->whole_bytes = out->budget == NULL ? WHOLE_BYTES : weir_budget_limit(out->budget) / WHOLE_SHARE;
    out->batch_bytes = share < BATCH_BYTES ? share : BATCH_BYTES;
    return WEIR_OK;
}

void weir_mysql_settings_free(weir_mysql_settings *settings)
{
    weir_name_pattern_free(settings->databases);
    weir_name_pattern_free(settings->tables);
    weir_arena_free(&settings->arena);
    *settings = (weir_mysql_settings){0};
}
