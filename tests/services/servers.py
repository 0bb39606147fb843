"""The servers of a run: each is a script NAME.sh of the test data (install, start DIR, stop DIR) and a folder with its
data. A server is started once and shared by the tests; it is stopped by whoever started it."""

import os
import pathlib
import signal
import subprocess
import time

INSTALL_SECONDS = 1200
START_SECONDS = 180


class Unavailable(Exception):
    """A server could not be installed or started."""


class Server:
    """One server. `settings` are variables of its script, such as HDFS_CONF."""

    def __init__(self, scripts, name, folder, settings=()):
        self.script = pathlib.Path(scripts) / f"{name}.sh"
        self.name, self.folder, self.settings = name, pathlib.Path(folder), dict(settings)

    @property
    def env(self):
        """What its script tells clients: hosts, ports, users."""
        lines = (self.folder / "env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def install(self):
        self._call(INSTALL_SECONDS, "install")

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in range(20, -1, -1):
            try:
                return self._call(START_SECONDS, "start", self.folder)
            except Unavailable as problem:
                # A process that has ended may hold its ports for a moment longer.
                if "is taken" not in str(problem) or left == 0:
                    raise
                time.sleep(0.5)

    def stop(self):
        if self.folder.exists():
            self._call(START_SECONDS, "stop", self.folder)

    def running(self):
        return self.folder.exists() and subprocess.run(
            [self.script, "status", self.folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=60, check=False).returncode == 0

    def restart(self):
        """Stops it in good order and starts it on the same ports with the same data."""
        self.stop()
        self.start()

    def kill(self):
        """Ends it as a crash would; start() brings it back."""
        if self.running():
            self._signal(signal.SIGKILL)
            while self.running():
                pass

    def freeze(self):
        """Lets it hang: it takes connections, and answers nobody until thaw()."""
        self._signal(signal.SIGSTOP)

    def thaw(self):
        self._signal(signal.SIGCONT)

    def _signal(self, number):
        pid = int((self.folder / "pid").read_text().split()[0])
        os.killpg(pid, number)  # its script gave it a session, and so a group, of its own

    def last_words(self):
        log = self.folder / "log"
        return log.read_text(errors="replace")[-3000:] if log.exists() else ""

    def _call(self, seconds, *words):
        # A file, not a pipe: the server itself keeps what its script has open.
        with open(f"{self.folder}.{words[0]}.log", "w+", errors="replace") as output:
            try:
                done = subprocess.run([self.script, *words], stdin=subprocess.DEVNULL, stdout=output,
                                      stderr=subprocess.STDOUT, timeout=seconds, check=False,
                                      env={**os.environ, **self.settings})
                reason = f"exit status {done.returncode}" if done.returncode != 0 else None
            except subprocess.TimeoutExpired:
                reason = f"not done after {seconds} s"
            if reason:
                output.seek(0)
                raise Unavailable(f"{self.script.name} {words[0]}: {reason}\n{output.read()[-3000:]}")


class Servers:
    """All servers of a run, by what tests ask for: a name, or a name with settings."""

    def __init__(self, scripts, folder):
        self.scripts, self.folder = scripts, pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.known = {}
        self.failed = {}

    def get(self, wanted):
        """The running server for an entry of a test file's SERVICES."""
        name, settings = wanted if isinstance(wanted, tuple) else (wanted, {})
        key = (name, tuple(sorted(settings.items())))
        if key in self.failed:
            raise self.failed[key]
        try:
            if key not in self.known:
                number = sum(known[0] == name for known in self.known)
                server = Server(self.scripts, name, self.folder / (f"{name}{number}" if number else name), settings)
                server.install()
                self.known[key] = server
            if not self.known[key].running():
                self.known[key].start()
        except Unavailable as problem:
            self.failed[key] = problem
            raise
        return self.known[key]

    def stop_all(self):
        for server in self.known.values():
            try:
                server.stop()
            except Unavailable as problem:
                print(problem, flush=True)
