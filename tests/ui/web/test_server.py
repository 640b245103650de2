"""The app as a process: commands while it is open, its end, and a sudden death."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import httpx
import pandas as pd
import pytest

import concord as concord_library
from concord.common.forwarding import COMMANDS
from data.formats.official_results import GenEvalResult, format_result
from data.store.campaigns import participation
from data.store.core.store import Store
from tests.ui import small_project
from tests.ui.http_visitor import COW
from tests.ui.server_process import ROOT, Serving, announced, free_port
from tests.ui.small_project import RATINGS, Ran, concord, done, ratings_csv, tables
from tests.ui.tifa_files import answered, tifa_file, tifa_questions
from ui.web import server

COMMANDS_IN_ORDER = (
    "import prompts p.txt --suite mine",
    "import prompts p.txt --suite mine",
    "import prompts other.txt --suite mine",
    "import prompts nothing.txt --suite mine",
    "import images sdv2 --layout geneval --generator sdv2",
    "import images damaged --layout geneval --generator other",
    "import images nowhere --layout csv",
    "import study geneval --metadata evaluation_metadata.jsonl sdv2=sdv2.csv",
    "import study geneval --metadata evaluation_metadata.jsonl sdv2",
    "import study tifa p.txt",
    "import study selfeval",
    "import study selfeval",
    "import study genai-bench nowhere",
    "import study imagenhub nowhere",
    "import study viescore nowhere",
    "import study tia2 nowhere",
    "import study arena nowhere",
    "import ratings r.csv RATINGS",
    "import ratings wrong.csv RATINGS",
    "import cooccurrence instances.json",
    "import cooccurrence instances.json --name again",
    "import cooccurrence p.txt",
    "import playground",
    "import playground",
    "import itm --playground --n 1",
    "import itm --playground --n 1",
    "import itm m.jsonl --suite matched",
    "import itm m.jsonl --suite matched",
    "import itm p.txt",
    "estimate --label-sample 4",
    "rank",
    "alt-test",
    "plan",
    "rater-effects",
    "itm",
    "ablate clipmatch --trials 1",
    "ablate elbo --steps x",
    "import questions q.json",
    "import questions q.json",
    "import questions q.json --from-specs",
    "import questions p.txt",
    "import questions --from-specs",
    "import questions --from-specs --suite mine",
    "export questions --suite tifa -o asked.jsonl",
    "export questions -o nothing.jsonl",
    "export questions --suite nowhere -o nothing.jsonl",
    "export prompts --suite mine -o prompts.jsonl",
    "export prompts --suite nowhere -o nothing.jsonl",
    "import scores nowhere",
    "export manifest clipscore -o manifest.jsonl",
    "export manifest clipscore --suite nowhere -o manifest.jsonl",
    "import results geneval results.jsonl --generator theirs",
    "import results geneval results.jsonl --generator theirs",
    "import results geneval p.txt",
    "import results tifa tifa.json --generator theirs",
    "import results tifa tifa.json --generator theirs",
    "export results geneval --rater geneval-official -o back.jsonl",
    "export results visor --rater geneval-official -o nothing.json",
    "export tables geneval --suite mine",
    "export tables visor --format csv",
    "generate playground --generator playground-lat",
    "generate playground --generator playground-late --n 1 --limit 1",
    "generate playground --generator playground-late --n 1 --limit 1",
    "generate mine --generator sd15 --steps 0",
    "generate mine --generator sd15 --name sdv2",
    "score nobody",
    "score clipscore --suite nowhere",
    "campaigns pay nowhere",
    "campaigns settle nowhere nobody approve",
    "campaigns revoke-flagged nowhere",
    "campaigns undo-revoke nowhere",
    "campaigns list",
    "campaigns create pilot --n 1 --title A_pilot --overlap 2",
    "campaigns create pilot",
    "campaigns create other --questionnaire visr",
    "campaigns create other --questionnaire tifa_vqa --suite geneval --dry-run",
    "campaigns create other --known k.csv --check-every 5",
    "campaigns create other --known p.txt",
    "campaigns create --from campaign.yaml",
    "campaigns create --from p.txt",
    "campaigns start pilot",
    "campaigns start nothing",
    "campaigns list",
    "campaigns show pilot",
    "campaigns show pilot --format json",
    "campaigns show pilot --aspect correct",
    "campaigns show nothing",
    "campaigns describe pilot --field pay_per_item=0.05_USD --field ethics=none_needed",
    "campaigns describe pilot",
    "campaigns describe pilot --field pay=1",
    "campaigns describe nothing --field ethics=x",
    "campaigns stop pilot",
    "campaigns archive pilot",
    "campaigns delete pilot",
    "campaigns delete written",
    "campaigns delete written",
    "import undo",
    "import undo 99",
    "rebuild",
    "agreement --suite geneval --aspect count --format json",
    "agreement --suite geneval --no-intervals",
    "agreement --statistic kappa",
    "agreement --since soon",
    "score clipscore --set flip=up",
    "flips --kind count --no-intervals",
    "flips --rater nobody --format md",
    "preferences --suite selfeval-ldm --no-intervals",
    "preferences --suite nowhere",
    "vqa --no-intervals",
    "vqa --reference nobody --format json",
    "reproduce visor --format json",
    "agreement --suite geneval --consensus majority --no-intervals --format json",
    "export ratings -o ratings.csv",
    "export ratings --suite nowhere -o nothing.csv",
    "export annotations -o answers.jsonl",
    "export annotations -o answers.jsonl --people pseudonyms --campaign nowhere",
    "import exported answers.jsonl",
    "import exported p.txt",
    "export snapshot -o copy.duckdb",
    "export snapshot -o copy.txt",
    "export datasets -o dataset",
    "export images -o pictures --suite geneval",
    "drift nobody",
    "export judgements -o judgements.parquet",
    "export report -o report.txt",
    "import undo 1",
    "import undo 1",
    "people list",
    "people list --format csv",
    "people list --campaign nowhere",
    "people invite --uses 2 --note them --address https://lab.example/x",
    "people invite --campaign nowhere",
    "people invite --expires 2020-01-01",
    "people invitations",
    "people invitations --campaign nowhere",
    "people uninvite nothing",
    "people pseudonym prolific 5f3c0ffee",
    "people link nothing prolific 5f3c0ffee",
    "people code nobody",
    "people revoke nobody",
    "people revoke ann --campaign default",
    "people revoke ann --uncounted",
    "people reinstate ann",
    "people reinstate ann",
    "people owed ann",
    "people erase nobody --yes",
    "people erase ann --yes",
    "people erase ann --yes",
    "people list --format json",
    "backup",
    "backup -o elsewhere",
    "backup -o p.txt",
    "backup --list",
    "doctor --only project",
)


# each project has its own secret, and gives invitations names by chance
_UNTOLD = re.compile(
    r"(?<=/join/)[\w.-]+|(?<=prolific-)[0-9a-f]{10}|(?<=invitation )[\w-]{12}(?![\w-])|^[\w-]{12}(?=  default)"
    r"|\d{8}T\d{6}Z[\w-]*|\d{4}-\d\d-\d\d",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Sides:
    """Two equal projects, one of them open in the app, and a folder with files."""

    open: Path
    closed: Path
    files: Path
    serving: Serving


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[Sides]:
    files = tmp_path / "files"
    files.mkdir()
    (files / "p.txt").write_text("a cat\na dog\n")
    (files / "other.txt").write_text("a cat\nein Hündchen\n")
    small_project.questions(files / "q.json")
    small_project.png(files / "m.png")
    matching = {"image": "m.png", "captions": ["a", "b"], "right": 0}
    (files / "m.jsonl").write_text(f"{json.dumps(matching)}\n{json.dumps(matching | {'right': 2})}\n")
    (files / "k.csv").write_text("item,role,count_0\nnothing,gold,1\n")
    (files / "campaign.yaml").write_text("id: written\nquestionnaire: geneval\norder: fixed\npass_mark: null\n")
    ratings_csv(files / "r.csv", "a,x,5", "a,y,4")
    ratings_csv(files / "wrong.csv", "a,x,5", "a,y,77")
    annotations = [{"image_id": 1, "category_id": k} for k in (1, 2, 3)]
    categories = [{"id": k, "name": name} for k, name in ((1, "cat"), (2, "dog"))]
    (files / "instances.json").write_text(json.dumps({"annotations": annotations, "categories": categories}))
    small_project.metadata(files)
    small_project.geneval_csv(files / "sdv2.csv", *(small_project.geneval_row(0, 0, count_0=n, objects="x\ry") for n in "1102"))
    small_project.geneval_folder(files / "sdv2")
    cow = small_project.METADATA[0]
    result = GenEvalResult(
        "sd/00000/samples/0000.png", "single_object", str(cow["prompt"]), False, "expected cow>=1, found 0", cow, {}
    )
    (files / "results.jsonl").write_text(format_result(result))
    tifa_file(
        files / "tifa.json",
        coco_1=tifa_questions(answered("is there a cup?", "yes")),
        odd=tifa_questions(answered("q?", "yes", caption="")),
    )
    (small_project.geneval_folder(files / "damaged") / "00000" / "samples" / "0000.png").write_bytes(b"x")
    done(files / "closed", "import", "prompts", files / "p.txt", "--suite", "seed")
    with Store(files / "closed") as store:
        participation.enter(store, "ann")
    shutil.copytree(files / "closed", files / "open")
    with Serving(files / "open") as serving:
        yield Sides(files / "open", files / "closed", files, serving)


A_FEW_COMMANDS = (
    "import prompts p.txt --suite mine",
    "import prompts nothing.txt --suite mine",
    "import study geneval --metadata evaluation_metadata.jsonl sdv2=sdv2.csv",
    "import ratings wrong.csv RATINGS",
    "score nobody",
    "agreement --suite geneval --no-intervals --format json",
    "export ratings -o ratings.csv",
    "import undo 99",
    "people erase ann --yes",
)


@pytest.mark.parametrize(
    "commands",
    [pytest.param(A_FEW_COMMANDS, id="a few"), pytest.param(COMMANDS_IN_ORDER, id="all", marks=pytest.mark.slow)],
)
def test_commands_are_the_same_open_or_closed_until_the_app_ends(
    sides: Sides, monkeypatch: pytest.MonkeyPatch, commands: tuple[str, ...]
) -> None:
    """One after the other in the same two projects, as each command stands on what those before it left."""
    monkeypatch.chdir(sides.files)
    _a_second_serve_says_that_it_is_open(sides)
    _a_strange_name_in_a_process_of_its_own(sides)
    assert announced(sides.open).stat().st_mode & 0o777 == 0o600
    assert json.loads(announced(sides.open).read_text())["port"] == sides.serving.port
    differences = []
    for words in commands:
        values = [part for word in words.split() for part in (RATINGS if word == "RATINGS" else (word,))]
        there = _timeless(concord(sides.open, *values))
        # a folder that is there is not written over
        for name in ("dataset", "pictures"):
            shutil.rmtree(sides.files / name, ignore_errors=True)
        here = _timeless(concord(sides.closed, *values))
        if there != here or not (here.out or here.err):
            closed, opened = (f"exit {ran.status}\n{ran.out}{ran.err}".splitlines() for ran in (here, there))
            differences += [f"\n{words}:", *list(unified_diff(closed, opened, "closed", "open", n=0, lineterm=""))[:12]]
    if differences:
        pytest.fail("\n".join(differences))
    _the_library_reads_alike(sides)
    status, seconds = sides.serving.stop(signal.SIGTERM)
    assert (status, announced(sides.open).exists()) == (0, False)
    assert seconds < 10
    there_rows, here_rows = tables(sides.open), tables(sides.closed)
    # these say when they were submitted or begun
    timed = ("annotations", "runs", "invitations", "erased", "copies")
    for name in timed:
        assert len(there_rows.pop(name)) == len(here_rows.pop(name))
    assert there_rows["items"]
    assert there_rows == here_rows


def _timeless(ran: Ran) -> Ran:
    return Ran(ran.status, *(_UNTOLD.sub("...", re.sub(r"\d\d:\d\d", "HH:MM", text)) for text in (ran.out, ran.err)))


def test_every_project_command_was_compared() -> None:
    requested = [name for name in COMMANDS if not any(words.startswith(name) for words in COMMANDS_IN_ORDER)]
    assert requested == ["library", "prompt-inputs"]  # not typed by anybody: _the_library_reads_alike


def _the_library_reads_alike(sides: Sides) -> None:
    """A project that an app has open, and one that nobody has."""
    there, here = concord_library.open(sides.open), concord_library.open(sides.closed)
    columns = ["item", "rater", "kind", "aspect", "target", "scale", "value"]
    pd.testing.assert_frame_equal(there.ratings()[columns], here.ratings()[columns])
    pd.testing.assert_frame_equal(there.agreement(intervals=False).matrix, here.agreement(intervals=False).matrix)


def _a_strange_name_in_a_process_of_its_own(sides: Sides) -> None:
    command: list[str | bytes] = [sys.executable, str(ROOT / "app.py"), "import", "prompts", b"\xff.txt", "--suite", "x"]
    ran = subprocess.run([*command, "--project", str(sides.open)], capture_output=True, cwd=sides.files, timeout=60)
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert ran.stderr == rb"import prompts: \udcff.txt: there is no such file" + b"\n"


def _a_second_serve_says_that_it_is_open(sides: Sides) -> None:
    command = [sys.executable, str(ROOT / "app.py"), "serve", "--project", str(sides.open), "--no-browser"]
    ran = subprocess.run([*command, "--port", str(free_port())], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"Concord is open already at {sides.serving.url}/ (process {sides.serving.process.pid})\n"


@pytest.mark.slow
def test_killed_while_people_answer(project: Path, tmp_path: Path) -> None:
    images = small_project.geneval_folder(tmp_path / "sdv2")
    done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    acknowledged: list[str] = []
    with Serving(project) as serving:

        def person(name: str) -> None:
            with httpx.Client(base_url=serving.url, trust_env=False) as client:
                client.post("/api/name", json={"name": name})
                ticket = client.get("/api/next").json()["tasks"][0]["ticket"]
                while True:
                    answers = {"id": str(uuid.uuid4()), "ticket": ticket, "answers": COW}
                    try:
                        answer = client.post("/api/submit", json=answers)
                    except httpx.HTTPError:
                        return
                    assert answer.json()["saved"], answer.text
                    acknowledged.append(answers["id"])

        threads = [threading.Thread(target=person, args=(f"p{n}",)) for n in range(6)]
        for thread in threads:
            thread.start()
        # in the midst of it, however slow the machine
        until = time.monotonic() + 60
        while len(acknowledged) <= 20 and time.monotonic() < until:
            time.sleep(0.05)
        status, _ = serving.stop(signal.SIGKILL)
        for thread in threads:
            thread.join(10)
    assert status == -signal.SIGKILL
    assert len(acknowledged) > 20
    assert announced(project).exists()
    # the address that it left behind disturbs nobody
    assert "judgements remade" in done(project, "rebuild")
    saved = small_project.query(project, "select annotation_id from annotations")
    assert len(saved) == len(set(saved))
    assert set(acknowledged) <= set(saved)


@contextmanager
def opened_by_another_process(project: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the database open, while an app that was killed has left its address behind."""
    done(project, "rebuild")
    announced(project).write_text(json.dumps({"host": "127.0.0.1", "port": free_port(), "token": "x", "pid": 1}))
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(1, flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(project / "concord.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        yield process
        if process.poll() is None:
            process.communicate("")


def test_an_address_left_behind_while_something_else_holds_the_project(project: Path) -> None:
    with opened_by_another_process(project) as holder:
        ran = concord(project, "rebuild")
        announced(project).unlink()
        alone = concord(project, "rebuild")
    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert "does not answer" in ran.err
    assert (alone.status, alone.err.count("\n")) == (1, 1)
    assert f"is open in process {holder.pid}" in alone.err


def test_serve_waits_for_a_command_that_has_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened_by_another_process(project) as holder:
        monkeypatch.setattr(time, "sleep", lambda _: holder.communicate(""))
        store = server.opened(project)
    assert isinstance(store, Store)
    store.close()
    assert f"is open in process {holder.pid}: waiting for it to end" in capsys.readouterr().err


def test_other_hosts_are_refused(project: Path) -> None:
    for host in ("0.0.0.0", "192.168.1.1", "example.com"):
        ran = concord(project, "serve", "--host", host, "--no-browser")
        assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert ran.err.startswith(f"serve: --host {host}: ")
        assert "--users FILE" in ran.err
    assert not project.exists()
