"""Exports: judgements with where they come from, whole answers with their revisions, images with their prompts, and scorers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from data.records import ScorerDescription
from data.selection import Selection
from data.store.core import rows
from data.store.core.conditions import items_condition, judgements_condition
from data.store.core.frame import FRAME
from data.store.core.store import Store

if TYPE_CHECKING:
    import pandas as pd


_SOURCES = ", j.source_id, j.rule_version, a.submitted::timestamp as submitted, a.campaign_id as campaign"


BATCH = 50_000
"""So many rows are in memory at a time."""


def judgements(store: Store, selection: Selection) -> pd.DataFrame:
    """Every judgement of the selection, those that do not count too.

    Columns: those of ``frame.frame``, then ``source_id`` (the annotation's or the evidence's), ``rule_version``,
    ``submitted`` (UTC, null for scorers) and ``campaign``.
    """
    condition, parameters = judgements_condition(selection)
    return _in_utc(store.query_frame(FRAME.format(where=condition, more=_SOURCES), parameters))


def judgement_batches(store: Store, selection: Selection) -> Iterator[pd.DataFrame]:
    """The same rows in the same order, some at a time; the selection's ``certainty`` is not followed."""
    condition, parameters = judgements_condition(selection)
    yield from batches(store, FRAME.format(where=condition, more=_SOURCES), parameters)


def batches(store: Store, query: str, parameters: Sequence[Any]) -> Iterator[pd.DataFrame]:
    """The rows of a query, some at a time, from one state of the project."""
    with store.read() as cursor:
        # a relation streams, an executed query is all there at once
        for batch in cursor.sql(query, params=list(parameters)).to_arrow_reader(BATCH):
            yield _in_utc(batch.to_pandas())


def _in_utc(frame: pd.DataFrame) -> pd.DataFrame:
    """Moments with their zone: the database's clock is set to UTC."""
    moments = [name for name in ("started", "submitted") if name in frame]
    return frame.assign(**{name: frame[name].dt.tz_localize("UTC") for name in moments})


def describe_scorers(store: Store, names: Sequence[str]) -> list[ScorerDescription]:
    """The scorers among these raters, by name, with the profiles that their runs were asked for."""
    described = store.query(
        "select r.rater_id, r.version, r.settings, coalesce(list_sort(list(distinct n.profile)"
        " filter (n.profile is not null)), []) as profiles"
        " from raters r left join runs n on n.rater_id = r.rater_id and n.kind = 'score'"
        " where r.kind = 'scorer' and r.rater_id in (select unnest(?::varchar[]))"
        " group by all order by r.rater_id",
        [list(names)],
    )
    return [ScorerDescription(**rows.decoded(row, "settings") | {"profiles": tuple(row["profiles"])}) for row in described]


_IMAGES = """
select i.image_id as image_id, i.prompt_id as prompt, t.suite, t.task, i.generator, i.idx as "index", p.text as prompt_text,
       p.spec as prompt_spec, i.sha256, i.width, i.height, i.path
from items t
join images i on i.image_id = t.item_id
left join prompts p on p.prompt_id = i.prompt_id
where t.kind = 'image' and {where}
order by i.prompt_id, i.generator, i.idx
"""


def image_batches(store: Store, selection: Selection) -> Iterator[pd.DataFrame]:
    """The selected images, some at a time; ``path`` is where the file is, below the project's folder or absolute."""
    condition, parameters = items_condition(selection)
    yield from batches(store, _IMAGES.format(where=condition), parameters)


_ANSWERS = """
with chosen as (
    -- by the latest revision, which says what counts; what it says may be about one image of several
    select distinct a.root_id
    from annotations a
    left join judgements j on j.source_id = a.annotation_id
    join items t on t.item_id = coalesce(j.item_id, a.item_id)
    join raters r on r.rater_id = a.rater_id
    where a.annotation_id not in (select revises from annotations where revises is not null) and {where}
),
rules as (
    select j.source_id, any_value(j.rule_version) as rule_version,
           to_json(map_from_entries(list_sort(list(distinct (j.aspect, s.scale))))) as scales
    from judgements j join items t using (item_id) join scales s on s.suite = t.suite and s.aspect = j.aspect
    where j.source_id in (select annotation_id from annotations)
    group by j.source_id
),
shown as (
    select m.item_id, to_json(list({{
        image: i.image_id, prompt: i.prompt_id, generator: i.generator, "index": i.idx, sha256: i.sha256
    }} order by m.position)) as images
    from item_members m join images i using (image_id) group by m.item_id
),
asked as (
    select prompt_id, version, to_json(list({{
        question_id: question_id, text: text, choices: choices, answer: answer, element_type: element_type,
        element: element, parents: parents
    }} order by position)) as questions
    from questions group by prompt_id, version
),
made as (
    select campaign_id, questionnaire_version, to_json({{
        title: title, overlap: overlap, questionnaire: questionnaire, version: questionnaire_version,
        definition: definition, seed: seed, stratum: stratum
    }}) as campaign from campaigns where campaign_id <> 'default'
)
select a.annotation_id, t.suite, t.prompt_id as prompt, t.task, t.generator, a.item_id as item, t.kind as item_kind,
       a.rater_id as rater, r.identity, r.simulated, a.campaign_id as campaign, a.questionnaire, c.questionnaire_version,
       u.rule_version, a.answers, a.raw as shown, a.started::timestamp as started, a.submitted::timestamp as submitted,
       a.active_seconds, a.saw_evidence, a.status, a.passed, a.selected, a.status_before, a.revises,
       nullif(a.root_id, a.annotation_id) as first, a.seq, u.scales, p.text as prompt_text, p.spec as prompt_spec,
       q.questions, s.images, c.campaign as campaign_made
from annotations a
join chosen using (root_id)
join items t on t.item_id = a.item_id
join raters r on r.rater_id = a.rater_id
left join rules u on u.source_id = a.annotation_id
left join prompts p on p.prompt_id = t.prompt_id
left join shown s on s.item_id = a.item_id
left join asked q on q.prompt_id = t.prompt_id and q.version = try_cast(a.raw ->> 'questions' as integer)
left join made c on c.campaign_id = a.campaign_id
-- a revision follows what it revises
order by a.seq, a.submitted, a.annotation_id
"""


def answer_batches(store: Store, selection: Selection, ids: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
    """The selected answers in the order in which they were first given, some at a time; all revisions of each.

    The selection's ``certainty`` is not followed: ``ids`` are the latest answers that are left of it.
    """
    condition, parameters = judgements_condition(selection)
    if ids is not None:
        condition, parameters = f"{condition} and a.annotation_id in (select unnest(?::varchar[]))", [*parameters, list(ids)]
    yield from batches(store, _ANSWERS.format(where=condition), parameters)
