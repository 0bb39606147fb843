/* The files of a table in a folder. Folders are walked one after the other; the order of files is that of their names
 * below the table's folder, so that it is the same on every file system. */
#include "connect/folder_files.h"

#include <stdlib.h>

typedef struct file_list {
    weir_folder_file *files;
    size_t count;
    size_t capacity;
    weir_folder_state *folders;
    size_t folder_count;
    size_t folder_capacity;
} file_list;

/* ---- partition values in names ---- */

static int hex_digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    uint8_t lower = byte | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The characters that Flink's PartitionPathUtils escapes. */
void weir_partition_value_escape(weir_slice value, weir_buffer *out)
{
    for (size_t i = 0; i < value.size; i++) {
        uint8_t byte = value.data[i];
        if (byte < 0x20 || byte == 0x7F || strchr("\"#%'*/:=?\\{[]^", byte) != NULL) {
            weir_buffer_append_format(out, "%%%02X", byte);
        } else {
            weir_buffer_append_byte(out, byte);
        }
    }
}

const char *weir_partition_value_unescape(weir_arena *arena, weir_slice text)
{
    char *value = weir_arena_strndup(arena, (const char *)text.data, text.size);
    char *end = value;
    for (size_t i = 0; i < text.size; i++) {
        int high = text.data[i] == '%' && i + 2 < text.size ? hex_digit(text.data[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text.data[i + 2]) : -1;
        if (low >= 0) {
            *end++ = (char)(high * 16 + low);
            i += 2;
        } else {
            *end++ = (char)text.data[i];
        }
    }
    *end = '\0';
    return value;
}

/* ---- listing ---- */

static bool is_hidden(const char *name) { return name[0] == '.' || name[0] == '_'; }

/* Reads the values of the partition keys from the folders in the name of a file. */
static int read_partition(const weir_folder_table *table, weir_arena *arena, weir_folder_file *file, weir_error *err)
{
    file->partition = WEIR_NEW_ARRAY(arena, const char *, table->partition_key_count);
    const char *folder = file->name;
    for (int32_t i = 0; i < table->partition_key_count; i++) {
        const char *key = table->partition_keys[i];
        size_t key_size = strlen(key);
        const char *slash = strchr(folder, '/');
        if (slash == NULL || strncmp(folder, key, key_size) != 0 || folder[key_size] != '=') {
            return weir_fail(err, WEIR_INVALID,
                             "%s: the table is partitioned by '%s', but the file does not lie in a folder '%s=…'",
                             file->path, key, key);
        }
        weir_slice text = weir_slice_of(folder + key_size + 1, (size_t)(slash - folder) - key_size - 1);
        const char *value = weir_partition_value_unescape(arena, text);
        file->partition[i] = strcmp(value, table->default_partition) == 0 ? NULL : value;
        folder = slash + 1;
    }
    return WEIR_OK;
}

static int add_file(const weir_folder_table *table, weir_arena *arena, const char *path, const char *name,
                    const weir_file_info *info, file_list *list, weir_error *err)
{
    if (table->pattern != NULL && !weir_name_pattern_matches(table->pattern, weir_slice_text(path))) {
        return WEIR_OK;
    }
    weir_folder_file file = {.path = path, .name = name, .size = info->size_bytes, .modified_ms = info->modified_ms};
    WEIR_TRY(read_partition(table, arena, &file, err));
    WEIR_GROW(list->files, list->capacity, list->count + 1);
    list->files[list->count++] = file;
    return WEIR_OK;
}

/* Adds the files under `folder`, whose name below the table's folder is `prefix` (empty, or with a slash at its end).
 */
static int walk(const weir_folder_table *table, weir_arena *arena, const char *folder, const char *prefix,
                file_list *list, weir_error *err)
{
    weir_file_info *entries;
    weir_file_info info;
    size_t count;
    WEIR_TRY(weir_fs_stat(table->fs, folder, &info, err));
    WEIR_GROW(list->folders, list->folder_capacity, list->folder_count + 1);
    list->folders[list->folder_count++] = (weir_folder_state){.path = folder, .modified_ms = info.modified_ms};
    WEIR_TRY(weir_fs_list(table->fs, folder, arena, &entries, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (is_hidden(entries[i].name)) {
            continue;
        }
        const char *path = weir_arena_format(arena, "%s/%s", folder, entries[i].name);
        if (entries[i].is_directory) {
            const char *below = weir_arena_format(arena, "%s%s/", prefix, entries[i].name);
            WEIR_TRY(walk(table, arena, path, below, list, err));
        } else {
            const char *name = weir_arena_format(arena, "%s%s", prefix, entries[i].name);
            WEIR_TRY(add_file(table, arena, path, name, &entries[i], list, err));
        }
    }
    return WEIR_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const weir_folder_file *)a)->name, ((const weir_folder_file *)b)->name);
}

int weir_folder_table_look(const weir_folder_table *table, weir_file_info *out, weir_error *err)
{
    int code = weir_fs_stat(table->fs, table->path, out, err);
    if (code == WEIR_NOT_FOUND) {
        return weir_fail(err, code, "option 'path': there is no file or folder %s", table->path);
    }
    return code == WEIR_OK ? code : weir_error_context(err, code, "option 'path'");
}

static int list_files(const weir_folder_table *table, weir_arena *arena, file_list *list, weir_error *err)
{
    weir_file_info info;
    WEIR_TRY(weir_folder_table_look(table, &info, err));
    if (info.is_directory) {
        return walk(table, arena, table->path, "", list, err);
    }
    return add_file(table, arena, table->path, strrchr(table->path, '/') + 1, &info, list, err);
}

int weir_folder_files_list(const weir_folder_table *table, weir_arena *arena, weir_folder_listing *out,
                           weir_error *err)
{
    file_list list = {0};
    *out = (weir_folder_listing){0};
    int code = list_files(table, arena, &list, err);
    if (code == WEIR_OK) {
        *out = (weir_folder_listing){.file_count = list.count, .folder_count = list.folder_count};
        out->folders = weir_arena_copy(arena, list.folders, list.folder_count * sizeof *list.folders);
        if (list.count > 0) {
            qsort(list.files, list.count, sizeof *list.files, compare_names);
            out->files = weir_arena_copy(arena, list.files, list.count * sizeof *list.files);
        }
    }
    free(list.files);
    free(list.folders);
    return code;
}

int weir_folder_file_look(const weir_folder_table *table, weir_arena *arena, const char *path, weir_folder_file *out,
                          weir_error *err)
{
    weir_file_info info;
    size_t folder = strlen(table->path);
    bool is_below = strncmp(path, table->path, folder) == 0 && path[folder] == '/';
    WEIR_TRY(weir_fs_stat(table->fs, path, &info, err));
    *out = (weir_folder_file){
        .path = path,
        .name = is_below ? path + folder + 1 : strrchr(path, '/') + 1,
        .size = info.size_bytes,
        .modified_ms = info.modified_ms,
    };
    return read_partition(table, arena, out, err);
}
