"""Buttons that act: each is a form whose JavaScript (`assets/js/people/`) sends a JSON route what its fields hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from zlib import crc32

import htpy
from htpy import Element, Node

from concord.common.base_path import at


def act_form(route: str, body: Mapping[str, Any], content: Node, **more: Any) -> Element:
    """Return a form that posts to a route below ``/api/studio``: `body`, and besides what its fields hold."""
    return htpy.form(
        class_="cc-act-form", data_act=at(f"/api/studio/{route}"), data_body=json.dumps(dict(body), ensure_ascii=False), **more
    )[content]


def act_button(text: str, route: str, body: Mapping[str, Any], label: str = "", kind: str = "cc-quiet-act") -> Element:
    """Return one button that acts at once; `label` says what it is about to who cannot see where it stands."""
    return act_form(route, body, htpy.button(type="submit", class_=kind, aria_label=label or None)[text])


def asking_button(
    text: str, question: Node, answers: Node, label: str = "", *, kind: str = "cc-quiet-act", about: str = ""
) -> Element:
    """Return a button that asks once more, in a popup: a question, and forms as answers to it.

    Args:
        text: on the button.
        question: what happens, and what is asked.
        answers: forms of `act_form`.
        label: what the button is about.
        kind: its class.
        about: tells apart popups that say the same.
    """
    name = f"ask-{crc32(f'{text} {label} {about}'.encode())}"
    return htpy.span(class_="cc-chip-place")[
        htpy.button(type="button", class_=kind, popovertarget=name, aria_label=label or None)[text],
        htpy.div(id=name, class_="cc-popup cc-scope-popup cc-asking", popover="auto")[
            htpy.p[question],
            htpy.div(class_="cc-asking-answers")[answers],
            htpy.p(class_="cc-act-said", role="alert"),
        ],
    ]


def answer(text: str, route: str, body: Mapping[str, Any], *, danger: bool = False, then: str = "") -> Element:
    """Return an answer in the popup of `asking_button`; `then` is the address to go on to."""
    button = htpy.button(type="submit", class_=["cc-button", danger and "cc-button--danger"])[text]
    return act_form(route, body, button, data_closes="", data_then=then or None)
