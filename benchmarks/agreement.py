"""Agreement of a million human judgements with a million by scorers: ours against pandas, scikit-learn and scipy, in one run.

    uv run benchmarks/agreement.py [--rows 1000000]

The large project is made in the database itself: images, people's answers, scorers' verdicts and scores, all of it invented
(`make_project`; other benchmarks use it, too). Both sides read the same project and make the same per-task table; the
values are asserted equal, and so are those of the report (`build`, without intervals), which reads every judgement as a row.
Then people answer, one at a time, and the point estimates after each answer are timed against counting everything anew.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from scipy import stats
from sklearn.metrics import accuracy_score, cohen_kappa_score

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for the package `agreement`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from agreement import AgreementReport, Options
from agreement.engine.live import AspectScale, LiveEstimates
from benchmarks.measuring import Timing, command_line, machine, tell, timed
from concord import agreement
from concord.agreement import AgreementRows
from data.records import Annotation, Judgement
from data.selection import Selection
from data.store.analysis import aggregates
from data.store.core.store import Store
from data.store.judgements import recording

SUITE, ASPECT, SCORE = "synthetic", "correct", "score"
TASKS = ("colors", "counting", "position", "single_object", "two_object")
PEOPLE = 5
JUDGES = ("detector", "judge-a", "judge-b")
"""Scorers that say yes or no."""
SCORERS = ("cosine", "margin")
"""Scorers that give a number."""


@dataclass(frozen=True)
class Sizes:
    """How much there is of each; judgements with those that do not count."""

    images: int
    by_people: int
    by_scorers: int


def make_project(store: Store, images: int) -> Sizes:
    """Fill an empty project; the same every time."""
    sizes: Sizes = store.change(lambda connection: _make(connection, images))
    return sizes


# u(n, salt) looks like chance in [0, 1) and is the same every time.
_TABLES = f"""
create or replace temp macro u(n, salt) as (hash(n * 1000 + salt) % 1000003) / 1000003.0;

create or replace temp table made as
select n, '{SUITE}/' || lpad((n // 20)::varchar, 5, '0') as prompt_id, 'generator-' || (n // 5) % 4 as generator,
       prompt_id || '/' || generator || '/' || n % 5 as item_id, n % 5 as idx,
       {list(TASKS)}[1 + (n // 20) % {len(TASKS)}] as task, u(n, 1) < 0.6 as truth
from range(?) r(n);

insert into prompts select distinct prompt_id, '{SUITE}', task, 'prompt', '{{}}', null from made;
insert into images (image_id, prompt_id, generator, idx) select item_id, prompt_id, generator, idx from made;
insert into items select item_id, 'image', '{SUITE}', prompt_id, task, generator, md5(item_id), null from made;
insert into item_members select item_id, item_id, 0, null from made;
insert into scales values ('{SUITE}', '{ASPECT}', 'nominal', null), ('{SUITE}', '{SCORE}', 'interval', null);
insert into raters select 'person-' || p, 'human', 'person', null, '{{}}', false, null from range({PEOPLE}) r(p);
insert into raters select unnest({[*JUDGES, *SCORERS]}), 'scorer', null, null, '{{}}', false, null;

-- of 2 % of the images nobody has said anything yet; else 1 % of the answers are missing, 3 % cannot tell, 3 % are given
-- twice, and they come in any order
create or replace temp table answers as
select n, item_id, p, again, md5(n || '/' || p || '/' || again) as annotation_id, u(n * 10 + p, 4 + again) < 0.03 as cannot,
       truth = (u(n * 10 + p, 5 + again) < 0.85) as yes,
       row_number() over (order by hash(n * 100 + p * 10 + again)) as seq
from made, range({PEOPLE}) r(p), range(2) s(again)
where n % 50 <> 7 and u(n * 10 + p, 2) >= 0.01 and (again = 0 or u(n * 10 + p, 3) < 0.03);

insert into annotations (annotation_id, campaign_id, item_id, rater_id, questionnaire, answers, raw, started, submitted,
    active_seconds, saw_evidence, status, revises, root_id, seq, import_id, passed, selected, status_before)
select annotation_id, null, item_id, 'person-' || p, 'direct', '{{}}', null, null,
    timestamptz '2026-01-01 00:00:00+00' + to_seconds(seq), null, false, 'valid', null, annotation_id, seq,
    null, null, null, null
from answers order by seq;

insert into judgements select item_id, 'person-' || p, '{ASPECT}', null,
    case when cannot then null when yes then 'yes' else 'no' end, case when cannot then null else yes::integer end,
    case when cannot then 'cannot_tell' end, annotation_id, 'direct-1', seq
from answers order by seq;

insert into judgements select item_id, name, '{ASPECT}', null, case when yes then 'yes' else 'no' end, yes::integer, null,
    md5(name || n), 'judge-1', 10000000 + row_number() over (order by place, hash(n))
from (select item_id, n, name, place, truth = (u(n * 10 + place, 6) < 0.7 + 0.05 * place) as yes
      from made, (select unnest({list(JUDGES)}) as name, unnest(range({len(JUDGES)})) as place));

insert into judgements select item_id, name, '{SCORE}', null, null,
    -- half of the scores are rounded, so that there are ties
    case when place = 0 then round(score, 3) else score end, null, md5(name || n), 'score-1',
    20000000 + row_number() over (order by place, hash(n))
from (select item_id, n, name, place, truth::integer * 0.4 + u(n * 10 + place, 7) as score
      from made, (select unnest({list(SCORERS)}) as name, unnest(range({len(SCORERS)})) as place));

create or replace sequence statement_seq start 30000000;
drop table answers;
drop table made;
"""


def _make(connection: duckdb.DuckDBPyConnection, images: int) -> Sizes:
    for statement in _TABLES.split(";\n"):
        connection.execute(statement, [images] if "?" in statement else [])
    counts = connection.execute(
        "select count(*) filter (r.kind = 'human'), count(*) filter (r.kind = 'scorer')"
        " from judgements j join raters r using (rater_id)"
    ).fetchone()
    assert counts is not None
    return Sizes(images, *counts)


Key = tuple[str, str, str]
"""Task (or "all"), scorer (or "people"), statistic."""
Values = dict[Key, float]

SELECTION = Selection(suite=(SUITE,), aspect=(ASPECT,))
POINTS = Options(intervals=False, matrix=False, each_generator=False)
TOLERANCE = 1e-9
ANSWERS = 30
ALL = "all"


def counted(store: Store) -> Values:
    """Ours: everything counted in the database, then summed and computed."""
    about = AspectScale(SUITE, ASPECT, "nominal")
    made = LiveEstimates(about, *aggregates.aggregate(store, aggregates.AggregateQuery(SUITE, ASPECT, SELECTION)))
    return values(made.report())


def quick(store: Store) -> Values:
    """Ours, as a page asks for it: what stands from before is kept."""
    rows = agreement.quick_estimates(store, SELECTION)
    assert rows is not None
    return values(rows)


def values(rows: AgreementReport | AgreementRows) -> Values:
    """The report's rows as a table; NaN for what is undefined."""
    keyed = [("people", row) for row in rows.among_people] + [(row.rater, row) for row in rows.raters]
    return {(row.task, who, row.statistic): np.nan if row.value is None else row.value for who, row in keyed}


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
    values: Values = {}
    for name in (*JUDGES, *SCORERS):
        own = rows.loc[rows["rater"] == name, ["item", "value"]]
        met = people.merge(own, on="item", suffixes=("", "_scorer"))
        means = met.groupby("item", observed=True).agg(
            task=("task", "first"), people=("value", "mean"), own=("value_scorer", "first")
        )
        for task, units in _by_task(means):
            values[task, name, "spearman"] = stats.spearmanr(units["own"], units["people"]).statistic
            values[task, name, "pearson"] = stats.pearsonr(units["own"], units["people"]).statistic
        for task, pairs in _by_task(met) if name in JUDGES else ():
            pair_labels = pairs["value_scorer"].to_numpy(int), pairs["value"].to_numpy(int)
            values[task, name, "percent_agreement"] = accuracy_score(*pair_labels)
            values[task, name, "cohen_kappa"] = cohen_kappa_score(*pair_labels)
    for task, rated in _by_task(people):
        values[task, "people", "mean"] = rated.groupby("item", observed=True)["value"].mean().mean()
        units = rated.groupby("item", observed=True)["value"].agg(["size", "sum"])
        n, yes = (units.loc[units["size"] >= 2, column] for column in ("size", "sum"))
        alike = yes * (yes - 1) + (n - yes) * (n - yes - 1)
        values[task, "people", "percent_agreement"] = (alike / (n * (n - 1))).mean()
    return values


def _by_task(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each task, and all."""
    return [*((str(task), part) for task, part in rows.groupby("task", observed=True)), (ALL, rows)]


def apart(first: Values, second: Values) -> float:
    """The largest difference of what both have.

    Raises:
        AssertionError: ``second`` has something that ``first`` has not, or a value differs by more than 1e-9.
    """
    assert second.keys() <= first.keys(), second.keys() - first.keys()
    mine, other = (np.array([table[key] for key in second]) for table in (first, second))
    assert (np.isnan(mine) == np.isnan(other)).all()
    largest = float(np.nanmax(np.abs(mine - other)))
    assert largest <= TOLERANCE, largest
    return largest


def rated_and_unrated(store: Store, *, rated: bool) -> list[str]:
    """Images about which people have said something, or nothing yet."""
    with store.read() as cursor:
        rows = cursor.execute(
            "select item_id from items where (item_id in (select item_id from annotations)) = ? order by hash(item_id) limit ?",
            [rated, ANSWERS],
        ).fetchall()
    return [row[0] for row in rows]


def answered(store: Store, n: int, item: str) -> None:
    """One more person's answer about an image."""
    judgement = Judgement(ASPECT, *(("yes", 1.0) if n % 3 else ("no", 0.0)))
    recording.submit(store, Annotation(str(uuid.uuid4()), item, f"person-{PEOPLE + n}", "direct", {}, (judgement,), "direct-1"))


def live(store: Store) -> tuple[Values, list[float], list[float]]:
    """The values after all answers, and the seconds after each: about images that people have rated, and that nobody has."""
    now = quick(store)
    seconds: tuple[list[float], list[float]] = ([], [])
    for n, pair in enumerate(zip(rated_and_unrated(store, rated=True), rated_and_unrated(store, rated=False), strict=False)):
        for which, item in enumerate(pair):
            answered(store, 2 * n + which, item)
            before, (now, timing) = now, timed(lambda: quick(store))
            assert now != before
            seconds[which].append(timing.wall)
    return now, *seconds


def run(store: Store, images: int) -> list[str]:
    """Measure; the lines to print."""
    sizes = make_project(store, images)
    # the first reading finds a database that nobody has read yet; every later one, theirs too, finds it in memory
    full, unread = timed(lambda: counted(store))
    theirs_values, theirs = timed(lambda: reference(store))
    first = apart(full, theirs_values)
    _, ours = timed(lambda: counted(store))
    reported, report = timed(lambda: values(agreement.compute(store, SELECTION, POINTS)))
    among_reports = apart(reported, full)
    now, more, new = live(store)
    again, recomputing = timed(lambda: counted(store))
    second = max(apart(now, again), apart(now, reference(store)))

    def row(label: str, mine: float, other: Timing, difference: float) -> str:
        times = f"{mine * 1000:>9.1f} ms{other.wall * 1000:>11.0f} ms{other.wall / mine:>8.1f}"
        return f"{label:50}{times}{difference:>21.1e}"

    def after(label: str, seconds: list[float]) -> list[str]:
        middle = row(f"{label} (median of {len(seconds)})", statistics.median(seconds), recomputing, second)
        return [middle, f"{'  the slowest of these':50}{max(seconds) * 1000:>9.1f} ms"]

    def head(other: str) -> str:
        return f"{'':50}{'ours':>12}{other:>14}{'ratio':>8}{'largest difference':>21}"

    return [
        f"{sizes.images:,} images, {len(TASKS)} tasks, {sizes.by_people:,} judgements by people, "
        f"{sizes.by_scorers:,} by scorers",
        machine("duckdb", "pandas"),
        "",
        head("pandas"),
        row("table per task, kappa and Spearman", ours.wall, theirs, first),
        row("  where nobody has read the database yet", unread.wall, theirs, first),
        head("the report"),
        row("the same and further statistics, without intervals", ours.wall, report, among_reports),
        head("ours anew"),
        *after("one more answer about an image", more),
        *after("the first answer about an image", new),
        "",
        f"{len(theirs_values)} of our {len(full)} values are checked against pandas, scikit-learn and scipy, before and after.",
    ]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Make a project, measure, print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="human judgements, about (default 1000000)")
    images = max(parser.parse_args(arguments).rows // PEOPLE, 100)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "project") as store:
        lines = run(store, images)
    return tell(lines)


if __name__ == "__main__":
    main()
