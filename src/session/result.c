/* Results: their common part, single lines, and rows in memory. */
#include "session/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void weir_result_init(weir_result *result, weir_result_kind kind)
{
    *result = (weir_result){.kind = kind};
    weir_arena_init(&result->arena);
}

void weir_result_free(weir_result *result)
{
    if (result == NULL) {
        return;
    }
    if (result->close != NULL) {
        result->close(result);
    }
    weir_arena_free(&result->arena);
    free(result);
}

weir_result *weir_result_done(const char *format, ...)
{
    weir_result *result = weir_alloc_zeroed(1, sizeof *result);
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    weir_result_init(result, WEIR_RESULT_DONE);
    result->message = weir_arena_strdup(&result->arena, line);
    return result;
}

/* Hands the rows over in one piece by swapping the columns' memory. */
static int memory_next(weir_result *self, weir_batch *out, weir_error *err)
{
    weir_memory_result *result = (weir_memory_result *)self;
    (void)err;
    weir_batch_clear(out);
    if (result->given || result->batch.length == 0) {
        return WEIR_END;
    }
    result->given = true;
    weir_batch rows = result->batch;
    result->batch = *out;
    *out = rows;
    return WEIR_OK;
}

static void memory_close(weir_result *self) { weir_batch_free(&((weir_memory_result *)self)->batch); }

weir_memory_result *weir_memory_result_create(const weir_field *fields, int32_t count)
{
    weir_memory_result *result = weir_alloc_zeroed(1, sizeof *result);
    weir_result_init(&result->result, WEIR_RESULT_ROWS);
    weir_field *copies = WEIR_NEW_ARRAY(&result->result.arena, weir_field, count);
    for (int32_t i = 0; i < count; i++) {
        copies[i] = fields[i];
        copies[i].name = weir_arena_strdup(&result->result.arena, fields[i].name);
    }
    result->result.fields = copies;
    result->result.field_count = count;
    result->result.next = memory_next;
    result->result.close = memory_close;
    weir_batch_init(&result->batch, copies, count);
    return result;
}

weir_memory_result *weir_text_result_create(const char *const *names, int32_t count)
{
    weir_field fields[8] = {{0}};
    for (int32_t i = 0; i < count && i < 8; i++) {
        fields[i] = (weir_field){.id = i, .name = names[i], .type = weir_type_simple(WEIR_VARCHAR, true)};
    }
    return weir_memory_result_create(fields, count < 8 ? count : 8);
}

int weir_text_result_add(weir_memory_result *result, const char *const *texts, weir_error *err)
{
    for (int32_t i = 0; i < result->batch.column_count; i++) {
        weir_vector *column = &result->batch.columns[i];
        if (texts[i] == NULL) {
            WEIR_TRY(weir_vector_append_nulls(column, 1, err));
        } else {
            WEIR_TRY(weir_vector_append_raw(column, texts[i], strlen(texts[i]), err));
        }
    }
    result->batch.length++;
    return WEIR_OK;
}

int weir_page_result_create(const char *text, weir_result **out, weir_error *err)
{
    static const char *const names[] = {"result"};
    weir_memory_result *page = weir_text_result_create(names, 1);
    int code = weir_text_result_add(page, &text, err);
    if (code != WEIR_OK) {
        weir_result_free(&page->result);
        return code;
    }
    page->result.is_page = true;
    *out = &page->result;
    return WEIR_OK;
}
