"""A terminal for tests: runs a program in a pseudo terminal and keeps the screen that a person would see.

Understands what the shell and libedit send: text with line wrapping, moves, clearing, inserting and deleting of
characters and lines. Tests wait for what the screen shows, as long as it takes; nothing is measured in time."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata

PATIENCE_SECONDS = float(os.environ.get("WEIR_TEST_PATIENCE", "60"))
ESCAPE = re.compile(r"\x1b(?:\[([?>]?)([0-9;]*)([A-Za-z@`])|[()][0-9A-Za-z]|[=>78M]|\][^\x07\x1b]*(?:\x07|\x1b\\))")


def width_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.pending = ""

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip("\n")

    def resize(self, columns, rows):
        """As terminals that do not break lines anew."""
        self.lines = [(line + [" "] * columns)[:columns] for line in self.lines]
        if rows < self.rows:
            gone = max(0, self.row - rows + 1)
            self.lines = self.lines[gone : gone + rows]
            self.row -= gone
        self.lines += [[" "] * columns for _ in range(rows - len(self.lines))]
        self.columns, self.rows = columns, rows
        self.column = min(self.column, columns - 1)

    def feed(self, text):
        text = self.pending + text
        self.pending = ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = ESCAPE.match(text, at)
                if match is None:
                    if len(text) - at < 32:
                        self.pending = text[at:]
                        return
                    at += 1
                    continue
                if match.group(3):
                    self.control(match.group(1), match.group(2), match.group(3))
                at = match.end()
            else:
                self.put(text[at])
                at += 1

    def line_feed(self):
        if self.row == self.rows - 1:
            self.lines.pop(0)
            self.lines.append([" "] * self.columns)
        else:
            self.row += 1

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.line_feed()
        elif character == "\b":
            self.column = max(0, min(self.column, self.columns - 1) - 1)
        elif character == "\t":
            self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
        elif character >= " ":
            width = width_of(character)
            if width == 0:
                return
            if self.column + width > self.columns:
                self.column = 0
                self.line_feed()
            self.lines[self.row][self.column] = character
            if width == 2:
                self.lines[self.row][self.column + 1] = ""
            self.column += width

    def control(self, private, numbers, kind):
        if private or kind in "mhlr":
            return
        values = [int(number) if number else 0 for number in numbers.split(";")]
        count = max(1, values[0])
        line = self.lines[self.row]
        column = min(self.column, self.columns - 1)
        if kind == "A":
            self.row = max(0, self.row - count)
        elif kind == "B":
            self.row = min(self.rows - 1, self.row + count)
        elif kind == "C":
            self.column = min(self.columns - 1, column + count)
        elif kind == "D":
            self.column = max(0, column - count)
        elif kind in "G`":
            self.column = min(self.columns, count) - 1
        elif kind == "d":
            self.row = min(self.rows, count) - 1
        elif kind == "H":
            self.row = min(self.rows, count) - 1
            self.column = min(self.columns, max(1, values[1] if len(values) > 1 else 1)) - 1
        elif kind == "J":
            if values[0] >= 2:
                self.lines = [[" "] * self.columns for _ in range(self.rows)]
                return
            line[column:] = [" "] * (self.columns - column)
            for row in range(self.row + 1, self.rows):
                self.lines[row] = [" "] * self.columns
        elif kind == "K":
            if values[0] == 0:
                line[column:] = [" "] * (self.columns - column)
            else:
                line[: column + 1] = [" "] * (column + 1)
        elif kind == "@":
            line[column:] = ([" "] * count + line[column:])[: self.columns - column]
        elif kind == "P":
            line[column:] = (line[column + count :] + [" "] * self.columns)[: self.columns - column]
        elif kind == "X":
            line[column : column + count] = [" "] * min(count, self.columns - column)
        elif kind == "L":
            for _ in range(count):
                self.lines.insert(self.row, [" "] * self.columns)
                self.lines.pop()
        elif kind == "M":
            for _ in range(count):
                self.lines.pop(self.row)
                self.lines.append([" "] * self.columns)


class Terminal:
    def __init__(self, command, columns=80, rows=24, environment=None):
        self.screen = Screen(columns, rows)
        self.raw = ""  # all that came
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(environment or {})
            self.set_size(0, columns, rows)
            os.execvp(command[0], command)
        self.set_size(self.terminal, columns, rows)
        self.status = None

    @staticmethod
    def set_size(descriptor, columns, rows):
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.screen.resize(columns, rows)
        self.set_size(self.terminal, columns, rows)

    def read(self, seconds):
        """Takes in what has come; False: the program has ended."""
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            data = b""
        if not data:
            return False
        text = self.decoder.decode(data)
        self.raw += text
        self.screen.feed(text)
        return True

    def send(self, text):
        data = text.encode()
        while data:
            written = os.write(self.terminal, data[:512])
            data = data[written:]
            self.read(0)

    def wait(self, condition, what):
        """Until the condition holds for the screen's text."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not condition(self.screen.text()):
            if time.monotonic() > end or not self.read(0.2):
                if condition(self.screen.text()):
                    return
                raise AssertionError(f"waited for {what}; the screen shows:\n{self.screen.text()}")

    def expect(self, part):
        self.wait(lambda text: part in text, repr(part))

    def expect_gone(self, part):
        self.wait(lambda text: part not in text, f"{part!r} to go")

    def expect_prompt(self):
        """An empty prompt in the last line."""
        self.wait(lambda text: text.split("\n")[-1].rstrip() == "weir>", "an empty prompt")

    def ended(self):
        """Waits for the end of the program and gives its exit status."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self.status is None and self.read(0.2):
            if time.monotonic() > end:
                raise AssertionError(f"the program does not end; the screen shows:\n{self.screen.text()}")
        if self.status is None:
            _, status = os.waitpid(self.process, 0)
            self.status = os.waitstatus_to_exitcode(status)
            os.close(self.terminal)
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            self.ended()


def run_tests(tests):
    """Runs functions whose names are what they show; exits with 1 when one fails."""
    failures = 0
    for test in tests:
        try:
            test()
            print(f"ok: {test.__name__.replace('_', ' ')}", flush=True)
        except AssertionError as error:
            failures += 1
            print(f"FAILED: {test.__name__.replace('_', ' ')}\n{error}", flush=True)
    sys.exit(1 if failures else 0)
