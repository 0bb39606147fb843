/* Reading sequence.field and sequence.field.sort-order. */
#include "merge/age_order.h"

#include <strings.h>

int weir_age_order_of(const weir_schema *schema, weir_arena *arena, weir_age_order *out, weir_error *err)
{
    const char *text = weir_options_get(&schema->options, "sequence.field");
    char *names = weir_arena_strdup(arena, text);
    int32_t *columns = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count + 1);
    int32_t count = 0;
    char *rest = NULL;
    for (char *name = names == NULL ? NULL : strtok_r(names, ", ", &rest); name != NULL;
         name = strtok_r(NULL, ", ", &rest)) {
        int32_t column = weir_schema_column(schema, name);
        if (column < 0 || count == schema->field_count) {
            return weir_fail(err, WEIR_INVALID, "sequence.field = '%s': the table has no column '%s'", text, name);
        }
        columns[count++] = column;
    }
    const char *order = weir_options_get(&schema->options, "sequence.field.sort-order");
    *out = (weir_age_order){columns, count, order != NULL && strcasecmp(order, "descending") == 0};
    return WEIR_OK;
}
