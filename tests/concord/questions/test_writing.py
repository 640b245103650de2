"""``questions``: from prompts to a file of questions, through an endpoint on this machine, and a scripted model that checks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import app
from concord.questions import writing
from data.prompts.questions import read_questions
from data.store import library
from data.store.core.store import Store
from scorers.models.language_endpoint import KEY as ENVIRONMENT
from scorers.models.language_endpoint import Completion, Failure
from tests.scorers.models.language_server import Scripted, serving, wrote
from tests.ui import small_project
from tests.ui.small_project import Ran, concord, done

KEY = "sk-very-secret"
CAT = "About cat (animal):\nQ: is there a cat?\nChoices: yes, no\nA: yes\nQ: what is it?\nChoices: cat, dog\nA: Cat."
MORE = "\nAbout mood (weather):\nQ: is it sad?\nChoices: yes, no\nA: yes\nQ: how?\nChoices: a, b\nA: c\nQ: cut"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv(ENVIRONMENT, KEY)
    monkeypatch.setattr(writing, "_REQUESTS_AT_ONCE", 1)
    with serving(monkeypatch) as scripted:
        yield scripted


def ran(folder: Path, *words: object) -> Ran:
    """Run the command in a folder, without a terminal."""
    result = CliRunner().invoke(app.app, ["questions", *map(str, words), "-o", str(folder / "q.jsonl")])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def prompts(folder: Path, *texts: str) -> Path:
    path = folder / "p.txt"
    path.write_text("\n".join(texts))
    return path


def raw(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "q.raw.jsonl").read_text().splitlines()]


def test_questions_through_an_endpoint(server: Scripted, tmp_path: Path) -> None:
    path = prompts(tmp_path, "a cat", "a sad cat")
    server.answers = [wrote(CAT), wrote(CAT + MORE)]
    there = ["--base-url", server.url, "--model", "m", "--filter", "none", "--price-in", 2, "--price-out", 10]
    told = ran(tmp_path, path, *there)
    assert (told.status, told.out) == (2, "")
    assert "2 prompts to ask of m at http://127.0.0.1" in told.err
    assert "tokens in and 382 out, about 0.0" in told.err
    assert told.err.endswith("questions: no request was sent; add --yes to continue\n")
    assert server.seen == []
    told = ran(tmp_path, path, *there, "--yes")
    assert told.status == 0, told.err
    # 90 and 10 tokens each: 180 x 2 + 20 x 10 millionths
    assert told.out.splitlines() == [
        f"5 questions about 2 prompts in {tmp_path / 'q.jsonl'}; 2 dropped as written (1 answer not a choice, 1 truncated);"
        " 0 dropped by the filter; 1 of unknown type, filed under other",
        f"180 tokens in, 20 out, about 0.0006 at these prices; as written: {tmp_path / 'q.raw.jsonl'}",
    ]
    first, second = read_questions(tmp_path / "q.jsonl", "tifa")
    assert (first.prompt.prompt_id, first.prompt.text, second.prompt.text) == ("tifa/00000", "a cat", "a sad cat")
    assert [(q.text, q.answer, q.element_type) for q in second.questions] == [
        ("is there a cat?", "yes", "animal/human"),
        ("what is it?", "cat", "animal/human"),
        ("is it sad?", "yes", "other"),
    ]
    assert [
        (entry["id"], entry["caption"], entry["text"], entry["tokens_in"], entry["tokens_out"]) for entry in raw(tmp_path)
    ] == [
        ("tifa/00000", "a cat", CAT, 90, 10),
        ("tifa/00001", "a sad cat", CAT + MORE, 90, 10),
    ]
    everything = told.out + told.err + "".join(path.read_text() for path in tmp_path.iterdir())
    assert KEY not in everything
    assert server.seen[0][0] == f"Bearer {KEY}"


def test_what_is_there_is_not_asked_again(server: Scripted, tmp_path: Path) -> None:
    path = prompts(tmp_path, "a cat", "a dog", "a cow")
    there = ["--base-url", server.url, "--model", "m", "--filter", "none", "--yes"]
    server.answers = [wrote(CAT), (401, {}, {"error": {"message": f"no {KEY}"}})]
    told = ran(tmp_path, path, *there)
    assert told.status == 1
    assert "does not accept the key" in told.err
    assert KEY not in told.err
    assert not (tmp_path / "q.jsonl").exists()
    with (tmp_path / "q.raw.jsonl").open("a") as file:
        file.write('{"id": "tifa/00001", "capt')  # the machine died here
    server.answers, server.seen = [wrote(CAT)], []
    told = ran(tmp_path, path, *there)
    assert told.status == 0, told.err
    assert "2 prompts to ask of m" in told.err
    assert "(1 were asked before)" in told.err
    assert [entry["caption"] for entry in raw(tmp_path)] == ["a cat", "a dog", "a cow"]
    assert "all 3 prompts were asked before" in ran(tmp_path, path, *there).err
    # another model is another matter
    assert "3 prompts to ask of n" in ran(tmp_path, path, *there[:3], "n", *there[4:]).err
    (tmp_path / "q.raw.jsonl").write_text("no journal\n")
    assert f"{tmp_path / 'q.raw.jsonl'}:1: not JSON" in ran(tmp_path, path, *there).err


def test_prompts_without_a_question_are_named(server: Scripted, tmp_path: Path) -> None:
    path = prompts(tmp_path, "a cat", "a dog", "a cow")
    server.answers = [wrote(CAT), wrote("I am sorry."), (400, {}, {"error": {"message": "rude"}})]
    there = ["--base-url", server.url, "--model", "m", "--filter", "none", "--yes"]
    told = ran(tmp_path, path, *there)
    assert told.status == 1
    assert told.err.splitlines()[-2:] == [
        "tifa/00002: the endpoint refused it (HTTP 400: rude)",
        "questions: 2 of 3 prompts have no question: tifa/00001, tifa/00002; 1 of them were not answered, and are asked again"
        f" by the same command; {tmp_path / 'q.jsonl'} has the rest",
    ]
    assert len(read_questions(tmp_path / "q.jsonl", "tifa")) == 1
    server.answers, server.seen = [(400, {}, {})], []
    told = ran(tmp_path, prompts(tmp_path, *(f"a cow {k}" for k in range(9))), *there)
    assert "questions: 5 prompts in a row failed, the last because the endpoint refused it (HTTP 400)" in told.err
    assert len(server.seen) <= 6


def test_the_filter_counts_what_it_drops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = prompts(tmp_path, "a cat")
    text = CAT + "\nAbout red (color):\nQ: what color?\nChoices: red, blue\nA: red\nQ: is it red?\nChoices: yes, no\nA: yes"
    jobs: list[Mapping[str, Any]] = []

    def worked(job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        jobs.append(job)
        if job["do"] == "write":
            yield {"text": text, "tokens_in": 400, "tokens_out": 112, "finished": False}
            return
        answers = {"is there a cat?": ("Yes", None), "what is it?": ("cat", "a cat"), "what color?": ("red", "red fur"),
                "is it red?": ("no", None)}  # fmt: skip
        for entry in job["asked"]:
            multiple, free = answers[entry["question"]]
            yield {"multiple": multiple, "free": free}

    monkeypatch.setattr(writing, "run_worker", worked)
    told = ran(tmp_path, path, "--model", "some/llama", "--filter", "some/t5")
    assert told.status == 0, told.err
    assert "2 questions about 1 prompts" in told.out
    assert "2 dropped by the filter (1 other words, 1 other choice)" in told.out
    assert "400 tokens in, 112 out; 1 answers were cut off for length" in told.out
    assert [(job["do"], job["model"], job["device"]) for job in jobs] == [
        ("write", "some/llama", "cpu"),
        ("answer", "some/t5", "cpu"),
    ]
    assert [entry["free"] for entry in jobs[1]["asked"]] == [False, True, True, False]
    # another threshold asks nobody: F1 of "red fur" and "red" is 2/3
    told = ran(tmp_path, path, "--model", "some/llama", "--filter", "some/t5", "--threshold", 0.6)
    assert "3 questions about 1 prompts" in told.out
    assert len(jobs) == 2


@pytest.mark.slow
def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    told = ran(tmp_path, prompts(tmp_path, "a cat"), "--model", "nobody/nothing")
    assert told.status == 1
    assert told.err.splitlines()[-1].startswith("questions: the model nobody/nothing is not on this machine; fetch it once")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 2, "give a file of PROMPTS, or --suite"),
        (["p.txt", "--base-url", "http://x"], 2, "--base-url needs --model"),
        (["p.txt", "--base-url", "x", "--model", "m", "--yes"], 1, "'x' is not a base URL"),
        (["p.txt", "--threshold", "1"], 2, "--threshold must be at least 0 and below 1"),
        (["p.txt", "--price-in", "1"], 2, "--price-in and --price-out go together"),
        (["nowhere.txt"], 1, "nowhere.txt: no such file"),
    ],
)
def test_what_cannot_be_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], status: int, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    prompts(tmp_path, "a cat")
    told = ran(tmp_path, *words)
    assert (told.status, told.out) == (status, "")
    assert said in told.err
    assert told.err.count("\n") == 1


def test_prompts_of_a_project_and_questions_to_and_fro(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "ask_local_model", lambda *_: iter([Completion(CAT), Failure("no")]))
    told = ran(tmp_path, "--suite", "mine", "--project", project, "--filter", "none")
    assert told.err.endswith("questions: there are no prompts to ask about; first: import prompts FILE --suite mine\n")
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in small_project.METADATA[:2]))
    done(project, "import", "prompts", path, "--suite", "mine")
    told = ran(tmp_path, "--suite", "mine", "--project", project, "--filter", "none")
    assert (told.status, "1 of 2 prompts have no question: mine/00001" in told.err) == (1, True)
    done(project, "import", "questions", tmp_path / "q.jsonl", "--suite", "mine")
    with Store(project) as store:
        now = library.current_questions(store, ["mine/00000"])["mine/00000"]
    assert [q.text for q in now.questions] == ["is there a cat?", "what is it?"]


def test_questions_are_exported_edited_and_brought_back(project: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "p.jsonl", tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in small_project.METADATA[:2]))
    done(project, "import", "prompts", path, "--suite", "mine")
    assert "the prompts of this selection have no questions" in concord(project, "export", "questions", "-o", out).err
    done(project, "import", "questions", "--from-specs")
    said = done(project, "export", "questions", "--suite", "mine", "-o", out)
    assert said.endswith(f"in {out} (to bring them back: import questions --suite mine)\n")
    again = done(project, "import", "questions", out, "--suite", "mine")
    assert again == "nothing to do: these questions are asked already\n"
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert any(line.get("parents") for line in lines) == any("color" in str(line) or "count" in str(line) for line in lines)
    lines[0]["question"] = "do you see it?"
    lines[1]["parents"] = [lines[0]["question_id"]]
    out.write_text("\n".join(map(json.dumps, lines)))
    assert "1 prompts had others before" in done(project, "import", "questions", out, "--suite", "mine")
    with Store(project) as store:
        version = library.current_questions(store, ["mine/00000"])["mine/00000"]
    assert version.number == 2
    assert (version.questions[0].text, version.questions[0].question_id) == ("do you see it?", lines[0]["question_id"])
    assert version.questions[1].parents == (lines[0]["question_id"],)
    done(project, "import", "prompts", path, "--suite", "other")
    done(project, "import", "questions", "--from-specs")
    assert "holds one suite, got mine, other; choose one with --suite" in concord(project, "export", "questions", "-o", out).err
    done(project, "export", "prompts", "--suite", "mine", "-o", out)
    assert done(project, "import", "prompts", out, "--suite", "mine").startswith("mine: 0 new of 2")
