"""The pages as one Gradio app, and the bar above them that leads from one to another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr
import htpy
from htpy import Element

from concord.common.base_path import at
from concord.project import OpenProject
from ui.shell.html import html_component
from ui.shell.page import Page

Navigation = Mapping[str, Sequence[type[Page[Any]]]]
"""Pages by group, in their order."""


def pages_app(store: OpenProject, navigation: Navigation, pages: Sequence[type[Page[Any]]]) -> gr.Blocks:
    """Return the app of these pages, each below the bar that leads to those of the navigation; the first one opens."""
    with gr.Blocks(title="Concord", analytics_enabled=False, fill_width=True) as blocks:
        for page in pages:
            if page is not pages[0]:
                _begin(blocks, page)
            add_bar(store, navigation, page)
            page(store).build()
            blocks.fill_expected_parents()
    return blocks


def _begin(blocks: gr.Blocks, page: type[Page[Any]]) -> None:
    """What is built from now on belongs to another page.

    As ``blocks.route`` has it, but inside of one context: whenever one is left, Gradio makes all routes of an app that nobody
    uses, as the one that is served is made when it is mounted.
    """
    blocks.current_page = page.path.strip("/")
    blocks.pages.append((blocks.current_page, page.title, True))


def add_bar(store: OpenProject, navigation: Navigation, current: type[Page[Any]]) -> None:
    """Add the bar with all pages by group, the project's name, light or dark; and the page's own title.

    Gradio knows one title for all. The bar takes the place of Gradio's own, which has no groups
    (``assets/css/navigation.css`` hides that).
    """

    def link(page: type[Page[Any]]) -> Element:
        href = at("/studio" + (page.path or "/"))
        return htpy.li[htpy.a(href=href, aria_current="page" if page is current else None)[page.title]]

    groups = [
        htpy.li(class_="cc-nav-group", aria_label=group)[htpy.ul[[link(page) for page in pages]]]
        for group, pages in navigation.items()
    ]
    bar = htpy.nav(class_="cc-nav", aria_label="Studio")[
        htpy.a(class_="cc-nav-skip", href="#content")["Skip to content"],
        htpy.a(class_="cc-nav-brand", href=at("/studio/"))["Concord"],
        htpy.button(type="button", class_="cc-nav-menu", aria_expanded="false")["Menu"],
        htpy.ul(class_="cc-nav-groups")[groups],
        htpy.span(class_="cc-nav-project", title="the project")[store.project.name],
        htpy.button(type="button", class_="cc-nav-theme", aria_label="Light or dark"),
        htpy.a(class_="cc-nav-label", href=at("/annotate/"))["Label images"],
    ]
    js = f"document.title = {json.dumps(f'{current.title} - Concord')};"
    html_component(
        [bar, htpy.span(id="content", tabindex="-1")],
        js_on_load=f"{js} import('{at('/assets/js/navigation.js')}').then((m) => m.mount(element));",
        elem_id="navigation",
    )
