"""Items on which two sides' answers cross: what a cell of a pair's confusion table stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from data.store import rows
from data.store.browse import GROUPS, SIMULATED
from data.store.frame import JUDGED
from data.store.selection import Selection, Where
from data.store.store import Store

Way = Literal["each", "majority"]


@dataclass(frozen=True, slots=True)
class Crossed:
    """A rater and another side (a rater, ``people`` or ``simulated people``) and what each of them says of an aspect.

    A rater is never among the people it meets.

    Attributes:
        a_says, b_says: a label as the confusion table names it; empty for whatever it says.
        way: with people as ``b``, whether at least one of them says so (``each``) or more than half (``majority``).
    """

    aspect: str
    a: str
    a_says: str
    b: str
    b_says: str
    way: Way = "each"

    def to_query(self) -> list[tuple[str, str]]:
        """As an address has it, without what is empty."""
        named = {
            "about": self.aspect,
            "a": self.a,
            "a_says": self.a_says,
            "b": self.b,
            "b_says": self.b_says,
            "way": "" if self.way == "each" else self.way,
        }
        return [(name, value) for name, value in named.items() if value]

    @property
    def by_majority(self) -> bool:
        """Whether people enter with what more than half of them say."""
        return self.b in GROUPS and self.way == "majority"


@dataclass(frozen=True, slots=True)
class Word:
    """A label of a suite as it is stored, and as statistics compare it (``Yes`` and ``yes`` may be the same to them)."""

    suite: str
    stored: str
    label: str


@dataclass(frozen=True, slots=True)
class Unit:
    """What both sides say of an item, or of one target of it; ``b``: how many say what, most first."""

    target: str | None
    a: str
    b: dict[str, int]


_ALL_WORDS = f"""
select distinct suite, label from ({JUDGED}) where excluded is null and kind <> 'consensus' and label <> ''
"""


def stored_labels(store: Store, aspect: str, selection: Selection) -> dict[str, list[str]]:
    """By suite the labels of the selected judgements of an aspect that count, sorted."""
    condition, parameters = _judgements(aspect, selection)
    found: dict[str, list[str]] = {}
    with store.read() as cursor:
        for suite, label in sorted(cursor.execute(_ALL_WORDS.format(where=condition, more=""), parameters).fetchall()):
            found.setdefault(suite, []).append(label)
    return found


# A unit is an item, or one target of it. `heard`: what counts, a row for each rater of a unit.
_MET = f"""
with heard as (
    select said.item, coalesce(said.target, '') as target, said.rater, said.kind, said.simulated,
           arg_min(word.label, said.seq) as label
    from ({JUDGED}) said
    join (select unnest(?::varchar[]) as suite, unnest(?::varchar[]) as stored, unnest(?::varchar[]) as label) word
        on word.suite = said.suite and word.stored = said.label
    where said.excluded is null
    group by all
),
mine as (select item, target, label from heard where rater = ?),
theirs as (
    select item, target, label, count(*) as n, sum(count(*)) over (partition by item, target) as of_all
    from heard where {{side}}
    group by item, target, label
),
met as (
    select distinct m.item, m.target, m.label
    from mine m join theirs t on t.item = m.item and t.target = m.target
    where {{says}}
)
"""
"""``where`` (and ``more``): as for a frame; ``side``: who is met, of ``heard``; ``says``: what ``m`` and ``t`` must say."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """Two sides' answers that cross, among the selected judgements (the selection's aspects and raters play no part).

    ``words`` are all labels that count; what is not among them has no value on its scale.
    """

    crossed: Crossed
    words: Sequence[Word]
    selection: Selection = field(default_factory=Selection)

    def items(self) -> Where:
        """The condition on ``items t``: both sides say of one unit of it what is asked for."""
        text, parameters = self._met()
        return f"t.item_id in ({text} select item from met)", parameters

    def units(self, store: Store, items: Sequence[str]) -> dict[str, list[Unit]]:
        """By item those of its units on which the answers cross, in order of their targets."""
        text, parameters = self._met(("j.item_id in (select unnest(?::varchar[]))", [list(items)]))
        with store.read() as cursor:
            found = rows.dicts(
                cursor,
                f"{text} select m.item, m.target, m.label, map(list(t.label order by t.n desc, t.label),"
                " list(t.n order by t.n desc, t.label)) as said from met m join theirs t on t.item = m.item"
                " and t.target = m.target group by m.item, m.target, m.label order by m.item, m.target",
                parameters,
            )
        made: dict[str, list[Unit]] = {}
        for row in found:
            made.setdefault(row["item"], []).append(Unit(row["target"] or None, row["label"], row["said"]))
        return made

    def _met(self, among: Where = ("true", [])) -> Where:
        """The query up to ``met``, and its parameters."""
        which, of_which = _judgements(self.crossed.aspect, self.selection)
        raters, of_raters = self._raters()
        side, of_side = self._side()
        says, of_says = self._says()
        words = [[getattr(word, name) for word in self.words] for name in ("suite", "stored", "label")]
        where = f"{which} and {raters} and {among[0]}"
        text = _MET.format(where=where, more="", side=side, says=says)
        return text, [*of_which, *of_raters, *among[1], *words, self.crossed.a, *of_side, *of_says]

    def _raters(self) -> Where:
        """Whose judgements are looked at: consensus is made from people's, and is nobody's."""
        a, b = self.crossed.a, self.crossed.b
        if b in GROUPS:
            people = "(r.kind = 'human' and r.simulated = ?)"
            return f"(r.kind <> 'consensus' and (j.rater_id = ? or {people}))", [a, b == SIMULATED]
        return "(r.kind <> 'consensus' and j.rater_id in (?, ?))", [a, b]

    def _side(self) -> Where:
        a, b = self.crossed.a, self.crossed.b
        if b in GROUPS:
            return "kind = 'human' and simulated = ? and rater <> ?", [b == SIMULATED, a]
        return "rater = ?", [b]

    def _says(self) -> Where:
        asked: list[tuple[str, Any]] = [("m.label", self.crossed.a_says), ("t.label", self.crossed.b_says)]
        conditions = [f"{column} = ?" for column, label in asked if label]
        conditions += ["2 * t.n > t.of_all"] if self.crossed.by_majority else []
        return " and ".join(conditions) or "true", [label for _, label in asked if label]


def _judgements(aspect: str, selection: Selection) -> Where:
    """The condition on judgements, as ``Selection.judgements`` has it, of one aspect."""
    condition, parameters = replace(selection, aspect=(), rater=()).judgements()
    return f"j.aspect = ? and {condition}", [aspect, *parameters]
