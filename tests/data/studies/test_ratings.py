"""Ratings of anyone, in CSV as anyone saves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.prompts.reading import InputError
from data.studies.ratings import RatingFile, RatingRow, read_ratings


def convert(cell: str) -> tuple[str | None, float | None]:
    if cell not in {"1", "2", "3"}:
        raise ValueError("1 to 3 expected")
    return cell, float(cell)


def read(folder: Path, text: str, name: str = "r.csv", items: tuple[str, ...] = ("item",), **columns: str) -> RatingFile:
    path = folder / name
    path.write_bytes(text.encode())
    return read_ratings(path, items, "who", "value", convert, **columns)


def test_rows_and_quirks(tmp_path: Path) -> None:
    text = '\ufeffitem,who,value,note\r\na,Zoë,1,"two\rlines\r\nand, more"\r\n\r\nb,al, 2 ,\rx\r\nb,al,,\r\na,Zoë,3,'
    assert read(tmp_path, text) == RatingFile(
        (
            RatingRow(2, "a", "Zoë", "1", 1.0),
            RatingRow(5, "b", "al", "2", 2.0),
            RatingRow(7, "a", "Zoë", "3", 3.0),
        ),
        empty=1,
    )


def test_described_items_and_joined_keys(tmp_path: Path) -> None:
    text = "a\tb\twho\tvalue\tp\tg\nx\ty\tal\t1\ta cat\tsd\nx\ty\tbo\t2\ta cat\tsd\nx\tz\tbo\t2\t\tsd\n"
    found = read(tmp_path, text, "r.tsv", ("a", "b"), prompt_column="p", generator_column="g")
    assert found.rows[0] == RatingRow(2, "x|y", "al", "1", 1.0, "a cat", "sd", None)
    assert found.rows[2].item_key == "x|z"
    assert found.rows[2].prompt is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,who,value\na,b,9\n", ":2: value is '9': 1 to 3 expected"),
        ("item,who,value\n,b,1\n", ":2: column 'item' is empty"),
        ("item,who,value\na, ,1\n", ":2: column 'who' is empty"),
        ("item,who,value\na,b\n", ":2: 2 cells, but the header has 3"),
        (
            "item,rater,Value\na,b,1\n",
            ":1: no column 'who', 'value'. Did you mean 'Value'? Available: 'item', 'rater', 'Value'",
        ),
        ("item;who;value\na;b;1\n", "not to be separated by commas"),
        ("item,who,value,who\na,b,1,c\n", "column 'who' stands in the header twice"),
        ("item,who,value\n", "no ratings"),
        ('item,who,value\na,"b,1\n', ":2: not CSV"),
        ("item,who,value\ra,b,1\r", "CR only"),
    ],
)
def test_errors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


def test_one_item_is_one_thing(tmp_path: Path) -> None:
    text = "item,who,value,p\na,x,1,cat\na,y,1,dog\n"
    with pytest.raises(InputError, match=r":3: item 'a' has 'p' 'dog' here, but 'cat' on line 2"):
        read(tmp_path, text, task_column="p")
    assert len(read(tmp_path, text).rows) == 2
    with pytest.raises(InputError, match=r":3: two items have the name 'a\|b\|c' \(the other on line 2\)"):
        read(tmp_path, "i,j,who,value\na|b,c,x,1\na,b|c,x,1\n", items=("i", "j"))


def test_without_item_columns(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one column"):
        read(tmp_path, "", items=())
