/* The datagen source: rows out of nowhere, random or counted. */
#ifndef WEIR_CONNECT_DATAGEN_H
#define WEIR_CONNECT_DATAGEN_H

#include "connect/source.h"

/* Opens a source as weir_source_open does (source.h); its options are checked. The caller closes it. */
int weir_datagen_source_open(const weir_source_options *options, weir_source **out, weir_error *err);

/* Checks the options fields.<column>.* against the columns. */
int weir_datagen_check(const weir_options *options, const weir_field *fields, int32_t field_count, weir_error *err);

#endif
