"""Consent from a file: its text is what people agree to, whatever it holds, and never its name."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from data.store.core.store import Store
from tests.ui.http_visitor import make_project, open_world
from tests.ui.small_project import concord, done

TEXT = """# Taking part

You **may stop** at any time.

<script>alert(1)</script> <img src=x onerror=alert(1)>
[more](javascript:alert(1)) ![beacon](https://e.org/x.png)
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("consent"))


def consent_of(project: Path, campaign: str) -> str:
    with Store(project) as store:
        return str(
            json.loads(store.query_column("select settings from campaigns where campaign_id = ?", [campaign])[0])["consent"]
        )


def test_people_agree_to_the_text_of_the_file_and_nothing_in_it_runs(template: Path, tmp_path: Path) -> None:
    file = tmp_path / "consent.md"
    file.write_text(TEXT, "utf-8-sig")
    with open_world(template, tmp_path / "world"):
        pass
    project = tmp_path / "world" / "project"
    done(project, "campaigns", "create", "c", "--suite", "geneval", "--consent", file)
    done(project, "campaigns", "start", "c")
    file.write_text("another text, too late")
    with open_world(project.parent, tmp_path / "open") as world:
        client = world.person()
        client.post("/api/campaign", json={"campaign": "c"})
        before = client.get("/api/next").json()
        assert before["state"] == "consent"
        heading, promise, hostile = before["consent"]
        assert heading == {"tag": "h1", "children": ["Taking part"]}
        assert promise["children"][1] == {"tag": "strong", "children": ["may stop"]}
        assert all(isinstance(node, str) for node in hostile["children"]), "words alone: no element, no address"
        words = "".join(hostile["children"])
        assert "<script>alert(1)</script> <img src=x onerror=alert(1)>" in words
        assert words.endswith("beacon")
        assert client.post("/api/consent", json={"text": before["text"]}).json() == {"agreed": True}
        assert client.get("/api/next").json()["state"] == "label"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "there is no such file"),
        (b"", "nothing to agree to"),
        (b" \n", "nothing to agree to"),
        (b"I agr\xe9e", "is not UTF-8"),
        ("I agree".encode("utf-16"), "UTF-16"),
        (b"a\0b", "NUL byte"),
        (b"x" * 100_001, "at most 100"),
    ],
    ids=["missing", "empty", "blank", "latin-1", "utf-16", "binary", "too large"],
)
def test_a_file_that_holds_no_consent_is_refused_in_one_line(
    template: Path, tmp_path: Path, content: bytes | None, why: str
) -> None:
    file = tmp_path / "consent.md"
    if content is not None:
        file.write_bytes(content)
    ran = concord(template / "project", "campaigns", "create", "refused", "--suite", "geneval", "--consent", file)
    assert (ran.status, ran.err.count("\n"), ran.out) == (1, 1, "")
    assert why in ran.err
    assert "consent.md" in ran.err
    assert "refused" not in concord(template / "project", "campaigns", "list").out


def test_a_pipe_is_no_consent(template: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    ran = concord(template / "project", "campaigns", "create", "p", "--suite", "geneval", "--consent", tmp_path / "pipe.md")
    assert (ran.status, ran.err.count("\n")) == (1, 1)


def test_a_campaigns_file_holds_the_text_itself(template: Path, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("id: yaml\nsuite: geneval\nconsent: consent.md is *short*\n")
    done(template / "project", "campaigns", "create", "--from", tmp_path / "c.yaml")
    assert consent_of(template / "project", "yaml") == "consent.md is *short*"
    (tmp_path / "consent.md").write_text("The file's.")
    done(
        template / "project", "campaigns", "create", "both", "--from", tmp_path / "c.yaml", "--consent", tmp_path / "consent.md"
    )
    assert consent_of(template / "project", "both") == "The file's."
