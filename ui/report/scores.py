"""The section on scores: each generator's mean by task, human beside machine, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from ui.report import drawn
from ui.report.content import Cell, Heading, Section, Table
from ui.report.material import Material
from ui.report.tables import Row, by_topic, evenly, generator, number, place_names

PEOPLE = "people"
_WIDEST = 8
_WHAT = (
    "The mean of what was said: of yes and no, the share of yes. A scorer’s mean stands beside people’s on the images that "
    "both judged. A scorer’s own number (aspect “score”), and whatever people have not judged, stands over all images that "
    "it saw. Intervals are 95 %."
)


def section(material: Material) -> Section | None:
    """A table for each suite, aspect and kind of people."""
    people = [row for row in material.rows.get("among_people", []) if row["statistic"] == "mean"]
    scorers = [row for row in material.rows.get("raters", []) if row["statistic"] == "mean"]
    rows = [*people, *scorers, *material.rows.get("scorer_means", [])]
    if not rows:
        return None
    tables = [table for caption, part in by_topic(rows) for table in _tables(caption, part)]
    return Section("Scores", (_WHAT,), figures=tuple(drawn.scores(scorers, people)), tables=tuple(tables))


def alone(means: Sequence[Row], raters: Sequence[Row]) -> list[Row]:
    """Those of scorers' own means that no comparison with people shows already."""
    shown = {(row["suite"], row["aspect"], row["rater"]) for row in raters if row["statistic"] == "mean"}
    return [
        {**row, "people": "real", "ceiling": None} for row in means if (row["suite"], row["aspect"], row["rater"]) not in shown
    ]


def _tables(caption: str, rows: Sequence[Row]) -> list[Table]:
    """A line for each task, a column for each generator and rater."""
    names = {title: of for title, of in place_names(rows).items() if title != "Generator"}
    lines: dict[tuple[str, ...], dict[str, Row]] = {}
    makers = list(dict.fromkeys(generator(row) for row in rows))
    raters = sorted({_who(row) for row in rows}, key=lambda name: (name != PEOPLE, name))
    for row in rows:
        lines.setdefault(tuple(of(row) for of in names.values()), {})[f"{generator(row)}: {_who(row)}"] = row
    found = {name for line in lines.values() for name in line}
    columns = [f"{maker}: {rater}" for maker in makers for rater in raters]
    columns = [name for name in columns if name in found]
    parts = evenly(columns, _WIDEST)
    titles = [caption, *[f"{caption}, continued"] * (len(parts) - 1)]
    return [_table(title, tuple(names), lines, part) for title, part in zip(titles, parts, strict=True)]


def _who(row: Row) -> str:
    return str(row["rater"]) if "rater" in row else PEOPLE


def _table(caption: str, names: Sequence[str], lines: dict[tuple[str, ...], dict[str, Row]], columns: Sequence[str]) -> Table:
    notes: dict[str, str] = {}

    def mark(reason: str) -> str:
        return notes.setdefault(reason, str(len(notes) + 1))

    # every number says how many items it rests on
    body = [
        (*(Cell(text) for text in key), *(number(line.get(name), -1, mark, lambda _: ()) for name in columns))
        for key, line in lines.items()
        if any(name in line for name in columns)
    ]
    headings = (*(Heading(name, number=False) for name in names), *map(Heading, columns))
    told = tuple(f"({sign}) {reason}." for reason, sign in notes.items())
    return Table(caption, headings, tuple(body), len(names), told)
