"""Import: bring images or ratings without the command line. A file or a folder is read, what it would bring is shown, and one
click imports it; every import can be undone.

The page calls the functions of ``import images``, ``import ratings`` and ``import undo``. Only somebody at this machine may
name a path on it (``Visitor.local``); everybody else uploads.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

import gradio as gr

from concord.common import wording
from concord.common.base_path import at
from concord.common.context import Context, run_guarded
from concord.importing import exported_files, undo_import, uploads
from concord.importing.images import DEFAULT_SUITES, import_images
from concord.importing.ratings import import_ratings
from data.aspects import SCALES
from data.files import InputError, printable
from data.images.files import ImageError, thumbnail
from data.store import imports
from data.store.browse import contents
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.studies.rating_tables import read_rating_table
from ui.components.controls import button, clickable_html, event_data
from ui.components.tables import WRAP, note

NAME: Final = "Import"
PATH: Final = "/import"
_ROWS: Final = 5
_THUMBNAIL: Final = 96
_MOST_SKIPPED: Final = 20
_MOST_IMPORTS: Final = 20
_NONE: Final = "(none)"
_OPTIONAL: Final = ("prompt", "generator", "index", "task")
_QUIET: Final[dict[str, Any]] = {"show_progress": "hidden", "api_visibility": "private"}
_SLOW: Final[dict[str, Any]] = {"show_progress": "minimal", "api_visibility": "private", "trigger_mode": "always_last"}
_LEAD: Final = "Bring images to judge, or ratings that you have. Nothing is stored before you have seen what is in them."
_HELP: Final = """
**Images**: a zip, or the images together with a table that has the columns `path` and `prompt`; `generator`, `idx` and `task`
are optional. Folders as GenEval (`00042/samples/0000.png`) and VISOR (`10811_0.png`) write them need no table.

**Ratings**, by people or by a metric: a table (CSV, JSON lines, Parquet, or an export of Label Studio or Argilla) with a row
for each rating: the image, who rated it, and the value.

Uploads are limited to 50 MB at once. A larger folder that lies on the server's machine is imported there, by its path or by the
command `import images`.
"""


@dataclass(frozen=True, slots=True)
class Source:
    """What was brought.

    Attributes:
        path: a folder of images, or a table of ratings.
        layout: of the images; None: these are ratings.
        name: what people call it.
        staging: where an upload was unpacked; None: it lies on this machine and stays there.
    """

    path: Path
    layout: str | None
    name: str
    staging: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left: what it would bring or brought, what it said, and why it ended early."""

    bundle: ImportBundle | None
    out: str
    skipped: Sequence[str]
    error: str = ""


class _Refused(ValueError):
    """What was brought cannot be imported; the message is a sentence for people."""


# --- what is done, without Gradio ---


def run(store: Store, command: Callable[..., Any], **parameters: Any) -> Outcome:
    """Call a command's function; its errors are the sentences that the command line prints."""
    context = Context(store, store.project, io.StringIO(), io.StringIO())
    returned: list[Any] = []
    status = run_guarded(context, "", lambda: returned.append(command(context, **parameters)))
    lines = [line.removeprefix(": ") for line in _text(context.err).splitlines()]
    error = lines.pop() if status and lines else ""
    bundle = returned[0] if returned else None
    bundle = bundle[0] if isinstance(bundle, list) else bundle
    skipped = [line.removeprefix("skipped: ") for line in lines if line.startswith(("skipped: ", "left out: "))]
    return Outcome(bundle if isinstance(bundle, ImportBundle) else None, _text(context.out).strip(), skipped, error)


def take_path(text: str) -> Source:
    """What lies at a path on this machine."""
    path = Path(text.strip()).expanduser()
    if not text.strip() or not path.is_absolute():
        raise _Refused("Give the whole path, such as /home/me/images.")
    if path.is_file():
        return Source(path, None, path.name)
    if not path.is_dir():
        raise _Refused(f"{printable(text)}: there is no such folder or file on this machine.")
    layout = uploads.guess_layout(path)
    if layout is None:
        raise _Refused(
            f"{printable(text)}: this folder has no images.csv, and its images are not named as GenEval's or VISOR's. Add an"
            " images.csv with the columns path and prompt."
        )
    return Source(path, layout, path.name)


def take_files(store: Store, files: Sequence[Path]) -> Source:
    """What was uploaded, unpacked into a folder of the project's cache."""
    staging = store.project / "cache" / "uploads" / uuid.uuid4().hex
    staging.mkdir(parents=True)
    try:
        folder = uploads.unpack(files, staging)
        name = next((file.stem for file in files if file.suffix.lower() == ".zip"), files[0].name)
        if (table := uploads.single_table(folder)) is not None:
            return Source(table, None, table.name, staging)
        layout = uploads.guess_layout(folder)
        if layout is None:
            raise _Refused("There is no table that says which prompt each image is of. Add images.csv: path,prompt.")
        return Source(folder, layout, "my-model" if name == files[0].name else name, staging)
    except Exception as error:
        shutil.rmtree(staging, ignore_errors=True)
        if isinstance(error, ValueError | OSError):
            raise
        raise _Refused(_sentence(str(error))) from error


def image_parameters(source: Source, generator: str, suite: str, folder: Path | None = None) -> dict[str, Any]:
    """The parameters of ``import images``."""
    directory = [str(folder or source.path)]
    return {"directory": directory, "layout": source.layout, "generator": generator or None, "suite": suite or None}


def rating_parameters(source: Source, values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of ``import ratings``; none but the file for what ``export ratings`` wrote."""
    if values.get("exported"):
        return {"file": str(source.path), "columns": {}, "aspect": None, "scale": None, "suite": None, "kind": None}
    columns = {
        name: None if values.get(name) in (None, "", _NONE) else values[name] for name in ("item", "rater", "value", *_OPTIONAL)
    }
    wide = bool(values.get("wide"))
    if wide:
        columns |= {"rater": None, "value": None}
    return {
        "file": str(source.path),
        "columns": columns,
        "aspect": values.get("aspect") or None,
        "scale": values.get("scale") or None,
        "suite": values.get("suite") or None,
        "kind": values.get("kind") or "human",
        "wide": wide or None,
        "new_items": bool(values.get("new_items")),
        "merge": list(values.get("merge") or ()),
    }


def guess_ratings(store: Store, source: Source) -> dict[str, Any]:
    """What the columns of a table of ratings probably are, and its scale.

    Raises:
        InputError: it is no table.
    """
    if _is_export(store, source.path):
        return {"exported": True}
    read = read_rating_table(source.path)
    columns = uploads.guess_columns(read.table.header, uploads.RATING_COLUMNS)
    if read.rater is not None:
        columns["rater"] = read.rater
    value = columns.get("value")
    scale = uploads.guess_scale(cells[value] for _, cells in read.table.rows()) if value else "nominal"
    named = next((name for name in SCALES if value and name == value.casefold() and SCALES[name] == scale), None)
    usual = {"nominal": "correct", "interval": "score"}.get(scale, "quality")
    suites = list(dict.fromkeys(one.suite for one in contents.generator_pictures(store)))
    return {
        "header": list(read.table.header),
        **columns,
        "aspect": named or usual,
        "scale": scale,
        "suite": suites[0] if suites else "",
        "suites": suites,
        "kind": "scorer" if scale == "interval" else "human",
    }


def keep(store: Store, source: Source) -> tuple[Path, bool]:
    """Move an uploaded folder to where the project keeps it, named by what is in it; whether it is new there."""
    total = hashlib.sha256()
    for file in sorted(path for path in source.path.rglob("*") if path.is_file()):
        total.update(f"{file.relative_to(source.path)}\0".encode())
        total.update(hashlib.sha256(file.read_bytes()).digest())
    folder = store.project / "images" / f"upload-{total.hexdigest()[:16]}"
    if folder.exists():
        return folder, False
    folder.parent.mkdir(exist_ok=True)
    shutil.move(source.path, folder)
    return folder, True


def import_source(store: Store, source: Source, parameters: Mapping[str, Any]) -> tuple[Outcome, int | None]:
    """Import what was shown; also the new import's number, None: there is none."""
    before = {row["import_id"] for row in imports.listed(store)}
    uploaded = source.staging is not None and source.layout is not None
    folder, new = keep(store, source) if uploaded else (source.path, False)
    if source.layout is None:
        outcome = run(store, import_ratings, **parameters)
    else:
        outcome = run(store, import_images, **image_parameters(source, parameters["generator"], parameters["suite"], folder))
    number = next((row["import_id"] for row in imports.listed(store) if row["import_id"] not in before), None)
    if number is None and new:
        shutil.rmtree(folder, ignore_errors=True)
    if source.staging is not None:
        shutil.rmtree(source.staging, ignore_errors=True)
    return outcome, number


def _is_export(store: Store, path: Path) -> bool:
    context = Context(store, path.parent, io.StringIO(), io.StringIO())
    try:
        exported_files.ratings_bundle(context, path)
    except Exception:
        return False
    return True


def _text(stream: Any) -> str:
    return str(stream.getvalue())


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


# --- what is shown ---


def images_preview(source: Source, outcome: Outcome) -> str:
    """What a folder of images would bring, as HTML."""
    if outcome.bundle is None:
        return note(_sentence(outcome.error), "cc-bad") + _skipped(outcome.skipped)
    bundle = outcome.bundle
    texts = {prompt.prompt_id: prompt.text for prompt in bundle.prompts}
    generators = list(dict.fromkeys(image.generator for image in bundle.images))
    said = (
        f"{wording.count(len(bundle.images), 'image')} of {wording.count(len(texts), 'prompt')} by"
        f" {', '.join(generators[:4])}{' and others' if len(generators) > 4 else ''}"
    )
    body = [
        f"<tr><td>{_picture(source.path / image.path if image.path else None)}</td><td>{escape(texts[image.prompt_id])}</td>"
        f"<td>{escape(image.generator)}</td><td>{escape(Path(image.path).name if image.path else '')}</td></tr>"
        for image in bundle.images[:_ROWS]
    ]
    return (
        note(f"{said}.", "cc-lead")
        + note(_columns_sentence(source))
        + _table(f"The first {len(body)}", ("image", "prompt", "generator", "file"), body)
        + _skipped(outcome.skipped)
    )


def ratings_preview(store: Store, outcome: Outcome) -> str:
    """What a table of ratings would bring, as HTML."""
    if outcome.bundle is None:
        return note(_sentence(outcome.error or outcome.out), "cc-bad")
    rated = [*outcome.bundle.annotations, *outcome.bundle.evidence][:_ROWS]
    body = []
    for one in rated:
        item, judgement = contents.item(store, one.item_id), next(iter(one.judgements), None)
        value = "" if judgement is None else judgement.label if judgement.label is not None else f"{judgement.value:g}"
        picture = (
            f'<img src="{at("/img/")}{item["sha256"]}?w=160" alt="" class="cc-import-picture">'
            if item and item["sha256"]
            else ""
        )
        words = (item or {}).get("text") or one.item_id
        cells = (str(words), one.rater_id, str(value))
        body.append(f"<tr><td>{picture}</td>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
    said = outcome.out.splitlines()[:-1]
    matching = said[0] if said and " match an image of suite " in said[0] else ""
    summary = next((line for line in reversed(said) if " by " in line), said[-1] if said else "")
    aspect = next((name for _, name, _ in outcome.bundle.scales), "value")
    return (
        note(_sentence(summary), "cc-lead")
        + (note(_sentence(matching)) if matching else "")
        + _table(f"The first {len(body)}", ("image", "item", "rater", aspect), body)
    )


def imports_table(store: Store) -> str:
    """All imports, the newest first, each with the button that undoes it."""
    found = imports.listed(store)[::-1][:_MOST_IMPORTS]
    if not found:
        return note("Nothing has been imported yet.")
    body = []
    for row in found:
        counts = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in row["counts"].items() if n)
        number = str(row["import_id"])
        act = "undone" if row["undone"] else button("Undo", "undo", f"Undo import {number}", number=number)
        cells = (number, f"{row['created']:%Y-%m-%d %H:%M}", f"{row['kind']} {row['name']}", counts)
        body.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + f"<td>{act}</td></tr>")
    return _table("Imports of this project", ("import", "when (UTC)", "what", "new rows", ""), body)


def _columns_sentence(source: Source) -> str:
    if source.layout != "csv":
        return {
            "geneval": "Read as GenEval's folders: 00042/samples/0000.png.",
            "visor": "Read as VISOR's names: 10811_0.png.",
        }[str(source.layout)]
    try:
        header = read_rating_table(source.path / uploads.IMAGES_TABLE).table.header
    except InputError:
        return ""
    taken = [name for name in uploads.IMAGE_COLUMNS if name in header]
    unused = [name for name in header if name not in taken]
    more = f" Not used: {', '.join(map(printable, unused[:12]))}." if unused else ""
    return f"Columns read from {uploads.IMAGES_TABLE}: {', '.join(taken)}.{more}"


def _skipped(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    shown = "".join(f"<li>{escape(_short(line))}</li>" for line in lines[:_MOST_SKIPPED])
    more = f"<li>and {len(lines) - _MOST_SKIPPED:,} more</li>" if len(lines) > _MOST_SKIPPED else ""
    head = f"{len(lines):,} left out, and why"
    return f'<details class="cc-why" open><summary>{head}</summary><ul class="cc-list">{shown}{more}</ul></details>'


def _short(line: str) -> str:
    """Without the folders before the file: they are the upload's own, or known."""
    path, colon, why = line.partition(": ")
    return f"{Path(path).name}{colon}{why}"


def _picture(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        data = b64encode(thumbnail(path, _THUMBNAIL * 2, _THUMBNAIL * 2)).decode()
    except ImageError:
        return ""
    return f'<img src="data:image/webp;base64,{data}" alt="" class="cc-import-picture">'


def _table(caption: str, headers: Iterable[str], rows: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in headers)
    return (
        f'{WRAP}<table class="cc-table cc-import-table"><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _done(source: Source, outcome: Outcome, number: int | None) -> str:
    if number is None:
        return note(_sentence(outcome.error or outcome.out), "cc-bad" if outcome.error else "cc-lead")
    suite = "" if outcome.bundle is None else next((item.suite for item in outcome.bundle.items), "")
    what = _sentence(outcome.out.splitlines()[-1].partition(" (import")[0] if outcome.out else source.name)
    look = escape(at(f"/studio/browse?suite={suite}"))
    links = [("Look at them", look)] if suite else []
    links += [("Label them", at("/annotate/")), ("Score them", at("/studio/runs"))] if source.layout else []
    links += [] if source.layout else [("See agreement", at("/studio/agreement"))]
    anchors = " · ".join(f'<a href="{href}">{text}</a>' for text, href in links)
    more = note(_sentence(outcome.error), "cc-bad") if outcome.error else ""
    return f'{note(f"Imported: {what}", "cc-lead")}{more}<p class="cc-note">{anchors}</p>'


# --- the page ---


def build(store: Store) -> None:
    """The page. What is brought is in the session's state on the server: no browser can send another path."""
    shutil.rmtree(store.project / "cache" / "uploads", ignore_errors=True)
    gr.HTML(note(_LEAD, "cc-lead"))
    source = gr.State(None)
    files = gr.File(
        label="Drop files here: a zip of images, images.csv with its images, or a table of ratings",
        file_count="multiple", type="filepath", height=150, elem_id="import-files",
    )  # fmt: skip
    with gr.Row(visible=False, elem_classes="cc-filters cc-run-row") as local:
        path = gr.Textbox(
            label="Or a folder of images, or a table, on this machine",
            placeholder="/home/me/images",
            max_lines=1,
            elem_id="import-path",
        )
        look = gr.Button("Read it", scale=0, min_width=120, elem_id="import-look")
    with gr.Accordion("What can be imported", open=False):
        gr.Markdown(_HELP)
    notice = gr.HTML(elem_id="import-notice")
    with gr.Column(visible=False) as images_panel:
        with gr.Row(elem_classes="cc-filters"):
            generator = gr.Textbox(
                label="Generator",
                info="who made the images, where the table does not say",
                max_lines=1,
                elem_id="import-generator",
            )
            suite = gr.Textbox(label="Suite", info="a name for this set of prompts", max_lines=1, elem_id="import-suite")
        images_shown = gr.HTML(elem_id="import-images")
        images_go = gr.Button("Import", variant="primary", interactive=False, elem_id="import-images-go")
    with gr.Column(visible=False) as ratings_panel:
        fields = _rating_fields()
        ratings_shown = gr.HTML(elem_id="import-ratings")
        ratings_go = gr.Button("Import", variant="primary", interactive=False, elem_id="import-ratings-go")
    done = gr.HTML(elem_id="import-done")
    with gr.Row(visible=False, elem_classes="cc-filters cc-run-row", elem_id="import-confirm") as confirm:
        question = gr.HTML()
        sure = gr.Button("Undo it", variant="stop", scale=0, min_width=120)
        back = gr.Button("Keep it", scale=0, min_width=120)
    number = gr.State(None)
    earlier = clickable_html("imports")
    panels = [source, notice, done, images_panel, generator, suite, images_shown, images_go, ratings_panel, *fields.values()]
    panels += [ratings_shown, ratings_go]
    named = list(fields)

    def taken(found: Callable[[], Source]) -> list[Any]:
        try:
            brought = found()
            if brought.layout is not None:
                return _images_taken(store, brought, len(fields))
            return _ratings_taken(store, brought, fields)
        except (ValueError, OSError) as error:
            return _nothing_taken(note(_sentence(str(error)), "cc-bad"), len(fields))

    def upload(paths: list[str] | None) -> list[Any]:
        if not paths:
            return _nothing_taken("", len(fields))
        return taken(lambda: take_files(store, [Path(one) for one in paths]))

    def read(text: str, request: gr.Request) -> list[Any]:
        if not is_local(request):
            return _nothing_taken(
                note("Only somebody at this machine can name a folder on it. Upload files instead.", "cc-bad"), len(fields)
            )
        return taken(lambda: take_path(text))

    def images_again(brought: Source | None, by: str, of: str) -> list[Any]:
        return [gr.skip(), gr.skip()] if brought is None or brought.layout is None else _images_drawn(store, brought, by, of)

    def ratings_again(brought: Source | None, *values: Any) -> list[Any]:
        if brought is None or brought.layout is not None:
            return [gr.skip(), gr.skip()]
        return _ratings_drawn(store, brought, dict(zip(named, values, strict=True)))

    def finish(brought: Source | None, parameters: Mapping[str, Any]) -> list[Any]:
        if brought is None:
            return [gr.skip()] * (len(panels) + 1)
        outcome, made = import_source(store, brought, parameters)
        cleared = _nothing_taken("", len(fields))
        cleared[2] = _done(brought, outcome, made)
        return [*cleared, imports_table(store)]

    def import_all_images(brought: Source | None, by: str, of: str) -> list[Any]:
        return finish(brought, {"generator": by.strip(), "suite": of.strip()})

    def import_all_ratings(brought: Source | None, *values: Any) -> list[Any]:
        return finish(brought, rating_parameters(brought, dict(zip(named, values, strict=True))) if brought else {})

    def ask(event: gr.EventData) -> list[Any]:
        chosen = event_data(event).get("number", "")
        asked = f"Undo import {chosen}? All that it brought leaves the project."
        return [gr.Row(visible=chosen.isdigit()), note(asked), int(chosen) if chosen.isdigit() else None]

    def undo(chosen: int | None) -> list[Any]:
        outcome = run(store, undo_import, import_id=chosen) if chosen is not None else None
        said = (
            "" if outcome is None else note(_sentence(outcome.error or outcome.out), "cc-bad" if outcome.error else "cc-lead")
        )
        return [gr.Row(visible=False), said, imports_table(store)]

    gr.on(None, lambda request: [gr.Row(visible=is_local(request)), imports_table(store)], None, [local, earlier], **_QUIET)
    files.change(upload, files, panels, **_SLOW)
    gr.on([look.click, path.submit], read, path, panels, **_SLOW)
    gr.on(
        [generator.submit, generator.blur, suite.submit, suite.blur], images_again, [source, generator, suite],
        [images_shown, images_go], **_SLOW,
    )  # fmt: skip
    inputs = [source, *fields.values()]
    changes = [field.blur if isinstance(field, gr.Textbox) else field.input for field in fields.values()]
    gr.on(changes, ratings_again, inputs, [ratings_shown, ratings_go], **_SLOW)
    once: dict[str, Any] = {"show_progress": "minimal", "api_visibility": "private", "trigger_mode": "once"}
    images_go.click(import_all_images, [source, generator, suite], [*panels, earlier], **once)
    ratings_go.click(import_all_ratings, inputs, [*panels, earlier], **once)
    earlier.select(ask, None, [confirm, question, number], **_QUIET)
    back.click(lambda: gr.Row(visible=False), None, confirm, **_QUIET)
    sure.click(undo, number, [confirm, done, earlier], **once)


def is_local(request: gr.Request) -> bool:
    """Whether whoever sent this sits at this machine, in an app where nobody signs in."""
    inner: Any = request.request
    return bool(getattr(inner.scope.get("visitor"), "local", False))


def _rating_fields() -> dict[str, Any]:
    """The controls of ``import ratings``, by the names of its options."""
    made: dict[str, Any] = {}
    any_value: dict[str, Any] = {"allow_custom_value": True, "min_width": 140}
    with gr.Row(elem_classes="cc-filters"):
        for name, label in (("item", "Image"), ("rater", "Rater"), ("value", "Rating")):
            made[name] = gr.Dropdown([], label=f"{label}: column", elem_id=f"import-{name}", **any_value)
        made["aspect"] = gr.Dropdown(list(SCALES), label="What is rated", elem_id="import-aspect", **any_value)
        made["scale"] = gr.Textbox(label="Scale", max_lines=1, min_width=140, elem_id="import-scale")
        made["kind"] = gr.Dropdown(
            [("people", "human"), ("a metric", "scorer")], value="human", label="Rated by", min_width=140
        )
        made["suite"] = gr.Dropdown([], label="Images of suite", elem_id="import-rated-suite", **any_value)
    with gr.Accordion("More options", open=False):
        with gr.Row(elem_classes="cc-filters"):
            for name in _OPTIONAL:
                made[name] = gr.Dropdown([], label=f"{name.capitalize()}: column", **any_value)
        with gr.Row(elem_classes="cc-filters"):
            made["wide"] = gr.Checkbox(label="A column for each rater (--wide)")
            made["new_items"] = gr.Checkbox(label="Take in what matches no image (--new-items)")
            made["merge"] = gr.Dropdown(
                ["case", "space", "number", "none"],
                multiselect=True,
                label="Spellings that are the same (--merge)",
                min_width=200,
            )
    made["exported"] = gr.Checkbox(visible=False)
    return made


def _nothing_taken(notice: str, n_fields: int) -> list[Any]:
    hidden = gr.Column(visible=False)
    return [
        None,
        notice,
        "",
        hidden,
        gr.skip(),
        gr.skip(),
        "",
        gr.Button(interactive=False),
        hidden,
        *[gr.skip()] * n_fields,
        "",
        gr.Button(interactive=False),
    ]


def _images_taken(store: Store, source: Source, n_fields: int) -> list[Any]:
    suite = DEFAULT_SUITES[str(source.layout)]
    drawn = _images_drawn(store, source, source.name, suite)
    hidden = gr.Column(visible=False)
    return [source, "", "", gr.Column(visible=True), source.name, suite, *drawn, hidden, *[gr.skip()] * n_fields, "", gr.skip()]


def _images_drawn(store: Store, source: Source, generator: str, suite: str) -> list[Any]:
    parameters = image_parameters(source, generator.strip(), suite.strip())
    outcome = run(store, import_images, **parameters, dry_run=True)
    n = 0 if outcome.bundle is None else len(outcome.bundle.images)
    label = f"Import {wording.count(n, 'image')}" if n else "Import"
    return [images_preview(source, outcome), gr.Button(label, interactive=n > 0)]


def _ratings_taken(store: Store, source: Source, fields: Mapping[str, Any]) -> list[Any]:
    guess = guess_ratings(store, source)
    header = [(name, name) for name in guess.get("header", ())]
    changes: list[Any] = []
    for name in fields:
        if name in ("item", "rater", "value", *_OPTIONAL):
            choices = header if name == "item" else [_NONE, *header]
            changes.append(gr.Dropdown(choices=choices, value=guess.get(name, _NONE), visible=not guess.get("exported")))
        elif name == "suite":
            changes.append(gr.Dropdown(choices=guess.get("suites", []), value=guess.get("suite", "")))
        elif name in ("wide", "new_items", "exported"):
            changes.append(bool(guess.get(name)))
        else:
            changes.append([] if name == "merge" else guess.get(name, ""))
    drawn = _ratings_drawn(store, source, guess)
    hidden = gr.Column(visible=False)
    return [source, "", "", hidden, gr.skip(), gr.skip(), "", gr.skip(), gr.Column(visible=True), *changes, *drawn]


def _ratings_drawn(store: Store, source: Source, values: Mapping[str, Any]) -> list[Any]:
    if values.get("exported"):
        context = Context(store, source.path.parent, io.StringIO(), io.StringIO())
        bundle, summary = exported_files.ratings_bundle(context, source.path)
        outcome = Outcome(bundle, f"{summary}\nnothing is stored yet", ())
    else:
        outcome = run(store, import_ratings, **rating_parameters(source, values), dry_run=True)
    n = 0 if outcome.bundle is None else len(outcome.bundle.annotations) + len(outcome.bundle.evidence)
    return [
        ratings_preview(store, outcome),
        gr.Button(f"Import {wording.count(n, 'rating')}" if n else "Import", interactive=n > 0),
    ]
