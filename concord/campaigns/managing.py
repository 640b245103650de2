"""What managers do with a campaign and its people: states, settings, links, who works in it, images that are set aside."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from concord.campaigns import changing
from concord.campaigns.annotators import CampaignTopic, topics
from concord.common import wording
from data.campaigns.recruitment import RECRUITMENT_FIELDS
from data.campaigns.settings import Campaign, Settings, State
from data.files import quoted
from data.people import LINK_DAYS, ROLES, Invitation, Role, Terms
from data.refusals import CampaignRefused, NoSuchPerson
from data.requests import RequestField, fields_of
from data.store.campaigns import management, monitoring
from data.store.campaigns.monitoring import ItemReport
from data.store.core.store import Store
from data.store.judgements import revocations
from data.store.judgements.answer_status import BY_PERSON
from data.store.library import item_subjects
from data.store.people import invitations

Move = Literal["start", "pause", "archive", "unarchive", "delete"]
STATES: Final[Mapping[str, State]] = {"start": "running", "pause": "stopped", "archive": "archived", "unarchive": "stopped"}
"""By what a manager does, the state that a campaign gets."""
PersonMove = Literal["pause", "revoke", "reinstate"]
MOST_LINK_DAYS: Final = 3650
_FIELDS: Final[Mapping[str, RequestField]] = {field.name: field for kind in (Campaign, Settings) for field in fields_of(kind)}


def find(store: Store, campaign_id: str) -> Campaign | None:
    """Return a campaign; None if there is none of this name."""
    return management.get(store, campaign_id)


def existing(store: Store, campaign_id: str) -> Campaign:
    """Return a campaign.

    Raises:
        CampaignRefused: there is none of this name.
    """
    campaign = management.get(store, campaign_id)
    if campaign is None:
        raise CampaignRefused(f"there is no campaign {quoted(campaign_id)} in this project any more")
    return campaign


def campaign_topics(store: Store, campaign_id: str) -> list[CampaignTopic]:
    """Return what people have judged in a campaign, what its questions are mainly about first."""
    return topics(store, existing(store, campaign_id))


def move(store: Store, campaign_id: str, act: Move) -> None:
    """Start, pause, archive, bring back or delete a campaign.

    Raises:
        CampaignRefused: there is no such campaign, or it cannot go there from its state.
    """
    if act == "delete":
        management.remove(store, campaign_id)
    else:
        management.move(store, campaign_id, STATES[act])


def duplicate(store: Store, campaign_id: str) -> Campaign:
    """Return a new draft with the same items and settings.

    Raises:
        CampaignRefused: there is no such campaign, or it is the default one.
    """
    original = existing(store, campaign_id)
    return management.duplicate(store, campaign_id, management.free_id(store, campaign_id), f"{original.title} (copy)")


@dataclass(frozen=True, slots=True)
class SettingsForm:
    """The settings of a campaign as a form holds them, by name, and which of them cannot change any more."""

    values: Mapping[str, Any]
    fixed: tuple[str, ...]

    @staticmethod
    def field(name: str) -> RequestField:
        """Return what a setting is."""
        return _FIELDS[name]


def settings_form(store: Store, campaign: Campaign) -> SettingsForm:
    """Return a campaign's settings; what decides the order of items is fixed once somebody has answered."""
    values = campaign.settings.to_json() | {"title": campaign.title, "overlap": campaign.overlap}
    fixed = changing.STEERING if monitoring.coverage(store, campaign.campaign_id).people else ()
    return SettingsForm(values, fixed)


@dataclass(frozen=True, slots=True)
class EnteredSettings:
    """Settings as they were entered: those that a campaign has besides its title and how many people each image gets."""

    settings: Mapping[str, Any]
    title: str | None
    overlap: int | None


def settings_change(values: Mapping[str, Any]) -> EnteredSettings:
    """Return what a form's values mean; a number that is left empty is none, or 0 where there must be one.

    Raises:
        ValueError: there is no such setting, or a value is of another kind.
    """
    known = {each.name for each in fields(Settings)} | {"title", "overlap"}
    if strange := [name for name in values if name not in known]:
        raise ValueError(f"there is no setting {quoted(strange[0])}")
    settings = {name: _entered(_FIELDS[name], value) for name, value in values.items() if name not in ("title", "overlap")}
    title = str(values["title"]).strip() if "title" in values else None
    return EnteredSettings(settings, title, _entered(_FIELDS["overlap"], values["overlap"]) if "overlap" in values else None)


def _entered(field: RequestField, value: Any) -> Any:
    if field.kind is bool:
        return bool(value)
    if field.kind in (int, float):
        try:
            number = field.kind(0 if value in (None, "") else value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{field.name} must be a number, got {quoted(str(value))}") from None
        return None if field.optional and not number else number
    text = "" if value is None else str(value)
    return text.strip() if field.setting.lines == 1 else text


def describe_settings(store: Store, campaign_id: str, values: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each change: what it means for people and for the statistics.

    Raises:
        ValueError: a value that cannot be, or there is no such campaign.
    """
    campaign, change = existing(store, campaign_id), settings_change(values)
    overlap = campaign.overlap if change.overlap is None else change.overlap
    return changing.describe_change(store, campaign, change.settings, overlap)


def save_settings(store: Store, campaign_id: str, values: Mapping[str, Any], by: str) -> None:
    """Write settings; each change is in the project's log.

    Raises:
        ValueError: a value that cannot be, a setting that cannot change any more, or there is no such campaign.
    """
    existing(store, campaign_id)
    change = settings_change(values)
    title = None if change.title is None else change.title or campaign_id
    management.change_settings(store, campaign_id, change.settings, by, title=title, overlap=change.overlap)


def logged_changes(store: Store, campaign_id: str, names: Collection[str] = ()) -> list[str]:
    """Return a line for each change of these settings (none: all), the newest first; of texts only that they changed."""
    return [
        f"{change.moment:%Y-%m-%d %H:%M} UTC, {change.made_by}: {_label(name)}" + _from_to(name, before, since)
        for change in management.changes(store, campaign_id)
        for name, (before, since) in change.settings.items()
        if not names or name in names
    ]


def _label(name: str) -> str:
    field = _FIELDS.get(name)
    return field.setting.label or name if field is not None else name


def _from_to(name: str, before: Any, since: Any) -> str:
    if name in changing.TEXTS:
        return " changed"
    return f" from {_value(before)} to {_value(since)}"


def _value(value: Any) -> str:
    return "none" if value in (None, "") else f"{value:g}" if isinstance(value, float) else str(value)


def recruitment(store: Store, campaign_id: str) -> dict[str, str]:
    """Return what was said of how people were asked, by field."""
    return management.recruitment_of(store, campaign_id)


def save_recruitment(store: Store, campaign_id: str, values: Mapping[str, str], by: str) -> str:
    """Write how people were asked; return a sentence on how much is said.

    Raises:
        ValueError: there is no such field or campaign, or an answer is too long.
    """
    existing(store, campaign_id)
    texts = management.describe_recruitment(store, campaign_id, values, by)
    left = len(RECRUITMENT_FIELDS) - len(texts)
    return f"Saved: {wording.count(len(texts), 'field')} said, {left:,} not reported."


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """A link that is asked for: for which role, how many days it is good, and how many people it lets in (None: any number)."""

    role: str = ROLES[0]
    days: float = LINK_DAYS
    uses: int | None = None
    note: str = ""
    signed: bool = False


def make_link(store: Store, campaign_id: str, asked: LinkRequest, by: str) -> Invitation:
    """Make an invitation to a campaign.

    Raises:
        ValueError: the role, days or uses cannot be, or there is no such campaign.
    """
    role = next((each for each in ROLES if each == asked.role), None)
    if role is None:
        raise ValueError(f"the role is one of {', '.join(ROLES)}")
    if not 0 < asked.days <= MOST_LINK_DAYS:
        raise ValueError(f"a link is good for more than 0 days, and at most {MOST_LINK_DAYS:,}")
    existing(store, campaign_id)
    return invitations.create(store, _terms(campaign_id, role, asked), by)


def _terms(campaign_id: str, role: Role, asked: LinkRequest) -> Terms:
    expires = datetime.now(UTC) + timedelta(days=asked.days)
    return Terms(
        campaign=campaign_id,
        role=role,
        expires=expires,
        uses=asked.uses or None,
        note=asked.note.strip()[:500],
        signed=asked.signed,
    )


def links(store: Store, campaign_id: str) -> list[Invitation]:
    """Return all invitations to a campaign, the newest first."""
    return invitations.listed(store, campaign_id)


def revoke_link(store: Store, invitation_id: str) -> None:
    """Take an invitation back: its link and the sessions that began with it end.

    Raises:
        ValueError: there is no such invitation.
    """
    invitations.revoke(store, invitation_id)


def move_person(store: Store, campaign_id: str, name: str, act: PersonMove, by: str) -> str:
    """Pause somebody (their answers stay), revoke them (answers stop counting) or let them in again; return what became of
    their answers as a sentence.

    Raises:
        NoSuchPerson: there is nobody of this name.
        CampaignRefused: there is no such campaign, or they cannot be let in again.
    """
    existing(store, campaign_id)
    if not revocations.is_person(store, name):
        raise NoSuchPerson(f"there is nobody called {quoted(name)} in this project any more")
    if act != "reinstate":
        n = revocations.revoke(store, name, by, campaign_id, uncount=act == "revoke")
        if act == "pause":
            return f"{name} is paused; what they answered counts as before."
        return f"{name} is revoked. {wording.count(n, 'answer')} stopped counting; these images are offered again."
    mine = [gone for gone in revocations.current_revocations(store) if gone.person == name]
    if any(gone.by == BY_PERSON and gone.campaign == campaign_id for gone in mine):
        raise CampaignRefused(f"{quoted(name)} has withdrawn these answers; they stay withdrawn")
    if any(gone.campaign is None for gone in mine):
        raise CampaignRefused(f"{quoted(name)} is out of the whole project; `people reinstate` lets them in")
    n = revocations.restore(store, name, by, campaign_id)
    return f"{name} is back. {wording.count(n, 'answer')} of theirs {'counts' if n == 1 else 'count'} again."


def withdraw_answers(store: Store, campaign_id: str, name: str) -> int:
    """Take somebody's answers out of a campaign because they ask for it, which nobody undoes; return how many stopped counting.

    Raises:
        NoSuchPerson: there is nobody of this name.
        CampaignRefused: there is no such campaign, or it has not started or is archived.
    """
    existing(store, campaign_id)
    if not revocations.is_person(store, name):
        raise NoSuchPerson(f"there is nobody called {quoted(name)} in this project any more")
    return revocations.withdraw(store, name, campaign_id)


def set_aside(store: Store, campaign_id: str, item: str, *, aside: bool) -> None:
    """Offer an item to nobody, or to everybody again.

    Raises:
        CampaignRefused: the campaign has no such item.
    """
    try:
        monitoring.set_aside(store, campaign_id, item, aside)
    except KeyError:
        raise CampaignRefused(f"this campaign has no image {quoted(item)} any more") from None


@dataclass(frozen=True, slots=True)
class BrokenImage:
    """An item that was reported or set aside: its prompt, or its id without one, hashes of its pictures, the reports."""

    item_id: str
    text: str
    pictures: tuple[str, ...]
    aside: bool
    reports: tuple[ItemReport, ...]


def broken(store: Store, campaign_id: str) -> list[BrokenImage]:
    """Return the items that were reported or set aside, those set aside first."""
    items = monitoring.broken_items(store, campaign_id)
    subjects = item_subjects(store, [item.item_id for item in items])
    found = []
    for item in items:
        subject = subjects.get(item.item_id)
        pictures = tuple(picture for picture in (subject.pictures if subject is not None else ()) if picture)
        text = (subject.text if subject is not None else "") or item.item_id
        found.append(BrokenImage(item.item_id, text, pictures, item.aside, tuple(item.reports)))
    return found
