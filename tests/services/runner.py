"""Runs the tests against real servers. Started by run.sh.

A test is a function `test_*` of a file test_*.py, which says in SERVICES which servers it needs, and takes a Scene
(scene.py). Each runs in a process and a folder of its own and has a time limit; its output is shown when it fails.
The lines are those of ctest."""

import argparse
import ast
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from servers import Servers, Unavailable

HERE = pathlib.Path(__file__).parent
DEFAULT_SECONDS = 180
SKIPPED = 77  # exit status of a test that cannot run here


class Test:
    def __init__(self, file, function, services, seconds):
        self.file, self.function, self.services, self.seconds = file, function, services, seconds
        self.name = f"{file.stem.removeprefix('test_')}.{function.removeprefix('test_')}"

    def matches(self, words):
        full = f"test_{self.name}"
        return not words or any(
            full.startswith(word) or self.name.startswith(word) or word == self.function
            for word in (pathlib.Path(word).name.removesuffix(".py") for word in words))


def tests_of(file):
    """Reads a file's tests without running it: a file whose imports are missing must not end the run."""
    services, default, limits, functions = [], DEFAULT_SECONDS, {}, []
    for node in ast.parse(file.read_text(), file).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            functions.append(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id == "SERVICES":
                services = ast.literal_eval(node.value)
            elif node.targets[0].id == "SECONDS":
                limits = ast.literal_eval(node.value)
    if isinstance(limits, int):
        default, limits = limits, {}
    return [Test(file, name, services, limits.get(name, default)) for name in functions]


def end_group(process):
    """Ends a test's process and whatever it has started and left."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Runner:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, pathlib.Path(folder)
        self.servers = Servers(pathlib.Path(arguments.shared).resolve() / "services", self.folder / "servers")
        self.running = None
        self.failures = []

    def run_one(self, test, output):
        """'Passed', 'Skipped' or why it failed."""
        try:
            services = [(wanted, self.servers.get(wanted)) for wanted in test.services]
        except Unavailable as problem:
            output.write(str(problem))
            return "Not Run"
        folder = self.folder / test.name
        folder.mkdir()
        setting = {
            "file": str(test.file), "function": test.function, "folder": str(folder),
            "weir": str(pathlib.Path(self.arguments.weir).resolve()),
            "shared": str(pathlib.Path(self.arguments.shared).resolve()),
            "servers": [[server.name, str(server.folder), server.settings] for _, server in services],
        }
        self.running = subprocess.Popen(
            [sys.executable, "-B", HERE / "scene.py", json.dumps(setting)], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = self.running.wait(test.seconds)
        except subprocess.TimeoutExpired:
            return "Timeout"
        finally:
            end_group(self.running)
            self.running = None
        return {0: "Passed", SKIPPED: "Skipped"}.get(status, "Failed")

    def run(self, tests):
        """The exit status."""
        started = time.monotonic()
        width = max(len(test.name) for test in tests) + 3
        for number, test in enumerate(tests, 1):
            print(f"      Start {number:3}: {test.name}", flush=True)
            begun = time.monotonic()
            with tempfile.TemporaryFile("w+", errors="replace") as output:
                result = self.run_one(test, output)
                output.seek(0)
                text = output.read()
            mark = "   " if result in ("Passed", "Skipped") else "***"
            print(f"{number:3}/{len(tests)} Test {'#' + str(number):>4}: {test.name + ' ':.<{width}}{mark}{result:8}"
                  f" {time.monotonic() - begun:7.2f} sec", flush=True)
            if result == "Skipped":
                print(f"          {text.strip().splitlines()[-1]}", flush=True)
            elif result != "Passed":
                self.failures.append((number, test, result))
                print(text[-12000:], flush=True)
                self.show_logs(test)
        self.finish(len(tests), time.monotonic() - started)
        return 1 if self.failures else 0

    def show_logs(self, test):
        for wanted in test.services:
            name = wanted[0] if isinstance(wanted, tuple) else wanted
            for server in self.servers.known.values():
                if server.name == name:
                    print(f"--- the end of the log of {name}\n{server.last_words()}", flush=True)

    def finish(self, count, seconds):
        failed = len(self.failures)
        print(f"\n{100 * (count - failed) // count}% tests passed, {failed} tests failed out of {count}")
        print(f"\nTotal Test time (real) = {seconds:7.2f} sec")
        if self.failures:
            print("\nThe following tests FAILED:")
            for number, test, result in self.failures:
                print(f"\t{number:3} - {test.name} ({result})")

    def close(self):
        if self.running:
            end_group(self.running)
        self.servers.stop_all()


def stop_at_signals():
    """Ctrl-C and the like end the servers too."""
    def stop(number, _frame):
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)  # what ends them must not be cut off
        sys.exit(128 + number)
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, stop)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weir", required=True, help="the program")
    parser.add_argument("--shared", required=True, help="the test data beside the project")
    parser.add_argument("--list", action="store_true", help="print the tests' names and end")
    parser.add_argument("--keep", action="store_true", help="keep the folder of tables, logs and servers' data")
    parser.add_argument("only", nargs="*", metavar="FILE_OR_TEST", help="run only these")
    arguments = parser.parse_args()
    tests = [test for file in sorted(HERE.glob("test_*.py")) for test in tests_of(file)
             if test.matches(arguments.only)]
    if arguments.list or not tests:
        print("\n".join(test.name for test in tests) if tests else "no such test")
        return 0 if tests else 1
    print(f"WEIR_SEED={os.environ.setdefault('WEIR_SEED', '1')}", flush=True)
    stop_at_signals()
    folder = tempfile.mkdtemp(prefix="weir-services-")
    runner = Runner(arguments, folder)
    try:
        return runner.run(tests)
    finally:
        runner.close()
        if arguments.keep:
            print(f"kept: {folder}")
        else:
            subprocess.run(["rm", "-rf", folder], check=False)


if __name__ == "__main__":
    sys.exit(main())
