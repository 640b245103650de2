"""Contents of a project: totals, one item whole with its history, previews, and who has judged what is selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from data.browsing import GeneratorPictures, ItemPreview, JudgedSuite, RaterCount, Totals
from data.selection import PEOPLE, SIMULATED, Selection
from data.spec import HasSpec
from data.store.core import rows
from data.store.core.conditions import judgements_condition
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class ScorePosition:
    """A number among a rater's numbers of one aspect and suite.

    Attributes:
        below: how many of the ``n`` are smaller.
    """

    low: float
    high: float
    n: int
    below: int


def score_position(store: Store, suite: str, rater: str, aspect: str, value: float) -> ScorePosition | None:
    """Where ``value`` stands among this rater's values in a suite; None if there are none."""
    record = store.query_first(
        "select min(j.value) as low, max(j.value) as high, count(j.value) as n, count(*) filter (j.value < ?) as below"
        " from judgements j join items t using (item_id) where t.suite = ? and j.rater_id = ? and j.aspect = ?",
        [value, suite, rater, aspect],
    )
    return ScorePosition(**record) if record and record["n"] else None


@dataclass(frozen=True, slots=True)
class StoredAnnotation:
    """An answer to an item.

    Attributes:
        status: such as ``valid``.
        active_seconds: time from the visible image on, without pauses; None where it is not known.
        revises: the answer that this one replaces; None if it is the first.
        import_id: the import that brought it; None if it was given here.
        identity, simulated: the kind of person.
        superseded: whether a later answer replaces it.
    """

    annotation_id: str
    rater_id: str
    answers: Mapping[str, Any]
    status: str
    revises: str | None
    saw_evidence: bool
    submitted: datetime
    active_seconds: float | None
    import_id: int | None
    identity: str | None
    simulated: bool
    superseded: bool


@dataclass(frozen=True, slots=True)
class StoredJudgement:
    """A judgement about an item; ``kind``, ``identity`` and ``simulated`` are the rater's."""

    rater_id: str
    kind: str
    identity: str | None
    simulated: bool
    aspect: str
    target: str | None
    label: str | None
    value: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item with its prompt, its picture, all answers and all judgements.

    Attributes:
        text, spec: the prompt's; None without a prompt.
        sha256, width, height: the picture's; None without a picture.
        blanked: why the picture is blank; None if it is not.
        generated: how its generator was asked; None if that is not known.
    """

    item_id: str
    kind: str
    suite: str
    prompt_id: str | None
    task: str | None
    generator: str | None
    public_id: str
    import_id: int
    text: str | None
    spec: Mapping[str, Any] | None
    sha256: str | None
    width: int | None
    height: int | None
    blanked: str | None
    generated: Mapping[str, Any] | None
    annotations: tuple[StoredAnnotation, ...]
    judgements: tuple[StoredJudgement, ...]


def item(store: Store, item_id: str) -> StoredItem | None:
    """Return an item by its id; None if there is none."""
    with store.read() as cursor:
        record = rows.first(
            cursor,
            "select t.*, p.text, p.spec, i.sha256, i.width, i.height, i.blanked, g.settings as generated from items t"
            " left join prompts p using (prompt_id) left join images i on i.image_id = t.item_id"
            " left join generations g on g.generator = t.generator where t.item_id = ?",
            [item_id],
        )
        if record is None:
            return None
        annotations = rows.records(
            cursor,
            StoredAnnotation,
            "select a.annotation_id, a.rater_id, a.answers, a.status, a.revises, a.saw_evidence, a.submitted, a.active_seconds,"
            " a.import_id,"
            " r.identity, r.simulated,"
            " a.annotation_id in (select revises from annotations where revises is not null) as superseded"
            " from annotations a join raters r using (rater_id) where item_id = ? order by a.seq, a.submitted",
            [item_id],
            "answers",
        )
        judgements = rows.records(
            cursor,
            StoredJudgement,
            "select j.rater_id, r.kind, r.identity, r.simulated, j.aspect, j.target, j.label, j.value, j.reason"
            " from judgements j join raters r using (rater_id) where j.item_id = ? order by r.kind, j.seq, j.aspect, j.target",
            [item_id],
        )
    decoded = rows.decoded(record, "spec", "generated")
    return StoredItem(**decoded, annotations=tuple(annotations), judgements=tuple(judgements))


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """The values that each filter can take in a project.

    Attributes:
        people: the kinds of people that there are.
        rater: all raters but a study's slots.
    """

    suite: list[str]
    task: list[str]
    generator: list[str]
    aspect: list[str]
    people: list[str]
    rater: list[str]


def filter_choices(store: Store) -> FilterChoices:
    """Return the values that each filter can take in this project."""
    with store.read() as cursor:
        suites, tasks, generators = (
            rows.column(cursor, f"select distinct {name} from items where {name} is not null order by 1")
            for name in ("suite", "task", "generator")
        )
        aspects = rows.column(cursor, "select distinct aspect from judgements order by 1")
        imitated = rows.first(cursor, "select 1 from raters where simulated limit 1")
        known = "select rater_id from raters where identity is distinct from 'slot' order by kind desc, rater_id"
        raters = rows.column(cursor, known)
    return FilterChoices(suites, tasks, generators, aspects, [PEOPLE, SIMULATED] if imitated else [PEOPLE], raters)


def rater_names(store: Store) -> list[str]:
    """All raters, a study's slots among them."""
    return store.query_column("select rater_id from raters order by rater_id")


def scorer_names(store: Store) -> list[str]:
    """Return the scorers."""
    return store.query_column("select rater_id from raters where kind = 'scorer' order by rater_id")


def aspects_by_rater(store: Store) -> dict[str, frozenset[str]]:
    """Return by rater the aspects that it has judged; people together, real ones and simulated ones, stand in, too."""
    who = "case when kind <> 'human' then rater_id when simulated then ? else ? end"
    records = store.query(
        "with judged as (select distinct rater_id, aspect from judgements)"
        f" select rater_id as who, aspect from judged union select {who}, aspect from judged join raters using (rater_id)",
        [SIMULATED, PEOPLE],
    )
    found: dict[str, set[str]] = {}
    for row in records:
        found.setdefault(row["who"], set()).add(row["aspect"])
    return {name: frozenset(aspects) for name, aspects in found.items()}


def totals(store: Store) -> Totals:
    """Return how much of everything the project holds."""
    counted = {
        "prompts": "select count(*) from prompts",
        "images": "select count(*) from images where sha256 is not null",
        "places": "select count(*) from items where kind = 'image'",
        "items": "select count(*) from items",
        "annotations": "select count(*) from annotations join raters using (rater_id) where revises is null and not simulated",
        "simulated": "select count(*) from annotations join raters using (rater_id) where revises is null and simulated",
        "people": "select count(*) from raters where identity = 'person' and not simulated",
        "scorers": "select count(*) from raters r where kind = 'scorer'"
        " and exists (from judgements where rater_id = r.rater_id)",
    }
    with store.read() as cursor:
        return Totals(**{name: int(rows.value(cursor, sql)) for name, sql in counted.items()})


def generator_pictures(store: Store) -> list[GeneratorPictures]:
    """Whose pictures the project has, by suite and generator."""
    return store.query_records(
        GeneratorPictures,
        "select t.suite, t.generator, count(*) as pictures, coalesce(sum(s.n), 0)::integer as answers"
        " from items t join images i on i.image_id = t.item_id and i.sha256 is not null left join ("
        "select item_id, count(*) as n from annotations join raters using (rater_id)"
        " where not simulated and revises is null group by item_id) s on s.item_id = t.item_id"
        " group by t.suite, t.generator order by t.suite, t.generator",
    )


def pictures(store: Store, sha256: str) -> list[Path]:
    """Where files with this content lie (or lay); several generators may have made the same, e.g. a black square.

    The project's own files are stored by their path below it, so that it can be moved.
    """
    paths = store.query_column("select distinct path from images where sha256 = ? order by path", [sha256])
    return [store.project / path for path in paths]


def image_hashes(store: Store) -> list[str]:
    """The contents of all images with files, each once, in order of their images' ids."""
    return store.query_column("select sha256 from images where sha256 is not null group by sha256 order by min(image_id)")


def offered_hashes(store: Store) -> list[str]:
    """The contents of the images of running campaigns, each once; the default one, of all images, does not count."""
    return store.query_column(
        "select distinct i.sha256 from campaigns c join campaign_items using (campaign_id)"
        " join item_members using (item_id) join images i using (image_id)"
        " where c.state = 'running' and c.campaign_id <> 'default' and i.sha256 is not null order by 1"
    )


def image_files_state(store: Store) -> tuple[int, int]:
    """Moves when images get files: how many have one, and the last import that brought any."""
    with store.read() as cursor:
        row = cursor.execute("select count(sha256), coalesce(max(file_import_id), 0) from images").fetchone()
    return row or (0, 0)


def pictured(store: Store, suite: str, generator: str) -> set[str]:
    """The images of a suite by a generator that have a file."""
    query = (
        "select image_id from images join prompts using (prompt_id) where suite = ? and generator = ? and sha256 is not null"
    )
    return set(store.query_column(query, [suite, generator]))


def judged_suites(store: Store) -> dict[str, JudgedSuite]:
    """By suite: aspects that people judged, generators and tasks of the judged items."""
    with store.read() as cursor:
        records = cursor.execute(
            "select t.suite, list(distinct j.aspect order by j.aspect) filter (r.kind = 'human'),"
            " list(distinct t.generator order by t.generator) filter (t.generator is not null),"
            " list(distinct t.task order by t.task) filter (t.task is not null)"
            " from judgements j join items t using (item_id) join raters r using (rater_id) group by t.suite"
        ).fetchall()
    return {suite: JudgedSuite(*(names or [] for names in several)) for suite, *several in records}


def meetings(store: Store) -> dict[str, tuple[int, int, int]]:
    """By suite: on how many items a scorer meets real people, simulated ones; and how many are judged at all."""
    with store.read() as cursor:
        records = cursor.execute(
            "select suite, count(*) filter (scored and answered), count(*) filter (scored and imitated), count(*) from ("
            "select t.suite, j.item_id, bool_or(r.kind = 'scorer') as scored,"
            " bool_or(r.kind = 'human' and not r.simulated) as answered, bool_or(r.kind = 'human' and r.simulated) as imitated"
            " from judgements j join items t using (item_id) join raters r using (rater_id) group by t.suite, j.item_id)"
            " group by suite"
        ).fetchall()
    return {suite: (real, imitated, judged) for suite, real, imitated, judged in records}


@dataclass(frozen=True, slots=True)
class ItemEvent:
    """One thing that happened to an item.

    Attributes:
        kind: ``import``, ``picture``, ``scored``, ``failed``, ``answer``, ``revision``, ``uncovered``, ``verdict``,
            ``withdrawal`` (of a verdict), ``note``, ``tag``, ``untag``.
        who: a person, or a scorer; None of an import.
        about: what came, how it was seen, or what was decided.
    """

    moment: datetime
    kind: str
    who: str | None
    about: str | None


# a file may come later than the place, with another import
_EVENTS = """
select m.created as moment, 'import' as kind, null as who, m.kind || ' ' || m.name as about
from items t join imports m using (import_id) where t.item_id = $item
union all
select m.created, 'picture', null, m.kind || ' ' || m.name
from images i join imports m on m.import_id = i.file_import_id
where i.image_id = $item and i.file_import_id is distinct from i.import_id
union all
select r.created, case when e.failed is null then 'scored' else 'failed' end, e.rater_id, coalesce(e.failed, r.run_id)
from evidence e join runs r using (run_id) where e.item_id = $item
union all
select a.submitted, case when a.revises is null then 'answer' else 'revision' end, a.rater_id,
    a.status || case when a.saw_evidence then ', not blind' else '' end
from annotations a where a.item_id = $item
union all
select moment, 'uncovered', case when starts_with(rater_id, 'visitor ') then 'somebody without a name' else rater_id end, how
from uncovered where item_id = $item
union all
select moment, case when verdict = '' then 'withdrawal' else 'verdict' end, made_by, concat_ws(' ', aspect, target)
    || case when verdict = '' then '' else ': ' || verdict || ', wrong: ' || coalesce(rater_id, wrong) end
from adjudications where item_id = $item
union all
select moment, case when tagged then 'tag' else 'untag' end, made_by, tag from taggings where item_id = $item
union all
select moment, 'note', made_by, null from notes where item_id = $item
"""


def item_history(store: Store, item_id: str) -> list[ItemEvent]:
    """All that happened to an item, oldest first. What came with a study stands at the moment that the study says."""
    return store.query_records(ItemEvent, f"select * from ({_EVENTS}) order by moment, kind, who", {"item": item_id})


def raters_of_selection(store: Store, selection: Selection) -> list[RaterCount]:
    """Everybody who has judged, those with most judgements first; a scorer's scores are judgements of any aspect."""
    condition, parameters = judgements_condition(selection)
    return store.query_records(
        RaterCount,
        "select r.rater_id as name, r.kind = 'scorer' as scorer,"
        " r.kind = 'human' and r.identity is distinct from 'slot' as person, r.simulated, count(*) as n"
        " from judgements j join items t using (item_id) join raters r using (rater_id)"
        " left join annotations a on a.annotation_id = j.source_id"
        f" where r.kind in ('scorer', 'human') and {condition} group by all order by n desc, name",
        parameters,
    )


def item_previews(store: Store, items: Sequence[str]) -> dict[str, ItemPreview]:
    """The looks of these items by id; unknown ones are left out."""
    records = store.query(
        "select t.item_id, p.text, i.sha256 from items t left join prompts p using (prompt_id)"
        " left join images i on i.image_id = t.item_id where t.item_id in (select unnest(?::varchar[]))",
        [list(items)],
    )
    return {row["item_id"]: ItemPreview(row["text"], row["sha256"]) for row in records}


def count_judgements(store: Store) -> int:
    """How many judgements the project has."""
    return int(store.query_value("select count(*) from judgements"))


@dataclass(frozen=True, slots=True)
class ReportItem(HasSpec):
    """An item: what it was to show, and its picture if it has one (``width`` and ``height`` in pixels).

    Attributes:
        path: where the file lies (or lay), absolute; ``sha256`` of its bytes.
        blanked: why it is no picture though its generator made it.
    """

    text: str | None
    task: str | None
    generator: str | None
    idx: int | None
    spec: dict[str, Any] | None
    path: Path | None
    sha256: str | None
    width: int | None
    height: int | None
    blanked: str | None


def report_items(store: Store, item_ids: Sequence[str]) -> dict[str, ReportItem]:
    """These items by id; unknown ones are left out. Of pairs and groups there is no picture."""
    records = store.query(
        "select t.item_id, p.text, t.task, t.generator, i.idx, p.spec, i.path, i.sha256, i.width, i.height, i.blanked"
        " from items t left join prompts p using (prompt_id) left join images i on i.image_id = t.item_id"
        " where t.item_id in (select unnest(?::varchar[]))",
        [list(item_ids)],
    )
    items = {}
    for row in records:
        item_id = str(row.pop("item_id"))
        # the project's own files are stored by their path below it
        row["path"] = store.project / row["path"] if row["path"] else None
        items[item_id] = ReportItem(**rows.decoded(row, "spec"))
    return items
