"""What the commands of `analysis` print: tables, Markdown or JSON. The pages show the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from agreement import ConsensusMethod, Options, PeopleAs
from agreement.estimate import WithInterval
from agreement.estimates import IntervalEstimate
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
from agreement.report.report import glance
from agreement.study.cells import ALL
from concord import agreement
from concord.agreement import selected
from concord.common import sentences, text_tables, wording
from concord.common.context import CommandError, Context, UsageError, parse_overrides
from concord.common.estimate_json import estimate_json
from concord.common.table import Field, Table, field, table_of
from concord.common.table import without_empty_columns as without_empty
from concord.common.text_tables import (
    Column,
    Row,
    aligned,
    column,
    interval_column,
    lines,
    number_column,
)
from concord.comparison import matching, preferences
from concord.comparison.matching import (
    AblationPoint,
    AblationSetting,
    MatchingCell,
    MatchingStatistics,
    WinogroundScores,
    ablation_points,
    matching_cells,
    winoground_scores,
)
from concord.error_analysis import flips
from concord.error_analysis.flips import FlipLine, flip_lines
from concord.questions import scores
from concord.runs import score
from data.files import write_whole
from data.prompts.flips import check_kind
from data.store.judgements.scorer_evidence import caption_choices

T = TypeVar("T")
V = TypeVar("V", bound=VoterKey)
C = TypeVar("C", bound=VoteCounts | OrderAgreement)

_TITLES = {
    "among_people": "People among themselves",
    "raters": "Scorers against people",
    "matrix": "Any two raters",
    "quality": "Persons beside the others",
    "by_certainty": "Scorers against people, by how far people agree",
    "comparisons": "Scorers compared: how much better a agrees with people than b",
    "thresholds": "Scores as decisions (yes above the threshold), against people, out of fold",
}
_WHO = {
    "among_people": (),
    "raters": ("rater", "people_as"),
    "matrix": ("a", "b"),
    "quality": ("rater",),
    "by_certainty": ("rater", "people_as", "certainty"),
    "comparisons": ("a", "b", "people_as"),
    "thresholds": ("rater", "people_as"),
}
_ALONE = "Agreement takes two who judge the same: score the images, label them (uv run app.py serve), or import ratings."
_VALUE, _INTERVAL, _REASON = number_column("value"), interval_column(), column("reason")


def print_agreement(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    statistic: Sequence[str],
    all_statistics: bool,
    by: Sequence[str],
    compare_with: Sequence[str],
    compare: bool,
    thresholds: bool,
    consensus: Sequence[ConsensusMethod],
    people_as: PeopleAs | None,
    intervals: bool,
    ceiling: bool,
    margin: float | None,
    seed: int,
    output: str,
) -> None:
    """The command ``agreement``: rows of a selection, as tables or JSON."""
    agreement.known_statistics(statistic)
    options = Options(
        statistics=tuple(statistic) or None,
        by_target="target" in by,
        by_certainty="certainty" in by,
        people_as=people_as,
        intervals=intervals,
        ceiling=ceiling,
        margin=margin,
        seed=seed,
        compare_with=tuple(compare_with),
    )
    chosen = agreement.selected(context, selection)
    unmet = agreement.unmet_scores(context.store, chosen, compare_with)
    agreement.refuse_unknown_aspects(context.store, compare_with)
    further = agreement.Further(compare, thresholds)
    rows = agreement.compute(context.store, chosen, options, further)
    if consensus:
        # the rows of consensuses after those of their section; a section of their own after the others
        more = agreement.consensus_of(context.store, chosen, options, tuple(dict.fromkeys(consensus)))
        rows = replace(rows, raters=(*rows.raters, *more.raters), matrix=(*rows.matrix, *more.matrix), quality=more.quality)
    if people_as and rows.among_people and not rows.raters:
        context.warn(f"--people-as {people_as}: no statistic of this selection compares scorers with people in that way")
    if output == "json":
        context.warn(*unmet)
        context.say_json({"selection": chosen.to_dict(), **rows.to_json()})
        return
    for section, section_rows in rows.sections():
        context.say(f"{_TITLES[section]}\n")
        shown, rest = ([*section_rows], []) if all_statistics or statistic else glance(section_rows)
        if shown:
            printed = [estimate_json(section, row) for row in shown]
            _say_indented(context, lines(_agreement_columns(section, printed), printed))
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


def _say_indented(context: Context, table: text_tables.Lines) -> None:
    context.say(*(f"  {line}" for line in aligned(table)))


def _agreement_columns(section: str, rows: Sequence[Row]) -> list[Column]:
    names = ["suite", "task", "generator", "aspect", "target", *_WHO[section], "people", "statistic"]
    more = _AGREEMENT_COLUMNS.get(section, ())
    if section == "raters" and not any(row["ceiling"] for row in rows):
        more = ()
    where = [column(name) for name in names if any(row[name] is not None for row in rows)]
    return [*where, _VALUE, _INTERVAL, *more, column("items", "n_items"), column("ratings", "n_ratings"), _REASON]


def _verdict(row: Row) -> str:
    """Where a scorer stands beside people, or why that cannot be said."""
    ceiling = row["ceiling"]
    if ceiling is None:
        return ""
    return wording.verdict(ceiling["verdict"]) if ceiling["verdict"] else str(ceiling["verdict_reason"] or "")


_AGREEMENT_COLUMNS: Mapping[str, Sequence[Column]] = {
    "raters": (
        ("people's own", lambda row: text_tables.number(row["ceiling"]["value"]) if row["ceiling"] else ""),
        ("verdict", _verdict),
    ),
    "comparisons": (
        number_column("of a", "value_a"),
        number_column("of b", "value_b"),
        number_column("p (Holm)", "p_holm"),
        (
            "McNemar's p (Holm)",
            lambda row: text_tables.number(row["mcnemar"]["p_mcnemar_holm"]) if row["mcnemar"] else "",
        ),
    ),
    "thresholds": (number_column("threshold", "threshold"), number_column("in sample", "in_sample")),
}


def _say_tables(context: Context, suite: str, tables: Iterable[Table]) -> None:
    """Print a suite's tables that have rows, each below its title."""
    for table in tables:
        if table.rows:
            context.say(f"{suite}: {table.caption}")
            _say_indented(context, _texts(table))


def _number_text_fields(
    number: Callable[[T], GroupStatistic | None], title: str, digits: int = 3, *, interval: bool = True
) -> list[Field[T]]:
    """Return the columns of a number (empty where there is none) and of its interval."""

    def value(row: T) -> str:
        found = number(row)
        return "" if found is None else text_tables.number(found.value, digits)

    def bounds(row: T) -> str:
        found = number(row)
        return "" if found is None else _interval(found, digits)

    return [field(title, value), *([field("95 % interval", bounds)] if interval else [])]


_ACCURACY_FIELDS: Sequence[Field[MatchingCell]] = (
    field("rater", lambda row: row.rater),
    field("images of", lambda row: row.generator),
    field("task", lambda row: row.task),
    *_number_text_fields(lambda row: row.accuracy, "accuracy"),
    *_number_text_fields(lambda row: row.chance, "chance", interval=False),
    *_number_text_fields(lambda row: row.above_chance, "above chance"),
    *_number_text_fields(lambda row: row.posterior, "posterior", interval=False),
    *_number_text_fields(lambda row: row.rank, "rank", 2, interval=False),
    *_number_text_fields(lambda row: row.evaluations, "evaluations", interval=False),
    field("n", lambda row: row.accuracy.n),
    field("left out", lambda row: _left_out(row.accuracy)),
    field("", lambda row: sentences.text_or_none(row.accuracy.reason)),
)
_WINOGROUND_FIELDS: Sequence[Field[WinogroundScores]] = (
    field("rater", lambda row: row.rater),
    field("images of", lambda row: row.generator),
    field("task", lambda row: row.task),
    field("text score, 95 %", lambda row: _with_interval(row.text)),
    field("image score, 95 %", lambda row: _with_interval(row.image)),
    field("group score, 95 %", lambda row: _with_interval(row.group)),
    field("groups", lambda row: str(row.text.n)),
)
_VOTES_FIELDS: Sequence[Field[Votes]] = (
    field("a", lambda row: row.a),
    field("b", lambda row: row.b),
    field("images of", lambda row: row.generator),
    field("task", lambda row: row.task),
    field("only a", lambda row: row.only_a),
    field("only b", lambda row: row.only_b),
    field("both", lambda row: row.both),
    field("neither", lambda row: row.neither),
    *_number_text_fields(lambda row: row.difference, "difference"),
)
_TRIAL_FIELDS: Sequence[Field[GroupStatistic]] = (
    field("rater", lambda row: row.rater),
    field("images of", lambda row: row.generator),
    field("trials", lambda row: row.group),
    field("accuracy", lambda row: text_tables.number(row.value, 3)),
    field("95 % interval", lambda row: _interval(row, 3)),
    field("n", lambda row: row.n),
)


def _with_interval(row: GroupStatistic) -> str:
    return f"{text_tables.number(row.value, 3)} {_interval(row, 3)}".strip()


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
        _say_tables(context, suite, map(without_empty, _matching_tables(statistics.where(suite=suite))))


def _matching_tables(statistics: MatchingStatistics) -> Iterator[Table]:
    cells = sorted(matching_cells(statistics.matching), key=lambda cell: (cell.rater, cell.generator))
    yield table_of("Accuracy against chance", _ACCURACY_FIELDS, cells)
    yield table_of("Winoground", _WINOGROUND_FIELDS, winoground_scores(statistics.winoground))
    yield table_of("Votes: only one of two is right", _VOTES_FIELDS, statistics.votes)
    yield table_of("By the first trials", _TRIAL_FIELDS, statistics.trials)


def _interval(row: WithInterval, digits: int = 4) -> str:
    return "" if row.low is None else f"{row.low:z.{digits}f} .. {row.high:z.{digits}f}"


_FLIP_FIELDS: Sequence[Field[FlipLine]] = (
    field("suite", lambda line: line.score.suite),
    field("rater", lambda line: line.score.rater),
    field("generator", lambda line: line.score.generator),
    field(SCORE, lambda line: text_tables.number(line.score.value)),
    field("95 % interval", lambda line: _interval(line.score)),
    field(FLIPPED, lambda line: text_tables.number(line.flipped.value)),
    field(DELTA, lambda line: text_tables.number(line.delta.value)),
    field("95 % interval", lambda line: _interval(line.delta)),
    field(PREFERRED, lambda line: text_tables.number(line.preferred.value)),
    field("95 % interval", lambda line: _interval(line.preferred)),
    field(TIED, lambda line: str(line.tied) if line.score.n_items else ""),
    field("images", lambda line: str(line.score.n_items)),
    field("reason", lambda line: sentences.text_or_none(line.delta.reason or line.preferred.reason)),
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
        table_lines += (text_tables.markdown if output == "md" else aligned)(_texts(table))
    elif not flip_rows.unflippable:
        table_lines.append("nothing to compare in this selection")
    unflippable = (f"no prompt of {suite} asks for a {kind} that could be flipped" for suite in flip_rows.unflippable)
    context.say(*table_lines, *unflippable)
    for command in dict.fromkeys(row.command for row in flip_rows.rows if row.command):
        context.warn(f"not all flipped prompts have been read yet; to have that done: {command}")


def _voter_fields() -> list[Field[V]]:
    return [field("people", lambda row: row.people), field("rater", lambda row: row.rater), field("by", lambda row: row.by)]


def _contest_fields() -> list[Field[C]]:
    return [
        field("task", lambda row: row.task),
        field("a", lambda row: row.contest.a),
        field("b", lambda row: row.contest.b),
        *_voter_fields(),
    ]


def _number_fields(title: str, number: Callable[[V], IntervalEstimate]) -> list[Field[V]]:
    """Return the columns of a number and what it rests on."""
    return [
        field(title, lambda row: text_tables.number(number(row).value)),
        field("95 % interval", lambda row: _interval(number(row))),
        field("n", lambda row: str(number(row).items)),
        field("left out", lambda row: _left_out(number(row))),
        field("reason", lambda row: sentences.text_or_none(number(row).reason)),
    ]


_VOTE_COUNT_FIELDS: Sequence[Field[VoteCounts]] = (
    *_contest_fields(),
    field("a_wins", lambda row: str(row.a_wins)),
    field("both", lambda row: str(row.both)),
    field("none", lambda row: str(row.none)),
    field("tie", lambda row: str(row.tie)),
    field("b_wins", lambda row: str(row.b_wins)),
    field("cannot_tell", lambda row: str(row.cannot_tell)),
    field("sign_test_p", lambda row: row.sign_test_p),
    *_number_fields("share of a", lambda row: row.share),
)
_SIDE_FIELDS: Sequence[Field[SideChoice]] = (
    *_voter_fields(),
    field("left", lambda row: str(row.left)),
    field("right", lambda row: str(row.right)),
    field("unknown", lambda row: str(row.unknown)),
    field("sign_test_p", lambda row: row.sign_test_p),
    *_number_fields("share of left", lambda row: row.share),
)
_ORDER_FIELDS: Sequence[Field[OrderBias]] = (
    *_voter_fields(),
    field("kept", lambda row: str(row.kept)),
    field("left", lambda row: str(row.left)),
    field("right", lambda row: str(row.right)),
    field("mixed", lambda row: str(row.mixed)),
    field("sign_test_p", lambda row: row.sign_test_p),
    *_number_fields("share changed", lambda row: row.changed),
)
_STRENGTH_FIELDS: Sequence[Field[GeneratorStrength]] = (
    field("task", lambda row: row.task),
    *_voter_fields(),
    field("rank", lambda row: "" if row.rank is None else str(row.rank)),
    field("generator", lambda row: row.generator),
    field("wins", lambda row: str(row.wins)),
    field("losses", lambda row: str(row.losses)),
    field("ties", lambda row: str(row.ties)),
    *_number_fields("strength", lambda row: row.strength),
)
_BESIDE_FIELDS: Sequence[Field[OrderAgreement]] = (
    *_contest_fields(),
    field("same_order", lambda row: row.same_order),
    field("opposed", lambda row: str(row.opposed)),
    *_number_fields("same", lambda row: row.same),
)
_RANK_FIELDS: Sequence[Field[RankCorrelation]] = (*_voter_fields(), *_number_fields("rho", lambda row: row.rho))


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


def _left_out(row: GroupStatistic | IntervalEstimate) -> str:
    return ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in row.excluded.items())


_QUESTION_FIELDS: Sequence[Field[GroupStatistic]] = (
    field("rater", lambda row: row.rater),
    field("other", lambda row: row.other),
    field("people", lambda row: row.people),
    field("generator", lambda row: row.generator),
    field("by", lambda row: row.by),
    field("group", lambda row: row.group),
    field("statistic", lambda row: row.statistic),
    field("value", lambda row: text_tables.number(row.value)),
    field("95 % interval", _interval),
    field("n", lambda row: f"{row.n:,} {row.unit}"),
    field("excluded", _left_out),
    field("reason", lambda row: sentences.text_or_none(row.reason)),
)
_SPLIT_FIELDS: Sequence[Field[Split]] = (
    field("rater", lambda split: split.rater),
    field("people", lambda split: split.people),
    field("by", lambda split: split.by),
    field("group", lambda split: split.group),
    *(field(name, lambda split, name=name: str(split.counts[name])) for name in ("wrong", IMAGE_WRONG, VQA_WRONG, *APART)),  # type: ignore[misc]
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
        _say_tables(context, suite, map(without_empty, _question_tables(statistics, suite)))


def _question_tables(statistics: scores.QuestionStatistics, suite: str) -> Iterator[Table]:
    for title, rows in (
        ("Scores of generators", statistics.scores),
        ("VQA models beside each other", statistics.models),
        ("VQA models beside people", statistics.people),
    ):
        yield table_of(title, _QUESTION_FIELDS, [row for row in rows if row.suite == suite])
    splits = [split for split in statistics.splits if split.suite == suite]
    yield table_of("Wrong answers, by whose fault they are", _SPLIT_FIELDS, splits)


def _texts(table: Table) -> text_tables.Lines:
    return [[column.title for column in table.columns], *([cell.text for cell in row.cells] for row in table.rows)]


_ABLATION_FIELDS: Sequence[Field[AblationPoint]] = (
    field("images of", lambda point: point.generator),
    field("task", lambda point: point.task),
    field("steps", lambda point: str(point.steps)),
    field("seed", lambda point: str(point.seed)),
    field("trials", lambda point: str(point.trials)),
    *_number_text_fields(lambda point: point.accuracy, "accuracy"),
    field("n", lambda point: point.accuracy.n),
    field("left out", lambda point: point.left_out or None),
)


def ablate(
    context: Context,
    scorer: str,
    profile: str,
    trials: str | None,
    steps: str | None,
    seeds: str | None,
    overrides: Sequence[str],
    device: str,
    batch_size: int | None,
    limit: int | None,
    first: int | None,
    selection: Mapping[str, Sequence[str]],
    plot: str | None,
    intervals: bool,
    output: str,
) -> None:
    """Score what is missing, then the table; ``plot``: an HTML file to write. Of several trials only the most are run, as fewer
    are the first of them."""
    usual = _default_settings(context, scorer, profile, overrides)
    wanted = [_numbers(text, name, usual[name]) for text, name in ((trials, "trials"), (steps, "steps"), (seeds, "seed"))]
    chosen = selected(context, selection)
    # a file that cannot be written is better told before hours of scoring
    target = None if plot is None else context.path(plot)
    if target is not None and not target.parent.is_dir():
        raise UsageError(f"--plot {plot}: there is no such folder")
    grid = []
    for of_steps, of_seed in product(wanted[1], wanted[2]):
        settings = [*overrides, f"trials={max(wanted[0])}", f"steps={of_steps}", f"seed={of_seed}"]
        planned = score.plan_scoring(context.store, scorer, profile, parse_overrides(settings))
        # with JSON on standard output nothing else goes there
        quiet = replace(context, out=context.err) if output == "json" else context
        score.run(quiet, scorer, profile, settings, device, batch_size, limit, selection, first=first)
        grid.append(AblationSetting(planned.rater.rater_id, of_steps, of_seed))
    only = replace(chosen, rater=tuple(setting.rater for setting in grid))
    points = ablation_points(caption_choices(context.store, only), grid, wanted[0], Options(intervals=intervals))
    if not points:
        raise CommandError("nothing to compare: no image of this selection has a number for every caption in every trial")
    if output == "json":
        context.say_json({"selection": only.to_dict(), "ablation": [point.to_json() for point in points]})
        return
    for suite in dict.fromkeys(point.suite for point in points):
        mine = [point for point in points if point.suite == suite]
        table = table_of("accuracy by trials, steps and seed", _ABLATION_FIELDS, mine)
        _say_tables(context, suite, [without_empty(table)])
    if target is not None:
        write_whole(target, _plot_page(points).encode())
        context.warn(f"the plot is in {plot}")


def _default_settings(context: Context, scorer: str, profile: str, overrides: Sequence[str]) -> Mapping[str, Any]:
    planned = score.plan_scoring(context.store, scorer, profile, parse_overrides(overrides))
    lacking = [name for name in ("trials", "steps", "seed") if name not in planned.settings]
    if lacking:
        raise UsageError(
            f"{scorer} has no {' and no '.join(lacking)} to vary; likelihood scorers have: selfeval, elbo, flowloss"
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
    from html import escape

    from ui.components.charts import by_trials

    parts: list[str] = []
    for suite, generator in dict.fromkeys((point.suite, point.generator) for point in points):
        mine = [point for point in points if (point.suite, point.generator, point.task) == (suite, generator, ALL)]
        drawn = by_trials(mine, None).to_html(full_html=False, include_plotlyjs=not parts)
        parts.append(f"<h2>{escape(suite)}, images of {escape(generator)}</h2>{drawn}")
    style = "body{font:15px system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    head = f'<meta charset="utf-8"><title>Accuracy by trials, steps and seed</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'
