"""Answer status: which answers count, decided as they come, in the order of coming, within the transaction that writes them.

Beside it what answers refer to (items, raters, scales, revocations), from the cache or read once; and unblinding: who has
been shown evidence and others' answers about an item, so that what they answer after that is not blind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import duckdb

from data.aspects import SCALES
from data.campaign import Campaign, Role, wrong_answers
from data.records import Annotation
from data.store.core import erased, rows
from data.store.core.campaign_items import DEFAULT, AnnotationTask, cached_campaigns, campaign_listing, campaigns, placeholders
from data.store.core.store import Cache, Store

ON_REQUEST = "asked"
"""They uncovered it on purpose, before answering."""
AFTER_ANSWER = "answered"
"""It was shown to them after they had answered."""


def by_browsing(rater: str) -> str:
    """How it is called to come from a grid that showed what ``rater`` says."""
    return f"browse: {rater}"


def record_unblinding(store: Store, person: str, item_id: str, how: str) -> None:
    """Remember that this person is shown it now; returns once that is on disk. The first time is the one that counts."""
    if unblinded_how(store, person, item_id) is None:
        row = (person, item_id, datetime.now(UTC), how)

        def record(connection: duckdb.DuckDBPyConnection) -> None:
            if rows.first(connection, "select 1 from uncovered where rater_id = ? and item_id = ?", list(row[:2])) is None:
                rows.insert(connection, "uncovered", ("rater_id", "item_id", "moment", "how"), [row])

        store.change(record, shown=False)
        store.memory.forget()


def unblinded_how(store: Store, person: str, item_id: str) -> str | None:
    """How this person came to see it, or one of its images, first; None: they have not."""
    # most people in a campaign never see any, and are asked about with every answer

    def people() -> frozenset[str]:
        with store.read() as cursor:
            return frozenset(row[0] for row in cursor.execute("select distinct rater_id from uncovered").fetchall())

    # who has ever been shown anything
    if person not in (store.memory.keep("uncovered", people) or ()):
        return None
    with store.read() as cursor:
        found = rows.first(
            cursor,
            "select how from uncovered where rater_id = ? and (item_id = ? or item_id in"
            " (select image_id from item_members where item_id = ?)) order by moment limit 1",
            [person, item_id, item_id],
        )
    return None if found is None else str(found["how"])


def has_answered(store: Store, person: str, item_id: str) -> bool:
    """Whether this person has said something about the item."""
    with store.read() as cursor:
        found = rows.first(cursor, "select 1 from annotations where rater_id = ? and item_id = ?", [person, item_id])
    return found is not None


def resolve_revision(store: Store, person: str, item_id: str, revises: str | None) -> tuple[bool, str | None]:
    """Whether an answer that comes now was given after seeing, and which answer it takes the place of.

    A blind answer keeps its place in the statistics whatever is said after seeing, so a revision then stands beside it: it
    takes the place of an earlier answer after seeing, or of none. What ``revises`` names stays if it is not this person's.
    """
    if unblinded_how(store, person, item_id) is None:
        return False, revises
    with store.read() as cursor:
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


_REVOKED = "revoked"


def revoked_raters(connection: duckdb.DuckDBPyConnection, memory: Cache) -> Mapping[str, Mapping[str | None, str | None]]:
    """From which campaigns people are revoked now, by name (None: from all), and what they fail, if they are only paused."""
    since = memory.state
    kept: Mapping[str, Mapping[str | None, str | None]] | None = memory.get(_REVOKED)
    if kept is None:
        found: dict[str, dict[str | None, str | None]] = {}
        for name, campaign, reason in connection.execute(
            "select rater_id, campaign_id, reason from revocations where lifted is null"
        ).fetchall():
            found.setdefault(name, {})[campaign] = reason
        kept = found
        memory.put(_REVOKED, kept, since)
    return kept


def prepare_references(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation], memory: Cache) -> None:
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
    scales = [(suite, aspect, SCALES.get(aspect) or own[aspect]) for suite, aspect in new]
    rows.insert(connection, "scales", ("suite", "aspect", "scale"), scales)


def _suites(connection: duckdb.DuckDBPyConnection, items: Collection[str], memory: Cache) -> dict[str, str]:
    """The suites of those of these items that exist."""
    tasks: dict[str, AnnotationTask] = {one: task for one in items if (task := memory.get(("task", one))) is not None}
    suites = {item_id: task.suite for item_id, task in tasks.items()}
    if missing := [one for one in items if one not in suites]:
        found = connection.execute(f"select item_id, suite from items where item_id in {placeholders(missing)}", missing)
        suites |= dict(found.fetchall())
    return suites


def _raters(connection: duckdb.DuckDBPyConnection, names: Sequence[str], memory: Cache) -> None:
    since = memory.state
    unsure = [name for name in dict.fromkeys(names) if not memory.get(("rater", name))]
    if not unsure:
        return
    found = connection.execute(f"select rater_id from raters where rater_id in {placeholders(unsure)}", unsure).fetchall()
    there = {row[0] for row in found}
    # an import that brought the name may have been undone since the person entered
    people = [name for name in unsure if name not in there]
    erased.refuse(connection, people)
    rows.insert(
        connection,
        "raters",
        ("rater_id", "kind", "identity", "settings", "simulated"),
        [(name, "human", "person", "{}", False) for name in people],
    )
    for name in there:
        memory.put(("rater", name), True, since)


def _with_scale(
    connection: duckdb.DuckDBPyConnection, judged: Collection[tuple[str, str]], memory: Cache
) -> set[tuple[str, str]]:
    """Those of these aspects of suites that have a scale."""
    since = memory.state
    known = {one for one in judged if memory.get(("scaled", *one))}
    suites = sorted({suite for suite, _ in set(judged) - known})
    if not suites:
        return known
    found = connection.execute(f"select suite, aspect from scales where suite in {placeholders(suites)}", suites).fetchall()
    for suite, aspect in found:
        memory.put(("scaled", suite, aspect), True, since)
    return known | set(found)


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
    """

    status: Status
    passed: bool | None = None
    selected: bool = False
    before: Status | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person is told about an item with a known answer: ``expected`` has the right ones of what was not right."""

    right: bool
    expected: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ItemContext:
    """An item in a campaign; ``position`` is None where the default campaign has not met it yet."""

    campaign: Campaign
    position: int | None
    role: Role
    expected: Mapping[str, Any]
    selected: bool
    wanted: int


ItemContexts = Mapping[_Key, ItemContext]


def item_contexts(
    connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation], memory: Cache
) -> dict[_Key, ItemContext]:
    """What each answer is about, for campaigns that exist.

    Raises:
        KeyError: an item is not of the campaign.
    """
    places: dict[_Key, ItemContext] = {}
    named = sorted({a.campaign_id for a in annotations if a.campaign_id is not None})
    for one in cached_campaigns(connection, named, memory).values():
        campaign = one.campaign
        items = campaign_listing(connection, campaign.campaign_id, one.stamp)
        asked = sorted({a.item_id for a in annotations if a.campaign_id == campaign.campaign_id})
        positions = {item_id: items.positions.get(item_id) for item_id in asked}
        if campaign.campaign_id != DEFAULT and None in positions.values():
            raise KeyError(next(item_id for item_id, position in positions.items() if position is None))
        wanted = _wanted(connection, campaign.campaign_id, [p for p in positions.values() if p is not None])
        for item_id, position in positions.items():
            role: Role = "ordinary" if position is None else items.role(position)
            expected = {} if position is None else items.expected.get(position, {})
            more = campaign.overlap if position is None else wanted[position]
            picked = position in items.selected
            places[campaign.campaign_id, item_id] = ItemContext(campaign, position, role, expected, picked, more)
    return places


def _wanted(connection: duckdb.DuckDBPyConnection, campaign_id: str, positions: Sequence[int]) -> dict[int, int]:
    if not positions:
        return {}
    query = f"select position, wanted from campaign_items where campaign_id = ? and position in {placeholders(positions)}"
    return dict(connection.execute(query, [campaign_id, *positions]).fetchall())


def decide_status(
    connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation], places: ItemContexts, memory: Cache
) -> list[Decision]:
    """Decide about new answers, as they will be written, and count the people who have answered validly."""
    asked = [a for a in annotations if a.campaign_id is not None]
    if not asked:
        return [Decision("valid") for _ in annotations]
    people = _people(connection, asked)
    revoked = revoked_raters(connection, memory)
    decisions: list[Decision] = []
    for annotation in annotations:
        key = (annotation.campaign_id or "", annotation.item_id)
        place = places.get(key)
        if place is None:
            decisions.append(Decision("valid"))
            continue
        answered = people.setdefault(key, set())
        out = not {None, key[0]}.isdisjoint(revoked.get(annotation.rater_id, ()))
        decision = _decision(place, answered, annotation, out)
        if decision.status != "surplus" and not annotation.saw_evidence:
            answered.add(annotation.rater_id)
        decisions.append(decision)
    _write_counts(connection, [(places[key], len(names)) for key, names in people.items() if key in places])
    return decisions


def _decision(place: ItemContext, answered: set[str], annotation: Annotation, revoked: bool) -> Decision:
    campaign = place.campaign
    again = annotation.rater_id in answered
    if place.role != "ordinary":
        # as of a revision: a second try proves nothing
        if again:
            return Decision("surplus", again=True)
        return Decision(
            "training" if place.role == "training" else "gold", not wrong_answers(place.expected, annotation.answers)
        )
    selected = campaign.stratum and place.selected
    full = len(answered) - again >= place.wanted
    # of the default campaign a second answer is kept as what it is, a repeat; statistics leave it out
    status: Status = "surplus" if full or (again and campaign.campaign_id != DEFAULT) else "valid"
    if revoked:
        return Decision("surplus", selected=selected, before=status, again=again)
    return Decision(status, selected=selected, again=again)


def _people(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> dict[_Key, set[str]]:
    """Who has answered these items so that it counts, as an answer or as a check, and blind."""
    items = sorted({a.item_id for a in annotations})
    found = connection.execute(
        "select campaign_id, item_id, rater_id from annotations"
        f" where item_id in {placeholders(items)} and campaign_id is not null and status <> 'surplus' and not saw_evidence",
        items,
    ).fetchall()
    people: dict[_Key, set[str]] = {}
    for campaign_id, item_id, rater_id in found:
        people.setdefault((campaign_id, item_id), set()).add(rater_id)
    return people


def _write_counts(connection: duckdb.DuckDBPyConnection, counts: Sequence[tuple[ItemContext, int]]) -> None:
    """Write how many people have answered."""
    by_campaign: dict[str, dict[int, int]] = {}
    for place, people in counts:
        if place.position is not None and place.role == "ordinary":
            by_campaign.setdefault(place.campaign.campaign_id, {})[place.position] = people
    for campaign_id, people_at in by_campaign.items():
        connection.execute(
            "update campaign_items set people = n.people"
            " from (select unnest(?::integer[]) as position, unnest(?::integer[]) as people) n"
            " where campaign_items.campaign_id = ? and campaign_items.position = n.position",
            [list(people_at), list(people_at.values()), campaign_id],
        )


def end_claims(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> None:
    """Whoever has answered holds nothing any more, and has nothing half written."""
    keys = [(a.campaign_id, a.item_id, a.rater_id) for a in annotations if a.campaign_id is not None]
    for table in ("claims", "drafts") if keys else ():
        rows.delete(connection, table, ("campaign_id", "item_id", "rater_id"), keys)


def ask_more(connection: duckdb.DuckDBPyConnection, annotation: Annotation, rule: Rule) -> None:
    """Let an item have one person more if the answers that it has make the rule say so, else as many as the campaign asks."""
    found = campaigns(connection, [annotation.campaign_id]) if annotation.campaign_id is not None else []
    if not found:
        return
    overlap = found[0].overlap
    said = rows.dicts(
        connection,
        "select answers from annotations where item_id = ? and campaign_id = ? and status = 'valid' and not saw_evidence"
        # of each person the latest revision of the first answer
        " qualify row_number() over (partition by rater_id order by seq, submitted desc) = 1 order by seq limit ?",
        [annotation.item_id, annotation.campaign_id, overlap],
    )
    more = len(said) == overlap and rule([rows.from_json(row["answers"]) for row in said])
    connection.execute(
        "update campaign_items set wanted = ? where campaign_id = ? and item_id = ? and role = 'ordinary'",
        [overlap + bool(more), annotation.campaign_id, annotation.item_id],
    )


def feedback(annotation: Annotation, places: ItemContexts) -> Feedback | None:
    """What a person is told at once about their answer; the same however often it is sent."""
    place = places.get((annotation.campaign_id or "", annotation.item_id))
    if place is None:
        return None
    settings = place.campaign.settings
    if (place.role, True) not in (("gold", settings.gold_feedback), ("training", settings.training_feedback)):
        return None
    missed = wrong_answers(place.expected, annotation.answers)
    return Feedback(not missed, missed)
