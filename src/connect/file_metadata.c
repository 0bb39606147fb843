/* METADATA of filesystem tables: path, name, size and time of the file that a row is in. */
#include "connect/file_metadata.h"

#include "vector/cast.h"

const char *const weir_file_metadata_keys[] = {"file.path", "file.name", "file.size", "file.modification-time", NULL};

enum { FILE_PATH, FILE_NAME, FILE_SIZE, FILE_TIME, KEY_COUNT };

static int find_key(const char *key)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        if (strcmp(weir_file_metadata_keys[i], key) == 0) {
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

const weir_type *weir_file_metadata_type(const char *key)
{
    int found = find_key(key);
    return found < 0 ? NULL : type_of(found);
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
int weir_file_metadata_append(const weir_field *field, const weir_folder_file *file, int64_t count, weir_vector *column,
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
