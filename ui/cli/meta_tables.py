"""Print what the commands of `meta` say: tables, or rows as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from agreement.meta.alternative_annotator import WINNING_RATE, AlternativeAnnotator
from agreement.meta.estimates import DIFFERENCE, EstimateFinding
from agreement.meta.planning import PlannedRow
from agreement.meta.ranking import GENERATORS, KENDALL, PAIRWISE, RANK, SOFT, Ranking
from agreement.meta.rater_effects import RaterEffectRow
from agreement.meta.units import Finding
from agreement.study.cells import ALL
from concord.agreement import known_statistics, selected
from concord.common import reason_sentences, wording
from concord.common.context import Context, UsageError
from concord.common.estimate_json import finding_json
from concord.common.table import Field, Table, at_key, cell, field, statistic_field, table_of, texts, without_empty_columns
from concord.common.text_tables import aligned, indented, interval
from concord.meta import estimates, findings, planning
from concord.meta.findings import of_scorers
from concord.meta.requests import AltTestRequest, EstimateRequest, PlanRequest, RankRequest, RaterEffectsRequest
from data.selection import Selection

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
        context.say_json({"selection": selection.to_dict(), "rows": [finding_json(row) for row in rows]})
        return []
    if not rows:
        context.say(nothing)
    return rows


def _indented(table: Table) -> list[str]:
    return indented(without_empty_columns(table))


_INTERVAL: Final[Field[Finding]] = field("95 % interval", lambda row: interval(row.low, row.high, "z.2f"))
_CELL: Final[tuple[Field[Finding], ...]] = (
    field("generator", lambda row: row.generator),
    field("task", lambda row: row.task),
    field("scorer", lambda row: row.scorer),
)
_REASON: Final[Field[Finding]] = field("reason", lambda row: row.reason)
_FULL_MEAN: Final[Field[EstimateFinding]] = statistic_field("all labels", lambda row: row.full_mean, "z.3f")
_LABELS_MEAN: Final[Field[EstimateFinding]] = statistic_field("labels alone", lambda row: row.labels_mean, "z.3f")
_COUNTS: Final[tuple[Field[EstimateFinding], ...]] = (
    field("labels", lambda row: row.n_labelled),
    field("others", lambda row: row.n_unlabelled),
)
_ESTIMATES: Final[Mapping[str, tuple[Field[EstimateFinding], ...]]] = {
    "estimate": (
        *_CELL,
        statistic_field("estimate", lambda row: row.value, "z.3f"),
        _INTERVAL,
        _LABELS_MEAN,
        field("95 % interval", lambda row: interval(row.labels_low, row.labels_high, "z.2f")),
        statistic_field("scorer's mean", lambda row: row.scorer_mean, "z.3f"),
        _FULL_MEAN,
        *_COUNTS,
        field("lambda", lambda row: row.power, "z.2f"),
        field("labels saved", lambda row: row.labels_saved, "z.0f"),
    ),
    "corrected_rate": (
        *_CELL,
        statistic_field("corrected", lambda row: row.value, "z.3f"),
        _INTERVAL,
        statistic_field("scorer's rate", lambda row: row.scorer_mean, "z.3f"),
        _FULL_MEAN,
        statistic_field("sensitivity", lambda row: row.sensitivity, "z.2f"),
        field("95 % interval", lambda row: interval(row.sensitivity_low, row.sensitivity_high, "z.2f")),
        statistic_field("specificity", lambda row: row.specificity, "z.2f"),
        field("95 % interval", lambda row: interval(row.specificity_low, row.specificity_high, "z.2f")),
        *_COUNTS,
    ),
    DIFFERENCE: (
        field("generator", lambda row: row.generator),
        field("less", lambda row: row.against),
        field("task", lambda row: row.task),
        field("scorer", lambda row: row.scorer),
        statistic_field("difference", lambda row: row.value, "z.3f"),
        _INTERVAL,
        _LABELS_MEAN,
        statistic_field("scorer's", lambda row: row.scorer_mean, "z.3f"),
        *_COUNTS,
    ),
}


def print_estimates(context: Context, selection: Mapping[str, Sequence[str]], request: EstimateRequest, output: str) -> None:
    """Run the command ``estimate``."""
    if request.labelled_at_random and request.label_sample is not None:
        raise UsageError("--label-sample draws labels itself; leave out --labelled-at-random")
    chosen = selected(context, selection)
    rows = estimates.estimate(context.store, chosen, request.options())
    parts: dict[tuple[str, str, str, str], list[EstimateFinding]] = {}
    for row in _to_print(context, chosen, rows, output, _NOT_ESTIMATED):
        parts.setdefault((row.statistic, row.suite, row.aspect, row.people), []).append(row)
    for (statistic, suite, aspect, people), part in parts.items():
        context.say(f"{estimates.TITLES[statistic]}: {suite}, {aspect}, {people} people")
        reasons = {row.reason for row in part}
        if len(reasons) == 1 and None not in reasons:
            context.say(f"  none: {reason_sentences.text_or_none(reasons.pop())}\n")
            continue
        columns: tuple[Field[EstimateFinding], ...] = (*_ESTIMATES[statistic], *([] if reasons == {None} else [_REASON]))
        how = part[0].method
        context.say(*_indented(table_of(estimates.TITLES[statistic], columns, part)))
        context.say(f"  {reason_sentences.text(how.remainder or how)}\n")


_TOPIC: Final[tuple[Field[Finding], ...]] = (
    field("suite", lambda row: row.suite),
    field("aspect", lambda row: row.aspect),
    field("people", lambda row: row.people),
)
_STATISTIC: Final[Field[Finding]] = field("statistic", lambda row: row.statistic)
_VALUE: Final[Field[Finding]] = statistic_field("value", lambda row: row.value)
_PLAN: Final[Sequence[Field[PlannedRow]]] = (
    *_TOPIC,
    _STATISTIC,
    field("scorer", lambda row: row.scorer),
    _VALUE,
    field("images", lambda row: row.design.images, "g"),
    field("ratings", lambda row: row.design.ratings, "g"),
    field("prompts", lambda row: row.prompts, ","),
    statistic_field("half width", lambda row: row.half_width),
    statistic_field("beside other people", lambda row: row.half_width_others),
    field("power", lambda row: row.power, "z.2f"),
    statistic_field("aim", lambda row: row.aim),
    statistic_field("prompts needed", lambda row: row.prompts_needed, ","),
    field("reason", lambda row: row.reason if row.half_width is None else None),
)
_EFFECTS: Final[Sequence[Field[RaterEffectRow]]] = (
    *_TOPIC,
    _STATISTIC,
    field("rater", lambda row: row.rater),
    field("ratings", lambda row: row.ratings),
    _VALUE,
    field("95 % interval", lambda row: interval(row.low, row.high)),
    field("n items", lambda row: row.n_items, ","),
    field("n ratings", lambda row: row.n_ratings, ","),
    _REASON,
)


def print_plan(context: Context, selection: Mapping[str, Sequence[str]], request: PlanRequest, output: str) -> None:
    """Run the command ``plan``."""
    known_statistics(request.statistics)
    chosen = selected(context, selection)
    if rows := _to_print(context, chosen, planning.plan(context.store, chosen, request), output, _NOT_RATED):
        context.say(*aligned(without_empty_columns(table_of("Plan", _PLAN, rows))))


def print_rater_effects(
    context: Context, selection: Mapping[str, Sequence[str]], request: RaterEffectsRequest, output: str
) -> None:
    """Run the command ``rater-effects``."""
    chosen = selected(context, selection)
    found = findings.effects(context.store, chosen, request.ratings)
    if rows := _to_print(context, chosen, found, output, _NOT_RATED):
        context.say(*aligned(without_empty_columns(table_of("Rater effects", _EFFECTS, rows))))


_PEOPLE: Final[Field[Ranking]] = field(
    "people's own", lambda row: cell(row.ceiling.value, "z.3f", "-") if row.ceiling is not None else ""
)
_VERDICT: Final[Field[Ranking]] = field(
    "verdict", lambda row: wording.verdict(row.ceiling.verdict.verdict or "") if row.ceiling is not None else ""
)
_TASK: Final[Field[Finding]] = field("task", lambda row: row.task)
_SCORER: Final[Field[Finding]] = field("scorer", lambda row: row.scorer or "(people)")
_ITEMS: Final[Field[Finding]] = field("images", lambda row: row.n_items)
_ByStatistic = Mapping[str, Ranking]
"""A scorer's rows on a task, by statistic."""
_ACCURACY: Final[Field[Ranking]] = statistic_field("accuracy", lambda row: row.value, "z.3f")
_IMAGES: Final = at_key(
    PAIRWISE,
    _TASK,
    _SCORER,
    _ACCURACY,
    _INTERVAL,
    field("epsilon", lambda row: row.epsilon, ".3g"),
    _PEOPLE,
    _VERDICT,
    _ITEMS,
    _REASON,
)
_ORDERED: Final[Field[Ranking]] = field("verdict", lambda row: row.verdict or row.verdict_reason)
_SOFT_ACCURACY: Final[Field[Ranking]] = statistic_field("soft accuracy", lambda row: row.value, "z.3f")
_TAU: Final[Field[Ranking]] = statistic_field("tau-b", lambda row: row.value, "z.3f")
_GENERATORS: Final[Sequence[Field[_ByStatistic]]] = (
    *at_key(SOFT, _TASK, _SCORER, _SOFT_ACCURACY, _INTERVAL, _PEOPLE),
    *at_key(GENERATORS, _ACCURACY, _INTERVAL),
    *at_key(KENDALL, _TAU),
    *at_key(GENERATORS, _ORDERED, _REASON),
)


def print_ranking(context: Context, selection: Mapping[str, Sequence[str]], request: RankRequest, output: str) -> None:
    """Run the command ``rank``."""
    chosen = selected(context, selection)
    rows = of_scorers(findings.rank(context.store, chosen, request.options(), request.epsilon), request.scorer)
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
    field("generator", lambda row: row.generator),
    _SCORER,
    field("passes", lambda row: row.passes),
    field("persons won", _persons_won),
    statistic_field("winning rate", lambda row: row.winning_rate, "z.3f"),
    statistic_field("advantage", lambda row: row.advantage, "z.3f"),
    statistic_field("p", lambda row: row.p),
    _ITEMS,
    _REASON,
)


def print_alt_test(context: Context, selection: Mapping[str, Sequence[str]], request: AltTestRequest, output: str) -> None:
    """Run the command ``alt-test``."""
    chosen = selected(context, selection)
    tested_rows = findings.alt_test(context.store, chosen, request.options(), request.epsilon, request.graded)
    rows = of_scorers(tested_rows, request.scorer)
    tests = [row for row in _to_print(context, chosen, rows, output, _NOT_TESTED) if row.statistic == WINNING_RATE]
    for title, part in _by_topic(tests):
        tested = [row for row in part if row.value is not None or (row.generator, row.task) == (ALL, ALL)]
        _say(context, table_of(f"{title}: the alternative annotator test, epsilon {request.epsilon:g}", _ALT_TEST, tested))
