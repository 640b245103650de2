"""Studio's Gradio app and its theme.

The form is no part of it (``form_page``), so that nothing of Studio can be asked for through the annotators' page. The tokens
of the theme live in ``assets/css/concord.css``; this maps Gradio's own controls onto them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import gradio as gr
import htpy
from markupsafe import Markup

from concord.common.base_path import at
from concord.open_project import OpenProject
from ui.pages.add import AddPage
from ui.pages.add.runs import RunsPage
from ui.pages.captions import CaptionsPage
from ui.pages.failures import FailuresPage
from ui.pages.images import ImagesPage
from ui.pages.new_campaign import NewCampaignPage
from ui.pages.people import PeoplePage
from ui.pages.report import ReportPage
from ui.pages.results import ResultsPage
from ui.pages.results.compare import ComparePage
from ui.pages.results.votes import VotesPage
from ui.pages.trust import TrustPage
from ui.pages.tune import TunePage
from ui.shell.html import rendered
from ui.shell.navigation import pages_app
from ui.shell.page import Page
from ui.shell.places import Place

PLACES: Final[tuple[Place, ...]] = (
    Place(
        "Results", "r", "Which generator is best, how sure, on what?", "M3 17V9h4v8zM8 17V4h4v13zM13 17v-6h4v6z",
        (ResultsPage,), (ComparePage, VotesPage),
    ),
    Place(
        "Images", "i", "Show me", "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z", (ImagesPage,)
    ),
    Place(
        "Agreement", "a", "Whom may I trust, where do they fail?",
        "M7.5 5a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12.5 5a5 5 0 1 0 0 10 5 5 0 0 0 0-10z",
        (TrustPage,), (FailuresPage, TunePage, CaptionsPage),
    ),
    Place(
        "People", "p", "Ask and check people", "M10 3a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM3 17.500c0-4 3-6 7-6s7 2 7 6z",
        (PeoplePage,), (NewCampaignPage,),
    ),
    Place("Report", "e", "What a reader gets", "M5 2h7l4 4v12H5zM8 10h5M8 13h5", (ReportPage,)),
)  # fmt: skip
"""The places of the bar, in its order; the first one opens."""
ADD: Final = Place("Add", "+", "Bring images, prompts, ratings or a study, and score images", "", (AddPage,), (RunsPage,))
PAGES: Final[tuple[type[Page], ...]] = tuple(page for place in (*PLACES, ADD) for page in place.every)


def studio(store: OpenProject) -> gr.Blocks:
    """Return Studio's app."""
    return pages_app(store, PLACES, ADD)


_STYLES = (
    "concord", "studio", "navigation", "places", "dots", "results", "overview", "compare", "trust", "picture", "form",
    "dialogs", "add", "runs", "votes", "people", "images", "drawer", "map", "wizard", "agreement_tabs", "report",
)  # fmt: skip
_SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")


# Gradio's variable: our token. Both modes get the same, as the tokens know light from dark themselves.
_TOKENS = {
    "body_background_fill": "page",
    "body_text_color": "text",
    "body_text_color_subdued": "muted",
    "background_fill_primary": "surface",
    "background_fill_secondary": "sunken",
    "block_background_fill": "surface",
    "block_border_color": "border",
    "block_label_text_color": "muted",
    "block_title_text_color": "muted",
    "border_color_primary": "border",
    "border_color_accent": "accent",
    "input_background_fill": "surface",
    "input_border_color": "border",
    "link_text_color": "accent",
    "link_text_color_hover": "accent-fill-hover",
    "button_primary_background_fill": "accent-fill",
    "button_primary_background_fill_hover": "accent-fill-hover",
    "button_primary_border_color": "accent-fill",
    "button_primary_border_color_hover": "accent-fill-hover",
    "button_primary_text_color": "on-accent",
    "button_secondary_background_fill": "surface",
    "button_secondary_text_color": "text",
}


def head(styles: Sequence[str] = _STYLES) -> str:
    """Our icon and style sheets: linked, not handed to Gradio as text, as it rewrites the selectors of what it is handed."""
    icon = htpy.link(rel="icon", type="image/svg+xml", href=at("/assets/icon.svg"))
    return rendered([icon, [htpy.link(rel="stylesheet", href=at(f"/assets/css/{name}.css")) for name in styles]])


def scripts() -> str:
    """What every page of the studio runs: the buttons that copy numbers, and browsers that can make the page ready to which a
    link of the navigation leads when one points at it."""
    rules = {"prerender": [{"where": {"selector_matches": ".cc-nav a, .cc-place-tabs a"}, "eagerness": "moderate"}]}
    names = ("copy_numbers", "local_times", "adding")
    modules = [htpy.script(type="module", src=at(f"/assets/js/{name}.js")) for name in names]
    return rendered([modules, htpy.script(type="speculationrules")[Markup(json.dumps(rules))]])


def theme() -> gr.themes.Base:
    """System fonts only: a web font would be fetched from elsewhere."""
    base = gr.themes.Base(
        primary_hue=gr.themes.colors.indigo,
        neutral_hue=gr.themes.colors.slate,
        radius_size=gr.themes.sizes.radius_md,
        text_size=gr.themes.sizes.text_md,
        font=list(_SANS),
        font_mono=list(_MONO),
    )
    values = {name: f"var(--cc-{token})" for name, token in _TOKENS.items()}
    dark = {f"{name}_dark": value for name, value in values.items()}
    return base.set(**values, **dark, input_border_width="1px", input_border_width_dark="1px")
