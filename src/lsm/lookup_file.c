/* Making and searching local lookup files: see lookup_file.h. */
#include "lsm/lookup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vector/binary_row.h"

#define BUILD_ROWS   16384
#define FLUSH_BYTES  (1 << 20)
#define HEADER_BYTES 64 /* keeps the arrays behind it aligned; its fields are in memory only */

struct weir_lookup_file {
    uint8_t *mapped;
    size_t size;
    int64_t row_count;
    bool whole; /* keys are whole in their prefixes */
    const uint64_t *prefixes;
    const uint64_t *places;
    const uint8_t *deletes;
};

static size_t places_at(int64_t rows) { return HEADER_BYTES + 8 * (size_t)rows; }
static size_t deletes_at(int64_t rows) { return places_at(rows) + 8 * ((size_t)rows + 1); }
static size_t records_at(int64_t rows) { return (deletes_at(rows) + ((size_t)rows + 7) / 8 + 7) & ~(size_t)7; }

/* ---- building ---- */

typedef struct builder {
    int descriptor;
    const char *folder;
    weir_format_reader *reader;
    weir_field *fields; /* the key, the kind, then the wanted columns */
    int32_t key_count;
    int32_t field_count;
    int32_t *numbers; /* 0, 1, … */
    weir_batch batch;
    weir_sort_keys keys;
    uint8_t *fixed; /* everything before the records, mapped */
    size_t fixed_size;
    int64_t row_count; /* so far */
    bool whole;
    weir_buffer records; /* not written yet */
    uint64_t written;    /* the file's size so far */
} builder;

static int fail_writing(const builder *self, int reason, weir_error *err)
{
    return weir_fail(err, WEIR_IO, "%s: a lookup file can't be written: %s", self->folder, strerror(reason));
}

/* A file without a name. Where the file system has no such files, the name is taken away at once. */
static int open_nameless(builder *self, weir_error *err)
{
    self->descriptor = open(self->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (self->descriptor < 0) {
        char *path = weir_format("%s/lookup-XXXXXX", self->folder);
        self->descriptor = mkostemp(path, O_CLOEXEC);
        if (self->descriptor >= 0) {
            unlink(path);
        }
        free(path);
    }
    return self->descriptor < 0 ? fail_writing(self, errno, err) : WEIR_OK;
}

/* Room on the disk first: writing to a mapped page for which there is none would end the process. */
static int map_fixed(builder *self, weir_error *err)
{
    int64_t rows = self->reader->row_count;
    self->fixed_size = records_at(rows);
    int reason = posix_fallocate(self->descriptor, 0, (off_t)self->fixed_size);
    if (reason != 0) {
        return fail_writing(self, reason, err);
    }
    self->fixed = mmap(NULL, self->fixed_size, PROT_READ | PROT_WRITE, MAP_SHARED, self->descriptor, 0);
    if (self->fixed == MAP_FAILED) {
        self->fixed = NULL;
        return fail_writing(self, errno, err);
    }
    self->written = self->fixed_size;
    return WEIR_OK;
}

static int flush(builder *self, weir_error *err)
{
    for (size_t done = 0; done < self->records.size;) {
        ssize_t got = pwrite(self->descriptor, self->records.data + done, self->records.size - done,
                             (off_t)(self->written + done));
        if (got < 0 && errno != EINTR) {
            return fail_writing(self, errno, err);
        }
        done += got > 0 ? (size_t)got : 0;
    }
    self->written += self->records.size;
    weir_buffer_clear(&self->records);
    return WEIR_OK;
}

static void set_place(builder *self, int64_t row)
{
    uint64_t place = self->written + self->records.size;
    memcpy(self->fixed + places_at(self->reader->row_count) + 8 * (size_t)row, &place, sizeof place);
}

static void append_key(builder *self, int64_t row)
{
    if (!self->keys.whole) {
        size_t begin = (size_t)self->keys.offsets[row];
        uint32_t size = (uint32_t)(self->keys.offsets[row + 1] - begin);
        weir_buffer_append(&self->records, &size, sizeof size);
        weir_buffer_append(&self->records, self->keys.bytes + begin, size);
    }
}

static int append_rows(builder *self, weir_error *err)
{
    const int8_t *kinds = WEIR_VALUES(&self->batch.columns[self->key_count], int8_t);
    int32_t first = self->key_count + 1;
    weir_sort_keys_clear(&self->keys);
    WEIR_TRY(weir_sort_keys_append(&self->keys, &self->batch, self->numbers, self->key_count, err));
    self->whole = self->keys.whole;
    memcpy(self->fixed + HEADER_BYTES + 8 * (size_t)self->row_count, self->keys.prefixes,
           8 * (size_t)self->batch.length);
    for (int64_t i = 0; i < self->batch.length; i++) {
        set_place(self, self->row_count + i);
        append_key(self, i);
        if (weir_row_kind_is_retract(kinds[i])) {
            weir_bit_set(self->fixed + deletes_at(self->reader->row_count), self->row_count + i);
        } else {
            WEIR_TRY(weir_binary_row_write(&self->batch, self->numbers + first, self->field_count - first, i,
                                           &self->records, err));
        }
        if (self->records.size >= FLUSH_BYTES) {
            WEIR_TRY(flush(self, err));
        }
    }
    self->row_count += self->batch.length;
    return WEIR_OK;
}

static int copy_rows(builder *self, weir_error *err)
{
    int64_t rows = self->reader->row_count;
    while (self->row_count < rows) {
        int64_t count = rows - self->row_count < BUILD_ROWS ? rows - self->row_count : BUILD_ROWS;
        weir_batch_clear(&self->batch);
        for (int32_t c = 0; c < self->field_count; c++) {
            WEIR_TRY(self->reader->ops->read(self->reader, c, self->row_count, count, &self->batch.columns[c], err));
        }
        self->batch.length = count;
        WEIR_TRY(append_rows(self, err));
    }
    set_place(self, rows);
    return flush(self, err);
}

static void choose_fields(builder *self, const weir_schema *schema, const int32_t *columns, int32_t column_count)
{
    self->key_count = schema->key_column_count;
    self->field_count = self->key_count + 1 + column_count;
    self->fields = weir_alloc(sizeof *self->fields * (size_t)self->field_count);
    self->numbers = weir_alloc(sizeof *self->numbers * (size_t)self->field_count);
    for (int32_t i = 0; i < self->field_count; i++) {
        self->numbers[i] = i;
        self->fields[i] = i < self->key_count    ? schema->fields[schema->key_columns[i]]
                          : i == self->key_count ? *weir_value_kind_field()
                                                 : schema->fields[columns[i - self->key_count - 1]];
    }
    weir_batch_init(&self->batch, self->fields, self->field_count);
}

static int map_whole(const builder *self, weir_lookup_file **out, weir_error *err)
{
    uint8_t *mapped = mmap(NULL, (size_t)self->written, PROT_READ, MAP_SHARED, self->descriptor, 0);
    if (mapped == MAP_FAILED) {
        return fail_writing(self, errno, err);
    }
    /* Rows are asked for here and there: what stands beside them need not be read. */
    (void)madvise(mapped + self->fixed_size, (size_t)self->written - self->fixed_size, MADV_RANDOM);
    weir_lookup_file *file = weir_alloc_zeroed(1, sizeof *file);
    file->mapped = mapped;
    file->size = (size_t)self->written;
    file->row_count = self->row_count;
    file->whole = self->whole;
    file->prefixes = (const uint64_t *)(mapped + HEADER_BYTES);
    file->places = (const uint64_t *)(mapped + places_at(file->row_count));
    file->deletes = mapped + deletes_at(file->row_count);
    *out = file;
    return WEIR_OK;
}

static void free_builder(builder *self)
{
    if (self->reader != NULL) {
        self->reader->ops->close(self->reader);
    }
    if (self->fixed != NULL) {
        munmap(self->fixed, self->fixed_size);
    }
    if (self->descriptor >= 0) {
        close(self->descriptor);
    }
    weir_batch_free(&self->batch);
    weir_sort_keys_free(&self->keys);
    weir_buffer_free(&self->records);
    free(self->fields);
    free(self->numbers);
}

int weir_lookup_file_build(const weir_table_context *context, const char *bucket_path, const weir_data_file *file,
                           const int32_t *columns, int32_t column_count, const char *folder, weir_lookup_file **out,
                           weir_error *err)
{
    builder self = {.descriptor = -1, .folder = folder};
    int code = WEIR_OK;
    choose_fields(&self, context->schema, columns, column_count);
    WEIR_GO(weir_data_file_open(context, bucket_path, file, self.fields, self.field_count, &self.reader, err));
    WEIR_GO(open_nameless(&self, err));
    WEIR_GO(map_fixed(&self, err));
    WEIR_GO(copy_rows(&self, err));
    WEIR_GO(map_whole(&self, out, err));
done:
    free_builder(&self);
    return code;
}

/* ---- searching ---- */

int64_t weir_lookup_file_bytes(const weir_lookup_file *file) { return (int64_t)file->size; }

static weir_slice record(const weir_lookup_file *file, int64_t row)
{
    return weir_slice_of(file->mapped + file->places[row], (size_t)(file->places[row + 1] - file->places[row]));
}

static weir_slice key_of(const weir_lookup_file *file, int64_t row)
{
    uint32_t size;
    weir_slice bytes = record(file, row);
    memcpy(&size, bytes.data, sizeof size);
    return weir_slice_of(bytes.data + sizeof size, size);
}

static weir_slice asked_key(const weir_sort_keys *keys, int64_t k)
{
    return weir_slice_of(keys->bytes + keys->offsets[k], (size_t)(keys->offsets[k + 1] - keys->offsets[k]));
}

/* Whether a row's key is less than the one asked for. */
static bool is_less(const weir_lookup_file *file, int64_t row, const weir_sort_keys *keys, int64_t k)
{
    if (file->prefixes[row] != keys->prefixes[k] || file->whole) {
        return file->prefixes[row] < keys->prefixes[k];
    }
    return weir_slice_compare(key_of(file, row), asked_key(keys, k)) < 0;
}

static bool is_equal(const weir_lookup_file *file, int64_t row, const weir_sort_keys *keys, int64_t k)
{
    return file->prefixes[row] == keys->prefixes[k] &&
           (file->whole || weir_slice_equal(key_of(file, row), asked_key(keys, k)));
}

weir_lookup_answer weir_lookup_file_find(const weir_lookup_file *file, const weir_sort_keys *keys, int64_t k,
                                         weir_slice *out_row)
{
    int64_t low = 0, high = file->row_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_less(file, middle, keys, k)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == file->row_count || !is_equal(file, low, keys, k)) {
        return WEIR_LOOKUP_NOTHING;
    }
    if (weir_bit_get(file->deletes, low)) {
        return WEIR_LOOKUP_DELETED;
    }
    weir_slice row = record(file, low);
    if (!file->whole) {
        size_t before = sizeof(uint32_t) + key_of(file, low).size;
        row = weir_slice_of(row.data + before, row.size - before);
    }
    *out_row = row;
    return WEIR_LOOKUP_ROW;
}

void weir_lookup_file_close(weir_lookup_file *file)
{
    if (file != NULL) {
        munmap(file->mapped, file->size);
        free(file);
    }
}
