"""What ``ui.vqa`` computes, kept while the project (or its evidence) stays as it is. Nobody is to change what these give."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from agreement.questions import with_people
from agreement.questions.scores import images
from data.store.analysis import vqa_answers
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui import following
from ui.vqa.rows import REAL, Row, of_kind, of_models, of_people, of_scores


@dataclass(frozen=True, slots=True)
class Places:
    """Text sources and generators of the images that a scorer answered questions about."""

    sources: tuple[str, ...]
    generators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """An image with the scores of two raters."""

    item: str
    generator: str
    a: float
    b: float


def answers(store: Store, suite: str, source: str = "") -> pd.DataFrame:
    """What scorers answered about a suite's images, of one text source or of all; kept while the evidence stays."""
    return _answers(store, vqa_answers.stamp(store), suite, source)


def recall_scores(store: Store, suite: str, source: str, reference: str) -> list[Row]:
    """As ``of_scores``."""
    return _recall_scores(store, vqa_answers.stamp(store), suite, source, reference)


def recall_models(store: Store, suite: str, source: str) -> list[Row]:
    """As ``of_models``."""
    return _recall_models(store, vqa_answers.stamp(store), suite, source)


def recall_people(store: Store, suite: str, source: str) -> tuple[list[Row], list[Row]]:
    """As ``of_people``."""
    return _recall_people(store, following.version(store), suite, source)


def beside(store: Store, suite: str, source: str, kind: str) -> pd.DataFrame:
    """All answers with people's beside (``agreement.questions.met``)."""
    return _beside(store, following.version(store), suite, source, kind)


def raters(store: Store) -> dict[str, list[str]]:
    """By suite the scorers that answered questions."""
    return _raters(store, vqa_answers.stamp(store))


def _selection(suite: str, source: str) -> Selection:
    return Selection(suite=(suite,), task=(source,) if source else ())


@lru_cache(maxsize=8)
def _raters(store: Store, stamp: str) -> dict[str, list[str]]:  # noqa: ARG001 - part of the key
    return vqa_answers.raters(store)


@lru_cache(maxsize=2)
def _answers(store: Store, stamp: str, suite: str, source: str) -> pd.DataFrame:  # noqa: ARG001 - part of the key
    return vqa_answers.scorer_answers(store, _selection(suite, source))


@lru_cache(maxsize=16)
def _recall_scores(store: Store, stamp: str, suite: str, source: str, reference: str) -> list[Row]:
    return of_scores(_answers(store, stamp, suite, source), suite, reference or None)


@lru_cache(maxsize=8)
def _recall_models(store: Store, stamp: str, suite: str, source: str) -> list[Row]:
    return of_models(_answers(store, stamp, suite, source), suite)


@lru_cache(maxsize=8)
def _recall_people(store: Store, version: str, suite: str, source: str) -> tuple[list[Row], list[Row]]:  # noqa: ARG001
    return of_people(answers(store, suite, source), vqa_answers.person_answers(store, _selection(suite, source)), suite)


@lru_cache(maxsize=4)
def _beside(store: Store, version: str, suite: str, source: str, kind: str) -> pd.DataFrame:  # noqa: ARG001 - part of the key
    return with_people(
        answers(store, suite, source), of_kind(vqa_answers.person_answers(store, _selection(suite, source)), kind)
    )


def places(store: Store, suite: str, rater: str) -> Places:
    """Where the images are that a scorer answered questions about."""
    return _places(store, vqa_answers.stamp(store), suite, rater)


def groups(store: Store, suite: str, rater: str, source: str, by: str) -> list[str]:
    """What its answers are grouped by: element types, text sources or numbers of entities."""
    return _groups(store, vqa_answers.stamp(store), suite, rater, source, by)


def mixed(store: Store, suite: str, rater: str) -> int:
    """Of how many texts not all images were asked the same."""
    return _mixed(store, vqa_answers.stamp(store), suite, rater)


def beside_one(store: Store, suite: str, source: str, rater: str) -> pd.DataFrame:
    """One scorer's answers with real people's beside; ``entities`` says how many its text asks for."""
    return _beside_one(store, following.version(store), suite, source, rater)


def apart(store: Store, suite: str, source: str, a: str, b: str) -> list[Apart]:
    """The images that both were asked the same about whose scores differ, those that differ most first."""
    found = answers(store, suite, source)
    first, second = (images(found[found["rater"] == rater]).set_index("item") for rater in (a, b))
    pair = first.join(second[["score", "asked"]].add_suffix("_b"), how="inner")
    pair = pair[(pair["asked"] == pair["asked_b"]) & (pair["score"] != pair["score_b"])]
    order = (pair["score"] - pair["score_b"]).abs().sort_values(ascending=False, kind="stable").index
    rows = pair.loc[order, ["generator", "score", "score_b"]]
    return [Apart(str(item), str(g), float(x), float(y)) for item, g, x, y in rows.itertuples(name=None)]


@lru_cache(maxsize=16)
def _places(store: Store, stamp: str, suite: str, rater: str) -> Places:
    found = _answers(store, stamp, suite, "")
    mine = found[found["rater"] == rater]
    return Places(*(tuple(sorted(name for name in mine[column].unique() if name)) for column in ("source", "generator")))


@lru_cache(maxsize=64)
def _groups(store: Store, stamp: str, suite: str, rater: str, source: str, by: str) -> list[str]:
    found = _answers(store, stamp, suite, source)
    mine = found[found["rater"] == rater]
    if by == "entities":
        return [str(n) for n in sorted(images(mine)["entities"].unique())]
    return sorted(str(name) for name in mine[by].unique())


@lru_cache(maxsize=16)
def _mixed(store: Store, stamp: str, suite: str, rater: str) -> int:
    found = _answers(store, stamp, suite, "")
    return int((images(found[found["rater"] == rater]).groupby("prompt")["asked"].nunique() > 1).sum())


@lru_cache(maxsize=8)
def _beside_one(store: Store, version: str, suite: str, source: str, rater: str) -> pd.DataFrame:
    found = _beside(store, version, suite, source, REAL)
    mine = found[found["rater"] == rater]
    return mine.assign(entities=mine["item"].map(images(mine).set_index("item")["entities"]))
