"""What a test has at hand: its servers, a folder, Weir, real Java Paimon and real Flink. Run as a program, it is the
process of one test."""

import importlib.util
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import traceback

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "interop"))

from engines import Java  # noqa: E402  (the folder beside this one)
from report import difference  # noqa: E402
from servers import Server  # noqa: E402

SKIPPED = 77


class Skip(Exception):
    """The test cannot run here; says why."""


class Job:
    """A running `weir run`. Its output goes to a file, so that it never waits for a reader."""

    def __init__(self, scene, command, environment=None):
        self.command = [str(word) for word in command]
        self.log = open(scene.folder / f"job-{len(scene.jobs)}.log", "w+b")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})

    def output(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def running(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """As a crash would end it."""
        self.process.kill()
        self.process.wait()

    def finish(self, seconds=120, status=0):
        """Waits until it ends by itself, with this exit status or one of these; gives what it printed."""
        try:
            came = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running after {seconds} s: {self.output()[-2000:]}") from None
        if came not in (status if isinstance(status, tuple) else (status,)):
            raise AssertionError(f"exit status {came}: {self.output()[-3000:]}")
        return self.output()

    def stop(self, seconds=60):
        """As Ctrl-C would: a last checkpoint, then the end (130: statements were still being started)."""
        self.signal(signal.SIGINT)
        return self.finish(seconds, (0, 130))


class Scene:
    def __init__(self, setting):
        self.folder = pathlib.Path(setting["folder"])
        self.weir, self.shared = setting["weir"], pathlib.Path(setting["shared"])
        self.name = setting["function"].removeprefix("test_")  # for topics, databases, folders of this test alone
        self.seed = os.environ.get("WEIR_SEED", "1")
        self.random = random.Random(f"{self.seed}/{self.name}")
        self.servers = [Server(self.shared / "services", name, folder, settings)
                        for name, folder, settings in setting["servers"]]
        self.jobs, self.engines = [], []

    def server(self, name):
        """The server of this name, the first if there are several: .env, .restart(), .kill(), .start(), .stop()."""
        return next(server for server in self.servers if server.name == name)

    # ---- Weir ----

    def run(self, *words, text=None, status=0, seconds=120, environment=None):
        """Runs the program to its end and gives (standard output, standard error)."""
        done = subprocess.run([self.weir, *map(str, words)], input=text, capture_output=True, text=True,
                              timeout=seconds, check=False, cwd=self.folder,
                              env={**os.environ, **(environment or {})})
        if done.returncode != status:
            raise AssertionError(f"exit status {done.returncode}, not {status}\n{done.stdout[-1000:]}"
                                 f"\n{done.stderr[-3000:]}")
        return done.stdout, done.stderr

    def sql(self, text, *words, **others):
        """Runs SQL; its results as a list of rows (of all queries in it)."""
        output, _ = self.run("sql", "--format", "jsonl", "--quiet", *words, text=text, **others)
        return [json.loads(line) for line in output.splitlines()]

    def sql_error(self, text, *words, **others):
        """The message of SQL that must fail."""
        return self.run("sql", "--format", "jsonl", "--quiet", *words, text=text, status=1, **others)[1]

    def job(self, script, *words, name="job", state=True, environment=None):
        """Starts `weir run` of a script, with a folder for its state unless `state` is false."""
        path = self.folder / f"{name}.sql"
        path.write_text(script)
        where = ["--state", self.folder / f"{name}.state"] if state else []
        self.jobs.append(Job(self, [self.weir, "run", path, *where, *words], environment))
        return self.jobs[-1]

    # ---- the others ----

    def java(self, *conf):
        """Real Java Paimon (interop/engines.py); `conf`: options of its catalog, as "key=value"."""
        self.engines.append(Java(str(self.shared / "peer" / "peer"), *conf))
        return self.engines[-1]

    def flink(self, text, *words, seconds=150):
        """Runs SQL in real Flink; its results as a list of rows."""
        done = subprocess.run([self.shared / "peer" / "peer", "sql", "-", *words], input=text, capture_output=True,
                              text=True, timeout=seconds, check=False, cwd=self.folder)
        if done.returncode != 0:
            raise AssertionError(f"Flink: {done.stderr[-3000:]}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]

    # ---- what must be ----

    def equal(self, what, expected, actual):
        """Two lists of rows or lines that must be the same in any order."""
        def lines(rows):
            return sorted(row if isinstance(row, str) else json.dumps(row, ensure_ascii=False, separators=(",", ":"))
                          for row in rows)
        found = difference(lines(expected), lines(actual))
        if found:
            raise AssertionError(f"{what}: {found}")

    def eventually(self, what, check, seconds=60):
        """Waits until check() gives something true without an AssertionError, and gives that."""
        end, last = time.monotonic() + seconds, None
        while time.monotonic() < end:
            try:
                value = check()
                if value:
                    return value
                last = value
            except AssertionError as problem:
                last = problem
            time.sleep(0.1)
        raise AssertionError(f"{what}: not within {seconds} s: {last}")

    def close(self):
        for job in self.jobs:
            if job.running():
                job.kill()
        for engine in self.engines:
            engine.close()


def main():
    setting = json.loads(sys.argv[1])
    spec = importlib.util.spec_from_file_location("this_test", setting["file"])
    module = importlib.util.module_from_spec(spec)
    sys.modules["scene"] = sys.modules["__main__"]  # test files import Skip from here
    spec.loader.exec_module(module)
    scene = Scene(setting)
    try:
        getattr(module, setting["function"])(scene)
    except Skip as reason:
        print(reason)
        return SKIPPED
    except Exception:
        traceback.print_exc()
        for job in scene.jobs:
            print(f"--- the end of the output of {' '.join(job.command)}\n{job.output()[-3000:]}")
        return 1
    finally:
        scene.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
