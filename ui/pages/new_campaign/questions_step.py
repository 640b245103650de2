"""The third step of New campaign: what is asked, in whose words, and the texts around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import htpy
from htpy import Element, Node

from annotation.questionnaires import geneval_authors
from annotation.questionnaires.form import Form
from annotation.questionnaires.registry import FORMS
from concord.common.base_path import at
from concord.new_campaigns.drafting import FIELDS, OWN
from ui.components.request_fields import field_control
from ui.components.tables import folded

_TITLES: Final = {
    "yes_no": "Yes or no",
    "geneval": "In detail: objects, numbers, colours, places",
    "visor": "Two objects and where they are",
    "tifa_likert": "How faithful, from 1 to 5",
    "tifa_vqa": "The prompt’s own questions",
    "ab": "Which of two images is better",
}


def questions_body(values: Mapping[str, Any], asked: Form | None, campaign_id: str) -> Node:
    """Return the step.

    Args:
        values: of the draft.
        asked: the questionnaire that the draft has now; None where it cannot be read.
        campaign_id: of the draft.
    """
    chosen = str(values.get("questionnaire") or (OWN if values.get("definition") else asked.name if asked else ""))
    preview = htpy.a(
        class_="cc-button", href=at(f"/annotate/?preview={quote(campaign_id)}"), target="_blank", data_preview="true"
    )["Preview as people see it"]
    return [
        htpy.div(class_="cc-wizard-top")[htpy.h2["What is asked"], preview],
        _forms(chosen),
        htpy.div(data_shown_for=OWN, hidden=chosen != OWN)[field_control(FIELDS["definition"], values.get("definition"))],
        folded("GenEval’s questions in its authors’ words", _template(chosen), open_=chosen == geneval_authors.NAME),
        htpy.h2["Texts for people (Markdown)"],
        [field_control(FIELDS[name], values.get(name)) for name, field in FIELDS.items() if field.setting.section == "texts"],
        htpy.p(class_="cc-wizard-hint")[_languages()],
    ]


def _forms(chosen: str) -> Element:
    known = [(form.name, _TITLES.get(form.name, form.name), f"{form.name}: {form.summary}") for form in _ordered()]
    known.append((OWN, "Questions of my own", "a YAML file; it may bring translations"))
    if chosen == geneval_authors.NAME:
        known.insert(0, (geneval_authors.NAME, "GenEval’s authors’ words", "from their published form"))
    radios = [
        htpy.label(class_="cc-wizard-choice")[
            htpy.input(type="radio", name="questionnaire", value=name, checked=name == chosen),
            htpy.span[htpy.b[title], htpy.small[more]],
        ]
        for name, title, more in known
    ]
    problem = htpy.p(class_="cc-entry-problem", role="alert", data_problem="questionnaire")
    field = htpy.fieldset(class_="cc-wizard-forms", data_field="questionnaire", data_one="true")
    return htpy.div(class_="cc-entry", data_entry="questionnaire")[
        field[htpy.legend(class_="cc-wizard-unseen")["Questions"], radios], problem
    ]


def _ordered() -> list[Form]:
    """Return the questionnaires, those that are asked most first."""
    return sorted(FORMS.values(), key=lambda form: list(_TITLES).index(form.name) if form.name in _TITLES else len(_TITLES))


def _template(chosen: str) -> Node:
    words = "Their published form (mturk_hit_template.html): its questions, examples and instructions take the place of ours."
    file = htpy.input(type="file", accept=".html,text/html", data_into="template", aria_label="GenEval’s published form")
    used = "It is in use." if chosen == geneval_authors.NAME else ""
    text = htpy.textarea(hidden=True, data_field="template", aria_label="the form’s text")
    problem = htpy.p(class_="cc-entry-problem", role="alert", data_problem="template")
    return htpy.div(class_="cc-entry", data_entry="template")[
        htpy.p[words], file, text, htpy.p(class_="cc-wizard-hint")[used], problem
    ]


def _languages() -> str:
    return (
        "People see the form in the language of their browser, where it is translated, or in the one that ?lang=de in the link"
        " asks for; the texts above are shown as they are written here."
    )
