"""Import: bring images or ratings without the command line. A file or a folder is read, what it would bring is shown, and one
click stores it; every import can be undone.

Only somebody at this machine may name a path on it (``Visitor.local``); everybody else uploads.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import gradio as gr
import htpy
from htpy import Node

from concord.common import wording
from concord.common.base_path import at
from concord.common.context import CommandError
from concord.common.table import Cell
from concord.importing import uploads
from concord.importing.image_requests import ImageRequest
from concord.importing.images import DEFAULT_SUITES
from concord.importing.rating_request import RatingRequest
from concord.importing.uploads import Source, UploadOutcome, UploadRequest
from data.aspects import SCALES
from data.files import printable
from data.images.files import ImageError, thumbnail
from data.images.widths import IN_STRIPS
from data.records import Annotation, Evidence
from data.store import imports
from data.store.browse import contents
from data.store.core.store import Store
from data.studies.rating_tables import read_rating_table
from ui.components.buttons import button
from ui.components.image_strip import picture_address
from ui.components.tables import Cells, bullets, folded, joined, note, plain_table, table_element
from ui.shell.changes import Drawn
from ui.shell.html import event_data, html_component
from ui.shell.page import Page

_ROWS: Final = 5
_MOST_LINES: Final = 20
_LEAD: Final = "Import images, or ratings of images. You see what is in the files first; nothing is stored before you confirm."
_HELP: Final = """
**Images**: a zip, or the images together with a table that has the columns `path` and `prompt`; `generator`, `idx` and `task`
are optional. Folders as GenEval (`00042/samples/0000.png`) and VISOR (`10811_0.png`) write them need no table; of several
generators read one folder after the other.

**Ratings**, by people or by a metric: a table (CSV, JSON lines, Parquet, or an export of Label Studio or Argilla) with a row
for each rating: the image, who rated it, and the value.

Uploads are limited to 50 MB at once. A larger folder that lies on the server's machine is imported there, by its path or by the
command `import images`.
"""
_NONE: Final = "(none)"
_NEEDED: Final = {"item": "Image: column", "rater": "Rater: column", "value": "Rating: column"}
_OPTIONAL: Final = {name: f"{name.capitalize()}: column" for name in ("prompt", "generator", "index", "task")}
_COLUMNS: Final = (*_NEEDED, *_OPTIONAL)
_RATINGS: Final = (*_COLUMNS, "aspect", "scale", "kind", "suite", "new_items", "exported")
_IMAGES: Final = ("images-generator", "images-suite")
_PREVIEW: Final = ("summary", "store", "preview")
_EVERYTHING: Final = ("source", *_PREVIEW, "done", "images-fields", "ratings-fields", *_IMAGES, *_RATINGS)
_SLOW: Final[dict[str, Any]] = {"show_progress": "minimal", "trigger_mode": "always_last"}
_ONCE: Final[dict[str, Any]] = {"show_progress": "full", "trigger_mode": "once"}


class ImportPage(Page[None]):
    """The page. What was brought is in the session's state on the server: no browser can send another path."""

    title, path = "Add", "/add"

    def lay_out(self) -> None:
        html_component(note(_LEAD, "cc-lead"))
        self.field("source", gr.State(None))
        label = "A zip of images, or a table of ratings"
        self.field("files", gr.File(label=label, file_count="multiple", type="filepath", height=150, elem_id="import-files"))
        with self.field("local", gr.Row(visible=False, elem_classes="cc-filters cc-run-row")):
            info = "Or a folder of images, or a table, on this machine"
            self.field("path", gr.Textbox(label=info, placeholder="/data/images", max_lines=1, elem_id="import-path"))
            self.field("read", gr.Button("Read it", scale=0, min_width=120, elem_id="import-read"))
        with gr.Accordion("What can be imported", open=False):
            gr.Markdown(_HELP)
        with self.field("images-fields", self.bar(visible=False)):
            info = "who made the images, where the table does not say"
            self.field("images-generator", gr.Textbox(label="Generator", info=info, max_lines=1, elem_id="import-generator"))
            info = "a name for this set of prompts"
            self.field("images-suite", gr.Textbox(label="Suite", info=info, max_lines=1, elem_id="import-suite"))
        with self.field("ratings-fields", gr.Column(visible=False)):
            self._lay_out_ratings()
        self.field("summary", gr.HTML(elem_id="import-summary"))
        self.field("store", gr.Button("Store", variant="primary", visible=False, elem_id="import-store"))
        self.field("preview", gr.HTML(elem_id="import-preview"))
        self.field("done", gr.HTML(elem_id="import-done"))
        with self.field("confirm", self.bar(visible=False, elem_id="import-confirm")):
            self.field("question", gr.HTML())
            self.field("undo", gr.Button("Undo it", variant="stop", scale=0, min_width=120))
            self.field("keep", gr.Button("Keep it", scale=0, min_width=120))
        self.field("number", gr.State(None))
        self.clickable("imports")

    def _lay_out_ratings(self) -> None:
        any_value: dict[str, Any] = {"allow_custom_value": True, "min_width": 140}
        with self.bar():
            for name, label in _NEEDED.items():
                self.field(name, gr.Dropdown([], label=label, elem_id=f"import-{name}", **any_value))
            self.field("aspect", gr.Dropdown(list(SCALES), label="What is rated", elem_id="import-aspect", **any_value))
            self.field("scale", gr.Textbox(label="Scale", max_lines=1, min_width=140, elem_id="import-scale"))
            kinds = [("people", "human"), ("a metric", "scorer")]
            self.field("kind", gr.Dropdown(kinds, value="human", label="Rated by", min_width=140))
            self.field("suite", gr.Dropdown([], label="Images of suite", elem_id="import-rated-suite", **any_value))
        with gr.Accordion("More columns", open=False), self.bar():
            for name, label in _OPTIONAL.items():
                self.field(name, gr.Dropdown([], label=label, **any_value))
            self.field("new_items", gr.Checkbox(label="Take in what matches no image"))
        self.field("exported", gr.Checkbox(visible=False))

    def draw(self, view: None) -> Iterator[Drawn | None]:  # noqa: ARG002 - there is one view
        yield {"imports": _imports_table(self.store)}

    def connect(self) -> None:
        super().connect()
        self.on(lambda act, *how, **rest: gr.on(None, act, *how, **rest), _show_local, [], ["local"])
        self.on(self["files"].change, self._upload, ["files"], _EVERYTHING, **_SLOW)
        for event in (self["read"].click, self["path"].submit):
            self.on(event, self._read, ["path"], _EVERYTHING, **_SLOW)
        chosen = ["source", *_IMAGES, *_RATINGS]
        for name in (*_IMAGES, *_RATINGS):
            field = self[name]
            self.on(field.blur if isinstance(field, gr.Textbox) else field.input, self._again, chosen, _PREVIEW, **_SLOW)
        progress = {"show_progress_on": self["summary"], **_ONCE}
        self.on(self["store"].click, self._store, chosen, (*_EVERYTHING, "imports"), **progress)
        self.on(self["imports"].select, _ask, [], ["confirm", "question", "number"])
        self.on(self["keep"].click, lambda: {"confirm": False}, [], ["confirm"])
        self.on(self["undo"].click, self._undo, ["number"], ["confirm", "done", "imports"], trigger_mode="once")

    def _upload(self, paths: list[str] | None) -> Drawn:
        if not paths:
            return _nothing()
        return self._bring(lambda: uploads.uploaded_source(self.store, [Path(path) for path in paths]))

    def _read(self, text: str, request: gr.Request) -> Drawn:
        if not _is_local(request):
            return _nothing(note("Only somebody at this machine can name a folder on it. Upload files instead.", "cc-bad"))
        return self._bring(lambda: uploads.path_source(text))

    def _bring(self, find: Callable[[], Source]) -> Drawn:
        try:
            source = find()
            if source.layout is None:
                guess = uploads.guess_ratings(self.store, source)
                changes, values = _rating_changes(guess), {name: guess.get(name) for name in _RATINGS}
            else:
                values = dict(zip(_IMAGES, ("my-model", DEFAULT_SUITES[source.layout]), strict=True))
                values["images-generator"] = source.name
                changes = values
        except (ValueError, OSError, CommandError) as error:
            return _nothing(_lines("Nothing can be stored, and why", uploads.problems_of(self.store, error)))
        shown: dict[str, Any] = {"source": source, "done": "", "images-fields": source.layout is not None}
        shown["ratings-fields"] = source.layout is None and not values["exported"]
        return shown | changes | self._preview(source, values)

    def _again(self, source: Source | None, *values: Any) -> Drawn:
        return {} if source is None else self._preview(source, dict(zip((*_IMAGES, *_RATINGS), values, strict=True)))

    def _preview(self, source: Source, values: Mapping[str, Any]) -> dict[str, Any]:
        outcome = uploads.preview(self.store, source, _request(source, values))
        bundle = outcome.bundle
        if bundle is None:
            lines = outcome.errors or outcome.summary
            body = [_lines("Nothing can be stored yet, and why", lines), _lines("Left out, and why", outcome.skipped)]
            return {"summary": body, "store": gr.Button(visible=False), "preview": ""}
        images = source.layout is not None
        n = len(bundle.images) if images else len(bundle.annotations) + len(bundle.evidence) + len(bundle.ratings or ())
        summary, table = _images_preview(self.store, source, outcome) if images else _ratings_preview(self.store, outcome)
        label = f"Store {wording.count(n, 'image' if images else 'rating')}"
        return {"summary": summary, "store": gr.Button(label, visible=n > 0), "preview": table}

    def _store(
        self,
        source: Source | None,
        *values: Any,
        progress: gr.Progress = gr.Progress(),  # noqa: B008 - how Gradio is told to show it
    ) -> Drawn:
        if source is None:
            return {}
        progress(0, desc="Storing")
        request = _request(source, dict(zip((*_IMAGES, *_RATINGS), values, strict=True)))
        outcome = uploads.store_source(self.store, source, request, lambda done: progress(done, desc="Reading images"))
        return _nothing() | {"done": _done(source, outcome), "imports": _imports_table(self.store)}

    def _undo(self, number: int | None) -> Drawn:
        if number is None:
            return {"confirm": False}
        try:
            imports.undo(self.store, number)
            outcome = note(f"Import {number} is undone: all that it brought has left the project.", "cc-lead")
        except (ValueError, KeyError) as error:
            outcome = note(wording.sentence(str(error)), "cc-bad")
        return {"confirm": False, "done": outcome, "imports": _imports_table(self.store)}


def _is_local(request: gr.Request) -> bool:
    """Whether whoever sent this sits at this machine, in an app where nobody signs in."""
    inner: Any = request.request
    return bool(getattr(inner.scope.get("visitor"), "local", False))


def _show_local(request: gr.Request) -> Drawn:
    return {"local": _is_local(request)}


def _ask(event: gr.EventData) -> Drawn:
    number = event_data(event).get("number", "")
    question = note(f"Undo import {number}? All that it brought leaves the project.")
    return {"confirm": number.isdigit(), "question": question, "number": int(number) if number.isdigit() else None}


def _nothing(text: Node = "") -> dict[str, Any]:
    """Nothing is brought; ``text``: why."""
    hidden = {"images-fields": False, "ratings-fields": False, "store": gr.Button(visible=False)}
    return {"source": None, "summary": text, "preview": "", "done": "", **hidden}


def _request(source: Source, values: Mapping[str, Any]) -> UploadRequest:
    """The request of ``import images`` or ``import ratings``; None for a file of ``export ratings``."""
    if source.layout is not None:
        generator, suite = (values[name].strip() or None for name in _IMAGES)
        return ImageRequest(layout=source.layout, generator=generator, suite=suite)
    if values["exported"]:
        return None
    columns: dict[str, Any] = {name: None if values[name] in (None, "", _NONE) else values[name] for name in _COLUMNS}
    others: dict[str, Any] = {name: values[name] or None for name in ("aspect", "scale", "suite", "kind")}
    return RatingRequest(**columns, **others, new_items=bool(values["new_items"]))


def _rating_changes(guess: Mapping[str, Any]) -> dict[str, Any]:
    choices = [_NONE, *guess["header"]]
    changes: dict[str, Any] = {name: gr.Dropdown(choices, value=guess.get(name, _NONE)) for name in _COLUMNS}
    changes["suite"] = gr.Dropdown(guess["suites"], value=guess["suite"])
    return changes | {name: guess[name] for name in ("aspect", "scale", "kind", "exported")} | {"new_items": False}


def _images_preview(store: Store, source: Source, outcome: UploadOutcome) -> tuple[Node, Node]:
    """Return what a folder of images would bring: a summary, and the first of them."""
    assert outcome.bundle is not None
    images = outcome.bundle.images
    texts = {prompt.prompt_id: prompt.text for prompt in outcome.bundle.prompts}
    generators = list(dict.fromkeys(image.generator for image in images))
    by = ", ".join(generators[:4]) + (" and others" if len(generators) > 4 else "")
    rows = [
        (_picture(store.project / image.path), texts[image.prompt_id], image.generator, Path(image.path).name)
        for image in images[:_ROWS]
        if image.path
    ]
    lead = f"{wording.count(len(images), 'image')} of {wording.count(len(texts), 'prompt')} by {by}."
    table = plain_table(f"The first {len(rows)}", ("Image", "Prompt", "Generator", "File"), rows)
    return (
        [note(lead, "cc-lead"), note(_layout_sentence(source)), _lines("Left out, and why", outcome.skipped)],
        table_element(table, "cc-import-table"),
    )


def _ratings_preview(store: Store, outcome: UploadOutcome) -> tuple[Node, Node]:
    """Return what a table of ratings would bring: a summary, and the first of them."""
    assert outcome.bundle is not None
    rows: list[Cells] = []
    sources: list[Annotation | Evidence] = [*outcome.bundle.annotations, *outcome.bundle.evidence]
    rated = [(source.item_id, source.rater_id, next(iter(source.judgements), None)) for source in sources[:_ROWS]]
    rated += outcome.bundle.ratings.first(_ROWS) if outcome.bundle.ratings is not None else []
    for item_id, rater_id, judgement in rated:
        item = contents.item(store, item_id)
        sha256 = item.sha256 if item else None
        picture = htpy.img(src=picture_address(sha256), alt="", class_="cc-import-picture") if sha256 else ""
        value = "" if judgement is None else judgement.label or ("" if judgement.value is None else f"{judgement.value:g}")
        rows.append((Cell("", content=picture), (item.text if item else None) or item_id, rater_id, value))
    aspect = next((name for _, name, _ in outcome.bundle.scales), "rating")
    summary = [line for line in outcome.summary[:-1] if " by " in line or " match an image of suite " in line]
    table = plain_table(f"The first {len(rows)}", ("Image", "Prompt", "Rater", aspect.capitalize()), rows)
    return (
        [[note(wording.sentence(line), "cc-lead") for line in summary], _lines("Left out, and why", outcome.skipped)],
        table_element(table, "cc-import-table"),
    )


def _imports_table(store: Store) -> Node:
    """Return the latest imports, each with the button that undoes it."""
    rows: list[Cells] = []
    for row in imports.listed(store)[: -_MOST_LINES - 1 : -1]:
        counts = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in row.counts.items() if n)
        number = str(row.import_id)
        undo = Cell("", content=button("Undo", "undo", f"Undo import {number}", number=number))
        act = "undone" if row.undone else undo
        rows.append((number, f"{row.created:%Y-%m-%d %H:%M}", " ".join(dict.fromkeys((row.kind, row.name))), counts, act))
    heads = ("Import", "When (UTC)", "What", "New rows", "")
    return table_element(plain_table("Imports of this project", heads, rows), "cc-import-table") if rows else ""


def _layout_sentence(source: Source) -> str:
    if source.layout != "csv":
        shape = "GenEval's folders: 00042/samples/0000.png" if source.layout == "geneval" else "VISOR's names: 10811_0.png"
        return f"Read as {shape}."
    header = read_rating_table(source.path / uploads.IMAGES_TABLE).table.header
    unused = [name for name in header if name not in uploads.IMAGE_COLUMNS]
    more = f" Not used: {', '.join(map(printable, unused[:12]))}." if unused else ""
    return f"Columns read from {uploads.IMAGES_TABLE}: {', '.join(name for name in header if name not in unused)}.{more}"


def _lines(title: str, lines: Sequence[str]) -> Node:
    """Return problems, a line each."""
    if not lines:
        return ""
    more = [f"and {len(lines) - _MOST_LINES:,} more"] if len(lines) > _MOST_LINES else []
    return folded(f"{title} ({len(lines):,})", bullets([*lines[:_MOST_LINES], *more]), "cc-why", open_=True)


def _picture(path: Path) -> Cell:
    try:
        data = b64encode(thumbnail(path, IN_STRIPS, IN_STRIPS)).decode()
    except ImageError:
        return Cell("")
    return Cell("", content=htpy.img(src=f"data:image/webp;base64,{data}", alt="", class_="cc-import-picture"))


def _done(source: Source, outcome: UploadOutcome) -> Node:
    """Return what was stored, and what to do next."""
    if outcome.number is None:
        return _lines("Nothing was stored, and why", outcome.errors or outcome.summary)
    suite = next((item.suite for item in outcome.bundle.items), "") if outcome.bundle else ""
    links = [("Look at them", at("/studio/images") + (f"?{urlencode({'suite': suite})}" if suite else ""))]
    if source.layout:
        asking = ("Answer yes or no about them", at("/annotate/"))
        links = [asking, ("Invite others to a campaign", at("/studio/people")), *links]
    else:
        links = [("See agreement", at("/studio/agreement")), *links]
    anchors = joined([htpy.a(href=href)[text] for text, href in links])
    summary = wording.sentence(outcome.summary[-1].partition(" (import")[0]) if outcome.summary else source.name
    more = _lines("Left out, and why", outcome.skipped)
    return [note(f"Stored: {summary}", "cc-lead"), note(["Next: ", anchors]), more]
