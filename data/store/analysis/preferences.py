"""What people chose of pairs of images, what scorers say of the images, and the pairs themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from data.aspects import CANNOT_TELL
from data.store.core import rows
from data.store.core.frame import JUDGED
from data.store.core.selection import Selection
from data.store.core.store import Store

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
    """A scorer's values of a generator's images of one prompt (None: of none), added up, and how many."""

    suite: str
    task: str
    generator: str
    prompt_id: str | None
    rater_id: str
    aspect: str
    total: float
    n: int


@dataclass(frozen=True, slots=True)
class ModelValue:
    """How many of a prompt's images a diffusion model told rightly by their captions, as ``rater_id`` (SelfEval).

    Attributes:
        images: whose images these are, by generator.
        settings: the rater's; ``model`` is whom it is about.
    """

    suite: str
    task: str
    images: str
    prompt_id: str | None
    rater_id: str
    settings: Mapping[str, Any]
    total: float
    n: int


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


def preference_votes(store: Store, selection: Selection) -> list[PreferenceVote]:
    """All judgements `preference` of pairs in the selection, as they were made; of ``generator`` both must be in it."""
    condition, parameters = replace(selection, generator=(), aspect=(), target=(), certainty=()).judgements()
    where = f"t.kind = 'pair' and r.kind in ('human', 'scorer') and j.aspect = ? and {condition}"
    with store.read() as cursor:
        found = rows.dicts(cursor, _VOTES.format(judged=JUDGED.format(where=where, more=_MORE)), [ASPECT, *parameters])
    wanted = set(selection.generator)
    made = [_vote(row) for row in found if row["generators"] is not None and len(row["generators"]) == 2]
    return [one for one in made if not wanted or {one.first, one.second} <= wanted]


def image_values(store: Store, selection: Selection, item_ids: Sequence[str]) -> list[ImageValue]:
    """What scorers say of the images of these pairs."""
    where, parameters = _scorers(selection)
    judged = JUDGED.format(where=f"{where} and j.item_id in ({_MEMBERS})", more="")
    with store.read() as cursor:
        found = rows.dicts(cursor, _OF_IMAGES.format(judged=judged), [*parameters, list(item_ids), list(item_ids)])
    return [ImageValue(**row) for row in found]


def generator_values(store: Store, selection: Selection, suites: Sequence[str]) -> list[GeneratorValue]:
    """What scorers say of each generator's images of these suites, by prompt."""
    where, parameters = _scorers(replace(selection, suite=tuple(suites)))
    judged = JUDGED.format(where=f"{where} and t.kind = 'image' and t.generator is not null", more="")
    with store.read() as cursor:
        found = rows.dicts(cursor, _OF_GENERATORS.format(judged=judged), parameters)
    return [GeneratorValue(**row) for row in found]


def model_values(store: Store, selection: Selection, suites: Sequence[str]) -> list[ModelValue]:
    """What raters that are diffusion models themselves (their setting ``model``) made of these suites' images, by prompt."""
    where, parameters = _scorers(replace(selection, suite=tuple(suites), generator=()))
    judged = JUDGED.format(where=f"{where} and j.aspect = 'correct' and t.kind = 'image'", more="")
    with store.read() as cursor:
        found = rows.dicts(cursor, _OF_MODELS.format(judged=judged), parameters)
    return [ModelValue(**rows.decoded(row, "settings")) for row in found]


def pairs(store: Store, item_ids: Sequence[str]) -> list[ImagePair]:
    """These pairs as they are shown, in this order."""
    with store.read() as cursor:
        found = rows.dicts(cursor, _PAIRS, [list(item_ids)])
    shown: dict[str, list[PairImage]] = {}
    texts: dict[str, str | None] = {}
    for row in found:
        texts[row["item_id"]] = row["text"]
        pictures = shown.setdefault(row["item_id"], [])
        if row["image_id"] is not None:
            pictures.append(PairImage(row["image_id"], row["generator"], row["sha256"]))
    return [ImagePair(item_id, texts[item_id], tuple(shown[item_id])) for item_id in item_ids if item_id in texts]


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
    condition, parameters = about.judgements()
    return (
        f"r.kind = 'scorer' and j.aspect in ('correct', 'score') and nullif(j.target, '') is null and {condition}",
        parameters,
    )


# of an imported vote without images its source says between whom it was
_MORE = (
    ", json_extract_string(a.answers, '$.preference') as side,"
    " try_cast(json_extract(a.raw, '$.generators') as varchar[]) as named"
)
_VOTES = """
with generators as (
    select m.item_id, list(i.generator order by m.position) as made
    from item_members m join images i using (image_id) join items t using (item_id) where t.kind = 'pair' group by all
)
select s.suite, s.item as item_id, s.prompt as prompt_id, coalesce(s.task, '') as task, coalesce(g.made, s.named) as generators,
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
select suite, coalesce(task, '') as task, generator, prompt as prompt_id, rater as rater_id, aspect,
       sum(number) as total, count(*) as n
from ({judged}) s where excluded is null and isfinite(number)
group by all order by all
"""
_OF_MODELS = """
select s.suite, coalesce(s.task, '') as task, coalesce(s.generator, '') as images, s.prompt as prompt_id, s.rater as rater_id,
       any_value(r.settings) as settings, sum(s.number) as total, count(*) as n
from ({judged}) s join raters r on r.rater_id = s.rater
where s.excluded is null and isfinite(s.number) and r.settings ->> '$.model' is not null
group by all order by all
"""
_PAIRS = """
select t.item_id, p.text, i.image_id, i.generator, i.sha256
from items t left join prompts p using (prompt_id) left join item_members m using (item_id) left join images i using (image_id)
where t.item_id in (select unnest(?)) order by t.item_id, m.position
"""
