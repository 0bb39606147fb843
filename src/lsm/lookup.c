/* Finding the rows of given keys in sorted runs, newest run first; gathering their values.
 *
 * Both the keys asked for and those of a run ascend, so one run is walked once a find. */
#include "lsm/lookup.h"

#include <stdlib.h>

#include "lsm/key_index.h"
#include "vector/binary_row.h"

/* Where a key was found. */
typedef struct place {
    int32_t file; /* position in lookup->files */
    uint32_t row;
    bool is_delete;
} place;

typedef struct lookup_file {
    const weir_data_file *file;
    weir_format_reader *reader; /* opened when a value is needed */
    /* Of the last find: */
    int64_t first_row; /* where its rows begin in lookup->rows */
    int64_t row_count;
    uint16_t source; /* its position in lookup->sources */
} lookup_file;

struct weir_lookup {
    const weir_table_context *context;
    weir_arena arena;
    const char *bucket_path;
    const weir_sorted_run *runs;
    int32_t run_count;
    weir_key_index_cache *cache;
    lookup_file *files; /* of all runs, one after the other */
    int32_t file_count;
    weir_sort_keys bounds; /* of file i: its least key at 2i, its greatest at 2i + 1 */
    weir_field *fields;    /* the schema's, then the sequence number's */
    place *places;         /* of the last find, found ones only */
    int64_t place_count;
    size_t place_capacity;
    int32_t *sources; /* the files in which something was found */
    int32_t source_count;
    uint32_t *rows; /* that were found, file by file */
    size_t row_capacity;
    uint16_t *source_of; /* of each place, a position in `sources` */
    size_t source_of_capacity;
};

static int append_ends(const weir_data_file *file, weir_batch *to, weir_error *err)
{
    weir_slice ends[2] = {file->min_key, file->max_key};
    for (int e = 0; e < 2; e++) {
        if (ends[e].size < 4) {
            return weir_fail(err, WEIR_CORRUPT, "%s: its key range in the manifest is empty", file->name);
        }
        weir_slice row = weir_slice_of(ends[e].data + 4, ends[e].size - 4); /* behind the arity */
        WEIR_TRY(weir_binary_row_read(row, to, file->name, err));
    }
    return WEIR_OK;
}

int weir_lookup_bounds(const weir_schema *schema, const weir_sorted_run *runs, int32_t run_count, weir_sort_keys *out,
                       weir_error *err)
{
    int32_t key_count = schema->key_column_count;
    weir_field *fields = weir_alloc(sizeof *fields * ((size_t)key_count + 1));
    int32_t *positions = weir_alloc(sizeof *positions * ((size_t)key_count + 1));
    for (int32_t i = 0; i < key_count; i++) {
        fields[i] = schema->fields[schema->key_columns[i]];
        positions[i] = i;
    }
    weir_batch batch;
    weir_batch_init(&batch, fields, key_count);
    int code = WEIR_OK;
    for (int32_t r = 0; r < run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            WEIR_GO(append_ends(runs[r].files[f], &batch, err));
        }
    }
    WEIR_GO(weir_sort_keys_append(out, &batch, positions, key_count, err));
done:
    weir_batch_free(&batch);
    free(fields);
    free(positions);
    return code;
}

int weir_lookup_open(const weir_table_context *context, weir_slice partition, int32_t bucket,
                     const weir_sorted_run *runs, int32_t run_count, weir_key_index_cache *cache, weir_lookup **out,
                     weir_error *err)
{
    weir_lookup *lookup = weir_alloc_zeroed(1, sizeof *lookup);
    weir_arena_init(&lookup->arena);
    lookup->context = context;
    lookup->runs = runs;
    lookup->run_count = run_count;
    lookup->cache = cache;
    for (int32_t r = 0; r < run_count; r++) {
        lookup->file_count += runs[r].file_count;
    }
    lookup->files = WEIR_NEW_ARRAY(&lookup->arena, lookup_file, lookup->file_count);
    lookup->sources = WEIR_NEW_ARRAY(&lookup->arena, int32_t, lookup->file_count);
    int32_t at = 0, field_count = context->schema->field_count;
    lookup->fields = WEIR_NEW_ARRAY(&lookup->arena, weir_field, field_count + 1);
    memcpy(lookup->fields, context->schema->fields, sizeof *lookup->fields * (size_t)field_count);
    lookup->fields[field_count] = *weir_sequence_number_field();
    for (int32_t r = 0; r < run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            lookup->files[at++].file = runs[r].files[f];
        }
    }
    int code = weir_bucket_path(&lookup->arena, &context->paths, context->schema, partition, bucket,
                                &lookup->bucket_path, err);
    if (code == WEIR_OK) {
        code = weir_lookup_bounds(context->schema, runs, run_count, &lookup->bounds, err);
    }
    if (code != WEIR_OK) {
        weir_lookup_close(lookup);
        return code;
    }
    *out = lookup;
    return WEIR_OK;
}

void weir_lookup_close(weir_lookup *lookup)
{
    if (lookup == NULL) {
        return;
    }
    for (int32_t i = 0; i < lookup->file_count; i++) {
        if (lookup->files[i].reader != NULL) {
            lookup->files[i].reader->ops->close(lookup->files[i].reader);
        }
    }
    weir_sort_keys_free(&lookup->bounds);
    free(lookup->places);
    free(lookup->rows);
    free(lookup->source_of);
    weir_arena_free(&lookup->arena);
    free(lookup);
}

/* A find in progress: `open` are the positions in `wanted` that no newer run has settled. */
typedef struct key_search {
    const weir_sort_keys *keys;
    const uint32_t *wanted;
    uint32_t *open;
    int64_t open_count;
    place *places; /* one a wanted key */
    bool *found;
} key_search;

/* A bound of a file against the open key at `at`. */
static int compare_bound(const weir_lookup *lookup, int64_t bound, const key_search *search, int64_t at)
{
    return weir_sort_keys_compare(&lookup->bounds, bound, search->keys, search->wanted[search->open[at]]);
}

/* Walks one file along the open keys from *at on, up to the first that is beyond its last row; keys that it does not
 * hold stay open. */
static void search_file(const weir_key_index *index, int32_t file, key_search *search, int64_t *at, int64_t *still_open)
{
    int64_t row = 0;
    for (; *at < search->open_count; ++*at) {
        uint32_t i = search->open[*at];
        row = weir_key_index_seek(index, row, search->keys, search->wanted[i]);
        if (row == index->keys.length) {
            return; /* this key and those after it may stand in the next file */
        }
        if (weir_sort_keys_compare(&index->keys, row, search->keys, search->wanted[i]) == 0) {
            bool is_delete = index->is_delete != NULL && weir_bit_get(index->is_delete, row);
            search->places[i] = (place){file, (uint32_t)row, is_delete};
            search->found[i] = true;
        } else {
            search->open[(*still_open)++] = i;
        }
    }
}

/* Walks the files of one run along the open keys; keys that it holds are settled. */
static int search_run(weir_lookup *lookup, const weir_sorted_run *run, int32_t first_file, key_search *search,
                      weir_error *err)
{
    int64_t still_open = 0, at = 0;
    for (int32_t f = 0; f < run->file_count && at < search->open_count; f++) {
        const int64_t least = 2 * (int64_t)(first_file + f), greatest = least + 1;
        while (at < search->open_count && compare_bound(lookup, least, search, at) > 0) {
            search->open[still_open++] = search->open[at++]; /* between two files */
        }
        if (at == search->open_count || compare_bound(lookup, greatest, search, at) < 0) {
            continue;
        }
        const weir_key_index *index = NULL;
        WEIR_TRY(weir_key_index_get(lookup->cache, lookup->context, lookup->bucket_path, run->files[f], &index, err));
        search_file(index, first_file + f, search, &at, &still_open);
        weir_key_index_release(lookup->cache, index);
    }
    while (at < search->open_count) {
        search->open[still_open++] = search->open[at++];
    }
    search->open_count = still_open;
    return WEIR_OK;
}

/* Sorts what was found by file, once for all columns. A find looks for few enough keys (a window of a merge) that 16
 * bits tell apart all files that hold any of them. */
static int group_places(weir_lookup *lookup, weir_error *err)
{
    WEIR_GROW(lookup->rows, lookup->row_capacity, lookup->place_count + 1);
    WEIR_GROW(lookup->source_of, lookup->source_of_capacity, lookup->place_count + 1);
    lookup->source_count = 0;
    for (int32_t f = 0; f < lookup->file_count; f++) {
        lookup->files[f].row_count = 0;
    }
    for (int64_t i = 0; i < lookup->place_count; i++) {
        lookup->files[lookup->places[i].file].row_count++;
    }
    int64_t first_row = 0;
    for (int32_t f = 0; f < lookup->file_count; f++) {
        lookup_file *file = &lookup->files[f];
        if (file->row_count == 0) {
            continue;
        }
        if (lookup->source_count > UINT16_MAX) {
            return weir_fail(err, WEIR_UNSUPPORTED, "%s: keys of one lookup lie in more than %d files",
                             lookup->bucket_path, UINT16_MAX + 1);
        }
        file->source = (uint16_t)lookup->source_count;
        file->first_row = first_row;
        lookup->sources[lookup->source_count++] = f;
        first_row += file->row_count;
        file->row_count = 0;
    }
    for (int64_t i = 0; i < lookup->place_count; i++) {
        lookup_file *file = &lookup->files[lookup->places[i].file];
        lookup->rows[file->first_row + file->row_count++] = lookup->places[i].row;
        lookup->source_of[i] = file->source;
    }
    return WEIR_OK;
}

int weir_lookup_find(weir_lookup *lookup, const weir_sort_keys *keys, const uint32_t *wanted, int64_t count,
                     bool *found, weir_error *err)
{
    WEIR_GROW(lookup->places, lookup->place_capacity, count + 1);
    key_search search = {.keys = keys, .wanted = wanted, .open_count = count, .places = lookup->places, .found = found};
    WEIR_TRY(weir_alloc_checked((size_t)count + 1, sizeof *search.open, (void **)&search.open, err));
    for (int64_t i = 0; i < count; i++) {
        search.open[i] = (uint32_t)i;
        found[i] = false;
    }
    int code = WEIR_OK;
    int32_t first_file = 0;
    for (int32_t r = 0; r < lookup->run_count && search.open_count > 0 && code == WEIR_OK; r++) {
        code = search_run(lookup, &lookup->runs[r], first_file, &search, err);
        first_file += lookup->runs[r].file_count;
    }
    free(search.open);
    WEIR_TRY(code);
    lookup->place_count = 0;
    for (int64_t i = 0; i < count; i++) {
        if (found[i]) {
            lookup->places[lookup->place_count++] = lookup->places[i];
        }
    }
    return group_places(lookup, err);
}

void weir_lookup_kinds(const weir_lookup *lookup, int8_t *out)
{
    for (int64_t i = 0; i < lookup->place_count; i++) {
        out[i] = lookup->places[i].is_delete ? WEIR_DELETE : WEIR_INSERT;
    }
}

static int reader_of(weir_lookup *lookup, int32_t file, weir_format_reader **out, weir_error *err)
{
    lookup_file *entry = &lookup->files[file];
    if (entry->reader == NULL) {
        WEIR_TRY(weir_data_file_open(lookup->context, lookup->bucket_path, entry->file, lookup->fields,
                                     lookup->context->schema->field_count + 1, &entry->reader, err));
    }
    *out = entry->reader;
    return WEIR_OK;
}

/* Those of the rows found in one file. Rows of a file were found in their order. */
static int read_sequence_numbers(weir_lookup *lookup, int32_t number, int64_t *out, weir_error *err)
{
    const lookup_file *file = &lookup->files[number];
    weir_format_reader *reader = NULL;
    weir_vector values;
    int code;
    int64_t at = 0;
    weir_vector_init(&values, weir_sequence_number_field()->type);
    WEIR_GO(reader_of(lookup, number, &reader, err));
    WEIR_GO(reader->ops->gather(reader, lookup->context->schema->field_count, 0, lookup->rows + file->first_row,
                                file->row_count, &values, err));
    for (int64_t i = 0; i < lookup->place_count; i++) {
        if (lookup->places[i].file == number) {
            out[i] = WEIR_VALUES(&values, int64_t)[at++];
        }
    }
done:
    weir_vector_free(&values);
    return code;
}

int weir_lookup_sequence_numbers(weir_lookup *lookup, int64_t exact_from, int64_t *out, weir_error *err)
{
    for (int64_t i = 0; i < lookup->place_count; i++) {
        out[i] = lookup->files[lookup->places[i].file].file->max_sequence_number;
    }
    for (int32_t s = 0; s < lookup->source_count; s++) {
        int32_t file = lookup->sources[s];
        if (lookup->files[file].file->max_sequence_number >= exact_from) {
            WEIR_TRY(read_sequence_numbers(lookup, file, out, err));
        }
    }
    return WEIR_OK;
}

/* Values come from several files in an order that is mixed: they are gathered file by file, then interleaved. */
int weir_lookup_column(weir_lookup *lookup, int32_t column, weir_vector *out, weir_error *err)
{
    if (lookup->place_count == 0) {
        return WEIR_OK;
    }
    int code = WEIR_OK;
    size_t count = (size_t)lookup->source_count;
    weir_vector *values = weir_alloc_zeroed(count, sizeof *values);
    weir_vector **sources = weir_alloc_zeroed(count, sizeof *sources);
    int64_t *cursors = weir_alloc_zeroed(count, sizeof *cursors);
    for (size_t s = 0; s < count; s++) {
        weir_vector_init(&values[s], out->type);
        sources[s] = &values[s];
    }
    for (size_t s = 0; s < count; s++) {
        const lookup_file *file = &lookup->files[lookup->sources[s]];
        weir_format_reader *reader = NULL;
        WEIR_GO(reader_of(lookup, lookup->sources[s], &reader, err));
        WEIR_GO(
            reader->ops->gather(reader, column, 0, lookup->rows + file->first_row, file->row_count, &values[s], err));
    }
    WEIR_GO(weir_vector_interleave(out, sources, cursors, lookup->source_of, lookup->place_count, err));
done:
    for (size_t s = 0; s < count; s++) {
        weir_vector_free(&values[s]);
    }
    free(values);
    free(sources);
    free(cursors);
    return code;
}
