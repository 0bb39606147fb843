/* Functions that the binder turns into expressions of its own: rules named in the function table. */
#ifndef WEIR_SQL_BIND_RULES_H
#define WEIR_SQL_BIND_RULES_H

#include "sql/bind/binder_internal.h"

#define WEIR_BIND_RULE(name)                                                                                           \
    int name(weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments, int32_t count,         \
             weir_expression **out)

WEIR_BIND_RULE(weir_rule_coalesce);
WEIR_BIND_RULE(weir_rule_nullif);
WEIR_BIND_RULE(weir_rule_if);
WEIR_BIND_RULE(weir_rule_greatest);
WEIR_BIND_RULE(weir_rule_least);
WEIR_BIND_RULE(weir_rule_mod);
WEIR_BIND_RULE(weir_rule_round);
WEIR_BIND_RULE(weir_rule_truncate);
WEIR_BIND_RULE(weir_rule_ceil);
WEIR_BIND_RULE(weir_rule_floor);
WEIR_BIND_RULE(weir_rule_trim);
WEIR_BIND_RULE(weir_rule_hex);
WEIR_BIND_RULE(weir_rule_extract);
WEIR_BIND_RULE(weir_rule_date_part);
WEIR_BIND_RULE(weir_rule_timestamp_add);
WEIR_BIND_RULE(weir_rule_timestamp_diff);
WEIR_BIND_RULE(weir_rule_date_format);
WEIR_BIND_RULE(weir_rule_unix_timestamp);
WEIR_BIND_RULE(weir_rule_to_timestamp_ltz);
WEIR_BIND_RULE(weir_rule_current_date);
WEIR_BIND_RULE(weir_rule_current_time);
WEIR_BIND_RULE(weir_rule_current_timestamp);
WEIR_BIND_RULE(weir_rule_local_timestamp);
WEIR_BIND_RULE(weir_rule_current_watermark);
WEIR_BIND_RULE(weir_rule_proctime);
WEIR_BIND_RULE(weir_rule_current_database);
WEIR_BIND_RULE(weir_rule_typeof);

/* JSON (rule_json.c). */
WEIR_BIND_RULE(weir_rule_json_exists);
WEIR_BIND_RULE(weir_rule_json_value);
WEIR_BIND_RULE(weir_rule_json_query);
WEIR_BIND_RULE(weir_rule_json_object);
WEIR_BIND_RULE(weir_rule_json_array);
WEIR_BIND_RULE(weir_rule_json_string);

/* Arrays and maps (rule_collection.c). */
WEIR_BIND_RULE(weir_rule_cardinality);
WEIR_BIND_RULE(weir_rule_element);
WEIR_BIND_RULE(weir_rule_array_contains);
WEIR_BIND_RULE(weir_rule_array_position);
WEIR_BIND_RULE(weir_rule_array_max);
WEIR_BIND_RULE(weir_rule_array_min);
WEIR_BIND_RULE(weir_rule_array_join);
WEIR_BIND_RULE(weir_rule_array_distinct);
WEIR_BIND_RULE(weir_rule_array_reverse);
WEIR_BIND_RULE(weir_rule_array_slice);
WEIR_BIND_RULE(weir_rule_array_sort);
WEIR_BIND_RULE(weir_rule_array_remove);
WEIR_BIND_RULE(weir_rule_array_append);
WEIR_BIND_RULE(weir_rule_array_prepend);
WEIR_BIND_RULE(weir_rule_array_concat);
WEIR_BIND_RULE(weir_rule_array_union);
WEIR_BIND_RULE(weir_rule_array_intersect);
WEIR_BIND_RULE(weir_rule_array_except);
WEIR_BIND_RULE(weir_rule_map_keys);
WEIR_BIND_RULE(weir_rule_map_values);
WEIR_BIND_RULE(weir_rule_map_entries);
WEIR_BIND_RULE(weir_rule_map_union);
WEIR_BIND_RULE(weir_rule_map_from_arrays);

#endif
