"""Answer status: which answers count, decided as they come, in the order of coming, within the transaction that writes them.

Beside it what answers refer to (items, raters, scales, revocations), from the cache or read once; and unblinding: who has
been shown evidence and others' answers about an item, so that what they answer after that is not blind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from data.aspects import SCALES
from data.campaigns.checks import wrong_answers
from data.campaigns.settings import DEFAULT, UNEARNED, Campaign, Role, Settings, SurplusReason
from data.records import Annotation
from data.store import erased
from data.store.campaign_items import AnnotationTask
from data.store.core import rows
from data.store.core.cache import Cache
from data.store.core.connections import Connection
from data.store.core.store import Store
from data.store.judgements.campaign_state import CampaignState, CampaignStates

ON_REQUEST = "asked"
"""They uncovered it on purpose, before answering."""
AFTER_ANSWER = "answered"
"""It was shown to them after they had answered."""
OPENED = "opened"
"""They opened it outside of Blind mode."""


VISITOR: Final = "visitor "
"""Before the random token of a browser whose user has given no name."""


def by_browsing(rater: str) -> str:
    """Return the label stored as ``how`` for people who saw ``rater``'s verdicts in a grid of images."""
    return f"browse: {rater}"


def record_unblinding(store: Store, person: str, item_id: str, how: str) -> None:
    """Remember that this person is shown it now; returns once that is on disk. The first time is the one that counts."""
    if unblinded_how(store, person, item_id) is None:

        def record(connection: Connection) -> None:
            if rows.first(connection, "select 1 from uncovered where rater_id = ? and item_id = ?", [person, item_id]) is None:
                rows.add(connection, "uncovered", rater_id=person, item_id=item_id, moment=datetime.now(UTC), how=how)

        store.change(record, shown=False)
        store.memory.forget()


def visitor(token: str) -> str:
    """Return the name under which is kept what somebody has seen who has given no name yet."""
    return f"{VISITOR}{token}"


def adopt_unblinding(store: Store, token: str, person: str) -> None:
    """Let what a visitor has seen without a name count as seen by this person; returns once that is on disk."""
    known = visitor(token)
    if store.query_first("select 1 from uncovered where rater_id = ?", [known]) is None:
        return

    def adopt(connection: Connection) -> None:
        connection.execute(
            "insert into uncovered by name select ? as rater_id, item_id, moment, how from uncovered u where rater_id = ?"
            " and not exists (from uncovered o where o.rater_id = ? and o.item_id = u.item_id)",
            [person, known, person],
        )
        connection.execute("delete from uncovered where rater_id = ?", [known])

    store.change(adopt, shown=False)
    store.memory.forget()


def unblinded_how(store: Store, person: str, item_id: str) -> str | None:
    """How this person came to see it, or one of its images, first; None: they have not."""
    with store.read() as cursor:
        return _unblinded_how(cursor, store.memory, person, item_id)


def _unblinded_how(cursor: Connection, memory: Cache, person: str, item_id: str) -> str | None:
    # most people in a campaign never see any, and every answer needs to know
    people = memory.keep("uncovered", lambda: frozenset(rows.column(cursor, "select distinct rater_id from uncovered")))
    if person not in (people or ()):
        return None
    record = rows.first(
        cursor,
        "select how from uncovered where rater_id = ? and (item_id = ? or item_id in"
        " (select image_id from item_members where item_id = ?)) order by moment limit 1",
        [person, item_id, item_id],
    )
    return None if record is None else str(record["how"])


def has_answered(store: Store, person: str, item_id: str) -> bool:
    """Whether this person has said something about the item."""
    record = store.query_first("select 1 from annotations where rater_id = ? and item_id = ?", [person, item_id])
    return record is not None


def resolve_revision(
    cursor: Connection, memory: Cache, *, person: str, item_id: str, revises: str | None
) -> tuple[bool, str | None]:
    """Return whether an answer that comes now was given after seeing, and which answer it takes the place of.

    A blind answer keeps its place in the statistics whatever is said after seeing, so a revision then stands beside it: it
    takes the place of an earlier answer after seeing, or of none. What ``revises`` names stays if it is not this person's.
    """
    if _unblinded_how(cursor, memory, person, item_id) is None:
        return False, revises
    own = rows.dicts(
        cursor,
        "select annotation_id, saw_evidence,"
        " annotation_id in (select revises from annotations where revises is not null and rater_id = ?) as superseded"
        " from annotations where rater_id = ? and item_id = ? order by seq, submitted",
        [person, person, item_id],
    )
    if revises not in {row["annotation_id"] for row in own}:
        return True, revises
    after = [str(row["annotation_id"]) for row in own if row["saw_evidence"] and not row["superseded"]]
    return True, after[-1] if after else None


BY_PERSON: Final = "person"
"""Stands for who made a revocation by which somebody withdrew their own answers."""
ANSWERS_STAY: Final = "answers stay"
"""Stands for what somebody fails whom a manager has paused and whose answers stay."""


def revoked_raters(connection: Connection, memory: Cache) -> Mapping[str, Mapping[str | None, str | None]]:
    """From which campaigns people are revoked now, by name (None: from all), and what they fail, if they are only paused.

    In the place of what they fail stands ``BY_PERSON`` if they have withdrawn their answers, ``ANSWERS_STAY`` if a manager has
    paused them; None: their answers stopped counting.
    """

    def read() -> dict[str, dict[str | None, str | None]]:
        revoked: dict[str, dict[str | None, str | None]] = {}
        for name, campaign, reason, made_by, uncounted in connection.execute(
            "select rater_id, campaign_id, reason, made_by, uncounted from revocations where lifted is null order by moment"
        ).fetchall():
            why = reason or (None if uncounted else ANSWERS_STAY)
            revoked.setdefault(name, {})[campaign] = BY_PERSON if made_by == BY_PERSON else why
        return revoked

    return memory.keep("revoked", read) or {}


def prepare_references(connection: Connection, annotations: Sequence[Annotation], memory: Cache) -> None:
    """What annotations refer to must be there: their items, their raters, and the scales of what they judge.

    Raises:
        KeyError: there is no such item.
        Erased: a rater has been erased from the project.
    """
    suites = _suites(connection, {a.item_id for a in annotations}, memory)
    for annotation in annotations:
        if annotation.item_id not in suites:
            raise KeyError(annotation.item_id)
    _raters(connection, [a.rater_id for a in annotations], memory)
    own = {aspect: scale for a in annotations for aspect, scale in a.scales.items()}
    judged = {(suites[a.item_id], j.aspect) for a in annotations for j in a.judgements}
    # a suite that is judged for the first time gets the vocabulary's scales
    new = sorted(judged - _with_scale(connection, judged, memory))
    scales = ({"suite": suite, "aspect": aspect, "scale": SCALES.get(aspect) or own[aspect]} for suite, aspect in new)
    rows.insert(connection, "scales", scales)


def _suites(connection: Connection, items: Collection[str], memory: Cache) -> dict[str, str]:
    """The suites of those of these items that exist."""
    tasks: dict[str, AnnotationTask] = {
        item_id: task for item_id in items if (task := memory.get(("task", item_id))) is not None
    }
    suites = {item_id: task.suite for item_id, task in tasks.items()}
    if missing := [item_id for item_id in items if item_id not in suites]:
        cursor = connection.execute(f"select item_id, suite from items where item_id in {rows.placeholders(missing)}", missing)
        suites |= dict(cursor.fetchall())
    return suites


def _raters(connection: Connection, names: Sequence[str], memory: Cache) -> None:
    since = memory.state
    unsure = [name for name in dict.fromkeys(names) if not memory.get(("rater", name))]
    if not unsure:
        return
    there = rows.column(connection, f"select rater_id from raters where rater_id in {rows.placeholders(unsure)}", unsure)
    # an import that brought the name may have been undone since the person entered
    people = [name for name in unsure if name not in there]
    erased.refuse(connection, people)
    described = {"kind": "human", "identity": "person", "settings": "{}", "simulated": False}
    rows.insert(connection, "raters", ({"rater_id": name} | described for name in people))
    for name in there:
        memory.put(("rater", name), True, since)


def _with_scale(connection: Connection, judged: Collection[tuple[str, str]], memory: Cache) -> set[tuple[str, str]]:
    """Those of these aspects of suites that have a scale."""
    since = memory.state
    known = {pair for pair in judged if memory.get(("scaled", *pair))}
    suites = sorted({suite for suite, _ in set(judged) - known})
    if not suites:
        return known
    query = f"select suite, aspect from scales where suite in {rows.placeholders(suites)}"
    records = connection.execute(query, suites).fetchall()
    for suite, aspect in records:
        memory.put(("scaled", suite, aspect), True, since)
    return known | set(records)


Status = Literal["valid", "surplus", "gold", "training"]
Rule = Callable[[Sequence[Mapping[str, Any]]], bool]
"""Whether an item needs one person more, told from the answers of as many as the campaign's overlap (oldest first)."""
_Key = tuple[str, str]
"""A campaign and an item of it."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of an answer.

    Attributes:
        passed: whether it is right, where the item has an expected answer.
        selected: whether statistics leave it out, the item being none of the campaign's random stratum.
        before: what it would be if the person had not been revoked; None if they have not.
        again: whether an earlier answer of the same person about the same item stands.
        reason: why it is surplus; None if it is not.
    """

    status: Status
    passed: bool | None = None
    selected: bool = False
    before: Status | None = None
    again: bool = False
    reason: SurplusReason | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person is told about an item with a known answer: ``expected`` has the right ones of what was not right."""

    right: bool
    expected: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ItemContext:
    """An item in a campaign; ``position`` is None where the default campaign has not met it yet."""

    state: CampaignState
    item_id: str
    position: int | None

    @property
    def campaign(self) -> Campaign:
        return self.state.campaign

    @property
    def role(self) -> Role:
        return "ordinary" if self.position is None else self.state.listing.role(self.position)

    @property
    def expected(self) -> Mapping[str, Any]:
        return {} if self.position is None else self.state.listing.expected.get(self.position, {})


ItemContexts = Mapping[_Key, ItemContext]


def item_contexts(states: CampaignStates, annotations: Sequence[Annotation]) -> dict[_Key, ItemContext]:
    """What each answer is about, for campaigns that exist.

    Raises:
        KeyError: an item is not of the campaign.
    """
    named = sorted({a.campaign_id for a in annotations if a.campaign_id is not None})
    places: dict[_Key, ItemContext] = {}
    for campaign_id, state in states.of(named).items():
        state.read_people(states.connection, [a.rater_id for a in annotations if a.campaign_id == campaign_id])
        for item_id in sorted({a.item_id for a in annotations if a.campaign_id == campaign_id}):
            position = state.listing.positions.get(item_id)
            if campaign_id != DEFAULT and position is None:
                raise KeyError(item_id)
            places[campaign_id, item_id] = ItemContext(state, item_id, position)
    return places


def decide_status(states: CampaignStates, annotations: Sequence[Annotation], places: ItemContexts) -> list[Decision]:
    """Decide about new answers, as they will be written, and count the people who have answered validly."""
    connection = states.connection
    revoked = revoked_raters(connection, states.memory)
    # what the default campaign has not met is counted here alone
    unmet: dict[str, int] = {}
    counts: dict[str, dict[int, int]] = {}
    decisions: list[Decision] = []
    for annotation in annotations:
        context = places.get((annotation.campaign_id or "", annotation.item_id))
        if context is None:
            decisions.append(Decision("valid"))
            continue
        state, position, item_id = context.state, context.position, context.item_id
        if position is None and item_id not in unmet:
            unmet[item_id] = int(rows.value(connection, _PEOPLE, [item_id, state.campaign.campaign_id]))
        people, wanted = (
            (unmet[item_id], state.campaign.overlap)
            if position is None
            else (int(state.people[position]), int(state.wanted[position]))
        )
        person = state.persons[annotation.rater_id]
        again = item_id in person.counted
        out = not {None, state.campaign.campaign_id}.isdisjoint(revoked.get(annotation.rater_id, ()))
        unearned = None if again else _unearned(context, annotation.rater_id)
        decision = (
            Decision("surplus", reason=unearned)
            if unearned is not None
            else _decision(context, again, people - again >= wanted, annotation, out)
        )
        decisions.append(decision)
        blind = not annotation.saw_evidence
        person.note_answer(item_id, position, decision.status, decision.passed, blind, decision.reason)
        if decision.status == "surplus" or not blind or again:
            continue
        if position is None:
            unmet[item_id] += 1
        elif context.role == "ordinary":
            state.people[position] += 1
            counts.setdefault(state.campaign.campaign_id, {})[position] = int(state.people[position])
    for campaign_id, people_at in counts.items():
        connection.execute(
            "update campaign_items set people = list_extract(?::integer[], list_position(?::integer[], position))"
            f" where campaign_id = ? and position in {rows.placeholders(people_at)}",
            [list(people_at.values()), list(people_at), campaign_id, *people_at],
        )
    return decisions


_PEOPLE = """
select count(distinct rater_id) from annotations
where item_id = ? and campaign_id = ? and status <> 'surplus' and not saw_evidence
"""


def _unearned(context: ItemContext, name: str) -> SurplusReason | None:
    """Return why nobody asked this person for an answer about the item, or None if somebody did.

    A claim that was given stays good after its lease. The limit and the budget hold here once more, as leases that have ended
    can add up to more than either. The default campaign asks everybody about every image.
    """
    state, position, settings = context.state, context.position, context.campaign.settings
    if position is None or context.campaign.campaign_id == DEFAULT:
        return None
    person = state.persons[name]
    if position not in person.offered:
        return "skipped" if position in person.put_off else "reported" if position in person.broken else "not given"
    # who answers an item again that is surplus already is paid for it once
    if context.item_id in person.items:
        return None
    if settings.limit is not None and context.role != "training" and person.done >= settings.limit:
        return "limit"
    if (budget := settings.pay.budget) is not None and settings.pay.paid:
        # a claim that holds has its place in the budget; a late answer must leave the others theirs
        holds = position in person.held
        own = len(person.items) + (0 if holds else len(person.held)) + 1
        if state.cost_of_others(name, held=not holds) + settings.pay.cost(own) > budget:
            return "budget"
    return None


def _decision(context: ItemContext, again: bool, full: bool, annotation: Annotation, revoked: bool) -> Decision:
    """Decide about one answer; ``full``: others have filled the item."""
    campaign = context.campaign
    if context.role != "ordinary":
        # as of a revision: a second try proves nothing
        if again:
            return Decision("surplus", again=True, reason="again")
        return Decision(
            "training" if context.role == "training" else "gold", not wrong_answers(context.expected, annotation.answers)
        )
    selected = campaign.stratum and context.position in context.state.listing.selected
    # of the default campaign a second answer is kept as what it is, a repeat; statistics leave it out
    repeated = again and campaign.campaign_id != DEFAULT
    reason: SurplusReason | None = "again" if repeated else "full" if full else None
    status: Status = "valid" if reason is None else "surplus"
    if revoked:
        return Decision("surplus", selected=selected, before=status, again=again, reason=reason or "revoked")
    return Decision(status, selected=selected, again=again, reason=reason)


def end_claims(states: CampaignStates, annotations: Sequence[Annotation], places: ItemContexts) -> None:
    """Whoever has answered holds nothing any more, and has nothing half written."""
    drafts: list[tuple[str, str, str]] = []
    for annotation in annotations:
        context = places.get((annotation.campaign_id or "", annotation.item_id))
        if context is None:
            continue
        state, name = context.state, annotation.rater_id
        person = state.persons[name]
        if context.position in person.held:
            state.hold(name, {position: until for position, until in person.held.items() if position != context.position})
        if person.drafts.pop(context.item_id, None) is not None:
            drafts.append((state.campaign.campaign_id, context.item_id, name))
    if drafts:
        rows.delete(states.connection, "drafts", ("campaign_id", "item_id", "rater_id"), drafts)


def ask_more(states: CampaignStates, annotation: Annotation, rule: Rule) -> None:
    """Let an item have one person more if the answers that it has make the rule say so, else as many as the campaign asks."""
    campaign_id = annotation.campaign_id or ""
    state = states.of([campaign_id]).get(campaign_id)
    if state is None:
        return
    overlap, position = state.campaign.overlap, state.listing.positions.get(annotation.item_id)
    answers = rows.dicts(
        states.connection,
        "select answers from annotations where item_id = ? and campaign_id = ? and status = 'valid' and not saw_evidence"
        # of each person the latest revision of the first answer
        " qualify row_number() over (partition by rater_id order by seq, submitted desc) = 1 order by seq limit ?",
        [annotation.item_id, campaign_id, overlap],
    )
    wanted = overlap + (len(answers) == overlap and rule([rows.from_json(row["answers"]) for row in answers]))
    if position is not None and state.listing.role(position) == "ordinary" and state.wanted[position] != wanted:
        state.wanted[position] = wanted
        states.connection.execute(
            "update campaign_items set wanted = ? where campaign_id = ? and position = ?", [wanted, campaign_id, position]
        )


def feedback(annotation: Annotation, places: ItemContexts, reason: SurplusReason | None) -> Feedback | None:
    """Return what a person is told at once about their answer; the same however often it is sent.

    None if nobody asked for it: who skips a check must not learn its answer.
    """
    context = places.get((annotation.campaign_id or "", annotation.item_id))
    if context is None or reason in UNEARNED:
        return None
    return feedback_on(context.campaign.settings, context.role, context.expected, annotation.answers)


def feedback_on(settings: Settings, role: Role, expected: Mapping[str, Any], answers: Mapping[str, Any]) -> Feedback | None:
    """What a campaign tells a person about their answers to an item in this role; None: nothing."""
    if (role, True) not in (("gold", settings.gold_feedback), ("training", settings.training_feedback)):
        return None
    missed = wrong_answers(expected, answers)
    return Feedback(not missed, missed)
