/* Sorted pieces of a write buffer on the local disk. Used by write_buffer.c only. */
#ifndef WEIR_LSM_WRITE_BUFFER_SPILL_H
#define WEIR_LSM_WRITE_BUFFER_SPILL_H

#include "file/file.h"

typedef struct weir_spill weir_spill;

int weir_spill_create(const weir_table_context *context, weir_spill **out, weir_error *err);
void weir_spill_free(weir_spill *spill); /* removes its folder */

/* A writer for the next piece; when it is full, weir_spill_add finishes and closes it. */
int weir_spill_writer(weir_spill *spill, weir_data_file_writer **out, weir_error *err);
int weir_spill_add(weir_spill *spill, weir_data_file_writer *writer, weir_error *err);

/* Merges all pieces into `data`. */
int weir_spill_merge(weir_spill *spill, weir_data_file_writer *data, weir_error *err);

#endif
