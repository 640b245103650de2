"""The view of People, as its address says it: the overview, or one campaign with a tab."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from concord.campaigns.adjudication import PEOPLE
from concord.campaigns.cases import ANY, CaseList
from concord.common.base_path import at
from ui.shell.scope_bar import with_query

PATH: Final = "/people"
TABS: Final[Mapping[str, str]] = {
    "progress": "Progress",
    "people": "People",
    "disputes": "Disputes",
    "broken": "Broken images",
    "pay": "Pay",
    "links": "Links",
    "settings": "Settings",
    "asked": "How people were asked",
}
"""The tabs of a campaign."""
_TABS_BEFORE: Final = {"coverage": "progress", "adjudicate": "disputes", "invite": "links", "recruitment": "asked"}
"""Names that tabs had in addresses as `show`."""
_USUAL: Final[Mapping[str, object]] = {"tab": "progress", "against": PEOPLE, "only": ANY}
PARAMETERS: Final = (
    "campaign", "tab", "about", "among", "find", "all", "archived", "numbers", "against", "only", "case",
)  # fmt: skip
"""The names in an address of People."""


@dataclass(frozen=True, slots=True)
class PeopleView:
    """What of People is asked for.

    Attributes:
        campaign: whose page is open; empty for the overview.
        tab: of the campaign's page, a name of `TABS`.
        about: the topic of its numbers, as `concord.campaigns.crowd.topic_name` has it.
        among: whose people the overview lists: empty for all that run, `all`, or `brought`.
        find: words that a name in the list has.
        every: whether all people are listed.
        archived: whether archived campaigns are listed.
        numbers: whether the panel with all numbers is open.
        against, only: which cases are listed, as `CaseList` has them.
        case: the key of the opened case.
    """

    campaign: str = ""
    tab: str = "progress"
    about: str = ""
    among: str = ""
    find: str = ""
    every: bool = False
    archived: bool = False
    numbers: bool = False
    against: str = PEOPLE
    only: str = ANY
    case: str = ""

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> PeopleView:
        """Return the view that an address asks for, also one of before, which called its tab `show`."""

        def last(name: str, most: int = 1000) -> str:
            given = [value for value in values(name) if value]
            return given[-1][:most] if given else ""

        show = last("show")
        tab = last("tab") or _TABS_BEFORE.get(show, show)
        return cls(
            last("campaign", 64),
            tab if tab in TABS else "progress",
            last("about"),
            last("among", 100),
            last("find", 100),
            last("all") == "1",
            last("archived") == "1",
            last("numbers") == "1",
            last("against") or PEOPLE,
            last("only", 1100) or ANY,
            last("case", 4000),
        )

    @property
    def cases(self) -> CaseList:
        """The list of cases that is asked for."""
        return CaseList(self.campaign, self.about, self.against, self.only)

    def address(self, **changes: object) -> str:
        """Return the address of this view, with some of it changed."""
        view: PeopleView = replace(self, **changes)  # type: ignore[arg-type]
        own = {
            "campaign": view.campaign,
            "tab": view.tab if view.campaign else "",
            "about": view.about,
            "among": view.among,
            "find": view.find,
            "all": "1" if view.every else "",
            "archived": "1" if view.archived else "",
            "numbers": "1" if view.numbers else "",
            "against": view.against,
            "only": view.only,
            "case": view.case,
        }
        kept = [(name, str(value)) for name, value in own.items() if value != _USUAL.get(name, "")]
        return with_query(at(f"/studio{PATH}"), kept)

    def of_tab(self, tab: str) -> str:
        """Return the address of a tab of the same campaign."""
        return PeopleView(campaign=self.campaign, tab=tab, about=self.about if tab in ("people", "disputes") else "").address()


def campaign_address(campaign: str, tab: str = "progress") -> str:
    """Return the address of a campaign's page."""
    return PeopleView(campaign=campaign, tab=tab).address()
