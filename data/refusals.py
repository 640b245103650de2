"""Refusals: what a project does not do, each with a sentence for whoever tried. Whoever shows it catches it by its name."""

from __future__ import annotations


class CampaignClosed(ValueError):
    """A campaign that takes no answers in its state; the message is a sentence for the person who sent one."""


class CampaignRefused(ValueError):
    """Nothing was changed; the message says why and what to do.

    Attributes:
        field: the name in files of the value that is at fault; empty where none is alone.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class NameTaken(ValueError):
    """A person may not go by this name."""


class NoSuchPerson(ValueError):
    """There is nobody of this name to erase; the message says so."""


class OtherBrowser(ValueError):
    """The id belongs to another browser, and no re-entry code, or a wrong one, was given."""


class InvitationRefused(ValueError):
    """Nothing was changed; the message says why."""


class InvitationClosed(ValueError):
    """The invitation lets nobody in (any more); its arguments are sentences for whoever came."""


class NoteRefused(ValueError):
    """Nothing was written; the message says why."""


class TagRefused(ValueError):
    """Nothing was tagged; the message says why."""
