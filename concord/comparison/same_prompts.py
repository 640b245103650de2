"""The same prompts by every generator: a row for each prompt, with one image of each generator and what was said of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from concord.common import live_updates
from concord.headlines import answers_by
from concord.scope import Scope
from data.aspects import YES_NO_ASPECTS
from data.browsing import ItemPreview
from data.store.browse import contents
from data.store.core import frame
from data.store.core.store import Store

ORDERS: Final[Mapping[str, str]] = {
    "spread": "on which generators differ most",
    "wrong": "on which all are worst",
    "random": "by chance",
}
"""The orders in which prompts are shown, in words."""
ROWS: Final = 4


@dataclass(frozen=True, slots=True)
class PromptImage:
    """An image of a prompt by a generator.

    Attributes:
        sha256: of its picture; None without one.
        mean: of the answers about it; None where nobody has judged it.
        yes, n: how many of the answers say yes, for questions of yes or no; `n` answers in all.
    """

    item: str
    sha256: str | None
    mean: float | None
    yes: int
    n: int


@dataclass(frozen=True, slots=True)
class SharedPrompt:
    """A prompt, with an image of each generator that has one."""

    prompt: str
    text: str
    images: Mapping[str, PromptImage]


@dataclass(frozen=True, slots=True)
class SamePrompts:
    """Prompts that several generators were asked.

    Attributes:
        rater: whose answers stand on the images; empty where there are none.
        binary: whether these are yes or no.
        low, high: the smallest and the largest mean of an image, for shades; equal where there is no difference.
        total: how many prompts there are in all.
    """

    rows: tuple[SharedPrompt, ...]
    rater: str
    binary: bool
    low: float
    high: float
    total: int


@live_updates.cached(maxsize=32)
def same_prompts(store: Store, scope: Scope, rater: str, aspect: str, order: str, first: int = 0) -> SamePrompts:
    """Return some prompts of a scope that at least two generators were asked (one, where there is one generator alone).

    Args:
        store: the open project.
        scope: what `open_scope` found.
        rater: whose answers are shown: `people`, `simulated people` or a scorer.
        aspect: what they are about; `score` of a scorer that gives numbers alone.
        order: a name of `ORDERS`.
        first: how many prompts to leave out at the start.
    """
    ratings = frame.frame(store, scope.narrow)
    answers = answers_by(ratings, aspect, rater).dropna(subset=["prompt", "generator"])
    if answers.empty:
        return SamePrompts((), "", False, 0.0, 0.0, 0)
    answers = answers.assign(item=answers["item"].str.split("\n").str[0])
    items = answers.groupby(["prompt", "generator", "item"], observed=True)["value"].agg(["mean", "sum", "size"]).reset_index()
    several = items.groupby("prompt").generator.nunique() >= min(2, items.generator.nunique())
    items = items[items.prompt.map(several)]
    chosen = _ordered(items, order)
    prompts = chosen[first : first + ROWS] or chosen[:ROWS]
    shown = items[items.prompt.isin(prompts)].sort_values("item").drop_duplicates(["prompt", "generator"])
    previews = contents.item_previews(store, list(shown["item"]))
    rows = tuple(_row(prompt, shown[shown.prompt == prompt], previews) for prompt in prompts)
    binary = aspect in YES_NO_ASPECTS
    low, high = (0.0, 1.0) if binary else (float(items["mean"].min()), float(items["mean"].max()))
    return SamePrompts(tuple(row for row in rows if row.images), rater, binary, low, high, len(chosen))


def _row(prompt: str, images: pd.DataFrame, previews: Mapping[str, ItemPreview]) -> SharedPrompt:
    made: dict[str, PromptImage] = {}
    text = prompt
    for item, generator, mean, yes, n in zip(
        images["item"], images["generator"], images["mean"], images["sum"], images["size"], strict=True
    ):
        preview = previews.get(item)
        text = (preview.text if preview else None) or text
        made[generator] = PromptImage(item, preview.sha256 if preview else None, float(mean), round(float(yes)), int(n))
    return SharedPrompt(prompt, text, made)


def _ordered(items: pd.DataFrame, order: str) -> Sequence[str]:
    """Return the prompts in an order; those that are alike by their names."""
    means = items.groupby(["prompt", "generator"])["mean"].mean().unstack()
    if order == "random":
        return sorted(means.index, key=lambda name: hashlib.sha256(str(name).encode()).hexdigest())
    value = means.mean(axis=1) if order == "wrong" else -means.std(axis=1, ddof=0)
    # equally far apart ones: those first that more generators were asked
    table = pd.DataFrame({"value": value.round(9), "missing": means.isna().sum(axis=1), "name": means.index.astype(str)})
    return list(table.sort_values(["value", "missing", "name"]).index)
