"""Tables that are altered by both sides in turn, by Weir with ALTER TABLE and by Java with its own API, and written and
read by both after every change."""

import json
import os
import random
import subprocess
import tempfile

# Types, and what they can become so that the values written before stay what they are.
WIDER = {
    "TINYINT": ["SMALLINT", "INT", "BIGINT"],
    "SMALLINT": ["INT", "BIGINT", "DECIMAL(20, 2)"],
    "INT": ["BIGINT", "DOUBLE", "STRING"],
    "BIGINT": ["DECIMAL(30, 3)", "STRING"],
    "FLOAT": ["DOUBLE"],
    "DECIMAL(10, 2)": ["DECIMAL(14, 2)", "DECIMAL(20, 4)"],
    "VARCHAR(10)": ["STRING"],
    "DATE": ["TIMESTAMP(3)", "STRING"],
    "TIMESTAMP(3)": ["TIMESTAMP(6)"],
    "ARRAY<INT>": ["ARRAY<BIGINT>"],
    "MAP<STRING, INT>": ["MAP<STRING, BIGINT>"],
}

VALUES = {
    "TINYINT": lambda rng: rng.randint(-128, 127),
    "SMALLINT": lambda rng: rng.randint(-32768, 32767),
    "INT": lambda rng: rng.randint(-2**31, 2**31 - 1),
    "BIGINT": lambda rng: rng.randint(-2**63, 2**63 - 1),
    "FLOAT": lambda rng: rng.choice([0.5, -2.25, 1024.0]),
    "DOUBLE": lambda rng: rng.choice([0.1, -2.25, 1e10]),
    "BOOLEAN": lambda rng: rng.random() < 0.5,
    "STRING": lambda rng: rng.choice(["", "x", "Käse", "a longer text"]),
    "VARCHAR(10)": lambda rng: rng.choice(["", "short"]),
    "DATE": lambda rng: f"20{rng.randint(10, 40)}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}",
    "TIMESTAMP(3)": lambda rng: f"2024-02-29 12:34:56.{rng.randint(0, 999):03}",
    "TIMESTAMP(6)": lambda rng: f"2024-02-29 12:34:56.{rng.randint(0, 999999):06}",
    "ARRAY<INT>": lambda rng: [rng.randint(0, 9), None],
    "ARRAY<BIGINT>": lambda rng: [rng.randint(0, 2**40)],
    "MAP<STRING, INT>": lambda rng: [["k", rng.randint(0, 9)]],
    "MAP<STRING, BIGINT>": lambda rng: [["k", rng.randint(0, 2**40)]],
}


def decimal_value(text, rng):
    scale = int(text.rstrip(")").split(",")[1])
    return f"{rng.randint(-999, 999)}.{rng.randint(0, 10**scale - 1):0{scale}}"


def value_of(kind, rng):
    if rng.random() < 0.2:
        return None
    if isinstance(kind, list):
        return [value_of(inner, rng) for _, inner in kind]
    if kind.startswith("DECIMAL"):
        return decimal_value(kind, rng)
    return VALUES[kind](rng)


def type_text(kind):
    if isinstance(kind, list):
        return "ROW<" + ", ".join(f"{name} {type_text(inner)}" for name, inner in kind) + ">"
    return kind


class AlterRounds:
    """A table of columns (name, type); a ROW's type is a list of such pairs."""

    def __init__(self, weir, java, program, warehouse, report, seed, options):
        self.weir, self.java, self.program = weir, java, program
        self.warehouse, self.report, self.options = warehouse, report, options
        self.rng = random.Random(f"{seed}/alter/{options}")
        self.columns = [("id", "INT"), ("a", "TINYINT"), ("b", "STRING"), ("n", [("x", "INT"), ("y", "STRING")])]
        self.keys = ["id"] if "bucket" in options else []
        self.next_name = 0
        self.done = []

    def run(self, rounds):
        name = "altered-keyed" if self.keys else "altered-append"
        fields = [{"name": column, "type": type_text(kind)} for column, kind in self.columns]
        self.table = self.java.create(self.warehouse, name, {"fields": fields, "partitionKeys": [],
                                                             "primaryKeys": self.keys, "options": self.options})
        self.both_write()
        for _ in range(rounds):
            side = self.rng.choice([self.weir, self.java])
            words = self.rng.choice([self.add, self.add, self.rename, self.widen, self.widen, self.drop, self.move,
                                     self.comment, self.set_option, self.nested, self.nested])(side)
            if words:
                self.done.append(f"{side.name} {words}")
                self.both_read(f"after {self.done[-1]}")
                self.both_write()
                self.both_read(f"with rows written after {self.done[-1]}")
        return f"{len(self.done)} changes"

    # ---- rows ----

    def both_write(self):
        for side in self.rng.sample([self.weir, self.java], 2):
            rows = []
            for _ in range(6):
                row = [value_of(kind, self.rng) for _, kind in self.columns]
                row[[name for name, _ in self.columns].index("id" if not self.keys else self.keys[0])] = \
                    self.rng.randint(1, 40)
                rows.append(json.dumps(["+I", *row], ensure_ascii=False))
            words = ["--compact"] if self.keys and self.rng.random() < 0.25 else []
            side.write(self.table, rows, *words)

    def both_read(self, when):
        expected = self.java.dump(self.table)
        self.report.holds(f"{when}, rows", not expected and "none")
        self.report.equal(f"{when}, Weir reads", expected, self.weir.dump(self.table))

    # ---- changes ----

    def sql(self, change):
        path, database, name = self.table.rsplit("/", 2)
        text = (f"CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '{path}');\n"
                f"ALTER TABLE lake.`{database.removesuffix('.db')}`.`{name}` {change};\n")
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([self.program, "sql", "-f", file.name], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{change}: {done.stderr}")

    def alter(self, side, change, java_changes):
        if side is self.weir:
            self.sql(change)
        else:
            self.java.alter(self.table, java_changes)
        return change

    def free_name(self):
        self.next_name += 1
        return f"c{self.next_name}"

    def pick(self, wanted):
        """The place of a column that is no key, or None."""
        places = [i for i, (name, kind) in enumerate(self.columns) if name not in self.keys and name != "id"
                  and wanted(kind)]
        return self.rng.choice(places) if places else None

    def add(self, side):
        kind = self.rng.choice([*WIDER, "BOOLEAN", [("p", "INT"), ("q", [("r", "STRING")])]])
        name, after = self.free_name(), self.rng.choice(self.columns)[0]
        place = self.rng.choice(["", " FIRST", f" AFTER {after}"])
        change = {"op": "add", "name": name, "type": type_text(kind)}
        index = len(self.columns)
        if place == " FIRST":
            change["first"], index = True, 0
        elif place:
            change["after"] = after
            index = [column for column, _ in self.columns].index(after) + 1
        if place == " FIRST" and side is self.java:
            side = self.weir  # the peer adds columns last or after another one only
        self.columns.insert(index, (name, kind))
        return self.alter(side, f"ADD {name} {type_text(kind)} COMMENT 'added'{place}", [change])

    def rename(self, side):
        place = self.pick(lambda kind: True)
        if place is None:
            return None
        old, kind = self.columns[place]
        new = self.free_name()
        self.columns[place] = (new, kind)
        return self.alter(side, f"RENAME {old} TO {new}", [{"op": "rename", "name": old, "to": new}])

    def widen(self, side):
        place = self.pick(lambda kind: not isinstance(kind, list) and kind in WIDER)
        if place is None:
            return None
        name, kind = self.columns[place]
        wider = self.rng.choice(WIDER[kind])
        if kind.startswith(("ARRAY", "MAP")) and side is self.java:
            side = self.weir  # Java's API changes elements by a path of its own
        self.columns[place] = (name, wider)
        return self.alter(side, f"MODIFY {name} {wider}", [{"op": "type", "name": name, "type": wider}])

    def drop(self, side):
        place = self.pick(lambda kind: len(self.columns) > 4)
        if place is None:
            return None
        name, _ = self.columns.pop(place)
        return self.alter(side, f"DROP {name}", [{"op": "drop", "name": name}])

    def move(self, side):
        place = self.pick(lambda kind: True)
        if place is None:
            return None
        column = self.columns.pop(place)
        name, kind = column
        if place > 0 and self.rng.random() < 0.4:
            self.columns.insert(0, column)
            return self.alter(side, f"MODIFY {name} {type_text(kind)} FIRST", [{"op": "move", "name": name, "first": True}])
        after = self.rng.choice(self.columns)[0]
        self.columns.insert([other for other, _ in self.columns].index(after) + 1, column)
        return self.alter(side, f"MODIFY {name} {type_text(kind)} AFTER {after}",
                          [{"op": "move", "name": name, "after": after}])

    def comment(self, side):
        place = self.pick(lambda kind: True)
        if place is None:
            return None
        name, kind = self.columns[place]
        return self.alter(side, f"MODIFY {name} {type_text(kind)} COMMENT 'changed'",
                          [{"op": "comment", "name": name, "comment": "changed"}])

    def set_option(self, side):
        value = str(self.rng.randint(20, 40))
        return self.alter(side, f"SET ('snapshot.num-retained.max' = '{value}')",
                          [{"op": "set", "key": "snapshot.num-retained.max", "value": value}])

    def nested(self, side):
        """A field of a ROW: added, dropped or widened."""
        place = self.pick(lambda kind: isinstance(kind, list))
        if place is None:
            return None
        name, fields = self.columns[place]
        fields = list(fields)
        inner = self.free_name()
        how = self.rng.choice(["add", "drop", "type"])
        index = self.rng.randrange(len(fields))
        if how == "drop" and len(fields) > 1:
            dropped, _ = fields.pop(index)
            changes = [{"op": "drop", "name": f"{name}.{dropped}"}]
        elif how == "type" and not isinstance(fields[index][1], list) and fields[index][1] in WIDER:
            field, kind = fields[index]
            wider = self.rng.choice([wide for wide in WIDER[kind]])
            fields[index] = (field, wider)
            changes = [{"op": "type", "name": f"{name}.{field}", "type": wider}]
        else:
            fields.append((inner, "INT"))
            changes = [{"op": "add", "name": f"{name}.{inner}", "type": "INT"}]
        self.columns[place] = (name, fields)
        return self.alter(side, f"MODIFY {name} {type_text(fields)}", changes)


def run_alter_rounds(weir, java, program, warehouse, report, seed):
    for options in ({"bucket": "2", "num-sorted-run.compaction-trigger": "3"}, {}):
        rounds = AlterRounds(weir, java, program, warehouse, report, seed, options)
        kind = "a table with a key" if options else "an append table"
        report.check(f"both sides alter {kind}", lambda: rounds.run(int(os.environ.get("WEIR_ROUNDS", "25"))))
