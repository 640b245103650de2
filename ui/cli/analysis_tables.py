"""What the commands of `analysis` print: tables, Markdown or JSON. The pages show the same numbers."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from agreement import STATISTICS, ConsensusMethod, Options, PeopleAs
from agreement.flips import DELTA, FLIPPED, PREFERRED, SCORE, TIED
from agreement.report.report import glance
from agreement.study.cells import ALL
from concord import agreement, flips, matching, preferences
from concord.agreement import selected
from concord.common import wording
from concord.common.context import CommandError, Context, UsageError, parse_overrides
from concord.flips import Row as flips_Row
from concord.flips import wide
from concord.matching import EVALUATIONS, AblationSetting, Row, ablation_rows, by_cell
from concord.preferences import Row as preferences_Row
from concord.questions import scores
from concord.questions.scores import Row as scores_Row
from concord.runs import score
from data.files import write_whole
from data.prompts.flips import check_kind
from data.store.judgements.scorer_evidence import caption_choices

AgreementRow = Mapping[str, Any]
Column = Callable[[AgreementRow], str]

_TITLES = {
    "among_people": "People among themselves",
    "raters": "Scorers against people",
    "matrix": "Any two raters",
    "quality": "Persons beside the others",
    "by_certainty": "Scorers against people, by how far people agree",
    "comparisons": "Scorers compared: how much better a agrees with people than b",
    "thresholds": "Scores as decisions (yes above the threshold), against people, out of fold",
}
_WHERE = ("suite", "task", "generator", "aspect", "target")
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


def print_agreement(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    statistics: Sequence[str],
    all_statistics: bool,
    by: Sequence[str],
    further: Sequence[str],
    consensus: Sequence[ConsensusMethod],
    people_as: PeopleAs | None,
    intervals: bool,
    ceiling: bool,
    margin: float | None,
    seed: int,
    output: str,
) -> None:
    """The command ``agreement``: rows of a selection, as tables or JSON."""
    for name in statistics:
        if name not in STATISTICS:
            near = difflib.get_close_matches(name, STATISTICS, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(STATISTICS))}"
            raise UsageError(f"--statistic {name}: there is no such statistic; {hint}")
    options = Options(
        statistics=tuple(statistics) or None,
        by_target="target" in by,
        by_certainty="certainty" in by,
        people_as=people_as,
        intervals=intervals,
        ceiling=ceiling,
        margin=margin,
        seed=seed,
    )
    chosen = agreement.selected(context, selection)
    rows = agreement.compute(context.store, chosen, options, further)
    if consensus:
        # the rows of consensuses after those of their section; a section of their own after the others
        more = agreement.consensus_of(context.store, chosen, options, tuple(dict.fromkeys(consensus)))
        rows = rows | {name: [*rows.get(name, []), *section] for name, section in more.items()}
    if people_as and rows["among_people"] and not rows["raters"]:
        context.warn(f"--people-as {people_as}: no statistic of this selection compares scorers with people in that way")
    if output == "json":
        document = {"selection": chosen.to_dict(), **rows}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
    else:
        every = all_statistics or bool(statistics)
        for section, found in rows.items():
            context.say(f"{_TITLES[section]}\n")
            shown, rest = (found, []) if every else glance(found)
            for text in _table(section, shown) if shown else ["  nothing to compare in this selection"]:
                context.say(text)
            if rest:
                left = wording.count(len({row["statistic"] for row in rest}), "more statistic")
                context.say(f"  {left}: --all-statistics or --format json")
            context.say("")
        if not any(rows.values()):
            context.say(_ALONE)


def _table(section: str, rows: Sequence[AgreementRow]) -> Iterator[str]:
    names = [*_WHERE, *_WHO[section], "people", "statistic"]
    names = [name for name in names if any(row[name] is not None for row in rows)]
    columns = _columns(section)
    if not any(row.get("ceiling") for row in rows):
        columns = {name: text for name, text in columns.items() if name not in _OF_CEILING}
    told = [
        [*("" if row[name] is None else str(row[name]) for name in names), *(text(row) for text in columns.values())]
        for row in rows
    ]
    yield from wording.aligned([[*names, *columns], *told], "  ")


def _columns(section: str) -> dict[str, Column]:
    """The columns of numbers by title."""
    made: dict[str, Column] = {
        "value": lambda row: _number(row["value"]),
        "95 % interval": lambda row: "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}",
    }
    more = {"raters": _OF_CEILING, "comparisons": _OF_DUEL, "thresholds": _OF_CUT}.get(section, {})
    end: dict[str, Column] = {
        "items": lambda row: str(row["n_items"]),
        "ratings": lambda row: str(row["n_ratings"]),
        "reason": lambda row: row["reason"] or "",
    }
    return made | more | end


def _verdict(row: AgreementRow) -> str:
    """Where a scorer stands beside people, or why that cannot be said."""
    ceiling = row["ceiling"]
    if ceiling is None:
        return ""
    return wording.verdict(ceiling["verdict"]) if ceiling["verdict"] else str(ceiling["verdict_reason"] or "")


_OF_CEILING: dict[str, Column] = {
    "people's own": lambda row: _number(row["ceiling"]["value"]) if row["ceiling"] else "",
    "verdict": _verdict,
}
_OF_DUEL: dict[str, Column] = {
    "of a": lambda row: _number(row["value_a"]),
    "of b": lambda row: _number(row["value_b"]),
    "p (Holm)": lambda row: _number(row["p_holm"]),
    "McNemar's p (Holm)": lambda row: _number(row["mcnemar"]["p_mcnemar_holm"]) if row["mcnemar"] else "",
}
_OF_CUT: dict[str, Column] = {
    "threshold": lambda row: _number(row["threshold"]),
    "in sample": lambda row: _number(row["in_sample"]),
}


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


_SCORES = ("text_score", "image_score", "group_score")


def print_matching(context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, output: str) -> None:
    chosen = selected(context, selection)
    found = matching.rows(context.store, chosen, Options(intervals=intervals))
    if output == "json":
        document = {"selection": chosen.to_dict(), **found.sections}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    if not found.matching:
        context.say(
            "no scorer has chosen captions for images of this selection; first: import itm --playground, then score clipmatch"
        )
    for suite in dict.fromkeys(row["suite"] for row in found.matching):
        tables = {
            "Accuracy against chance": list(_accuracy(_of(found.matching, suite))),
            "Winoground": list(_winoground(_of(found.winoground, suite))),
            "Votes: only one of two is right": [
                ("a", "b", "images of", "task", "only a", "only b", "both", "neither", "difference", "95 % interval"),
                *(
                    (
                        *(row[name] for name in ("a", "b", "generator", "task")),
                        *(f"{row[name]:,}" for name in ("only_a", "only_b", "both", "neither")),
                        number_text(row),
                        interval_text(row),
                    )
                    for row in _of(found.votes, suite)
                ),
            ],
            "By the first trials": [
                ("rater", "images of", "trials", "accuracy", "95 % interval", "n"),
                *(
                    (row["rater"], row["generator"], str(row["trials"]), number_text(row), interval_text(row), f"{row['n']:,}")
                    for row in _of(found.trials, suite)
                ),
            ],
        }
        for title, lines in tables.items():
            if len(lines) > 1:
                context.say(f"{suite}: {title}")
                for line in aligned_columns(lines):
                    context.say(f"  {line}")


def _of(listed: Sequence[Row], suite: str) -> list[Row]:
    return [row for row in listed if row["suite"] == suite]


def _accuracy(listed: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    yield ("rater", "images of", "task", "accuracy", "95 % interval", "chance", "above chance", "95 % interval", "posterior",
           "rank", "evaluations", "n", "left out", "")  # fmt: skip
    for (_, generator, task, rater), of in sorted(by_cell(listed).items(), key=lambda item: (item[0][3], item[0][1])):
        accuracy, above = of["accuracy"], of["accuracy_less_chance"]
        left = ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in accuracy["excluded"].items())
        shares = [
            number_text(accuracy),
            interval_text(accuracy),
            number_text(of["chance"]),
            number_text(above),
            interval_text(above),
        ]
        spent = number_text(of[EVALUATIONS]) if EVALUATIONS in of else ""
        further = (number_text(of["posterior"]), number_text(of["rank"], 2), spent, f"{accuracy['n']:,}", left)
        yield rater, generator, task, *shares, *further, accuracy["reason"] or ""


def _winoground(listed: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    yield "rater", "images of", "task", *(f"{name.replace('_', ' ')}, 95 %" for name in _SCORES), "groups"
    places: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in listed:
        places.setdefault((row["rater"], row["generator"], row["task"]), {})[row["statistic"]] = row
    for place, of in places.items():
        yield (
            *place,
            *(f"{number_text(of[name])} {interval_text(of[name])}".strip() for name in _SCORES),
            str(of[_SCORES[0]]["n"]),
        )


def number_text(row: Row, digits: int = 3) -> str:
    """A value with so many digits; a dash where there is none."""
    return "-" if row["value"] is None else f"{row['value']:.{digits}f}"


def interval_text(row: Row) -> str:
    """The interval; nothing where there is none."""
    return "" if row["low"] is None else f"{row['low']:.3f} .. {row['high']:.3f}"


def aligned_columns(lines: Sequence[Sequence[str]], *, empty: bool = False) -> Iterator[str]:
    """Columns under each other; those that are empty but for their head are left out, unless ``empty``."""
    kept = [k for k in range(len(lines[0])) if empty or any(line[k] for line in lines[1:])]
    yield from wording.aligned([[line[k] for k in kept] for line in lines])


_FLIP_RATERS = ("suite", "rater", "generator")
_INTERVAL = "95 % interval"
_FLIP_HEADER = (*_FLIP_RATERS, SCORE, _INTERVAL, FLIPPED, DELTA, _INTERVAL, PREFERRED, _INTERVAL, TIED, "images", "reason")


def print_flips(context: Context, selection: Mapping[str, Sequence[str]], kind: str, intervals: bool, output: str) -> None:
    try:
        check_kind(kind)
    except ValueError as error:
        raise UsageError(f"--kind: {error}") from error
    chosen = selected(context, selection)
    found = flips.rows(context.store, chosen, kind, Options(intervals=intervals))  # type: ignore[arg-type]
    if output == "json":
        document = {"selection": chosen.to_dict(), "flip": kind, "unflippable": found.unflippable, "flips": found.rows}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    lines: list[str] = []
    if found.rows:
        table = [_FLIP_HEADER, *(_flip_cells(row) for row in wide(found.rows))]
        lines += wording.markdown_table(table) if output == "md" else aligned_columns(table, empty=True)
    elif not found.unflippable:
        lines.append("nothing to compare in this selection")
    lines += [f"no prompt of {suite} asks for a {kind} that could be flipped" for suite in found.unflippable]
    for line in lines:
        context.say(line)
    for command in dict.fromkeys(row["command"] for row in found.rows if row["command"]):
        context.warn(f"not all flipped prompts have been read yet; to have that done: {command}")


def _flip_cells(row: Mapping[str, flips_Row]) -> Sequence[str]:
    score, delta, preferred = row[SCORE], row[DELTA], row[PREFERRED]
    tied = str(preferred["excluded"].get(TIED, 0)) if score["n_items"] else ""
    values = [
        _flip_number(score),
        _flip_interval(score),
        _flip_number(row[FLIPPED]),
        _flip_number(delta),
        _flip_interval(delta),
    ]
    values += [_flip_number(preferred), _flip_interval(preferred), tied, str(score["n_items"])]
    return [*(str(score[name]) for name in _FLIP_RATERS), *values, delta["reason"] or preferred["reason"] or ""]


def _flip_number(row: flips_Row) -> str:
    return "-" if row["value"] is None else f"{row['value']:.4f}"


def _flip_interval(row: flips_Row) -> str:
    return "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}"


_PREFERENCE_TITLES = {
    "votes": "Votes, by task",
    "sides": "Which side is chosen",
    "strengths": "Bradley-Terry strengths (log, mean 0; ties half a win each)",
    "beside": "Scorers beside people, on pairs where both prefer one",
    "ranks": "Spearman of winning votes and a metric's mean, over generators and tasks (SelfEval, Figure 6)",
}
_PREFERENCE_RATERS = ("people", "rater", "by")
_PREFERENCE_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "votes": ("task", "a", "b", *_PREFERENCE_RATERS, "a_wins", "both", "none", "tie", "b_wins", "cannot_tell", "sign_test_p"),
    "sides": (*_PREFERENCE_RATERS, "left", "right", "unknown", "sign_test_p"),
    "strengths": ("task", *_PREFERENCE_RATERS, "rank", "generator", "wins", "losses", "ties"),
    "beside": ("task", "a", "b", *_PREFERENCE_RATERS, "same_order", "opposed"),
    "ranks": _PREFERENCE_RATERS,
}


def print_preferences(
    context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, seed: int, output: str
) -> None:
    chosen = selected(context, selection)
    found = preferences.rows(context.store, chosen, Options(intervals=intervals, seed=seed)).sections
    if output == "json":
        document = {"selection": chosen.to_dict(), **found}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    if not found["votes"]:
        context.say(
            "nobody has voted on a pair of images in this selection; campaigns create NAME --questionnaire ab --generator A"
            " --generator B asks people, and campaigns start NAME begins"
        )
    for suite in dict.fromkeys(row["suite"] for row in found["votes"]):
        for name, section in found.items():
            lines = [row for row in section if row["suite"] == suite]
            if lines:
                context.say(f"{suite}: {_PREFERENCE_TITLES[name]}")
                statistic = {
                    "votes": "share of a",
                    "sides": "share of left",
                    "strengths": "strength",
                    "beside": "same",
                    "ranks": "rho",
                }
                head = [*_PREFERENCE_COLUMNS[name], statistic[name], "95 % interval", "n", "left out", "reason"]
                for line in aligned_columns([head, *(_preference_cells(row, name) for row in lines)], empty=True):
                    context.say(f"  {line}")


def _preference_cells(row: preferences_Row, section: str) -> list[str]:
    value = "-" if row["value"] is None else f"{row['value']:.4f}"
    bounds = "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}"
    left = ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in row["excluded"].items())
    texts = []
    for name in _PREFERENCE_COLUMNS[section]:
        cell = row[name]
        words = {None: "", True: "yes", False: "no"} if cell is None or isinstance(cell, bool) else {}
        texts.append(words[cell] if words else f"{cell:.4f}" if isinstance(cell, float) else str(cell))
    return [
        *texts,
        value,
        bounds,
        str(row["n_items"]),
        left,
        row["reason"] or "",
    ]


_QUESTION_TITLES = {
    "scores": "Scores of generators",
    "models": "VQA models beside each other",
    "people": "VQA models beside people",
    "splits": "Wrong answers, by whose fault they are",
}
_QUESTION_HEADERS = (
    "rater",
    "other",
    "people",
    "generator",
    "by",
    "group",
    "statistic",
    "value",
    "95 % interval",
    "n",
    "excluded",
    "reason",
)
_QUESTION_UNITS = ("wrong", "image_wrong", "vqa_wrong", "undecided", "cannot_tell", "other_version", "not_asked")


def print_questions(
    context: Context, selection: Mapping[str, Sequence[str]], reference: str | None, intervals: bool, output: str
) -> None:
    chosen = selected(context, selection)
    found = scores.rows(context.store, chosen, reference, Options(intervals=intervals))
    if reference is not None and not any(row["reference"] for row in found.scores):
        context.warn(f"--reference {reference}: no questions were answered about images by that name in this selection")
    if output == "json":
        document = {"selection": chosen.to_dict(), "reference": reference, **found.sections}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    if not found.scores:
        context.say("no scorer has answered questions about images of this selection")
    for suite in dict.fromkeys(row["suite"] for row in found.scores):
        for name, section in found.sections.items():
            lines = [row for row in section if row["suite"] == suite]
            if lines:
                context.say(f"{suite}: {_QUESTION_TITLES[name]}")
                head = ("rater", "people", "by", "group", *_QUESTION_UNITS)
                counts = [head, *(tuple(str(row[name]) for name in head) for row in lines)] if name == "splits" else []
                for line in aligned_columns(counts or _figure_lines(lines), empty=True):
                    context.say(f"  {line}")


def _figure_lines(lines: Sequence[scores_Row]) -> list[tuple[str, ...]]:
    made = [_QUESTION_HEADERS, *(_question_cells(row) for row in lines)]
    # what is the same everywhere and empty need no column
    kept = [k for k, name in enumerate(_QUESTION_HEADERS) if any(row[k] for row in made[1:]) or name == "value"]
    return [tuple(row[k] for k in kept) for row in made]


def _question_cells(row: scores_Row) -> tuple[str, ...]:
    value = "-" if row["value"] is None else f"{row['value']:.4f}"
    interval = "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}"
    left = ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in row["excluded"].items())
    names = (row["rater"], row["other"], row["people"], row["generator"], row["by"], row["group"])
    n = f"{row['n']:,} {row['unit']}"
    return (*(name or "" for name in names), row["statistic"], value, interval, n, left, row["reason"] or "")


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
        score.run(quiet, scorer, profile, settings, device, batch_size, limit, selection)
        grid.append(AblationSetting(planned.rater.rater_id, of_steps, of_seed))
    only = replace(chosen, rater=tuple(setting.rater for setting in grid))
    rows = ablation_rows(caption_choices(context.store, only), grid, wanted[0], Options(intervals=intervals))
    if not rows:
        raise CommandError("nothing to compare: no image of this selection has a number for every caption in every trial")
    if output == "json":
        document = {"selection": only.to_dict(), "ablation": list(rows)}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    for suite in dict.fromkeys(row["suite"] for row in rows):
        context.say(f"{suite}: accuracy by trials, steps and seed")
        head = ("images of", "task", "steps", "seed", "trials", "accuracy", "95 % interval", "n", "left out")
        lines = [
            (row["generator"], row["task"], str(row["steps"]), str(row["seed"]), str(row["trials"]),
             number_text(row), interval_text(row), f"{row['n']:,}", f"{row['left_out']:,}" if row["left_out"] else "")
            for row in rows if row["suite"] == suite
        ]  # fmt: skip
        for line in aligned_columns([head, *lines]):
            context.say(f"  {line}")
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
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < least or found[-1] > 10**9:
        raise UsageError(f"{name}: {text!r} are not whole numbers of at least {least} with commas between, e.g. 1,5,10")
    return found


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
