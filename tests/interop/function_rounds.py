"""Sequence groups, deletes that remove, and every aggregate function, in tables that Weir and Java write and compact by
turns: both must read the same rows. Changes are compared in engine_rounds.py."""

import json
import random

import values
from scenarios import Scenario, primary
from model import Column

NUMBER = values.nullable(lambda rng: str(rng.randrange(-3, 9)), 0.3)
WORD = values.nullable(values.choice(['"a"', '"b"', '"c,a"', '""']), 0.2)
LIST = values.nullable(lambda rng: json.dumps([rng.randrange(4) for _ in range(rng.randrange(3))]), 0.2)
SMALL = values.nullable(lambda rng: f'"{rng.randrange(-99, 99) / 10:.2f}"', 0.2)

# name, columns beside the key, options, kinds of rows
ENGINES = [
    ("partial-update", {"a": ("INT", NUMBER), "b": ("STRING", WORD)}, {}, "+I +U"),
    ("partial-update", {"a": ("INT", NUMBER), "b": ("STRING", WORD)},
     {"partial-update.remove-record-on-delete": "true"}, "+I +U -D"),
    ("partial-update",
     {"g": ("INT", NUMBER), "a": ("INT", NUMBER), "s": ("INT", NUMBER), "h1": ("INT", NUMBER), "h2": ("INT", NUMBER),
      "b": ("STRING", WORD), "m": ("INT", NUMBER), "f": ("INT", NUMBER), "e": ("INT", NUMBER)},
     {"fields.g.sequence-group": "a,s", "fields.h1,h2.sequence-group": "b,m,f", "fields.s.aggregate-function": "sum",
      "fields.m.aggregate-function": "max", "fields.m.ignore-retract": "true",
      "fields.f.aggregate-function": "first_value", "fields.f.ignore-retract": "true"}, "+I +U -U -D"),
    ("partial-update", {"g": ("INT", NUMBER), "a": ("INT", NUMBER), "e": ("INT", NUMBER)},
     {"fields.g.sequence-group": "a", "partial-update.remove-record-on-sequence-group": "g"}, "+I +U -U -D"),
    ("aggregation",
     {"s": ("INT", NUMBER), "d": ("DECIMAL(4, 2)", SMALL), "lv": ("INT", NUMBER), "ln": ("INT", NUMBER),
      "c": ("ARRAY<INT>", LIST)},
     {"fields.s.aggregate-function": "sum", "fields.d.aggregate-function": "sum",
      "fields.lv.aggregate-function": "last_value", "fields.ln.aggregate-function": "last_non_null_value",
      "fields.c.aggregate-function": "collect"}, "+I +U +U"),
    ("aggregation",
     {"p": ("INT", NUMBER), "mx": ("DECIMAL(4, 2)", SMALL), "mn": ("STRING", WORD), "la": ("STRING", WORD),
      "ld": ("STRING", WORD), "fv": ("INT", NUMBER), "fn": ("INT", NUMBER), "cd": ("ARRAY<INT>", LIST)},
     {"fields.p.aggregate-function": "product", "fields.mx.aggregate-function": "max",
      "fields.mn.aggregate-function": "min", "fields.la.aggregate-function": "listagg",
      "fields.ld.aggregate-function": "listagg", "fields.ld.distinct": "true",
      "fields.fv.aggregate-function": "first_value", "fields.fn.aggregate-function": "first_non_null_value",
      "fields.cd.aggregate-function": "collect", "fields.cd.distinct": "true"}, "+I +U"),
    ("aggregation", {"t": ("INT", NUMBER), "a": ("INT", NUMBER), "s": ("INT", NUMBER)},
     {"sequence.field": "t", "fields.a.aggregate-function": "last_value", "fields.s.aggregate-function": "sum",
      "changelog-producer": "lookup"}, "+I +U"),
    ("first-row", {"a": ("INT", NUMBER)}, {"changelog-producer": "lookup"}, "+I +U"),
    ("deduplicate", {"t": ("INT", NUMBER), "u": ("INT", NUMBER), "a": ("STRING", WORD)},
     {"sequence.field": "t,u", "sequence.field.sort-order": "descending"}, "+I +U"),
]


def run_function_rounds(weir, java, warehouse, report, seed):
    for number, (engine, columns, options, kinds) in enumerate(ENGINES):
        report.check(f"functions by turns, {number}: {engine}",
                     lambda: by_turns(weir, java, warehouse, report, f"{seed}/{number}", f"functions-{number}",
                                      [primary(most=12)] + [Column(name, *column) for name, column in columns.items()],
                                      {"bucket": "1", "merge-engine": engine, **options}, kinds.split()))


def by_turns(weir, java, warehouse, report, seed, name, columns, options, kinds):
    rng = random.Random(seed)
    table = weir.create(warehouse, name, Scenario(name, columns, ["id"], [], options).schema())
    for turn in range(8):
        rows = [f'["{rng.choice(kinds)}",' + ",".join(column.make(rng) for column in columns) + "]"
                for _ in range(rng.randrange(4, 16))]
        side = rng.choice((weir, java))
        compacts = turn == 7 or rng.random() < 0.3
        side.write(table, rows, *(["--compact"] if compacts else []))
        report.equal(f"turn {turn} of {side.name}", java.dump(table), weir.dump(table))
