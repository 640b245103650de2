"""Ratings of anyone, in tables as anyone saves them: CSV, JSON, Label Studio's and Argilla's exports."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.ratings.rating_tables import RatedItem, RatingColumns, read_rating_table
from data.store.core.connections import connect
from data.store.rating_columns import FileRatings, RatingCell

LONG = RatingColumns(("item",), "who", "value")


@dataclass(frozen=True)
class Read:
    """What a table holds: its ratings in the file's order, its items, and the texts that stand for no rating."""

    ratings: list[RatingCell]
    items: list[RatedItem]
    missing: list[str]


def read(folder: Path, text: str, name: str = "r.csv", columns: RatingColumns = LONG) -> Read:
    path = folder / name
    path.write_bytes(text.encode())
    with closing(connect(None)) as connection:
        ratings = FileRatings(connection, read_rating_table(path).table, columns)
        texts = ratings.texts()
        missing = [text for text in texts if text.strip() in ("", "NA")]
        ratings.leave_out(missing)
        ratings.check()
        return Read(ratings.with_texts([text.strip() for text in texts if text not in missing]), ratings.items()[0], missing)


def test_rows_and_quirks(tmp_path: Path) -> None:
    text = '\ufeffitem,who,value,note\r\na,Zoë,1,"two\rlines\r\nand, more"\r\n\r\nb,al, 2 ,\rx\r\nb,al,,\r\n,,NA,\r\na,Zoë,3,'
    found = read(tmp_path, text)
    assert found.ratings == [
        RatingCell(2, "value", "a", "Zoë", "1"),
        RatingCell(5, "value", "b", "al", " 2 "),
        RatingCell(8, "value", "a", "Zoë", "3"),
    ]
    assert found.missing == ["", "NA"]


def test_described_items_and_joined_keys(tmp_path: Path) -> None:
    text = "a\tb\twho\tvalue\tp\tg\nx\ty\tal\t1\ta cat\tsd\nx\ty\tbo\t2\ta cat\tsd\nx\tz\tbo\t2\t\tsd\n"
    columns = RatingColumns(("a", "b"), "who", "value", prompt="p", generator="g")
    found = read(tmp_path, text, "r.tsv", columns)
    assert found.items == [RatedItem(2, "x|y", "a cat", "sd"), RatedItem(4, "x|z", None, "sd")]
    assert found.ratings[2] == RatingCell(4, "value", "x|z", "bo", "2")


def test_a_column_per_rater(tmp_path: Path) -> None:
    found = read(tmp_path, "item,ann,ben\na,1,\nb,2,3\n", columns=RatingColumns(("item",), raters=("ann", "ben")))
    assert [(cell.item, cell.rater, cell.text, cell.column) for cell in found.ratings] == [
        ("a", "ann", "1", "ann"), ("b", "ann", "2", "ann"), ("b", "ben", "3", "ben"),
    ]  # fmt: skip
    assert found.missing == [""]


def test_a_column_per_item(tmp_path: Path) -> None:
    columns = RatingColumns((), "who", items={"a.png": "How good? [a.png]", "b.png": "How good? [b.png]"})
    found = read(tmp_path, "who,How good? [a.png],How good? [b.png]\nann,1,2\nben,,3\n", columns=columns)
    assert [(cell.item, cell.rater, cell.text) for cell in found.ratings] == [
        ("a.png", "ann", "1"), ("b.png", "ann", "2"), ("b.png", "ben", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ['{"item": "a", "who": 7, "value": 1}\n{"value": null, "item": "b"}\n',
                                  '[{"item": "a", "who": 7, "value": 1},\n {"item": "b"}]'])  # fmt: skip
def test_json_lines_and_a_json_list(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text, "r.json")
    assert (found.ratings, found.missing) == ([RatingCell(1, "value", "a", "7", "1")], [""])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,who,value\n,b,1\n", ":2: column 'item' is empty"),
        ("item,who,value\na, ,1\n", ":2: column 'who' is empty"),
        ("item,who,value\na,b\n", ":2: 2 cells, but the header has 3"),
        (
            "item,rater,Value\na,b,1\n",
            ":1: no column 'who', 'value'. Did you mean 'Value'? Available: 'item', 'rater', 'Value'",
        ),
        ("item,who,value\na,nan,1\n", ":2: column 'who' is 'nan'"),
        ("item,who,value,who\na,b,1,c\n", "column 'who' stands in the header twice"),
        ("item,who,value\n", "no ratings"),
        ('item,who,value\na,"b,1\n', ":2: not CSV"),
        ("item,who,value\ra,b,1\r", "CR only"),
        ('{"item": "a"}\n[1]\n', ":2: every entry is an object"),
        ('[{"item": "a"},\n{"item"', ":2: not JSON"),
        ("[]", "an empty list"),
        ('[{"data": {"item": "a"}, "annotations": []}]', "an export without answers"),
        ('[{"data": {}, "annotations": [{}]}]', "an annotation of Label Studio has a list 'result'"),
        ('{"fields": {}, "responses": {"q": [1]}}', "a response of Argilla has a 'value'"),
    ],
)
def test_wrong_tables_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


def test_an_item_must_be_described_the_same_in_all_rows(tmp_path: Path) -> None:
    text = "item,who,value,p\na,x,1,cat\na,y,1,dog\n"
    with pytest.raises(InputError, match=r":3: item 'a' has 'p' 'dog' here, but 'cat' on line 2"):
        read(tmp_path, text, columns=RatingColumns(("item",), "who", "value", task="p"))
    assert len(read(tmp_path, text).ratings) == 2
    with pytest.raises(InputError, match=r":3: two items have the name 'a\|b\|c' \(the other on line 2\)"):
        read(tmp_path, "i,j,who,value\na|b,c,x,1\na,b|c,x,1\n", columns=RatingColumns(("i", "j"), "who", "value"))


def task(image: str, *annotations: dict[str, Any]) -> dict[str, Any]:
    return {"id": 1, "data": {"image": image, "rating": "old"}, "annotations": list(annotations), "predictions": []}


def answer(who: Any, *results: tuple[str, str, Any], **more: Any) -> dict[str, Any]:
    made = [{"from_name": name, "to_name": "img", "type": kind, "value": value} for name, kind, value in results]
    return {"completed_by": who, "result": made, "was_cancelled": False, **more}


def test_label_studio(tmp_path: Path) -> None:
    tasks = [
        task("/data/upload/3/1a2b3c4d-cat%201.png",
             answer(7, ("rating", "rating", {"rating": 4}), ("fits", "choices", {"choices": ["yes"]})),
             answer({"id": 8, "email": "b@x.org"}, ("fits", "choices", {"choices": ["no", "blurred"]}))),
        task("/data/local-files/?d=sd/dog.png",
             answer(7, ("box", "rectanglelabels", {"rectanglelabels": ["a"], "x": 1})), answer(9, was_cancelled=True)),
    ]  # fmt: skip
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks))
    table = read_rating_table(path)
    assert table.table.header == ("image", "item.rating", "completed_by", "rating", "fits")
    assert [cells for _, cells in table.table.records] == [
        ("cat 1.png", "old", "7", "4", "yes"),
        ("cat 1.png", "old", "b@x.org", "", '["no", "blurred"]'),
        ("sd/dog.png", "old", "7", "", ""),
    ]
    assert (table.rater, table.left_out) == ("completed_by", {"skipped by the annotator": 1})


ANN, BEN = "0b4c", "9f11"


@pytest.mark.parametrize(
    "responses",
    [
        {"fits": [{"value": "yes", "user_id": ANN}, {"value": "no", "user_id": BEN}], "stars": [{"value": 4, "user_id": ANN}]},
        [
            {"user_id": ANN, "status": "submitted", "values": {"fits": {"value": "yes"}, "stars": {"value": 4}}},
            {"user_id": BEN, "values": {"fits": {"value": "no"}}},
            {"user_id": BEN, "status": "draft", "values": {"fits": {"value": "yes"}}},
        ],
    ],
    ids=["by question", "by person"],
)
def test_argilla(tmp_path: Path, responses: Any) -> None:
    path = tmp_path / "records.json"
    record = {"id": "r1", "fields": {"image": "https://x.org/a.png"}, "metadata": {"gen": "sd"}, "responses": responses}
    path.write_text(json.dumps([record]))
    table = read_rating_table(path)
    assert table.table.header == ("id", "gen", "image", "user_id", "fits", "stars")
    assert [cells[3:] for _, cells in table.table.records] == [(ANN, "yes", "4"), (BEN, "no", "")]
    assert (table.rater, sum(table.left_out.values())) == ("user_id", int(isinstance(responses, list)))
