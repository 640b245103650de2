"""Ratings of a file as columns of a database: what must hold of every row is asked in SQL.

Python sees distinct texts (values, raters, items) and the rows that are wrong, so that a million ratings need no million
records. A small file and a large one go the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from data.files import MAX_PROBLEMS, InputError, Problems, located, quoted
from data.ratings.rating_tables import RatedItem, RatingColumns
from data.records import Judgement
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store
from data.tables import TextTable, require_columns

if TYPE_CHECKING:
    import pyarrow as pa

_NO_NAMES: Final = ("nan", "none", "null", "n/a", "#n/a")
"""What programs write where there is no name, in any letter case."""
_DESCRIBED: Final = ("prompt", "generator", "index", "task")


@dataclass(frozen=True, slots=True)
class RatingCell:
    """A rating as it is written: its line and column, and whose it is of what."""

    line: int
    column: str
    item: str
    rater: str
    text: str


@dataclass(frozen=True, slots=True)
class Repeats:
    """Ratings of a rater of an item beside their first: how many there are, and how many have another value."""

    count: int
    different: int


@dataclass(frozen=True, slots=True)
class StoredBefore:
    """Ratings whose item and rater the project has a value of already.

    Attributes:
        count: how many; ``different``: of how many the value is another one.
        import_ids: the imports that brought those other values.
    """

    count: int
    different: int
    import_ids: tuple[int, ...]


class FileRatings:
    """The ratings of one table, in temporary tables of a connection."""

    def __init__(self, connection: Connection, table: TextTable, columns: RatingColumns) -> None:
        """Load the columns that are needed.

        Raises:
            InputError: a column is missing, or there are no rows.
        """
        require_columns(table, columns.needed)
        if not table.records:
            raise InputError(located(table.path, None, "a header, but no ratings"))
        self._connection, self._path, self._columns = connection, table.path, columns
        self._value_columns = columns.raters or tuple(columns.items.values()) or (columns.value,)
        self._load(table)

    def _load(self, table: TextTable) -> None:
        import pyarrow as pa

        named = {name: f"c{n}" for n, name in enumerate(self._columns.needed)}
        loaded: dict[str, Any] = {
            "row": pa.array(range(len(table.records)), pa.int64()),
            "line": pa.array(table.lines(), pa.int64()),
        }
        loaded |= {named[name]: column for name, column in table.columns(list(named)).items()}
        self._connection.register("incoming", pa.table(loaded))
        self._connection.execute("create or replace temp table file_cells as select * from incoming")
        self._connection.unregister("incoming")
        described = ", ".join(
            f"nullif({named[name]}, '') as \"{what}\""
            if (name := getattr(self._columns, what))
            else f'null::varchar as "{what}"'
            for what in _DESCRIBED
        )
        parts = [named[name] for name in self._columns.item]
        every_part = f"[{', '.join(parts)}]" if len(parts) > 1 else "null::varchar[]"
        n = len(self._value_columns)
        # a row for each rating: a table with a column for each rater, or each item, has several in a row
        self._ratings = " union all ".join(
            f"select row * {n} + {place} as n, line, {place} as place,"
            f" {f'$i{place}::varchar' if self._columns.items else ' || chr(124) || '.join(parts)} as item,"
            f" {every_part} as parts,"
            f" {f'$r{place}::varchar' if self._columns.raters else named[self._columns.rater]} as rater,"
            f" {named[value]} as text, {described} from file_cells"
            for place, value in enumerate(self._value_columns)
        )
        self._names = {f"r{n}": name for n, name in enumerate(self._columns.raters)}
        self._names |= {f"i{n}": name for n, name in enumerate(self._columns.items)}

    def texts(self) -> dict[str, int]:
        """Return the distinct texts of the values and how often each stands there, in the order of their first places."""
        query = f"select text, count(*) from ({self._ratings}) group by text order by min(n)"
        self._texts: dict[str, int] = rows.mapping(self._connection, query, self._names)
        return self._texts

    def leave_out(self, texts: Collection[str]) -> int:
        """Leave out the ratings with these texts, whatever their rows say of items and raters; returns how many are left."""
        self._connection.execute(
            f"create or replace temp table file_ratings as select * from ({self._ratings})"
            " where text not in (select unnest($missing::varchar[]))",
            {**self._names, "missing": list(texts)},
        )
        self._connection.execute("drop table file_cells")
        (count,) = rows.column(self._connection, "select count(*) from file_ratings")
        return int(count)

    def check(self) -> None:
        """Check that each rating has an item and a rater, and that an item is described the same on all lines.

        Raises:
            InputError: it is not so; the first lines that are wrong are named.
        """
        self._connection.execute(
            "create or replace temp table file_items as select r.*, f.count from file_ratings r"
            " join (select min(n) as n, count(*) as count from file_ratings group by item) f using (n)"
        )
        problems = Problems(self._path)
        for row in rows.dicts(self._connection, self._offending()):
            with problems.at(row["line"]):
                raise ValueError(self._problem(row))
        problems.check()

    def _offending(self) -> str:
        several = len(self._columns.item) > 1
        parts = [f"parts[{n}]" for n in range(1, len(self._columns.item) + 1)] if several else ["item"]
        no_item = " or ".join(map(_names_nobody, parts))
        wrong = [f"r.rater in (select rater from (select distinct rater from file_ratings) where {_names_nobody('rater')})"]
        wrong.append(f"r.item in (select item from file_items where {no_item})")
        other = ["r.parts is distinct from f.parts"] if several else []
        other += [f'r."{what}" is distinct from f."{what}"' for what in _DESCRIBED if getattr(self._columns, what)]
        first = ", ".join(f'f."{what}" as first_{what}' for what in ("line", "parts", *_DESCRIBED))
        return (
            f"select r.*, {first} from file_ratings r join file_items f on f.item = r.item"
            f" where {' or '.join([*wrong, *other])} order by r.n limit {MAX_PROBLEMS}"
        )

    def _problem(self, row: Mapping[str, Any]) -> str:
        """Return what is wrong with a row, in words."""
        named = [(name, row["item"] if row["parts"] is None else part) for name, part in self._parts(row)]
        for column, text in named:
            if _is_nameless(text):
                return _nameless(column, text)
        item, first = quoted(row["item"]), row["first_line"]
        if row["parts"] != row["first_parts"]:
            return f"two items have the name {item} (the other on line {first}); avoid '|' in the item columns"
        for what in _DESCRIBED:
            if row[what] != row[f"first_{what}"]:
                column = quoted(getattr(self._columns, what))
                return (
                    f"item {item} has {column} {quoted(row[what] or '')} here, but {quoted(row[f'first_{what}'] or '')}"
                    f" on line {first}; it must be the same on all lines"
                )
        return _nameless(self._columns.rater, row["rater"])

    def _parts(self, row: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the columns of a row's item with what stands there."""
        return list(zip(self._columns.item, row["parts"] or [row["item"]], strict=False))

    def raters(self) -> dict[str, int]:
        """Return the raters as they are written and how many ratings each has, in the order of their first."""
        return rows.mapping(self._connection, "select rater, count(*) from file_ratings group by rater order by min(n)")

    def items(self) -> tuple[list[RatedItem], dict[str, int]]:
        """Return the items as they are first named, and how many ratings each has."""
        query = 'select line, item, prompt, generator, "index", task, count from file_items order by n'
        records = self._connection.execute(query).fetchall()
        return [RatedItem(*record[:6]) for record in records], {record[1]: record[6] for record in records}

    def with_texts(self, texts: Collection[str]) -> list[RatingCell]:
        """Return the first ratings with these texts (spaces around them aside), in the file's order: as many as a message
        names."""
        written = [text for text in self._texts if text.strip() in texts]
        cells = rows.dicts(
            self._connection,
            "select line, place, item, rater, text from file_ratings where text in (select unnest($1::varchar[]))"
            f" order by n limit {MAX_PROBLEMS}",
            [written],
        )
        return [RatingCell(c["line"], self._value_columns[c["place"]], c["item"], c["rater"], c["text"]) for c in cells]

    def stored_ratings(
        self, values: Mapping[str, Sequence[int]], raters: Mapping[str, str], items: Mapping[str, str]
    ) -> pa.Table:
        """Return the ratings as they are stored: position, item_id, rater_id and value.

        Args:
            values: by text the numbers of the values that it stands for: one for each aspect.
            raters: the raters' ids by what the file calls them.
            items: the items' ids, likewise; one that is not named keeps its name.
        """
        import pyarrow as pa

        numbered = [(text, place, number) for text, numbers in values.items() for place, number in enumerate(numbers)]
        maps = {
            "file_values": [("text", pa.string()), ("part", pa.int32()), ("value", pa.int32())],
            "file_raters": [("rater", pa.string()), ("rater_id", pa.string())],
            "file_ids": [("item", pa.string()), ("item_id", pa.string())],
        }
        for (name, columns), pairs in zip(maps.items(), (numbered, raters.items(), items.items()), strict=True):
            listed: list[tuple[Any, ...]] = [*pairs]
            arrays = {column: pa.array([row[n] for row in listed], kind) for n, (column, kind) in enumerate(columns)}
            self._connection.register(name, pa.table(arrays))
        self._connection.execute(
            "create or replace temp table file_placed as"
            " select row_number() over (order by n, part) - 1 as position, n, part, coalesce(item_id, item) as item_id,"
            " rater_id, value from file_ratings join file_values using (text) join file_raters using (rater)"
            " left join file_ids using (item)"
        )
        for name in maps:
            self._connection.unregister(name)
        self._connection.execute("drop table file_ratings")
        self._several = any(len(numbers) > 1 for numbers in values.values())
        return self._connection.sql(
            "select position, item_id, rater_id, value from file_placed order by position"
        ).to_arrow_table()

    def repeats(self) -> Repeats:
        """Return how many ratings repeat a rater's rating of an item."""
        (row,) = rows.dicts(
            self._connection,
            f"with whole as ({_WHOLE if self._several else 'select n, item_id, rater_id, value from file_placed'}),"
            " firsts as (select item_id, rater_id, arg_min(value, n) as value, count(*) as count from whole group by all"
            " having count(*) > 1)"
            " select (select coalesce(sum(count - 1), 0) from firsts)::bigint as count,"
            " (select count(*) from whole w join firsts f using (item_id, rater_id) where w.value is distinct from f.value)"
            " as different",
        )
        return Repeats(row["count"], row["different"])

    def stored_before(self, suite: str, judgements: Sequence[Judgement]) -> StoredBefore:
        """Return how many of the ratings that count repeat what the project has; ``judgements``: those of the values."""
        import pyarrow as pa

        values = pa.table(
            {
                "value": pa.array(range(len(judgements)), pa.int32()),
                "aspect": pa.array([judgement.aspect for judgement in judgements], pa.string()),
                "label": pa.array([judgement.reason or judgement.label for judgement in judgements], pa.string()),
                "number": pa.array([judgement.value for judgement in judgements], pa.float64()),
            }
        )
        self._connection.register("file_judgements", values)
        (row,) = rows.dicts(self._connection, _STORED_BEFORE, [suite])
        self._connection.unregister("file_judgements")
        return StoredBefore(row["count"], row["different"], tuple(row["import_ids"] or ()))


# of ratings that say something of several aspects
_WHOLE: Final = (
    "select n, any_value(item_id) as item_id, any_value(rater_id) as rater_id, list(value order by part) as value"
    " from file_placed group by n"
)
_STORED_BEFORE: Final = """
with placed as (
    select p.item_id, p.rater_id, j.aspect, arg_min(p.value, p.position) as value
    from file_placed p join file_judgements j using (value) group by all
),
earlier as (
    select j.item_id, j.rater_id, j.aspect, arg_min({'label': coalesce(j.reason, j.label), 'number': j.value,
           'import_id': coalesce(a.import_id, e.import_id)}, j.seq) as first
    from judgements j join items t using (item_id)
    left join annotations a on a.annotation_id = j.source_id left join evidence e on e.evidence_id = j.source_id
    where t.suite = ? and j.target is null and j.aspect in (select aspect from file_judgements)
      and (j.item_id, j.rater_id) in (select (item_id, rater_id) from placed)
    group by all
),
met as (
    select e.first.import_id as import_id, (e.first.label, e.first.number) is distinct from (v.label, v.number) as different
    from placed p join earlier e using (item_id, rater_id, aspect) join file_judgements v on v.value = p.value
)
select count(*) as count, count(*) filter (different) as different,
       list_sort(list(distinct import_id) filter (different and import_id is not null)) as import_ids
from met
"""


def _names_nobody(expression: str) -> str:
    """Return the condition that a text is empty (what ``str.strip`` makes nothing of), or a program's word for no name."""
    blank = rf"regexp_full_match({expression}, '[\t-\r\x1c-\x20\x{{85}}\pZ]*')"
    return f"({blank} or lower(trim({expression})) in {_NO_NAMES})"


def _is_nameless(text: str) -> bool:
    return not text.strip() or text.strip().casefold() in _NO_NAMES


def _nameless(column: str, text: str) -> str:
    what = "is empty" if not text.strip() else f"is {quoted(text)}"
    return f"column {quoted(column)} {what}; every rating needs its item and its rater"


@contextmanager
def file_ratings(store: Store, table: TextTable, columns: RatingColumns) -> Iterator[FileRatings]:
    """Load a table's ratings beside a project's, for as long as the context lasts."""
    with store.read() as cursor:
        ratings = FileRatings(cursor, table, columns)
        # its rows are in the database now
        del table
        yield ratings
