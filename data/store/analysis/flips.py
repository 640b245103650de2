"""What a flip test is made from: images with their prompts, people's whole answers, and scores by flipped prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from data.store.core import rows
from data.store.core.frame import JUDGED
from data.store.core.selection import Selection
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class FlipPrompt:
    """A prompt."""

    text: str
    spec: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FlipImage:
    """An image."""

    item_id: str
    prompt_id: str
    generator: str


@dataclass(frozen=True, slots=True)
class FlipSuite:
    """A suite's images, by id, and their prompts by id."""

    places: list[FlipImage]
    prompts: Mapping[str, FlipPrompt]


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
    condition, parameters = selection.items()
    with store.read() as cursor:
        found = rows.dicts(
            cursor, f"select distinct t.suite from items t where t.kind = 'image' and {condition} order by 1", parameters
        )
    return [row["suite"] for row in found]


def images(store: Store, selection: Selection) -> FlipSuite:
    """The selected images."""
    condition, parameters = selection.items()
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.item_id, t.prompt_id, coalesce(t.generator, '') as generator from items t"
            f" where t.kind = 'image' and t.prompt_id is not null and {condition} order by t.item_id",
            parameters,
        )
        asked = rows.dicts(
            cursor,
            "select p.prompt_id, p.text, p.spec from prompts p"
            f" where p.prompt_id in (select t.prompt_id from items t where t.kind = 'image' and {condition}) order by 1",
            parameters,
        )
    prompts = {row["prompt_id"]: FlipPrompt(row["text"], rows.from_json(row["spec"])) for row in asked}
    return FlipSuite([FlipImage(**row) for row in found if row["prompt_id"] in prompts], prompts)


def answers(store: Store, selection: Selection) -> list[FlipAnswer]:
    """People's answers to the selected images, in the order in which they were given."""
    condition, parameters = replace(selection, aspect=("correct",)).judgements()
    said = JUDGED.format(where=f"r.kind = 'human' and j.aspect = 'correct' and {condition}", more=", j.source_id")
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select f.item as item_id, f.simulated, f.excluded, n.questionnaire, n.answers"
            f" from ({said}) f left join annotations n on n.annotation_id = f.source_id order by f.seq, f.item, f.rater",
            parameters,
        )
    return [FlipAnswer(**rows.decoded(row, "answers") | {"answers": rows.from_json(row["answers"]) or {}}) for row in found]


def scores(store: Store, selection: Selection) -> list[FlipScore]:
    """Scorers' numbers of the selected images, by the true prompts and by flipped ones, those that count."""
    condition, parameters = replace(selection, aspect=(), rater=()).judgements()
    said = JUDGED.format(where=f"r.kind = 'scorer' and j.aspect in ('score', 'flipped') and {condition}", more="")
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select item as item_id, rater as rater_id, case when aspect = 'flipped' then target end as flip, number as value"
            f" from ({said}) where excluded is null order by seq",
            parameters,
        )
    return [FlipScore(**row) for row in found]
