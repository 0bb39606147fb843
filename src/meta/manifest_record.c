/* The layouts of manifest records: names, types and order of their fields.
 *
 * Java writes exactly these; a reader that compares the schemas of two manifests sees no difference. */
#include "meta/manifest_record.h"

#define SCALAR(name, type_id, is_nullable) static const weir_type name = {.id = (type_id), .nullable = (is_nullable)}
#define TEXT(name, type_id, is_nullable)                                                                               \
    static const weir_type name = {.id = (type_id), .nullable = (is_nullable), .precision = WEIR_MAX_LENGTH}
#define LIST(name, element_type, is_nullable)                                                                          \
    static const weir_type name = {.id = WEIR_ARRAY, .nullable = (is_nullable), .element = &(element_type)}
#define RECORD(name, record_fields, is_nullable)                                                                       \
    static const weir_type name = {.id = WEIR_ROW,                                                                     \
                                   .nullable = (is_nullable),                                                          \
                                   .fields = (record_fields),                                                          \
                                   .field_count = sizeof(record_fields) / sizeof(weir_field)}

SCALAR(int_type, WEIR_INT, false);
SCALAR(nullable_int, WEIR_INT, true);
SCALAR(long_type, WEIR_BIGINT, false);
SCALAR(nullable_long, WEIR_BIGINT, true);
TEXT(text_type, WEIR_VARCHAR, false);
TEXT(nullable_text, WEIR_VARCHAR, true);
TEXT(bytes_type, WEIR_VARBINARY, false);
TEXT(nullable_bytes, WEIR_VARBINARY, true);
static const weir_type nullable_time = {.id = WEIR_TIMESTAMP, .nullable = true, .precision = 3};
LIST(nullable_counts, nullable_long, true);
LIST(texts_type, text_type, false);
LIST(nullable_texts, text_type, true);

static const weir_field stats_fields[] = {
    {.id = 0, .name = "_MIN_VALUES", .type = &bytes_type},
    {.id = 1, .name = "_MAX_VALUES", .type = &bytes_type},
    {.id = 2, .name = "_NULL_COUNTS", .type = &nullable_counts},
};
RECORD(stats_type, stats_fields, false);
RECORD(nullable_stats, stats_fields, true);

#define FILE_FIELDS(stats, texts)                                                                                      \
    {                                                                                                                  \
        [WEIR_FILE_NAME] = {.name = "_FILE_NAME", .type = &text_type},                                                 \
        [WEIR_FILE_SIZE] = {.name = "_FILE_SIZE", .type = &long_type},                                                 \
        [WEIR_FILE_ROW_COUNT] = {.name = "_ROW_COUNT", .type = &long_type},                                            \
        [WEIR_FILE_MIN_KEY] = {.name = "_MIN_KEY", .type = &bytes_type},                                               \
        [WEIR_FILE_MAX_KEY] = {.name = "_MAX_KEY", .type = &bytes_type},                                               \
        [WEIR_FILE_KEY_STATS] = {.name = "_KEY_STATS", .type = &stats_type},                                           \
        [WEIR_FILE_VALUE_STATS] = {.name = (stats), .type = VALUE_STATS_TYPE},                                         \
        [WEIR_FILE_MIN_SEQUENCE] = {.name = "_MIN_SEQUENCE_NUMBER", .type = &long_type},                               \
        [WEIR_FILE_MAX_SEQUENCE] = {.name = "_MAX_SEQUENCE_NUMBER", .type = &long_type},                               \
        [WEIR_FILE_SCHEMA_ID] = {.name = "_SCHEMA_ID", .type = &long_type},                                            \
        [WEIR_FILE_LEVEL] = {.name = "_LEVEL", .type = &int_type},                                                     \
        [WEIR_FILE_EXTRA_FILES] = {.name = "_EXTRA_FILES", .type = (texts)},                                           \
        [WEIR_FILE_CREATION_TIME] = {.name = "_CREATION_TIME", .type = &nullable_time},                                \
        [WEIR_FILE_DELETE_ROW_COUNT] = {.name = "_DELETE_ROW_COUNT", .type = &nullable_long},                          \
        [WEIR_FILE_EMBEDDED_INDEX] = {.name = "_EMBEDDED_FILE_INDEX", .type = &nullable_bytes},                        \
        [WEIR_FILE_SOURCE] = {.name = "_FILE_SOURCE", .type = &nullable_int},                                          \
        [WEIR_FILE_VALUE_STATS_COLUMNS] = {.name = "_VALUE_STATS_COLS", .type = &nullable_texts},                      \
        [WEIR_FILE_EXTERNAL_PATH] = {.name = "_EXTERNAL_PATH", .type = &nullable_text},                                \
        [WEIR_FILE_FIRST_ROW_ID] = {.name = "_FIRST_ROW_ID", .type = &nullable_long},                                  \
        [WEIR_FILE_WRITE_COLUMNS] = {.name = "_WRITE_COLS", .type = &nullable_texts},                                  \
    }

#define ENTRY_FIELDS(file_type)                                                                                        \
    {                                                                                                                  \
        [WEIR_ENTRY_VERSION] = {.name = "_VERSION", .type = &int_type},                                                \
        [WEIR_ENTRY_KIND] = {.name = "_KIND", .type = &int_type},                                                      \
        [WEIR_ENTRY_PARTITION] = {.name = "_PARTITION", .type = &bytes_type},                                          \
        [WEIR_ENTRY_BUCKET] = {.name = "_BUCKET", .type = &int_type},                                                  \
        [WEIR_ENTRY_TOTAL_BUCKETS] = {.name = "_TOTAL_BUCKETS", .type = &int_type},                                    \
        [WEIR_ENTRY_FILE] = {.name = "_FILE", .type = &(file_type)},                                                   \
    }

#define VALUE_STATS_TYPE &stats_type
static const weir_field file_fields[WEIR_FILE_COLUMNS] = FILE_FIELDS("_VALUE_STATS", &texts_type);
RECORD(file_type, file_fields, false);
const weir_field weir_entry_fields[WEIR_ENTRY_COLUMNS] = ENTRY_FIELDS(file_type);

static const weir_field read_file_fields[WEIR_FILE_COLUMNS] = FILE_FIELDS("_VALUE_STATS", &nullable_texts);
RECORD(read_file_type, read_file_fields, false);
static const weir_field read_fields[WEIR_ENTRY_COLUMNS] = ENTRY_FIELDS(read_file_type);
#undef VALUE_STATS_TYPE

/* A field by a name that no manifest has is read as NULL, and the statistics are skipped. */
#define VALUE_STATS_TYPE &nullable_stats
static const weir_field lean_file_fields[WEIR_FILE_COLUMNS] = FILE_FIELDS("(not read)", &nullable_texts);
RECORD(lean_file_type, lean_file_fields, false);
static const weir_field lean_fields[WEIR_ENTRY_COLUMNS] = ENTRY_FIELDS(lean_file_type);
#undef VALUE_STATS_TYPE

const weir_field weir_list_fields[WEIR_LIST_COLUMNS] = {
    [WEIR_LIST_VERSION] = {.name = "_VERSION", .type = &int_type},
    [WEIR_LIST_FILE_NAME] = {.name = "_FILE_NAME", .type = &text_type},
    [WEIR_LIST_FILE_SIZE] = {.name = "_FILE_SIZE", .type = &long_type},
    [WEIR_LIST_ADDED_FILES] = {.name = "_NUM_ADDED_FILES", .type = &long_type},
    [WEIR_LIST_DELETED_FILES] = {.name = "_NUM_DELETED_FILES", .type = &long_type},
    [WEIR_LIST_PARTITION_STATS] = {.name = "_PARTITION_STATS", .type = &stats_type},
    [WEIR_LIST_SCHEMA_ID] = {.name = "_SCHEMA_ID", .type = &long_type},
    [WEIR_LIST_MIN_BUCKET] = {.name = "_MIN_BUCKET", .type = &nullable_int},
    [WEIR_LIST_MAX_BUCKET] = {.name = "_MAX_BUCKET", .type = &nullable_int},
    [WEIR_LIST_MIN_LEVEL] = {.name = "_MIN_LEVEL", .type = &nullable_int},
    [WEIR_LIST_MAX_LEVEL] = {.name = "_MAX_LEVEL", .type = &nullable_int},
    [WEIR_LIST_MIN_ROW_ID] = {.name = "_MIN_ROW_ID", .type = &nullable_long},
    [WEIR_LIST_MAX_ROW_ID] = {.name = "_MAX_ROW_ID", .type = &nullable_long},
};

const weir_field *weir_entry_fields_to_read(bool without_stats) { return without_stats ? lean_fields : read_fields; }
