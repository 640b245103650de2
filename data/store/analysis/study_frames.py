"""Frames for analyses of their own: flip tests, preferences between two images, and questions answered by VQA models and
people.

A question keeps its name through all versions. Answers to it can be compared where its text, choices and answer are the same:
``wording`` is one number for these three, equal where they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from data.aspects import CANNOT_TELL
from data.records import Prompt
from data.selection import Selection
from data.store import library
from data.store.core import rows
from data.store.core.conditions import items_condition, judgements_condition
from data.store.core.frame import JUDGED
from data.store.core.store import Store

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class FlipImage:
    """An image."""

    item_id: str
    prompt_id: str
    generator: str


@dataclass(frozen=True, slots=True)
class FlipAnswer:
    """One person's judgement ``correct`` of an image, and the whole answer that it follows from.

    Attributes:
        excluded: why it does not count, as ``data.store.core.frame`` has it; None if it does.
        questionnaire: None where there is no whole answer.
    """

    item_id: str
    simulated: bool
    excluded: str | None
    questionnaire: str | None
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FlipScore:
    """A scorer's number of an image; ``flip`` says by which flipped prompt, None: by the true one."""

    item_id: str
    rater_id: str
    flip: str | None
    value: float | None


def suites(store: Store, selection: Selection) -> list[str]:
    """Those of which images are selected, sorted."""
    condition, parameters = items_condition(selection)
    query = f"select distinct t.suite from items t where t.kind = 'image' and {condition} order by 1"
    return store.query_column(query, parameters)


def images(store: Store, selection: Selection) -> tuple[list[FlipImage], dict[str, Prompt]]:
    """The selected images, by id, and their prompts by id."""
    condition, parameters = items_condition(selection)
    selected = f"from items t where t.kind = 'image' and {condition}"
    prompts = library.prompts_where(store, f"prompt_id in (select t.prompt_id {selected})", parameters)
    query = f"select t.item_id, t.prompt_id, coalesce(t.generator, '') as generator {selected} order by t.item_id"
    images = store.query_records(FlipImage, query, parameters)
    by_id = {prompt.prompt_id: prompt for prompt in prompts}
    return [image for image in images if image.prompt_id in by_id], by_id


def answers(store: Store, selection: Selection) -> list[FlipAnswer]:
    """People's answers to the selected images, in the order in which they were given."""
    condition, parameters = judgements_condition(replace(selection, aspect=("correct",)))
    judged = JUDGED.format(where=f"r.kind = 'human' and j.aspect = 'correct' and {condition}", more=", j.source_id")
    records = store.query(
        "select f.item as item_id, f.simulated, f.excluded, n.questionnaire, n.answers"
        f" from ({judged}) f left join annotations n on n.annotation_id = f.source_id order by f.seq, f.item, f.rater",
        parameters,
    )
    return [FlipAnswer(**rows.decoded(row, "answers") | {"answers": rows.from_json(row["answers"]) or {}}) for row in records]


def scores(store: Store, selection: Selection) -> list[FlipScore]:
    """Scorers' numbers of the selected images, by the true prompts and by flipped ones, those that count."""
    condition, parameters = judgements_condition(replace(selection, aspect=(), rater=()))
    judged = JUDGED.format(where=f"r.kind = 'scorer' and j.aspect in ('score', 'flipped') and {condition}", more="")
    return store.query_records(
        FlipScore,
        "select item as item_id, rater as rater_id, case when aspect = 'flipped' then target end as flip, number as value"
        f" from ({judged}) where excluded is null order by seq",
        parameters,
    )


ASPECT = "preference"
SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class PreferenceVote:
    """One judgement `preference` of a pair.

    Attributes:
        first, second: whose images the pair has, in its order.
        kind: ``human`` or ``scorer``.
        label: a generator, ``both`` or ``none``; None: cannot tell.
        side: where the chosen image stood on the screen; None where none was chosen, or nobody knows.
        excluded: why it does not count, as ``data.store.core.frame`` has it; None if it does.
    """

    suite: str
    item_id: str
    prompt_id: str | None
    task: str
    first: str
    second: str
    rater_id: str
    kind: str
    simulated: bool
    label: str | None
    side: Literal["left", "right"] | None
    excluded: str | None


@dataclass(frozen=True, slots=True)
class ImageValue:
    """A scorer's value of one image of a pair; ``position`` within the pair, from 0; ``aspect``: ``correct`` or ``score``."""

    item_id: str
    position: int
    rater_id: str
    aspect: str
    value: float


@dataclass(frozen=True, slots=True)
class GeneratorValue:
    """A scorer's values of a generator's images of one prompt (None: of none), added up, and how many.

    Attributes:
        settings: of a scorer that is a diffusion model itself (SelfEval), its own; ``model`` is whom it is about.
    """

    suite: str
    task: str
    generator: str
    prompt_id: str | None
    rater_id: str
    aspect: str
    total: float
    n: int
    settings: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PairImage:
    """An image of a pair; without a file ``sha256`` is None."""

    image_id: str
    generator: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class ImagePair:
    """A pair: its prompt's text (None: not known), and its images in its order (none: only the votes are known)."""

    item_id: str
    text: str | None
    pictures: tuple[PairImage, ...]


def preference_votes(store: Store, selection: Selection, aspect: str = ASPECT) -> list[PreferenceVote]:
    """All judgements `preference` (or of the ``aspect``) of pairs in the selection, as they were made; of ``generator`` both
    must be in it."""
    condition, parameters = judgements_condition(replace(selection, generator=(), aspect=(), target=(), certainty=()))
    where = f"t.kind = 'pair' and r.kind in ('human', 'scorer') and j.aspect = ? and {condition}"
    records = store.query(_VOTES.format(judged=JUDGED.format(where=where, more=_MORE)), [aspect, *parameters])
    wanted = set(selection.generator)
    made = [_vote(row) for row in records if row["generators"] is not None and len(row["generators"]) == 2]
    return [vote for vote in made if not wanted or {vote.first, vote.second} <= wanted]


def image_values(store: Store, selection: Selection, item_ids: Sequence[str]) -> list[ImageValue]:
    """What scorers say of the images of these pairs."""
    where, parameters = _scorers(selection)
    judged = JUDGED.format(where=f"{where} and j.item_id in ({_MEMBERS})", more="")
    return store.query_records(ImageValue, _OF_IMAGES.format(judged=judged), [*parameters, list(item_ids), list(item_ids)])


def generator_values(store: Store, selection: Selection, suites: Sequence[str]) -> list[GeneratorValue]:
    """What scorers say of each generator's images of these suites, by prompt."""
    return _values(store, replace(selection, suite=tuple(suites)), "t.generator is not null")


def model_values(store: Store, selection: Selection, suites: Sequence[str]) -> list[GeneratorValue]:
    """How many of these suites' images, by prompt, raters that are diffusion models themselves told rightly by their captions
    (their setting ``model``)."""
    model = "j.aspect = 'correct' and r.settings ->> '$.model' is not null"
    return _values(store, replace(selection, suite=tuple(suites), generator=()), model)


def _values(store: Store, selection: Selection, which: str) -> list[GeneratorValue]:
    where, parameters = _scorers(selection)
    judged = JUDGED.format(where=f"{where} and t.kind = 'image' and {which}", more="")
    return store.query_records(GeneratorValue, _OF_GENERATORS.format(judged=judged), parameters, "settings")


def pairs(store: Store, item_ids: Sequence[str]) -> list[ImagePair]:
    """These pairs as they are shown, in this order."""
    known = {
        row["item_id"]: ImagePair(row["item_id"], row["text"], tuple(PairImage(**picture) for picture in row["pictures"] or ()))
        for row in store.query(_PAIRS, [list(item_ids)])
    }
    return [known[item_id] for item_id in item_ids if item_id in known]


def _vote(row: dict[str, Any]) -> PreferenceVote:
    first, second = (str(name) for name in row.pop("generators"))
    side = row.pop("side")
    chosen = row["label"] in (first, second)
    excluded = row["excluded"] or (CANNOT_TELL if row["label"] is None else None)
    known = side if side in SIDES and chosen else None
    return PreferenceVote(**row | {"first": first, "second": second, "side": known, "excluded": excluded})


def _scorers(selection: Selection) -> tuple[str, list[Any]]:
    """Scorers' judgements that may count, about images as a whole."""
    about = replace(selection, aspect=(), target=(), campaign=(), certainty=(), since=(), until=())
    condition, parameters = judgements_condition(about)
    return (
        f"r.kind = 'scorer' and j.aspect in ('correct', 'score') and nullif(j.target, '') is null and {condition}",
        parameters,
    )


# of an imported vote without images its source says between whom it was, and so of a judge's vote on the same pair
_MORE = (
    ", json_extract_string(a.answers, '$.preference') as side,"
    " try_cast(json_extract(a.raw, '$.generators') as varchar[]) as named"
)
_VOTES = """
with generators as (
    select m.item_id, list(i.generator order by m.position) as made
    from item_members m join images i using (image_id) join items t using (item_id) where t.kind = 'pair' group by all
)
select s.suite, s.item as item_id, s.prompt as prompt_id, coalesce(s.task, '') as task,
       coalesce(g.made, s.named,
           case when s.kind = 'scorer' then any_value(s.named) over (partition by s.suite, s.item) end) as generators,
       s.rater as rater_id, s.kind, s.simulated, s.label, s.side, s.excluded
from ({judged}) s left join generators g on g.item_id = s.item
order by s.seq, s.item
"""
_MEMBERS = "select m.image_id from item_members m where m.item_id in (select unnest(?))"
_OF_IMAGES = """
select m.item_id, m.position, s.rater as rater_id, s.aspect, s.number as value
from ({judged}) s join item_members m on m.image_id = s.item
where m.item_id in (select unnest(?)) and m.item_id <> m.image_id and s.excluded is null and isfinite(s.number)
order by m.item_id, s.rater, s.aspect, m.position
"""
_OF_GENERATORS = """
select s.suite, coalesce(s.task, '') as task, coalesce(s.generator, '') as generator, s.prompt as prompt_id,
       s.rater as rater_id, s.aspect, sum(s.number) as total, count(*) as n,
       any_value(case when r.settings ->> '$.model' is not null then r.settings end) as settings
from ({judged}) s join raters r on r.rater_id = s.rater
where s.excluded is null and isfinite(s.number)
group by all order by all
"""
_PAIRS = """
select t.item_id, p.text, list({image_id: i.image_id, generator: i.generator, sha256: i.sha256} order by m.position)
    filter (i.image_id is not null) as pictures
from items t left join prompts p using (prompt_id) left join item_members m using (item_id) left join images i using (image_id)
where t.item_id in (select unnest(?)) group by all
"""


_WORDING: Final = "hash({text}, try_cast({choices} as varchar[]), {answer})"
_OF_EVIDENCE: Final = _WORDING.format(text="a ->> '$.text'", choices="a -> '$.choices'", answer="a ->> '$.answer'")
_OF_VERSION: Final = _WORDING.format(text="q.text", choices="q.choices", answer="q.answer")

# of several runs by one rater the first that saw something counts, as in every statistic
_SCORER_ANSWERS: Final = f"""
with first as (
    select e.rater_id, e.item_id, e.payload, t.prompt_id, t.generator, t.task, u.scorer
    from evidence e join items t on t.item_id = e.item_id join raters r on r.rater_id = e.rater_id
    left join runs u on u.run_id = e.run_id
    where e.failed is null and t.kind = 'image' and json_type(e.payload, '$.answers') = 'ARRAY' and {{condition}}
    qualify row_number() over (partition by e.rater_id, e.item_id order by e.seq) = 1
), answered as (
    select * exclude payload, unnest(json_extract(payload, '$.answers[*]')) as a,
        unnest(range(json_array_length(payload, '$.answers')::bigint)) as place
    from first
)
select rater_id as rater, item_id as item, prompt_id as prompt, coalesce(generator, '') as generator,
    coalesce(answered.task, '') as source, a ->> '$.question_id' as question, {_OF_EVIDENCE} as wording,
    coalesce(a ->> '$.element_type', '') as element_type, coalesce(a ->> '$.element', '') as element,
    a ->> '$.answer' as answer, a ->> '$.chosen' as chosen, coalesce(a ->> '$.text', '') as text,
    length(p.text) as prompt_length, length(a ->> '$.text') as question_length,
    -- of the others it is a free answer
    case when scorer = 'judge' then length(a ->> '$.free') end as reason_length
from answered left join prompts p using (prompt_id)
where prompt is not null and question is not null and answer is not null and chosen is not null
qualify row_number() over (partition by rater, item, question order by place) = 1
order by rater, item, place
"""

_PERSON_ANSWERS: Final = f"""
select f.item, f.prompt, f.target as question, f.rater as person, f.simulated, f.label, f.excluded, f.seq,
    case when q.question_id is not null then {_OF_VERSION} end as wording, coalesce(f.generator, '') as generator,
    coalesce(f.task, '') as source, coalesce(q.element_type, '') as element_type, coalesce(q.element, '') as element, q.answer
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
    answer`` (the question's own), ``chosen, text``; all texts but ``wording``; ``prompt_length, question_length,
    reason_length`` in characters (NaN: there is none). Answers without a name, a choice or an answer to
    compare with are left out. Of the selection, places and raters count.
    """
    about = Selection(suite=selection.suite, task=selection.task, generator=selection.generator, rater=selection.rater)
    condition, parameters = judgements_condition(about)
    return store.query_frame(_SCORER_ANSWERS.format(condition=condition), parameters)


def person_answers(store: Store, selection: Selection) -> pd.DataFrame:
    """What people answered to questions about the selected images, in versions of all wordings.

    Columns: ``item, prompt, question, person, simulated, label`` (None: they cannot tell), ``excluded`` (why it does not
    count, as ``data.store.core.frame`` has it), ``seq, wording`` (None where nobody knows what they saw), ``generator,
    source`` (the prompt's task), and of the question as they saw it ``element_type, element, answer`` (None: unknown).
    """
    condition, parameters = judgements_condition(replace(selection, aspect=("answer",), target=(), certainty=()))
    judged = JUDGED.format(where=f"r.kind = 'human' and j.aspect = 'answer' and {condition}", more=", j.source_id")
    frame = store.query_frame(_PERSON_ANSWERS.format(said=judged), parameters)
    # codes of 64 bits are no floats
    frame["wording"] = frame["wording"].astype("UInt64")
    return frame.astype(dict.fromkeys(("label", "excluded", "answer"), object)).replace({float("nan"): None})


def answers_about(store: Store, item_id: str) -> list[PersonAnswer]:
    """What people answered to questions about one image, in the order in which they did."""
    judged = JUDGED.format(where="r.kind = 'human' and j.aspect = 'answer' and j.item_id = ?", more=", j.source_id")
    records = store.query(_PERSON_ANSWERS.format(said=judged), [item_id])
    names = ("question", "person", "simulated", "label", "excluded", "wording")
    return [PersonAnswer(**{name: row[name] for name in names}) for row in sorted(records, key=lambda row: row["seq"])]


def wordings(store: Store, item_id: str, rater_id: str) -> dict[str, int]:
    """The wording of each question that a scorer answered about an image."""
    answers = _SCORER_ANSWERS.format(condition="e.item_id = ? and e.rater_id = ?")
    return store.query_dict(f"select question, wording from ({answers})", [item_id, rater_id])


def raters(store: Store) -> dict[str, list[str]]:
    """By suite the scorers that answered questions about its images, sorted."""
    return store.query_dict(
        "select t.suite, list(distinct e.rater_id order by e.rater_id) from evidence e join items t using (item_id)"
        " where e.failed is null and t.kind = 'image' and json_array_length(e.payload, '$.answers') > 0 group by 1 order by 1"
    )


def stamp(store: Store) -> str:
    """Another text as soon as there is other evidence."""
    return str(store.query_value("select count(*) || '.' || coalesce(max(seq), 0) from evidence"))
