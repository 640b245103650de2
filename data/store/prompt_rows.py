"""A listing by prompt: what each generator made of the same words, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from data.store import refreshing, rows
from data.store.filters import Asked, conditions, where
from data.store.grid import Shown, described, listed, numbers_of
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class PromptRow:
    """A prompt and all its images by generator, in order of their index; of each ``fits``: whether the listing has it, and
    what it shows of it: ``mean`` of ``n`` values."""

    prompt_id: str
    text: str | None
    task: str | None
    cells: dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class PromptPage:
    """One page of rows; ``generators``: the columns, all that any row of the listing may have."""

    rows: list[PromptRow]
    generators: list[str]
    total: int


def prompt_rows(
    store: Store, asked: Asked, shown: Shown, *, columns: Sequence[str] = (), offset: int = 0, limit: int = 20
) -> PromptPage:
    """Prompts of which any image fits, in the listing's order (of a prompt's images that fit the first counts).

    ``columns``: only these generators' images; else those of the selection's generators, or of all.
    """
    refreshing.catch_up(store)
    with store.read() as cursor:
        numbers = numbers_of(cursor)
        made = listed(asked, shown, numbers)
        fits = f"{made.text} and t.prompt_id is not null"
        found = cursor.execute(
            f"select t.prompt_id, count(*) over () as total {fits} group by t.prompt_id"
            f" order by min({made.key}), t.prompt_id limit ? offset ?",
            [*made.values, limit, offset],
        ).fetchall()
        total = found[0][1] if found else _count(cursor, made) if offset else 0
        prompts = [row[0] for row in found]
        wanted = list(columns or asked.selection.generator)
        condition, parameters = where(conditions(asked, numbers))
        cells = cursor.execute(
            f"select t.item_id, t.prompt_id, t.generator, coalesce({condition}, false) as fits from browse t"
            " where t.prompt_id in (select unnest(?::varchar[])) and t.kind = 'image' and t.generator is not null"
            " and (len(?::varchar[]) = 0 or list_contains(?::varchar[], t.generator))"
            " order by t.generator, t.idx nulls last, t.item_id",
            [*parameters, prompts, wanted, wanted],
        ).fetchall()
        told = described(cursor, [row[0] for row in cells])
        said = cursor.execute(
            f"select t.item_id, {made.mean} as mean, {made.n} as n from {made.source}"
            " where t.prompt_id in (select unnest(?::varchar[])) and t.kind = 'image'",
            [*made.of_source, prompts],
        ).fetchall()
        texts = rows.existing(cursor, "prompts", "prompt_id", ["text", "task"], prompts)
        generators = wanted or _generators(cursor, asked)
    made_rows = {
        prompt_id: PromptRow(prompt_id, texts.get(prompt_id, {}).get("text"), texts.get(prompt_id, {}).get("task"), {})
        for prompt_id in prompts
    }
    values = {item_id: {"mean": mean, "n": n} for item_id, mean, n in said}
    for item_id, prompt_id, generator, fit in cells:
        cell = told[item_id] | values[item_id] | {"fits": bool(fit)}
        made_rows[prompt_id].cells.setdefault(generator, []).append(cell)
    return PromptPage(list(made_rows.values()), list(generators), int(total))


def _count(cursor: Any, made: Any) -> int:
    return int(rows.value(cursor, f"select count(distinct t.prompt_id) from browse t where {made.condition}", made.parameters))


def _generators(cursor: Any, asked: Asked) -> list[str]:
    """Whose images the suites of a listing have."""
    found = cursor.execute(
        "select distinct generator from browse where kind = 'image' and generator is not null"
        " and (len(?::varchar[]) = 0 or list_contains(?::varchar[], suite)) order by generator",
        [list(asked.selection.suite)] * 2,
    ).fetchall()
    return [row[0] for row in found]
