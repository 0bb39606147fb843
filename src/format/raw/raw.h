/* Raw values: the bytes of a message or of a line are the value of the only column, as Flink's raw format has it. */
#ifndef WEIR_FORMAT_RAW_H
#define WEIR_FORMAT_RAW_H

#include "format/row_text.h"

/* `little_endian`: of numbers; otherwise their first byte is the highest. `fields` are borrowed. There has to be one,
 * of a type whose values have such a form; a message that is NULL is a NULL. */
int weir_raw_open_reader(const weir_field *fields, int32_t field_count, bool little_endian, weir_row_reader **out,
                         weir_error *err);
int weir_raw_open_writer(const weir_field *fields, int32_t field_count, bool little_endian, weir_row_writer **out,
                         weir_error *err);

#endif
