"""What each path asks of whoever comes: one table for all mounts and routes, and what is not in it is refused."""

from __future__ import annotations

from enum import Enum
from typing import Final

from data.people import ROLES, Role


class Access(Enum):
    """What a path asks of whoever comes."""

    PUBLIC = "public"
    ANNOTATOR = "annotator"
    RESEARCHER = "researcher"
    COMMAND = "command"


# The first prefix that fits decides; a path that none fits is refused. A prefix covers itself and what lies below it.
RULES: Final[tuple[tuple[str, Access], ...]] = (
    ("/api/studio", Access.RESEARCHER),
    ("/api", Access.ANNOTATOR),
    # of Gradio's own routes the form's page uses these; others take in files, or hand out what the studio has cached
    ("/annotate/gradio_api/app_id", Access.ANNOTATOR),
    ("/annotate/gradio_api/heartbeat", Access.ANNOTATOR),
    ("/annotate/gradio_api/info", Access.ANNOTATOR),
    ("/annotate/gradio_api/startup-events", Access.ANNOTATOR),
    ("/annotate/gradio_api", Access.RESEARCHER),
    ("/annotate/login", Access.RESEARCHER),
    ("/annotate/logout", Access.RESEARCHER),
    ("/annotate/monitoring", Access.RESEARCHER),
    ("/annotate", Access.ANNOTATOR),
    ("/img", Access.ANNOTATOR),
    ("/studio", Access.RESEARCHER),
    ("/assets", Access.PUBLIC),
    ("/favicon.ico", Access.PUBLIC),
    ("/login", Access.PUBLIC),
    ("/logout", Access.PUBLIC),
    ("/join", Access.PUBLIC),
    ("/command", Access.COMMAND),
)
_NEEDED: Final[dict[Access, Role]] = {Access.ANNOTATOR: "annotator", Access.RESEARCHER: "researcher"}


def access_of(path: str) -> Access | None:
    """What a path asks for; None: there is nothing there for anybody."""
    if path == "/":
        return Access.PUBLIC
    for prefix, access in RULES:
        if path == prefix or path.startswith(prefix + "/"):
            return access
    return None


def may(role: Role, access: Access) -> bool:
    """Whether somebody in this role may open what asks for this; the command route asks for no role but for its token."""
    return access is not Access.COMMAND and (access is Access.PUBLIC or ROLES.index(role) >= ROLES.index(_NEEDED[access]))
