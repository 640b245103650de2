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


_USED_BY_FORM: Final = ("app_id", "heartbeat", "info", "startup-events")
_USED_BY_STUDIO: Final = (*_USED_BY_FORM, "queue", "run/predict", "cancel", "reset", "theme.css", "upload", "upload_progress")
"""Of Gradio's own routes what our pages use. Others hand out files, fetch addresses or run components by their number."""


def _of_gradio(mount: str, used: tuple[str, ...], access: Access) -> tuple[tuple[str, Access | None], ...]:
    api = f"{mount}/gradio_api"
    open_ones = ((f"{api}/{name}", access) for name in used)
    closed = (api, f"{mount}/login", f"{mount}/logout", f"{mount}/monitoring")
    return (*open_ones, *((path, None) for path in closed), (mount, access))


# The first prefix that fits decides; a path that none fits is refused, and so is one that leads to None. A prefix covers
# itself and what lies below it.
RULES: Final[tuple[tuple[str, Access | None], ...]] = (
    ("/api/studio", Access.RESEARCHER),
    ("/api", Access.ANNOTATOR),
    *_of_gradio("/annotate", _USED_BY_FORM, Access.ANNOTATOR),
    *_of_gradio("/studio", _USED_BY_STUDIO, Access.RESEARCHER),
    ("/img", Access.ANNOTATOR),
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
