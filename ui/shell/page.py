"""A page of Studio: its title, its address, and what it mounts in the Gradio app."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from concord.open_project import OpenProject


class Page(ABC):
    """A page of Studio, made once for a project.

    Attributes:
        title, path: in the navigation, and below ``/studio``.
        ADDRESS: the names in its address.
    """

    title: ClassVar[str]
    path: ClassVar[str]
    ADDRESS: ClassVar[Sequence[str]] = ()

    def __init__(self, store: OpenProject) -> None:
        self.store = store

    @abstractmethod
    def build(self) -> None:
        """Mount the page's JavaScript in the Gradio app that is being made."""
