"""Grids of items: pages in an order, the neighbours of an item, and a row for each prompt with every generator's images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from data.browsing import VERDICTS
from data.selection import PEOPLE
from data.store.browse import index_refresh
from data.store.browse.filters import ListingQuery, Numbers, conditions, where
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store

Order = Literal["prompt", "lowest", "highest", "split", "differs", "confidence", "likert", "recent"]

# Only blind, valid answers: what people say is never mixed with what imitations say.
VALUES_SQL = """
select item_id, avg(value) as mean, count(*) as n, var_pop(value) as spread
from (
    -- of one person's repeated answers the first counts, as in every statistic
    select j.item_id, j.value
    from judgements j join raters r using (rater_id) left join annotations a on a.annotation_id = j.source_id
    where case ? when 'people' then r.kind = 'human' and not r.simulated
        when 'simulated people' then r.kind = 'human' and r.simulated else r.rater_id = ? end
      and j.aspect = ? and j.reason is null
      and coalesce(a.status, 'valid') = 'valid' and not coalesce(a.saw_evidence, false)
      and not coalesce(a.selected, false)
    qualify row_number() over (partition by j.item_id, j.rater_id, j.target order by j.seq) = 1
)
where value is not null
group by item_id
"""

# Each order's key; what has none comes last, and what has the same is in order of its ids.
ORDERS: Final[dict[str, str]] = {
    # what can be looked at first
    "prompt": "case when t.pictured then 0 else 1 end",
    "lowest": "{mean}",
    "highest": "-({mean})",
    "split": "-({spread})",
    "differs": "-({differs})",
    "confidence": "{confidence}",
    "likert": "-({gap})",
    "recent": "-t.moved",
}
_FEW: Final = 200
_NO_KEY: Final = "'inf'::double"


@dataclass(frozen=True, slots=True)
class YesNoCount:
    """The number of people who say yes, and who say no."""

    yes: int
    no: int


@dataclass(frozen=True, slots=True)
class GridItem:
    """An item as a grid shows it.

    Attributes:
        idx: the image's number among those of its prompt and generator.
        text, spec: the prompt's; None without a prompt.
        sha256: of the picture; None without one.
        blanked: why the picture is blank; None if it is not.
        people: what they say on ``correct``.
        mean, n: the mean and the number of the shown rater's values of the shown aspect; None without any.
        fits: whether the listing has the item; in a row by prompt others stand beside it.
    """

    item_id: str
    suite: str
    task: str | None
    generator: str | None
    idx: int | None
    text: str | None
    spec: Mapping[str, Any] | None
    sha256: str | None
    blanked: str | None
    tags: Sequence[str]
    people: YesNoCount
    mean: float | None = None
    n: int | None = None
    fits: bool = True


@dataclass(frozen=True, slots=True)
class ItemPage:
    """One page of items and how many there are in all."""

    rows: list[GridItem]
    total: int


@dataclass(frozen=True, slots=True)
class ListingDisplay:
    """Whose values of which aspect a listing shows, and in which order it stands.

    Attributes:
        rater: ``people`` (real ones, together), ``simulated people`` or one rater's name.
    """

    aspect: str = "correct"
    rater: str = PEOPLE
    order: Order = "prompt"


SHOWN: Final = ListingDisplay()
"""What a listing shows where nothing is asked for."""


@dataclass(frozen=True, slots=True)
class ListingSql:
    """A listing in SQL: what it is read from, which of it, and each row's number, count and key of the order.

    Attributes:
        source: tables from ``browse t`` on, with ``of_source`` as parameters.
    """

    source: str
    of_source: list[Any]
    condition: str
    parameters: list[Any]
    mean: str
    n: str
    key: str

    @property
    def text(self) -> str:
        return f"from {self.source} where {self.condition}"

    @property
    def values(self) -> list[Any]:
        return [*self.of_source, *self.parameters]


def scorer_numbers(cursor: Connection) -> dict[str, int]:
    """By scorer its place in the wide rows' lists."""
    return dict(cursor.execute("select rater_id, no from browse_raters join raters using (rater_id) order by no").fetchall())


def listing_sql(query: ListingQuery, shown: ListingDisplay, numbers: Numbers) -> ListingSql:
    """A listing in SQL."""
    condition, parameters = where(conditions(query, numbers))
    source, of_source, mean, n, spread = _value_sql(shown, numbers)
    no = numbers.get(shown.rater)
    key = ORDERS[shown.order].format(
        mean=mean, spread=spread, differs=_differs(no), confidence=_confidence(no), gap="g.gap" if no else "null::double"
    )
    if shown.order == "likert" and no:
        source += f" left join ({_GAP.format(score=f's.scores[{no}]')}) g on g.item_id = t.item_id"
    listed = query.alike if shown.order == "prompt" else query.furthest if shown.order == "differs" else ()
    if listed:
        # the list is an order of its own, unless another is asked for
        source += " left join (select unnest(?::varchar[]) as item_id, unnest(range(?)) as place) l on l.item_id = t.item_id"
        of_source = [*of_source, list(listed), len(listed)]
        key = "l.place::double"
    return ListingSql(source, of_source, condition, parameters, mean, n, f"coalesce({key}, {_NO_KEY})")


def _value_sql(shown: ListingDisplay, numbers: Numbers) -> tuple[str, list[Any], str, str, str]:
    """Where the shown values are read from: in wide rows, or, where these do not hold them, in judgements."""
    no = numbers.get(shown.rater)
    if shown.aspect == "correct" and shown.rater == PEOPLE:
        return "browse t", [], "t.mean", "nullif(t.n, 0)", "t.spread"
    if no and shown.aspect in ("correct", "score"):
        verdict = f"case t.says[{no}] when 1 then 1::double when 0 then 0::double end"
        value = f"t.scores[{no}]" if shown.aspect == "score" else verdict
        return "browse t", [], f"({value})", f"case when ({value}) is not null then 1 end", f"(({value}) * 0)"
    source = f"browse t left join ({VALUES_SQL}) h on h.item_id = t.item_id"
    return source, [shown.rater, shown.rater, shown.aspect], "h.mean", "h.n", "h.spread"


def _differs(no: int | None) -> str:
    """How far people and the shown scorer are apart, 0 to 1; or people and all scorers, then scorers among themselves."""
    if no:
        return f"case t.says[{no}] when 1 then 1 - t.mean when 0 then t.mean end"
    all_of_them = "(t.scorers_yes + t.scorers_no)"
    apart = f"(t.scorers_yes * (1 - t.mean) + t.scorers_no * t.mean) / nullif({all_of_them}, 0)"
    # people alone, or scorers alone, say less: they come after
    alone = f"least(t.scorers_yes, t.scorers_no) / nullif({all_of_them}, 0) - 1"
    return f"coalesce({apart}, least(t.yes, t.no) / nullif(t.yes + t.no, 0) - 1, {alone})"


def _confidence(no: int | None) -> str:
    """How far a score is from where the scorer's yes and no meet; without verdicts, from the middle of its scores."""
    if not no:
        return "null::double"
    score, says = f"s.scores[{no}]", f"s.says[{no}]"
    meet = f"(max({score}) filter ({says} = 0) + min({score}) filter ({says} = 1)) / 2"
    return f"abs(t.scores[{no}] - (select coalesce({meet}, median({score})) from browse s where {score} is not null))"


# Ranks among all that has both, of one suite: people answer on one scale there. Scores are ranked in narrow bins, those of one
# bin alike, which spares sorting them; people's means have few values.
_BINS: Final = 4096
_GAP: Final = f"""
with paired as (
    select s.item_id, s.suite, s.likert, floor(({{score}} - low) / nullif(high - low, 0) * {_BINS})::integer as bin
    from browse s, (select min({{score}}) as low, max({{score}}) as high from browse s where s.likert is not null)
    where {{score}} is not null and s.likert is not null
),
by_score as (
    select suite, bin, (sum(n) over (partition by suite order by bin) - n / 2) / sum(n) over (partition by suite) as rank
    from (select suite, bin, count(*) as n from paired group by all)
),
by_people as (
    select suite, likert, (sum(n) over (partition by suite order by likert) - n / 2) / sum(n) over (partition by suite) as rank
    from (select suite, likert, count(*) as n from paired group by all)
)
select item_id, abs(m.rank - p.rank) as gap
from paired b join by_score m on m.suite = b.suite and m.bin is not distinct from b.bin
join by_people p on p.suite = b.suite and p.likert = b.likert
"""


def items(store: Store, query: ListingQuery, shown: ListingDisplay = SHOWN, *, offset: int = 0, limit: int = 60) -> ItemPage:
    """Items with prompt, file hash, and what was said of the shown aspect: the mean and the number of values; with their
    ``tags``, and how many ``people`` say yes and no on ``correct``."""
    index_refresh.catch_up(store)
    with store.read() as cursor:
        made = listing_sql(query, shown, scorer_numbers(cursor))
        records = cursor.execute(
            f"select t.item_id, {made.mean} as mean, {made.n} as n {made.text} order by {made.key}, t.item_id limit ? offset ?",
            [*made.values, limit, offset],
        ).fetchall()
        total = rows.value(cursor, f"select count(*) from browse t where {made.condition}", made.parameters)
        details = describe_items(cursor, [row[0] for row in records])
    return ItemPage([replace(details[item_id], mean=mean, n=n) for item_id, mean, n in records], int(total))


def scorer_verdicts(store: Store, item_ids: Sequence[str], scorers: Set[str] | None = None) -> dict[str, dict[str, str]]:
    """By item what these scorers (None: all) say of it on ``correct``: yes, no or failed, by their names."""
    if not item_ids:
        return {}
    words = {code: verdict for verdict, code in VERDICTS.items()}
    with store.read() as cursor:
        numbers = {name: no for name, no in scorer_numbers(cursor).items() if scorers is None or name in scorers}
        if not numbers:
            return {}
        columns = ", ".join(f"says[{no}]" for no in numbers.values())
        marks = ", ".join("?" * len(item_ids))
        records = cursor.execute(f"select item_id, {columns} from browse where item_id in ({marks})", list(item_ids)).fetchall()
    return {
        item_id: {name: words[code] for name, code in zip(numbers, codes, strict=True) if code in words}
        for item_id, *codes in records
    }


def describe_items(cursor: Connection, item_ids: Sequence[str]) -> dict[str, GridItem]:
    """Return what a grid shows of items besides the values of its aspect, by id."""
    if not item_ids:
        return {}
    # few ids as constants: the database looks these up, and reads all for others
    few = len(item_ids) <= _FEW
    marks = ", ".join("?" * len(item_ids)) if few else "select unnest(?::varchar[])"
    ids = list(item_ids) if few else [list(item_ids)]
    records = rows.dicts(
        cursor,
        "select t.item_id, t.suite, t.task, t.generator, t.idx, t.prompt_id, t.yes, t.no from browse t"
        f" where t.item_id in ({marks})",
        ids,
    )
    files = rows.dicts(cursor, f"select image_id, sha256, blanked from images where image_id in ({marks})", ids)
    file_of = {row["image_id"]: row for row in files}
    texts = rows.existing(
        cursor, "prompts", "prompt_id", ["text", "spec"], sorted({row["prompt_id"] for row in records if row["prompt_id"]})
    )
    of_items = "select item_id, list(tag order by tag) from tagged where item_id in (select unnest(?::varchar[])) group by 1"
    tagged = rows.mapping(cursor, of_items, [list(item_ids)])
    items = {}
    for row in records:
        file, prompt = file_of.get(row["item_id"], {}), texts.get(row["prompt_id"] or "", {})
        items[row["item_id"]] = GridItem(
            row["item_id"],
            row["suite"],
            row["task"],
            row["generator"],
            row["idx"],
            prompt.get("text"),
            rows.from_json(prompt.get("spec")),
            file.get("sha256"),
            file.get("blanked"),
            tagged.get(row["item_id"], []),
            YesNoCount(row["yes"], row["no"]),
        )
    return items


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where an item stands in a listing. Each neighbour: its id, and whether the listing shows a value of it.

    Attributes:
        place: from 1 on, of ``total``; 0: it is not in the listing.
    """

    place: int
    total: int
    previous: tuple[str, bool] | None = None
    following: tuple[str, bool] | None = None


def neighbours(store: Store, item_id: str, query: ListingQuery, shown: ListingDisplay = SHOWN) -> Neighbours | None:
    """What comes before and after an item in the order of ``items``, also of one that is not among them any more (place 0).

    None: there is no such item.
    """
    index_refresh.catch_up(store)
    with store.read() as cursor:
        made = listing_sql(query, shown, scorer_numbers(cursor))
        row = f"select t.item_id, {made.key} as key, ({made.mean}) is not null as said {made.text}"
        mine = cursor.execute(
            f"select {made.key}, {made.condition} from {made.source} where t.item_id = ?",
            [*made.parameters, *made.of_source, item_id],
        ).fetchone()
        if mine is None:
            return None
        at = [mine[0], mine[0], item_id]
        before, after = "(key < ? or (key = ? and item_id < ?))", "(key > ? or (key = ? and item_id > ?))"
        position, total = cursor.execute(
            f"select count(*) filter ({before}) + 1, count(*) from ({row})", [*at, *made.values]
        ).fetchone() or (0, 0)
        sides = [
            cursor.execute(
                f"select item_id, said from ({row}) where {test} order by key {how}, item_id {how} limit 1", [*made.values, *at]
            ).fetchone()
            for test, how in ((before, "desc"), (after, "asc"))
        ]
    position = position if mine[1] else 0
    previous, following = ((side[0], bool(side[1])) if side else None for side in sides)
    return Neighbours(int(position), int(total), previous, following)


@dataclass(frozen=True, slots=True)
class PromptRow:
    """A prompt and all its images by generator, in order of their index."""

    prompt_id: str
    text: str | None
    task: str | None
    cells: dict[str, list[GridItem]]


@dataclass(frozen=True, slots=True)
class PromptPage:
    """One page of rows; ``generators``: the columns, all that any row of the listing may have."""

    rows: list[PromptRow]
    generators: list[str]
    total: int


def prompt_rows(
    store: Store, query: ListingQuery, shown: ListingDisplay, *, columns: Sequence[str] = (), offset: int = 0, limit: int = 20
) -> PromptPage:
    """Prompts of which any image fits, in the listing's order (of a prompt's images that fit the first counts).

    ``columns``: only these generators' images; else those of the selection's generators, or of all.
    """
    index_refresh.catch_up(store)
    with store.read() as cursor:
        made = listing_sql(query, shown, scorer_numbers(cursor))
        fits = f"{made.text} and t.prompt_id is not null"
        records = cursor.execute(
            f"select t.prompt_id, count(*) over () as total {fits} group by t.prompt_id"
            f" order by min({made.key}), t.prompt_id limit ? offset ?",
            [*made.values, limit, offset],
        ).fetchall()
        total = records[0][1] if records else 0
        if offset and not records:
            counted = f"select count(distinct t.prompt_id) from browse t where {made.condition}"
            total = int(rows.value(cursor, counted, made.parameters))
        prompts = [row[0] for row in records]
        wanted = list(columns or query.selection.generator)
        cells = cursor.execute(
            f"select t.item_id, t.prompt_id, t.generator, coalesce({made.condition}, false) as fits from browse t"
            " where t.prompt_id in (select unnest(?::varchar[])) and t.kind = 'image' and t.generator is not null"
            " and (len(?::varchar[]) = 0 or list_contains(?::varchar[], t.generator))"
            " order by t.generator, t.idx nulls last, t.item_id",
            [*made.parameters, prompts, wanted, wanted],
        ).fetchall()
        details = describe_items(cursor, [row[0] for row in cells])
        judged = cursor.execute(
            f"select t.item_id, {made.mean} as mean, {made.n} as n from {made.source}"
            " where t.prompt_id in (select unnest(?::varchar[])) and t.kind = 'image'",
            [*made.of_source, prompts],
        ).fetchall()
        texts = rows.existing(cursor, "prompts", "prompt_id", ["text", "task"], prompts)
        generators = wanted
        if not generators:
            # whose images the suites of the listing have
            generators = rows.column(
                cursor,
                "select distinct generator from browse where kind = 'image' and generator is not null"
                " and (len(?::varchar[]) = 0 or list_contains(?::varchar[], suite)) order by generator",
                [list(query.selection.suite)] * 2,
            )
    made_rows = {
        name: PromptRow(**texts.get(name, {"prompt_id": name, "text": None, "task": None}), cells={}) for name in prompts
    }
    values = {item_id: (mean, n) for item_id, mean, n in judged}
    for item_id, prompt_id, generator, fit in cells:
        mean, n = values[item_id]
        cell = replace(details[item_id], mean=mean, n=n, fits=bool(fit))
        made_rows[prompt_id].cells.setdefault(generator, []).append(cell)
    return PromptPage(list(made_rows.values()), list(generators), int(total))
