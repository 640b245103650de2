"""Sections about what was selected, who judged, and what does not count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from concord.common import wording
from data.export.ratings import SIMULATED
from data.store.analysis.exports import ScorerDescription
from ui.report.content import Section, Table, texts
from ui.report.material import Material
from ui.report.tables import ALL, Row

_FILTERS = {
    "suite": "suite", "task": "task", "generator": "generator", "aspect": "aspect", "target": "target", "rater": "rater",
    "campaign": "campaign", "certainty": "certainty", "since": "said since", "until": "said before",
}  # fmt: skip
_HOW_TO_READ = (
    "Each table has one line per place (generator, task) and rater, and one column per statistic: first a scale’s primary one "
    "and two beside it, the others under “more statistics”. Beneath a number stand its interval, and the number of items it "
    "rests on (n) where that is not the line’s. A dash is undefined: the mark beside it leads to the reason. Figures are "
    "rounded here; in full they are in the data at the end of the report’s HTML and Markdown forms, and in its tables (CSV, "
    "Parquet)."
)


def said_in_words(material: Material) -> str:
    """The selection as one phrase."""
    chosen = material.selection.to_dict()
    if not chosen:
        return "Everything in the project"
    last = {name: values[-1:] if name in ("since", "until") else values for name, values in chosen.items()}
    parts = [f"{_FILTERS.get(name, name)} {' or '.join(values)}" for name, values in last.items()]
    return "Only " + ", ".join(parts)


_CERTAINTY = (
    "Of the units that two people or more have rated, these are the ones of this certainty: unanimous where all ratings are "
    "equal, majority where more than half are, split where neither. The others are not in this report."
)


def title(material: Material) -> str:
    """What the report is about; the certainty of its units belongs to every number."""
    classes = list(dict.fromkeys(material.selection.certainty))
    several = f"{', '.join(classes[:-1])} and {classes[-1]}" if len(classes) > 1 else "".join(classes)
    return "Agreement of raters" + (f" on {several} units" if classes else "")


def selected(material: Material) -> Section:
    """What was selected and what it holds, in plain words."""
    ratings = material.ratings
    n = ratings["kind"].value_counts()
    by = {"human": "by people", "scorer": "by scorers", SIMULATED: "by simulated people"}
    counts = [f"{wording.count(int(n[kind]), 'rating')} {who}" for kind, who in by.items() if kind in n]
    about = [wording.count(int(ratings["item"].nunique()), "item")]
    about += [f"of {wording.count(k, 'prompt')}" for k in [int(ratings["prompt"].nunique())] if k]
    about += [f"by {wording.count(k, 'generator')}" for k in [int(ratings["generator"].nunique())] if k]
    left = int(material.left_out.notna().sum())
    first = f"{said_in_words(material)}: {', '.join(counts)}, about {' '.join(about)}. {_besides_these(left)}"
    paragraphs = [first.strip(), *([_CERTAINTY] if material.selection.certainty else [])]
    if "human" not in n:
        paragraphs.append("No person has judged this yet.")
    if SIMULATED in n:
        paragraphs.append(
            "Simulated people are seeded imitations, for demonstration. They have tables of their own and are never counted "
            "with people."
        )
    return Section(
        "What was selected",
        (*paragraphs, _HOW_TO_READ),
        tuple(in_short(material)),
        tables=(_overview(material), _places(material)),
    )


def _besides_these(left: int) -> str:
    return (
        f"{wording.count(left, 'more judgement')} {'does' if left == 1 else 'do'} not count (see Exclusions)." if left else ""
    )


def _overview(material: Material) -> Table:
    rows = []
    for key, part in material.ratings.groupby(["suite", "aspect", "scale"]):
        kinds = part["kind"].value_counts()
        numbers = [part["item"].nunique(), part["prompt"].nunique(), *(kinds.get(k, 0) for k in ("human", SIMULATED, "scorer"))]
        rows.append([*map(str, key), *(f"{int(number):,}" for number in numbers)])
    headings = ("Suite", "Aspect", "Scale", "Items", "Prompts", "By people", "By simulated people", "By scorers")
    return texts("Ratings that count", headings, rows, 3)


def _places(material: Material) -> Table:
    """How many items of each task each generator has."""
    items = material.ratings.drop_duplicates(["suite", "item"]).fillna({"task": "no task", "generator": "no generator"})
    counts = items.groupby(["suite", "task", "generator"]).size()
    makers = sorted(items["generator"].unique())
    if len(makers) > _MOST_COLUMNS:
        rows = [[*map(str, key), f"{n:,}"] for key, n in counts.items() if isinstance(key, tuple)]
        return texts("Items by task and generator", ("Suite", "Task", "Generator", "Items"), rows, 3)
    wide = counts.unstack(fill_value=0)[makers]
    lines = [
        [*map(str, key), *(f"{n:,}" for n in (*line, sum(line)))]
        for key, line in zip(wide.index, wide.to_numpy().tolist(), strict=True)
    ]
    return texts("Items by task and generator", ("Suite", "Task", *makers, "In all"), lines, 2)


_MOST_COLUMNS = 8


def in_short(material: Material) -> Iterator[str]:
    """A sentence on each suite and aspect: how far people agree, and which scorer comes closest to them."""
    among = {(*_topic(row), row["statistic"]): row for row in material.rows.get("among_people", []) if _is_whole(row)}
    for suite, aspect, people in dict.fromkeys(key[:3] for key in among):
        who = "simulated people" if people == "simulated" else "people"
        agree = among.get((suite, aspect, people, "percent_agreement"))
        parts = []
        if agree and agree["value"] is not None:
            parts.append(f"two {who} say the same in {agree['value']:.1%} of cases{_within(agree, '.1%')}")
        best = _closest(material, (suite, aspect, people))
        if best:
            parts.append(best)
        if parts:
            yield f"{suite}, {wording.aspect(aspect)}: {'; '.join(parts)}."


def _closest(material: Material, topic: tuple[str, str, str]) -> str:
    rows = [r for r in material.rows.get("raters", []) if _is_whole(r) and _topic(r) == topic and r["value"] is not None]
    statistic = next((s for s in ("cohen_kappa", "spearman") if any(row["statistic"] == s for row in rows)), None)
    found = [row for row in rows if row["statistic"] == statistic]
    if not found:
        return ""
    best = max(found, key=lambda row: float(row["value"]))
    standing = wording.verdict(best["ceiling"]["verdict"] or "") if best["ceiling"] else ""
    of = f"of {len(found)} scorers the closest to them" if len(found) > 1 else "the one scorer"
    number = f"{wording.title(str(statistic))} {best['value']:.3f}{_within(best, '.3f')}"
    return f"{of} is {best['rater']}: {number}{', ' if standing else ''}{standing}"


def _is_whole(row: Row) -> bool:
    return (row["generator"], row["task"], row["target"]) == (ALL, ALL, None)


def _topic(row: Row) -> tuple[str, str, str]:
    return row["suite"], row["aspect"], row["people"]


def _within(row: Row, form: str) -> str:
    return "" if row["low"] in (None, row["high"]) else f" (95 % interval {row['low']:{form}} to {row['high']:{form}})"


def judges(material: Material) -> Section:
    """People, and scorers with their versions and settings."""
    ratings = material.ratings
    people = ratings[ratings["kind"] != "scorer"]
    tables = []
    if len(people):
        rows = [
            [str(rater), _person(str(kind), str(identity)), f"{len(part):,}", f"{part['item'].nunique():,}"]
            for (rater, kind, identity), part in people.groupby(["rater", "kind", "identity"])
        ]
        tables.append(texts("People", ("Name", "Who that is", "Ratings", "Items"), rows))
    if scored := [_scorer(material, scorer) for scorer in material.scorers]:
        headings = ("Name", "Version", "Profile", "Settings", "Rules", "Ratings", "Items")
        tables.append(texts("Scorers", headings, scored))
    return Section("Who judged", tables=tuple(tables))


def _person(kind: str, identity: str) -> str:
    who = "a place in a study’s file, nobody in particular (slot)" if identity == "slot" else "a person"
    return f"simulated: imitates {who}" if kind == SIMULATED else who


def _scorer(material: Material, scorer: ScorerDescription) -> list[str]:
    own = material.ratings[(material.ratings["kind"] == "scorer") & (material.ratings["rater"] == scorer.rater_id)]
    rules = material.said.loc[material.said["rater"] == scorer.rater_id, "rule_version"].unique()
    counts = [f"{len(own):,}", f"{own['item'].nunique():,}"]
    known = [scorer.version or "imported as numbers", ", ".join(scorer.profiles) or "-", _settings(scorer.settings)]
    return [scorer.rater_id, *known, ", ".join(sorted(rules)), *counts]


def _settings(settings: Mapping[str, Any]) -> str:
    plain = (
        f"{name} = {v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)}" for name, v in sorted(settings.items())
    )
    return ", ".join(plain) or "-"


def exclusions(material: Material) -> Section:
    """What does not count, and why: judgements, and what single comparisons leave out besides."""
    left = material.said.assign(reason=material.left_out)[material.left_out.notna()]
    who = (
        left["kind"]
        .where(~left["simulated"].astype(bool), "simulated people")
        .replace({"human": "people", "scorer": "scorers"})
    )
    grouped = left.assign(who=who).groupby(["suite", "aspect", "who", "reason"], as_index=False).size()
    rows = [[*where, wording.reason(reason), f"{n:,}"] for *where, reason, n in grouped.itertuples(index=False)]
    tables = [texts("Judgements that do not count", ("Suite", "Aspect", "By", "Why", "Judgements"), rows, 3)] if rows else []
    besides = [[*key, f"{n:,}", "; ".join(titles)] for (*key, n), titles in _besides(material, set(left["reason"])).items()]
    if besides:
        headings = ("Comparison", "Suite", "Aspect", "What", "How many", "By these statistics")
        tables.append(texts("What single comparisons leave out besides, over all generators and tasks", headings, besides, 3))
    nothing = () if tables else ("Nothing was left out.",)
    return Section("Exclusions", nothing, tables=tuple(tables))


def _besides(material: Material, known: set[str]) -> dict[tuple[Any, ...], dict[str, None]]:
    """(comparison, suite, aspect, what, how many) to the statistics that leave it out."""
    found: dict[tuple[Any, ...], dict[str, None]] = {}
    for row in (*material.rows.get("among_people", []), *material.rows.get("raters", [])):
        people = "simulated people" if row["people"] == "simulated" else "people"
        who = f"{row['rater']} against {people}" if "rater" in row else f"{people} among themselves"
        for reason, n in row["excluded"].items() if _is_whole(row) else ():
            if reason not in known and n:
                key = (who, row["suite"], row["aspect"], wording.reason(reason), int(n))
                found.setdefault(key, {})[wording.title(row["statistic"])] = None
    return found
