"""What a table should hold, in plain dictionaries: rows by key, or a list of rows where there is no key."""

import json


class Column:
    def __init__(self, name, type_text, make):
        self.name = name
        self.type = type_text
        self.make = make


class Model:
    """Rows are tuples of (column name, JSON text) pairs in a dict; `history` holds the sorted lines at each snapshot."""

    def __init__(self, columns, keys, partitions):
        self.columns = list(columns)
        self.keys = list(keys)
        self.partitions = list(partitions)
        self.rows = {}  # by key; without a key by a running number
        self.next_row = 0
        self.history = {}

    def line(self, row, kind=None):
        head = [] if kind is None else [json.dumps(kind)]
        return "[" + ",".join(head + [row.get(column.name, "null") for column in self.columns]) + "]"

    def lines(self):
        return sorted(self.line(row) for row in self.rows.values())

    def key_of(self, row):
        if not self.keys:
            self.next_row += 1
            return self.next_row
        return tuple(row[name] for name in self.keys)

    def remember(self, first, last):
        """The state is that of the snapshots `first` .. `last`."""
        lines = self.lines()
        for snapshot in range(first, last + 1):
            self.history[snapshot] = lines

    def random_changes(self, rng, count, strict):
        """Changes as lines to write, applied here too. `strict`: with the older row before an update, as the input
        changelog needs them."""
        changes = []
        for _ in range(count):
            row = {column.name: column.make(rng) for column in self.columns}
            if not self.keys:
                changes.append(self.line(row, "+I"))
                self.rows[self.key_of(row)] = row
                continue
            key = self.key_of(row)
            older = self.rows.get(key)
            if older is not None and rng.random() < 0.3:
                changes.append(self.line(older, "-D"))
                del self.rows[key]
                continue
            if older is not None and strict:
                changes.append(self.line(older, "-U"))
            changes.append(self.line(row, "+U" if older is not None else "+I"))
            self.rows[key] = row
        return changes

    def overwrite(self, rng, count, partition):
        """Rows that replace those of a partition ({} for the whole table), as lines to write."""
        for key in [key for key, row in self.rows.items()
                    if all(row[name] == value for name, value in partition.items())]:
            del self.rows[key]
        lines = {}
        for _ in range(count):
            row = {column.name: column.make(rng) for column in self.columns}
            row.update(partition)
            key = self.key_of(row)
            lines[key] = self.line(row, "+I")
            self.rows[key] = row
        return list(lines.values())

    # Schema changes, as `peer alter` makes them.

    def add_column(self, column, position):
        self.columns.insert(position, column)

    def drop_column(self, name):
        self.columns = [column for column in self.columns if column.name != name]
        for row in self.rows.values():
            row.pop(name, None)

    def rename_column(self, name, new_name):
        for column in self.columns:
            if column.name == name:
                column.name = new_name
        for row in self.rows.values():
            if name in row:
                row[new_name] = row.pop(name)


def replay(lines, key_positions, rows):
    """Applies a streamed changelog strictly to `rows` (key → values). The first contradiction in words, or None."""
    for line in lines:
        snapshot, kind, *values = json.loads(line)
        key = json.dumps([values[position] for position in key_positions])
        text = json.dumps(values)
        if kind in ("+I", "+U"):
            if kind == "+I" and key in rows:
                return f"snapshot {snapshot}: +I of a row that is there: {text}"
            rows[key] = text
        elif rows.get(key) != text:
            return f"snapshot {snapshot}: {kind} {text}, but the row is {rows.get(key)}"
        else:
            del rows[key]
    return None
