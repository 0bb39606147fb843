/* Avro object container files.
 *
 * Data files stand behind the interfaces of format.h; manifests are read and written record by record through the
 * batch functions below. Reading resolves by names: fields the file lacks are NULL, fields nobody asks for are skipped.
 *
 * Paimon's mapping of types is org.apache.paimon.format.avro.AvroSchemaConverter: record name
 * org.apache.paimon.avro.generated.record, nested ones named parent_field; TIMESTAMP is timestamp-millis/micros and
 * TIMESTAMP_LTZ local-timestamp-millis/micros; MAP with a key that is no text is an array of records (key, value). */
#ifndef WEIR_FORMAT_AVRO_H
#define WEIR_FORMAT_AVRO_H

#include "format/format.h"

/* A reader and a writer as format.h describes them, which their callers close; `fields` are borrowed. */
int weir_avro_open_reader(weir_file *file, const weir_field *fields, int32_t field_count,
                          const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                          weir_error *err);
int weir_avro_open_writer(weir_output *output, const weir_field *fields, int32_t field_count,
                          const weir_format_write_options *options, weir_format_writer **out, weir_error *err);

/* Reads a whole container file held in `bytes` into `out` (appends). Columns of `out` are the fields by name; a
 * nullable field that the file lacks becomes NULL, a NOT NULL one is WEIR_CORRUPT. `path` is for messages. */
int weir_avro_read_all(weir_slice bytes, const char *path, const weir_field *fields, int32_t field_count,
                       weir_batch *out, weir_error *err);

/* Leaves records out while they are decoded: `keeps` is asked as soon as the first `leading` of the fields are there,
 * in row `row` of their columns. They must be NOT NULL numbers or bytes. Where a file has other fields before or
 * between them, everything is kept: the choice saves work, nothing else. */
typedef struct weir_avro_choice {
    int32_t leading;
    bool (*keeps)(void *context, const weir_vector *columns, int64_t row);
    void *context;
} weir_avro_choice;

/* The same with a choice; NULL: all. */
int weir_avro_read_chosen(weir_slice bytes, const char *path, const weir_field *fields, int32_t field_count,
                          const weir_avro_choice *choice, weir_batch *out, weir_error *err);

/* Appends a container file with all rows of `batch` to `out`. `codec`: "null", "zstandard" (also "zstd"), "snappy",
 * "deflate", "bzip2". */
int weir_avro_write_all(const weir_batch *batch, const weir_field *fields, int32_t field_count, const char *codec,
                        int level, weir_buffer *out, weir_error *err);

#endif
