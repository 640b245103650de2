"""Recording: annotations and evidence as they are written, and the judgements that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from data.campaigns.settings import SurplusReason
from data.jobs.runs import Detection
from data.prompts.questions import PromptQuestion
from data.records import Annotation, Evidence, Judgement
from data.store import browse_index, library
from data.store.core import rows
from data.store.core.cache import Cache
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.judgements import answer_status, revocations, scorer_evidence
from data.store.judgements.answer_status import (
    Decision,
    Feedback,
    Rule,
    ask_more,
    decide_status,
    end_claims,
    feedback,
    item_contexts,
)
from data.store.judgements.campaign_state import CampaignStates


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """The fate of a submission.

    Attributes:
        new: False if it had been saved before (sent twice).
        status: ``valid``; ``surplus`` where enough people had answered already; ``gold`` or ``training`` where the right
            answer is known. The last two are not for the person's eyes.
        feedback: what they are to be told of it, if the campaign tells.
        paused: whether it was one wrong check too many, so that they are offered nothing more.
        earlier: the first answer, which stands instead, where the person had already answered this item (in another tab, say).
        reason: why it is surplus; None if it is not, or was stored before there were reasons.
    """

    annotation_id: str
    new: bool
    status: str
    feedback: Feedback | None = None
    paused: bool = False
    earlier: str | None = None
    reason: SurplusReason | None = None


@dataclass(frozen=True, slots=True)
class JudgedSource:
    """An answer or a piece of evidence, with everything that its judgements follow from.

    Attributes:
        kind: the item's kind, such as ``image``.
        spec: the prompt's; None without one.
        questionnaire, definition: of an answer; the definition of a user's own questionnaire. None for evidence.
        answers, raw: of an answer: what was said, and what was shown beside it.
        payload: of evidence.
        scorer, settings, detections: of evidence that a run made.
        members, generators: the images of an item of several, in their order, and who made them.
        questions: the prompt's own questions that were asked.
    """

    item_id: str
    kind: str = "image"
    spec: Mapping[str, Any] | None = None
    questionnaire: str | None = None
    definition: str | None = None
    answers: Mapping[str, Any] | None = None
    raw: Mapping[str, Any] | None = None
    payload: Mapping[str, Any] | None = None
    scorer: str | None = None
    settings: Mapping[str, Any] | None = None
    detections: tuple[Detection, ...] = ()
    members: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    questions: tuple[PromptQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class SentAnswer:
    """An answer that somebody sent. With ``more``, an item about which it says yes is offered to one person more."""

    annotation: Annotation
    memory: Cache
    more: Rule | None = None


def submit(store: Store, annotation: Annotation, more: Rule | None = None) -> SavedAnswer:
    """Save one answer; returns once it is on disk. Sending the same ``annotation_id`` again changes nothing.

    A revision supersedes its predecessor's judgements and keeps its place in the order; a revision of something already
    revised joins the end of that chain.

    Raises:
        KeyError: there is no such item (in the campaign), ``revises`` names no annotation of this rater on this item, or the
            ``annotation_id`` belongs to another answer.
        Erased: the person has been erased from the project.
        CampaignClosed: the campaign, or that of the answer that this one revises, has not started yet or is archived.
    """
    saved: SavedAnswer = store.write(
        save_all, SentAnswer(annotation, store.memory, more), touched=frozenset(items_of_sources([annotation]))
    )
    if saved.paused:
        # all who look compute anew: more than the paused answer may have stopped counting
        store.touch()
    return saved


def save_all(connection: Connection, sent: Sequence[SentAnswer]) -> list[SavedAnswer]:
    """Save answers that were sent, each as ``submit`` says. For the writer's thread."""
    states = CampaignStates(connection, sent[0].memory)
    saved = save_answers(states, sent)
    states.write_claims()
    return saved


def save_answers(states: CampaignStates, sent: Sequence[SentAnswer]) -> list[SavedAnswer]:
    """As ``save_all``; the claims that end with them are still to be written."""
    plain = [answer.annotation for answer in sent if answer.more is None]
    saved = iter(_save(states, plain) if plain else [])
    results = []
    for answer in sent:
        if answer.more is None:
            results.append(next(saved))
        else:
            results += _save(states, [answer.annotation])
            ask_more(states, answer.annotation, answer.more)
    return results


def _save(states: CampaignStates, annotations: Sequence[Annotation]) -> list[SavedAnswer]:
    connection = states.connection
    ids = [annotation.annotation_id for annotation in annotations]
    columns = "annotation_id, status, item_id, rater_id, surplus_reason"
    query = f"select {columns} from annotations where annotation_id in {rows.placeholders(ids)}"
    stored = connection.execute(query, ids).fetchall()
    status: dict[str, str] = {annotation_id: stands for annotation_id, stands, *_ in stored}
    whose = {annotation_id: (item_id, rater_id) for annotation_id, _, item_id, rater_id, _ in stored}
    reasons: dict[str, SurplusReason | None] = {annotation_id: reason for annotation_id, *_, reason in stored}
    fresh: dict[str, Annotation] = {}
    first_sent: list[bool] = []
    places = item_contexts(states, annotations)
    paused: set[str] = set()
    again = set(status)
    for annotation in annotations:
        about = (annotation.item_id, annotation.rater_id)
        if whose.setdefault(annotation.annotation_id, about) != about:
            raise KeyError(annotation.annotation_id)
        first_sent.append(annotation.annotation_id not in status and annotation.annotation_id not in fresh)
        if first_sent[-1]:
            fresh[annotation.annotation_id] = annotation
    if fresh:
        # an answer that was saved before is acknowledged again, whatever became of its campaign since
        states.refuse_closed({annotation.campaign_id for annotation in fresh.values()})
        answer_status.prepare_references(connection, list(fresh.values()), states.memory)
        browse_index.mark_stale(connection, items_of_sources(fresh.values()))
        unrevised = [annotation for annotation in fresh.values() if not annotation.revises]
        decisions = decide_status(states, unrevised, places)
        _insert_first(connection, unrevised, decisions)
        for annotation, decision in zip(unrevised, decisions, strict=True):
            status[annotation.annotation_id] = decision.status
            reasons[annotation.annotation_id] = decision.reason
            again |= {annotation.annotation_id} if decision.again else set()
        for annotation in fresh.values():
            if annotation.revises:
                chain = _revision(states, annotation)
                status[annotation.annotation_id], reasons[annotation.annotation_id] = chain.status, chain.reason
        end_claims(states, list(fresh.values()), places)
        paused = revocations.pause_who_fail(states, unrevised, places, _now())
    earlier = _earlier(connection, [a for a in annotations if a.annotation_id in again and not a.revises])
    return [
        SavedAnswer(
            a.annotation_id,
            new,
            status[a.annotation_id],
            feedback(a, places, reasons[a.annotation_id]),
            new and a.annotation_id in paused,
            earlier.get(a.annotation_id),
            reasons[a.annotation_id],
        )
        for a, new in zip(annotations, first_sent, strict=True)
    ]


def _earlier(connection: Connection, annotations: Sequence[Annotation]) -> dict[str, str]:
    """The first answers, which stand instead of these; none for an answer that stands itself."""
    earlier: dict[str, str] = {}
    for a in annotations:
        stands = connection.execute(
            "select root_id from annotations where campaign_id = ? and item_id = ? and rater_id = ?"
            " and status <> 'surplus' and not saw_evidence order by seq limit 1",
            [a.campaign_id, a.item_id, a.rater_id],
        ).fetchone()
        if stands is not None and stands[0] != a.annotation_id:
            earlier[a.annotation_id] = stands[0]
    return earlier


def _insert_first(
    connection: Connection, annotations: Sequence[Annotation], decisions: Sequence[Decision], import_id: int | None = None
) -> None:
    """Write answers that revise nothing, in this order, with their judgements."""
    now = _now() if import_id is None else datetime.now(UTC)
    numbers = rows.sequence(connection, "statement_seq", len(annotations))
    decided = zip(annotations, decisions, numbers, strict=True)
    records = (annotation_row(a, decision, None, a.annotation_id, seq, now, import_id) for a, decision, seq in decided)
    rows.insert(connection, "annotations", records)
    insert_judgements(connection, ((a, a.annotation_id, seq) for a, seq in zip(annotations, numbers, strict=True)))


_last = datetime.min.replace(tzinfo=UTC)


def _now() -> datetime:
    """When an answer came; never before an earlier one, though the clock may have been set back. For the writer's thread."""
    global _last
    _last = max(_last, datetime.now(UTC))
    return _last


def _revision(states: CampaignStates, annotation: Annotation) -> Decision:
    """Save a revision in the place of the latest of its chain; returns the chain's decision."""
    connection = states.connection
    latest = rows.first(
        connection,
        "select annotation_id, status, root_id, seq, passed, selected, status_before, surplus_reason, campaign_id"
        " from annotations"
        " where item_id = ? and rater_id = ? and root_id ="
        " (select root_id from annotations where annotation_id = ?)"
        " and annotation_id not in (select revises from annotations where revises is not null and rater_id = ?)",
        [annotation.item_id, annotation.rater_id, annotation.revises, annotation.rater_id],
    )
    if latest is None:
        raise KeyError(annotation.revises)
    # the Workbench revises answers of other campaigns than the one that it sends to
    states.refuse_closed([latest["campaign_id"]])
    superseded, seq = latest["annotation_id"], latest["seq"]
    # what is known of the first answer to a check stays: a second try proves nothing
    decision = Decision(
        latest["status"],
        latest["passed"],
        bool(latest["selected"]),
        latest["status_before"],
        reason=latest["surplus_reason"],
    )
    rows.insert(connection, "annotations", [annotation_row(annotation, decision, superseded, latest["root_id"], seq, _now())])
    browse_index.mark_stale_where(connection, "select item_id from judgements where source_id = ?", [superseded])
    connection.execute("delete from judgements where source_id = ?", [superseded])
    insert_judgements(connection, [(annotation, annotation.annotation_id, seq)])
    return decision


def insert_annotations(connection: Connection, annotations: Sequence[Annotation], import_id: int) -> int:
    """Imported answers, in their source's order; returns how many."""
    browse_index.mark_stale(connection, items_of_sources(annotations))
    _insert_first(connection, annotations, [Decision("valid")] * len(annotations), import_id)
    return len(annotations)


def insert_evidence(
    connection: Connection, evidence: Sequence[Evidence], import_id: int | None, run_id: str | None = None
) -> int:
    """Evidence that was imported or made by a run, in its source's order; returns how much."""
    browse_index.mark_stale(connection, items_of_sources(evidence))
    placed = list(zip(evidence, rows.sequence(connection, "statement_seq", len(evidence)), strict=True))
    rows.insert(
        connection,
        "evidence",
        (
            {"evidence_id": e.evidence_id, "item_id": e.item_id, "rater_id": e.rater_id, "payload": rows.to_json(e.payload)}
            | {"seq": seq, "import_id": import_id, "run_id": run_id, "failed": e.failed}
            for e, seq in placed
        ),
    )
    insert_judgements(connection, ((e, e.evidence_id, seq) for e, seq in placed))
    return len(evidence)


def items_of_sources(sources: Iterable[Annotation | Evidence]) -> Iterable[str]:
    """The items that are said something of."""
    for source in sources:
        yield source.item_id
        yield from (j.item_id for j in source.judgements if j.item_id is not None)


def annotation_row(
    a: Annotation, decision: Decision, revises: str | None, root_id: str, seq: int, now: datetime, import_id: int | None = None
) -> dict[str, Any]:
    """An answer as a record of the table."""
    return {
        "annotation_id": a.annotation_id, "campaign_id": a.campaign_id, "item_id": a.item_id, "rater_id": a.rater_id,
        "questionnaire": a.questionnaire, "answers": rows.to_json(a.answers),
        "raw": None if a.raw is None else rows.to_json(a.raw),
        "started": a.started, "submitted": now, "active_seconds": a.active_seconds, "saw_evidence": a.saw_evidence,
        "status": decision.status, "revises": revises, "root_id": root_id, "seq": seq, "import_id": import_id,
        "passed": decision.passed, "selected": decision.selected, "status_before": decision.before,
        "surplus_reason": decision.reason,
    }  # fmt: skip


def insert_judgements(connection: Connection, sources: Iterable[tuple[Annotation | Evidence, str, int]]) -> None:
    """What follows from answers and evidence, each with its id and its number."""
    rows.insert(
        connection,
        "judgements",
        (
            _judgement_row(j, source.item_id, source.rater_id, source_id, source.rule_version, seq)
            for source, source_id, seq in sources
            for j in source.judgements
        ),
    )


def _judgement_row(j: Judgement, item_id: str, rater_id: str, source_id: str, rule_version: str, seq: int) -> dict[str, Any]:
    return {
        "item_id": j.item_id or item_id, "rater_id": rater_id, "aspect": j.aspect, "target": j.target, "label": j.label,
        "value": j.value, "reason": j.reason, "source_id": source_id, "rule_version": rule_version, "seq": seq,
    }  # fmt: skip


@transaction()
def rebuild(connection: Connection, derive: Callable[[JudgedSource], tuple[str, Sequence[Judgement]]]) -> int:
    """Remake all judgements from their sources; return how many there are.

    Args:
        connection: to the project's database.
        derive: returns the rule version and the judgements of a source.
    """
    sources = rows.dicts(
        connection,
        "select a.annotation_id as source_id, a.item_id, a.rater_id, a.seq, a.questionnaire, a.answers, a.raw,"
        " null as payload, p.spec, null as run_id, null as scorer, null as settings, t.kind, t.prompt_id, c.definition"
        " from annotations a join items t using (item_id) left join prompts p on p.prompt_id = t.prompt_id"
        " left join campaigns c on c.campaign_id = a.campaign_id"
        " where a.annotation_id not in (select revises from annotations where revises is not null)"
        " union all select e.evidence_id, e.item_id, e.rater_id, e.seq, null, null, null, e.payload, p.spec,"
        " e.run_id, n.scorer, n.settings, t.kind, t.prompt_id, null"
        " from evidence e join items t using (item_id) left join prompts p on p.prompt_id = t.prompt_id"
        " left join runs n using (run_id) where e.failed is null order by seq",
    )
    by_item = scorer_evidence.detections_of(connection, None)
    members, questions = _members(connection), library.all_questions(connection)
    judgements: list[dict[str, Any]] = []
    for source in sources:
        boxes = tuple(detection for detection, _ in by_item.get((source["run_id"], source["item_id"]), ()))
        decoded = rows.decoded(source, "answers", "raw", "payload", "spec", "settings")
        images, generators = members.get(source["item_id"], ([], []))
        version = (decoded["raw"] or {}).get("questions")
        judged = JudgedSource(
            item_id=source["item_id"],
            kind=source["kind"],
            spec=decoded["spec"],
            questionnaire=source["questionnaire"],
            definition=source["definition"],
            answers=decoded["answers"],
            raw=decoded["raw"],
            payload=decoded["payload"],
            scorer=source["scorer"],
            settings=decoded["settings"],
            detections=boxes,
            members=tuple(images),
            generators=tuple(generators),
            questions=questions.get((source["prompt_id"], version), ()) if isinstance(version, int) else (),
        )
        version, derived = derive(judged)
        whose = (source["item_id"], source["rater_id"], source["source_id"], version, source["seq"])
        judgements.extend(_judgement_row(j, *whose) for j in derived)
    connection.execute("delete from judgements")
    rows.insert(connection, "judgements", judgements)
    browse_index.remake(connection)
    return len(judgements)


def _members(connection: Connection) -> dict[str, tuple[list[str], list[str]]]:
    """The images of items of several, and whose they are, in their order."""
    records = connection.execute(
        "select m.item_id, list(m.image_id order by m.position), list(i.generator order by m.position)"
        " from item_members m join items t using (item_id) join images i using (image_id) where t.kind <> 'image' group by all"
    ).fetchall()
    return {item_id: (images, generators) for item_id, images, generators in records}
