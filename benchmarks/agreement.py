"""Agreement of a million human judgements with a million by scorers: ours against pandas, scikit-learn and scipy, in one run.

    uv run benchmarks/agreement.py [--rows 1000000]

Both sides read the same project and make the same per-task table; the values are asserted equal. Then people answer, one at a
time, and the point estimates after each answer are timed against counting everything anew.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import duckdb
import numpy as np
import pandas as pd
from scipy import stats
from sklearn.metrics import accuracy_score, cohen_kappa_score

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for the package `agreement`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from agreement.engine.live import About, Standing
from benchmarks import synthetic
from benchmarks.synthetic import ASPECT, JUDGES, PEOPLE, SCORERS, SUITE
from data.records import Annotation, Judgement
from data.store import statements, tables
from data.store.selection import Selection
from data.store.store import Store
from ui.commands import standing
from ui.commands.agreement import Rows

T = TypeVar("T")
Key = tuple[str, str, str]
"""Task (or "all"), scorer (or "people"), statistic."""
Values = dict[Key, float]

SELECTION = Selection(suite=(SUITE,), aspect=(ASPECT,))
TOLERANCE = 1e-9
ANSWERS = 30
ALL = "all"


def timed(make: Callable[[], T]) -> tuple[T, float]:
    """A result, and the seconds it took."""
    start = time.perf_counter()
    result = make()
    return result, time.perf_counter() - start


def counted(store: Store) -> Values:
    """Ours: everything counted in the database, then summed and computed."""
    about = About(SUITE, ASPECT, "nominal")
    made = Standing(about, tables.counted(store, tables.Asked(SUITE, ASPECT, SELECTION)))
    return values(made.report(each_generator=False).to_dict())


def quick(store: Store) -> Values:
    """Ours, as a page asks for it: what stands from before is kept."""
    rows = standing.quick(store, SELECTION)
    assert rows is not None
    return values(rows)


def values(rows: Rows) -> Values:
    """The report's rows as a table; NaN for what is undefined."""
    keyed = [("people", row) for row in rows["among_people"]] + [(row["rater"], row) for row in rows["raters"]]
    return {(r["task"], who, r["statistic"]): np.nan if r["value"] is None else float(r["value"]) for who, r in keyed}


def reference(store: Store) -> Values:
    """What pandas, scikit-learn and scipy make of the same rows; yes and no as 1 and 0, which is faster than as words."""
    with store.read() as cursor:
        rows = cursor.execute(
            "select j.item_id as item, t.task, j.rater_id as rater, r.kind, j.aspect, j.value, j.seq"
            " from judgements j join items t using (item_id) join raters r on r.rater_id = j.rater_id"
            " left join annotations a on a.annotation_id = j.source_id"
            " where j.reason is null and (a.status is null or (a.status = 'valid' and not a.saw_evidence))"
        ).df()
    for column in ("item", "task", "rater", "kind", "aspect"):
        rows[column] = rows[column].astype("category")
    rows = rows.sort_values("seq").drop_duplicates(["item", "rater", "aspect"])
    people = rows[rows["kind"] == "human"]
    found: Values = {}
    for name in (*JUDGES, *SCORERS):
        own = rows.loc[rows["rater"] == name, ["item", "value"]]
        met = people.merge(own, on="item", suffixes=("", "_scorer"))
        means = met.groupby("item", observed=True).agg(
            task=("task", "first"), people=("value", "mean"), own=("value_scorer", "first")
        )
        for task, units in _by_task(means):
            found[task, name, "spearman"] = stats.spearmanr(units["own"], units["people"]).statistic
            found[task, name, "pearson"] = stats.pearsonr(units["own"], units["people"]).statistic
        for task, pairs in _by_task(met) if name in JUDGES else ():
            said = pairs["value_scorer"].to_numpy(int), pairs["value"].to_numpy(int)
            found[task, name, "percent_agreement"] = accuracy_score(*said)
            found[task, name, "cohen_kappa"] = cohen_kappa_score(*said)
    for task, rated in _by_task(people):
        found[task, "people", "mean"] = rated["value"].mean()
        units = rated.groupby("item", observed=True)["value"].agg(["size", "sum"])
        n, yes = (units.loc[units["size"] >= 2, column] for column in ("size", "sum"))
        alike = yes * (yes - 1) + (n - yes) * (n - yes - 1)
        found[task, "people", "percent_agreement"] = (alike / (n * (n - 1))).mean()
    return found


def _by_task(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each task, and all."""
    return [*((str(task), part) for task, part in rows.groupby("task", observed=True)), (ALL, rows)]


def apart(first: Values, second: Values) -> float:
    """The largest difference of what both have.

    Raises:
        AssertionError: ``second`` has something that ``first`` has not, or a value differs by more than 1e-9.
    """
    assert second.keys() <= first.keys(), second.keys() - first.keys()
    one, other = (np.array([table[key] for key in second]) for table in (first, second))
    assert (np.isnan(one) == np.isnan(other)).all()
    largest = float(np.nanmax(np.abs(one - other)))
    assert largest <= TOLERANCE, largest
    return largest


def places(store: Store, *, rated: bool) -> list[str]:
    """Images about which people have said something, or nothing yet."""
    with store.read() as cursor:
        found = cursor.execute(
            "select item_id from items where (item_id in (select item_id from annotations)) = ? order by hash(item_id) limit ?",
            [rated, ANSWERS],
        ).fetchall()
    return [row[0] for row in found]


def answered(store: Store, n: int, item: str) -> None:
    """One more person's answer about an image."""
    said = Judgement(ASPECT, *(("yes", 1.0) if n % 3 else ("no", 0.0)))
    statements.submit(store, Annotation(str(uuid.uuid4()), item, f"person-{PEOPLE + n}", "direct", {}, (said,), "direct-1"))


def live(store: Store) -> tuple[Values, list[float], list[float]]:
    """The values after all answers, and the seconds after each: about images that people have rated, and that nobody has."""
    now = quick(store)
    seconds: tuple[list[float], list[float]] = ([], [])
    for n, pair in enumerate(zip(places(store, rated=True), places(store, rated=False), strict=False)):
        for which, item in enumerate(pair):
            answered(store, 2 * n + which, item)
            before, (now, took) = now, timed(lambda: quick(store))
            assert now != before
            seconds[which].append(took)
    return now, *seconds


def run(store: Store, images: int) -> list[str]:
    """Measure; the lines to print."""
    sizes = synthetic.make(store, images)
    full, ours = timed(lambda: counted(store))
    theirs_values, theirs = timed(lambda: reference(store))
    first = apart(full, theirs_values)
    now, more, new = live(store)
    again, recomputing = timed(lambda: counted(store))
    second = max(apart(now, again), apart(now, reference(store)))

    def row(what: str, mine: float, other: float, difference: float) -> str:
        return f"{what:50}{mine * 1000:>9.1f} ms{other * 1000:>11.0f} ms{other / mine:>8.1f}{difference:>21.1e}"

    def after(what: str, seconds: list[float]) -> list[str]:
        middle = row(f"{what} (median of {len(seconds)})", statistics.median(seconds), recomputing, second)
        return [middle, f"{'  the slowest of these':50}{max(seconds) * 1000:>9.1f} ms"]

    def head(other: str) -> str:
        return f"{'':50}{'ours':>12}{other:>14}{'ratio':>8}{'largest difference':>21}"

    return [
        f"{sizes.images:,} images, {len(synthetic.TASKS)} tasks, {sizes.by_people:,} judgements by people, "
        f"{sizes.by_scorers:,} by scorers",
        f"{os.cpu_count()} cores, Python {platform.python_version()}, DuckDB {duckdb.__version__}, pandas {pd.__version__}",
        "",
        head("pandas"),
        row("table per task, kappa and Spearman", ours, theirs, first),
        head("ours anew"),
        *after("one more answer about an image", more),
        *after("the first answer about an image", new),
        "",
        f"{len(theirs_values)} of our {len(full)} values are checked against pandas, scikit-learn and scipy, before and after.",
    ]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Make a project, measure, print; the printed lines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=1_000_000, help="human judgements, about (default 1000000)")
    images = max(parser.parse_args(arguments).rows // PEOPLE, 100)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "project") as store:
        lines = run(store, images)
    print("\n".join(lines))
    return lines


if __name__ == "__main__":
    main()
