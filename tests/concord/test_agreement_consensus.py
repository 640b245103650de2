"""``agreement --consensus``: its rows beside the others, which stay as they are; and what it says where it cannot."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import get_args

import pytest

from agreement import CONSENSUSES, ConsensusMethod
from agreement.consensus import methods
from concord.agreement_request import AgreementRequest
from data.requests import fields_of
from tests.concord.test_agreement import made, rows
from tests.ui.small_project import agreement, concord, done
from ui.pages.trust.scorer_numbers import CONSENSUS

PEOPLE = {f"i{n:02}": text for n, text in enumerate(["yyn", "nny", "yyy", "nnn", "yny", "yyn"] * 3)}
SCORER = {item: "yn"[n % 2] for n, item in enumerate(PEOPLE)}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three people and a scorer; another aspect of which nobody asks."""
    parts = [rows(PEOPLE, "p", "human"), rows(SCORER, "m", "scorer"), rows(PEOPLE, "p", "human", aspect="present")]
    return made(tmp_path_factory.mktemp("consensus"), *parts)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "RESTARTS", 1)


def test_other_rows_stay_as_they_are(judged: Path) -> None:
    requested = [word for method in CONSENSUSES for word in ("--consensus", method)]
    before, after = agreement(judged), agreement(judged, *requested)
    assert "quality" not in before
    assert before["among_people"] == after["among_people"]
    for section in ("raters", "matrix"):
        mine = [row for row in after[section] if row.get("kind") == "consensus"]
        assert [row for row in after[section] if row.get("kind") != "consensus"] == before[section]
        assert all(set(row) - {"kind"} == set(before[section][0]) - {"kind"} for row in mine)
        names = {row[key] for row in mine for key in ("rater", "a", "b") if key in row}
        assert {f"consensus:{method}" for method in CONSENSUSES} <= names
    assert {row["rater"] for row in after["quality"]} == {"p0", "p1", "p2"}
    statistics = {row["statistic"] for row in after["quality"]}
    assert statistics == {"percent_agreement", "expected_accuracy", "competence"}


def test_only_what_is_selected(judged: Path) -> None:
    results = agreement(judged, "--consensus", "majority", "--aspect", "correct", "--statistic", "percent_agreement")
    assert {row["aspect"] for section in ("raters", "matrix", "quality") for row in results[section]} == {"correct"}
    pair = [row for row in results["matrix"] if {row["a"], row["b"]} == {"p0", "consensus:majority"} and row["task"] == "all"]
    # without the first: yn nn(y) .. p0 of each six: y|yn tie, n|ny tie, y|yy, n|nn, y|ny tie, y|yn tie: two of two, thrice
    assert pair == []  # six items, and the matrix takes ten
    person = {row["rater"]: row for row in results["quality"]}
    assert (person["p0"]["value"], person["p0"]["n_items"], person["p0"]["excluded"]) == (1, 6, {"no_consensus": 12})
    # yy|n, nn|y, yy|y, nn|n, yn|y tie, yy|n
    assert (person["p2"]["value"], person["p2"]["n_items"]) == (pytest.approx(2 / 5), 15)


def test_a_selection_of_people_makes_their_consensus(judged: Path) -> None:
    results = agreement(judged, "--consensus", "majority", "--rater", "p0", "--rater", "p2", "--aspect", "correct")
    assert {row["rater"] for row in results["quality"]} == {"p0", "p2"}
    assert results["quality"][0]["n_items"] == 18


def test_as_a_table(judged: Path) -> None:
    told = done(judged, "agreement", "--consensus", "majority", "--no-intervals")
    assert "Persons beside the others" in told
    assert any(
        line.split()[:8] == ["s", "all", "all", "correct", "p2", "real", "percent_agreement", "0.4000"]
        for line in told.splitlines()
    )
    assert "consensus:majority" in told


def test_an_unknown_method_is_refused(judged: Path) -> None:
    ran = concord(judged, "agreement", "--consensus", "median")
    assert ran.status == 2
    assert "median" in ran.err


def test_an_empty_project(tmp_path: Path) -> None:
    results = agreement(tmp_path / "empty", "--consensus", "majority")
    assert (results["raters"], results["matrix"], results["quality"]) == ([], [], [])


def test_exports_hold_what_was_said(judged: Path, tmp_path: Path) -> None:
    agreement(judged, "--consensus", "majority")
    done(judged, "export", "ratings", "-o", tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(newline="") as file:
        exported = list(csv.DictReader(file))
    assert {row["kind"] for row in exported} == {"human", "scorer"}
    assert not any("consensus" in row["rater"] for row in exported)


def test_one_list_of_methods() -> None:
    (offered,) = [field for field in fields_of(AgreementRequest) if field.name == "consensus"]
    assert list(offered.choices) == list(CONSENSUSES) == list(CONSENSUS) == list(get_args(ConsensusMethod))
