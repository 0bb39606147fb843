"""Weir and real Java Paimon on the same tables. Started by run.sh."""

import argparse
import os
import sys
import tempfile

from alter_rounds import run_alter_rounds
from engine_rounds import run_engine_rounds
from engines import Java, Weir
from function_rounds import run_function_rounds
from dump_command import compare_dumps
from golden_replay import replay_all
from job_rounds import run_job_rounds
from read_rounds import run_read_rounds
from report import Report
from rounds import Rounds
from scenarios import all_scenarios
from single_checks import SingleChecks, old_version_reads
from sql_checks import SqlChecks
from step_rounds import run_step_rounds


# Paimon 0.9 knows no thin files and no partition.legacy-name, and fails at NULL rows in arrays of Parquet, also in what
# Java wrote.
NOT_FOR_OLD = ("thin", "append-partitions", "nested-parquet", "append-types")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True, help="weir_table_tool")
    parser.add_argument("--peer", required=True, help="the Java peer's program")
    parser.add_argument("--weir", help="the program, whose `dump` must print what the Java peer's prints")
    parser.add_argument("--golden", help="folder of tables with their steps, to be replayed")
    parser.add_argument("--old-version", help="an older version of Paimon, which must read the tables too")
    parser.add_argument("--warehouse", help="an empty folder for the tables, to be kept; otherwise they are removed")
    parser.add_argument("--only", default="", help="part of the name of the checks to run")
    arguments = parser.parse_args()
    seed = os.environ.get("WEIR_SEED", "1")
    report = Report()
    weir, java = Weir(arguments.tool), Java(arguments.peer)
    with tempfile.TemporaryDirectory(prefix="weir-interop-") as temporary:
        warehouse = arguments.warehouse or temporary
        print(f"WEIR_SEED={seed}", flush=True)
        for scenario in all_scenarios():
            if arguments.only in scenario.name:
                rounds = Rounds(scenario, weir, java, warehouse, report, seed)
                rounds.run()
                if arguments.weir:
                    report.check(f"weir dump of {scenario.name}",
                                 lambda: compare_dumps(arguments.weir, java, rounds.table, report))
        run_engine_rounds(weir, java, warehouse, report, seed, arguments.only)
        run_step_rounds(weir, java, warehouse, report, seed, arguments.only)
        run_read_rounds(weir, java, warehouse, report, seed, arguments.only)
        if arguments.only in "functions by turns":
            run_function_rounds(weir, java, warehouse, report, seed)
        SingleChecks(weir, java, warehouse, report, seed).run(arguments.only)
        if arguments.weir and arguments.only in "both sides alter a table":
            run_alter_rounds(weir, java, arguments.weir, warehouse, report, seed)
        if arguments.weir and arguments.only in "jobs and Java by turns":
            run_job_rounds(java, os.path.abspath(arguments.weir), warehouse, report, seed)
        if arguments.weir:
            SqlChecks(arguments.weir, arguments.peer, java, warehouse, arguments.golden, report).run(arguments.only)
        if arguments.old_version:
            tables = [f"{warehouse}/db.db/{scenario.name}" for scenario in all_scenarios()
                      if arguments.only in scenario.name and not any(word in scenario.name for word in NOT_FOR_OLD)]
            old_version_reads(weir, arguments.peer, arguments.old_version, tables, report)
        if arguments.golden:
            replay_all(arguments.golden, weir, java, warehouse, report, arguments.only)
    for side in (weir, java):
        side.print_times()
    java.close()
    report.check("the tool ends cleanly", lambda: report.equal("exit status", [0], [weir.close()]))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
