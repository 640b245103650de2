"""People's whole answers as exports have them: with their revisions, and with what they were about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from data.store.export import batches
from data.store.selection import Selection
from data.store.store import Store

_QUERY = """
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


def whole(store: Store, selection: Selection, ids: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
    """The selected answers in the order in which they were first given, some at a time; all revisions of each.

    The selection's ``certainty`` is not followed: ``ids`` are the latest answers that are left of it.
    """
    condition, parameters = selection.judgements()
    if ids is not None:
        condition, parameters = f"{condition} and a.annotation_id in (select unnest(?::varchar[]))", [*parameters, list(ids)]
    yield from batches(store, _QUERY.format(where=condition), parameters)
