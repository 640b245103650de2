"""Every route of the app, asked whatever its description allows and much that it does not: an answer, never a failure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlencode

import schemathesis
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.fuzz.mutation import TEXTS
from tests.fuzz.oracle import Unexpected
from tests.ui.accounts_app import House, house

# what runs commands is for whoever holds the project, who can do worse with it; signing out ends the fuzz
_LEFT_OUT: Final = ("/command", "/logout", "/api/leave")
_NAMES: Final = (
    "suite", "task", "generator", "aspect", "target", "rater", "campaign", "certainty", "tag", "since", "until", "about", "a",
    "a_says", "b", "b_says", "way", "among", "picture", "seen_by", "asked", "found", "object", "color", "count", "relation",
    "says", "people", "differs", "q", "range", "by", "order", "page", "left", "right", "of", "map", "lasso", "id", "n", "w",
    "show", "statistic", "seed", "next", "case", "against", "only", "who", "said", "two", "chose", "along", "flip", "see",
)  # fmt: skip
_VALUES: Final = (
    "geneval", "geneval/00000/sdv2/0", "sdv2", "colors", "correct", "quality", "secretscorer", "people", "each", "yes", "no",
    "secretscorer:yes", "secretscorer:1..5", "secretscorer:..", "secretscorer:nan..inf", "among-people", "unanimous", "split",
    "2026-11-20", "9999-12-31T23:59:59-14:00", "0001-01-01", "0", "1", "999999", "1000000", "-1", "cow", "red", "left of",
    "pca:m", "umap:m:k", "0,0;1,1;1,0", "mean", "all", "c", "default", "320", "prompt", "disagreement", "worst", "best",
    *(text for text in TEXTS if len(text) < 200),
)  # fmt: skip
_TEXT: Final = st.one_of(st.sampled_from(_VALUES), st.text(max_size=30))
QUERIES: Final = st.lists(st.tuples(st.sampled_from(_NAMES), _TEXT), max_size=6)
COOKIES: Final = st.one_of(st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=';,"\\'), max_size=60))


@dataclass(frozen=True, slots=True)
class Rooms:
    """The app with somebody of each kind before it."""

    house: House
    people: Mapping[str, TestClient]

    @property
    def schema(self) -> Any:
        raw = self.house.app.openapi()
        raw["paths"] = {path: said for path, said in raw["paths"].items() if path not in _LEFT_OUT}
        return schemathesis.openapi.from_dict(raw)

    def operations(self) -> list[Any]:
        return [operation.ok() for operation in self.schema.get_all_operations()]

    def gets(self) -> list[str]:
        """Paths of every GET route of ours, and of the pages, with something in their gaps."""
        paths = [operation.path for operation in self.operations() if operation.method.upper() == "GET"]
        pages = (
            "results", "results/compare", "results/votes", "images", "agreement", "agreement/tune", "agreement/failures",
            "agreement/captions", "people", "people/new", "report", "report/studies", "add", "add/runs",
        )  # fmt: skip
        return [*paths, "/annotate/", "/studio/", *(f"/studio/{name}" for name in pages)]


@contextmanager
def rooms(folder: Path) -> Iterator[Rooms]:
    with house(folder, pages=True) as made:
        people = {"researcher": made.account("rosa"), "annotator": made.account("anna"), "nobody": made.client()}
        yield Rooms(made, people)


def call(client: TestClient, case: Any) -> None:
    """Ask what Schemathesis made.

    Raises:
        Unexpected: the app failed, or answered what its description does not say.
    """
    more: dict[str, Any] = {}
    if case.method.upper() == "POST":
        # a route without a body takes none, and the guard wants JSON all the same
        more = {"content": _body(case.body), "headers": {"content-type": "application/json"}}
    values = {
        name: quote(str(value).encode("utf-8", "replace"), safe="") for name, value in (case.path_parameters or {}).items()
    }
    path = case.operation.path.format(**values)
    query = [
        (name, entry) for name, value in (case.query or {}).items() for entry in (value if isinstance(value, list) else [value])
    ]
    known = {int(code) for code in case.operation.definition.raw["responses"]} | {200, 303, 401, 403}
    ask(client, case.method, path, query, known=known, **more)


def ask(
    client: TestClient, method: str, path: str, query: list[tuple[str, Any]], known: set[int] | None = None, **more: Any
) -> None:
    """Ask, and look at how it answers.

    Raises:
        Unexpected: the app failed, or answered what its description does not say.
    """
    address = path + ("?" + urlencode([(name, str(value)) for name, value in query], errors="replace") if query else "")
    answer = client.request(method, address, **more)
    told = f"{method} {address[:300]} {str(more.get('content', ''))[:300]}: {answer.status_code} {answer.text[:200]}"
    if answer.status_code >= 500:
        raise Unexpected(told)
    if known is not None and answer.status_code not in known:
        raise Unexpected(f"not described: {told}")
    if answer.headers.get("content-type", "").startswith("application/json"):
        json.loads(answer.text, parse_constant=_refuse)


def _body(body: Any) -> bytes:
    return json.dumps(body).encode() if isinstance(body, dict | list | str | int | float | None) else b"{}"


def _refuse(name: str) -> None:
    raise Unexpected(f"{name} in an answer is no JSON")
