/* Values as Avro writes them, and Paimon's fields as an Avro schema. */
#ifndef WEIR_FORMAT_AVRO_ENCODE_H
#define WEIR_FORMAT_AVRO_ENCODE_H

#include "vector/vector.h"

/* Appends an int or a long: zig-zag, seven bits a byte. */
void weir_avro_put_long(weir_buffer *out, int64_t value);
void weir_avro_put_bytes(weir_buffer *out, weir_slice value); /* with their number before them */

/* Appends the schema of records of the given fields, as Paimon's AvroSchemaConverter makes it. Types that Paimon does
 * not write to Avro files and names that Avro does not allow are WEIR_UNSUPPORTED. */
int weir_avro_schema_write(const weir_field *fields, int32_t field_count, const char *path, weir_buffer *out,
                           weir_error *err);

/* Appends row `row` of the columns as one record. The types must have passed weir_avro_schema_write. A NULL in a NOT
 * NULL column is WEIR_INVALID. */
int weir_avro_encode_row(const weir_field *fields, const weir_vector *columns, int32_t count, int64_t row,
                         const char *path, weir_buffer *out, weir_error *err);

#endif
