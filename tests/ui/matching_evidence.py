"""Evidence of image-text matching made by hand: a rater with these fits, as a run would have left it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from data.matching.captions import candidates_of_spec
from data.records import Evidence, Rater
from data.store import imports, library
from data.store.core.store import Store
from data.store.imports import ImportBundle
from scorers.likelihood.rules import pack
from scorers.matching import verdict

Fits = Mapping[str, Sequence[float | None]]


def said(store: Store, rater: str, fits: Fits, settings: Mapping[str, Any] | None = None, **payload: Any) -> None:
    """``fits``: by image id of a matching suite, one number for each caption. ``payload``: what else its evidence holds."""
    specs = library.prompts_by_id(store, [item.rsplit("/", 2)[0] for item in fits])
    made = []
    for item, numbers in fits.items():
        offered = candidates_of_spec(specs[item.rsplit("/", 2)[0]].spec)
        held = {"captions": list(offered.captions), "right": offered.right, "fits": list(numbers), **payload}
        judged = verdict(offered.captions, offered.right, numbers).judgements
        made.append(Evidence(f"{rater}:{item}", item, rater, held, judged, "made-1"))
    sha256 = hashlib.sha256(f"{rater} {fits}".encode()).hexdigest()
    who = Rater(rater, "scorer", None, "1", settings or {})
    imports.apply(store, [ImportBundle("made", rater, sha256, raters=[who], evidence=made)])


def trials(store: Store, rater: str, item: str, losses: Sequence[Sequence[float]], steps: int = 4, seed: int = 0) -> None:
    """A likelihood rater's evidence: (N, C) losses, the same at every one of ``steps``."""
    terms = np.repeat(np.array(losses, np.float32)[:, :, None], steps, axis=2)
    settings = {"steps": steps, "seed": seed, "trials": len(losses), "weighting": "uniform", "model": "made"}
    left = np.linspace(0.1, 0.9, steps).tolist()
    more = {"method": "noise", "terms": pack(terms), "dimensions": 1, "steps": list(range(steps, 0, -1)), "left": left}
    said(store, rater, {item: (-np.mean(losses, axis=0)).tolist()}, settings, **more)


def items(project: Path) -> list[str]:
    """The images of a project."""
    with Store(project) as store, store.read() as cursor:
        return [row[0] for row in cursor.execute("select item_id from items order by 1").fetchall()]
