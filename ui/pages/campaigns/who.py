"""Who acts on the page: told from the request, never from what the page sends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from data.people import Role
from ui.root import root

NOBODY = "a researcher without a name"


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever clicks.

    Attributes:
        name: None where they have given none (an app without accounts asks nobody before they label).
        role: what they may; without accounts everybody who gets here may everything.
        base: the app's own address as they see it, without a slash at its end.
    """

    name: str | None
    role: Role = "admin"
    base: str = ""

    @property
    def signed(self) -> str:
        """What is written down as who did it."""
        return self.name or NOBODY

    @property
    def may_invite(self) -> bool:
        """Whether they may hand out links."""
        return self.role == "admin"


def actor(request: gr.Request) -> Actor:
    """Who sent this."""
    inner: Any = request.request
    scope = inner.scope
    visitor = scope.get("visitor")
    name = visitor.name if visitor is not None else scope.get("session", {}).get("name")
    role: Role = visitor.role if visitor is not None else "admin"
    return Actor(None if name is None else str(name), role, f"{inner.url.scheme}://{inner.url.netloc}{root()}")
