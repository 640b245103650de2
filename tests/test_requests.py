"""A request is declared once: its fields are options, keys of files, arguments, controls and rows of the docs."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, dataclass
from typing import Annotated, Literal

import pytest

from concord.library import REQUESTS, Project
from data.files import InputError
from data.requests import Request, Setting, fields_of, read_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(Request):
    """A frame around a picture."""

    width: Annotated[float, Setting("Width.", above=0, maximum=9)] = 1.0
    wood: Annotated[Literal["oak", "ash"], Setting("Wood.")] = "oak"


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


@pytest.mark.parametrize("call", sorted(REQUESTS))
def test_arguments_of_the_library_are_fields_of_its_requests(call: str) -> None:
    fields = {field.name: field for field in fields_of(REQUESTS[call])}
    arguments = inspect.signature(getattr(Project, call)).parameters
    shared = [name for name in arguments if name in fields]
    assert shared
    for name in shared:
        default = fields[name].default
        assert arguments[name].annotation != "Any"
        # what a library adds is a table or folder of its own, with usual names for columns
        assert call.startswith("add_") or arguments[name].default in (default, None if default == () else default), name


def test_no_field_is_required_by_accident() -> None:
    required = {field.name for kind in REQUESTS.values() for field in fields_of(kind) if field.default is MISSING}
    assert required == {"layout", "scorer"}
