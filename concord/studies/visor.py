"""``reproduce visor``: VISOR's Tables IV and V from the answers that a project has to VISOR's questions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from agreement import Options
from agreement.visor_study import Roles, StudyTables, tables
from annotation.questionnaires.visor import requested_objects
from concord.agreement import selected
from concord.common import wording
from concord.common.context import CommandError, Context
from data.prompts.spec import SpecError, parse_spec
from data.store import library
from data.store.core import frame
from data.store.core.store import Store
from data.studies.published import VISOR_PRINTED

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
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    write = _markdown if output == "md" else _aligned
    for line in _lines(StudyTables(tuple(four), tuple(five)), write):
        context.say(line)


def _roles(store: Store, said: pd.DataFrame) -> dict[str, Roles]:
    """A and B of each prompt that VISOR's form asks about."""
    known = library.prompts_by_id(store, sorted(said["prompt"].dropna().unique()))
    found = {}
    for prompt_id, prompt in known.items():
        try:
            spec = parse_spec(prompt.spec)
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


def _lines(found: StudyTables, write: Any) -> Iterator[str]:
    for title, names, rows in (("Table IV", _IV, found.questions), ("Table V", _V, found.metrics)):
        yield f"{title}\n"
        yield from (
            write(
                [
                    [*names, "statistic", "%", "95 % interval", "in the paper", "images", "answers", "left out", "reason"],
                    *(_cells(row, names) for row in rows),
                ]
            )
            if rows
            else ["  no scorer has judged these"]
        )
        yield ""
    yield from _NOTES


def _cells(row: Row, names: Sequence[str]) -> list[str]:
    value = "-" if row["value"] is None else f"{100 * row['value']:.2f}"
    bounds = "" if row["low"] is None else f"{100 * row['low']:.2f} .. {100 * row['high']:.2f}"
    left = ", ".join(f"{n:,} {wording.reason(name)}" for name, n in row["excluded"].items())
    counts = [str(row["n_items"]), str(row["n_ratings"])]
    told = [*(str(row[name]) for name in names), row["statistic"], value, bounds, row["printed"] or ""]
    return [*told, *counts, left, row["reason"] or ""]


def _aligned(table: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        yield "  " + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()


def _markdown(table: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *rows = table
    for line in (head, ["---"] * len(head), *rows):
        yield "| " + " | ".join(text.replace("|", "\\|") for text in line) + " |"
