"""How a campaign's people were recruited, instructed and paid: asked here once, said in every report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import gradio as gr

from concord.common import wording
from data.campaign import MAX_RECRUITMENT_LENGTH, RECRUITMENT_FIELDS
from data.store.campaigns import management
from data.store.core.store import Store
from ui.components.table import note
from ui.pages.campaigns.who import Actor

HINT: Final = (
    "Reports say how people were asked, in the fields of Otani et al. (arXiv 2304.01816). What is left empty is printed as "
    "“not reported”. Concord adds by itself what it knows: how many answered, the questionnaire, instructions and consent of "
    "this campaign, gold and attention checks passed, and the time that it took."
)


@dataclass(frozen=True, slots=True)
class Describing:
    """The form; ``filled`` is the campaign whose fields it holds."""

    fields: dict[str, gr.Textbox]
    save: gr.Button
    filled: gr.State

    @property
    def inputs(self) -> list[gr.Textbox]:
        return list(self.fields.values())


def laid_out() -> Describing:
    gr.HTML(note(HINT))
    fields = {
        name: gr.Textbox(
            label=field.title,
            info=field.asks,
            max_lines=8,
            max_length=MAX_RECRUITMENT_LENGTH,
            interactive=False,
            elem_id=f"said-{name}",
        )
        for name, field in RECRUITMENT_FIELDS.items()
    }
    with gr.Row(elem_classes="cc-filters cc-run-row"):
        save = gr.Button("Save", variant="primary", elem_id="said-save")
    return Describing(fields, save, gr.State(""))


def opened(store: Store, campaign: str | None, show: str | None, filled: str) -> list[Any]:
    """What has been said of a campaign, for the fields, and the campaign.

    Nothing where they hold it already: the page follows the project, and somebody may be typing.
    """
    if show != "recruitment" or not campaign or campaign == filled:
        return [gr.skip()] * (len(RECRUITMENT_FIELDS) + 1)
    said = management.recruitment_of(store, campaign)
    # nobody types before they hold what has been said
    return [*(gr.Textbox(value=said.get(name, ""), interactive=True) for name in RECRUITMENT_FIELDS), campaign]


def save(store: Store, campaign: str, values: tuple[str | None, ...], who: Actor) -> tuple[str, str]:
    """Write the fields; a sentence, and how it is meant."""
    if not campaign or management.get(store, campaign) is None:
        return "Choose a campaign first.", "cc-bad"
    given = {name: value or "" for name, value in zip(RECRUITMENT_FIELDS, values, strict=True)}
    try:
        said = management.describe_recruitment(store, campaign, given, who.signed)
    except ValueError as error:
        text = str(error)
        return f"{text[:1].upper()}{text[1:].rstrip('.')}.", "cc-bad"
    left = len(RECRUITMENT_FIELDS) - len(said)
    return f"Saved: {wording.count(len(said), 'field')} said, {left:,} not reported.", ""
