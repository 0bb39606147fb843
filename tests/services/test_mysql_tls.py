"""Encrypted connections, to a server with a certificate that was made here."""

import subprocess

from mysql import Mysql
from test_mysql_cdc import collect

SERVICES = [("mariadb", {"MARIADB_ARGS": "--server-id=31"}), "mysql56"]
SECONDS = 120


def openssl(*words, **others):
    subprocess.run(["openssl", *words], check=True, capture_output=True, **others)


def certificates(folder):
    """An authority, and two certificates by it: for 127.0.0.1, and for another host."""
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "ca.key", "-out", folder / "ca.pem",
            "-subj", "/CN=authority", "-days", "2")
    for name, subject in (("right", "IP:127.0.0.1"), ("wrong", "DNS:elsewhere.example")):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr",
                "-subj", f"/CN={name}")
        (folder / "names").write_text(f"subjectAltName={subject}")
        openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
                "-CAcreateserial", "-out", folder / f"{name}.pem", "-days", "2", "-extfile", folder / "names")


def restart_with(scene, server, name):
    server.settings = {"MARIADB_ARGS": f"--server-id=31 --ssl-ca={scene.folder}/ca.pem --ssl-cert={scene.folder}/{name}.pem "
                                       f"--ssl-key={scene.folder}/{name}.key"}
    server.restart()


def error_of(scene, mysql, **options):
    path = scene.folder / "error.sql"
    path.write_text(mysql.source("id INT", "t", **{"connect.max-retries": 0, **options}) +
                    "CREATE TEMPORARY TABLE shown WITH ('connector' = 'print') LIKE source (EXCLUDING ALL);\n"
                    "INSERT INTO shown SELECT * FROM source;")
    return scene.run("run", path, "--fresh", "--timeout", 30, status=1)[1]


def test_connections_are_encrypted_and_checked(scene):
    certificates(scene.folder)
    server = scene.server("mariadb")
    restart_with(scene, server, "right")
    mysql = Mysql(server, scene.name)
    mysql.run("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1); "
              "CREATE OR REPLACE USER tls@'127.0.0.1' IDENTIFIED BY 'tls' REQUIRE SSL; "
              "GRANT SELECT, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO tls@'127.0.0.1'")
    user = {"username": "tls", "password": "tls"}
    mode, authority = "jdbc.properties.sslMode", {"jdbc.properties.serverSslCert": scene.folder / "ca.pem"}
    assert "Access denied" in error_of(scene, mysql, **user)
    for options in ({"jdbc.properties.useSSL": "true"}, {mode: "REQUIRED"}, {mode: "PREFERRED"},
                    {"debezium.database.ssl.mode": "required"}, {mode: "VERIFY_IDENTITY", **authority},
                    {"jdbc.properties.useSSL": "true", "jdbc.properties.verifyServerCertificate": "true", **authority}):
        assert collect(scene, mysql, "id INT", "t", {**user, **options}, 1) == ["+I[1]"], options
    for options in ({}, {"jdbc.properties.serverSslCert": scene.folder / "right.key"}):
        error = error_of(scene, mysql, **user, **{mode: "VERIFY_IDENTITY", **options})
        assert "'jdbc.properties.serverSslCert'" in error, error
    restart_with(scene, server, "wrong")
    mysql.env = server.env
    error = error_of(scene, mysql, **user, **{mode: "VERIFY_IDENTITY", **authority})
    assert "one for 'hostname'" in error, error
    for key, value, words in ((mode, "VERIFY_CA", "VERIFY_IDENTITY checks"), (mode, "SOMETIMES", "expected DISABLED"),
                              ("jdbc.properties.trustCertificateKeyStoreUrl", "file:x.jks", "trustCertificateKeyStoreUrl")):
        error = error_of(scene, mysql, **{key: value})
        assert words in error, error


def test_a_server_that_does_not_encrypt(scene):
    mysql = Mysql(scene.server("mysql56"), scene.name)
    mysql.run("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)")
    assert collect(scene, mysql, "id INT", "t", {"jdbc.properties.sslMode": "PREFERRED"}, 1) == ["+I[1]"]
    error = error_of(scene, mysql, **{"jdbc.properties.sslMode": "REQUIRED"})
    assert "check 'jdbc.properties.sslMode'" in error, error
