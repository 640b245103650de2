"""People in what leaves the project: by their names, or by pseudonyms that stay the same in every export of a project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal

from data.people import keyed

if TYPE_CHECKING:
    import pandas as pd

As = Literal["names", "pseudonyms"]
_SHOWN: Final = ("order", "questions")


def pseudonym(secret: str, name: str) -> str:
    """A name such as ``person-1a2b3c4d5e``: always the same in a project, and no way back without its secret.

    Of a thousand people two share a name with a chance of one in two million.
    """
    return f"person-{keyed(secret, 'export', name)[:10]}"


def without_names(answers: pd.DataFrame, secret: str) -> pd.DataFrame:
    """The rows of ``export annotations`` with pseudonyms for people; slots and simulated people have no names of anybody.

    Of ``shown`` stays what the screen showed: a source's own row may name people.
    """
    people = (answers["identity"] == "person") & ~answers["simulated"].astype(bool)
    return answers.assign(
        rater=answers["rater"].mask(people, answers["rater"].map(lambda name: pseudonym(secret, name))),
        shown=answers["shown"].map(_trimmed, na_action="ignore"),
    )


def _trimmed(text: str) -> str | None:
    shown: Any = json.loads(text)
    kept = {name: shown[name] for name in _SHOWN if name in shown} if isinstance(shown, dict) else {}
    return json.dumps(kept, separators=(",", ":")) if kept else None
