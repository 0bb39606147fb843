/* Decoding dictionary pages, which are plain whatever their header calls it. */
#include "format/parquet/dictionary.h"

static int build_numbers(weir_parquet_dictionary *dictionary, weir_parquet_values *values, weir_error *err)
{
    const weir_parquet_leaf *leaf = values->leaf;
    if (leaf->conversion == WEIR_PARQUET_CONVERT_NONE) {
        return weir_parquet_values_numbers(values, dictionary->count, dictionary->values.data, err);
    }
    const uint8_t *plain = weir_parquet_values_in_place(values);
    WEIR_TRY(weir_parquet_values_skip(values, dictionary->count, err)); /* checks that they are there */
    return weir_parquet_convert(leaf, plain, dictionary->count, dictionary->values.data, values->source->path, err);
}

static int build_views(weir_parquet_dictionary *dictionary, weir_parquet_values *values, weir_error *err)
{
    weir_parquet_view *views = (weir_parquet_view *)(void *)dictionary->values.data;
    for (int64_t done = 0, got; done < dictionary->count; done += got) {
        WEIR_TRY(weir_parquet_values_views(values, dictionary->count - done, views + done, &got, err));
    }
    return WEIR_OK;
}

static int build_converted_bytes(weir_parquet_dictionary *dictionary, weir_parquet_values *values, weir_error *err)
{
    weir_parquet_view views[WEIR_PARQUET_VIEW_BLOCK];
    size_t width = weir_layout_width(values->leaf->layout);
    for (int64_t done = 0, got; done < dictionary->count; done += got) {
        WEIR_TRY(weir_parquet_values_views(values, dictionary->count - done, views, &got, err));
        WEIR_TRY(weir_parquet_convert_views(values->leaf, views, got, dictionary->values.data + (size_t)done * width,
                                            values->source->path, err));
    }
    return WEIR_OK;
}

int weir_parquet_dictionary_build(weir_parquet_dictionary *dictionary, weir_parquet_chunk_reader *chunk,
                                  weir_error *err)
{
    const weir_parquet_leaf *leaf = chunk->leaf;
    const weir_parquet_page_header *header = &chunk->dictionary_header;
    dictionary->load = 0;
    if (!chunk->dictionary_loaded || leaf->physical == WEIR_PARQUET_BOOLEAN) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a page of column %s needs a dictionary, and there is none",
                         chunk->source->path, leaf->name);
    }
    size_t least_bytes = leaf->width > 0 ? (size_t)leaf->width : 4; /* of a value; held against the page's size */
    if ((size_t)header->value_count > header->uncompressed_size / least_bytes) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the dictionary of column %s has more values than its bytes allow",
                         chunk->source->path, leaf->name);
    }
    bool is_text = leaf->conversion == WEIR_PARQUET_CONVERT_BYTES;
    size_t width = is_text ? sizeof(weir_parquet_view) : weir_layout_width(leaf->layout);
    dictionary->count = (uint32_t)header->value_count;
    WEIR_TRY(weir_parquet_scratch_reserve(chunk->source, &dictionary->values, dictionary->count * width, 0, err));

    weir_parquet_values values = {.source = chunk->source, .leaf = leaf};
    WEIR_TRY(weir_parquet_values_begin(&values, WEIR_PARQUET_PLAIN,
                                       weir_slice_of(chunk->dictionary_body.data, header->uncompressed_size), err));
    if (is_text) {
        WEIR_TRY(build_views(dictionary, &values, err));
    } else if (weir_parquet_leaf_is_bytes(leaf)) {
        WEIR_TRY(build_converted_bytes(dictionary, &values, err));
    } else {
        WEIR_TRY(build_numbers(dictionary, &values, err));
    }
    dictionary->load = chunk->dictionary_loads;
    return WEIR_OK;
}
