"""People by account or invitation: what they may do, and the names of those who come from a crowd platform."""

from __future__ import annotations

import hashlib
import re
from typing import Literal, get_args

Role = Literal["annotator", "researcher", "admin"]
"""Each may do what the one before may: label images; see the studio; invite people."""
ROLES: tuple[Role, ...] = get_args(Role)
PLATFORMS = ("prolific", "mturk", "participant")
_PSEUDONYM = re.compile(rf"(?:{'|'.join(PLATFORMS)})-[0-9a-f]{{10}}", re.IGNORECASE)


def pseudonym(secret: str, platform: str, participant: str) -> str:
    """The name of a platform's participant, such as ``prolific-1a2b3c4d5e``: always the same one, and no way back.

    Of a thousand people two share a name with a chance of one in two million.
    """
    return f"{platform}-{keyed(secret, platform, participant)[:10]}"


def looks_made(name: str) -> bool:
    """Whether a name looks like a pseudonym, which nobody may type."""
    return _PSEUDONYM.fullmatch(name) is not None


def keyed(secret: str, purpose: str, text: str) -> str:
    """A hash (hex) that tells nothing without the project's secret (hex), and another one for each purpose."""
    told = f"{len(purpose)} {purpose} {text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, key=bytes.fromhex(secret), digest_size=16).hexdigest()
