"""Tables to files: CSV that any reader takes, and Parquet with types."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import pandas as pd

Kind = Literal["text", "real", "whole", "truth", "moment"]
Columns = Mapping[str, Kind]
"""A table's columns in their order, and what stands in them; any cell may be empty."""

_TO_BE_QUOTED: Final = re.compile(r'[",\r\n]')


def csv(table: pd.DataFrame, columns: Columns) -> bytes:
    """RFC 4180 with LF line ends, in UTF-8 without a byte order mark; an empty cell is None, NaN or an empty text.

    Nothing is lost: real numbers are the shortest decimals that read back as the same double, times are ISO 8601 in UTC,
    and texts stay as they are. So do those that a spreadsheet takes for formulas (``=1+1``): whoever opens a file with
    strangers' texts in one should import its columns as text.
    """
    texts = [_texts(table[name], kind) for name, kind in columns.items()]
    lines = [",".join(columns), *(",".join(cells) for cells in zip(*texts, strict=True))]
    return "".join(f"{line}\n" for line in lines).encode()


def parquet(table: pd.DataFrame, columns: Columns) -> bytes:
    """The same with types: strings, doubles, 64-bit integers, booleans, and microseconds in UTC."""
    import pyarrow as pa
    from pyarrow import parquet as files

    types = {
        "text": pa.string(),
        "real": pa.float64(),
        "whole": pa.int64(),
        "truth": pa.bool_(),
        "moment": pa.timestamp("us", tz="UTC"),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    out = io.BytesIO()
    files.write_table(pa.Table.from_pandas(table, schema, preserve_index=False).replace_schema_metadata(), out)
    return out.getvalue()


WRITERS: Final[Mapping[str, Callable[[pd.DataFrame, Columns], bytes]]] = {"csv": csv, "parquet": parquet}
"""By the name of the format."""


def _texts(values: pd.Series[Any], kind: Kind) -> list[str]:
    write = _WRITE[kind]
    return ["" if empty else write(value) for value, empty in zip(values.tolist(), values.isna().tolist(), strict=True)]


def _text(value: Any) -> str:
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if _TO_BE_QUOTED.search(text) else text


_WRITE: Final[Mapping[Kind, Callable[[Any], str]]] = {
    "text": _text,
    "real": lambda value: repr(float(value)),
    "whole": lambda value: str(int(value)),
    "truth": lambda value: "true" if value else "false",
    "moment": lambda value: pd.Timestamp(value).tz_convert("UTC").isoformat(),
}
