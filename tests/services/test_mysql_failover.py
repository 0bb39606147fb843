"""A replica that takes over: behind the same address (a proxy that turns to it), and at another one."""

import socket
import socketserver
import threading
import time

from mysql import Load, Mysql
from test_mysql_cdc import LOADS, at_server, fill, lake, turn_of

SERVICES = [("mariadb", {"MARIADB_ARGS": "--server-id=11 --log-slave-updates=ON"}),
            ("mariadb", {"MARIADB_ARGS": "--server-id=12 --log-slave-updates=ON"})]
SECONDS = 240


class Proxy(socketserver.ThreadingTCPServer):
    """Passes bytes on to a server, until it is turned to another one: then all connections end."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), Connection)
        self.target, self.open, self.lock = int(port), set(), threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def turn_to(self, port):
        with self.lock:
            self.target = int(port)
            for each in self.open:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        with self.server.lock:
            other = socket.create_connection(("127.0.0.1", self.server.target))
            self.server.open |= {self.request, other}
        threading.Thread(target=self.copy, args=(other, self.request), daemon=True).start()
        self.copy(self.request, other)

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Replica(Mysql):
    """A client of a server that gets what another one does."""

    def __init__(self, server, primary):
        self.server, self.database, self.env, self.is_mariadb = server, primary.database, server.env, True
        env = primary.env
        self.run(f"STOP SLAVE; RESET SLAVE ALL; RESET MASTER; SET GLOBAL gtid_slave_pos = ''; CHANGE MASTER TO "
                 f"MASTER_HOST = '{env['MYSQL_HOST']}', MASTER_PORT = {env['MYSQL_PORT']}, MASTER_USER = 'repl', "
                 "MASTER_PASSWORD = 'repl', MASTER_USE_GTID = slave_pos; START SLAVE", database="")

    def catch_up(self, primary):
        (last,), = primary.run("SELECT @@global.gtid_binlog_pos")
        assert self.run(f"SELECT MASTER_GTID_WAIT('{last}', 60)", database="") == [["0"]]


def pair(scene):
    """A primary whose files are numbered far beyond the replica's, so that comparing them would mislead."""
    for server in scene.servers:
        Mysql(server, "other")  # its own
    first, second = scene.servers
    primary = Mysql(first, scene.name)
    primary.run("STOP SLAVE; RESET SLAVE ALL; RESET MASTER; " + "FLUSH LOGS; " * 7)
    primary = Mysql(first, scene.name)
    return primary, Replica(second, primary)


def script_of(scene, mysql, kind, **options):
    _, declared, key, _ = LOADS[kind]
    return (mysql.source(f"{declared}, PRIMARY KEY ({key}) NOT ENFORCED", kind,
                         **{"scan.incremental.snapshot.chunk.size": 20, **options}) + lake(scene) +
            f"CREATE TABLE IF NOT EXISTS lake.d.{kind} ({declared}, PRIMARY KEY ({key}) NOT ENFORCED) WITH ('bucket' = '1');\n"
            "CREATE TABLE IF NOT EXISTS lake.d.sums (g INT, n BIGINT, v BIGINT, PRIMARY KEY (g) NOT ENFORCED) "
            "WITH ('bucket' = '1');\nSET 'execution.checkpointing.interval' = '100 ms';\n"
            f"INSERT INTO lake.d.{kind} SELECT * FROM source;\n"
            "INSERT INTO lake.d.sums SELECT 1, COUNT(*), SUM(v) FROM source;")


def wait_for_the_same(scene, job, mysql, kind):
    """Rows, and sums over their changes: nothing is lost, nothing doubled."""
    expected = at_server(mysql, kind)
    (sums,) = mysql.run(f"SELECT 1, COUNT(*), SUM(v) FROM {kind}")

    def same():
        assert job.running(), job.output()
        scene.equal("rows", expected, scene.sql(lake(scene) + f"SELECT * FROM lake.d.{kind};"))
        scene.equal("sums", [[int(value) for value in sums]], scene.sql(lake(scene) + "SELECT * FROM lake.d.sums;"))
        return True
    scene.eventually("the same rows", same, 60)


def take_over(primary, replica, load):
    load.stop()
    replica.catch_up(primary)
    replica.run("STOP SLAVE; RESET SLAVE ALL", database="")


def take_over_behind_proxy(scene, after_rows):
    primary, replica = pair(scene)
    fill(primary, "numbers", "numbers")
    proxy = Proxy(primary.env["MYSQL_PORT"])
    job = scene.job(script_of(scene, primary, "numbers", port=proxy.server_address[1]))
    if after_rows:
        wait_for_the_same(scene, job, primary, "numbers")
    load = Load(primary, turn_of(scene, "numbers", "numbers"))
    try:
        time.sleep(scene.random.uniform(0.3, 0.8))
    finally:
        take_over(primary, replica, load)
    proxy.turn_to(replica.env["MYSQL_PORT"])
    load = Load(replica, turn_of(scene, "numbers", "numbers"))
    time.sleep(2)
    load.stop()
    wait_for_the_same(scene, job, replica, "numbers")
    job.stop()


def test_a_replica_takes_over_while_rows_are_read(scene):
    take_over_behind_proxy(scene, False)


def test_a_replica_takes_over_while_changes_are_read(scene):
    take_over_behind_proxy(scene, True)


def test_a_job_goes_on_at_a_replica(scene):
    primary, replica = pair(scene)
    fill(primary, "numbers", "numbers")
    load = Load(primary, turn_of(scene, "numbers", "numbers"))
    try:
        job = scene.job(script_of(scene, primary, "numbers"))
        time.sleep(scene.random.uniform(0.5, 1.5))
        job.kill()
    finally:
        take_over(primary, replica, load)
    load = Load(replica, turn_of(scene, "numbers", "numbers"))
    try:
        job = scene.job(script_of(scene, replica, "numbers"))
        time.sleep(1)
        job.kill()
        job = scene.job(script_of(scene, replica, "numbers"))
        time.sleep(1)
    finally:
        load.stop()
    wait_for_the_same(scene, job, replica, "numbers")
    job.stop()


def test_a_replica_that_is_behind_is_waited_for(scene):
    primary, replica = pair(scene)
    fill(primary, "numbers", "numbers")
    replica.catch_up(primary)
    job = scene.job(script_of(scene, primary, "numbers"))
    wait_for_the_same(scene, job, primary, "numbers")
    replica.run("STOP SLAVE SQL_THREAD", database="")
    primary.run("UPDATE numbers SET v = 5")
    wait_for_the_same(scene, job, primary, "numbers")
    job.stop()
    job = scene.job(script_of(scene, replica, "numbers", **{"connect.timeout": "1 s"}))
    output = job.finish(30, status=1)
    assert "lacks transactions that were read" in output and "go back to the server before" in output, output
    job = scene.job(script_of(scene, replica, "numbers"))
    time.sleep(1)
    assert job.running(), job.output()
    replica.run("START SLAVE", database="")
    replica.catch_up(primary)
    replica.run("STOP SLAVE; UPDATE numbers SET v = 6 WHERE id < 100")
    wait_for_the_same(scene, job, replica, "numbers")
    job.stop()
