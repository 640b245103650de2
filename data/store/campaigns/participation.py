"""Participation: what people do in campaigns: enter, get the next task, answer, skip, pause, report, look at their own answers.

All is decided on the writer's thread. An answer and what comes after it are one transaction: what somebody waits for between
two items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from data.campaigns.settings import DEFAULT, Settings
from data.records import Annotation, Rater
from data.refusals import NameTaken
from data.store.campaign_items import campaigns, count_reports, ensure_default, refuse_closed
from data.store.campaigns.allocation import NextTasks, TaskRequest, allocate_all, allocate_tasks
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.erased import Erased
from data.store.imports import ImportRefused, insert_raters
from data.store.judgements.answer_status import Rule
from data.store.judgements.campaign_state import EARNED, CampaignStates, forget_state
from data.store.judgements.recording import SavedAnswer, SentAnswer, items_of_sources, save_answers

TASKS_AHEAD: Final = 2
"""So many images a person's browser has at once: the one on the screen, and the next, which is loaded meanwhile."""


def enter(store: Store, name: str) -> None:
    """Make sure that this person exists.

    Raises:
        NameTaken: the name belongs to a scorer or to a study's slot, or to somebody who was erased.
    """
    try:
        # a new person is in nothing that memory keeps
        person = Rater(name, "human", "person")
        store.change(lambda writing: insert_raters(writing, [person], None), touched=frozenset(), forget=False)
    except (ImportRefused, Erased) as error:
        raise NameTaken(str(error)) from error


def next_tasks(
    store: Store, person: str, campaign: str = DEFAULT, *, ahead: int = TASKS_AHEAD, now: datetime | None = None
) -> NextTasks:
    """The next items for this person, claimed for the campaign's lease; asking again gives the same ones.

    The default campaign offers every image that has a file, in one random order for all (so that answers meet), until
    three people have answered it. ``now`` is for tests.
    """
    result: NextTasks = store.write(
        allocate_all, TaskRequest(campaign, person, ahead, now or datetime.now(UTC), store.memory), shown=False
    )
    return result


def skip(store: Store, person: str, item_id: str, campaign: str = DEFAULT, *, now: datetime | None = None) -> None:
    """Put an item at the end of this person's line.

    Raises:
        CampaignClosed: the campaign has not started yet, or is archived.
    """

    def put_off(connection: Connection) -> None:
        refuse_closed(campaigns(connection, [campaign]))
        skipped = now or datetime.now(UTC)
        rows.add(connection, "skips", campaign_id=campaign, item_id=item_id, rater_id=person, skipped=skipped)
        _give_back(connection, campaign, person, item_id)
        forget_state(store.memory, campaign)

    store.change(put_off, shown=False)


def unskip(store: Store, person: str, campaign: str = DEFAULT, *, now: datetime | None = None) -> str | None:
    """Take back the latest skip of an item not yet answered: it comes first again if it still wants this person.

    Returns its id, None if nothing is skipped.

    Raises:
        CampaignClosed: the campaign has not started yet, or is archived.
    """

    def take_back(connection: Connection) -> str | None:
        refuse_closed(campaigns(connection, [campaign]))
        forget_state(store.memory, campaign)
        return _unskip(connection, campaign, person, now or datetime.now(UTC))

    return store.change(take_back, shown=False)


def pause(store: Store, person: str, campaign: str = DEFAULT) -> None:
    """Let go of what this person has claimed in a campaign."""
    _release(store, "campaign_id = ? and rater_id = ?", [campaign, person])


def leave(store: Store, person: str) -> None:
    """Let go of what this person has claimed anywhere, so that others are offered it."""
    _release(store, "rater_id = ?", [person])


def _release(store: Store, where: str, parameters: Sequence[str]) -> None:
    def release(connection: Connection) -> None:
        connection.execute(f"delete from claims where {where}", list(parameters))
        store.memory.forget()

    store.change(release, shown=False)


@transaction(touched=frozenset())
def report(
    connection: Connection, person: str, item_id: str, reason: str, campaign: str = DEFAULT, *, now: datetime | None = None
) -> bool:
    """Note that an item cannot be judged: this person is not asked again. Returns True if it is now set aside for all.

    Only reports of people who were given the item, in a campaign that runs, can set it aside.

    Raises:
        KeyError: the item is not of the campaign.
        CampaignClosed: the campaign has not started yet, or is archived.
    """
    refuse_closed(campaigns(connection, [campaign]))
    moment = now or datetime.now(UTC)
    if campaign == DEFAULT:
        ensure_default(connection, moment)
    where = [campaign, item_id]
    known = rows.first(connection, "select aside from campaign_items where campaign_id = ? and item_id = ?", where)
    if known is None:
        raise KeyError(item_id)
    reported = "select counted from reports where campaign_id = ? and item_id = ? and rater_id = ? and dismissed is null"
    before = rows.column(connection, reported, [*where, person])
    counted = bool(rows.value(connection, _CAN_COUNT, {"campaign": campaign, "item": item_id, "person": person}))
    if not before or (counted and not any(before)):
        about = {"campaign_id": campaign, "item_id": item_id, "rater_id": person, "reason": reason, "moment": moment}
        rows.insert(connection, "reports", [about | {"counted": counted}])
    _give_back(connection, campaign, person, item_id)
    count_reports(connection, campaign, [item_id])
    return bool(rows.value(connection, "select aside from campaign_items where campaign_id = ? and item_id = ?", where))


_CAN_COUNT = f"""
select exists (select 1 from campaigns where campaign_id = $campaign and state = 'running')
    and ($campaign = '{DEFAULT}' or exists (
        select 1 from offers where campaign_id = $campaign and item_id = $item and rater_id = $person))
"""


def worked_in(cursor: Connection, person: str, campaign: str) -> bool:
    """Return True if this person holds, has begun or has answered something in a campaign."""
    return any(
        rows.first(cursor, f"select 1 from {table} where rater_id = ? and campaign_id = ? limit 1", [person, campaign])
        for table in ("claims", "drafts", "annotations")
    )


def _unskip(connection: Connection, campaign: str, person: str, now: datetime) -> str | None:
    record = rows.first(
        connection,
        "select s.item_id from skips s where s.campaign_id = ? and s.rater_id = ? and s.item_id not in"
        f" (select item_id from annotations where rater_id = ? and campaign_id = ? and {EARNED})"
        " order by s.skipped desc limit 1",
        [campaign, person, person, campaign],
    )
    if record is None:
        return None
    item_id = str(record["item_id"])
    connection.execute("delete from skips where campaign_id = ? and rater_id = ? and item_id = ?", [campaign, person, item_id])
    _give_back(connection, campaign, person, item_id)
    # before all that the person holds, if others have not filled it meanwhile
    claim = rows.first(connection, _ROOM, {"campaign": campaign, "person": person, "item": item_id, "now": now})
    if claim is not None:
        settings = Settings.of(rows.from_json(claim["settings"]))
        until = now + timedelta(minutes=settings.lease_minutes)
        rows.add(connection, "claims", campaign_id=campaign, item_id=item_id, rater_id=person, until=until, place=-1)
        if campaign != DEFAULT:
            rows.add(connection, "offers", campaign_id=campaign, item_id=item_id, rater_id=person)
    return item_id


_ROOM = """
select p.settings from campaign_items c join campaigns p using (campaign_id)
where c.campaign_id = $campaign and c.item_id = $item and not c.aside and p.state = 'running'
  and (c.role <> 'ordinary' or c.wanted > c.people + (
      select count(*) from claims
      where campaign_id = $campaign and item_id = $item and rater_id <> $person and until > $now))
"""


def _give_back(connection: Connection, campaign: str, person: str, item_id: str) -> None:
    """Take an item from this person: what they still send about it does not count."""
    for table in ("claims", "offers"):
        connection.execute(
            f"delete from {table} where campaign_id = ? and rater_id = ? and item_id = ?", [campaign, person, item_id]
        )


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """The fate of a submission, and what lies before the person now."""

    saved: SavedAnswer
    next_tasks: NextTasks


def submit_answer(
    store: Store, annotation: Annotation, more: Rule | None = None, campaign: str = DEFAULT, *, ahead: int = TASKS_AHEAD
) -> SubmitResult:
    """Save one answer as ``recording.submit`` does, and say what is next in this campaign as ``next_tasks`` does.

    Raises:
        KeyError, CampaignClosed: as ``recording.submit``.
        Erased: the person has been erased from the project.
    """
    seeker = TaskRequest(campaign, annotation.rater_id, ahead, datetime.now(UTC), store.memory)
    touched = frozenset(items_of_sources([annotation]))
    answered: SubmitResult = store.write(_submit_answers, (SentAnswer(annotation, store.memory, more), seeker), touched=touched)
    if answered.saved.paused:
        # as in `recording.submit`
        store.touch()
    return answered


def _submit_answers(connection: Connection, payloads: Sequence[tuple[SentAnswer, TaskRequest]]) -> list[SubmitResult]:
    states = CampaignStates(connection, payloads[0][1].memory)
    saved = save_answers(states, [sent for sent, _ in payloads])
    next_tasks = allocate_tasks(states, [seeker for _, seeker in payloads])
    states.write_claims()
    return [SubmitResult(*both) for both in zip(saved, next_tasks, strict=True)]


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """An answer as it stands: the latest revision.

    Attributes:
        public_id: all that their browser learns of the item.
        questionnaire: the one that was answered.
        raw: what the screen showed (``order``, ``questions``), where that matters.
    """

    annotation_id: str
    item_id: str
    public_id: str
    questionnaire: str
    answers: Mapping[str, Any]
    raw: Mapping[str, Any] | None
    submitted: datetime


def own_answers(store: Store, person: str, campaign: str = DEFAULT, *, limit: int = 1) -> Sequence[OwnAnswer]:
    """This person's answers in a campaign, the last one given first."""
    with store.read() as cursor:
        return _own_answers(cursor, "a.rater_id = ? and a.campaign_id = ?", [person, campaign], limit)


def own_answer(store: Store, person: str, campaign: str, annotation_id: str) -> OwnAnswer | None:
    """One of this person's answers, of a first one the latest revision; None: not theirs, or a revision revised since."""
    with store.read() as cursor:
        return read_own_answer(cursor, person, campaign, annotation_id)


def read_own_answer(cursor: Connection, person: str, campaign: str, annotation_id: str) -> OwnAnswer | None:
    """Like ``own_answer``, by a cursor."""
    where = "a.rater_id = ? and a.campaign_id = ? and ? in (a.annotation_id, a.root_id)"
    return next(iter(_own_answers(cursor, where, [person, campaign, annotation_id], 1)), None)


def _own_answers(cursor: Connection, where: str, parameters: Sequence[str], limit: int) -> list[OwnAnswer]:
    return rows.records(
        cursor,
        OwnAnswer,
        "select a.annotation_id, a.item_id, t.public_id, a.questionnaire, a.answers, a.raw, a.submitted"
        " from annotations a join items t using (item_id)"
        f" where {where} and a.annotation_id not in"
        " (select revises from annotations where revises is not null and rater_id = ?)"
        # whoever answered an item twice, in two tabs, say, has one answer: that which stands
        " qualify row_number() over"
        " (partition by a.campaign_id, a.item_id, a.saw_evidence order by a.status = 'surplus', a.seq) = 1"
        " order by a.submitted desc, a.seq desc limit ?",
        [*parameters, parameters[0], limit],
        "answers",
        "raw",
    )
