"""Sections of numbers: people among themselves, scorers against people and against each other, any two raters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agreement.report.ceiling import MARGIN_OF_COEFFICIENTS, MARGIN_OF_SHARES
from agreement.report.report import glance
from concord.common import wording
from ui.report import drawn
from ui.report.content import Cell, Heading, Section, Table
from ui.report.material import Material
from ui.report.tables import ALL, TASKS_MEAN, Names, Row, by_topic, estimates_tables, place_names

_CEILING = (
    "Beneath a scorer’s number stands people’s own by the same statistic, with one person (or one rating) held against the "
    "others on the same items, and where that leaves the scorer beside these people, on other prompts: equivalent, if by two "
    "one-sided tests at 5 % it is within {margin} of them; else below or above, if the 95 % interval of the difference leaves "
    "0 out; else about how many more prompts would tell. Where a score meets yes or no (AUC and correlations) only "
    "“below” is said: there a person answers in two values, and a finer score can lie above that without knowing more."
)
_CUT = (
    "A score says yes or no by a threshold. For each task, and for all, the one that agrees best with people is chosen on four "
    "fifths of the prompts and judged on the fifth, for each fifth: these are the numbers here. The threshold shown is chosen "
    "on all of them; beneath a number stands what it reaches on the data that it was chosen on (in sample)."
)
_PREVALENCE = (
    "Where nearly all answers are alike, κ and α can be near 0 although raters nearly always agree: chance alone would make "
    "them agree. Read agreement, κ, AC1 and the mean (how common yes is) together."
)


def among_people(material: Material) -> Section | None:
    """People among themselves."""
    return _section(material, "among_people", "People among themselves", (_PREVALENCE,), lambda rows: place_names(rows))


def against_people(material: Material) -> Section | None:
    """Each scorer against people, with people's own number beside it."""
    rows = material.rows.get("raters", [])
    margin = material.options.margin
    within = (
        f"{margin:g}" if margin is not None else f"{MARGIN_OF_SHARES:g} (shares) or {MARGIN_OF_COEFFICIENTS:g} (coefficients)"
    )
    ceiling = (_CEILING.format(margin=within),) if any(row["ceiling"] for row in rows) else ()
    found = _section(material, "raters", "Scorers against people", ceiling, _of_scorers, beside)
    return replace(found, figures=tuple(drawn.beside_people(rows))) if found else None


def by_certainty(material: Material) -> Section | None:
    """Each scorer against people where these are of one mind, and where they are not."""
    what = (
        "The same by how sure people are: images on which all say the same (unanimous), on which more than half do "
        "(majority), and the others (split). Images with one rating are of no class.",
    )
    names: _NamesOf = lambda rows: {**_of_scorers(rows), "People are": lambda row: str(row["certainty"])}  # noqa: E731
    return _section(material, "by_certainty", "By people’s certainty", what, names)


def thresholds(material: Material) -> Section | None:
    """Scorers that only score: as decisions."""
    names: _NamesOf = lambda rows: {**_of_scorers(rows), "Yes above": _threshold}  # noqa: E731
    found = _section(material, "thresholds", "Scores as decisions", (_CUT,), names, _in_sample)
    return replace(found, figures=tuple(drawn.along(material.curves))) if found else None


def _threshold(row: Row) -> str:
    if row["task"] == TASKS_MEAN:
        return "each task’s own"
    return "–" if row["threshold"] is None else f"{row['threshold']:.4g}"


def _in_sample(row: Row) -> tuple[str, ...]:
    return () if row["in_sample"] is None else (f"in sample {row['in_sample']:.3f}",)


def matrix(material: Material) -> Section | None:
    """Any two raters."""
    rows = [row for row in material.rows.get("matrix", []) if row["generator"] == ALL and row["task"] == ALL]
    what = (
        "Any two raters with 10 items or more in common, over all generators and tasks; by generator and task in the data.",
    )
    names: _NamesOf = lambda _: {"Raters": lambda row: f"{row['a']} – {row['b']}"}  # noqa: E731
    return _section_of(rows, "Any two raters", what, names)


def scorers_compared(material: Material) -> Section | None:
    """Which of two scorers agrees better with the same people."""
    rows = material.rows.get("comparisons", [])
    if not rows:
        return None
    what = (
        "How much better the first agrees with people than the second, on the units that both judged: the difference, its "
        "interval, both scorers’ own numbers, and p (two-sided, by swapping the scorers’ judgements of prompts, corrected by "
        "Holm’s method over all tasks and pairs of scorers by one statistic).",
    )
    section = _section_of(rows, "Scorers compared", what, _pairs, _duel)
    tests = [table for caption, part in by_topic(rows) if (table := _mcnemar(caption, part))]
    return Section(section.title, section.paragraphs, tables=(*section.tables, *tests)) if section else None


_NamesOf = Callable[[Sequence[Row]], Names]
_Beside = Callable[[Row], tuple[str, ...]]


def _section(
    material: Material, name: str, title: str, paragraphs: tuple[str, ...], names: _NamesOf, more: _Beside | None = None
) -> Section | None:
    return _section_of(material.rows.get(name, []), title, paragraphs, names, more)


def _section_of(
    rows: Sequence[Row], title: str, paragraphs: tuple[str, ...], names: _NamesOf, more: _Beside | None = None
) -> Section | None:
    """A section of one comparison, None where there is nothing to compare."""
    if not rows:
        return None
    found: list[Table] = []
    for caption, part in by_topic(rows):
        shown, rest = glance(part)
        found += estimates_tables(caption, names(part), shown, more)
        further = estimates_tables(f"{caption}: more statistics", names(part), rest, more) if rest else []
        found += [replace(table, folded=True) for table in further]
    return Section(title, paragraphs, tables=tuple(found))


def _of_scorers(rows: Sequence[Row]) -> Names:
    return {**place_names(rows), "Scorer": lambda row: str(row["rater"])}


def _pairs(rows: Sequence[Row]) -> Names:
    return {**place_names(rows), "Scorers": lambda row: f"{row['a']} – {row['b']}"}


def beside(row: Row) -> tuple[str, ...]:
    """People's own number, and the verdict."""
    ceiling: Mapping[str, Any] | None = row["ceiling"]
    if ceiling is None or ceiling["value"] is None:
        return ()
    people = f"people {ceiling['value']:.3f}"
    if ceiling["low"] is not None:
        people += f" ({ceiling['low']:.2f} to {ceiling['high']:.2f})"
    needed = f"about {ceiling['prompts_needed']:,} more prompts would tell" if ceiling["prompts_needed"] is not None else ""
    return tuple(part for part in (people, wording.verdict(ceiling["verdict"] or ""), needed) if part)


def _duel(row: Row) -> tuple[str, ...]:
    own = f"{row['value_a']:.3f} against {row['value_b']:.3f}" if None not in (row["value_a"], row["value_b"]) else ""
    p = f"p = {row['p_holm']:.3f}" if row["p_holm"] is not None else ""
    return tuple(part for part in (own, p) if part)


def _mcnemar(caption: str, rows: Sequence[Row]) -> Table | None:
    """The four cells of right and wrong and the exact test, over all generators and tasks."""
    found = {(row["a"], row["b"]): row["mcnemar"] for row in rows if row["mcnemar"] and row["task"] == row["generator"] == ALL}
    if not found:
        return None
    counts = ("both_right", "only_a_right", "only_b_right", "both_wrong")
    body = []
    for (a, b), test in found.items():
        p = test["p_mcnemar_holm"]
        numbers = (*(Cell(f"{test[name]:,}") for name in counts), Cell("–" if p is None else f"{p:.3f}", exact=p))
        body.append((Cell(f"{a} – {b}"), *numbers))
    headings = ("Both right", "Only the first", "Only the second", "Both wrong", "p, exact, Holm")
    named = f"{caption}: right and wrong against people’s majority (McNemar)"
    return Table(named, (Heading("Scorers", number=False), *map(Heading, headings)), tuple(body))
