"""A database that was deleted, replaced or is missing, at every door: the server's routes, commands, the library, `doctor`."""

from __future__ import annotations

import json
import re
import shutil
import signal
import uuid
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

import concord as concord_library
from concord.common import forwarding
from concord.library import ProjectError
from data.store.backup import backups
from data.store.core.connections import DATABASE
from data.store.core.store import Store
from tests.data.store.small_project import fill, submit
from tests.faults.test_damaged import blotted, cut, garbage, headless
from tests.ui import small_project
from tests.ui.http_visitor import COW, World, first, make_project, saying
from tests.ui.server_process import Serving, announced
from tests.ui.small_project import concord, done


def with_backup(project: Path) -> str:
    """Make a project with an answer and a backup of it; return the backup's name."""
    with Store(project) as store:
        submit(store, fill(store, 2)[0])
        with store.read() as cursor:
            return backups.make_backup(cursor, project).name


def test_answers_wait_in_the_browser_while_the_database_is_gone(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = world.person()
    body = saying(first(client)["ticket"])
    database, kept = world.store.project / DATABASE, tmp_path / "kept"
    database.rename(kept)
    refused = [client.post("/api/submit", json=body) for _ in range(3)]
    assert {response.status_code for response in refused} == {503}
    detail = refused[0].json()["detail"]
    assert detail.startswith("The server cannot save just now: the file of its database is no longer in its place")
    assert str(world.store.project) not in detail
    assert refused[0].headers["retry-after"]
    said = capsys.readouterr().err
    assert said.count("no longer in its place") == 1, "the terminal says it once"
    assert "run `backup`, then close the app and `restore`" in said
    assert world.client().get("/api/studio/items").status_code == 200
    kept.rename(database)
    assert client.post("/api/submit", json=body).json()["new"] is True
    # and says it again if it happens again
    database.rename(kept)
    assert client.post("/api/submit", json=body | {"id": str(uuid.uuid4())}).status_code == 503
    assert capsys.readouterr().err.count("no longer in its place") == 1
    kept.rename(database)
    assert world.column("select annotation_id from annotations where campaign_id is not null") == [body["id"]]


def test_no_command_makes_a_new_project_of_one_whose_database_is_gone(project: Path) -> None:
    newest = with_backup(project)
    (project / DATABASE).unlink()
    before = sorted(path for path in project.rglob("*") if path.name != "cache")
    for words in (("agreement",), ("import", "playground"), ("backup",), ("serve", "--no-browser")):
        ran = concord(project, *words)
        assert ran.status == 1
        (line,) = ran.err.strip().splitlines()
        assert f"`restore {newest}`" in line
        assert f"{project / DATABASE} is missing" in line
    assert sorted(path for path in project.rglob("*") if path.name != "cache") == before
    done(project, "restore", newest)
    assert concord(project, "agreement").err == ""


def test_the_library_opens_no_project_whose_database_is_gone(project: Path) -> None:
    newest = with_backup(project)
    (project / DATABASE).unlink()
    for opened in (concord_library.open, concord_library.create):
        with pytest.raises(ProjectError, match=f"`restore {newest}`"):
            opened(project)
    assert not (project / DATABASE).exists()


def test_what_is_missing_is_said_at_every_door(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newest = with_backup(project)
    with Store(project) as store:
        store.touch()
    shutil.copyfile(project / "backups" / newest / DATABASE, project / DATABASE)
    (line,) = concord(project, "agreement").err.strip().splitlines()
    assert "lacks 1 write that was acknowledged" in line
    capsys.readouterr()
    concord_library.open(project).agreement()
    assert "lacks 1 write" in capsys.readouterr().err
    assert "lacks 1 write" in concord(project, "doctor", "--only", "project").out


def attention(project: Path) -> str:
    found = json.loads(concord(project, "doctor", "--only", "project", "--format", "json").out)
    return " ".join(f"{check['text']} {check['todo']}" for check in found if check["level"] == "attention")


@pytest.mark.parametrize("harm", [cut, garbage, blotted, headless], ids=lambda entry: str(entry.__name__))
def test_doctor_names_the_way_back_from_a_damaged_database(project: Path, harm: Callable[[Path], None]) -> None:
    newest = with_backup(project)
    harm(project / DATABASE)
    said = attention(project)
    assert f"`restore {newest}`" in said
    assert "another process" not in said
    done(project, "restore", newest)
    shutil.rmtree(project / "backups")
    harm(project / DATABASE)
    assert "`restore`" in attention(project)


def test_doctor_names_the_way_back_from_a_missing_database(project: Path) -> None:
    newest = with_backup(project)
    (project / DATABASE).unlink()
    assert f"`restore {newest}`" in attention(project)


def test_only_the_server_that_announced_itself_withdraws_its_address(project: Path) -> None:
    project.mkdir()
    mine = forwarding.OpenApp("127.0.0.1", 1, "token", 1)
    other = forwarding.OpenApp("127.0.0.1", 2, "another", 2)
    forwarding.announce(project, mine)
    forwarding.withdraw(project, other)
    assert forwarding.running(project) == mine
    forwarding.withdraw(project, mine)
    assert forwarding.running(project) is None
    forwarding.withdraw(project, mine)


@pytest.mark.slow
def test_what_an_open_app_has_whose_database_was_deleted_is_saved_by_a_backup(tmp_path: Path) -> None:
    project = make_project(tmp_path) / "project"
    with Serving(project) as serving, httpx.Client(base_url=serving.url, trust_env=False) as client:
        client.post("/api/name", json={"name": "ann"})
        ticket = client.get("/api/next").json()["tasks"][0]["ticket"]
        saved = {"id": str(uuid.uuid4()), "ticket": ticket, "answers": COW}
        assert client.post("/api/submit", json=saved).json()["saved"]
        address = announced(project).read_bytes()
        (project / DATABASE).unlink()
        (project / f"{DATABASE}.wal").unlink()
        assert client.post("/api/submit", json=saved | {"id": str(uuid.uuid4())}).status_code == 503
        # neither a second server nor a command opens another database beside it, or touches its address
        second = concord(project, "serve", "--no-browser")
        assert f"open already at {serving.url}/" in second.out
        assert "no longer in its place" in concord(project, "doctor", "--only", "project").out
        assert len(concord_library.open(project).images()) == 4
        made = re.search(r"restore (\S+)", done(project, "backup"))
        assert made
        assert "close it, then restore" in concord(project, "restore", made[1]).err
        assert announced(project).read_bytes() == address
        assert not (project / DATABASE).exists()
        assert serving.stop(signal.SIGTERM)[0] == 0
    assert not announced(project).exists()
    done(project, "restore", made[1])
    assert saved["id"] in small_project.query(project, "select annotation_id from annotations")
