"""People: their roles, and the pseudonyms that stand for their names.

Participants of a crowd platform are known by a pseudonym from the start; in what leaves the project people go by their
names, or by pseudonyms that stay the same in every export of a project.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

if TYPE_CHECKING:
    import pandas as pd


Role = Literal["annotator", "researcher", "admin"]
"""Each may do what the one before may: label images; see the studio; invite people."""
ROLES: tuple[Role, ...] = get_args(Role)
PLATFORMS = ("prolific", "mturk", "participant")
_PSEUDONYM = re.compile(rf"(?:{'|'.join(PLATFORMS)})-[0-9a-f]{{10}}", re.IGNORECASE)


def platform_pseudonym(secret: str, platform: str, participant: str) -> str:
    """The name of a platform's participant, such as ``prolific-1a2b3c4d5e``: always the same one, and no way back.

    Of a thousand people two share a name with a chance of one in two million.
    """
    return f"{platform}-{keyed_hash(secret, platform, participant)[:10]}"


def looks_like_pseudonym(name: str) -> bool:
    """Whether a name looks like a pseudonym, which nobody may type."""
    return _PSEUDONYM.fullmatch(name) is not None


def keyed_hash(secret: str, purpose: str, text: str) -> str:
    """A hash (hex) that tells nothing without the project's secret (hex), and another one for each purpose."""
    message = f"{len(purpose)} {purpose} {text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(message, key=bytes.fromhex(secret), digest_size=16).hexdigest()


NamesAs = Literal["names", "pseudonyms"]
_SCREEN_FIELDS: Final = ("order", "questions")


def person_pseudonym(secret: str, name: str) -> str:
    """A name such as ``person-1a2b3c4d5e``: always the same in a project, and no way back without its secret.

    Of a thousand people two share a name with a chance of one in two million.
    """
    return f"person-{keyed_hash(secret, 'export', name)[:10]}"


def without_names(answers: pd.DataFrame, secret: str) -> pd.DataFrame:
    """The rows of ``export annotations`` with pseudonyms for people; slots and simulated people have no names of anybody.

    Of ``shown`` stays what the screen showed: a source's own row may name people.
    """
    shown = answers["shown"].map(_without_source_row, na_action="ignore")
    return answers.assign(rater=pseudonymous(answers, secret), shown=shown)


def pseudonymous(rows: pd.DataFrame, secret: str) -> pd.Series[Any]:
    """The raters of exported rows, real people by their pseudonyms."""
    people = (rows["identity"] == "person") & ~rows["simulated"].astype(bool)
    return rows["rater"].mask(people, rows["rater"].map(lambda name: person_pseudonym(secret, name)))


def _without_source_row(text: str) -> str | None:
    shown: Any = json.loads(text)
    on_screen = {name: shown[name] for name in _SCREEN_FIELDS if name in shown} if isinstance(shown, dict) else {}
    return json.dumps(on_screen, separators=(",", ":")) if on_screen else None


LINK_DAYS: Final = 7
"""A link expires after so many days where nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Whom a link lets in, to what, and until when.

    Attributes:
        campaign: None: the default campaign.
        uses: how many people may come by it; None: any number.
        signed: whether it lets in only those whose id a crowd platform sent is signed with it.
    """

    campaign: str | None
    role: Role
    expires: datetime
    uses: int | None = None
    note: str = ""
    signed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation(Terms):
    """A link that was handed out.

    Attributes:
        revoked: when it was taken back.
        used: how many people have come by it.
    """

    invitation_id: str
    made_by: str
    moment: datetime
    revoked: datetime | None = None
    used: int = 0

    def closed(self, now: datetime | None = None) -> str | None:
        """Why sessions that began with it are over, as a sentence; None: they go on."""
        if self.revoked is not None:
            return "This invitation has been taken back."
        if self.expires <= (now or datetime.now(UTC)):
            return "This invitation has expired."
        return None


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody comes by a link.

    Attributes:
        came_as: a crowd platform, whose pseudonym ``name`` then is, or ``name``: they typed it.
        known_as: the name that their browser's session is of; None: it has none.
        network: a keyed hash of where they come from; None: that tells nothing.
        secret, code: what their browser's cookie holds for this person, and the re-entry code that they typed.
    """

    invitation_id: str
    name: str
    came_as: str
    known_as: str | None = None
    network: str | None = None
    secret: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Somebody was let in.

    Attributes:
        secret: what their browser is to keep for this person; None: it has it, or needs none.
        code: their re-entry code, told this once; None: it was told before, or they need none.
    """

    invitation: Invitation
    secret: str | None = None
    code: str | None = None
