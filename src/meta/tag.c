/* Tag files: a snapshot's text, and two more members where the tag is to go after some time:
 *
 *   "tagCreateTime" : [ 2024, 2, 29, 12, 34, 56, 123000000 ]   (a local time; trailing zeros are left out)
 *   "tagTimeRetained" : 86400.000000000                         (seconds) */
#include "meta/tag.h"

#include <math.h>

#include "base/clock.h"
#include "base/json.h"

#define MS_PER_DAY 86400000

const char *weir_tag_path(weir_arena *arena, const char *root, const char *name)
{
    return weir_arena_format(arena, "%s/tag/tag-%s", root, name);
}

static int read_document(weir_fs *fs, const char *path, json_t **out, weir_error *err)
{
    weir_buffer text = {0};
    int code = weir_fs_read_all(fs, path, &text, err);
    if (code == WEIR_OK) {
        code = weir_json_parse(weir_buffer_slice(&text), path, out, err);
    }
    weir_buffer_free(&text);
    return code;
}

/* year, month, day, hour, minute and perhaps second and nanosecond. */
static int read_local_time(const json_t *array, const char *path, int64_t *out, weir_error *err)
{
    int64_t parts[7] = {0, 1, 1};
    size_t count = json_array_size(array);
    for (size_t i = 0; i < count && i < 7; i++) {
        const json_t *part = json_array_get(array, i);
        parts[i] = json_integer_value(part);
        if (!json_is_integer(part) || parts[i] < 0 || parts[i] > 999999999) {
            count = 0;
        }
    }
    if (count < 5 || count > 7 || parts[1] < 1 || parts[1] > 12 || parts[0] > 999999) {
        return weir_fail(err, WEIR_CORRUPT, "%s: 'tagCreateTime' is no local time", path);
    }
    int64_t days = weir_days_from_civil(parts[0], (int)parts[1], (int)parts[2]);
    *out = days * MS_PER_DAY + ((parts[3] * 60 + parts[4]) * 60 + parts[5]) * 1000 + parts[6] / 1000000;
    return WEIR_OK;
}

static int read_lifetime(const json_t *document, const char *path, weir_tag_lifetime *out, weir_error *err)
{
    json_t *created = NULL;
    const json_t *retained = json_object_get(document, "tagTimeRetained");
    *out = (weir_tag_lifetime){0};
    WEIR_TRY(weir_json_get_array(document, "tagCreateTime", false, path, &created, err));
    if (created == NULL || !json_is_number(retained)) {
        return WEIR_OK;
    }
    double seconds = json_number_value(retained);
    if (!(fabs(seconds) < 1e15)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: 'tagTimeRetained' is no time", path);
    }
    WEIR_TRY(read_local_time(created, path, &out->created_local_ms, err));
    out->retained_ms = (int64_t)llround(seconds * 1000);
    out->is_given = true;
    return WEIR_OK;
}

int weir_tag_read_lifetime(weir_fs *fs, const char *root, const char *name, weir_tag_lifetime *out, weir_error *err)
{
    weir_arena arena;
    json_t *document = NULL;
    weir_arena_init(&arena);
    const char *path = weir_tag_path(&arena, root, name);
    int code = read_document(fs, path, &document, err);
    if (code == WEIR_OK) {
        code = read_lifetime(document, path, out, err);
    }
    json_decref(document);
    weir_arena_free(&arena);
    return code;
}

static json_t *local_time(int64_t local_ms)
{
    int64_t days = local_ms / MS_PER_DAY - (local_ms % MS_PER_DAY < 0);
    int64_t of_day = local_ms - days * MS_PER_DAY;
    int64_t year;
    int month, day;
    weir_civil_from_days(days, &year, &month, &day);
    int64_t parts[7] = {
        year, month, day, of_day / 3600000, of_day / 60000 % 60, of_day / 1000 % 60, of_day % 1000 * 1000000};
    int count = parts[6] != 0 ? 7 : parts[5] != 0 ? 6 : 5;
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(array, json_integer(parts[i]));
    }
    return array;
}

int weir_tag_publish(weir_fs *fs, const char *root, const char *name, const char *file,
                     const weir_tag_lifetime *lifetime, bool replace, weir_error *err)
{
    weir_arena arena;
    weir_buffer text = {0};
    json_t *document = NULL;
    int code;
    weir_arena_init(&arena);
    WEIR_GO(read_document(fs, file, &document, err));
    json_object_del(document, "tagCreateTime");
    json_object_del(document, "tagTimeRetained");
    if (lifetime->is_given) {
        json_object_set_new(document, "tagCreateTime", local_time(lifetime->created_local_ms));
        json_object_set_new(document, "tagTimeRetained", json_real((double)lifetime->retained_ms / 1000));
    }
    weir_json_write_pretty(document, &text);
    const char *path = weir_tag_path(&arena, root, name);
    if (replace) {
        WEIR_GO(weir_fs_remove(fs, path, err));
    }
    WEIR_GO(weir_fs_publish(fs, path, weir_buffer_slice(&text), err));
done:
    json_decref(document);
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    return code;
}
