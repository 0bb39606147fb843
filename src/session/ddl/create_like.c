/* CREATE TABLE … LIKE: the definition of another table below that of the statement, by Flink's rules of merging
 * (org.apache.flink.table.planner.operations.MergeTableLikeUtil, as a running Flink has them). */
#include "session/catalog/table_draft.h"
#include "session/ddl/create_table.h"

typedef enum strategy { UNSAID, INCLUDING, EXCLUDING, OVERWRITING } strategy;

typedef enum feature { ALL, CONSTRAINTS, DISTRIBUTION, GENERATED, METADATA, OPTIONS, PARTITIONS, WATERMARKS } feature;

enum { FEATURE_COUNT = WATERMARKS + 1 };

static const char *const feature_names[FEATURE_COUNT] = {"ALL",      "CONSTRAINTS", "DISTRIBUTION", "GENERATED",
                                                         "METADATA", "OPTIONS",     "PARTITIONS",   "WATERMARKS"};

typedef struct merging {
    const weir_ast_create_table *create;
    const weir_description *source;
    weir_arena *arena;
    strategy strategies[FEATURE_COUNT];
    weir_ast_create_table *draft;
} merging;

static int fail(weir_position at, weir_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int fail(weir_position at, weir_error *err, const char *format, ...)
{
    char message[WEIR_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return weir_fail_at(err, WEIR_INVALID, at.line, at.column, "%s", message);
}

/* ---- INCLUDING, EXCLUDING, OVERWRITING ---- */

static int read_choice(merging *self, const weir_ast_part *choice, weir_error *err)
{
    const char *name = strchr(choice->text, ' ') + 1;
    strategy said = choice->text[0] == 'I' ? INCLUDING : choice->text[0] == 'E' ? EXCLUDING : OVERWRITING;
    int32_t which = 0;
    while (strcmp(feature_names[which], name) != 0) {
        which++;
    }
    bool may_overwrite = which == GENERATED || which == METADATA || which == OPTIONS || which == WATERMARKS;
    if (said == OVERWRITING && !may_overwrite) {
        return fail(choice->position, err, "OVERWRITING goes with GENERATED, METADATA, OPTIONS and WATERMARKS, not %s",
                    name);
    }
    if (self->strategies[which] != UNSAID) {
        return fail(choice->position, err, "%s is said twice", name);
    }
    self->strategies[which] = said;
    return WEIR_OK;
}

static int read_choices(merging *self, weir_error *err)
{
    const weir_ast_names *choices = &self->create->like->choices;
    for (int32_t i = 0; i < choices->count; i++) {
        WEIR_TRY(read_choice(self, &choices->items[i], err));
    }
    for (int32_t i = ALL + 1; i < FEATURE_COUNT; i++) {
        if (self->strategies[i] == UNSAID) {
            self->strategies[i] = self->strategies[ALL];
        }
        if (self->strategies[i] == UNSAID) {
            self->strategies[i] = i == OPTIONS ? OVERWRITING : INCLUDING;
        }
    }
    return WEIR_OK;
}

/* ---- columns ---- */

static void leave_out(merging *self, weir_ast_column_kind kind, strategy said)
{
    for (int32_t i = self->draft->column_count - 1; said == EXCLUDING && i >= 0; i--) {
        if (self->draft->columns[i].kind == kind) {
            weir_draft_remove(self->draft, i);
        }
    }
}

static int add_column(merging *self, const weir_ast_column *column, weir_error *err)
{
    int32_t place = weir_draft_find(self->draft, column->name.text);
    if (place < 0) {
        weir_draft_insert(self->draft, self->draft->column_count, column);
        return WEIR_OK;
    }
    const weir_ast_column *old = &self->draft->columns[place];
    bool same_kind = old->kind == column->kind && column->kind != WEIR_AST_PHYSICAL_COLUMN;
    const char *what = column->kind == WEIR_AST_METADATA_COLUMN ? "METADATA" : "GENERATED";
    if (!same_kind) {
        return fail(column->name.position, err, "the table to copy has a column '%s' already", column->name.text);
    }
    if (self->strategies[column->kind == WEIR_AST_METADATA_COLUMN ? METADATA : GENERATED] != OVERWRITING) {
        return fail(column->name.position, err,
                    "the table to copy has a column '%s' already; say EXCLUDING %s or OVERWRITING %s",
                    column->name.text, what, what);
    }
    self->draft->columns[place] = *column;
    return WEIR_OK;
}

static int merge_columns(merging *self, weir_error *err)
{
    leave_out(self, WEIR_AST_COMPUTED_COLUMN, self->strategies[GENERATED]);
    leave_out(self, WEIR_AST_METADATA_COLUMN, self->strategies[METADATA]);
    for (int32_t i = 0; i < self->create->column_count; i++) {
        const weir_ast_column *column = &self->create->columns[i];
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(self->create->columns[k].name.text, column->name.text) == 0) {
                return fail(column->name.position, err, "column '%s' is defined twice", column->name.text);
            }
        }
        WEIR_TRY(add_column(self, column, err));
    }
    return WEIR_OK;
}

/* ---- keys, partitions, watermark ---- */

static int merge_keys(merging *self, weir_error *err)
{
    const weir_ast_create_table *create = self->create;
    weir_ast_create_table *draft = self->draft;
    if (self->strategies[CONSTRAINTS] == EXCLUDING) {
        draft->has_primary_key = false;
        draft->primary_key.count = 0;
    }
    if (create->has_primary_key && draft->has_primary_key) {
        return fail(create->primary_key_position, err,
                    "the table to copy has a PRIMARY KEY already; say EXCLUDING CONSTRAINTS");
    }
    if (create->has_primary_key) {
        draft->has_primary_key = true;
        draft->primary_key = create->primary_key;
        draft->primary_key_position = create->primary_key_position;
    }
    if (create->partitioned_by.count == 0) {
        return WEIR_OK; /* those of the table to copy stay, also after EXCLUDING: so does Flink */
    }
    if (draft->partitioned_by.count > 0 && self->strategies[PARTITIONS] != EXCLUDING) {
        return fail(create->partitioned_by.items[0].position, err,
                    "the table to copy is partitioned already; say EXCLUDING PARTITIONS");
    }
    draft->partitioned_by = create->partitioned_by;
    return WEIR_OK;
}

static int merge_watermark(merging *self, weir_error *err)
{
    const weir_ast_watermark *own = self->create->watermark;
    if (self->strategies[WATERMARKS] == EXCLUDING) {
        self->draft->watermark = NULL;
    }
    if (own != NULL && self->draft->watermark != NULL && self->strategies[WATERMARKS] != OVERWRITING) {
        return fail(own->position, err,
                    "the table to copy has a WATERMARK already; say EXCLUDING WATERMARKS or OVERWRITING WATERMARKS");
    }
    if (own != NULL) {
        self->draft->watermark = self->create->watermark;
    }
    return WEIR_OK;
}

/* ---- options ---- */

/* Options that DISTRIBUTED BY of the statement stands for. */
static bool is_distribution(const merging *self, const char *key)
{
    return (self->create->bucket_count > 0 && strcmp(key, "bucket") == 0) ||
           (self->create->distributed_by.count > 0 && strcmp(key, "bucket-key") == 0);
}

static int merge_options(merging *self, weir_error *err)
{
    const weir_options *source = &self->source->options;
    const weir_ast_options *own = &self->create->options;
    weir_ast_options *merged = &self->draft->options;
    merged->items = WEIR_NEW_ARRAY(self->arena, weir_ast_option, source->count + (size_t)own->count + 1);
    for (size_t i = 0; self->strategies[OPTIONS] != EXCLUDING && i < source->count; i++) {
        if (is_distribution(self, source->keys[i])) {
            continue;
        }
        weir_position at = self->create->like->name.position;
        merged->items[merged->count++] = (weir_ast_option){at, source->keys[i], at, source->values[i]};
    }
    for (int32_t i = 0; i < own->count; i++) {
        int32_t place = 0;
        while (place < merged->count && strcmp(merged->items[place].key, own->items[i].key) != 0) {
            place++;
        }
        if (place < merged->count && self->strategies[OPTIONS] == INCLUDING) {
            return fail(own->items[i].position, err,
                        "the table to copy has the option '%s' already; say EXCLUDING OPTIONS or OVERWRITING OPTIONS",
                        own->items[i].key);
        }
        merged->items[place] = own->items[i];
        merged->count += place == merged->count;
    }
    return WEIR_OK;
}

/* A table that the session keeps over one of a Paimon catalog: the same files, by their folder. */
static void name_folder(merging *self, const char *folder)
{
    weir_ast_options *merged = &self->draft->options;
    weir_position at = self->create->like->name.position;
    for (int32_t i = 0; i < merged->count; i++) {
        if (strcmp(merged->items[i].key, "connector") == 0) {
            return;
        }
    }
    weir_ast_option *items = WEIR_NEW_ARRAY(self->arena, weir_ast_option, merged->count + 2);
    memcpy(items, merged->items, (size_t)merged->count * sizeof *items);
    items[merged->count++] = (weir_ast_option){at, "connector", at, "paimon"};
    items[merged->count++] = (weir_ast_option){at, "path", at, folder};
    merged->items = items;
}

/* ---- the statement ---- */

static int check_source(const merging *self, const weir_object_path *path, weir_error *err)
{
    const weir_ast_name *name = &self->create->like->name;
    if (self->source->view_query != NULL) {
        return fail(name->position, err, "'%s' is a view, which LIKE does not copy; CREATE TABLE … AS SELECT does",
                    name->parts[name->count - 1].text);
    }
    if (path->catalog->paimon != NULL && strchr(path->name, '$') != NULL) {
        return fail(name->position, err, "'%s' is a system table, which LIKE does not copy", path->name);
    }
    return WEIR_OK;
}

int weir_create_like(weir_session *session, const weir_ast_create_table *create, bool is_kept, weir_arena *arena,
                     weir_ast_create_table **out, weir_error *err)
{
    weir_description source;
    weir_object_path path;
    bool is_temporary;
    const char *folder = NULL;
    merging self = {.create = create, .source = &source, .arena = arena};
    WEIR_TRY(read_choices(&self, err));
    WEIR_TRY(weir_session_describe(session, &create->like->name, arena, &source, &path, &is_temporary, &folder, err));
    WEIR_TRY(check_source(&self, &path, err));
    WEIR_TRY(weir_table_draft(&source, &create->like->name, create->column_count, arena, &self.draft, err));
    self.draft->name = create->name;
    self.draft->temporary = create->temporary;
    self.draft->if_not_exists = create->if_not_exists;
    self.draft->comment = create->comment;
    self.draft->distributed = create->distributed;
    self.draft->distribution = create->distribution;
    self.draft->distributed_by = create->distributed_by;
    self.draft->bucket_count = create->bucket_count;
    WEIR_TRY(merge_columns(&self, err));
    WEIR_TRY(merge_keys(&self, err));
    WEIR_TRY(merge_watermark(&self, err));
    WEIR_TRY(merge_options(&self, err));
    if (is_kept && folder != NULL && self.strategies[OPTIONS] != EXCLUDING) {
        name_folder(&self, folder);
    }
    *out = self.draft;
    return WEIR_OK;
}
