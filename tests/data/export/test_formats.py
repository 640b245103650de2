"""Tables as files: whatever a text holds, every reader gets it back; numbers to the last bit."""

from __future__ import annotations

import csv
import io
import json
import math

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.export import formats
from data.export.formats import Columns
from data.tables import escape_formula, unescape_formula

COLUMNS: Columns = {"who": "text", "x": "real", "n": "whole", "yes": "truth", "at": "moment"}
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
CELLS = st.tuples(
    st.none() | TEXTS.filter(bool),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
)


def frame(rows: list[tuple[str | None, float | None, int, bool]]) -> pd.DataFrame:
    moment = pd.Timestamp("2026-11-21T09:00:00.25", tz="Europe/Berlin")
    columns = {
        "who": pd.Series([row[0] for row in rows], dtype=object),
        "x": pd.Series([row[1] for row in rows], dtype="float64"),
        "n": pd.Series([row[2] for row in rows], dtype="int64"),
        "yes": pd.Series([row[3] for row in rows], dtype=bool),
        "at": pd.Series([moment] * len(rows), dtype="datetime64[us, Europe/Berlin]"),
    }
    return pd.DataFrame(columns)


@settings(max_examples=20, deadline=None)
@given(st.lists(CELLS, max_size=6))
def test_any_table_comes_back_from_csv_and_parquet(rows: list[tuple[str | None, float | None, int, bool]]) -> None:
    text = formats.file_of("csv", frame(rows), COLUMNS).decode()
    header, *read = csv.reader(io.StringIO(text, newline=""))
    assert header == list(COLUMNS)
    parts = [(unescape_formula(who) or None, float(x) if x else None, int(n), yes == "true") for who, x, n, yes, _ in read]
    assert parts == rows
    assert [math.copysign(1, x) for _, x, *_ in parts if x is not None] == [
        math.copysign(1, r[1]) for r in rows if r[1] is not None
    ]
    assert {at for *_, at in read} <= {"2026-11-21T08:00:00.250000+00:00"}
    stored = pq.read_table(io.BytesIO(formats.file_of("parquet", frame(rows), COLUMNS)))
    assert [tuple(row.values())[:4] for row in stored.to_pylist()] == rows
    assert [str(kind) for kind in stored.schema.types] == ["string", "double", "int64", "bool", "timestamp[us, tz=UTC]"]


def test_a_line_ends_with_lf_and_only_what_must_be_is_quoted() -> None:
    rows: list[tuple[str | None, float | None, int, bool]] = [
        ("=1+1", 0.1 + 0.2, 1, True),
        ('a,"b"\r', None, 2, False),
        (None, 1e-300, 3, True),
    ]
    assert formats.file_of("csv", frame(rows), {"who": "text", "x": "real", "n": "whole"}) == (
        b'who,x,n\n\'=1+1,0.30000000000000004,1\n"a,""b""\r",,2\n,1e-300,3\n'
    )


@given(st.lists(CELLS, max_size=6))
def test_any_table_comes_back_from_json_lines(rows: list[tuple[str | None, float | None, int, bool]]) -> None:
    lines = formats.file_of("jsonl", frame(rows), COLUMNS).decode().split("\n")
    assert lines.pop() == ""
    payload = [tuple(json.loads(line).values()) for line in lines]
    assert [row[:4] for row in payload] == rows


def test_json_stands_in_json_lines_as_it_is_and_elsewhere_as_text() -> None:
    table = pd.DataFrame({"said": ['{"a":[1,"\u2028"]}', None], "x": [float("inf"), 1.0]})
    columns: Columns = {"said": "json", "x": "real"}
    lines = formats.file_of("jsonl", table, columns).decode().split("\n")
    assert lines == ['{"said":{"a": [1, "\u2028"]},"x":"inf"}', '{"said":null,"x":1.0}', ""]
    assert list(csv.reader(io.StringIO(formats.file_of("csv", table, columns).decode())))[1] == ['{"a":[1,"\u2028"]}', "inf"]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_what_a_spreadsheet_would_compute_is_text(sign: str) -> None:
    for text in (f"{sign}cmd|' /C calc'!A0", sign, f"{sign}1+1", f'{sign}"x"'):
        assert escape_formula(text) == f"'{text}"
        assert escape_formula(f"'{text}") == f"''{text}"
    assert escape_formula(f"x{sign}1") == f"x{sign}1"


def test_numbers_stay_numbers() -> None:
    for number in ("-1", "+2.5", "-1e-300", "-.5", "0", "+3."):
        assert escape_formula(number) == number
    for text in ("-1-1", "+1,2", "-", "--1", "-1e", "-١", "-1\n"):
        assert escape_formula(text) == f"'{text}"
    table = pd.DataFrame({"x": [-1.5, float("-inf")], "n": [-3, 4]})
    assert formats.file_of("csv", table, {"x": "real", "n": "whole"}) == b"x,n\n-1.5,-3\n-inf,4\n"


@given(st.text(st.sampled_from("'=+-@\t\r1a. ＝") | st.characters(codec="utf-8"), max_size=12))
def test_every_text_comes_back_whatever_it_begins_with(text: str) -> None:
    assert unescape_formula(escape_formula(text)) == text
    # nothing that is written computes
    assert escape_formula(text)[:1] not in set("=+-@\t\r\n＝＋－＠") or float(escape_formula(text)) is not None
