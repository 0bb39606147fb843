"""Random values of every type, as the JSON text that both sides print for them."""

import json
import random

TEXTS = ["", " ", "a", "plain text", "héllo 世界 😀", "quote \" and \\ slash", "line\nbreak\ttab", "\u0001\u007f",
         "x" * 300, "=/:%?*", "__DEFAULT_PARTITION__x", "日本", "NULL", "Ω" * 20, "\uffff", "\U0010ffff after"]
FLOATS = ["0.0", "-0.0", "1.5", "-3.25", "3.4028235E38", "-3.4028235E38", "1.4E-45", "0.1", "1.0E10",
          '"NaN"', '"Infinity"', '"-Infinity"', "123456.79"]
DOUBLES = ["0.0", "-0.0", "1.5", "-3.25", "1.7976931348623157E308", "-1.7976931348623157E308", "4.9E-324",
           "2.2250738585072014E-308", "0.1", "1.0E10", "1.0E-5", '"NaN"', '"Infinity"', '"-Infinity"']
DATES = ["1970-01-01", "1969-12-31", "2024-02-29", "1582-10-10", "0001-01-01", "9999-12-31", "1900-03-01"]
TIMES = ["00:00:00.000", "23:59:59.999", "12:34:56.789", "00:00:00.001"]


def text_token(text):
    """As the dump writes it: short escapes, other controls as \\uXXXX, everything else as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\u007f", "\\u007f").replace("\\b", "\\u0008").replace(
        "\\f", "\\u000c")


def integer(bits):
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    def make(rng):
        return str(rng.choice([least, most, 0, 1, -1, rng.randint(least, most), rng.randint(-100, 100)]))
    return make


def decimal(precision, scale):
    def make(rng):
        most = 10 ** precision - 1
        unscaled = rng.choice([0, 1, -1, most, -most, rng.randint(-most, most), rng.randint(-9999, 9999) % most])
        digits = str(abs(unscaled)).rjust(scale + 1, "0")
        sign = "-" if unscaled < 0 else ""
        text = digits if scale == 0 else digits[:-scale] + "." + digits[-scale:]
        return f'"{sign}{text}"'
    return make


def text(limit=None):
    def make(rng):
        chosen = rng.choice(TEXTS) if rng.random() < 0.6 else "".join(
            rng.choice("abcdefghij é世") for _ in range(rng.randint(0, 40)))
        return text_token(chosen if limit is None else chosen[:limit])
    return make


def binary(least, most):
    def make(rng):
        return '"' + rng.randbytes(rng.randint(least, most)).hex() + '"'
    return make


def date(rng):
    if rng.random() < 0.4:
        return f'"{rng.choice(DATES)}"'
    return f'"{rng.randint(1, 9999):04d}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"'


def time_of_day(seconds_only):
    def make(rng):
        chosen = rng.choice(TIMES)
        return f'"{chosen[:8]}.000"' if seconds_only else f'"{chosen}"'
    return make


def timestamp(precision, suffix=""):
    """Nanoseconds since 1970 only: Java rounds INT96 wrongly before it."""
    def make(rng):
        first, last = (1970, 2260) if precision > 6 else (1, 9999)
        year = rng.choice([1970, 1969, 2024, 1583, rng.randint(first, last)]) if precision <= 6 else rng.randint(first, last)
        chosen = (f"{year:04d}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d} "
                  f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:{rng.randint(0, 59):02d}")
        fraction = rng.choice(["0" * 9, "9" * 9, f"{rng.randint(0, 999999999):09d}"])[:precision]
        return f'"{chosen}{"." + fraction if precision else ""}{suffix}"'
    return make


def nullable(make, share=0.15):
    return lambda rng: "null" if rng.random() < share else make(rng)


def array(element, share_of_nulls=0.2):
    element = nullable(element, share_of_nulls)
    return lambda rng: "[" + ",".join(element(rng) for _ in range(rng.choice([0, 1, 2, 5]))) + "]"


def mapping(key, value):
    def make(rng):
        pairs = {key(rng): value(rng) for _ in range(rng.choice([0, 1, 2, 5]))}
        return "[" + ",".join(sorted((f"[{k},{v}]" for k, v in pairs.items()), key=lambda t: t.encode("utf-16-be"))) + "]"
    return make


def row(*members):
    return lambda rng: "[" + ",".join(member(rng) for member in members) + "]"


def boolean(rng):
    return rng.choice(["true", "false"])


def choice(options):
    return lambda rng: rng.choice(options)


# Type text → how to make a value of it.
PRIMITIVES = {
    "BOOLEAN": boolean,
    "TINYINT": integer(8), "SMALLINT": integer(16), "INT": integer(32), "BIGINT": integer(64),
    "FLOAT": choice(FLOATS), "DOUBLE": choice(DOUBLES),
    "DECIMAL(5, 2)": decimal(5, 2), "DECIMAL(9, 0)": decimal(9, 0), "DECIMAL(18, 4)": decimal(18, 4),
    "DECIMAL(38, 10)": decimal(38, 10), "DECIMAL(38, 38)": decimal(38, 38),
    "CHAR(5)": text(5), "VARCHAR(20)": text(20), "STRING": text(),
    "BINARY(4)": binary(4, 4), "VARBINARY(10)": binary(0, 10), "BYTES": binary(0, 60),
    "DATE": date, "TIME(0)": time_of_day(True), "TIME(3)": time_of_day(False),
    "TIMESTAMP(0)": timestamp(0), "TIMESTAMP(3)": timestamp(3), "TIMESTAMP(6)": timestamp(6),
    "TIMESTAMP(9)": timestamp(9),
    "TIMESTAMP(0) WITH LOCAL TIME ZONE": timestamp(0, "Z"), "TIMESTAMP(3) WITH LOCAL TIME ZONE": timestamp(3, "Z"),
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": timestamp(6, "Z"), "TIMESTAMP(9) WITH LOCAL TIME ZONE": timestamp(9, "Z"),
}
AVRO_PRIMITIVES = {name: make for name, make in PRIMITIVES.items() if "(9) " not in name + " " or "DECIMAL" in name}

NESTED = {
    "ARRAY<INT>": array(integer(32)),
    "ARRAY<STRING>": array(text()),
    "ARRAY<ARRAY<TIMESTAMP(3)>>": array(array(timestamp(3))),
    "MAP<STRING, INT>": mapping(text(), nullable(integer(32))),
    "MAP<INT, ARRAY<STRING>>": mapping(integer(32), nullable(array(text()))),
    "ROW<a INT, b STRING, c DECIMAL(10, 2)>": row(nullable(integer(32)), nullable(text()), nullable(decimal(10, 2))),
    "ARRAY<ROW<x BIGINT, y ROW<s STRING, t TIMESTAMP(6)>>>":
        array(row(nullable(integer(64)), nullable(row(nullable(text()), nullable(timestamp(6)))))),
    "MAP<STRING, ROW<q DOUBLE, w ARRAY<BOOLEAN>>>":
        mapping(text(), nullable(row(nullable(choice(DOUBLES)), nullable(array(boolean))))),
    "MULTISET<STRING>": mapping(text(), lambda rng: str(rng.randint(1, 9))),
}


def seeded(seed):
    return random.Random(seed)
