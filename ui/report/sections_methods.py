"""Sections on methods: what was selected, who judged, how people were recruited, what does not count, and how the numbers
were made.

How people were asked has Otani et al.'s fields, with what Concord counted itself beside what was stated.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agreement import catalogue
from agreement.estimate import Estimate
from concord import exporting
from concord.common import wording
from concord.common.estimate_table import glance
from concord.common.table import Columns, Table, numbers, texts
from concord.reporting.material import Material, is_whole
from concord.reporting.recruitment import _IMPORTED, FIELD_TITLES, Recruitment
from data.campaigns.recruitment import NOT_REPORTED
from data.export.rows import SIMULATED
from data.records import ScorerDescription
from data.selection import Selection
from data.version import concord_version
from ui.report.sections import COMPARED, ReportSection, Term, topic_of, whole_rows

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


def selection_in_words(selection: Selection) -> str:
    """Return the selection as one phrase."""
    chosen = selection.to_dict()
    if not chosen:
        return "Everything in the project"
    last = {name: values[-1:] if name in ("since", "until") else values for name, values in chosen.items()}
    parts = [f"{_FILTERS.get(name, name)} {' or '.join(values)}" for name, values in last.items()]
    return "Only " + ", ".join(parts)


_CERTAINTY = (
    "Of the units that two people or more have rated, these are the ones of this certainty: unanimous where all ratings are "
    "equal, majority where more than half are, split where neither. The others are not in this report."
)


def selected(material: Material) -> ReportSection:
    """What was selected and what it holds, in plain words."""
    ratings = material.ratings
    n = ratings.kind.value_counts()
    by = {"human": "by people", "scorer": "by scorers", SIMULATED: "by simulated people"}
    counts = [f"{wording.count(int(n[kind]), 'rating')} {who}" for kind, who in by.items() if kind in n]
    about = [wording.count(int(ratings.item.nunique()), "item")]
    about += [f"of {wording.count(k, 'prompt')}" for k in [int(ratings.prompt.nunique())] if k]
    about += [f"by {wording.count(k, 'generator')}" for k in [int(ratings.generator.nunique())] if k]
    left = int(material.left_out.notna().sum())
    besides_these = (
        f"{wording.count(left, 'more judgement')} {'does' if left == 1 else 'do'} not count (see Exclusions)." if left else ""
    )
    first = f"{selection_in_words(material.selection)}: {', '.join(counts)}, about {' '.join(about)}. {besides_these}"
    paragraphs = [first.strip(), *([_CERTAINTY] if material.selection.certainty else [])]
    if "human" not in n:
        paragraphs.append("No person has judged this yet.")
    if SIMULATED in n:
        paragraphs.append(
            "Simulated people are seeded imitations, for demonstration. They have tables of their own and are never counted "
            "with people."
        )
    return ReportSection(
        "What was selected",
        (*paragraphs, _HOW_TO_READ),
        tuple(in_short(material)),
        tables=(_overview(material), replace(_suites_table(material), folded=True)),
        kind="appendix",
    )


def _overview(material: Material) -> Table:
    rows = []
    for key, part in material.ratings.groupby(["suite", "aspect", "scale"]):
        kinds = part.kind.value_counts()
        counts = [part.item.nunique(), part.prompt.nunique(), *(kinds.get(k, 0) for k in ("human", SIMULATED, "scorer"))]
        rows.append([*map(str, key), *(f"{int(count):,}" for count in counts)])
    columns = numbers("Items", "Prompts", "By people", "By simulated people", "By scorers")
    return texts("Ratings that count", ("Suite", "Aspect", "Scale", *columns), rows, 3)


def _suites_table(material: Material) -> Table:
    """How many items of each task each generator has."""
    items = material.ratings.drop_duplicates(["suite", "item"]).fillna({"task": "no task", "generator": "no generator"})
    counts = items.groupby(["suite", "task", "generator"]).size()
    makers = sorted(items.generator.unique())
    if len(makers) > _MOST_COLUMNS:
        rows = [[*map(str, key), f"{n:,}"] for key, n in counts.items() if isinstance(key, tuple)]
        return texts("Items by task and generator", ("Suite", "Task", "Generator", *numbers("Items")), rows, 3)
    wide = counts.unstack(fill_value=0)[makers]
    lines = [
        [*map(str, key), *(f"{n:,}" for n in (*line, sum(line)))]
        for key, line in zip(wide.index, wide.to_numpy().tolist(), strict=True)
    ]
    return texts("Items by task and generator", ("Suite", "Task", *numbers(*makers, "In all")), lines, 2)


_MOST_COLUMNS = 8


def in_short(material: Material) -> Iterator[str]:
    """A sentence on each suite and aspect: how far people agree, and which scorer comes closest to them."""
    among = {(*topic_of(row), row.statistic): row for row in material.rows.among_people if is_whole(row)}
    for suite, aspect, people in dict.fromkeys(key[:3] for key in among):
        who = wording.people(people)
        agree = among.get((suite, aspect, people, "percent_agreement"))
        parts = []
        if agree and agree.value is not None:
            parts.append(f"two {who} say the same in {agree.value:.1%} of cases{_within(agree, '.1%')}")
        best = _closest(material, (suite, aspect, people))
        if best:
            parts.append(best)
        if parts:
            yield f"{suite}, {wording.aspect(aspect)}: {'; '.join(parts)}."


def _closest(material: Material, topic: tuple[str, str, str]) -> str:
    rows = [row for row in whole_rows(material, "raters", topic) if row.value is not None]
    statistic = next((s for s in ("cohen_kappa", "spearman") if any(row.statistic == s for row in rows)), None)
    compared = [row for row in rows if row.statistic == statistic]
    if not compared:
        return ""
    best = max(compared, key=lambda row: row.value or 0.0)
    standing = wording.verdict(best.ceiling.verdict.verdict or "") if best.ceiling else ""
    of = f"of {len(compared)} scorers the closest to them" if len(compared) > 1 else "the one scorer"
    number = f"{wording.title(str(statistic))} {best.value:z.3f}{_within(best, 'z.3f')}"
    return f"{of} is {best.rater}: {number}{', ' if standing else ''}{standing}"


def _within(row: Estimate, form: str) -> str:
    return "" if row.low in (None, row.high) else f" (95 % interval {row.low:{form}} to {row.high:{form}})"


def raters(material: Material) -> ReportSection:
    """People, and scorers with their versions and settings."""
    ratings = material.ratings
    people = ratings[ratings.kind != "scorer"]
    tables = []
    if len(people):
        who = {"slot": "an anonymous place in a study’s file (slot)"}
        imitates = {SIMULATED: "simulated: imitates "}
        rows = []
        for (rater, kind, identity), part in people.groupby(["rater", "kind", "identity"]):
            whose = imitates.get(str(kind), "") + who.get(str(identity), "a person")
            rows.append([str(rater), whose, f"{len(part):,}", f"{part['item'].nunique():,}"])
        tables.append(texts("People", ("Name", "Who that is", *numbers("Ratings", "Items")), rows))
    if scored := [_scorer(material, scorer) for scorer in material.scorers]:
        columns: Columns = ("Name", "Version", "Profile", "Settings", "Rules", *numbers("Ratings", "Items"))
        tables.append(texts("Scorers", columns, scored))
    return ReportSection("Who judged", tables=tuple(tables), kind="appendix")


def _scorer(material: Material, scorer: ScorerDescription) -> list[str]:
    own = material.ratings[(material.ratings.kind == "scorer") & (material.ratings.rater == scorer.rater_id)]
    rules = material.judgements.loc[material.judgements.rater == scorer.rater_id, "rule_version"].unique()
    counts = [f"{len(own):,}", f"{own['item'].nunique():,}"]
    # raters of the time before fingerprints have none of the hub's models
    plain = (
        f"{name} = {v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) if v != {} else 'unknown'}"
        for name, v in sorted(scorer.settings.items())
    )
    known = [scorer.version or "imported as numbers", ", ".join(scorer.profiles) or "-", (", ".join(plain) or "-")]
    return [scorer.rater_id, *known, ", ".join(sorted(rules)), *counts]


def exclusions(material: Material) -> ReportSection:
    """What does not count, and why: judgements, and what single comparisons leave out besides."""
    left = material.judgements.assign(reason=material.left_out)[material.left_out.notna()]
    who = left.kind.replace({"human": "people", "scorer": "scorers"})
    who = who.where(~left.simulated.astype(bool), "simulated people")
    grouped = left.assign(who=who).groupby(["suite", "aspect", "who", "reason"], as_index=False).size()
    rows = [[*where, wording.reason(reason), f"{n:,}"] for *where, reason, n in grouped.itertuples(index=False)]
    columns: Columns = ("Suite", "Aspect", "By", "Why", *numbers("Judgements"))
    tables = [texts("Judgements that do not count", columns, rows, 3)] if rows else []
    besides = [[*key, f"{n:,}", "; ".join(titles)] for (*key, n), titles in _besides(material, set(left.reason)).items()]
    if besides:
        further: Columns = ("Comparison", "Suite", "Aspect", "What", *numbers("How many"), "By these statistics")
        tables.append(texts("What single comparisons leave out besides, over all generators and tasks", further, besides, 3))
    nothing = () if tables else ("Nothing was left out.",)
    return ReportSection("Exclusions", nothing, tables=tuple(tables), kind="appendix")


def _besides(material: Material, known: set[str]) -> dict[tuple[Any, ...], dict[str, None]]:
    """(comparison, suite, aspect, what, how many) to the statistics that leave it out."""
    besides: dict[tuple[Any, ...], dict[str, None]] = {}
    for row in (*material.rows.among_people, *material.rows.raters):
        people = wording.people(row.people)
        who = f"{row.rater} against {people}" if row.rater else f"{people} among themselves"
        for reason, n in row.excluded.items() if is_whole(row) else ():
            if reason not in known and n:
                key = (who, row.suite, row.aspect, wording.reason(reason), int(n))
                besides.setdefault(key, {})[wording.title(row.statistic)] = None
    return besides


_LEAD = (
    "How people were found, instructed and paid decides what their answers are worth. The fields are those that Otani et al. "
    "ask of every human evaluation (arXiv 2304.01816): “said” is what whoever ran the campaign wrote, “counted” what Concord "
    f"knows itself. A field of which neither knows anything is {NOT_REPORTED}."
)


def recruitment_section(material: Material) -> ReportSection | None:
    """How people were asked, campaign by campaign."""
    if not material.recruited:
        return None
    columns = ("Field", "Said", "Counted by Concord")
    names = [_IMPORTED.capitalize() if each.name == _IMPORTED else each.name for each in material.recruited]
    tables = [texts(name, columns, each.rows()) for name, each in zip(names, material.recruited, strict=True)]
    return ReportSection("How people were asked", (_LEAD,), tables=tuple(tables), kind="appendix")


def as_rows(recruitments: Sequence[Recruitment]) -> list[dict[str, str | None]]:
    """For machines: one row per campaign and field; what was not said is null."""
    return [
        {
            "campaign": recruitment.name,
            "field": name,
            "title": title,
            "said": recruitment.said.get(name),
            "counted": recruitment.counted.get(name),
        }
        for recruitment in recruitments
        for name, title in FIELD_TITLES.items()
    ]


_HERE = Path(__file__).resolve().parents[2]
_PACKAGES = ("numpy", "scipy", "pandas", "duckdb")
"""Those that the numbers pass through."""
_RULES = (
    "One judgement counts per person, item, aspect and target: the earliest valid one that was given blind, in its latest "
    "revision.",
    "Scorers are compared with people by pooling every pair (scorer, person’s rating) for labels, and with people’s mean "
    "per unit for correlations. Cohen’s κ among people is the mean over pairs of persons; slots are nobody in particular, so "
    "it has no value for them, and Fleiss’ κ, α and AC1 serve.",
    "Intervals are made by drawing prompts (or items, in a suite without prompts) with all their ratings.",
    "“Average over tasks” is unweighted. Suites are never pooled, as their scales and questions differ.",
)


@lru_cache(maxsize=1)
def revision() -> str:
    """Git's name for the code that runs, and whether it was changed since; empty where that cannot be told."""
    git = shutil.which("git")
    if git is None or not (_HERE / ".git").exists():
        return ""
    # status would write the index anew, and leaves its lock where it cannot end: no later git could write then
    command = (git, "--no-optional-locks", "-C", str(_HERE))
    try:
        outputs = [
            subprocess.run([*command, *words], capture_output=True, text=True, timeout=10, check=True).stdout
            for words in (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
        ]
    except (OSError, subprocess.SubprocessError):
        return ""
    return outputs[0].strip() + (", changed since" if outputs[1].strip() else "")


def definitions(material: Material) -> ReportSection:
    """Every statistic shown, with formula and source."""
    every = [
        *(rows for _, rows in material.rows.sections()),
        *(material.findings.get(name, ()) for name in ("rank", "alt_test")),
    ]
    shown = {row.statistic for rows in every for row in rows}
    main = {row.statistic for name in COMPARED for row in glance(material.rows.section(name))[0]}
    terms = [
        Term(s.title, s.meaning, s.formula, s.range, s.source, folded=name not in main)
        for name, s in wording.STATISTICS.items()
        if name in shown
    ]
    return ReportSection("Definitions", (catalogue.NOTATION, *_RULES), terms=tuple(terms), kind="appendix")


def reproduction(material: Material) -> ReportSection:
    """Versions, seed, hash, date, and the command that makes it again."""
    table = texts("Facts", ("What", "Which"), [*facts(material)])
    return ReportSection(
        "How to make this again", (exporting.HASH_RULE,), tables=(table,), command=material.command, kind="appendix"
    )


def facts(material: Material) -> Iterator[tuple[str, str]]:
    """What it was made from and with."""
    options = material.options
    yield "Made", material.made.strftime("%Y-%m-%d %H:%M UTC")
    yield from versions()
    yield "Rules", ", ".join(f"{rule} ({n:,} judgements)" for rule, n in rules(material).items())
    yield "Intervals", "95 %, by the jackknife over prompts with Student’s t; each row says how its own was made"
    yield "Seed", f"{options.seed}, of what is drawn: folds, swaps of prompts, models of a crowd"
    yield "Data", f"{len(material.ratings):,} ratings, SHA-256 {material.sha256}"


def versions() -> Iterator[tuple[str, str]]:
    """What computed the numbers."""
    yield "Concord", concord_version() + (f" (revision {revision()})" if revision() else "")
    yield "Python", platform.python_version()
    yield from ((name, version(name)) for name in _PACKAGES)


def rules(material: Material) -> dict[str, int]:
    """How many of the judgements each version of the rules has made."""
    return {str(rule): int(n) for rule, n in material.judgements.rule_version.value_counts().sort_index().items()}
