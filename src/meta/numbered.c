/* Listing numbered files. */
#include "meta/numbered.h"

#include <stdlib.h>

#include "base/text.h"

static int compare_numbers(const void *a, const void *b)
{
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

int weir_numbered_list(weir_fs *fs, const char *folder, const char *prefix, weir_arena *arena, int64_t **out,
                       size_t *out_count, weir_error *err)
{
    weir_file_info *files = NULL;
    size_t file_count = 0, count = 0, size = strlen(prefix);
    WEIR_TRY(weir_fs_list(fs, folder, arena, &files, &file_count, err));
    int64_t *numbers = WEIR_NEW_ARRAY(arena, int64_t, file_count + 1);
    for (size_t i = 0; i < file_count; i++) {
        if (strncmp(files[i].name, prefix, size) == 0 &&
            weir_parse_int64(weir_slice_text(files[i].name + size), &numbers[count])) {
            count++;
        }
    }
    if (count > 1) {
        qsort(numbers, count, sizeof *numbers, compare_numbers);
    }
    *out = numbers;
    *out_count = count;
    return WEIR_OK;
}
