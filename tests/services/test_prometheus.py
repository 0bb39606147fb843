"""A real Prometheus scrapes a running job; the alert rules and the dashboard ask for metrics that there are."""

import json
import pathlib
import re
import socket
import subprocess
import urllib.parse
import urllib.request

SERVICES = ["prometheus"]

MONITORING = pathlib.Path(__file__).resolve().parents[2] / "examples" / "monitoring"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def scraped(text):
    """Names of the metrics of a page, with the series that histograms have."""
    names = set()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M):
        names |= {f"{name}_{part}" for part in ("bucket", "sum", "count")} if kind == "histogram" else {name}
    return names


def test_a_job_is_scraped(scene):
    port = free_port()
    changes = scene.folder / "in"
    changes.mkdir()
    (changes / "a.csv").write_text("".join(f"{n},{n % 7}\n" for n in range(1000)))
    job = scene.job(f"""
        CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{scene.folder}/lake');
        CREATE TABLE lake.`default`.t (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED)
        WITH ('bucket' = '2', 'changelog-producer' = 'lookup');
        CREATE TEMPORARY TABLE src (k INT, v INT)
        WITH ('connector' = 'filesystem', 'path' = '{changes}', 'format' = 'csv', 'source.monitor-interval' = '1 s');
        SET 'execution.checkpointing.interval' = '200 ms';
        INSERT INTO lake.`default`.t SELECT * FROM src;
        """, "--metrics-port", str(port))
    # The server of the frame scrapes itself; this one is told of the job.
    folder = scene.folder / "prometheus"
    folder.mkdir()
    config = folder / "prometheus.yml"
    config.write_text(f"""
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
rule_files: ['{MONITORING / "alerts.yml"}']
scrape_configs:
- {{job_name: weir, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}
""")
    own = free_port()
    server = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}",
                               f"--web.listen-address=127.0.0.1:{own}", "--log.level=warn"])
    try:
        def query(expression):
            url = f"http://127.0.0.1:{own}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
            try:
                with urllib.request.urlopen(url, timeout=5) as answer:
                    return [(found["metric"], found["value"][1]) for found in json.load(answer)["data"]["result"]]
            except OSError:
                return []
        scene.eventually("rows are counted", lambda: [value for _, value in query("weir_job_rows_out_total")] == ["1000"])
        metric, _ = scene.eventually("the table is there", lambda: query("paimon_current_snapshot_id > 0"))[0]
        assert metric["table"] == "lake.default.t", metric
        assert query('up{job="weir"} == 1'), "the target is up"
        assert query("paimon_last_commit_duration_seconds >= 0") and query("paimon_live_files > 0")
        assert not query('ALERTS{alertname!=""}'), query("ALERTS")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            page = answer.read().decode()
        lint = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True, text=True, check=False)
        assert lint.returncode == 0 and not lint.stderr and not lint.stdout, lint.stdout + lint.stderr

        names = scraped(page) | {"weir_job_lag_seconds"}  # which following files do not give
        asked = (MONITORING / "alerts.yml").read_text() + (MONITORING / "dashboard.json").read_text()
        used = set(re.findall(r"\b(?:paimon|weir|process)_[a-z0-9_]+", asked))
        assert used <= names, used - names
    finally:
        server.terminate()
        server.wait(30)
    job.signal(15)
    job.finish()


def test_rules_and_configuration_are_valid(scene):
    for words in (["check", "rules", MONITORING / "alerts.yml"], ["check", "config", MONITORING / "prometheus.yml"]):
        done = subprocess.run(["promtool", *words], capture_output=True, text=True, check=False, cwd=MONITORING)
        assert done.returncode == 0, done.stdout + done.stderr
    json.loads((MONITORING / "dashboard.json").read_text())
