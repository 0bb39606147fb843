/* Statements one after the other, their results, and their errors. */
#include "cli/console.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/jobs.h"
#include "cli/sql_text.h"
#include "server/metrics_page.h"
#include "sql/parser.h"

#define MOST_THREADS 1024

/* ---- one statement ---- */

static bool shows_on_terminal(const weir_cli_console *console) { return isatty(fileno(console->output)) == 1; }

/* The line of progress must not stand between rows; in a file they don't meet. */
static void make_room(void *context)
{
    weir_cli_console *console = context;
    if (shows_on_terminal(console)) {
        weir_cli_progress_end(&console->progress);
    }
}

static weir_output_options output_options(weir_cli_console *console)
{
    weir_output_options options = {
        .format = console->format, .to = console->output, .before = make_room, .context = console};
    struct winsize size = {0};
    if (shows_on_terminal(console) && ioctl(fileno(console->output), TIOCGWINSZ, &size) == 0) {
        const char *most = weir_session_setting(console->session, "sql-client.execution.max-table-result.rows");
        options.width = size.ws_col;
        options.height = size.ws_row;
        options.has_colors = console->has_colors;
        options.pages = console->pages;
        if (most != NULL) {
            weir_parse_int64(weir_slice_text(most), &options.most_rows);
        }
    }
    return options;
}

static int run_statement(weir_cli_console *console, const weir_ast_statement *statement, const char *text,
                         weir_error *err)
{
    weir_result *result = NULL;
    weir_output_summary output = {0};
    int64_t start = weir_monotonic_ns();
    weir_cli_progress_begin(&console->progress, console->session);
    int code = weir_session_execute(console->session, statement, text, &result, err);
    if (code == WEIR_OK && result->kind == WEIR_RESULT_ROWS) {
        weir_output_options options = output_options(console);
        code = weir_output_rows(result, &options, &output, err);
        int written = weir_output_flush(console->output, code == WEIR_OK ? err : NULL);
        code = code == WEIR_OK ? written : code;
    }
    weir_cli_progress_end(&console->progress);
    if (code == WEIR_OK) {
        int64_t end = output.ended_ns != 0 ? output.ended_ns : weir_monotonic_ns();
        weir_cli_progress_done(&console->progress, result, &output, end - start);
    }
    weir_result_free(result);
    return code;
}

static void show_error(weir_cli_console *console, const char *name, const char *text, size_t size,
                       const weir_error *err)
{
    weir_buffer message = {0};
    weir_sql_render_error(text, size, err, &message);
    if (message.size > 0 && message.data[message.size - 1] == '\n') {
        message.size--;
    }
    bool has_colors = console->progress.has_colors && isatty(STDERR_FILENO);
    const char *whole = weir_buffer_text(&message);
    int first = (int)strcspn(whole, "\n");
    fprintf(stderr, "%s%s%s%.*s%s%s\n", has_colors ? "\033[31m" : "", name == NULL ? "" : name,
            name == NULL ? "" : ": ", first, whole, has_colors ? WEIR_OUTPUT_PLAIN : "", whole + first);
    weir_buffer_free(&message);
}

/* What fails while rows flow has no place in the text; in a script people want to know at least which statement it was.
 */
static int place_error(const weir_ast_statement *statement, int code, weir_error *err)
{
    if (code != WEIR_OK && code != WEIR_CANCELLED && err->line == 0 && statement->position.line > 1) {
        return (weir_error_context)(err, code, "the statement at line %d", statement->position.line);
    }
    return code;
}

static int next_statement(weir_cli_console *console, weir_script *script, weir_error *err)
{
    weir_arena arena;
    weir_ast_statement *statement = NULL;
    weir_arena_init(&arena);
    int code = weir_script_next(script, &arena, &statement, err);
    if (code == WEIR_OK) {
        weir_interrupt_watch(console->session);
        code = place_error(statement, run_statement(console, statement, script->text, err), err);
        weir_interrupt_watch(NULL);
    }
    weir_arena_free(&arena);
    return code;
}

void weir_cli_expect_jobs(weir_cli_console *console, const char *whole, size_t size)
{
    weir_slice text = weir_slice_of(whole, size);
    int32_t count = 0;
    for (size_t at = 0; at < text.size;) {
        weir_piece piece = weir_piece_at(text, at);
        bool is_word = piece.kind == WEIR_PIECE_WORD || piece.kind == WEIR_PIECE_KEYWORD;
        if (is_word && piece.to - piece.from == strlen("INSERT") &&
            strncasecmp((const char *)text.data + piece.from, "INSERT", strlen("INSERT")) == 0) {
            count++;
        }
        at = piece.to;
    }
    weir_session_expect_jobs(console->session, count);
}

int weir_cli_run_text(weir_cli_console *console, const char *name, const char *text, size_t size)
{
    weir_script script;
    int code = WEIR_OK;
    weir_error err = {0};
    weir_script_init(&script, text, size);
    while (code == WEIR_OK && weir_interrupt_asked() == 0) {
        code = next_statement(console, &script, &err);
    }
    if (code == WEIR_END) {
        return WEIR_CLI_DONE;
    }
    int number = weir_interrupt_asked();
    fflush(console->output);
    if (code == WEIR_CANCELLED && number == SIGALRM) {
        fputs("weir: out of time (--timeout)\n", stderr);
    } else if (code != WEIR_OK) {
        show_error(console, name, text, size, &err);
    }
    return number != 0              ? weir_interrupt_status(number)
           : code == WEIR_CANCELLED ? WEIR_CLI_INTERRUPTED
                                    : WEIR_CLI_FAILED;
}

/* What other encodings begin with, which editors and shells of Windows write; NULL: nothing of that kind. A script
 * begins with a word or a comment, in UTF-16 with a zero in every second byte. */
static const char *foreign_encoding(weir_slice text)
{
    bool has_mark = text.size >= 2 &&
                    ((text.data[0] == 0xFF && text.data[1] == 0xFE) || (text.data[0] == 0xFE && text.data[1] == 0xFF));
    bool has_wide_zeros =
        text.size >= 4 && ((text.data[0] == 0 && text.data[1] == 0) || (text.data[2] == 0 && text.data[3] == 0));
    bool has_zero = text.size >= 2 && (text.data[0] == 0) != (text.data[1] == 0);
    if (has_wide_zeros && (has_mark || has_zero || text.data[0] == 0)) {
        return "UTF-32";
    }
    return has_mark || has_zero ? "UTF-16" : NULL;
}

int weir_cli_run_file(weir_cli_console *console, const char *path)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "weir: %s: %s\n", path, strerror(errno));
        return WEIR_CLI_FAILED;
    }
    weir_buffer text = {0};
    char piece[16384];
    size_t size;
    while ((size = fread(piece, 1, sizeof piece, file)) > 0) {
        weir_buffer_append(&text, piece, size);
    }
    bool failed = ferror(file) != 0;
    if (!is_input) {
        fclose(file);
    }
    int status = WEIR_CLI_FAILED;
    const char *encoding = foreign_encoding(weir_buffer_slice(&text));
    if (failed) {
        fprintf(stderr, "weir: %s: cannot be read: %s\n", path, strerror(errno));
    } else if (encoding != NULL) {
        fprintf(stderr, "weir: %s: the text is %s; save it as UTF-8\n", path, encoding);
    } else {
        const char *whole = weir_buffer_text(&text);
        weir_cli_expect_jobs(console, whole, text.size);
        status = weir_cli_run_text(console, is_input ? NULL : path, whole, text.size);
    }
    weir_buffer_free(&text);
    return status;
}

/* ---- the console ---- */

/* Closes the file of results, where there is one: the failures of writing to it come to light then at the latest. */
static int close_output(weir_cli_console *console, weir_error *err)
{
    FILE *file = console->output;
    console->output = stdout;
    if (file == NULL || file == stdout) {
        return WEIR_OK;
    }
    int code = weir_output_flush(file, err);
    if (fclose(file) != 0 && code == WEIR_OK) {
        code = weir_fail_errno(err, errno, "closing", "the results");
    }
    return code;
}

int weir_cli_console_redirect(weir_cli_console *console, const char *path, weir_error *err)
{
    WEIR_TRY(close_output(console, err));
    FILE *file = path == NULL ? stdout : fopen(path, "wb");
    if (file == NULL) {
        return weir_fail_errno(err, errno, "writing the results", path);
    }
    console->output = file;
    return WEIR_OK;
}

/* --color says it; otherwise a terminal has colours, unless NO_COLOR says no. */
static int choose_colors(const char *choice, bool *out, weir_error *err)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    bool wanted = no_color == NULL || no_color[0] == '\0';
    *out = wanted && isatty(STDOUT_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
    if (choice == NULL || strcmp(choice, "auto") == 0) {
        return WEIR_OK;
    }
    *out = strcmp(choice, "always") == 0;
    if (!*out && strcmp(choice, "never") != 0) {
        return weir_fail(err, WEIR_INVALID, "--color %s: expected auto, always or never", choice);
    }
    return WEIR_OK;
}

static int check_options(const weir_cli_session_options *options, weir_cli_console *console, weir_error *err)
{
    if (options->format != NULL && !weir_output_format_parse(options->format, &console->format)) {
        const char *near = weir_suggest(options->format, weir_output_format_names, weir_output_format_count);
        return weir_fail(err, WEIR_INVALID, "--format %s: expected " WEIR_OUTPUT_FORMATS "%s%s%s", options->format,
                         near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
    }
    if (options->threads > MOST_THREADS) {
        return weir_fail(err, WEIR_INVALID, "--threads %" PRId64 ": expected at most %d", options->threads,
                         MOST_THREADS);
    }
    return choose_colors(options->color, &console->has_colors, err);
}

/* --set key=value, as SET does it. */
static int apply_settings(weir_cli_console *console, const weir_options *settings, weir_error *err)
{
    int code = WEIR_OK;
    for (size_t i = 0; i < settings->count && code == WEIR_OK; i++) {
        weir_ast_statement set = {.kind = WEIR_AST_SET};
        weir_result *result = NULL;
        set.set.key = settings->keys[i];
        set.set.value = settings->values[i];
        code = weir_session_execute(console->session, &set, "", &result, err);
        weir_result_free(result);
    }
    return code;
}

/* Figures of the session, for as long as it is there. */
static int serve_metrics(weir_cli_console *console, const char *address, bool quiet, weir_error *err)
{
    console->metrics_page = (weir_http_page){
        .path = WEIR_METRICS_PATH,
        .content_type = WEIR_EXPOSITION_CONTENT_TYPE,
        .write = weir_metrics_page_write,
        .context = console->session,
    };
    WEIR_TRY_CTX(weir_http_server_start(address, &console->metrics_page, 1, &console->metrics_server, err), err,
                 "--metrics-port");
    if (!quiet) {
        fprintf(stderr, "metrics: port %d, path " WEIR_METRICS_PATH "\n",
                weir_http_server_port(console->metrics_server));
    }
    return WEIR_OK;
}

static int open_console(const weir_cli_session_options *options, weir_cli_console *out, weir_error *err)
{
    *out = (weir_cli_console){.output = stdout, .until_idle_ms = -1};
    WEIR_TRY(check_options(options, out, err));
    weir_cli_progress_init(&out->progress, options->quiet, out->has_colors);
    weir_interrupt_init();
    if (options->timeout_ms > 0) {
        weir_interrupt_after_ms(options->timeout_ms);
    }
    out->until_idle_ms = options->until_idle_ms;
    /* Programs want nothing but result rows. */
    bool is_for_people = out->format == WEIR_OUTPUT_TABLE || out->format == WEIR_OUTPUT_VERTICAL;
    FILE *print_to = is_for_people ? stdout : stderr;
    if (out->progress.is_live && isatty(fileno(print_to))) {
        out->print_to = weir_cli_progress_stream(&out->progress, print_to);
    }
    weir_session_options session = {
        .memory_bytes = options->memory_bytes,
        .threads = (int)options->threads,
        .warehouse = options->warehouse,
        .needs_warehouse = options->needs_warehouse,
        .print_to = out->print_to != NULL ? out->print_to : print_to,
        .state_folder = options->state,
        .optional_state = options->optional_state,
        .fresh = options->fresh,
    };
    WEIR_TRY(weir_session_create(&session, &out->session, err));
    WEIR_TRY(apply_settings(out, &options->settings, err));
    if (options->output != NULL) {
        WEIR_TRY(weir_cli_console_redirect(out, options->output, err));
    }
    if (options->metrics_address != NULL) {
        WEIR_TRY(serve_metrics(out, options->metrics_address, options->quiet, err));
    }
    return WEIR_OK;
}

int weir_cli_console_open(const weir_cli_command *command, const weir_cli_session_options *options,
                          weir_cli_console *out)
{
    weir_error err = {0};
    int code = open_console(options, out, &err);
    if (code == WEIR_OK) {
        return WEIR_CLI_DONE;
    }
    if (code == WEIR_INVALID) {
        return weir_cli_usage_error(command, &err);
    }
    fprintf(stderr, "weir %s: %s\n", command->name, err.message);
    return WEIR_CLI_FAILED;
}

bool weir_cli_console_close(weir_cli_console *console)
{
    weir_error err = {0};
    bool failed_before = ferror(console->output) != 0; /* it was told then */
    bool written = weir_cli_console_redirect(console, NULL, &err) == WEIR_OK;
    if (!written && !failed_before) {
        fprintf(stderr, "weir: %s\n", err.message);
    }
    weir_http_server_stop(console->metrics_server);
    console->metrics_server = NULL;
    weir_session_free(console->session);
    console->session = NULL;
    if (console->print_to != NULL) {
        fclose(console->print_to);
        console->print_to = NULL;
    }
    return written;
}
