/* Scripts with Flink's own answers: $WEIR_SHARED/spec/oracle/queries (default ../shared). A checkout need not have
 * them.
 *
 * The rows of a script's last query are compared, by value, in order where about.md says so. Queries in streaming mode
 * run as jobs, and what they end with is compared. Where Flink fails, the same statement must fail here. Scripts that
 * are not as in Flink are listed in tests/sql/oracle_query_exceptions.txt and oracle_streaming_exceptions.txt (name,
 * reason): one there that has become right fails the test as well. The first argument chooses scripts by a part of
 * their name. */
#include "script_fixture.h"

#include <dirent.h>

#include "base/map.h"

/* The value of "key: value" in about.md, cut to `size`; empty when there is none. */
static void about_value(const char *about, const char *key, char *out, size_t size)
{
    const char *at = strstr(about, key);
    while (at != NULL && at != about && at[-1] != '\n') {
        at = strstr(at + 1, key);
    }
    *out = '\0';
    if (at != NULL) {
        at += strlen(key);
        snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
    }
}

static bool same_rows(script_fixture *self, const char *expected, bool is_ordered, char **out_found)
{
    char *right = normalize_rows(expected, is_ordered);
    char *found = normalize_rows(weir_buffer_text(&self->found) + self->last_query_from, is_ordered);
    bool same = strcmp(right, found) == 0;
    free(right);
    *out_found = found;
    return same;
}

/* Whether the statement that failed is the one that about.md quotes, blanks aside and as far as it is quoted. */
static bool failed_there(script_fixture *self, const char *quoted)
{
    const char *statement = weir_buffer_text(&self->script) + self->failed_at;
    while (*quoted != '\0') {
        if (*quoted == ' ' || *statement == ' ' || *statement == '\n') {
            quoted += strspn(quoted, " ");
            statement += strspn(statement, " \n");
        } else if (*quoted++ != *statement++) {
            return false;
        }
    }
    return true;
}

/* Runs the script; `what` says what was wrong. */
static bool is_right(script_fixture *self, weir_buffer *what)
{
    char outcome[64], compare[64], statement[512];
    weir_buffer about = {0}, accept = {0};
    weir_error err = {0};
    read_script_file(self, "about.md", &about);
    read_script_file(self, "accept.jsonl", &accept);
    about_value(weir_buffer_text(&about), "outcome: ", outcome, sizeof outcome);
    about_value(weir_buffer_text(&about), "compare: ", compare, sizeof compare);
    about_value(weir_buffer_text(&about), "at: ", statement, sizeof statement);
    bool fails = strcmp(outcome, "error") == 0;
    int code = run_script(self, &err);
    bool right;
    if (code != WEIR_OK || fails) {
        right = fails && code != WEIR_OK && failed_there(self, statement);
        weir_buffer_append_format(what, "%s", code == WEIR_OK ? "no error" : err.message);
    } else {
        bool is_ordered = strcmp(compare, "ordered") == 0;
        char *found;
        right = same_rows(self, weir_buffer_text(&self->expected), is_ordered, &found);
        weir_buffer_append_text(what, found);
        free(found);
        if (!right && accept.size > 0) {
            right = same_rows(self, weir_buffer_text(&accept), is_ordered, &found);
            free(found);
        }
    }
    weir_buffer_free(&about);
    weir_buffer_free(&accept);
    return right;
}

/* --- All scripts ----------------------------------------------------------------------------------------------- */

static char *root; /* of the scripts */
static weir_map exceptions;

static void is_as_in_flink(void **state)
{
    const char *name = *state;
    weir_buffer what = {0};
    bool excepted = weir_map_get(&exceptions, weir_slice_text(name)) != NULL;
    script_fixture *self = open_script(root, name);
    bool right = is_right(self, &what);
    if (!right && !excepted) {
        print_error("found: %s\nexpected: %s\n", weir_buffer_text(&what), weir_buffer_text(&self->expected));
    }
    close_script(self);
    weir_buffer_free(&what);
    if (right && excepted) {
        fail_msg("%s is right, but listed in tests/sql/oracle_*_exceptions.txt", name);
    }
    assert_true(right || excepted);
}

static void read_exceptions(const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '#') {
            weir_map_put(&exceptions, weir_slice_of(line, strcspn(line, " \n")), &exceptions);
        }
    }
    fclose(file);
}

static int is_script(const struct dirent *entry) { return entry->d_name[0] != '.'; }

int main(int count, char **words)
{
    struct CMUnitTest tests[512];
    struct dirent **entries = NULL;
    size_t chosen = 0;
    if (!shared_available("spec/oracle/queries")) {
        return 0;
    }
    root = weir_strdup(shared_path("spec/oracle/queries"));
    int found = scandir(root, &entries, is_script, alphasort);
    read_exceptions("tests/sql/oracle_query_exceptions.txt");
    read_exceptions("tests/sql/oracle_streaming_exceptions.txt");
    for (int i = 0; i < found && chosen < 512; i++) {
        if (count < 2 || strstr(entries[i]->d_name, words[1]) != NULL) {
            tests[chosen++] = (struct CMUnitTest){entries[i]->d_name, is_as_in_flink, NULL, NULL, entries[i]->d_name};
        }
    }
    int failed = _cmocka_run_group_tests("oracle queries", tests, chosen, NULL, NULL);
    for (int i = 0; i < found; i++) {
        free(entries[i]);
    }
    free(entries);
    free(root);
    weir_map_free(&exceptions);
    return failed;
}
