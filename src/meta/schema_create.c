/* A new table's schema: everything that can be wrong with it is found here, before anything is written. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "meta/schema.h"

typedef struct creation {
    weir_arena *arena;
    weir_schema *schema;
    weir_field *fields;
    int32_t last_id;
} creation;

/* ---- field ids ---- */

static const weir_type *assign_nested_ids(creation *self, const weir_type *type);

/* Ids inside a ROW: a field's own nested fields come before it. Columns of the table are the other way round; both are
 * what Java does, and files of other engines find nested columns by these ids. */
static const weir_type *assign_row_ids(creation *self, const weir_type *type)
{
    weir_field *fields = WEIR_NEW_ARRAY(self->arena, weir_field, type->field_count);
    for (int32_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].name = weir_arena_strdup(self->arena, fields[i].name);
        fields[i].description = weir_arena_strdup(self->arena, fields[i].description);
        fields[i].default_value = weir_arena_strdup(self->arena, fields[i].default_value);
        fields[i].type = assign_nested_ids(self, fields[i].type);
        fields[i].id = ++self->last_id;
    }
    return weir_type_row(self->arena, fields, type->field_count, type->nullable);
}

static const weir_type *assign_nested_ids(creation *self, const weir_type *type)
{
    switch (type->id) {
    case WEIR_ARRAY:
        return weir_type_array(self->arena, assign_nested_ids(self, type->element), type->nullable);
    case WEIR_MULTISET:
        return weir_type_multiset(self->arena, assign_nested_ids(self, type->key), type->nullable);
    case WEIR_MAP: {
        const weir_type *key = assign_nested_ids(self, type->key);
        return weir_type_map(self->arena, key, assign_nested_ids(self, type->element), type->nullable);
    }
    case WEIR_ROW:
        return assign_row_ids(self, type);
    default:
        return weir_type_copy(self->arena, type);
    }
}

/* ---- columns ---- */

static int check_column_name(const char *name, weir_error *err)
{
    static const char *const reserved[] = {"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID"};
    if (name[0] == '\0') {
        return weir_fail(err, WEIR_INVALID, "a column has an empty name");
    }
    if (strncmp(name, WEIR_KEY_FIELD_PREFIX, strlen(WEIR_KEY_FIELD_PREFIX)) == 0) {
        return weir_fail(err, WEIR_INVALID, "the column name '%s' is reserved: names may not begin with %s", name,
                         WEIR_KEY_FIELD_PREFIX);
    }
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcmp(name, reserved[i]) == 0) {
            return weir_fail(err, WEIR_INVALID, "the column name '%s' is reserved; choose another one", name);
        }
    }
    return WEIR_OK;
}

static int check_type(const char *column, const weir_type *type, const char *format, weir_error *err);

static int check_nested(const char *column, const weir_type *type, const char *format, weir_error *err)
{
    if (type->key != NULL) {
        WEIR_TRY(check_type(column, type->key, format, err));
    }
    if (type->element != NULL) {
        WEIR_TRY(check_type(column, type->element, format, err));
    }
    for (int32_t i = 0; i < type->field_count; i++) {
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(type->fields[i].name, type->fields[k].name) == 0) {
                return weir_fail(err, WEIR_INVALID, "column '%s': its ROW has two fields named '%s'", column,
                                 type->fields[i].name);
            }
        }
        WEIR_TRY(check_type(column, type->fields[i].type, format, err));
    }
    return WEIR_OK;
}

/* What the file format cannot hold. */
static int check_type(const char *column, const weir_type *type, const char *format, weir_error *err)
{
    if (type->id == WEIR_NULL) {
        return weir_fail(err, WEIR_INVALID, "column '%s' has no type", column);
    }
    if (type->id == WEIR_BLOB) {
        return weir_fail(err, WEIR_UNSUPPORTED, "column '%s' is a BLOB, which this version does not write; use BYTES",
                         column);
    }
    bool is_avro = strcmp(format, "avro") == 0;
    bool timestamp = type->id == WEIR_TIMESTAMP || type->id == WEIR_TIMESTAMP_LTZ;
    if (is_avro && ((timestamp && type->precision > 6) || (type->id == WEIR_TIME && type->precision > 3) ||
                    type->id == WEIR_VARIANT)) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "column '%s': 'file.format' = 'avro' holds no VARIANT, at most "
                         "TIMESTAMP(6) and TIME(3); change the type, or use 'file.format' = 'parquet'",
                         column);
    }
    return check_nested(column, type, format, err);
}

static int create_fields(creation *self, const weir_field *fields, int32_t count, weir_error *err)
{
    if (count == 0) {
        return weir_fail(err, WEIR_INVALID, "a table needs at least one column");
    }
    self->fields = WEIR_NEW_ARRAY(self->arena, weir_field, count);
    for (int32_t i = 0; i < count; i++) {
        weir_field *field = &self->fields[i];
        WEIR_TRY(check_column_name(fields[i].name, err));
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(fields[i].name, fields[k].name) == 0) {
                return weir_fail(err, WEIR_INVALID, "two columns are named '%s'", fields[i].name);
            }
        }
        field->id = ++self->last_id;
        field->name = weir_arena_strdup(self->arena, fields[i].name);
        field->description = weir_arena_strdup(self->arena, fields[i].description);
        field->default_value = weir_arena_strdup(self->arena, fields[i].default_value);
        field->type = assign_nested_ids(self, fields[i].type);
    }
    self->schema->fields = self->fields;
    self->schema->field_count = count;
    self->schema->highest_field_id = self->last_id;
    return WEIR_OK;
}

/* ---- keys ---- */

static int unknown_column(const creation *self, const char *what, const char *name, weir_error *err)
{
    const char **names = WEIR_NEW_ARRAY(self->arena, const char *, self->schema->field_count);
    for (int32_t i = 0; i < self->schema->field_count; i++) {
        names[i] = self->fields[i].name;
    }
    const char *near = weir_suggest(name, names, (size_t)self->schema->field_count);
    if (near == NULL) {
        return weir_fail(err, WEIR_INVALID, "the %s names '%s', which is not a column", what, name);
    }
    return weir_fail(err, WEIR_INVALID, "the %s names '%s', which is not a column; did you mean '%s'?", what, name,
                     near);
}

/* Names separated by commas, blanks around them dropped. */
static const char **split_names(weir_arena *arena, const char *text, int32_t *out_count)
{
    int32_t count = 1;
    for (const char *c = text; *c != '\0'; c++) {
        count += *c == ',';
    }
    const char **names = WEIR_NEW_ARRAY(arena, const char *, count);
    int32_t found = 0;
    while (true) {
        size_t length = strcspn(text, ",");
        size_t begin = strspn(text, " ");
        size_t end = length;
        while (end > begin && text[end - 1] == ' ') {
            end--;
        }
        if (end > begin) {
            names[found++] = weir_arena_strndup(arena, text + begin, end - begin);
        }
        if (text[length] == '\0') {
            break;
        }
        text += length + 1;
    }
    *out_count = found;
    return names;
}

static bool is_one_of(const char *const *names, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Keys come from the statement or from an option, not from both; the option does not stay. */
static int take_keys(creation *self, const char *const *keys, int32_t count, const char *option, const char *what,
                     const char ***out, int32_t *out_count, weir_error *err)
{
    const char *text = weir_options_get(&self->schema->options, option);
    if (text != NULL && count > 0) {
        return weir_fail(err, WEIR_INVALID, "the %s is given twice: by the statement and by the option '%s'", what,
                         option);
    }
    const char **names = WEIR_NEW_ARRAY(self->arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        names[i] = weir_arena_strdup(self->arena, keys[i]);
    }
    if (text != NULL) {
        names = split_names(self->arena, text, &count);
        weir_options_unset(&self->schema->options, option);
    }
    for (int32_t i = 0; i < count; i++) {
        if (weir_schema_column(self->schema, names[i]) < 0) {
            return unknown_column(self, what, names[i], err);
        }
        if (is_one_of(names, i, names[i])) {
            return weir_fail(err, WEIR_INVALID, "the %s names '%s' twice", what, names[i]);
        }
    }
    *out = names;
    *out_count = count;
    return WEIR_OK;
}

static int check_key_types(const creation *self, const char *const *keys, int32_t count, const char *what,
                           weir_error *err)
{
    for (int32_t i = 0; i < count; i++) {
        const weir_type *type = self->fields[weir_schema_column(self->schema, keys[i])].type;
        if (weir_type_is_nested(type) || type->id == WEIR_BLOB) {
            return weir_fail(err, WEIR_INVALID, "the column '%s' of type %s cannot be part of the %s", keys[i],
                             weir_type_text(self->arena, type), what);
        }
    }
    return WEIR_OK;
}

static int create_keys(creation *self, const char *const *primary_keys, int32_t primary_count,
                       const char *const *partition_keys, int32_t partition_count, weir_error *err)
{
    weir_schema *schema = self->schema;
    WEIR_TRY(take_keys(self, primary_keys, primary_count, "primary-key", "primary key", &schema->primary_keys,
                       &schema->primary_key_count, err));
    WEIR_TRY(take_keys(self, partition_keys, partition_count, "partition", "partitioning", &schema->partition_keys,
                       &schema->partition_key_count, err));
    WEIR_TRY(check_key_types(self, schema->primary_keys, schema->primary_key_count, "primary key", err));
    WEIR_TRY(check_key_types(self, schema->partition_keys, schema->partition_key_count, "partitioning", err));
    for (int32_t i = 0; i < schema->primary_key_count; i++) {
        weir_field *field = &self->fields[weir_schema_column(schema, schema->primary_keys[i])];
        field->type = weir_type_nullable(self->arena, field->type, false);
    }
    WEIR_TRY(weir_schema_derive(schema, "the new table", self->arena, err));
    if (schema->primary_key_count > 0 && schema->key_column_count == 0) {
        return weir_fail(err, WEIR_INVALID,
                         "the primary key has no columns but those of the partitioning; add one that "
                         "tells the rows of a partition apart");
    }
    return WEIR_OK;
}

/* ---- buckets ---- */

static int check_bucket_key(const creation *self, const char *text, weir_error *err)
{
    const weir_schema *schema = self->schema;
    int32_t count;
    const char **names = split_names(self->arena, text, &count);
    for (int32_t i = 0; i < count; i++) {
        if (weir_schema_column(schema, names[i]) < 0) {
            return unknown_column(self, "option 'bucket-key'", names[i], err);
        }
        if (is_one_of(schema->partition_keys, schema->partition_key_count, names[i])) {
            return weir_fail(err, WEIR_INVALID,
                             "the option 'bucket-key' names '%s', which is a partition column: all rows "
                             "of a partition share its value",
                             names[i]);
        }
        if (schema->primary_key_count > 0 && !is_one_of(schema->primary_keys, schema->primary_key_count, names[i])) {
            return weir_fail(err, WEIR_INVALID, "the option 'bucket-key' names '%s', which is not in the primary key",
                             names[i]);
        }
    }
    return check_key_types(self, names, count, "bucket key", err);
}

static int check_mod_key(const creation *self, const char *bucket_key, weir_error *err)
{
    const weir_schema *schema = self->schema;
    int32_t count = schema->key_column_count;
    int32_t column = count > 0 ? schema->key_columns[0] : -1;
    if (bucket_key != NULL) {
        const char **names = split_names(self->arena, bucket_key, &count);
        column = count > 0 ? weir_schema_column(schema, names[0]) : -1;
    }
    weir_type_id id = column < 0 ? WEIR_NULL : schema->fields[column].type->id;
    if (count != 1 || (id != WEIR_INT && id != WEIR_BIGINT)) {
        return weir_fail(err, WEIR_INVALID,
                         "'bucket-function.type' = 'mod' needs a bucket key of one INT or BIGINT column");
    }
    return WEIR_OK;
}

static int check_buckets(const creation *self, weir_error *err)
{
    const weir_schema *schema = self->schema;
    const char *bucket_key = NULL;
    const char *function = NULL;
    int64_t bucket = -1;
    WEIR_TRY(weir_options_int(&schema->options, "bucket", &bucket, err));
    WEIR_TRY(weir_options_text(&schema->options, "bucket-key", &bucket_key, err));
    WEIR_TRY(weir_options_text(&schema->options, "bucket-function.type", &function, err));
    if (bucket_key != NULL) {
        WEIR_TRY(check_bucket_key(self, bucket_key, err));
    }
    if (bucket == 0 || bucket < -2 || bucket > INT32_MAX) {
        return weir_fail(err, WEIR_INVALID, "option 'bucket' = '%" PRId64 "': expected a number greater than 0, or -1",
                         bucket);
    }
    if (bucket < 0 && bucket_key != NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "the option 'bucket-key' needs a number of buckets: add 'bucket' = '4', or "
                         "remove 'bucket-key'");
    }
    if (bucket > 0 && schema->primary_key_count == 0 && bucket_key == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "a table without a primary key needs 'bucket-key' when it has 'bucket' = "
                         "'%" PRId64 "'",
                         bucket);
    }
    bool whole_partition = schema->primary_key_count - schema->key_column_count == schema->partition_key_count;
    if (bucket > 0 && schema->primary_key_count > 0 && !whole_partition) {
        return weir_fail(err, WEIR_INVALID,
                         "the primary key must include all partition columns when the number of buckets "
                         "is fixed, because a row is looked for in one partition only");
    }
    return strcmp(function, "mod") == 0 && bucket > 0 ? check_mod_key(self, bucket_key, err) : WEIR_OK;
}

/* ---- options ---- */

/* Options that contradict each other or the kind of table. */
static int check_combinations(const creation *self, weir_error *err)
{
    const weir_options *options = &self->schema->options;
    const char *producer = NULL;
    int64_t kept_least = 0;
    int64_t kept_most = 0;
    WEIR_TRY(weir_options_text(options, "changelog-producer", &producer, err));
    if (self->schema->primary_key_count == 0 && strcmp(producer, "none") != 0) {
        return weir_fail(err, WEIR_INVALID, "'changelog-producer' = '%s' needs a primary key", producer);
    }
    WEIR_TRY(weir_options_int(options, "snapshot.num-retained.min", &kept_least, err));
    WEIR_TRY(weir_options_int(options, "snapshot.num-retained.max", &kept_most, err));
    if (kept_least < 1 || kept_most < kept_least) {
        return weir_fail(err, WEIR_INVALID,
                         "'snapshot.num-retained.min' = %" PRId64 " and 'snapshot.num-retained.max' = %" PRId64
                         ": expected 1 <= min <= max",
                         kept_least, kept_most);
    }
    return WEIR_OK;
}

int weir_schema_check_writable(const weir_schema *schema, weir_error *err)
{
    int64_t bucket = -1;
    WEIR_TRY(weir_options_check_writable(&schema->options, err));
    WEIR_TRY(weir_options_int(&schema->options, "bucket", &bucket, err));
    if (schema->primary_key_count > 0 && bucket < 0) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "tables with a primary key and 'bucket' = '%" PRId64 "' are not written by "
                         "this version; give a number of buckets, such as 'bucket' = '4'",
                         bucket);
    }
    return WEIR_OK;
}

int weir_schema_create(weir_arena *arena, const weir_field *fields, int32_t field_count,
                       const char *const *primary_keys, int32_t primary_key_count, const char *const *partition_keys,
                       int32_t partition_key_count, const weir_options *options, const char *comment, weir_schema **out,
                       weir_error *err)
{
    static const weir_options no_options;
    weir_schema *schema = WEIR_NEW(arena, weir_schema);
    creation self = {.arena = arena, .schema = schema, .last_id = -1};
    const char *format = NULL;
    weir_options_merge(arena, options == NULL ? &no_options : options, NULL, &schema->options);
    for (size_t i = 0; i < schema->options.count; i++) {
        WEIR_TRY(weir_option_check(schema->options.keys[i], schema->options.values[i], err));
    }
    WEIR_TRY(create_fields(&self, fields, field_count, err));
    WEIR_TRY(create_keys(&self, primary_keys, primary_key_count, partition_keys, partition_key_count, err));
    WEIR_TRY(check_buckets(&self, err));
    WEIR_TRY(check_combinations(&self, err));
    WEIR_TRY(weir_schema_check_writable(schema, err));
    WEIR_TRY(weir_options_text(&schema->options, "file.format", &format, err));
    for (int32_t i = 0; i < schema->field_count; i++) {
        WEIR_TRY(check_type(schema->fields[i].name, schema->fields[i].type, format, err));
    }
    schema->comment = weir_arena_strdup(arena, comment);
    schema->time_ms = weir_now_ms();
    *out = schema;
    return WEIR_OK;
}
