"""The catalogue of what annotators read: every text comes from it, each language has all of them, and pages use them."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from concord.form import ending
from tests.ui.other_language import write_catalogue
from ui.web import texts
from ui.web.assets import ASSETS
from ui.web.texts import Language, language_of

_SCRIPTS = sorted((ASSETS / "js" / "form").glob("*.js"))
_LANGUAGES = sorted((ASSETS / "texts").glob("*.json"))
_MODULES = (
    "concord/form/annotator.py", "concord/people.py", "concord/sign_in.py", "data/people.py",
    "data/store/people/invitations.py", "ui/web/api/form.py", "ui/web/auth/accounts.py",
    "ui/web/auth/authorization.py", "ui/web/auth/routes.py", "ui/web/auth/sessions.py", "ui/web/auth/sign_in_pages.py",
)  # fmt: skip
"""All that the pages before the form say, and why the form is refused something."""
_SENTENCE = re.compile(r"^[A-Z“]\S* .*|^[A-Z][a-z]+$", re.DOTALL)
_CALL = re.compile(r'\b(?:t|later)\("((?:[^"\\]|\\.)*)"')
_LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')
_KEYS = {"Enter", "Backspace", "Escape", "Esc", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"}
_VALUE = re.compile(r"\{\w+\}")


def code(text: str) -> str:
    """A script without its comments."""
    lines = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines()
    return "\n".join(re.sub(r"(^|\s)//\s.*$", "", line) for line in lines if not line.startswith("import "))


def literals(text: str) -> list[str]:
    """What a script would show as it is: words in quotes that pass through neither ``t`` nor ``later``."""
    bare = _CALL.sub("(", code(text))
    results = [entry or other for entry, other in _LITERAL.findall(bare)]
    plain = [re.sub(r"\$\{[^}]*\}", "", entry) for entry in results if entry not in _KEYS]
    technical = re.compile(r"cc-|^\(|\[|https?:|^\.|^[a-z]+(, [a-z]+)+|^button|^max\(")
    return [one for one in plain if re.search(r"^[A-Z][a-z]|[a-z] +[a-z]", one) and not technical.search(one)]


def sentences(source: str) -> set[str]:
    """What a module says to people: its strings that read like words, but for its own documentation."""
    nodes = [*ast.walk(ast.parse(source))]
    apart = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    apart |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    plain = {node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in apart}
    # what is put together has a name in no catalogue, whatever it says
    joined = {"".join(map(_part, node.values)) for node in nodes if isinstance(node, ast.JoinedStr)}
    return {text for text in plain | joined if isinstance(text, str) and _SENTENCE.match(text)}


def _part(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else "{}"


def module_sentences() -> set[str]:
    return {text for path in _MODULES for text in sentences((ASSETS.parent / path).read_text("utf-8"))}


def refusals() -> set[str]:
    """Why an answer is refused: what ``annotation/questionnaires/base.py`` hands to ``say``."""
    tree = ast.parse((ASSETS.parent / "annotation/questionnaires/base.py").read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return {ast.literal_eval(call.args[0]) for call in calls if call.func.id == "say"}  # type: ignore[attr-defined]


def test_a_text_beside_the_catalogue_is_found() -> None:
    script = 'const a = t("In it"); // "a comment"\nb("Not in it", `${n} of ${m} done`, "cc-row cc-x", "Enter", later("too"));'
    assert literals(script) == ["Not in it", " of  done"]
    module = '"""A comment."""\nsay("cc-x", "Go on")\nraise Closed(f"You are {name} here.")'
    assert sentences(module) == {"Go on", "You are {} here."}


@pytest.mark.parametrize("path", _SCRIPTS, ids=lambda path: path.name)
def test_every_text_of_the_form_comes_from_the_catalogue(path: Path) -> None:
    assert literals(path.read_text("utf-8")) == []


def test_english_has_every_text_under_its_own_name() -> None:
    scripted = {text for path in _SCRIPTS for text in _CALL.findall(code(path.read_text("utf-8")))}
    known = json.loads((ASSETS / "texts" / "en.json").read_text("utf-8"))
    assert sorted(known) == sorted(scripted | ending.sentences() | module_sentences() | refusals())
    assert all(name == text for name, text in known.items())


@pytest.mark.parametrize("path", _LANGUAGES, ids=lambda path: path.stem)
def test_each_language_is_complete_with_the_same_values(path: Path) -> None:
    english = json.loads((ASSETS / "texts" / "en.json").read_text("utf-8"))
    known = json.loads(path.read_text("utf-8"))
    assert list(known) == list(english)
    for name, text in known.items():
        assert sorted(_VALUE.findall(text)) == sorted(_VALUE.findall(name)), name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The catalogue with one more language."""
    monkeypatch.setattr(texts, "FOLDER", write_catalogue(tmp_path))
    return tmp_path


def asking(query: str = "", accepted: str = "") -> Language:
    headers = [(b"accept-language", accepted.encode())] if accepted else []
    return language_of({"type": "http", "query_string": query.encode(), "headers": headers})


@pytest.mark.usefixtures("folder")
def test_the_language_is_that_of_the_address_or_of_the_browser() -> None:
    assert texts.languages() == {"fa": "rtl"}
    for query, accepted, code in (
        ("", "", "en"),
        ("", "fa-IR,fa;q=0.9,en;q=0.8", "fa"),
        ("", "de, en;q=0.5, fa;q=0.4", "en"),
        ("", "de;q=x, fa", "fa"),
        ("lang=en", "fa", "en"),
        ("lang=FA-ir", "en", "fa"),
        ("lang=../../fa", "", "en"),
        ("lang=xx", "fa", "fa"),
    ):
        assert asking(query, accepted).code == code, (query, accepted)
    persian = asking("lang=fa")
    assert (persian.direction, asking().direction) == ("rtl", "ltr")
    assert persian("You are signed in as {name}.", name="{n}") == "⟦You are signed in as {n}.⟧"
    assert persian("of no catalogue {x}") == "of no catalogue {x}"
    assert (persian.at("/login"), persian.at("/join/t?a=1")) == ("/login?lang=fa", "/join/t?a=1&lang=fa")
    assert persian.at("/join/t?lang=fa") == "/join/t?lang=fa"
    assert asking("", "fa").at("/login") == "/login"


def test_a_changed_catalogue_is_read_again(folder: Path) -> None:
    assert asking("lang=fa")("Start") == "⟦Start⟧"
    (folder / "fa.json").write_text(json.dumps({"Start": "⟦⟦Start⟧⟧"}), "utf-8")
    assert asking("lang=fa")("Start") == "⟦⟦Start⟧⟧"
