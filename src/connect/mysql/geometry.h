/* Geometries as JSON, in the form that Flink CDC gives them. */
#ifndef WEIR_MYSQL_GEOMETRY_H
#define WEIR_MYSQL_GEOMETRY_H

#include "base/base.h"

/* Appends {"coordinates":[1,1],"type":"Point","srid":0}. The value is the server's: | srid: 4 | well-known binary |. */
int weir_mysql_geometry_format(weir_slice value, weir_buffer *out, weir_error *err);

#endif
