"""Evidence of scorers, read back: detections, answers with masks, which images were perceived, and chosen captions.

Masks stay in the run's parts and are named by where they lie. Evidence that is one image's comes whole, with masks; that of
many without. Of several runs by one rater the first that saw something counts, as in every statistic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from data.jobs.runs import Detection, Observation, RunFolder
from data.selection import Selection
from data.spec import HasSpec
from data.store.core import rows
from data.store.core.conditions import items_condition, judgements_condition
from data.store.core.connections import Connection
from data.store.core.store import Store

DetectionsByImage = dict[tuple[str, str], list[tuple[Detection, str | None]]]
"""By run and image: detections in the detector's order, each with its mask's place."""


def insert_detections(connection: Connection, run_id: str, part: int, seen: Sequence[Observation]) -> None:
    """The detections of one part; row and rank say where in the part the mask is."""
    rows.insert(
        connection,
        "detections",
        (
            {"run_id": run_id, "image_id": observation.item_id, "rank": rank, "label": d.label, "score": d.score}
            | dict(zip(("x0", "y0", "x1", "y1"), d.box, strict=True))
            | {"mask_ref": None if d.mask is None else f"{part}:{row}:{rank}"}
            | {"color_probs": None if d.colors is None else list(d.colors)}
            for row, observation in enumerate(seen)
            for rank, d in enumerate(observation.detections)
        ),
    )


def detections_of(
    cursor: Connection, item_ids: Iterable[str] | None, run_ids: Iterable[str] | None = None
) -> DetectionsByImage:
    """What these runs (None: all) found on these images (None: all), without masks."""
    conditions, parameters = ["true"], []
    for column, values in (("image_id", item_ids), ("run_id", run_ids)):
        if values is not None:
            conditions.append(f"{column} in (select unnest(?::varchar[]))")
            parameters.append(list(values))
    read = rows.dicts(
        cursor,
        f"from detections where {' and '.join(conditions)} order by run_id, image_id, rank",
        parameters,
    )
    by_image: DetectionsByImage = {}
    for row in read:
        box, colors = (row["x0"], row["y0"], row["x1"], row["y1"]), row["color_probs"]
        detection = Detection(row["label"], row["score"], box, None, None if colors is None else tuple(colors))
        by_image.setdefault((row["run_id"], row["image_id"]), []).append((detection, row["mask_ref"]))
    return by_image


@dataclass(frozen=True, slots=True)
class ItemEvidence:
    """What one scorer saw of one image. ``folder`` is the run's, absolute; ``settings`` are the rater's."""

    rater_id: str
    run_id: str
    folder: Path
    scorer: str
    version: str
    settings: Mapping[str, Any]
    seen: Observation


@dataclass(frozen=True, slots=True)
class RaterEvidence:
    """What one scorer saw of several images, by item, without masks."""

    scorer: str
    version: str
    settings: Mapping[str, Any]
    seen: Mapping[str, Observation]


# of several runs by one rater the first that saw something counts, as in every statistic
_FIRST = """
select e.item_id, e.rater_id, e.payload, e.failed, n.run_id, n.folder, n.scorer, n.version, n.settings
from evidence e join runs n using (run_id)
where {condition}
qualify row_number() over (partition by e.item_id, e.rater_id order by e.failed is not null, e.seq) = 1
order by e.rater_id
"""


def evidence_of_item(store: Store, item_id: str) -> list[ItemEvidence]:
    """What each scorer saw of an image; a mask is None where the run's file is gone. Imported numbers are not among these."""
    with store.read() as cursor:
        records = rows.dicts(cursor, _FIRST.format(condition="e.item_id = ?"), [item_id])
        boxes = detections_of(cursor, [item_id])
    evidence = []
    for row in records:
        decoded, folder = rows.decoded(row, "settings"), store.project / row["folder"]
        here = _with_masks(folder, item_id, boxes.get((row["run_id"], item_id), []))
        seen = Observation(item_id, rows.from_json(decoded.pop("payload")), here, decoded.pop("failed"))
        del decoded["item_id"]
        evidence.append(ItemEvidence(**decoded | {"folder": folder, "seen": seen}))
    return evidence


@dataclass(frozen=True, slots=True)
class ImportedWords:
    """The words that came with an imported rating.

    Attributes:
        written: the judge's whole answer; "" if it is not known.
        marked: whether its file marks it as right; None if it does not say.
        reasoning: the reason that the judge gave; "" without one.
    """

    written: str
    marked: bool | None
    reasoning: str


def imported_words(store: Store, suite: str, item_id: str | None = None) -> dict[tuple[str, str], ImportedWords]:
    """Return what came with imported ratings of a suite, or of one item, by item and rater."""
    records = store.query(
        "select e.item_id, e.rater_id, e.payload from evidence e join items t using (item_id)"
        " where e.run_id is null and t.suite = ? and (?::varchar is null or e.item_id = ?) order by e.seq desc",
        [suite, item_id, item_id],
    )
    return {(row["item_id"], row["rater_id"]): _words(rows.from_json(row["payload"])) for row in records}


def _words(payload: Mapping[str, Any]) -> ImportedWords:
    written, reasoning = (str(payload.get(name) or "") for name in ("written", "reasoning"))
    return ImportedWords(written, payload.get("marked"), reasoning)


def evidence_without_masks(store: Store, item_ids: Sequence[str], rater_id: str) -> RaterEvidence | None:
    """What this scorer saw of these images; None if no run of this project is its."""
    with store.read() as cursor:
        last = rows.first(
            cursor,
            "select scorer, version, settings from runs where rater_id = ? and kind = 'score' order by created desc limit 1",
            [rater_id],
        )
        if last is None:
            return None
        condition = "e.item_id in (select unnest(?::varchar[])) and e.rater_id = ?"
        records = rows.dicts(cursor, _FIRST.format(condition=condition), [list(item_ids), rater_id])
        boxes = detections_of(cursor, item_ids, {row["run_id"] for row in records})
    by_item = {}
    for row in records:
        here = tuple(detection for detection, _ in boxes.get((row["run_id"], row["item_id"]), ()))
        by_item[row["item_id"]] = Observation(row["item_id"], rows.from_json(row["payload"]), here, row["failed"])
    return RaterEvidence(**rows.decoded(last, "settings"), seen=by_item)


def _with_masks(folder: Path, item_id: str, detections: list[tuple[Detection, str | None]]) -> tuple[Detection, ...]:
    """All masks of an image lie in one row of one part."""
    mask_ref = next((ref for _, ref in detections if ref), None)
    if mask_ref is None:
        return tuple(detection for detection, _ in detections)
    part, row, _ = map(int, mask_ref.split(":"))
    try:
        stored = RunFolder(folder).read_part(part)[row]
        masks = [detection.mask for detection in stored.detections] if stored.item_id == item_id else []
    except (ValueError, IndexError):
        masks = []
    return tuple(
        replace(detection, mask=masks[rank]) if ref and rank < len(masks) else detection
        for rank, (detection, ref) in enumerate(detections)
    )


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """One scorer's evidence of a suite's images.

    Attributes:
        scorer, profile: of the rater's latest run.
        images: of which it saw something.
        stamp: another text as soon as that is another set of images or runs.
    """

    suite: str
    rater_id: str
    scorer: str
    profile: str
    images: int
    stamp: str


def evidence_sources(store: Store) -> list[EvidenceSource]:
    """All of them, by suite and rater. What was seen by flipped prompts is not among them: it says nothing of the true ones."""
    return store.query_records(
        EvidenceSource,
        "select t.suite, e.rater_id, arg_max(n.scorer, n.created) as scorer, arg_max(n.profile, n.created) as profile,"
        " count(distinct e.item_id) as images, count(*) || '.' || max(e.seq) || '.' || max(e.run_id) as stamp"
        " from evidence e join runs n using (run_id) join items t on t.item_id = e.item_id"
        " where e.failed is null and t.kind = 'image' and coalesce(n.settings->>'$.flip', '') = ''"
        " group by t.suite, e.rater_id order by t.suite, e.rater_id",
    )


@dataclass(frozen=True, slots=True)
class PerceivedImage(HasSpec):
    """An image's place, and its prompt."""

    item_id: str
    prompt_id: str
    generator: str
    idx: int
    text: str
    task: str | None
    spec: Mapping[str, Any]


def perceived_images(store: Store, selection: Selection, rater_id: str) -> list[PerceivedImage]:
    """Those of the selected images of which this rater's runs saw something, by generator, prompt and index."""
    condition, parameters = items_condition(selection)
    return store.query_records(
        PerceivedImage,
        "select t.item_id, i.prompt_id, i.generator, i.idx, p.text, p.task, p.spec"
        " from items t join images i on i.image_id = t.item_id join prompts p on p.prompt_id = i.prompt_id"
        f" where {condition} and {_PERCEIVED} order by i.generator, i.prompt_id, i.idx",
        [*parameters, rater_id],
        "spec",
    )


def items_with_evidence(store: Store, item_ids: Sequence[str], rater_id: str) -> set[str]:
    """Those of these items of which this rater has evidence."""
    query = f"select t.item_id from items t where t.item_id in (select unnest(?::varchar[])) and {_PERCEIVED}"
    return set(store.query_column(query, [list(item_ids), rater_id]))


_PERCEIVED = (
    "exists (select 1 from evidence e where e.item_id = t.item_id and e.rater_id = ? and e.run_id is not null"
    " and e.failed is null)"
)


# of several runs by one rater the first that saw something counts, as in every statistic
_CAPTION_CHOICES: Final = """
select t.suite, e.rater_id, e.item_id, t.prompt_id, p.spec ->> '$.group' as "group", coalesce(t.task, '') as task,
    coalesce(t.generator, '') as generator, e.payload, r.settings, run.scorer
from evidence e join items t on t.item_id = e.item_id join raters r on r.rater_id = e.rater_id
join prompts p on p.prompt_id = t.prompt_id left join runs run on run.run_id = e.run_id
where e.failed is null and t.kind = 'image' and json_type(e.payload, '$.fits') = 'ARRAY'
    and json_type(e.payload, '$.captions') = 'ARRAY' and {condition}
qualify row_number() over (partition by e.rater_id, e.item_id order by e.seq) = 1
order by t.suite, e.rater_id, e.item_id
"""


@dataclass(frozen=True, slots=True)
class CaptionChoice:
    """One image by one rater; ``payload``: its evidence with ``captions``, ``right`` and ``fits``, as the scorer wrote it."""

    suite: str
    rater_id: str
    item_id: str
    prompt_id: str
    group: str | None
    task: str
    generator: str
    payload: Mapping[str, Any]
    settings: Mapping[str, Any]
    scorer: str | None

    @property
    def captions(self) -> Sequence[str]:
        """The captions, two or more."""
        return self.payload["captions"]  # type: ignore[no-any-return]

    @property
    def right(self) -> int:
        """The place of the right caption."""
        return int(self.payload["right"])

    @property
    def fits(self) -> list[float | None]:
        """Return how well each caption fits, as the scorer wrote it; None where it gave no number."""
        return list(self.payload["fits"])

    @property
    def scale(self) -> float | None:
        """The factor that makes fits logarithms, which an image-text model is trained with; None without one."""
        scale = self.payload.get("scale")
        return scale if isinstance(scale, int | float) else None

    @property
    def evaluations(self) -> tuple[int, int] | None:
        """Return how many evaluations of a model were made, and how many there would have been; None if that is not known."""
        done, full = self.payload.get("evaluations"), self.payload.get("full")
        return (done, full) if isinstance(done, int) and isinstance(full, int) and done > 0 and full > 0 else None


def caption_choices(store: Store, selection: Selection) -> list[CaptionChoice]:
    """The selected images that scorers chose captions for, by suite, rater and image. Places and raters of the selection count.

    Evidence that was brought from elsewhere may hold anything: what cannot be read as captions with a number or none each, one
    of them right, is left out.
    """
    only = Selection(suite=selection.suite, task=selection.task, generator=selection.generator, rater=selection.rater)
    condition, parameters = judgements_condition(only)
    query = _CAPTION_CHOICES.format(condition=condition)
    choices = store.query_records(CaptionChoice, query, parameters, "payload", "settings")
    return [choice for choice in choices if _is_sound(choice.payload)]


def _is_sound(payload: Mapping[str, Any]) -> bool:
    captions, fits, right = payload["captions"], payload["fits"], payload.get("right")
    numbers = all(fit is None or (isinstance(fit, int | float) and not isinstance(fit, bool)) for fit in fits)
    texts = all(isinstance(caption, str) for caption in captions)
    in_range = isinstance(right, int) and not isinstance(right, bool) and 0 <= right < len(fits)
    return numbers and texts and in_range and len(captions) == len(fits) >= 2
