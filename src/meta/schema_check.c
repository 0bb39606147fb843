/* What must hold of every version of a schema: names, types, keys, buckets, and options that name columns. */
#include "meta/schema_check.h"

#include "base/text.h"
#include "meta/path.h"

typedef struct checking {
    weir_arena *arena;
    const weir_schema *schema;
    const weir_schema *before; /* NULL: none */
} checking;

/* ---- names and types ---- */

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

static bool had_column(const checking *self, const weir_field *field)
{
    int32_t place = self->before == NULL ? -1 : weir_schema_column_by_id(self->before, field->id);
    return place >= 0 && strcmp(self->before->fields[place].name, field->name) == 0 &&
           weir_type_equal(self->before->fields[place].type, field->type, true);
}

static int check_columns(const checking *self, weir_error *err)
{
    const weir_schema *schema = self->schema;
    const char *format = NULL;
    if (schema->field_count == 0) {
        return weir_fail(err, WEIR_INVALID, "a table needs at least one column");
    }
    WEIR_TRY(weir_options_text(&schema->options, "file.format", &format, err));
    for (int32_t i = 0; i < schema->field_count; i++) {
        const weir_field *field = &schema->fields[i];
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(field->name, schema->fields[k].name) == 0) {
                return weir_fail(err, WEIR_INVALID, "two columns are named '%s'", field->name);
            }
        }
        if (!had_column(self, field)) {
            WEIR_TRY(check_column_name(field->name, err));
            WEIR_TRY(check_type(field->name, field->type, format, err));
        }
    }
    return WEIR_OK;
}

/* ---- keys ---- */

int weir_schema_unknown_column(const weir_schema *schema, const char *what, const char *name, weir_arena *arena,
                               weir_error *err)
{
    const char **names = WEIR_NEW_ARRAY(arena, const char *, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        names[i] = schema->fields[i].name;
    }
    const char *near = weir_suggest(name, names, (size_t)schema->field_count);
    if (near == NULL) {
        return weir_fail(err, WEIR_INVALID, "the %s names '%s', which is not a column", what, name);
    }
    return weir_fail(err, WEIR_INVALID, "the %s names '%s', which is not a column; did you mean '%s'?", what, name,
                     near);
}

const char **weir_split_names(weir_arena *arena, const char *text, int32_t *out_count)
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

bool weir_names_have(const char *const *names, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int check_key_types(const checking *self, const char *const *keys, int32_t count, const char *what,
                           weir_error *err)
{
    for (int32_t i = 0; i < count; i++) {
        const weir_type *type = self->schema->fields[weir_schema_column(self->schema, keys[i])].type;
        if (weir_type_is_nested(type) || type->id == WEIR_BLOB) {
            return weir_fail(err, WEIR_INVALID, "the column '%s' of type %s cannot be part of the %s", keys[i],
                             weir_type_text(self->arena, type), what);
        }
    }
    return WEIR_OK;
}

static int check_keys(const checking *self, weir_error *err)
{
    const weir_schema *schema = self->schema;
    WEIR_TRY(check_key_types(self, schema->primary_keys, schema->primary_key_count, "primary key", err));
    WEIR_TRY(check_key_types(self, schema->partition_keys, schema->partition_key_count, "partitioning", err));
    if (schema->primary_key_count > 0 && schema->key_column_count == 0) {
        return weir_fail(err, WEIR_INVALID,
                         "the primary key has no columns but those of the partitioning; add one that "
                         "tells the rows of a partition apart");
    }
    return WEIR_OK;
}

/* ---- buckets ---- */

static int check_bucket_key(const checking *self, const char *text, weir_error *err)
{
    const weir_schema *schema = self->schema;
    int32_t count;
    const char **names = weir_split_names(self->arena, text, &count);
    for (int32_t i = 0; i < count; i++) {
        if (weir_schema_column(schema, names[i]) < 0) {
            return weir_schema_unknown_column(schema, "option 'bucket-key'", names[i], self->arena, err);
        }
        if (weir_names_have(schema->partition_keys, schema->partition_key_count, names[i])) {
            return weir_fail(err, WEIR_INVALID,
                             "the option 'bucket-key' names '%s', which is a partition column: all rows "
                             "of a partition share its value",
                             names[i]);
        }
        if (schema->primary_key_count > 0 &&
            !weir_names_have(schema->primary_keys, schema->primary_key_count, names[i])) {
            return weir_fail(err, WEIR_INVALID, "the option 'bucket-key' names '%s', which is not in the primary key",
                             names[i]);
        }
    }
    return check_key_types(self, names, count, "bucket key", err);
}

static int check_mod_key(const checking *self, const char *bucket_key, weir_error *err)
{
    const weir_schema *schema = self->schema;
    int32_t count = schema->key_column_count;
    int32_t column = count > 0 ? schema->key_columns[0] : -1;
    if (bucket_key != NULL) {
        const char **names = weir_split_names(self->arena, bucket_key, &count);
        column = count > 0 ? weir_schema_column(schema, names[0]) : -1;
    }
    weir_type_id id = column < 0 ? WEIR_NULL : schema->fields[column].type->id;
    if (count != 1 || (id != WEIR_INT && id != WEIR_BIGINT)) {
        return weir_fail(err, WEIR_INVALID,
                         "'bucket-function.type' = 'mod' needs a bucket key of one INT or BIGINT column");
    }
    return WEIR_OK;
}

static int check_buckets(const checking *self, weir_error *err)
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
    bool waits = bucket == WEIR_POSTPONED_BUCKET && schema->primary_key_count > 0;
    if (bucket == 0 || (bucket < -1 && !waits) || bucket > INT32_MAX) {
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
    if (bucket > 0 && weir_schema_is_cross_partition(schema)) {
        return weir_fail(err, WEIR_INVALID,
                         "the primary key must include all partition columns when the number of buckets "
                         "is fixed, because a row is looked for in one partition only");
    }
    return strcmp(function, "mod") == 0 && bucket > 0 ? check_mod_key(self, bucket_key, err) : WEIR_OK;
}

/* ---- options ---- */

/* sequence.field: columns that are told once and have no aggregate function, for engines and tables that can follow it.
 */
static int check_sequence_field(const checking *self, const char *engine, weir_error *err)
{
    const weir_schema *schema = self->schema;
    const char *text = weir_options_get(&schema->options, "sequence.field");
    int32_t count = 0;
    if (text == NULL) {
        return WEIR_OK;
    }
    const char **names = weir_split_names(self->arena, text, &count);
    for (int32_t i = 0; i < count; i++) {
        const char *function = weir_arena_format(self->arena, "fields.%s.aggregate-function", names[i]);
        if (weir_options_get(&schema->options, function) != NULL) {
            return weir_fail(err, WEIR_INVALID, "Should not define aggregation on sequence field: '%s'.", names[i]);
        }
        if (weir_names_have(names, i, names[i])) {
            return weir_fail(err, WEIR_INVALID, "Sequence field '%s' is defined repeatedly.", names[i]);
        }
    }
    if (strcmp(engine, "first-row") == 0) {
        return weir_fail(err, WEIR_INVALID, "Do not support use sequence field on FIRST_ROW merge engine.");
    }
    if (weir_schema_is_cross_partition(schema)) {
        return weir_fail(err, WEIR_INVALID,
                         "You can not use sequence.field in cross partition update case: the primary key does not "
                         "include all partition columns");
    }
    return WEIR_OK;
}

/* What merge engines ask of other options. What they ask of columns is known to those who merge (merge_engine.h). */
static int check_merging(const checking *self, const char *producer, weir_error *err)
{
    const weir_options *options = &self->schema->options;
    const char *engine = NULL;
    bool has_deletion_vectors = false;
    WEIR_TRY(weir_options_text(options, "merge-engine", &engine, err));
    WEIR_TRY(check_sequence_field(self, engine, err));
    if (strcmp(engine, "first-row") != 0) {
        return WEIR_OK;
    }
    if (strcmp(producer, "none") != 0 && strcmp(producer, "lookup") != 0) {
        return weir_fail(err, WEIR_INVALID,
                         "Only support 'none' and 'lookup' changelog-producer on FIRST_ROW merge engine");
    }
    WEIR_TRY(weir_options_bool(options, "deletion-vectors.enabled", &has_deletion_vectors, err));
    if (has_deletion_vectors) {
        return weir_fail(err, WEIR_INVALID,
                         "First row merge engine does not need deletion vectors because there is no deletion of old "
                         "data in this merge engine.");
    }
    return WEIR_OK;
}

/* Options that contradict each other or the kind of table. */
static int check_combinations(const checking *self, weir_error *err)
{
    const weir_options *options = &self->schema->options;
    const char *producer = NULL;
    int64_t kept_least = 0;
    int64_t kept_most = 0;
    WEIR_TRY(weir_options_text(options, "changelog-producer", &producer, err));
    if (self->schema->primary_key_count == 0 && strcmp(producer, "none") != 0) {
        return weir_fail(err, WEIR_INVALID, "'changelog-producer' = '%s' needs a primary key", producer);
    }
    WEIR_TRY(check_merging(self, producer, err));
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

static int check_names(const checking *self, const char *key, const char *text, weir_error *err)
{
    int32_t count;
    const char **names = weir_split_names(self->arena, text, &count);
    const char *what = weir_arena_format(self->arena, "option '%s'", key);
    for (int32_t i = 0; i < count; i++) {
        if (weir_schema_column(self->schema, names[i]) < 0) {
            return weir_schema_unknown_column(self->schema, what, names[i], self->arena, err);
        }
    }
    return WEIR_OK;
}

/* Options that name columns: 'sequence.field' = 'a,b', 'fields.a,b.sequence-group' = 'c,d', 'fields.a.…'. */
static int check_named_columns(const checking *self, weir_error *err)
{
    const weir_options *options = &self->schema->options;
    for (size_t i = 0; i < options->count; i++) {
        const char *key = options->keys[i];
        const char *suffix = strncmp(key, "fields.", 7) == 0 ? strrchr(key + 7, '.') : NULL;
        if (suffix != NULL) {
            const char *named = weir_arena_strndup(self->arena, key + 7, (size_t)(suffix - key) - 7);
            WEIR_TRY(check_names(self, key, named, err));
        }
        bool names_columns = strcmp(key, "sequence.field") == 0 || strcmp(key, "rowkind.field") == 0 ||
                             (suffix != NULL && strcmp(suffix, ".sequence-group") == 0);
        if (names_columns) {
            WEIR_TRY(check_names(self, key, options->values[i], err));
        }
    }
    return WEIR_OK;
}

bool weir_schema_is_cross_partition(const weir_schema *schema)
{
    return schema->primary_key_count > 0 &&
           schema->primary_key_count - schema->key_column_count < schema->partition_key_count;
}

int weir_schema_check_writable(const weir_schema *schema, weir_error *err)
{
    int64_t bucket = -1;
    WEIR_TRY(weir_options_check_writable(&schema->options, err));
    WEIR_TRY(weir_options_int(&schema->options, "bucket", &bucket, err));
    if (bucket == WEIR_POSTPONED_BUCKET && weir_schema_is_cross_partition(schema)) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "tables with 'bucket' = '-2' whose primary key lacks a partition column are not written by this "
                         "version; leave out 'bucket', or add the column to the key");
    }
    return WEIR_OK;
}

int weir_schema_check(const weir_schema *schema, const weir_schema *before, weir_arena *arena, weir_error *err)
{
    checking self = {.arena = arena, .schema = schema, .before = before};
    bool was_written = before == NULL || weir_schema_check_writable(before, NULL) == WEIR_OK;
    WEIR_TRY(check_keys(&self, err));
    if (was_written) {
        WEIR_TRY(check_buckets(&self, err));
    }
    WEIR_TRY(check_combinations(&self, err));
    WEIR_TRY(check_named_columns(&self, err));
    if (was_written) {
        WEIR_TRY(weir_schema_check_writable(schema, err));
    }
    return check_columns(&self, err);
}
