"""The form's catalogue: every text comes from it, and each language has all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from concord import form
from ui.web.assets import ASSETS

_SCRIPTS = sorted((ASSETS / "js" / "form").glob("*.js"))
_LANGUAGES = sorted((ASSETS / "texts").glob("*.json"))
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


def test_a_text_beside_the_catalogue_is_found() -> None:
    script = 'const a = t("In it"); // "a comment"\nb("Not in it", `${n} of ${m} done`, "cc-row cc-x", "Enter", later("too"));'
    assert literals(script) == ["Not in it", " of  done"]


@pytest.mark.parametrize("path", _SCRIPTS, ids=lambda path: path.name)
def test_every_text_of_the_form_comes_from_the_catalogue(path: Path) -> None:
    assert literals(path.read_text("utf-8")) == []


def test_english_has_every_text_under_its_own_name() -> None:
    texts = {text for path in _SCRIPTS for text in _CALL.findall(code(path.read_text("utf-8")))} | form.sentences()
    known = json.loads((ASSETS / "texts" / "en.json").read_text("utf-8"))
    assert sorted(known) == sorted(texts)
    assert all(name == text for name, text in known.items())


@pytest.mark.parametrize("path", _LANGUAGES, ids=lambda path: path.stem)
def test_each_language_is_complete_with_the_same_values(path: Path) -> None:
    english = json.loads((ASSETS / "texts" / "en.json").read_text("utf-8"))
    known = json.loads(path.read_text("utf-8"))
    assert list(known) == list(english)
    for name, text in known.items():
        assert sorted(_VALUE.findall(text)) == sorted(_VALUE.findall(name)), name
