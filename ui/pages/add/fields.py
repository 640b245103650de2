"""Fields and forms of Add: plain elements, which `assets/js/adding.js` sends to a JSON route."""

from __future__ import annotations

from collections.abc import Iterable

import htpy
from htpy import Element, Node

from concord.common.base_path import at


def sending(route: str, content: Node, *, label: str = "", css: str = "", **values: str) -> Element:
    """Return a form whose fields, and `values`, are sent to a route below ``/api/studio`` as JSON; a refusal stands in it.

    `label` names the form to who cannot see it.
    """
    hidden = [htpy.input(type="hidden", name=name, value=value) for name, value in values.items()]
    return htpy.form(data_send=at(f"/api/studio/{route}"), class_=css or None, aria_label=label or None, novalidate=True)[
        hidden, content, htpy.p(class_="cc-add-refusal", role="alert")
    ]


def submit(text: str, *, primary: bool = False, disabled: bool = False, kind: str = "") -> Element:
    """Return a form's button."""
    return htpy.button(type="submit", class_=["cc-button", primary and "cc-button--primary", kind], disabled=disabled)[text]


def text_field(name: str, label: str, value: str = "", *, hint: str = "", wide: bool = False) -> Element:
    """Return a field for a line of text, with its label."""
    return htpy.label(class_=["cc-add-field", wide and "is-wide"])[
        htpy.span[label], htpy.input(type="text", name=name, value=value, placeholder=hint or None, autocomplete="off")
    ]


def choice_field(name: str, label: str, options: Iterable[tuple[str, str]], value: str = "") -> Element:
    """Return a field for one of several values, each with its text."""
    lines = [htpy.option(value=each, selected=each == value)[text] for each, text in options]
    return htpy.label(class_="cc-add-field")[htpy.span[label], htpy.select(name=name)[lines]]


def file_buttons(*, primary: bool = False, kind: str = "") -> Node:
    """Return what chooses files or a folder in the browser, and for whoever sits at this machine a path on it."""
    button = ["cc-button", primary and "cc-button--primary", "cc-add-choose"]
    path = sending(
        "add/read",
        [text_field("path", "Its whole path; the files stay where they are", hint="/data/images", wide=True), submit("Read")],
        label="A folder on this machine",
        **({"kind": kind} if kind else {}),
    )
    return [
        htpy.div(class_="cc-add-buttons")[
            htpy.label(class_=button)["Choose files", htpy.input(type="file", multiple=True, data_upload=kind)],
            htpy.label(class_="cc-button cc-add-choose")[
                "Choose a folder", htpy.input(type="file", webkitdirectory=True, data_upload=kind)
            ],
        ],
        htpy.details(class_="cc-add-path")[htpy.summary["Or a folder on this machine"], path],
    ]
