"""The JSON routes: method, path, who may ask, and what they take, from the app itself; what they are for is written here."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from docs.making.blocks import code, table

SAID: Final[dict[str, str]] = {
    "POST /command": "Runs a command for the command line while the app holds the project; streams JSON lines"
    ' `{"stream", "text"}` and at last `{"exit": status}`. Only with the token in the project\'s `.server.json`.',
    "POST /api/name": "Says who labels; where there are accounts, the name comes with the sign-in and this is refused.",
    "POST /api/leave": "Ends the session; what is reserved for the person is free again.",
    "POST /api/campaign": "Turns to another running campaign.",
    "POST /api/consent": "Agrees to the campaign's text, by the hash that `next` told.",
    "GET /api/next": "What to show: `state` (`name`, `choose`, `consent`, `label`, `done` ...), and with `label` this item and"
    " the one after it, each with its `ticket`, pictures, questions, and a kept draft.",
    "POST /api/submit": "Saves an answer; `id` is a UUID of the browser's own, so sending twice saves once. 422 with `errors`"
    " by question. `following: true`: the reply has `next`. `offer` is what the task told: times are stored as far as they"
    " lie since then, and not without it.",
    "POST /api/skip": "Puts an item off; it comes again at the end.",
    "POST /api/unskip": "Takes the last skip back.",
    "POST /api/pause": "Frees what is reserved for the person; with `code` and `url` for who stops, or a sentence (`contact`).",
    "POST /api/report": "Reports an item as broken.",
    "POST /api/draft": "Keeps half an answer.",
    "GET /api/last": "The person's last answer, with its form, to be revised.",
    "GET /api/mine": "The person's latest answers (100 at most).",
    "GET /api/mine/{annotation_id}": "One of them with its form, to be revised: `submit` it with `revises`.",
    "GET /img/{sha256}": "The picture with this content hash; `?w=` a WebP of that width (1600: the form's). Cached for ever.",
    "GET /api/studio/version": "A text that moves with every write: ask for it to know whether to ask again.",
    "GET /api/studio/items": "A page of Browse's grid; the query is Browse's address ([parameters](pages.md#browse)), and"
    " `page` from 0.",
    "GET /api/studio/item": "One item: its prompt, spec, pictures, and what the asking person said of it. `covered`: whether"
    " what others said is still hidden from them.",
    "GET /api/studio/task": "The form for this item, on the Workbench.",
    "GET /api/studio/neighbours": "The items before and after this one in a listing of Browse.",
    "GET /api/studio/evidence": "What every scorer saw and everybody said of an item; only `covered: true` before the person"
    " has answered or uncovered it.",
    "POST /api/studio/uncover": "Uncovers an item for the person, which is recorded: later answers do not count as blind.",
    "GET /api/studio/remarks": "Notes, verdicts and the history of an item; only `covered: true` before one may see them.",
    "POST /api/studio/notes": "Writes a note about an item, or revises one's own (`revises`; an empty `text` takes it back)."
    " `id` is the sender's own UUID.",
    "POST /api/studio/verdict": "Says what is right about an aspect or target of an item, and who was `wrong`: `scorer`,"
    " `person`, `prompt` or `guideline`.",
    "GET /api/studio/facets": "What a listing can be restricted by, with live counts, the listing as a sentence, and its total;"
    " the query is Browse's address.",
    "GET /api/studio/strip": "The distribution of a scorer's scores in a listing (`of`), in bins, beside all.",
    "GET /api/studio/rows": "A listing by prompt: each generator's images in a cell.",
    "GET /api/studio/tags": "All tags, and how many images have each.",
    "POST /api/studio/tags": "Tags images, or takes a tag off (`on: false`); `id` is the sender's own UUID.",
    "GET /api/studio/views": "The project's saved views: name, query, by whom and when.",
    "POST /api/studio/views": "Saves a view under a name.",
    "POST /api/studio/views/forget": "Forgets one.",
    "GET /api/studio/export/{what}.{form}": "`ratings`, `judgements` or `annotations` of a selection as `csv`, `parquet` or"
    " `jsonl`; the query is the selection.",
    "GET /api/studio/report/{key}/{form}": "A report that the page *Reports* has made, to take away.",
    "GET /api/studio/map/image": "Where a picture is shown that a point of the map stands for.",
    "GET /api/studio/map/inside": "What lies inside a line on the map.",
}
"""What each route is for, by method and path."""
WHO: Final = {"annotator": "whoever labels", "researcher": "researchers", "command": "this machine's commands", "public": "all"}
_OUT: Final = ("/studio", "/annotate", "/login", "/logout", "/join", "/assets", "/favicon.ico")


def listed() -> Iterator[tuple[str, Any]]:
    """Every route of ours that is no page, by method and path."""
    from data.store.core.store import Store
    from ui.web.server import create_app

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        yield from sorted(_routes(create_app(store, "token").routes), key=lambda each: each[0])


def _routes(routes: Any) -> Iterator[tuple[str, Any]]:
    for route in routes:
        if (included := getattr(route, "original_router", None)) is not None:
            yield from _routes(included.routes)
        elif getattr(route, "methods", None) and route.path != "/" and not route.path.startswith(_OUT):
            for method in sorted(set(route.methods) - {"HEAD"}):
                yield f"{method} {route.path}", route


def description_of(name: str, route: Any) -> str:
    """What a route is for, in a paragraph; empty: nobody has said."""
    return SAID.get(name) or " ".join((inspect.getdoc(route.endpoint) or "").split())


def made() -> str:
    """All routes as Markdown."""
    from ui.web.auth.authorization import access_of

    rows = []
    for name, route in listed():
        access = access_of(route.path)
        who = "nobody" if access is None else WHO[access.value]
        rows.append((code(name), who, _takes(route), description_of(name, route)))
    return table(("route", "who", "takes", "what it does"), rows)


def _takes(route: Any) -> str:
    """The names of what is sent: in the query, and in the JSON body."""
    named = [one.alias or one.name for one in _queries(route.dependant)]
    found = [f"?{', '.join(code(one) for one in dict.fromkeys(named))}"] if named else []
    for one in route.dependant.body_params:
        fields = getattr(getattr(one.field_info, "annotation", None), "model_fields", {})
        found.append(f"{{{', '.join(code(name) for name in fields)}}}")
    return " ".join(found)


def _queries(dependant: Any) -> Iterator[Any]:
    yield from dependant.query_params
    for below in dependant.dependencies:
        yield from _queries(below)
