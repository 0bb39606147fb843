/* Runs of bytes and bits, and integers of version 1, which share their layout:
 *
 *   | control < 128: control + 3 equal values follow as one (integers: with a step of one signed byte before it) |
 *   | control >= 128: 256 - control values follow                                                                |
 *
 * Version 2 of the integers is in run_length_v2.c. */
#include "format/orc/run_length.h"

#include "format/orc/run_length_v2.h"

#define LITERALS     0x80
#define SHORTEST_RUN 3

/* ---- bytes ---- */

void weir_orc_byte_runs_begin(weir_orc_byte_runs *runs, weir_orc_stream *stream)
{
    *runs = (weir_orc_byte_runs){.stream = stream};
}

static int begin_run(weir_orc_byte_runs *runs, weir_error *err)
{
    uint8_t control;
    WEIR_TRY(weir_orc_stream_byte(runs->stream, &control, err));
    runs->repeats = control < LITERALS;
    if (runs->repeats) {
        WEIR_TRY(weir_orc_stream_byte(runs->stream, &runs->value, err));
    }
    runs->left = runs->repeats ? control + SHORTEST_RUN : 256 - control;
    return WEIR_OK;
}

int weir_orc_byte_runs_read(weir_orc_byte_runs *runs, uint8_t *out, int64_t count, weir_error *err)
{
    for (int64_t done = 0; done < count;) {
        if (runs->left == 0) {
            WEIR_TRY(begin_run(runs, err));
        }
        int64_t piece = count - done < runs->left ? count - done : runs->left;
        if (runs->repeats) {
            memset(out + done, runs->value, (size_t)piece);
        } else {
            WEIR_TRY(weir_orc_stream_read(runs->stream, out + done, (size_t)piece, err));
        }
        runs->left -= (int32_t)piece;
        done += piece;
    }
    return WEIR_OK;
}

/* ---- bits ---- */

void weir_orc_bit_runs_begin(weir_orc_bit_runs *runs, weir_orc_stream *stream)
{
    *runs = (weir_orc_bit_runs){0};
    weir_orc_byte_runs_begin(&runs->bytes, stream);
}

int weir_orc_bit_runs_read(weir_orc_bit_runs *runs, uint8_t *out, int64_t count, weir_error *err)
{
    for (int64_t i = 0; i < count; i++) {
        if (runs->left == 0) {
            WEIR_TRY(weir_orc_byte_runs_read(&runs->bytes, &runs->byte, 1, err));
            runs->left = 8;
        }
        runs->left--;
        out[i] = (runs->byte >> runs->left) & 1;
    }
    return WEIR_OK;
}

/* ---- integers ---- */

void weir_orc_integers_begin(weir_orc_integers *integers, weir_orc_stream *stream, bool is_signed, bool is_version_2)
{
    integers->stream = stream;
    integers->is_signed = is_signed;
    integers->is_version_2 = is_version_2;
    integers->next = integers->count = 0;
}

static int read_number(weir_orc_integers *integers, int64_t *out, weir_error *err)
{
    uint64_t number;
    WEIR_TRY(weir_orc_stream_varint(integers->stream, &number, err));
    *out = integers->is_signed ? weir_orc_unzigzag(number) : (int64_t)number;
    return WEIR_OK;
}

static int read_run_v1(weir_orc_integers *integers, weir_error *err)
{
    uint8_t control;
    WEIR_TRY(weir_orc_stream_byte(integers->stream, &control, err));
    if (control >= LITERALS) {
        int32_t count = 256 - control;
        for (int32_t i = 0; i < count; i++) {
            WEIR_TRY(read_number(integers, &integers->run[i], err));
        }
        integers->count = count;
        return WEIR_OK;
    }
    uint8_t step;
    int64_t first;
    WEIR_TRY(weir_orc_stream_byte(integers->stream, &step, err));
    WEIR_TRY(read_number(integers, &first, err));
    uint64_t value = (uint64_t)first; /* numbers wrap around, as Java's do */
    integers->count = control + SHORTEST_RUN;
    for (int32_t i = 0; i < integers->count; i++) {
        integers->run[i] = (int64_t)value;
        value += (uint64_t)(int64_t)(int8_t)step;
    }
    return WEIR_OK;
}

int weir_orc_integers_read(weir_orc_integers *integers, int64_t *out, int64_t count, weir_error *err)
{
    for (int64_t done = 0; done < count;) {
        if (integers->next == integers->count) {
            integers->next = integers->count = 0;
            WEIR_TRY(integers->is_version_2 ? weir_orc_read_run_v2(integers, err) : read_run_v1(integers, err));
        }
        int64_t there = integers->count - integers->next;
        int64_t piece = count - done < there ? count - done : there;
        memcpy(out + done, integers->run + integers->next, (size_t)piece * sizeof *out);
        integers->next += (int32_t)piece;
        done += piece;
    }
    return WEIR_OK;
}
