"""``reproduce``: a paper's printed numbers beside what ``agreement`` makes of the released answers.

The files are imported into a project that is thrown away; the numbers are rows of ``agreement``, no formula is added.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agreement import Options
from data.store.core import frame
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.studies.published import ALL, STUDIES, PrintedNumber, PublishedStudy
from ui.commands import agreement, reproduced, runner, studies, study_selfeval
from ui.commands.context import CommandError, Context, UsageError

Verdict = Literal["same", "different", "not_determined"]
METADATA = "evaluation_metadata.jsonl"
ANNOTATIONS = "annotations_*.csv"
LIKERT = "human_annotations_with_scores.json"


def execute(study: str, parameters: Mapping[str, Any]) -> int:
    """Run the command for one study in a project of its own, which goes when it is done; returns the exit status."""
    commands: dict[str, Callable[..., None]] = {
        "geneval": geneval,
        "tifa": tifa,
        "selfeval": study_selfeval.reproduce,
    }
    with tempfile.TemporaryDirectory(prefix="concord-") as folder, Store(Path(folder)) as store:
        context = Context(store, Path.cwd(), sys.stdout, sys.stderr)
        return runner.guarded(context, f"reproduce {study}", lambda: commands[study](context, **parameters))


def geneval(context: Context, sources: Sequence[str], metadata: str | None, output: str) -> None:
    """GenEval: the arguments of ``import study geneval``, or one folder that holds these files."""
    if len(sources) == 1 and context.path(sources[0]).is_dir():
        folder = sources[0]
        metadata = metadata or str(_one(context, folder, METADATA))
        sources = [f"{path.stem.removeprefix('annotations_')}={path}" for path in _all(context, folder, ANNOTATIONS)]
    elif not any("=" in source for source in sources):
        raise CommandError(f"{sources[0]}: there is no such folder; name one, or SOURCE=FILE with --metadata")
    if metadata is None:
        raise UsageError(f"--metadata {METADATA} is missing; it goes with SOURCE=FILE")
    known = STUDIES["geneval"].sources
    for source in sources:
        name, separator, _ = source.partition("=")
        if separator and name not in known:
            raise UsageError(f"{source}: the paper has no source {name!r}; name it one of {', '.join(known)}")
    studies.geneval(_quiet(context), metadata, list(sources))
    _say(context, STUDIES["geneval"], output)


def tifa(context: Context, path: str, output: str) -> None:
    """TIFA: the file of ``import study tifa``, or a folder that holds it."""
    file = str(_one(context, path, LIKERT)) if context.path(path).is_dir() else path
    studies.tifa(_quiet(context), file)
    _say(context, STUDIES["tifa"], output)


def _quiet(context: Context) -> Context:
    """What an import says of its project is of no interest where that is thrown away; its warnings are."""
    return Context(context.store, context.cwd, io.StringIO(), context.err)


def _all(context: Context, folder: str, pattern: str) -> list[Path]:
    """The files by that name in a folder and in the folders that it holds, as in a clone of the study's repository."""
    root = context.path(folder)
    found = sorted([*root.glob(pattern), *root.glob(f"*/{pattern}")])
    if not found:
        raise CommandError(f"{folder}: no {pattern} in this folder, nor in the folders that it holds")
    return found


def _one(context: Context, folder: str, name: str) -> Path:
    found = _all(context, folder, name)
    if len(found) > 1:
        raise CommandError(f"{folder}: {name} is there {len(found)} times; name the files yourself")
    return found[0]


@dataclass(frozen=True, slots=True)
class Line:
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


def compare(store: Store, study: PublishedStudy) -> list[Line]:
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
    answers = _Answers(study, found, {**prompts, ALL: int(asked["prompt"].nunique())})
    return [answers.line(number) for number in study.numbers]


@dataclass(frozen=True, slots=True)
class _Answers:
    """Rows of ``agreement`` by generator, task, rater and statistic; and the number of prompts of each generator."""

    study: PublishedStudy
    rows: Mapping[tuple[str, str, str | None, str], Mapping[str, Any]]
    prompts: Mapping[str, int]

    def line(self, number: PrintedNumber) -> Line:
        wanted = tuple(self.study.sources) if number.generator == ALL else (number.generator,)
        over = tuple(name for name in wanted if name in self.prompts)
        row = self._row(number, number.statistic)
        value = None if row is None else self._value(number, row)
        beside = {name: None if (found := self._row(number, name)) is None else found["value"] for name in number.beside}
        missing = [name for name in wanted if name not in over]
        rounded = None if value is None or missing else reproduced.rounding(number, value)
        verdict, reason = _verdict(number, row, missing, rounded)
        n_items, n_ratings = (0, 0) if row is None else (row["n_items"], row["n_ratings"])
        return Line(number, over, value, rounded, beside, n_items, n_ratings, verdict, reason)

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


def _verdict(
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
    context.say(reproduced.FORMATS[output](study, lines))
    counts = {verdict: sum(line.verdict == verdict for line in lines) for verdict in ("same", "different")}
    determined = sum(counts.values())
    if not determined:
        raise CommandError("these data determine none of the paper's numbers")
    if counts["different"]:
        raise CommandError(f"{counts['different']} of {determined} determined numbers not as printed")
