"""What the commands of `analysis` print: tables, Markdown or JSON. The pages show the same numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import htpy

from agreement import Comparison, Estimate, Options
from agreement.estimate import WithInterval
from agreement.flips import DELTA, FLIPPED, PREFERRED, SCORE, TIED
from agreement.matching import Votes
from agreement.preferences import (
    GeneratorStrength,
    OrderAgreement,
    OrderBias,
    RankCorrelation,
    SideChoice,
    VoteCounts,
    VoterKey,
)
from agreement.questions import GroupStatistic, Split
from agreement.questions.people import APART, IMAGE_WRONG, VQA_WRONG
from agreement.study.cells import ALL
from agreement.thresholds import ThresholdAgreement
from concord import agreement, suite_metrics
from concord.agreement import selected
from concord.agreement_request import AgreementRequest
from concord.common import reason_sentences, wording
from concord.common.context import CommandError, Context, UsageError, parse_overrides
from concord.common.estimate_table import glance
from concord.common.table import Field, Table, cell, field, part_fields, statistic_field, table_of, without_empty_columns
from concord.common.text_tables import aligned, indented, interval, markdown
from concord.comparison import matching, preferences
from concord.comparison.matching import (
    AblationPoint,
    AblationSetting,
    MatchingCell,
    MatchingStatistics,
    WinogroundScores,
    ablation,
    matching_cells,
    winoground_scores,
)
from concord.error_analysis import flips
from concord.error_analysis.flips import FlipLine, flip_lines
from concord.questions import scores
from concord.runs import score
from concord.runs.requests import AblationRequest, ScoreRequest
from data.files import write_whole
from data.prompts.flips import check_kind

_TITLES = {
    "among_people": "People among themselves",
    "raters": "Scorers against people",
    "matrix": "Any two raters",
    "quality": "Persons beside the others",
    "by_certainty": "Scorers against people, by how far people agree",
    "comparisons": "Scorers compared: how much better a agrees with people than b",
    "thresholds": "Scores as decisions (yes above the threshold), against people, out of fold",
    "suite_metrics": "Metrics of the suites' own papers",
}
_ALONE = "Agreement takes two who judge the same: score the images, label them (uv run app.py serve), or import ratings."


def print_agreement(context: Context, selection: Mapping[str, Sequence[str]], request: AgreementRequest, output: str) -> None:
    """The command ``agreement``: rows of a selection, as tables or JSON."""
    general, of_suites = suite_metrics.split_statistics(request.statistics)
    agreement.known_statistics(general or ())
    options = replace(request.options(), statistics=general)
    chosen = agreement.selected(context, selection)
    unmet = agreement.unmet_scores(context.store, chosen, request.compare_with)
    agreement.refuse_unknown_aspects(context.store, request.compare_with)
    further = agreement.Further(request.compare, request.thresholds)
    rows = agreement.compute(context.store, chosen, options, further)
    if request.consensus:
        # the rows of consensuses after those of their section; a section of their own after the others
        more = agreement.consensus_of(context.store, chosen, options, tuple(dict.fromkeys(request.consensus)))
        rows = replace(rows, raters=(*rows.raters, *more.raters), matrix=(*rows.matrix, *more.matrix), quality=more.quality)
    rows = replace(rows, suite_metrics=suite_metrics.suite_metrics(context.store, chosen, options, of_suites))
    if request.people_as and rows.among_people and not rows.raters:
        context.warn(
            f"--people-as {request.people_as}: no statistic of this selection compares scorers with people in that way"
        )
    if output == "json":
        context.warn(*unmet)
        context.say_json({"selection": chosen.to_dict(), **rows.to_json()})
        return
    for section, section_rows in rows.sections():
        if section == "suite_metrics" and not section_rows:
            # most suites declare none
            continue
        context.say(f"{_TITLES[section]}\n")
        shown, rest = ([*section_rows], []) if request.all_statistics or request.statistics else glance(section_rows)
        if shown:
            context.say(*indented(table_of(_TITLES[section], _agreement_fields(section, shown), shown)))
        else:
            context.say("  nothing to compare in this selection")
        if section == "raters":
            context.say(*(f"  {line}" for line in unmet))
        if rest:
            left = wording.count(len({row.statistic for row in rest}), "more statistic")
            context.say(f"  {left}: --all-statistics or --format json")
        context.say("")
    if not any(section_rows for _, section_rows in rows.sections()):
        context.say(_ALONE)


def _value(title: str, form: str = "z.4f") -> Field[WithInterval]:
    return statistic_field(title, lambda row: row.value, form)


def _interval(form: str = "z.4f") -> Field[WithInterval]:
    return field("95 % interval", lambda row: interval(row.low, row.high, form))


_RATER: Field[Estimate] = field("rater", lambda row: row.rater)
_PEOPLE_AS: Field[Estimate] = field("people_as", lambda row: row.people_as)
_A: Field[Estimate] = field("a", lambda row: row.a)
_B: Field[Estimate] = field("b", lambda row: row.b)
_WHERE: Sequence[Field[Estimate]] = (
    field("suite", lambda row: row.suite),
    field("task", lambda row: row.task),
    field("generator", lambda row: row.generator),
    field("aspect", lambda row: row.aspect),
    field("target", lambda row: row.target),
)
_WHO: Mapping[str, Sequence[Field[Estimate]]] = {
    "among_people": (),
    "raters": (_RATER, _PEOPLE_AS),
    "matrix": (_A, _B),
    "quality": (_RATER,),
    "by_certainty": (_RATER, _PEOPLE_AS, field("certainty", lambda row: row.certainty)),
    "comparisons": (_A, _B, _PEOPLE_AS),
    "thresholds": (_RATER, _PEOPLE_AS),
    "suite_metrics": (_RATER,),
}
_WHAT: Sequence[Field[Estimate]] = (field("people", lambda row: row.people), field("statistic", lambda row: row.statistic))
_RESTS_ON: Sequence[Field[Estimate]] = (
    field("items", lambda row: row.n_items),
    field("ratings", lambda row: row.n_ratings),
    field("reason", lambda row: row.reason),
)


def _agreement_fields(section: str, rows: Sequence[Estimate]) -> list[Field[Any]]:
    more = _AGREEMENT_FIELDS.get(section, ())
    if section == "raters" and not any(row.ceiling for row in rows):
        more = ()
    where = [each for each in (*_WHERE, *_WHO[section], *_WHAT) if any(each.cell(row).text for row in rows)]
    return [*where, _value("value"), _interval(), *more, *_RESTS_ON]


def _verdict(row: Estimate) -> str | None:
    """Return where a scorer stands beside people, or why that cannot be said."""
    if row.ceiling is None:
        return None
    found = row.ceiling.verdict
    return wording.verdict(found.verdict) if found.verdict else reason_sentences.text_or_none(found.verdict_reason)


_BESIDE_PEOPLE: Sequence[Field[Estimate]] = (
    field("people's own", lambda row: cell(row.ceiling.value, undefined="-") if row.ceiling else ""),
    field("verdict", _verdict),
)
_COMPARED: Sequence[Field[Comparison]] = (
    statistic_field("of a", lambda row: row.value_a),
    statistic_field("of b", lambda row: row.value_b),
    statistic_field("p (Holm)", lambda row: row.p_holm),
    field("McNemar's p (Holm)", lambda row: cell(row.mcnemar.p_holm, undefined="-") if row.mcnemar else ""),
)
_CUT: Sequence[Field[ThresholdAgreement]] = (
    statistic_field("threshold", lambda row: row.chosen.threshold),
    statistic_field("in sample", lambda row: row.chosen.in_sample),
)
_AGREEMENT_FIELDS: Mapping[str, Sequence[Field[Any]]] = {
    "raters": _BESIDE_PEOPLE,
    "comparisons": _COMPARED,
    "thresholds": _CUT,
}
"""Lines beneath the numbers of a section's rows."""


def _say_tables(context: Context, suite: str, tables: Iterable[Table]) -> None:
    """Print a suite's tables that have rows, each below its title."""
    for table in tables:
        if table.rows:
            context.say(f"{suite}: {table.caption}", *indented(table))


_SHORT: tuple[Field[WithInterval], ...] = (_value("accuracy", "z.3f"), _interval("z.3f"))
_ACCURACY: Sequence[Field[MatchingCell]] = part_fields(lambda row: row.accuracy, *_SHORT)
_CHANCE: Sequence[Field[MatchingCell]] = part_fields(lambda row: row.chance, _value("chance", "z.3f"))
_ABOVE_CHANCE: Sequence[Field[MatchingCell]] = part_fields(
    lambda row: row.above_chance, _value("above chance", "z.3f"), _interval("z.3f")
)
_POSTERIOR: Sequence[Field[MatchingCell]] = part_fields(lambda row: row.posterior, _value("posterior", "z.3f"))
_RANK: Sequence[Field[MatchingCell]] = part_fields(lambda row: row.rank, _value("rank", "z.2f"))
_EVALUATIONS: Sequence[Field[MatchingCell]] = part_fields(lambda row: row.evaluations, _value("evaluations", "z.3f"))
_ACCURACY_FIELDS: Sequence[Field[MatchingCell]] = (
    field("rater", lambda row: row.rater),
    field("images of", lambda row: row.generator),
    field("task", lambda row: row.task),
    *_ACCURACY,
    *_CHANCE,
    *_ABOVE_CHANCE,
    *_POSTERIOR,
    *_RANK,
    *_EVALUATIONS,
    field("n", lambda row: row.accuracy.n, ","),
    field("left out", lambda row: _left_out(row.accuracy.excluded)),
    field("", lambda row: row.accuracy.reason),
)
_WINOGROUND_FIELDS: Sequence[Field[WinogroundScores]] = (
    field("rater", lambda row: row.rater),
    field("images of", lambda row: row.generator),
    field("task", lambda row: row.task),
    field("text score, 95 %", lambda row: _with_interval(row.text)),
    field("image score, 95 %", lambda row: _with_interval(row.image)),
    field("group score, 95 %", lambda row: _with_interval(row.group)),
    field("groups", lambda row: row.text.n),
)
_DIFFERENCE: Sequence[Field[Votes]] = part_fields(lambda row: row.difference, _value("difference", "z.3f"), _interval("z.3f"))
_VOTES_FIELDS: Sequence[Field[Votes]] = (
    field("a", lambda row: row.a),
    field("b", lambda row: row.b),
    field("images of", lambda row: row.generator),
    field("task", lambda row: row.task),
    field("only a", lambda row: row.only_a, ","),
    field("only b", lambda row: row.only_b, ","),
    field("both", lambda row: row.both, ","),
    field("neither", lambda row: row.neither, ","),
    *_DIFFERENCE,
)
_TRIAL_FIELDS: Sequence[Field[GroupStatistic]] = (
    field("rater", lambda row: row.rater),
    field("images of", lambda row: row.generator),
    field("trials", lambda row: row.group),
    *_SHORT,
    field("n", lambda row: row.n, ","),
)


def _with_interval(row: GroupStatistic) -> str:
    return " ".join(filter(None, (each.cell(row).text for each in _SHORT)))


def _left_out(counts: Mapping[str, int]) -> str:
    """Return what a number leaves out, by reason."""
    return ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in counts.items())


def print_matching(context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, output: str) -> None:
    """The command ``itm``."""
    chosen = selected(context, selection)
    statistics = matching.statistics(context.store, chosen, Options(intervals=intervals))
    if output == "json":
        context.say_json({"selection": chosen.to_dict(), **statistics.to_json()})
        return
    if not statistics.matching:
        context.say(
            "no scorer has chosen captions for images of this selection; first: import itm --playground, then score clipmatch"
        )
        return
    for suite in dict.fromkeys(row.suite for row in statistics.matching):
        _say_tables(context, suite, map(without_empty_columns, _matching_tables(statistics.where(suite=suite))))


def _matching_tables(statistics: MatchingStatistics) -> Iterator[Table]:
    cells = sorted(matching_cells(statistics.matching), key=lambda cell: (cell.rater, cell.generator))
    yield table_of("Accuracy against chance", _ACCURACY_FIELDS, cells)
    yield table_of("Winoground", _WINOGROUND_FIELDS, winoground_scores(statistics.winoground))
    yield table_of("Votes: only one of two is right", _VOTES_FIELDS, statistics.votes)
    yield table_of("By the first trials", _TRIAL_FIELDS, statistics.trials)


_SCORE: Sequence[Field[FlipLine]] = part_fields(lambda line: line.score, _value(SCORE), _interval())
_FLIPPED: Sequence[Field[FlipLine]] = part_fields(lambda line: line.flipped, _value(FLIPPED))
_DELTA: Sequence[Field[FlipLine]] = part_fields(lambda line: line.delta, _value(DELTA), _interval())
_PREFERRED: Sequence[Field[FlipLine]] = part_fields(lambda line: line.preferred, _value(PREFERRED), _interval())
_FLIP_FIELDS: Sequence[Field[FlipLine]] = (
    field("suite", lambda line: line.score.suite),
    field("rater", lambda line: line.score.rater),
    field("generator", lambda line: line.score.generator),
    *_SCORE,
    *_FLIPPED,
    *_DELTA,
    *_PREFERRED,
    field(TIED, lambda line: line.tied if line.score.n_items else None),
    field("images", lambda line: line.score.n_items),
    field("reason", lambda line: line.delta.reason or line.preferred.reason),
)


def print_flips(context: Context, selection: Mapping[str, Sequence[str]], kind: str, intervals: bool, output: str) -> None:
    """The command ``flips``."""
    try:
        check_kind(kind)
    except ValueError as error:
        raise UsageError(f"--kind: {error}") from error
    chosen = selected(context, selection)
    flip_rows = flips.rows(context.store, chosen, kind, Options(intervals=intervals))  # type: ignore[arg-type]
    if output == "json":
        context.say_json(
            {
                "selection": chosen.to_dict(),
                "flip": kind,
                "unflippable": flip_rows.unflippable,
                "flips": [row.to_json() for row in flip_rows.rows],
            }
        )
        return
    table_lines: list[str] = []
    if flip_rows.rows:
        table = table_of("Flip test", _FLIP_FIELDS, flip_lines(flip_rows.rows))
        table_lines += (markdown if output == "md" else aligned)(table)
    elif not flip_rows.unflippable:
        table_lines.append("nothing to compare in this selection")
    unflippable = (f"no prompt of {suite} asks for a {kind} that could be flipped" for suite in flip_rows.unflippable)
    context.say(*table_lines, *unflippable)
    for command in dict.fromkeys(row.command for row in flip_rows.rows if row.command):
        context.warn(f"not all flipped prompts have been read yet; to have that done: {command}")


_VOTER: Sequence[Field[VoterKey]] = (
    field("people", lambda row: row.people),
    field("rater", lambda row: row.rater),
    field("by", lambda row: row.by),
)
_CONTEST: Sequence[Field[VoteCounts | OrderAgreement]] = (
    field("task", lambda row: row.task),
    field("a", lambda row: row.contest.a),
    field("b", lambda row: row.contest.b),
    *_VOTER,
)


def _with_n(title: str) -> tuple[Field[Estimate], ...]:
    """Return the columns of a number and what it rests on."""
    n: Field[Estimate] = field("n", lambda row: row.n_items)
    left_out: Field[Estimate] = field("left out", lambda row: _left_out(row.excluded))
    reason: Field[Estimate] = field("reason", lambda row: row.reason)
    return _value(title), _interval(), n, left_out, reason


_SHARE_OF_A: Sequence[Field[VoteCounts]] = part_fields(lambda row: row.share, *_with_n("share of a"))
_SHARE_OF_LEFT: Sequence[Field[SideChoice]] = part_fields(lambda row: row.share, *_with_n("share of left"))
_SHARE_CHANGED: Sequence[Field[OrderBias]] = part_fields(lambda row: row.changed, *_with_n("share changed"))
_STRENGTH: Sequence[Field[GeneratorStrength]] = part_fields(lambda row: row.strength, *_with_n("strength"))
_SAME: Sequence[Field[OrderAgreement]] = part_fields(lambda row: row.same, *_with_n("same"))
_RHO: Sequence[Field[RankCorrelation]] = part_fields(lambda row: row.rho, *_with_n("rho"))
_VOTE_COUNT_FIELDS: Sequence[Field[VoteCounts]] = (
    *_CONTEST,
    field("a_wins", lambda row: row.a_wins),
    field("both", lambda row: row.both),
    field("none", lambda row: row.none),
    field("tie", lambda row: row.tie),
    field("b_wins", lambda row: row.b_wins),
    field("cannot_tell", lambda row: row.cannot_tell),
    field("sign_test_p", lambda row: row.sign_test_p),
    *_SHARE_OF_A,
)
_SIDE_FIELDS: Sequence[Field[SideChoice]] = (
    *_VOTER,
    field("left", lambda row: row.left),
    field("right", lambda row: row.right),
    field("unknown", lambda row: row.unknown),
    field("sign_test_p", lambda row: row.sign_test_p),
    *_SHARE_OF_LEFT,
)
_ORDER_FIELDS: Sequence[Field[OrderBias]] = (
    *_VOTER,
    field("kept", lambda row: row.kept),
    field("left", lambda row: row.left),
    field("right", lambda row: row.right),
    field("mixed", lambda row: row.mixed),
    field("sign_test_p", lambda row: row.sign_test_p),
    *_SHARE_CHANGED,
)
_STRENGTH_FIELDS: Sequence[Field[GeneratorStrength]] = (
    field("task", lambda row: row.task),
    *_VOTER,
    field("rank", lambda row: row.rank),
    field("generator", lambda row: row.generator),
    field("wins", lambda row: row.wins),
    field("losses", lambda row: row.losses),
    field("ties", lambda row: row.ties),
    *_STRENGTH,
)
_BESIDE_FIELDS: Sequence[Field[OrderAgreement]] = (
    *_CONTEST,
    field("same_order", lambda row: row.same_order),
    field("opposed", lambda row: row.opposed),
    *_SAME,
)
_RANK_FIELDS: Sequence[Field[RankCorrelation]] = (*_VOTER, *_RHO)


def print_preferences(
    context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, seed: int, output: str
) -> None:
    """The command ``preferences``."""
    chosen = selected(context, selection)
    rows = preferences.rows(context.store, chosen, Options(intervals=intervals, seed=seed))
    if output == "json":
        context.say_json({"selection": chosen.to_dict(), **rows.to_json()})
        return
    if not rows.votes:
        context.say(
            "nobody has voted on a pair of images in this selection; campaigns create NAME --questionnaire ab --generator A"
            " --generator B asks people, and campaigns start NAME begins"
        )
    for suite in dict.fromkeys(row.suite for row in rows.votes):
        _say_tables(context, suite, _preference_tables(rows.of_suite(suite)))


def _preference_tables(rows: preferences.PreferenceRows) -> Iterator[Table]:
    yield table_of("Votes, by task", _VOTE_COUNT_FIELDS, rows.votes)
    yield table_of("Which side is chosen", _SIDE_FIELDS, rows.sides)
    yield table_of("Position bias: choices that change when the two images change places", _ORDER_FIELDS, rows.orders)
    yield table_of("Bradley-Terry strengths (log, mean 0; Davidson's ties)", _STRENGTH_FIELDS, rows.strengths)
    yield table_of("Scorers beside people, on pairs where both prefer one", _BESIDE_FIELDS, rows.beside)
    title = "Spearman of winning votes and a metric's mean, over generators and tasks (SelfEval, Figure 6)"
    yield table_of(title, _RANK_FIELDS, rows.ranks)


_QUESTION_FIELDS: Sequence[Field[GroupStatistic]] = (
    field("rater", lambda row: row.rater),
    field("other", lambda row: row.other),
    field("people", lambda row: row.people),
    field("generator", lambda row: row.generator),
    field("by", lambda row: row.by),
    field("group", lambda row: row.group),
    field("statistic", lambda row: row.statistic),
    _value("value"),
    _interval(),
    field("n", lambda row: f"{row.n:,} {row.unit}"),
    field("excluded", lambda row: _left_out(row.excluded)),
    field("reason", lambda row: row.reason),
)
_SPLIT_FIELDS: Sequence[Field[Split]] = (
    field("rater", lambda split: split.rater),
    field("people", lambda split: split.people),
    field("by", lambda split: split.by),
    field("group", lambda split: split.group),
    *(field(name, lambda split, name=name: split.counts[name]) for name in ("wrong", IMAGE_WRONG, VQA_WRONG, *APART)),  # type: ignore[misc]
)


def print_questions(
    context: Context, selection: Mapping[str, Sequence[str]], reference: str | None, intervals: bool, output: str
) -> None:
    """The command ``vqa``."""
    chosen = selected(context, selection)
    statistics = scores.question_statistics(context.store, chosen, reference, Options(intervals=intervals))
    if reference is not None and not any(score.generator == reference for score in statistics.scores):
        context.warn(f"--reference {reference}: no questions were answered about images by that name in this selection")
    if output == "json":
        sections = scores.statistics_json(statistics, reference)
        context.say_json({"selection": chosen.to_dict(), "reference": reference, **sections})
        return
    if not statistics.scores:
        context.say("no scorer has answered questions about images of this selection")
    for suite in dict.fromkeys(row.suite for row in statistics.scores):
        _say_tables(context, suite, map(without_empty_columns, _question_tables(statistics, suite)))


def _question_tables(statistics: scores.QuestionStatistics, suite: str) -> Iterator[Table]:
    for title, rows in (
        ("Scores of generators", statistics.scores),
        ("VQA models beside each other", statistics.models),
        ("VQA models beside people", statistics.people),
    ):
        yield table_of(title, _QUESTION_FIELDS, [row for row in rows if row.suite == suite])
    splits = [split for split in statistics.splits if split.suite == suite]
    yield table_of("Wrong answers, by whose fault they are", _SPLIT_FIELDS, splits)


_POINT_ACCURACY: Sequence[Field[AblationPoint]] = part_fields(lambda point: point.accuracy, *_SHORT)
_ABLATION_FIELDS: Sequence[Field[AblationPoint]] = (
    field("images of", lambda point: point.generator),
    field("task", lambda point: point.task),
    field("steps", lambda point: point.steps),
    field("seed", lambda point: point.seed),
    field("trials", lambda point: point.trials),
    *_POINT_ACCURACY,
    field("n", lambda point: point.accuracy.n, ","),
    field("left out", lambda point: point.left_out or None, ","),
)


def ablate(context: Context, selection: Mapping[str, Sequence[str]], request: AblationRequest, output: str) -> None:
    """Score what is missing, then print the table and write the plot. Of several trials only the most are run, as fewer
    are the first of them."""
    usual = _default_settings(context, request)
    texts_of = ((request.trials, "trials"), (request.steps, "steps"), (request.seeds, "seed"))
    wanted = [_numbers(text, name, usual[name]) for text, name in texts_of]
    chosen = selected(context, selection)
    # a file that cannot be written is better told before hours of scoring
    target = None if request.plot is None else context.path(request.plot)
    if target is not None and not target.parent.is_dir():
        raise UsageError(f"--plot {request.plot}: there is no such folder")
    grid = []
    for of_steps, of_seed in product(wanted[1], wanted[2]):
        settings = (*request.overrides, f"trials={max(wanted[0])}", f"steps={of_steps}", f"seed={of_seed}")
        planned = score.plan_scoring(context.store, request.scorer, request.profile, parse_overrides(settings))
        # with JSON on standard output nothing else goes there
        quiet = replace(context, out=context.err) if output == "json" else context
        one_run = ScoreRequest(
            scorer=request.scorer,
            profile=request.profile,
            overrides=settings,
            device=request.device,
            batch_size=request.batch_size,
            limit=request.limit,
            first=request.first,
        )
        score.run(quiet, one_run, selection)
        grid.append(AblationSetting(planned.rater.rater_id, of_steps, of_seed))
    only = replace(chosen, rater=tuple(setting.rater for setting in grid))
    points = ablation(context.store, only, grid, wanted[0], Options(intervals=request.intervals))
    if not points:
        raise CommandError("nothing to compare: no image of this selection has a number for every caption in every trial")
    if output == "json":
        context.say_json({"selection": only.to_dict(), "ablation": [point.to_json() for point in points]})
        return
    for suite in dict.fromkeys(point.suite for point in points):
        mine = [point for point in points if point.suite == suite]
        table = table_of("accuracy by trials, steps and seed", _ABLATION_FIELDS, mine)
        _say_tables(context, suite, [without_empty_columns(table)])
    if target is not None:
        write_whole(target, _plot_page(points).encode())
        context.warn(f"the plot is in {request.plot}")


def _default_settings(context: Context, request: AblationRequest) -> Mapping[str, Any]:
    planned = score.plan_scoring(context.store, request.scorer, request.profile, parse_overrides(request.overrides))
    lacking = [name for name in ("trials", "steps", "seed") if name not in planned.settings]
    if lacking:
        raise UsageError(
            f"{request.scorer} has no {' and no '.join(lacking)} to vary; likelihood scorers have: selfeval, elbo, flowloss"
        )
    return planned.settings


def _numbers(text: str | None, name: str, usual: Any) -> list[int]:
    if text is None:
        return [int(usual)]
    least = 0 if name == "seed" else 1
    try:
        numbers = sorted({int(part) for part in text.split(",")})
    except ValueError:
        numbers = []
    if not numbers or numbers[0] < least or numbers[-1] > 10**9:
        raise UsageError(f"{name}: {text!r} are not whole numbers of at least {least} with commas between, e.g. 1,5,10")
    return numbers


def _plot_page(points: Sequence[AblationPoint]) -> str:
    """One figure for each suite and generator, of all tasks together, in a page that needs no network."""
    import htpy
    from markupsafe import Markup

    from ui.components.charts import by_trials

    parts: list[htpy.Node] = []
    for suite, generator in dict.fromkeys((point.suite, point.generator) for point in points):
        mine = [point for point in points if (point.suite, point.generator, point.task) == (suite, generator, ALL)]
        drawn = by_trials(mine, None).to_html(full_html=False, include_plotlyjs=not parts)
        parts.append([htpy.h2[f"{suite}, images of {generator}"], Markup(drawn)])
    style = "body{font:15px system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    head = htpy.head[htpy.meta(charset="utf-8"), htpy.title["Accuracy by trials, steps and seed"], htpy.style[Markup(style)]]
    return f"{htpy.html(lang='en')[head, htpy.body[parts]]}\n"
