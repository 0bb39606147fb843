/* Prints the pages of the documentation that list things, from the tables that the code itself goes by.
 *
 *   weir_reference options > docs/options.md        options of tables, connectors and formats; settings
 *   weir_reference functions > docs/functions.md    functions of SQL
 *   weir_reference procedures > docs/procedures.md  procedures, which CALL runs
 *   weir_reference metrics > docs/metrics.md        figures for Prometheus
 *
 * The tests compare its output with the committed files. */
#include <stdio.h>
#include <string.h>

#include "connect/connect_options.h"
#include "server/metrics_page.h"
#include "session/procedure/procedure.h"
#include "session/settings/settings.h"
#include "sql/function/function.h"

static bool is_among(const char *const *words, const char *word)
{
    for (; words != NULL && *words != NULL; words++) {
        if (strcmp(*words, word) == 0) {
            return true;
        }
    }
    return false;
}

/* Text in a cell of a table: a bar would end it. */
static void print_cell(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void print_default(const char *value)
{
    if (value == NULL) {
        printf("–");
    } else if (*value == '\0') {
        printf("(empty)");
    } else {
        putchar('`');
        print_cell(value);
        putchar('`');
    }
}

/* The values that are offered, and behind them those that are not. */
static void print_values(const char *const *values, const char *const *refused)
{
    const char *separator = "";
    for (const char *const *value = values; *value != NULL; value++) {
        if (!is_among(refused, *value)) {
            printf("%s`%s`", separator, *value);
            separator = ", ";
        }
    }
    separator = "; refused: ";
    for (; refused != NULL && *refused != NULL; refused++) {
        printf("%s`%s`", separator, *refused);
        separator = ", ";
    }
}

static const char *type_name(weir_option_type type)
{
    static const char *const names[] = {
        [WEIR_OPTION_BOOLEAN] = "boolean",   [WEIR_OPTION_INTEGER] = "integer", [WEIR_OPTION_DOUBLE] = "number",
        [WEIR_OPTION_TEXT] = "text",         [WEIR_OPTION_ENUM] = "",           [WEIR_OPTION_SIZE] = "size",
        [WEIR_OPTION_DURATION] = "duration", [WEIR_OPTION_MAP] = "map",
    };
    return names[type];
}

static void print_option(const char *prefix, const weir_option *option)
{
    printf("| `%s%s` | ", prefix, option->key);
    if (option->values != NULL) {
        print_values(option->values, option->refused);
    } else {
        printf("%s", type_name(option->type));
        for (const char *const *value = option->refused; value != NULL && *value != NULL; value++) {
            printf("; refused: `%s`", *value);
        }
    }
    printf(" | ");
    print_default(option->default_value);
    printf(" | ");
    print_cell(option->text);
    if (option->immutable) {
        printf(" Fixed once the table has data.");
    }
    for (const char *const *key = option->old_keys; key != NULL && *key != NULL; key++) {
        printf("%s `%s`%s", key == option->old_keys ? " Also read as" : ",", *key, key[1] == NULL ? "." : "");
    }
    printf(" |\n");
}

static void print_head(void) { printf("\n| key | values | default | what it does |\n| --- | --- | --- | --- |\n"); }

static void print_options(const char *prefix, const weir_option *options, size_t count, weir_option_support support)
{
    print_head();
    for (size_t i = 0; i < count; i++) {
        if (options[i].support == support) {
            print_option(prefix, &options[i]);
        }
    }
}

static bool has_support(const weir_option *options, size_t count, weir_option_support support)
{
    for (size_t i = 0; i < count; i++) {
        if (options[i].support == support) {
            return true;
        }
    }
    return false;
}

/* ---- sections ---- */

static void print_table_options(void)
{
    printf("## Tables\n\nKeys, defaults and meanings are those of Apache Paimon 1.4. They are set in `CREATE TABLE … "
           "WITH (…)`, for one statement\nin a hint (`/*+ OPTIONS('key'='value') */`), in `weir dump --option "
           "key=value`, and in `weir_open_settings` of the C library.\n"
           "\nSizes are written as `128 mb`, durations as `1 h` or `30 s`.\n"
           "\n### Followed\n");
    print_options("", weir_table_options, weir_table_option_count, WEIR_OPTION_WORKS);
    printf("\n### Refused when writing\n\nA table that sets one of these to something other than its default would "
           "not be what other engines expect; it is\nnot written. Whether it is read says "
           "[compatibility.md](compatibility.md).\n");
    print_options("", weir_table_options, weir_table_option_count, WEIR_OPTION_REFUSED);
    printf("\n### Refused when reading\n\nThese change which rows a read gives. A read that sets one of them to "
           "something other than its default is refused,\nwhether a hint or the table says so.\n");
    print_options("", weir_table_options, weir_table_option_count, WEIR_OPTION_UNREAD);
    printf("\n### Kept for other engines\n\nThese are checked, stored with the table and handed on; they steer how "
           "another engine plans, caches or schedules,\nand change nothing here.\n");
    print_options("", weir_table_options, weir_table_option_count, WEIR_OPTION_STORED);
}

static void print_kind(const weir_connect_kind *kind, const char *prefix)
{
    static const struct {
        weir_option_support support;
        const char *title;
    } groups[] = {
        {WEIR_OPTION_WORKS, ""},
        {WEIR_OPTION_REFUSED, "\nRefused:\n"},
        {WEIR_OPTION_STORED, "\nAccepted, without effect here:\n"},
    };
    const char *use = kind->reads && kind->writes ? "Read and written." : kind->reads ? "Read only." : "Written only.";
    printf("\n### `%s`\n\n%s %s\n", kind->name, kind->text, use);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (has_support(kind->options, kind->option_count, groups[i].support)) {
            printf("%s", groups[i].title);
            print_options(prefix, kind->options, kind->option_count, groups[i].support);
        }
    }
}

static void print_kinds(const weir_connect_kind *kinds, size_t count, bool with_prefix)
{
    for (size_t i = 0; i < count; i++) {
        char prefix[64] = "";
        if (with_prefix) {
            snprintf(prefix, sizeof prefix, "%s.", kinds[i].name);
        }
        if (kinds[i].refusal == NULL) {
            print_kind(&kinds[i], prefix);
        }
    }
    printf("\nNot offered:");
    const char *separator = " ";
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].refusal != NULL) {
            printf("%s`%s`", separator, kinds[i].name);
            separator = ", ";
        }
    }
    printf(".\n");
}

static void print_settings(bool works, bool refused)
{
    printf("\n| key | values | default | what it does |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < weir_settings_count; i++) {
        static const char *const types[] = {
            [WEIR_SETTING_TEXT] = "text",       [WEIR_SETTING_BOOLEAN] = "boolean",
            [WEIR_SETTING_INTEGER] = "integer", [WEIR_SETTING_DURATION] = "duration",
            [WEIR_SETTING_ENUM] = "",           [WEIR_SETTING_ZONE] = "time zone",
        };
        const weir_setting *setting = &weir_settings_table[i];
        if (setting->works != works || setting->is_refused != refused) {
            continue;
        }
        printf("| `%s` | ", setting->key);
        if (setting->values != NULL) {
            print_values(setting->values, setting->refused);
        } else {
            printf("%s", types[setting->type]);
        }
        printf(" | ");
        print_default(setting->default_value);
        printf(" | ");
        print_cell(setting->text);
        printf(" |\n");
    }
}

static void print_option_page(void)
{
    printf("# Options\n\nThis page is made from the tables in the code (`src/meta/option_table.c`, "
           "`src/connect/option_table.c`,\n`src/session/settings/settings_table.c`) by `tools/reference.c`; a test "
           "compares the "
           "two. A key that is in none of them\nis refused, with a suggestion.\n\n");
    print_table_options();
    printf("\n## Connectors\n\nTables with `'connector' = '…'`, in a catalog in memory or as TEMPORARY tables.\n");
    print_kinds(weir_connectors, weir_connector_count, false);
    printf("\n## Formats\n\nOf the `filesystem` connector: `'format' = '…'`. Options have the format's name in front: "
           "`'csv.field-delimiter' = ';'`.\n");
    print_kinds(weir_formats, weir_format_count, true);
    printf("\n## Settings\n\n`SET 'key' = 'value'`, `RESET 'key'`.\n");
    print_settings(true, false);
    printf("\nKnown from Flink, accepted, without effect here:\n");
    print_settings(false, false);
    printf("\nKnown from Flink, and refused:\n");
    print_settings(false, true);
}

/* ---- functions ---- */

static void print_functions(weir_function_kind kind)
{
    printf("\n");
    for (size_t i = 0; i < weir_function_count; i++) {
        if (weir_functions[i].kind == kind) {
            printf("- `%s`\n", weir_functions[i].signature);
        }
    }
}

static void print_function_page(void)
{
    printf("# Functions\n\nThis page is made from the table in the code (`src/sql/function/function_table.c`) by "
           "`tools/reference.c`; a test\ncompares the two. Functions mean what they mean in Flink. Names are found in "
           "any case; operators and CAST are in\n[sql.md](sql.md).\n\n## Of one row\n");
    print_functions(WEIR_FUNCTION_SCALAR);
    printf("\n## Aggregates\n\nWith `FILTER (WHERE …)`.\n");
    print_functions(WEIR_FUNCTION_AGGREGATE);
    printf("\n## Over windows\n\nWith `OVER (…)`, which aggregates take too.\n");
    print_functions(WEIR_FUNCTION_WINDOW);
    printf("\n## About groups, and windows of time\n");
    print_functions(WEIR_FUNCTION_GROUP);
    printf("\n## Flink's, not offered by this version\n\nThey are refused by name.\n");
    const char *separator = "\n";
    for (size_t i = 0; i < weir_function_count; i++) {
        if (weir_functions[i].kind == WEIR_FUNCTION_KNOWN) {
            printf("%s`%s`", separator, weir_functions[i].name);
            separator = ", ";
        }
    }
    printf(".\n");
}

/* ---- procedures ---- */

static void print_signature(const weir_procedure *procedure)
{
    printf("\n## %s\n\n    CALL sys.%s(", procedure->name, procedure->name);
    for (int32_t i = 0, shown = 0; i < procedure->argument_count; i++) {
        const weir_procedure_argument *argument = &procedure->arguments[i];
        if (!argument->refused) {
            printf("%s%s%s%s", shown++ == 0 ? "" : ", ", argument->optional ? "[" : "", argument->name,
                   argument->optional ? "]" : "");
        }
    }
    printf(")\n\n");
}

static void print_procedure(const weir_procedure *procedure)
{
    print_signature(procedure);
    printf("%s\n\n| argument | |\n| --- | --- |\n", procedure->text);
    for (int32_t i = 0; i < procedure->argument_count; i++) {
        const weir_procedure_argument *argument = &procedure->arguments[i];
        printf("| `%s` | ", argument->name);
        print_cell(argument->text);
        printf("%s |\n", argument->refused ? "; not offered by this version" : "");
    }
}

static void print_procedure_page(void)
{
    printf(
        "# Procedures\n\nThis page is made from the table in the code (`src/session/procedure/procedure_table.c`) by "
        "`tools/reference.c`; a test\ncompares the two. Names, arguments and results are those of Paimon's procedures "
        "for Flink.\n\n"
        "Procedures belong to Paimon catalogs: `CALL sys.compact('db.t')` of the current one, `CALL "
        "lake.sys.compact('db.t')` of\nanother. Arguments are given by position, or by name (then `table` needs its "
        "backquotes); those in brackets may\nbe left out, or be NULL:\n\n"
        "    CALL sys.create_tag('default.orders', 'month-end', 12);\n"
        "    CALL sys.create_tag(`table` => 'default.orders', tag => 'month-end', time_retained => '90 d');\n\n"
        "Where nothing else is said the result is a row `Success`. Local times are in the zone of the machine.\n");
    for (size_t i = 0; i < weir_procedure_count; i++) {
        print_procedure(&weir_procedures[i]);
    }
}

static void print_metrics_page(void)
{
    weir_arena arena;
    weir_metric_reference metric;
    weir_arena_init(&arena);
    printf(
        "# Metrics\n\n"
        "`weir run --metrics-port 9249` (and `weir sql`, `weir compact`) serves these figures at `/metrics` in the "
        "text format that\n"
        "Prometheus scrapes, on this machine alone; `--metrics-port 0.0.0.0:9249` on all of its addresses. "
        "[examples/monitoring](../examples/monitoring)\n"
        "has a scrape configuration, alerts and a Grafana dashboard.\n\n"
        "Figures of tables have the label `table` (catalog, database, table), those of jobs Flink's labels "
        "`job_id` and `job_name`.\n"
        "Paimon's own names are camel case and in milliseconds; here they have the form that Prometheus asks for. "
        "Figures that Paimon\n"
        "keeps by bucket are sums over the buckets; averages follow from counters, such as the size of what a "
        "compaction reads:\n"
        "`rate(paimon_compaction_input_bytes_total[5m]) / rate(paimon_compactions_completed_total[5m])`. Written by\n"
        "`weir_reference metrics`.\n\n"
        "| metric | kind | in Paimon, Flink | what it tells |\n| --- | --- | --- | --- |\n");
    for (size_t n = 0; weir_metrics_page_reference(n, &arena, &metric); n++) {
        printf("| `%s` | %s | ", metric.name, metric.type);
        printf(metric.other_name != NULL ? "`%s`" : "%s", metric.other_name != NULL ? metric.other_name : "–");
        printf(" | ");
        print_cell(metric.help);
        printf(" |\n");
    }
    weir_arena_free(&arena);
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "options") == 0) {
        print_option_page();
        return 0;
    }
    if (count == 2 && strcmp(words[1], "functions") == 0) {
        print_function_page();
        return 0;
    }
    if (count == 2 && strcmp(words[1], "procedures") == 0) {
        print_procedure_page();
        return 0;
    }
    if (count == 2 && strcmp(words[1], "metrics") == 0) {
        print_metrics_page();
        return 0;
    }
    fprintf(stderr, "usage: weir_reference options|functions|procedures|metrics\n");
    return 2;
}
