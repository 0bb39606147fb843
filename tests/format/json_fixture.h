/* JSON texts and the rows that they must give. */
#ifndef WEIR_TESTS_FORMAT_JSON_FIXTURE_H
#define WEIR_TESTS_FORMAT_JSON_FIXTURE_H

#include "format/json/json.h"
#include "format/row_text_fixture.h"

static inline void check_json(const weir_json_read_options *options, const char *columns_text, const char *text,
                              const char *expected, const char *error)
{
    test_columns columns;
    weir_error err = {0};
    weir_row_reader *reader = NULL;
    columns_start(&columns, columns_text);
    check_ok(weir_json_open_reader(columns.fields, columns.count, options, &reader, &err), &err);
    check_text(reader, &columns, text, expected, error);
    reader->close(reader);
    weir_arena_free(&columns.arena);
}

#endif
