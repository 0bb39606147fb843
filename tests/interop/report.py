"""Lines for people: one a check, failures with their reason."""


def difference(expected, actual):
    """The first difference of two sorted lists of lines in words, or None."""
    if expected == actual:
        return None
    wanted, came = set(expected), set(actual)
    missing = [line for line in expected if line not in came]
    surplus = [line for line in actual if line not in wanted]
    parts = [f"{len(expected)} lines expected, {len(actual)} came"]
    if missing:
        parts.append(f"missing {missing[0][:300]}")
    if surplus:
        parts.append(f"surplus {surplus[0][:300]}")
    return "; ".join(parts) + ("" if missing or surplus else "; lines repeat or are in another order")


class Report:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.comparisons = 0

    def equal(self, what, expected, actual):
        """Counts a comparison; a difference is raised with what was compared."""
        self.comparisons += 1
        found = difference(expected, actual)
        if found is not None:
            raise AssertionError(f"{what}: {found}")

    def holds(self, what, problem):
        self.comparisons += 1
        if problem:
            raise AssertionError(f"{what}: {problem}")

    def check(self, name, function):
        """Runs a check, prints its line, and tells whether it passed. The function may return words about it."""
        try:
            words = function()
        except Exception as problem:  # the other checks go on, whatever came
            self.failed += 1
            print(f"FAILED {name}: {type(problem).__name__ if not str(problem) else ''}{problem}", flush=True)
            return False
        self.passed += 1
        print(f"ok {name}{': ' + words if words else ''}", flush=True)
        return True

    def finish(self):
        print(f"{self.comparisons} comparisons")
        print(f"{self.passed} passed, {self.failed} failed")
        return 0 if self.failed == 0 and self.passed > 0 else 1
