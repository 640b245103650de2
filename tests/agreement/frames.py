"""Long frames of judgements for tests: small ones written by hand, ugly ones drawn from a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from agreement.study.frame import COLUMNS

Judgement = dict[str, Any]
SCALES = {("s", "correct"): "nominal", ("s", "score"): "interval", ("s", "faithfulness"): "ordinal:1-5"}


def judgement(item: str, rater: str, value: str | float | None, **other: Any) -> Judgement:
    """One row: a text is a label, a number a number. A person's, on `correct`, each item a prompt, unless said otherwise."""
    row = {
        "suite": "s", "task": "t", "generator": "g", "prompt": item, "item": item, "rater": rater, "kind": "human",
        "identity": "person", "simulated": False, "aspect": "correct", "target": None,
        "label": value if isinstance(value, str) else None,
        "number": float(value) if isinstance(value, int | float) else np.nan, "seq": 0, "excluded": None,
    }  # fmt: skip
    return row | other


def scorer(name: str, values: dict[str, Any], **other: Any) -> list[Judgement]:
    """A scorer's judgements by item."""
    return [judgement(item, name, value, kind="scorer", identity=None, **other) for item, value in values.items()]


def people(answers: dict[str, str], **other: Any) -> list[Judgement]:
    """`{"i1": "y y n"}`: the answers to each item in order, the k-th by person r<k>; y and n are yes and no, . is none."""
    words = {"y": "yes", "n": "no"}
    return [
        judgement(item, f"r{index}", words.get(word, word), seq=index, **other)
        for item, text in answers.items()
        for index, word in enumerate(text.split())
        if word != "."
    ]


def frame(rows: list[Judgement]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(COLUMNS))


def ugly(seed: int, prompts: int = 14) -> list[Judgement]:
    """Yes/no by nobody to four people, three scorers with labels or a score or both, each with holes; two tasks, ties."""
    rng = np.random.default_rng(seed)
    rows: list[Judgement] = []
    for p in range(prompts):
        for image in range(int(rng.integers(1, 4))):
            index = {"prompt": f"p{p:02}", "task": f"t{p % 2}", "generator": f"g{image % 2}"}
            item, truth = f"p{p:02}/{image}", bool(rng.random() < 0.6)
            for r in range(int(rng.integers(0, 5))):
                said = truth if rng.random() < 0.8 else not truth
                excluded = "cannot_tell" if rng.random() < 0.05 else None
                rows.append(judgement(item, f"r{r}", "yes" if said else "no", seq=len(rows), excluded=excluded, **index))
            for name, skill in (("alpha", 0.9), ("beta", 0.7)):
                if rng.random() < 0.9:
                    said = truth if rng.random() < skill else not truth
                    rows += scorer(name, {item: "yes" if said else "no"}, seq=len(rows), **index)
            for name, noise in (("alpha", 2.0), ("gamma", 4.0)):
                if rng.random() < 0.9:
                    score = round(float(3 * truth + rng.normal(0, noise)))
                    rows += scorer(name, {item: score / 4}, aspect="score", seq=len(rows), **index)
    return rows
