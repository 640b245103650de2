"""Questions that were asked about images: what VQA models answered and what people did, and in which words they were asked.

A question keeps its name through all versions. Answers to it can be compared where its text, choices and answer are the same:
``wording`` is one number for these three, equal where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from data.store.core import rows
from data.store.core.frame import JUDGED
from data.store.core.selection import Selection
from data.store.core.store import Store

if TYPE_CHECKING:
    import pandas as pd

_WORDING: Final = "hash({text}, try_cast({choices} as varchar[]), {answer})"
_OF_EVIDENCE: Final = _WORDING.format(text="a ->> '$.text'", choices="a -> '$.choices'", answer="a ->> '$.answer'")
_OF_VERSION: Final = _WORDING.format(text="q.text", choices="q.choices", answer="q.answer")

# of several runs by one rater the first that saw something counts, as in every statistic
_SCORER_ANSWERS: Final = f"""
with first as (
    select e.rater_id, e.item_id, e.payload, t.prompt_id, t.generator, t.task
    from evidence e join items t on t.item_id = e.item_id join raters r on r.rater_id = e.rater_id
    where e.failed is null and t.kind = 'image' and json_type(e.payload, '$.answers') = 'ARRAY' and {{condition}}
    qualify row_number() over (partition by e.rater_id, e.item_id order by e.seq) = 1
), answered as (
    select * exclude payload, unnest(json_extract(payload, '$.answers[*]')) as a,
        unnest(range(json_array_length(payload, '$.answers')::bigint)) as place
    from first
)
select rater_id as rater, item_id as item, prompt_id as prompt, coalesce(generator, '') as generator,
    coalesce(task, '') as source, a ->> '$.question_id' as question, {_OF_EVIDENCE} as wording,
    coalesce(a ->> '$.element_type', '') as element_type, coalesce(a ->> '$.element', '') as element,
    a ->> '$.answer' as answer, a ->> '$.chosen' as chosen, coalesce(a ->> '$.text', '') as text
from answered
where prompt_id is not null and question is not null and answer is not null and chosen is not null
qualify row_number() over (partition by rater, item, question order by place) = 1
order by rater, item, place
"""

_PERSON_ANSWERS: Final = f"""
select f.item, f.prompt, f.target as question, f.rater as person, f.simulated, f.label, f.excluded, f.seq,
    case when q.question_id is not null then {_OF_VERSION} end as wording
from ({{said}}) f left join annotations n on n.annotation_id = f.source_id
left join questions q on q.prompt_id = f.prompt and q.question_id = f.target
    and q.version = try_cast(n.raw ->> '$.questions' as integer)
where f.target is not null and f.prompt is not null
order by f.item, f.target, f.seq, f.rater
"""


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """What a person answered to one question about an image.

    Attributes:
        label: the choice; None where ``excluded`` is ``cannot_tell``.
        excluded: why the answer does not count, as ``data.store.core.frame`` has it; None if it does.
        wording: of the question as they saw it; None where nobody knows.
    """

    question: str
    person: str
    simulated: bool
    label: str | None
    excluded: str | None
    wording: int | None


def scorer_answers(store: Store, selection: Selection) -> pd.DataFrame:
    """What scorers that answer questions answered about the selected images, a row for each question.

    Columns: ``rater, item, prompt, generator, source`` (the prompt's task), ``question, wording, element_type, element,
    answer`` (the question's own), ``chosen, text``; all texts but ``wording``. Answers without a name, a choice or an answer to
    compare with are left out. Of the selection, places and raters count.
    """
    condition, parameters = Selection(
        suite=selection.suite, task=selection.task, generator=selection.generator, rater=selection.rater
    ).judgements()
    with store.read() as cursor:
        found: pd.DataFrame = cursor.execute(_SCORER_ANSWERS.format(condition=condition), parameters).df()
    return found


def person_answers(store: Store, selection: Selection) -> pd.DataFrame:
    """What people answered to questions about the selected images, in versions of all wordings.

    Columns: ``item, prompt, question, person, simulated, label`` (None: they cannot tell), ``excluded`` (why it does not
    count, as ``data.store.core.frame`` has it), ``seq, wording`` (None where nobody knows what they saw).
    """
    condition, parameters = replace(selection, aspect=("answer",), target=(), certainty=()).judgements()
    judged = JUDGED.format(where=f"r.kind = 'human' and j.aspect = 'answer' and {condition}", more=", j.source_id")
    with store.read() as cursor:
        found: pd.DataFrame = cursor.execute(_PERSON_ANSWERS.format(said=judged), parameters).df()
    # codes of 64 bits are no floats
    found["wording"] = found["wording"].astype("UInt64")
    return found.astype(dict.fromkeys(("label", "excluded"), object)).replace({float("nan"): None})


def answers_about(store: Store, item_id: str) -> list[PersonAnswer]:
    """What people answered to questions about one image, in the order in which they did."""
    judged = JUDGED.format(where="r.kind = 'human' and j.aspect = 'answer' and j.item_id = ?", more=", j.source_id")
    with store.read() as cursor:
        found = rows.dicts(cursor, _PERSON_ANSWERS.format(said=judged), [item_id])
    names = ("question", "person", "simulated", "label", "excluded", "wording")
    return [PersonAnswer(**{name: row[name] for name in names}) for row in sorted(found, key=lambda row: row["seq"])]


def wordings(store: Store, item_id: str, rater_id: str) -> dict[str, int]:
    """The wording of each question that a scorer answered about an image."""
    with store.read() as cursor:
        found = rows.dicts(cursor, _SCORER_ANSWERS.format(condition="e.item_id = ? and e.rater_id = ?"), [item_id, rater_id])
    return {row["question"]: row["wording"] for row in found}


def raters(store: Store) -> dict[str, list[str]]:
    """By suite the scorers that answered questions about its images, sorted."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.suite, e.rater_id from evidence e join items t using (item_id) where e.failed is null"
            " and t.kind = 'image' and json_array_length(e.payload, '$.answers') > 0 group by all order by all",
        )
    named: dict[str, list[str]] = {}
    for row in found:
        named.setdefault(row["suite"], []).append(row["rater_id"])
    return named


def stamp(store: Store) -> str:
    """Another text as soon as there is other evidence."""
    with store.read() as cursor:
        found = rows.first(cursor, "select count(*) || '.' || coalesce(max(seq), 0) as stamp from evidence")
    assert found is not None
    return str(found["stamp"])
