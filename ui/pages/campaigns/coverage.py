"""Coverage and pace of one campaign."""

from __future__ import annotations

from typing import Any

import gradio as gr

from concord.campaigns import progress
from concord.campaigns.progress import CampaignProgress
from concord.common import wording
from data.store.campaigns import monitoring
from data.store.core.campaign_items import DEFAULT
from data.store.core.store import Store
from ui import campaign_charts
from ui.components.table import Cell, html_table, note


def drawn(store: Store, one: CampaignProgress) -> list[Any]:
    """Sentences, two figures, and what does not count."""
    campaign, said = one.campaign, one.coverage
    name = campaign.campaign_id
    spread = monitoring.items_by_answer_count(store, name)
    hours = monitoring.answers_by_hour(store, name)
    lead = note(
        f"{said.answers:,} of {said.wanted:,} answers; {said.full:,} of {wording.count(said.items, 'item')} have enough,"
        f" {said.started - said.full:,} have some, {said.items - said.started:,} have none."
        f" Pace: {progress.describe_pace(one.pace)}.",
        "cc-lead",
    )
    if not said.items and name == DEFAULT:
        lead = note("Nobody has asked for an image yet; the list of images is made when somebody does.", "cc-lead")
    items = gr.Plot(campaign_charts.by_answers(spread, campaign.overlap), visible=True) if spread else gr.Plot(visible=False)
    pace = gr.Plot(campaign_charts.by_time(hours), visible=True) if hours else gr.Plot(visible=False)
    return [lead, items, pace, _apart(one)]


def _apart(one: CampaignProgress) -> str:
    said = one.coverage
    rows: list[list[str | Cell]] = [
        ["held now", Cell(f"{said.held:,}"), "items that somebody has before them"],
        ["set aside", Cell(f"{said.aside:,}"), "items that are offered to nobody, as they were reported as broken"],
        ["surplus", Cell(f"{said.surplus:,}"), "answers that came after their item had enough, or from who was revoked"],
        ["checks", Cell(f"{said.checks:,}"), "answers to gold and attention items"],
        ["training", Cell(f"{said.training:,}"), "answers to training items"],
    ]
    return html_table("What does not count", ["", Cell("n"), ""], rows)
