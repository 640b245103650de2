"""Sections on how the numbers were made: definitions, versions, and how to make them again."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from ui import counted, words
from ui.report.content import Section, Term, texts
from ui.report.material import Material

_PACKAGES = ("numpy", "scipy", "pandas", "duckdb")
"""Those that the numbers pass through."""
_RULES = (
    "One judgement counts per person, item, aspect and target: the earliest valid one that was given blind, in its latest "
    "revision.",
    "Scorers are compared with people by pooling every pair (scorer, person’s rating) for labels, and with people’s mean "
    "per unit for correlations. Cohen’s κ among people is the mean over pairs of persons; slots are nobody in particular, so "
    "it has no value for them, and Fleiss’ κ, α and AC1 serve.",
    "Intervals are made by drawing prompts (or items, in a suite without prompts) with all their ratings.",
    "“Mean of the tasks” is unweighted. Suites are never pooled, as their scales and questions differ.",
)


def concord_version() -> str:
    """The version that ``pyproject.toml`` says."""
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def definitions(material: Material) -> Section:
    """Every statistic shown, with formula and source."""
    shown = {row["statistic"] for rows in material.rows.values() for row in rows}
    terms = [Term(s.title, s.meaning, s.formula, s.source) for name, s in words.STATISTICS.items() if name in shown]
    return Section("Definitions", (words.NOTATION, *_RULES), terms=tuple(terms))


def made(material: Material) -> Section:
    """Versions, seed, hash, date, and the command that makes it again."""
    options = material.options
    facts = [
        ("Made", material.made.strftime("%Y-%m-%d %H:%M UTC")),
        *versions(),
        ("Rules", ", ".join(f"{rule} ({n:,} judgements)" for rule, n in rules(material).items())),
        ("Intervals", f"95 % percentile bootstrap, {options.resamples:,} resamples, seed {options.seed}"),
        ("Data", f"{len(material.ratings):,} ratings, SHA-256 {material.sha256}"),
    ]
    table = texts("Facts", ("What", "Which"), facts)
    return Section("How to make this again", (counted.HASH_RULE,), tables=(table,), command=material.command)


def versions() -> Iterator[tuple[str, str]]:
    """What computed the numbers."""
    yield "Concord", concord_version()
    yield "Python", platform.python_version()
    yield from ((name, version(name)) for name in _PACKAGES)


def rules(material: Material) -> dict[str, int]:
    """How many of the judgements each version of the rules has made."""
    return {str(rule): int(n) for rule, n in material.said["rule_version"].value_counts().sort_index().items()}
