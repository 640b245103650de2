"""Both objects of a prompt: is each in the image, as raters say of one object at a time?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from agreement.numeric import BoolArray
from agreement.statistics.scale import YES_NO_VOCABULARIES
from agreement.study.frame import COLUMNS

Role = Literal["a", "b"]
OA = "oa"
"""The aspect of the derived judgements."""
_YES = {yes for yes, _ in YES_NO_VOCABULARIES}
_NO = {no for _, no in YES_NO_VOCABULARIES}


@dataclass(frozen=True)
class Roles:
    """A prompt's objects: the target of A, of which a relation is said, and of B; and whether it asks for a relation."""

    a: str
    b: str | None
    relation: bool

    def target(self, role: Role) -> str | None:
        return self.a if role == "a" else self.b


def is_about(part: pd.DataFrame, roles: Mapping[str, Roles], role: Role) -> BoolArray:
    """Return for each row whether it is about the object in that role."""
    targets = {prompt: named.target(role) for prompt, named in roles.items()}
    pairs = zip(part.prompt, part.target, strict=True)
    return np.array([isinstance(target, str) and targets.get(prompt) == target for prompt, target in pairs], bool)


def both_objects(rows: pd.DataFrame, roles: Mapping[str, Roles]) -> pd.DataFrame:
    """Return each rater's judgement of each item, whether both objects are there: no if one is not, none where that is open.

    Args:
        rows: a long frame of judgements; those of the aspect `present` that count are read.
        roles: by prompt; prompts that are missing here, or have one object, are left out.
    """
    part = rows[(rows.aspect == "present") & rows.excluded.isna()]
    pair = [bool(role and role.b) for role in map(roles.get, part.prompt)]
    part = part.loc[np.array(pair, bool) & (is_about(part, roles, "a") | is_about(part, roles, "b"))]
    words = part.label.astype(str).str.strip().str.casefold()
    keys = ["item", "rater", "kind"]
    seen = part.assign(here=words.isin(_YES), gone=words.isin(_NO)).groupby(keys)[["here", "gone"]].sum()
    # no if one of the two is not there; yes if both are; else open
    said_so = [("no" if gone else "yes" if here == 2 else None) for here, gone in zip(seen.here, seen.gone, strict=True)]
    label = pd.Series(said_so, index=seen.index, dtype=object)
    # a rater's last row is when they had said it
    last = part.sort_values("seq").drop_duplicates(keys, keep="last").set_index(keys)
    made = last.assign(label=label, aspect=OA, target=None, number=np.nan).reset_index()
    derived: pd.DataFrame = made.loc[made.label.notna(), list(COLUMNS)]
    return derived
