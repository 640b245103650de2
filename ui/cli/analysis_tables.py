"""What the commands of `analysis` print: tables, Markdown or JSON. The pages show the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from agreement import ConsensusMethod, Options, PeopleAs
from agreement.flips import DELTA, FLIPPED, PREFERRED, SCORE, TIED
from agreement.report.report import glance
from agreement.study.cells import ALL
from concord import agreement
from concord.agreement import selected
from concord.common import text_tables, wording
from concord.common.context import CommandError, Context, UsageError, parse_overrides
from concord.common.estimate_json import estimate_json
from concord.common.text_tables import (
    LEFT_OUT,
    Column,
    Row,
    aligned,
    column,
    counts,
    interval_column,
    lines,
    number_column,
    of_statistic,
    without_empty_columns,
)
from concord.comparison import matching, preferences
from concord.comparison.matching import EVALUATIONS, AblationSetting, ablation_rows, by_cell
from concord.error_analysis import flips
from concord.error_analysis.flips import wide
from concord.questions import scores
from concord.runs import score
from data.files import write_whole
from data.prompts.flips import check_kind
from data.store.judgements.scorer_evidence import caption_choices

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


def _say_by_suite(context: Context, sections: Mapping[str, tuple[Sequence[Row], _Table]]) -> None:
    """Each suite's rows of each section, where it has any: its title, and the table made of them."""
    for suite in dict.fromkeys(row["suite"] for row in next(iter(sections.values()))[0]):
        for title, (rows, table) in sections.items():
            if mine := [row for row in rows if row["suite"] == suite]:
                context.say(f"{suite}: {title}")
                _say_indented(context, table(mine))


_Table = Callable[[Sequence[Row]], text_tables.Lines]
_IMAGES_OF = column("images of", "generator")
_ACCURACY, _SHORT_INTERVAL = number_column("accuracy", digits=3), interval_column(3)
_ACCURACY_COLUMNS = (
    *of_statistic("accuracy", column("rater"), _IMAGES_OF, column("task"), _ACCURACY, _SHORT_INTERVAL),
    *of_statistic("chance", number_column("chance", digits=3)),
    *of_statistic("accuracy_less_chance", number_column("above chance", digits=3), _SHORT_INTERVAL),
    *of_statistic("posterior", number_column("posterior", digits=3)),
    *of_statistic("rank", number_column("rank", digits=2)),
    *of_statistic(EVALUATIONS, number_column("evaluations", digits=3)),
    *of_statistic("accuracy", *counts("n"), LEFT_OUT, ("", lambda row: row["reason"] or "")),
)
_VOTE_COLUMNS = (
    column("a"),
    column("b"),
    _IMAGES_OF,
    column("task"),
    *counts("only_a", "only_b", "both", "neither"),
    number_column("difference", digits=3),
    _SHORT_INTERVAL,
)
_TRIAL_COLUMNS = (column("rater"), _IMAGES_OF, column("trials"), _ACCURACY, _SHORT_INTERVAL, *counts("n"))
_SCORES = ("text_score", "image_score", "group_score")


def print_matching(context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, output: str) -> None:
    """The command ``itm``."""
    chosen = selected(context, selection)
    rows = matching.rows(context.store, chosen, Options(intervals=intervals))
    if output == "json":
        context.say_json({"selection": chosen.to_dict(), **rows.sections})
        return
    if not rows.matching:
        context.say(
            "no scorer has chosen captions for images of this selection; first: import itm --playground, then score clipmatch"
        )
        return
    _say_by_suite(
        context,
        {
            "Accuracy against chance": (rows.matching, _accuracy),
            "Winoground": (rows.winoground, _winoground),
            "Votes: only one of two is right": (rows.votes, _compact(_VOTE_COLUMNS)),
            "By the first trials": (rows.trials, _compact(_TRIAL_COLUMNS)),
        },
    )


def _compact(columns: Sequence[Column]) -> _Table:
    return lambda rows: without_empty_columns(lines(columns, rows))


def _accuracy(rows: Sequence[Row]) -> text_tables.Lines:
    cells = sorted(by_cell(rows).items(), key=lambda item: (item[0][3], item[0][1]))
    return _compact(_ACCURACY_COLUMNS)([of for _, of in cells])


def _winoground(rows: Sequence[Row]) -> text_tables.Lines:
    def with_interval(row: Row) -> str:
        return f"{_ACCURACY[1](row)} {_SHORT_INTERVAL[1](row)}".strip()

    columns = (
        *of_statistic(_SCORES[0], column("rater"), _IMAGES_OF, column("task")),
        *(of_statistic(name, (f"{name.replace('_', ' ')}, 95 %", with_interval))[0] for name in _SCORES),
        *of_statistic(_SCORES[0], column("groups", "n")),
    )
    places: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        places.setdefault((row["rater"], row["generator"], row["task"]), {})[row["statistic"]] = row
    return _compact(columns)([*places.values()])


def _tied(of: Row) -> str:
    """How many images have the same score by both prompts."""
    return str(of[PREFERRED]["excluded"].get(TIED, 0)) if of[SCORE]["n_items"] else ""


_FLIP_COLUMNS = (
    *of_statistic(SCORE, *map(column, ("suite", "rater", "generator")), number_column(SCORE), _INTERVAL),
    *of_statistic(FLIPPED, number_column(FLIPPED)),
    *of_statistic(DELTA, number_column(DELTA), _INTERVAL),
    *of_statistic(PREFERRED, number_column(PREFERRED), _INTERVAL),
    (TIED, _tied),
    *of_statistic(SCORE, column("images", "n_items")),
    ("reason", lambda of: of[DELTA]["reason"] or of[PREFERRED]["reason"] or ""),
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
            {"selection": chosen.to_dict(), "flip": kind, "unflippable": flip_rows.unflippable, "flips": flip_rows.rows}
        )
        return
    table_lines: list[str] = []
    if flip_rows.rows:
        table_lines += (text_tables.markdown if output == "md" else aligned)(lines(_FLIP_COLUMNS, wide(flip_rows.rows)))
    elif not flip_rows.unflippable:
        table_lines.append("nothing to compare in this selection")
    unflippable = (f"no prompt of {suite} asks for a {kind} that could be flipped" for suite in flip_rows.unflippable)
    context.say(*table_lines, *unflippable)
    for command in dict.fromkeys(row["command"] for row in flip_rows.rows if row["command"]):
        context.warn(f"not all flipped prompts have been read yet; to have that done: {command}")


_RATERS = ("people", "rater", "by")
_PREFERENCES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "votes": (
        "Votes, by task",
        "share of a",
        ("task", "a", "b", *_RATERS, "a_wins", "both", "none", "tie", "b_wins", "cannot_tell", "sign_test_p"),
    ),
    "sides": ("Which side is chosen", "share of left", (*_RATERS, "left", "right", "unknown", "sign_test_p")),
    "orders": (
        "Position bias: choices that change when the two images change places",
        "share changed",
        (*_RATERS, "kept", "left", "right", "mixed", "sign_test_p"),
    ),
    "strengths": (
        "Bradley-Terry strengths (log, mean 0; Davidson's ties)",
        "strength",
        ("task", *_RATERS, "rank", "generator", "wins", "losses", "ties"),
    ),
    "beside": (
        "Scorers beside people, on pairs where both prefer one",
        "same",
        ("task", "a", "b", *_RATERS, "same_order", "opposed"),
    ),
    "ranks": (
        "Spearman of winning votes and a metric's mean, over generators and tasks (SelfEval, Figure 6)",
        "rho",
        _RATERS,
    ),
}
"""Of each section: its title, what its statistic is called, and its other columns."""


def print_preferences(
    context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, seed: int, output: str
) -> None:
    """The command ``preferences``."""
    chosen = selected(context, selection)
    preference_rows = preferences.rows(context.store, chosen, Options(intervals=intervals, seed=seed)).sections
    if output == "json":
        context.say_json({"selection": chosen.to_dict(), **preference_rows})
        return
    if not preference_rows["votes"]:
        context.say(
            "nobody has voted on a pair of images in this selection; campaigns create NAME --questionnaire ab --generator A"
            " --generator B asks people, and campaigns start NAME begins"
        )
    sections: dict[str, tuple[Sequence[Row], _Table]] = {}
    for name, rows in preference_rows.items():
        title, statistic, names = _PREFERENCES[name]
        end = (number_column(statistic), _INTERVAL, column("n", "n_items"), LEFT_OUT, _REASON)
        sections[title] = rows, partial(lines, [*map(column, names), *end])
    _say_by_suite(context, sections)


_QUESTION_TITLES = {
    "scores": "Scores of generators",
    "models": "VQA models beside each other",
    "people": "VQA models beside people",
    "splits": "Wrong answers, by whose fault they are",
}
_QUESTION_COLUMNS = (
    *map(column, ("rater", "other", "people", "generator", "by", "group", "statistic")),
    _VALUE,
    _INTERVAL,
    ("n", lambda row: f"{row['n']:,} {row['unit']}"),
    ("excluded", LEFT_OUT[1]),
    _REASON,
)
_SPLIT_COLUMNS = tuple(
    map(
        column,
        ("rater", "people", "by", "group", "wrong", "image_wrong", "vqa_wrong", "undecided", "cannot_tell", "other_version",
         "not_asked"),
    )
)  # fmt: skip


def print_questions(
    context: Context, selection: Mapping[str, Sequence[str]], reference: str | None, intervals: bool, output: str
) -> None:
    """The command ``vqa``."""
    chosen = selected(context, selection)
    rows = scores.rows(context.store, chosen, reference, Options(intervals=intervals))
    if reference is not None and not any(row["reference"] for row in rows["scores"]):
        context.warn(f"--reference {reference}: no questions were answered about images by that name in this selection")
    if output == "json":
        context.say_json({"selection": chosen.to_dict(), "reference": reference, **rows})
        return
    if not rows["scores"]:
        context.say("no scorer has answered questions about images of this selection")
    _say_by_suite(
        context,
        {
            _QUESTION_TITLES[name]: (part, partial(lines, _SPLIT_COLUMNS) if name == "splits" else _compact(_QUESTION_COLUMNS))
            for name, part in rows.items()
        },
    )


_ABLATION_COLUMNS = (
    _IMAGES_OF,
    *map(column, ("task", "steps", "seed", "trials")),
    _ACCURACY,
    _SHORT_INTERVAL,
    *counts("n"),
    ("left out", lambda row: f"{row['left_out']:,}" if row["left_out"] else ""),
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
    rows = ablation_rows(caption_choices(context.store, only), grid, wanted[0], Options(intervals=intervals))
    if not rows:
        raise CommandError("nothing to compare: no image of this selection has a number for every caption in every trial")
    if output == "json":
        context.say_json({"selection": only.to_dict(), "ablation": list(rows)})
        return
    _say_by_suite(context, {"accuracy by trials, steps and seed": (rows, _compact(_ABLATION_COLUMNS))})
    if target is not None:
        write_whole(target, _plot_page(rows).encode())
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


def _plot_page(rows: Sequence[Row]) -> str:
    """One figure for each suite and generator, of all tasks together, in a page that needs no network."""
    from html import escape

    from ui.components.charts import by_trials

    parts: list[str] = []
    for suite, generator in dict.fromkeys((row["suite"], row["generator"]) for row in rows):
        mine = [row for row in rows if (row["suite"], row["generator"], row["task"]) == (suite, generator, ALL)]
        drawn = by_trials(mine, None).to_html(full_html=False, include_plotlyjs=not parts)
        parts.append(f"<h2>{escape(suite)}, images of {escape(generator)}</h2>{drawn}")
    style = "body{font:15px system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    head = f'<meta charset="utf-8"><title>Accuracy by trials, steps and seed</title><style>{style}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'
