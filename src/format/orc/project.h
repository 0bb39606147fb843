/* From requested fields to the columns of an ORC file. */
#ifndef WEIR_FORMAT_ORC_PROJECT_H
#define WEIR_FORMAT_ORC_PROJECT_H

#include "format/orc/column.h"

/* How strictly a file must have what is asked for. */
typedef enum weir_orc_strictness {
    WEIR_ORC_AS_DATA,    /* every field; NULLs are passed on whatever its type says, as Java does */
    WEIR_ORC_AS_RECORDS, /* every NOT NULL field, and no NULLs of it; other missing ones are NULL */
} weir_orc_strictness;

/* Makes a column for each field, found by its name, in `arena`; `fields` and `metadata` are borrowed. A field that the
 * file lacks is WEIR_CORRUPT, one whose type the file's does not give WEIR_UNSUPPORTED. */
int weir_orc_project(const weir_orc_source *source, const weir_orc_metadata *metadata, const weir_field *fields,
                     int32_t field_count, weir_orc_strictness strictness, weir_arena *arena, weir_orc_column **out,
                     weir_error *err);

#endif
