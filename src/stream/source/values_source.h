/* VALUES as a source. */
#ifndef WEIR_STREAM_VALUES_SOURCE_H
#define WEIR_STREAM_VALUES_SOURCE_H

#include "sql/engine.h"
#include "stream/source/source.h"

/* `plan` is a VALUES that outlives the source. */
weir_stream_source *weir_values_source_create(weir_sql_engine *engine, const weir_plan *plan);

#endif
