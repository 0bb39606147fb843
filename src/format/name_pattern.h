/* Patterns that names of databases and tables must match as a whole, as Java's regular expressions. */
#ifndef WEIR_FORMAT_NAME_PATTERN_H
#define WEIR_FORMAT_NAME_PATTERN_H

#include "base/base.h"

typedef struct weir_name_pattern weir_name_pattern;

/* `option` names it in errors. */
int weir_name_pattern_compile(const char *pattern, const char *option, weir_name_pattern **out, weir_error *err);
bool weir_name_pattern_matches(weir_name_pattern *pattern, weir_slice name);
void weir_name_pattern_free(weir_name_pattern *pattern);

#endif
