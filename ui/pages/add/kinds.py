"""The drop zone, and the five kinds of things that can be added, each with its few fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import htpy
from htpy import Element, Node

from concord.importing.adding import PUBLISHED_PROMPTS, ProjectContent
from concord.studies.folders import STUDY_FILES
from scorers.models import devices
from scorers.models.pipelines import GENERATOR_NAMES
from ui.components.tables import plain_table, table_element
from ui.pages.add.fields import choice_field, file_buttons, sending, submit, text_field
from ui.pages.add.view import KINDS, AddView

_UPLOAD: Final = "M12 15V4M7.500 8 12 3.500 16.500 8M3.500 15v4.500h17V15"


def drop_zone(*, empty: bool) -> Element:
    """Return the zone that says what can be dropped; the whole window takes it."""
    icon = htpy.svg(viewbox="0 0 24 24", aria_hidden="true")[htpy.path(d=_UPLOAD)]
    return htpy.section(class_=["cc-add-zone", not empty and "is-small"], aria_label="Files")[
        icon,
        htpy.h2["Drop a folder, a zip or a table"],
        htpy.p["images with their prompts, of one generator or of several; prompts alone; or ratings that you have"],
        file_buttons(primary=empty),
    ]


def kind_cards(view: AddView) -> Element:
    """Return the five kinds as links that open their fields."""
    cards = [
        htpy.a(
            class_="cc-add-kind",
            href=view.address(kind="" if view.kind == kind else kind),
            aria_current="true" if view.kind == kind else None,
        )[htpy.strong[title], htpy.span[text]]
        for kind, (title, text) in KINDS.items()
    ]
    return htpy.nav(class_="cc-add-kinds", aria_label="What to add")[cards]


def kind_fields(view: AddView, content: ProjectContent) -> Node:
    """Return the fields of the open kind; "" where none is."""
    if not view.kind:
        return ""
    drawn: Mapping[str, Callable[[], Node]] = {
        "images": _images,
        "prompts": lambda: _prompts(content),
        "ratings": _ratings,
        "study": _study,
        "playground": _playground,
    }
    return htpy.section(class_="cc-panel cc-add-fields", aria_label=KINDS[view.kind][0])[
        htpy.div(class_="cc-part-head")[htpy.h2[KINDS[view.kind][0]]], drawn[view.kind]()
    ]


def _images() -> Node:
    shapes = (
        ("A folder for each generator", "sdxl/…, flux/…; prompts from a list, a table, text files beside, or the files’ names"),
        ("A table beside the images", "columns path and prompt; generator, idx and task if you have them"),
        ("GenEval", "00042/samples/0000.png with metadata.jsonl, one folder or one for each generator"),
        ("VISOR", "10811_0.png, one folder or one for each generator"),
    )
    table = plain_table("What is recognised", ("Images", "As"), shapes)
    return [table_element(table), file_buttons(primary=True)]


def _prompts(content: ProjectContent) -> Node:
    written = sending(
        "add/read",
        [
            htpy.label(class_="cc-add-field is-wide")[
                htpy.span["Your prompts, one a line"],
                htpy.textarea(name="text", rows=4, placeholder="a red cup left of a blue plate"),
            ],
            submit("Read them", primary=True),
        ],
        label="Write prompts",
        kind="prompts",
    )
    published = [
        sending("add/suite", [htpy.span[text], submit("Read them")], label=text, css="cc-add-line", suite=suite)
        for suite, text in PUBLISHED_PROMPTS.items()
    ]
    return [
        written,
        htpy.h3["A published set"],
        published,
        htpy.h3["A file"],
        htpy.p(class_="cc-sub")["One prompt a line, or JSON lines and tables with specs, which say what must be in the image."],
        file_buttons(kind="prompts"),
        generate_form(content),
    ]


def generate_form(content: ProjectContent, suite: str = "") -> Node:
    """Return the form that generates images of a suite's prompts; "" where there are no prompts."""
    if not content.prompt_suites:
        return ""
    suites = [(name, name) for name in content.prompt_suites]
    return [
        htpy.h3["Generate images here"],
        sending(
            "add/generate",
            [
                htpy.div(class_="cc-add-row")[
                    choice_field("suite", "Prompts", suites, suite or content.prompt_suites[0]),
                    choice_field("generator", "Generator", [(name, name) for name in GENERATOR_NAMES], "sdxl"),
                    text_field("n", "Images a prompt", hint="4"),
                    text_field("limit", "Prompts at most", hint="all"),
                    choice_field("device", "Device", device_options(), devices.default_device()),
                ],
                submit("Generate"),
                htpy.p(class_="cc-sub")["A new model is downloaded first; without a GPU only the playground’s are quick."],
            ],
            label="Generate images",
        ),
    ]


def device_options() -> Sequence[tuple[str, str]]:
    """Return this machine's devices, each with its text."""
    known = [(name, title) for name, title in devices.known_devices()]
    usual = devices.default_device()
    return known if any(name == usual for name, _ in known) else [*known, (usual, usual)]


def _ratings() -> Node:
    text = (
        "A table with a row for each rating (the image, who rated it, the value) or a column for each person; CSV, Excel, JSON,"
        " Parquet, or what Label Studio, Argilla, MTurk and Concord export. You see which column is taken for what."
    )
    return [htpy.p(class_="cc-sub")[text], file_buttons(primary=True, kind="ratings")]


def _study() -> Node:
    rows = [(study.title, study.holds, study.needed) for study in STUDY_FILES.values() if study.pattern]
    table = plain_table("Studies by the files that their authors released", ("Study", "It brings", "Files"), rows)
    printed = sending(
        "add/study",
        [htpy.span["SelfEval: the numbers that its paper prints; no files"], submit("Add them")],
        label="SelfEval",
        css="cc-add-line",
        suite="selfeval",
    )
    return [file_buttons(primary=True, kind="study"), table_element(table), printed]


def _playground() -> Node:
    text = (
        "A small drawn world to try everything out: 504 drawings by three generators, what six scorers say of them, and five"
        " simulated people, who are marked wherever they appear and never counted among people. It can be undone."
    )
    return [
        htpy.p(class_="cc-sub")[text],
        sending("add/playground", submit("Fill this project with the playground", primary=True), label="Playground"),
    ]
