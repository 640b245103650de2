"""Which answers count: decided when they come, in the order of coming, within the transaction that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import duckdb

from data.campaign import Campaign, wrong
from data.records import Annotation
from data.store import rows
from data.store.places import DEFAULT, campaigns, marks

Status = Literal["valid", "surplus", "gold", "training"]
Rule = Callable[[Sequence[Mapping[str, Any]]], bool]
"""Whether an item needs one person more, told from the answers of as many as the campaign's overlap (oldest first)."""
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of an answer.

    Attributes:
        passed: whether it is right, where the item has an expected answer.
        selected: whether statistics leave it out, the item being none of the campaign's random stratum.
        before: what it would be if the person had not been revoked; None if they have not.
    """

    status: Status
    passed: bool | None = None
    selected: bool = False
    before: Status | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person is told about an item with a known answer: ``expected`` has the right ones of what was not right."""

    right: bool
    expected: Mapping[str, Any]


def decide(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> list[Decision]:
    """Decide about new answers, as they will be written, and count the people who have answered validly.

    Raises:
        KeyError: an item is not of the campaign.
    """
    asked = [a for a in annotations if a.campaign_id is not None]
    if not asked:
        return [Decision("valid") for _ in annotations]
    known = {campaign.campaign_id: campaign for campaign in campaigns(connection, sorted({str(a.campaign_id) for a in asked}))}
    places = _places(connection, asked)
    people = _people(connection, asked)
    revoked = _revoked(connection, asked)
    before = {key: len(names) for key, names in people.items()}
    decisions: list[Decision] = []
    for annotation in annotations:
        key = (annotation.campaign_id or "", annotation.item_id)
        campaign = known.get(key[0])
        if campaign is None:
            decisions.append(Decision("valid"))
            continue
        if key not in places and key[0] != DEFAULT:
            raise KeyError(annotation.item_id)
        answered = people.setdefault(key, set())
        out = not revoked.get(annotation.rater_id, set()).isdisjoint({None, key[0]})
        decision = _decision(campaign, places.get(key, {}), answered, annotation, out)
        if decision.status == "valid" and not annotation.saw_evidence:
            answered.add(annotation.rater_id)
        decisions.append(decision)
    _write_counts(connection, {key: len(names) for key, names in people.items() if len(names) != before.get(key, 0)})
    return decisions


def _decision(
    campaign: Campaign, place: Mapping[str, Any], answered: set[str], annotation: Annotation, revoked: bool
) -> Decision:
    role = place.get("role", "ordinary")
    if role != "ordinary":
        expected = rows.from_json(place["expected"])
        return Decision("training" if role == "training" else "gold", not wrong(expected, annotation.answers))
    selected = campaign.stratum and place.get("sampling") == "selected"
    again = annotation.rater_id in answered
    full = len(answered) - again >= place.get("wanted", campaign.overlap)
    # of the default campaign a second answer is kept as what it is, a repeat; statistics leave it out
    status: Status = "surplus" if full or (again and campaign.campaign_id != DEFAULT) else "valid"
    if revoked:
        return Decision("surplus", selected=selected, before=status)
    return Decision(status, selected=selected)


def _places(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> dict[_Key, dict[str, Any]]:
    ids = sorted({str(a.campaign_id) for a in annotations})
    items = sorted({a.item_id for a in annotations})
    found = rows.dicts(
        connection,
        "select campaign_id, item_id, role, sampling, expected, wanted from campaign_items"
        f" where campaign_id in {marks(ids)} and item_id in {marks(items)}",
        [*ids, *items],
    )
    return {(row["campaign_id"], row["item_id"]): row for row in found}


def _people(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> dict[_Key, set[str]]:
    """Who has answered these items validly and blind."""
    items = sorted({a.item_id for a in annotations})
    found = connection.execute(
        "select campaign_id, item_id, rater_id from annotations"
        f" where item_id in {marks(items)} and campaign_id is not null and status = 'valid' and not saw_evidence",
        items,
    ).fetchall()
    people: dict[_Key, set[str]] = {}
    for campaign_id, item_id, rater_id in found:
        people.setdefault((campaign_id, item_id), set()).add(rater_id)
    return people


def _revoked(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> dict[str, set[str | None]]:
    """From which campaigns these people are revoked; None: from all."""
    names = sorted({a.rater_id for a in annotations})
    found = connection.execute(
        f"select rater_id, campaign_id from revocations where lifted is null and rater_id in {marks(names)}", names
    ).fetchall()
    revoked: dict[str, set[str | None]] = {}
    for rater_id, campaign_id in found:
        revoked.setdefault(rater_id, set()).add(campaign_id)
    return revoked


def _write_counts(connection: duckdb.DuckDBPyConnection, counts: Mapping[_Key, int]) -> None:
    """Write how many people have answered."""
    if counts:
        connection.execute(
            "update campaign_items set people = n.people from"
            " (select unnest(?::varchar[]) as campaign_id, unnest(?::varchar[]) as item_id, unnest(?::integer[]) as people) n"
            " where campaign_items.campaign_id = n.campaign_id and campaign_items.item_id = n.item_id",
            [[campaign for campaign, _ in counts], [item for _, item in counts], list(counts.values())],
        )


def end_claims(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> None:
    """Whoever has answered holds nothing any more, and has nothing half written."""
    campaign, item, person = zip(*((a.campaign_id, a.item_id, a.rater_id) for a in annotations), strict=True)
    for table in ("claims", "drafts"):
        connection.execute(
            f"delete from {table} where (campaign_id, item_id, rater_id) in"
            " (select (unnest(?::varchar[]), unnest(?::varchar[]), unnest(?::varchar[])))",
            [list(campaign), list(item), list(person)],
        )


def ask_more(connection: duckdb.DuckDBPyConnection, annotation: Annotation, rule: Rule) -> None:
    """Let an item have one person more if the answers that it has make the rule say so, else as many as the campaign asks."""
    known = campaigns(connection, [annotation.campaign_id]) if annotation.campaign_id is not None else []
    if not known:
        return
    overlap = known[0].overlap
    found = rows.dicts(
        connection,
        "select answers from annotations where item_id = ? and campaign_id = ? and status = 'valid' and not saw_evidence"
        # of each person the latest revision of the first answer
        " qualify row_number() over (partition by rater_id order by seq, submitted desc) = 1 order by seq limit ?",
        [annotation.item_id, annotation.campaign_id, overlap],
    )
    more = len(found) == overlap and rule([rows.from_json(row["answers"]) for row in found])
    connection.execute(
        "update campaign_items set wanted = ? where campaign_id = ? and item_id = ? and role = 'ordinary'",
        [overlap + bool(more), annotation.campaign_id, annotation.item_id],
    )


def feedback(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> dict[str, Feedback]:
    """What people are told at once about these answers, by annotation id; the same however often it is asked."""
    asked = [a for a in annotations if a.campaign_id not in (None, DEFAULT)]
    if not asked:
        return {}
    settings = {c.campaign_id: c.settings for c in campaigns(connection, sorted({str(a.campaign_id) for a in asked}))}
    telling = [
        a
        for a in asked
        if (one := settings.get(str(a.campaign_id))) is not None and (one.gold_feedback or one.training_feedback)
    ]
    places = _places(connection, telling) if telling else {}
    told: dict[str, Feedback] = {}
    for annotation in telling:
        place = places.get((str(annotation.campaign_id), annotation.item_id), {"role": "ordinary"})
        one = settings[str(annotation.campaign_id)]
        if (place["role"], True) in (("gold", one.gold_feedback), ("training", one.training_feedback)):
            missed = wrong(rows.from_json(place["expected"]), annotation.answers)
            told[annotation.annotation_id] = Feedback(not missed, missed)
    return told
