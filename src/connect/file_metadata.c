/* METADATA of filesystem tables: path, name, size and time of the file that a row is in. */
#include "connect/file_metadata.h"

#include "base/text.h"
#include "vector/cast.h"

static const char *const keys[] = {"file.path", "file.name", "file.size", "file.modification-time"};

enum { FILE_PATH, FILE_NAME, FILE_SIZE, FILE_TIME, KEY_COUNT };

static int find_key(const char *key)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        if (strcmp(keys[i], key) == 0) {
            return i;
        }
    }
    return -1;
}

static const weir_type *type_of(int key)
{
    static const weir_type time = {.id = WEIR_TIMESTAMP_LTZ, .precision = 3};
    return key == FILE_TIME ? &time : weir_type_simple(key == FILE_SIZE ? WEIR_BIGINT : WEIR_VARCHAR, false);
}

int weir_file_metadata_find(const char *key, const weir_type **out, weir_error *err)
{
    int found = find_key(key);
    if (found < 0) {
        const char *near = weir_suggest(key, keys, KEY_COUNT);
        return weir_fail(err, WEIR_INVALID,
                         "there is no METADATA '%s'%s%s%s; files have 'file.path', 'file.name', 'file.size' and "
                         "'file.modification-time'",
                         key, near == NULL ? "" : ", did you mean '", near == NULL ? "" : near,
                         near == NULL ? "" : "'?");
    }
    *out = type_of(found);
    return WEIR_OK;
}

static int append_native(int key, const weir_folder_file *file, weir_vector *out, weir_error *err)
{
    const char *slash = strrchr(file->path, '/');
    const char *text = key == FILE_NAME && slash != NULL ? slash + 1 : file->path;
    int64_t number = key == FILE_SIZE ? (int64_t)file->size : file->modified_ms;
    return key == FILE_PATH || key == FILE_NAME ? weir_vector_append_raw(out, text, strlen(text), err)
                                                : weir_vector_append_raw(out, &number, sizeof number, err);
}

/* One value, cast to the column's type; then as many copies of it as there are rows. */
static int append_column(const weir_field *field, const weir_folder_file *file, int64_t count, weir_vector *column,
                         weir_error *err)
{
    weir_vector native;
    weir_vector value;
    int key = find_key(field->name);
    weir_vector_init(&native, type_of(key));
    weir_vector_init(&value, field->type);
    int code = append_native(key, file, &native, err);
    if (code == WEIR_OK) {
        code = weir_vector_cast(&native, &value, err);
    }
    for (int64_t row = 0; code == WEIR_OK && row < count; row++) {
        code = weir_vector_append_range(column, &value, 0, 1, err);
    }
    weir_vector_free(&native);
    weir_vector_free(&value);
    return code;
}

int weir_file_metadata_append(const weir_field *fields, int32_t field_count, const weir_folder_file *file,
                              int64_t count, weir_vector *columns, weir_error *err)
{
    for (int32_t i = 0; i < field_count; i++) {
        WEIR_TRY(append_column(&fields[i], file, count, &columns[i], err));
    }
    return WEIR_OK;
}
