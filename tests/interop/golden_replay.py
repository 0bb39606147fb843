"""Tables that Java wrote, made again by Weir from the list of their steps: Java must read the rows that it read then."""

import fnmatch
import json
import os

# What this version does not write, by the name of the table; a refusal of any other is a failure.
REFUSED = ["dv-*", "*orc*", "fmt-per-level", "variant-*", "blob", "data-evolution", "fmt-csv", "fmt-json",
           "row-tracking", "fileindex-*"]
REFUSALS = ("cannot be written yet", "not written by this version", "cannot hold", "is not supported")


class Refused(Exception):
    """Weir says that it does not write such a table."""


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().removesuffix("\n").split("\n") if os.path.getsize(path) else []


def type_text(json_type):
    """SQL text of a type as SchemaChange's JSON has it."""
    names = {"INTEGER": "INT", "TIME_WITHOUT_TIME_ZONE": "TIME", "TIMESTAMP_WITHOUT_TIME_ZONE": "TIMESTAMP",
             "TIMESTAMP_WITH_LOCAL_TIME_ZONE": "TIMESTAMP_LTZ"}
    root = names.get(json_type["typeRoot"], json_type["typeRoot"])
    parameters = [json_type[name] for name in ("length", "precision", "scale") if name in json_type]
    if root in ("VARCHAR", "VARBINARY") and parameters == [2147483647]:
        root, parameters = {"VARCHAR": "STRING", "VARBINARY": "BYTES"}[root], []
    text = root + (f"({', '.join(map(str, parameters))})" if parameters else "")
    return text + ("" if json_type.get("nullable", True) else " NOT NULL")


def place(move):
    """Where a column goes, in the words of `peer alter`."""
    if not move:
        return {}
    return {"FIRST": {"first": True}, "LAST": {"last": True}, "AFTER": {"after": move["referenceFieldName"]},
            "BEFORE": {"before": move["referenceFieldName"]}}[move["type"]]


def alteration(change):
    """A change as the steps have it (`Class {json}`) in the words of `peer alter`."""
    kind, body = change.split(" ", 1)
    body = json.loads(body)
    name = ".".join(body.get("fieldNames", []))
    if kind == "AddColumn":
        added = {"op": "add", "name": name, "type": type_text(body["dataType"]), **place(body["move"])}
        return {**added, **({"comment": body["comment"]} if body["comment"] else {})}
    if kind == "UpdateColumnType":
        return {"op": "type", "name": name, "type": type_text(body["newDataType"]),
                "keepNullability": body["keepNullability"]}
    if kind == "UpdateColumnPosition":
        return {"op": "move", "name": body["move"]["fieldName"], **place(body["move"])}
    return {
        "RenameColumn": lambda: {"op": "rename", "name": name, "to": body["newName"]},
        "DropColumn": lambda: {"op": "drop", "name": name},
        "UpdateColumnComment": lambda: {"op": "comment", "name": name, "comment": body["newComment"]},
        "UpdateColumnDefaultValue": lambda: {"op": "default", "name": name, "value": body["newDefaultValue"]},
        "UpdateComment": lambda: {"op": "comment", "comment": body["comment"]},
        "SetOption": lambda: {"op": "set", "key": body["key"], "value": body["value"]},
        "RemoveOption": lambda: {"op": "unset", "key": body["key"]},
    }[kind]()


class Replay:
    def __init__(self, folder, weir, java, warehouse, report):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.weir = weir
        self.java = java
        self.warehouse = warehouse
        self.report = report

    def run(self):
        self.create()
        steps = [json.loads(line) for line in read_lines(f"{self.folder}/steps.jsonl")]
        for step in steps:
            self.step(step)
        return f"{len(steps)} steps, {self.compare()} reads"

    def ask_weir(self, call, *arguments):
        try:
            return call(*arguments)
        except Exception as problem:
            if any(words in str(problem) for words in REFUSALS):
                raise Refused(str(problem)) from None
            raise

    def create(self):
        with open(f"{self.folder}/table/schema/schema-0", encoding="utf-8") as file:
            schema = json.load(file)
        wanted = {name: schema[name] for name in ("fields", "primaryKeys", "partitionKeys", "options")}
        wanted["comment"] = schema.get("comment")
        self.table = self.ask_weir(self.weir.create, self.warehouse, self.name, wanted)
        with open(f"{self.table}/schema/schema-0", encoding="utf-8") as file:
            made = json.load(file)
        for member in ("fields", "primaryKeys", "partitionKeys", "highestFieldId", "options", "comment"):
            self.report.holds(f"{member} of the schema", made.get(member) != schema.get(member) and
                              f"{made.get(member)} instead of {schema.get(member)}")

    def step(self, step):
        operation, *words = step["op"].replace(";", " ;").split()
        if operation == "write":
            self.write(step)
        elif operation == "compact":
            self.ask_weir(self.weir.call, "compact", self.table, "--commit-id", step["commitId"])
        elif operation == "alter":
            self.java.alter(self.table, [alteration(change) for change in step["changes"]])
        elif operation == "createTag":
            self.java.call("meta", self.table, "tag", words[0], *words[2:])
        elif operation == "createBranch":
            self.java.call("meta", self.table, "branch", words[0], words[2])
            self.java.call("meta", self.table, "branch", words[5])
        elif operation == "expire":
            self.weir.expire(self.table, words[-1], words[-1])
        elif operation == "truncateTable":
            self.weir.truncate(self.table)
        elif operation not in ("resetConsumer", "updateStatistics"):
            raise Refused(step["op"])

    def write(self, step):
        words = ["--commit-id", step["commitId"]]
        for key, value in step.get("options", {}).items():
            words += ["--option", f"{key}={value}"]
        if step.get("compact"):
            words += ["--compact"]
        if "overwrite" in step:
            words += ["--overwrite", ",".join(f"{key}={value}" for key, value in step["overwrite"].items())]
        if "branch" in step:
            words += ["--branch", step["branch"]]
        rows = [json.dumps(row, ensure_ascii=True) for row in step["rows"]]
        self.ask_weir(self.weir.write, self.table, rows, *words)

    def compare(self):
        """Every expected file that does not depend on snapshot ids, read by both sides. How many were compared."""
        count = 0
        for file in sorted(os.listdir(self.folder)):
            stem = file.removesuffix(".jsonl")
            words = None
            if file == "expected.jsonl":
                words = []
            elif stem.startswith("expected-tag-"):
                words = ["--tag", stem.removeprefix("expected-tag-")]
            elif stem.startswith("expected-branch-"):
                words = ["--branch", stem.removeprefix("expected-branch-")]
            if words is None:
                continue
            for side in (self.java, self.weir):
                self.report.equal(f"{side.name} reads {file}", read_lines(f"{self.folder}/{file}"),
                                  side.dump(self.table, *words))
                count += 1
        return count + self.compare_changelog()

    def compare_changelog(self):
        """The changelog without its snapshot ids, where it does not follow from how files lie."""
        path = f"{self.folder}/changelog.jsonl"
        with open(f"{self.folder}/about.json", encoding="utf-8") as file:
            producer = json.load(file)["schema"]["options"].get("changelog-producer", "none")
        if producer == "none" or not os.path.exists(path) or self.name == "expired-changelog":
            return 0  # what has expired depends on the clock, and Weir leaves snapshots alone whose changelogs outlive them
        expected = sorted(line.split(",", 1)[1] for line in read_lines(path))
        for side in (self.java, self.weir):
            streamed = side.stream(self.table, 1, "--sort")
            self.report.equal(f"{side.name} streams", expected, sorted(line.split(",", 1)[1] for line in streamed))
        return 2


def replay_all(golden, weir, java, warehouse, report, only):
    refused = []
    for name in sorted(os.listdir(golden)):
        folder = f"{golden}/{name}"
        if only not in f"replay of {name}" or not os.path.exists(f"{folder}/steps.jsonl"):
            continue
        may_refuse = any(fnmatch.fnmatch(name, pattern) for pattern in REFUSED)

        def check():
            try:
                return Replay(folder, weir, java, warehouse, report).run()
            except Refused as refusal:
                if not may_refuse:
                    raise
                refused.append(name)
                return f"refused, {refusal}"
        report.check(f"replay of {name}", check)
    if refused:
        print(f"{len(refused)} of the replayed tables are refused by this version: {' '.join(refused)}")
