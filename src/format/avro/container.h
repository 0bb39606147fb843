/* The frame of an Avro object container file: header, blocks, codecs.
 *
 *   | "Obj" 1: 4 | metadata: map of bytes (avro.schema, avro.codec) | sync marker: 16 | block … |
 *   block: | records: long | size: long | compressed records: size | sync marker: 16 |
 */
#ifndef WEIR_FORMAT_AVRO_CONTAINER_H
#define WEIR_FORMAT_AVRO_CONTAINER_H

#include "format/avro/schema.h"
#include "format/compression.h"

enum { WEIR_AVRO_SYNC_BYTES = 16, WEIR_AVRO_BLOCK_HEAD_BYTES = 20 };

typedef struct weir_avro_codec {
    const char *name;
    weir_compression compression;
} weir_avro_codec;

/* By Avro's name or by one of Paimon's ("zstd", "none"); WEIR_UNSUPPORTED lists those there are. */
int weir_avro_codec_find(const char *name, const char *path, const weir_avro_codec **out, weir_error *err);

typedef struct weir_avro_header {
    const weir_avro_type *schema;
    const weir_avro_codec *codec;
    uint8_t sync[WEIR_AVRO_SYNC_BYTES];
    size_t size; /* of the header: where the first block begins */
} weir_avro_header;

/* Parses the header at the start of `bytes`. When the bytes end before the header does, *out_cut_off says so. */
int weir_avro_header_parse(weir_slice bytes, const char *path, weir_arena *arena, weir_avro_header *out,
                           bool *out_cut_off, weir_error *err);
void weir_avro_header_write(weir_slice schema, const weir_avro_codec *codec, const uint8_t *sync, weir_buffer *out);

typedef struct weir_avro_block {
    uint64_t offset; /* of the compressed records in the file */
    uint64_t size;   /* of them; the sync marker follows */
    int64_t record_count;
} weir_avro_block;

/* Parses the head of the block at `offset` of a file of `file_size` bytes; `head` holds the next bytes of the file, as
 * many as it has up to WEIR_AVRO_BLOCK_HEAD_BYTES. */
int weir_avro_block_parse(weir_slice head, uint64_t offset, uint64_t file_size, const char *path, weir_avro_block *out,
                          weir_error *err);

/* The records of a block in the open. `stored`: the compressed records with the sync marker after them. *out points
 * into `stored` or into `scratch`, which is cleared first. */
int weir_avro_block_unpack(const weir_avro_header *header, weir_slice stored, weir_buffer *scratch, weir_slice *out,
                           const char *path, weir_error *err);

/* Appends a block. */
int weir_avro_block_write(const weir_avro_codec *codec, int level, const uint8_t *sync, int64_t record_count,
                          weir_slice records, weir_buffer *out, weir_error *err);

#endif
