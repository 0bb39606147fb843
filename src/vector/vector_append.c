/* Appending to a vector from others: ranges, selected rows, and interleaved runs.
 *
 * These move most of the bytes of a merge. Each loop is over one width, without a branch on data; nulls cost only where
 * a source has some, for then their bits are gathered in a second pass. A null's slot holds zeros and is moved like any
 * other. */
#include <stdlib.h>

#include "vector/bits.h"
#include "vector/vector.h"

/* Texts up to this size are moved by one copy of constant size: four instructions, and no branch on the size. */
#define SHORT_TEXT 32

static int check_same_layout(const weir_vector *vector, const weir_vector *from, weir_error *err)
{
    if (vector->layout != from->layout || vector->child_count != from->child_count) {
        return weir_fail(err, WEIR_INVALID, "values of layout %d do not fit a vector of layout %d", (int)from->layout,
                         (int)vector->layout);
    }
    return WEIR_OK;
}

/* Room for `count` rows, and for their validity when the vector or its source has nulls. */
static int reserve_rows(weir_vector *vector, bool with_nulls, int64_t count, weir_error *err)
{
    return with_nulls ? weir_vector_reserve_validity(vector, count, err) : weir_vector_reserve(vector, count, err);
}

static int check_elements(const weir_vector *vector, int64_t more, weir_error *err)
{
    if (more > INT32_MAX - vector->offsets[vector->length]) {
        return weir_fail(err, WEIR_INVALID, "a column of one batch would pass 2^31 elements; use smaller batches");
    }
    return WEIR_OK;
}

/* ---- ranges ---- */

static void append_range_offsets(weir_vector *vector, const weir_vector *from, int64_t first, int64_t count)
{
    int32_t *out = vector->offsets + vector->length + 1;
    const int32_t *in = from->offsets + first + 1;
    int32_t shift = vector->offsets[vector->length] - from->offsets[first];
    for (int64_t i = 0; i < count; i++) {
        out[i] = in[i] + shift;
    }
}

static int append_range_values(weir_vector *vector, const weir_vector *from, int64_t first, int64_t count,
                               weir_error *err)
{
    size_t width = weir_layout_width(vector->layout);
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        weir_bits_copy(vector->data, vector->length, from->data, first, count);
        return WEIR_OK;
    case WEIR_LAYOUT_BYTES: {
        size_t bytes = (size_t)(from->offsets[first + count] - from->offsets[first]);
        WEIR_TRY(weir_vector_reserve_bytes(vector, bytes, err));
        if (bytes > 0) {
            memcpy(vector->data + vector->offsets[vector->length], from->data + from->offsets[first], bytes);
        }
        append_range_offsets(vector, from, first, count);
        return WEIR_OK;
    }
    case WEIR_LAYOUT_LIST: {
        int64_t begin = from->offsets[first];
        int64_t elements = from->offsets[first + count] - begin;
        WEIR_TRY(check_elements(vector, elements, err));
        for (int32_t i = 0; i < vector->child_count; i++) {
            WEIR_TRY(weir_vector_append_range(&vector->children[i], &from->children[i], begin, elements, err));
        }
        append_range_offsets(vector, from, first, count);
        return WEIR_OK;
    }
    case WEIR_LAYOUT_STRUCT:
        for (int32_t i = 0; i < vector->child_count; i++) {
            WEIR_TRY(weir_vector_append_range(&vector->children[i], &from->children[i], first, count, err));
        }
        return WEIR_OK;
    case WEIR_LAYOUT_NONE:
        return WEIR_OK;
    default:
        memcpy(vector->data + (size_t)vector->length * width, from->data + (size_t)first * width,
               (size_t)count * width);
        return WEIR_OK;
    }
}

int weir_vector_append_range(weir_vector *vector, const weir_vector *from, int64_t first, int64_t count,
                             weir_error *err)
{
    WEIR_TRY(check_same_layout(vector, from, err));
    if (first < 0 || count < 0 || first > from->length - count) {
        return weir_fail(err, WEIR_INVALID, "rows %" PRId64 " to %" PRId64 " of a vector of %" PRId64, first,
                         first + count, from->length);
    }
    if (count == 0) {
        return WEIR_OK;
    }
    bool source_nulls = from->validity != NULL && weir_bits_count(from->validity, first, count) < count;
    WEIR_TRY(reserve_rows(vector, source_nulls || vector->validity != NULL, count, err));
    WEIR_TRY(append_range_values(vector, from, first, count, err));
    if (source_nulls) {
        weir_bits_copy(vector->validity, vector->length, from->validity, first, count);
        vector->null_count += count - weir_bits_count(from->validity, first, count);
    } else if (vector->layout == WEIR_LAYOUT_NONE) {
        vector->null_count += count;
    } else if (vector->validity != NULL) {
        weir_bits_fill(vector->validity, vector->length, count, true);
    }
    vector->length += count;
    return WEIR_OK;
}

/* ---- selected rows ---- */

#define DEFINE_GATHER(name, ctype)                                                                                     \
    static void name(ctype *restrict out, const ctype *restrict in, const uint32_t *restrict rows, int64_t count)      \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            out[i] = in[rows[i]];                                                                                      \
        }                                                                                                              \
    }

DEFINE_GATHER(gather_8, uint8_t)
DEFINE_GATHER(gather_16, uint16_t)
DEFINE_GATHER(gather_32, uint32_t)
DEFINE_GATHER(gather_64, uint64_t)
DEFINE_GATHER(gather_128, weir_timestamp_nanos)

/* Writes the offsets of the selected rows and returns their total size, which may be beyond what offsets can hold: the
 * caller checks it before it uses them. */
static int64_t gather_offsets(int32_t *restrict out, const int32_t *restrict in, const uint32_t *restrict rows,
                              int64_t count)
{
    int64_t begin = out[0];
    int64_t end = begin;
    for (int64_t i = 0; i < count; i++) {
        end += in[rows[i] + 1] - in[rows[i]];
        out[i + 1] = (int32_t)end;
    }
    return end - begin;
}

/* Copies `size` bytes. Up to SHORT_TEXT bytes beyond them may be written; they are read only where the source has
 * them. */
static inline void copy_text(uint8_t *restrict out, const uint8_t *restrict in, size_t size, const uint8_t *in_end)
{
    if (size <= SHORT_TEXT && (size_t)(in_end - in) >= SHORT_TEXT) {
        memcpy(out, in, SHORT_TEXT);
    } else if (size > 0) {
        memcpy(out, in, size);
    }
}

static int gather_texts(weir_vector *vector, const weir_vector *from, const uint32_t *rows, int64_t count,
                        weir_error *err)
{
    int64_t bytes = gather_offsets(vector->offsets + vector->length, from->offsets, rows, count);
    WEIR_TRY(weir_vector_reserve_bytes(vector, (size_t)bytes + SHORT_TEXT, err));
    if (bytes == 0) {
        return WEIR_OK;
    }
    uint8_t *out = vector->data + vector->offsets[vector->length];
    const uint8_t *end = from->data + from->offsets[from->length];
    for (int64_t i = 0; i < count; i++) {
        int32_t begin = from->offsets[rows[i]];
        size_t size = (size_t)(from->offsets[rows[i] + 1] - begin);
        copy_text(out, from->data + begin, size, end);
        out += size;
    }
    return WEIR_OK;
}

static int gather_lists(weir_vector *vector, const weir_vector *from, const uint32_t *rows, int64_t count,
                        weir_error *err)
{
    int64_t elements = gather_offsets(vector->offsets + vector->length, from->offsets, rows, count);
    WEIR_TRY(check_elements(vector, elements, err));
    void *memory;
    WEIR_TRY(weir_alloc_checked((size_t)elements, sizeof(uint32_t), &memory, err));
    uint32_t *element_rows = memory;
    int64_t written = 0;
    for (int64_t i = 0; i < count; i++) {
        for (int32_t j = from->offsets[rows[i]]; j < from->offsets[rows[i] + 1]; j++) {
            element_rows[written++] = (uint32_t)j;
        }
    }
    int code = WEIR_OK;
    for (int32_t i = 0; i < vector->child_count && code == WEIR_OK; i++) {
        code = weir_vector_append_rows(&vector->children[i], &from->children[i], element_rows, elements, err);
    }
    free(memory);
    return code;
}

static int append_selected_values(weir_vector *vector, const weir_vector *from, const uint32_t *rows, int64_t count,
                                  weir_error *err)
{
    int64_t length = vector->length;
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        weir_bits_gather(vector->data, length, from->data, rows, count);
        return WEIR_OK;
    case WEIR_LAYOUT_8:
        gather_8(vector->data + length, from->data, rows, count);
        return WEIR_OK;
    case WEIR_LAYOUT_16:
        gather_16(WEIR_VALUES(vector, uint16_t) + length, WEIR_VALUES(from, const uint16_t), rows, count);
        return WEIR_OK;
    case WEIR_LAYOUT_32:
        gather_32(WEIR_VALUES(vector, uint32_t) + length, WEIR_VALUES(from, const uint32_t), rows, count);
        return WEIR_OK;
    case WEIR_LAYOUT_64:
        gather_64(WEIR_VALUES(vector, uint64_t) + length, WEIR_VALUES(from, const uint64_t), rows, count);
        return WEIR_OK;
    case WEIR_LAYOUT_128:
        gather_128(WEIR_VALUES(vector, weir_timestamp_nanos) + length, WEIR_VALUES(from, const weir_timestamp_nanos),
                   rows, count);
        return WEIR_OK;
    case WEIR_LAYOUT_BYTES:
        return gather_texts(vector, from, rows, count, err);
    case WEIR_LAYOUT_LIST:
        return gather_lists(vector, from, rows, count, err);
    case WEIR_LAYOUT_STRUCT:
        for (int32_t i = 0; i < vector->child_count; i++) {
            WEIR_TRY(weir_vector_append_rows(&vector->children[i], &from->children[i], rows, count, err));
        }
        return WEIR_OK;
    case WEIR_LAYOUT_NONE:
        break;
    }
    return WEIR_OK;
}

int weir_vector_append_rows(weir_vector *vector, const weir_vector *from, const uint32_t *rows, int64_t count,
                            weir_error *err)
{
    WEIR_TRY(check_same_layout(vector, from, err));
    if (count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(reserve_rows(vector, from->validity != NULL || vector->validity != NULL, count, err));
    WEIR_TRY(append_selected_values(vector, from, rows, count, err));
    if (from->validity != NULL) {
        vector->null_count += count - weir_bits_gather(vector->validity, vector->length, from->validity, rows, count);
    } else if (vector->layout == WEIR_LAYOUT_NONE) {
        vector->null_count += count;
    } else if (vector->validity != NULL) {
        weir_bits_fill(vector->validity, vector->length, count, true);
    }
    vector->length += count;
    weir_vector_drop_validity(vector);
    return WEIR_OK;
}

/* ---- interleaving ---- */

/* How many sources `source_of` names: the greatest number and one. */
static size_t count_sources(const uint16_t *source_of, int64_t count)
{
    uint16_t greatest = 0;
    for (int64_t i = 0; i < count; i++) {
        greatest = source_of[i] > greatest ? source_of[i] : greatest;
    }
    return (size_t)greatest + 1;
}

/* What one call works on. `cursors` are advanced by whoever moves the values. */
typedef struct interleaving {
    weir_vector *const *sources;
    size_t source_count;
    int64_t *cursors;
    const uint16_t *source_of;
    int64_t count;
} interleaving;

#define DEFINE_INTERLEAVE(name, ctype)                                                                                 \
    static void name(weir_vector *vector, const interleaving *work)                                                    \
    {                                                                                                                  \
        const ctype **next = weir_alloc(work->source_count * sizeof *next);                                            \
        for (size_t s = 0; s < work->source_count; s++) {                                                              \
            next[s] = WEIR_VALUES(work->sources[s], const ctype) + work->cursors[s];                                   \
        }                                                                                                              \
        ctype *restrict out = WEIR_VALUES(vector, ctype) + vector->length;                                             \
        const uint16_t *restrict source_of = work->source_of;                                                          \
        int64_t count = work->count;                                                                                   \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            out[i] = *next[source_of[i]]++;                                                                            \
        }                                                                                                              \
        for (size_t s = 0; s < work->source_count; s++) {                                                              \
            work->cursors[s] = next[s] - WEIR_VALUES(work->sources[s], const ctype);                                   \
        }                                                                                                              \
        free(next);                                                                                                    \
    }

DEFINE_INTERLEAVE(interleave_8, uint8_t)
DEFINE_INTERLEAVE(interleave_16, uint16_t)
DEFINE_INTERLEAVE(interleave_32, uint32_t)
DEFINE_INTERLEAVE(interleave_64, uint64_t)
DEFINE_INTERLEAVE(interleave_128, weir_timestamp_nanos)

/* Interleaves bitmaps, of which NULL ones are all set; returns how many bits are set. */
static int64_t interleave_bits(uint8_t *to, int64_t to_first, const uint8_t *const *bitmaps, int64_t *positions,
                               const uint16_t *source_of, int64_t count)
{
    int64_t set = 0;
    for (int64_t i = 0; i < count; i++) {
        uint16_t source = source_of[i];
        int64_t position = positions[source]++;
        unsigned bit = bitmaps[source] == NULL || weir_bit_get(bitmaps[source], position);
        int64_t target = to_first + i;
        uint8_t rest = (uint8_t)(to[target >> 3] & ~(1u << (target & 7)));
        to[target >> 3] = (uint8_t)(rest | (bit << (target & 7)));
        set += bit;
    }
    return set;
}

static void interleave_booleans(weir_vector *vector, const interleaving *work)
{
    const uint8_t **bitmaps = weir_alloc(work->source_count * sizeof *bitmaps);
    for (size_t s = 0; s < work->source_count; s++) {
        bitmaps[s] = work->sources[s]->data;
    }
    interleave_bits(vector->data, vector->length, bitmaps, work->cursors, work->source_of, work->count);
    free(bitmaps);
}

/* Returns the number of rows that are not null. */
static int64_t interleave_validity(weir_vector *vector, const interleaving *work, int64_t *positions)
{
    const uint8_t **bitmaps = weir_alloc(work->source_count * sizeof *bitmaps);
    for (size_t s = 0; s < work->source_count; s++) {
        bitmaps[s] = work->sources[s]->validity;
    }
    int64_t valid = interleave_bits(vector->validity, vector->length, bitmaps, positions, work->source_of, work->count);
    free(bitmaps);
    return valid;
}

/* Writes the offsets of the interleaved rows, advances the cursors, and returns the rows' total size, to be checked
 * before the offsets are used. */
static int64_t interleave_offsets(weir_vector *vector, const interleaving *work)
{
    const int32_t **next = weir_alloc(work->source_count * sizeof *next);
    for (size_t s = 0; s < work->source_count; s++) {
        next[s] = work->sources[s]->offsets + work->cursors[s];
    }
    int32_t *out = vector->offsets + vector->length;
    int64_t begin = out[0];
    int64_t end = begin;
    for (int64_t i = 0; i < work->count; i++) {
        const int32_t *offsets = next[work->source_of[i]]++;
        end += offsets[1] - offsets[0];
        out[i + 1] = (int32_t)end;
    }
    for (size_t s = 0; s < work->source_count; s++) {
        work->cursors[s] = next[s] - work->sources[s]->offsets;
    }
    free(next);
    return end - begin;
}

/* The texts of one source follow each other, so that one pointer a source says where its next text begins. */
static void interleave_text_bytes(weir_vector *vector, const interleaving *work, const uint8_t **next,
                                  const uint8_t *const *ends)
{
    const int32_t *offsets = vector->offsets + vector->length;
    uint8_t *data = vector->data;
    for (int64_t i = 0; i < work->count; i++) {
        uint16_t source = work->source_of[i];
        size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        copy_text(data + offsets[i], next[source], size, ends[source]);
        next[source] += size;
    }
}

static int interleave_texts(weir_vector *vector, const interleaving *work, weir_error *err)
{
    const uint8_t **next = weir_alloc(2 * work->source_count * sizeof *next);
    const uint8_t **ends = next + work->source_count;
    for (size_t s = 0; s < work->source_count; s++) {
        const weir_vector *source = work->sources[s];
        next[s] = source->data + source->offsets[work->cursors[s]];
        ends[s] = source->data + source->offsets[source->length];
    }
    int64_t bytes = interleave_offsets(vector, work);
    int code = weir_vector_reserve_bytes(vector, (size_t)bytes + SHORT_TEXT, err);
    if (code == WEIR_OK && bytes > 0) {
        interleave_text_bytes(vector, work, next, ends);
    }
    free(next);
    return code;
}

/* Interleaves child `child` of the sources into that of `vector`; `cursors` are the children's and are advanced. */
static int interleave_child(weir_vector *vector, int32_t child, const interleaving *work, int64_t *cursors,
                            const uint16_t *source_of, int64_t count, weir_error *err)
{
    weir_vector **sources = weir_alloc(work->source_count * sizeof *sources);
    for (size_t s = 0; s < work->source_count; s++) {
        sources[s] = &work->sources[s]->children[child];
    }
    int code = weir_vector_interleave(&vector->children[child], sources, cursors, source_of, count, err);
    free(sources);
    return code;
}

/* For every element its list's source, `elements` in all. */
static int element_sources(const weir_vector *vector, const interleaving *work, int64_t elements, uint16_t **out,
                           weir_error *err)
{
    void *memory;
    WEIR_TRY(weir_alloc_checked((size_t)elements, sizeof(uint16_t), &memory, err));
    uint16_t *sources = memory;
    const int32_t *offsets = vector->offsets + vector->length;
    for (int64_t i = 0; i < work->count; i++) {
        for (int32_t j = offsets[i]; j < offsets[i + 1]; j++) {
            sources[j - offsets[0]] = work->source_of[i];
        }
    }
    *out = sources;
    return WEIR_OK;
}

static int interleave_lists(weir_vector *vector, const interleaving *work, weir_error *err)
{
    int64_t *starts = weir_alloc(2 * work->source_count * sizeof *starts);
    int64_t *cursors = starts + work->source_count;
    uint16_t *sources = NULL;
    int code = WEIR_OK;
    for (size_t s = 0; s < work->source_count; s++) {
        starts[s] = work->sources[s]->offsets[work->cursors[s]];
    }
    int64_t elements = interleave_offsets(vector, work);
    WEIR_GO(check_elements(vector, elements, err));
    WEIR_GO(element_sources(vector, work, elements, &sources, err));
    for (int32_t i = 0; i < vector->child_count; i++) {
        memcpy(cursors, starts, work->source_count * sizeof *cursors);
        WEIR_GO(interleave_child(vector, i, work, cursors, sources, elements, err));
    }
done:
    free(sources);
    free(starts);
    return code;
}

static void advance_cursors(const interleaving *work)
{
    for (int64_t i = 0; i < work->count; i++) {
        work->cursors[work->source_of[i]]++;
    }
}

static int interleave_structs(weir_vector *vector, const interleaving *work, weir_error *err)
{
    int64_t *cursors = weir_alloc(work->source_count * sizeof *cursors);
    int code = WEIR_OK;
    for (int32_t i = 0; i < vector->child_count && code == WEIR_OK; i++) {
        memcpy(cursors, work->cursors, work->source_count * sizeof *cursors);
        code = interleave_child(vector, i, work, cursors, work->source_of, work->count, err);
    }
    free(cursors);
    advance_cursors(work);
    return code;
}

static int interleave_values(weir_vector *vector, const interleaving *work, weir_error *err)
{
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        interleave_booleans(vector, work);
        return WEIR_OK;
    case WEIR_LAYOUT_8:
        interleave_8(vector, work);
        return WEIR_OK;
    case WEIR_LAYOUT_16:
        interleave_16(vector, work);
        return WEIR_OK;
    case WEIR_LAYOUT_32:
        interleave_32(vector, work);
        return WEIR_OK;
    case WEIR_LAYOUT_64:
        interleave_64(vector, work);
        return WEIR_OK;
    case WEIR_LAYOUT_128:
        interleave_128(vector, work);
        return WEIR_OK;
    case WEIR_LAYOUT_BYTES:
        return interleave_texts(vector, work, err);
    case WEIR_LAYOUT_LIST:
        return interleave_lists(vector, work, err);
    case WEIR_LAYOUT_STRUCT:
        return interleave_structs(vector, work, err);
    case WEIR_LAYOUT_NONE:
        advance_cursors(work);
        break;
    }
    return WEIR_OK;
}

int weir_vector_interleave(weir_vector *vector, weir_vector *const *sources, int64_t *cursors,
                           const uint16_t *source_of, int64_t count, weir_error *err)
{
    if (count == 0) {
        return WEIR_OK;
    }
    interleaving work = {sources, count_sources(source_of, count), cursors, source_of, count};
    bool with_nulls = vector->validity != NULL;
    for (size_t s = 0; s < work.source_count; s++) {
        WEIR_TRY(check_same_layout(vector, sources[s], err));
        with_nulls = with_nulls || sources[s]->validity != NULL;
    }
    WEIR_TRY(reserve_rows(vector, with_nulls, count, err));
    int64_t *starts = weir_alloc(work.source_count * sizeof *starts);
    memcpy(starts, cursors, work.source_count * sizeof *starts);
    int code = interleave_values(vector, &work, err);
    if (code == WEIR_OK) {
        if (vector->layout == WEIR_LAYOUT_NONE) {
            vector->null_count += count;
        } else if (with_nulls) {
            vector->null_count += count - interleave_validity(vector, &work, starts);
        }
        vector->length += count;
        weir_vector_drop_validity(vector);
    }
    free(starts);
    return code;
}
