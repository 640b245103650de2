"""What was read, before it is stored: names that can be changed, first pictures and rows, and what is odd; then its receipt."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.common.base_path import at
from concord.importing.adding import RATING_FIELDS
from concord.importing.image_trees import ImageTree
from concord.importing.reading_preview import ROWS, GeneratorPreview, first_ratings, generator_previews
from concord.importing.readings import Reading, Source
from concord.importing.undo import past_imports, undo_obstacle
from concord.open_project import OpenProject
from data.aspects import SCALES
from ui.components.addresses import page_address
from ui.components.tables import bullets, folded, plain_table, progress_bar, table_element
from ui.pages.add.fields import choice_field, sending, submit, text_field

_MOST_LINES: Final = 20
_MOST_KEYS: Final = 2000
"""Prompts of so many kinds of images can be written by hand."""
_NOUNS: Final = {"images": "image", "prompts": "prompt", "ratings": "rating", "study": "answer"}
_COLUMNS: Final = 7
"""So many of the fields of ratings are columns of the table."""


def reading_section(store: OpenProject, reading: Reading | None) -> Node:
    """Return what was read, how far it is, or what became of it."""
    if reading is None:
        return htpy.p(class_="cc-note")["What was shown here was stored or left meanwhile. Bring the files again."]
    if reading.state in ("reading", "storing"):
        return _progress(reading)
    if reading.state == "stored":
        return _receipt(store, reading)
    if reading.source is None:
        return htpy.section(class_="cc-panel cc-add-reading", aria_label="What was read")[
            htpy.h2["This cannot be added"], _lines("Why", reading.outcome.errors), _leave(reading, "Choose other files")
        ]
    return _ready(store, reading, reading.source)


def _progress(reading: Reading) -> Element:
    doing = "Storing" if reading.state == "storing" else "Reading"
    share = f" {reading.share:.0%}" if reading.share else ""
    return htpy.section(class_="cc-panel cc-add-reading", aria_label="What was read", data_again=True)[
        htpy.p(role="status")[f"{doing} …{share}"], progress_bar(round(100 * reading.share), 100, doing)
    ]


def _ready(store: OpenProject, reading: Reading, source: Source) -> Element:
    drawn = {"images": _images, "prompts": _prompts, "ratings": _ratings, "study": _study}[source.kind]
    headline, fields = drawn(store, reading, source)
    can_be_stored = (not reading.outcome.errors and reading.outcome.count > 0) or source.kind == "study"
    n = reading.outcome.count
    asks = source.tree is not None and not n and not any(source.tree.prompts.values()) and bool(source.tree.images)
    asks = asks and not reading.choices.prompts
    choose = at("/api/studio/add/choose")
    again = htpy.button(type="submit", class_=["cc-button", asks and "cc-button--primary cc-add-store"], data_send=choose)[
        "Use these prompts" if asks else "Read again"
    ]
    label = f"Store {wording.count(n, _NOUNS[source.kind])}" if n else "Store"
    form = sending(
        "add/store",
        [
            fields,
            htpy.div(class_="cc-add-end")[
                not asks and submit(label, primary=True, disabled=not can_be_stored, kind="cc-add-store"),
                again,
                htpy.span(class_="cc-sub")["Nothing is stored before you confirm."],
            ],
        ],
        label="What was read",
        read=reading.reading_id,
    )
    return htpy.section(class_="cc-panel cc-add-reading", aria_label="What was read")[
        htpy.div(class_="cc-part-head")[htpy.h2[headline], htpy.div(class_="cc-part-tools")[_leave(reading, "Leave it")]],
        not asks and _lines("Nothing can be stored yet", reading.outcome.errors),
        form,
        _lines("Left out, and why", reading.outcome.skipped),
        _otherwise(reading, source),
    ]


def _otherwise(reading: Reading, source: Source) -> Node:
    """Return a way to read a table as something else."""
    others = {"prompts": "ratings", "ratings": "prompts"}
    # lines of text and JSON lines with prompts are nothing else
    if source.kind not in others or (source.kind == "prompts" and source.path.suffix.lower() in (".txt", ".jsonl")):
        return ""
    other = others[source.kind]
    return sending(
        "add/again",
        [htpy.span[f"Are these {other}?"], submit(f"Read it as {other}")],
        css="cc-add-line",
        read=reading.reading_id,
        kind=other,
    )


def _leave(reading: Reading, text: str) -> Element:
    return sending("add/leave", htpy.button(type="submit", class_="cc-button")[text], read=reading.reading_id)


def _images(_: OpenProject, reading: Reading, source: Source) -> tuple[str, Node]:
    tree, choices = source.tree, reading.choices
    assert tree is not None
    images = [image for bundle in reading.outcome.bundles for image in bundle.images]
    previews = generator_previews(source, tree)
    n = len(images) or sum(each.images for each in previews)
    texts = {prompt.prompt_id: prompt.text for bundle in reading.outcome.bundles for prompt in bundle.prompts}
    of = f" of {wording.count(len(texts), 'prompt')}" if texts else ""
    headline = f"{wording.count(n, 'image')}{of} by {wording.count(len(previews), 'generator')}"
    rows = [(texts.get(image.prompt_id, ""), image.generator, PurePosixPath(str(image.path)).name) for image in images[:ROWS]]
    fields = [
        not choices.prompts and htpy.p(class_="cc-sub")[tree.source],
        tree.notes and bullets(tree.notes),
        htpy.div(class_="cc-add-generators")[
            [_generator(each, choices.generators.get(each.name, each.name)) for each in previews]
        ],
        htpy.div(class_="cc-add-row")[text_field("suite", "Name of this set of prompts", choices.suite)],
        _prompt_lines(tree, reading),
        rows and table_element(plain_table(f"The first {len(rows)}", ("Prompt", "Generator", "File"), rows)),
    ]
    return headline, fields


def _generator(preview: GeneratorPreview, name: str) -> Element:
    pictures = [_picture(data) for data in preview.pictures]
    return htpy.div(class_="cc-add-generator")[
        text_field("generator", "Generator", name),
        htpy.div(class_="cc-add-pictures")[pictures],
        htpy.small[wording.count(preview.images, "image")],
    ]


def _picture(data: bytes | None) -> Node:
    if data is None:
        return htpy.span(class_="cc-add-none")["no image"]
    return htpy.img(src=f"data:image/webp;base64,{b64encode(data).decode()}", alt="")


def _prompt_lines(tree: ImageTree, reading: Reading) -> Node:
    """Return the prompts as lines that can be written, open where they are missing."""
    keys = tree.keys
    if tree.layout != "csv" or len(keys) > _MOST_KEYS:
        return ""
    known = {**tree.prompts, **reading.choices.prompts}
    missing = [key for key in keys if not known[key]]
    order = ", ".join(PurePosixPath(key).name for key in keys[:4]) + (" …" if len(keys) > 4 else "")
    label = f"Prompts, one a line, in the order of the files: {order}"
    area = htpy.label(class_="cc-add-field is-wide")[
        htpy.span[label],
        htpy.textarea(name="prompts", rows=min(max(len(keys), 3), 12), wrap="off")["\n".join(known[key] for key in keys)],
    ]
    if missing:
        n = wording.count(len(missing), "prompt")
        text = f"{n} missing: what was each generator asked for? Paste {wording.count(len(keys), 'line')}."
        return htpy.div(class_="cc-add-missing")[htpy.p[htpy.strong[text]], area]
    return folded("Change the prompts", area, "cc-add-more")


def _prompts(_: OpenProject, reading: Reading, source: Source) -> tuple[str, Node]:
    prompts = reading.outcome.prompts
    rows = [(prompt.text, prompt.task or "", "yes" if prompt.spec else "no") for prompt in prompts[:ROWS]]
    specs = sum(bool(prompt.spec) for prompt in prompts)
    told = f"{wording.count(specs, 'prompt')} with a spec, so that scorers can look for what must be there." if specs else ""
    fields = [
        told and htpy.p(class_="cc-sub")[told],
        htpy.div(class_="cc-add-row")[text_field("suite", "Name of this set of prompts", reading.choices.suite)],
        rows and table_element(plain_table(f"The first {len(rows)}", ("Prompt", "Task", "Spec"), rows)),
    ]
    return f"{wording.count(len(prompts), 'prompt')} in {source.name}", fields


def _ratings(store: OpenProject, reading: Reading, source: Source) -> tuple[str, Node]:
    guess, request = source.guess, reading.choices.ratings
    rows = [(row.image, row.rater, row.value) for row in first_ratings(store, reading.outcome)]
    table = rows and table_element(plain_table(f"The first {len(rows)}", ("Image", "Rater", "Rating"), rows))
    headline = f"{wording.count(reading.outcome.count, 'rating')} in {source.name}"
    summary = [line for line in reading.outcome.summary[:-1] if line]
    told = [htpy.p(class_="cc-sub")[wording.sentence(line)] for line in summary[:4]]
    if guess is None or request is None:
        return headline, [htpy.p(class_="cc-sub")["A file that Concord exported; it says all itself."], told, table]
    columns = [("", "(none)"), *((name, name) for name in guess.header)]
    offered = {
        "aspect": [(name, wording.aspect(name)) for name in SCALES],
        "kind": [("human", "people"), ("scorer", "a metric")],
        "suite": [(name, name) for name in guess.suites] or [("", "(none)")],
    }
    fields = []
    for n, (name, label) in enumerate(RATING_FIELDS.items()):
        value = str(getattr(request, name) or "")
        options = columns if n < _COLUMNS else offered.get(name)
        if options is None:
            fields.append(text_field(f"ratings.{name}", label, value))
        else:
            known = options if any(value == each for each, _ in options) else [*options, (value, value)]
            fields.append(choice_field(f"ratings.{name}", f"{label}: column" if n < _COLUMNS else label, known, value))
    new_items = htpy.label(class_="cc-add-tick")[
        htpy.input(type="checkbox", name="ratings.new_items", value="1", checked=request.new_items),
        "Take in what matches no image",
    ]
    return headline, [told, htpy.div(class_="cc-add-row")[fields], new_items, table]


def _study(_: OpenProject, __: Reading, source: Source) -> tuple[str, Node]:
    return f"{source.name}: a published study", htpy.p(class_="cc-sub")["People’s answers and metrics, as released."]


def is_taken_back(store: OpenProject, reading: Reading) -> bool:
    """Return True if all that a reading stored was undone."""
    undone = {each.number for each in past_imports(store) if each.is_undone}
    return bool(reading.outcome.numbers) and undone.issuperset(reading.outcome.numbers)


def cannot_be_undone(number: int, why: str) -> Element:
    """Return the reason why an import cannot be undone, behind a button that says so."""
    name = f"kept-{number}"
    reason = htpy.div(id=name, class_="cc-popup cc-scope-popup", popover="auto")[htpy.p[why]]
    label = f"Import {number} cannot be undone. Why?"
    button = htpy.button(type="button", class_="cc-button", popovertarget=name, aria_label=label)["Cannot be undone"]
    return htpy.span(class_="cc-chip-place")[button, reason]


def _receipt(store: OpenProject, reading: Reading) -> Element:
    """Return what was stored, with Undo; or that it was undone."""
    outcome, source = reading.outcome, reading.source
    if not outcome.numbers:
        nothing = outcome.errors or outcome.summary or ("all of it is in the project already",)
        return htpy.section(class_="cc-panel cc-add-reading", aria_label="Receipt")[
            htpy.h2["Nothing was stored"], _lines("Why", nothing), _leave(reading, "Add something else")
        ]
    name = source.name if source else ""
    if is_taken_back(store, reading):
        return htpy.section(class_="cc-panel cc-add-reading", aria_label="Receipt", role="status")[
            htpy.h2[f"Undone: {name}"], htpy.p["Nothing of it is in the project any more."]
        ]
    said = [wording.sentence(line) for line in outcome.stored]
    hidden = [htpy.input(type="hidden", name="number", value=str(number)) for number in outcome.numbers]
    kept = next(filter(None, (undo_obstacle(store, number) for number in outcome.numbers)), "")
    undo = "" if kept else sending("add/undo", [hidden, submit("Undo")], label="Undo")
    looks = [("Look at them", page_address("images"))] if source is not None and source.kind == "images" else []
    if source is not None and source.kind in ("ratings", "study"):
        looks = [("See the results", page_address("results")), ("See agreement", page_address("agreement"))]
    return htpy.section(
        class_="cc-panel cc-add-reading is-done",
        aria_label="Receipt",
        role="status",
        tabindex="-1",
        data_arrived=reading.reading_id,
    )[
        htpy.div(class_="cc-part-head")[htpy.h2[f"Stored: {name}"], htpy.div(class_="cc-part-tools")[undo]],
        [htpy.p[line] for line in said],
        kept and htpy.p(class_="cc-sub")[f"It cannot be undone: {kept}"],
        looks and htpy.p[[htpy.a(class_="cc-add-look", href=href)[text] for text, href in looks]],
        _lines("Left out, and why", [*outcome.skipped, *outcome.errors]),
    ]


def _lines(title: str, lines: Sequence[str]) -> Node:
    """Return problems, a line each."""
    if not lines:
        return ""
    more = [f"and {len(lines) - _MOST_LINES:,} more"] if len(lines) > _MOST_LINES else []
    shown = [wording.sentence(line) for line in lines[:_MOST_LINES]]
    return folded(f"{title} ({len(lines):,})" if len(lines) > 1 else title, bullets([*shown, *more]), "cc-why", open_=True)
