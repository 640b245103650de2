"""The judgements that count, as the long frame that ``export ratings`` writes, and the hash of what they say."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd

from agreement import Scale, ScaleError
from data.export.ratings import RATING_COLUMNS, SIMULATED
from data.store.core.frame import Scales

HASHED = tuple(name for name in RATING_COLUMNS if name != "seq")
HASH_RULE = (
    "SHA-256 of the ratings that count: each a JSON array of its texts "
    f"({', '.join(HASHED)}; null for an empty one; no spaces, no ASCII escapes), the lines sorted and joined by LF, in UTF-8. "
    "The order in which they came in plays no part."
)


def data_hash(ratings: pd.DataFrame) -> str:
    """The hash of the rows of ``counted``, as ``HASH_RULE`` says."""
    texts = [ratings[name].astype(object).where(ratings[name].notna(), None).tolist() for name in HASHED]
    lines = sorted(json.dumps(cells, ensure_ascii=False, separators=(",", ":")) for cells in zip(*texts, strict=True))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def scales_of(said: pd.DataFrame, scales: Scales) -> pd.Series:
    """The scale of each row."""
    found = [scales[key] for key in zip(said["suite"], said["aspect"], strict=True)]
    return pd.Series(found, said.index, dtype=object)


def counted(said: pd.DataFrame, scales: Scales) -> pd.DataFrame:
    """The rows of ``frame.frame`` that statistics use, with the columns of ``export ratings``."""
    rows = said.assign(scale=scales_of(said, scales), value=values(said, scales))
    rows = rows[rows["value"].notna()]
    human = rows["kind"] != "scorer"
    return rows.assign(
        kind=rows["kind"].mask(human & rows["simulated"].astype(bool), SIMULATED),
        identity=rows["identity"].fillna("person").where(human, None),
    )[list(RATING_COLUMNS)].reset_index(drop=True)


def values(said: pd.DataFrame, scales: Scales) -> pd.Series:
    """Each row's value as a text; None where it does not count.

    That is what ``excluded`` names, what has no value on its scale, and consensus, which is computed from people.
    """
    found = pd.Series(None, said.index, dtype=object)
    rows = said[said["excluded"].isna() & (said["kind"] != "consensus")]
    for (suite, aspect), part in rows.groupby(["suite", "aspect"], sort=False):
        found[part.index] = _values(Scale.parse(scales[str(suite), str(aspect)]), part)
    return found


def _values(scale: Scale, rows: pd.DataFrame) -> pd.Series:
    """Each row's value as a text, None where it is not on the scale."""
    if scale.kind == "interval":
        return rows["number"].map(lambda number: repr(float(number)) if np.isfinite(number) else None)
    known = {label: label if _is_on(scale, label) else None for label in rows["label"].dropna().unique()}
    return rows["label"].map(known)


def _is_on(scale: Scale, label: str) -> bool:
    if scale.kind == "nominal":
        return label != ""
    try:
        scale.read(label)
    except ScaleError:
        return False
    return True
