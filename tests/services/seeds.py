"""The scripts of examples/seeds, made ready for the servers of a test."""

import json
import pathlib

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "seeds"


def script(name, replacements):
    """The text of a script, with hosts, ports and the like in their places; each must be there."""
    text = (SCRIPTS / name).read_text()
    for old, new in replacements.items():
        assert old in text, f"{name} has no {old}"
        text = text.replace(old, str(new))
    return text


def replay(lines):
    """The rows that changes (snapshot, kind, row) leave; each must fit what was there."""
    rows = {}
    for line in lines:
        _, kind, key, *values = json.loads(line)
        if kind in ("+I", "+U"):
            assert kind == "+U" or key not in rows, line
            rows[key] = values
        else:
            assert rows.pop(key) == values, line
    return rows
