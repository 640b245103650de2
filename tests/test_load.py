"""The load benchmark, in small: a dozen people, viewers, a run that is taken in; nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import joining, load
from benchmarks.measuring import percentile
from data.store.core.store import Store
from tests.data.store.small_project import fill, submit


@pytest.mark.slow
def test_a_dozen_people_lose_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    lines = load.main(["--quick"])
    assert capsys.readouterr().out.splitlines() == "\n".join(lines).splitlines()
    assert "errors: 0" in lines
    match = re.fullmatch(
        r"after kill -9: ([\d,]+) answers acknowledged, \d+ of them sent twice; lost 0, duplicated 0", lines[-1]
    )
    assert match
    assert int(match[1]) >= load.SMALL.people
    for kind in ("submit", "a draft", "a page asks", "a page's event", f"{load._EACH} images of a run"):
        assert any(line.startswith(kind) for line in lines), kind


@pytest.mark.slow
def test_people_join_at_once_and_work(tmp_path: Path) -> None:
    lines = joining.main(["--quick", "--no-browser", "--json", str(tmp_path / "joined.json")])
    assert sum(line.startswith(joining.ROUNDS) and "picture" in line for line in lines) == len(joining.ROUNDS)
    payload = json.loads((tmp_path / "joined.json").read_text())
    assert len(payload["seconds"]["submit"]) >= 3
    assert len(payload["seconds"]["picture"]) >= 3
    assert lines[-1].endswith("errors: 0")
    joined = payload["rounds"]["warm"]["joined"]
    assert len(joined) == 3
    assert all(0 < entry["page"] < entry["question"] < entry["picture"] for entry in joined)


def test_missing_and_duplicate_answers_are_detected(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        items = fill(store)
        ids = [submit(store, item, "ann").annotation_id for item in items]
        with store.read() as cursor:
            tickets = dict(cursor.execute("select item_id, public_id from items").fetchall())
    result = load.LoadResult(
        acknowledged={id_: ("ann", tickets[item]) for id_, item in zip(ids, items, strict=True)}, attempted={*ids}
    )
    load.check(tmp_path, result)
    result.acknowledged["00000000-0000-4000-8000-000000000000"] = ("ann", tickets[items[0]])
    with pytest.raises(AssertionError, match="1 acknowledged answers are missing"):
        load.check(tmp_path, result)
    result.acknowledged.popitem()
    with Store(tmp_path) as store:
        submit(store, items[0], "ann")
    with pytest.raises(AssertionError, match="1 answers are there twice"):
        load.check(tmp_path, result)


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([0.0, 10.0], 0.95) == pytest.approx(9.5)
    assert percentile([7.0], 0.99) == 7.0


def test_errors_are_counted_by_kind() -> None:
    result = load.LoadResult(memory=[(0.0, 100.0)], seconds=1.0, errors=Counter({"submit: reset": 2}))
    assert any(line.startswith("errors: 2\n  2 x submit: reset") for line in load.lines_of(result, load.SMALL))
