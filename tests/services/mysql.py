"""Clients of MySQL and MariaDB for tests: a program that stays open, and tables of Weir that follow theirs."""

import subprocess
import threading


class Mysql:
    """A client of one server. Statements are run by the server's own client program, several at once if wanted."""

    def __init__(self, server, database):
        self.server, self.database = server, database
        self.env = server.env  # as long as it restarts there is none
        self.is_mariadb = server.name == "mariadb"
        self.run(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database}", database="")

    def command(self, database=None):
        env = self.env
        name = self.database if database is None else database
        return ["mariadb", "--no-defaults", "--default-character-set=utf8mb4", "-h", env["MYSQL_HOST"], "-P",
                env["MYSQL_PORT"], "-u", env["MYSQL_USER"], f"-p{env['MYSQL_PASSWORD']}", "--batch", "--raw",
                "--skip-column-names", *([name] if name else [])]

    def run(self, sql, database=None, seconds=120):
        """Runs statements; their rows as lists of texts."""
        done = subprocess.run(self.command(database), input=sql, capture_output=True, text=True, timeout=seconds,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(f"{done.stderr.strip()}\n{sql[:500]}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def kill_connections(self, user="repl"):
        """Ends the connections of a user, as a firewall or an administrator may."""
        for (number,) in self.run(f"SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '{user}'"):
            try:
                self.run(f"KILL {number}")
            except AssertionError:
                pass  # it has ended by itself

    def source(self, columns, table, **options):
        """CREATE TABLE for a table that follows this server's."""
        env = self.env
        settings = {"connector": "mysql-cdc", "hostname": env["MYSQL_HOST"], "port": env["MYSQL_PORT"],
                    "username": env["MYSQL_REPL_USER"], "password": env["MYSQL_REPL_PASSWORD"],
                    "database-name": self.database, "table-name": table, "server-time-zone": "UTC",
                    "heartbeat.interval": "1 s", **{key: str(value) for key, value in options.items()}}
        pairs = ", ".join(f"'{key}' = '{value}'" for key, value in settings.items())
        return f"CREATE TEMPORARY TABLE source ({columns}) WITH ({pairs});\n"


class Load:
    """Statements that are run one after the other by several clients, until stop()."""

    def __init__(self, mysql, statements, clients=2):
        self.stopped = threading.Event()
        self.failures = []
        self.threads = [threading.Thread(target=self._run, args=(mysql, statements, number))
                        for number in range(clients)]
        for thread in self.threads:
            thread.start()

    def _run(self, mysql, statements, number):
        turn = 0
        while not self.stopped.is_set():
            try:
                mysql.run(statements(number, turn))
            except AssertionError as problem:
                if not any(word in str(problem) for word in ("Lost connection", "Can't connect", "Deadlock", "interrupted",
                                                         "shutdown")):
                    self.failures.append(problem)
                    return
            turn += 1

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]
