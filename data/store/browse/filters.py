"""Browse's filters as data: each with the values it takes, the condition on the index, and what it says in English; and
saved views.

A saved view is the query of an address of Images under a name: an append-only log of who saved and who removed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter, itemgetter
from typing import Any, Final

from data.browsing import AMONG_PEOPLE, AMONG_SCORERS, MISSED, UNDECIDED, VERDICTS
from data.selection import Selection
from data.store.browse_index import PACKED_SCORERS
from data.store.core import rows
from data.store.core.conditions import Where, items_condition
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.erased import refuse

PACKED_AS: Final = {0: 1, 1: 2, 2: 3}
"""The same in ``browse.verdicts``."""


ADJUDICATIONS: Final = (
    "(select item_id, wrong from (select item_id, wrong, verdict from adjudications"
    " qualify row_number() over (partition by item_id, aspect, target order by seq desc) = 1) where verdict <> '')"
)
"""The verdicts that count, in SQL: an item may have several."""


@dataclass(frozen=True, slots=True)
class Between:
    """A rater's ``score`` from ``low`` to ``high``, both included; None: no bound."""

    rater: str
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Filters:
    """What restricts a listing besides its ``Selection``. The values of a field are alternatives, the fields restrict together;
    so do the raters of ``says`` and of ``range``, each of which is a field of its own.

    Attributes:
        object, color, count, relation: what the prompt's spec asks for.
        says: (scorer, one of VERDICTS).
        people: one of ``MAJORITY_VALUES``, of real people's first valid blind answers on ``correct``.
        certainty: how sure they are together.
        differs: (rater, MISSED or PASSED), or ("", AMONG_PEOPLE or AMONG_SCORERS).
        verdict: of ADJUDICATED, on any aspect.
        q: words that must all be in the prompt's text or the item's id.
        range: of scores.
        item: these images alone.
    """

    object: tuple[str, ...] = ()
    color: tuple[str, ...] = ()
    count: tuple[str, ...] = ()
    relation: tuple[str, ...] = ()
    says: tuple[tuple[str, str], ...] = ()
    people: tuple[str, ...] = ()
    certainty: tuple[str, ...] = ()
    differs: tuple[tuple[str, str], ...] = ()
    verdict: tuple[str, ...] = ()
    q: tuple[str, ...] = ()
    range: tuple[Between, ...] = ()
    item: tuple[str, ...] = ()

    def raters(self) -> set[str]:
        """The scorers that are named."""
        return {rater for rater, _ in (*self.says, *self.differs) if rater} | {between.rater for between in self.range}


@dataclass(frozen=True, slots=True)
class ListingQuery:
    """All that restricts a listing.

    Attributes:
        also: a further condition on ``t``, which has an item's id and places.
        alike: only these items, which are like the first of them, the most alike first; empty: any.
        furthest: items that two raters rank differently, the most differently first: what the order ``differs`` is then.
    """

    selection: Selection = field(default_factory=Selection)
    filters: Filters = field(default_factory=Filters)
    also: Where | None = None
    alike: tuple[str, ...] = ()
    furthest: tuple[str, ...] = ()


Numbers = Mapping[str, int]
"""By scorer its place in ``browse.says`` and ``browse.scores``."""


def conditions(query: ListingQuery, numbers: Numbers) -> dict[str, Where]:
    """The conditions on ``browse t`` by what they come from: a filter's name, for scorers with its name (``says:RATER``).

    A scorer that is not known says nothing.
    """
    matches: dict[str, Where] = {}
    for name in ("suite", "task", "generator", "tag"):
        if values := getattr(query.selection, name):
            matches[name] = items_condition(Selection(**{name: values}))
    if query.also:
        matches["also"] = query.also
    else:
        # both images of a pair are listed themselves; of a published vote without a prompt there may be no images
        matches["kind"] = "(t.kind <> 'pair' or t.prompt_id is null)", []
    if query.alike:
        matches["like"] = "t.item_id in (select unnest(?::varchar[]))", [list(query.alike)]
    for each in FILTERS:
        matches |= {name: each.condition(values, numbers) for name, values in each.chosen(query.filters).items()}
    return matches


def where(matches: Mapping[str, Where], without: str = "") -> Where:
    """Conditions as one, without those of this name."""
    chosen = [condition for name, condition in matches.items() if name != without]
    return " and ".join(["true", *(text for text, _ in chosen)]), [value for _, values in chosen for value in values]


def says_is(rater: str, verdict: str, numbers: Numbers) -> str:
    """That a scorer says so."""
    if rater not in numbers:
        return "false"
    no, code = numbers[rater], VERDICTS[verdict]
    if no > PACKED_SCORERS:
        return f"coalesce(t.says[{no}] = {code}, false)"
    return f"((t.verdicts >> {2 * (no - 1)}) & 3 = {PACKED_AS[code]})"


def differs_is(rater: str, kind: str, numbers: Numbers) -> str:
    """That a scorer and most people say the opposite, or that people or scorers do among themselves."""
    if kind == AMONG_PEOPLE:
        return "(t.yes > 0 and t.no > 0)"
    if kind == AMONG_SCORERS:
        return "(t.scorers_yes > 0 and t.scorers_no > 0)"
    theirs, its = ("yes", "no") if kind == MISSED else ("no", "yes")
    return f"(t.people = '{theirs}' and {says_is(rater, its, numbers)})"


Values = Sequence[Any]
"""The values of one filter, of scorers those of one."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter: the condition on the index of values of it, and what they say in English.

    Attributes:
        rater: of a filter that is one for each scorer, whose a value is.
        asks: whether it says what the prompt asks for.
    """

    name: str
    condition: Callable[[Values, Numbers], Where]
    phrase: Callable[[Values], str]
    rater: Callable[[Any], str] | None = None
    asks: bool = False

    def chosen(self, filters: Filters) -> dict[str, Values]:
        """The values that are set by the name of their condition, for scorers with the scorer's (``says:RATER``)."""
        values: dict[str, list[Any]] = {}
        for value in getattr(filters, self.name):
            values.setdefault(self.name if self.rater is None else f"{self.name}:{self.rater(value)}", []).append(value)
        return dict(values)


def among(values: Iterable[str]) -> str:
    """Alternatives in words."""
    return " or ".join(values)


def _either(tests: Iterable[str]) -> Where:
    return f"({' or '.join(tests)})", []


def _verdict(values: Values, _: Numbers) -> Where:
    decided = f"t.item_id in (select item_id from {ADJUDICATIONS}"
    either = [f"not {decided})"] if UNDECIDED in values else []
    wrong = [verdict for verdict in values if verdict != UNDECIDED]
    either += [f"{decided} where wrong in (select unnest(?::varchar[])))"] if wrong else []
    return f"({' or '.join(either)})", [wrong] if wrong else []


def _words(values: Values, _: Numbers) -> Where:
    # each word is a text to look for, never a pattern
    clause = "(contains(lower(t.item_id), ?) or t.prompt_id in (select prompt_id from prompts where contains(lower(text), ?)))"
    return " and ".join([clause] * len(values)), [word.lower() for word in values for _ in range(2)]


def _words_phrase(words: Values) -> str:
    are = "is" if len(words) == 1 else "are"
    return f"{' and '.join(f'“{word}”' for word in words)} {are} in the prompt or the id"


def _range(values: Values, numbers: Numbers) -> Where:
    if values[0].rater not in numbers:
        return "false", []
    score, tests, bounds = f"t.scores[{numbers[values[0].rater]}]", [], list[float]()
    for between in values:
        ends = [(sign, end) for sign, end in ((">=", between.low), ("<=", between.high)) if end is not None]
        within = " and ".join([f"{score} is not null", *(f"{score} {sign} ?" for sign, _ in ends)])
        tests.append(f"coalesce({within}, false)")
        bounds += [end for _, end in ends]
    return f"({' or '.join(tests)})", bounds


def _says_phrase(values: Values) -> str:
    says = [verdict for _, verdict in values]
    decided = [say for say in says if say in ("yes", "no")]
    parts = [f"says {among(decided)}"] if decided else []
    return f"{values[0][0]} {among([*parts, *(['could not look'] if 'failed' in says else [])])}"


_PEOPLE = {
    "yes": "most people say yes",
    "no": "most people say no",
    "tie": "people are evenly split",
    "none": "nobody has answered",
}
_CERTAINTY = {"unanimous": "people are unanimous", "majority": "people agree by majority", "split": "people are split"}
_ALONE = {AMONG_PEOPLE: "people differ", AMONG_SCORERS: "scorers differ"}
_VERDICT = {
    UNDECIDED: "no verdict is given",
    "scorer": "the verdict is that a scorer was wrong",
    "person": "the verdict is that people were wrong",
    "prompt": "the verdict is that the prompt is ambiguous",
    "guideline": "the verdict is that the guideline leaves it open",
}


def _differs_phrase(rater: str, kind: str) -> str:
    its, theirs = ("no", "yes") if kind == MISSED else ("yes", "no")
    return _ALONE.get(kind) or f"{rater} says {its} and most people say {theirs}"


def _bounds(between: Between) -> str:
    if between.low is None:
        return "anything" if between.high is None else f"at most {between.high:g}"
    return f"at least {between.low:g}" if between.high is None else f"{between.low:g} to {between.high:g}"


def _asks(name: str, phrase: str) -> Filter:
    asks = f"select prompt_id from prompt_parts where what = '{name}' and value in (select unnest(?::varchar[]))"
    condition = f"t.prompt_id in ({asks})"
    return Filter(name, lambda values, _: (condition, [values]), lambda values: phrase.format(among(values)), asks=True)


def _named(name: str, phrases: Mapping[str, str]) -> Filter:
    condition = f"coalesce(t.{name} in (select unnest(?::varchar[])), false)"
    return Filter(
        name, lambda values, _: (condition, [values]), lambda values: among(phrases.get(value, value) for value in values)
    )


FILTERS: Final[Sequence[Filter]] = (
    _asks("object", "{}"),
    _asks("color", "the colour {}"),
    _asks("count", "{} of a kind"),
    _asks("relation", "“{}”"),
    Filter("q", _words, _words_phrase),
    Filter(
        "says",
        lambda values, numbers: _either(says_is(rater, verdict, numbers) for rater, verdict in values),
        _says_phrase,
        rater=itemgetter(0),
    ),
    _named("people", _PEOPLE),
    _named("certainty", _CERTAINTY),
    Filter(
        "differs",
        lambda values, numbers: _either(differs_is(rater, kind, numbers) for rater, kind in values),
        lambda values: among(_differs_phrase(rater, kind) for rater, kind in values),
    ),
    Filter("verdict", _verdict, lambda values: among(_VERDICT[verdict] for verdict in values)),
    Filter(
        "range", _range, lambda values: f"{values[0].rater} scores {among(map(_bounds, values))}", rater=attrgetter("rater")
    ),
    Filter(
        "item",
        lambda values, _: ("t.item_id in (select unnest(?::varchar[]))", [list(values)]),
        lambda values: f"the link lists {'it' if len(values) == 1 else f'these {len(values)}'}",
    ),
)


def sentence(query: ListingQuery, total: int, also: str = "among those of the chosen cell or mark") -> str:
    """Return what is listed, in English: ``74 counting images by sdv2 where geneval says no and most people say yes``.

    ``also``: the words for the query's condition beside its filters.
    """
    chosen, filters = query.selection, query.filters
    words = [f"{total:,}"]
    if chosen.task:
        words.append(among([task.replace("_", " ") for task in chosen.task]))
    words.append("image" if total == 1 else "images")
    for name, before in (("suite", "of"), ("generator", "by"), ("tag", "tagged")):
        if values := getattr(chosen, name):
            words.append(f"{before} {among(values)}")
    if query.alike:
        words.append(f"most like {query.alike[0]}")
    asks = [each.phrase(values) for each in FILTERS if each.asks for values in each.chosen(filters).values()]
    if asks:
        words.append(f"whose prompt asks for {' and '.join(asks)}")
    clauses = [each.phrase(values) for each in FILTERS if not each.asks for values in each.chosen(filters).values()]
    if clauses:
        words.append(f"where {' and '.join(clauses)}")
    if query.also:
        words.append(also)
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class SavedView:
    """A kept view: the query of an address of Images, and who kept it when."""

    name: str
    query: str
    made_by: str
    moment: datetime


@transaction(shown=False)
def save_view(connection: Connection, saving_id: str, name: str, query: str | None, by: str) -> bool:
    """Keep a view under this name, in the place of one that has it; query None: let go of it. False if it was sent before.

    Raises:
        Erased: the person has been erased from the project.
    """
    if rows.first(connection, "select 1 from saved_views where saving_id = ?", [saving_id]):
        return False
    refuse(connection, [by])
    rows.add(connection, "saved_views", saving_id=saving_id, name=name, query=query, made_by=by, moment=datetime.now(UTC))
    return True


def saved_views(store: Store) -> list[SavedView]:
    """All views, by their names."""
    return store.query_records(
        SavedView,
        "select name, query, made_by, moment from (from saved_views"
        " qualify row_number() over (partition by name order by seq desc) = 1) where query is not null order by name",
    )
