"""Facets: how many items each value of each filter would list, and how a scorer's scores are distributed in the listing.

Counts are live; of a facet its own choice is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from data.browsing import ADJUDICATED, AMONG_PEOPLE, AMONG_SCORERS, MAJORITY_VALUES, MISSED, PASSED, UNDECIDED, VERDICTS
from data.selection import CERTAINTIES
from data.store import browse_index
from data.store.browse import index_refresh
from data.store.browse.filters import ADJUDICATIONS, PACKED_AS, ListingQuery, Numbers, conditions, differs_is, where
from data.store.browse.grid import scorer_numbers
from data.store.browse_index import PACKED_SCORERS
from data.store.core import rows
from data.store.core.conditions import Where
from data.store.core.connections import Connection
from data.store.core.store import Store

MOST_VALUES: Final = 40
_TITLES: Final = {
    "suite": "Suite", "task": "Task", "generator": "Generator", "object": "Object", "color": "Colour", "count": "Count",
    "relation": "Relation", "people": "Most people say", "certainty": "Certainty", "differs": "To look at",
    "verdict": "Who is wrong", "tag": "Tags",
}  # fmt: skip
_SAYS: Final = {"yes": "yes", "no": "no", "failed": "could not look"}
_VERDICT: Final = {UNDECIDED: "not judged yet", "scorer": "a scorer was wrong", "person": "people were wrong",
                   "prompt": "prompt unclear", "guideline": "rules leave it open"}  # fmt: skip
_MOST_SAY: Final = {"yes": "yes", "no": "no", "tie": "evenly split", "none": "nobody has answered"}


@dataclass(frozen=True, slots=True)
class FacetValue:
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
    values: list[FacetValue]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """All facets of a listing that have values, and how many items it lists; ``behind``: how many items have been written
    about since these counts were kept."""

    facets: list[Facet]
    total: int
    behind: int


def facets(store: Store, query: ListingQuery, *, certainty: bool = True) -> Facets:
    """Count. ``certainty``: whether it is a facet here (it means another thing where answers cross)."""
    behind = index_refresh.catch_up(store)
    with store.read() as cursor:
        count = _Counting(cursor, query, scorer_numbers(cursor))
        listed = [
            count.differs(),
            count.column("people"),
            count.verdict(),
            *(count.column(name) for name in ("suite", "task", "generator")),
            *count.says(),
            *([count.column("certainty")] if certainty else []),
            count.tags(),
            *(count.part(name) for name in browse_index.PARTS),
        ]
        total = count.total()
    return Facets([facet for facet in listed if facet.values], total, behind)


def _of(text: str, condition: Where) -> tuple[str, list[Any]]:
    return text.format(condition[0]), condition[1]


_AT_ONCE: Final = ("suite", "task", "generator", "people", "certainty", f"differs {AMONG_PEOPLE}", f"differs {AMONG_SCORERS}")


class _Counting:
    """Counts of one listing; what several facets need is counted once."""

    def __init__(self, cursor: Connection, query: ListingQuery, numbers: Numbers) -> None:
        self._cursor, self._query, self._numbers = cursor, query, numbers
        self.conditions = conditions(query, numbers)
        self._known: dict[str, list[tuple[Any, ...]]] = {}
        self._packed: dict[str, dict[str, dict[tuple[str, int | None], int]]] = {}

    def _rows(self, text: str, without: str) -> list[tuple[Any, ...]]:
        query, parameters = _of(text, where(self.conditions, without))
        key = f"{query} {parameters}"
        if key not in self._known:
            self._known[key] = self._cursor.execute(query, parameters).fetchall()
        return self._known[key]

    def _small_columns(self, without: str) -> list[tuple[Any, ...]]:
        """Rows of _AT_ONCE and a count: each of them has few values, so all are counted together."""
        among = [f"{differs_is('', kind, self._numbers)} as among_{kind}" for kind in (AMONG_PEOPLE, AMONG_SCORERS)]
        columns = ", ".join(["t.suite", "t.task", "t.generator", "t.people", "t.certainty", *among])
        return self._rows(f"select {columns}, count(*) from browse t where {{}} group by all", without)

    def total(self) -> int:
        """How many items there are."""
        return sum(row[-1] for row in self._small_columns(""))

    def _counts(self, name: str, without: str) -> dict[Any, int]:
        counts: dict[Any, int] = {}
        column = _AT_ONCE.index(name)
        for row in self._small_columns(without):
            if row[column] is not None:
                counts[row[column]] = counts.get(row[column], 0) + row[-1]
        return counts

    def column(self, name: str) -> Facet:
        """A column of wide rows."""
        filters = {"people": self._query.filters.people, "certainty": self._query.filters.certainty}
        chosen = filters[name] if name in filters else getattr(self._query.selection, name)
        words = {"people": _MOST_SAY}.get(name, {})
        order = {"people": MAJORITY_VALUES, "certainty": CERTAINTIES}.get(name)
        counts = self._counts(name, name)
        if name == "people" and not set(counts) - {"none"} and not chosen:
            counts = {}  # nobody has said anything yet
        return _facet(name, _TITLES[name], counts, chosen, words, order)

    def part(self, name: str) -> Facet:
        """What prompts ask for."""
        counted = self._rows(
            "select a.what, a.value, sum(c.n)::bigint from prompt_parts a join (select t.prompt_id, count(*) as n from browse t"
            " where {} group by 1) c on c.prompt_id = a.prompt_id group by 1, 2",
            name,
        )
        counts = {value: n for kind, value, n in counted if kind == name}
        return _facet(name, _TITLES[name], counts, getattr(self._query.filters, name))

    def _verdicts(self, rater: str, without: str) -> dict[tuple[str, int | None], int]:
        """By what most people and the scorer say how many there are."""
        no = self._numbers[rater]
        if no > PACKED_SCORERS:
            records = self._rows(f"select t.people, t.says[{no}], count(*) from browse t where {{}} group by 1, 2", without)
            return {(people, says): n for people, says, n in records}
        # a scorer's own choice plays a part only where it is made
        without = without if without in self.conditions else ""
        if without not in self._packed:
            self._packed[without] = self._unpacked(without)
        return self._packed[without][rater]

    def _unpacked(self, without: str) -> dict[str, dict[tuple[str, int | None], int]]:
        """The same by scorer, of all whose verdicts stand in one number."""
        query, parameters = _of("select t.people, t.verdicts, count(*) from browse t where {} group by 1, 2",
                                where(self.conditions, without))  # fmt: skip
        columns = self._cursor.execute(query, parameters).fetchnumpy()
        people, names = np.unique(np.asarray(columns["people"], dtype=str), return_inverse=True)
        codes, n = np.asarray(columns["verdicts"], np.uint64), np.asarray(columns["count_star()"], np.int64)
        made: dict[str, dict[tuple[str, int | None], int]] = {}
        for rater, no in self._numbers.items():
            if no <= PACKED_SCORERS:
                own_codes = ((codes >> np.uint64(2 * (no - 1))) & np.uint64(3)).astype(np.int64)
                counts = np.bincount(names * 4 + own_codes, weights=n, minlength=4 * people.size).astype(np.int64)
                made[rater] = {
                    (str(name), says): int(counts[4 * k + packed])
                    for k, name in enumerate(people)
                    for says, packed in PACKED_AS.items()
                }
        return made

    def says(self) -> Iterator[Facet]:
        """What each scorer says."""
        for rater in sorted({*self._numbers, *(name for name, _ in self._query.filters.says)}):
            both = self._verdicts(rater, f"says:{rater}") if rater in self._numbers else {}
            counts = {
                f"{rater}:{verdict}": sum(n for (_, says), n in both.items() if says == code)
                for verdict, code in VERDICTS.items()
            }
            chosen = tuple(f"{name}:{verdict}" for name, verdict in self._query.filters.says if name == rater)
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
                words[f"{rater}:{kind}"] = f"{rater} {'no' if kind == MISSED else 'yes'}, people {people}"
        chosen = tuple(f"{rater}:{kind}" if rater else kind for rater, kind in self._query.filters.differs)
        return _facet("differs", _TITLES["differs"], counts, chosen, words)

    def verdict(self) -> Facet:
        """Researchers' verdicts; nothing as long as there are none."""
        chosen = self._query.filters.verdict
        counts: dict[str, int] = {}
        if chosen or self._cursor.execute("select 1 from adjudications limit 1").fetchone():
            text = (
                "select coalesce(v.wrong, ?), count(distinct t.item_id) from browse t"
                f" left join {ADJUDICATIONS} v on v.item_id = t.item_id where {{}} group by 1"
            )
            query, parameters = _of(text, where(self.conditions, "verdict"))
            counts = dict(self._cursor.execute(query, [UNDECIDED, *parameters]).fetchall())
            counts = counts if chosen or set(counts) - {UNDECIDED} else {}
        return _facet("verdict", _TITLES["verdict"], counts, chosen, _VERDICT, ADJUDICATED)

    def tags(self) -> Facet:
        """Tags, as they stand now."""
        # most projects have few tagged items, or none
        text = "select g.tag, count(*) from tagged g join browse t on t.item_id = g.item_id where {} group by 1"
        any_tag = self._cursor.execute("select 1 from taggings limit 1").fetchone()
        counts = dict(self._rows(text, "tag")) if any_tag else {}
        return _facet("tag", _TITLES["tag"], counts, self._query.selection.tag)


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
    listed = {value: n for value, n in counts.items() if n} | {value: counts.get(value, 0) for value in chosen}
    if order:
        ranked = sorted(listed, key=lambda value: (order.index(value) if value in order else len(order), value))
    else:
        # numbers as numbers
        ranked = sorted(listed, key=lambda value: (-listed[value], (int(value), "") if value.isdecimal() else (0, value)))
    shown = [value for rank, value in enumerate(ranked) if rank < MOST_VALUES or value in chosen]
    values = [FacetValue(value, words.get(value, value), listed[value], value in chosen) for value in shown]
    return Facet(name, title, values, len(ranked) - len(shown))


BINS: Final = 40


@dataclass(frozen=True, slots=True)
class HistogramBin:
    """Scores from ``low`` up to ``high`` (of the last bin included): ``n`` in the listing, ``of_all`` in the project."""

    low: float
    high: float
    n: int
    of_all: int


@dataclass(frozen=True, slots=True)
class ScoreHistogram:
    """The distribution of one scorer's ``score``.

    Attributes:
        of: the scorer; None: nobody has scored anything.
        choices: all scorers with scores.
        low, high: of all scores; None without any.
        undefined: items of the listing without a score.
    """

    of: str | None
    choices: list[str]
    low: float | None = None
    high: float | None = None
    bins: tuple[HistogramBin, ...] = ()
    undefined: int = 0


def score_histogram(store: Store, query: ListingQuery, of: str | None = None) -> ScoreHistogram:
    """The distribution in a listing, whatever range of this scorer it asks for; of no scorer in
    particular: of the one with the most scores there.

    Raises:
        ValueError: this scorer has no scores; the message names those that do.
    """
    index_refresh.catch_up(store)
    with store.read() as cursor:
        numbers = scorer_numbers(cursor)
        ends = _score_bounds(cursor, list(numbers.values()))
        choices = sorted(rater for rater, no in numbers.items() if no in ends)
        if of is None:
            named = [between.rater for between in query.filters.range if between.rater in choices]
            of = named[0] if named else _most_scores(cursor, query, {name: numbers[name] for name in choices}, numbers)
        if of is None:
            return ScoreHistogram(None, [])
        if of not in choices:
            raise ValueError(f"{of!r} has no scores here; those that have: {', '.join(choices) or 'none'}.")
        low, high = ends[numbers[of]]
        score = f"t.scores[{numbers[of]}]"
        condition, parameters = where(conditions(query, numbers), f"range:{of}")
        width = (high - low) / BINS
        # all in one bin where all scores are equal
        bin_ = f"least(floor(({score} - ?) / ?)::integer, {BINS - 1})" if width > 0 else "0"
        records = cursor.execute(
            f"select {bin_} as place, count(*) filter ({condition}), count(*) from browse t"
            f" where {score} is not null group by 1",
            [*([low, width] if width > 0 else []), *parameters],
        ).fetchall()
        total = rows.value(cursor, f"select count(*) from browse t where {condition}", parameters)
    counts = {k: (n, of_all) for k, n, of_all in records}
    size = BINS if width > 0 else 1
    bins = tuple(
        HistogramBin(low + k * width, high if k == size - 1 else low + (k + 1) * width, *counts.get(k, (0, 0)))
        for k in range(size)
    )
    return ScoreHistogram(of, choices, low, high, bins, int(total) - sum(bar.n for bar in bins))


def _most_scores(cursor: Any, query: ListingQuery, places: Mapping[str, int], numbers: Mapping[str, int]) -> str | None:
    """The scorer with the most scores in a listing, by name where several have as many; None if there are no scorers."""
    if len(places) < 2:
        return next(iter(places), None)
    condition, parameters = where(conditions(query, numbers))
    columns = ", ".join(f"count(t.scores[{no}])" for no in places.values())
    counts = cursor.execute(f"select {columns} from browse t where {condition}", parameters).fetchone()
    return max(zip(places, counts, strict=True), key=lambda pair: pair[1])[0]


def _score_bounds(cursor: Any, places: list[int]) -> dict[int, tuple[float, float]]:
    """By scorer's place its least and its largest score, of those that have any."""
    if not places:
        return {}
    columns = ", ".join(f"{end}(scores[{no}]) filter (scores[{no}] is not null)" for no in places for end in ("min", "max"))
    row = cursor.execute(f"select {columns} from browse").fetchone()
    return {no: (row[2 * k], row[2 * k + 1]) for k, no in enumerate(places) if row[2 * k] is not None}
