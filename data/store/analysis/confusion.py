"""Cells of a confusion table: the items on which two sides' answers meet as one cell counts them; and how often a person and
each scorer say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from data.browsing import ConfusionCell
from data.selection import GROUPS, PEOPLE, SIMULATED, Selection
from data.store.core.conditions import Where, judgements_condition
from data.store.core.frame import JUDGED
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class StoredLabel:
    """A label of a suite as it is stored, and as statistics compare it (``Yes`` and ``yes`` may be the same to them)."""

    suite: str
    stored: str
    label: str


@dataclass(frozen=True, slots=True)
class CellUnit:
    """What both sides say of an item, or of one target of it; ``b``: how many say what, most first."""

    target: str | None
    a: str
    b: dict[str, int]


_ALL_LABELS = f"""
select suite, list(distinct label order by label) from ({JUDGED})
where excluded is null and kind <> 'consensus' and label <> '' group by suite
"""


def stored_labels(store: Store, aspect: str, selection: Selection) -> dict[str, list[str]]:
    """By suite the labels of the selected judgements of an aspect that count, sorted."""
    condition, parameters = _judgements(aspect, selection)
    return store.query_dict(_ALL_LABELS.format(where=condition, more=""), parameters)


# A unit is an item, or one target of it. `heard`: what counts, a row for each rater of a unit; `mine` and `theirs`: whether
# it is the one side's, or the other's.
_MET = f"""
with heard as materialized (
    select said.item, coalesce(said.target, '') as target, word.label, said.kind = 'human' as human, said.simulated,
           said.rater = ? as mine, {{side}} as theirs
    from ({JUDGED}) said
    join (select unnest(?::varchar[]) as suite, unnest(?::varchar[]) as stored, unnest(?::varchar[]) as label) word
        on word.suite = said.suite and word.stored = said.label
    where said.excluded is null
),
{{certain}},
mine as (select item, target, label from certain where mine and {{a_says}}),
theirs as (select item, target, c.label from certain c semi join mine using (item, target) where c.theirs),
met as ({{met}})
"""
"""``where`` (and ``more``): as for a frame; ``side``: who is met; ``certain``: a table of that name with what to look at."""

_EACH = "select distinct item, target from theirs where {b_says}"
_MAJORITY = """
    select item, target from (select item, target, label, count(*) as n from theirs group by all)
    group by item, target having 2 * max(n) > sum(n) and {b_says}
"""
_CERTAIN = """
sure as (
    select item, target, simulated
    from (select item, target, simulated, label, count(*) as n from heard where human group by all)
    group by item, target, simulated
    having sum(n) > 1 and case when max(n) = sum(n) then 'unanimous' when 2 * max(n) > sum(n) then 'majority' else 'split' end
        in (select unnest(?::varchar[]))
),
certain as (
    select * from heard h where exists (
        select 1 from sure s
        where s.item = h.item and s.target = h.target and (not h.human or s.simulated = h.simulated))
)
"""
"""A unit's class is that of ``agreement.report.report``: each kind of people has its own, scorers are looked at in both."""


@dataclass(frozen=True, slots=True)
class ConfusionQuery:
    """Two sides' answers that cross, among the selected judgements (the selection's aspects play no part).

    ``words`` are all labels that count; what is not among them has no value on its scale.
    """

    crossed: ConfusionCell
    words: Sequence[StoredLabel]
    selection: Selection = field(default_factory=Selection)

    def items(self, store: Store) -> list[str]:
        """On which both sides say of one unit what is asked for, in order of their ids."""
        text, parameters = self._met()
        with store.read() as cursor:
            columns = cursor.execute(f"{text} select distinct item from met order by item", parameters).fetchnumpy()
        return list(columns["item"])

    def units(self, store: Store, items: Sequence[str]) -> dict[str, list[CellUnit]]:
        """By item those of its units on which the answers cross, in order of their targets."""
        text, parameters = self._met(("j.item_id in (select unnest(?::varchar[]))", [list(items)]))
        records = store.query(
            f"{text} select item, target, m.label as a, t.label as b, count(*) as n"
            " from met join mine m using (item, target) join theirs t using (item, target)"
            " group by all order by item, target, n desc, b",
            parameters,
        )
        made: dict[str, dict[str, CellUnit]] = {}
        for row in records:
            unit = made.setdefault(row["item"], {}).setdefault(row["target"], CellUnit(row["target"] or None, row["a"], {}))
            unit.b[row["b"]] = row["n"]
        return {item: list(units.values()) for item, units in made.items()}

    def _met(self, among: Where = ("true", [])) -> Where:
        """The query up to ``met``, and its parameters."""
        crossed, certainty = self.crossed, self.selection.certainty
        which, of_which = _judgements(crossed.aspect, self.selection)
        raters, of_raters = self._raters()
        side, of_side = self._side()
        met_by = (
            _EACH.format(b_says="label = ?" if self.crossed.b_says else "true")
            if not self.crossed.by_majority
            else _MAJORITY.format(b_says="arg_max(label, n) = ?" if self.crossed.b_says else "true")
        )
        text = _MET.format(
            where=f"{which} and {raters} and {among[0]}",
            more="",
            side=side,
            certain=_CERTAIN if certainty else "certain as (from heard)",
            a_says="label = ?" if crossed.a_says else "true",
            met=met_by,
        )
        words = [[getattr(word, name) for word in self.words] for name in ("suite", "stored", "label")]
        labels = [label for label in (crossed.a_says, crossed.b_says) if label]
        sure = [list(certainty)] if certainty else []
        return text, [crossed.a, *of_side, *of_which, *of_raters, *among[1], *words, *sure, *labels]

    def _raters(self) -> Where:
        """Whose judgements are looked at, on what ``a`` has judged: consensus is made from people's, and is nobody's."""
        crossed = self.crossed
        judged = "j.item_id in (select item_id from judgements where rater_id = ? and aspect = ?)"
        named = f"r.kind <> 'consensus' and {judged} and (j.rater_id in (?, ?)"
        people = "or r.kind = 'human'" if crossed.b in GROUPS or self.selection.certainty else ""
        return f"{named} {people})", [crossed.a, crossed.aspect, crossed.a, crossed.b]

    def _side(self) -> Where:
        a, b = self.crossed.a, self.crossed.b
        if b in GROUPS:
            return "(said.kind = 'human' and said.simulated = ? and said.rater <> ?)", [b == SIMULATED, a]
        return "said.rater = ?", [b]


def _judgements(aspect: str, selection: Selection) -> Where:
    """Return the condition on judgements of one aspect."""
    condition, parameters = judgements_condition(replace(selection, aspect=()))
    return f"j.aspect = ? and {condition}", [aspect, *parameters]


def rater_groups(store: Store) -> dict[str, str]:
    """By rater among whom it is taken: ``people``, ``simulated people``, or nobody (a scorer)."""
    among = "case when kind <> 'human' then '' when simulated then ? else ? end"
    return store.query_dict(f"select rater_id, {among} from raters where kind <> 'consensus'", [SIMULATED, PEOPLE])


@dataclass(frozen=True, slots=True)
class LabelMatches:
    """On how many of the ``n`` images that a person and a scorer both judged they say the ``same``."""

    scorer: str
    same: int
    n: int


_MATCHES = f"""
with heard as materialized ({JUDGED}),
mine as (select item, target, label from heard where rater = ? and excluded is null)
select h.rater as scorer, count(*) filter (lower(h.label) = lower(m.label)) as same, count(*) as n
from heard h join mine m on m.item = h.item and m.target is not distinct from h.target
where h.kind = 'scorer' and h.excluded is null and h.label is not null and m.label is not null
group by h.rater order by n desc, h.rater
"""


def matches_with_scorers(store: Store, person: str, suite: str, aspect: str) -> list[LabelMatches]:
    """How often each scorer's label is a person's, of their judgements that count; those they share most images with first."""
    where = (
        "t.suite = ? and j.aspect = ? and (r.kind = 'scorer' or j.rater_id = ?)"
        " and j.item_id in (select item_id from judgements where rater_id = ?)"
    )
    parameters = [suite, aspect, person, person, person]
    return store.query_records(LabelMatches, _MATCHES.format(where=where, more=""), parameters)
