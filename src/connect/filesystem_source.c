/* The filesystem source of what is there: the files of a folder, one after the other.
 *
 * The files are those that are there when it is opened. A position names the files that are through and how far the
 * current one is, so it stays right when files come and go in between. A folder that is followed, with
 * source.monitor-interval, is read by following_source.c. */
#include <stdlib.h>

#include "base/byte_reader.h"
#include "connect/folder_reader.h"

#define BATCH_TEXT_BYTES (16 << 20) /* a batch ends after so much text, however few rows it makes */

#define POSITION_VERSION 1

typedef struct filesystem_source {
    weir_source base;
    weir_folder_reader reader;
    weir_folder_file *files;
    bool *done; /* of each file */
    size_t file_count;
    int64_t finished_bytes;    /* of the files that are through */
    size_t current;            /* the file that is open, or the next one to look at */
    bool goes_back;            /* files before the current one may wait: they came after its position was taken */
    weir_file_position resume; /* where the current file is to be opened */
} filesystem_source;

/* ---- batches ---- */

static void finish_current(filesystem_source *source)
{
    weir_folder_reader_close_file(&source->reader);
    source->done[source->current] = true;
    source->finished_bytes += (int64_t)source->files[source->current].size;
    source->resume = WEIR_FILE_START;
    if (source->goes_back) {
        source->current = 0;
        source->goes_back = false;
    }
}

static int64_t count_done_bytes(const filesystem_source *source)
{
    bool is_in_text = source->reader.rows != NULL && source->reader.text_reader != NULL;
    return source->finished_bytes + (is_in_text ? (int64_t)source->reader.rows->position.offset : 0);
}

static int open_current(filesystem_source *source, weir_error *err)
{
    return weir_folder_reader_open(&source->reader, &source->files[source->current], source->resume, false, err);
}

static int next_batch(weir_source *self, weir_batch *batch, weir_error *err)
{
    filesystem_source *source = (filesystem_source *)self;
    int64_t bytes_before = self->done_bytes;
    weir_batch_clear(batch);
    while (batch->length < source->reader.batch_rows && self->done_bytes - bytes_before < BATCH_TEXT_BYTES) {
        while (source->reader.rows == NULL && source->current < source->file_count && source->done[source->current]) {
            source->current++;
        }
        if (source->current == source->file_count) {
            return batch->length > 0 ? WEIR_OK : WEIR_END;
        }
        if (source->reader.rows == NULL) {
            WEIR_TRY(open_current(source, err));
        }
        int code = weir_folder_reader_append(&source->reader, batch, err);
        if (code == WEIR_END) {
            finish_current(source);
        } else if (code != WEIR_OK) {
            return code;
        }
        self->done_bytes = count_done_bytes(source);
    }
    return WEIR_OK;
}

/* ---- positions ----
 *
 * | version: 1 | files that are through: 4 | the name of each | name of the current file, may be empty | offset: 8 |
 * | line: 8 | state: 1 |, a name being | size: 4 | bytes |, numbers little-endian. */

static int write_position(weir_source *self, weir_buffer *out, weir_error *err)
{
    const filesystem_source *source = (const filesystem_source *)self;
    (void)err;
    uint32_t done = 0;
    for (size_t i = 0; i < source->file_count; i++) {
        done += source->done[i];
    }
    weir_put_u8(out, POSITION_VERSION);
    weir_put_u32(out, done);
    for (size_t i = 0; i < source->file_count; i++) {
        if (source->done[i]) {
            weir_put_slice(out, weir_slice_text(source->files[i].name));
        }
    }
    const weir_file_rows *rows = source->reader.rows;
    weir_file_position position = rows != NULL ? rows->position : source->resume;
    weir_put_slice(out, weir_slice_text(rows != NULL ? source->files[source->current].name : ""));
    weir_put_u64(out, position.offset);
    weir_put_u64(out, (uint64_t)position.line);
    weir_put_u8(out, position.state);
    return WEIR_OK;
}

/* The file of this name, or file_count. Names are in order. */
static size_t find_file(const filesystem_source *source, weir_slice name)
{
    size_t low = 0;
    size_t high = source->file_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = weir_slice_compare(weir_slice_text(source->files[middle].name), name);
        if (order == 0) {
            return middle;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return source->file_count;
}

static int restore_position(weir_source *self, weir_slice position, weir_error *err)
{
    filesystem_source *source = (filesystem_source *)self;
    weir_byte_reader reader = weir_byte_reader_of(position);
    if (weir_take_u8(&reader) != POSITION_VERSION) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the stored position is of another version", source->reader.table.path);
    }
    memset(source->done, 0, source->file_count);
    source->finished_bytes = 0;
    for (uint32_t left = weir_take_u32(&reader); left > 0 && !reader.failed; left--) {
        size_t file = find_file(source, weir_take_slice(&reader));
        if (file < source->file_count) { /* others were removed since */
            source->done[file] = true;
            source->finished_bytes += (int64_t)source->files[file].size;
        }
    }
    weir_slice name = weir_take_slice(&reader);
    source->resume = (weir_file_position){.offset = weir_take_u64(&reader)};
    source->resume.line = weir_take_i64(&reader);
    source->resume.state = weir_take_u8(&reader);
    if (!weir_byte_reader_is_done(&reader)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the stored position is damaged", source->reader.table.path);
    }
    weir_folder_reader_close_file(&source->reader);
    source->current = 0;
    if (name.size > 0) {
        source->current = find_file(source, name);
        if (source->current == source->file_count) {
            return weir_fail(err, WEIR_NOT_FOUND, "%s/%.*s: the file that was being read is gone", source->reader.table.path,
                             (int)name.size, (const char *)name.data);
        }
        source->goes_back = true;
        WEIR_TRY(open_current(source, err));
    }
    self->done_bytes = count_done_bytes(source);
    return WEIR_OK;
}

/* ---- opening and closing ---- */

static void close_source(weir_source *self)
{
    if (self == NULL) {
        return;
    }
    filesystem_source *source = (filesystem_source *)self;
    weir_folder_reader_free(&source->reader);
    free(source);
}

static int open_source(filesystem_source *source, const weir_source_options *options, weir_error *err)
{
    weir_arena *arena = &source->reader.arena;
    WEIR_TRY(weir_folder_reader_init(&source->reader, options, err));
    weir_folder_listing listing;
    WEIR_TRY(weir_folder_files_list(&source->reader.table, arena, &listing, err));
    source->files = listing.files;
    source->file_count = listing.file_count;
    source->done = WEIR_NEW_ARRAY(arena, bool, source->file_count);
    for (size_t i = 0; i < source->file_count; i++) {
        source->base.total_bytes += (int64_t)source->files[i].size;
    }
    return WEIR_OK;
}

int weir_filesystem_source_open(const weir_source_options *options, weir_source **out, weir_error *err)
{
    if (weir_source_never_ends(options->options)) {
        return weir_following_source_open(options, out, err);
    }
    filesystem_source *source = weir_alloc_zeroed(1, sizeof *source);
    source->base = (weir_source){.next = next_batch,
                                 .position = write_position,
                                 .restore = restore_position,
                                 .close = close_source,
                                 .is_bounded = true};
    source->resume = WEIR_FILE_START;
    int code = open_source(source, options, err);
    if (code != WEIR_OK) {
        close_source(&source->base);
        return code;
    }
    *out = &source->base;
    return WEIR_OK;
}

int weir_filesystem_check(const weir_options *options, const weir_connect_kind *format, const weir_field *fields,
                          int32_t field_count, weir_error *err)
{
    const char *path = weir_options_get(options, "path");
    if (path == NULL || path[0] == '\0') {
        return weir_fail(err, WEIR_INVALID, "option 'path' is missing: it names the file or folder");
    }
    if (!weir_row_format_is_text(format)) {
        return WEIR_OK;
    }
    weir_row_reader *reader;
    WEIR_TRY(weir_row_format_open_reader(format, options, fields, field_count, NULL, 0, NULL, &reader, err));
    reader->close(reader);
    weir_row_writer *writer;
    WEIR_TRY(weir_row_format_open_writer(format, options, fields, field_count, &writer, err));
    writer->close(writer);
    return WEIR_OK;
}
