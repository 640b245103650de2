"""The pages as one Gradio app; above each the bar that leads to the places, and the tabs of its own place."""

from __future__ import annotations

import json
from collections.abc import Sequence

import gradio as gr
import htpy
from htpy import Element, Node

from concord.common.base_path import at
from concord.open_project import OpenProject
from ui.shell.html import html_component
from ui.shell.page import Page
from ui.shell.places import Place, place_of


def pages_app(store: OpenProject, places: Sequence[Place], add: Place) -> gr.Blocks:
    """Return the app of all pages.

    Args:
        store: the open project.
        places: in the order of the bar.
        add: the place behind the bar's button "Add".
    """
    with gr.Blocks(title="Concord", analytics_enabled=False, fill_width=True) as blocks:
        for place in (*places, add):
            for page in place.every:
                _begin(blocks, page)
                add_bar(store, places, add, page)
                page(store).build()
                blocks.fill_expected_parents()
    return blocks


def _begin(blocks: gr.Blocks, page: type[Page]) -> None:
    """Have what is built from now on belong to another page.

    As ``blocks.route`` has it, but inside of one context: whenever one is left, Gradio makes all routes of an app that nobody
    uses, as the one that is served is made when it is mounted.
    """
    blocks.current_page = page.path.strip("/")
    blocks.pages.append((blocks.current_page, page.title, True))


def add_bar(store: OpenProject, places: Sequence[Place], add: Place, current: type[Page]) -> None:
    """Add the bar (places, project, form, "Add") and the tabs of the current page's place; and set the page's title.

    Gradio knows one title for all. The bar takes the place of Gradio's own, which has no places
    (``assets/css/navigation.css`` hides that).
    """
    here = place_of((*places, add), current)
    bar = htpy.nav(class_="cc-nav", aria_label="Studio")[
        htpy.a(class_="cc-nav-skip", href="#content")["Skip to content"],
        htpy.a(class_="cc-nav-brand", href=_href(places[0].pages[0]), title="Concord")[htpy.span["Concord"]],
        _project_menu(store, add),
        htpy.ul(class_="cc-places")[[htpy.li[_place_link(place, here)] for place in places]],
        htpy.span(class_="cc-nav-end")[
            htpy.a(class_="cc-nav-label", href=at("/annotate/"))["Label", htpy.span[" images"]],
            htpy.a(
                class_="cc-nav-add", href=_href(add.pages[0]), title=add.question, aria_current="page" if here is add else None
            )[htpy.span(aria_hidden="true")["+"], " Add"],
        ],
    ]
    js = f"document.title = {json.dumps(f'{current.title} - Concord')};"
    html_component(
        [bar, _tabs(here, current), htpy.span(id="content", tabindex="-1")],
        js_on_load=f"{js} import('{at('/assets/js/navigation.js')}').then((m) => m.mount(element));",
        elem_id="navigation",
    )


def _href(page: type[Page]) -> str:
    return at(f"/studio{page.path}")


def _place_link(place: Place, here: Place) -> Element:
    icon = htpy.svg(viewbox="0 0 20 20", aria_hidden="true")[htpy.path(d=place.icon)]
    current = "page" if place is here else None
    return htpy.a(href=_href(place.pages[0]), title=place.question, data_key=place.key, aria_current=current)[
        icon, htpy.span(data_name=place.name)[place.name]
    ]


def _tabs(place: Place, current: type[Page]) -> Node:
    """Return links to the pages of a place; nothing where there is one alone."""
    if len(place.pages) < 2:
        return ""
    links = [htpy.a(href=_href(page), aria_current="page" if page is current else None)[page.title] for page in place.pages]
    return htpy.nav(class_="cc-place-tabs", aria_label=place.name)[links]


def _project_menu(store: OpenProject, add: Place) -> Node:
    """Return the project's name, and behind it what concerns all of the project."""
    links = [htpy.a(href=_href(page))[page.title if page is not add.pages[0] else "What was added"] for page in add.every]
    menu = htpy.div(id="project-menu", class_="cc-popup", popover="auto")[
        htpy.p(class_="cc-popup-head")[store.project.name],
        links,
        htpy.hr,
        htpy.button(type="button", class_="cc-nav-theme")["Light or dark"],
        htpy.button(type="button", class_="cc-nav-keys")["Keys ", htpy.kbd(class_="cc-kbd")["?"]],
        htpy.a(href=at("/logout"), class_="cc-nav-out")["Sign out"],
    ]
    name = htpy.button(type="button", class_="cc-nav-project", popovertarget="project-menu", title="the project")[
        htpy.span[store.project.name], htpy.span(class_="cc-caret", aria_hidden="true")
    ]
    return [name, menu]
