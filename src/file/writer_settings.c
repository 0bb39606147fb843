/* Reading the options of data files: formats, compression and statistics by level, sizes, and what Parquet's own
 * options (parquet.*) ask for. */
#include "file/writer_settings.h"

#include "base/text.h"

#define DEFAULT_ROW_GROUP_BYTES ((int64_t)128 << 20)
#define KEY_VALUE_TARGET_BYTES  ((int64_t)128 << 20)
#define APPEND_TARGET_BYTES     ((int64_t)256 << 20)

/* Pages of key-value files: what one of each column takes together, with values of a usual size. */
#define PAGES_BYTES            ((int64_t)5 << 20)
#define LEVEL_ZERO_PAGES_BYTES ((int64_t)1 << 20)
#define PAGE_VALUE_BYTES       16
#define LEAST_PAGE_ROWS        1000
#define MOST_PAGE_ROWS         20000

static weir_slice trim(weir_slice text)
{
    while (text.size > 0 && text.data[0] == ' ') {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && text.data[text.size - 1] == ' ') {
        text.size--;
    }
    return text;
}

/* The entry of `level` in an option such as "0:avro,5:parquet"; *out stays as it is when there is none. */
static int by_level(const weir_schema *schema, const char *key, int32_t level, weir_arena *arena, const char **out,
                    weir_error *err)
{
    const char *text = weir_options_get(&schema->options, key);
    while (text != NULL && *text != 0) {
        const char *end = strchr(text, ',');
        size_t size = end == NULL ? strlen(text) : (size_t)(end - text);
        const char *colon = memchr(text, ':', size);
        int64_t number = 0;
        if (colon == NULL || !weir_parse_int64(trim(weir_slice_of(text, (size_t)(colon - text))), &number)) {
            return weir_fail(err, WEIR_INVALID, "%s = '%s': expected entries 'level:value', separated by commas", key,
                             weir_options_get(&schema->options, key));
        }
        if (number == level) {
            weir_slice value = trim(weir_slice_of(colon + 1, size - (size_t)(colon + 1 - text)));
            *out = weir_arena_strndup(arena, (const char *)value.data, value.size);
        }
        text = end == NULL ? NULL : end + 1;
    }
    return WEIR_OK;
}

/* What holds for changelog files alone, for a level, or for the table, in this order. */
static int read_by_kind(const weir_schema *schema, weir_data_file_kind kind, int32_t level, const char *changelog_key,
                        const char *level_key, const char *key, weir_arena *arena, const char **out, weir_error *err)
{
    const char *changelog = weir_options_get(&schema->options, changelog_key);
    if (kind == WEIR_DATA_FILE_CHANGELOG && changelog != NULL) {
        *out = changelog;
        return WEIR_OK;
    }
    WEIR_TRY(weir_options_text(&schema->options, key, out, err));
    return kind == WEIR_DATA_FILE_APPEND ? WEIR_OK : by_level(schema, level_key, level, arena, out, err);
}

/* A number among the options of parquet-mr; *out stays as it is when unset. */
static int parquet_number(const weir_schema *schema, const char *key, int64_t limit, int64_t *out, weir_error *err)
{
    const char *text = weir_options_get(&schema->options, key);
    if (text == NULL) {
        return WEIR_OK;
    }
    if (!weir_parse_int64(weir_slice_text(text), out) || *out <= 0 || *out > limit) {
        return weir_fail(err, WEIR_INVALID, "%s = '%s': expected a number from 1 to %" PRId64, key, text, limit);
    }
    return WEIR_OK;
}

static int read_parquet_options(const weir_schema *schema, weir_format_write_options *out, weir_error *err)
{
    int64_t page_rows = 0;
    WEIR_TRY(parquet_number(schema, "parquet.page.row.count.limit", INT32_MAX, &page_rows, err));
    out->page_rows = (int32_t)page_rows;
    WEIR_TRY(parquet_number(schema, "parquet.page.size", INT32_MAX, &out->page_bytes, err));
    WEIR_TRY(parquet_number(schema, "parquet.block.size", INT64_MAX, &out->row_group_bytes, err));
    const char *dictionary = weir_options_get(&schema->options, "parquet.enable.dictionary");
    out->no_dictionary = dictionary != NULL && weir_text_equal_ignore_case(dictionary, "false");
    return WEIR_OK;
}

/* A merge holds a page of each column of each run, so the rows of a page are bounded by the columns of the file; in
 * level 0, where runs are many, by fewer bytes. */
static int32_t default_page_rows(const weir_schema *schema, int32_t level)
{
    int64_t row_bytes = (int64_t)PAGE_VALUE_BYTES * (schema->field_count + schema->key_column_count + 2);
    int64_t rows = (level == 0 ? LEVEL_ZERO_PAGES_BYTES : PAGES_BYTES) / row_bytes;
    return (int32_t)(rows < LEAST_PAGE_ROWS ? LEAST_PAGE_ROWS : rows > MOST_PAGE_ROWS ? MOST_PAGE_ROWS : rows);
}

static int read_sizes(const weir_schema *schema, weir_data_file_kind kind, weir_writer_settings *out, weir_error *err)
{
    const weir_options *options = &schema->options;
    out->target_file_bytes = schema->primary_key_count > 0 ? KEY_VALUE_TARGET_BYTES : APPEND_TARGET_BYTES;
    if (weir_options_get(options, "target-file-size") != NULL) {
        WEIR_TRY(weir_options_size(options, "target-file-size", &out->target_file_bytes, err));
    }
    if (out->format_options.row_group_bytes == 0) {
        out->format_options.row_group_bytes = DEFAULT_ROW_GROUP_BYTES;
    }
    if (weir_options_get(options, "file.block-size") != NULL) {
        WEIR_TRY(weir_options_size(options, "file.block-size", &out->format_options.row_group_bytes, err));
    }
    int64_t level = 0;
    WEIR_TRY(weir_options_int(options, "file.compression.zstd-level", &level, err));
    out->format_options.zstd_level = (int32_t)level;
    if (kind != WEIR_DATA_FILE_APPEND) {
        WEIR_TRY(weir_options_bool(options, "data-file.thin-mode", &out->thin, err));
    }
    return WEIR_OK;
}

int weir_writer_settings_read(const weir_schema *schema, weir_data_file_kind kind, int32_t level, weir_arena *arena,
                              weir_writer_settings *out, weir_error *err)
{
    *out = (weir_writer_settings){0};
    bool changelog = kind == WEIR_DATA_FILE_CHANGELOG;
    WEIR_TRY(read_by_kind(schema, kind, level, "changelog-file.format", "file.format.per.level", "file.format", arena,
                          &out->format, err));
    WEIR_TRY(read_by_kind(schema, kind, level, "changelog-file.compression", "file.compression.per.level",
                          "file.compression", arena, &out->format_options.compression, err));
    WEIR_TRY(read_by_kind(schema, kind, level, "changelog-file.stats-mode", "metadata.stats-mode.per.level",
                          "metadata.stats-mode", arena, &out->stats_mode, err));
    WEIR_TRY(weir_options_text(&schema->options, changelog ? "changelog-file.prefix" : "data-file.prefix", &out->prefix,
                               err));
    WEIR_TRY(read_parquet_options(schema, &out->format_options, err));
    if (kind == WEIR_DATA_FILE_KEY_VALUE && out->format_options.page_rows == 0) {
        out->format_options.page_rows = default_page_rows(schema, level);
    }
    return read_sizes(schema, kind, out, err);
}
