"""A request is declared once: its fields are options, keys of files, arguments, controls and rows of the docs."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.testing import CliRunner

from concord.library import Project
from concord.library_tables import REQUESTS
from concord.new_campaigns.drafting import PRESETS, entered
from data.campaigns.settings import Settings
from data.files import InputError
from data.requests import Request, Setting, fields_of, read_request
from docs.making import reference
from ui.cli.request_options import request_options, request_values
from ui.components.request_fields import field_control
from ui.shell.html import rendered

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(Request):
    """A frame around a picture."""

    width: Annotated[float, Setting("Width.", above=0, maximum=9)] = 1.0
    wood: Annotated[Literal["oak", "ash"], Setting("Wood.")] = "oak"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreSettings(Settings):
    """Settings of a campaign of tomorrow."""

    shout: Annotated[
        int, Setting("Times to shout.", details="Loudly.", unit="times", minimum=1, section="limits", label="Shouts")
    ] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture(Request):
    """A picture on a wall."""

    name: Annotated[str, Setting("Name.", key="called")] = ""
    tags: Annotated[tuple[str, ...], Setting("Tags.")] = ()
    copies: Annotated[int | None, Setting("Copies.", minimum=1)] = None
    price: Annotated[str, Setting("Price.", numeric=True)] = ""
    frame: Frame = Frame()
    hidden: int = 0


def test_a_request_is_read_from_names_and_all_that_is_wrong_is_said_at_once() -> None:
    values = {"called": "x", "tags": "a", "copies": 2, "price": 3, "width": "0.5", "wood": None}
    assert read_request(Picture, values, "f.yaml", "a picture") == Picture(
        name="x", tags=("a",), copies=2, price="3", frame=Frame(width=0.5)
    )
    with pytest.raises(InputError) as error:
        read_request(Picture, {"widht": 1, "copies": True, "wood": "elm", "tags": [1], "hidden": 1}, "f.yaml", "a picture")
    assert len(error.value.problems) == 5
    assert error.value.problems[0] == "f.yaml: a picture has no 'widht'; did you mean width?"
    assert any("'elm'" in problem and "ash" in problem for problem in error.value.problems)


def test_values_out_of_range_are_refused_wherever_a_request_is_made() -> None:
    for wrong in (0, 10):
        with pytest.raises(ValueError, match="width must be above 0, at most 9, got"):
            Frame(width=wrong)
    with pytest.raises(ValueError, match="copies must be 1 or more, got 0"):
        Picture(copies=0)
    with pytest.raises(InputError, match="f: copies must be 1 or more, got 0"):
        read_request(Picture, {"copies": 0}, "f", "a picture")


def test_a_field_is_an_option_a_key_a_control_and_a_row_of_the_docs() -> None:
    """A new setting of a campaign needs no line in the command, the reader of files, the forms or the docs."""
    assert {field.key for field in fields_of(MoreSettings)} - {field.key for field in fields_of(Settings)} == {"shout"}
    (option,) = [each for each in request_options(MoreSettings, part=True) if each.name == "shout"]
    typer_app = typer.Typer()

    def run(shout: Any) -> None:
        print(request_values(MoreSettings, True, dict.fromkeys(names) | {"shout": shout}))

    names = [(field.setting.file or field.name) for field in fields_of(MoreSettings)]
    run.__signature__ = inspect.Signature([option])  # type: ignore[attr-defined]
    run.__annotations__ = {"shout": option.annotation}
    typer_app.command()(run)
    assert CliRunner().invoke(typer_app, ["--shout", "3"]).stdout == "{'shout': 3}\n"
    assert "Times to shout; default: 1." in CliRunner().invoke(typer_app, ["--help"]).stdout
    assert read_request(MoreSettings, {"shout": 2, "limit": 4}, "f", "a campaign") == MoreSettings(shout=2, limit=4)
    (field,) = [each for each in fields_of(MoreSettings) if each.name == "shout"]
    control = rendered(field_control(field, None))
    assert ">Shouts (times)</label>" in control
    assert 'value="1"' in control
    assert (entered(field, "3"), entered(field, 3.0), entered(field, "")) == (3, 3, None)
    assert reference.setting_row(field) == ("`shout`", "`1` times", "Times to shout. Loudly.")


def test_settings_of_campaigns_are_named_where_they_are_declared_and_used_only() -> None:
    """Neither commands nor the docs name one; pages name those that presets fill in, and the one beside the filters."""
    names = {field.name for field in fields_of(Settings)}
    named = {
        room: {
            node.value
            for path in (ROOT / room).rglob("*.py")
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and node.value in names
        }
        for room in ("ui/cli", "docs/making", "ui/pages/new_campaign")
    }
    preset = set().union(*PRESETS.values())
    assert named["ui/cli"] <= {"limit"}
    # scorers have a budget, pages an order, a plan a currency
    assert named["docs/making"] <= {"budget", "order", "currency"}
    # a plan's address has a currency
    assert named["ui/pages/new_campaign"] <= preset | {"order", "currency"}


@pytest.mark.parametrize("call", sorted(REQUESTS))
def test_arguments_of_the_library_are_fields_of_its_requests(call: str) -> None:
    fields = {field.name: field for field in fields_of(REQUESTS[call])}
    arguments = inspect.signature(getattr(Project, call)).parameters
    shared = [name for name in arguments if name in fields]
    assert shared
    for name in shared:
        default = fields[name].default
        assert arguments[name].annotation != "Any"
        if not call.startswith(("add_", "score")):
            assert arguments[name].default in (default, None if default == () else default), name


def help_texts() -> list[str]:
    """The help text of each option, argument and field in the sources."""
    texts: list[str] = []
    for path in (path for room in ("ui", "concord", "data") for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                named = [each.value for each in node.keywords if each.arg == "help"]
                by_place = node.args[:1] if ast.unparse(node.func) == "Setting" else []
                if by_place or ast.unparse(node.func) in ("typer.Option", "typer.Argument"):
                    literals = [each for each in (*named, *by_place) if isinstance(each, ast.Constant)]
                    texts += [str(each.value) for each in literals]
    return texts


def test_each_help_text_stands_once() -> None:
    texts = help_texts()
    assert len(texts) > 150
    assert {text: count for text, count in Counter(texts).items() if count > 1} == {}


def test_no_field_is_required_by_accident() -> None:
    required = {field.name for kind in REQUESTS.values() for field in fields_of(kind) if field.default is MISSING}
    assert required == {"layout", "scorer"}
