"""How many items each value of each filter would list: live counts, of which a facet's own choice is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import duckdb
import numpy as np

from data.store import parts, refreshing
from data.store.filters import (
    AMONG_PEOPLE,
    AMONG_SCORERS,
    MISSED,
    MOST,
    PACKED_AS,
    PASSED,
    VERDICTS,
    Asked,
    Numbers,
    conditions,
    differs_is,
    where,
)
from data.store.grid import numbers_of
from data.store.selection import CERTAINTIES, Where
from data.store.store import Store
from data.store.wide import PACKED

MOST_VALUES: Final = 40
_TITLES: Final = {
    "suite": "Suite", "task": "Task", "generator": "Generator", "object": "Object", "color": "Colour", "count": "Count",
    "relation": "Relation", "people": "Most people say", "certainty": "Certainty", "differs": "Disagreement", "tag": "Tag",
}  # fmt: skip
_SAYS: Final = {"yes": "right", "no": "wrong", "failed": "could not look"}
_MOST_SAY: Final = {"yes": "right", "no": "wrong", "tie": "evenly split", "none": "nobody has answered"}


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a facet as the address has it, what it is called, how many items it would list, and whether it is chosen."""

    value: str
    title: str
    n: int
    on: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter and its values, the most frequent first; ``more``: how many are left out."""

    name: str
    title: str
    values: list[Value]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """All facets of a listing that have values, and how many items it lists; ``behind``: how many items have been written
    about since these counts were kept."""

    facets: list[Facet]
    total: int
    behind: int


def facets(store: Store, asked: Asked, *, certainty: bool = True) -> Facets:
    """Count. ``certainty``: whether it is a facet here (it means another thing where answers cross)."""
    behind = refreshing.catch_up(store)
    with store.read() as cursor:
        count = _Counting(cursor, asked, numbers_of(cursor))
        found = [
            *(count.column(name) for name in ("suite", "task", "generator")),
            *(count.part(name) for name in parts.PARTS),
            *count.says(),
            count.column("people"),
            *([count.column("certainty")] if certainty else []),
            count.differs(),
            count.tags(),
        ]
        total = count.total()
    return Facets([facet for facet in found if facet.values], total, behind)


def _of(text: str, condition: Where) -> tuple[str, list[Any]]:
    return text.format(condition[0]), condition[1]


_AT_ONCE: Final = ("suite", "task", "generator", "people", "certainty", f"differs {AMONG_PEOPLE}", f"differs {AMONG_SCORERS}")


class _Counting:
    """Counts of one listing; what several facets need is counted once."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, asked: Asked, numbers: Numbers) -> None:
        self._cursor, self._asked, self._numbers = cursor, asked, numbers
        self.conditions = conditions(asked, numbers)
        self._known: dict[str, list[tuple[Any, ...]]] = {}
        self._packed: dict[str, dict[str, dict[tuple[str, int | None], int]]] = {}

    def _rows(self, text: str, without: str) -> list[tuple[Any, ...]]:
        query, parameters = _of(text, where(self.conditions, without))
        key = f"{query} {parameters}"
        if key not in self._known:
            self._known[key] = self._cursor.execute(query, parameters).fetchall()
        return self._known[key]

    def _places(self, without: str) -> list[tuple[Any, ...]]:
        """Rows of _AT_ONCE and a count: each of them has few values, so all are counted together."""
        among = [f"{differs_is('', kind, self._numbers)} as among_{kind}" for kind in (AMONG_PEOPLE, AMONG_SCORERS)]
        columns = ", ".join(["t.suite", "t.task", "t.generator", "t.people", "t.certainty", *among])
        return self._rows(f"select {columns}, count(*) from browse t where {{}} group by all", without)

    def total(self) -> int:
        """How many items there are."""
        return sum(row[-1] for row in self._places(""))

    def _counts(self, name: str, without: str) -> dict[Any, int]:
        counts: dict[Any, int] = {}
        place = _AT_ONCE.index(name)
        for row in self._places(without):
            if row[place] is not None:
                counts[row[place]] = counts.get(row[place], 0) + row[-1]
        return counts

    def column(self, name: str) -> Facet:
        """A column of wide rows."""
        filters = {"people": self._asked.filters.people, "certainty": self._asked.filters.certainty}
        chosen = filters[name] if name in filters else getattr(self._asked.selection, name)
        words = {"people": _MOST_SAY}.get(name, {})
        order = {"people": MOST, "certainty": CERTAINTIES}.get(name)
        counts = self._counts(name, name)
        if name == "people" and not set(counts) - {"none"} and not chosen:
            counts = {}  # nobody has said anything yet
        return _facet(name, _TITLES[name], counts, chosen, words, order)

    def part(self, name: str) -> Facet:
        """What prompts ask for."""
        found = self._rows(
            "select a.what, a.value, sum(c.n)::bigint from prompt_parts a join (select t.prompt_id, count(*) as n from browse t"
            " where {} group by 1) c on c.prompt_id = a.prompt_id group by 1, 2",
            name,
        )
        counts = {value: n for what, value, n in found if what == name}
        return _facet(name, _TITLES[name], counts, getattr(self._asked.filters, name))

    def _verdicts(self, rater: str, without: str) -> dict[tuple[str, int | None], int]:
        """By what most people and the scorer say how many there are."""
        no = self._numbers[rater]
        if no > PACKED:
            found = self._rows(f"select t.people, t.says[{no}], count(*) from browse t where {{}} group by 1, 2", without)
            return {(people, says): n for people, says, n in found}
        # a scorer's own choice plays a part only where it is made
        without = without if without in self.conditions else ""
        if without not in self._packed:
            self._packed[without] = self._unpacked(without)
        return self._packed[without][rater]

    def _unpacked(self, without: str) -> dict[str, dict[tuple[str, int | None], int]]:
        """The same by scorer, of all whose verdicts stand in one number."""
        query, parameters = _of("select t.people, t.verdicts, count(*) from browse t where {} group by 1, 2",
                                where(self.conditions, without))  # fmt: skip
        found = self._cursor.execute(query, parameters).fetchnumpy()
        people, names = np.unique(np.asarray(found["people"], dtype=str), return_inverse=True)
        codes, n = np.asarray(found["verdicts"], np.uint64), np.asarray(found["count_star()"], np.int64)
        made: dict[str, dict[tuple[str, int | None], int]] = {}
        for rater, no in self._numbers.items():
            if no <= PACKED:
                said = ((codes >> np.uint64(2 * (no - 1))) & np.uint64(3)).astype(np.int64)
                counts = np.bincount(names * 4 + said, weights=n, minlength=4 * people.size).astype(np.int64)
                made[rater] = {
                    (str(name), says): int(counts[4 * k + packed])
                    for k, name in enumerate(people)
                    for says, packed in PACKED_AS.items()
                }
        return made

    def says(self) -> Iterator[Facet]:
        """What each scorer says."""
        for rater in sorted({*self._numbers, *(name for name, _ in self._asked.filters.says)}):
            both = self._verdicts(rater, f"says:{rater}") if rater in self._numbers else {}
            counts = {
                f"{rater}:{verdict}": sum(n for (_, says), n in both.items() if says == code)
                for verdict, code in VERDICTS.items()
            }
            chosen = tuple(f"{name}:{verdict}" for name, verdict in self._asked.filters.says if name == rater)
            words = {f"{rater}:{verdict}": word for verdict, word in _SAYS.items()}
            yield _facet("says", f"{rater} says", counts, chosen, words, tuple(words))

    def differs(self) -> Facet:
        """Kinds of disagreement."""
        counts: dict[str, int] = {}
        words = {AMONG_PEOPLE: "people differ", AMONG_SCORERS: "scorers differ"}
        counts |= {kind: self._counts(f"differs {kind}", "differs").get(True, 0) for kind in words}
        for rater in sorted(self._numbers):
            both = self._verdicts(rater, "differs")
            for kind, people, says in ((MISSED, "yes", 0), (PASSED, "no", 1)):
                counts[f"{rater}:{kind}"] = both.get((people, says), 0)
                words[f"{rater}:{kind}"] = f"{rater} says {'wrong' if kind == MISSED else 'right'}, people {_MOST_SAY[people]}"
        chosen = tuple(f"{rater}:{kind}" if rater else kind for rater, kind in self._asked.filters.differs)
        return _facet("differs", _TITLES["differs"], counts, chosen, words)

    def tags(self) -> Facet:
        """Tags, as they stand now."""
        # most projects have few tagged items, or none
        text = "select g.tag, count(*) from tagged g join browse t on t.item_id = g.item_id where {} group by 1"
        any_tag = self._cursor.execute("select 1 from taggings limit 1").fetchone()
        counts = dict(self._rows(text, "tag")) if any_tag else {}
        return _facet("tag", _TITLES["tag"], counts, self._asked.selection.tag)


def _facet(
    name: str,
    title: str,
    counts: Mapping[str, int],
    chosen: tuple[str, ...],
    words: Mapping[str, str] | None = None,
    order: tuple[str, ...] | None = None,
) -> Facet:
    """The values that list anything, and those that are chosen; ``order``: of values that have one of their own."""
    words = words or {}
    kept = {value: n for value, n in counts.items() if n} | {value: counts.get(value, 0) for value in chosen}
    if order:
        ranked = sorted(kept, key=lambda value: (order.index(value) if value in order else len(order), value))
    else:
        ranked = sorted(kept, key=lambda value: (-kept[value], _natural(value)))
    shown = [value for place, value in enumerate(ranked) if place < MOST_VALUES or value in chosen]
    values = [Value(value, words.get(value, value), kept[value], value in chosen) for value in shown]
    return Facet(name, title, values, len(ranked) - len(shown))


def _natural(value: str) -> tuple[int, str]:
    """Numbers as numbers."""
    return (int(value), "") if value.isdecimal() else (0, value)
