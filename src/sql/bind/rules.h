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
WEIR_BIND_RULE(weir_rule_current_date);
WEIR_BIND_RULE(weir_rule_current_time);
WEIR_BIND_RULE(weir_rule_current_timestamp);
WEIR_BIND_RULE(weir_rule_local_timestamp);
WEIR_BIND_RULE(weir_rule_current_watermark);
WEIR_BIND_RULE(weir_rule_current_database);
WEIR_BIND_RULE(weir_rule_typeof);

#endif
