/* From requested fields to the columns of an ORC file. */
#ifndef WEIR_FORMAT_ORC_PROJECT_H
#define WEIR_FORMAT_ORC_PROJECT_H

#include "format/orc/column.h"

/* What else decides how columns are read. Zero-initialized: data files of tables as Paimon writes them by default. */
typedef struct weir_orc_projection_rules {
    /* Manifests: every NOT NULL field must be there and have no NULLs, others that are missing are NULL. Else every
     * field must be there, and NULLs are passed on whatever its type says, as Java does. */
    bool are_records;
    bool instants_are_true; /* see weir_format_read_options */
} weir_orc_projection_rules;

/* Makes a column for each field, found by its name, in `arena`; `fields` and `metadata` are borrowed. A field that the
 * file lacks is WEIR_CORRUPT, one whose type the file's does not give WEIR_UNSUPPORTED. */
int weir_orc_project(const weir_orc_source *source, const weir_orc_metadata *metadata, const weir_field *fields,
                     int32_t field_count, const weir_orc_projection_rules *rules, weir_arena *arena,
                     weir_orc_column **out, weir_error *err);

#endif
