/* ORC's run-length encodings: of bytes, of bits, and of integers in their two versions.
 *
 * A decoder reads from a stream that its owner has opened; it keeps the run it is in, nothing else. */
#ifndef WEIR_FORMAT_ORC_RUN_LENGTH_H
#define WEIR_FORMAT_ORC_RUN_LENGTH_H

#include "format/orc/stream.h"

#define WEIR_ORC_MAX_RUN 512

typedef struct weir_orc_byte_runs {
    weir_orc_stream *stream;
    int32_t left; /* of the run */
    bool repeats;
    uint8_t value; /* what repeats */
} weir_orc_byte_runs;

typedef struct weir_orc_bit_runs {
    weir_orc_byte_runs bytes;
    uint8_t byte; /* its highest bits come first */
    int32_t left; /* bits of it */
} weir_orc_bit_runs;

typedef struct weir_orc_integers {
    weir_orc_stream *stream;
    bool is_signed;
    bool is_version_2;
    int32_t next; /* in the run */
    int32_t count;
    int64_t run[WEIR_ORC_MAX_RUN];
} weir_orc_integers;

void weir_orc_byte_runs_begin(weir_orc_byte_runs *runs, weir_orc_stream *stream);
int weir_orc_byte_runs_read(weir_orc_byte_runs *runs, uint8_t *out, int64_t count, weir_error *err);

/* Bits as bytes of 0 and 1. */
void weir_orc_bit_runs_begin(weir_orc_bit_runs *runs, weir_orc_stream *stream);
int weir_orc_bit_runs_read(weir_orc_bit_runs *runs, uint8_t *out, int64_t count, weir_error *err);

void weir_orc_integers_begin(weir_orc_integers *integers, weir_orc_stream *stream, bool is_signed, bool is_version_2);
int weir_orc_integers_read(weir_orc_integers *integers, int64_t *out, int64_t count, weir_error *err);

static inline int64_t weir_orc_unzigzag(uint64_t value) { return (int64_t)(value >> 1) ^ -(int64_t)(value & 1); }

#endif
