"""Tables as files: written as CSV that any reader takes, Parquet with types, or JSON lines. ``rows`` reads them back."""

from __future__ import annotations

import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, Final, Literal

import pandas as pd

from data.export import TableFormat
from data.tables import escape_formula

Kind = Literal["text", "real", "whole", "truth", "moment", "json"]
Columns = Mapping[str, Kind]
"""A table's columns in their order, and what stands in them; any cell may be empty. ``json``: a text that is JSON."""
Put = Callable[[pd.DataFrame], None]

_TO_BE_QUOTED: Final = re.compile(r'[",\r\n]')


class _Writer(ABC):
    """Writes a table bit by bit."""

    def __init__(self, file: IO[bytes], columns: Columns) -> None:
        self._file = file
        self._columns = columns

    @abstractmethod
    def put(self, table: pd.DataFrame) -> None:
        """Add these rows."""

    def end(self) -> None:  # noqa: B027 - most have nothing left to do
        """All rows are there."""


class _Csv(_Writer):
    """RFC 4180 with LF line ends, in UTF-8 without a byte order mark; an empty cell is None, NaN or an empty text.

    Nothing is lost: real numbers are the shortest decimals that read back as the same double, times are ISO 8601 in UTC, and
    texts are as ``data.tables`` has them, so that no spreadsheet takes a stranger's text for a formula.
    """

    def __init__(self, file: IO[bytes], columns: Columns) -> None:
        super().__init__(file, columns)
        file.write(f"{','.join(columns)}\n".encode())

    def put(self, table: pd.DataFrame) -> None:
        texts = [_written(table[name], _WRITE[kind], "") for name, kind in self._columns.items()]
        self._file.write("".join(f"{','.join(cells)}\n" for cells in zip(*texts, strict=True)).encode())


class _Parquet(_Writer):
    """The same with types: strings (JSON, too), doubles, 64-bit integers, booleans, and microseconds in UTC."""

    def __init__(self, file: IO[bytes], columns: Columns) -> None:
        from pyarrow import parquet as files

        super().__init__(file, columns)
        self._schema = arrow_schema(columns)
        self._out = files.ParquetWriter(file, self._schema)

    def put(self, table: pd.DataFrame) -> None:
        import pyarrow as pa

        named = table[list(self._columns)]
        self._out.write_table(pa.Table.from_pandas(named, self._schema, preserve_index=False).replace_schema_metadata())

    def end(self) -> None:
        self._out.close()


class _JsonLines(_Writer):
    """An object a line, with every column; an empty cell is null, JSON stands as it is, times are as in CSV."""

    def put(self, table: pd.DataFrame) -> None:
        names = [f"{json.dumps(name)}:" for name in self._columns]
        texts = [_written(table[name], _WRITE_JSON[kind], "null") for name, kind in self._columns.items()]
        lines = (",".join(map("".join, zip(names, cells, strict=True))) for cells in zip(*texts, strict=True))
        self._file.write("".join(f"{{{line}}}\n" for line in lines).encode())


_WRITERS: Final[Mapping[TableFormat, type[_Writer]]] = {
    TableFormat.CSV: _Csv,
    TableFormat.PARQUET: _Parquet,
    TableFormat.JSONL: _JsonLines,
}
FORMATS: Final = tuple(str(form) for form in TableFormat)
"""The names of the formats."""


@contextmanager
def writing(form: str, file: IO[bytes], columns: Columns) -> Iterator[Put]:
    """Write a table of this format bit by bit: give each part to what this yields."""
    writer = _WRITERS[TableFormat(form)](file, columns)
    try:
        yield writer.put
    finally:
        writer.end()


def file_of(form: str, table: pd.DataFrame, columns: Columns) -> bytes:
    """A whole table as a file's content, by the name of the format."""
    out = io.BytesIO()
    with writing(form, out, columns) as put:
        put(table)
    return out.getvalue()


def arrow_schema(columns: Columns) -> Any:
    """The columns' types in Parquet."""
    import pyarrow as pa

    types = {
        "text": pa.string(),
        "json": pa.string(),
        "real": pa.float64(),
        "whole": pa.int64(),
        "truth": pa.bool_(),
        "moment": pa.timestamp("us", tz="UTC"),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


def _text(value: Any) -> str:
    text = escape_formula(str(value))
    return '"' + text.replace('"', '""') + '"' if _TO_BE_QUOTED.search(text) else text


def _moment(value: Any) -> str:
    return pd.Timestamp(value).tz_convert("UTC").isoformat()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _written(values: pd.Series[Any], write: Callable[[Any], str], empty: str) -> list[str]:
    """A column's cells as text; ``empty`` stands for a missing value."""
    return [empty if none else write(value) for value, none in zip(values.tolist(), values.isna().tolist(), strict=True)]


_WRITE: Final[Mapping[Kind, Callable[[Any], str]]] = {
    "text": _text,
    "json": _text,
    "real": lambda value: repr(float(value)),
    "whole": lambda value: str(int(value)),
    "truth": lambda value: "true" if value else "false",
    "moment": _moment,
}
_WRITE_JSON: Final[Mapping[Kind, Callable[[Any], str]]] = {
    **_WRITE,
    "text": lambda value: _json(str(value)),
    # laid out anew, on one line
    "json": lambda value: _json(json.loads(value)),
    # JSON knows no infinity
    "real": lambda value: repr(float(value)) if abs(float(value)) != float("inf") else f'"{float(value)!r}"',
    "moment": lambda value: _json(_moment(value)),
}
