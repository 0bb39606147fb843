/* Sections of files against brute force. */
#include "file_fixture.h"
#include "merge/sorted_run.h"
#include "random.h"

#define MOST_FILES 40

static const char schema_json[] =
    "{'version':3,'id':0,'fields':[{'id':0,'name':'k','type':'INT NOT NULL'},{'id':1,'name':'s','type':'STRING NOT "
    "NULL'}],"
    "'highestFieldId':1,'partitionKeys':[],'primaryKeys':['k','s'],'options':{'bucket':'1'},'timeMillis':0}";

static weir_slice key_of(fixture *test, int32_t number, const char *text)
{
    const weir_type *types[] = {test->context.schema->fields[0].type, test->context.schema->fields[1].type};
    weir_literal values[] = {{.integer = number}, {.bytes = weir_slice_text(text)}};
    weir_buffer bytes = {0};
    weir_binary_row_serialize(types, values, 2, &bytes);
    weir_slice key = weir_slice_of(weir_arena_copy(&test->arena, bytes.data, bytes.size), bytes.size);
    weir_buffer_free(&bytes);
    return key;
}

static weir_data_file *file_of(fixture *test, int32_t min, int32_t max, int32_t level)
{
    weir_data_file *file = WEIR_NEW(&test->arena, weir_data_file);
    file->name = weir_arena_format(&test->arena, "%d-%d", (int)min, (int)max);
    file->level = level;
    file->min_key = key_of(test, min, "x");
    file->max_key = key_of(test, max, "x");
    return file;
}

static int overlap(fixture *test, const weir_data_file *a, const weir_data_file *b)
{
    return weir_key_compare(test->context.schema, a->min_key, b->max_key) <= 0 &&
           weir_key_compare(test->context.schema, b->min_key, a->max_key) <= 0;
}

static void keys_compare_column_by_column(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, schema_json);
    const struct {
        int32_t a;
        const char *a_text;
        int32_t b;
        const char *b_text;
        int order;
    } cases[] = {
        {1, "b", 2, "a", -1}, {-1, "a", 1, "a", -1},          {3, "a", 3, "a", 0},
        {3, "b", 3, "a", 1},  {3, "long enough", 3, "lo", 1}, {3, "", 3, "a", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int order = weir_key_compare(test.context.schema, key_of(&test, cases[i].a, cases[i].a_text),
                                     key_of(&test, cases[i].b, cases[i].b_text));
        assert_int_equal((order > 0) - (order < 0), cases[i].order);
    }
    fixture_end(&test);
}

/* The section (index) of each file by following overlaps until nothing changes. */
static void check_sections(fixture *test, weir_data_file **files, size_t count)
{
    weir_section *sections = NULL;
    size_t section_count = 0;
    CHECK(test,
          weir_sections_of(test->context.schema, files, count, &test->arena, &sections, &section_count, &test->err));
    size_t found = 0;
    for (size_t s = 0; s < section_count; s++) {
        int32_t greatest_depth = 0;
        for (int32_t r = 0; r < sections[s].run_count; r++) {
            const weir_sorted_run *run = &sections[s].runs[r];
            assert_true(run->file_count > 0);
            found += (size_t)run->file_count;
            for (int32_t f = 0; f < run->file_count; f++) {
                /* Files of a run do not overlap, and stand in key order. */
                if (f > 0) {
                    assert_true(
                        weir_key_compare(test->context.schema, run->files[f - 1]->max_key, run->files[f]->min_key) < 0);
                }
                assert_true(run->level == -1 || run->level == run->files[f]->level);
                /* How many files of the section hold this file's least key. */
                int32_t depth = 0;
                for (size_t i = 0; i < count; i++) {
                    depth += weir_key_compare(test->context.schema, files[i]->min_key, run->files[f]->min_key) <= 0 &&
                             weir_key_compare(test->context.schema, files[i]->max_key, run->files[f]->min_key) >= 0;
                }
                greatest_depth = depth > greatest_depth ? depth : greatest_depth;
                /* Nothing in another section overlaps. */
                for (size_t t = 0; t < section_count; t++) {
                    for (int32_t q = 0; t != s && q < sections[t].run_count; q++) {
                        for (int32_t g = 0; g < sections[t].runs[q].file_count; g++) {
                            assert_false(overlap(test, run->files[f], sections[t].runs[q].files[g]));
                        }
                    }
                }
            }
        }
        assert_int_equal(sections[s].run_count, greatest_depth);
    }
    assert_int_equal(found, count);
}

static void sections_do_not_overlap_and_have_the_fewest_runs(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 30; round++) {
        fixture test;
        fixture_start(&test, schema_json);
        weir_data_file *files[MOST_FILES];
        size_t count = random_below(&random, MOST_FILES);
        uint64_t spread = 20 + random_below(&random, 400);
        for (size_t i = 0; i < count; i++) {
            int32_t min = (int32_t)random_below(&random, spread);
            files[i] = file_of(&test, min, min + (int32_t)random_below(&random, 20), (int32_t)random_below(&random, 3));
        }
        check_sections(&test, files, count);
        fixture_end(&test);
    }
}

static void a_key_that_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, schema_json);
    weir_data_file *file = file_of(&test, 1, 2, 0);
    file->max_key.size = 9;
    weir_section *sections = NULL;
    size_t count = 0;
    assert_int_equal(weir_sections_of(test.context.schema, &file, 1, &test.arena, &sections, &count, &test.err),
                     WEIR_CORRUPT);
    assert_non_null(strstr(test.err.message, "1-2"));
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_compare_column_by_column),
        cmocka_unit_test(sections_do_not_overlap_and_have_the_fewest_runs),
        cmocka_unit_test(a_key_that_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
