"""The commands about people, on what people have done."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from concord.people import _parse_time
from data.store.core.connections import DATABASE
from tests.ui.http_visitor import World, first, saying
from tests.ui.small_project import concord, done, query


@pytest.fixture
def worked(world: World) -> Path:
    """A project in which ann has answered twice and ben once; its app is closed."""
    for name, n in (("ann", 2), ("=ben", 1)):
        client = world.person(name)
        for _ in range(n):
            assert client.post("/api/submit", json=saying(first(client)["ticket"])).status_code == 200
    with world.store.read() as cursor:
        cursor.execute("update annotations set active_seconds = 45")
    project = world.store.project
    world.store.close()
    return project


def test_who_did_how_much(worked: Path) -> None:
    rows = json.loads(done(worked, "people", "list", "--format", "json"))
    parts = [(row["campaign"], row["person"], row["valid"], row["surplus"], row["active_minutes"]) for row in rows]
    assert parts == [("default", "=ben", 1, 0, 0.8), ("default", "ann", 2, 0, 1.5)]
    assert all(datetime.fromisoformat(row["first"]) <= datetime.fromisoformat(row["last"]) for row in rows)
    read = list(csv.DictReader(io.StringIO(done(worked, "people", "list", "--format", "csv", "--campaign", "default"))))
    # no spreadsheet computes it
    assert [row["person"] for row in read] == ["'=ben", "ann"]
    assert read[1]["valid"] == "2"
    lines = done(worked, "people", "list").splitlines()
    assert lines[0].split()[:3] == ["campaign", "person", "valid"]
    assert lines[2].split()[:3] == ["default", "ann", "2"]


def test_invitations(worked: Path) -> None:
    ran = concord(
        worked, "people", "invite", "--uses", "3", "--note", "lab", "--address", "https://lab.example/", "--role", "admin"
    )
    assert re.fullmatch(r"https://lab\.example/join/[\w.-]+\n", ran.out)
    assert "as admin to default for 3 people, until " in ran.err
    (entry,) = json.loads(done(worked, "people", "invitations", "--format", "json"))
    assert (entry["campaign"], entry["role"], entry["state"], entry["used"], entry["uses"]) == (
        "default",
        "admin",
        "open",
        0,
        3,
    )
    assert ran.out.strip().endswith(entry["link"])
    done(worked, "people", "uninvite", entry["id"])
    assert "revoked" in done(worked, "people", "invitations")


def test_revoked_and_back(worked: Path) -> None:
    valid = "select count(*) from annotations where rater_id = 'ann' and status = 'valid'"
    assert "2 answers count no more" in done(worked, "people", "revoke", "ann", "--uncounted")
    assert query(worked, valid) == [0]
    assert "yes" in done(worked, "people", "list").splitlines()[2]
    assert concord(worked, "people", "reinstate", "ann", "--campaign", "default").status == 1
    assert "2 answers count again" in done(worked, "people", "reinstate", "ann")
    assert query(worked, valid) == [2]


def test_erased(worked: Path) -> None:
    (worked / "exported.csv").write_text("item,who\nx,ann\n")
    (worked / "other.csv").write_text("item,who\nx,ben\n")
    ran = concord(worked, "people", "erase", "ann", "--yes")
    assert (ran.status, ran.out.startswith("erased: 2 answers, ")) == (0, True)
    assert str(worked / "exported.csv") in ran.err
    assert "other.csv" not in ran.err
    assert query(worked, "select rater_id from raters where identity = 'person' order by 1") == ["=ben", "rita"]
    assert (worked / "exported.csv").read_text().endswith("ann\n")
    assert not (worked / DATABASE).with_suffix(".new").exists()
    assert "erased" in done(worked, "people", "erase", "ann", "--yes")


def test_erasing_asks_first(worked: Path) -> None:
    ran = concord(worked, "people", "erase", "ann")
    assert ran.status == 1
    assert query(worked, "select count(*) from annotations where rater_id = 'ann'") == [2]


@pytest.mark.parametrize(
    ("text", "span"),
    [("30m", timedelta(minutes=30)), ("12h", timedelta(hours=12)), ("7d", timedelta(days=7)), ("4w", timedelta(weeks=4))],
)
def test_so_long(text: str, span: timedelta) -> None:
    before = datetime.now(UTC)
    assert before + span <= _parse_time(text) <= datetime.now(UTC) + span


def test_until_a_date() -> None:
    # to its end
    assert _parse_time("2027-01-31") == datetime(2027, 2, 1, tzinfo=UTC)
    assert _parse_time("2027-01-31T12:00") == datetime(2027, 1, 31, 12, tzinfo=UTC)
    assert _parse_time("2027-01-31T12:00+02:00") == datetime(2027, 1, 31, 10, tzinfo=UTC)


@pytest.mark.parametrize("text", ["soon", "7", "-7d", "7y", "", "99999d"])
def test_until_nothing(worked: Path, text: str) -> None:
    ran = concord(worked, "people", "invite", f"--expires={text}")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
