"""Random primary-key tables: columns, options and the kinds of rows that they take. step_rounds.py writes them."""

import json
import struct

import values
from model import Column
from scenarios import Scenario

NUMBER = values.nullable(lambda rng: str(rng.randrange(-3, 9)), 0.25)
WORD = values.nullable(values.choice(['"a"', '"b"', '"c,a"', '""', '"b;c"']), 0.2)
FLAG = values.nullable(values.boolean, 0.2)
LIST = values.nullable(lambda rng: json.dumps([rng.randrange(4) for _ in range(rng.randrange(3))]), 0.2)
SMALL = values.nullable(lambda rng: f'"{rng.randrange(-99, 99) / 10:.2f}"', 0.2)
KIND = values.choice(['"+I"', '"+I"', '"+U"', '"-U"', '"-D"'])
MAP = values.nullable(values.mapping(values.choice(['"a"', '"b"', '"c"']), NUMBER), 0.2)
ELEMENTS = values.nullable(lambda rng: "[" + ",".join(
    f"[{rng.randrange(3)},{NUMBER(rng)}]" for _ in range(rng.randrange(3))) + "]", 0.2)
PARTS = values.nullable(lambda rng: "[" + ",".join(rng.choice(
    ["null"] + 4 * [f"[{rng.randrange(3)},{NUMBER(rng)},{WORD(rng)}]"]) for _ in range(rng.randrange(4))) + "]", 0.2)
TIMED = values.nullable(values.mapping(values.choice(['"a"', '"b"', '"c"']), values.nullable(values.row(
    NUMBER, values.nullable(values.choice(['"1"', '"2"', '"10"', '"\uffff"', '"\U0001f600"']), 0.2)), 0.2)), 0.2)


def roaring(rng):
    """A roaring bitmap in its portable form, of a few containers of each kind."""
    containers = []
    for high in sorted(rng.sample([0, 1, 7, 9, 65535], rng.randrange(5))):
        size = rng.choice([1, 3, 3, 20, 5000, 65536])
        numbers = sorted(rng.sample(range(65536), size)) if rng.random() < 0.5 else list(range(65536 - size, 65536))
        runs = []
        for number in numbers:
            if runs and runs[-1][1] == number - 1:
                runs[-1][1] = number
            else:
                runs.append([number, number])
        containers.append((high, numbers, runs, len(runs) < 100 and rng.random() < 0.5))
    with_runs = any(container[3] for container in containers)
    text = struct.pack("<HH", 12347, len(containers) - 1) if with_runs else struct.pack("<II", 12346, len(containers))
    if with_runs:
        flags = sum(container[3] << i for i, container in enumerate(containers))
        text += flags.to_bytes((len(containers) + 7) // 8, "little")
    text += b"".join(struct.pack("<HH", high, len(numbers) - 1) for high, numbers, _, _ in containers)
    bodies = []
    for _, numbers, runs, as_runs in containers:
        if as_runs:
            bodies.append(struct.pack("<H", len(runs)) + b"".join(struct.pack("<HH", a, b - a) for a, b in runs))
        elif len(numbers) <= 4096:
            bodies.append(b"".join(struct.pack("<H", number) for number in numbers))
        else:
            bodies.append(sum(1 << number for number in numbers).to_bytes(8192, "little"))
    if not with_runs or len(containers) >= 4:
        start = len(text) + 4 * len(containers)
        for i in range(len(bodies)):
            text += struct.pack("<I", start + sum(map(len, bodies[:i])))
    return f'"{(text + b"".join(bodies)).hex()}"'


BITMAP = values.nullable(roaring, 0.2)
# Seconds since 1970, of records that have long expired and of some that will not in the time of these tests.
SECOND = values.choice(["1000", "1500000000", "2147000000", "2147000001"])

# function: type, values, whether a row may be retracted, options that it has beside ignore-retract
FUNCTIONS = {
    "sum": ("INT", NUMBER, True, {}),
    "product": ("INT", NUMBER, False, {}),
    "max": ("DECIMAL(4, 2)", SMALL, False, {}),
    "min": ("STRING", WORD, False, {}),
    "last_value": ("INT", NUMBER, True, {}),
    "last_non_null_value": ("STRING", WORD, True, {}),
    "first_value": ("INT", NUMBER, False, {}),
    "first_non_null_value": ("STRING", WORD, False, {}),
    "listagg": ("STRING", WORD, False, {"distinct": "true", "list-agg-delimiter": ";"}),
    "bool_and": ("BOOLEAN", FLAG, False, {}),
    "bool_or": ("BOOLEAN", FLAG, False, {}),
    "collect": ("ARRAY<INT>", LIST, True, {"distinct": "true"}),
    "merge_map": ("MAP<STRING, INT>", MAP, True, {}),
    "merge_map_with_keytime": ("MAP<STRING, ROW<v INT, t STRING>>", TIMED, False, {"ts-field": "t"}),
    "nested_partial_update": ("ARRAY<ROW<k INT, a INT, b STRING>>", PARTS, False, {}),
    "rbm32": ("BYTES", BITMAP, False, {}),
    "nested_update": ("ARRAY<ROW<k INT, v INT>>", ELEMENTS, True, {"nested-key": "k"}),
}
ENGINES = ["deduplicate", "partial-update", "sequence-groups", "aggregation", "first-row"]
PRODUCERS = ["none", "input", "lookup", "full-compaction"]


class RandomTable:
    """What `rng` makes of a table: its `scenario`, the kinds of rows it takes, and of what kind it is in words."""

    def __init__(self, rng, name):
        self.rng = rng
        self.engine = rng.choice(ENGINES)
        self.options = {"snapshot.num-retained.min": "500", "snapshot.num-retained.max": "600",
                        "merge-engine": "partial-update" if self.engine == "sequence-groups" else self.engine}
        self.partitions = ["p"] if rng.random() < 0.3 else []
        self.columns = [Column(key, "INT NOT NULL", values.choice(["1", "2"])) for key in self.partitions]
        self.columns.append(Column("id", "INT NOT NULL", lambda rng: str(rng.randrange(8))))
        self.kinds = ["+I", "+I", "+I", "+U"]
        self.choose_layout()
        self.choose_producer()
        {"aggregation": self.aggregate, "sequence-groups": self.group}.get(self.engine, self.choose_plain)()
        if self.engine != "first-row" and rng.random() < 0.5:
            self.choose_sequence_fields()
        self.choose_row_kinds()
        self.expires = rng.random() < 0.15
        if self.expires:
            self.add("ts", "INT", SECOND)
            self.options.update({"record-level.time-field": "ts", "record-level.expire-time": "1 d"})
        keys = self.partitions + ["id"]
        self.scenario = Scenario(name, self.columns, keys, self.partitions, self.options)

    def add(self, name, type_text, make):
        self.columns.append(Column(name, type_text, make))
        return name

    def choose_layout(self):
        rng, options = self.rng, self.options
        # Of partitions with dynamic buckets the Java peer hashes the whole primary key, as no writer of Paimon's does.
        options["bucket"] = rng.choice(["1", "1", "2"] if self.partitions else ["1", "1", "2", "-1"])
        if options["bucket"] == "-1":
            options["dynamic-bucket.target-row-num"] = "3"
        trigger = rng.choice([2, 2, 3, 4, 5, 40])
        options["num-sorted-run.compaction-trigger"] = str(trigger)
        if rng.random() < 0.2:
            options["target-file-size"] = "1 kb"
        if rng.random() < 0.2:
            options["file.format"] = "avro"
        if rng.random() < 0.15:
            options["data-file.thin-mode"] = "true"
        if rng.random() < 0.15:
            options["compaction.force-up-level-0"] = "true"

    def choose_producer(self):
        producers = ["none", "lookup"] if self.engine == "first-row" else PRODUCERS
        self.producer = self.options["changelog-producer"] = self.rng.choice(producers)
        if self.rng.random() < 0.3:
            self.options["changelog-producer.row-deduplicate"] = "true"

    def choose_plain(self):
        for name, type_text, make in (("a", "INT", NUMBER), ("b", "STRING", WORD), ("c", "ARRAY<INT>", LIST)):
            self.add(name, type_text, make)

    def choose_sequence_fields(self):
        names = [self.add(f"s{i}", "INT", NUMBER) for i in range(self.rng.choice([1, 1, 2, 3]))]
        self.options["sequence.field"] = ",".join(names)
        if self.rng.random() < 0.3:
            self.options["sequence.field.sort-order"] = "descending"

    def choose_row_kinds(self):
        rng = self.rng
        ignores = rng.random() < 0.25
        removes = not ignores and rng.random() < 0.4
        if ignores:
            self.options["ignore-delete"] = "true"
        elif self.engine == "first-row":
            return
        elif self.engine == "partial-update":
            self.options["partial-update.remove-record-on-delete"] = "true"
        elif self.engine == "sequence-groups" and removes:
            self.options["partial-update.remove-record-on-sequence-group"] = "g1"
        elif self.engine == "aggregation" and removes and not self.ignores_some:
            self.options["aggregation.remove-record-on-delete"] = "true"
        if self.engine != "aggregation" or self.retracts or ignores:
            self.kinds += rng.choice([["-D"], ["-D", "-U"], ["-D", "-D", "-D", "-U"]])
        elif removes:
            self.kinds += ["-D"]
        if len(self.kinds) > 5 and rng.random() < 0.15:
            self.add("k", "STRING", KIND)
            self.options["rowkind.field"] = "k"
        if rng.random() < 0.15:
            self.options["ignore-update-before"] = "true"

    def function_of(self, name, retracts_only):
        """A column with a random function."""
        rng = self.rng
        function = rng.choice(list(FUNCTIONS))
        type_text, make, retracts, others = FUNCTIONS[function]
        self.add(name, type_text, make)
        self.options[f"fields.{name}.aggregate-function"] = function
        if function == "nested_partial_update":
            self.options[f"fields.{name}.nested-key"] = "k"
        if rng.random() < 0.5:
            self.options.update({f"fields.{name}.{key}": value for key, value in others.items()})
        if (retracts_only and not retracts) or rng.random() < 0.1:
            self.options[f"fields.{name}.ignore-retract"] = "true"
            self.ignores_some = True
            return True
        return retracts

    def aggregate(self):
        self.ignores_some = False
        retracts_only = self.rng.random() < 0.5
        self.retracts = all([self.function_of(f"f{i}", retracts_only) for i in range(self.rng.randrange(1, 6))])

    def group(self):
        """One or two sequence groups, of one or two columns, and columns outside of them."""
        rng = self.rng
        for group in range(1, rng.choice([2, 3])):
            order = [self.add(f"g{group}", "INT", NUMBER)]
            if rng.random() < 0.4:
                order.append(self.add(f"h{group}", "INT", NUMBER))
            members = [self.add(f"a{group}", "STRING", WORD)]
            for i in range(rng.randrange(3)):
                members.append(f"f{group}{i}")
                self.function_of(members[-1], True)
            self.options[f"fields.{','.join(order)}.sequence-group"] = ",".join(members)
        self.add("e", "INT", NUMBER)

    def row(self):
        kind = "+I" if "rowkind.field" in self.options else self.rng.choice(self.kinds)
        return f'["{kind}",' + ",".join(column.make(self.rng) for column in self.columns) + "]"

    def rows(self, count):
        """Rows to write at once, as lines."""
        lines = [self.row() for _ in range(count)]
        if self.options.get("sequence.field.sort-order") == "descending":
            # Java 1.4's write buffer sorts the rows of a key in ascending order all the same: one row a key, then.
            lines = list({self.key_of(json.loads(line)[1:]): line for line in lines}.values())
        return lines

    def key_of(self, row):
        return str(row[:len(self.partitions) + 1])

    def words(self):
        return json.dumps({key: value for key, value in self.options.items() if not key.startswith("snapshot.")})
