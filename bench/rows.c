/* weir-bench rows: the generator's first rows as JSON, for checking another implementation of it. */
#include <stdio.h>

#include "bench/bench.h"
#include "vector/literal.h"

static void print_row(const weir_batch *batch, int64_t row, weir_buffer *line)
{
    weir_buffer_clear(line);
    for (int32_t c = 0; c < batch->column_count; c++) {
        weir_buffer_append_text(line, c == 0 ? "[" : ",");
        weir_value_to_json(&batch->columns[c], row, line);
    }
    weir_buffer_append_text(line, "]\n");
    fwrite(line->data, 1, line->size, stdout);
}

int bench_rows(const bench_arguments *arguments, weir_error *err)
{
    weir_batch batch;
    weir_buffer line = {0};
    int code = WEIR_OK;
    weir_batch_init(&batch, bench_fields(), BENCH_COLUMNS);
    for (int64_t first = 0; first < arguments->rows; first += batch.length) {
        int64_t left = arguments->rows - first;
        weir_batch_clear(&batch);
        WEIR_GO(bench_generate(arguments, first, left < 4096 ? left : 4096, &batch, err));
        for (int64_t i = 0; i < batch.length; i++) {
            print_row(&batch, i, &line);
        }
    }
done:
    weir_batch_free(&batch);
    weir_buffer_free(&line);
    return code;
}
