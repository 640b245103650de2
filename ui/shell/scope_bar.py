"""The bar that says what a place shows, and changes it: a chip for each part of the scope, each with a menu of links.

Everything is a link to the same place with another address, so it works by keys, can be opened beside and be kept. A menu of
generators has boxes: its form asks for the same address with those that are ticked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.scope import OpenScope, Scope, ScopeChoice

_LABELS: Final = {"suite": "Suite", "aspect": "Question", "generator": "Generators", "task": "Task", "statistic": "Statistic"}
_SEARCH_FROM: Final = 10
"""So many choices, and a menu has a field to search in."""

Address = Callable[[Scope], str]
"""Returns the address of a place with another scope, and all else as it is."""


def scope_bar(opened: OpenScope, address: Address, parts: Sequence[str] = tuple(_LABELS)) -> Element:
    """Return the bar: chips of these parts of the scope, and at its end what the scope leaves."""
    chips = [_chip(name, opened, address) for name in parts]
    short = [opened.scope.suite, wording.plain_aspect(opened.scope.aspect)]
    if "generator" in parts:
        short.append(_value("generator", opened))
    short = [part for part in short if part]
    size = opened.size
    left = [wording.count(size.images, "image"), wording.count(size.prompts, "prompt")]
    if size.answers:
        left.append(f"{wording.count(size.answers, 'answer')} of {wording.count(size.people, 'person')}")
    elif size.simulated:
        left.append(f"{wording.count(size.simulated, 'answer')} of simulated people")
    return chips_bar(chips, short, left)


def chips_bar(chips: Sequence[Node], short: Sequence[str], left: Sequence[str]) -> Element:
    """Return a bar of chips; on a phone one chip says it in short and opens the others.

    Args:
        chips: as they stand.
        short: what they say, for the phone's chip.
        left: what is left of the project, the most important first.
    """
    sheet = htpy.button(type="button", class_="cc-pill cc-pill--all", popovertarget="scope-sheet")[
        htpy.b[" · ".join(short)], htpy.span(class_="cc-caret", aria_hidden="true")
    ]
    size = htpy.span(class_="cc-scope-size")[left[0], htpy.span[[f" · {part}" for part in left[1:]]]]
    return htpy.section(class_="cc-scope", aria_label="What is shown")[
        htpy.div(id="scope-sheet", class_="cc-scope-chips", popover="manual")[chips], sheet, size
    ]


def menu_chip(name: str, label: str, current: str, links: Mapping[str, tuple[str, str]], usual: str = "") -> Node:
    """Return a chip with a menu of links; text alone where there is one choice.

    Args:
        name: of the menu in the page.
        label: in front of the value.
        current: the value.
        links: by value its title and its address.
        usual: the value that restricts nothing.
    """
    if current not in links:
        return ""
    text: list[Node] = [htpy.span[label], " ", htpy.b[links[current][0]]]
    if len(links) < 2:
        return htpy.span(class_="cc-pill cc-pill--fixed")[text]
    changed = bool(usual) and current != usual
    lines = [
        htpy.a(href=href, aria_current="true" if value == current else None, data_scope="")[title]
        for value, (title, href) in links.items()
    ]
    search = len(links) >= _SEARCH_FROM and htpy.input(
        type="search", class_="cc-input", placeholder="Search", aria_label=f"Search {label}", data_search=""
    )
    return htpy.span(class_="cc-chip-place")[
        htpy.button(type="button", class_=["cc-pill", changed and "is-changed"], popovertarget=name)[
            text, not changed and htpy.span(class_="cc-caret", aria_hidden="true")
        ],
        changed and htpy.a(class_="cc-chip-back", href=links[usual][1], aria_label=f"{label}: back to all", data_scope="")["×"],
        htpy.div(id=name, class_="cc-popup cc-scope-popup", popover="auto")[search, lines],
    ]


def _value(name: str, opened: OpenScope) -> str:
    """What a chip says."""
    choices = opened.choices[name]
    if name == "generator":
        chosen = opened.asked.generator
        if not chosen:
            return f"all {len(choices)}" if len(choices) > 1 else choices[0].title if choices else "none"
        return chosen[0] if len(chosen) == 1 else f"{len(chosen)} of {len(choices)}"
    value = str(getattr(opened.scope if name in ("suite", "aspect") else opened.asked, name))
    if not value and name in ("suite", "task"):
        choices = tuple(choice for choice in choices if choice.value)
        return f"all {len(choices)}" if len(choices) > 1 else choices[0].title if choices else "all"
    if not value:
        return "usual"
    return next((choice.title for choice in choices if choice.value == value), value)


def _chip(name: str, opened: OpenScope, address: Address) -> Node:
    choices = [choice for choice in opened.choices[name] if not choice.reason]
    label: list[Node] = [htpy.span[_LABELS[name]], " ", _value(name, opened)]
    if len(choices) < 2:
        return htpy.span(class_="cc-pill cc-pill--fixed")[label] if choices else ""
    asked: Any = getattr(opened.asked, name)
    changed = bool(asked) and name != "suite"
    menu = f"scope-{name}"
    chip = htpy.button(type="button", class_=["cc-pill", changed and "is-changed"], popovertarget=menu)[
        label, not changed and htpy.span(class_="cc-caret", aria_hidden="true")
    ]
    back = htpy.a(
        class_="cc-chip-back",
        href=address(_changed(opened.asked, name, "")),
        aria_label=f"{_LABELS[name]}: back to {'the usual one' if name in ('aspect', 'statistic') else 'all'}",
        data_scope="",
    )["×"]
    boxes = name == "generator"
    content = _boxes(opened, address) if boxes else _links(name, opened, address)
    return htpy.span(class_="cc-chip-place")[
        chip, changed and back, htpy.div(id=menu, class_="cc-popup cc-scope-popup", popover="auto")[content]
    ]


def _changed(scope: Scope, name: str, value: str) -> Scope:
    """Return a scope with another value of one part; empty for its default."""
    changes: dict[str, Any] = {name: ((value,) if value else ()) if name == "generator" else value}
    return replace(scope, **changes)


def _search(choices: Sequence[ScopeChoice], label: str) -> Node:
    if len(choices) < _SEARCH_FROM:
        return ""
    return htpy.input(type="search", class_="cc-input", placeholder="Search", aria_label=f"Search {label}", data_search="")


def _links(name: str, opened: OpenScope, address: Address) -> Node:
    choices = opened.choices[name]
    asked = str(getattr(opened.scope if name in ("suite", "aspect") else opened.asked, name))
    every = {"task": "all tasks", "statistic": "the usual one of each scorer"}.get(name)
    offered = ([ScopeChoice("", every)] if every else []) + list(choices)
    lines: list[Node] = []
    for choice in offered:
        if choice.reason:
            lines.append(htpy.span(class_="cc-popup-off", title=choice.reason)[choice.title])
            continue
        target = Scope(suite=choice.value) if name == "suite" else _changed(opened.asked, name, choice.value)
        count = choice.images is not None and htpy.small[f"{choice.images:,}"]
        current = "true" if choice.value == asked else None
        lines.append(htpy.a(href=address(target), aria_current=current, data_scope="")[choice.title, count])
    return [_search(choices, _LABELS[name]), lines]


def _boxes(opened: OpenScope, address: Address) -> Node:
    choices, chosen = opened.choices["generator"], opened.asked.generator
    here = address(replace(opened.asked, generator=()))
    boxes = [
        htpy.label(data_item="")[
            htpy.input(type="checkbox", name="generator", value=choice.value, checked=choice.value in chosen or not chosen),
            htpy.span[choice.title],
            choice.images is not None and htpy.small[f"{choice.images:,}"],
        ]
        for choice in choices
    ]
    return htpy.form(data_scope_form="", action=here, data_all=str(len(choices)))[
        _search(choices, "Generators"),
        htpy.div(class_="cc-popup-boxes")[boxes],
        htpy.div(class_="cc-popup-end")[
            htpy.button(type="button", data_none="")["None"],
            htpy.button(type="submit", class_="cc-popup-apply")["Show these"],
        ],
    ]


def with_query(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Return an address of Studio with a query; what is empty is left out."""
    query = urlencode([(name, value) for name, value in pairs if value])
    return f"{path}?{query}" if query else path
