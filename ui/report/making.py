"""Sections on how the numbers were made: definitions, versions, and how to make them again."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from concord import exporting
from concord.common import wording
from ui.report.content import Section, Term, texts
from ui.report.material import Material

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
    "“Mean of the tasks” is unweighted. Suites are never pooled, as their scales and questions differ.",
)


def concord_version() -> str:
    """The version that ``pyproject.toml`` says."""
    return str(tomllib.loads((_HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


@lru_cache(maxsize=1)
def revision() -> str:
    """Git's name for the code that runs, and whether it was changed since; empty where that cannot be told."""
    git = shutil.which("git")
    if git is None or not (_HERE / ".git").exists():
        return ""
    try:
        found = [
            subprocess.run([git, "-C", str(_HERE), *words], capture_output=True, text=True, timeout=10, check=True).stdout
            for words in (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
        ]
    except (OSError, subprocess.SubprocessError):
        return ""
    return found[0].strip() + (", changed since" if found[1].strip() else "")


def definitions(material: Material) -> Section:
    """Every statistic shown, with formula and source."""
    shown = {row["statistic"] for rows in material.rows.values() for row in rows}
    terms = [Term(s.title, s.meaning, s.formula, s.range, s.source) for name, s in wording.DEFINITIONS.items() if name in shown]
    return Section("Definitions", (wording.NOTATION, *_RULES), terms=tuple(terms))


def made(material: Material) -> Section:
    """Versions, seed, hash, date, and the command that makes it again."""
    table = texts("Facts", ("What", "Which"), [*facts(material)])
    return Section("How to make this again", (exporting.HASH_RULE,), tables=(table,), command=material.command)


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
    return {str(rule): int(n) for rule, n in material.said["rule_version"].value_counts().sort_index().items()}
