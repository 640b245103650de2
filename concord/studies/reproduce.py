"""Reproducing a published study: every number that its paper prints, beside ours, with what is between them and why."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from agreement import Options
from agreement.visor_study import Roles, tables
from annotation.questionnaires.visor import requested_objects
from concord import agreement
from concord.agreement import selected
from concord.common import wording
from concord.common.context import CommandError, Context, UsageError, run_guarded
from concord.common.text_tables import aligned
from concord.common.text_tables import markdown as markdown_table
from concord.studies import imports
from data.spec import SpecError
from data.store import library
from data.store.core import frame
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.studies.published import ALL, STUDIES, VISOR_PRINTED, PrintedNumber, PublishedStudy

Row = dict[str, Any]
_NOTES = (
    "In the paper: Gokhale et al., Benchmarking Spatial Relationships in Text-to-Image Generation (2022), in per cent, of other"
    " people's answers, which were not released: beside ours, not compared with them.",
    "Table IV: images on which more than half of three people or more give one answer, and on which all do."
    " Table V: images on which people's majority is what the scorer says.",
)
_IV = ("suite", "people", "generator", "question")
_V = ("suite", "people", "rater", "generator", "metric")
_NOTHING = (
    "nobody has answered VISOR's questions in this selection: run a campaign with the questionnaire visor, or import"
    " ratings of the aspects quality, scene, count, present, position and merged"
)


def reproduce_visor(context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, output: str) -> None:
    chosen = selected(context, selection)
    said = frame.frame(context.store, replace(chosen, aspect=()))
    options = Options(intervals=intervals)
    found = tables(said, frame.scales(context.store), _roles(context.store, said), options)
    if not found.questions:
        raise CommandError(_NOTHING)
    four, five = (_printed(rows) for rows in (found.questions, found.metrics))
    if output == "json":
        document = {"selection": chosen.to_dict(), "table_iv": four, "table_v": five, "notes": list(_NOTES)}
        context.say_json(document)
        return
    for title, names, rows in (("Table IV", _IV, tuple(four)), ("Table V", _V, tuple(five))):
        context.say(f"{title}\n")
        head = [*names, "statistic", "%", "95 % interval", "in the paper", "images", "answers", "left out", "reason"]
        cells = [head, *(_visor_cells(row, names) for row in rows)]
        lines = markdown_table(cells) if output == "md" else [f"  {line}" for line in aligned(cells)]
        for line in lines if rows else ["  no scorer has judged these"]:
            context.say(line)
        context.say("")
    for line in _NOTES:
        context.say(line)


def _roles(store: Store, said: pd.DataFrame) -> dict[str, Roles]:
    """A and B of each prompt that VISOR's form asks about."""
    known = library.prompts_by_id(store, sorted(said["prompt"].dropna().unique()))
    found = {}
    for prompt_id, prompt in known.items():
        try:
            spec = prompt.demands
        except SpecError:
            continue
        objects = [thing.target for thing in requested_objects(spec)]
        if objects:
            b = objects[1] if len(objects) == 2 else None
            found[prompt_id] = Roles(objects[0], b, bool(spec.relations) and len(objects) == 2)
    return found


def _printed(rows: Sequence[Row]) -> list[Row]:
    """The paper's number beside each, where it has the generator by that name; None else."""
    names = [row.get("question") or row["metric"] for row in rows]
    places = [(name, row["generator"], row["statistic"]) for name, row in zip(names, rows, strict=True)]
    return [row | {"printed": VISOR_PRINTED.get(place)} for place, row in zip(places, rows, strict=True)]


def _visor_cells(row: Row, names: Sequence[str]) -> list[str]:
    value = "-" if row["value"] is None else f"{100 * row['value']:.2f}"
    bounds = "" if row["low"] is None else f"{100 * row['low']:.2f} .. {100 * row['high']:.2f}"
    left = ", ".join(f"{n:,} {wording.reason(name)}" for name, n in row["excluded"].items())
    counts = [str(row["n_items"]), str(row["n_ratings"])]
    told = [*(str(row[name]) for name in names), row["statistic"], value, bounds, row["printed"] or ""]
    return [*told, *counts, left, row["reason"] or ""]


HEADER = ("in the paper", "called there", "what it is", "of", "printed", "ours", "in full", "items", "ratings", "verdict")


def table(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> str:
    """Aligned columns for a terminal, then what else there is to say."""
    return "\n".join([study.paper, "", *aligned(_cells(study, lines)), "", *_remarks(study, lines)])


def markdown(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> str:
    """The same as a Markdown table and a list."""
    told = markdown_table(_cells(study, lines))
    return "\n".join([f"## {study.paper}", "", *told, "", *(f"- {line}" for line in _remarks(study, lines))])


def as_json(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> str:
    """One document: ``paper``, ``numbers`` (a row each), ``notes``, ``not_determined`` (beyond those of ``numbers``)."""
    document = {
        "paper": study.paper,
        "numbers": [_row(study, line) for line in lines],
        "notes": list(study.notes),
        "not_determined": [{"what": item.what, "where": item.where, "reason": item.why} for item in study.open],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)


FORMATS: Mapping[str, Callable[[PublishedStudy, Sequence[ComparedNumber]], str]] = {
    "table": table,
    "md": markdown,
    "json": as_json,
}


def _row(study: PublishedStudy, line: ComparedNumber) -> dict[str, Any]:
    number = line.number
    return {
        "called": number.called, "where": number.where, "printed": number.printed, "percent": number.percent,
        "suite": study.suite, "aspect": study.aspect, "generator": number.generator, "task": number.task,
        "rater": number.rater, "statistic": number.statistic, "quantity": number.quantity,
        "value": line.value, "rounded": line.rounded, "n_items": line.n_items, "n_ratings": line.n_ratings,
        "over": list(line.over), "beside": dict(line.beside), "verdict": line.verdict, "reason": line.reason or None,
    }  # fmt: skip


def _cells(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> list[list[str]]:
    """The header and a row for each line; what stands beside a number has a column where there is any."""
    rows = [[*HEADER, "beside it"]]
    for line in lines:
        beside = [
            f"{name} -" if value is None else f"{name} {rounding(line.number, value)} ({value:.6f})"
            for name, value in line.beside.items()
        ]
        rows.append([*_numbers(study, line), "; ".join(beside)])
    return rows if any(line.beside for line in lines) else [row[:-1] for row in rows]


def _numbers(study: PublishedStudy, line: ComparedNumber) -> list[str]:
    number, found = line.number, line.value is not None
    full = repr(line.value).removesuffix(".0") if found else "-"
    counts = [str(line.n_items), str(line.n_ratings)] if found else ["", ""]
    verdict = line.verdict.replace("_", " ")
    what = {"value": number.statistic, "items_with": f"{number.statistic} x items"}
    kind = what.get(number.quantity, number.quantity.replace("_", " "))
    told = [number.where, number.called, kind, _scope_of(study, line), number.printed, line.rounded or "-"]
    return [*told, full, *counts, verdict]


def _scope_of(study: PublishedStudy, line: ComparedNumber) -> str:
    number = line.number
    pooled = ALL if len(line.over) == len(study.sources) else "+".join(line.over) or "-"
    who = number.rater or (number.generator if number.generator != ALL else pooled)
    return f"{who}, {number.task}" if number.task != ALL else who


def rounding(number: PrintedNumber, value: float) -> str:
    """A value in the unit and digits of the printed number. Half a unit may be rounded either way: as printed, if so."""
    printed = number.printed.replace(",", "")
    digits = len(printed.partition(".")[2])
    shown = 100 * value if number.percent else value
    either_way = abs(shown - float(printed)) <= 0.5 * 10**-digits + 1e-9
    return printed if either_way else f"{shown:.{digits}f}"


def _remarks(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> list[str]:
    """How to read the numbers, what differs and why, and what the data do not determine."""
    different = [_difference(line) for line in lines if line.verdict == "different"]
    open_lines = [line for line in lines if line.verdict == "not_determined"]
    reasons = Counter(line.reason for line in open_lines)
    undetermined = [f"Not determined: {count} of the above: {reason}." for reason, count in reasons.items()]
    if any(line.value is not None for line in open_lines):
        undetermined.append("What stands in full beside these is ours over what there is.")
    beyond = [f"Not determined: {item.what} ({item.where}): {item.why}." for item in study.open]
    verdicts = Counter(line.verdict for line in lines)
    count = f"Same {verdicts['same']}, different {verdicts['different']}, not determined {verdicts['not_determined']}."
    return [*study.notes, *different, *undetermined, *beyond, count]


def _difference(line: ComparedNumber) -> str:
    number = line.number
    ours = "undefined" if line.rounded is None else line.rounded
    return f"Different: {number.called} ({number.where}): printed {number.printed}, ours {ours}: {line.reason}."


Verdict = Literal["same", "different", "not_determined"]
METADATA = "evaluation_metadata.jsonl"
ANNOTATIONS = "annotations_*.csv"
LIKERT = "human_annotations_with_scores.json"


def execute(study: str, parameters: Mapping[str, Any]) -> int:
    """Run the command for one study in a project of its own, which goes when it is done; returns the exit status."""
    commands: dict[str, Callable[..., None]] = {
        "geneval": reproduce_geneval,
        "tifa": reproduce_tifa,
        "selfeval": imports.reproduce,
    }
    with tempfile.TemporaryDirectory(prefix="concord-") as folder, Store(Path(folder)) as store:
        context = Context(store, Path.cwd(), sys.stdout, sys.stderr)
        return run_guarded(context, f"reproduce {study}", lambda: commands[study](context, **parameters))


def reproduce_geneval(context: Context, sources: Sequence[str], metadata: str | None, output: str) -> None:
    """GenEval: the arguments of ``import study geneval``, or one folder that holds these files."""
    if len(sources) == 1 and context.path(sources[0]).is_dir():
        folder = sources[0]
        metadata = metadata or str(_single_file(context, folder, METADATA))
        sources = [f"{path.stem.removeprefix('annotations_')}={path}" for path in _files_named(context, folder, ANNOTATIONS)]
    elif not any("=" in source for source in sources):
        raise CommandError(f"{sources[0]}: there is no such folder; name one, or SOURCE=FILE with --metadata")
    if metadata is None:
        raise UsageError(f"--metadata {METADATA} is missing; it goes with SOURCE=FILE")
    known = STUDIES["geneval"].sources
    for source in sources:
        name, separator, _ = source.partition("=")
        if separator and name not in known:
            raise UsageError(f"{source}: the paper has no source {name!r}; name it one of {', '.join(known)}")
    imports.import_geneval(_quiet(context), metadata, list(sources))
    _say(context, STUDIES["geneval"], output)


def reproduce_tifa(context: Context, path: str, output: str) -> None:
    """TIFA: the file of ``import study tifa``, or a folder that holds it."""
    file = str(_single_file(context, path, LIKERT)) if context.path(path).is_dir() else path
    imports.import_tifa(_quiet(context), file)
    _say(context, STUDIES["tifa"], output)


def _quiet(context: Context) -> Context:
    """What an import says of its project is of no interest where that is thrown away; its warnings are."""
    return Context(context.store, context.cwd, io.StringIO(), context.err)


def _files_named(context: Context, folder: str, pattern: str) -> list[Path]:
    """The files by that name in a folder and in the folders that it holds, as in a clone of the study's repository."""
    root = context.path(folder)
    found = sorted([*root.glob(pattern), *root.glob(f"*/{pattern}")])
    if not found:
        raise CommandError(f"{folder}: no {pattern} in this folder, nor in the folders that it holds")
    return found


def _single_file(context: Context, folder: str, name: str) -> Path:
    found = _files_named(context, folder, name)
    if len(found) > 1:
        raise CommandError(f"{folder}: {name} is there {len(found)} times; name the files yourself")
    return found[0]


@dataclass(frozen=True, slots=True)
class ComparedNumber:
    """A printed number and ours.

    Attributes:
        over: the generators that ours is over; all that the paper means, unless the verdict is "not_determined".
        value: ours, as `agreement` gives it, None where it has none.
        rounded: ours in the printed number's unit and digits, None where it is not to be set against that.
        beside: the statistics shown beside it, as `agreement` gives them.
        reason: why the verdict is not "same".
    """

    number: PrintedNumber
    over: tuple[str, ...]
    value: float | None
    rounded: str | None
    beside: Mapping[str, float | None]
    n_items: int
    n_ratings: int
    verdict: Verdict
    reason: str


def compare(store: Store, study: PublishedStudy) -> list[ComparedNumber]:
    """Every printed number of a study beside what the answers in a store give, in the order of the data file."""
    wanted = {name for number in study.numbers for name in (number.statistic, *number.beside)}
    selection = Selection(suite=(study.suite,), generator=tuple(study.sources))
    options = Options(statistics=tuple(sorted(wanted)), intervals=False, matrix=False)
    rows = agreement.compute(store, selection, options)
    found = {
        (row["generator"], row["task"], row.get("rater"), row["statistic"]): row
        for row in [*rows["among_people"], *rows["raters"]]
        if (row["aspect"], row["people"]) == (study.aspect, "real")
    }
    asked = frame.frame(store, selection)[["generator", "prompt"]].drop_duplicates()
    prompts = {str(generator): int(count) for generator, count in asked["generator"].value_counts().items()}
    answers = _ComputedNumbers(study, found, {**prompts, ALL: int(asked["prompt"].nunique())})
    return [answers.line(number) for number in study.numbers]


@dataclass(frozen=True, slots=True)
class _ComputedNumbers:
    """Rows of ``agreement`` by generator, task, rater and statistic; and the number of prompts of each generator."""

    study: PublishedStudy
    rows: Mapping[tuple[str, str, str | None, str], Mapping[str, Any]]
    prompts: Mapping[str, int]

    def line(self, number: PrintedNumber) -> ComparedNumber:
        wanted = tuple(self.study.sources) if number.generator == ALL else (number.generator,)
        over = tuple(name for name in wanted if name in self.prompts)
        row = self._row(number, number.statistic)
        value = None if row is None else self._value(number, row)
        beside = {name: None if (found := self._row(number, name)) is None else found["value"] for name in number.beside}
        missing = [name for name in wanted if name not in over]
        rounded = None if value is None or missing else rounding(number, value)
        verdict, reason = _compare_rounded(number, row, missing, rounded)
        n_items, n_ratings = (0, 0) if row is None else (row["n_items"], row["n_ratings"])
        return ComparedNumber(number, over, value, rounded, beside, n_items, n_ratings, verdict, reason)

    def _row(self, number: PrintedNumber, statistic: str) -> Mapping[str, Any] | None:
        return self.rows.get((number.generator, number.task, number.rater, statistic))

    def _value(self, number: PrintedNumber, row: Mapping[str, Any]) -> float | None:
        if row["value"] is None:
            return None
        values = {
            "value": row["value"],
            "items": row["n_items"],
            "items_with": round(row["value"] * row["n_items"]),
            "ratings": row["n_ratings"],
            "ratings_per_item": row["n_ratings"] / row["n_items"],
            "prompts": self.prompts[number.generator],
        }
        return float(values[number.quantity])


def _compare_rounded(
    number: PrintedNumber, row: Mapping[str, Any] | None, missing: Sequence[str], rounded: str | None
) -> tuple[Verdict, str]:
    if missing:
        return "not_determined", f"no {' and no '.join(missing)} in these data"
    if row is None:
        return "not_determined", "these data hold nothing to compute it from"
    if rounded is None:
        return "different", row["reason"]
    if rounded == number.printed.replace(",", ""):
        return "same", ""
    return "different", number.if_different or "why is not known"


def _say(context: Context, study: PublishedStudy, output: str) -> None:
    lines = compare(context.store, study)
    context.say(FORMATS[output](study, lines))
    counts = {verdict: sum(line.verdict == verdict for line in lines) for verdict in ("same", "different")}
    determined = sum(counts.values())
    if not determined:
        raise CommandError("these data determine none of the paper's numbers")
    if counts["different"]:
        raise CommandError(f"{counts['different']} of {determined} determined numbers not as printed")
