"""Weir and real Java Paimon on the same tables. Started by run.sh."""

import argparse
import os
import sys
import tempfile

from engines import Java, Weir
from golden_replay import replay_all
from report import Report
from rounds import Rounds
from scenarios import all_scenarios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True, help="weir_table_tool")
    parser.add_argument("--peer", required=True, help="the Java peer's program")
    parser.add_argument("--golden", help="folder of tables with their steps, to be replayed")
    parser.add_argument("--only", default="", help="part of the name of the checks to run")
    arguments = parser.parse_args()
    seed = os.environ.get("WEIR_SEED", "1")
    report = Report()
    weir, java = Weir(arguments.tool), Java(arguments.peer)
    with tempfile.TemporaryDirectory(prefix="weir-interop-") as warehouse:
        print(f"WEIR_SEED={seed}", flush=True)
        for scenario in all_scenarios():
            if arguments.only in scenario.name:
                Rounds(scenario, weir, java, warehouse, report, seed).run()
        if arguments.golden:
            replay_all(arguments.golden, weir, java, warehouse, report, arguments.only)
    java.close()
    report.check("the tool ends cleanly", lambda: report.equal("exit status", [0], [weir.close()]))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
