"""weir sql on a terminal, as a person sees it. Arguments: the program, the folder of the repository."""
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from terminal import Terminal, run_tests  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
UP, DOWN, HOME, CONTROL_C, CONTROL_D, CONTROL_R, TAB = "\x1b[A", "\x1b[B", "\x1b[H", "\x03", "\x04", "\x12", "\t"
WORK = tempfile.mkdtemp(prefix="weir-terminal-")
LAKE = os.path.join(WORK, "lake")

SETUP = """
CREATE TABLE customers (id BIGINT, full_name STRING, city STRING);
CREATE TABLE wide (first_column STRING, second_column STRING, third_column STRING, amount DECIMAL(20, 2),
  fourth_column STRING, fifth_column STRING, sixth_column STRING, seventh_column STRING, last_column INT);
INSERT INTO wide VALUES ('one two three four five', 'bbbbbbbbbbbb', 'cccccccccccc', 123456789012.50, 'dddddddddddd',
  'eeeeeeeeeeee', 'ffffffffffff', 'gggggggggggg', 42);
"""

ENDLESS = (
    "CREATE TEMPORARY TABLE many (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1000000000000');\r"
)


class Shell(Terminal):
    """A shell at its prompt. Use with `with`."""

    def __init__(self, *arguments, columns=80, rows=24, state=None, **environment):
        state = state or tempfile.mkdtemp(dir=WORK)
        given = {"XDG_STATE_HOME": state, "TERM": "xterm", "HOME": state, "NO_COLOR": "", "PAGER": "cat", **environment}
        given.setdefault("WEIR_HISTORY", os.path.join(state, "weir", "history"))
        super().__init__([PROGRAM, "sql", "--warehouse", LAKE, *arguments], columns, rows, given)
        self.expect("weir>")
        self.expect_prompt()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def run(self, statement, shown):
        self.send(statement + ";\r")
        self.expect(shown)
        self.expect_prompt()


def statements_have_several_lines_until_a_semicolon():
    with Shell() as shell:
        shell.send("SELECT 40 +\r")
        shell.expect("\n   ->")
        shell.send("2 AS answer\r;\r")
        shell.expect("42 │")
        shell.expect("1 row in set (")
        shell.expect_prompt()


def the_cursor_moves_over_the_lines_of_a_statement():
    with Shell() as shell:
        shell.send("SELECT 1\r+ 1 AS answer")
        shell.expect("   -> + 1 AS answer")
        shell.send(UP + HOME + DOWN)
        shell.send("- 5 ")
        shell.expect("   -> - 5 + 1 AS answer")
        shell.send("\x1b[F;\r")
        shell.expect("     -3 │")


def enter_runs_a_complete_statement_wherever_the_cursor_is():
    with Shell() as shell:
        shell.send("SELECT 7 AS seven;" + HOME + "\r")
        shell.expect("    7 │")


def keywords_are_completed_in_the_case_that_is_typed():
    with Shell() as shell:
        shell.send("SELE" + TAB)
        shell.expect("weir> SELECT")
        shell.send("1; desc" + TAB)
        shell.expect("desc")
        shell.send("r" + TAB)
        shell.expect("; describe")


def tables_and_columns_are_completed():
    with Shell() as shell:
        shell.send("SELECT  FROM cust" + TAB)
        shell.expect("FROM customers")
        shell.send("WHERE full_" + TAB)
        shell.expect("WHERE full_name")
        shell.send("= 'x' AND ci" + TAB)
        shell.expect("AND city")
        shell.send(HOME + "\x1b[1;5C" + " customers.fu" + TAB)
        shell.expect("SELECT customers.full_name")


def databases_functions_and_common_tables_are_completed():
    with Shell() as shell:
        shell.send("SELECT * FROM pai" + TAB + "def" + TAB + "cus" + TAB)
        shell.expect("FROM paimon.default.customers")
        shell.send(CONTROL_C)
        shell.expect_prompt()
        shell.send("SELECT REGEXP_REP" + TAB)
        shell.expect("SELECT REGEXP_REPLACE(")
        shell.send(CONTROL_C)
        shell.expect_prompt()
        shell.send("WITH recent AS (SELECT 1 AS x) SELECT * FROM rec" + TAB)
        shell.expect("FROM recent")
        shell.send(CONTROL_C)
        shell.expect_prompt()
        shell.send("SELECT c.full FROM customers AS c" + "\x1b[1;5D" * 4 + "\x1b[D" + TAB)
        shell.expect("SELECT c.full_name FROM")


def procedures_and_their_arguments_are_completed():
    with Shell() as shell:
        shell.send("CALL s" + TAB + "create_tag_" + TAB)
        shell.expect("CALL sys.create_tag_from_timestamp(")
        shell.send("tab" + TAB)
        shell.expect("(`table` =>")
        shell.send("'cust" + TAB)
        shell.expect("=> 'customers")


def several_candidates_are_listed():
    with Shell() as shell:
        shell.send("SHOW C" + TAB)
        shell.expect("CATALOGS  COLUMNS   CREATE    CURRENT")
        shell.send("OL" + TAB)
        shell.expect("weir> SHOW COLUMNS")


def options_and_their_values_are_completed():
    with Shell() as shell:
        shell.send("CREATE TABLE x (a INT) WITH ('merge-e" + TAB)
        shell.expect("'merge-engine' = '")
        shell.send("dedup" + TAB)
        shell.expect("'merge-engine' = 'deduplicate'")
        shell.send(CONTROL_C)
        shell.expect_prompt()
        shell.send("SET 'table.local-t" + TAB)
        shell.expect("SET 'table.local-time-zone' = '")


def a_name_of_a_file_is_completed():
    os.makedirs(os.path.join(WORK, "files"), exist_ok=True)
    path = os.path.join(WORK, "files", "statements.sql")
    with open(path, "w") as file:
        file.write("SELECT 'from a file' AS origin;\n")
    with Shell(columns=160) as shell:
        shell.send("\\i " + path[:-8] + TAB)
        shell.expect("statements.sql")
        shell.send("\r")
        shell.expect("from a file")


def a_pasted_text_does_not_run_before_enter():
    with Shell() as shell:
        shell.send("\x1b[200~SELECT 'a\tb' AS one,\n  2 AS two\n;\nSELECT 3 AS three;\n\x1b[201~")
        shell.expect("   -> SELECT 3 AS three;")
        assert "│" not in shell.screen.text(), shell.screen.text()
        shell.send("\r")
        shell.expect("│ three │")
        shell.expect("│ one    │ two │")


def history_outlives_the_shell():
    state = tempfile.mkdtemp(dir=WORK)
    with Shell(state=state) as shell:
        shell.run("SELECT 'first'\r|| ' line' AS kept", "first line │")
        shell.send("SET 'x.password' = 'hidden';\r")
        shell.expect("x.password")
        shell.expect_prompt()
        shell.run("SELECT 2 AS kept", "   2 │")
        shell.run("SELECT 2 AS kept", "   2 │")
        shell.wait(lambda text: text.count("   2 │") == 2, "the second result")  # before it, the terminal takes Ctrl-D
        shell.expect_prompt()
        shell.send(CONTROL_D)
        assert shell.ended() == 0
    with open(os.path.join(state, "weir", "history")) as file:
        lines = file.read()
    assert "password" not in lines and lines.count("SELECT 2 AS kept") == 1, lines
    with Shell(state=state) as shell:
        shell.send(UP)
        shell.expect("weir> SELECT 2 AS kept;")
        shell.send(HOME + UP)
        shell.expect("weir> SELECT 'first'\n   -> || ' line' AS kept;")
        shell.send(CONTROL_C)
        shell.expect_prompt()
        shell.send(CONTROL_R + "first")
        shell.expect("bck:first")
        shell.send("\r")
        shell.expect("│ first line │")


def a_wide_character_that_does_not_fit_the_row_goes_to_the_next():
    with Shell(columns=41) as shell:
        shell.send("SELECT '" + "a" * 26 + "湖仓' AS w\r, 2 AS two")
        shell.expect("weir> SELECT '" + "a" * 26 + "\n湖仓' AS w\n   -> , 2 AS two")
        shell.send(UP + HOME + "\x1b[C" * 35 + "x")
        shell.expect("weir> SELECT '" + "a" * 26 + "\n湖x仓' AS w\n   -> , 2 AS two")


def control_c_drops_what_was_typed():
    with Shell() as shell:
        shell.send("SELECT nothing\rat all")
        shell.expect("   -> at all")
        shell.send(CONTROL_C)
        shell.expect_prompt()
        shell.run("SELECT 5 AS five", "   5 │")


def control_c_stops_a_query_and_not_the_shell():
    with Shell() as shell:
        shell.send(ENDLESS)
        shell.expect_prompt()
        for _ in range(3):
            shell.send("SELECT SUM(n) FROM many;\r")
            shell.expect("rows read")  # the line of progress
            shell.send(CONTROL_C)
            shell.expect("cancelled")
            shell.expect_prompt()
            assert "rows read" not in shell.screen.text(), shell.screen.text()
            shell.send("CLEAR\r")
            shell.expect_gone("cancelled")
            shell.expect_prompt()
        shell.run("SELECT 6 AS six", "  6 │")


def a_long_insert_shows_what_it_has_written():
    with Shell() as shell:
        shell.send(ENDLESS)
        shell.expect_prompt()
        shell.run("CREATE TEMPORARY TABLE hole (n INT) WITH ('connector' = 'blackhole')", "hole")
        shell.send("INSERT INTO hole SELECT n FROM many;\r")
        shell.expect("rows written")
        shell.expect("rows/s")
        shell.send(CONTROL_C)
        shell.expect("cancelled")
        shell.expect_prompt()


def nothing_of_progress_is_left_when_a_query_ends():
    with Shell() as shell:
        shell.run(
            "CREATE TEMPORARY TABLE slow (n INT) WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence', "
            "'fields.n.start' = '1', 'fields.n.end' = '40', 'rows-per-second' = '20')",
            "slow",
        )
        shell.send("SELECT COUNT(*) AS counted FROM slow;\r")
        shell.expect("│      40 │")
        shell.expect_prompt()
        assert "read" in shell.raw
        assert "read" not in shell.screen.text(), shell.screen.text()


def a_wide_table_fits_80_columns():
    with Shell(columns=80) as shell:
        shell.run("SELECT * FROM wide", "columns are not shown")
        table = [line for line in shell.screen.text().split("\n") if line.startswith("│")]
        assert len(table) == 2 and all(len(line) <= 80 for line in table), shell.screen.text()
        assert "first_c" in table[0] and "last_col" in table[0] and "│ … │" in table[0], table[0]
        assert "one two …" in table[1] and "42 │" in table[1], table[1]


def a_wide_table_shows_more_on_120_columns():
    with Shell(columns=120) as shell:
        shell.run("SELECT * FROM wide", "1 row in set")
        table = [line for line in shell.screen.text().split("\n") if line.startswith("│")]
        assert "not shown" not in shell.screen.text(), shell.screen.text()
        assert 80 < len(table[1]) <= 120 and "123456789012.50" in table[1], table[1]


def the_vertical_format_shows_all_of_a_row():
    with Shell() as shell:
        shell.send("\\x\r")
        shell.expect("a line a value")
        shell.run("SELECT * FROM wide", "── row 1 ──")
        shell.expect(" first_column: one two three four five")
        shell.expect("   last_column: 42")


def after_a_resize_the_text_is_drawn_anew_and_tables_fit():
    with Shell(columns=100) as shell:
        shell.send("SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' AS a, 'bbbbbbbbbbbbbbbbbbbbbbbbbb' AS b")
        shell.expect("bb' AS b")
        shell.resize(50, 24)
        shell.expect("weir> SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\naa' AS a, 'bbbbbbbbbbbbbbbbbbbbbbbbbb' AS b")
        shell.send(";\r")
        shell.expect("…")
        shell.expect_prompt()
        assert all(len(line) <= 50 for line in shell.screen.text().split("\n")), shell.screen.text()
        shell.resize(120, 24)
        shell.run("SELECT '" + "c" * 70 + "' AS c", "│ " + "c" * 70 + " │")


def long_results_go_through_the_pager():
    pager = os.path.join(WORK, "pager.sh")
    with open(pager, "w") as file:
        file.write('#!/bin/sh\nread line\necho "PAGER GOT $line"\ncat >/dev/null\necho THE END\n')
    os.chmod(pager, 0o755)
    with Shell(PAGER=pager) as shell:
        shell.run(
            "CREATE TEMPORARY TABLE thousands (n INT) WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence', "
            "'fields.n.start' = '1', 'fields.n.end' = '3000')",
            "thousands",
        )
        shell.send("SELECT n FROM thousands;\r")
        shell.expect("PAGER GOT ┌")
        shell.expect("THE END")
        shell.expect("3,000 rows in set")
        shell.expect_prompt()
        shell.run("SELECT 8 AS eight", "    8 │")
        shell.send("\\pager off\r")
        shell.expect("The pager is off")
        shell.run("SELECT n FROM thousands", "│ 3000 │")


def who_leaves_the_pager_has_a_shell_again():
    with Shell(PAGER="true") as shell:
        shell.send(ENDLESS)
        shell.expect_prompt()
        shell.send("SELECT n FROM many;\r")
        shell.expect("Left before the end")
        shell.expect_prompt()


def no_more_rows_are_shown_than_the_setting_says():
    with Shell() as shell:
        shell.run("SET 'sql-client.execution.max-table-result.rows' = '2'", "max-table")
        shell.run("SELECT * FROM (VALUES (1), (2), (3), (4), (5)) AS t (n)", "5 rows in set")
        shell.expect("3 more rows are not shown")
        assert "│ 3 │" not in shell.screen.text(), shell.screen.text()


def results_can_go_to_a_file():
    path = os.path.join(WORK, "results.csv")
    with Shell() as shell:
        shell.send("\\format csv\r\\o " + path + "\rSELECT 1 AS one, 'two' AS two;\r\\o\r")
        shell.expect("Results go to the terminal.")
        shell.expect_prompt()
    with open(path) as file:
        assert file.read() == "one,two\n1,two\n"


def an_edited_statement_comes_back_to_the_prompt():
    editor = os.path.join(WORK, "editor.sh")
    with open(editor, "w") as file:
        file.write('#!/bin/sh\nsed -i "s/1/123/" "$1"\n')
    os.chmod(editor, 0o755)
    with Shell(EDITOR=editor, VISUAL="") as shell:
        shell.run("SELECT 1\rAS edited", "edited │")
        shell.send("CLEAR\r")
        shell.expect_prompt()
        shell.send("\\e\r")
        shell.expect("weir> SELECT 123\n   -> AS edited;")
        shell.send("\r")
        shell.expect("    123 │")


def errors_show_the_place_and_leave_the_shell():
    with Shell() as shell:
        shell.send("SELECT full_nmae FROM customers;\r")
        shell.expect("did you mean 'full_name'")
        shell.expect("         ^")
        shell.expect_prompt()
        shell.send("\\timign\r")
        shell.expect("did you mean \\timing?")
        shell.send(".tables\r")
        shell.expect("here it is SHOW TABLES;")


def timing_can_be_turned_off():
    with Shell() as shell:
        shell.send("\\timing off\r")
        shell.expect("to 'false'")
        shell.run("SELECT 9 AS nine", "1 row in set")
        assert "seconds)" not in shell.screen.text(), shell.screen.text()


def wide_and_combining_characters_keep_the_frame_straight():
    with Shell() as shell:
        shell.run("SELECT '湖仓' AS w, 'e\u0301e' AS c, U&'\\001b[31m' AS e", "1 row in set")
        shell.expect("│ 湖仓 │")
        shell.expect("│ \\x1b[31m │")


def words_of_the_client_need_no_semicolon():
    with Shell() as shell:
        shell.send("help\r")
        shell.expect("First steps")
        shell.expect_prompt()
        shell.send("quit\r")
        assert shell.ended() == 0


def an_init_file_runs_first():
    path = os.path.join(WORK, "init.sql")
    with open(path, "w") as file:
        file.write("SET 'sql-client.display.print-time-cost' = 'false';\nCREATE TEMPORARY TABLE t (n INT) "
                   "WITH ('connector' = 'blackhole');\n")
    with Shell("-i", path) as shell:
        shell.run("SHOW TABLES", "│ t ")
        shell.expect("rows in set\n")


def colors_can_be_had_or_not():
    with Shell(NO_COLOR="1") as shell:
        shell.run("SELECT 'a' AS b", "│ a │")
        assert "\x1b[32m" not in shell.raw and "\x1b[1;34m" not in shell.raw, repr(shell.raw)
    with Shell("--color", "always") as shell:
        shell.run("SELECT 'a' AS b", "│ a │")
        assert "\x1b[32m'a'" in shell.raw and "\x1b[1;34mSELECT" in shell.raw, repr(shell.raw)


TICKS = "CREATE TEMPORARY TABLE ticks (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '500')"
HOLE = "CREATE TEMPORARY TABLE hole (n INT) WITH ('connector' = 'blackhole')"


def jobs_run_beside_what_is_typed():
    with Shell() as shell:
        shell.run(TICKS, "ticks")
        shell.run(HOLE, "hole")
        shell.run("INSERT INTO hole SELECT n FROM ticks", "job 1")
        shell.run("SELECT 6 * 7 AS answer", "42 │")
        shell.run("SHOW JOBS", "│ RUNNING │")
        shell.run("STOP JOB '1'", "is stopped")
        shell.run("SHOW JOBS", "│ STOPPED │")
        shell.send("quit\r")
        assert shell.ended() == 0


def a_job_that_fails_is_told_after_the_next_statement():
    with Shell(columns=160) as shell:
        shell.run(TICKS, "ticks")
        shell.run(HOLE, "hole")
        shell.run("INSERT INTO hole SELECT 1 / (n - n) FROM ticks", "job 1")
        for number in range(1000, 1100):
            shell.run(f"SELECT {number} AS x", f"{number} │")
            if "division by zero" in shell.screen.text():
                break
        shell.expect("division by zero")


def jobs_show_live_lines_until_they_are_stopped():
    environment = {"TERM": "xterm", "NO_COLOR": "1"}
    statements = f"{TICKS}; {HOLE}; INSERT INTO hole SELECT n FROM ticks; INSERT INTO hole SELECT n + 1 FROM ticks"
    for columns, shown in ((80, "2 jobs: "), (140, " 2 insert-into")):
        terminal = Terminal([PROGRAM, "sql", "-e", statements], columns, 24, environment)
        terminal.expect(shown)
        terminal.expect(" rows/s in, ")
        terminal.expect("checkpoint ")
        terminal.send(CONTROL_C)
        terminal.expect("STOPPED")
        assert terminal.ended() == 0
        assert "rows/s in" not in terminal.screen.text(), terminal.screen.text()
        terminal.close()


def what_jobs_print_does_not_meet_their_live_line():
    environment = {"TERM": "xterm", "NO_COLOR": "1"}
    statements = (
        "CREATE TEMPORARY TABLE ticks (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '5', "
        "'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000000000');"
        "CREATE TEMPORARY TABLE screen (n INT) WITH ('connector' = 'print');"
        "SET 'execution.runtime-mode' = 'streaming'; SET 'execution.checkpointing.interval' = '100 ms';"
        "INSERT INTO screen SELECT n FROM ticks"
    )
    terminal = Terminal([PROGRAM, "sql", "--timeout", "2", "-e", statements], 80, 24, environment)
    terminal.expect("+I[3]\n")
    assert terminal.ended() in (1, 124, 130)
    lines = [line.rstrip() for line in terminal.screen.text().split("\n") if "+I" in line]
    assert lines[:3] == ["+I[1]", "+I[2]", "+I[3]"], terminal.screen.text()
    terminal.close()


if __name__ == "__main__":
    try:
        if os.spawnv(os.P_WAIT, PROGRAM, [PROGRAM, "sql", "--quiet", "--warehouse", LAKE, "-e", SETUP]) != 0:
            sys.exit("the tables can't be made")
        chosen = sys.argv[2:]
        tests = [value for value in list(globals().values()) if callable(value) and hasattr(value, "__code__")]
        tests = [test for test in tests if test.__module__ == "__main__" and test.__code__.co_argcount == 0]
        run_tests([test for test in tests if not chosen or test.__name__ in chosen])
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
