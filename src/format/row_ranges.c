/* Ascending ranges of rows, as pruning finds them. */
#include "format/format.h"

#include <stdlib.h>

#include "base/alloc.h"

void weir_row_ranges_append(weir_row_ranges *ranges, int64_t first, int64_t count)
{
    if (count <= 0) {
        return;
    }
    if (ranges->count > 0) {
        weir_row_range *last = &ranges->ranges[ranges->count - 1];
        if (last->first + last->count == first) {
            last->count += count;
            return;
        }
    }
    WEIR_GROW(ranges->ranges, ranges->capacity, ranges->count + 1);
    ranges->ranges[ranges->count++] = (weir_row_range){first, count};
}

void weir_row_ranges_free(weir_row_ranges *ranges)
{
    free(ranges->ranges);
    *ranges = (weir_row_ranges){0};
}
