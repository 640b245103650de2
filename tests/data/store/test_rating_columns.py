"""Ratings as columns: a small table and a large one are read alike, and as row by row."""

from __future__ import annotations

import csv
import io
import random
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from concord.common.context import CommandError, Context
from concord.importing import ratings
from concord.importing.rating_request import RatingRequest
from concord.importing.ratings import import_ratings
from data.files import InputError
from data.store.core.connections import connect
from data.store.core.store import Store
from data.store.rating_columns import _names_nobody

COLUMNS: dict[str, Any] = {"item": "image", "rater": "who", "value": "vote", "aspect": "quality", "scale": "ordinal:1-5"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        yield opened


def written(folder: Path, count: int) -> list[dict[str, str]]:
    """Write a table with gaps, repeats and several images of a prompt; its rows."""
    draw = random.Random(count)
    rows = [
        {"image": f"i{draw.randrange(max(2, count // 4))}", "who": f" p{draw.randrange(5)}".strip(),
         "vote": draw.choice(["1", "2", " 3 ", "4.0", "5", "", "NA"])}
        for _ in range(count)
    ]  # fmt: skip
    with (folder / "r.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["image", "who", "vote"])
        writer.writeheader()
        writer.writerows(rows)
    return rows


@pytest.mark.parametrize("count", [1, 7, 300, 20_000])
def test_what_is_stored_is_what_stands_in_the_rows(store: Store, tmp_path: Path, count: int) -> None:
    rated = [row for row in written(tmp_path, count) if row["vote"] not in ("", "NA")]
    out = io.StringIO()
    context = Context(store, tmp_path, out, out)
    if not rated:
        with pytest.raises(CommandError, match="no ratings in it"):
            import_ratings(context, "r.csv", RatingRequest(**COLUMNS))
        return
    bundle = import_ratings(context, "r.csv", RatingRequest(**COLUMNS))
    assert bundle is not None
    expected = [(row["image"], row["who"], f"{float(row['vote']):g}", float(row["vote"])) for row in rated]
    stored = store.query("select item_id, rater_id, label, value, source_id from judgements order by seq")
    assert [(row["item_id"], row["rater_id"], row["label"], row["value"]) for row in stored] == expected
    keys = [str(uuid.uuid5(ratings._NAMESPACE, f"{bundle.sha256}/{n}")) for n in range(len(rated))]
    assert [row["source_id"] for row in stored] == keys
    firsts: dict[tuple[str, str], str] = {}
    again, differ = 0, 0
    for item, who, label, _ in expected:
        again += (item, who) in firsts
        differ += firsts.setdefault((item, who), label) != label
    if again:
        assert f"{again:,} repeat{'s' if again > 1 else ''} ({differ:,} of them differ)" in out.getvalue()
    assert f"{len({item for item, *_ in expected}):,} item" in out.getvalue()


@pytest.mark.parametrize("count", [10, 20_000])
def test_what_is_wrong_is_named_by_its_line(store: Store, tmp_path: Path, count: int) -> None:
    lines = ["image,who,vote,prompt", *(f"i{n},ann,3,cat" for n in range(count))]
    for n, line in ((3, ",ann,3,cat"), (5, "i1, ,3,cat"), (7, "i1,ben,3,dog"), (9, "i1,cleo,NA,cow")):
        lines[n - 1] = line
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    context = Context(store, tmp_path, io.StringIO(), io.StringIO())
    with pytest.raises(InputError) as caught:
        import_ratings(context, "r.csv", RatingRequest(prompt="prompt", **COLUMNS))
    # the line without a rating is not looked at; line 3 took the place of i1, which is first named on line 5
    assert [problem.split("r.csv", 1)[1] for problem in caught.value.problems] == [
        ":3: column 'image' is empty; every rating needs its item and its rater",
        ":5: column 'who' is empty; every rating needs its item and its rater",
        ":7: item 'i1' has 'prompt' 'dog' here, but 'cat' on line 5; it must be the same on all lines",
    ]
    lines[-1] = "last,ann,9,cat"
    (tmp_path / "r.csv").write_text("\n".join([lines[0], *lines[10:]]) + "\n")
    with pytest.raises(InputError, match=rf":{len(lines) - 9}: vote is '9' \(item 'last', rater 'ann'\): the scale"):
        import_ratings(context, "r.csv", RatingRequest(**COLUMNS))
    assert store.query("select * from imports") == []


def test_what_is_blank_in_sql_is_blank_in_python() -> None:
    signs = [chr(code) for code in range(1, 0x3100) if not 0xD800 <= code < 0xE000]
    with connect(None) as connection:
        blank = connection.execute(f"select s from (select unnest(?) as s) where {_names_nobody('s')}", [signs]).fetchall()
    assert {sign for (sign,) in blank} == {sign for sign in signs if not sign.strip()}
