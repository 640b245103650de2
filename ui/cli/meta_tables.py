"""Print what the commands of `meta` say: tables, or rows as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from agreement import Options
from agreement.meta.alternative_annotator import WINNING_RATE, AlternativeAnnotator
from agreement.meta.estimates import DIFFERENCE, EstimateFinding, EstimateOptions, Method
from agreement.meta.labelled_sample import Target
from agreement.meta.planning import PlannedRow
from agreement.meta.ranking import GENERATORS, KENDALL, PAIRWISE, RANK, SOFT, Ranking
from agreement.meta.rater_effects import RaterEffectRow
from agreement.meta.units import Finding
from agreement.study.cells import ALL
from concord.agreement import known_statistics, selected
from concord.common import text_tables, wording
from concord.common.context import Context, UsageError
from concord.common.table import Cell, Field, Table, field, table_of, texts, without_empty_columns
from concord.meta import estimates, findings, planning
from concord.meta.findings import of_scorers
from concord.meta.planning import PlanRequest
from data.store.core.selection import Selection

T = TypeVar("T")
FindingT = TypeVar("FindingT", bound=Finding)
_NOT_ESTIMATED: Final = "people and scorers have judged nothing here in common: score the images, and let people label some"
_NOT_RATED: Final = "no ratings by people in this selection: label images (uv run app.py serve), or import ratings"
_NOT_RANKED: Final = "people have rated nothing here that can be ranked"
_NOT_TESTED: Final = "no scorer has judged what people have rated here"


def _to_print(
    context: Context, selection: Selection, rows: Sequence[FindingT], output: str, nothing: str
) -> Sequence[FindingT]:
    """Return the rows to print as tables; print them all as JSON if that is asked for, or why there are none."""
    if output == "json":
        context.say_json({"selection": selection.to_dict(), "rows": [row.to_dict() for row in rows]})
        return []
    if not rows:
        context.say(nothing)
    return rows


def _aligned(table: Table) -> list[str]:
    """Return a table's lines, without its empty columns."""
    filled = without_empty_columns(table)
    rows = [[cell.text for cell in row.cells] for row in filled.rows]
    return text_tables.aligned([[column.title for column in filled.columns], *rows])


def _indented(table: Table) -> list[str]:
    return [f"  {line}" for line in _aligned(table)]


def _number(title: str, value: Callable[[T], float | None], digits: int = 4) -> Field[T]:
    """Return a column of numbers; a dash where one is undefined."""
    return field(title, lambda row: text_tables.number(value(row), digits), number=True)


def _text(title: str, value: Callable[[T], str | int | bool | None]) -> Field[T]:
    """Return a column of values as they are; nothing for None."""
    return field(title, lambda row: text_tables.cell(value(row)))


def _count(title: str, value: Callable[[T], int]) -> Field[T]:
    return field(title, value, number=True)


def _interval(low: Callable[[T], float | None], high: Callable[[T], float | None], digits: int = 2) -> Field[T]:
    """Return a column of intervals; nothing where there is none."""

    def interval(row: T) -> str:
        lower, upper = low(row), high(row)
        return "" if lower is None or upper is None else f"{lower:z.{digits}f} .. {upper:z.{digits}f}"

    return field("95 % interval", interval)


def _rounded(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:z.{digits}f}"


def _own_interval(digits: int = 2) -> Field[Finding]:
    return _interval(lambda row: row.low, lambda row: row.high, digits)


_INTERVAL: Final = _own_interval()
_CELL: Final[tuple[Field[Finding], ...]] = (
    _text("generator", lambda row: row.generator),
    _text("task", lambda row: row.task),
    _text("scorer", lambda row: row.scorer),
)
_REASON: Final[Field[Finding]] = _text("reason", lambda row: row.reason)
_FULL_MEAN: Final[Field[EstimateFinding]] = _number("all labels", lambda row: row.full_mean, 3)
_LABELS_MEAN: Final[Field[EstimateFinding]] = _number("labels alone", lambda row: row.labels_mean, 3)
_COUNTS: Final[tuple[Field[EstimateFinding], ...]] = (
    _text("labels", lambda row: row.n_labelled),
    _text("others", lambda row: row.n_unlabelled),
)
_ESTIMATES: Final[Mapping[str, tuple[Field[EstimateFinding], ...]]] = {
    "estimate": (
        *_CELL,
        _number("estimate", lambda row: row.value, 3),
        _INTERVAL,
        _LABELS_MEAN,
        _interval(lambda row: row.labels_low, lambda row: row.labels_high),
        _number("scorer's mean", lambda row: row.scorer_mean, 3),
        _FULL_MEAN,
        *_COUNTS,
        field("lambda", lambda row: _rounded(row.power, 2)),
        field("labels saved", lambda row: _rounded(row.labels_saved)),
    ),
    "corrected_rate": (
        *_CELL,
        _number("corrected", lambda row: row.value, 3),
        _INTERVAL,
        _number("scorer's rate", lambda row: row.scorer_mean, 3),
        _FULL_MEAN,
        _number("sensitivity", lambda row: row.sensitivity, 2),
        _interval(lambda row: row.sensitivity_low, lambda row: row.sensitivity_high),
        _number("specificity", lambda row: row.specificity, 2),
        _interval(lambda row: row.specificity_low, lambda row: row.specificity_high),
        *_COUNTS,
    ),
    DIFFERENCE: (
        _text("generator", lambda row: row.generator),
        _text("less", lambda row: row.against),
        _text("task", lambda row: row.task),
        _text("scorer", lambda row: row.scorer),
        _number("difference", lambda row: row.value, 3),
        _INTERVAL,
        _LABELS_MEAN,
        _number("scorer's", lambda row: row.scorer_mean, 3),
        *_COUNTS,
    ),
}


def print_estimates(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    scorer: Sequence[str],
    method: Method,
    target: Target,
    against: str | None,
    labelled_at_random: bool,
    label_sample: int | None,
    seed: int,
    output: str,
) -> None:
    """Run the command ``estimate``."""
    if labelled_at_random and label_sample is not None:
        raise UsageError("--label-sample draws labels itself; leave out --labelled-at-random")
    chosen = selected(context, selection)
    options = EstimateOptions(method, target, labelled_at_random, label_sample, seed, against, tuple(scorer))
    rows = estimates.estimate(context.store, chosen, options)
    parts: dict[tuple[str, str, str, str], list[EstimateFinding]] = {}
    for row in _to_print(context, chosen, rows, output, _NOT_ESTIMATED):
        parts.setdefault((row.statistic, row.suite, row.aspect, row.people), []).append(row)
    for (statistic, suite, aspect, people), part in parts.items():
        context.say(f"{estimates.TITLES[statistic]}: {suite}, {aspect}, {people} people")
        reasons = {row.reason for row in part}
        if len(reasons) == 1 and None not in reasons:
            context.say(f"  none: {reasons.pop()}\n")
            continue
        columns: tuple[Field[EstimateFinding], ...] = (*_ESTIMATES[statistic], *([] if reasons == {None} else [_REASON]))
        method_text = part[0].method
        context.say(*_indented(table_of("", columns, part)))
        context.say(f"  {method_text.partition(';')[2].strip() or method_text}\n")


_TOPIC: Final[tuple[Field[Finding], ...]] = (
    _text("suite", lambda row: row.suite),
    _text("aspect", lambda row: row.aspect),
    _text("people", lambda row: row.people),
)
_STATISTIC: Final[Field[Finding]] = _text("statistic", lambda row: row.statistic)
_VALUE: Final[Field[Finding]] = _number("value", lambda row: row.value)
_PLAN: Final[Sequence[Field[PlannedRow]]] = (
    *_TOPIC,
    _STATISTIC,
    _text("scorer", lambda row: row.scorer),
    _VALUE,
    field("images", lambda row: f"{row.design.images:g}"),
    field("ratings", lambda row: f"{row.design.ratings:g}"),
    _count("prompts", lambda row: row.prompts),
    _number("half width", lambda row: row.half_width),
    _number("beside other people", lambda row: row.half_width_others),
    field("power", lambda row: _rounded(row.power, 2)),
    _number("aim", lambda row: row.aim),
    field("prompts needed", lambda row: "-" if row.prompts_needed is None else f"{row.prompts_needed:,}"),
    _text("reason", lambda row: row.reason if row.half_width is None else None),
)
_EFFECTS: Final[Sequence[Field[RaterEffectRow]]] = (
    *_TOPIC,
    _STATISTIC,
    _text("rater", lambda row: row.rater),
    _text("ratings", lambda row: row.ratings),
    _VALUE,
    _own_interval(4),
    _count("n items", lambda row: row.n_items),
    _count("n ratings", lambda row: row.n_ratings),
    _REASON,
)


def print_plan(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    half_width: float | None,
    difference: float | None,
    statistic: Sequence[str],
    images: Sequence[int],
    ratings: Sequence[int],
    persons: int | None,
    seed: int,
    output: str,
) -> None:
    """Run the command ``plan``."""
    known_statistics(statistic)
    chosen = selected(context, selection)
    request = PlanRequest(tuple(statistic) or ("mean",), half_width, difference, tuple(images), tuple(ratings), persons, seed)
    if rows := _to_print(context, chosen, planning.plan(context.store, chosen, request), output, _NOT_RATED):
        context.say(*_aligned(table_of("", _PLAN, rows)))


def print_rater_effects(context: Context, selection: Mapping[str, Sequence[str]], ratings: Sequence[int], output: str) -> None:
    """Run the command ``rater-effects``."""
    chosen = selected(context, selection)
    found = findings.effects(context.store, chosen, tuple(ratings) or (1, 3, 5))
    if rows := _to_print(context, chosen, found, output, _NOT_RATED):
        context.say(*_aligned(table_of("", _EFFECTS, rows)))


_PEOPLE: Final[Field[Ranking]] = field(
    "people's own", lambda row: text_tables.number(row.ceiling.value, 3) if row.ceiling is not None else ""
)
_VERDICT: Final[Field[Ranking]] = field(
    "verdict", lambda row: wording.verdict(row.ceiling.verdict.verdict or "") if row.ceiling is not None else ""
)
_TASK: Final[Field[Finding]] = _text("task", lambda row: row.task)
_SCORER: Final[Field[Finding]] = _text("scorer", lambda row: row.scorer or "(people)")
_ITEMS: Final[Field[Finding]] = _text("images", lambda row: row.n_items)
_ByStatistic = Mapping[str, Ranking]
"""A scorer's rows on a task, by statistic."""


def _of(statistic: str, *columns: Field[Ranking]) -> list[Field[_ByStatistic]]:
    """Return columns about one of several statistics; empty where a scorer has none."""

    def within(column: Field[Ranking]) -> Field[_ByStatistic]:
        return Field(column.column, lambda rows: column.cell(rows[statistic]) if statistic in rows else Cell(""))

    return [within(column) for column in columns]


_ACCURACY: Final[Field[Ranking]] = _number("accuracy", lambda row: row.value, 3)
_IMAGES: Final = _of(
    PAIRWISE,
    _TASK,
    _SCORER,
    _ACCURACY,
    _INTERVAL,
    field("epsilon", lambda row: "" if row.epsilon is None else f"{row.epsilon:.3g}"),
    _PEOPLE,
    _VERDICT,
    _ITEMS,
    _REASON,
)
_GENERATORS: Final = (
    *_of(SOFT, _TASK, _SCORER, _number("soft accuracy", lambda row: row.value, 3), _INTERVAL, _PEOPLE),
    *_of(GENERATORS, _ACCURACY, _INTERVAL),
    *_of(KENDALL, _number("tau-b", lambda row: row.value, 3)),
    *_of(GENERATORS, field("verdict", lambda row: row.verdict or row.verdict_reason or ""), _REASON),
)


def print_ranking(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    scorer: Sequence[str],
    epsilon: float | None,
    intervals: bool,
    seed: int,
    output: str,
) -> None:
    """Run the command ``rank``."""
    chosen = selected(context, selection)
    rows = of_scorers(findings.rank(context.store, chosen, Options(intervals=intervals, seed=seed), epsilon), scorer)
    for title, part in _by_topic(_to_print(context, chosen, rows, output, _NOT_RANKED)):
        whole = [row for row in part if row.generator == ALL]
        _say(context, table_of(f"{title}: the better image of a prompt", _IMAGES, _by_statistic(whole, PAIRWISE)))
        if any(row.statistic == SOFT for row in whole):
            rows_of_orders = _by_statistic(whole, SOFT, GENERATORS, KENDALL)
            _say(context, table_of(f"{title}: the order of generators", _GENERATORS, rows_of_orders))
            _say(context, _rank_sets(title, [row for row in part if row.statistic == RANK and row.task == ALL]))


def _by_topic(rows: Sequence[FindingT]) -> list[tuple[str, list[FindingT]]]:
    """Return the rows of each suite, aspect and kind of people, with a title."""
    by_topic: dict[str, list[FindingT]] = {}
    for row in rows:
        who = " (simulated people)" if row.people == "simulated" else ""
        by_topic.setdefault(f"{row.suite}, {row.aspect}{who}", []).append(row)
    return list(by_topic.items())


def _by_statistic(rows: Sequence[Ranking], *statistics: str) -> list[_ByStatistic]:
    """Return each scorer's rows on each task by statistic: all tasks together first."""
    by_task_and_scorer: dict[tuple[str, str | None], dict[str, Ranking]] = {}
    for row in sorted(rows, key=lambda row: row.task != ALL):
        if row.statistic in statistics:
            by_task_and_scorer.setdefault((row.task, row.scorer), {})[row.statistic] = row
    return list(by_task_and_scorer.values())


def _say(context: Context, table: Table) -> None:
    context.say(f"{table.caption}\n", *_indented(table), "")


def _rank_sets(title: str, rows: Sequence[Ranking]) -> Table:
    """Return a row for each rater and a column for each generator, the best by people first."""
    by_people = {row.generator: row.value or 0.0 for row in rows if row.scorer is None}
    names = sorted(by_people, key=lambda name: (by_people[name], name))
    by_scorer: dict[str | None, dict[str, str]] = {}
    for row in rows:
        by_scorer.setdefault(row.scorer, {})[row.generator] = rank_set(row)
    lines = [[scorer or "(people)", *(ranks.get(name, "") for name in names)] for scorer, ranks in by_scorer.items()]
    return texts(f"{title}: rank sets, 1 is best", ["scorer", *names], lines)


def rank_set(row: Ranking) -> str:
    """Return the ranks that a generator may have, such as ``2`` or ``2-4``."""
    return f"{row.rank_low}" if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}"


def _persons_won(row: AlternativeAnnotator) -> str:
    return f"{row.persons_won} of {len(row.persons)}" if row.persons else ""


_ALT_TEST: Final[Sequence[Field[AlternativeAnnotator]]] = (
    _TASK,
    _text("generator", lambda row: row.generator),
    _SCORER,
    _text("passes", lambda row: row.passes),
    field("persons won", _persons_won),
    _number("winning rate", lambda row: row.winning_rate, 3),
    _number("advantage", lambda row: row.advantage, 3),
    _number("p", lambda row: row.p),
    _ITEMS,
    _REASON,
)


def print_alt_test(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    scorer: Sequence[str],
    epsilon: float,
    graded: Sequence[str],
    intervals: bool,
    output: str,
) -> None:
    """Run the command ``alt-test``."""
    chosen, options = selected(context, selection), Options(intervals=intervals)
    rows = of_scorers(findings.alt_test(context.store, chosen, options, epsilon, tuple(graded)), scorer)
    tests = [row for row in _to_print(context, chosen, rows, output, _NOT_TESTED) if row.statistic == WINNING_RATE]
    for title, part in _by_topic(tests):
        tested = [row for row in part if row.value is not None or (row.generator, row.task) == (ALL, ALL)]
        _say(context, table_of(f"{title}: the alternative annotator test, epsilon {epsilon:g}", _ALT_TEST, tested))
