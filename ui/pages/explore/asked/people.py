"""VQA models beside people who answered the same questions (TIFA, Table 3 and Figure 11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from agreement.questions.people import ALPHA, APART, IMAGE_WRONG, TIFA_CORRELATION, VQA_ACCURACY, VQA_WRONG
from concord.common import next_steps, wording
from concord.questions import scores
from concord.questions.scores import REAL, Row
from data.store.core.store import Store
from ui import failure_charts
from ui.components.table import Cell, html_table, note
from ui.failure_charts import Mark, Series
from ui.pages.explore.asked.offered import ANSWERS, DIFFERENT, WRONG
from ui.pages.explore.asked.shown import Asked, cell, commands, of_source, source_of
from ui.pages.explore.asked.wrong import listed
from ui.pages.explore.view import ALL, View
from ui.root import at

_NOBODY: Final = (
    "No person has answered questions about images of {suite} yet, so nobody knows whether the image or the model is at fault"
    " where an answer is wrong. Ask people the very same questions:"
)
_HOW: Final = (
    "People’s answer is what more than half of those say whose answers count: two people, and a third where they differ. A"
    " wrong answer of the model is the image’s fault where people’s answer is not the one asked for either, and the model’s"
    " where it is. Only answers to the same words meet."
)
_WHO: Final = {"real": "people", "simulated": "simulated people"}
_PARTS: Final = {IMAGE_WRONG: "the image is wrong", VQA_WRONG: "the VQA model is wrong"}
_COLUMNS: Final = {
    VQA_ACCURACY: ("VQA accuracy", "The share of the model’s answers that are people’s (Table 3, first row)."),
    TIFA_CORRELATION: ("TIFA, Spearman’s ρ", "TIFA per image by the model’s answers and by people’s (Table 3, second row)."),
}


def drawn(store: Store, view: View) -> Asked:
    """Table 3, Figure 11 with its numbers, and the answers behind them."""
    rows, splits = scores.recall_people(store, view.suite, source_of(view))
    kinds = [kind for kind in _WHO if any(_met(split) for split in splits if split["people"] == kind)]
    if not kinds:
        lead = note(_NOBODY.format(suite=view.suite), "cc-lead")
        return Asked(lead, None, commands(store, next_steps.ASKING_PEOPLE), listed(store, view))
    mine = [row for row in splits if row["rater"] == view.rater and row["people"] in kinds]
    lead = note(_lead(view, rows, mine, kinds[0]), "cc-lead")
    shown = [row for row in mine if _decided(row)]
    numbers = _table_3(view, [row for row in rows if row["people"] in kinds]) + _counts(view, mine, rows) + note(_HOW)
    return Asked(lead, _figure(view, shown) if shown else None, numbers, listed(store, view))


def _met(split: Row) -> bool:
    """Whether people have answered any question about these images, in whatever words."""
    return bool(_decided(split) or any(split[name] for name in APART if name != "not_asked"))


def _decided(split: Row) -> int:
    return int(split[IMAGE_WRONG] + split[VQA_WRONG])


def _lead(view: View, rows: Sequence[Row], splits: Sequence[Row], kind: str) -> str:
    whole = next(row for row in splits if (row["by"], row["people"]) == (ALL, kind))
    parts = [f"{view.rater} on {view.suite}{of_source(view)}, beside {_WHO[kind]}"]
    accuracy = _one(rows, VQA_ACCURACY, view.rater, kind)
    if accuracy and accuracy["value"] is not None:
        parts.append(f"{accuracy['value']:.0%} of {wording.count(accuracy['n'], 'answer')} are theirs, too")
    decided = _decided(whole)
    if decided:
        share = whole[IMAGE_WRONG] / decided
        parts.append(f"of {wording.count(decided, 'wrong answer')} {share:.0%} are the image’s fault, the others the model’s")
    else:
        parts.append("people have answered none of the questions that it answers wrong")
    return f"{parts[0]}: {'; '.join(parts[1:])}."


def _one(rows: Sequence[Row], statistic: str, rater: str | None, kind: str) -> Row | None:
    wanted = (statistic, rater, kind, ALL)
    return next((row for row in rows if (row["statistic"], row["rater"], row["people"], row["by"]) == wanted), None)


def _table_3(view: View, rows: Sequence[Row]) -> str:
    headers: list[str | Cell] = ["VQA model", "beside", *(Cell(title, note=text) for title, text in _COLUMNS.values())]
    lines: list[list[str | Cell]] = []
    for kind in dict.fromkeys(row["people"] for row in rows):
        for rater in dict.fromkeys(row["rater"] for row in rows if row["rater"] is not None):
            href = view.address(rater=rater, answers=DIFFERENT, group=ALL, whose=ALL)
            lines.append([rater, _WHO[kind], *(cell(_one(rows, name, rater, kind), href) for name in _COLUMNS)])
    return html_table("VQA models beside people", headers, lines) + "".join(
        _among(view, _one(rows, ALPHA, None, kind), kind) for kind in dict.fromkeys(row["people"] for row in rows)
    )


def _among(view: View, row: Row | None, kind: str) -> str:
    """People's own agreement, in a table of its own: it is nobody's beside them."""
    if row is None:
        return ""
    href = at("/studio/agreement?") + urlencode({"suite": view.suite, "aspect": "answer"})
    headers: list[str | Cell] = ["who", Cell("Krippendorff’s α", note=wording.meaning(ALPHA)), Cell("questions")]
    lines: list[list[str | Cell]] = [
        [_WHO[kind], cell(row, href), Cell(f"{row['n']:,}", note="answered by two people or more")]
    ]
    return html_table("People among themselves", headers, lines)


def _counts(view: View, splits: Sequence[Row], rows: Sequence[Row]) -> str:
    """Figure 11 in numbers, each leading to its answers."""
    some = [name for name in APART if any(row[name] for row in splits)]
    titles = {WRONG: "wrong answers", **_PARTS, **{name: wording.reason(name) for name in some}}
    headers: list[str | Cell] = ["element type", *(Cell(text, note=ANSWERS.get(name, "")) for name, text in titles.items())]
    kinds = list(dict.fromkeys(row["people"] for row in splits))
    tables = []
    for kind in kinds:
        mine = [row for row in splits if row["people"] == kind]
        lines: list[list[str | Cell]] = [
            [row["group"], *(_count(view, row, name, rows, kind) for name in titles)] for row in mine
        ]
        beside = "" if kind == REAL else f", beside {_WHO[kind]}"
        tables.append(html_table(f"Whose fault wrong answers are{beside}", headers, lines))
    return "".join(tables)


def _count(view: View, split: Row, name: str, rows: Sequence[Row], kind: str) -> Cell:
    n = split[name]
    # what is listed beneath is beside real people
    href = view.address(group=split["group"], answers=name, whose=ALL) if n and kind == REAL else ""
    if name not in _PARTS or not _decided(split):
        return Cell(f"{n:,}", href=href)
    key = (name, split["by"], split["group"], view.rater, kind)
    row = next(r for r in rows if (r["statistic"], r["by"], r["group"], r["rater"], r["people"]) == key)
    span = "" if row["low"] is None else f" ({row['low']:.0%} to {row['high']:.0%})"
    return Cell(f"{n:,}", f"{row['value']:.0%}{span}", row["method"], href)


def _figure(view: View, splits: Sequence[Row]) -> Any:
    many = len({row["people"] for row in splits}) > 1
    labels = [_label(row, many) for row in splits]
    parts = [Series(title, [_share(view, row, name, title) for row in splits]) for name, title in _PARTS.items()]
    return failure_charts.stacked(labels, parts, "share of the wrong answers")


def _label(row: Row, many: bool) -> str:
    beside = f", {_WHO[row['people']]}" if many else ""
    return f"{row['group']}{beside} ({_decided(row):,})"


def _share(view: View, row: Row, name: str, title: str) -> Mark:
    share = row[name] / _decided(row)
    told = f"{row['group']}: {title}\n{row[name]:,} of {wording.count(_decided(row), 'wrong answer')}"
    href = view.address(group=row["group"], answers=name, whose=ALL) if row["people"] == REAL else ""
    return Mark(share, None, None, told, href, f"{share:.0%}")
