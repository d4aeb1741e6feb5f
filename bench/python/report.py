"""What came out: a line for each comparison, as text, as a table in README.md and as JSON."""

import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

MARKS = [f"<!-- made by cargo xtask bench python: {end} -->" for end in ("start", "end")]
TITLES = {"numpy": "NumPy", "torch": "torch", "mlx": "MLX"}


@dataclass
class Line:
    """One comparison."""

    work: str
    against: str
    ratio: float
    median: float
    goal: float | None
    microseconds: float

    @property
    def passed(self):
        return None if self.goal is None else self.ratio >= self.goal


class Report:
    """All comparisons of a run."""

    def __init__(self, versions, rounds):
        self.versions, self.rounds = versions, rounds
        self.lines, self.times, self.imports = [], {}, None

    def setting(self):
        peers = ", ".join(f"{TITLES[name]} {self.versions[name]}" for name in TITLES)
        return (
            f"{processor()}, 2 threads, against {peers}; "
            f"best of {self.rounds} rounds of each library in turn."
        )

    def add(self, work, times):
        """Adds the times of a work, and prints each comparison."""
        self.times[work.name] = times
        ours = times["bessemer"]
        for library in times:
            if library == "bessemer":
                continue
            theirs = times[library]
            pairs = median(b / a for a, b in zip(ours, theirs, strict=True))
            goal = work.goals.get(library)
            line = Line(work.name, library, min(theirs) / min(ours), pairs, goal, 1e6 * min(ours))
            self.lines.append(line)
            print(" ".join(cell.ljust(width) for cell, width in zip(cells(line), [45, 8, 10, 9, 9, 9, 3], strict=True)))

    def add_imports(self, times, goal):
        """Adds how long the imports take."""
        best = {name: min(all_of_it) for name, all_of_it in times.items()}
        self.imports = {"seconds": best, "goal": best["numpy"] + goal}
        print(self.import_line())

    def import_line(self):
        ours, theirs = (1e3 * self.imports["seconds"][name] for name in ("bessemer", "numpy"))
        word = "reached" if ours <= 1e3 * self.imports["goal"] else "missed"
        return (
            f"A process that only imports bessemer takes {ours:.0f} ms, one that only imports NumPy "
            f"{theirs:.0f} ms; the goal of NumPy's + 30 ms is {word}."
        )

    def verdict(self):
        goals = [line.passed for line in self.lines if line.goal is not None]
        return f"{sum(goals)} of {len(goals)} goals of speed reached."

    def write(self, folder: Path):
        """Rewrites the table of README.md, and results.json."""
        heads = ["work", "against", "ours", "measured", "median", "goal", "reached"]
        rows = [heads, ["---", "---", "---:", "---:", "---:", "---:", ":---:"], *map(cells, self.lines)]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        parts = [self.setting(), table, f"{self.verdict()} {self.import_line()}"]
        page = folder / "README.md"
        before, rest = page.read_text().split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        page.write_text(before + MARKS[0] + "\n" + "\n\n".join(parts) + "\n" + MARKS[1] + after)
        lines = [asdict(line) for line in self.lines]
        results = {"setting": self.setting(), "lines": lines, "imports": self.imports, "seconds": self.times}
        (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")


def cells(line):
    goal = "" if line.goal is None else f"≥ {line.goal:g}×"
    word = {None: "", True: "yes", False: "no"}[line.passed]
    time = f"{line.microseconds:.3g} µs" if line.microseconds < 1e3 else f"{line.microseconds / 1e3:.3g} ms"
    return [line.work, TITLES[line.against], time, f"{line.ratio:.2f}×", f"{line.median:.2f}×", goal, word]


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    fields = {}
    for line in lines:
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    family = f" (family {fields['cpu family']}, model {fields['model']})" if "cpu family" in fields else ""
    return fields.get("model name", platform.processor()) + family
